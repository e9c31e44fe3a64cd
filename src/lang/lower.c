// Expressions of the language -> entries of the expression graph, with shape and unit.
//
// The same walk serves three purposes: TO_NUMBERS puts in the values of parameters and refuses
// variables; TO_SHAPES does the same but lets every variable be a dummy of the right shape;
// TO_SYMBOLS builds the final expressions.
#include "lang/build.h"

#include <string.h>

Lower lower_numbers(Builder *b, const char *purpose, bool structural) {
    return (Lower){b, TO_NUMBERS, b->scratch, structural, purpose, NULL};
}

Lower lower_shapes(Builder *b) { return (Lower){b, TO_SHAPES, b->scratch, false, NULL, NULL}; }

Lower lower_symbols(Builder *b) { return (Lower){b, TO_SYMBOLS, b->dag, false, NULL, NULL}; }

// --- names ---------------------------------------------------------------------------------------

// A constant that follows from parameters stands for its formula: it changes with them in a study.
static Value formula_value(Lower *l, const Entity *x) {
    Builder *b = l->b;
    const Entity own = *x;
    const char *name = text_of(b, own.name);
    Value v = lower(l, own.value, own.value_env);
    Target t = param_target(b, &own);
    if (!value_ok(&v) ||
        !value_fit(l, &v, t.has_unit, &t.unit, t.dim, ast_start(own.value), name) ||
        !value_shape(l, &v, own.rows, own.cols, ast_start(own.value), name))
        return VALUE_BAD;
    return v;
}

static Value parameter_value(Lower *l, int entity) {
    Builder *b = l->b;
    if (!param_evaluate(b, entity)) return VALUE_BAD;
    const Entity *x = &b->entity.data[entity];
    bool fixed = x->kind == ENTITY_CONST && !x->derived;
    if (l->structural && !fixed) param_structural(b, entity);
    x = &b->entity.data[entity];
    if (l->mode != TO_SYMBOLS || fixed) {
        Value v = value_constant(l, &x->known);
        if (!fixed) v.is |= HAS_PARAM;
        return v;
    }
    if (x->derived) return formula_value(l, x);
    const Entity *own = x->alias >= 0 ? &b->entity.data[x->alias] : x;
    if (own->first < 0) return VALUE_BAD; // its declaration was wrong
    Value v = value_new(l, x->rows, x->cols, x->dim, HAS_PARAM);
    for (int i = 0; i < value_count(&v); i++) value_put(&v, i, b->var.data[own->first + i].symbol);
    return v;
}

// First variable behind a reference, and how many; -1 when it is no variable.
int ref_variables(Builder *b, const Ref *ref, int *count, int *rows) {
    const Instance *i;
    int first = -1;
    *count = 1;
    switch (ref->kind) {
    case REF_VARIABLE:
        *count = b->entity.data[ref->index].rows * b->entity.data[ref->index].cols;
        first = b->entity.data[ref->index].first;
        *rows = b->entity.data[ref->index].rows;
        return first;
    case REF_EFFORT:
    case REF_FLOW:
        *count = b->terminal.data[ref->index].dim;
        first = ref->kind == REF_EFFORT ? b->terminal.data[ref->index].e
                                        : b->terminal.data[ref->index].f;
        break;
    case REF_STATE: // behind e and f; the symbol of the argument may stand before them
        i = &b->instance.data[ref->index];
        *count = i->dim;
        first = i->var < 0 ? -1 : i->var + i->own_symbol + 2 * i->dim;
        break;
    default: break;
    }
    *rows = *count;
    return first;
}

static Value refuse_variable(Lower *l, const AstExpr *e) {
    Builder *b = l->b;
    Remark *m = complain(b, L_NOT_STRUCTURAL, ast_start(e),
                         "%s cannot depend on '%s', which changes during a run", l->purpose,
                         expr_text(b, e));
    remark_help(b->r, m, "it may use parameters, constants and loop variables");
    return VALUE_BAD;
}

