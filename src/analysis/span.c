// The span of a run from the time scales of the model itself, by its poles at the start:
//
//     a pole that decays or grows    5 time constants, but of one that swings at most 20 periods
//     the span                       the longest of them, but at most 2000 periods of the fastest pole that swings
//                                    with little damping: somebody has to wait for it
//     rounded up                     to 1, 2 or 5 times a power of ten
//
// Poles at zero (a position without a spring) tell nothing. Large models are not looked at: their poles would take longer than a run.
#include "analysis/span.h"

#include "analysis/dense.h"
#include "analysis/linear.h"
#include <complex.h>
#include <math.h>

enum { MOST_STATES = 300, CONSTANTS = 5, PERIODS = 20, MOST_PERIODS = 2000 };

static double rounded_up(double span) {
    double power = pow(10, floor(log10(span)));
    for (int i = 0; i < 3; i++) {
        double round = (double[]){1, 2, 5}[i] * power;
        if (round >= span * (1 - 1e-6)) return round;
    }
    return 10 * power;
}

static double span_of(int n, const Complex *pole) {
    double fastest = 0, span = 0, most = INFINITY;
    for (int i = 0; i < n; i++) fastest = fmax(fastest, cabs(pole[i]));
    for (int i = 0; i < n; i++) {
        double size = cabs(pole[i]), real = fabs(creal(pole[i])), swing = fabs(cimag(pole[i]));
        if (!(size > 1e-12 * fastest)) continue;
        double constants = real > 1e-9 * size ? CONSTANTS / real : INFINITY;
        double periods = swing > 0 ? PERIODS * 2 * M_PI / swing : INFINITY;
        span = fmax(span, fmin(constants, periods));
        if (real < 0.1 * size) most = fmin(most, MOST_PERIODS * 2 * M_PI / swing);
    }
    return fmin(span, most);
}

double natural_span(const System *s, const RunOptions *o) {
    Report report = {0}; // what is wrong with the model the run itself will tell
    Reached at = {0};
    LinearPlan none = {0};
    double span = 0;
    if (s->state_count == 0 || s->state_count > MOST_STATES) return 0;
    if (linear_reach(&at, s, o, true, 0, &report)) {
        LinearModel *l = linear_model(&none, &at, &report);
        if (l && l->n) {
            Complex *pole = ARENA_ARRAY(&l->arena, Complex, l->n);
            if (dense_eigen(l->n, l->A, pole, NULL, NULL)) span = span_of(l->n, pole);
        }
        if (l) linear_model_free(l);
        reached_free(&at);
    }
    report_free(&report);
    return span > 0 && isfinite(span) ? rounded_up(span) : 0;
}
