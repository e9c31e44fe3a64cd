// See cuts.h.
#include "sensitivity/cuts.h"

#include "engine/choices.h"
#include "sensitivity/edge.h"
#include <math.h>
#include <string.h>

// --- how many strides ----------------------------------------------------------------------------

// How far from the run's own point, in tolerances.
static double distance(const Stride *s, const double *to, const double *x, double rtol) {
    double sum = 0;
    for (int i = 0; i < s->n; i++) {
        double size = fmax(fabs(to[i]), fmax(fabs(x[i]), 1e-6 * fabs(s->k[i]) * s->h)) + 1e-300;
        double off = fmin(fabs(s->end[i] - to[i]) / (rtol * size), 1e100);
        sum += off * off;
    }
    return s->n ? sqrt(sum / s->n) : 0;
}

static double distance_with(Stride *s, int parts, const Node *to, double t, const double *x,
                            double rtol) {
    double h = (to->time - t) / parts;
    double *at = s->at;
    memcpy(at, x, (size_t)s->n * sizeof *at);
    for (int i = 0; i < parts; i++) {
        if (!stride_take(s, t + i * h, h, at, parts == 1 ? to->state : NULL)) return INFINITY;
        memcpy(at, s->end, (size_t)s->n * sizeof *at);
    }
    return distance(s, to->state, x, rtol);
}

// Runs by a Runge-Kutta method are gone along by the same one: a step of it ends where it ended.
static bool is_own_step(const Node *to) {
    return to->method == SOLVER_RK78 || to->method == SOLVER_RK4 || to->method == SOLVER_HEUN ||
           to->method == SOLVER_EULER;
}

// A distance that more strides do not change is the error of the run itself. 0: it has no rates.
static int divide(Stride *s, const Node *to, double t, const double *x, double rtol) {
    enum { MOST = 16 };
    int parts = 1;
    if (is_own_step(to)) return edge_strides(to, to->time - t, rtol);
    double off = distance_with(s, 1, to, t, x, rtol);
    while (parts < MOST && !(off < 1)) {
        double less = distance_with(s, 2 * parts, to, t, x, rtol);
        if (!(less < off / 2)) break;
        parts *= 2;
        off = less;
    }
    return isfinite(off) ? parts : 0;
}

// --- sides ---------------------------------------------------------------------------------------

#define NEAR 1e-7  // of the largest event function of a step: at the kink
#define REST 1e-12 // of the largest event function of the run so far: it rests there
#define FINE 1e-9  // of a step: how exactly a cut is found

enum { MOST_CUTS = 64, MOST_ROUNDS = 40, SECANTS = 14 };

typedef struct {
    Stride *s;
    Trail *trail;
    Machine *machine;
    int kinks;
    double fine;
    double *low, *high, *here, *x; // event functions; states
    signed char *side;
    StepPart part[MOST_CUTS];
    int count;
} Cutter;

static bool event_functions(const Cutter *c, double time, const double *x, double *event_function) {
    machine_set_point(c->machine, time, x);
    return machine_run(c->machine, &c->machine->program->kinks, event_function);
}

static signed char sign_of(double x, double small) { return x > small ? 1 : x < -small ? -1 : 0; }

// On which side it begins; at a kink, on which side it goes on.
static void begin_sides(Cutter *c, double *most) {
    for (int k = 0; k < c->kinks; k++) {
        double a = c->low[k], b = c->here[k], d = c->high[k];
        double large = fmax(fabs(a), fmax(fabs(b), fabs(d))), small = NEAR * large;
        most[k] = fmax(most[k], large);
        if (large <= REST * most[k]) small = large;
        signed char first = sign_of(a, small), second = sign_of(b, small);
        c->side[k] = first ? first : second ? second : sign_of(d, small);
    }
}

static bool is_beyond(const Cutter *c, int k, double event_function, double small) {
    return c->side[k] && event_function * c->side[k] < 0 && fabs(event_function) > small;
}

