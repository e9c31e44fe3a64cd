// Runs that go wrong are noticed while they do: time that no longer advances, values that grow
// beyond every scale. And for every run: which states kept the steps short.
//
//   stall     more than 1e5 steps in a row while less than 1e-6 of the run passes, and the second
//             half of them leads no farther than 1.5 times the first: it will not get better.
//             The states whose error is the largest are those that force the step.
//   growth    a state is 1e30 times as large as it was while it was young, during the first
//             hundredth of the run after it began to move. Free fall grows by 1e4 from there on,
//             x' = x by exp(0.99 T): 69 time constants are a run that nobody means.
//
// All is kept by variable of the model, as each mode has states of its own.
#include "solve/job.h"

#include "base/memory.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STALL_STEPS = 100000, STEPS_PER_LOOK = 8, MOST_NAMED = 3 };

static const double least_progress = 1e-6, youth = 0.01, most_growth = 1e30;

void watch_open(Job *j) {
    Watch *w = &j->watch;
    w->count = j->p->system->model->var_count;
    w->first = memory_zeroed(2 * (size_t)w->count, sizeof *w->first);
    w->since = w->first + w->count;
    w->limiting = memory_zeroed(2 * (size_t)w->count, sizeof *w->limiting);
    w->recent = w->limiting + w->count;
    w->least_step = INFINITY;
    w->window_time = j->o->start;
    for (int i = 0; i < w->count; i++) w->since[i] = INFINITY;
}

void watch_close(Job *j) {
    free(j->watch.first);
    free(j->watch.limiting);
}

static int var_of(const Job *j, int state) { return j->p->system->state_var[state]; }

const char *watch_name(const Job *j, int var) {
    const Model *m = j->p->system->model;
    return name_text(m->names, m->var[var].path);
}

// The variables with most of something, the most first; gives how many there are, up to MOST_NAMED.
static int most_of(const long *count, int n, int *var) {
    int found = 0;
    for (; found < MOST_NAMED; found++) {
        int best = -1;
        for (int v = 0; v < n; v++) {
            bool taken = false;
            for (int k = 0; k < found; k++) taken |= var[k] == v;
            if (!taken && count[v] > 0 && (best < 0 || count[v] > count[best])) best = v;
        }
        if (best < 0) break;
        var[found] = best;
    }
    return found;
}

// --- time that no longer advances ----------------------------------------------------------------

static void begin_window(Watch *w, double time) {
    w->window_time = w->middle_time = time;
    w->window_steps = 0;
}

static bool still_advances(Job *j, double time, double step) {
    Watch *w = &j->watch;
    if (time - w->window_time >= least_progress * j->span) begin_window(w, time);
    w->window_steps++;
    if (w->window_steps == STALL_STEPS / 2) {
        w->middle_time = time;
        memset(w->recent, 0, (size_t)w->count * sizeof *w->recent);
    }
    if (w->window_steps <= STALL_STEPS) return true;
    if (time - w->middle_time > 1.5 * (w->middle_time - w->window_time)) {
        begin_window(w, time);
        return true;
    }
    int var[MOST_NAMED], count = most_of(w->recent, w->count, var);
    problem_stall(j, time, step, var, count);
    return false;
}

// --- growth --------------------------------------------------------------------------------------

// How often a state has become larger than it was when it was young; 0: it still is.
static double growth_of(const Watch *w, int var, double x, double young_until) {
    if (!(w->since[var] <= young_until)) return 0;
    double least = fmax(1e-20 * w->largest, 1e-25); // below that values are rounding
    return x / fmax(w->first[var], least);
}

static void warn_of_growth(Job *j, double time, const double *state) {
    Watch *w = &j->watch;
    double much[MOST_NAMED] = {0};
    int var[MOST_NAMED], count = 0;
    for (int i = 0; i < j->n; i++) {
        if (var_of(j, i) < 0) continue;
        double growth = growth_of(w, var_of(j, i), fabs(state[i]), time - youth * j->span);
        if (!(growth > sqrt(most_growth))) continue;
        int at = count < MOST_NAMED ? count++ : MOST_NAMED;
        for (; at > 0 && growth > much[at - 1]; at--)
            if (at < MOST_NAMED) much[at] = much[at - 1], var[at] = var[at - 1];
        if (at < MOST_NAMED) much[at] = growth, var[at] = var_of(j, i);
    }
    w->warned = true;
    problem_growth(j, time, var, much, count);
}

static void look_at_growth(Job *j, double time, const double *state) {
    Watch *w = &j->watch;
    double young_until = time - youth * j->span;
    for (int i = 0; i < j->n && !w->warned; i++) {
        int var = var_of(j, i);
        double x = fabs(state[i]);
        if (var < 0 || x == 0) continue;
        if (w->since[var] > time) w->since[var] = time;
        if (w->since[var] > young_until) {
            w->first[var] = fmax(w->first[var], x);
            w->largest = fmax(w->largest, x);
        } else if (growth_of(w, var, x, young_until) > most_growth) {
            warn_of_growth(j, time, state);
        }
    }
}

// --- every step ----------------------------------------------------------------------------------

bool watch_will_look(const Job *j) { return (j->watch.steps + 1) % STEPS_PER_LOOK == 0; }

bool watch_step(Job *j, double time, const double *state, double step, int worst) {
    Watch *w = &j->watch;
    bool looks = watch_will_look(j);
    w->steps++;
    int var = worst >= 0 ? var_of(j, worst) : -1;
    if (var >= 0) w->limiting[var]++, w->recent[var]++, w->looks++;
    if (step < w->least_step) w->least_step = step, w->least_time = time;
    if (looks) look_at_growth(j, time, state);
    return still_advances(j, time, step);
}

// Errors are looked at often enough to know, and so seldom that it costs nothing.
bool watch_wants_worst(const Job *j) {
    const Watch *w = &j->watch;
    return w->steps < 100 || w->steps % STEPS_PER_LOOK == 0;
}

void watch_tell(const Job *j, char *out, size_t size) {
    const Watch *w = &j->watch;
    int var[MOST_NAMED], count = most_of(w->limiting, w->count, var), length;
    *out = 0;
    if (!count || !isfinite(w->least_step)) return;
    length = snprintf(out, size, "shortest %.3g s at t = %g s; held short by", w->least_step,
                      w->least_time);
    for (int k = 0; k < count && length >= 0 && (size_t)length < size; k++)
        length +=
            snprintf(out + length, size - (size_t)length, "%s '%s' (%.0f %%)", k ? "," : "",
                     watch_name(j, var[k]), 100.0 * (double)w->limiting[var[k]] / (double)w->looks);
}
