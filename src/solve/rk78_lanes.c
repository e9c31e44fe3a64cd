// Several runs with steps of their own choice at once, one per SIMD lane.
//
//     lane 0   t = 0.31  h = 0.040   --\                        /-->  accepted
//     lane 1   t = 0.27  h = 0.055   ---+--  13 stages at once -+--->  rejected: shorter, again
//     lane 2   t = 1.90  h = 0.002   --/                        \-->  an event: found by itself
//
// Every lane has its own time and length of step; only attempts are made together. What is due
// before and after one is the single run's code (rk78.c), so every lane ends with the bits of its
// run alone. One in which a rate has no value makes its attempt anew by itself, which notes what
// is wrong. A lane whose run is over gets the next one at once: lanes stay full until the last
// runs.
#include "solve/lanes.h"
#include "solve/rk78.h"

#include "base/memory.h"
#include <string.h>

typedef struct {
    const LaneQueue *queue;
    SolveLane *lane;
    int width, most; // lanes; those that may have a run
    LaneMachine *x;
    Job job[MOST_LANES];
    Rk78 rk[MOST_LANES];
    bool goes[MOST_LANES]; // this lane has a run
    bool dry;              // the queue is empty
    LaneAttempt a;
    double *border;
} Flock;

// --- runs ----------------------------------------------------------------------------------------

// A run begins in lane i. False: it is over already.
static bool begin(Flock *f, int i) {
    SolveLane *s = &f->lane[i];
    Rk78 *k = &f->rk[i];
    bool good = solve_begin(&f->job[i], s->machine, s->params, &s->options, &s->stats, s->report);
    rk78_open(k, &f->job[i]);
    if (!good || !rk78_start(k) || !rk78_ready(k)) return false;
    lanes_load(f->x, i, s->machine);
    f->x->hold = s->machine->hold;
    return true;
}

static void finish(Flock *f, int i) {
    rk78_shut(&f->rk[i]);
    f->lane[i].status = solve_end(&f->job[i]);
    f->goes[i] = false;
    f->queue->done(f->queue->context, &f->lane[i]);
}

static void begin_or_finish(Flock *f, int i) {
    f->goes[i] = true;
    if (!begin(f, i)) finish(f, i);
}

// Gives: how many lanes have a run.
static int fill(Flock *f) {
    int count = 0;
    for (int i = 0; i < f->most; i++) {
        while (!f->goes[i] && !f->dry) {
            f->lane[i] = (SolveLane){0};
            f->dry = !f->queue->next(f->queue->context, &f->lane[i]);
            if (!f->dry) begin_or_finish(f, i);
        }
        count += f->goes[i];
    }
    return count;
}

// --- attempts ------------------------------------------------------------------------------------

static void put(const Flock *f, int i, double *vectors, const double *one, int count) {
    for (int k = 0; k < count; k++) vectors[k * f->width + i] = one[k];
}

static void take(const Flock *f, int i, const double *vectors, double *one, int count) {
    for (int k = 0; k < count; k++) one[k] = vectors[k * f->width + i];
}

static void gather(Flock *f) {
    for (int i = 0; i < f->most; i++) {
        const Rk78 *k = &f->rk[i];
        f->a.h[i] = 0; // a lane without a run stays where it is
        if (!f->goes[i]) continue;
        f->a.time[i] = k->t;
        f->a.h[i] = k->step;
        f->a.end[i] = k->end;
        put(f, i, f->a.y, k->y, k->total);
    }
}

// What an attempt of the run alone would have left. Stages behind the first are of use only to one
// that makes the polynomial by itself.
static void scatter(Flock *f, int i, bool alone) {
    Rk78 *k = &f->rk[i];
    take(f, i, f->a.next, k->next, k->total);
    take(f, i, f->a.error, k->error, k->total);
    take(f, i, f->a.k, k->k, alone ? RK78_STAGES * k->total : k->total);
    k->j->m->calls += k->begun ? RK78_STAGES - 1 : RK78_STAGES;
    k->begun = true;
}

