// What delayed signals were: their values at the steps of the run, and between them.
//
//     t   |----o--o---o-----o|o---o------o     o: the end of a step; | a break: an event, or a
//                     ^                        place where the past breaks, T ago; between them:
//                     t - T                    the polynomial through up to ten points around it
//                                              that no break parts
//
// A break of x at t makes one of delay(x, T) at t + T, which makes the next at t + 2T, each a
// degree smoother: steps end there as they do at jumps of time, so that no step goes over one.
// Steps are shorter than the delay, so what is asked for is always known; a delay that changes and
// comes close to nothing goes on with the last polynomial.
#include "solve/job.h"

#include "base/array.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

enum { MOST_POINTS = 10, MOST_SMOOTHINGS = 8, MOST_BREAKS = 100000, STEPS_PER_DELAY = 6 };

typedef struct {
    double time;
    int level; // how often the break has been smoothed
} Break;

struct History {
    int count;          // of delays
    const Delay *delay; // of the model
    const int *held;    // their registers, counted from the first held one
    int first_slope;    // the same for their derivatives
    double *time;       // time and bound of each, in pairs
    double *before;     // room
    double start;
    bool open;
    ARRAY(double) t;     // of the points that are kept
    ARRAY(int) part;     // rises with every break
    ARRAY(double) value; // per point and delay
    double *now;         // room for a point
    ARRAY(Break) next;   // breaks to come, the latest first
    Break met;           // the last one that was stepped over
};

static const Whens *whens_of(const Job *j) { return &j->p->system->whens; }

// --- reading ------------------------------------------------------------------------------------

