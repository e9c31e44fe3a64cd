// Fixed steps: Euler, Heun and the classical Runge-Kutta method, over states and quadratures alike.
//
//   grid     t[k] = start + k*step
//   points   a wanted point between two of them is reached by a shorter step aside, so what is
//            recorded has no influence on the run:
//
//            t[k] ----------------------------> t[k+1] ---->
//              \----> w1
//               \------------> w2
//
//   samples  moments of `sample` and kinks of tables of time divide the step of the grid
//   events   relations are held during a step; when one has changed after it, the step ends where
//            it did, and another goes on from there to the grid
#include "solve/fixed.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

static bool rates(Fixed *f, double t, const double *y, double *dy) {
    return job_rates(f->j, t, y, dy, f->j->nq ? dy + f->j->n : NULL);
}

static const double *stage(Fixed *f, const double *y, double h, const double *k) {
    double *restrict trial = f->trial;
    for (int i = 0; i < f->total; i++) trial[i] = y[i] + h * k[i];
    return trial;
}

// to = y + h f(t, y)
static bool euler(Fixed *f, const double *y, double t, double h, double *restrict to) {
    const double *k = f->rate[0];
    if (!rates(f, t, y, f->rate[0])) return false;
    for (int i = 0; i < f->total; i++) to[i] = y[i] + h * k[i];
    return true;
}

// to = y + h/2 (k1 + k2),  k1 = f(t, y),  k2 = f(t + h, y + h k1)
static bool heun(Fixed *f, const double *y, double t, double h, double *restrict to) {
    double *k1 = f->rate[0], *k2 = f->rate[1];
    if (!rates(f, t, y, k1)) return false;
    if (!rates(f, t + h, stage(f, y, h, k1), k2)) return false;
    for (int i = 0; i < f->total; i++) to[i] = y[i] + h / 2 * (k1[i] + k2[i]);
    return true;
}

// to = y + h/6 (k1 + 2 k2 + 2 k3 + k4)
static bool rk4(Fixed *f, const double *y, double t, double h, double *restrict to) {
    double *k1 = f->rate[0], *k2 = f->rate[1], *k3 = f->rate[2], *k4 = f->rate[3];
    if (!rates(f, t, y, k1)) return false;
    if (!rates(f, t + h / 2, stage(f, y, h / 2, k1), k2)) return false;
    if (!rates(f, t + h / 2, stage(f, y, h / 2, k2), k3)) return false;
    if (!rates(f, t + h, stage(f, y, h, k3), k4)) return false;
    for (int i = 0; i < f->total; i++) to[i] = y[i] + h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
    return true;
}

static bool rosenbrock(Fixed *f, const double *y, double t, double h, double *to) {
    memcpy(to, y, (size_t)f->total * sizeof *y);
    return rosenbrock_step(f->rosenbrock, t, h, to);
}

// Native code takes the whole step at once. Where it has none, or a value is not finite, the step
// is taken stage by stage, which tells what went wrong.
static bool take_step(Fixed *f, const double *y, double t, double h, double *to) {
    SolverKind method = f->j->stats->method;
    if (f->take) return f->take(f, y, t, h, to);
    if (machine_step(f->j->m, solver_whole_step(method), t, h, y, to, f->rate[0])) return true;
    switch (method) {
    case SOLVER_EULER: return euler(f, y, t, h, to);
    case SOLVER_HEUN: return heun(f, y, t, h, to);
    case SOLVER_ROSENBROCK: return rosenbrock(f, y, t, h, to);
    default: return rk4(f, y, t, h, to);
    }
}

bool fixed_try(Fixed *f, const double *y, double t, double h, double *to) {
    return take_step(f, y, t, h, to);
}

// From y at t to `to` at t + h; they are not the same place.
static bool step_or_trouble(Fixed *f, const double *y, double t, double h, double *to) {
    if (take_step(f, y, t, h, to)) return true;
    if (job_in_trouble(f->j))
        problem_trouble(f->j);
    else
        problem_singular(f->j, t);
    return false;
}

