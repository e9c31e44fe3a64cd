// The frequency response of an experiment: a sine on an input, one run for each frequency.
//
//     frequency u amplitude A offset B at f of y
//
// The model gets one more parameter, experiment.frequency, and the input is set to
//     u = B + A sin(2 pi experiment.frequency time)
// as if the experiment said so with `set`. What follows knows nothing of a sweep; the run only
// gives that parameter one value after the other.
#include "lang/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FREQUENCIES = 10000, USUAL_STEPS = 21 };

static const AstExpr *clause(const Builder *b, const AstItem *item, const char *word) {
    for (int i = 0; i < item->arg_count; i++)
        if (strcmp(text_of(b, item->args[i].name), word) == 0) return item->args[i].value;
    return NULL;
}

// --- the input -----------------------------------------------------------------------------------

static Name frequency_name(Builder *b) { return name_of(b->names, "experiment.frequency"); }

static AstExpr *node(Builder *b, AstExprKind kind, const AstItem *at) {
    AstExpr *e = ARENA_NEW(b->out, AstExpr);
    *e = (AstExpr){.kind = kind, .depth = 1, .pos = at->pos};
    return e;
}

static AstExpr *number_node(Builder *b, double x, const AstItem *at) {
    AstExpr *e = node(b, AST_NUMBER, at);
    e->number = x;
    return e;
}

static AstExpr *binary_node(Builder *b, BinaryOp op, const AstExpr *left, const AstExpr *right,
                            const AstItem *at) {
    AstExpr *e = node(b, AST_BINARY, at);
    e->op = (uint8_t)op;
    e->left = (AstExpr *)left;
    e->right = (AstExpr *)right;
    e->depth = (uint16_t)(1 + (left->depth > right->depth ? left->depth : right->depth));
    return e;
}

static AstExpr *sine_node(Builder *b, const AstItem *at) {
    AstExpr *name = node(b, AST_NAME, at), *turns, *sine = node(b, AST_CALL, at);
    name->name = frequency_name(b);
    turns = binary_node(b, BIN_MUL, name, node(b, AST_TIME, at), at);
    sine->left = node(b, AST_NAME, at);
    sine->left->name = name_of(b->names, "sin");
    sine->args = ARENA_NEW(b->out, AstArg);
    sine->args[0] =
        (AstArg){.value = binary_node(b, BIN_MUL, number_node(b, 2 * acos(-1), at), turns, at),
                 .pos = at->pos};
    sine->arg_count = 1;
    sine->depth = (uint16_t)(1 + sine->args[0].value->depth);
    return sine;
}

const AstItem *sweep_drive(Builder *b, const AstItem *frequency) {
    AstItem *set = ARENA_NEW(b->out, AstItem);
    const AstExpr *offset = clause(b, frequency, "offset");
    AstExpr *drive = binary_node(b, BIN_MUL, clause(b, frequency, "amplitude"),
                                 sine_node(b, frequency), frequency);
    if (offset) drive = binary_node(b, BIN_ADD, offset, drive, frequency);
    *set = (AstItem){.kind = ITEM_SET,
                     .junction = -1,
                     .pos = frequency->pos,
                     .left = frequency->left,
                     .right = drive};
    return set;
}

void sweep_declare(Builder *b, const AstClass *experiment) {
    const AstItem *i = experiment->items;
    while (i && i->kind != ITEM_FREQUENCY) i = i->next;
    if (!i) return;
    Unit *hertz = ARENA_NEW(b->out, Unit);
    const char *bad;
    size_t length;
    unit_parse("Hz", 2, hertz, &bad, &length);
    AstItem *param = ARENA_NEW(b->out, AstItem);
    *param = (AstItem){.kind = ITEM_PARAM,
                       .junction = -1,
                       .name = frequency_name(b),
                       .pos = i->pos,
                       .has_unit = true,
                       .unit = hertz,
                       .unit_text = name_of(b->names, "Hz"),
                       .left = number_node(b, 1, i)};
    declare_hidden(b, param);
}

// --- numbers -------------------------------------------------------------------------------------

// Numbers of the experiment; false: reported.
static bool numbers(Builder *b, const AstExpr *e, const Env *env, Dim dim, const char *what,
                    Constant *c) {
    Lower l = lower_numbers(b, what, false);
    Value v = lower(&l, e, env);
    if (!value_ok(&v)) return false;
    if (!v.dim.known && !(v.is & IS_PLAIN)) {
        Remark *m = complain(b, L_FREQUENCY, ast_start(e), "%s have different units", what);
        remark_help(b->r, m, "give the unit once, behind the bracket: (1, 2, 5) {Hz}");
        return false;
    }
    if (!value_fit(&l, &v, false, NULL, dim, ast_start(e), what)) return false;
    if (value_numbers(&l, &v, c, &b->tmp)) return true;
    complain(b, L_NOT_A_NUMBER, ast_start(e), "%s is not a finite number", what);
    return false;
}

