// Variable steps and orders: CVODES, Adams for smooth models and BDF for stiff ones.
//
//   step          one at a time; wanted points inside it come from the method's own polynomial
//   quadratures   integrated beside the states, with their own error control
//   event         the step ends at the zero of a border function, switches change, a new start
//
// A relation that sat exactly on its border when a step began, and turned out to be on its other
// side at the end, was never seen crossing: the step is taken back and done with it switched.
#include "solve/linear.h"

#include "base/memory.h"
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

typedef struct {
    Job *j;
    SUNContext context;
    void *mem;
    N_Vector y, q, weight, error;
    SUNNonlinearSolver fixed_point; // Adams
    Linear linear;                  // BDF
    bool stiff;
    double t;
    int *crossed;
    double back_time; // the beginning of the present step
    double *back_state, *back_quad;
    bool taken_back;
    long steps_at_check;
    double begin;            // of the present stretch without restarts
    double jump, after_jump; // of signals of time: the last time before it, the first behind it
} Cvode;

// --- what the integrator calls -------------------------------------------------------------------

static int rates(double t, N_Vector y, N_Vector dy, void *user) {
    Job *j = user;
    double *rate = N_VGetArrayPointer(dy);
    if (j->n == 0) rate[0] = 0; // a state that keeps still, for quadratures alone
    return job_rates(j, t, N_VGetArrayPointer(y), rate, NULL) ? 0 : 1;
}

static int quad_rates(double t, N_Vector y, N_Vector dq, void *user) {
    Job *j = user;
    return job_rates(j, t, N_VGetArrayPointer(y), j->rate, N_VGetArrayPointer(dq)) ? 0 : 1;
}

static int borders(double t, N_Vector y, double *border, void *user) {
    Job *j = user;
    return machine_switches(j->m, t, N_VGetArrayPointer(y), border) ? 0 : 1;
}

// --- opening and closing -------------------------------------------------------------------------

static N_Vector new_vector(Cvode *c, int length) {
    N_Vector v = N_VNew_Serial(length > 0 ? length : 1, c->context);
    if (v) N_VConst(0, v);
    return v;
}

static bool open_vectors(Cvode *c) {
    Job *j = c->j;
    if (SUNContext_Create(NULL, &c->context) != 0) return false;
    c->y = new_vector(c, j->n);
    c->q = new_vector(c, j->nq);
    c->weight = new_vector(c, j->n);
    c->error = new_vector(c, j->n);
    c->crossed = memory_zeroed((size_t)j->p->switch_count, sizeof *c->crossed);
    c->back_state = memory_zeroed((size_t)j->n, sizeof *c->back_state);
    c->back_quad = memory_zeroed((size_t)j->nq, sizeof *c->back_quad);
    if (!c->y || !c->q || !c->weight || !c->error) return false;
    if (j->n) memcpy(N_VGetArrayPointer(c->y), j->state, (size_t)j->n * sizeof(double));
    return true;
}

static bool open_algebra(Cvode *c) {
    if (c->stiff) {
        c->j->linear = &c->linear;
        return linear_init(&c->linear, c->j, c->mem, c->y, c->context);
    }
    c->fixed_point = SUNNonlinSol_FixedPoint(c->y, 0, c->context);
    return c->fixed_point && CVodeSetNonlinearSolver(c->mem, c->fixed_point) == 0;
}

static bool open_quadratures(Cvode *c) {
    Job *j = c->j;
    if (j->nq == 0) return true;
    return CVodeQuadInit(c->mem, quad_rates, c->q) == 0 &&
           CVodeQuadSStolerances(c->mem, j->rtol, j->atol) == 0 &&
           CVodeSetQuadErrCon(c->mem, SUNTRUE) == 0;
}

static bool set_stop(Cvode *c) {
    c->begin = c->t;
    c->jump = events_next_jump(c->j, c->t, &c->after_jump);
    return CVodeSetStopTime(c->mem, fmin(c->j->o->stop, c->jump)) == 0;
}

