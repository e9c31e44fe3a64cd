// What happens inside of a step, known over all of it.
//
//     g |--.      .-----     Where states move evenly nothing holds steps back, and one may lead over many
//     0 |---\----/------     turns of a shaft: ends and samples say nothing then. Bounds of the states over
//       |    '--'            intervals of the step, by the method's own polynomial, give bounds of all formulas
//       o-----------o        of them (engine/insides.c). Intervals that may hide something are halved.
//
//   relation   nothing hides where the bound is clear of zero, where the function rises or falls all along, or where
//              slopes from both ends do not lead to zero. The first change is found from the left.
//
// It costs nothing where the bounds over the whole step tell enough, which is nearly always.
#include "solve/job.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "engine/bounds.h"
#include "engine/pieces.h"
#include <math.h>
#include <string.h>

enum { DEPTH = 44, MOST_LOOKS = 1000, MOST_SURE = 64, DEEP_BELOW = 8, BESIDE_JUMPS = 100000 };

typedef struct { // a point inside the step
    double time, *state, *away;
} Mark;

struct Enclosure {
    Bounds *relations, *slopes;
    Bound *value, *slope; // what these give, over an interval
    Bound *here;          // slopes in its middle
    int used, *number;    // states that formulas depend on
    double *state;        // all of them, at a point
    Mark from,
        mark[DEPTH]; // the left end of what is not known yet; right ends of intervals
    double *middle;  // used states between
    bool *open;      // relations that are still looked at
    bool *below;     // that have changed, but for what the tolerance may do
    int *deep;       // how often the interval had been halved in which they did
    bool *untold;    // that bounds did not decide about
    bool *unclear;   // over the present interval
    bool *jumps;     // its function may jump there, so that slopes say nothing
    int looks, sure;
    bool lost;              // after MOST_LOOKS
    bool asleep;            // points tell enough of the present step
    Bound *safe, safe_time; // no relation changes while used states and the time are within
    bool is_safe;
    int wait; // steps until such bounds are looked for again
};

// --- opening and closing -------------------------------------------------------------------------

static void note_used(const Program *p, const TapeFunction *f, bool *known) {
    for (int i = 0; i < f->count + f->result_count; i++) {
        const Instruction *c = i < f->count ? &f->code[i] : NULL;
        uint32_t reg[3] = {c ? c->a : f->result[i - f->count]};
        reg[1] = c && tape_info[c->op].b ? c->b : reg[0];
        reg[2] = c && tape_info[c->op].to ? c->to : reg[0];
        for (int k = 0; k < 3; k++)
            if (reg[k] - p->first_state < (uint32_t)p->state_count)
                known[reg[k] - p->first_state] = true;
    }
}

static int find_used(const Program *p, int *number) {
    bool *known = memory_zeroed((size_t)p->state_count + 1, sizeof *known);
    int count = 0;
    note_used(p, &p->insides, known);
    note_used(p, &p->inside_slopes, known);
    for (int i = 0; i < p->state_count; i++)
        if (known[i]) number[count++] = i;
    free(known);
    return count;
}

Enclosure *enclosure_new(const Job *j) {
    const Program *p = j->p;
    if (p->inside_relations == 0 || p->state_count == 0) return NULL;
    Enclosure *e = memory_zeroed(1, sizeof *e);
    size_t all = (size_t)p->inside_relations, states = (size_t)p->state_count;
    e->relations = bounds_new(p, &p->insides, j->m);
    e->slopes = bounds_new(p, &p->inside_slopes, j->m);
    e->value = memory_zeroed((size_t)p->insides.result_count, sizeof *e->value);
    e->slope = memory_zeroed((size_t)p->inside_slopes.result_count, sizeof *e->slope);
    e->here = memory_zeroed((size_t)p->inside_slopes.result_count, sizeof *e->here);
    e->number = memory_zeroed(states, sizeof *e->number);
    e->used = find_used(p, e->number);
    size_t row = (size_t)e->used + all;
    double *rest = memory_zeroed(states + (DEPTH + 1) * row + (size_t)e->used, sizeof *rest);
    e->state = rest;
    rest += states;
    for (int i = 0; i <= DEPTH; i++, rest += row) {
        Mark *m = i < DEPTH ? &e->mark[i] : &e->from;
        m->state = rest;
        m->away = rest + e->used;
    }
    e->middle = rest;
    e->open = memory_zeroed(all, sizeof *e->open);
    e->below = memory_zeroed(all, sizeof *e->below);
    e->deep = memory_zeroed(all, sizeof *e->deep);
    e->untold = memory_zeroed(all, sizeof *e->untold);
    e->unclear = memory_zeroed(all, sizeof *e->unclear);
    e->jumps = memory_zeroed(all, sizeof *e->jumps);
    e->safe = memory_zeroed((size_t)e->used + 1, sizeof *e->safe);
    return e;
}

