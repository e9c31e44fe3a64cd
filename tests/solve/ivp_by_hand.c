// CVODE and IDA as their manuals say, with dense or banded matrices by differences.
#include "ivp.h"

#include <cvodes/cvodes.h>
#include <idas/idas.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <time.h>

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int unknowns(const Ivp *p) { return p->total > p->n ? p->total : p->n; }

static int rate(double t, N_Vector y, N_Vector f, void *user) {
    const Ivp *p = user;
    p->rate(t, N_VGetArrayPointer(y), N_VGetArrayPointer(f));
    const double *x = N_VGetArrayPointer(f);
    for (int i = 0; i < unknowns(p); i++)
        if (!isfinite(x[i])) return 1;
    return 0;
}

static int residual(double t, N_Vector y, N_Vector slope, N_Vector r, void *user) {
    const Ivp *p = user;
    p->residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(slope), N_VGetArrayPointer(r));
    const double *x = N_VGetArrayPointer(r);
    for (int i = 0; i < p->total; i++)
        if (!isfinite(x[i])) return 1;
    return 0;
}

typedef struct {
    SUNContext context;
    N_Vector y, slope, id;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    SUNNonlinearSolver fixed_point;
    void *mem;
} Hand;

static void make_matrix(Hand *h, const Ivp *p, int n) {
    h->matrix =
        p->band ? SUNBandMatrix(n, p->band, p->band, h->context) : SUNDenseMatrix(n, n, h->context);
    h->solver = p->band ? SUNLinSol_Band(h->y, h->matrix, h->context)
                        : SUNLinSol_Dense(h->y, h->matrix, h->context);
}

static void open_ode(Hand *h, const Ivp *p, double rtol, double atol) {
    h->mem = CVodeCreate(p->smooth ? CV_ADAMS : CV_BDF, h->context);
    CVodeInit(h->mem, rate, 0, h->y);
    CVodeSetUserData(h->mem, (void *)p);
    CVodeSStolerances(h->mem, rtol, atol);
    CVodeSetMaxNumSteps(h->mem, IVP_MOST_STEPS);
    if (p->smooth) {
        h->fixed_point = SUNNonlinSol_FixedPoint(h->y, 0, h->context);
        CVodeSetNonlinearSolver(h->mem, h->fixed_point);
    } else {
        make_matrix(h, p, unknowns(p));
        CVodeSetLinearSolver(h->mem, h->solver, h->matrix);
    }
}

static void open_dae(Hand *h, const Ivp *p, double rtol, double atol) {
    h->slope = N_VClone(h->y);
    h->id = N_VClone(h->y);
    N_VConst(0, h->slope);
    p->start(N_VGetArrayPointer(h->y), N_VGetArrayPointer(h->slope));
    for (int i = 0; i < p->total; i++) N_VGetArrayPointer(h->id)[i] = i < p->algebraic;
    h->mem = IDACreate(h->context);
    IDAInit(h->mem, residual, 0, h->y, h->slope);
    IDASetUserData(h->mem, (void *)p);
    IDASStolerances(h->mem, rtol, atol);
    IDASetMaxNumSteps(h->mem, IVP_MOST_STEPS);
    make_matrix(h, p, p->total);
    IDASetLinearSolver(h->mem, h->solver, h->matrix);
    IDASetId(h->mem, h->id);
    if (p->algebraic < p->total) IDASetSuppressAlg(h->mem, SUNTRUE);
}

// Up to a time that is hit exactly; at a jump the integrator starts anew.
static bool go(Hand *h, const Ivp *p, double to) {
    double t;
    if (p->residual) {
        IDASetStopTime(h->mem, to);
        return IDASolve(h->mem, to, &t, h->y, h->slope, IDA_NORMAL) >= 0;
    }
    CVodeSetStopTime(h->mem, to);
    return CVode(h->mem, to, h->y, &t, CV_NORMAL) >= 0;
}

static void add_counts(Hand *h, const Ivp *p, IvpRun *run) {
    long steps = 0, calls = 0;
    if (p->residual) {
        IDAGetNumSteps(h->mem, &steps);
        IDAGetNumResEvals(h->mem, &calls);
    } else {
        CVodeGetNumSteps(h->mem, &steps);
        CVodeGetNumRhsEvals(h->mem, &calls);
    }
    run->steps += steps;
    run->calls += calls;
}

static void ignore_words(int code, const char *module, const char *function, char *words,
                         void *user) {
    (void)code, (void)module, (void)function, (void)words, (void)user;
}

IvpRun ivp_by_hand(const Ivp *p, double rtol, double *y) {
    Hand h = {0};
    IvpRun run = {0};
    double begin = cpu_seconds(), atol = p->atol > 0 ? p->atol : rtol;
    SUNContext_Create(NULL, &h.context);
    h.y = N_VNew_Serial(unknowns(p), h.context);
    N_VConst(0, h.y);
    if (p->residual) {
        open_dae(&h, p, rtol, atol);
        IDASetErrHandlerFn(h.mem, ignore_words, NULL);
    } else {
        p->start(N_VGetArrayPointer(h.y), NULL);
        open_ode(&h, p, rtol, atol);
        CVodeSetErrHandlerFn(h.mem, ignore_words, NULL);
    }
    run.done = true;
    if (p->jump > 0) {
        run.done = go(&h, p, p->jump);
        add_counts(&h, p, &run);
        CVodeReInit(h.mem, p->jump * (1 + 1e-15), h.y);
    }
    run.done = run.done && go(&h, p, p->stop);
    add_counts(&h, p, &run);
    run.seconds = cpu_seconds() - begin;
    for (int i = 0; i < p->n; i++) y[i] = N_VGetArrayPointer(h.y)[ivp_component(p, i)];
    if (p->residual)
        IDAFree(&h.mem);
    else
        CVodeFree(&h.mem);
    if (h.solver) SUNLinSolFree(h.solver);
    if (h.matrix) SUNMatDestroy(h.matrix);
    if (h.fixed_point) SUNNonlinSolFree(h.fixed_point);
    if (h.slope) N_VDestroy(h.slope);
    if (h.id) N_VDestroy(h.id);
    N_VDestroy(h.y);
    SUNContext_Free(&h.context);
    return run;
}

double ivp_error(const Ivp *p, const double *y, int *worst) {
    double most = 0;
    *worst = 0;
    for (int i = 0; i < p->n; i++) {
        if (p->died && p->died[i]) continue;
        double error = fabs(y[i] / p->end[i] - 1);
        if (!(error <= most)) most = error, *worst = i;
        if (isnan(error)) return INFINITY;
    }
    return most;
}
