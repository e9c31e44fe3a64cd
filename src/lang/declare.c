// Parameters, inputs, outputs, variables and ports of an instance: names with a shape, a unit and,
// where arguments or defaults say so, a value.
#include "lang/elaborate.h"

#include <math.h>
#include <string.h>

Binding *find_binding(Elaboration *e, Name name) {
    Binding *found = NULL;
    for (int i = 0; i < e->bindings.count; i++) {
        Binding *k = &e->bindings.data[i];
        if (k->name != name) continue;
        k->used = true;
        if (!found) found = k;
    }
    return found;
}

static void set_value(Elaboration *e, Entity *x) {
    Builder *b = e->b;
    x->value = x->item->left;
    x->value_env = x->env;
    if (x->kind == ENTITY_CONST) return;
    const Binding *k = find_binding(e, x->name);
    if (k) {
        x->value = k->value;
        x->value_env = k->env;
    }
    const Override *o =
        b->override.count ? find_override(b, member_path(b, x->owner, text_of(b, x->name))) : NULL;
    if (o) {
        x->value = o->item->right;
        x->value_env = o->env;
    }
}

static void report_missing_value(Builder *b, const Entity *x) {
    const Instance *i = &b->instance.data[x->owner];
    const char *name = text_of(b, x->name);
    Remark *m;
    if (x->kind == ENTITY_CONST) {
        m = complain(b, L_MISSING_ARGUMENT, x->item->pos, "constant '%s' has no value", name);
        remark_help(b->r, m, "write const %s = value", name);
    } else if (i->item) {
        m = complain(b, L_MISSING_ARGUMENT, i->item->pos, "parameter '%s' of '%s' is not given",
                     name, text_of(b, i->path));
        remark_note(b->r, m, x->item->pos, "it has no default");
        remark_help(b->r, m, "write %s(%s = value), or give it a default", text_of(b, i->name),
                    name);
    } else {
        m = complain(b, L_MISSING_ARGUMENT, x->item->pos,
                     "parameter '%s' of the model to run has no value", name);
        remark_help(b->r, m, "give it a default, or `set %s = value` in the experiment", name);
    }
}

static bool entity_shape(Builder *b, Entity *x) {
    if (x->item->size_count > 2) {
        complain(b, L_BAD_SIZE, x->item->size[2]->pos, "'%s' has more than two sizes",
                 text_of(b, x->name));
        return false;
    }
    x->rows = x->cols = 1;
    const AstItem *item = x->item;
    if (item->size_count > 0 && !size_evaluate(b, item->size[0], x->env, "a size", 1, &x->rows))
        return false;
    if (item->size_count > 1 && !size_evaluate(b, item->size[1], x->env, "a size", 1, &x->cols))
        return false;
    return count_scalars(b, (int64_t)x->rows * x->cols, x->item->pos);
}

// Variables are shown in the unit that they are declared with; parameters, which may stand in
// expressions, in SI.
static Name shown_unit(Builder *b, const AstItem *item, bool parameter) {
    if (!item->has_unit) return 0;
    bool coherent = item->unit->scale == 1 && item->unit->offset == 0;
    return coherent || !parameter ? item->unit_text : dim_unit(b, item->unit->dim);
}

void declare_entity(Elaboration *e, const AstItem *item, const Env *env, EntityKind kind) {
    Builder *b = e->b;
    if (!name_is_free(b, e->instance, item->name, item->pos)) return;
    Entity x = {.kind = kind, .owner = e->instance, .name = item->name, .item = item, .env = env};
    x.first = x.alias = -1;
    x.dim = item->has_unit ? item->unit->dim : DIM_UNKNOWN;
    bool parameter = kind == ENTITY_PARAM || kind == ENTITY_CONST;
    x.unit = shown_unit(b, item, parameter);
    if (parameter || kind == ENTITY_INPUT) set_value(e, &x);
    if (parameter && !x.value) {
        report_missing_value(b, &x);
        x.value_is = WRONG;
    }
    if (!parameter && !entity_shape(b, &x)) {
        declare_broken(b, e->instance, item->name);
        return;
    }
    array_push(&b->entity, x);
    declare_member(b, e->instance, x.name, ~(b->entity.count - 1));
}

void declare_port(Elaboration *e, const AstItem *item, const Env *env) {
    Builder *b = e->b;
    int dim = 1;
    if (item->optional && !optional_port(e, item)) return;
    if (!name_is_free(b, e->instance, item->name, item->pos)) return;
    const AstExpr *size = item->dimension    ? item->dimension
                          : item->size_count ? item->size[0]
                                             : NULL;
    if (size && !size_evaluate(b, size, env, "the dimension of a port", 1, &dim)) {
        declare_broken(b, e->instance, item->name);
        return;
    }
    Instance *owner = &b->instance.data[e->instance];
    Terminal t = {.instance = e->instance,
                  .name = item->name,
                  .dim = dim,
                  .out = item->out,
                  .of_class = true,
                  .next = owner->first_terminal,
                  .e = -1,
                  .f = -1,
                  .port = -1};
    t.domain = item->path ? find_domain(b, item->path, env) : -1;
    owner->first_terminal = b->terminal.count;
    add_terminal(b, t);
    Entity x = {.kind = ENTITY_PORT,
                .owner = e->instance,
                .name = item->name,
                .item = item,
                .env = env,
                .first = b->terminal.count - 1,
                .alias = -1,
                .rows = dim,
                .cols = 1};
    array_push(&b->entity, x);
    declare_member(b, e->instance, x.name, ~(b->entity.count - 1));
}
