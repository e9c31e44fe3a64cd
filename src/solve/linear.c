#include "solve/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

// As in sunlinsol_klu.h, which wants the header of KLU itself on the path.
SUNLinearSolver SUNLinSol_KLU(N_Vector y, SUNMatrix matrix, SUNContext context);

static void *new_array(size_t count, size_t size) {
    void *data = calloc(count + 1, size);
    if (!data) abort();
    return data;
}

// --- entries -------------------------------------------------------------------------------------

// One evaluation per colour: columns of a colour have no row in common, so each difference of a
// rate belongs to one entry.  J_ij = (f_i(y + d_j e_j) - f_i(y))/d_j
static bool differences(Linear *l, double t, const double *y) {
    Job *j = l->j;
    const Program *p = j->p;
    double least = j->atol / j->rtol;
    if (!job_rates(j, t, y, l->rate, NULL)) return false;
    for (int c = 0; c < p->color_count; c++) {
        for (int i = 0; i < j->n; i++) {
            l->shift[i] = 1.5e-8 * fmax(fabs(y[i]), least);
            l->shifted[i] = p->color[i] == c ? y[i] + l->shift[i] : y[i];
        }
        if (!job_rates(j, t, l->shifted, l->rate_shifted, NULL)) return false;
        for (int i = 0; i < j->n; i++) {
            if (p->color[i] != c) continue;
            double shift = l->shifted[i] - y[i];
            for (int k = p->column_start[i]; k < p->column_start[i + 1]; k++)
                l->nonzero[k] = (l->rate_shifted[p->row[k]] - l->rate[p->row[k]]) / shift;
        }
    }
    return true;
}

static bool entries(Linear *l, double t, const double *y) {
    const Program *p = l->j->p;
    bool good =
        p->has_jacobian ? machine_jacobian(l->j->m, t, y, l->nonzero) : differences(l, t, y);
    for (int k = 0; k < p->nonzero_count && good; k++) good = isfinite(l->nonzero[k]);
    return good;
}

static void fill_dense(const Linear *l, SUNMatrix m) {
    const Program *p = l->j->p;
    SUNMatZero(m);
    for (int c = 0; c < p->state_count; c++)
        for (int k = p->column_start[c]; k < p->column_start[c + 1]; k++)
            SM_ELEMENT_D(m, p->row[k], c) = l->nonzero[k];
}

static void fill_sparse(const Linear *l, SUNMatrix m) {
    const Program *p = l->j->p;
    int n = p->state_count;
    size_t count = (size_t)l->start[n];
    memcpy(SM_INDEXPTRS_S(m), l->start, ((size_t)n + 1) * sizeof *l->start);
    memcpy(SM_INDEXVALS_S(m), l->row, count * sizeof *l->row);
    memset(SM_DATA_S(m), 0, count * sizeof(double));
    for (int k = 0; k < p->nonzero_count; k++) SM_DATA_S(m)[l->to[k]] = l->nonzero[k];
}

static int fill(double t, N_Vector y, N_Vector fy, SUNMatrix m, void *user, N_Vector a, N_Vector b,
                N_Vector c) {
    (void)fy, (void)a, (void)b, (void)c;
    Linear *l = ((Job *)user)->linear;
    if (!entries(l, t, N_VGetArrayPointer(y))) return 1; // a smaller step may help
    if (l->sparse)
        fill_sparse(l, m);
    else
        fill_dense(l, m);
    return 0;
}

// --- pattern -------------------------------------------------------------------------------------

// The pattern with the diagonal, which the integrator adds 1 to.
static void make_pattern(Linear *l) {
    const Program *p = l->j->p;
    int n = p->state_count;
    l->start = new_array((size_t)n + 1, sizeof *l->start);
    l->row = new_array((size_t)(p->nonzero_count + n), sizeof *l->row);
    l->to = new_array((size_t)p->nonzero_count, sizeof *l->to);
    sunindextype next = 0;
    for (int c = 0; c < n; c++) {
        bool diagonal = false;
        l->start[c] = next;
        for (int k = p->column_start[c]; k < p->column_start[c + 1]; k++) {
            if (!diagonal && p->row[k] > c) l->row[next++] = c, diagonal = true;
            diagonal = diagonal || p->row[k] == c;
            l->to[k] = next;
            l->row[next++] = p->row[k];
        }
        if (!diagonal) l->row[next++] = c;
    }
    l->start[n] = next;
}

// --- choice --------------------------------------------------------------------------------------

enum { FEW_STATES = 24, MOST_DENSE = 1000, MOST_COLORS = 300 };

static bool entries_are_cheap(const Program *p) {
    return p->column_start &&
           (p->has_jacobian || (p->color_count > 0 && p->color_count <= MOST_COLORS));
}

static bool is_sparse(const Program *p) {
    double n = p->state_count;
    return n > FEW_STATES && p->nonzero_count < 0.4 * n * n;
}

static void make_solver(Linear *l, N_Vector y, SUNContext context) {
    const Program *p = l->j->p;
    int n = (int)N_VGetLength(y);
    bool cheap = n == p->state_count && entries_are_cheap(p);
    if (cheap && is_sparse(p)) {
        l->sparse = true;
        make_pattern(l);
        l->matrix = SUNSparseMatrix(n, n, l->start[n], CSC_MAT, context);
        if (l->matrix) l->solver = SUNLinSol_KLU(y, l->matrix, context);
    } else if (cheap || n <= MOST_DENSE) {
        l->matrix = SUNDenseMatrix(n, n, context);
        if (l->matrix) l->solver = SUNLinSol_Dense(y, l->matrix, context);
    } else {
        l->solver = SUNLinSol_SPGMR(y, SUN_PREC_NONE, 20, context);
    }
}

bool linear_init(Linear *l, Job *j, void *cvode, N_Vector y, SUNContext context) {
    *l = (Linear){.j = j};
    const Program *p = j->p;
    size_t n = (size_t)p->state_count;
    make_solver(l, y, context);
    if (!l->solver || CVodeSetLinearSolver(cvode, l->solver, l->matrix) != 0) return false;
    if (!l->matrix || n == 0 || !entries_are_cheap(p)) return true;
    l->nonzero = new_array((size_t)p->nonzero_count, sizeof(double));
    l->shifted = new_array(n, sizeof(double));
    l->rate = new_array(n, sizeof(double));
    l->rate_shifted = new_array(n, sizeof(double));
    l->shift = new_array(n, sizeof(double));
    return CVodeSetJacFn(cvode, fill) == 0;
}

void linear_free(Linear *l) {
    if (l->solver) SUNLinSolFree(l->solver);
    if (l->matrix) SUNMatDestroy(l->matrix);
    free(l->nonzero);
    free(l->start);
    free(l->row);
    free(l->to);
    free(l->shifted);
    free(l->rate);
    free(l->rate_shifted);
    free(l->shift);
    *l = (Linear){0};
}
