// The first point of a step at which a relation has changed.
//
//     low                      high          At low no relation has changed, at high one has; both
//      o-----------------x------o            were reached by the method from the begin of the step.
//                         polynomial         Between them y is a cubic through y and y' at both
//                                            ends: x is where a relation changes on it.
//
// A step of the method to just behind x gives a new low or high; beside an end that is as near as
// that the cubic is as good as exact, so two or three steps find the point to a rounding of time,
// with the accuracy of the method.
#include "solve/rk78.h"

#include <math.h>
#include <string.h>

enum { MOST_TRIALS = 100, TRUSTED_TRIALS = 8, MOST_ROUNDS = 60 };

typedef struct {
    double low, high;        // lengths of step
    double *low_y, *low_f;   // states and rates there
    double *high_y, *high_f; // states, then quadratures
    double near;             // lengths that are one
} Bracket;

static bool rates(Rk78 *k, double t, const double *y, double *rate) {
    return job_rates(k->j, t, y, rate, k->j->nq ? rate + k->j->n : NULL);
}

static bool has_changed(const Rk78 *k, int i, double border) {
    const Job *j = k->j;
    bool now = j->p->sw[i].or_equal ? border <= 0 : border < 0;
    return border != 0 && now != (j->m->held[i] != 0);
}

static bool any_changed(const Rk78 *k, const double *border) {
    for (int i = 0; i < k->j->p->switch_count; i++)
        if (has_changed(k, i, border[i])) return true;
    return false;
}

// --- on the polynomial ---------------------------------------------------------------------------

// y(low + s d) = y0 + s (y1 - y0) + s (s - 1) ((1 - 2s)(y1 - y0) + (s - 1) d f0 + s d f1)
static void polynomial(const Rk78 *k, const Bracket *b, double length, double *y) {
    double d = b->high - b->low, s = (length - b->low) / d;
    for (int i = 0; i < k->j->n; i++) {
        double rise = b->high_y[i] - b->low_y[i];
        double bend = (1 - 2 * s) * rise + d * ((s - 1) * b->low_f[i] + s * b->high_f[i]);
        y[i] = b->low_y[i] + s * rise + s * (s - 1) * bend;
    }
}

// Where the first of the relations that change between a and b would do so if borders were
// straight; those at a count `weight` times.
static double secant(const Rk78 *k, double a, double b, double weight) {
    double first = b;
    for (int i = 0; i < k->j->p->switch_count; i++) {
        double at_a = weight * k->border[0][i], at_b = k->border[1][i];
        if (!has_changed(k, i, at_b)) continue;
        double root = at_a * at_b < 0 ? b - (b - a) * at_b / (at_b - at_a) : a;
        first = fmin(first, root);
    }
    return first;
}

// Regula falsi; an end that stays counts less and less (Illinois).
static double change_on_polynomial(Rk78 *k, const Bracket *x) {
    Job *j = k->j;
    double a = x->low, b = x->high, weight = 1;
    int side = 0;
    if (!events_borders(j, k->t + a, x->low_y, k->border[0]) ||
        !events_borders(j, k->t + b, x->high_y, k->border[1]))
        return a + (b - a) / 2;
    for (int round = 0; round < MOST_ROUNDS && b - a > x->near / 4; round++) {
        double c = round % 8 == 7 ? a + (b - a) / 2 : secant(k, a, b, weight);
        c = fmin(fmax(c, a + x->near / 8), b - x->near / 8);
        polynomial(k, x, c, k->trial);
        if (!events_borders(j, k->t + c, k->trial, k->border[2])) return c;
        int now = any_changed(k, k->border[2]) ? 1 : -1;
        double **moved = now > 0 ? &k->border[1] : &k->border[0], *old = *moved;
        *(now > 0 ? &b : &a) = c;
        *moved = k->border[2];
        k->border[2] = old;
        weight = now != side ? 1 : now > 0 ? weight / 2 : weight * 2;
        side = now;
    }
    return b;
}

// --- by the method -------------------------------------------------------------------------------

static void open_bracket(Rk78 *k, Bracket *b) {
    int total = k->total;
    size_t size = (size_t)total * sizeof(double);
    *b = (Bracket){.high = k->step, .near = events_margin(k->j, k->end)};
    b->low_y = k->low, b->low_f = k->low + total;
    b->high_y = k->high, b->high_f = k->high + total;
    if (!total) return;
    memcpy(b->low_y, k->y, size);
    memcpy(b->low_f, k->k, size);
    memcpy(b->high_y, k->next, size);
}

// One end moves to what was reached.
static bool move_end(Rk78 *k, Bracket *b, double length) {
    size_t size = (size_t)k->total * sizeof(double);
    double t = k->t + length;
    bool changed = events_borders(k->j, t, k->next, k->border[2]) && any_changed(k, k->border[2]);
    *(changed ? &b->high : &b->low) = length;
    if (k->total) memcpy(changed ? b->high_y : b->low_y, k->next, size);
    return rates(k, t, k->next, changed ? b->high_f : b->low_f);
}

bool rk78_locate(Rk78 *k) {
    Bracket b;
    open_bracket(k, &b);
    double whole = k->step;
    bool good = rates(k, k->end, b.high_y, b.high_f);
    for (int trial = 0; good && trial < MOST_TRIALS && b.high - b.low > b.near; trial++) {
        bool halve = trial >= TRUSTED_TRIALS && trial % 2;
        double x = halve ? b.low + (b.high - b.low) / 2 : change_on_polynomial(k, &b);
        if (!halve && b.high - x <= b.near) break;
        if (!halve) x += b.near / 2;
        good = rk78_reach(k, x, k->next) && move_end(k, &b, x);
    }
    if (!good) return false;
    if (b.high < whole) {
        k->step = b.high;
        k->end = k->t + b.high;
    }
    if (k->total) memcpy(k->next, b.high_y, (size_t)k->total * sizeof(double));
    return true;
}