// The polynomial over the step, and the rates at its end.
static void scatter_inside(Flock *f, int i) {
    Rk78 *k = &f->rk[i];
    int end = RK78_STAGES * k->total;
    take(f, i, f->a.polynomial, k->polynomial, RK78_POWERS * k->total);
    take(f, i, f->a.k + end * f->width, k->k + end, k->total);
    k->given = true;
}

// Lanes in which something is looked for inside the step.
static unsigned to_look_inside(const Flock *f, unsigned changed) {
    unsigned lanes = changed;
    for (int i = 0; i < f->most; i++)
        if (f->goes[i] && rk78_wants(&f->rk[i])) lanes |= 1u << i;
    return lanes;
}

static void settle(Flock *f, int i, bool good, bool quiet) {
    Rk78 *k = &f->rk[i];
    if (!rk78_settle(k, good, quiet) || !rk78_ready(k))
        finish(f, i);
    else
        lanes_load_held(f->x, i, k->j->m);
}

static void step_together(Flock *f) {
    gather(f);
    unsigned failed = (unsigned)lanes_attempt(f->x, &f->a);
    unsigned changed = lanes_changed(f->x, f->a.end, f->a.next, f->border);
    unsigned inside = to_look_inside(f, changed) & ~failed;
    unsigned given = inside ? inside & ~(unsigned)lanes_inside(f->x, &f->a) : 0;
    for (int i = 0; i < f->most; i++) {
        if (!f->goes[i]) continue;
        if (failed & 1u << i) {
            settle(f, i, rk78_attempt(&f->rk[i]), false);
        } else {
            scatter(f, i, inside & ~given & 1u << i);
            if (given & 1u << i) scatter_inside(f, i);
            settle(f, i, true, !(changed & 1u << i));
        }
    }
}

static void step_alone(Flock *f) {
    for (int i = 0; i < f->most; i++)
        if (f->goes[i]) settle(f, i, rk78_attempt(&f->rk[i]), false);
}

// --- all of it -----------------------------------------------------------------------------------

static void open_flock(Flock *f, const Native *code) {
    const Program *p = f->lane[0].machine->program;
    f->x = lanes_new(p, code);
    f->width = f->x->lanes;
    f->most = f->queue->at_once > 0 && f->queue->at_once < f->width ? f->queue->at_once : f->width;
    size_t lanes = (size_t)f->width, total = (size_t)(p->state_count + p->quad_count) * lanes;
    f->a = (LaneAttempt){.time = memory_aligned(lanes, sizeof(double)),
                         .h = memory_aligned(lanes, sizeof(double)),
                         .y = memory_aligned(total, sizeof(double)),
                         .next = memory_aligned(total, sizeof(double)),
                         .error = memory_aligned(total, sizeof(double)),
                         .end = memory_aligned(lanes, sizeof(double)),
                         .k = memory_aligned(RK78_ALL_STAGES * total, sizeof(double)),
                         .polynomial = memory_aligned(RK78_POWERS * total, sizeof(double))};
    f->border = memory_aligned((size_t)p->switch_count * lanes, sizeof(double));
    for (int i = 0; i < f->width; i++) lanes_load(f->x, i, f->lane[0].machine);
}

static void close_flock(Flock *f) {
    lanes_free(f->x);
    free(f->a.time);
    free(f->a.h);
    free(f->a.y);
    free(f->a.next);
    free(f->a.error);
    free(f->a.k);
    free(f->a.end);
    free(f->a.polynomial);
    free(f->border);
}

void rk78_lanes(const LaneQueue *q, SolveLane *lane, const Native *code) {
    Flock *f = memory_zeroed(1, sizeof *f);
    f->queue = q;
    f->lane = lane;
    open_flock(f, code);
    begin_or_finish(f, 0);
    for (int count; (count = fill(f)) > 0;)
        if (count > 1)
            step_together(f);
        else
            step_alone(f);
    close_flock(f);
    free(f);
}
