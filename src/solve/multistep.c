// Variable steps and orders: what CVODES (cvode.c) and IDAS (ida.c) have in common.
//
//   step          one at a time; wanted points inside it come from the method's own polynomial
//   quadratures   integrated beside the states, with their own error control
//   event         the step ends at the zero of an event function, switches change, a new start
//
// A relation that sat exactly at its zero when a step began, and turned out to be on its other
// side at the end, was never seen crossing: the step is taken back and done with it switched.
#include "solve/multistep.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "engine/branch.h"
#include "solve/vectors.h"
#include <math.h>
#include <string.h>

int multistep_event_functions(double t, N_Vector y, double *event_function, void *user) {
    Job *j = ((Multistep *)user)->j;
    return event_functions(j, t, vector_data(y), event_function) ? 0 : 1;
}

int multistep_weights(N_Vector y, N_Vector weight, void *user) {
    const Multistep *c = user;
    const double *x = vector_data(y);
    double *w = vector_data(weight);
    w[0] = 1; // a state that keeps still
    sizes_weights(c->j, x, w);
    for (int i = 0; i < c->j->n; i++) w[i] = smaller(JOB_MOST_WEIGHT, w[i]);
    if (c->unknowns) sizes_unknown_weights(c->j, x + c->j->n, w + c->j->n);
    return 0;
}

void multistep_quad_tolerances(Multistep *c) {
    double *atol = vector_data(c->quad_atol);
    for (int i = 0; i < c->j->nq; i++)
        atol[i] = fmax(sizes_quad_tolerance(c->j, i), 1 / JOB_MOST_WEIGHT);
}

// --- opening and closing -------------------------------------------------------------------------

static N_Vector new_vector(Multistep *c, int length) {
    return vectors_new(length > 0 ? length : 1, c->context);
}

static bool open_vectors(Multistep *c) {
    Job *j = c->j;
    if (SUNContext_Create(NULL, &c->context) != 0) return false;
    c->y = new_vector(c, j->n + c->unknowns);
    c->slope = new_vector(c, j->n + c->unknowns);
    c->q = new_vector(c, j->nq);
    c->quad_atol = new_vector(c, j->nq);
    c->weight = new_vector(c, j->n + c->unknowns);
    c->error = new_vector(c, j->n + c->unknowns);
    c->crossed = memory_zeroed((size_t)j->p->switch_count, sizeof *c->crossed);
    c->inside = memory_zeroed((size_t)j->p->switch_count, sizeof *c->inside);
    c->back_state = memory_zeroed((size_t)j->n, sizeof *c->back_state);
    c->back_quad = memory_zeroed((size_t)j->nq, sizeof *c->back_quad);
    bend_open(c);
    if (!c->y || !c->slope || !c->q || !c->weight || !c->error || !c->quad_atol) return false;
    if (j->n) memcpy(vector_data(c->y), j->state, (size_t)j->n * sizeof(double));
    if (j->nq) memcpy(vector_data(c->q), j->quad, (size_t)j->nq * sizeof(double));
    return true;
}

static bool set_stop(Multistep *c) {
    c->begin = c->t;
    c->longest = 0;
    c->jump = events_next_jump(c->j, c->t, &c->after_jump);
    if (c->jump - c->t <= events_margin(c->j, c->t)) c->jump = c->t; // too close to begin with
    c->fresh = true;
    return c->how->set_stop(c, fmin(c->j->o->stop, c->jump));
}

// Steps of these methods grow tenfold at most, but the first one is of any length.
static void look_ahead(Multistep *c) {
    Job *j = c->j;
    double longest = 0, target = fmin(j->o->stop, c->jump);
    if (has_whens(j) || has_modes(j) || j->history || j->scout) {
        longest = events_longest_step(j, c->t, vector_data(c->y));
        c->how->set_longest(c, longest);
    }
    if (!j->scout) return;
    double proposed = c->fresh ? INFINITY : 10 * j->stats->last_step;
    double ahead = scout_ahead(j, c->t, target, longest > 0 ? fmin(proposed, longest) : proposed);
    c->fresh = false;
    c->how->set_stop(c, fmin(target, ahead));
}

