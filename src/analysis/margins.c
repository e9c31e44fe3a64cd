// Margins of a loop L that is closed by negative feedback: all crossings, found between the points
// of a grid and bisected.
//
//     gain margin    1/|L| where L is real and negative
//     phase margin   180 degrees + arg L where |L| = 1; the delay that it bears is that, from 0 to
//                    360 degrees, by w
#include "analysis/poles.h"
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

// At a zero or a pole on the axis L goes through 0 or infinity: that is no margin.
static void take_gain(Crossings *list, Responder *x, double w) {
    Complex at = response_at(x, w);
    bool sure = response_rounding(x) < 1e-6 * cabs(at);
    double size = cabs(at), beside = cabs(response_at(x, 1.01 * w));
    if (creal(at) < 0 && isfinite(size) && size > 1e-8 * beside && size < 1e8 * beside && sure)
        array_push(list, ((Crossing){w, 1 / size, 0}));
}

static void take_phase(Crossings *list, Responder *x, double w) {
    double pi = acos(-1), over = wrapped(carg(response_at(x, w)) + pi);
    array_push(list, ((Crossing){w, over > pi ? over - 2 * pi : over, over / w}));
}

typedef void Take(Crossings *list, Responder *x, double w);

// A response that runs along the boundary of stability, but for rounding (a closed loop of gain 1 at low
// frequencies), crosses it only where it leaves to the other side.
static void find_crossings(Crossings *list, Responder *x, Distance *f, Take *take, const double *w,
                           const Complex *value, const double *rounding, int count) {
    double before = 0;
    for (int i = 0, last = -1; i < count; i++) {
        double here = f(value[i]);
        if (!(fabs(here) > fmax(1e-10, rounding[i] / cabs(value[i])))) continue;
        if (last >= 0 && (before < 0) != (here < 0)) take(list, x, bisect(x, f, w[last], w[i]));
        before = here;
        last = i;
    }
}

// The largest |1/(1 + L)| between two frequencies, by golden section.
static void look_for_peak(Margins *m, Responder *x, double low, double high) {
    const double part = 0.381966011250105;
    for (int k = 0; k < 80 && high > low; k++) {
        double a = low + part * (high - low), b = high - part * (high - low);
        if (cabs(1 + response_at(x, a)) < cabs(1 + response_at(x, b)))
            high = b;
        else
            low = a;
    }
    double w = 0.5 * (low + high), peak = 1 / cabs(1 + response_at(x, w));
    if (peak > m->peak) m->peak = peak, m->peak_w = w;
}

// Beside every point that is higher than its neighbours and not far below the highest.
static void find_peak(Margins *m, Responder *x, const double *w, const Complex *value, int count) {
    double *height = memory_zeroed((size_t)count + 1, sizeof *height), most = 0;
    for (int i = 0; i < count; i++) {
        height[i] = isfinite(cabs(value[i])) ? 1 / cabs(1 + value[i]) : 0;
        most = fmax(most, height[i]);
    }
    for (int i = 0; i < count; i++) {
        int before = i > 0 ? i - 1 : i, after = i + 1 < count ? i + 1 : i;
        if (height[i] < 0.5 * most || height[i] < height[before] || height[i] < height[after])
            continue;
        if (height[i] > m->peak) m->peak = height[i], m->peak_w = w[i];
        look_for_peak(m, x, w[before], w[after]);
    }
    free(height);
}

// At the ends of all frequencies, which no grid reaches.
static void find_ends(Margins *m, const LinearModel *l, int input, int output, Responder *x) {
    double d1 = l->D1 ? l->D1[input * l->p + output] : 0;
    double still = 1 / cabs(1 + response_at(x, 0));
    double fast = l->period > 0 || d1 != 0 ? 0 : 1 / fabs(1 + l->D[input * l->p + output]);
    if (still > m->peak) m->peak = still, m->peak_w = 0;
    if (fast > m->peak) m->peak = fast, m->peak_w = INFINITY;
    if (m->peak > 1e10) m->peak = INFINITY; // but for rounding
}

static bool is_real(const Complex *value, const double *rounding, int count) {
    bool real = count > 0;
    for (int i = 0; i < count && real; i++)
        real = !(fabs(cimag(value[i])) > fmax(1e-10 * cabs(value[i]), rounding[i]));
    return real;
}

static int unstable_poles(const LinearModel *l, int input, int output) {
    Complex *pole = memory_zeroed((size_t)l->n + 1, sizeof *pole);
    int count = closed_loop_poles(l, input, output, pole);
    if (count >= 0) count = unstable_among(l, pole, count);
    free(pole);
    return count;
}

// Two at the same place but for rounding are none: a response whose pole and zero cancel on the axis is noise there.
static void leave_out_noise(Crossings *list) {
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        bool same =
            kept && fabs(list->data[i].w - list->data[kept - 1].w) <= 1e-8 * list->data[i].w;
        if (same)
            kept--;
        else
            list->data[kept++] = list->data[i];
    }
    list->count = kept;
}

static void keep(Crossings *from, Crossing **to, int *count) {
    leave_out_noise(from);
    *to = memory_zeroed((size_t)from->count + 1, sizeof **to);
    *count = from->count;
    if (from->count) memcpy(*to, from->data, (size_t)from->count * sizeof **to);
    array_free(from);
}

Margins margins_of(const LinearModel *l, int input, int output, Responder *x, const double *w,
                   const Complex *value, const double *rounding, int count) {
    Margins m = {.unstable = unstable_poles(l, input, output)};
    Crossings gain = {0}, phase = {0};
    Complex still = response_at(x, 0);
    if (isfinite(creal(still)) && cimag(still) == 0) take_gain(&gain, x, 0);
    if (l->period > 0) take_gain(&gain, x, nyquist_of(l)); // real there, too
    find_crossings(&phase, x, of_gain, take_phase, w, value, rounding, count);
    find_crossings(&gain, x, of_axis, take_gain, w, value, rounding, count);
    find_peak(&m, x, w, value, count);
    find_ends(&m, l, input, output, x);
    m.real = is_real(value, rounding, count);
    keep(&gain, &m.gain, &m.gain_count);
    keep(&phase, &m.phase, &m.phase_count);
    return m;
}

void margins_free(Margins *m) {
    free(m->gain);
    free(m->phase);
    *m = (Margins){0};
}
