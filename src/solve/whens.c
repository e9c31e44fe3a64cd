// `when` during a run: which conditions have become true, and what happens then.
//
//     conditions -> those that rise fire (of one `when` the first) -> new values -> conditions ...
//
// All values of a round are computed before any is put in place, so the order of statements means
// nothing. A new value may make another condition true: rounds go on until nothing fires.
//
// Moments of samples are counted, offset + k*period, so they neither drift nor have to be searched.
#include "solve/job.h"

#include "base/memory.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 100 };

static const Whens *whens_of(const Job *j) { return &j->p->system->whens; }
static double *sample_held(const Job *j) {
    return machine_held(j->m) + whens_of(j)->discrete_count;
}
static double *fired_held(const Job *j) { return sample_held(j) + whens_of(j)->sample_count; }

// --- moments of samples --------------------------------------------------------------------------

static double moment(const Job *j, int i) {
    const double *s = &j->when.sample[2 * i];
    return s[0] > 0 ? s[1] + j->when.next[i] * s[0] : INFINITY;
}

static bool open_sample(Job *j, int i) {
    const double *s = &j->when.sample[2 * i];
    const Sample *sample = &j->p->system->model->sample[i];
    if (!sample->period) return true; // `initial`
    double least = 1000 * DBL_EPSILON * fmax(fmax(fabs(j->o->start), fabs(j->o->stop)), fabs(s[1]));
    if (!(s[0] > least) || !isfinite(s[0]) || !isfinite(s[1])) {
        problem_sample(j, i, s[0]);
        return false;
    }
    j->when.next[i] = fmax(0, ceil((j->o->start - s[1]) / s[0] - 1e-9));
    return true;
}

bool whens_open(Job *j) {
    const Whens *w = whens_of(j);
    size_t branches = (size_t)w->branch_count;
    j->when.condition = memory_zeroed(branches, sizeof(double));
    j->when.was = memory_zeroed(branches, sizeof(bool));
    j->when.gaps = memory_zeroed(branches, sizeof(EventGaps));
    j->when.rate_bound = memory_zeroed(branches, sizeof(double));
    j->when.action =
        memory_zeroed((size_t)w->discrete_count + (size_t)w->reset_count, sizeof(double));
    j->when.sample = memory_zeroed(2 * (size_t)w->sample_count, sizeof(double));
    j->when.next = memory_zeroed((size_t)w->sample_count, sizeof(double));
    j->when.event_function = memory_zeroed((size_t)j->p->switch_count, sizeof(double));
    j->when.output = memory_zeroed(2 * (size_t)j->p->output_count, sizeof(double));
    machine_samples(j->m, j->when.sample);
    for (int i = 0; i < w->sample_count; i++)
        if (!open_sample(j, i)) return false;
    return true;
}

void whens_resize(Job *j) {
    const Whens *w = whens_of(j);
    free(j->when.event_function);
    free(j->when.action);
    j->when.event_function = memory_zeroed((size_t)j->p->switch_count, sizeof(double));
    j->when.action =
        memory_zeroed((size_t)w->discrete_count + (size_t)w->reset_count, sizeof(double));
}

void whens_close(Job *j) {
    free(j->when.condition);
    free(j->when.was);
    free(j->when.gaps);
    free(j->when.rate_bound);
    free(j->when.action);
    free(j->when.sample);
    free(j->when.next);
    free(j->when.event_function);
    free(j->when.output);
}

double whens_next_moment(const Job *j) {
    double next = INFINITY, stop = j->o->stop;
    for (int i = 0; i < whens_of(j)->sample_count; i++) next = fmin(next, moment(j, i));
    if (next > stop && next <= stop + events_margin(j, stop)) next = stop;
    return next <= stop ? next : INFINITY;
}

// --- one round -----------------------------------------------------------------------------------

static bool evaluate_conditions(Job *j, double time, const double *state) {
    if (machine_conditions(j->m, time, state, j->when.condition)) return true;
    job_block_failed(j, time, state);
    return false;
}

static bool is_true(double condition) { return condition != 0 && !isnan(condition); }

