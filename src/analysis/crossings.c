// Frequencies at which a loop L crosses the unit circle or the real axis, so that none lies unseen between two points of a grid:
//
//     |L(iw)| = 1        L(s) L(-s) - 1 is zero at s = iw
//     Im L(iw) = 0       L(s) - L(-s) is zero there
//
// Both are channels of 2 n states, with L(-s) = -c (s + A)^-1 b + d. Their zeros are no more than hints: what lies near the axis
// is looked at, and what lies between two of them. A discrete model is taken along z = (1 + q)/(1 - q), which maps the unit circle
// onto the axis, q = i tan(w T/2).
#include "analysis/crossings.h"

#include "analysis/zeros.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_STATES = 200 }; // the zeros of larger models would take longer than all else

// A - 1 -> (A + 1)^-1 (A - 1), b -> sqrt 2 (A + 1)^-1 b, c -> sqrt 2 c (A + 1)^-1, d -> d - c (A + 1)^-1 b
static bool make_continuous(Channel *x) {
    int n = x->n, columns = n + 1;
    size_t square = (size_t)n * (size_t)n;
    double *M = memory_zeroed(2 * square + 1, sizeof *M), *N = M + square;
    double *right = memory_zeroed(square + (size_t)n + 1, sizeof *right);
    double *c = memory_zeroed((size_t)n + 1, sizeof *c);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double a = x->A[(size_t)j * (size_t)n + (size_t)i];
            M[(size_t)j * (size_t)n + (size_t)i] = a + (i == j);
            N[(size_t)i * (size_t)n + (size_t)j] = a + (i == j); // transposed, for c
            right[(size_t)j * (size_t)n + (size_t)i] = a - (i == j);
        }
    for (int i = 0; i < n; i++) right[square + (size_t)i] = x->b[i], c[i] = x->c[i];
    bool good = dense_solve(n, M, columns, right) && dense_solve(n, N, 1, c);
    for (int i = 0; i < n && good; i++) x->d -= x->c[i] * right[square + (size_t)i];
    for (size_t k = 0; k < square && good; k++) x->A[k] = right[k];
    for (int i = 0; i < n && good; i++) {
        x->b[i] = sqrt(2) * right[square + (size_t)i];
        x->c[i] = sqrt(2) * c[i];
    }
    free(M);
    free(right);
    free(c);
    return good;
}

// diag(A, -A), with b below the lower part and the first row of outputs.
static void set_both(Channel *y, const Channel *x) {
    int n = x->n, all = 2 * n;
    channel_room(y, all);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double a = x->A[(size_t)j * (size_t)n + (size_t)i];
            y->A[(size_t)j * (size_t)all + (size_t)i] = a;
            y->A[(size_t)(n + j) * (size_t)all + (size_t)(n + i)] = -a;
        }
    for (int i = 0; i < n; i++) y->b[i] = x->b[i];
}

// The zeros of L(s) - L(-s).
static int where_real(const Channel *x, Complex *zero) {
    Channel y;
    int n = x->n;
    set_both(&y, x);
    for (int i = 0; i < n; i++) y.b[n + i] = x->b[i], y.c[i] = y.c[n + i] = x->c[i];
    y.d1 = 2 * x->d1;
    int count = zeros_of_channel(&y, zero);
    channel_close(&y);
    return count;
}

// The zeros of L(s) L(-s) - 1: L drives L(-s).
static int where_one(const Channel *x, Complex *zero) {
    Channel y;
    int n = x->n, all = 2 * n;
    if (x->d1 != 0) return 0;
    set_both(&y, x);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            y.A[(size_t)j * (size_t)all + (size_t)(n + i)] = x->b[i] * x->c[j];
    for (int i = 0; i < n; i++) {
        y.b[n + i] = x->b[i] * x->d;
        y.c[i] = x->d * x->c[i];
        y.c[n + i] = -x->c[i];
    }
    y.d = x->d * x->d - 1;
    int count = zeros_of_channel(&y, zero);
    channel_close(&y);
    return count;
}

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Frequencies of those near the axis, rising, and one between each two; w has room for 2 count + 1.
static int between(const LinearModel *l, const Complex *zero, int count, double *w) {
    int kept = 0;
    for (int k = 0; k < count; k++) {
        double middle = cimag(zero[k]);
        if (!(middle > 0) || fabs(creal(zero[k])) > 1e-2 * middle) continue;
        w[kept++] = l->period > 0 ? 2 / l->period * atan(middle) : middle;
    }
    if (kept) qsort(w, (size_t)kept, sizeof *w, rising);
    int all = kept;
    for (int k = 0; k + 1 < kept; k++) w[all++] = sqrt(w[k] * w[k + 1]);
    for (int k = 0; k<kept; k += kept> 1 ? kept - 1 : 1) w[all++] = w[k] * (k ? 1.001 : 0.999);
    if (kept == 1) w[all++] = w[0] * 1.001;
    return all;
}

int crossing_hints(const LinearModel *l, int input, int output, double **w) {
    Channel x;
    int count = 0, n = l->n;
    *w = memory_zeroed(12 * (size_t)n + 16, sizeof **w);
    if (n == 0 || n > MOST_STATES) return 0;
    Complex *zero = memory_zeroed(2 * (size_t)n + 2, sizeof *zero);
    channel_open(&x, l, input, output);
    if (!(l->period > 0) || make_continuous(&x)) {
        count += between(l, zero, where_real(&x, zero), *w);
        count += between(l, zero, where_one(&x, zero), *w + count);
    }
    channel_close(&x);
    free(zero);
    return count;
}
