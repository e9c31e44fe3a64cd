#include "engine/sparse.h"

#include "base/memory.h"
#include <klu.h>
#include <math.h>
#include <string.h>

struct SparseFactor {
    int n;
    int *start, *row;
    double *entry;
    double *row_scale, *column_scale;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

static const double smallest_pivot = 1e-14; // of a scaled matrix; below, it counts as singular
static const double worst_growth = 1e-6;    // reciprocal; below, pivots are chosen anew
static const double pivot_tolerance = 0.1;  // of a pivot beside the diagonal against the largest

SparseFactor *sparse_new(int n, const int *column_start, const int *row) {
    SparseFactor *s = memory_zeroed(1, sizeof *s);
    int count = column_start[n];
    s->n = n;
    s->start = memory_zeroed((size_t)n + 1, sizeof *s->start);
    s->row = memory_zeroed((size_t)count, sizeof *s->row);
    memcpy(s->start, column_start, ((size_t)n + 1) * sizeof *s->start);
    memcpy(s->row, row, (size_t)count * sizeof *s->row);
    s->entry = memory_zeroed((size_t)count, sizeof *s->entry);
    s->row_scale = memory_zeroed((size_t)n, sizeof *s->row_scale);
    s->column_scale = memory_zeroed((size_t)n, sizeof *s->column_scale);
    klu_defaults(&s->common);
    s->common.scale = 0;
    s->common.tol = pivot_tolerance;
    s->symbolic = klu_analyze(n, s->start, s->row, &s->common);
    return s;
}

void sparse_free(SparseFactor *s) {
    if (!s) return;
    klu_free_numeric(&s->numeric, &s->common);
    klu_free_symbolic(&s->symbolic, &s->common);
    free(s->start);
    free(s->row);
    free(s->entry);
    free(s->row_scale);
    free(s->column_scale);
    free(s);
}

double *sparse_entries(SparseFactor *s) { return s->entry; }
double *sparse_column_scale(SparseFactor *s) { return s->column_scale; }

// --- scaling -------------------------------------------------------------------------------------

static bool to_powers_of_two(double *largest, int n) {
    for (int i = 0; i < n; i++) {
        int exponent;
        if (largest[i] == 0) return false;
        frexp(largest[i], &exponent);
        largest[i] = ldexp(1.0, -exponent);
    }
    return true;
}

static bool scale(SparseFactor *s) {
    int n = s->n;
    for (int i = 0; i < n; i++) s->row_scale[i] = s->column_scale[i] = 0;
    for (int k = 0; k < s->start[n]; k++) {
        if (!isfinite(s->entry[k])) return false;
        double *largest = &s->row_scale[s->row[k]];
        *largest = fmax(*largest, fabs(s->entry[k]));
    }
    if (!to_powers_of_two(s->row_scale, n)) return false;
    for (int j = 0; j < n; j++)
        for (int k = s->start[j]; k < s->start[j + 1]; k++) {
            s->entry[k] *= s->row_scale[s->row[k]];
            s->column_scale[j] = fmax(s->column_scale[j], fabs(s->entry[k]));
        }
    if (!to_powers_of_two(s->column_scale, n)) return false;
    for (int j = 0; j < n; j++)
        for (int k = s->start[j]; k < s->start[j + 1]; k++) s->entry[k] *= s->column_scale[j];
    return true;
}

// --- factors -------------------------------------------------------------------------------------

static bool pivots_are_large(const SparseFactor *s) {
    const double *pivot = s->numeric->Udiag;
    for (int i = 0; i < s->n; i++)
        if (!(fabs(pivot[i]) > smallest_pivot)) return false;
    return true;
}

static bool grew_little(SparseFactor *s) {
    return klu_rgrowth(s->start, s->row, s->entry, s->symbolic, s->numeric, &s->common) &&
           s->common.rgrowth > worst_growth;
}

static bool refactor(SparseFactor *s) {
    return s->numeric &&
           klu_refactor(s->start, s->row, s->entry, s->symbolic, s->numeric, &s->common) &&
           s->common.status == KLU_OK && pivots_are_large(s) && grew_little(s);
}

static bool factor_with(SparseFactor *s, double tolerance) {
    klu_free_numeric(&s->numeric, &s->common);
    s->common.tol = tolerance;
    s->numeric = klu_factor(s->start, s->row, s->entry, s->symbolic, &s->common);
    return s->numeric && s->common.status == KLU_OK && pivots_are_large(s);
}

bool sparse_factor(SparseFactor *s) {
    if (!s->symbolic || !scale(s)) return false;
    if (refactor(s)) return true;
    if (factor_with(s, pivot_tolerance) && grew_little(s)) return true;
    bool good = factor_with(s, 1);
    if (!good) klu_free_numeric(&s->numeric, &s->common);
    return good;
}

// A^-1 = C (R A C)^-1 R
void sparse_solve(SparseFactor *s, double *x) {
    for (int i = 0; i < s->n; i++) x[i] *= s->row_scale[i];
    klu_solve(s->symbolic, s->numeric, s->n, 1, x, &s->common);
    for (int i = 0; i < s->n; i++) x[i] *= s->column_scale[i];
}

// A'^-1 = R (R A C)'^-1 C
void sparse_solve_transposed(SparseFactor *s, double *x) {
    for (int i = 0; i < s->n; i++) x[i] *= s->column_scale[i];
    klu_tsolve(s->symbolic, s->numeric, s->n, 1, x, &s->common);
    for (int i = 0; i < s->n; i++) x[i] *= s->row_scale[i];
}

// --- what is singular ----------------------------------------------------------------------------

// For inverse iteration: the matrix is shifted a little at random, so that it can be factored;
// solving with it gives a vector that the matrix maps nearly to zero.
static double shake(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return 0.5 + (double)(*seed >> 8) / (1 << 24);
}

static bool normalise(int n, double *x) {
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    if (!(largest > 0) || !isfinite(largest)) return false;
    for (int i = 0; i < n; i++) x[i] /= largest;
    return true;
}

static bool iterate(SparseFactor *s, double *x, bool transposed) {
    enum { ROUNDS = 3 };
    double size = 0;
    unsigned seed = 3;
    for (int i = 0; i < s->n; i++) x[i] = shake(&seed);
    for (int round = 0; round < ROUNDS; round++) {
        if (transposed)
            klu_tsolve(s->symbolic, s->numeric, s->n, 1, x, &s->common);
        else
            klu_solve(s->symbolic, s->numeric, s->n, 1, x, &s->common);
        size = 0;
        for (int i = 0; i < s->n; i++) size = fmax(size, fabs(x[i]));
        if (!normalise(s->n, x)) return false;
    }
    return size > 1e7;
}

bool sparse_null_vectors(int n, const int *column_start, const int *row, const double *entry,
                         double *x, double *y) {
    enum { SHIFT = -34 }; // 2^-34 of the largest entries
    SparseFactor *s = sparse_new(n, column_start, row);
    memcpy(s->entry, entry, (size_t)column_start[n] * sizeof *entry);
    scale(s); // fails at a row of zeros, which the shift fills
    unsigned seed = 1;
    bool finite = true;
    for (int k = 0; k < column_start[n]; k++) {
        s->entry[k] += ldexp(shake(&seed), SHIFT);
        finite = finite && isfinite(s->entry[k]);
    }
    if (finite && s->symbolic)
        s->numeric = klu_factor(s->start, s->row, s->entry, s->symbolic, &s->common);
    bool found = s->numeric && iterate(s, x, false) && iterate(s, y, true);
    for (int i = 0; i < n && found; i++) { // back to the units of the equations
        x[i] *= s->column_scale[i] > 0 ? s->column_scale[i] : 1;
        y[i] *= s->row_scale[i] > 0 ? s->row_scale[i] : 1;
    }
    found = found && normalise(n, x) && normalise(n, y);
    sparse_free(s);
    return found;
}
