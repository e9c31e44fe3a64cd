// Which method `auto` takes: a first guess at the start, then a look every so many steps.
//
//   look       r, the spectral radius of the Jacobian (power iteration), and how long the solution
//              keeps its direction, T = |y'|/|y''| with y'' = J y' + df/dt, both in tolerances.
//              Below 300 r^2 tolerances y'' is what an edge of stability leaves behind: T is
//              infinite
//   progress   of a method in time per evaluation of the rates: that of the present one is
//              measured, that of others follows from T and r (steps_of)
//
//      adams ----.      A method that would be more than twice as fast in several looks in a row
//      rk78  <---+-->   takes over; it takes more of them after every change, so that a model in
//      bdf   ----'      between does not go to and fro
//
// So stiffness is what holds steps back. Large entries of the Jacobian say nothing by themselves:
// there are decays that come from the reduction of constraints, and swings that have to be
// followed.
#include "solve/job.h"

#include "base/memory.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    STEPS_BETWEEN = 20, // looks, at least
    STEPS_IN_A_ROW = 8, // ... while they speak for a change
    MOST_BETWEEN = 100, // ... while nothing stirs
    STEPS_PER_COST = 4, // a look takes a tenth of the time of the steps between
    LOOKS = 3,          // in a row for the first change
    ROUNDS = 24,        // of the power iteration
    COUNTED = 12,       // ... of which the last are counted
    MANY_KINKS = 500
};

static const double faint = 300;      // in tolerances: of this height nothing has to be followed
static const double edge_of_rk78 = 3; // h r that its stability allows
static const double worth = 1.8;      // times the progress is worth a change
static const double edge = 0.003;     // h r below which no method is held back by stability
static const double short_bdf = 0.15; // h r below which a method without a matrix does as well

typedef struct {
    double fastest; // r; negative: there is no Jacobian here
    double smooth;  // T
} Picture;

// --- a look --------------------------------------------------------------------------------------

static double norm(const double *x, const double *weight, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * weight[i] * (x[i] * weight[i]);
    return sqrt(sum / n);
}

static void times_jacobian(const Program *p, const double *nonzero, const double *x, double *to) {
    memset(to, 0, (size_t)p->state_count * sizeof *to);
    for (int c = 0; c < p->state_count; c++)
        for (int k = p->column_start[c]; k < p->column_start[c + 1]; k++)
            to[p->row[k]] += nonzero[k] * x[c];
}

// The growth per round over the last rounds, in the mean: a pair of complex eigenvalues turns.
static double spectral_radius(const Job *j, const double *nonzero, const double *weight, double *x,
                              double *next) {
    double logs = 0, size = norm(x, weight, j->n);
    for (int round = 0; round < ROUNDS; round++) {
        if (!(size > DBL_MIN) || !isfinite(size)) return 0;
        for (int i = 0; i < j->n; i++) x[i] /= size;
        times_jacobian(j->p, nonzero, x, next);
        memcpy(x, next, (size_t)j->n * sizeof *x);
        size = norm(x, weight, j->n);
        if (round >= ROUNDS - COUNTED) logs += log(fmax(size, DBL_MIN));
    }
    return exp(logs / COUNTED);
}

// y'' = J y' + df/dt; `room` for n numbers.
static bool find_bend(Job *j, double t, const double *y, const double *rate, const double *nonzero,
                      double later, double *bend, double *room) {
    times_jacobian(j->p, nonzero, rate, bend);
    if (!job_rates(j, t + later, y, room, NULL)) return false;
    for (int i = 0; i < j->n; i++) bend[i] += (room[i] - rate[i]) / later;
    return true;
}

// --- progress ------------------------------------------------------------------------------------

static double calls_per_step(const Job *j, SolverKind k) {
    static const double steps_per_matrix = 20;
    if (k == SOLVER_RK78) return 13.5;
    return k == SOLVER_CVODE_ADAMS ? 2.6 : 2.2 + job_jacobian_cost(j) / steps_per_matrix;
}

// By the order of the method, and of an explicit one by the edge of its stability.
static double step_of(const Job *j, SolverKind k, Picture seen) {
    if (k != SOLVER_RK78) return 0.5 * pow(j->rtol, 1.0 / 6) * seen.smooth;
    return fmin(2.2 * pow(j->rtol, 1.0 / 8) * seen.smooth, edge_of_rk78 / seen.fastest);
}

