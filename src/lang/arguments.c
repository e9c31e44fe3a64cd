// Arguments of built-in elements, and `set` of experiments and of the command line: a `set` stands
// above an argument, an argument above `extends Base(...)`, and that above the default.
#include "lang/build.h"

#include <string.h>

const Override *find_override(Builder *b, Name path) {
    const Override *strongest = NULL;
    for (int i = b->override.count - 1; i >= 0; i--)
        if (b->override.data[i].path == path) {
            b->override.data[i].used = true;
            strongest = &b->override.data[i];
        }
    return strongest;
}

// A parameter of a part is often meant by its own name alone: L for arm.L. Its path, or NULL.
static const char *path_of_part(Builder *b, Name name) {
    for (int k = 0; k < b->entity.count; k++) {
        const Entity *x = &b->entity.data[k];
        bool settable = x->kind == ENTITY_PARAM || x->kind == ENTITY_INPUT;
        if (settable && x->name == name)
            return text_of(b, member_path(b, x->owner, text_of(b, x->name)));
    }
    return NULL;
}

void report_unused_overrides(Builder *b) {
    for (int i = 0; i < b->override.count; i++) {
        const Override *o = &b->override.data[i];
        if (o->used) continue;
        const char *path = text_of(b, o->path);
        Remark *m = complain(b, L_UNKNOWN_ARGUMENT, ast_start(o->item->left),
                             "the model has no parameter or input '%s'", path);
        Suggestion g = suggest_for(path);
        for (int k = 0; k < b->entity.count; k++) {
            const Entity *x = &b->entity.data[k];
            if (x->kind == ENTITY_PARAM || x->kind == ENTITY_INPUT)
                suggest_offer(&g, text_of(b, member_path(b, x->owner, text_of(b, x->name))));
        }
        const char *part = path_of_part(b, o->path);
        if (part) g.best = part;
        suggest_help(b->r, m, &g,
                     "`set` takes paths of parameters, of inputs and of arguments of elements: "
                     "set k = 2, motor.R = 1 {ohm}, spring.q0 = 0.1 {m}");
    }
}

typedef struct {
    const AstExpr **value;
    bool *set;
    const char *name;
} Slot;

// All of `set` is read in the same place.
const Env *argument_env(const Builder *b, const Instance *i) {
    return i->argument_set ? b->override.data[0].env : i->env;
}

const Env *start_env(const Builder *b, const Instance *i) {
    return i->start_set ? b->override.data[0].env : i->env;
}

static int builtin_slots(Instance *i, Slot slot[2]) {
    int n = 0;
    if (i->builtin->argument)
        slot[n++] = (Slot){&i->argument, &i->argument_set, i->builtin->argument};
    if (i->builtin->start) slot[n++] = (Slot){&i->start, &i->start_set, i->builtin->start};
    return n;
}

static void report_argument_name(Builder *b, const Instance *i, const AstArg *a, const Slot *slot,
                                 int slots) {
    const char *name = text_of(b, a->name);
    Remark *m = complain(b, L_UNKNOWN_ARGUMENT, a->pos, "'%s' has no argument '%s'",
                         i->builtin->type, name);
    if (slots == 2)
        remark_help(b->r, m, "'%s' takes %s and %s", i->builtin->type, slot[0].name, slot[1].name);
    else if (slots)
        remark_help(b->r, m, "'%s' takes %s", i->builtin->type, slot[0].name);
    else
        remark_help(b->r, m, "'%s' takes no arguments", i->builtin->type);
}

static void bind_one(Builder *b, const Instance *i, const AstArg *a, int place, const Slot *slot,
                     int slots) {
    int k = place;
    if (a->name)
        for (k = 0; k < slots && strcmp(slot[k].name, text_of(b, a->name)) != 0;) k++;
    if (k >= slots) {
        if (a->name) {
            report_argument_name(b, i, a, slot, slots);
        } else {
            Remark *m = complain(b, L_TOO_MANY_ARGUMENTS, a->pos, "'%s' takes %s", i->builtin->type,
                                 slots == 0   ? "no arguments"
                                 : slots == 1 ? "one argument"
                                              : "at most two arguments");
            remark_help(b->r, m, "take this one away");
        }
    } else if (*slot[k].value) {
        Remark *m = complain(b, L_TOO_MANY_ARGUMENTS, a->pos, "'%s' of '%s' is given twice",
                             slot[k].name, text_of(b, i->path));
        remark_help(b->r, m, "take one of them away");
    } else {
        *slot[k].value = a->value;
    }
}

static void override_slots(Builder *b, const Instance *i, const Slot *slot, int slots) {
    for (int k = 0; k < slots && b->override.count; k++) {
        Name path = name_printf(b->names, "%s.%s", text_of(b, i->path), slot[k].name);
        const Override *o = find_override(b, path);
        if (!o) continue;
        *slot[k].value = o->item->right;
        *slot[k].set = true;
    }
}

static void report_law_out_of_place(Builder *b, const Instance *i) {
    const char *type = i->builtin->type;
    CompKind kind = i->builtin->kind;
    Remark *m = complain(b, L_LAW, i->item->laws->pos, "'%s' cannot have a law of its own", type);
    if (kind == COMP_0 || kind == COMP_1)
        remark_help(b->r, m, "a junction only shares power; bond an element with this law to it");
    else if (kind == COMP_SE || kind == COMP_SF)
        remark_help(b->r, m, "a source takes a value: %s %s = ...", type,
                    text_of(b, i->item->name));
    else
        remark_help(b->r, m, "a sensor only reads; R, C, I, TF and GY take laws");
}

static void check_law_or_argument(Builder *b, const Instance *i) {
    const AstItem *item = i->item;
    const char *type = i->builtin->type, *name = text_of(b, i->path);
    CompKind kind = i->builtin->kind;
    bool source = kind == COMP_SE || kind == COMP_SF, takes_law = i->builtin->argument && !source;
    if (item->laws && !takes_law) {
        report_law_out_of_place(b, i);
    } else if (item->laws && i->argument) {
        Remark *m = complain(b, L_LAW, i->argument->pos,
                             "'%s' has a law of its own and an argument '%s' as well", name,
                             i->builtin->argument);
        remark_help(b->r, m, "use the argument's name in the law, or take the law away");
    } else if (!item->laws && i->builtin->argument && !i->argument) {
        Remark *m = complain(b, L_MISSING_ARGUMENT, item->pos,
                             source ? "source '%s' has no value" : "'%s' has no argument", name);
        if (source)
            remark_help(b->r, m, "write %s %s = value", type, text_of(b, item->name));
        else
            remark_help(b->r, m, "write %s %s(%s), or a law: %s %s: e = ...", type,
                        text_of(b, item->name), i->builtin->argument, type, text_of(b, item->name));
    }
}

void bind_builtin(Builder *b, int instance) {
    Instance *i = &b->instance.data[instance];
    Slot slot[2];
    int slots = builtin_slots(i, slot);
    const AstItem *item = i->item;
    if (item->left) {
        if (i->builtin->kind == COMP_SE || i->builtin->kind == COMP_SF) {
            i->argument = item->left;
        } else {
            Remark *m = complain(b, L_TOO_MANY_ARGUMENTS, item->left->pos,
                                 "'%s' is no source and takes no value", text_of(b, i->path));
            remark_help(b->r, m, "arguments stand in brackets: %s %s(...)", i->builtin->type,
                        text_of(b, item->name));
        }
    }
    for (int k = 0; k < item->arg_count; k++) bind_one(b, i, &item->args[k], k, slot, slots);
    override_slots(b, i, slot, slots);
    check_law_or_argument(b, i);
}
