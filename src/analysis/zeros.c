// Zeros of one channel. With the relative degree r, the first r with c A^(r-1) b != 0, the feedback
//
//     u = -(c A^(r-1) b)^-1 c A^r x        keeps y = 0 on   V = { x: c x = c A x = ... = 0 }
//
// and the motion on V, of dimension n - r, has the zeros as its poles. So zeros at infinity, which
// make the pencil of the system ill-conditioned, never enter. Whether c A^k b is zero is judged by
// what its terms amount to without their signs.
#include "analysis/poles.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

static const double NOTHING = 1e-14;

typedef struct { // one channel in balanced states
    int n;
    double *A, *b, *c, d;
} Channel;

// Where u' enters, x = z + B1 u makes it B + A B1 and D + C B1.
static bool channel_open(Channel *x, const LinearModel *l, int input, int output) {
    int n = x->n = l->n;
    double *scale = memory_zeroed((size_t)n + 1, sizeof *scale);
    x->A = memory_zeroed((size_t)n * (size_t)n + 1, sizeof(double));
    x->b = memory_zeroed((size_t)n + 1, sizeof(double));
    x->c = memory_zeroed((size_t)n + 1, sizeof(double));
    dense_balance(n, l->A, scale);
    const double *B1 = l->B1 ? l->B1 + (size_t)input * (size_t)n : NULL;
    x->d = l->D[input * l->p + output];
    for (int i = 0; i < n; i++) {
        double b = l->B[(size_t)input * (size_t)n + (size_t)i];
        for (int k = 0; k < n && B1; k++) b += l->A[(size_t)k * (size_t)n + (size_t)i] * B1[k];
        x->b[i] = b / scale[i];
        x->c[i] = l->C[(size_t)i * (size_t)l->p + (size_t)output] * scale[i];
        if (B1) x->d += l->C[(size_t)i * (size_t)l->p + (size_t)output] * B1[i];
        for (int j = 0; j < n; j++)
            x->A[(size_t)j * (size_t)n + (size_t)i] =
                l->A[(size_t)j * (size_t)n + (size_t)i] * scale[j] / scale[i];
    }
    free(scale);
    return !l->D1 || l->D1[input * l->p + output] == 0;
}

static void channel_close(Channel *x) {
    free(x->A);
    free(x->b);
    free(x->c);
}

// row <- row A, and the same without signs; the row is kept at length 1.
static void next_row(const Channel *x, double *row, double *sum) {
    double *next = memory_zeroed(2 * (size_t)x->n, sizeof *next), *total = next + x->n, most = 0;
    for (int j = 0; j < x->n; j++)
        for (int i = 0; i < x->n; i++) {
            double a = x->A[(size_t)j * (size_t)x->n + (size_t)i];
            next[j] += row[i] * a;
            total[j] += sum[i] * fabs(a);
        }
    for (int j = 0; j < x->n; j++) most = fmax(most, total[j]);
    for (int j = 0; j < x->n; j++) {
        row[j] = most > 0 ? next[j] / most : 0;
        sum[j] = most > 0 ? total[j] / most : 0;
    }
    free(next);
}

// The zeros as poles of the motion on V; rows: r by n, c A^k; next: c A^r, by the same factor as the
// last row's product with A.
static int motion_on_kernel(const Channel *x, int r, const double *rows, const double *last,
                            double lead, Complex *zero) {
    int n = x->n, left = n - r;
    size_t square = (size_t)n * (size_t)n + 1;
    double *Z = memory_zeroed(square, sizeof *Z), *N = memory_zeroed(square, sizeof *N);
    double *T = memory_zeroed(square, sizeof *T), *M = memory_zeroed(square, sizeof *M);
    memcpy(Z, x->A, (square - 1) * sizeof *Z);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            Z[(size_t)j * (size_t)n + (size_t)i] -= x->b[i] * last[j] / lead;
    bool good = true;
    if (r)
        good = dense_kernel(r, n, rows, N);
    else
        for (int i = 0; i < n; i++) N[(size_t)i * (size_t)n + (size_t)i] = 1;
    dense_multiply(n, n, left, Z, N, T);
    for (int j = 0; j < left; j++)
        for (int i = 0; i < left; i++)
            for (int k = 0; k < n; k++)
                M[(size_t)j * (size_t)left + (size_t)i] +=
                    N[(size_t)i * (size_t)n + (size_t)k] * T[(size_t)j * (size_t)n + (size_t)k];
    good = good && dense_eigen(left, M, zero, NULL, NULL);
    free(Z);
    free(N);
    free(T);
    free(M);
    return good ? left : -1;
}

// c A^k b for k = 0, 1 ... until one is not zero; rows by n, column by column, are kept.
static int find_zeros(const Channel *x, Complex *zero) {
    int n = x->n, count = -1;
    if (x->d != 0) return motion_on_kernel(x, 0, NULL, x->c, x->d, zero);
    double *row = memory_zeroed((size_t)n + 1, sizeof *row),
           *sum = memory_zeroed((size_t)n + 1, sizeof *sum);
    double *kept = memory_zeroed((size_t)n * (size_t)n + 1, sizeof *kept);
    double *rows = memory_zeroed((size_t)n * (size_t)n + 1, sizeof *rows);
    for (int i = 0; i < n; i++) sum[i] = fabs(row[i] = x->c[i]);
    for (int r = 1; r <= n; r++) {
        memcpy(kept + (size_t)(r - 1) * (size_t)n, row, (size_t)n * sizeof *row);
        double lead = 0, terms = 0;
        for (int i = 0; i < n; i++) lead += row[i] * x->b[i], terms += sum[i] * fabs(x->b[i]);
        if (fabs(lead) > NOTHING * terms) {
            double *last = memory_zeroed((size_t)n, sizeof *last);
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++)
                    last[j] += row[i] * x->A[(size_t)j * (size_t)n + (size_t)i];
            for (int k = 0; k < r; k++)
                for (int i = 0; i < n; i++)
                    rows[(size_t)i * (size_t)r + (size_t)k] =
                        kept[(size_t)k * (size_t)n + (size_t)i];
            count = motion_on_kernel(x, r, rows, last, lead, zero);
            free(last);
            break;
        }
        next_row(x, row, sum);
    }
    free(row);
    free(sum);
    free(kept);
    free(rows);
    return count;
}

int channel_zeros(const LinearModel *l, int input, int output, Complex *zero) {
    Channel x;
    bool proper = channel_open(&x, l, input, output);
    int count = proper ? find_zeros(&x, zero) : -2;
    channel_close(&x);
    return count;
}
