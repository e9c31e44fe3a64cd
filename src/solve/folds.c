// Where a loop of equations folds: its branch of solutions ends, like that of a clipped amplifier
// whose feedback no longer holds it at its limit. Steps that would pass over the fold are refused
// (engine/branch.c) until the method gives up; from its last point small steps, halved where they
// fail or are too coarse, lead to the fold as near as time can be told. Just behind it another
// solution is searched, and the run goes on with that: an event.
#include "solve/job.h"

#include "base/text.h"
#include "engine/branch.h"
#include <math.h>
#include <string.h>

static bool rates_at(Job *j, double time, const double *state) {
    return machine_branch_derivative(j->m, time, state, j->rate, j->nq ? j->rate + j->n : NULL);
}

typedef enum { STEP_GOOD, STEP_COARSE, STEP_OFF_BRANCH } SmallStep;

// How far a step from `state` to j->later may be off, in tolerances. The rates there in place of
// those of the last stage make a method of order 3. Methods with equal steps have no tolerance.
static double error_of_step(Job *j, const double *state, const double *quad, const double *stage,
                            double h) {
    double most = 0, *weight = j->fold + 2 * (j->n + j->nq);
    if (!j->sizes.known) return 0;
    sizes_weights(j, state, weight);
    for (int i = 0; i < j->n; i++) most = fmax(most, fabs(j->rate[i] - stage[i]) * weight[i]);
    for (int i = j->n; i < j->n + j->nq; i++) {
        double size = j->rtol * fabs(quad[i - j->n]) + sizes_quad_tolerance(j, i - j->n);
        most = fmax(most, fabs(j->rate[i] - stage[i]) / size);
    }
    return h / 6 * most;
}

// One step of rk4, if it is good.
static SmallStep small_step(Job *j, double *time, double *state, double *quad, double h) {
    static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    int n = j->n, nq = j->nq;
    double *sum = j->fold, *stage = sum + n + nq;
    for (int i = 0; i < n + nq; i++) sum[i] = 0;
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < n; i++) j->later[i] = state[i] + (s ? at[s] * h * j->rate[i] : 0);
        if (!rates_at(j, *time + at[s] * h, j->later)) return STEP_OFF_BRANCH;
        for (int i = 0; i < n + nq; i++) sum[i] += weight[s] * j->rate[i];
    }
    if (n + nq) memcpy(stage, j->rate, (size_t)(n + nq) * sizeof *stage);
    for (int i = 0; i < n; i++) j->later[i] = state[i] + h / 6 * sum[i];
    if (!rates_at(j, *time + h, j->later)) return STEP_OFF_BRANCH;
    if (error_of_step(j, state, quad, stage, h) > 1) return STEP_COARSE;
    if (!machine_keep_branch(j->m, *time + h, j->later)) return STEP_OFF_BRANCH;
    if (n) memcpy(state, j->later, (size_t)n * sizeof *state);
    for (int i = 0; i < nq; i++) quad[i] += h / 6 * sum[n + i];
    *time += h;
    return STEP_GOOD;
}

bool fold_is_near(Job *j) {
    enum { OFTEN = 6 };
    const Trouble *t = &j->trouble;
    if (!j->m->branch) return false;
    bool refused = t->happened && t->block >= 0 && t->poll == j->polls;
    j->refused = refused ? j->refused + 2 : j->refused > 0 ? j->refused - 1 : 0;
    if (j->refused < OFTEN) return false;
    j->refused = 0;
    return true;
}

// True: the fold is reached. False: there is none near.
static bool walk_to_fold(Job *j, double *time, double *state, double *quad, double step) {
    enum { MOST_STEPS = 300, MOST_IN_A_ROW = 60 };
    double least = 4e-16 * fmax(fabs(*time), fabs(j->o->stop)), h = fmax(step, 1e3 * least);
    for (int i = 0, row = 0; i < MOST_STEPS && h >= least; i++) {
        if (*time + h > j->o->stop) return false;
        SmallStep went = small_step(j, time, state, quad, h);
        row = went == STEP_GOOD ? row + 1 : 0;
        if (row > MOST_IN_A_ROW) return false;
        if (went != STEP_GOOD) h /= 2;
    }
    return h < least;
}

static void tell(Job *j, double time, int block) {
    const TapeBlock *b = &j->p->block[block];
    if (j->folds++ > 0) return;
    Remark *m =
        report_warning(j->r, S_FOLD, b->pos,
                       "at t = %g s the equations for %s have no solution near the last one "
                       "any more: they fold, and the run goes on with another solution",
                       time, b->what);
    remark_help(
        j->r, m,
        "a storage that nature has there decides which way it goes; `modes` say it in words. "
        "Later folds are counted as events only");
}

static bool pass(Job *j, double *time, double *state, double *quad, double step) {
    machine_mark_branch(j->m);
    if (!walk_to_fold(j, time, state, quad, step)) return *time > j->stats->reached;
    if (!rates_at(j, *time, state)) // on the fold itself
        for (int i = 0; i < j->n; i++) j->rate[i] = 0;
    double ahead = 4e-16 * fmax(fabs(*time), fabs(j->o->stop));
    for (int tries = 0; tries < 20; tries++, ahead *= 4) {
        for (int i = 0; i < j->n; i++) j->later[i] = state[i] + ahead * j->rate[i];
        int block = machine_leave_branch(j->m, *time + ahead, j->later);
        if (block < 0) continue;
        *time += ahead;
        if (j->n) memcpy(state, j->later, (size_t)j->n * sizeof *state);
        j->stats->events++;
        j->trouble.happened = false;
        tell(j, *time, block);
        return true;
    }
    return false;
}

bool fold_pass(Job *j, double *time, double *state, double *quad, double step) {
    if (!j->trouble.happened || j->trouble.block < 0 || !j->m->branch) return false;
    int folds = j->folds;
    machine_loosen_branch(j->m, false);
    bool good = pass(j, time, state, quad, step);
    if (j->folds > folds) job_mark(j, TRAIL_FOLD, *time, state);
    machine_loosen_branch(j->m, fold_is_loose(j));
    return good;
}

// Methods that lanes have too (fixed_lanes.c, rk78_lanes.c).
bool fold_is_loose(const Job *j) { return solver_has_lanes(j->stats->method); }

void fold_open(Job *j) {
    machine_open_branch(j->m);
    machine_loosen_branch(j->m, fold_is_loose(j));
}

BranchLook fold_look(Job *j, double time, const double *state) {
    BranchLook look = machine_look_at_branch(j->m, time, state);
    if (look == BRANCH_ENDS) job_note_fold(j, time, state);
    return look;
}
