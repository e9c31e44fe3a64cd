// Events: relations that become true or false while a run goes on.
//
//     event function g = left - right     During a step every relation keeps its state, so the
//       \                                 rates are smooth; the integrator looks for zeros of the
//        \   true                         event functions. At a zero the run stops, the relation
//    -----o-----------> t                 is set by the direction of the crossing, the others are
//          \   false                      looked at again, and the integrator starts anew.
//
// After every change `when` conditions are looked at (whens.c).
//
// Signals of time alone that jump (mod, floor, ceil) have a phase that grows steadily and jump
// where it is whole: such times are computed, the run steps to just before and starts anew just
// after.
#include "solve/job.h"

#include "engine/pieces.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 8, MOST_CHATTER = 200 };

static bool is_true(const Job *j, int i, double event_function) {
    return j->p->sw[i].or_equal ? event_function <= 0 : event_function < 0;
}

// Relations of a warning that has been given are left alone.
static bool is_mute(const Job *j, int i) {
    int branch = j->p->sw[i].watcher;
    return branch >= 0 && j->when.was[branch];
}

static void shift_event_functions(const Job *j, double *event_function) {
    for (int i = 0; i < j->p->switch_count; i++)
        event_function[i] =
            is_mute(j, i) ? (j->m->truth[i] ? -1 : 1) : event_function[i] + j->shift[i];
}

// What is found by iteration depends on where that begins, and the past grows: these are not seen
// to be the same.
static void see(Job *j, double time, const double *state, const double *event_function) {
    if (j->p->unknown_count > 0 || j->history) return;
    j->seen_time = time;
    memcpy(j->seen, event_function, (size_t)j->p->switch_count * sizeof *event_function);
    if (j->n) memcpy(j->seen_state, state, (size_t)j->n * sizeof *state);
}

bool event_functions(Job *j, double time, const double *state, double *event_function) {
    j->seen_time = NAN;
    if (!machine_switches(j->m, time, state, event_function)) return false;
    see(j, time, state, event_function);
    shift_event_functions(j, event_function);
    return true;
}

bool event_functions_again(Job *j, double time, const double *state, double *event_function) {
    if (j->seen_time != time || memcmp(j->seen_state, state, (size_t)j->n * sizeof *state) != 0)
        return event_functions(j, time, state, event_function);
    memcpy(event_function, j->seen, (size_t)j->p->switch_count * sizeof *event_function);
    shift_event_functions(j, event_function);
    return true;
}

// A zero that a relation stays at, or a mode began at, counts as left behind once its event
// function is clear of roundings.
static void forget_shifts(Job *j) {
    for (int i = 0; i < j->p->switch_count; i++) {
        double band = fabs(j->shift[i]), event_function = j->event_function[i] - j->shift[i];
        if (band > 0 && (j->m->truth[i] ? -event_function : event_function) > 4 * band)
            j->shift[i] = 0;
    }
}

// A point a little later along the present rates.
static bool look_ahead(Job *j, double time, const double *state) {
    double little = 1e-9 * (j->span > 0 ? j->span : 1);
    if (!machine_derivative(j->m, time, state, j->rate, NULL)) return false;
    for (int i = 0; i < j->n; i++) j->later[i] = state[i] + little * j->rate[i];
    return event_functions(j, time + little, j->later, j->ahead);
}

// --- pieces that arguments jump into -------------------------------------------------------------

// What changes at an event may take the argument of a function with pieces from one place to another, also to the very end
// of a piece, which one that moves there would not have left yet: mod(n, 2) with a counter n, mod(floor(x), 2).
static bool jumps_into(Job *j, int i, double before, double now) {
    const TapeSwitch *s = &j->p->sw[i];
    double x = j->m->switch_value[i];
    bool jumps = fabs(now - before) > 1e-9 * fmax(1, fabs(x));
    if (!switch_has_pieces(s) || !jumps || piece_at(s, x) == j->m->piece[i]) return false;
    return machine_set_switch(j->m, i, false);
}

// Where they are now, to be looked at again after the event.
static void keep_arguments(Job *j, double time, const double *state) {
    bool pieces = false;
    for (int i = 0; i < j->p->switch_count; i++) pieces = pieces || switch_has_pieces(&j->p->sw[i]);
    if (!pieces || !event_functions(j, time, state, j->event_function)) return;
    memcpy(j->argument, j->m->switch_value, (size_t)j->p->switch_count * sizeof *j->argument);
}

