// Looking ahead at what moves by time alone, so that no step passes over any of it.
//
//     u(t)        _                 While states rest nothing holds steps back: one of them would
//     ___________/ \_____________   lead from o to o and never see the bump. Signals of time and
//     o                         o   held values (engine/signals.c) are known ahead, by bounds over
//     o----------o-o------------o   intervals of time (engine/bounds.c), so nothing is too short
//                                   to be seen.
//
//   bound   a bump of height H that lasts w bends by u'' = 16 H/w^2 at least. Steps of at most
//           h = sqrt(4 S/max|u''|), S the range of u, are shorter than w/2, and those over a sine
//           shorter than half a period. Once a step has seen something, the error control does the
//           rest. S and u'' are those over a window ahead, which is halved until it is as short as
//           the step, or good enough for the step that the method wants.
//   zero    of an event function of time alone, or a kink: the first one ahead is found by halving
//           intervals whose bounds contain 0, until the function is monotone there. A step ends
//           behind it.
#include "solve/job.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "engine/bounds.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

struct Scout {
    Bounds *bounds;
    Bound *value, *begin, *end;         // of all results, over an interval and at its ends
    double *largest;                    // per signal: range over any window so far
    int signals, event_functions;       // how many
    double span, stop;                  // of the run
    double bound, bound_from, bound_to; // no longer steps, in this window
    double zero;  // of an event function: the first one ahead; infinite: none until
    double clear; // here
    double next;  // where a step ends behind it
};

static const double least = 1e-8; // of the run: intervals are not halved further

Scout *scout_new(const Job *j) {
    const Program *p = j->p;
    if (p->signal_count + p->time_function_count == 0) return NULL;
    Scout *s = memory_zeroed(1, sizeof *s);
    size_t results = (size_t)p->signals.result_count;
    s->bounds = bounds_new(p, &p->signals, NULL);
    s->value = memory_zeroed(3 * results, sizeof *s->value);
    s->begin = s->value + results;
    s->end = s->begin + results;
    s->signals = p->signal_count;
    s->event_functions = p->time_function_count;
    s->largest = memory_zeroed((size_t)s->signals, sizeof *s->largest);
    s->span = j->span;
    s->stop = j->o->stop;
    return s;
}

void scout_free(Scout *s) {
    if (!s) return;
    bounds_free(s->bounds);
    free(s->value);
    free(s->largest);
    free(s);
}

static void forget(Scout *s) {
    s->bound_from = s->bound_to = s->clear = -INFINITY;
    s->zero = s->next = INFINITY;
    for (int i = 0; i < s->signals; i++) s->largest[i] = 0;
}

void scout_forget(Job *j) {
    scout_free(j->scout);
    j->scout = scout_new(j);
}

// --- bound of steps ------------------------------------------------------------------------------

// The longest step within the window that sees every bump there. What moves by less than a
// billionth of what it did elsewhere is at rest.
static double step_bound_over(Scout *s, double from, double to) {
    const double still = 1e-9;
    double bound = INFINITY;
    bounds_over(s->bounds, from, to, s->value);
    for (int i = 0; i < s->signals; i++) {
        Bound u = s->value[2 * i], bend = s->value[2 * i + 1];
        double most = larger(fabs(bend.low), fabs(bend.high)), range = u.high - u.low;
        if (isfinite(range)) s->largest[i] = larger(s->largest[i], range);
        if (range <= still * s->largest[i] || most == 0) continue;
        bound = smaller(bound, isfinite(most) ? sqrt(4 * range / most) : 0);
    }
    return bound;
}

static double find_step_bound(Scout *s, double time, double target, double proposed) {
    if (s->signals == 0) return INFINITY;
    if (time >= s->bound_from && time + smaller(proposed, target - time) <= s->bound_to &&
        proposed <= s->bound)
        return s->bound;
    double last =
        s->bound_to > s->bound_from ? smaller(s->bound, s->bound_to - s->bound_from) : INFINITY;
    double window = smaller(target - time, larger(16 * last, 4 * proposed)), bound;
    for (;;) {
        bound = step_bound_over(s, time, time + window);
        if (bound >= window / 2 || smaller(bound, window) >= proposed || window <= least * s->span)
            break;
        window /= 2;
    }
    s->bound_from = time;
    s->bound_to = time + window;
    s->bound = larger(bound, least * s->span);
    return smaller(s->bound, window);
}

