// See extreme.h.
#include "results/extreme.h"

#include <math.h>
#include <string.h>

// A value that may be the largest: number `place` of the last five.
static void consider(Extreme *e, int place) {
    double y = e->last.y[place];
    if (e->count > 1 && !(e->sign * y > e->sign * e->best)) return;
    e->best = y;
    e->around = e->last;
    e->inner = place == 2;
}

void extreme_take(Extreme *e, const Window *around, int place) {
    e->best = around->y[place];
    e->around = *around;
    e->inner = place == 2;
}

// The middle one of five has neighbours enough; the first two of all never will.
void extreme_point(Extreme *e, double time, double y) {
    Window *w = &e->last;
    for (int i = 0; i < 4; i++) { // faster than two calls for so little
        w->time[i] = w->time[i + 1];
        w->y[i] = w->y[i + 1];
    }
    w->time[4] = time;
    w->y[4] = y;
    if (isnan(y)) e->broken = true;
    e->count++;
    if (e->count <= 2)
        consider(e, 4);
    else if (e->count >= 5)
        consider(e, 2);
}

// Half the second derivative at point i.
static double bend(const Window *w, int i) {
    const double *t = w->time, *y = w->y;
    double right = (y[i + 1] - y[i]) / (t[i + 1] - t[i]);
    double left = (y[i] - y[i - 1]) / (t[i] - t[i - 1]);
    return (right - left) / (t[i + 1] - t[i - 1]);
}

// Smooth around the middle: the curve bends the same way, and about as much, on both sides.
static bool is_smooth(const Window *w) {
    double left = bend(w, 1), middle = bend(w, 2), right = bend(w, 3);
    return left / middle > 1.0 / 3 && left / middle < 3 && right / middle > 1.0 / 3 &&
           right / middle < 3;
}

// Newton's polynomial through five points: c0 + (x-x0)(c1 + (x-x1)(c2 + ...)).
static double polynomial(const double *c, const double *t, double x) {
    double value = c[4];
    for (int k = 3; k >= 0; k--) value = c[k] + (x - t[k]) * value;
    return value;
}

// Largest value of sign*polynomial around the middle one of five points, by golden section; *where
// it is.
static double peak(const double *t, const double *y, double sign, double *where) {
    double c[5] = {y[0], y[1], y[2], y[3], y[4]};
    for (int k = 1; k < 5; k++)
        for (int i = 4; i >= k; i--) c[i] = (c[i] - c[i - 1]) / (t[i] - t[i - k]);
    const double golden = 0.61803398874989485;
    double low = t[1], high = t[3];
    for (int i = 0; i < 60; i++) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        if (sign * polynomial(c, t, a) > sign * polynomial(c, t, b))
            high = b;
        else
            low = a;
    }
    *where = (low + high) / 2;
    double found = polynomial(c, t, *where);
    if (sign * found > sign * y[2]) return found;
    *where = t[2];
    return y[2];
}

static void consider_last(Extreme *e) {
    for (long i = e->count - 2 < 2 ? 2 : e->count - 2; i < e->count; i++)
        consider(e, (int)(5 - (e->count - i)));
}

void extreme_event(Extreme *e, double time, double before, double after) {
    for (int i = 0; i < 2; i++) {
        double y = i ? after : before;
        if (!isfinite(y) || (e->event && !(e->sign * y > e->sign * e->side))) continue;
        e->event = true;
        e->side = y;
        e->moment = time;
    }
}

static double best_point(Extreme *e) {
    double where;
    consider_last(e);
    if (!e->inner || !is_smooth(&e->around)) return e->best;
    return peak(e->around.time, e->around.y, e->sign, &where);
}

// Where it is more than rounding makes of the same.
bool extreme_at_event(Extreme *e) {
    if (e->broken || e->count == 0 || !e->event) return false;
    double best = best_point(e);
    return e->sign * (e->side - best) > 1e-12 * fabs(best);
}

double extreme_value(Extreme *e) {
    if (e->broken || e->count == 0) return NAN;
    return extreme_at_event(e) ? e->side : best_point(e);
}

// At a peak its place does not matter, to first order: what is left are Lagrange's polynomials
// there.
static void lagrange(const double *t, double x, double *part) {
    for (int i = 0; i < 5; i++) {
        part[i] = 1;
        for (int k = 0; k < 5; k++)
            if (k != i) part[i] *= (x - t[k]) / (t[i] - t[k]);
    }
}

int extreme_parts(Extreme *e, double time[5], double part[5]) {
    double where;
    if (e->broken || e->count == 0) return 0;
    consider_last(e);
    const Window *w = &e->around;
    if (e->inner && is_smooth(w)) {
        peak(w->time, w->y, e->sign, &where);
        memcpy(time, w->time, sizeof w->time);
        lagrange(w->time, where, part);
        return 5;
    }
    for (int i = 4; i >= 0; i--) // the last of them that has the value
        if (w->y[i] == e->best) {
            time[0] = w->time[i];
            part[0] = 1;
            return 1;
        }
    return 0;
}

bool extreme_is_narrow(Extreme *e, Extreme *inside, double slack) {
    double most = extreme_value(e), narrow = extreme_value(inside);
    return e->sign * (narrow - most) > slack * fmax(fabs(most), fabs(narrow));
}
