// The serial vectors, dense and sparse matrices of SUNDIALS with other kernels behind them.
//
// Packages of SUNDIALS are often built without optimisation, and a step of BDF on a small model is
// then spent in loops over a dozen numbers. Objects are made by SUNDIALS, so everything else knows
// them; their operations are replaced by the ones below. Each number comes from the same operations
// in the same order as there, so not a bit changes; but norms of long vectors are summed in lanes,
// pivots are chosen by rows that are scaled, and kept as their inverses: divisions that wait for
// each other were a tenth of a step.
#include "solve/vectors.h"

#include "base/memory.h"
#include "base/wide.h"
#include <math.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

// --- vectors -------------------------------------------------------------------------------------

static sunindextype length(N_Vector x) { return NV_LENGTH_S(x); }

// z = a x + b y, where factors of equal size are taken out unless they are 1.
WIDE static void linear_sum(double a, N_Vector vx, double b, N_Vector vy, N_Vector vz) {
    sunindextype n = length(vz);
    const double *x = vector_data(vx), *y = vector_data(vy);
    double *z = vector_data(vz);
    if (fabs(a) == 1 || fabs(a) != fabs(b))
        APART for (sunindextype i = 0; i < n; i++) z[i] = a * x[i] + b * y[i];
    else if (a == b)
        APART for (sunindextype i = 0; i < n; i++) z[i] = a * (x[i] + y[i]);
    else
        APART for (sunindextype i = 0; i < n; i++) z[i] = a * (x[i] - y[i]);
}

static void fill_with(double c, N_Vector z) {
    for (sunindextype i = 0; i < length(z); i++) vector_data(z)[i] = c;
}

static void scale(double c, N_Vector vx, N_Vector vz) {
    sunindextype n = length(vz);
    const double *x = vector_data(vx);
    double *z = vector_data(vz);
    if (c == 1 && x != z) memcpy(z, x, (size_t)n * sizeof *z);
    if (c == 1) return;
    for (sunindextype i = 0; i < n; i++) z[i] = c * x[i];
}

enum { LANES = 8, MANY = 64 };