// A method at the edge of its stability is not the one to change to: decays leave more and more to
// smooth solutions.
static double favour_rk78(const Job *j, Picture seen) {
    bool at_edge = 2.2 * pow(j->rtol, 1.0 / 8) * seen.smooth > edge_of_rk78 / seen.fastest;
    return j->o->conserves ? 1 : at_edge ? 0.3 : 0.6;
}

static double progress_of(const Job *j, SolverKind k, double step) {
    return step / calls_per_step(j, k);
}

static Picture look(Job *j, double t, const double *y, double h) {
    const Program *p = j->p;
    size_t n = (size_t)j->n;
    Picture seen = {.fastest = -1};
    if (n == 0 || !job_has_jacobian(j)) return seen;
    double *space = memory_zeroed(5 * n + (size_t)p->nonzero_count, sizeof *space);
    double *rate = space, *weight = rate + n, *bend = weight + n, *x = bend + n, *next = x + n;
    double *nonzero = next + n, later = fmax(1e-3 * h, 1e-12 * (j->span + fabs(t)));
    sizes_wide_weights(j, y, weight);
    if (job_jacobian(j, t, y, nonzero) && job_rates(j, t, y, rate, NULL) &&
        find_bend(j, t, y, rate, nonzero, later, bend, next)) {
        for (size_t i = 0; i < n; i++) x[i] = (1 + (double)(i * 7 % 11) / 11) / weight[i];
        seen.fastest = spectral_radius(j, nonzero, weight, x, next);
        double slope = norm(rate, weight, j->n), bent = norm(bend, weight, j->n);
        bool still = slope == 0 || bent <= faint * seen.fastest * seen.fastest;
        seen.smooth = still ? INFINITY : slope / bent;
    }
    j->trouble.happened = false; // what a look meets beside the run is none of its troubles
    free(space);
    return seen;
}

static const SolverKind rival[] = {SOLVER_RK78, SOLVER_CVODE_BDF};
enum { RIVALS = sizeof rival / sizeof rival[0] };

static const char why_gauss[] =
    "nothing supplies or dissipates, and the run is long: its energy does not drift";

// --- changes -------------------------------------------------------------------------------------

static bool change(Job *j, double t, SolverKind to, const char *why) {
    SolveStats *s = j->stats;
    size_t length = strlen(s->course);
    if (++s->changes <= 3)
        snprintf(s->course + length, sizeof s->course - length, "%s from t = %.3g s on, ",
                 solver_name(to), t);
    s->method = to;
    s->why = why;
    j->choice.in_a_row = 0;
    j->choice.patience *= 2;
    j->choice.between = STEPS_BETWEEN;
    j->status = SOLVE_CHANGE;
    j->time = t;
    j->changed_over = true;
    return false;
}

static SolverKind stiff_method(const Job *j) {
    return j->p->has_implicit && !j->p->has_jacobian ? SOLVER_IDA : SOLVER_CVODE_BDF;
}

// Counts looks that speak for a change; true when there are enough.
static bool is_time(Choosing *c, bool speaks) {
    c->in_a_row = speaks ? c->in_a_row + 1 : c->in_a_row > 0 ? c->in_a_row - 1 : 0;
    return c->in_a_row >= c->patience;
}

static const char *reason_for(SolverKind to) {
    if (to == SOLVER_RK78) return "its range of stability is wider, and accuracy allows the steps";
    return "stiff: what is fastest in the model has died out, and only stability kept steps short";
}

// Nothing happens that would interrupt steps.
static bool is_calm(const Job *j) {
    return j->p->switch_count == 0 && j->p->clock_count == 0 && !has_whens(j) && !has_modes(j) &&
           !j->history && j->p->system->choice_count == 0;
}

// A run without loss that swings so often that its energy would drift.
static bool is_long(const Job *j, double t, Picture seen) {
    return j->o->conserves && is_calm(j) && seen.fastest * (j->o->stop - t) > 1e4;
}

static bool may_be(const Job *j, SolverKind k, double rate) {
    return k == SOLVER_RK78 ? is_calm(j) : !j->o->conserves && rate > edge;
}

