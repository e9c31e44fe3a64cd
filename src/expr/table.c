// Tables of one variable: the kernels of table.def, and slopes for smooth ones.
#include "expr/table.h"

#include <math.h>

#define KERNEL(...) __VA_ARGS__
#include "expr/table.def"
#undef KERNEL

static BondynTable as_kernel(const Table *t) {
    return (BondynTable){t->count, t->smooth, t->extrapolate, t->kink_count,
                         t->x,     t->y,      t->slope,       t->kink};
}

double table_value(const Table *t, double x) {
    BondynTable k = as_kernel(t);
    return bondyn_table(&k, x);
}

double table_slope(const Table *t, double x) {
    BondynTable k = as_kernel(t);
    return bondyn_slope(&k, x);
}

double table_bend(const Table *t, double x) {
    if (!t->smooth || t->count < 2 || !(x > t->x[0]) || !(x < t->x[t->count - 1])) return 0;
    int low = 0, high = t->count - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(t->x[middle] <= x ? &low : &high) = middle;
    }
    double h = t->x[high] - t->x[low], s = (x - t->x[low]) / h, rise = (t->y[high] - t->y[low]) / h;
    return ((6 - 12 * s) * rise + (6 * s - 4) * t->slope[low] + (6 * s - 2) * t->slope[high]) / h;
}

// --- pieces -------------------------------------------------------------------------------------

double table_value_in(const Table *t, int piece, double x) {
    BondynTable k = as_kernel(t);
    return bondyn_table_in(&k, piece, x);
}

double table_slope_in(const Table *t, int piece, double x) {
    BondynTable k = as_kernel(t);
    return bondyn_slope_in(&k, piece, x);
}

// How many kinks lie at or below x.
int table_piece(const Table *t, double x) {
    int low = 0, high = t->kink_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (t->x[t->kink[middle]] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double table_outside(const Table *t, int piece, double x) {
    double size = t->x[t->count - 1] - t->x[0], out = -size;
    if (piece > 0) out = t->x[t->kink[piece - 1]] - x;
    if (piece < t->kink_count) {
        double above = x - t->x[t->kink[piece]];
        out = piece > 0 && out > above ? out : above;
    }
    return isnan(x) ? NAN : out;
}

double table_next_kink(const Table *t, double x, bool up) {
    int piece = table_piece(t, x);
    if (up) return piece < t->kink_count ? t->x[t->kink[piece]] : INFINITY;
    if (piece > 0 && t->x[t->kink[piece - 1]] == x) piece--;
    return piece > 0 ? t->x[t->kink[piece - 1]] : -INFINITY;
}

// Rows in line with their neighbours are no kinks; at an end the slope jumps to that beyond.
int table_find_kinks(const Table *t, int *kink) {
    const double straight = 1e-9;
    int count = 0, last = t->count - 1;
    double largest = 0, before = 0;
    for (int i = 0; i < last; i++)
        largest = fmax(largest, fabs((t->y[i + 1] - t->y[i]) / (t->x[i + 1] - t->x[i])));
    for (int i = 0; i <= last; i++) {
        double slope = i == last   ? 0
                       : t->smooth ? t->slope[i]
                                   : (t->y[i + 1] - t->y[i]) / (t->x[i + 1] - t->x[i]);
        bool end = i == 0 || i == last;
        if (i == last && t->smooth) before = t->slope[last];
        bool jumps = end ? slope != before && !t->extrapolate
                         : !t->smooth && fabs(slope - before) > straight * largest;
        if (jumps) kink[count++] = i;
        before = slope;
    }
    return count;
}

// --- slopes of smooth tables --------------------------------------------------------------------

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