static bool open_integrator(Multistep *c) {
    sizes_start(c->j, c->t, vector_data(c->y));
    if (!c->how->open(c) || !set_stop(c)) return false;
    c->how->set_longest(c, events_longest_step(c->j, c->t, vector_data(c->y)));
    return true;
}

static void close_integrator(Multistep *c) { c->how->close(c); }

static void close_all(Multistep *c) {
    close_integrator(c);
    if (c->y) N_VDestroy(c->y);
    if (c->slope) N_VDestroy(c->slope);
    if (c->q) N_VDestroy(c->q);
    if (c->quad_atol) N_VDestroy(c->quad_atol);
    if (c->weight) N_VDestroy(c->weight);
    if (c->error) N_VDestroy(c->error);
    free(c->crossed);
    free(c->inside);
    free(c->back_state);
    free(c->back_quad);
    free(c->bend);
    if (c->context) SUNContext_Free(&c->context);
}

// Counters begin anew with every start of the integrator.
static bool restart(Multistep *c) {
    c->how->count(c);
    sizes_start(c->j, c->t, vector_data(c->y));
    if (c->j->nq && !c->how->quad_tolerances(c)) return false;
    return c->how->restart(c) && set_stop(c);
}

// --- failure -------------------------------------------------------------------------------------

static int worst_state(Multistep *c) {
    if (c->j->n == 0 || !c->how->errors(c)) return -1;
    const double *error = vector_data(c->error), *weight = vector_data(c->weight);
    double most = fabs(error[0] * weight[0]);
    int worst = 0;
    for (int i = 1; i < c->j->n; i++) {
        double now = fabs(error[i] * weight[i]);
        if (now > most) worst = i, most = now;
    }
    return worst;
}

// Loops that are left implicit: does one have no solution on its branch a little later on? That is
// noted, or reported.
static bool loops_end(Multistep *c, bool report) {
    Job *j = c->j;
    if (!c->unknowns) return false;
    const double *x = vector_data(c->y), *slope = vector_data(c->slope);
    double ahead = 1e-10 * j->span;
    for (int tries = 0; tries < 7; tries++) {
        ahead *= 10;
        for (int i = 0; i < j->n; i++) j->later[i] = x[i] + ahead * slope[i];
        if (!report && !job_rates(j, c->t + ahead, j->later, j->rate, NULL)) return true;
        if (!report) continue;
        if (machine_unknowns(j->m, c->t + ahead, j->later, vector_data(c->error))) continue;
        job_block_failed(j, c->t + ahead, j->later);
        return true;
    }
    return false;
}

static void fail(Multistep *c, int flag) {
    Job *j = c->j;
    double step = 0, now = c->t;
    c->how->where(c, &now, &step);
    if (job_in_trouble(j)) {
        problem_trouble(j);
        return;
    }
    if (loops_end(c, true)) return;
    const char *words = "unknown";
    switch (flag ? c->how->failure(flag, &words) : FAILURE_STEP) {
    case FAILURE_STEP: problem_step(j, now, step, worst_state(c)); break;
    case FAILURE_SINGULAR: problem_singular(j, now); break;
    case FAILURE_OTHER: problem_solver(j, now, words, flag); break;
    }
}

// --- stepping ------------------------------------------------------------------------------------

// The states and quadratures at a time within the last step.
static bool interpolate(Multistep *c, double t) {
    Job *j = c->j;
    if (!c->how->value(c, t)) return false;
    if (j->n) memcpy(j->state, vector_data(c->error), (size_t)j->n * sizeof(double));
    if (j->nq == 0) return true;
    c->quad_is_elsewhere = true;
    if (!c->how->quad_value(c, t)) return false;
    memcpy(j->quad, vector_data(c->q), (size_t)j->nq * sizeof(double));
    return true;
}

