// The values of a parameter that an analysis goes through:
//
//     vary k = 10 .. 100 in 40          evenly, 40 values with both ends
//     vary k = 0.1 .. 10 in 40 log      in equal ratios
//     vary k = (20, 50, 100) {N/m}      these
#include "lang/build.h"

#include <math.h>

enum { MOST_VALUES = 100000 };

typedef struct {
    Builder *b;
    const Env *env;
    int var;
    Unit unit;
} Making;

static bool refuse(Making *k, Pos pos, const char *why, const char *help) {
    Remark *m = complain(k->b, L_SETTING, pos, "%s", why);
    remark_help(k->b->r, m, "%s", help);
    return false;
}

// Plain numbers count in the parameter's unit. False: reported.
static bool values(Making *k, const AstExpr *e, bool *plain, Constant *c) {
    Builder *b = k->b;
    Lower l = lower_numbers(b, "a value to vary over", false);
    Value v = lower(&l, e, k->env);
    if (!value_ok(&v)) return false;
    *plain = v.is & IS_PLAIN;
    if (!value_fit(&l, &v, true, &k->unit, b->var.data[k->var].dim, ast_start(e), "vary"))
        return false;
    if (value_numbers(&l, &v, c, &b->tmp)) return true;
    complain_not_finite(b, ast_start(e), "%s", "a value to vary over");
    return false;
}

static bool one_value(Making *k, const AstExpr *e, bool *plain, double *x) {
    Constant c;
    if (!values(k, e, plain, &c)) return false;
    *x = c.one;
    return c.rows * c.cols == 1 ||
           refuse(k, ast_start(e), "an end of a range is one number", "write 10 .. 100 in 40");
}

static bool how_many(Making *k, const AstExpr *e, int *count) {
    Builder *b = k->b;
    Lower l = lower_numbers(b, "how many values", false);
    Value v = lower(&l, e, k->env);
    Constant c;
    if (!value_ok(&v) ||
        !value_fit(&l, &v, false, NULL, DIM_ONE, ast_start(e), "the number of values") ||
        !value_shape(&l, &v, 1, 1, ast_start(e), "the number of values") ||
        !value_numbers(&l, &v, &c, &b->tmp))
        return false;
    if (!(c.one >= 2 && c.one <= MOST_VALUES && c.one == floor(c.one)))
        return refuse(k, ast_start(e), "a range has 2 values or more, and at most 100000",
                      "write 10 .. 100 in 40");
    *count = (int)c.one;
    return true;
}

static bool read_range(Making *k, const AstItem *item, Vary *to) {
    double from, last;
    bool plain, plain_last, log = item->relative;
    if (!one_value(k, item->exprs[0], &plain, &from) ||
        !one_value(k, item->exprs[1], &plain_last, &last) ||
        !how_many(k, item->exprs[2], &to->count))
        return false;
    if (plain != plain_last && from != 0 && last != 0)
        return refuse(k, ast_start(item->exprs[0]), "only one end of the range has a unit",
                      "write it with both: 10 {N/m} .. 100 {N/m}, or with none of them");
    if (from == last)
        return refuse(k, ast_start(item->exprs[0]), "both ends of the range are the same",
                      "write 10 .. 100 in 40");
    if (log && !(from * last > 0))
        return refuse(k, ast_start(item->exprs[0]),
                      "a range in equal ratios neither holds 0 nor goes through it",
                      "begin it at a small value, or leave out 'log'");
    to->value = ARENA_ARRAY(k->b->out, double, to->count);
    for (int i = 0; i < to->count; i++) {
        double part = (double)i / (to->count - 1);
        to->value[i] = log ? from * pow(last / from, part) : from + (last - from) * part;
    }
    to->value[to->count - 1] = last;
    return true;
}

static bool read_list(Making *k, const AstItem *item, Vary *to) {
    Constant c;
    bool plain;
    if (!values(k, item->exprs[0], &plain, &c)) return false;
    to->count = c.rows * c.cols;
    to->value = ARENA_ARRAY(k->b->out, double, to->count);
    for (int i = 0; i < to->count; i++) to->value[i] = to->count == 1 ? c.one : c.many[i];
    return true;
}

static bool in_kind(Builder *b, const AnalysisPlan *plan, const AstItem *item) {
    AnalysisKind kind = plan->kind;
    if (kind == ANALYSIS_NONE || kind == ANALYSIS_POWER) return false; // reported with its run
    if (kind == ANALYSIS_POLES || kind == ANALYSIS_BODE || kind == ANALYSIS_NYQUIST) return true;
    Remark *m = complain(b, L_NOT_IN_ANALYSIS, item->pos,
                         "'vary' belongs to 'poles', 'bode' and 'nyquist'");
    remark_help(b->r, m, "a run or another analysis over several values is a study: bondyn sweep");
    return false;
}

void vary_build(Builder *b, const Env *env, const AstItem *item, AnalysisPlan *plan) {
    if (!in_kind(b, plan, item)) return;
    Making k = {.b = b, .env = env};
    Vary *to = &plan->vary;
    if (to->symbol) {
        Remark *m = complain(b, L_SETTING_TWICE, item->pos, "the experiment varies twice");
        remark_note(b->r, m, to->pos, "the first one is here");
        remark_help(b->r, m,
                    "one parameter goes through its values: write one experiment for each");
        return;
    }
    k.var = number_parameter(b, env, item->left, V_FIXED_PARAMETER);
    if (k.var < 0) return;
    const Var *v = &b->var.data[k.var];
    k.unit = unit_named(b, v->unit);
    *to = (Vary){.symbol = v->symbol, .pos = ast_start(item->left)};
    bool good = item->expr_count == 3 ? read_range(&k, item, to) : read_list(&k, item, to);
    if (!good) to->count = 0;
}