// A slow crossing may be found while the state, rounded, is still on the side that it comes from,
// and small steps do not move it: the event function is moved there, so that it is not found again.
// One that is found again all the same is moved as far as a billionth of the run takes it.
static void shift_crossed(Job *j, double time, const double *state, const int *direction) {
    bool again = false;
    if (!event_functions(j, time, state, j->event_function)) return;
    for (int i = 0; i < j->p->switch_count; i++)
        again = again || (direction[i] && j->m->truth[i] == (direction[i] < 0));
    if (again && !look_ahead(j, time, state)) return;
    for (int i = 0; i < j->p->switch_count; i++) {
        if (!direction[i] || switch_has_pieces(&j->p->sw[i])) continue;
        bool now = direction[i] < 0;
        if (j->event_function[i] != 0 && is_true(j, i, j->event_function[i]) != now)
            j->shift[i] -= 2 * j->event_function[i];
        if (j->m->truth[i] == now)
            j->shift[i] += direction[i] * fabs(j->ahead[i] - j->event_function[i]);
    }
}

static bool is_undecided(const Job *j, int i, const int *direction) {
    return j->event_function[i] == 0 && !(direction && direction[i]) &&
           !switch_has_pieces(&j->p->sw[i]);
}

// A relation exactly at its zero takes the side to which the system moves.
static void settle_event_functions(Job *j, double time, const double *state, const int *direction) {
    if (!event_functions(j, time, state, j->event_function)) return;
    bool any = false;
    for (int i = 0; i < j->p->switch_count; i++) any = any || is_undecided(j, i, direction);
    if (!any || !look_ahead(j, time, state)) return;
    for (int i = 0; i < j->p->switch_count; i++) {
        if (!is_undecided(j, i, direction)) continue;
        if (j->ahead[i] != 0) j->m->truth[i] = j->ahead[i] < 0;
    }
}

static void update_switches(Job *j, double time, const double *state) {
    j->m->hold = false;
    bool good = event_functions(j, time, state, j->event_function);
    for (int i = 0; i < j->p->switch_count && good; i++)
        machine_set_switch(j->m, i, is_true(j, i, j->event_function[i]));
    j->m->hold = true;
    for (int round = 0; round < MOST_ROUNDS && good; round++) {
        bool changed = false;
        good = event_functions(j, time, state, j->event_function);
        for (int i = 0; i < j->p->switch_count && good; i++)
            changed = jumps_into(j, i, j->argument[i], j->m->switch_value[i]) || changed;
        if (!changed) break;
    }
}

bool events_start(Job *j, double time, double *state) {
    between_forget(j);
    if (j->changed_over) {
        j->changed_over = false;
        return true;
    }
    if (j->anew) {
        j->anew = false;
        return events_jump(j, time, state) && history_break(j, time, state);
    }
    if (j->resumed)
        return (j->when.begun ? whens_run : whens_start)(j, time, state) &&
               history_break(j, time, state) && modes_hold(j, time, state);
    if (j->p->switch_count > 0) {
        machine_update_switches(j->m, time, state);
        j->m->hold = true;
        settle_event_functions(j, time, state, NULL);
    }
    if (!whens_start(j, time, state)) return false;
    bands_stay(j, time, state, NULL);
    return (!has_whens(j) || history_break(j, time, state)) && modes_hold(j, time, state);
}

void events_settle(Job *j, double time, const double *state, const double *before) {
    if (!j->m->hold) return;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        bool changed = false;
        if (!event_functions(j, time, state, j->event_function)) return;
        for (int i = 0; i < j->p->switch_count; i++) {
            if (j->event_function[i] == before[i])
                continue; // a counter comes to stand at its zero exactly
            changed = jumps_into(j, i, before[i], j->event_function[i]) || changed;
            changed = machine_set_switch(j->m, i, is_true(j, i, j->event_function[i])) || changed;
        }
        if (!changed) break;
    }
    settle_event_functions(j, time, state, NULL);
}

// A change may move the event functions of other relations, which then change too, and so on.
static void settle_others(Job *j, double time, const double *state, const int *direction) {
    for (int round = 0; round < MOST_ROUNDS; round++) {
        bool changed = false;
        if (!event_functions(j, time, state, j->event_function)) return;
        for (int i = 0; i < j->p->switch_count; i++) {
            if (direction[i]) continue;
            changed = jumps_into(j, i, j->argument[i], j->m->switch_value[i]) || changed;
            if (j->event_function[i] == 0) continue;
            changed = machine_set_switch(j->m, i, is_true(j, i, j->event_function[i])) || changed;
        }
        if (!changed) break;
    }
    settle_event_functions(j, time, state, direction);
}