static bool emit_up_to(Multistep *c, double t) {
    Job *j = c->j;
    while (job_wants(j, t)) {
        double wanted = j->wanted;
        if (wanted > j->time && !interpolate(c, wanted)) {
            problem_solver(j, wanted, "no value between steps", 0);
            return false;
        }
        if (!job_emit(j, wanted, j->state, j->quad)) return false;
    }
    return true;
}

static void copy_point(Multistep *c) {
    Job *j = c->j;
    if (j->n) memcpy(j->state, vector_data(c->y), (size_t)j->n * sizeof(double));
    if (j->nq) memcpy(j->quad, vector_data(c->q), (size_t)j->nq * sizeof(double));
}

// Wanted times may lie behind the end by rounding.
static bool emit_rest(Multistep *c) {
    Job *j = c->j;
    copy_point(c);
    while (isfinite(j->wanted))
        if (!job_emit(j, j->wanted, j->state, j->quad)) return false;
    return true;
}

static void get_quad(Multistep *c) {
    if (c->j->nq && c->quad_is_elsewhere) c->how->quad(c);
    c->quad_is_elsewhere = false;
}

static void remember(Multistep *c) {
    Job *j = c->j;
    bool looked_back = j->p->switch_count > 0 || j->m->branch || j->o->inside_step || j->history;
    if (!looked_back && c->how != &cvode_adams) return;
    get_quad(c);
    c->back_time = c->t;
    if (j->n) memcpy(c->back_state, vector_data(c->y), (size_t)j->n * sizeof(double));
    if (j->nq) memcpy(c->back_quad, vector_data(c->q), (size_t)j->nq * sizeof(double));
}

static void take_back(Multistep *c) {
    Job *j = c->j;
    c->t = c->back_time;
    if (j->n) memcpy(vector_data(c->y), c->back_state, (size_t)j->n * sizeof(double));
    if (j->nq) memcpy(vector_data(c->q), c->back_quad, (size_t)j->nq * sizeof(double));
    c->taken_back = true;
}

// Did one of the crossed switches begin the step exactly at its zero?
static bool began_at_zero(Multistep *c) {
    Job *j = c->j;
    if (!event_functions(j, c->back_time, c->back_state, j->event_function)) return false;
    for (int i = 0; i < j->p->switch_count; i++)
        if (c->crossed[i] && j->event_function[i] == 0) return true;
    return false;
}

static bool change_switches(Multistep *c, bool may_go_on) {
    bool goes_on = may_go_on && bend_before(c);
    double *y = vector_data(c->y);
    machine_release_branch(c->j->m);
    if (!events_cross(c->j, c->t, y, c->crossed) || !history_break(c->j, c->t, y)) return false;
    if (c->j->when.ending) {
        copy_point(c);
        return job_emit(c->j, c->t, c->j->state, c->j->quad);
    }
    if ((goes_on && bend_is_slight(c)) || restart(c)) return true;
    problem_solver(c->j, c->t, "no new start after an event", 0);
    return false;
}

// What the method knows of the time before a kink is of no use behind it; and where an event
// function function came to rest on its zero, its search for zeros begins anew.
static bool pass_kink(Multistep *c, bool rests) {
    bool kink = rests || scout_passes(c->j, c->t);
    if (!kink || c->t >= c->j->o->stop || restart(c)) return true;
    problem_solver(c->j, c->t, "no new start behind a kink", 0);
    return false;
}

// If the present choice of states has become bad, changes it and starts anew.
static bool choose_states(Multistep *c) {
    bool changed;
    if (c->t >= c->j->o->stop) return true;
    if (!job_choose(c->j, c->t, vector_data(c->y), &changed)) return false;
    if (!changed || restart(c)) return true;
    problem_solver(c->j, c->t, "no new start with other states", 0);
    return false;
}

