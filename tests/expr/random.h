// Random expressions that repeat: the same seed gives the same expressions on every machine. A
// script of steps, each an operator over results of earlier steps, can be run over nodes (which
// simplify) and over plain numbers (which do not).
#ifndef BONDYN_TESTS_EXPR_RANDOM_H
#define BONDYN_TESTS_EXPR_RANDOM_H

#include "expr/expr.h"
#include <math.h>
#include <stdint.h>

typedef struct {
    uint64_t state;
} Random;

static inline int random_below(Random *r, int n) {
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((r->state >> 33) % (uint64_t)n);
}

static inline double random_between(Random *r, double low, double high) {
    return low + (high - low) * random_below(r, 1 << 30) / (double)(1 << 30);
}

typedef struct {
    int kind, a, b, pick;
} Step;

enum { MAX_STEPS = 40, MAX_MADE = 64 };

typedef struct {
    Step step[MAX_STEPS];
    int count, symbols;
} Script;

static const Op script_smooth[] = {OP_SIN, OP_COS, OP_EXP, OP_ATAN, OP_TANH, OP_SINH, OP_TAN};
static const Op script_corner[] = {OP_ABS, OP_SIGN, OP_FLOOR, OP_CEIL, OP_NOT, OP_COSH, OP_LOG};
static const Op script_pair[] = {OP_MIN, OP_MAX, OP_LESS, OP_LESS_EQUAL, OP_EQUAL, OP_AND, OP_OR};
static const double script_exponent[] = {2, -1, 3, 0.5, -2, 1.5, -0.5};

// `rough`: also operators with jumps and corners.
static inline Script random_script(Random *r, int symbols, int steps, bool rough) {
    Script s = {.count = steps, .symbols = symbols};
    for (int i = 0; i < steps; i++) {
        int made = symbols + i;
        s.step[i] = (Step){random_below(r, rough ? 14 : 11), random_below(r, made),
                           random_below(r, made), random_below(r, 7)};
    }
    return s;
}

static inline Expr step_expr(Dag *d, const Step *s, Expr a, Expr b) {
    Expr two[2] = {a, b};
    switch (s->kind) {
    case 0: return expr_add(d, a, b);
    case 1: return expr_sub(d, a, b);
    case 2: return expr_mul(d, a, b);
    case 3: return expr_div(d, a, b);
    case 4: return expr_pow(d, a, expr_number(d, script_exponent[s->pick]));
    case 5: return expr_neg(d, a);
    case 6: return expr_add(d, a, expr_number(d, s->pick - 3));
    case 7: return expr_mul(d, a, expr_number(d, (s->pick - 3) / 3.0));
    case 8: return expr_call(d, script_smooth[s->pick], &a, 1);
    case 9: return expr_call(d, OP_ATAN2, two, 2);
    case 10: return expr_pow(d, a, b);
    case 11: return expr_call(d, script_corner[s->pick], &a, 1);
    case 12: return expr_call(d, script_pair[s->pick], two, 2);
    default: return expr_if(d, expr_call(d, OP_LESS, two, 2), b, expr_neg(d, a));
    }
}

static inline double step_value(const Step *s, double a, double b) {
    switch (s->kind) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / b;
    case 4: return op_evaluate(OP_POWER, a, script_exponent[s->pick], 0);
    case 5: return -a;
    case 6: return a + (s->pick - 3);
    case 7: return a * ((s->pick - 3) / 3.0);
    case 8: return op_evaluate(script_smooth[s->pick], a, 0, 0);
    case 9: return atan2(a, b);
    case 10: return op_evaluate(OP_POWER, a, b, 0);
    case 11: return op_evaluate(script_corner[s->pick], a, 0, 0);
    case 12: return op_evaluate(script_pair[s->pick], a, b, 0);
    default: return a < b ? b : -a;
    }
}

static inline Expr script_expr(const Script *s, Dag *d, const Expr *symbol) {
    Expr made[MAX_MADE];
    for (int i = 0; i < s->symbols; i++) made[i] = symbol[i];
    for (int i = 0; i < s->count; i++)
        made[s->symbols + i] = step_expr(d, &s->step[i], made[s->step[i].a], made[s->step[i].b]);
    return made[s->symbols + s->count - 1];
}

// NaN or infinity on the way makes the whole NaN: laws like 0*x = 0 hold only for finite x.
static inline double script_value(const Script *s, const double *symbol) {
    double made[MAX_MADE];
    for (int i = 0; i < s->symbols; i++) made[i] = symbol[i];
    for (int i = 0; i < s->count; i++) {
        double v = step_value(&s->step[i], made[s->step[i].a], made[s->step[i].b]);
        made[s->symbols + i] = v;
        if (!isfinite(v)) return NAN;
    }
    return made[s->symbols + s->count - 1];
}

static inline Expr random_expr(Random *r, Dag *d, const Expr *symbol, int n, int steps,
                               bool rough) {
    Script s = random_script(r, n, steps, rough);
    return script_expr(&s, d, symbol);
}

#endif
