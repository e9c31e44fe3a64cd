// Tolerances by the sizes of states: the rule and its reasons stand in sizes.c.
#include "solve/job.h"

#include "base/numbers.h"
#include <float.h>
#include <math.h>

static const double least_part = 1e-14; // of a size that a tolerance can be

bool sizes_implicit(const Job *j) {
    return j->stats->method == SOLVER_CVODE_BDF || j->stats->method == SOLVER_IDA;
}

double sizes_part(const Job *j) { return larger(1e-3 * j->rtol, least_part); }

static double with_own(const Job *j, double by_size) {
    return j->o->atol > 0 ? j->o->atol : by_size;
}

void sizes_weights(const Job *j, const double *x, double *weight) {
    const Sizes *s = &j->sizes;
    bool implicit = sizes_implicit(j);
    double first = sizes_part(j), part = implicit ? larger(0.02 * j->rtol, least_part) : first;
    double h = s->step, passed = implicit ? 3 : 0, one = implicit ? 1.5 : 1;
    for (int i = 0; i < j->n; i++) {
        double size = s->recent[i] > 0 ? s->recent[i] : 1; // nothing has moved it yet
        double rounding = 500 * s->noise[i] * h / (1 + h * s->decay[i]);
        rounding = larger(rounding, passed * s->passed_on[i]);
        double atol = larger((size > s->most[i] ? first : part) * size, rounding);
        weight[i] = one / (j->rtol * fabs(x[i]) + with_own(j, atol));
    }
}

void sizes_wide_weights(const Job *j, const double *x, double *weight) {
    const Sizes *s = &j->sizes;
    double part = sizes_part(j), rounding = 500 * DBL_EPSILON * s->step;
    for (int i = 0; i < j->n; i++) {
        double atol = with_own(j, larger(part * sizes_of(j, i), rounding * s->spread[i]));
        weight[i] = 1 / (j->rtol * fabs(x[i]) + atol);
    }
}

void sizes_unknown_weights(const Job *j, const double *u, double *weight) {
    const Sizes *s = &j->sizes;
    for (int i = 0; i < s->unknown_count; i++) {
        double size = larger(larger(s->unknown_most[i], s->unknown_spread[i]), fabs(u[i]));
        double atol = with_own(j, sizes_part(j) * (size > 0 ? size : 1));
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