// While steps still grow after a start, what they will be is not known.
static bool judge(Job *j, double t, double h, Picture seen) {
    SolverKind now = j->stats->method, to = now;
    if (is_long(j, t, seen)) return change(j, t, SOLVER_GAUSS, why_gauss);
    double most = worth * progress_of(j, now, h);
    bool grows = h > 2 * j->choice.step;
    for (int i = 0; i < RIVALS; i++) {
        double progress = progress_of(j, rival[i], step_of(j, rival[i], seen));
        if (rival[i] == SOLVER_RK78) progress *= grows ? 0 : favour_rk78(j, seen);
        if (rival[i] != now && may_be(j, rival[i], h * seen.fastest) && progress > most)
            to = rival[i], most = progress;
    }
    const char *why = reason_for(to);
    if (now == SOLVER_CVODE_BDF && to == now && h * seen.fastest < short_bdf && !grows) {
        to = SOLVER_CVODE_ADAMS;
        why = "not stiff any more: steps are as short as a method without a matrix has them";
    }
    if (!is_time(&j->choice, to != now)) return true;
    return change(j, t, to == SOLVER_CVODE_BDF ? stiff_method(j) : to, why);
}

static double look_cost(const Job *j) {
    bool differences = !j->p->has_jacobian && !j->p->has_implicit;
    return job_jacobian_cost(j) + (differences ? j->p->color_count : 0);
}

bool choice_watch(Job *j, double t, const double *y, double h) {
    Choosing *c = &j->choice;
    SolverKind now = j->stats->method;
    if (j->o->method != SOLVER_AUTO || j->n == 0 || t >= j->o->stop) return true;
    if (now != SOLVER_CVODE_ADAMS && now != SOLVER_CVODE_BDF && now != SOLVER_RK78) return true;
    long between = fmax(c->between, STEPS_PER_COST * look_cost(j));
    if (j->polls - c->looked < between) return true;
    Picture seen = look(j, t, y, h);
    h = fmax(h, (t - c->time) / (double)(j->polls - c->looked)); // after an event steps are short
    c->time = t;
    bool stays = seen.fastest < 0 || judge(j, t, h, seen);
    c->step = h;
    c->looked = j->polls;
    if (!stays) return false;
    c->between = c->in_a_row ? STEPS_IN_A_ROW
                             : (int)fmin(1.5 * fmax(c->between, STEPS_BETWEEN), MOST_BETWEEN);
    return true;
}

// --- the start -----------------------------------------------------------------------------------

// A pendulum that is let go where its spring is zero shows its frequency a little beside only.
static double fastest_beside(Job *j) {
    double *beside = memory_zeroed((size_t)j->n, sizeof *beside);
    for (int i = 0; i < j->n; i++) beside[i] = j->state[i] + 0.3 * sizes_of(j, i);
    double fastest = look(j, j->o->start, beside, 1e-6 * j->span).fastest;
    free(beside);
    return fastest;
}

SolverKind choice_first(Job *j) {
    const char **why = &j->stats->why;
    j->choice = (Choosing){.patience = LOOKS, .time = j->o->start};
    j->choice.between = j->o->conserves ? STEPS_IN_A_ROW : STEPS_BETWEEN;
    if (j->n == 0) {
        *why = "the model has no states";
        return SOLVER_CVODE_ADAMS;
    }
    if (!job_has_jacobian(j)) {
        *why = "no Jacobian is known; an implicit method is the safe choice";
        return SOLVER_CVODE_BDF;
    }
    sizes_start(j, j->o->start, j->state);
    Picture seen = look(j, j->o->start, j->state, 1e-6 * j->span);
    if (seen.fastest * fmin(step_of(j, SOLVER_CVODE_BDF, seen), j->span) > 1000) {
        *why = "stiff from the start: what is fastest in the model takes no part in its motion";
        return stiff_method(j);
    }
    if (events_kinks(j) > MANY_KINKS) {
        *why = "a table of time has many kinks, and this method starts anew at no cost";
        return SOLVER_RK78;
    }
    if (modes_impact(j)) {
        *why = "after every impact this method starts anew at no cost, and exactly";
        return SOLVER_RK78;
    }
    if (j->o->conserves) seen.fastest = fmax(seen.fastest, fastest_beside(j));
    if (is_long(j, j->o->start, seen)) {
        *why = why_gauss;
        return SOLVER_GAUSS;
    }
    if (j->o->conserves && seen.fastest * j->span > 300) {
        *why = "nothing supplies or dissipates: of these methods it keeps the energy best";
        return SOLVER_RK78;
    }
    *why = "nothing fast is without motion: steps are as long as accuracy allows";
    return SOLVER_CVODE_ADAMS;
}
