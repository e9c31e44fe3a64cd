// A run: the options are looked over, a method is chosen, and the method does the rest.
#include "solve/solve.h"

#include "solve/job.h"
#include <math.h>
#include <stdlib.h>

// --- options -------------------------------------------------------------------------------------

static bool refuse(const SolveOptions *o, Report *r, const char *what, const char *help) {
    Remark *m = report_error(r, S_BAD_OPTION, o->pos, "%s", what);
    remark_help(r, m, "%s", help);
    return false;
}

static bool is_size(double x) { return isfinite(x) && x >= 0; }

static bool check_times(const SolveOptions *o, Report *r) {
    double slack = 1e-9 * (o->stop - o->start);
    for (int i = 0; i < o->time_count; i++) {
        double t = o->times[i];
        if (!(t >= o->start - slack && t <= o->stop + slack) || (i && !(t >= o->times[i - 1])))
            return refuse(o, r, "a wanted time lies outside the run or before another",
                          "wanted times rise from start to stop");
    }
    return true;
}

static bool check_options(const SolveOptions *o, Report *r) {
    if (!isfinite(o->start) || !isfinite(o->stop) || o->stop < o->start ||
        !isfinite(o->stop - o->start))
        return refuse(o, r, "the run must end after it starts", "choose stop larger than start");
    if (!is_size(o->rtol) || !is_size(o->atol))
        return refuse(o, r, "tolerances must be positive numbers",
                      "for example rtol 1e-6 atol 1e-9");
    if (!is_size(o->step) || !is_size(o->max_step) || !is_size(o->min_step))
        return refuse(o, r, "steps must be positive numbers", "for example step 1e-3 {s}");
    if (o->max_step > 0 && o->min_step > o->max_step)
        return refuse(o, r, "min_step is longer than max_step",
                      "leave one of them out, or choose min_step below max_step");
    if (o->step > 0 && o->start + o->step == o->start)
        return refuse(o, r, "the step is too small for the start time", "choose a larger step");
    return check_times(o, r);
}

// --- running -------------------------------------------------------------------------------------

// Nothing to integrate: the outputs at the wanted times.
static void algebraic_run(Job *j) {
    while (isfinite(j->wanted)) {
        double t = j->wanted;
        if (!job_emit(j, t, j->state, j->quad) || !job_poll(j, t)) return;
        j->stats->steps++;
    }
    j->stats->reached = j->o->stop;
}

#define SOLVER(kind, name, step, by, run, runs, whole) run,
static void (*const method_run[])(Job *j) = {
#include "solve/solvers.def"
};
#undef SOLVER

static void run_method(Job *j) {
    if (j->n == 0 && j->nq == 0 && !has_whens(j) && !has_modes(j) && !j->history) {
        algebraic_run(j);
        return;
    }
    bool alone = j->n == 0 && (j->nq == 0 || j->stats->method == SOLVER_IDA);
    if (alone && (j->stats->method == SOLVER_RK78 || j->stats->method == SOLVER_IDA)) {
        j->stats->method = SOLVER_CVODE_ADAMS; // events or integrals: it can do without states
        j->stats->why = "the model has no states";
    }
    if (j->stats->method == SOLVER_IDA && !j->p->has_implicit) {
        j->stats->method = SOLVER_CVODE_BDF;
        j->stats->why = "the matrix of the implicit system is out of proportion";
    }
    method_run[j->stats->method](j);
}

// At j->time and j->state something has been changed from outside. False: reported.
static bool start_anew(Job *j) {
    j->status = SOLVE_DONE;
    if (!history_go_back(j, j->time, j->state)) return false;
    if (j->o->change) j->o->change(j->o->context, j->m);
    scout_forget(j);
    j->changed_over = false;
    j->anew = true;
    j->chatter_count = j->sliding_count = 0;
    j->idle = j->refused = 0;
    return true;
}

static bool goes_on(Job *j) {
    switch (j->status) {
    case SOLVE_CHANGE: return true;
    case SOLVE_SWITCH: return modes_change(j);
    case SOLVE_ANEW: return start_anew(j);
    default: return false;
    }
}

static bool first_stretch(Job *j) {
    if (j->o->from) return saved_load(j) && start_anew(j);
    return !has_modes(j) || modes_start(j);
}

// From one change of mode, of method, or from outside, to the next.
static void run_stretches(Job *j) {
    if (!first_stretch(j)) return;
    do {
        j->status = SOLVE_DONE;
        run_method(j);
    } while (goes_on(j));
}

static bool start_is_finite(Job *j) {
    if (j->m->failed_choice >= 0) {
        problem_choice(j, j->o->start);
    } else if (j->m->failed_block >= 0) {
        job_block_failed(j, j->o->start, j->state);
    }
    if (j->status != SOLVE_DONE) {
        j->status = SOLVE_REFUSED;
        return false;
    }
    for (int i = 0; i < j->n; i++) {
        if (isfinite(j->state[i])) continue;
        problem_start(j, i);
        return false;
    }
    return true;
}

static bool params_are_finite(Machine *m, const double *params, const SolveOptions *o, Report *r) {
    if (machine_set_params(m, params)) return true;
    return refuse(o, r, "a parameter is not a finite number", "give every parameter a number");
}

bool solve_begin(Job *j, Machine *m, const double *params, const SolveOptions *o, SolveStats *stats,
                 Report *r) {
    *stats = (SolveStats){.method = o->method, .why = "", .reached = o->start};
    bool good = check_options(o, r) && params_are_finite(m, params, o, r);
    job_init(j, m, o, stats, r);
    if (!good) {
        j->status = SOLVE_REFUSED;
        return false;
    }
    machine_initial(m, o->start, j->state);
    for (int i = 0; i < j->n && o->start_state; i++) j->state[i] = o->start_state[i];
    if (!start_is_finite(j) || !whens_open(j) || !history_open(j) || !modes_open(j)) return false;
    job_mark(j, TRAIL_START, o->start, j->state);
    if (o->method == SOLVER_AUTO) stats->method = choice_first(j);
    stats->first = stats->method;
    stats->jacobian_cost = job_jacobian_cost(j);
    engine_start(j);
    if (o->inside) *o->inside = j;
    if (o->progress) o->progress(o->context, o->start); // the run begins
    return true;
}

SolveStatus solve_end(Job *j) {
    engine_close(j);
    j->m->hold = false;
    j->stats->start_steps = j->m->continued;
    j->stats->wall_seconds = job_seconds(j);
    watch_tell(j, j->stats->step_limits, sizeof j->stats->step_limits);
    SolveStatus status = j->status == SOLVE_ENDED ? SOLVE_DONE : j->status;
    job_free(j);
    return status;
}

SolveStatus solve_run(Machine *m, const double *params, const SolveOptions *o, SolveStats *stats,
                      Report *r) {
    SolveStats own;
    Job j;
    if (solve_begin(&j, m, params, o, stats ? stats : &own, r)) run_stretches(&j);
    return solve_end(&j);
}
