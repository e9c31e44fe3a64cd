// IDAS on the system left implicit:
//
//     0 = x' - f(t, x, u)       states
//     0 = g(t, x, u)            unknowns of the blocks, as algebraic variables: no inner Newton
//
// with the sparse matrix  dF/dy + c dF/dy' = [c - f_x  -f_u; g_x  g_u]  from formulas, factored by
// KLU. A start is consistent since the blocks are solved there and x' is what the rates say; the
// slopes of u are not known then and have no part in the error test.
#include "solve/multistep.h"

#include "base/memory.h"
#include <idas/idas.h>
#include <math.h>
#include <string.h>
#include <sunmatrix/sunmatrix_sparse.h>

// As in sunlinsol_klu.h, which wants the header of KLU itself on the path.
SUNLinearSolver SUNLinSol_KLU(N_Vector y, SUNMatrix matrix, SUNContext context);

typedef struct {
    SUNMatrix matrix;
    SUNLinearSolver solver;
    N_Vector id;                    // 1 for states, 0 for unknowns
    N_Vector b, x;                  // of linear equations
    double *nonzero;                // of the program's pattern
    sunindextype *start, *row, *to; // pattern with the diagonal; where each nonzero goes
    sunindextype *diagonal;         // per state
} Own;

// --- what the integrator calls -------------------------------------------------------------------

static int residual(double t, N_Vector y, N_Vector slope, N_Vector r, void *user) {
    Multistep *c = user;
    Job *j = c->j;
    const double *x = vector_data(y), *dx = vector_data(slope);
    double *f = vector_data(r);
    int total = j->n + c->unknowns;
    bool finite = true;
    j->m->calls++;
    machine_implicit(j->m, t, x, f);
    for (int i = 0; i < total; i++) finite = finite && isfinite(f[i]);
    if (!finite) job_rates(j, t, x, j->rate, NULL); // notes what is wrong there
    for (int i = 0; i < j->n; i++) f[i] = dx[i] - f[i];
    if (total == 0) f[0] = dx[0]; // a state that keeps still, for quadratures alone
    return finite ? 0 : 1;
}

static int quad_rates(double t, N_Vector y, N_Vector slope, N_Vector dq, void *user) {
    (void)slope;
    Job *j = ((Multistep *)user)->j;
    return job_rates(j, t, vector_data(y), j->rate, vector_data(dq)) ? 0 : 1;
}

static int functions_with_roots(double t, N_Vector y, N_Vector slope, double *event_function,
                                void *user) {
    (void)slope;
    return multistep_event_functions(t, y, event_function, user);
}

static int fill(double t, double weight, N_Vector y, N_Vector slope, N_Vector r, SUNMatrix m,
                void *user, N_Vector a, N_Vector b, N_Vector d) {
    (void)slope, (void)r, (void)a, (void)b, (void)d;
    Multistep *c = user;
    Own *o = c->own;
    const TapePattern *p = &c->j->p->implicit_pattern;
    int n = c->j->n, total = n + c->unknowns > 0 ? n + c->unknowns : 1;
    memcpy(SM_INDEXPTRS_S(m), o->start, ((size_t)total + 1) * sizeof *o->start);
    memcpy(SM_INDEXVALS_S(m), o->row, (size_t)o->start[total] * sizeof *o->row);
    double *value = SM_DATA_S(m);
    memset(value, 0, (size_t)o->start[total] * sizeof *value);
    machine_implicit_jacobian(c->j->m, t, vector_data(y), o->nonzero);
    for (int k = 0; k < p->count; k++) {
        if (!isfinite(o->nonzero[k])) return 1;
        value[o->to[k]] = p->row[k] < n ? -o->nonzero[k] : o->nonzero[k];
    }
    for (int i = 0; i < n; i++) value[o->diagonal[i]] += weight;
    if (n + c->unknowns == 0) value[0] = weight;
    return 0;
}

// --- opening and closing -------------------------------------------------------------------------

