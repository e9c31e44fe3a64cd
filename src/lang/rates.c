// Derivatives in time: der(x) of any expression, and along(x, q = w) at rates that the caller says.
//
//     der(a*x)             a*der(x): a symbol der(x) for each variable below, then the chain rule
//     along(x*y, x = v)    v*y: no symbols; every variable below must have been given a rate
#include "lang/build.h"

#include <string.h>

// --- der -----------------------------------------------------------------------------------------

Expr derivative_symbol(Builder *b, int var) {
    Var *x = &b->var.data[var];
    if (x->der >= 0) return b->var.data[x->der].symbol;
    Var d = {.kind = VAR_DERIVATIVE, .comp = x->comp, .der = -1, .of = var, .pos = x->pos};
    d.path = name_printf(b->names, "der(%s)", text_of(b, x->path));
    d.dim = dim_divide(x->dim, dim_second());
    d.symbol = expr_symbol(b->dag, d.path);
    x->der = b->var.count;
    rates_set(b->rates, x->symbol, d.symbol);
    array_push(&b->var, d);
    return d.symbol;
}

// False for what jumps at events (reported).
static bool has_rate(Lower *l, int var, Pos pos) {
    Builder *b = l->b;
    bool jumps = var >= b->var.count || b->var.data[var].kind == VAR_DISCRETE;
    if (!jumps) return true;
    Remark *m = complain(b, L_DER_OF, pos, "what changes only at events has no derivative");
    remark_help(b->r, m, "take a difference between samples: (x - pre(x))/Ts");
    return false;
}

// The symbols below an expression get their derivatives. False: one of them has none (reported).
static bool prepare_rates(Lower *l, Expr e, Pos pos) {
    Builder *b = l->b;
    walk_start(b->walk);
    walk_add(b->walk, e);
    for (int i = 0; i < walk_count(b->walk); i++) {
        Expr x = walk_at(b->walk, i);
        if (expr_op(b->dag, x) != OP_SYMBOL) continue;
        int var = expr_symbol_index(b->dag, x);
        if (!has_rate(l, var, pos)) return false;
        VarKind kind = b->var.data[var].kind;
        if (kind == VAR_TIME || kind == VAR_PARAM) continue;
        if (kind == VAR_DERIVATIVE) {
            Remark *m =
                complain(b, L_DER_OF, pos, "a second derivative cannot be written as der()");
            remark_help(b->r, m, "name the first one: var v, then v = der(x) and der(v) = ...");
            return false;
        }
        if (b->frozen && b->var.data[var].der < 0) {
            const char *path = text_of(b, b->var.data[var].path);
            Remark *m = complain(b, L_DER_OF, pos, "the model does not use der(%s)", path);
            remark_help(b->r, m, "add a variable to the model: var a, then a = der(%s)", path);
            return false;
        }
        derivative_symbol(b, var);
    }
    return true;
}

Value lower_der(Lower *l, Value x, Pos pos) {
    Builder *b = l->b;
    if (!value_ok(&x)) return x;
    if (!(x.is & VARIES)) {
        Remark *m = complain(b, L_DER_OF, pos, "the derivative of a parameter or constant");
        remark_help(b->r, m, "der() is of variables; a parameter does not change in time");
        return VALUE_BAD;
    }
    Value v = value_new(l, x.rows, x.cols, dim_divide(x.dim, dim_second()), HAS_VARIABLE);
    for (int i = 0; i < value_count(&x); i++) {
        if (l->mode == TO_SHAPES) {
            value_put(&v, i, b->dummy);
            continue;
        }
        if (!prepare_rates(l, value_at(&x, i), pos)) return VALUE_BAD;
        value_put(&v, i, rates_of(b->rates, value_at(&x, i)));
    }
    return v;
}

// --- along ---------------------------------------------------------------------------------------

