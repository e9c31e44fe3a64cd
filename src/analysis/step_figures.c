// Overshoot, rise and settling time of the answer to a step, however far apart the modes are. The motion is followed by
// steps that begin far below the fastest mode and grow with the time that has passed (P is squared: exp(2 M) = exp(M)^2),
// but stay below what shows the fastest swing; between two points the answer is the cubic with its values and slopes.
#include "analysis/time_response.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

enum { OF_LEVEL = 64 }; // steps of a width before it is doubled

typedef struct {
    double time, value, rate; // value and rate in parts of the last value
} Seen;

typedef struct { // a cubic between two points
    Seen from, to;
} Piece;

static double at_part(const Piece *p, double s) {
    double h = p->to.time - p->from.time, a = 1 - s;
    return a * a * ((1 + 2 * s) * p->from.value + s * h * p->from.rate) +
           s * s * ((3 - 2 * s) * p->to.value - a * h * p->to.rate);
}

// The time at which it crosses a level that its ends lie on both sides of.
static double crossed_at(const Piece *p, double level) {
    double low = 0, high = 1;
    bool below = p->from.value < level;
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        if ((at_part(p, middle) < level) == below)
            low = middle;
        else
            high = middle;
    }
    return p->from.time + low * (p->to.time - p->from.time);
}

static double most_of(const Piece *p) {
    double low = 0, high = 1;
    if (!(p->from.rate > 0 && p->to.rate < 0)) return fmax(p->from.value, p->to.value);
    for (int k = 0; k < 60; k++) { // the rate has one zero in between
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (at_part(p, a) < at_part(p, b))
            low = a;
        else
            high = b;
    }
    return at_part(p, low);
}

// --- the march -----------------------------------------------------------------------------------

typedef struct {
    const TimeResponse *t;
    double t10, t90, settled, most, last_value;
} Figures;

static bool crosses(const Piece *p, double level) {
    return (p->from.value < level) != (p->to.value < level);
}

static void look(Figures *f, const Piece *p) {
    if (isnan(f->t10) && crosses(p, 0.1)) f->t10 = crossed_at(p, 0.1);
    if (isnan(f->t90) && crosses(p, 0.9)) f->t90 = crossed_at(p, 0.9);
    f->most = fmax(f->most, most_of(p));
    if (crosses(p, 0.98)) f->settled = fmax(f->settled, crossed_at(p, 0.98));
    if (crosses(p, 1.02)) f->settled = fmax(f->settled, crossed_at(p, 1.02));
    f->last_value = p->to.value;
}

static Seen see(const LinearModel *l, const TimeResponse *t, double time, const double *x) {
    Seen s = {time, l->Dz[t->input * l->p + t->output] * x[l->n], 0};
    for (int j = 0; j < l->n; j++) {
        double rate = l->Bz[t->input * l->n + j] * x[l->n];
        for (int k = 0; k < l->n; k++) rate += l->A[k * l->n + j] * x[k];
        s.value += l->C[j * l->p + t->output] * x[j];
        s.rate += l->C[j * l->p + t->output] * rate;
    }
    s.value /= t->last;
    s.rate /= t->last;
    return s;
}

static void square(int n, double *P, double *work) {
    dense_multiply(n, n, n, P, P, work); // both row by row: (P' P')' = P P
    memcpy(P, work, (size_t)n * (size_t)n * sizeof *P);
}

typedef struct {
    double first, most, span; // the first and the longest step; the end
} Widths;

// The fastest mode, and the fastest that swings before it has died away.
static Widths widths(const LinearModel *l, int output, double span) {
    Complex *pole = memory_zeroed((size_t)l->n + 1, sizeof *pole);
    double fastest = 1 / span, swing = 1 / span;
    for (int i = 0, n = seen_poles(l, output, pole); i < n; i++) {
        fastest = fmax(fastest, cabs(pole[i]));
        if (fabs(cimag(pole[i])) > 0.3 * fabs(creal(pole[i])))
            swing = fmax(swing, fabs(cimag(pole[i])));
    }
    free(pole);
    double steps = 2e8 / ((l->n + 1.0) * (l->n + 1.0)); // work that it may be
    return (Widths){0.05 / fastest, fmax(0.2 / swing, span / steps), span};
}

static void march(const LinearModel *l, Figures *f, Widths w, double *P, double *x, double *work) {
    int n = l->n + 1;
    double h = w.first, time = 0;
    Seen before = see(l, f->t, 0, x);
    f->most = before.value;
    for (long i = 1; time < w.span; i++) {
        for (int a = 0; a < n; a++) {
            work[a] = 0;
            for (int b = 0; b < n; b++) work[a] += P[a * n + b] * x[b];
        }
        memcpy(x, work, (size_t)n * sizeof *x);
        time += h;
        Piece p = {before, see(l, f->t, time, x)};
        look(f, &p);
        before = p.to;
        if (i < OF_LEVEL || 2 * h > w.most || time < OF_LEVEL * h) continue;
        square(n, P, work);
        h *= 2;
    }
}

void step_figures(const LinearModel *l, TimeResponse *t) {
    size_t n = (size_t)l->n + 1;
    t->overshoot = t->rise = t->settle = NAN;
    if (!isfinite(t->last) || t->last == 0) return;
    double *P = memory_zeroed(n * n, sizeof *P), *work = memory_zeroed(n * n, sizeof *work);
    double *x = memory_zeroed(n, sizeof *x);
    Figures f = {.t = t, .t10 = NAN, .t90 = NAN};
    Widths w = widths(l, t->output, t->time[t->count - 1]);
    x[n - 1] = 1;
    if (time_propagator(l, t->input, w.first, P)) {
        march(l, &f, w, P, x, work);
        t->overshoot = fmax(0, f.most - 1);
        t->rise = f.t90 - f.t10;
        t->settle = fabs(f.last_value - 1) <= 0.02 ? f.settled : (double)NAN;
    }
    free(P);
    free(work);
    free(x);
}
