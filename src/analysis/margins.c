// Margins of a loop L that is closed by negative feedback: all crossings, found between the points
// of a grid and bisected.
//
//     gain margin    1/|L| where L is real and negative
//     phase margin   180 degrees + arg L where |L| = 1; the delay that it bears is that, from 0 to
//                    360 degrees, by w
#include "analysis/response.h"

#include "base/array.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

typedef double Distance(Complex x);

static double of_gain(Complex x) { return log(cabs(x)); }
static double of_axis(Complex x) { return cimag(x) / cabs(x); }

static double bisect(Responder *x, Distance *f, double low, double high) {
    bool below = f(response_at(x, low)) < 0;
    for (int k = 0; k < 100; k++) {
        double middle = low > 0 ? sqrt(low * high) : 0.5 * (low + high);
        if (!(middle > low && middle < high)) break;
        if ((f(response_at(x, middle)) < 0) == below)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

static double wrapped(double angle) {
    double turn = 2 * acos(-1);
    return angle - turn * floor(angle / turn); // 0 up to a turn
}

typedef ARRAY(Crossing) Crossings;

static void take_gain(Crossings *list, Responder *x, double w) {
    Complex at = response_at(x, w);
    if (creal(at) < 0 && isfinite(creal(at))) array_push(list, ((Crossing){w, 1 / cabs(at), 0}));
}

static void take_phase(Crossings *list, Responder *x, double w) {
    double pi = acos(-1), over = wrapped(carg(response_at(x, w)) + pi);
    array_push(list, ((Crossing){w, over > pi ? over - 2 * pi : over, over / w}));
}

typedef void Take(Crossings *list, Responder *x, double w);

// A response that runs along the border, but for rounding (a closed loop of gain 1 at low
// frequencies), crosses it only where it leaves to the other side.
static void find_crossings(Crossings *list, Responder *x, Distance *f, Take *take, const double *w,
                           const Complex *value, int count) {
    const double rounding = 1e-10;
    double before = 0;
    for (int i = 0, last = -1; i < count; i++) {
        double here = f(value[i]);
        if (!(fabs(here) > rounding)) continue;
        if (last >= 0 && (before < 0) != (here < 0)) take(list, x, bisect(x, f, w[last], w[i]));
        before = here;
        last = i;
    }
}

// The largest |1/(1 + L)| beside a point of the grid, by golden section.
static void find_peak(Margins *m, Responder *x, const double *w, const Complex *value, int count) {
    int best = -1;
    for (int i = 0; i < count; i++)
        if (isfinite(cabs(value[i])) && (best < 0 || cabs(1 + value[i]) < cabs(1 + value[best])))
            best = i;
    if (best < 0) return;
    double low = w[best > 0 ? best - 1 : best], high = w[best + 1 < count ? best + 1 : best];
    const double part = 0.381966011250105;
    for (int k = 0; k < 80 && high > low; k++) {
        double a = low + part * (high - low), b = high - part * (high - low);
        if (cabs(1 + response_at(x, a)) < cabs(1 + response_at(x, b)))
            high = b;
        else
            low = a;
    }
    m->peak_w = 0.5 * (low + high);
    m->peak = 1 / cabs(1 + response_at(x, m->peak_w));
}

// Poles of the closed loop: A - B C/(1 + D), where no rate of the input enters.
static int unstable_poles(const LinearModel *l, int input, int output) {
    int n = l->n, count = 0;
    double d = 1 + l->D[input * l->p + output];
    if (l->B1 || d == 0) return -1;
    double *A = memory_zeroed((size_t)n * (size_t)n + 1, sizeof *A);
    Complex *pole = memory_zeroed((size_t)n + 1, sizeof *pole);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            A[(size_t)j * (size_t)n + (size_t)i] =
                l->A[(size_t)j * (size_t)n + (size_t)i] -
                l->B[(size_t)input * (size_t)n + (size_t)i] *
                    l->C[(size_t)j * (size_t)l->p + (size_t)output] / d;
    bool good = dense_eigen(n, A, pole, NULL, NULL);
    if (good) count = unstable_among(l, pole, n);
    free(A);
    free(pole);
    return good ? count : -1;
}

static void keep(Crossings *from, Crossing **to, int *count) {
    *to = memory_zeroed((size_t)from->count + 1, sizeof **to);
    *count = from->count;
    if (from->count) memcpy(*to, from->data, (size_t)from->count * sizeof **to);
    array_free(from);
}

Margins margins_of(const LinearModel *l, int input, int output, Responder *x, const double *w,
                   const Complex *value, int count) {
    Margins m = {.unstable = unstable_poles(l, input, output)};
    Crossings gain = {0}, phase = {0};
    Complex still = response_at(x, 0);
    if (isfinite(creal(still)) && cimag(still) == 0) take_gain(&gain, x, 0);
    if (l->period > 0) take_gain(&gain, x, nyquist_of(l)); // real there, too
    find_crossings(&phase, x, of_gain, take_phase, w, value, count);
    find_crossings(&gain, x, of_axis, take_gain, w, value, count);
    find_peak(&m, x, w, value, count);
    keep(&gain, &m.gain, &m.gain_count);
    keep(&phase, &m.phase, &m.phase_count);
    return m;
}

void margins_free(Margins *m) {
    free(m->gain);
    free(m->phase);
    *m = (Margins){0};
}
