// Zeros of one channel. With the relative degree r, the first r with c A^(r-1) b != 0, the feedback
//
//     u = -(c A^(r-1) b)^-1 c A^r x        keeps y = 0 on   V = { x: c x = c A x = ... = 0 }
//
// and the motion on V, of dimension n - r, has the zeros as its poles. So zeros at infinity, which
// make the pencil of the system ill-conditioned, never enter. Whether c A^k b is zero is judged by
// what its terms amount to without their signs. Where the output has the rate of the input, y = c x + d u + d1 u', it
// is zero along u' = -(c x + d u)/d1, a motion of n + 1 states.
//
// A loop that negative feedback u = -y closes has the zeros of 1 + L as its poles.
#include "analysis/zeros.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

static const double NOTHING = 1e-14;

void channel_room(Channel *x, int n) {
    *x = (Channel){.n = n};
    x->A = memory_zeroed((size_t)n * (size_t)n + 1, sizeof(double));
    x->b = memory_zeroed((size_t)n + 1, sizeof(double));
    x->c = memory_zeroed((size_t)n + 1, sizeof(double));
}

void channel_open(Channel *x, const LinearModel *l, int input, int output) {
    int n = l->n;
    double *scale = memory_zeroed((size_t)n + 1, sizeof *scale);
    channel_room(x, n);
    dense_balance(n, l->A, scale);
    x->d = l->Dz[input * l->p + output];
    for (int i = 0; i < n; i++) {
        x->b[i] = l->Bz[(size_t)input * (size_t)n + (size_t)i] / scale[i];
        x->c[i] = l->C[(size_t)i * (size_t)l->p + (size_t)output] * scale[i];
        for (int j = 0; j < n; j++)
            x->A[(size_t)j * (size_t)n + (size_t)i] =
                l->A[(size_t)j * (size_t)n + (size_t)i] * scale[j] / scale[i];
    }
    if (l->D1) x->d1 = l->D1[input * l->p + output];
    free(scale);
}

void channel_close(Channel *x) {
    free(x->A);
    free(x->b);
    free(x->c);
    *x = (Channel){0};
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

// x' = A x + b u, u' = -(c x + d u)/d1
static int motion_with_input(const Channel *x, Complex *zero) {
    int n = x->n, all = n + 1;
    double *M = memory_zeroed((size_t)all * (size_t)all, sizeof *M);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            M[(size_t)j * (size_t)all + (size_t)i] = x->A[(size_t)j * (size_t)n + (size_t)i];
        M[(size_t)j * (size_t)all + (size_t)n] = -x->c[j] / x->d1;
        M[(size_t)n * (size_t)all + (size_t)j] = x->b[j];
    }
    M[(size_t)all * (size_t)all - 1] = -x->d / x->d1;
    bool good = dense_eigen(all, M, zero, NULL, NULL);
    free(M);
    return good ? all : -1;
}

int zeros_of_channel(const Channel *x, Complex *zero) {
    return x->d1 != 0 ? motion_with_input(x, zero) : find_zeros(x, zero);
}

static int zeros_of(const LinearModel *l, int input, int output, double more, Complex *zero) {
    Channel x;
    channel_open(&x, l, input, output);
    x.d += more;
    int count = zeros_of_channel(&x, zero);
    channel_close(&x);
    return count;
}

int channel_zeros(const LinearModel *l, int input, int output, Complex *zero) {
    return zeros_of(l, input, output, 0, zero);
}

int closed_loop_poles(const LinearModel *l, int input, int output, Complex *pole) {
    return zeros_of(l, input, output, 1, pole);
}