// name = rate: every scalar of the variable gets its rate. False: reported.
static bool set_rates(Lower *l, Rates *rates, const AstArg *a, const Env *env) {
    Builder *b = l->b;
    const char *name = text_of(b, a->name);
    AstExpr path = {.kind = AST_NAME, .depth = 1, .pos = a->pos, .name = a->name};
    Ref ref = path_resolve(b, &path, env, false);
    if (ref.kind == REF_BAD) return false;
    if (ref.kind != REF_VARIABLE) {
        Remark *m = complain(b, L_ALONG, a->pos, "'%s' is no variable of this model", name);
        remark_help(b->r, m, "rates are given to var, input and output: along(x, q = w)");
        return false;
    }
    Value x = ref_value(l, &ref, &path, env), rate = lower(l, a->value, env);
    if (!value_ok(&x) || !value_ok(&rate)) return false;
    Pos pos = ast_start(a->value);
    Dim dim = x.dim.known ? dim_divide(x.dim, dim_second()) : DIM_UNKNOWN;
    if (!value_fit(l, &rate, false, NULL, dim, pos, name) ||
        !value_shape(l, &rate, x.rows, x.cols, pos, name))
        return false;
    for (int i = 0; l->mode == TO_SYMBOLS && i < value_count(&x); i++)
        rates_set(rates, value_at(&x, i), value_at(&rate, i));
    return true;
}

static bool has_given_rate(Lower *l, const AstExpr *e, int var, const Env *env) {
    Builder *b = l->b;
    VarKind kind = b->var.data[var].kind;
    if (kind == VAR_TIME || kind == VAR_PARAM) return true;
    for (int i = 1; i < e->arg_count; i++) {
        AstExpr path = {.kind = AST_NAME, .depth = 1, .name = e->args[i].name};
        Ref ref = path_resolve(b, &path, env, true);
        int count, rows, first = ref_variables(b, &ref, &count, &rows);
        if (first >= 0 && var >= first && var < first + count) return true;
    }
    const char *path = text_of(b, b->var.data[var].path);
    Remark *m = complain(b, L_ALONG, e->args[0].pos, "'%s' is given no rate", path);
    remark_help(b->r, m,
                "write its rate, or 0 where it stays; what follows from an equation is put in "
                "place of its name");
    return false;
}

// A variable that follows from the others would stand still in silence: each must have a rate.
static bool all_have_rates(Lower *l, const AstExpr *e, const Value *x, const Env *env) {
    Builder *b = l->b;
    walk_start(b->walk);
    for (int i = 0; i < value_count(x); i++) walk_add(b->walk, value_at(x, i));
    for (int i = 0; i < walk_count(b->walk); i++) {
        Expr at = walk_at(b->walk, i);
        if (expr_op(b->dag, at) != OP_SYMBOL) continue;
        int var = expr_symbol_index(b->dag, at);
        if (!has_rate(l, var, e->args[0].pos) || !has_given_rate(l, e, var, env)) return false;
    }
    return true;
}

static bool along_arguments(Lower *l, const AstExpr *e) {
    bool good = e->arg_count >= 2 && !e->args[0].name;
    for (int i = 1; i < e->arg_count; i++) good &= e->args[i].name != 0;
    if (good && l->mode != TO_NUMBERS) return true;
    Remark *m = complain(l->b, good ? L_NOT_STRUCTURAL : L_ALONG, e->pos,
                         good ? "%s cannot depend on a derivative"
                              : "%s'along' wants an expression, then rates by name",
                         good ? l->purpose : "");
    remark_help(l->b->r, m, "write along(x, q = w, w = a)");
    return false;
}

Value lower_along(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    if (!along_arguments(l, e)) return VALUE_BAD;
    Value x = lower(l, e->args[0].value, env);
    if (!value_ok(&x)) return VALUE_BAD;
    Rates *rates = rates_new(l->dag);
    bool good = true;
    if (l->mode == TO_SYMBOLS)
        rates_set(rates, b->var.data[0].symbol, expr_number(l->dag, 1)); // time
    for (int i = 1; i < e->arg_count; i++) good &= set_rates(l, rates, &e->args[i], env);
    good = good && (l->mode != TO_SYMBOLS || all_have_rates(l, e, &x, env));
    Dim dim = x.dim.known ? dim_divide(x.dim, dim_second()) : DIM_UNKNOWN;
    Value v = good ? value_new(l, x.rows, x.cols, dim, HAS_VARIABLE) : VALUE_BAD;
    for (int i = 0; good && i < value_count(&x); i++)
        value_put(&v, i, l->mode == TO_SYMBOLS ? rates_of(rates, value_at(&x, i)) : b->dummy);
    rates_free(rates);
    return v;
}
