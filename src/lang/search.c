// What an experiment searches for:
//
//     minimise integral((x - 1)^2)           over k from 1 to 10, d from 0.1 to 5
//     subject to max(x) < 1.1
//     fit motor.w to measured(time) within 0.1 {rad/s}
//     sensitivity x to k, d
//
// Numbers from the run are probes, as in expectations.
#include "lang/build.h"

#include <math.h>
#include <string.h>

typedef struct {
    Builder *b;
    const Env *env;
    Probes *probes;
    Aims *s;
    ARRAY(Freedom) free;
    ARRAY(Expectation) limit;
    ARRAY(FitData) fit;
    ARRAY(Signal) sensitive;
    ARRAY(Expr) by;
} Making;

// --- parameters ----------------------------------------------------------------------------------

int number_parameter(Builder *b, const Env *env, const AstExpr *e, Code code) {
    Signal s;
    if (!scalar_signal(b, env, e, &s, NULL)) return -1;
    int var = expr_op(b->dag, s.what) == OP_SYMBOL ? expr_symbol_index(b->dag, s.what) : -1;
    if (var >= b->var.count) var = -1;
    if (var < 0 || b->var.data[var].kind != VAR_PARAM) {
        Remark *m =
            complain(b, code, ast_start(e), "'%s' is no parameter that can move", expr_text(b, e));
        remark_help(b->r, m,
                    "name a `param` with a number; of a start value: param x0 = 1, and "
                    "initial x = x0");
        return -1;
    }
    if (b->var.data[var].value && !expr_is_number(b->dag, b->var.data[var].value, NULL)) {
        Remark *m =
            complain(b, code, ast_start(e), "'%s' follows from other parameters", expr_text(b, e));
        remark_help(b->r, m, "make a number of it first: set %s = ...", expr_text(b, e));
        return -1;
    }
    return var;
}

// A bound, a plain number in the parameter's unit. False: reported.
static bool bound(Making *k, const AstExpr *e, int var, double *x) {
    Builder *b = k->b;
    Lower l = lower_numbers(b, "a bound", false);
    Value v = lower(&l, e, k->env);
    Constant c;
    Unit unit = unit_named(b, b->var.data[var].unit);
    if (!value_ok(&v) ||
        !value_fit(&l, &v, true, &unit, b->var.data[var].dim, ast_start(e), "a bound") ||
        !value_shape(&l, &v, 1, 1, ast_start(e), "a bound"))
        return false;
    if (!value_numbers(&l, &v, &c, &b->tmp)) {
        complain_not_finite(b, ast_start(e), "%s", "a bound");
        return false;
    }
    *x = c.one;
    return true;
}

static void add_freedom(Making *k, const AstItem *item) {
    Builder *b = k->b;
    Freedom f = {.from = -INFINITY, .to = INFINITY, .pos = ast_start(item->left)};
    int var = number_parameter(k->b, k->env, item->left, L_SEARCH);
    if (var < 0) return;
    f.symbol = b->var.data[var].symbol;
    if (item->right &&
        (!bound(k, item->right, var, &f.from) || !bound(k, item->tolerance, var, &f.to)))
        return;
    if (!(f.from < f.to)) {
        Remark *m = complain(b, L_SEARCH, ast_start(item->right), "'%s' has no room from %g to %g",
                             expr_text(b, item->left), f.from, f.to);
        remark_help(b->r, m, "the lower bound stands first");
        return;
    }
    for (int i = 0; i < k->free.count; i++)
        if (k->free.data[i].symbol == f.symbol) {
            Remark *m =
                complain(b, L_SEARCH, f.pos, "'%s' is free twice", expr_text(b, item->left));
            remark_note(b->r, m, k->free.data[i].pos, "the first one is here");
            remark_help(b->r, m, "keep one of them");
            return;
        }
    array_push(&k->free, f);
}

// --- what is wanted ------------------------------------------------------------------------------

static Name printed(Builder *b, const AstExpr *left, const char *between, const AstExpr *right) {
    Text t = {0};
    ast_print(&t, b->names, left);
    text_add(&t, between);
    if (right) ast_print(&t, b->names, right);
    Name name = name_of(b->names, text_get(&t));
    text_free(&t);
    return name;
}

