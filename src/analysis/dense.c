// See dense.h. LAPACK's own names, declared here: its C headers are not everywhere.
#include "analysis/dense.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

void dgeevx_(const char *balance, const char *left, const char *right, const char *sense,
             const int *n, double *a, const int *lda, double *wr, double *wi, double *vl,
             const int *ldvl, double *vr, const int *ldvr, int *ilo, int *ihi, double *scale,
             double *norm, double *rconde, double *rcondv, double *work, const int *lwork,
             int *iwork, int *info, size_t, size_t, size_t, size_t);
void dgesv_(const int *n, const int *columns, double *a, const int *lda, int *pivot, double *b,
            const int *ldb, int *info);
void zgesv_(const int *n, const int *columns, Complex *a, const int *lda, int *pivot, Complex *b,
            const int *ldb, int *info);
void dgehrd_(const int *n, const int *ilo, const int *ihi, double *a, const int *lda, double *tau,
             double *work, const int *lwork, int *info);
void dormhr_(const char *side, const char *trans, const int *m, const int *n, const int *ilo,
             const int *ihi, const double *a, const int *lda, const double *tau, double *c,
             const int *ldc, double *work, const int *lwork, int *info, size_t, size_t);
void dgebal_(const char *job, const int *n, double *a, const int *lda, int *ilo, int *ihi,
             double *scale, int *info, size_t);
void dgesvd_(const char *jobu, const char *jobv, const int *m, const int *n, double *a,
             const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt,
             double *work, const int *lwork, int *info, size_t, size_t);

void dgelss_(const int *m, const int *n, const int *columns, double *a, const int *lda, double *b,
             const int *ldb, double *s, const double *rcond, int *rank, double *work,
             const int *lwork, int *info);

static double *copy_of(const double *a, size_t count) {
    double *b = memory_zeroed(count + 1, sizeof *b);
    if (count) memcpy(b, a, count * sizeof *b);
    return b;
}

// LAPACK packs the vectors of a conjugate pair into two real columns.
static void unpack(int n, const double *wi, const double *packed, Complex *vector) {
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)k * (size_t)n + (size_t)i;
            if (wi[k] == 0)
                vector[at] = packed[at];
            else if (wi[k] > 0)
                vector[at] = packed[at] + I * packed[at + (size_t)n];
            else
                vector[at] = packed[at - (size_t)n] - I * packed[at];
        }
}

bool dense_eigen(int n, const double *A, Complex *value, Complex *right, Complex *left) {
    if (n == 0) return true;
    size_t square = (size_t)n * (size_t)n;
    double *a = copy_of(A, square), *wr = memory_zeroed(2 * (size_t)n, sizeof *wr), *wi = wr + n;
    double *vr = memory_zeroed(right ? square : 1, sizeof *vr);
    double *vl = memory_zeroed(left ? square : 1, sizeof *vl);
    double *scale = memory_zeroed(3 * (size_t)n, sizeof *scale), norm, best;
    int *iwork = memory_zeroed(2 * (size_t)n, sizeof *iwork);
    int info, ilo, ihi, query = -1, ld = right ? n : 1;
    const char *want = right ? "V" : "N";
    dgeevx_("B", want, want, "N", &n, a, &n, wr, wi, vl, &ld, vr, &ld, &ilo, &ihi, scale, &norm,
            scale + n, scale + 2 * (size_t)n, &best, &query, iwork, &info, 1, 1, 1, 1);
    int room = (int)best;
    double *work = memory_zeroed((size_t)room, sizeof *work);
    dgeevx_("B", want, want, "N", &n, a, &n, wr, wi, vl, &ld, vr, &ld, &ilo, &ihi, scale, &norm,
            scale + n, scale + 2 * (size_t)n, work, &room, iwork, &info, 1, 1, 1, 1);
    for (int i = 0; i < n; i++) value[i] = wr[i] + I * wi[i];
    if (right) unpack(n, wi, vr, right);
    if (left) unpack(n, wi, vl, left);
    free(a);
    free(wr);
    free(vr);
    free(vl);
    free(scale);
    free(iwork);
    free(work);
    return info == 0;
}

bool dense_solve(int n, double *A, int columns, double *B) {
    if (n == 0 || columns == 0) return true;
    int *pivot = memory_zeroed((size_t)n, sizeof *pivot), info;
    dgesv_(&n, &columns, A, &n, pivot, B, &n, &info);
    free(pivot);
    return info == 0;
}

