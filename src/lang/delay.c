// delay(x, T), delay(x, T, max), delay(x, T, max, before): x as it was T ago.
//
// Each becomes a variable of its own that no equation determines: the solver keeps what x was at
// its steps, and puts the value for the present time in before anything is computed
// (solve/history.c).
#include "lang/build.h"

static bool refuse(Lower *l, Pos pos, const char *what, const char *help) {
    Remark *m = complain(l->b, L_DELAY, pos, "%s", what);
    remark_help(l->b->r, m, "%s", help);
    return false;
}

// A time. False: reported.
static bool lower_time(Lower *l, const AstExpr *e, const Env *env, const char *what, Value *v) {
    *v = lower(l, e, env);
    return value_ok(v) && value_fit(l, v, false, NULL, dim_second(), ast_start(e), what) &&
           value_shape(l, v, 1, 1, ast_start(e), what);
}

static bool is_fixed(const Value *v) { return !(v->is & VARIES); }

// The delay itself: positive where that is known before the run.
static bool lower_length(Lower *l, const AstExpr *e, const Env *env, Delay *d) {
    const AstExpr *length = e->args[1].value;
    Value v;
    Constant c;
    if (!lower_time(l, length, env, "a delay", &v)) return false;
    d->time = v.one;
    d->fixed = is_fixed(&v);
    if (!d->fixed && e->arg_count < 3)
        return refuse(l, ast_start(length), "a delay that changes during the run needs a bound",
                      "write delay(x, T, max)");
    if (!d->fixed) return true;
    if (!number_evaluate(l->b, length, env, "a delay", false, &c)) return false;
    if (c.one > 0) return true;
    Remark *m =
        complain(l->b, L_DELAY, ast_start(length), "a delay must be positive, it is %g s", c.one);
    remark_help(l->b->r, m, "what will be is not known; without a delay write the variable itself");
    return false;
}

static bool lower_bound(Lower *l, const AstExpr *e, const Env *env, Delay *d) {
    d->most = d->time;
    if (e->arg_count < 3) return true;
    const AstExpr *bound = e->args[2].value;
    Value v;
    Constant c, t;
    if (!lower_time(l, bound, env, "the bound of a delay", &v)) return false;
    if (!is_fixed(&v))
        return refuse(l, ast_start(bound), "the bound of a delay changes during the run",
                      "make it of parameters and numbers");
    d->most = v.one;
    if (!number_evaluate(l->b, bound, env, "the bound of a delay", false, &c)) return false;
    if (!d->fixed || !number_evaluate(l->b, e->args[1].value, env, "a delay", false, &t) ||
        t.one <= c.one)
        return true;
    Remark *m = complain(l->b, L_DELAY, ast_start(bound),
                         "the delay of %g s is longer than its bound of %g s", t.one, c.one);
    remark_help(l->b->r, m, "give a larger bound");
    return false;
}

// Before the start: an expression of time and parameters.
static bool lower_before(Lower *l, const AstExpr *e, const Env *env, const Value *x, Delay *d) {
    if (e->arg_count < 4) return true;
    const AstExpr *before = e->args[3].value;
    Value v = lower(l, before, env);
    if (!value_ok(&v) || !value_fit(l, &v, false, NULL, x->dim, ast_start(before), "the past") ||
        !value_shape(l, &v, 1, 1, ast_start(before), "the past"))
        return false;
    if (v.is & HAS_VARIABLE)
        return refuse(l, ast_start(before), "what was before the start cannot depend on variables",
                      "write an expression of time and parameters");
    d->before = v.one;
    return true;
}

static Expr delayed(Builder *b, const AstExpr *e, const Value *x, Delay d) {
    for (int i = 0; i < b->delay.count; i++) {
        const Delay *k = &b->delay.data[i];
        if (k->what == d.what && k->time == d.time && k->most == d.most && k->before == d.before)
            return k->symbol;
    }
    Var v = {.kind = VAR_DISCRETE, .comp = -1, .der = -1, .of = -1, .dim = x->dim, .pos = e->pos};
    v.path =
        name_printf(b->names, "delay%d(%s)", b->delay.count + 1, expr_text(b, e->args[0].value));
    v.unit = dim_unit(b, x->dim);
    v.symbol = d.symbol = expr_symbol(b->dag, v.path);
    d.text = name_of(b->names, expr_text(b, e->args[0].value));
    d.pos = e->pos;
    array_push(&b->var, v);
    array_push(&b->delay, d);
    return v.symbol;
}

Value lower_delay(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    Delay d = {0};
    if (l->mode == TO_NUMBERS || b->frozen || b->when_part != WHEN_OUTSIDE) {
        refuse(l, e->pos, "'delay' belongs into equations",
               "give the delayed signal a variable: y = delay(x, T), and use y here");
        return VALUE_BAD;
    }
    if (e->arg_count < 2 || e->arg_count > 4) {
        Remark *m = complain(b, L_ARGUMENT_COUNT, e->pos, "'delay' is called with %d argument%s",
                             e->arg_count, e->arg_count == 1 ? "" : "s");
        remark_help(b->r, m, "write delay(x, T), delay(x, T, max) or delay(x, T, max, before)");
        return VALUE_BAD;
    }
    Value x = lower(l, e->args[0].value, env);
    if (l->mode == TO_SHAPES) {
        x.is |= HAS_VARIABLE;
        return x;
    }
    if (!value_ok(&x) || !lower_length(l, e, env, &d) || !lower_bound(l, e, env, &d) ||
        !lower_before(l, e, env, &x, &d))
        return VALUE_BAD;
    Value v = value_new(l, x.rows, x.cols, x.dim, HAS_VARIABLE);
    for (int i = 0; i < value_count(&x); i++) {
        d.what = value_at(&x, i);
        value_put(&v, i, delayed(b, e, &x, d));
    }
    return v;
}
