// Numbers that are taken from a run, in expectations:
//
//     spring.q(end)   v.f(0.5 {s})   min(x)   max(x)   mean(x)   integral(x)   partial(a, b)
//     amplitude(x, f)   phase(x, f)   swing(x, f)      of a frequency response
//
// Each probe becomes a symbol of its own, and the rest is ordinary arithmetic.
#include "lang/build.h"

#include <math.h>
#include <string.h>

static Value probe_value(Lower *l, Probe p, Dim dim, const AstExpr *e) {
    Builder *b = l->b;
    Probes *k = l->probes;
    Value v = value_new(l, 1, 1, dim, 0);
    for (int i = 0; i < k->list.count; i++) {
        const Probe *q = &k->list.data[i];
        if (q->kind != p.kind || q->signal.what != p.signal.what || q->time != p.time ||
            q->by != p.by || q->place != p.place)
            continue;
        v.one = q->symbol;
        return v;
    }
    p.symbol = expr_symbol(b->dag, label_of(b, e));
    array_push(&k->list, p);
    v.one = p.symbol;
    return v;
}

// The time of `x(t)`: an expression of parameters between start and stop; 0 for `end`.
static bool probe_time(Lower *l, const AstExpr *e, const Env *env, Expr *time) {
    Builder *b = l->b;
    *time = 0;
    if (e->kind == AST_END) return true;
    Lower numbers = lower_numbers(b, "the time of an expectation", false);
    Lower symbols = lower_symbols(b);
    Value v = lower(&numbers, e, env), w = lower(&symbols, e, env);
    Constant c;
    if (!value_ok(&v) || !value_ok(&w) ||
        !value_fit(&numbers, &v, false, NULL, dim_second(), ast_start(e), "time") ||
        !value_shape(&numbers, &v, 1, 1, ast_start(e), "time") ||
        !value_numbers(&numbers, &v, &c, &b->tmp))
        return false;
    bool in_order = l->probes->start < l->probes->stop;
    if (in_order && (c.one < l->probes->start || c.one > l->probes->stop)) {
        Remark *m = complain(b, L_TIME, ast_start(e), "%g s lies outside of the run", c.one);
        remark_help(b->r, m, "it goes from %g s to %g s", l->probes->start, l->probes->stop);
        return false;
    }
    *time = w.one;
    return true;
}

static bool probe_signal(Lower *l, const AstExpr *e, const Env *env, Signal *s, Dim *dim) {
    return scalar_signal(l->b, env, e, s, dim);
}

static Value not_in_time(Lower *l, const AstExpr *e) {
    Remark *m =
        complain(l->b, L_EXPECT, e->pos, "a frequency response has no '%s'", expr_text(l->b, e));
    remark_help(l->b->r, m, "it has amplitude(x, f), phase(x, f) and swing(x, f)");
    return VALUE_BAD;
}

static Value probe_at(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    Probe p = {.kind = PROBE_AT};
    Dim dim;
    if (l->probes->sweep->symbol) return not_in_time(l, e);
    if (e->arg_count != 1) {
        Remark *m = complain(b, L_EXPECT, e->pos, "one time is wanted in the brackets");
        remark_help(b->r, m, "write %s(end) or %s(0.5 {s})", expr_text(b, e->left),
                    expr_text(b, e->left));
        return VALUE_BAD;
    }
    if (!probe_signal(l, e->left, env, &p.signal, &dim) ||
        !probe_time(l, e->args[0].value, env, &p.time))
        return VALUE_BAD;
    return probe_value(l, p, dim, e);
}

static Value probe_over_time(Lower *l, const AstExpr *e, const Env *env, ProbeKind kind) {
    Probe p = {.kind = kind};
    Dim dim;
    if (l->probes->sweep->symbol) return not_in_time(l, e);
    if (!probe_signal(l, e->args[0].value, env, &p.signal, &dim)) return VALUE_BAD;
    if (kind == PROBE_INTEGRAL) dim = dim_multiply(dim, dim_second());
    return probe_value(l, p, dim, e);
}