// An integrator that begins at c->t, c->y, c->q.
static bool open_integrator(Cvode *c) {
    Job *j = c->j;
    c->mem = CVodeCreate(c->stiff ? CV_BDF : CV_ADAMS, c->context);
    if (!c->mem || CVodeSetErrHandlerFn(c->mem, job_ignore_words, NULL) != 0) return false;
    bool good = CVodeInit(c->mem, rates, c->t, c->y) == 0 && CVodeSetUserData(c->mem, j) == 0 &&
                CVodeSStolerances(c->mem, j->rtol, j->atol) == 0 &&
                CVodeSetMaxNumSteps(c->mem, -1) == 0 &&
                CVodeSetMaxStep(c->mem, events_longest_step(j, c->t)) == 0 && set_stop(c) &&
                open_algebra(c) && open_quadratures(c);
    if (good && j->p->switch_count > 0)
        good = CVodeRootInit(c->mem, j->p->switch_count, borders) == 0 &&
               CVodeSetNoInactiveRootWarn(c->mem) == 0;
    return good;
}

static void close_integrator(Cvode *c) {
    if (c->mem) CVodeFree(&c->mem);
    if (c->fixed_point) SUNNonlinSolFree(c->fixed_point);
    c->fixed_point = NULL;
    linear_free(&c->linear);
    c->j->linear = NULL;
}

static void close_all(Cvode *c) {
    close_integrator(c);
    if (c->y) N_VDestroy(c->y);
    if (c->q) N_VDestroy(c->q);
    if (c->weight) N_VDestroy(c->weight);
    if (c->error) N_VDestroy(c->error);
    free(c->crossed);
    free(c->back_state);
    free(c->back_quad);
    if (c->context) SUNContext_Free(&c->context);
}

// --- statistics ----------------------------------------------------------------------------------

// Counters begin anew with every start of the integrator.
static void collect(Cvode *c) {
    SolveStats *s = c->j->stats;
    long steps = 0, failed = 0, unconverged = 0, jacobians = 0, iterations = 0;
    CVodeGetNumSteps(c->mem, &steps);
    CVodeGetNumErrTestFails(c->mem, &failed);
    CVodeGetNumNonlinSolvConvFails(c->mem, &unconverged);
    CVodeGetNumNonlinSolvIters(c->mem, &iterations);
    if (c->linear.solver) CVodeGetNumJacEvals(c->mem, &jacobians);
    s->steps += steps;
    s->rejected += failed + unconverged;
    s->newton_iterations += iterations;
    s->jacobian_calls += jacobians;
}

static bool restart(Cvode *c) {
    collect(c);
    bool good = CVodeReInit(c->mem, c->t, c->y) == 0;
    if (c->j->nq) good = good && CVodeQuadReInit(c->mem, c->q) == 0;
    return good && set_stop(c);
}

// --- failure -------------------------------------------------------------------------------------

static int worst_state(Cvode *c) {
    if (c->j->n == 0 || CVodeGetEstLocalErrors(c->mem, c->error) != 0 ||
        CVodeGetErrWeights(c->mem, c->weight) != 0)
        return -1;
    const double *error = N_VGetArrayPointer(c->error), *weight = N_VGetArrayPointer(c->weight);
    int worst = 0;
    for (int i = 1; i < c->j->n; i++)
        if (fabs(error[i] * weight[i]) > fabs(error[worst] * weight[worst])) worst = i;
    return worst;
}

static void fail(Cvode *c, int flag) {
    Job *j = c->j;
    double step = 0, now = c->t;
    CVodeGetLastStep(c->mem, &step);
    CVodeGetCurrentTime(c->mem, &now);
    if (job_in_trouble(j)) {
        problem_trouble(j);
        return;
    }
    switch (flag) {
    case CV_TOO_MUCH_ACC:
    case CV_ERR_FAILURE:
    case CV_CONV_FAILURE: problem_step(j, now, step, worst_state(c)); break;
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL: problem_singular(j, now); break;
    default: {
        char *words = CVodeGetReturnFlagName(flag);
        problem_solver(j, now, words ? words : "unknown", flag);
        free(words);
    }
    }
}