static bool number(Builder *b, const AstExpr *e, const Env *env, Dim dim, const char *what,
                   double *x) {
    Constant c;
    if (!numbers(b, e, env, dim, what, &c)) return false;
    if (c.rows * c.cols != 1) {
        complain(b, L_FREQUENCY, ast_start(e), "%s must be one number", what);
        return false;
    }
    *x = c.one;
    return true;
}

static void bad_setting(Builder *b, const AstExpr *e, const char *what, double x) {
    Remark *m = complain(b, L_FREQUENCY, ast_start(e), "%s cannot be %g", what, x);
    remark_help(b->r, m,
                "frequencies and the amplitude are positive, `from` lies below `to`, and "
                "there are 2 to %d steps",
                MOST_FREQUENCIES);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static Dim per_second(void) { return dim_divide(DIM_ONE, dim_second()); }

static bool listed(Builder *b, const Env *env, const AstExpr *at, Sweep *s) {
    Constant c;
    if (!numbers(b, at, env, per_second(), "the frequencies", &c)) return false;
    int n = c.rows * c.cols;
    s->frequency = ARENA_ARRAY(b->out, double, n);
    for (int i = 0; i < n; i++) {
        double f = n == 1 ? c.one : c.many[i];
        if (!(f > 0) || n > MOST_FREQUENCIES) {
            bad_setting(b, at, "a frequency", f);
            return false;
        }
        s->frequency[i] = f;
    }
    qsort(s->frequency, (size_t)n, sizeof(double), by_size);
    for (int i = 0; i < n; i++)
        if (s->count == 0 || s->frequency[i] > s->frequency[s->count - 1])
            s->frequency[s->count++] = s->frequency[i];
    return true;
}

// From f1 to f2 in equal ratios.
static bool spread(Builder *b, const Env *env, const AstItem *item, Sweep *s) {
    const AstExpr *from = clause(b, item, "from"), *to = clause(b, item, "to"),
                  *steps = clause(b, item, "steps");
    double f1, f2, n = USUAL_STEPS;
    if (!number(b, from, env, per_second(), "a frequency", &f1) ||
        !number(b, to, env, per_second(), "a frequency", &f2) ||
        (steps && !number(b, steps, env, DIM_ONE, "the number of steps", &n)))
        return false;
    if (!(f1 > 0) || !(f2 > f1)) {
        bad_setting(b, f1 > 0 ? to : from, "a frequency", f1 > 0 ? f2 : f1);
        return false;
    }
    if (!(n >= 2) || n > MOST_FREQUENCIES || n != floor(n)) {
        bad_setting(b, steps, "the number of steps", n);
        return false;
    }
    s->count = (int)n;
    s->frequency = ARENA_ARRAY(b->out, double, s->count);
    for (int i = 0; i < s->count; i++)
        s->frequency[i] = i == s->count - 1 ? f2 : f1 * pow(f2 / f1, i / (n - 1));
    return true;
}

// --- the sweep -----------------------------------------------------------------------------------

static Expr frequency_symbol(const Builder *b) {
    for (int i = 0; i < b->var.count; i++)
        if (strcmp(text_of(b, b->var.data[i].path), "experiment.frequency") == 0)
            return b->var.data[i].symbol;
    return 0;
}

void sweep_build(Builder *b, const Env *env, const AstItem *item, Sweep *s) {
    *s = (Sweep){.symbol = frequency_symbol(b), .pos = item->pos};
    s->input = name_of(b->names, expr_text(b, item->left));
    const AstExpr *amplitude = clause(b, item, "amplitude"), *at = clause(b, item, "at"),
                  *settle = clause(b, item, "settle");
    if (!number(b, amplitude, env, DIM_UNKNOWN, "the amplitude", &s->amplitude)) return;
    if (!(s->amplitude > 0)) bad_setting(b, amplitude, "the amplitude", s->amplitude);
    if (settle && number(b, settle, env, dim_second(), "the time to settle", &s->settle) &&
        !(s->settle >= 0))
        bad_setting(b, settle, "the time to settle", s->settle);
    if (!(at ? listed(b, env, at, s) : spread(b, env, item, s))) return;
    s->answer = ARENA_ARRAY(b->out, Signal, item->expr_count);
    for (int i = 0; i < item->expr_count; i++)
        if (scalar_signal(b, env, item->exprs[i], &s->answer[s->answer_count], NULL))
            s->answer_count++;
}

int sweep_place(Builder *b, const Sweep *s, const AstExpr *e, const Env *env) {
    double f;
    if (!number(b, e, env, per_second(), "a frequency", &f)) return -1;
    for (int i = 0; i < s->count; i++)
        if (fabs(f - s->frequency[i]) <= 1e-9 * f) return i;
    Remark *m = complain(b, L_FREQUENCY, ast_start(e), "%g Hz is not among the frequencies", f);
    remark_help(b->r, m, "add it: frequency ... at (%g, ...) {Hz}", f);
    return -1;
}