static Value probe_partial(Lower *l, const AstExpr *e, const Env *env) {
    Builder *b = l->b;
    Probe p = {.kind = PROBE_PARTIAL};
    Signal by;
    Dim dim, by_dim;
    if (l->probes->sweep->symbol) return not_in_time(l, e);
    if (e->arg_count != 2) {
        Remark *m = complain(b, L_EXPECT, e->pos, "'partial' wants two arguments");
        remark_help(b->r, m, "write partial(der(mass.p), spring.q)");
        return VALUE_BAD;
    }
    if (!probe_signal(l, e->args[0].value, env, &p.signal, &dim) ||
        !probe_signal(l, e->args[1].value, env, &by, &by_dim))
        return VALUE_BAD;
    bool state = expr_op(b->dag, by.what) == OP_SYMBOL &&
                 b->var.data[expr_symbol_index(b->dag, by.what)].der >= 0;
    if (!state) {
        Remark *m = complain(b, L_EXPECT, ast_start(e->args[1].value), "'%s' is no state",
                             text_of(b, by.label));
        remark_help(b->r, m,
                    "a state is a variable with a derivative: q of C, p of I, x of "
                    "der(x)");
        return VALUE_BAD;
    }
    p.by = by.what;
    p.by_pos = by.pos;
    return probe_value(l, p, dim_divide(dim, by_dim), e);
}

// amplitude(x, f), phase(x, f), swing(x, f): of the answer to a sine
static Value probe_response(Lower *l, const AstExpr *e, const Env *env, ProbeKind kind) {
    Builder *b = l->b;
    Probe p = {.kind = kind};
    Dim dim;
    if (!l->probes->sweep->symbol) {
        Remark *m =
            complain(b, L_EXPECT, e->pos, "'%s' wants a frequency response", expr_text(b, e->left));
        remark_help(b->r, m,
                    "the experiment needs: frequency input amplitude 1 at (1, 10) {Hz} of y");
        return VALUE_BAD;
    }
    if (!probe_signal(l, e->args[0].value, env, &p.signal, &dim)) return VALUE_BAD;
    p.place = sweep_place(b, l->probes->sweep, e->args[1].value, env);
    if (p.place < 0) return VALUE_BAD;
    return probe_value(l, p, kind == PROBE_PHASE ? DIM_ONE : dim, e);
}

static bool response_kind(const char *name, ProbeKind *kind) {
    static const char *const names[] = {"amplitude", "phase", "swing"};
    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], name) == 0) {
            *kind = PROBE_AMPLITUDE + (ProbeKind)i;
            return true;
        }
    return false;
}

Value lower_probe(Lower *l, const AstExpr *e, const Env *env, bool *is_probe) {
    Builder *b = l->b;
    const AstExpr *f = e->left;
    Value v = lower_fact_probe(l, e, env, is_probe);
    if (*is_probe) return v;
    *is_probe = !l->probes->analysis;
    if (l->probes->analysis) return VALUE_BAD;
    if (f->kind == AST_CALL) return probe_at(l, e, env);
    const char *name = f->kind == AST_NAME ? text_of(b, f->name) : "";
    ProbeKind kind;
    if (e->arg_count == 2 && response_kind(name, &kind)) return probe_response(l, e, env, kind);
    if (strcmp(name, "partial") == 0) return probe_partial(l, e, env);
    if (e->arg_count == 1 && strcmp(name, "min") == 0) return probe_over_time(l, e, env, PROBE_MIN);
    if (e->arg_count == 1 && strcmp(name, "max") == 0) return probe_over_time(l, e, env, PROBE_MAX);
    if (e->arg_count == 1 && strcmp(name, "mean") == 0)
        return probe_over_time(l, e, env, PROBE_MEAN);
    if (e->arg_count == 1 && strcmp(name, "integral") == 0)
        return probe_over_time(l, e, env, PROBE_INTEGRAL);
    if (is_model_signal(b, f, env)) return probe_at(l, e, env);
    if (f->kind == AST_NAME || f->kind == AST_MEMBER) {
        Ref ref = path_resolve(b, f, env, true);
        bool at_a_time = e->arg_count == 1 && e->args[0].value->kind == AST_END;
        if (ref.kind == REF_NONE && at_a_time) path_resolve(b, f, env, false); // reports
        if (ref.kind == REF_BAD || (ref.kind == REF_NONE && at_a_time)) return VALUE_BAD;
        if (ref.kind == REF_VARIABLE || ref.kind == REF_EFFORT || ref.kind == REF_FLOW ||
            ref.kind == REF_STATE)
            return probe_at(l, e, env);
    }
    *is_probe = false;
    return VALUE_BAD;
}