bool dense_solve_complex(int n, Complex *A, int columns, Complex *B) {
    if (n == 0 || columns == 0) return true;
    int *pivot = memory_zeroed((size_t)n, sizeof *pivot), info;
    zgesv_(&n, &columns, A, &n, pivot, B, &n, &info);
    free(pivot);
    return info == 0;
}

bool dense_hessenberg(int n, double *A, int columns, double *V) {
    if (n == 0) return true;
    int room = 64 * (n + columns), one = 1, info, failed;
    double *work = memory_zeroed((size_t)room, sizeof *work);
    double *tau = memory_zeroed((size_t)n, sizeof *tau);
    dgehrd_(&n, &one, &n, A, &n, tau, work, &room, &info);
    dormhr_("L", "T", &n, &columns, &one, &n, A, &n, tau, V, &n, work, &room, &failed, 1, 1);
    for (int j = 0; j < n; j++) // the reflections are kept there
        for (int i = j + 2; i < n; i++) A[(size_t)j * (size_t)n + (size_t)i] = 0;
    free(work);
    free(tau);
    return info == 0 && failed == 0;
}

bool dense_solve_hessenberg(int n, Complex *H, Complex *b) {
    for (int k = 0; k + 1 < n; k++) {
        Complex *top = H + (size_t)k * (size_t)n + k;
        if (cabs(top[0]) < cabs(top[1])) {
            for (int j = k; j < n; j++) {
                Complex *x = H + (size_t)j * (size_t)n + k, kept = x[0];
                x[0] = x[1];
                x[1] = kept;
            }
            Complex kept = b[k];
            b[k] = b[k + 1];
            b[k + 1] = kept;
        }
        if (top[0] == 0) return false;
        Complex by = top[1] / top[0];
        for (int j = k + 1; j < n && by != 0; j++) {
            Complex *x = H + (size_t)j * (size_t)n + k;
            x[1] -= by * x[0];
        }
        b[k + 1] -= by * b[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        const Complex *column = H + (size_t)k * (size_t)n;
        if (column[k] == 0) return false;
        b[k] /= column[k];
        for (int i = 0; i < k; i++) b[i] -= column[i] * b[k];
    }
    return true;
}

void dense_balance(int n, const double *A, double *d) {
    for (int i = 0; i < n; i++) d[i] = 1;
    if (n == 0) return;
    double *a = copy_of(A, (size_t)n * (size_t)n);
    int ilo, ihi, info;
    dgebal_("S", &n, a, &n, &ilo, &ihi, d, &info, 1);
    free(a);
}

bool dense_kernel(int rows, int n, const double *R, double *basis) {
    double *a = copy_of(R, (size_t)rows * (size_t)n),
           *s = memory_zeroed((size_t)rows + 1, sizeof *s);
    double *vt = memory_zeroed((size_t)n * (size_t)n, sizeof *vt), none, best;
    int one = 1, query = -1, info;
    dgesvd_("N", "A", &rows, &n, a, &rows, s, &none, &one, vt, &n, &best, &query, &info, 1, 1);
    int room = (int)best;
    double *work = memory_zeroed((size_t)room, sizeof *work);
    dgesvd_("N", "A", &rows, &n, a, &rows, s, &none, &one, vt, &n, work, &room, &info, 1, 1);
    for (int j = rows; j < n; j++)
        for (int i = 0; i < n; i++)
            basis[(size_t)(j - rows) * (size_t)n + (size_t)i] =
                vt[(size_t)i * (size_t)n + (size_t)j];
    bool good = info == 0 && (rows == 0 || s[rows - 1] > 1e-13 * s[0]);
    free(a);
    free(s);
    free(vt);
    free(work);
    return good;
}

bool dense_least_squares(int rows, int columns, double *A, double *b, double rank) {
    if (rows == 0 || columns == 0) return true;
    int most = rows > columns ? rows : columns, one = 1, query = -1, found, info;
    double *s = memory_zeroed((size_t)most, sizeof *s), best;
    dgelss_(&rows, &columns, &one, A, &rows, b, &most, s, &rank, &found, &best, &query, &info);
    int room = (int)best;
    double *work = memory_zeroed((size_t)room, sizeof *work);
    dgelss_(&rows, &columns, &one, A, &rows, b, &most, s, &rank, &found, work, &room, &info);
    free(s);
    free(work);
    return info == 0;
}

int dense_null_space(int rows, int columns, const double *A, double rank, double *basis) {
    if (columns == 0) return 0;
    // Rows of zeros make the matrix at least square, so that every direction has a singular value.
    int tall = rows > columns ? rows : columns, one = 1, query = -1, info, count = 0;
    double *a = memory_zeroed((size_t)tall * (size_t)columns, sizeof *a);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            a[(size_t)j * (size_t)tall + (size_t)i] = A[(size_t)j * (size_t)rows + (size_t)i];
    double *s = memory_zeroed((size_t)columns, sizeof *s), none, best;
    double *vt = memory_zeroed((size_t)columns * (size_t)columns, sizeof *vt);
    dgesvd_("N", "A", &tall, &columns, a, &tall, s, &none, &one, vt, &columns, &best, &query, &info,
            1, 1);
    int room = (int)best;
    double *work = memory_zeroed((size_t)room, sizeof *work);
    dgesvd_("N", "A", &tall, &columns, a, &tall, s, &none, &one, vt, &columns, work, &room, &info,
            1, 1);
    for (int k = 0; k < columns && info == 0; k++) {
        if (s[k] > rank * s[0]) continue;
        for (int j = 0; j < columns; j++)
            basis[(size_t)count * (size_t)columns + (size_t)j] =
                vt[(size_t)j * (size_t)columns + (size_t)k];
        count++;
    }
    free(a);
    free(s);
    free(vt);
    free(work);
    return count;
}

void dense_multiply(int rows, int inner, int columns, const double *A, const double *B, double *C) {
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            for (int k = 0; k < inner; k++)
                sum += A[(size_t)k * (size_t)rows + (size_t)i] *
                       B[(size_t)j * (size_t)inner + (size_t)k];
            C[(size_t)j * (size_t)rows + (size_t)i] = sum;
        }
}