static bool terminal_is_readable(Lower *l, const Ref *ref, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    Terminal *t = &b->terminal.data[ref->index];
    if (!t->of_class) return instance_dimension(b, t->instance);
    if (t->instance == env->instance) t->used = true;
    if (l->mode != TO_SYMBOLS || !t->transparent) return true;
    Remark *m = complain(b, L_PORT_BOTH, ast_start(e),
                         "'%s' cannot be read: the port only passes its bond on", expr_text(b, e));
    remark_note(b->r, m, terminal_pos(b, t), "the port is bonded inside its model");
    remark_help(b->r, m, "read the junction or element that it is bonded to");
    return false;
}

static Value shape_of_variable(Lower *l, const Ref *ref) {
    Builder *b = l->b;
    int rows = 1, cols = 1;
    Dim dim = DIM_UNKNOWN;
    if (ref->kind == REF_VARIABLE) {
        const Entity *x = &b->entity.data[ref->index];
        rows = x->rows;
        cols = x->cols;
        dim = x->dim;
    } else if (ref->kind == REF_STATE) {
        if (!instance_dimension(b, ref->index)) return VALUE_BAD;
        rows = b->instance.data[ref->index].dim;
    } else {
        const Terminal *t = &b->terminal.data[ref->index];
        rows = t->dim;
        if (t->domain >= 0 && !t->split)
            dim = ref->kind == REF_EFFORT ? b->domain.data[t->domain].effort
                                          : b->domain.data[t->domain].flow;
    }
    Value v = value_new(l, rows, cols, dim, HAS_VARIABLE);
    for (int i = 0; i < rows * cols; i++) value_put(&v, i, b->dummy);
    return v;
}

void value_wants_time(Lower *l, const AstExpr *e) {
    Builder *b = l->b;
    Remark *m = complain(b, L_EXPECT, ast_start(e),
                         "'%s' changes during the run: say at which time", expr_text(b, e));
    remark_help(b->r, m, "%s(end), %s(0.5 {s}), min(%s), max(%s), mean(%s), integral(%s)",
                expr_text(b, e), expr_text(b, e), expr_text(b, e), expr_text(b, e), expr_text(b, e),
                expr_text(b, e));
}

static Value variable_value(Lower *l, const Ref *ref, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    if (l->mode == TO_NUMBERS) return refuse_variable(l, e);
    if (l->probes && l->probes->analysis) return probe_point(l, e, env);
    if (l->probes) {
        value_wants_time(l, e);
        return VALUE_BAD;
    }
    bool port = ref->kind == REF_EFFORT || ref->kind == REF_FLOW;
    if (port && !terminal_is_readable(l, ref, e, env)) return VALUE_BAD;
    if (l->mode == TO_SHAPES) return shape_of_variable(l, ref);
    int count, rows, first = ref_variables(b, ref, &count, &rows);
    if (first < 0) return VALUE_BAD;
    Value v = value_new(l, rows, count / rows, b->var.data[first].dim, HAS_VARIABLE);
    for (int i = 0; i < count; i++) {
        const Var *x = &b->var.data[first + i];
        if (!v.dim.known || !x->dim.known || !dim_equal(v.dim, x->dim)) v.dim = DIM_UNKNOWN;
        value_put(&v, i, x->symbol);
    }
    return v;
}

static Value argument_value(Lower *l, int instance) {
    Builder *b = l->b;
    const Instance *i = &b->instance.data[instance];
    if (l->mode == TO_SYMBOLS && i->own_symbol) {
        bool last = i->builtin->ports == 2;
        int var = i->var + (last ? 2 * (i->dim + i->dim2) : 0);
        Value v = value_new(l, 1, 1, b->var.data[var].dim, HAS_PARAM);
        v.one = b->var.data[var].symbol;
        return v;
    }
    return lower(l, i->argument, argument_env(b, i));
}