void enclosure_free(Enclosure *e) {
    if (!e) return;
    bounds_free(e->relations);
    bounds_free(e->slopes);
    free(e->value);
    free(e->slope);
    free(e->here);
    free(e->safe);
    free(e->number);
    free(e->state);
    free(e->open);
    free(e->below);
    free(e->deep);
    free(e->untold);
    free(e->unclear);
    free(e->jumps);
    free(e);
}

// --- bounds --------------------------------------------------------------------------------------

static void enclose_used(const Enclosure *e, const double *state, double *used) {
    for (int i = 0; i < e->used; i++) used[i] = state[e->number[i]];
}

static bool enclose_used_at(Enclosure *e, const StepInside *in, double time, bool roughly,
                            double *used) {
    if (!in->at(in->context, time, roughly, e->state)) return false;
    enclose_used(e, e->state, used);
    return true;
}

// A parabola through three points stays within an eighth of its bend beyond them; so much again for what it is not.
static Bound box_of(double a, double m, double b) {
    double low = smaller(smaller(a, b), m), high = larger(larger(a, b), m);
    double more = fabs(a - 2 * m + b) / 2;
    return (Bound){low - more, high + more};
}

static void enclose_give(const Enclosure *e, Bounds *to, const double *a, const double *m,
                         const double *b) {
    for (int i = 0; i < e->used; i++) bounds_give(to, e->number[i], box_of(a[i], m[i], b[i]));
}

// --- relations -----------------------------------------------------------------------------------

// How far a relation is from changing: v >= 0 while it stays as it is.
static Bound away_of(const Job *j, const TapeInside *f, Bound value) {
    const TapeSwitch *s = &j->p->sw[f->relation];
    double shift = j->shift[f->relation];
    if (switch_has_pieces(s)) {
        double piece = j->m->piece[f->relation];
        double a = piece_event_function(s, piece, value.low);
        double b = piece_event_function(s, piece, value.high);
        return (Bound){-larger(a, b) - shift, -smaller(a, b) - shift};
    }
    if (j->m->truth[f->relation]) return (Bound){-value.high - shift, -value.low - shift};
    return (Bound){value.low + shift, value.high + shift};
}

static void aways_at(Job *j, double time, const double *used, double *away) {
    Enclosure *e = j->enclosure;
    enclose_give(e, e->relations, used, used, used);
    bounds_over(e->relations, time, time, e->value);
    for (int i = 0; i < j->p->inside_relations; i++)
        away[i] = away_of(j, &j->p->inside[i], e->value[j->p->inside[i].value]).low;
}

// Of the function along the step; the whole line where it is not known.
static Bound slope_of(const Job *j, const TapeInside *f, const Mark *a, const double *m,
                      const Mark *b) {
    const Enclosure *e = j->enclosure;
    if (f->slope < 0) return (Bound){-INFINITY, INFINITY};
    double half = (b->time - a->time) / 2;
    Bound sum = e->slope[f->slope];
    for (int i = 0, k = 0; i < f->states; i++) {
        while (e->number[k] != f->state[i]) k = k + 1 < e->used ? k + 1 : 0;
        double v1 = (m[k] - a->state[k]) / half, v2 = (b->state[k] - m[k]) / half;
        double more = fabs(v2 - v1);
        Bound by = e->slope[f->slope + 1 + i];
        Bound moves = {smaller(v1, v2) - more, larger(v1, v2) + more};
        if ((by.low == 0 && by.high == 0) || (moves.low == 0 && moves.high == 0)) continue;
        double x[] = {by.low * moves.low, by.low * moves.high, by.high * moves.low,
                      by.high * moves.high};
        sum.low += smaller(smaller(x[0], x[1]), smaller(x[2], x[3]));
        sum.high += larger(larger(x[0], x[1]), larger(x[2], x[3]));
    }
    if (isnan(sum.low) || isnan(sum.high)) return (Bound){-INFINITY, INFINITY};
    return j->m->truth[f->relation] ? (Bound){-sum.high, -sum.low} : sum;
}