// Marks the branches that fire; of one `when` the first whose condition rises.
static bool mark_fired(Job *j) {
    const When *when = j->p->system->model->when;
    double *fired = fired_held(j);
    int taken = -1;
    bool any = false;
    for (int i = 0; i < whens_of(j)->branch_count; i++) {
        if (when[i].kind != WHEN_ACTS) continue;
        bool now = is_true(j->when.condition[i]);
        bool fires = now && !j->when.was[i] && when[i].group != taken;
        j->when.was[i] = now;
        fired[i] = fires;
        if (!fires) continue;
        taken = when[i].group;
        j->when.last = i;
        if (when[i].ends) j->when.ending = i + 1;
        any = true;
    }
    return any;
}

// Each assertion that has ceased to hold is told of once. False: the run ends.
static bool assertions_hold(Job *j, double time) {
    const When *when = j->p->system->model->when;
    bool good = true;
    for (int i = 0; i < whens_of(j)->branch_count; i++) {
        if (when[i].kind == WHEN_ACTS || j->when.was[i] || !is_true(j->when.condition[i])) continue;
        j->when.was[i] = true;
        if (j->o->warned && when[i].kind == WHEN_WARNS && j->o->warned[i]) continue;
        if (j->o->warned) j->o->warned[i] = 1;
        problem_assertion(j, time, i);
        good = good && when[i].kind == WHEN_WARNS;
    }
    return good;
}

// Do two branches set the same variable? Settings are sorted by what they set.
static bool has_conflict(Job *j, const Setting *s, int count, double time) {
    const double *fired = fired_held(j);
    int last = -1;
    for (int i = 0; i < count; i++) {
        if (!fired[s[i].branch]) continue;
        if (last >= 0 && s[last].target == s[i].target) {
            problem_conflict(j, time, &s[last], &s[i], s == whens_of(j)->reset);
            return true;
        }
        last = i;
    }
    return false;
}

static bool values_are_finite(Job *j, double time) {
    const Whens *w = whens_of(j);
    const double *fired = fired_held(j);
    for (int i = 0; i < w->set_count; i++)
        if (fired[w->set[i].branch] && !isfinite(j->when.action[w->set[i].target])) {
            problem_new_value(j, time, &w->set[i], false, j->when.action[w->set[i].target]);
            return false;
        }
    for (int i = 0; i < w->reset_count; i++) {
        double value = j->when.action[w->discrete_count + i];
        if (!fired[w->reset[i].branch] || isfinite(value)) continue;
        problem_new_value(j, time, &w->reset[i], true, value);
        return false;
    }
    return true;
}

static void put_values(Job *j, double *state) {
    const Whens *w = whens_of(j);
    double *held = machine_held(j->m), *fired = fired_held(j);
    for (int i = 0; i < w->discrete_count; i++) held[i] = j->when.action[i];
    for (int i = 0; i < w->reset_count; i++)
        if (fired[w->reset[i].branch])
            state[w->reset[i].target] = j->when.action[w->discrete_count + i];
    for (int i = 0; i < w->branch_count; i++) fired[i] = 0;
}

// The outputs on one side of an event, for whoever wants to know what it changed.
static void take_outputs(Job *j, double time, const double *state, double *output) {
    bool hold = j->m->hold;
    j->m->hold = false;
    if (!machine_outputs(j->m, time, state, output))
        for (int i = 0; i < j->p->output_count; i++) output[i] = NAN;
    j->m->hold = hold;
}

static bool run_round(Job *j, double time, double *state) {
    const Whens *w = whens_of(j);
    double *before = j->when.output, *after = before + j->p->output_count;
    if (has_conflict(j, w->set, w->set_count, time) ||
        has_conflict(j, w->reset, w->reset_count, time))
        return false;
    if (j->o->event) take_outputs(j, time, state, before);
    if (!event_functions(j, time, state, j->when.event_function) ||
        !machine_actions(j->m, time, state, j->when.action)) {
        job_block_failed(j, time, state);
        return false;
    }
    if (!values_are_finite(j, time)) return false;
    job_mark(j, TRAIL_ACTIONS, time, state);
    put_values(j, state);
    j->when.actions++;
    events_settle(j, time, state, j->when.event_function);
    if (!j->o->event) return true;
    take_outputs(j, time, state, after);
    j->o->event(j->o->context, time, before, after);
    return true;
}

// --- events that pile up -------------------------------------------------------------------------

