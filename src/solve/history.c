// What delayed signals were: their values at the steps of the run, and between them.
//
//     t   |----o--o---o-----o|o---o------o     o: the end of a step; | a break: an event, or a
//                     ^                        place where the past breaks, T ago; between them:
//                     t - T                    the polynomial through up to ten points around it
//                                              that no break parts
//
// A break of x at t makes one of delay(x, T) at t + T, which makes the next at t + 2T, each a
// degree smoother: steps end there as they do at jumps of time, so that no step goes over one.
// Where steps are too long to tell what a signal does in between, points inside of them are kept as well, and steps a delay
// later are so short that they see these.
// Steps are shorter than the delay, so what is asked for is always known; a delay that changes and
// comes close to nothing goes on with the last polynomial.
#include "solve/job.h"

#include "base/array.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

enum { MOST_POINTS = 10, MOST_SMOOTHINGS = 8, MOST_BREAKS = 100000, STEPS_PER_DELAY = 6 };
typedef enum { AT_END, INSIDE, SHORT } Where;
enum {
    INNER = 4,
    MOST_DEPTH = 6
}; // points that are looked at inside of a step, and how often it is divided

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
    ARRAY(double) t;   // of the points that are kept
    ARRAY(int) part;   // rises with every break
    ARRAY(char) inner; // INSIDE of a step, SHORT: steps a delay later are so short that they see it
    ARRAY(double) value; // per point and delay
    double *now;         // room for a point
    double *size;        // per delay: the largest value so far
    double *inside;      // room for points inside of a step
    double *spare;       // those of the last step, which were not kept
    double spare_from, spare_to;
    ARRAY(Break) next; // breaks to come, the latest first
    Break met;         // the last one that was stepped over
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

// Where points lie much closer than here, or much farther apart, the signal does something else: a polynomial through both would
// swing. Is there such a place between these two neighbours?
static bool is_elsewhere(const History *h, int a, int b, double interval) {
    const double close = 0.3, far = 3;
    double gap = h->t.data[b] - h->t.data[a];
    return (h->inner.data[a] == SHORT || h->inner.data[b] == SHORT) &&
           (gap < close * interval || gap > far * interval);
}