bool fixed_emit(Fixed *f) {
    Job *j = f->j;
    while (job_wants(j, f->t + fixed_near(j)))
        if (!job_emit(j, j->wanted, f->y, f->y + j->n)) return false;
    return true;
}

// --- events --------------------------------------------------------------------------------------

static bool step_from_begin(Fixed *f, double t, double h) {
    return step_or_trouble(f, f->begin, t, h, f->y);
}

// The step from t to *next has been taken and a relation changed in it: y and *next become the
// first point where one has changed, by bisection.
static bool locate(Fixed *f, double t, double *next) {
    Job *j = f->j;
    double before = 0, h = *next - t, close = events_margin(j, *next) / 2;
    while (h - before > close) {
        double middle = before + (h - before) / 2;
        if (!step_from_begin(f, t, middle)) return false;
        if (events_missed(j, t + middle, f->y, f->direction))
            h = middle;
        else
            before = middle;
    }
    *next = t + h;
    return step_from_begin(f, t, h) && (events_missed(j, *next, f->y, f->direction) || true);
}

// A point inside the step, by the method's polynomial or else a shorter step; roughly: on the line between its ends.
static bool inside(void *context, double time, bool roughly, double *state) {
    Fixed *f = context;
    int n = f->j->n;
    double part = (time - f->t) / f->length;
    if (f->within && f->within(f, part, state)) return true;
    if (!roughly && !step_or_trouble(f, f->begin, f->t, time - f->t, f->aside)) return false;
    for (int i = 0; i < n; i++)
        state[i] = roughly ? f->begin[i] + part * (f->y[i] - f->begin[i]) : f->aside[i];
    return true;
}

// What an event sent off may be back before the step ends, and look as if nothing had happened: a
// ball that bounces less than a step would fall through the floor.
static bool comes_back(Fixed *f, double t, double *next) {
    StepInside in = {f->begin, f->y, inside, f, !f->within};
    double time;
    f->length = *next - t;
    bool found = (f->after || f->within) &&
                 between_find(f->j, t, *next, &in, f->direction, &time) && !between_is_cut(f->j);
    if (!found) return false;
    *next = time;
    return true;
}

// --- folds ---------------------------------------------------------------------------------------

// Loops stay on their branch from the beginning of the step on.
static void keep_branch(Fixed *f, double t) {
    Machine *m = f->j->m;
    if (machine_keep_branch(m, t, f->begin)) return;
    machine_release_branch(m);
    machine_keep_branch(m, t, f->begin);
}

static bool leaves_branch(Fixed *f, double t, double next) {
    Job *j = f->j;
    if (!fold_is_loose(j)) return !job_rates(j, next, f->y, f->rate[0], NULL);
    BranchLook look = fold_look(j, next, f->y);
    if (look != BRANCH_STRAYED) return look == BRANCH_ENDS;
    machine_loosen_branch(j->m, false);
    bool good = take_step(f, f->begin, t, next - t, f->y);
    machine_loosen_branch(j->m, true);
    return !good || fold_look(j, next, f->y) != BRANCH_KEPT;
}

// Does a loop fold on the way to *next? Then *next and y are where the run goes on behind the fold.
// Else the step may have been taken.
static bool step_to_fold(Fixed *f, double t, double *next, bool *taken) {
    Job *j = f->j;
    double time = t;
    if (!fold_is_loose(j)) keep_branch(f, t);
    *taken = take_step(f, f->begin, t, *next - t, f->y);
    if (*taken && !leaves_branch(f, t, *next)) return false;
    if (!job_in_trouble(j) || j->trouble.block < 0) return false;
    memcpy(f->trial, f->begin, (size_t)f->total * sizeof *f->y);
    if (!fold_pass(j, &time, f->trial, f->trial + j->n, (*next - t) / 16) || !(time < *next)) {
        if (*taken) machine_release_branch(j->m); // no fold: it is as it is
        return false;
    }
    memcpy(f->y, f->trial, (size_t)f->total * sizeof *f->y);
    *next = time;
    return true;
}

