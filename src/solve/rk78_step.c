// One step of the pair of order 8 and 7 for a single run, and how long the first one should be.
#include "solve/rk78.h"

#include "base/wide.h"

#include <math.h>
#include <string.h>

#define VALUE       double
#define KERNEL(...) __VA_ARGS__
#include "engine/rk78.def"
#undef KERNEL
#undef VALUE

static bool rates(Rk78 *k, double t, const double *y, double *rate) {
    return job_rates(k->j, t, y, rate, k->j->nq ? rate + k->j->n : NULL);
}

// One piece of straight-line code per stage: its coefficients are constants there.
WIDE static void point(const Rk78 *k, int s, double h, double *to) {
#define STAGE(s)                                                                                   \
    case s: bondyn_rk78_point(s, k->j->n, k->total, h, k->y, k->k, to); break
    switch (s) {
        STAGE(1);
        STAGE(2);
        STAGE(3);
        STAGE(4);
        STAGE(5);
        STAGE(6);
        STAGE(7);
        STAGE(8);
        STAGE(9);
        STAGE(10);
        STAGE(11);
        STAGE(12);
        STAGE(14);
        STAGE(15);
    default: break;
    }
#undef STAGE
}

static bool stages(Rk78 *k, int from, int end) {
    for (int s = from; s < end; s++) {
        point(k, s, k->step, k->trial);
        if (!rates(k, k->t + bondyn_rk78_node[s] * k->step, k->trial, k->k + s * k->total))
            return false;
    }
    return true;
}

WIDE static void arrive(const Rk78 *k) {
    bondyn_rk78_end(k->total, k->step, k->y, k->k, k->next, k->error);
}

bool rk78_attempt(Rk78 *k) {
    if (!k->begun && !rates(k, k->t, k->y, k->k)) return false;
    k->begun = true;
    if (!stages(k, 1, RK78_STAGES)) return false;
    arrive(k);
    return true;
}

// Of some of the states and quadratures, over the step of length `known`.
void rk78_polynomial(Rk78 *k, int first, int count) {
    bondyn_rk78_polynomial(count, k->total, k->known, k->y + first, k->next + first, k->k + first,
                           k->polynomial + first);
}

bool rk78_more(Rk78 *k) {
    if (!rates(k, k->end, k->next, k->k + RK78_STAGES * k->total)) return false;
    return stages(k, RK78_STAGES + 1, RK78_ALL_STAGES);
}

static double mean_square(const double *x, const double *weight, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += x[i] * weight[i] * (x[i] * weight[i]);
    return count ? sum / count : 0;
}

// As CVODE's: states by themselves, integrals by themselves, so that many integrals that are easy
// do not make light of the states.
double rk78_norm(const Rk78 *k, const double *x) {
    int n = k->j->n;
    double states = mean_square(x, k->weight, n);
    double integrals = mean_square(x + n, k->weight + n, k->j->nq);
    return sqrt(integrals > states ? integrals : states);
}

// How long rates f keep: a step of Euler's method that changes y by a hundredth tells f', and with
// it
//
//     T = min(|f|/|f'|, sqrt(|y|/|f'|))       h = T (1/(100 max(|y|, |f| T)))^(1/8)
//
// for an error of order 8 of y, or of its change, that is a hundredth of the tolerance.
static double length_by(double size, double slope, double bend, double h) {
    if (!(bend > 0)) return 100 * h;
    double scale = size > 0 ? sqrt(size / bend) : slope > 0 ? slope / bend : h;
    if (slope > 0) scale = fmin(scale, slope / bend);
    double most = fmax(size, slope * scale);
    return fmin(100 * h, scale * fmin(1, pow(100 * most, -1.0 / 8)));
}

double rk78_first_step(Rk78 *k) {
    const double small = 1e-5;
    if (!k->begun && !rates(k, k->t, k->y, k->k)) return 0;
    k->begun = true;
    double size = rk78_norm(k, k->y), slope = rk78_norm(k, k->k);
    double h = size < small || slope < small ? 1e-6 * k->j->span : 0.01 * size / slope;
    h = fmin(h, k->target - k->t);
    for (int i = 0; i < k->total; i++) k->trial[i] = k->y[i] + h * k->k[i];
    if (!rates(k, k->t + h, k->trial, k->rate)) return h;
    for (int i = 0; i < k->total; i++) k->trial[i] = k->rate[i] - k->k[i];
    // no shorter than what rounding makes of the time
    double least = fmax(1000 * events_margin(k->j, k->t), k->j->o->min_step);
    return fmax(least, length_by(size, slope, rk78_norm(k, k->trial) / h, h));
}