static void make_pattern(Multistep *c, Own *o) {
    const TapePattern *p = &c->j->p->implicit_pattern;
    int n = c->j->n, total = n + c->unknowns > 0 ? n + c->unknowns : 1;
    size_t most = (size_t)p->count + (size_t)n + 1;
    o->start = memory_zeroed((size_t)total + 1, sizeof *o->start);
    o->row = memory_zeroed(most, sizeof *o->row);
    o->to = memory_zeroed(most, sizeof *o->to);
    o->diagonal = memory_zeroed((size_t)n, sizeof *o->diagonal);
    o->nonzero = memory_zeroed(most, sizeof *o->nonzero);
    sunindextype next = 0;
    for (int col = 0; col < n + c->unknowns; col++) {
        bool open = col < n; // the diagonal of a state is still to come
        for (int k = p->start[col]; k < p->start[col + 1]; k++) {
            if (open && p->row[k] >= col) {
                o->diagonal[col] = next;
                if (p->row[k] > col) o->row[next++] = col;
                open = false;
            }
            o->to[k] = next;
            o->row[next++] = p->row[k];
        }
        if (open) {
            o->diagonal[col] = next;
            o->row[next++] = col;
        }
        o->start[col + 1] = next;
    }
    if (n + c->unknowns == 0) o->start[1] = 1;
}

static bool open_algebra(Multistep *c, Own *o) {
    int total = c->j->n + c->unknowns > 0 ? c->j->n + c->unknowns : 1;
    make_pattern(c, o);
    o->matrix = SUNSparseMatrix(total, total, o->start[total], CSC_MAT, c->context);
    if (o->matrix) o->solver = SUNLinSol_KLU(c->y, o->matrix, c->context);
    return o->solver && IDASetLinearSolver(c->mem, o->solver, o->matrix) == 0 &&
           IDASetJacFn(c->mem, fill) == 0;
}

// Unknowns and slopes that fit the states.
static bool make_consistent(Multistep *c) {
    Job *j = c->j;
    double *y = vector_data(c->y), *slope = vector_data(c->slope);
    N_VConst(0, c->slope);
    if (!job_rates(j, c->t, y, slope, NULL)) return false;
    if (machine_unknowns(j->m, c->t, y, y + j->n)) return true;
    job_block_failed(j, c->t, y);
    return false;
}

// Chooses the first step. IDA would begin with one in which the slopes move the states by half of
// their tolerances, and double it from there. If such a step is lost in the rounding of the time, a
// longer one is taken.
static void choose_first(Multistep *c) {
    if (c->first_step > 0) return;
    double least = 1000 * events_margin(c->j, c->t);
    multistep_weights(c->y, c->weight, c);
    bool lost = N_VWrmsNorm(c->slope, c->weight) * least > 0.5;
    IDASetInitStep(c->mem, lost ? least : 0);
}

static bool ida_quad_tolerances(Multistep *c) {
    multistep_quad_tolerances(c);
    return IDAQuadSVtolerances(c->mem, c->j->rtol, c->quad_atol) == 0;
}

static bool open_quadratures(Multistep *c) {
    Job *j = c->j;
    if (j->nq == 0) return true;
    return IDAQuadInit(c->mem, quad_rates, c->q) == 0 && ida_quad_tolerances(c) &&
           IDASetQuadErrCon(c->mem, SUNTRUE) == 0;
}

static bool ida_open(Multistep *c) {
    Job *j = c->j;
    Own *o = c->own = memory_zeroed(1, sizeof *o);
    c->mem = IDACreate(c->context);
    if (!c->mem || IDASetErrHandlerFn(c->mem, job_ignore_words, NULL) != 0) return false;
    if (!make_consistent(c)) return false;
    o->id = N_VClone(c->y);
    o->b = N_VClone(c->y);
    o->x = N_VClone(c->y);
    if (!o->id || !o->b || !o->x) return false;
    for (int i = 0; i < j->n + c->unknowns; i++) vector_data(o->id)[i] = i < j->n;
    bool good = IDAInit(c->mem, residual, c->t, c->y, c->slope) == 0 &&
                IDASetUserData(c->mem, c) == 0 && IDAWFtolerances(c->mem, multistep_weights) == 0 &&
                IDASetMaxNumSteps(c->mem, -1) == 0 && IDASetMinStep(c->mem, j->o->min_step) == 0 &&
                IDASetId(c->mem, o->id) == 0 && IDASetSuppressAlg(c->mem, c->unknowns > 0) == 0 &&
                open_algebra(c, o) && open_quadratures(c);
    if (good && j->p->switch_count > 0)
        good = IDARootInit(c->mem, j->p->switch_count, functions_with_roots) == 0 &&
               IDASetNoInactiveRootWarn(c->mem) == 0;
    if (good) choose_first(c);
    return good;
}