static bool inside_at(void *context, double time, bool roughly, double *state) {
    Multistep *c = context;
    (void)roughly;
    if (!c->how->value(c, time)) return false;
    if (c->j->n) memcpy(state, vector_data(c->error), (size_t)c->j->n * sizeof *state);
    return true;
}

// Where there is hardly any error nothing may have held the step back.
static bool has_no_error(Multistep *c) {
    const double little = 0.02;
    if (c->j->n && !c->how->errors(c)) return false;
    const double *error = vector_data(c->error), *weight = vector_data(c->weight);
    for (int i = 0; i < c->j->n; i++)
        if (fabs(error[i] * weight[i]) >= little) return false;
    return true;
}

// A relation that changed and changed back: the step ends where it did. Where nothing changes it was only too long.
static bool ends_inside(Multistep *c) {
    Job *j = c->j;
    double time;
    const double short_step = 1e-3; // of the run
    StepInside in = {c->back_state, vector_data(c->y), inside_at, c, false};
    bool stiff = c->how != &cvode_adams && j->enclosure;
    // Where errors hold steps of stiff methods back, and these are short, eight points see what lasts for 1e-4 of the run.
    if (stiff) enclosure_sleep(j, c->t - c->back_time < short_step * j->span && !has_no_error(c));
    if (!between_find(j, c->back_time, c->t, &in, c->inside, &time)) return false;
    if (!between_is_cut(j)) time = between_narrow(j, c->back_time, time, &in, c->inside);
    if (!c->how->value(c, time)) return false;
    N_VScale(1, c->error, c->y);
    c->t = time;
    memcpy(c->crossed, c->inside, (size_t)j->p->switch_count * sizeof *c->crossed);
    return true;
}

// Loops stay on their branch from the accepted point on.
static void keep_branch(Multistep *c) {
    Job *j = c->j;
    if (!j->m->branch || machine_keep_branch(j->m, c->t, vector_data(c->y))) return;
    machine_release_branch(j->m);
    machine_keep_branch(j->m, c->t, vector_data(c->y));
}

// Where a loop folds the run goes on with its other solution. Where there is none, or no fold, with
// whatever Newton's method finds.
static bool pass_fold(Multistep *c) {
    Job *j = c->j;
    double step = 0, now = c->t, *y = vector_data(c->y);
    if (!j->m->branch) return false;
    c->how->where(c, &now, &step);
    get_quad(c);
    if (!job_in_trouble(j)) loops_end(c, false);
    bool passed = fold_pass(j, &c->t, y, vector_data(c->q), step);
    if (!passed && c->unknowns) return false;
    if (!passed) machine_close_branch(j->m);
    if (!history_break(j, c->t, y)) return false;
    copy_point(c);
    while (job_wants(j, c->t))
        if (!job_emit(j, j->wanted, j->state, j->quad)) return false;
    return restart(c);
}

// A method whose own variables are the unknowns may pass over a fold: the step is taken back.
static bool left_branch(Multistep *c) {
    Job *j = c->j;
    const double *y = vector_data(c->y);
    if (!c->unknowns || !j->m->branch || job_rates(j, c->t, y, j->rate, NULL)) return false;
    take_back(c);
    c->taken_back = c->quad_is_elsewhere = false;
    return true;
}

// --- what a long step did not see ----------------------------------------------------------------

// How far the rates at a point inside of the step are from the slope of its polynomial, over the
// step, in tolerances.
static double slope_defect(Multistep *c, double t) {
    Job *j = c->j;
    const Program *p = j->p;
    double *unknown = j->m->reg + p->first_unknown, worst = 0;
    if (!c->how->value(c, t)) return 0;
    memcpy(j->later, vector_data(c->error), (size_t)j->n * sizeof(double));
    if (p->unknown_count) memcpy(j->unknown, unknown, p->unknown_count * sizeof *unknown);
    long count = j->m->calls;
    bool good = machine_branch_derivative(j->m, t, j->later, j->rate, NULL);
    j->m->calls = count;
    if (p->unknown_count) memcpy(unknown, j->unknown, p->unknown_count * sizeof *unknown);
    multistep_weights(c->y, c->weight, c);
    if (!good || !c->how->slope(c, t)) return 0;
    const double *slope = vector_data(c->error), *weight = vector_data(c->weight);
    for (int i = 0; i < j->n; i++) worst = fmax(worst, fabs(slope[i] - j->rate[i]) * weight[i]);
    return worst * (c->t - c->back_time);
}

