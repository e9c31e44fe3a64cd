// Relations that change and change back within a step, which its ends do not show.
//
//     v  o                      o     v: how far an event function is from its zero, on the side
//          \                  /       where its relation stays as it is. It is looked at in the
//            \ o          o /         middle of every step; where v varies as much as it is away
//     0 ----------\----/---------     from 0, at eight points, and lowest points are followed down
//                    x                a parabola.
//
// States come from the method's own polynomial, all else is evaluated at the point itself. What is
// less than the tolerance of the run does to v is nothing. Nothing that was only looked at leaves a
// trace.
#include "solve/job.h"

#include "base/memory.h"
#include "base/numbers.h"
#include <math.h>
#include <string.h>

enum { PARTS = 8, MOST_ROUNDS = 12 };

typedef struct {
    Job *j;
    const StepInside *in;
    double from, to;
    int *direction;
    bool by_bounds; // they tell that relations came back behind their zeros at the beginning
} Look;

static double *row(const Job *j, int k) {
    return j->inside + (size_t)k * (size_t)j->p->switch_count;
}

// While the relation stays as it is, v >= 0.
static void turn_signs(const Job *j, double *event_function) {
    for (int i = 0; i < j->p->switch_count; i++)
        if (j->m->truth[i]) event_function[i] = -event_function[i];
}

static bool event_functions_at(Look *l, double time, bool roughly, double *v) {
    Job *j = l->j;
    double *state = row(j, PARTS + 2);
    if (!l->in->at(l->in->context, time, roughly, state)) return false;
    if (!event_functions(j, time, state, v)) return false;
    turn_signs(j, v);
    return true;
}

static bool event_functions_end(Look *l) {
    Job *j = l->j;
    if (j->inside_end != l->from) {
        if (!event_functions(j, l->from, l->in->begin, row(j, 0))) return false;
        turn_signs(j, row(j, 0));
    } else {
        memcpy(row(j, 0), row(j, PARTS), (size_t)j->p->switch_count * sizeof(double));
    }
    j->inside_end = NAN;
    if (!event_functions_again(j, l->to, l->in->end, row(j, PARTS))) return false;
    turn_signs(j, row(j, PARTS));
    j->inside_end = l->to;
    return true;
}

// Could the relation have been below 0 between the ends, judging by its values at both ends and in
// the middle? (If it is below 0 at an end, the end shows it. Where bounds tell, they decide.)
static bool is_open(const Job *j, int i) {
    if (j->closed[i]) return false;
    double a = row(j, 0)[i], m = row(j, PARTS / 2)[i], b = row(j, PARTS)[i];
    if (!(a >= 0) || b < 0) return false;
    double low = smaller(smaller(a, b), m), high = larger(larger(a, b), m);
    return low < high - low;
}

// --- lowest points -------------------------------------------------------------------------------

// The vertex of the parabola through three points: where, and how low. False: it has none there.
static bool vertex(const double x[3], const double v[3], double *at, double *low) {
    double d1 = (v[1] - v[0]) / (x[1] - x[0]), d2 = (v[2] - v[1]) / (x[2] - x[1]);
    double bend = (d2 - d1) / (x[2] - x[0]);
    if (!(bend > 0)) return false;
    *at = (x[0] + x[1]) / 2 - d1 / (2 * bend);
    *low = v[0] + (*at - x[0]) * d1 + bend * (*at - x[0]) * (*at - x[1]);
    return *at > x[0] && *at < x[2];
}

// From three points down to the lowest. Gives: a time where v < 0, or infinity.
static double follow(Look *l, int i, double x[3], double v[3]) {
    double at, low, *there = row(l->j, PARTS + 1);
    for (int round = 0; round < MOST_ROUNDS && vertex(x, v, &at, &low); round++) {
        double least = smaller(smaller(v[0], v[1]), v[2]), near = 1e-9 * (l->to - l->from);
        if (low > 0.5 * least || fabs(at - x[1]) < near || at - x[0] < near || x[2] - at < near)
            break;
        if (!event_functions_at(l, at, false, there)) break;
        if (there[i] < 0) return at;
        int k = at < x[1] ? 0 : 2; // the side that is narrowed, or the middle moves
        bool middle = there[i] <= v[1];
        double old_x = x[1], old_v = v[1];
        if (middle) x[1] = at, v[1] = there[i];
        x[middle ? 2 - k : k] = middle ? old_x : at;
        v[middle ? 2 - k : k] = middle ? old_v : there[i];
    }
    return INFINITY;
}

static double time_of(const Look *l, int k) { return l->from + (l->to - l->from) * k / PARTS; }

// The first time at which this relation is found changed.
static double search(Look *l, int i) {
    for (int k = 1; k < PARTS; k++)
        if (row(l->j, k)[i] < 0) return time_of(l, k);
    for (int k = 1; k < PARTS; k++) {
        double x[] = {time_of(l, k - 1), time_of(l, k), time_of(l, k + 1)};
        double v[] = {row(l->j, k - 1)[i], row(l->j, k)[i], row(l->j, k + 1)[i]};
        double found = follow(l, i, x, v);
        if (isfinite(found)) return found;
    }
    return INFINITY;
}