// Many events within hardly any time are chatter. Where laws switch, relations of guards, which no
// rate depends on, may cross their zeros to and fro within the accuracy of a step: ten times as
// many are let pass.
static bool count_event(Job *j, double time) {
    const long most = has_modes(j) ? 10 * MOST_CHATTER : MOST_CHATTER;
    j->stats->events++;
    if (j->chatter_count == 0 || time - j->chatter_time > 1e-7 * j->span) {
        j->chatter_time = time;
        j->chatter_count = 0;
    }
    if (++j->chatter_count <= most) return true;
    problem_chatter(j, time);
    return false;
}

// Would a relation that has just crossed its zero be back behind it at once? Both sides lead to
// the zero (sliding): the run would go along it in ever so many small steps.
static bool slides(Job *j, double time, const double *state, const int *direction) {
    if (has_modes(j) || !look_ahead(j, time, state)) return false;
    const double soon = 1e6; // times what look_ahead looks ahead
    for (int i = 0; i < j->p->switch_count; i++) {
        double back = direction[i] * (j->event_function[i] - j->ahead[i]);
        if (direction[i] && !switch_has_pieces(&j->p->sw[i]) && back > 0 &&
            direction[i] * j->event_function[i] < soon * back)
            return true;
    }
    return false;
}

static bool count_sliding(Job *j, double time, bool sliding) {
    if (!sliding) j->sliding_count = 0;
    if (!sliding) return true;
    if (j->sliding_count++ == 0) j->sliding_time = time;
    if (j->sliding_count <= MOST_CHATTER) return true;
    j->chatter_count = j->sliding_count;
    j->chatter_time = j->sliding_time;
    problem_chatter(j, time);
    return false;
}

static void mark_crossing(const Job *j, double time, const double *state, const int *direction) {
    if (!j->o->trail) return;
    TrailMark mark = {.kind = TRAIL_CROSS,
                      .machine = j->m,
                      .time = time,
                      .state = state,
                      .direction = direction,
                      .method = j->stats->method};
    j->o->trail(j->o->trail_context, &mark);
}

bool events_cross(Job *j, double time, double *state, const int *direction) {
    bool jumps = false;
    between_forget(j);
    mark_crossing(j, time, state, direction);
    double *sides = jumps_before(j, time, state);
    if (has_modes(j)) shift_crossed(j, time, state, direction);
    keep_arguments(j, time, state);
    for (int i = 0; i < j->p->switch_count; i++) {
        if (!direction[i]) continue;
        machine_set_switch(j->m, i, direction[i] < 0);
        if (j->p->sw[i].table) continue; // a kink drives nothing back
        jumps = true;
        j->last_switch = i;
    }
    settle_others(j, time, state, direction);
    jumps_after(j, time, state, sides);
    if (!jumps) j->stats->events++;
    long actions = j->when.actions;
    if (!whens_run(j, time, state) || (jumps && !count_event(j, time))) return false;
    bool sliding = jumps && j->when.actions == actions && slides(j, time, state, direction);
    bands_stay(j, time, state, direction);
    return (!jumps || count_sliding(j, time, sliding)) && modes_hold(j, time, state);
}

// A crossing is found a rounding early or late: an event function that is about to be crossed
// anyway has not been missed. False when none is left.
static bool forget_roundings(Job *j, double time, const double *state, int *direction) {
    bool any = false;
    if (!look_ahead(j, time, state)) return true;
    for (int i = 0; i < j->p->switch_count; i++) {
        if (!direction[i]) continue;
        double soon =
            1e-3 * (j->ahead[i] - j->event_function[i]); // its change within 1e-12 of the run
        if (j->event_function[i] * soon < 0 && fabs(j->event_function[i]) < fabs(soon))
            direction[i] = 0;
        any = any || direction[i];
    }
    return any;
}

bool events_missed(Job *j, double time, const double *state, int *direction) {
    bool any = false;
    if (!event_functions_again(j, time, state, j->event_function)) return false;
    for (int i = 0; i < j->p->switch_count; i++) {
        direction[i] = 0;
        if (j->event_function[i] == 0 || is_true(j, i, j->event_function[i]) == j->m->truth[i])
            continue;
        direction[i] = j->event_function[i] > 0 ? 1 : -1;
        any = true;
    }
    forget_shifts(j);
    return any && forget_roundings(j, time, state, direction);
}

bool events_leave(Job *j, double time, const double *state, int *direction) {
    bool any = false, still = false;
    if (!event_functions(j, time, state, j->event_function)) return true;
    for (int i = 0; i < j->p->switch_count; i++)
        still = still || (direction[i] && j->event_function[i] == 0);
    if (still && !look_ahead(j, time, state)) return true;
    for (int i = 0; i < j->p->switch_count; i++) {
        if (direction[i] && j->event_function[i] == 0 && j->ahead[i] == 0) direction[i] = 0;
        any = any || direction[i];
    }
    return any;
}