// Has a kink been passed, by more than being at it?
static bool passes(const Cutter *c, const double *event_function, const double *most) {
    for (int k = 0; k < c->kinks; k++) {
        double large = fmax(fabs(c->low[k]), fmax(fabs(c->here[k]), fabs(c->high[k])));
        if (is_beyond(c, k, event_function[k], fmax(NEAR * large, REST * most[k]))) return true;
    }
    return false;
}

// States in the middle of a step: a parabola through both ends and the rate at the first.
static bool middle(const Cutter *c, double t, double h, const double *x, const double *end) {
    int n = c->s->n;
    if (!machine_derivative(c->machine, t, x, c->s->at, NULL)) return false;
    for (int i = 0; i < n; i++) c->x[i] = x[i] + 0.25 * h * c->s->at[i] + 0.25 * (end[i] - x[i]);
    return event_functions(c, t + h / 2, c->x, c->here);
}

// Event functions at both ends and between.
static bool look(const Cutter *c, double t, double h, const double *x, const double *end) {
    return event_functions(c, t, x, c->low) && event_functions(c, t + h, end, c->high) &&
           middle(c, t, h, x, end);
}

// --- cuts ----------------------------------------------------------------------------------------

static const double *keep_state(const Cutter *c, const double *x) {
    double *to = ARENA_ARRAY(&c->trail->arena, double, c->s->n + 1);
    memcpy(to, x, (size_t)c->s->n * sizeof *to);
    return to;
}

static const signed char *keep_sides(const Cutter *c) {
    Trail *t = c->trail;
    size_t size = (size_t)c->kinks;
    if (t->sides == c->kinks && memcmp(t->side, c->side, size) == 0) return t->side;
    signed char *to = ARENA_ARRAY(&t->arena, signed char, c->kinks + 1);
    memcpy(to, c->side, size);
    t->side = to;
    t->sides = c->kinks;
    return to;
}

static void add_part(Cutter *c, double t, double h, const double *x) {
    c->part[c->count++] =
        (StepPart){.time = t, .h = h, .state = x ? keep_state(c, x) : NULL, .side = keep_sides(c)};
}

// Where the first of those that have been passed was, by the line between two times.
static double guess_cut(const Cutter *c, double from, double to, double by_low, double by_high) {
    double first = to;
    for (int k = 0; k < c->kinks; k++) {
        if (!is_beyond(c, k, c->high[k], 0)) continue;
        double low = by_low * fmax(c->low[k] * c->side[k], 0), high = by_high * fabs(c->high[k]);
        first = fmin(first, from + (to - from) * low / (low + high));
    }
    return first;
}

static bool any_beyond(const Cutter *c, const double *event_function) {
    for (int k = 0; k < c->kinks; k++)
        if (is_beyond(c, k, event_function[k], 0)) return true;
    return false;
}

// The first cut between t and `to`, behind which something has been passed: *before and *after it. Strides from x lead there.
static bool find_cut(Cutter *c, double t, double to, const double *x, double *before,
                     double *after) {
    size_t size = (size_t)c->kinks * sizeof *c->low;
    double low = t, high = to, by_low = 1, by_high = 1;
    int last = 0;
    for (int i = 0; i < MOST_ROUNDS && high - low > c->fine; i++) {
        double at = i < SECANTS ? guess_cut(c, low, high, by_low, by_high) : (low + high) / 2;
        at = fmin(fmax(at, low + 0.3 * c->fine), high - 0.3 * c->fine);
        if (at <= low || at >= high) break;
        if (!stride_take(c->s, t, at - t, x, NULL) || !event_functions(c, at, c->s->end, c->here))
            return false;
        bool beyond = any_beyond(c, c->here);
        by_low = beyond && last > 0 ? by_low / 2 : 1;
        by_high = !beyond && last < 0 ? by_high / 2 : 1;
        last = beyond ? 1 : -1;
        *(beyond ? &high : &low) = at;
        memcpy(beyond ? c->high : c->low, c->here, size);
    }
    *before = low;
    *after = high;
    return true;
}

