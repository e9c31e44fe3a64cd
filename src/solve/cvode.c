// CVODES: Adams for smooth models, BDF for stiff ones.
#include "solve/multistep.h"

#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { MOST_FAILURES = 30 }; // of a step, in a row

static int rates(double t, N_Vector y, N_Vector dy, void *user) {
    Job *j = ((Multistep *)user)->j;
    double *rate = vector_data(dy);
    if (j->n == 0) rate[0] = 0; // a state that keeps still, for quadratures alone
    return job_rates(j, t, vector_data(y), rate, NULL) ? 0 : 1;
}

static int quad_rates(double t, N_Vector y, N_Vector dq, void *user) {
    Job *j = ((Multistep *)user)->j;
    return job_rates(j, t, vector_data(y), j->rate, vector_data(dq)) ? 0 : 1;
}

static bool open_algebra(Multistep *c) {
    if (c->how == &cvode_bdf) return linear_init(&c->linear, c->j, c->mem, c->y, c->context);
    c->fixed_point = SUNNonlinSol_FixedPoint(c->y, 0, c->context);
    return c->fixed_point && CVodeSetNonlinearSolver(c->mem, c->fixed_point) == 0;
}

static bool cvode_quad_tolerances(Multistep *c) {
    multistep_quad_tolerances(c);
    return CVodeQuadSVtolerances(c->mem, c->j->rtol, c->quad_atol) == 0;
}

static bool open_quadratures(Multistep *c) {
    Job *j = c->j;
    if (j->nq == 0) return true;
    return CVodeQuadInit(c->mem, quad_rates, c->q) == 0 && cvode_quad_tolerances(c) &&
           CVodeSetQuadErrCon(c->mem, SUNTRUE) == 0;
}

static bool cvode_open(Multistep *c) {
    Job *j = c->j;
    c->mem = CVodeCreate(c->how == &cvode_bdf ? CV_BDF : CV_ADAMS, c->context);
    if (!c->mem || CVodeSetErrHandlerFn(c->mem, job_ignore_words, NULL) != 0) return false;
    // a state that rises from zero as t^3 wants a first step that is shorter by many decades
    bool good =
        CVodeInit(c->mem, rates, c->t, c->y) == 0 && CVodeSetUserData(c->mem, c) == 0 &&
        CVodeWFtolerances(c->mem, multistep_weights) == 0 && CVodeSetMaxNumSteps(c->mem, -1) == 0 &&
        CVodeSetMinStep(c->mem, j->o->min_step) == 0 &&
        CVodeSetMaxErrTestFails(c->mem, MOST_FAILURES) == 0 &&
        CVodeSetMaxConvFails(c->mem, MOST_FAILURES) == 0 && open_algebra(c) && open_quadratures(c);
    if (good && j->p->switch_count > 0)
        good = CVodeRootInit(c->mem, j->p->switch_count, multistep_event_functions) == 0 &&
               CVodeSetNoInactiveRootWarn(c->mem) == 0;
    return good;
}

static void cvode_close(Multistep *c) {
    if (c->mem) CVodeFree(&c->mem);
    if (c->fixed_point) SUNNonlinSolFree(c->fixed_point);
    c->fixed_point = NULL;
    linear_free(&c->linear);
}

static bool cvode_restart(Multistep *c) {
    bool good = CVodeReInit(c->mem, c->t, c->y) == 0;
    return c->j->nq ? good && CVodeQuadReInit(c->mem, c->q) == 0 : good;
}

static bool cvode_set_stop(Multistep *c, double time) {
    return CVodeSetStopTime(c->mem, time) == 0;
}

static void cvode_set_longest(Multistep *c, double step) { CVodeSetMaxStep(c->mem, step); }

static void cvode_set_first(Multistep *c, double step) { CVodeSetInitStep(c->mem, step); }

static int cvode_step(Multistep *c, double stop) {
    return CVode(c->mem, stop, c->y, &c->t, CV_ONE_STEP);
}

static bool cvode_value(Multistep *c, double t) { return CVodeGetDky(c->mem, t, 0, c->error) == 0; }

static bool cvode_slope(Multistep *c, double t) { return CVodeGetDky(c->mem, t, 1, c->error) == 0; }

static bool cvode_quad_value(Multistep *c, double t) {
    return CVodeGetQuadDky(c->mem, t, 0, c->q) == 0;
}

static void cvode_quad(Multistep *c) {
    double t;
    CVodeGetQuad(c->mem, &t, c->q);
}

static void cvode_roots(Multistep *c) { CVodeGetRootInfo(c->mem, c->crossed); }

static void cvode_count(Multistep *c) {
    SolveStats *s = c->j->stats;
    long steps = 0, failed = 0, unconverged = 0, iterations = 0;
    CVodeGetNumSteps(c->mem, &steps);
    CVodeGetNumErrTestFails(c->mem, &failed);
    CVodeGetNumNonlinSolvConvFails(c->mem, &unconverged);
    CVodeGetNumNonlinSolvIters(c->mem, &iterations);
    s->steps += steps;
    s->rejected += failed + unconverged;
    s->newton_iterations += iterations;
}

static void cvode_where(Multistep *c, double *time, double *step) {
    CVodeGetLastStep(c->mem, step);
    CVodeGetCurrentTime(c->mem, time);
}

static bool cvode_errors(Multistep *c) {
    return CVodeGetEstLocalErrors(c->mem, c->error) == 0 &&
           CVodeGetErrWeights(c->mem, c->weight) == 0;
}

static void cvode_pass_rounding(Multistep *c) {
    if (c->linear.b) linear_pass_rounding(&c->linear, c->mem);
}

static Failure cvode_failure(int flag, const char **words) {
    switch (flag) {
    case CV_TOO_MUCH_ACC:
    case CV_ERR_FAILURE:
    case CV_CONV_FAILURE: return FAILURE_STEP;
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL: return FAILURE_SINGULAR;
    case CV_RHSFUNC_FAIL: *words = "the rates cannot be evaluated"; break;
    case CV_RTFUNC_FAIL: *words = "a relation cannot be evaluated"; break;
    default: *words = "an unusual reason"; break;
    }
    return FAILURE_OTHER;
}

#define CVODE_FUNCTIONS                                                                            \
    cvode_open, cvode_close, cvode_restart, cvode_set_stop, cvode_set_longest, cvode_set_first,    \
        cvode_step, cvode_value, cvode_slope, cvode_quad_value, cvode_quad, cvode_roots,           \
        cvode_count, cvode_where, cvode_errors, cvode_quad_tolerances, cvode_pass_rounding,        \
        cvode_failure

const Integrator cvode_adams = {CVODE_FUNCTIONS};
const Integrator cvode_bdf = {CVODE_FUNCTIONS};