static void set_objective(Making *k, const AstItem *item) {
    Builder *b = k->b;
    if (k->s->objective) {
        Remark *m = complain(b, L_SETTING_TWICE, item->pos, "the experiment has two objectives");
        remark_note(b->r, m, k->s->pos, "the first one is here");
        remark_help(b->r, m, "add them with weights: minimise a + 10*b");
        return;
    }
    Lower l = lower_symbols(b);
    l.probes = k->probes;
    Value v = lower(&l, item->left, k->env);
    if (!value_ok(&v) || !value_shape(&l, &v, 1, 1, ast_start(item->left), "an objective")) return;
    k->s->objective = v.one;
    k->s->most = item->relative;
    k->s->pos = item->pos;
    k->s->text = printed(b, item->left, "", NULL);
    k->s->unit = dim_unit(b, v.dim);
}

static void add_limit(Making *k, const AstItem *item) {
    static const char *const word[] = {
        [BIN_EQ] = " = ", [BIN_LT] = " < ", [BIN_LE] = " <= ", [BIN_GT] = " > ", [BIN_GE] = " >= "};
    Builder *b = k->b;
    Lower l = lower_symbols(b);
    l.probes = k->probes;
    Value x = lower(&l, item->left, k->env), y = lower(&l, item->right, k->env);
    if (!value_ok(&x) || !value_ok(&y) || !equation_sides(&l, &x, &y, item) ||
        !value_shape(&l, &x, 1, 1, ast_start(item->left), "a constraint"))
        return;
    Expectation e = {.left = x.one, .right = y.one, .pos = item->pos};
    e.relation = item->relation == BIN_EQ                               ? EXPECT_EQUAL
                 : item->relation == BIN_LT || item->relation == BIN_LE ? EXPECT_LESS
                                                                        : EXPECT_GREATER;
    e.text = printed(b, item->left, word[item->relation], item->right);
    e.unit = dim_unit(b, (x.is & IS_PLAIN) ? y.dim : x.dim);
    array_push(&k->limit, e);
}

// --- data ----------------------------------------------------------------------------------------

// measured(time): the table itself, whose rows are the data.
static const Table *table_of(Making *k, const AstExpr *e, Dim *dim) {
    Builder *b = k->b;
    Lower l = lower_symbols(b);
    Value v = lower(&l, e, k->env);
    if (!value_ok(&v)) return NULL;
    *dim = v.dim;
    double number;
    if (value_count(&v) == 1 && expr_op(b->dag, v.one) == OP_TABLE &&
        expr_arg(b->dag, v.one, 1) == b->var.data[0].symbol &&
        expr_is_number(b->dag, expr_arg(b->dag, v.one, 0), &number))
        return expr_table(b->dag, (int)number);
    Remark *m =
        complain(b, L_SEARCH, ast_start(e), "'%s' is no table of data over time", expr_text(b, e));
    remark_help(b->r, m,
                "declare table measured(t {s}) linear from \"run.csv\" column \"x\", and "
                "write fit x to measured(time)");
    return NULL;
}

static bool covers(Making *k, const FitData *d, const AstExpr *e) {
    Builder *b = k->b;
    double first = d->time[0], last = d->time[d->count - 1];
    double stop = k->probes->stop, start = k->probes->start, near = 1e-9 * (stop - start);
    if (first >= start - near && last <= stop + near) return true;
    Remark *m = complain(b, L_SEARCH, ast_start(e),
                         "the data go from %g s to %g s, the run from %g s to %g s", first, last,
                         start, stop);
    remark_help(b->r, m,
                "choose start and stop so that the run covers the data, or look at the unit "
                "of the column of times");
    return false;
}

static void add_fit(Making *k, const AstItem *item) {
    Builder *b = k->b;
    FitData d = {.pos = item->pos};
    Dim dim, data;
    if (!scalar_signal(b, k->env, item->left, &d.signal, &dim)) return;
    const Table *t = table_of(k, item->right, &data);
    if (!t) return;
    if (dim.known && data.known && !dim_equal(dim, data)) {
        Text x = {0}, y = {0};
        dim_print(&x, dim);
        dim_print(&y, data);
        Remark *m = complain(b, L_SEARCH, ast_start(item->right), "the data are in %s, '%s' in %s",
                             *text_get(&y) ? text_get(&y) : "1", expr_text(b, item->left),
                             *text_get(&x) ? text_get(&x) : "1");
        remark_help(b->r, m, "give the table the unit of the data: table measured(t {s}) {%s} ...",
                    text_get(&x));
        text_free(&x);
        text_free(&y);
        return;
    }
    d.count = t->count;
    d.time = t->x;
    d.value = t->y;
    if (item->tolerance) {
        Unit unit = unit_named(b, d.signal.unit);
        Lower l = lower_numbers(b, "the deviation of the data", false);
        Value v = lower(&l, item->tolerance, k->env);
        Constant c;
        unit.offset = 0;
        if (!value_ok(&v) ||
            !value_fit(&l, &v, true, &unit, dim, ast_start(item->tolerance), "the deviation") ||
            !value_shape(&l, &v, 1, 1, ast_start(item->tolerance), "the deviation") ||
            !value_numbers(&l, &v, &c, &b->tmp))
            return;
        d.within = c.one;
        if (!(d.within > 0)) {
            Remark *m = complain(b, L_SEARCH, ast_start(item->tolerance),
                                 "the deviation of the data must be positive");
            remark_help(b->r, m, "leave it out to have it estimated");
            return;
        }
    }
    if (covers(k, &d, item->right)) array_push(&k->fit, d);
}