static Value not_a_value(Lower *l, const Ref *ref, const AstExpr *e) {
    Builder *b = l->b;
    const char *name = expr_text(b, e);
    Remark *m;
    if (ref->kind == REF_PORT) {
        m = complain(b, L_NOT_A_VALUE, ast_start(e), "'%s' is a port, not a value", name);
        remark_help(b->r, m, "write %s.e for its effort, %s.f for its flow", name, name);
    } else if (ref->kind == REF_FUNCTION) {
        m = complain(b, L_NOT_A_VALUE, ast_start(e), "'%s' is a function or table", name);
        remark_help(b->r, m, "write %s(x)", name);
    } else if (ref->kind == REF_ARRAY) {
        m = complain(b, L_NOT_A_VALUE, ast_start(e), "'%s' is an array of components", name);
        remark_help(b->r, m, "say which one: %s[1]", name);
    } else {
        m = complain(b, L_NOT_A_VALUE, ast_start(e), "'%s' is a component, not a value", name);
        remark_help(b->r, m, "write one of its variables: %s.e, %s.f ...", name, name);
    }
    return VALUE_BAD;
}

static Value whole_value(Lower *l, const Ref *ref, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    switch (ref->kind) {
    case REF_BAD:
    case REF_NONE: return VALUE_BAD;
    case REF_LOOP: return value_number(l, ref->env->number);
    case REF_VALUE: return *ref->env->value;
    case REF_PARAM: return parameter_value(l, ref->index);
    case REF_VARIABLE:
    case REF_EFFORT:
    case REF_FLOW:
    case REF_STATE: return variable_value(l, ref, e, env);
    case REF_ARGUMENT: return argument_value(l, ref->index);
    case REF_GLOBAL:
        if (!global_evaluate(b, ref->index)) return VALUE_BAD;
        return value_constant(l, &b->global.data[ref->index].known);
    default: return not_a_value(l, ref, e);
    }
}

static Subscripts subscripts_of(const Builder *b, const Ref *ref, const Env *env) {
    bool declared = ref->kind == REF_PARAM || ref->kind == REF_VARIABLE;
    const AstItem *item = declared ? b->entity.data[ref->index].item : NULL;
    return (Subscripts){ref->subscripts, ref->subscript_count, env, ref->pos,
                        item ? item->size_count : 0};
}

// x[i] of variables that were declared together: without going through all of them, since a loop
// over i would do that for each.
static Value variable_part(Lower *l, const Ref *ref, const Env *env) {
    Builder *b = l->b;
    const Entity *x = &b->entity.data[ref->index];
    Subscripts at = subscripts_of(b, ref, env);
    Part p;
    int count, rows, first = ref_variables(b, ref, &count, &rows);
    if (first < 0 || !select_part(l, x->rows, x->cols, &at, &p)) return VALUE_BAD;
    Value v = value_new(l, p.rows, p.cols, b->var.data[first].dim, HAS_VARIABLE);
    for (int i = 0; i < p.rows; i++)
        for (int k = 0; k < p.cols; k++)
            value_put(&v, i * p.cols + k,
                      b->var.data[first + (p.row - 1 + i) * x->cols + p.col - 1 + k].symbol);
    return v;
}

Value ref_value(Lower *l, const Ref *ref, const AstExpr *e, const Env *env) {
    if (ref->kind == REF_VARIABLE && ref->subscript_count && l->mode == TO_SYMBOLS && !l->probes)
        return variable_part(l, ref, env);
    Value v = whole_value(l, ref, e, env);
    Subscripts at = subscripts_of(l->b, ref, env);
    return value_select(l, v, &at);
}

static Value lower_path(Lower *l, const AstExpr *e, const Env *env) {
    bool of_model = false;
    Value v = lower_model_signal(l, e, env, &of_model);
    if (of_model) return v;
    bool may_be_pi = e->kind == AST_NAME && strcmp(text_of(l->b, e->name), "pi") == 0;
    Ref ref = path_resolve(l->b, e, env, may_be_pi);
    if (ref.kind == REF_NONE && may_be_pi) return value_number(l, 3.14159265358979323846);
    return ref_value(l, &ref, e, env);
}

// --- composed expressions ------------------------------------------------------------------------