// --- stepping ------------------------------------------------------------------------------------

// The states and quadratures at a time within the last step.
static bool interpolate(Cvode *c, double t) {
    Job *j = c->j;
    if (CVodeGetDky(c->mem, t, 0, c->error) != 0) return false;
    if (j->n) memcpy(j->state, N_VGetArrayPointer(c->error), (size_t)j->n * sizeof(double));
    if (j->nq == 0) return true;
    if (CVodeGetQuadDky(c->mem, t, 0, c->q) != 0) return false;
    memcpy(j->quad, N_VGetArrayPointer(c->q), (size_t)j->nq * sizeof(double));
    return true;
}

static bool emit_up_to(Cvode *c, double t) {
    Job *j = c->j;
    while (job_wants(j, t)) {
        double wanted = j->o->times[j->next];
        if (wanted > j->o->start && !interpolate(c, wanted)) {
            problem_solver(j, wanted, "no value between steps", 0);
            return false;
        }
        if (!job_emit(j, wanted, j->state, j->quad)) return false;
    }
    return true;
}

static void copy_point(Cvode *c) {
    Job *j = c->j;
    if (j->n) memcpy(j->state, N_VGetArrayPointer(c->y), (size_t)j->n * sizeof(double));
    if (j->nq) memcpy(j->quad, N_VGetArrayPointer(c->q), (size_t)j->nq * sizeof(double));
}

// Wanted times may lie behind the end by rounding.
static bool emit_rest(Cvode *c) {
    Job *j = c->j;
    copy_point(c);
    while (j->next < j->o->time_count)
        if (!job_emit(j, j->o->times[j->next], j->state, j->quad)) return false;
    return true;
}

static void get_quad(Cvode *c) {
    double t;
    if (c->j->nq) CVodeGetQuad(c->mem, &t, c->q);
}

static void remember(Cvode *c) {
    Job *j = c->j;
    if (j->p->switch_count == 0) return;
    c->back_time = c->t;
    if (j->n) memcpy(c->back_state, N_VGetArrayPointer(c->y), (size_t)j->n * sizeof(double));
    if (j->nq) memcpy(c->back_quad, N_VGetArrayPointer(c->q), (size_t)j->nq * sizeof(double));
}

static void take_back(Cvode *c) {
    Job *j = c->j;
    c->t = c->back_time;
    if (j->n) memcpy(N_VGetArrayPointer(c->y), c->back_state, (size_t)j->n * sizeof(double));
    if (j->nq) memcpy(N_VGetArrayPointer(c->q), c->back_quad, (size_t)j->nq * sizeof(double));
    c->taken_back = true;
}

// Did one of the crossed switches begin the step exactly on its border?
static bool began_on_border(Cvode *c) {
    Job *j = c->j;
    if (!machine_switches(j->m, c->back_time, c->back_state, j->border)) return false;
    for (int i = 0; i < j->p->switch_count; i++)
        if (c->crossed[i] && j->border[i] == 0) return true;
    return false;
}

static bool change_switches(Cvode *c) {
    if (!events_cross(c->j, c->t, N_VGetArrayPointer(c->y), c->crossed)) return false;
    if (restart(c)) return true;
    problem_solver(c->j, c->t, "no new start after an event", 0);
    return false;
}

// Other states, if those that are chosen have become bad: then a new start.
static bool choose_states(Cvode *c) {
    bool changed;
    if (c->t >= c->j->o->stop) return true;
    if (!job_choose(c->j, c->t, N_VGetArrayPointer(c->y), &changed)) return false;
    if (!changed || restart(c)) return true;
    problem_solver(c->j, c->t, "no new start with other states", 0);
    return false;
}

