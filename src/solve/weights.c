// Tolerances by the sizes of states: the rule and its reasons stand in sizes.c.
#include "solve/job.h"

#include "base/numbers.h"
#include "base/wide.h"
#include <float.h>
#include <math.h>

typedef struct {
    double rtol, own;   // own: the user's atol, or 0
    double first, part; // of a size that is a guess, of one that is more, that the tolerance is
    double passed, one; // how often rounding that others pass on counts; the weight of 1
} Rule;

static const double least_part = 1e-14; // of a size that a tolerance can be

bool sizes_implicit(const Job *j) {
    return j->stats->method == SOLVER_CVODE_BDF || j->stats->method == SOLVER_IDA;
}

double sizes_part(const Job *j) { return larger(1e-3 * j->rtol, least_part); }

static double with_own(const Job *j, double by_size) {
    return j->o->atol > 0 ? j->o->atol : by_size;
}

WIDE static void weigh(int n, const Sizes *s, const Rule *r, const double *x, double *weight) {
    const double *recent = s->recent, *most = s->most, *noise = s->noise, *decay = s->decay;
    const double *passed_on = s->passed_on;
    double h = s->step, rtol = r->rtol, own = r->own, one = r->one, passed = r->passed;
    double first = r->first, part = r->part;
    APART for (int i = 0; i < n; i++) {
        double size = recent[i] > 0 ? recent[i] : 1; // nothing has moved it yet
        double rounding = 500 * noise[i] * h / (1 + h * decay[i]);
        rounding = larger(rounding, passed * passed_on[i]);
        double atol = larger((size > most[i] ? first : part) * size, rounding);
        weight[i] = one / (rtol * fabs(x[i]) + (own > 0 ? own : atol));
    }
}

void sizes_weights(const Job *j, const double *x, double *weight) {
    bool implicit = sizes_implicit(j);
    Rule r = {.rtol = j->rtol,
              .own = j->o->atol,
              .first = sizes_part(j),
              .part = implicit ? larger(0.02 * j->rtol, least_part) : sizes_part(j),
              .passed = implicit ? 3 : 0,
              .one = implicit ? 1.5 : 1};
    weigh(j->n, &j->sizes, &r, x, weight);
}

void sizes_wide_weights(const Job *j, const double *x, double *weight) {
    const Sizes *s = &j->sizes;
    double part = sizes_part(j), rounding = 500 * DBL_EPSILON * s->step;
    for (int i = 0; i < j->n; i++) {
        double atol = with_own(j, larger(part * sizes_of(j, i), rounding * s->spread[i]));
        weight[i] = 1 / (j->rtol * fabs(x[i]) + atol);
    }
}

// An unknown that is zero but for rounding, as the velocity of a joint that sticks, is not known
// better than that.
void sizes_unknown_weights(const Job *j, const double *u, double *weight) {
    const Sizes *s = &j->sizes;
    for (int i = 0; i < s->unknown_count; i++) {
        double size = larger(larger(s->unknown_most[i], s->unknown_spread[i]), fabs(u[i]));
        double rounding = larger(100 * DBL_EPSILON * s->unknown_ever[i], 10 * s->unknown_noise[i]);
        double atol = with_own(j, larger(sizes_part(j) * (size > 0 ? size : 1), rounding));
        weight[i] = 1 / (j->rtol * fabs(u[i]) + atol);
    }
}

double sizes_quad_tolerance(const Job *j, int i) {
    const Sizes *s = &j->sizes;
    double size = larger(s->quad_most[i], s->quad_soon[i]);
    if (i < j->o->energy_count) size = larger(size, s->energy);
    double known = 0.1 * s->quad_noise[i] * j->span; // no better can it be known in the end
    return with_own(j, larger(sizes_part(j) * (size > 0 ? size : 1), known));
}