typedef enum { CLEAR, CHANGED, OPEN } Verdict;

// a, b: how far away it is at the ends of an interval of length h. Of a function with pieces the slope is that of its argument:
// between two points inside of a piece it is inside.
static Verdict judge(Bound away, Bound slope, double h, double a, double b, bool pieces) {
    if (away.low >= 0) return CLEAR;
    if (slope.low >= 0 || slope.high <= 0) return b >= 0 ? CLEAR : CHANGED;
    if (pieces || b < 0 || !isfinite(slope.low) || !isfinite(slope.high)) return OPEN;
    double meets = (b - slope.high * h - a) / (slope.low - slope.high);
    return a + slope.low * meets >= 0 ? CLEAR : OPEN;
}

typedef struct {
    Job *j;
    const StepInside *in;
    EncloseSure *is_sure;
    void *context;
    double *time;
    double least; // intervals are not halved further
} Search;

// Over the interval from e->from to b, whose middle is known.
static Verdict judge_all(Search *s, const Mark *b, int depth) {
    Job *j = s->j;
    Enclosure *e = j->enclosure;
    Verdict worst = CLEAR;
    bool sloped = false;
    double h = b->time - e->from.time;
    enclose_give(e, e->relations, e->from.state, e->middle, b->state);
    bounds_over(e->relations, e->from.time, b->time, e->value);
    for (int i = 0; i < j->p->inside_relations; i++) {
        const TapeInside *f = &j->p->inside[i];
        e->unclear[i] = false;
        if (!e->open[i]) continue;
        Bound away = away_of(j, f, e->value[f->value]);
        if (away.low >= 0) continue;
        bool jumps = e->jumps[i] = bounds_jump(e->relations, f->value);
        if (!sloped && !jumps) {
            enclose_give(e, e->slopes, e->from.state, e->middle, b->state);
            bounds_over(e->slopes, e->from.time, b->time, e->slope);
            sloped = true;
        }
        Bound slope = jumps ? (Bound){-INFINITY, INFINITY} : slope_of(j, f, &e->from, e->middle, b);
        bool falls_on = e->below[i] && slope.high <= 0;
        Verdict v = e->below[i] ? (falls_on || slope.low >= 0 ? CHANGED : OPEN)
                                : judge(away, slope, h, e->from.away[i], b->away[i],
                                        switch_has_pieces(&j->p->sw[f->relation]));
        if (v == OPEN && e->below[i] && depth > e->deep[i] + DEEP_BELOW) v = CHANGED;
        if (v == OPEN &&
            (depth == DEPTH - 1 || h <= (jumps ? BESIDE_JUMPS * s->least : s->least))) {
            v = b->away[i] < 0 ? CHANGED : CLEAR;
            if (v == CLEAR && !e->below[i] && !jumps) e->open[i] = false, e->untold[i] = true;
        }
        e->unclear[i] = v == OPEN;
        if (v > worst) worst = v;
    }
    return worst;
}

// Formulas whose terms move together have bounds that are far too wide: g = v1 - v2. So the least that a relation is away,
// by its slopes in the middle of the interval, along which it goes like a state, and by how far slopes differ from these.
static double least_away(const Job *j, const TapeInside *f, const Mark *b, double away) {
    const Enclosure *e = j->enclosure;
    const double *m = e->middle;
    double half = (b->time - e->from.time) / 2, sign = j->m->truth[f->relation] ? -1 : 1;
    const Bound *by = e->slope + f->slope, *c = e->here + f->slope;
    double begin = -c->low * half, end = c->low * half;
    double rest = half * larger(by->high - c->low, c->low - by->low);
    for (int i = 0, k = 0; i < f->states; i++) {
        while (e->number[k] != f->state[i]) k = k + 1 < e->used ? k + 1 : 0;
        double slope = c[1 + i].low;
        Bound box = box_of(e->from.state[k], m[k], b->state[k]);
        begin += slope * (e->from.state[k] - m[k]);
        end += slope * (b->state[k] - m[k]);
        rest += larger(by[1 + i].high - slope, slope - by[1 + i].low) *
                larger(box.high - m[k], m[k] - box.low);
    }
    Bound along = box_of(sign * begin, 0, sign * end);
    return away + along.low - rest;
}