static Value lower_if(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    Value c = lower(l, e->left, env);
    if (!value_ok(&c)) return c;
    if (value_count(&c) != 1) {
        complain(b, L_WRONG_SHAPE, e->left->pos, "a condition must be a scalar");
        return VALUE_BAD;
    }
    double known;
    if (l->mode != TO_SYMBOLS && expr_is_number(l->dag, c.one, &known))
        return lower(l, known != 0 ? e->right : e->other, env); // the other side may divide by 0
    Value x = lower(l, e->right, env), y = lower(l, e->other, env);
    if (!value_ok(&x) || !value_ok(&y)) return VALUE_BAD;
    if (x.rows != y.rows || x.cols != y.cols) {
        complain(b, L_WRONG_SHAPE, e->pos, "the branches have different shapes: %s and %s",
                 shape_text(b, x.rows, x.cols), shape_text(b, y.rows, y.cols));
        return VALUE_BAD;
    }
    if (!dim_fits(x.dim, y.dim)) {
        Remark *m = complain(b, U_SUM, e->pos, "the branches have different units: %s and %s",
                             dim_text(b, x.dim), dim_text(b, y.dim));
        remark_help(b->r, m, "both must be of the same kind");
        return VALUE_BAD;
    }
    unsigned is = ((c.is | x.is | y.is) & CARRIED) | (x.is & y.is & IS_PLAIN);
    Value v = value_new(l, x.rows, x.cols, x.dim.known ? x.dim : y.dim, is);
    for (int i = 0; i < value_count(&v); i++)
        value_put(&v, i, expr_if(l->dag, c.one, value_at(&x, i), value_at(&y, i)));
    return v;
}

// The unit of a list: that of its entries if they agree; zeros agree with everything.
static void join_entry(Value *all, const Value *entry, bool *mixed) {
    all->is = (uint8_t)(((all->is | entry->is) & CARRIED) | (all->is & entry->is & IS_PLAIN));
    if (entry->is & IS_ZERO) return;
    if (!entry->dim.known || (all->dim.known && !dim_equal(all->dim, entry->dim))) *mixed = true;
    all->dim = entry->dim;
}

static Value lower_vector(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    Value *part = ARENA_ARRAY(&b->tmp, Value, e->arg_count);
    Value all = {.is = IS_PLAIN};
    bool mixed = false;
    int rows = 0;
    for (int i = 0; i < e->arg_count; i++) {
        part[i] = lower(l, e->args[i].value, env);
        if (!value_ok(&part[i])) return VALUE_BAD;
        if (part[i].cols != 1) {
            complain(b, L_WRONG_SHAPE, e->args[i].pos,
                     "an entry of a vector is a scalar or a vector, not %s",
                     shape_text(b, part[i].rows, part[i].cols));
            return VALUE_BAD;
        }
        rows += part[i].rows;
        join_entry(&all, &part[i], &mixed);
    }
    Value v = value_new(l, rows, 1, mixed ? DIM_UNKNOWN : all.dim, all.is);
    for (int i = 0, at = 0; i < e->arg_count; i++)
        for (int k = 0; k < part[i].rows; k++) value_put(&v, at++, value_at(&part[i], k));
    return v;
}

static Value lower_matrix(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    int cols = e->columns > 0 ? e->columns : e->arg_count;
    if (!cols || e->arg_count % cols) {
        complain(b, L_WRONG_SHAPE, e->pos, "the rows of a matrix must have the same length");
        return VALUE_BAD;
    }
    Value v = value_new(l, e->arg_count / cols, cols, DIM_UNKNOWN, IS_PLAIN);
    bool mixed = false;
    for (int i = 0; i < e->arg_count; i++) {
        Value x = lower(l, e->args[i].value, env);
        if (!value_ok(&x)) return VALUE_BAD;
        if (value_count(&x) != 1) {
            complain(b, L_WRONG_SHAPE, e->args[i].pos, "an entry of a matrix must be a scalar");
            return VALUE_BAD;
        }
        join_entry(&v, &x, &mixed);
        value_put(&v, i, x.one);
    }
    if (mixed) v.dim = DIM_UNKNOWN;
    return v;
}

static Value lower_range(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    int low, high;
    if (!e->left || !e->right) {
        complain(b, L_INDEX_RANGE, e->pos, "a range outside of an index needs both ends");
        return VALUE_BAD;
    }
    if (!size_evaluate(b, e->left, env, "the end of a range", 0, &low) ||
        !size_evaluate(b, e->right, env, "the end of a range", 0, &high))
        return VALUE_BAD;
    if (high < low || !count_scalars(b, high - low + 1, e->pos)) {
        if (high < low) complain(b, L_INDEX_RANGE, e->pos, "the range %d:%d is empty", low, high);
        return VALUE_BAD;
    }
    Value v = value_new(l, high - low + 1, 1, DIM_ONE, IS_PLAIN);
    for (int i = low; i <= high; i++) value_put(&v, i - low, expr_number(l->dag, i));
    return v;
}

