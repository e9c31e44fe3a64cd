// Tables of one variable: the kernels of table.def, and slopes for smooth ones.
#include "expr/table.h"

#include <math.h>

#define KERNEL(...) __VA_ARGS__
#include "expr/table.def"
#undef KERNEL

static BondynTable as_kernel(const Table *t) {
    return (BondynTable){t->count, t->smooth, t->extrapolate, t->x, t->y, t->slope};
}

double table_value(const Table *t, double x) {
    BondynTable k = as_kernel(t);
    return bondyn_table(&k, x);
}

double table_slope(const Table *t, double x) {
    BondynTable k = as_kernel(t);
    return bondyn_slope(&k, x);
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
