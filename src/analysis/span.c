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

typedef double OfPoles(int n, const Complex *pole);

// Of the poles at the start; 0: there are none to tell by.
static double from_start(const System *s, const RunOptions *o, OfPoles *of) {
    Report report = {0}; // what is wrong with the model the run itself will tell
    Reached at = {0};
    LinearPlan none = {0};
    double found = 0;
    if (s->state_count == 0 || s->state_count > MOST_STATES) return 0;
    if (linear_reach(&at, s, o, true, 0, &report)) {
        LinearModel *l = linear_model(&none, &at, &report);
        if (l && l->n) {
            Complex *pole = ARENA_ARRAY(&l->arena, Complex, l->n);
            if (dense_eigen(l->n, l->A, pole, NULL, NULL)) found = of(l->n, pole);
        }
        if (l) linear_model_free(l);
        reached_free(&at);
    }
    report_free(&report);
    return found > 0 && isfinite(found) ? found : 0;
}

double natural_span(const System *s, const RunOptions *o) {
    double span = from_start(s, o, span_of);
    return span > 0 ? rounded_up(span) : 0;
}

// --- steps ---------------------------------------------------------------------------------------

// The growth of a mode over a step of rk4: |1 + z + z^2/2 + z^3/6 + z^4/24|, z = h pole.
static double growth(Complex z) { return cabs(1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4)))); }

// The longest step over which no mode that decays grows; those that do not decay get a radian a step.
static double longest_step(int n, const Complex *pole) {
    double step = INFINITY;
    for (int i = 0; i < n; i++) {
        double size = cabs(pole[i]), h = 3 / size;
        if (!(size > 0)) continue;
        if (creal(pole[i]) > -1e-6 * size) h = 1 / size;
        while (creal(pole[i]) < 0 && growth(h * pole[i]) > 1 && h * size > 1e-3) h *= 0.98;
        step = fmin(step, h);
    }
    return step;
}

static double rounded_down(double step) {
    double power = pow(10, floor(log10(step)));
    return step >= 5 * power ? 5 * power : step >= 2 * power ? 2 * power : power;
}

double stable_step(const System *s, const RunOptions *o) {
    double step = from_start(s, o, longest_step) / 2; // poles move
    return step > 0 ? rounded_down(step) : 0;
}
