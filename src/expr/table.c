// Reading tables: find the interval by halving, then a line or a cubic through it.
//
// Equal neighbours in x are a jump; the interval that is read is the one that begins at or before
// x, so at the jump itself the right-hand value counts.
#include "expr/table.h"

#include <math.h>

// The last i with x[i] <= x, for x[0] <= x < x[count-1].
static int interval(const Table *t, double x) {
    int low = 0, high = t->count - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (t->x[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Cubic Hermite: with h = x1 - x0 and s = (x - x0)/h,
//   y = (1 + 2s)(1 - s)^2 y0 + s^2(3 - 2s) y1 + h s(1 - s)^2 m0 + h s^2(s - 1) m1
double table_value(const Table *t, double x) {
    if (t->count == 0 || isnan(x)) return NAN;
    if (x < t->x[0]) return t->y[0];
    if (x >= t->x[t->count - 1]) return t->y[t->count - 1];
    int i = interval(t, x);
    double h = t->x[i + 1] - t->x[i], s = (x - t->x[i]) / h, r = 1 - s;
    if (!t->smooth) return t->y[i] + s * (t->y[i + 1] - t->y[i]);
    return (1 + 2 * s) * r * r * t->y[i] + s * s * (3 - 2 * s) * t->y[i + 1] +
           h * s * r * (r * t->slope[i] - s * t->slope[i + 1]);
}

// y' = 6s(1 - s)(y1 - y0)/h + (1 - s)(1 - 3s) m0 + s(3s - 2) m1
double table_slope(const Table *t, double x) {
    if (t->count == 0 || isnan(x)) return NAN;
    if (x < t->x[0] || x >= t->x[t->count - 1]) return 0;
    int i = interval(t, x);
    double h = t->x[i + 1] - t->x[i], mean = (t->y[i + 1] - t->y[i]) / h;
    if (!t->smooth) return mean;
    double s = (x - t->x[i]) / h, r = 1 - s;
    return 6 * s * r * mean + r * (1 - 3 * s) * t->slope[i] + s * (3 * s - 2) * t->slope[i + 1];
}

// A slope at an inner point between secants d0 and d1: 0 at a turning point, else their harmonic
// mean weighted by the lengths of the intervals (Fritsch and Butland), which keeps the cubic
// monotone.
static double inner_slope(double h0, double h1, double d0, double d1) {
    if (d0 * d1 <= 0) return 0;
    double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
    return (w0 + w1) / (w0 / d0 + w1 / d1);
}

// A slope at an end from the parabola through three points, held to the monotone region.
static double end_slope(double h0, double h1, double d0, double d1) {
    double m = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (m * d0 <= 0) return 0;
    if (d0 * d1 <= 0 && fabs(m) > 3 * fabs(d0)) return 3 * d0;
    return fabs(m) > 3 * fabs(d0) ? 3 * d0 : m;
}

void table_monotone_slopes(int count, const double *x, const double *y, double *slope) {
    if (count < 1) return;
    if (count < 3) {
        double m = count == 2 ? (y[1] - y[0]) / (x[1] - x[0]) : 0;
        for (int i = 0; i < count; i++) slope[i] = m;
        return;
    }
    double h0 = x[1] - x[0], d0 = (y[1] - y[0]) / h0;
    for (int i = 1; i + 1 < count; i++) {
        double h1 = x[i + 1] - x[i], d1 = (y[i + 1] - y[i]) / h1;
        if (i == 1) slope[0] = end_slope(h0, h1, d0, d1);
        slope[i] = inner_slope(h0, h1, d0, d1);
        if (i + 2 == count) slope[i + 1] = end_slope(h1, h0, d1, d0);
        h0 = h1;
        d0 = d1;
    }
}