// With the middle of the interval at hand: is all clear there that was not?
static bool is_clear_by_slopes(Job *j, const Mark *m, const Mark *b) {
    Enclosure *e = j->enclosure;
    for (int i = 0; i < j->p->inside_relations; i++) {
        const TapeInside *f = &j->p->inside[i];
        bool pieces = switch_has_pieces(&j->p->sw[f->relation]);
        bool jumps = e->jumps[i];
        if (e->unclear[i] && (f->slope < 0 || pieces || jumps || e->below[i] || b->away[i] < 0))
            return false;
    }
    enclose_give(e, e->slopes, m->state, m->state, m->state);
    bounds_over(e->slopes, m->time, m->time, e->here);
    for (int i = 0; i < j->p->inside_relations; i++)
        if (e->unclear[i] && !(least_away(j, &j->p->inside[i], b, m->away[i]) >= 0)) return false;
    return true;
}

// At the right end of an interval in which something has changed: is it more than what the tolerance may do?
static bool take_changes(Search *s, const Mark *b, int depth) {
    Job *j = s->j;
    Enclosure *e = j->enclosure;
    bool any = false;
    for (int i = 0; i < j->p->inside_relations; i++) {
        if (!e->open[i]) continue;
        if (!e->below[i]) e->deep[i] = depth;
        e->below[i] = b->away[i] < 0;
        any = any || e->below[i];
    }
    if (!any || e->sure++ >= MOST_SURE || !s->is_sure(s->context, b->time)) return false;
    *s->time = b->time;
    return true;
}

// From the left: intervals lie on a stack of their right ends.
static bool search(Search *s, double from, double to, int top) {
    Job *j = s->j;
    Enclosure *e = j->enclosure;
    s->least = larger(1e-12 * (to - from), 4 * events_margin(j, to));
    while (top >= 0) {
        Mark *b = &e->mark[top];
        double h = b->time - e->from.time, middle = e->from.time + h / 2;
        if (e->looks++ > MOST_LOOKS) return e->lost = true;
        if (!enclose_used_at(e, s->in, middle, false, e->middle)) return false;
        Verdict v = judge_all(s, b, top);
        if (v == OPEN) {
            Mark *m = &e->mark[++top];
            m->time = middle;
            memcpy(m->state, e->middle, (size_t)e->used * sizeof *m->state);
            aways_at(j, middle, m->state, m->away);
            if (!is_clear_by_slopes(j, m, b)) continue;
            top--;
        }
        if (v == CHANGED && (b->time >= to || take_changes(s, b, top))) return b->time < to;
        Mark done = e->from; // b becomes the left end; its room is used again
        e->from = *b;
        *b = done;
        top--;
    }
    return false;
}

static bool within(Bound wide, Bound narrow) {
    return wide.low <= narrow.low && narrow.high <= wide.high;
}

static bool is_safe(const Enclosure *e, const Mark *b) {
    if (!e->is_safe || !within(e->safe_time, (Bound){e->from.time, b->time})) return false;
    for (int i = 0; i < e->used; i++)
        if (!within(e->safe[i], box_of(e->from.state[i], e->middle[i], b->state[i]))) return false;
    return true;
}

static bool all_clear(const Job *j) {
    const Enclosure *e = j->enclosure;
    for (int i = 0; i < j->p->inside_relations; i++)
        if (!(away_of(j, &j->p->inside[i], e->value[j->p->inside[i].value]).low >= 0)) return false;
    return true;
}