// Adams' method looks at the end of a step only. Where rates were constant for a while its steps
// grow tenfold each time, and a law that bends on the way and bends back (abs, min, max of states)
// is not seen from there. So the middle of steps that have grown, and points where events end a
// step, are looked at, too; what does not fit is done again with a shorter step. Where that happens
// again and again, the method is at the edge of its stability, and nothing was passed over.
static bool saw_too_little(Multistep *c, bool event) {
    Job *j = c->j;
    enum { MOST_DEFECT = 1000, MOST_DOUBTS = 50, PER_STEPS = 1000 };
    double step = c->t - c->back_time, middle = c->back_time + step / 2;
    if (c->how != &cvode_adams || j->n == 0 || !(step > 1e6 * events_margin(j, c->t))) return false;
    double known = c->longest;
    bool grown = step > 4 * known;
    c->longest = fmax(c->longest, step);
    if (c->doubts > MOST_DOUBTS + c->steps++ / PER_STEPS) return false;
    if (!(event && slope_defect(c, c->t) > MOST_DEFECT) &&
        !(grown && slope_defect(c, middle) > MOST_DEFECT))
        return false;
    c->doubts++;
    take_back(c);
    c->taken_back = c->quad_is_elsewhere = false;
    c->first_step = fmax(known, 1e-3 * step);
    c->how->set_first(c, c->first_step);
    return true;
}

// After a step: events, wanted points, a new start if need be. False: the run is over.
static bool after_step(Multistep *c, int flag) {
    Job *j = c->j;
    bool inside = ends_inside(c), event = inside && !between_is_cut(j);
    get_quad(c);
    if (flag == ROOT_FOUND && !inside) {
        c->how->roots(c);
        event = events_leave(j, c->t, vector_data(c->y), c->crossed);
    } else if (!event && j->p->switch_count > 0) {
        event = events_missed(j, c->t, vector_data(c->y), c->crossed);
        if (event && !c->taken_back && began_at_zero(c)) {
            take_back(c);
            return change_switches(c, false);
        }
    }
    c->taken_back = false;
    StepInside in = {c->back_state, vector_data(c->y), inside_at, c, false};
    history_inside(j, c->back_time, c->t, &in);
    if (!history_add(j, c->t, vector_data(c->y))) return false;
    if (!emit_up_to(c, events_before(j, c->t, c->jump))) return false;
    peaks_look(j, c->back_time, c->t, 2, &in);
    get_quad(c); // emitting used the vector
    if (inside && j->nq && !c->how->quad_value(c, c->t)) return false;
    if (event && c->t < j->o->stop && !change_switches(c, !inside)) return false;
    return (event || pass_kink(c, flag == ROOT_FOUND || inside)) && choose_states(c);
}

// Over a jump of a signal of time: the states stay, the integrator starts anew behind it.
static bool step_over_jump(Multistep *c) {
    Job *j = c->j;
    while (c->t >= c->jump) {
        c->t = c->after_jump;
        double *y = vector_data(c->y);
        machine_release_branch(j->m);
        if (!events_jump(j, c->t, y) || !history_break(j, c->t, y)) return false;
        copy_point(c);
        while (job_wants(j, c->t + events_margin(j, c->t)))
            if (!job_emit(j, j->wanted, j->state, j->quad)) return false;
        if (!restart(c)) {
            problem_solver(j, c->t, "no new start after a jump", 0);
            return false;
        }
        if (!job_poll(j, c->t)) return false;
    }
    return true;
}