// The last point at or before `time`; -1: all are later.
static int point_before(const History *h, double time) {
    int low = -1, high = h->t.count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (h->t.data[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool is_same_part(const History *h, int i, int part) {
    return i >= 0 && i < h->t.count && h->part.data[i] == part;
}

// Points around the interval from `low` on, in its part. Those that lie too close to others would
// spoil the polynomial: each must be away by a third of the interval.
static int choose_points(const History *h, int low, double time, int *point) {
    int part = h->part.data[low], count = 0;
    int left = low, right = is_same_part(h, low + 1, part) ? low + 1 : low;
    const double *t = h->t.data;
    double apart = (t[right] - t[left]) / 3;
    point[count++] = left;
    if (right > left) point[count++] = right;
    double last_left = t[left], last_right = t[right];
    int l = left - 1, r = right + 1;
    while (count < MOST_POINTS) {
        while (is_same_part(h, l, part) && last_left - t[l] < apart) l--;
        while (is_same_part(h, r, part) && t[r] - last_right < apart) r++;
        bool has_left = is_same_part(h, l, part), has_right = is_same_part(h, r, part);
        if (!has_left && !has_right) break;
        bool take_left = has_left && (!has_right || time - t[l] <= t[r] - time);
        int taken = take_left ? l-- : r++;
        if (take_left)
            last_left = t[taken];
        else
            last_right = t[taken];
        if (taken != left && taken != right) point[count++] = taken;
    }
    return count;
}

// Neville: p[i..k](time) from p[i..k-1] and p[i+1..k], and its derivative s.
static double through_points(const History *h, int d, const int *point, int count, double time,
                             double *slope) {
    double p[MOST_POINTS] = {0}, s[MOST_POINTS] = {0};
    for (int i = 0; i < count; i++) p[i] = h->value.data[point[i] * h->count + d];
    for (int k = 1; k < count; k++)
        for (int i = 0; i + k < count; i++) {
            double a = h->t.data[point[i]], b = h->t.data[point[i + k]];
            s[i] = (p[i] + (time - b) * s[i] - p[i + 1] + (a - time) * s[i + 1]) / (a - b);
            p[i] = ((time - b) * p[i] + (a - time) * p[i + 1]) / (a - b);
        }
    *slope = s[0];
    return p[0];
}

// Of what was before the start, by a difference.
static double value_before(History *h, Machine *m, int d, double time, double *slope) {
    double small = 1e-5 * h->time[2 * d];
    machine_befores(m, time + small, h->before);
    *slope = h->before[d] / (2 * small);
    machine_befores(m, time - small, h->before);
    *slope -= h->before[d] / (2 * small);
    machine_befores(m, time, h->before);
    return h->before[d];
}

// A break has a point on either side; times between them belong to the nearer one, as roundings
// of the delay decide where they fall.
static bool is_behind_break(const History *h, int low, double time) {
    return low + 1 < h->t.count && h->part.data[low + 1] != h->part.data[low] &&
           h->t.data[low + 1] - time < time - h->t.data[low];
}

static double value_at(History *h, Machine *m, int d, double time, double *slope) {
    int point[MOST_POINTS];
    *slope = 0;
    if (h->delay[d].before && time < h->start) return value_before(h, m, d, time, slope);
    int low = point_before(h, time);
    if (low < 0 || h->t.count == 0) return h->t.count ? h->value.data[d] : 0;
    if (is_behind_break(h, low, time)) low++;
    return through_points(h, d, point, choose_points(h, low, time, point), time, slope);
}

static void fill(void *context, Machine *m, double time) {
    History *h = context;
    if (!h->open) return;
    double *held = machine_held(m), *slope = held + h->first_slope;
    bool varies = false;
    for (int d = 0; d < h->count; d++) varies = varies || !h->delay[d].fixed;
    for (int d = 0; d < h->count; d++)
        if (h->delay[d].fixed)
            held[h->held[d]] = value_at(h, m, d, time - h->time[2 * d], &slope[d]);
    if (!varies) return;
    machine_delay_times(m, h->time);
    for (int d = 0; d < h->count; d++)
        if (!h->delay[d].fixed)
            held[h->held[d]] = value_at(h, m, d, time - fmax(h->time[2 * d], 0), &slope[d]);
}

// --- writing ------------------------------------------------------------------------------------

static void forget(History *h, double time) {
    double longest = 0;
    for (int d = 0; d < h->count; d++) longest = fmax(longest, h->time[2 * d + 1]);
    int first = point_before(h, time - longest) - 4 * MOST_POINTS;
    if (first < 1000 || first < h->t.count / 2) return;
    int rest = h->t.count - first;
    size_t width = (size_t)h->count;
    memmove(h->t.data, h->t.data + first, (size_t)rest * sizeof(double));
    memmove(h->part.data, h->part.data + first, (size_t)rest * sizeof(int));
    memmove(h->value.data, h->value.data + (size_t)first * width,
            (size_t)rest * width * sizeof(double));
    h->t.count = h->part.count = rest;
    h->value.count = rest * h->count;
}

static bool times_are_good(Job *j, double time) {
    History *h = j->history;
    for (int d = 0; d < h->count; d++) {
        double length = h->time[2 * d], bound = h->time[2 * d + 1];
        if (length > 0 && length <= bound * (1 + 1e-12)) continue;
        problem_delay(j, time, &h->delay[d], length, bound);
        return false;
    }
    return true;
}

static bool add_point(Job *j, double time, const double *state, int part) {
    History *h = j->history;
    if (!machine_delays(j->m, time, state, h->now)) {
        job_block_failed(j, time, state);
        return false;
    }
    array_push(&h->t, time);
    array_push(&h->part, part);
    for (int d = 0; d < h->count; d++) array_push(&h->value, h->now[d]);
    machine_delay_times(j->m, h->time);
    return times_are_good(j, time);
}

bool history_add(Job *j, double time, const double *state) {
    History *h = j->history;
    job_mark(j, TRAIL_STEP, time, state);
    if (!h || !(time > array_last(&h->t))) return true;
    forget(h, time);
    return add_point(j, time, state, array_last(&h->part));
}

// Points behind were only looked at: the run never came there.
bool history_go_back(Job *j, double time, const double *state) {
    History *h = j->history;
    if (!h) return true;
    int kept = point_before(h, time) + 1;
    h->t.count = h->part.count = kept;
    h->value.count = kept * h->count;
    return history_add(j, time, state);
}

void history_pass(Job *j, MachinePass *pass, void *context) {
    History *h = j->history;
    if (!h) return;
    int points = h->t.count, breaks = h->next.count;
    pass(context, &points, sizeof points);
    pass(context, &breaks, sizeof breaks);
    pass(context, &h->met, sizeof h->met);
    pass(context, h->time, 2 * (size_t)h->count * sizeof *h->time);
    if (points < 0 || breaks < 0) return; // not from such a run
    array_reserve(&h->t, points);
    array_reserve(&h->part, points);
    array_reserve(&h->value, points * h->count);
    array_reserve(&h->next, breaks);
    h->t.count = h->part.count = points;
    h->value.count = points * h->count;
    h->next.count = breaks;
    pass(context, h->t.data, (size_t)points * sizeof *h->t.data);
    pass(context, h->part.data, (size_t)points * sizeof *h->part.data);
    pass(context, h->value.data, (size_t)h->value.count * sizeof *h->value.data);
    pass(context, h->next.data, (size_t)breaks * sizeof *h->next.data);
}

// --- breaks -------------------------------------------------------------------------------------

static void plan_break(Job *j, double time, int level) {
    History *h = j->history;
    if (!(time < j->o->stop) || h->next.count >= MOST_BREAKS) return;
    int at = h->next.count;
    while (at > 0 && h->next.data[at - 1].time < time) at--;
    if (at > 0 && h->next.data[at - 1].time - time < events_margin(j, time)) {
        if (level < h->next.data[at - 1].level) h->next.data[at - 1].level = level;
        return;
    }
    array_push(&h->next, ((Break){0}));
    memmove(h->next.data + at + 1, h->next.data + at,
            (size_t)(h->next.count - 1 - at) * sizeof(Break));
    h->next.data[at] = (Break){time, level};
}

double history_next_break(Job *j, double time) {
    History *h = j->history;
    if (!h) return INFINITY;
    while (h->next.count && array_last(&h->next).time <= time + events_margin(j, time) / 2)
        h->met = array_pop(&h->next);
    return h->next.count ? array_last(&h->next).time : INFINITY;
}

bool history_break(Job *j, double time, const double *state) {
    History *h = j->history;
    if (!h) return true;
    history_next_break(j, time);
    bool planned = fabs(h->met.time - time) <= 2 * events_margin(j, time);
    int level = planned && !j->own_jump ? h->met.level + 1 : 0;
    for (int d = 0; d < h->count && level < MOST_SMOOTHINGS; d++)
        if (h->delay[d].fixed)
            plan_break(j, (planned ? h->met.time : time) + h->time[2 * d], level);
    return add_point(j, time, state, array_last(&h->part) + 1);
}

// With h = T/6 polynomials are good for 1e-6 of a wave as long as the delay, with T/10 for 1e-10.
double history_longest_step(const Job *j) {
    const History *h = j->history;
    int steps = j->rtol < 1e-8 ? MOST_POINTS : STEPS_PER_DELAY;
    double longest = INFINITY;
    for (int d = 0; h && d < h->count; d++)
        longest = fmin(longest, fmax(h->time[2 * d], 1e-9 * j->span) / steps);
    return longest;
}

bool history_has_room(Job *j, double step) {
    const History *h = j->history;
    for (int d = 0; h && d < h->count; d++) {
        if (step <= h->time[2 * d] * (1 + 1e-9)) continue;
        problem_delay_step(j, &h->delay[d], h->time[2 * d], step);
        return false;
    }
    return true;
}

// --- opening and closing ------------------------------------------------------------------------

static void set_held(Job *j) {
    History *h = j->history;
    const Whens *w = whens_of(j);
    h->held = w->delay;
    h->first_slope = w->discrete_count + w->sample_count + w->branch_count + w->impulse_count;
    j->m->past = fill;
    j->m->past_context = h;
}

void history_take(Job *j) {
    if (j->history) set_held(j);
}

void history_leave(Job *j) {
    if (j->history) j->m->past = NULL;
}

// Before the start every signal has its value at the start; a few rounds find these for delays of
// delays.
bool history_open(Job *j) {
    int n = whens_of(j)->delay_count;
    if (n == 0) return true;
    History *h = j->history = memory_zeroed(1, sizeof *h);
    h->count = n;
    h->delay = j->p->system->model->delay;
    h->time = memory_zeroed(2 * (size_t)n, sizeof(double));
    h->before = memory_zeroed((size_t)n, sizeof(double));
    h->now = memory_zeroed((size_t)n, sizeof(double));
    h->start = j->o->start;
    h->met.time = -INFINITY;
    set_held(j);
    for (int round = 0; round <= n && round < 100; round++) {
        h->t.count = h->part.count = h->value.count = 0;
        if (!add_point(j, h->start, j->state, 0)) return false;
        h->open = true;
    }
    for (int d = 0; d < n; d++)
        if (h->delay[d].fixed) plan_break(j, h->start + h->time[2 * d], 0);
    return true;
}

void history_close(Job *j) {
    History *h = j->history;
    if (!h) return;
    history_leave(j);
    free(h->time);
    free(h->before);
    free(h->now);
    array_free(&h->t);
    array_free(&h->part);
    array_free(&h->value);
    array_free(&h->next);
    free(h);
    j->history = NULL;
}