// Points around the interval from `low` on, in its part. Those that lie too close to others would
// spoil the polynomial: each must be away by a third of the interval.
static int choose_points(const History *h, int low, double time, int *point) {
    int part = h->part.data[low], count = 0;
    int left = low, right = is_same_part(h, low + 1, part) ? low + 1 : low;
    const double *t = h->t.data;
    double interval = t[right] - t[left], apart = interval / 3;
    point[count++] = left;
    if (right > left) point[count++] = right;
    double last_left = t[left], last_right = t[right];
    int l = left - 1, r = right + 1;
    while (count < MOST_POINTS) {
        while (is_same_part(h, l, part) && !is_elsewhere(h, l, l + 1, interval) &&
               last_left - t[l] < apart)
            l--;
        while (is_same_part(h, r, part) && !is_elsewhere(h, r - 1, r, interval) &&
               t[r] - last_right < apart)
            r++;
        bool has_left = is_same_part(h, l, part) && !is_elsewhere(h, l, l + 1, interval);
        bool has_right = is_same_part(h, r, part) && !is_elsewhere(h, r - 1, r, interval);
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
    memmove(h->inner.data, h->inner.data + first, (size_t)rest);
    memmove(h->value.data, h->value.data + (size_t)first * width,
            (size_t)rest * width * sizeof(double));
    h->t.count = h->part.count = h->inner.count = rest;
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
    array_push(&h->inner, AT_END);
    for (int d = 0; d < h->count; d++) {
        array_push(&h->value, h->now[d]);
        h->size[d] = fmax(h->size[d], fabs(h->now[d]));
    }
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

// --- inside of a step ----------------------------------------------------------------------------

// The cubic through the first and last of six even points and the two in the middle, at the two others: how far is it off?
static double defect(const double *p, int apart, int d) {
    const double *a = p + d;
    double v[INNER + 2];
    for (int i = 0; i < INNER + 2; i++) v[i] = a[(size_t)i * (size_t)apart];
    double left = (4 * v[0] + 20 * v[2] - 10 * v[3] + v[5]) / 15;
    double right = (v[0] - 10 * v[2] + 20 * v[3] + 4 * v[5]) / 15;
    return fmax(fabs(left - v[1]), fabs(right - v[4]));
}

static bool look_inside(Job *j, const StepInside *in, double from, double to) {
    History *h = j->history;
    double *state = h->inside + (INNER + 2) * h->count;
    for (int i = 0; i < INNER + 2; i++) {
        double time = i == 0 ? from : i == INNER + 1 ? to : from + (to - from) * i / (INNER + 1);
        if (!in->at(in->context, time, false, state) ||
            !machine_delays(j->m, time, state, h->inside + i * h->count))
            return false;
    }
    return true;
}

static bool is_known(const Job *j, double part) {
    const History *h = j->history;
    for (int d = 0; d < h->count; d++)
        if (defect(h->inside, h->count, d) > part * h->size[d]) return false;
    return true;
}

// Before the point at `index`, or as the last one.
static void insert_point(History *h, int index, double time, int part, const double *value,
                         Where where) {
    int width = h->count, behind = h->t.count - index;
    array_push(&h->t, time);
    array_push(&h->part, part);
    array_push(&h->inner, (char)where);
    for (int d = 0; d < width; d++) array_push(&h->value, value[d]);
    if (behind == 0) return;
    double *t = h->t.data + index, *v = h->value.data + index * width;
    memmove(t + 1, t, (size_t)behind * sizeof *t);
    memmove(h->part.data + index + 1, h->part.data + index, (size_t)behind * sizeof(int));
    memmove(h->inner.data + index + 1, h->inner.data + index, (size_t)behind);
    memmove(v + width, v, (size_t)(behind * width) * sizeof *v);
    *t = time;
    h->part.data[index] = part;
    h->inner.data[index] = (char)where;
    memcpy(v, value, (size_t)width * sizeof *v);
}

static double inner_time(double from, double to, int i) {
    return from + (to - from) * i / (INNER + 1);
}

static void keep_all(History *h, double from, double to, Where where) {
    for (int i = 1; i <= INNER; i++)
        insert_point(h, h->t.count, inner_time(from, to, i), array_last(&h->part),
                     h->inside + i * h->count, where);
}

// Those of the step before, so that there is a polynomial beside what is divided.
static void keep_spare(History *h, double from) {
    int last = h->t.count - 1;
    if (h->spare_to != from || last < 1 || h->part.data[last - 1] != h->part.data[last]) return;
    for (int i = INNER; i >= 1; i--)
        insert_point(h, last, inner_time(h->spare_from, from, i), h->part.data[last],
                     h->spare + (i - 1) * h->count, INSIDE);
}

// Points up to `to`, which is kept later.
static void keep_inside(Job *j, const StepInside *in, double from, double to, int depth) {
    History *h = j->history;
    if (!look_inside(j, in, from, to)) return;
    for (int i = 0; i < (INNER + 2) * h->count; i++)
        h->size[i % h->count] = fmax(h->size[i % h->count], fabs(h->inside[i]));
    const double part = depth > 0 || j->rtol < 1e-8
                            ? 1e-4
                            : 3e-3; // what the cubic is off; it is less for what is kept
    bool known = is_known(j, part), divided = h->spare_to == -INFINITY;
    if (known && depth == 0) {
        memcpy(h->spare, h->inside + h->count, (size_t)(INNER * h->count) * sizeof *h->spare);
        h->spare_from = from;
        h->spare_to = to;
    }
    if (known && depth == 0) {
        if (!is_known(j, 1e-6) || divided) keep_all(h, from, to, INSIDE);
        return;
    }
    if (known || depth == MOST_DEPTH) {
        keep_all(h, from, to, SHORT);
        return;
    }
    if (depth == 0) keep_spare(h, from);
    for (int i = 0; i <= INNER; i++) {
        double begin = inner_time(from, to, i), end = i == INNER ? to : inner_time(from, to, i + 1);
        double *state = h->inside + (INNER + 2) * h->count;
        keep_inside(j, in, begin, end, depth + 1);
        if (i == INNER) break;
        if (!in->at(in->context, end, false, state) || !machine_delays(j->m, end, state, h->now))
            break;
        insert_point(h, h->t.count, end, array_last(&h->part), h->now, SHORT);
    }
    h->spare_to = -INFINITY;
}

void history_inside(Job *j, double from, double to, const StepInside *in) {
    const Program *p = j->p;
    double *unknown = j->m->reg + p->first_unknown;
    if (!j->history || !(to - from > 100 * events_margin(j, to))) return;
    if (p->unknown_count) memcpy(j->unknown, unknown, p->unknown_count * sizeof *unknown);
    keep_inside(j, in, from, to, 0);
    if (p->unknown_count) memcpy(unknown, j->unknown, p->unknown_count * sizeof *unknown);
}

// Points behind were only looked at: the run never came there.
bool history_go_back(Job *j, double time, const double *state) {
    History *h = j->history;
    if (!h) return true;
    int kept = point_before(h, time) + 1;
    h->t.count = h->part.count = h->inner.count = kept;
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
    array_reserve(&h->inner, points);
    array_reserve(&h->value, points * h->count);
    array_reserve(&h->next, breaks);
    h->t.count = h->part.count = h->inner.count = points;
    h->value.count = points * h->count;
    h->next.count = breaks;
    pass(context, h->t.data, (size_t)points * sizeof *h->t.data);
    pass(context, h->part.data, (size_t)points * sizeof *h->part.data);
    pass(context, h->inner.data, (size_t)points);
    pass(context, h->size, (size_t)h->count * sizeof *h->size);
    pass(context, h->spare, (size_t)(INNER * h->count) * sizeof *h->spare);
    pass(context, &h->spare_from, sizeof h->spare_from);
    pass(context, &h->spare_to, sizeof h->spare_to);
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

// How far ahead of this time in the past are as many points as a step sees?
static double up_to_inner_points(const History *h, double past) {
    enum { SEEN = 3 };
    int count = 0;
    for (int i = point_before(h, past) + 1; i < h->t.count; i++)
        if (h->inner.data[i] == SHORT && ++count == SEEN) return h->t.data[i] - past;
    return INFINITY;
}

// With h = T/6 polynomials are good for 1e-6 of a wave as long as the delay, with T/10 for 1e-10.
double history_longest_step(const Job *j) {
    const History *h = j->history;
    int steps = j->rtol < 1e-8 ? MOST_POINTS : STEPS_PER_DELAY;
    double longest = INFINITY;
    for (int d = 0; h && d < h->count; d++) {
        longest = fmin(longest, fmax(h->time[2 * d], 1e-9 * j->span) / steps);
        longest = fmin(longest, up_to_inner_points(h, array_last(&h->t) - h->time[2 * d]));
    }
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
    h->size = memory_zeroed((size_t)n, sizeof(double));
    h->inside = memory_zeroed((INNER + 2) * (size_t)n + (size_t)j->n + 1, sizeof(double));
    h->spare = memory_zeroed(INNER * (size_t)n, sizeof(double));
    h->spare_to = -INFINITY;
    h->start = j->o->start;
    h->met.time = -INFINITY;
    set_held(j);
    for (int round = 0; round <= n && round < 100; round++) {
        h->t.count = h->part.count = h->inner.count = h->value.count = 0;
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
    free(h->size);
    free(h->inside);
    free(h->spare);
    array_free(&h->t);
    array_free(&h->part);
    array_free(&h->inner);
    array_free(&h->value);
    array_free(&h->next);
    free(h);
    j->history = NULL;
}
