#include "solve/multistep.h"

#include "base/memory.h"
#include "solve/vectors.h"
#include <math.h>
#include <string.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

// As in sunlinsol_klu.h, which wants the header of KLU itself on the path.
SUNLinearSolver SUNLinSol_KLU(N_Vector y, SUNMatrix matrix, SUNContext context);

// --- entries -------------------------------------------------------------------------------------

static void fill_dense(const Linear *l, SUNMatrix m) {
    const Program *p = l->j->p;
    SUNMatZero(m);
    for (int c = 0; c < p->state_count; c++)
        for (int k = p->column_start[c]; k < p->column_start[c + 1]; k++)
            SM_ELEMENT_D(m, p->row[k], c) = l->nonzero[k];
}

static void fill_sparse(const Linear *l, SUNMatrix m) {
    const Program *p = l->j->p;
    SUNMatZero(m);
    for (int k = 0; k < p->nonzero_count; k++) SM_DATA_S(m)[l->to[k]] = l->nonzero[k];
}

static int fill(double t, N_Vector y, N_Vector fy, SUNMatrix m, void *user, N_Vector a, N_Vector b,
                N_Vector c) {
    (void)fy, (void)a, (void)b, (void)c;
    Linear *l = &((Multistep *)user)->linear;
    if (!job_jacobian(l->j, t, vector_data(y), l->nonzero)) return 1; // smaller steps may help
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
    l->start = memory_zeroed((size_t)n + 1, sizeof *l->start);
    l->row = memory_zeroed((size_t)p->nonzero_count + (size_t)n, sizeof *l->row);
    l->to = memory_zeroed((size_t)p->nonzero_count, sizeof *l->to);
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

enum { FEW_STATES = 24, MOST_DENSE = 1000 };

static bool is_sparse(const Program *p) {
    double n = p->state_count;
    return n > FEW_STATES && p->nonzero_count < 0.4 * n * n;
}

static void make_solver(Linear *l, N_Vector y, SUNContext context) {
    const Program *p = l->j->p;
    int n = (int)N_VGetLength(y);
    bool cheap = n == p->state_count && job_has_jacobian(l->j);
    if (cheap && is_sparse(p)) {
        l->sparse = true;
        make_pattern(l);
        l->matrix = vectors_sparse(n, l->start, l->row, context);
        if (l->matrix) l->solver = SUNLinSol_KLU(y, l->matrix, context);
    } else if (cheap || n <= MOST_DENSE) {
        l->matrix = vectors_matrix(n, context);
        if (l->matrix) l->solver = vectors_solver(y, l->matrix, context);
    } else {
        l->solver = SUNLinSol_SPGMR(y, SUN_PREC_NONE, 20, context);
    }
}

static bool solve(void *context, const double *b, double *x) {
    Linear *l = context;
    size_t size = (size_t)l->j->n * sizeof(double);
    memcpy(vector_data(l->b), b, size);
    bool good = SUNLinSolSolve(l->solver, l->matrix, l->x, l->b, 0) == 0;
    memcpy(x, vector_data(l->x), size);
    return good;
}

void linear_pass_rounding(Linear *l, void *cvode) {
    double gamma;
    if (CVodeGetCurrentGamma(cvode, &gamma) == 0) sizes_pass_rounding(l->j, gamma, solve, l);
}

// A state that is slaved to others (decay times step far above 1) forgets the past, but not what
// Newton's method leaves undone: predictors of order q make 2^q of an error that changes its sign
// with every step, and an iteration with an old matrix leaves a few per cent of that. So the error
// estimate becomes noise, and order and steps fall. Hence fresh matrices where they cost little.
static bool set_matrix_age(const Linear *l, void *cvode) {
    static const double cheap = 10; // evaluations of the rates
    static const long steps = 10;   // between matrices
    if (!l->j->p->has_jacobian || job_jacobian_cost(l->j) > cheap) return true;
    return CVodeSetLSetupFrequency(cvode, steps) == 0 &&
           CVodeSetJacEvalFrequency(cvode, steps) == 0;
}

bool linear_init(Linear *l, Job *j, void *cvode, N_Vector y, SUNContext context) {
    *l = (Linear){.j = j};
    const Program *p = j->p;
    make_solver(l, y, context);
    if (!l->solver || CVodeSetLinearSolver(cvode, l->solver, l->matrix) != 0) return false;
    if (!l->matrix || p->state_count == 0) return true;
    l->b = N_VClone(y);
    l->x = N_VClone(y);
    if (!l->b || !l->x) return false;
    if (!job_has_jacobian(j)) return true;
    l->nonzero = memory_zeroed((size_t)p->nonzero_count, sizeof(double));
    return set_matrix_age(l, cvode) && CVodeSetJacFn(cvode, fill) == 0;
}

void linear_free(Linear *l) {
    if (l->b) N_VDestroy(l->b);
    if (l->x) N_VDestroy(l->x);
    if (l->solver) SUNLinSolFree(l->solver);
    if (l->matrix) SUNMatDestroy(l->matrix);
    free(l->nonzero);
    free(l->start);
    free(l->row);
    free(l->to);
    *l = (Linear){0};
}