// A branch that changes nothing only makes the solver look. It may fire twice for rounding.
static bool changes_something(const Whens *w, int branch) {
    for (int i = 0; i < w->set_count; i++)
        if (w->set[i].branch == branch) return true;
    for (int i = 0; i < w->reset_count; i++)
        if (w->reset[i].branch == branch) return true;
    return false;
}

// The gap between two firings of a branch shrinks again and again, down to nothing.
static bool keeps_advancing(Job *j, double time) {
    for (int i = 0; i < whens_of(j)->branch_count; i++) {
        EventGaps *p = &j->when.gaps[i];
        if (!fired_held(j)[i] || time == p->time || !changes_something(whens_of(j), i)) continue;
        double limit = job_pile_up(j, p, time);
        if (isnan(limit)) continue;
        problem_zeno(j, time, i, p, limit);
        return false;
    }
    return true;
}

// Rates of events that a long step would pass over. To look at them costs as much as a derivative,
// so it is done only while steps are not far shorter than allowed: they grow by tens at most.
static double longest_turn(Job *j, double time, const double *state) {
    enum { FAR = 20 };
    int n = whens_of(j)->rate_bound_count;
    double rate = 0;
    if (!n) return INFINITY;
    if (j->when.turn > 0 && j->stats->last_step > 0 && j->stats->last_step * FAR < j->when.turn)
        return j->when.turn;
    if (!machine_rate_bounds(j->m, time, state, j->when.rate_bound)) return INFINITY;
    for (int i = 0; i < n; i++) rate = fmax(rate, j->when.rate_bound[i]);
    return j->when.turn = rate > 0 ? 1 / rate : (double)INFINITY;
}

// While gaps shrink, steps are kept shorter than the next gap: what happens in it may be smaller
// than the tolerances, and a step over all of it would miss the event.
double whens_longest_step(Job *j, double time, const double *state) {
    double longest = longest_turn(j, time, state);
    for (int i = 0; i < whens_of(j)->branch_count; i++) {
        const EventGaps *p = &j->when.gaps[i];
        longest = fmin(longest, gaps_longest_step(p, time));
    }
    return longest;
}

// --- events --------------------------------------------------------------------------------------

bool whens_run(Job *j, double time, double *state) {
    if (whens_of(j)->branch_count == 0) return true;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (!evaluate_conditions(j, time, state) || !assertions_hold(j, time)) return false;
        if (!mark_fired(j)) {
            if (j->when.ending) j->wanted = time; // it becomes the last point, see job_hand_over
            return true;
        }
        if (!keeps_advancing(j, time) || !run_round(j, time, state)) return false;
    }
    problem_event_loop(j, time);
    return false;
}

static bool note_conditions(Job *j, double time, const double *state) {
    if (!evaluate_conditions(j, time, state)) return false;
    const When *when = j->p->system->model->when;
    for (int i = 0; i < whens_of(j)->branch_count; i++)
        if (when[i].kind == WHEN_ACTS) j->when.was[i] = is_true(j->when.condition[i]);
    return true;
}

bool whens_moment(Job *j, double time, double slack, double *state) {
    const Whens *w = whens_of(j);
    double *held = sample_held(j);
    bool any = false;
    for (int i = 0; i < w->sample_count; i++) {
        if (!(moment(j, i) <= time + slack)) continue;
        if (!any) job_mark(j, TRAIL_MOMENT, time, state);
        while (moment(j, i) <= time + slack) j->when.next[i]++;
        held[i] = 1;
        any = true;
    }
    if (!whens_run(j, time, state)) return false;
    if (!any) return true;
    j->stats->events++;
    for (int i = 0; i < w->sample_count; i++) held[i] = 0;
    return note_conditions(j, time, state);
}

// Conditions that are true at the start are no events; `initial` and samples at the start are.
bool whens_start(Job *j, double time, double *state) {
    const Whens *w = whens_of(j);
    j->when.begun = true;
    if (w->branch_count == 0) return true;
    if (!note_conditions(j, time, state)) return false;
    for (int i = 0; i < w->sample_count; i++)
        sample_held(j)[i] = !j->p->system->model->sample[i].period;
    if (!whens_moment(j, time, events_margin(j, time), state)) return false;
    for (int i = 0; i < w->sample_count; i++) sample_held(j)[i] = 0;
    return note_conditions(j, time, state);
}