// Bounds of some more steps like this one: where nothing changes within, they need no look of their own.
static void look_wide(const Job *j, const Mark *b) {
    enum { STEPS = 8, PATIENCE = 16 };
    Enclosure *e = j->enclosure;
    if (e->wait-- > 0) return;
    for (int i = 0; i < e->used; i++) {
        Bound box = box_of(e->from.state[i], e->middle[i], b->state[i]);
        double more = STEPS * (box.high - box.low);
        e->safe[i] = (Bound){box.low - more, box.high + more};
        bounds_give(e->relations, e->number[i], e->safe[i]);
    }
    e->safe_time = (Bound){e->from.time, b->time + STEPS * (b->time - e->from.time)};
    bounds_over(e->relations, e->safe_time.low, e->safe_time.high, e->value);
    e->is_safe = all_clear(j);
    e->wait = e->is_safe ? 0 : PATIENCE;
}

// The whole step at once, by what costs nothing.
static bool is_clear(Search *s, double from, double to) {
    Job *j = s->j;
    Enclosure *e = j->enclosure;
    bool any = false;
    Mark *b = &e->mark[0];
    e->from.time = from;
    b->time = to;
    enclose_used(e, s->in->begin, e->from.state);
    enclose_used(e, s->in->end, b->state);
    if (!enclose_used_at(e, s->in, from + (to - from) / 2, true, e->middle)) return true;
    if (is_safe(e, b)) return true;
    e->is_safe = false;
    enclose_give(e, e->relations, e->from.state, e->middle, b->state);
    bounds_over(e->relations, from, to, e->value);
    for (int i = 0; i < j->p->inside_relations; i++) {
        const TapeInside *f = &j->p->inside[i];
        e->open[i] = !(away_of(j, f, e->value[f->value]).low >= 0);
        e->below[i] = false;
        any = any || e->open[i];
    }
    if (!any) look_wide(j, b);
    return !any;
}

// Bounds cannot tell: other looks are all there is.
static bool give_up(Job *j) {
    Enclosure *e = j->enclosure;
    for (int i = 0; i < j->p->inside_relations; i++) e->untold[i] = e->untold[i] || e->open[i];
    return e->lost = false;
}

bool enclosure_find(Job *j, double from, double to, const StepInside *in, EncloseSure *is_sure,
                    void *context, bool *closed, double *time) {
    Enclosure *e = j->enclosure;
    Search s = {j, in, is_sure, context, time, 0};
    memset(closed, 0, (size_t)j->p->switch_count * sizeof *closed);
    if (!e || j->p->inside_relations == 0) return false;
    e->lost = false;
    if (e->asleep || in->by_steps) return false;
    memset(e->untold, 0, (size_t)j->p->inside_relations * sizeof *e->untold);
    if (bounds_refresh(e->relations, j->m)) e->is_safe = false;
    const double little = 0.01;
    e->looks = e->sure = 0;
    e->lost = false;
    bool clear = is_clear(&s, from, to), found = false;
    if (!clear) {
        bounds_refresh(e->slopes, j->m);
        aways_at(j, from, e->from.state, e->from.away);
        aways_at(j, to, e->mark[0].state, e->mark[0].away);
        for (int i = 0; i < j->p->inside_relations; i++) // a rounding beyond its zero
            e->from.away[i] = larger(e->from.away[i], 0);
        found = search(&s, from, to, 0);
        if (e->lost && e->from.time - from < little * (to - from)) found = give_up(j);
    }
    for (int i = 0; i < j->p->inside_relations; i++)
        closed[j->p->inside[i].relation] = !e->lost && !e->untold[i];
    if (e->lost) *time = e->from.time;
    return found;
}

bool enclosure_knows(const Job *j, int relation) {
    for (int i = 0; i < j->p->inside_relations; i++)
        if (j->p->inside[i].relation == relation) return true;
    return false;
}

bool enclosure_is_lost(const Job *j) { return j->enclosure && j->enclosure->lost; }

// Points say nothing about functions that jump.
void enclosure_sleep(Job *j, bool asleep) {
    for (int i = 0; i < j->p->inside_relations && asleep; i++)
        asleep = !j->p->sw[j->p->inside[i].relation].jumps;
    if (j->enclosure) j->enclosure->asleep = asleep;
}

void enclosure_forget(Job *j) {
    if (j->enclosure) j->enclosure->is_safe = false;
}