bool dense_singular(int rows, int columns, const double *A, double *s, double *U, double *V) {
    size_t size = (size_t)rows * (size_t)columns, n = (size_t)columns;
    double *a = copy_of(A, size), *vt = memory_zeroed(n * n + 1, sizeof *vt), best;
    int info, query = -1;
    dgesvd_("S", "S", &rows, &columns, a, &rows, s, U, &rows, vt, &columns, &best, &query, &info, 1,
            1);
    int room = (int)best;
    double *work = memory_zeroed((size_t)room + 1, sizeof *work);
    dgesvd_("S", "S", &rows, &columns, a, &rows, s, U, &rows, vt, &columns, work, &room, &info, 1,
            1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) V[i * n + j] = vt[j * n + i];
    free(a);
    free(vt);
    free(work);
    return info == 0;
}

void dense_equilibrate(int rows, int columns, const double *A, double *row_scale,
                       double *column_scale) {
    enum { ROUNDS = 4 };
    for (int i = 0; i < rows; i++) row_scale[i] = 1;
    for (int j = 0; j < columns; j++) column_scale[j] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < rows; i++) {
            double most = 0;
            for (int j = 0; j < columns; j++)
                most = fmax(most, fabs(A[(size_t)j * (size_t)rows + (size_t)i]) * column_scale[j]);
            row_scale[i] = most > 0 ? 1 / most : 1;
        }
        for (int j = 0; j < columns; j++) {
            double most = 0;
            for (int i = 0; i < rows; i++)
                most = fmax(most, fabs(A[(size_t)j * (size_t)rows + (size_t)i]) * row_scale[i]);
            column_scale[j] = most > 0 ? 1 / most : 1;
        }
    }
}

// V diag(1/s) U' of the scaled matrix, with rows of zeros that make it at least square.
int dense_inverse(int rows, int columns, const double *A, double rank, double *P) {
    if (rows == 0 || columns == 0) return 0;
    size_t tall = (size_t)(rows > columns ? rows : columns), n = (size_t)columns;
    double *scale = memory_zeroed((size_t)rows + n, sizeof *scale), *by = scale + rows;
    double *S = memory_zeroed(tall * n, sizeof *S), *s = memory_zeroed(n, sizeof *s);
    double *U = memory_zeroed(tall * n, sizeof *U), *V = memory_zeroed(n * n, sizeof *V);
    dense_equilibrate(rows, columns, A, scale, by);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < (size_t)rows; i++)
            S[j * tall + i] = A[j * (size_t)rows + i] * scale[i] * by[j];
    int kept = dense_singular((int)tall, columns, S, s, U, V) ? 0 : -1;
    while (kept >= 0 && kept < columns && s[kept] > rank * s[0]) kept++;
    for (size_t i = 0; i < (size_t)rows; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; (int)k < kept; k++) sum += V[k * n + j] / s[k] * U[k * tall + i];
            P[i * n + j] = by[j] * sum * scale[i];
        }
    free(scale);
    free(S);
    free(s);
    free(U);
    free(V);
    return kept;
}