// A step to *next, or to the first event before it. False: stop here.
static bool step_to(Fixed *f, double t, double *next, bool *event) {
    Job *j = f->j;
    double *begin = f->y;
    f->y = f->begin;
    f->begin = begin;
    bool taken = false;
    f->folded = j->m->branch && step_to_fold(f, t, next, &taken);
    if (f->folded) return true;
    if (!taken && !step_from_begin(f, t, *next - t)) return false;
    *event = j->p->switch_count > 0 &&
             (comes_back(f, t, next) || events_missed(j, *next, f->y, f->direction));
    return !*event || locate(f, t, next);
}

bool fixed_emit_between(Fixed *f, double t, double next) {
    Job *j = f->j;
    while (job_wants(j, next)) {
        double wanted = j->wanted;
        if (!step_or_trouble(f, f->begin, t, wanted - t, f->aside)) return false;
        if (!job_emit(j, wanted, f->aside, f->aside + j->n)) return false;
    }
    return true;
}

// By the method's polynomial; without one the steps themselves are what is known.
static bool known_inside(void *context, double time, bool roughly, double *state) {
    Fixed *f = context;
    (void)roughly;
    return f->within && f->within(f, (time - f->t) / f->length, state);
}

// Steps may be far shorter than the distance of wanted points.
static void look_inside(Fixed *f, double next) {
    StepInside in = {f->begin, f->y, known_inside, f, !f->within};
    f->length = next - f->t;
    if (!f->folded) peaks_look(f->j, f->t, next, f->within ? 4 : 1, &in);
    if (!f->folded && f->within) history_inside(f->j, f->t, next, &in);
}

double fixed_grid(const Job *j, double k) {
    double grid = j->o->start + (k + 1) * j->step;
    return grid > j->o->stop - fixed_near(j) ? j->o->stop : grid;
}

double fixed_moment(Job *j, double t) { return fmin(whens_next_moment(j), events_next_kink(j, t)); }

bool fixed_start(Fixed *f) {
    Job *j = f->j;
    f->t = j->time;
    f->k = floor((f->t - j->o->start + fixed_near(j)) / j->step);
    double grid = j->o->start + f->k * j->step; // a wanted time may be one with it but for rounding
    if (j->anew && fabs(f->t - grid) <= fixed_near(j)) f->t = grid;
    return events_start(j, f->t, f->y);
}

// A step in which nothing can happen.
static bool advance_quietly(Fixed *f) {
    Job *j = f->j;
    double t = f->t, grid = fixed_grid(j, f->k);
    bool event;
    if (!step_to(f, t, &grid, &event) || !fixed_emit_between(f, t, grid - fixed_near(j)))
        return false;
    look_inside(f, grid);
    if (!fixed_watch_step(f, t, grid - t)) return false;
    f->k++;
    f->t = grid;
    return fixed_arrive(f, grid - t, false);
}

bool fixed_advance(Fixed *f) {
    if (f->quiet) return advance_quietly(f);
    Job *j = f->j;
    double t = f->t, close = fixed_near(j), grid = fixed_grid(j, f->k);
    double moment = fixed_moment(j, t);
    double next = moment < grid - close ? moment : grid, over = history_next_break(j, t);
    bool breaks = over <= next + close && over < j->o->stop; // a step to before it, on behind it
    if (breaks) next = over - events_margin(j, over);
    if (f->take && j->scout) next = fmin(next, scout_ahead(j, t, next, next - t));
    bool event = false;
    if (!step_to(f, t, &next, &event) || !fixed_emit_between(f, t, next - close)) return false;
    look_inside(f, next);
    double h = next - t;
    if (!history_add(j, next, f->y)) return false;
    if (breaks && !event) next = over + events_margin(j, over);
    f->after = event && next < grid - close;
    if (next >= grid - close) f->k++;
    f->t = next;
    bool jumps = event || f->folded || breaks || moment <= next + close;
    f->jumped = jumps;
    if (!jumps && !fixed_watch_step(f, t, h)) return false;
    if (jumps && !f->folded) machine_release_branch(j->m);
    if (event && !events_cross(j, next, f->y, f->direction)) return false;
    bool good = fixed_arrive(f, h, jumps);
    if (jumps) fixed_watch_begin(f);
    return good;
}