// Events at the start may have changed the state.
static bool begin(Multistep *c) {
    if (!has_whens(c->j) && !has_modes(c->j)) return true;
    copy_point(c);
    if (restart(c)) return true;
    problem_solver(c->j, c->t, "no start after an event", 0);
    return false;
}

static void watch_sizes(Multistep *c) {
    Job *j = c->j;
    get_quad(c);
    if (sizes_step(j, c->t, vector_data(c->y), vector_data(c->q), j->stats->last_step) && j->nq)
        c->how->quad_tolerances(c);
    if (j->n && sizes_wants_rounding(j)) c->how->pass_rounding(c);
}

// The integrators give up after some rejected steps in a row. After a rest, where steps were as
// long as the run, that happens although the step is still long. So they start anew with a far
// shorter one.
static bool tries_shorter(Multistep *c, int flag) {
    Job *j = c->j;
    const char *words;
    double now, last = 0;
    c->how->where(c, &now, &last);
    if (flag >= 0 || c->how->failure(flag, &words) != FAILURE_STEP || job_in_trouble(j))
        return false;
    if (c->tried_at != c->t) c->first_step = last > 0 ? last : 1e-3 * j->span;
    c->tried_at = c->t;
    c->first_step *= 1e-3;
    if (c->first_step < fmax(j->o->min_step, 1e3 * events_margin(j, c->t))) return false;
    c->how->set_first(c, c->first_step);
    return restart(c);
}

static void integrate(Multistep *c) {
    Job *j = c->j;
    double stop = j->o->stop;
    if (!events_start(j, c->t, vector_data(c->y)) || !begin(c)) return;
    if (!emit_up_to(c, c->t) || !step_over_jump(c)) return;
    while (c->t < stop) {
        remember(c);
        keep_branch(c);
        look_ahead(c);
        c->quad_is_elsewhere = true;
        int flag = c->how->step(c, stop);
        if (tries_shorter(c, flag)) continue;
        bool stuck = flag < 0 || job_is_stuck(j, c->t) || left_branch(c);
        if (stuck && pass_fold(c)) continue;
        if (stuck && j->status != SOLVE_DONE) return; // at a point on the way
        if (stuck) {
            fail(c, flag < 0 ? flag : 0);
            return;
        }
        if (c->first_step > 0) c->how->set_first(c, c->first_step = 0);
        if (saw_too_little(c, flag == ROOT_FOUND)) {
            if (restart(c)) continue;
            problem_solver(j, c->t, "no new start of a shorter step", 0);
            return;
        }
        double now;
        c->how->where(c, &now, &j->stats->last_step);
        int worst = watch_wants_worst(j) ? worst_state(c) : -1;
        if (!watch_step(j, c->t, vector_data(c->y), j->stats->last_step, worst)) return;
        watch_sizes(c);
        bool near = fold_is_near(j);
        if (!after_step(c, flag) || !step_over_jump(c)) return;
        if (near && c->t < stop) {
            keep_branch(c);
            if (!pass_fold(c)) return;
        }
        if (!job_poll(j, c->t) || !choice_watch(j, c->t, vector_data(c->y), j->stats->last_step))
            return;
    }
    emit_rest(c);
}

void multistep_run(Job *j) {
    SolverKind method = j->stats->method;
    Multistep c = {.j = j, .t = j->time};
    c.how = method == SOLVER_IDA ? &ida : method == SOLVER_CVODE_BDF ? &cvode_bdf : &cvode_adams;
    if (method == SOLVER_IDA) c.unknowns = program_unknown_count(j->p);
    fold_open(j);
    if (open_vectors(&c) && open_integrator(&c)) {
        integrate(&c);
        if (j->status == SOLVE_SWITCH || j->status == SOLVE_CHANGE) copy_point(&c);
        c.how->count(&c);
    } else if (job_in_trouble(j)) {
        problem_trouble(j);
    } else {
        problem_solver(j, c.t, "it could not be set up", 0);
    }
    machine_close_branch(j->m);
    close_all(&c);
}