// --- jumps in time -------------------------------------------------------------------------------

// Rounding decides on which of some neighbouring times a jump falls; these belong to neither side.
double events_margin(const Job *j, double time) {
    return 8 * DBL_EPSILON * fmax(fabs(time), 1e-6 * j->span);
}

// Where does this clock jump next? A jump that the run has just stepped over does not count.
static double next_whole(double time, double phase, double rate, double margin) {
    double whole = rate > 0 ? floor(phase) + 1 : ceil(phase) - 1;
    double next = time + (whole - phase) / rate;
    return next > time + margin / 2 ? next : next + 1 / fabs(rate);
}

// Where does this argument meet the next kink?
static double next_kink(const Table *t, double time, double x, double rate, double margin) {
    double from = x + (rate > 0 ? margin : -margin) * fabs(rate); // one that was just met
    return time + (table_next_kink(t, from, rate > 0) - x) / rate;
}

double events_next_kink(Job *j, double time) {
    double next = INFINITY, margin = events_margin(j, time);
    if (j->p->clock_count) machine_clocks(j->m, time, j->phase);
    for (int i = 0; i < j->p->clock_count; i++) {
        double phase = j->phase[2 * i], rate = j->phase[2 * i + 1];
        const Table *table = j->p->clock[i].table;
        if (table && isfinite(phase) && isfinite(rate) && rate != 0)
            next = fmin(next, next_kink(table, time, phase, rate, margin));
    }
    return next;
}

long events_kinks(Job *j) {
    long count = 0;
    for (int i = 0; i < j->p->clock_count; i++) {
        const Table *t = j->p->clock[i].table;
        if (!t) continue;
        machine_clocks(j->m, j->o->start, j->phase);
        double from = j->phase[2 * i];
        machine_clocks(j->m, j->o->stop, j->phase);
        count += labs(table_piece(t, j->phase[2 * i]) - table_piece(t, from));
    }
    return count;
}

static double next_clock(Job *j, double time, double *after) {
    *after = INFINITY;
    if (j->p->clock_count == 0 && !j->history) return INFINITY;
    double next = events_next_kink(j, time), past = history_next_break(j, time);
    double margin = events_margin(j, time);
    for (int i = 0; i < j->p->clock_count; i++) {
        double phase = j->phase[2 * i], rate = j->phase[2 * i + 1];
        bool usable = isfinite(phase) && isfinite(rate) && rate != 0 && !j->p->clock[i].table;
        if (!usable || 1 / fabs(rate) < 100 * margin) continue;
        next = fmin(next, next_whole(time, phase, rate, margin));
    }
    j->own_jump = next <= past + 2 * margin;
    next = fmin(next, past);
    margin = events_margin(j, next);
    if (!(next + margin < j->o->stop)) return *after = INFINITY;
    *after = next + margin;
    return fmax(next - margin, time);
}

// Moments of samples are hit exactly.
double events_next_jump(Job *j, double time, double *after) {
    double clock = next_clock(j, time, after), moment = whens_next_moment(j);
    if (!(moment <= clock) || moment == INFINITY) return clock;
    j->own_jump = true;
    return *after = moment;
}

double events_before(const Job *j, double time, double jump) {
    return time >= jump ? time - events_margin(j, time) : time;
}

bool events_jump(Job *j, double time, double *state) {
    between_forget(j);
    job_mark(j, TRAIL_MOMENT, time, state);
    j->stats->events++;
    if (j->p->switch_count > 0) {
        double *sides = jumps_before(j, time, state);
        keep_arguments(j, time - 4 * events_margin(j, time), state);
        update_switches(j, time, state);
        settle_event_functions(j, time, state, NULL);
        jumps_after(j, time, state, sides);
    }
    if (!whens_moment(j, time, events_margin(j, time), state)) return false;
    bands_stay(j, time, state, NULL);
    return modes_hold(j, time, state);
}

double events_longest_step(Job *j, double time, const double *state) {
    double longest = j->o->max_step > 0 ? j->o->max_step : INFINITY;
    longest = fmin(longest, fmin(whens_longest_step(j, time, state), modes_longest_step(j, time)));
    longest = fmin(longest, history_longest_step(j));
    // what changes several times within the rounding of the time asks for no shorter steps than
    // that
    double least = fmax(j->o->min_step, 100 * events_margin(j, time));
    return isfinite(longest) ? fmax(longest, least) : 0;
}