static Value lower_with_unit(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    Value v = lower(l, e->left, env);
    if (!value_ok(&v)) return v;
    if (v.dim.known && !dim_is_one(v.dim)) {
        Remark *m = complain(b, U_DOUBLE_UNIT, e->pos, "'%s' has the unit %s already",
                             expr_text(b, e->left), dim_text(b, v.dim));
        remark_help(b->r, m, "take {%s} away", text_of(b, e->unit_text));
        return VALUE_BAD;
    }
    Value scaled = value_new(l, v.rows, v.cols, e->unit->dim, v.is & CARRIED);
    for (int i = 0; i < value_count(&v); i++) {
        Expr x = expr_mul(l->dag, value_at(&v, i), expr_number(l->dag, e->unit->scale));
        value_put(&scaled, i, expr_add(l->dag, x, expr_number(l->dag, e->unit->offset)));
    }
    return scaled;
}

static Value lower_time(Lower *l, const AstExpr *e) {
    Builder *b = l->b;
    if (l->mode == TO_NUMBERS) return refuse_variable(l, e);
    Value v = value_new(l, 1, 1, dim_second(), HAS_TIME);
    v.one = l->mode == TO_SYMBOLS ? b->var.data[0].symbol : b->dummy;
    return v;
}

static Value lower_kind(Lower *l, const AstExpr *e, const Env *env) {
    switch (e->kind) {
    case AST_NUMBER: return value_number(l, e->number);
    case AST_NAME:
    case AST_MEMBER: return lower_path(l, e, env);
    case AST_CALL: return lower_call(l, e, env);
    case AST_UNARY: return value_unary(l, (char)e->op, lower(l, e->left, env), e);
    case AST_BINARY: {
        Value x = lower(l, e->left, env);
        return value_binary(l, (BinaryOp)e->op, x, lower(l, e->right, env), e);
    }
    case AST_IF: return lower_if(l, e, env);
    case AST_VECTOR: return lower_vector(l, e, env);
    case AST_MATRIX: return lower_matrix(l, e, env);
    case AST_RANGE: return lower_range(l, e, env);
    case AST_WITH_UNIT: return lower_with_unit(l, e, env);
    case AST_TIME: return lower_time(l, e);
    case AST_END: complain(l->b, L_NOT_A_VALUE, e->pos, "`end` is only a time in `expect`"); break;
    case AST_STRING: complain(l->b, L_NOT_A_VALUE, e->pos, "a text is no value"); break;
    }
    return VALUE_BAD;
}

Value lower(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    if (b->calling.count && ++b->inlined > MOST_INLINED) {
        Remark *m = complain(b, L_TOO_LARGE, b->calling.data[0]->pos,
                             "the functions called here become too large an expression");
        remark_help(b->r, m, "store what is used several times in a variable");
        return VALUE_BAD;
    }
    if (b->depth >= DEEPEST_LOWERING) {
        Remark *m = complain(b, L_TOO_DEEP, e->pos,
                             "expressions, functions and parameters are nested too deeply here");
        remark_help(b->r, m, "store parts of it in variables");
        return VALUE_BAD;
    }
    b->depth++;
    Value v = lower_kind(l, e, env);
    b->depth--;
    return v;
}

// x' = ... with a scalar x: on paper a derivative, here x itself.
bool primes_scalar(Builder *b, const AstExpr *left, const Value *x) {
    bool prime = left->kind == AST_UNARY && left->op == '\'';
    if (!prime || value_count(x) != 1) return false;
    const char *what = expr_text(b, left->left);
    Remark *m = complain(b, L_NO_VARIABLE, ast_start(left),
                         "%s' is %s transposed, which says nothing of a scalar", what, what);
    remark_help(b->r, m, "the derivative by time is written der(%s)", what);
    return true;
}