bool fixed_arrive(Fixed *f, double h, bool jumps) {
    Job *j = f->j;
    bool changed;
    j->stats->steps++;
    j->stats->last_step = h;
    if (!watch_step(j, f->t, f->y, INFINITY, -1)) return false;
    if (f->quiet) return job_poll(j, f->t);
    return whens_moment(j, f->t, fixed_near(j), f->y) && job_choose(j, f->t, f->y, &changed) &&
           (!jumps || history_break(j, f->t, f->y)) && modes_hold(j, f->t, f->y) &&
           job_poll(j, f->t);
}

static void integrate(Fixed *f) {
    if (!fixed_start(f)) return;
    while (fixed_emit(f) && f->t < f->j->o->stop)
        if (!fixed_advance(f)) return;
}

// Steps of one size are counted beforehand: whoever asks for many means it.
#define MOST_FIXED_STEPS 10000000000

static bool is_quiet(const Job *j) {
    const System *s = j->p->system;
    return !has_whens(j) && !has_modes(j) && s->whens.sample_count == 0 && s->choice_count == 0 &&
           j->p->switch_count == 0 && j->p->clock_count == 0 && !j->history && !j->m->branch &&
           !j->o->trail;
}

bool fixed_open(Fixed *f, Job *j) {
    *f = (Fixed){.j = j, .total = j->n + j->nq, .quiet = is_quiet(j)};
    if (j->o->most_steps <= 0) j->most_steps = MOST_FIXED_STEPS;
    if (j->span / j->step > (double)j->most_steps) {
        problem_too_many_steps(j, j->o->start);
        return false;
    }
    if (!history_has_room(j, j->step)) return false;
    f->space = memory_zeroed(8 * (size_t)f->total, sizeof *f->y);
    f->direction = memory_zeroed((size_t)j->p->switch_count, sizeof *f->direction);
    for (int i = 0; i < 4; i++) f->rate[i] = f->space + i * f->total; // one behind the other
    f->y = f->space + 4 * f->total;
    f->begin = f->space + 5 * f->total;
    f->trial = f->space + 6 * f->total;
    f->aside = f->space + 7 * f->total;
    if (j->n) memcpy(f->y, j->state, (size_t)j->n * sizeof *f->y);
    if (j->nq) memcpy(f->y + j->n, j->quad, (size_t)j->nq * sizeof *f->y);
    f->t = j->time;
    fixed_watch_open(f);
    if (j->stats->method != SOLVER_ROSENBROCK) return true;
    f->rosenbrock = rosenbrock_new(j);
    if (!f->rosenbrock) problem_solver(j, j->o->start, "d rate / d state is out of proportion", 0);
    return f->rosenbrock != NULL;
}

void fixed_leave(const Fixed *f) {
    Job *j = f->j;
    if (j->status != SOLVE_SWITCH) return;
    if (j->n) memcpy(j->state, f->y, (size_t)j->n * sizeof *f->y);
    if (j->nq) memcpy(j->quad, f->y + j->n, (size_t)j->nq * sizeof *f->y);
}

void fixed_shut(Fixed *f) {
    rosenbrock_free(f->rosenbrock);
    fixed_watch_shut(f);
    free(f->space);
    free(f->direction);
}

void fixed_run(Job *j) {
    Fixed f;
    fold_open(j);
    bool open = fixed_open(&f, j);
    if (open) integrate(&f);
    if (open) fixed_leave(&f);
    fixed_shut(&f);
    machine_close_branch(j->m);
}