static void add_sensitivity(Making *k, const AstItem *item) {
    for (int i = 0; i < item->expr_count; i++) {
        Signal s;
        if (scalar_signal(k->b, k->env, item->exprs[i], &s, NULL)) array_push(&k->sensitive, s);
    }
    for (int i = 0; i < item->arg_count; i++) {
        int var = number_parameter(k->b, k->env, item->args[i].value, L_SEARCH);
        Expr symbol = var < 0 ? 0 : k->b->var.data[var].symbol;
        bool known = var < 0;
        for (int j = 0; j < k->by.count; j++) known = known || k->by.data[j] == symbol;
        if (!known) array_push(&k->by, symbol);
    }
}

// --- all of it -----------------------------------------------------------------------------------

static void *kept(Builder *b, const void *data, int count, size_t size) {
    void *copy = arena_alloc(b->out, (size_t)count, size);
    if (count) memcpy(copy, data, (size_t)count * size);
    return copy;
}

static void check_whole(Making *k) {
    Builder *b = k->b;
    const Aims *s = k->s;
    Pos pos = s->objective     ? s->pos
              : k->fit.count   ? k->fit.data[0].pos
              : k->limit.count ? k->limit.data[0].pos
              : k->free.count  ? k->free.data[0].pos
                               : POS_NONE;
    const char *what = NULL, *help = NULL;
    if (s->objective && k->fit.count)
        what = "an experiment minimises, or fits", help = "write one experiment for each";
    else if ((s->objective || k->fit.count) && !k->free.count)
        what = "nothing may move", help = "say which parameters may: over k from 1 to 10";
    else if (!s->objective && !k->fit.count && (k->free.count || k->limit.count))
        what = "there is nothing to search for",
        help = "add minimise, with a number of the run, or fit, with data";
    else if (k->fit.count && k->limit.count)
        what = "a fit has no constraints besides its ranges",
        help = "write over k from 1 to 10, or minimise integral((x - measured(time))^2)";
    if (!what) return;
    Remark *m = complain(b, L_SEARCH, pos, "%s", what);
    remark_help(b->r, m, "%s", help);
}

void search_build(Builder *b, const Env *env, const AstItem *items, Probes *probes, Aims *s) {
    Making k = {.b = b, .env = env, .probes = probes, .s = s};
    for (const AstItem *i = items; i && !b->stop; i = i->next) switch (i->kind) {
        case ITEM_MINIMISE: set_objective(&k, i); break;
        case ITEM_OVER: add_freedom(&k, i); break;
        case ITEM_SUBJECT: add_limit(&k, i); break;
        case ITEM_FIT: add_fit(&k, i); break;
        case ITEM_SENSITIVITY: add_sensitivity(&k, i); break;
        default: break;
        }
    if (no_errors(b)) check_whole(&k);
    s->free_count = k.free.count;
    s->free = kept(b, k.free.data, k.free.count, sizeof(Freedom));
    s->limit_count = k.limit.count;
    s->limit = kept(b, k.limit.data, k.limit.count, sizeof(Expectation));
    s->fit_count = k.fit.count;
    s->fit = kept(b, k.fit.data, k.fit.count, sizeof(FitData));
    s->sensitive_count = k.sensitive.count;
    s->sensitive = kept(b, k.sensitive.data, k.sensitive.count, sizeof(Signal));
    s->by_count = k.by.count;
    s->by = kept(b, k.by.data, k.by.count, sizeof(Expr));
    array_free(&k.free);
    array_free(&k.limit);
    array_free(&k.fit);
    array_free(&k.sensitive);
    array_free(&k.by);
}