// After a step: events, wanted points, a new start if need be. False: the run is over.
static bool after_step(Cvode *c, int flag) {
    Job *j = c->j;
    bool event = flag == CV_ROOT_RETURN;
    get_quad(c);
    if (event) {
        CVodeGetRootInfo(c->mem, c->crossed);
    } else if (j->p->switch_count > 0) {
        event = events_missed(j, c->t, N_VGetArrayPointer(c->y), c->crossed);
        if (event && !c->taken_back && began_on_border(c)) {
            take_back(c);
            return change_switches(c);
        }
    }
    c->taken_back = false;
    if (!emit_up_to(c, events_before(j, c->t, c->jump))) return false;
    get_quad(c); // emitting used the vector
    if (event && c->t < j->o->stop && !change_switches(c)) return false;
    return choose_states(c);
}

// Over a jump of a signal of time: the states stay, the integrator starts anew behind it.
static bool step_over_jump(Cvode *c) {
    Job *j = c->j;
    while (c->t >= c->jump) {
        c->t = c->after_jump;
        if (!events_jump(j, c->t, N_VGetArrayPointer(c->y))) return false;
        copy_point(c);
        while (job_wants(j, c->t + events_margin(j, c->t)))
            if (!job_emit(j, j->o->times[j->next], j->state, j->quad)) return false;
        if (!restart(c)) {
            problem_solver(j, c->t, "no new start after a jump", 0);
            return false;
        }
        if (!job_poll(j, c->t)) return false;
    }
    return true;
}

// Fast decays have died out since the last start, and still steps are not long against them.
static bool is_held_back(Cvode *c) {
    double step = 0, decay = job_stiffness(c->j, c->t, N_VGetArrayPointer(c->y));
    CVodeGetLastStep(c->mem, &step);
    return decay * (c->t - c->begin) > 30 && decay * step > 0.03;
}

// A model that looked smooth at the start may turn out stiff.
static bool watch_stiffness(Cvode *c) {
    Job *j = c->j;
    enum { STEPS = 500 };
    if (j->o->method != SOLVER_AUTO || c->stiff || j->polls - c->steps_at_check < STEPS)
        return true;
    c->steps_at_check = j->polls;
    if (!is_held_back(c)) return true;
    collect(c);
    close_integrator(c);
    c->stiff = true;
    j->stats->method = SOLVER_CVODE_BDF;
    j->stats->why = "the model turned out stiff: its steps were held back by a fast decay";
    if (open_integrator(c)) return true;
    problem_solver(j, c->t, "no change of method", 0);
    return false;
}

// Events at the start may have changed the state.
static bool begin(Cvode *c) {
    if (!has_whens(c->j)) return true;
    copy_point(c);
    if (restart(c)) return true;
    problem_solver(c->j, c->t, "no start after an event", 0);
    return false;
}

static void integrate(Cvode *c) {
    Job *j = c->j;
    double stop = j->o->stop;
    if (!events_start(j, c->t, N_VGetArrayPointer(c->y)) || !begin(c)) return;
    if (!emit_up_to(c, c->t) || !step_over_jump(c)) return;
    while (c->t < stop) {
        remember(c);
        if (has_whens(j)) CVodeSetMaxStep(c->mem, events_longest_step(j, c->t));
        int flag = CVode(c->mem, stop, c->y, &c->t, CV_ONE_STEP);
        if (flag < 0 || job_is_stuck(j, c->t)) {
            fail(c, flag < 0 ? flag : CV_CONV_FAILURE);
            return;
        }
        CVodeGetLastStep(c->mem, &j->stats->last_step);
        if (!after_step(c, flag) || !step_over_jump(c)) return;
        if (!job_poll(j, c->t) || !watch_stiffness(c)) return;
    }
    emit_rest(c);
}

void cvode_run(Job *j, bool stiff) {
    Cvode c = {.j = j, .stiff = stiff, .t = j->o->start};
    if (open_vectors(&c) && open_integrator(&c)) {
        integrate(&c);
        collect(&c);
    } else {
        problem_solver(j, c.t, "it could not be set up", 0);
    }
    close_all(&c);
}