// Sums side by side, of as many as make a whole number of rounds.
WIDE static double squares_in_lanes(sunindextype n, const double *x, const double *w) {
    double sum[LANES] = {0};
    for (sunindextype i = 0; i < n; i += LANES)
        for (int k = 0; k < LANES; k++) {
            double part = x[i + k] * w[i + k];
            sum[k] += part * part;
        }
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

static double weighted_squares(N_Vector vx, N_Vector vw) {
    sunindextype n = length(vx), wide = n < MANY ? 0 : n / LANES * LANES;
    const double *x = vector_data(vx), *w = vector_data(vw);
    double sum = squares_in_lanes(wide, x, w);
    for (sunindextype i = wide; i < n; i++) {
        double part = x[i] * w[i];
        sum += part * part;
    }
    return sum;
}

static double weighted_norm(N_Vector x, N_Vector w) {
    return sqrt(weighted_squares(x, w) / (double)length(x));
}

// --- several vectors at once ---------------------------------------------------------------------

static int linear_combination(int count, double *c, N_Vector *x, N_Vector z) {
    scale(c[0], x[0], z);
    for (int i = 1; i < count; i++) linear_sum(c[i], x[i], 1, z, z);
    return 0;
}

static int scale_add(int count, double *a, N_Vector x, N_Vector *y, N_Vector *z) {
    for (int i = 0; i < count; i++) linear_sum(a[i], x, 1, y[i], z[i]);
    return 0;
}

static int scale_all(int count, double *c, N_Vector *x, N_Vector *z) {
    for (int i = 0; i < count; i++) scale(c[i], x[i], z[i]);
    return 0;
}

N_Vector vectors_new(sunindextype n, SUNContext context) {
    N_Vector v = N_VNew_Serial(n, context);
    if (!v) return NULL;
    v->ops->nvlinearsum = linear_sum; // clones take over the operations
    v->ops->nvconst = fill_with;
    v->ops->nvscale = scale;
    v->ops->nvwrmsnorm = weighted_norm;
    v->ops->nvwsqrsumlocal = weighted_squares;
    v->ops->nvlinearcombination = linear_combination;
    v->ops->nvscaleaddmulti = scale_add;
    v->ops->nvscalevectorarray = scale_all;
    fill_with(0, v);
    return v;
}

// --- matrices, column by column ------------------------------------------------------------------

static int matrix_zero(SUNMatrix a) {
    memset(SM_DATA_D(a), 0, (size_t)SM_LDATA_D(a) * sizeof(double));
    return 0;
}

static int matrix_copy(SUNMatrix a, SUNMatrix to) {
    memcpy(SM_DATA_D(to), SM_DATA_D(a), (size_t)SM_LDATA_D(a) * sizeof(double));
    return 0;
}

// A becomes c A + 1.
static int matrix_scale_add_one(double c, SUNMatrix a) {
    sunindextype n = SM_ROWS_D(a), count = SM_LDATA_D(a);
    double *x = SM_DATA_D(a);
    for (sunindextype i = 0; i < count; i++) x[i] *= c;
    for (sunindextype i = 0; i < n; i++) x[i * n + i] += 1;
    return 0;
}

static SUNMatrix matrix_clone(SUNMatrix a) { return vectors_matrix(SM_ROWS_D(a), a->sunctx); }

SUNMatrix vectors_matrix(sunindextype n, SUNContext context) {
    SUNMatrix a = SUNDenseMatrix(n, n, context);
    if (!a) return NULL;
    a->ops->clone = matrix_clone;
    a->ops->zero = matrix_zero;
    a->ops->copy = matrix_copy;
    a->ops->scaleaddi = matrix_scale_add_one;
    return a;
}

// --- sparse matrices, all of one pattern that has the diagonal -----------------------------------

static size_t entries(SUNMatrix a) { return (size_t)SM_INDEXPTRS_S(a)[SM_COLUMNS_S(a)]; }

static int sparse_zero(SUNMatrix a) {
    memset(SM_DATA_S(a), 0, entries(a) * sizeof(double));
    return 0;
}

static int sparse_copy(SUNMatrix a, SUNMatrix to) {
    memcpy(SM_DATA_S(to), SM_DATA_S(a), entries(a) * sizeof(double));
    return 0;
}

static int sparse_scale_add_one(double c, SUNMatrix a) {
    double *x = SM_DATA_S(a);
    const sunindextype *start = SM_INDEXPTRS_S(a), *row = SM_INDEXVALS_S(a);
    for (sunindextype k = 0; k < SM_COLUMNS_S(a); k++)
        for (sunindextype i = start[k]; i < start[k + 1]; i++)
            x[i] = row[i] == k ? 1 + c * x[i] : c * x[i];
    return 0;
}

static SUNMatrix sparse_clone(SUNMatrix a) {
    return vectors_sparse(SM_COLUMNS_S(a), SM_INDEXPTRS_S(a), SM_INDEXVALS_S(a), a->sunctx);
}

SUNMatrix vectors_sparse(sunindextype n, const sunindextype *start, const sunindextype *row,
                         SUNContext context) {
    SUNMatrix a = SUNSparseMatrix(n, n, start[n], CSC_MAT, context);
    if (!a) return NULL;
    memcpy(SM_INDEXPTRS_S(a), start, ((size_t)n + 1) * sizeof *start);
    memcpy(SM_INDEXVALS_S(a), row, entries(a) * sizeof *row);
    a->ops->clone = sparse_clone;
    a->ops->zero = sparse_zero;
    a->ops->copy = sparse_copy;
    a->ops->scaleaddi = sparse_scale_add_one;
    return a;
}

// --- P A = L U -----------------------------------------------------------------------------------

static void swap_rows(sunindextype n, double *a, sunindextype i, sunindextype k) {
    for (sunindextype c = 0; c < n; c++) {
        double x = a[c * n + i];
        a[c * n + i] = a[c * n + k];
        a[c * n + k] = x;
    }
}

// One by the largest of each row.
WIDE static void find_scales(sunindextype n, const double *a, double *scale) {
    for (sunindextype i = 0; i < n; i++) scale[i] = 0;
    for (sunindextype c = 0; c < n; c++) APART for (sunindextype i = 0; i < n; i++) {
            double x = fabs(a[c * n + i]);
            scale[i] = x > scale[i] ? x : scale[i];
        }
    for (sunindextype i = 0; i < n; i++) scale[i] = scale[i] > 0 ? 1 / scale[i] : 0;
}

// 0, or 1 + the column that has no pivot. The diagonal becomes one by the pivots. Pivots are the
// largest of their rows, not of all: states have units of their own, and a row of large numbers
// would become the pivot of others, and leave them its rounding. A state that has died away beside
// one of 1e8 is then noise, and Newton's method does not converge.
WIDE static sunindextype factor(sunindextype n, double *a, sunindextype *pivot, double *scale) {
    find_scales(n, a, scale);
    for (sunindextype k = 0; k < n; k++) {
        double *column = a + k * n;
        sunindextype best = k;
        for (sunindextype i = k + 1; i < n; i++)
            if (fabs(column[i]) * scale[i] > fabs(column[best]) * scale[best]) best = i;
        pivot[k] = best;
        if (column[best] == 0) return k + 1;
        if (best != k) {
            swap_rows(n, a, best, k);
            scale[best] = scale[k];
        }
        double inverse = 1 / column[k];
        column[k] = inverse;
        for (sunindextype i = k + 1; i < n; i++) column[i] *= inverse;
        for (sunindextype c = k + 1; c < n; c++) {
            double *other = a + c * n, top = other[k];
            if (top == 0) continue;
            APART for (sunindextype i = k + 1; i < n; i++) other[i] -= top * column[i];
        }
    }
    return 0;
}

// Four unknowns at once, each of the others gets their products one after the other.
WIDE static void lower_solve(sunindextype n, const double *a, double *x) {
    sunindextype k = 0;
    for (; k + 4 <= n; k += 4) {
        const double *c0 = a + k * n, *c1 = c0 + n, *c2 = c1 + n, *c3 = c2 + n;
        double x0 = x[k], x1 = x[k + 1] - c0[k + 1] * x0;
        double x2 = x[k + 2] - c0[k + 2] * x0 - c1[k + 2] * x1;
        double x3 = x[k + 3] - c0[k + 3] * x0 - c1[k + 3] * x1 - c2[k + 3] * x2;
        x[k + 1] = x1, x[k + 2] = x2, x[k + 3] = x3;
        APART for (sunindextype i = k + 4; i < n; i++) x[i] =
            x[i] - c0[i] * x0 - c1[i] * x1 - c2[i] * x2 - c3[i] * x3;
    }
    for (; k < n; k++)
        for (sunindextype i = k + 1; i < n; i++) x[i] -= a[k * n + i] * x[k];
}

WIDE static void upper_solve(sunindextype n, const double *a, double *x) {
    sunindextype k = n - 1;
    for (; k >= 3; k -= 4) {
        const double *c0 = a + k * n, *c1 = c0 - n, *c2 = c1 - n, *c3 = c2 - n;
        double x0 = x[k] * c0[k], x1 = (x[k - 1] - c0[k - 1] * x0) * c1[k - 1];
        double x2 = (x[k - 2] - c0[k - 2] * x0 - c1[k - 2] * x1) * c2[k - 2];
        double x3 = (x[k - 3] - c0[k - 3] * x0 - c1[k - 3] * x1 - c2[k - 3] * x2) * c3[k - 3];
        x[k] = x0, x[k - 1] = x1, x[k - 2] = x2, x[k - 3] = x3;
        APART for (sunindextype i = 0; i < k - 3; i++) x[i] =
            x[i] - c0[i] * x0 - c1[i] * x1 - c2[i] * x2 - c3[i] * x3;
    }
    for (; k >= 0; k--) {
        x[k] *= a[k * n + k];
        for (sunindextype i = 0; i < k; i++) x[i] -= a[k * n + i] * x[k];
    }
}

static void solve(sunindextype n, const double *a, const sunindextype *pivot, double *x) {
    for (sunindextype k = 0; k < n; k++) {
        double swap = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = swap;
    }
    lower_solve(n, a, x);
    upper_solve(n, a, x);
}

bool vectors_full_solve(int n, double *a, double *x) {
    sunindextype *pivot = memory_zeroed((size_t)n, sizeof *pivot);
    double *scale = memory_zeroed((size_t)n, sizeof *scale);
    bool good = factor(n, a, pivot, scale) == 0;
    if (good) solve(n, a, pivot, x);
    free(scale);
    free(pivot);
    return good;
}

static SUNLinearSolverContent_Dense content(SUNLinearSolver s) { return s->content; }

static int solver_setup(SUNLinearSolver s, SUNMatrix a) {
    double *room = memory_zeroed((size_t)SM_ROWS_D(a), sizeof *room);
    content(s)->last_flag = factor(SM_ROWS_D(a), SM_DATA_D(a), content(s)->pivots, room);
    free(room);
    return content(s)->last_flag > 0 ? SUNLS_LUFACT_FAIL : SUNLS_SUCCESS;
}

static int solver_solve(SUNLinearSolver s, SUNMatrix a, N_Vector x, N_Vector b, double tolerance) {
    (void)tolerance;
    scale(1, b, x);
    solve(SM_ROWS_D(a), SM_DATA_D(a), content(s)->pivots, vector_data(x));
    content(s)->last_flag = SUNLS_SUCCESS;
    return SUNLS_SUCCESS;
}

SUNLinearSolver vectors_solver(N_Vector y, SUNMatrix matrix, SUNContext context) {
    SUNLinearSolver s = SUNLinSol_Dense(y, matrix, context);
    if (!s) return NULL;
    s->ops->setup = solver_setup;
    s->ops->solve = solver_solve;
    return s;
}
