// The classes that an instance is made of, and the arguments that they get:
//
//   model Pump extends Machine(d = 2)       levels: Machine, Pump
//   Pump p(Q = 5)                           bindings: Q = 5 of the component, d = 2 of `extends`
#include "lang/elaborate.h"

#include "lang/library.h"
#include <string.h>

static bool add_level(Elaboration *e, Definition d) {
    Builder *b = e->b;
    for (int i = 0; i < e->levels; i++) {
        if (e->level[i].class != d.what && e->levels < LONGEST_EXTENDS) continue;
        Remark *m =
            complain(b, L_CIRCULAR_EXTENDS, d.what->pos,
                     "'%s' extends itself, by a circle of `extends`", text_of(b, d.what->name));
        for (int k = 1; k < e->levels; k++)
            remark_note(b->r, m, e->level[k].class->pos, "by way of '%s'",
                        text_of(b, e->level[k].class->name));
        remark_help(b->r, m, "one of them must stand alone");
        return false;
    }
    Env env = {.file = d.file, .instance = e->instance, .element = -1};
    e->level[e->levels++] = (Level){d.what, new_env(b, env)};
    return true;
}

// The class and what it extends, base first. False: reported.
bool find_levels(Elaboration *e, Definition d) {
    Builder *b = e->b;
    while (add_level(e, d)) {
        if (!d.what->base || d.what->kind == CLASS_EXPERIMENT) {
            for (int i = 0; i < e->levels / 2; i++) {
                Level swap = e->level[i];
                e->level[i] = e->level[e->levels - 1 - i];
                e->level[e->levels - 1 - i] = swap;
            }
            return true;
        }
        const AstExpr *path = d.what->base;
        Definition base = find_by_path(b->syntax, d.file, path, b->r);
        if (!base.what || !(COMPONENT_CLASSES >> base.what->kind & 1)) {
            Remark *m = complain(b, L_UNKNOWN_CLASS, path->pos,
                                 "there is no model or element '%s' to extend", expr_text(b, path));
            Suggestion g = suggest_for(expr_text(b, path));
            suggest_definitions(&g, b->syntax, d.file, COMPONENT_CLASSES);
            if (!library_help(b->syntax, g.word, COMPONENT_CLASSES, &g, b->r, m))
                suggest_help(b->r, m, &g, "define it, or import the file that has it");
            return false;
        }
        if ((base.what->kind == CLASS_MECHANISM) != (d.what->kind == CLASS_MECHANISM)) {
            Remark *m = complain(b, M_MOUNT, path->pos,
                                 "a mechanism and a model cannot extend "
                                 "each other");
            remark_note(b->r, m, base.what->pos, "'%s' is defined here", expr_text(b, path));
            remark_help(b->r, m, "make the mechanism a component of the model");
            return false;
        }
        d = base;
    }
    return false;
}

// The name that a positional argument stands for: parameters and inputs in order of declaration.
static Name settable_name(const Elaboration *e, int levels, int place) {
    for (int k = 0; k < levels; k++)
        for (const AstItem *i = e->level[k].class->items; i; i = i->next)
            if ((i->kind == ITEM_PARAM || i->kind == ITEM_INPUT || i->kind == ITEM_CHOSEN ||
                 is_set(i)) &&
                place-- == 0)
                return i->name;
    return 0;
}

static void add_bindings(Elaboration *e, const AstArg *args, int count, const Env *env, int levels,
                         const char *of) {
    Builder *b = e->b;
    for (int i = 0; i < count; i++) {
        Name name = args[i].name ? args[i].name : settable_name(e, levels, i);
        if (!name) {
            Remark *m = complain(b, L_TOO_MANY_ARGUMENTS, args[i].pos,
                                 "'%s' takes at most %d argument%s", of, i, i == 1 ? "" : "s");
            remark_help(b->r, m, "take this one away");
            continue;
        }
        for (int k = 0; k < e->bindings.count; k++)
            if (e->bindings.data[k].name == name && e->bindings.data[k].env == env) {
                Remark *m = complain(b, L_TOO_MANY_ARGUMENTS, args[i].pos, "'%s' is given twice",
                                     text_of(b, name));
                remark_help(b->r, m, "take one of them away");
            }
        e->bindings.data[e->bindings.count++] =
            (Binding){name, args[i].name ? -1 : i, args[i].value, env, args[i].pos, false};
    }
}

void collect_bindings(Elaboration *e) {
    const Instance *i = &e->b->instance.data[e->instance];
    int most = i->item ? i->item->arg_count : 0;
    const Chosen *chosen = i->item && i->item->path ? chosen_of(e->b, i->env, i->item->path) : NULL;
    const AstExpr *call = chosen ? chosen->call : NULL;
    if (call) most += call->arg_count;
    for (int k = 0; k < e->levels; k++) most += e->level[k].class->arg_count;
    if (!most) return;
    e->bindings.data = ARENA_ARRAY(&e->b->tmp, Binding, most);
    if (call)
        add_bindings(e, call->args, call->arg_count, chosen->env, e->levels,
                     text_of(e->b, i->class->name));
    if (i->item)
        add_bindings(e, i->item->args, i->item->arg_count, i->env, e->levels,
                     text_of(e->b, i->class->name));
    for (int k = e->levels - 1; k > 0; k--) {
        const Level *level = &e->level[k];
        add_bindings(e, level->class->args, level->class->arg_count, level->env, k,
                     text_of(e->b, e->level[k - 1].class->name));
    }
}

void report_unknown_bindings(Elaboration *e) {
    Builder *b = e->b;
    for (int i = 0; i < e->bindings.count; i++) {
        const Binding *k = &e->bindings.data[i];
        if (k->used) continue;
        const char *name = text_of(b, k->name);
        int member = pairs_get(&b->members, (uint32_t)e->instance, k->name);
        const char *of = text_of(b, b->instance.data[e->instance].class->name);
        Remark *m = member >= 0 ? complain(b, L_UNKNOWN_ARGUMENT, k->pos,
                                           "'%s' of '%s' is no parameter or input", name, of)
                                : complain(b, L_UNKNOWN_ARGUMENT, k->pos,
                                           "'%s' has no parameter or input '%s'", of, name);
        Suggestion g = suggest_for(name);
        for (int p = 0; settable_name(e, e->levels, p); p++)
            suggest_offer(&g, text_of(b, settable_name(e, e->levels, p)));
        suggest_help(b->r, m, &g, "arguments set parameters and inputs only");
    }
}