// --- zeros of event functions --------------------------------------------------------------------

static bool is_negative(Bound at) { return at.low < 0; }

// Does the signal change its sign over the interval? Its ends tell, as the interval is short or the
// signal nearly straight there. A zero at the begin is known already.
static bool changes(const Scout *s, int i) {
    return s->begin[i].low != 0 && is_negative(s->begin[i]) != is_negative(s->end[i]);
}

typedef enum { NO_ZERO, ONE_ZERO, UNKNOWN } Verdict;

static Verdict look(Scout *s, double from, double to) {
    int first = 2 * s->signals;
    bool tiny = to - from <= least * s->span, open = false, zero = false;
    bounds_over(s->bounds, from, to, s->value);
    for (int i = 0; i < s->event_functions && !open; i++) {
        Bound g = s->value[first + 2 * i];
        open = g.low <= 0 && g.high >= 0 && !(g.low == 0 && g.high == 0);
    }
    if (!open) return NO_ZERO;
    for (int i = 0; i < s->event_functions; i++) {
        Bound g = s->value[first + 2 * i], slope = s->value[first + 2 * i + 1];
        if (tiny || g.low > 0 || g.high < 0 || (g.low == 0 && g.high == 0)) continue;
        if (slope.low <= 0 && slope.high >= 0) return UNKNOWN;
    }
    bounds_over(s->bounds, from, from, s->begin);
    bounds_over(s->bounds, to, to, s->end);
    for (int i = 0; i < s->event_functions; i++) zero = zero || changes(s, first + 2 * i);
    return zero ? ONE_ZERO : NO_ZERO;
}

// The first point where an event function has changed, which it has at `to`.
static double narrow(Scout *s, double from, double to) {
    int first = 2 * s->signals;
    double near = 8 * DBL_EPSILON * larger(fabs(from), fabs(to));
    bounds_over(s->bounds, from, from, s->begin);
    while (to - from > near) {
        double middle = from + (to - from) / 2;
        bool zero = false;
        bounds_over(s->bounds, middle, middle, s->end);
        for (int i = 0; i < s->event_functions; i++) zero = zero || changes(s, first + 2 * i);
        if (zero)
            to = middle;
        else
            from = middle;
    }
    return to;
}

// Gives: the first zero up to the target, else how far it is clear of them.
static double find_zero(Scout *s, double time, double target) {
    enum { MOST_LOOKS = 1000 };
    if (s->event_functions == 0) return INFINITY;
    if (s->zero > time && s->zero <= s->clear) return s->zero;
    double from = larger(time, smaller(s->clear, target)), window = target - from;
    s->zero = s->next = INFINITY;
    for (int looks = 0; from < target && looks < MOST_LOOKS; looks++) {
        double to = smaller(from + window, target);
        Verdict v = look(s, from, to);
        if (v == ONE_ZERO) s->zero = narrow(s, from, to);
        if (v == ONE_ZERO) return s->clear = s->zero;
        if (v == NO_ZERO) from = to;
        window = v == NO_ZERO ? 2 * window : (to - from) / 2;
    }
    s->clear = larger(from, time + least * s->span);
    return s->clear < target ? s->clear : INFINITY;
}

// --- both ----------------------------------------------------------------------------------------

bool scout_passes(const Job *j, double time) { return j->scout && time >= j->scout->next; }

double scout_ahead(Job *j, double time, double target, double proposed) {
    Scout *s = j->scout;
    if (!s || !(target > time)) return INFINITY;
    if (bounds_refresh(s->bounds, j->m)) forget(s);
    double zero = find_zero(s, time, target), end = smaller(zero, target);
    double bound = find_step_bound(s, time, end, proposed);
    if (isfinite(zero)) zero += 2 * events_margin(j, zero);
    s->next = isfinite(s->zero) ? zero : INFINITY;
    double soonest = time + 100 * events_margin(j, time); // no method begins with less
    return larger(time + bound < end ? time + bound : zero, soonest);
}