// --- what counts ---------------------------------------------------------------------------------

// Changes that are no larger than what the tolerance of the run could cause are none.
bool between_leave_small(Job *j, double time, const double *state, int *direction) {
    const Program *p = j->p;
    double *room = bands_room(p), *here = room + p->state_count, *band = here + p->switch_count;
    bool any = false, good = bands_find(j->m, time, state, BANDS_DIGITS, room) &&
                             bands_widen(j, time, state, j->sizes.most, room) &&
                             bands_leave_jumps(j, time, state, room);
    for (int i = 0; i < p->switch_count && good; i++) {
        if (fabs(here[i] + j->shift[i]) <= band[i]) direction[i] = 0;
        any = any || direction[i];
    }
    free(room);
    return any;
}

static bool is_sure(Look *l, double time, int *direction) {
    Job *j = l->j;
    double *state = row(j, PARTS + 2);
    if (!l->in->at(l->in->context, time, false, state)) return false;
    if (!events_missed(j, time, state, direction)) return false;
    bool sure = false, any = between_leave_small(j, time, state, direction);
    for (int i = 0; i < j->p->switch_count && any; i++) {
        if (row(j, 0)[i] < 0 && !(l->by_bounds && enclosure_knows(j, i))) direction[i] = 0;
        sure = sure || direction[i];
    }
    return sure;
}

static bool is_sure_there(void *context, double time) {
    Look *l = context;
    l->by_bounds = true;
    return is_sure(l, time, l->direction);
}

// By the middle of the step and more points where that says so.
static bool look_at_points(Look *l, double *time) {
    Job *j = l->j;
    double first = INFINITY;
    bool open = false, all = true;
    for (int i = 0; i < j->p->switch_count; i++) all = all && j->closed[i];
    if (all || !event_functions_at(l, time_of(l, PARTS / 2), true, row(j, PARTS / 2))) return false;
    for (int i = 0; i < j->p->switch_count; i++) open = open || is_open(j, i);
    for (int k = 1; k < PARTS && open; k++)
        if (!event_functions_at(l, time_of(l, k), false, row(j, k))) return false;
    for (int i = 0; i < j->p->switch_count && open; i++)
        if (is_open(j, i)) first = smaller(first, search(l, i));
    *time = first;
    return isfinite(first);
}

static bool look(Look *l, double *time) {
    Job *j = l->j;
    double first, other;
    if (!event_functions_end(l)) return false;
    bool found = enclosure_find(j, l->from, l->to, l->in, is_sure_there, l, j->closed, &first);
    bool seen = look_at_points(l, &other) && (!found || other < first);
    if (!found && !seen) return false;
    *time = seen ? other : first;
    l->by_bounds = !seen;
    return (!seen && between_is_cut(j)) || is_sure(l, *time, l->direction);
}

bool between_is_cut(const Job *j) { return enclosure_is_lost(j); }

bool between_find(Job *j, double from, double to, const StepInside *in,
                  int *direction, // NOLINT(readability-non-const-parameter): written by is_sure
                  double *time) {
    const Program *p = j->p;
    double *unknown = j->m->reg + p->first_unknown;
    Look l = {.j = j, .in = in, .from = from, .to = to, .direction = direction};
    if (p->switch_count == 0 || !(to - from > 4 * events_margin(j, to))) return false;
    if (p->unknown_count) memcpy(j->unknown, unknown, p->unknown_count * sizeof *unknown);
    bool found = look(&l, time);
    if (p->unknown_count) memcpy(unknown, j->unknown, p->unknown_count * sizeof *unknown);
    return found;
}

double between_narrow(Job *j, double from, double to, const StepInside *in, const int *direction) {
    Look l = {.j = j, .in = in, .from = from, .to = to};
    double *v = row(j, PARTS + 1), near = events_margin(j, to);
    while (to - from > near) {
        double middle = from + (to - from) / 2;
        bool changed = false;
        if (!event_functions_at(&l, middle, false, v)) break;
        for (int i = 0; i < j->p->switch_count; i++)
            changed = changed || (direction[i] && v[i] < 0);
        *(changed ? &to : &from) = middle;
    }
    return to;
}

void between_forget(Job *j) {
    j->inside_end = j->seen_time = NAN;
    enclosure_forget(j);
}

void between_open(Job *j) {
    size_t switches = (size_t)j->p->switch_count, states = (size_t)j->n;
    j->inside = memory_zeroed((PARTS + 2) * switches + states + 1, sizeof *j->inside);
    j->closed = memory_zeroed(switches + 1, sizeof *j->closed);
    j->unknown = memory_zeroed(j->p->unknown_count + 1, sizeof *j->unknown);
    j->inside_end = NAN;
}

void between_close(Job *j) {
    free(j->inside);
    free(j->unknown);
    free(j->closed);
}