// From behind the cut on, on the other side.
static bool pass_cut(Cutter *c, double t, double after, double *x) {
    if (!stride_take(c->s, t, after - t, x, NULL) || !event_functions(c, after, c->s->end, c->low))
        return false;
    memcpy(x, c->s->end, (size_t)c->s->n * sizeof *x);
    for (int k = 0; k < c->kinks; k++)
        if (is_beyond(c, k, c->low[k], 0)) c->side[k] = (signed char)-c->side[k];
    return true;
}

// The stretch from t to `to`, from x on, which becomes the states at its end.
static bool cut_stretch(Cutter *c, double t, double to, double *x, double *most) {
    bool begins = true;
    while (c->count < MOST_CUTS - 1) {
        double h = to - t, before, after;
        if (!stride_take(c->s, t, h, x, NULL)) return false;
        double *end = c->x + c->s->n;
        memcpy(end, c->s->end, (size_t)c->s->n * sizeof *end);
        if (!look(c, t, h, x, end)) return false;
        if (begins) begin_sides(c, most);
        begins = false;
        bool between = passes(c, c->here, most);
        if (!between && !passes(c, c->high, most)) {
            add_part(c, t, h, x);
            memcpy(x, end, (size_t)c->s->n * sizeof *x);
            return true;
        }
        if (between) memcpy(c->high, c->here, (size_t)c->kinks * sizeof *c->high);
        if (!find_cut(c, t, between ? t + h / 2 : to, x, &before, &after)) return false;
        if (before > t) add_part(c, t, before - t, x);
        if (!pass_cut(c, t, after, x)) return false;
        t = after;
    }
    return false;
}

// No cut: one part, which knows its sides.
static bool is_whole(Cutter *c, const Node *to, double t, const double *x, double *most) {
    double h = to->time - t;
    if (!look(c, t, h, x, to->state)) return true;
    begin_sides(c, most);
    if (passes(c, c->here, most) || passes(c, c->high, most)) return false;
    add_part(c, t, h, NULL);
    return true;
}

static bool cut_all(Cutter *c, const Node *to, double t, double *x, double *most) {
    double h = (to->time - t) / to->strides;
    for (int i = 0; i < to->strides; i++)
        if (!cut_stretch(c, t + i * h, i + 1 < to->strides ? t + (i + 1) * h : to->time, x, most))
            return false;
    return true;
}

static void cut(Trail *trail, Node *to, Stride *s, double t, const double *x) {
    int n = s->n, kinks = s->machine->program->kink_count;
    double *room = s->event_function;
    Cutter c = {.s = s, .trail = trail, .machine = s->machine, .kinks = kinks};
    double *most = room, *at = room + 4 * kinks;
    c.low = room + kinks;
    c.high = c.low + kinks;
    c.here = c.high + kinks;
    c.x = at + n;
    c.side = s->side;
    c.fine = FINE * (to->time - t);
    memcpy(at, x, (size_t)n * sizeof *at);
    if (to->strides > 1 || !is_whole(&c, to, t, x, most))
        if (!cut_all(&c, to, t, at, most)) return;
    if (!c.count) return;
    StepPart *part = ARENA_ARRAY(&trail->arena, StepPart, c.count);
    memcpy(part, c.part, (size_t)c.count * sizeof *part);
    to->part = part;
    to->strides = c.count;
}

bool cuts_make(Trail *trail, Node *to, Stride *s, double t, const double *x, double rtol) {
    if (to->strides) return true;
    to->part = NULL;
    to->strides = divide(s, to, t, x, rtol);
    if (to->strides && s->machine->program->kink_count) cut(trail, to, s, t, x);
    return to->strides > 0;
}

bool cuts_whole(Node *to, const Stride *s, const double *x, double rtol) {
    if (s->machine->program->kink_count) return false;
    if (is_own_step(to) ? edge_strides(to, s->h, rtol) > 1 : !(distance(s, to->state, x, rtol) < 1))
        return false;
    to->part = NULL;
    to->strides = 1;
    return true;
}

StepPart cuts_part(const Node *to, int i, double t) {
    if (to->part) return to->part[i];
    double h = (to->time - t) / to->strides;
    return (StepPart){.time = t + i * h, .h = h};
}
