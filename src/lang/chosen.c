// Parts that are chosen from outside: parameters that stand for a model, a function or a table.
//
//     model Axle                              model Car
//       param Motor: model = DcMotor            Axle front(Motor = SeriesMotor(R = 0.2 {ohm}))
//       param curve: table = tyre               Axle rear(curve = worn_tyre)
//       Motor m(J = 0.1 {kg.m2})              end
//       slip_force = curve(slip)              experiment E of Car
//     end                                       set front.Motor = DcMotor
//
// The name is looked up before those of the file, wherever a definition is asked for by its name
// inside of the model (`definition_of`). So components and calls know nothing of it, and it can be
// handed on: `Axle a(Motor = Motor)`.
#include "lang/elaborate.h"

static const char *kind_text(int kind) {
    return kind == CLASS_FUNCTION ? "function" : kind == CLASS_TABLE ? "table" : "model";
}

static bool is_of_kind(const AstClass *c, int kind) {
    if (kind == CLASS_MODEL) return COMPONENT_CLASSES >> c->kind & 1;
    return (int)c->kind == kind || (kind == CLASS_FUNCTION && c->kind == CLASS_TABLE);
}

const Chosen *chosen_of(const Builder *b, const Env *env, const AstExpr *path) {
    if (path->kind != AST_NAME || path->arg_count || env->instance < 0) return NULL;
    int i = pairs_get(&b->choices, (uint32_t)env->instance, path->name);
    return i < 0 ? NULL : &b->chosen.data[i];
}

Definition definition_of(const Builder *b, const Env *env, const AstExpr *path) {
    const Chosen *c = chosen_of(b, env, path);
    return c ? c->definition : find_by_path(b->syntax, env->file, path, b->r);
}

// --- does it fit? --------------------------------------------------------------------------------

static const AstItem *find_item(Builder *b, Definition d, ItemKind kind, Name name) {
    for (int k = 0; d.what && k < LONGEST_EXTENDS; k++) {
        for (const AstItem *i = d.what->items; i; i = i->next)
            if (i->kind == kind && i->name == name) return i;
        if (!d.what->base) break;
        d = find_by_path(b->syntax, d.file, d.what->base, b->r);
    }
    return NULL;
}

// The first port, input or output of `usual` that `d` does not have.
static const AstItem *first_missing(Builder *b, Definition usual, Definition d) {
    for (int k = 0; usual.what && k < LONGEST_EXTENDS; k++) {
        for (const AstItem *i = usual.what->items; i; i = i->next) {
            bool seen = i->kind == ITEM_PORT || i->kind == ITEM_INPUT || i->kind == ITEM_OUTPUT;
            if (seen && !i->optional && !find_item(b, d, i->kind, i->name)) return i;
        }
        if (!usual.what->base) break;
        usual = find_by_path(b->syntax, usual.file, usual.what->base, b->r);
    }
    return NULL;
}

static Remark *complain_misfit(Builder *b, const AstItem *item, const AstExpr *value,
                               const char *what) {
    Remark *m = complain(b, L_CHOSEN, ast_start(value), "'%s' %s", expr_text(b, value), what);
    remark_note(b->r, m, item->pos, "'%s' is declared here", text_of(b, item->name));
    return m;
}

// What stands in place of the usual one is seen from outside in the same way.
static bool fits_usual(Builder *b, const AstItem *item, const AstExpr *value, Definition usual,
                       Definition d) {
    if (!usual.what || usual.what == d.what) return true;
    if (item->chooses != CLASS_MODEL && usual.what->formal_count != d.what->formal_count) {
        Remark *m = complain_misfit(b, item, value, "takes another number of arguments");
        remark_help(b->r, m, "'%s' takes %d, it takes %d", text_of(b, usual.what->name),
                    usual.what->formal_count, d.what->formal_count);
        return false;
    }
    const AstItem *missing = item->chooses == CLASS_MODEL ? first_missing(b, usual, d) : NULL;
    if (!missing) return true;
    Remark *m = complain_misfit(b, item, value, "cannot stand in this place");
    remark_note(b->r, m, missing->pos, "it has no '%s' of this kind", text_of(b, missing->name));
    remark_help(b->r, m, "take one with the ports, inputs and outputs of '%s'",
                text_of(b, usual.what->name));
    return false;
}

// --- the declaration -----------------------------------------------------------------------------

static void report_missing(Builder *b, const AstItem *item, int owner) {
    const Instance *i = &b->instance.data[owner];
    const char *name = text_of(b, item->name);
    Remark *m = complain(b, L_MISSING_ARGUMENT, i->item ? i->item->pos : item->pos,
                         "%s '%s' of '%s' is not given", kind_text(item->chooses), name,
                         text_of(b, i->item ? i->path : i->class->name));
    if (i->item) remark_note(b->r, m, item->pos, "it has no default");
    remark_help(b->r, m, "give it: %s = NAME of a %s", name, kind_text(item->chooses));
}

static bool look_up(Builder *b, const AstItem *item, const AstExpr *value, const Env *env,
                    Chosen *c) {
    bool call = value->kind == AST_CALL && item->chooses == CLASS_MODEL;
    const AstExpr *path = call ? value->left : value;
    const Chosen *before = chosen_of(b, env, path); // handed on, with its arguments
    if (before) c->call = before->call, c->env = before->env;
    c->definition = definition_of(b, env, path);
    if (call) c->call = value, c->env = env;
    if (c->definition.what && is_of_kind(c->definition.what, item->chooses)) return true;
    Text what = {0};
    text_printf(&what, "is no %s", kind_text(item->chooses));
    Remark *m = complain_misfit(b, item, path, text_get(&what));
    text_free(&what);
    unsigned kinds =
        item->chooses == CLASS_MODEL ? COMPONENT_CLASSES : 1u << (unsigned)item->chooses;
    Suggestion g = suggest_for(expr_text(b, path));
    suggest_definitions(&g, b->syntax, env->file, kinds);
    suggest_help(b->r, m, &g, "give the name of one that is defined here or in an imported file");
    return false;
}

void declare_chosen(Elaboration *e, const AstItem *item, const Env *env) {
    Builder *b = e->b;
    const Env *value_env = env;
    const AstExpr *value = given_value(e, item, &value_env);
    if (!name_is_free(b, e->instance, item->name, item->pos)) return;
    declare_broken(b, e->instance, item->name); // a name, and no value
    if (!value) {
        report_missing(b, item, e->instance);
        return;
    }
    Chosen c = {.item = item}, usual = {.item = item};
    bool other = item->left && item->left != value;
    if (other && !look_up(b, item, item->left, env, &usual)) return;
    bool good = look_up(b, item, value, value_env, &c) &&
                fits_usual(b, item, value, usual.definition, c.definition);
    if (!good && !other) return;
    if (!good) c = usual; // so that one mistake is told of once
    array_push(&b->chosen, c);
    pairs_set(&b->tmp, &b->choices, (uint32_t)e->instance, item->name, b->chosen.count - 1);
}