static void ida_close(Multistep *c) {
    Own *o = c->own;
    if (c->mem) IDAFree(&c->mem);
    if (!o) return;
    if (o->solver) SUNLinSolFree(o->solver);
    if (o->matrix) SUNMatDestroy(o->matrix);
    if (o->id) N_VDestroy(o->id);
    if (o->b) N_VDestroy(o->b);
    if (o->x) N_VDestroy(o->x);
    free(o->nonzero);
    free(o->start);
    free(o->row);
    free(o->to);
    free(o->diagonal);
    free(o);
    c->own = NULL;
}

static bool ida_restart(Multistep *c) {
    if (!make_consistent(c)) return false;
    bool good = IDAReInit(c->mem, c->t, c->y, c->slope) == 0;
    choose_first(c);
    return c->j->nq ? good && IDAQuadReInit(c->mem, c->q) == 0 : good;
}

// --- stepping ------------------------------------------------------------------------------------

static bool ida_set_stop(Multistep *c, double time) { return IDASetStopTime(c->mem, time) == 0; }
static void ida_set_longest(Multistep *c, double step) { IDASetMaxStep(c->mem, step); }

static void ida_set_first(Multistep *c, double step) { IDASetInitStep(c->mem, step); }

static int ida_step(Multistep *c, double stop) {
    return IDASolve(c->mem, stop, &c->t, c->y, c->slope, IDA_ONE_STEP);
}

static bool ida_value(Multistep *c, double t) { return IDAGetDky(c->mem, t, 0, c->error) == 0; }

static bool ida_slope(Multistep *c, double t) { return IDAGetDky(c->mem, t, 1, c->error) == 0; }

static bool ida_quad_value(Multistep *c, double t) {
    return IDAGetQuadDky(c->mem, t, 0, c->q) == 0;
}

static void ida_quad(Multistep *c) {
    double t;
    IDAGetQuad(c->mem, &t, c->q);
}

static void ida_roots(Multistep *c) { IDAGetRootInfo(c->mem, c->crossed); }

static void ida_count(Multistep *c) {
    SolveStats *s = c->j->stats;
    long steps = 0, failed = 0, unconverged = 0, jacobians = 0, iterations = 0;
    IDAGetNumSteps(c->mem, &steps);
    IDAGetNumErrTestFails(c->mem, &failed);
    IDAGetNumNonlinSolvConvFails(c->mem, &unconverged);
    IDAGetNumNonlinSolvIters(c->mem, &iterations);
    IDAGetNumJacEvals(c->mem, &jacobians);
    s->steps += steps;
    s->rejected += failed + unconverged;
    s->newton_iterations += iterations;
    s->jacobian_calls += jacobians;
}

static void ida_where(Multistep *c, double *time, double *step) {
    IDAGetLastStep(c->mem, step);
    IDAGetCurrentTime(c->mem, time);
}

static bool ida_errors(Multistep *c) {
    return IDAGetEstLocalErrors(c->mem, c->error) == 0 && IDAGetErrWeights(c->mem, c->weight) == 0;
}

// With the factors of the last matrix. Rows of states are c - f_x: c takes the place of 1/gamma.
static bool solve(void *context, const double *b, double *x) {
    Multistep *c = context;
    Own *o = c->own;
    size_t size = (size_t)c->j->n * sizeof *x;
    N_VConst(0, o->b);
    memcpy(vector_data(o->b), b, size);
    bool good = SUNLinSolSolve(o->solver, o->matrix, o->x, o->b, 0) == 0;
    memcpy(x, vector_data(o->x), size);
    return good;
}

static void ida_pass_rounding(Multistep *c) { sizes_pass_rounding(c->j, 1, solve, c); }

static Failure ida_failure(int flag, const char **words) {
    switch (flag) {
    case IDA_TOO_MUCH_ACC:
    case IDA_ERR_FAIL:
    case IDA_CONV_FAIL: return FAILURE_STEP;
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL: return FAILURE_SINGULAR;
    case IDA_RES_FAIL:
    case IDA_REP_RES_ERR: *words = "the equations cannot be evaluated"; break;
    case IDA_RTFUNC_FAIL: *words = "a relation cannot be evaluated"; break;
    default: *words = "an unusual reason"; break;
    }
    return FAILURE_OTHER;
}

const Integrator ida = {
    ida_open,  ida_close, ida_restart, ida_set_stop,        ida_set_longest,   ida_set_first,
    ida_step,  ida_value, ida_slope,   ida_quad_value,      ida_quad,          ida_roots,
    ida_count, ida_where, ida_errors,  ida_quad_tolerances, ida_pass_rounding, ida_failure};
