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

static const double *stage(Fixed *f, double h, const double *k) {
    for (int i = 0; i < f->total; i++) f->trial[i] = f->y[i] + h * k[i];
    return f->trial;
}

// y += h f(t, y)
static bool euler(Fixed *f, double t, double h) {
    if (!rates(f, t, f->y, f->rate[0])) return false;
    for (int i = 0; i < f->total; i++) f->y[i] += h * f->rate[0][i];
    return true;
}

// y += h/2 (k1 + k2),  k1 = f(t, y),  k2 = f(t + h, y + h k1)
static bool heun(Fixed *f, double t, double h) {
    double *k1 = f->rate[0], *k2 = f->rate[1];
    if (!rates(f, t, f->y, k1)) return false;
    if (!rates(f, t + h, stage(f, h, k1), k2)) return false;
    for (int i = 0; i < f->total; i++) f->y[i] += h / 2 * (k1[i] + k2[i]);
    return true;
}

// y += h/6 (k1 + 2 k2 + 2 k3 + k4)
static bool rk4(Fixed *f, double t, double h) {
    double *k1 = f->rate[0], *k2 = f->rate[1], *k3 = f->rate[2], *k4 = f->rate[3];
    if (!rates(f, t, f->y, k1)) return false;
    if (!rates(f, t + h / 2, stage(f, h / 2, k1), k2)) return false;
    if (!rates(f, t + h / 2, stage(f, h / 2, k2), k3)) return false;
    if (!rates(f, t + h, stage(f, h, k3), k4)) return false;
    for (int i = 0; i < f->total; i++) f->y[i] += h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
    return true;
}

static bool take_step(Fixed *f, double t, double h) {
    switch (f->j->stats->method) {
    case SOLVER_EULER: return euler(f, t, h);
    case SOLVER_HEUN: return heun(f, t, h);
    case SOLVER_ROSENBROCK: return rosenbrock_step(f->rosenbrock, t, h, f->y);
    default: return rk4(f, t, h);
    }
}

static bool step_or_trouble(Fixed *f, double t, double h) {
    if (take_step(f, t, h)) return true;
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

// Wanted points between the grid points t and `grid`. False: stop here.
static bool emit_aside(Fixed *f, double t, double grid) {
    Job *j = f->j;
    size_t size = (size_t)f->total * sizeof *f->y;
    if (!job_wants(j, grid)) return true;
    memcpy(f->kept, f->y, size);
    while (job_wants(j, grid)) {
        double wanted = j->wanted;
        bool good = step_or_trouble(f, t, wanted - t) && job_emit(j, wanted, f->y, f->y + j->n);
        memcpy(f->y, f->kept, size);
        if (!good) return false;
    }
    return true;
}

// --- events
// ---------------------------------------------------------------------------------------

static bool step_from_kept(Fixed *f, double t, double h) {
    memcpy(f->y, f->begin, (size_t)f->total * sizeof *f->y);
    return step_or_trouble(f, t, h);
}

// The step from t to *next has been taken and a relation changed in it: y and *next become the
// first point where one has changed, by bisection.
static bool locate(Fixed *f, double t, double *next) {
    Job *j = f->j;
    double before = 0, h = *next - t, close = events_margin(j, *next) / 2;
    while (h - before > close) {
        double middle = before + (h - before) / 2;
        if (!step_from_kept(f, t, middle)) return false;
        if (events_missed(j, t + middle, f->y, f->direction))
            h = middle;
        else
            before = middle;
    }
    *next = t + h;
    return step_from_kept(f, t, h) && (events_missed(j, *next, f->y, f->direction) || true);
}

// A step to *next, or to the first event before it. False: stop here.
static bool step_to(Fixed *f, double t, double *next, bool *event) {
    Job *j = f->j;
    memcpy(f->begin, f->y, (size_t)f->total * sizeof *f->y);
    if (!step_or_trouble(f, t, *next - t)) return false;
    *event = j->p->switch_count > 0 && events_missed(j, *next, f->y, f->direction);
    return !*event || locate(f, t, next);
}

// Wanted points up to `next`, from the beginning of the step; y stays where it is.
static bool emit_between(Fixed *f, double t, double next) {
    if (!job_wants(f->j, next)) return true;
    size_t size = (size_t)f->total * sizeof *f->y;
    memcpy(f->end, f->y, size);
    memcpy(f->y, f->begin, size);
    bool good = emit_aside(f, t, next);
    memcpy(f->y, f->end, size);
    return good;
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
    return events_start(j, f->t, f->y);
}

bool fixed_advance(Fixed *f) {
    Job *j = f->j;
    double t = f->t, close = fixed_near(j), grid = fixed_grid(j, f->k);
    double moment = fixed_moment(j, t);
    double next = moment < grid - close ? moment : grid, over = history_next_break(j, t);
    bool breaks = over <= next + close && over < j->o->stop; // a step to before it, on behind it
    if (breaks) next = over - events_margin(j, over);
    bool event = false;
    if (!step_to(f, t, &next, &event) || !emit_between(f, t, next - close)) return false;
    double h = next - t;
    if (!history_add(j, next, f->y)) return false;
    if (breaks && !event) next = over + events_margin(j, over);
    if (next >= grid - close) f->k++;
    f->t = next;
    if (event && !events_cross(j, next, f->y, f->direction)) return false;
    return fixed_arrive(f, h, event || breaks || moment <= next + close);
}

bool fixed_arrive(Fixed *f, double h, bool jumps) {
    Job *j = f->j;
    bool changed;
    j->stats->steps++;
    j->stats->last_step = h;
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

bool fixed_open(Fixed *f, Job *j) {
    *f = (Fixed){.j = j, .total = j->n + j->nq};
    if (j->o->most_steps <= 0) j->most_steps = MOST_FIXED_STEPS;
    if (j->span / j->step > (double)j->most_steps) {
        problem_too_many_steps(j, j->o->start);
        return false;
    }
    if (!history_has_room(j, j->step)) return false;
    f->y = memory_zeroed(9 * (size_t)f->total, sizeof *f->y);
    f->direction = memory_zeroed((size_t)j->p->switch_count, sizeof *f->direction);
    f->trial = f->y + f->total;
    for (int i = 0; i < 4; i++) f->rate[i] = f->y + (2 + i) * f->total;
    f->kept = f->y + 6 * f->total;
    f->begin = f->y + 7 * f->total;
    f->end = f->y + 8 * f->total;
    if (j->n) memcpy(f->y, j->state, (size_t)j->n * sizeof *f->y);
    if (j->nq) memcpy(f->y + j->n, j->quad, (size_t)j->nq * sizeof *f->y);
    if (j->stats->method != SOLVER_ROSENBROCK) return true;
    f->rosenbrock = rosenbrock_new(j);
    if (!f->rosenbrock) problem_solver(j, j->o->start, "d rate / d state is out of proportion", 0);
    return f->rosenbrock != NULL;
}

void fixed_shut(Fixed *f) {
    rosenbrock_free(f->rosenbrock);
    free(f->y);
    free(f->direction);
}

void fixed_run(Job *j) {
    Fixed f;
    bool open = fixed_open(&f, j);
    if (open) integrate(&f);
    if (open && j->status == SOLVE_SWITCH) {
        if (j->n) memcpy(j->state, f.y, (size_t)j->n * sizeof *f.y);
        if (j->nq) memcpy(j->quad, f.y + j->n, (size_t)j->nq * sizeof *f.y);
    }
    fixed_shut(&f);
}
