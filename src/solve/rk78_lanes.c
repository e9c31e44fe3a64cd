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
    double *event_function;
    // unknowns of blocks (lanes.h): before an attempt, after it, and after a look at relations
    double *begin_unknown, *end_unknown, *seen_unknown;
} Flock;

// --- runs ----------------------------------------------------------------------------------------

// A run begins in lane i. False: it is over already.
static bool begin(Flock *f, int i) {
    SolveLane *s = &f->lane[i];
    Rk78 *k = &f->rk[i];
    bool good = solve_begin(&f->job[i], s->machine, s->params, &s->options, &s->stats, s->report);
    fold_open(&f->job[i]);
    rk78_open(k, &f->job[i]);
    if (!good || !rk78_start(k) || !rk78_ready(k)) return false;
    lanes_load(f->x, i, s->machine);
    f->x->hold = s->machine->hold;
    return true;
}

static void finish(Flock *f, int i) {
    rk78_shut(&f->rk[i]);
    machine_close_branch(f->lane[i].machine);
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

// Gives: the lanes that have a run.
static unsigned gather(Flock *f) {
    unsigned runs = 0;
    f->a.fresh = 0;
    for (int i = 0; i < f->most; i++) {
        const Rk78 *k = &f->rk[i];
        f->a.h[i] = 0; // a lane without a run stays where it is
        if (!f->goes[i]) continue;
        f->a.time[i] = k->t;
        f->a.h[i] = k->step;
        f->a.end[i] = k->end;
        put(f, i, f->a.y, k->y, k->total);
        if (k->begun && f->x->unknowns) put(f, i, f->a.k, k->k, k->total);
        runs |= 1u << i;
        if (!k->begun) f->a.fresh |= 1u << i;
    }
    return runs;
}

// What an attempt of the run alone would have left, but for the stages behind the first, which are
// of use only to one that makes the polynomial by itself.
static void scatter(Flock *f, int i) {
    Rk78 *k = &f->rk[i];
    take(f, i, f->a.next, k->next, k->total);
    take(f, i, f->a.error, k->error, k->total);
    take(f, i, f->a.k, k->k, k->total);
    k->j->m->calls += k->begun ? RK78_STAGES - 1 : RK78_STAGES;
    k->begun = true;
}

static void scatter_stages(Flock *f, int i) {
    Rk78 *k = &f->rk[i];
    take(f, i, f->a.k, k->k, RK78_STAGES * k->total);
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

static unsigned look_for_peaks(const Flock *f) {
    unsigned lanes = 0;
    for (int i = 0; i < f->most; i++)
        if (f->goes[i] && peaks_due(f->rk[i].j, f->rk[i].t, f->rk[i].end)) lanes |= 1u << i;
    return lanes;
}

// Lanes of `all` that a run alone accepts: only those look at relations, and inside the step.
static unsigned accepted(const Flock *f, unsigned all) {
    for (int i = 0; i < f->most; i++)
        if (all & 1u << i && !rk78_is_accepted(&f->rk[i])) all &= ~(1u << i);
    return all;
}

static void settle(Flock *f, int i, bool good, bool quiet) {
    Rk78 *k = &f->rk[i];
    if (!rk78_settle(k, good, quiet) || !rk78_ready(k))
        finish(f, i);
    else
        lanes_load_held(f->x, i, k->j->m);
}

// Lanes of `all` whose loops did not stay on their branch: they go on alone from there. Unknowns
// are those that the attempt left.
static unsigned off_branch(Flock *f, unsigned all) {
    unsigned off = 0;
    for (int i = 0; i < f->most; i++) {
        Rk78 *k = &f->rk[i];
        if (!(all & 1u << i) || !k->j->m->branch) continue;
        lanes_hand_back(f->x, i, f->end_unknown);
        k->look = fold_look(k->j, k->end, k->next);
        k->looked = true;
        if (k->look != BRANCH_KEPT) off |= 1u << i;
    }
    return off;
}

// The attempts of the lanes `good`, in which relations of `changed` are no longer as they are held.
// Where blocks are solved, those that changed go on alone from the end of the attempt.
static void settle_attempts(Flock *f, unsigned good, unsigned changed) {
    LaneMachine *x = f->x;
    for (int i = 0; i < f->most; i++)
        if (good & 1u << i) scatter(f, i);
    unsigned off = off_branch(f, accepted(f, good));
    for (int i = 0; i < f->most; i++)
        if (off & 1u << i) settle(f, i, true, false);
    good &= ~off;
    unsigned seen = x->unknowns ? accepted(f, good & ~changed) : 0;
    unsigned inside = to_look_inside(f, changed) & good, given = 0;
    unsigned together = x->unknowns ? inside & seen : inside;
    unsigned looks =
        x->program->switch_count > 0 ? good : look_for_peaks(f); // inside, by themselves
    lanes_keep(x, f->seen_unknown);
    x->active = together;
    if (together) given = together & ~(unsigned)lanes_inside(x, &f->a);
    for (int i = 0; i < f->most; i++) {
        unsigned bit = 1u << i;
        if (!(good & bit)) continue;
        if (((inside & ~given) | looks) & bit) scatter_stages(f, i);
        if (given & bit) scatter_inside(f, i);
        lanes_hand_back(x, i, given & bit ? NULL : seen & bit ? f->seen_unknown : f->end_unknown);
        settle(f, i, true, !(changed & bit));
    }
}

static void step_together(Flock *f) {
    unsigned runs = f->x->active = gather(f);
    lanes_keep(f->x, f->begin_unknown);
    unsigned failed = runs & (unsigned)lanes_attempt(f->x, &f->a);
    lanes_keep(f->x, f->end_unknown);
    f->x->active = runs & ~failed;
    unsigned changed = lanes_changed(f->x, f->a.end, f->a.next, f->event_function);
    for (int i = 0; i < f->most; i++) {
        if (!(failed & 1u << i)) continue;
        lanes_hand_back(f->x, i, f->begin_unknown);
        settle(f, i, rk78_attempt(&f->rk[i]), false);
    }
    settle_attempts(f, runs & ~failed, changed);
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
    f->event_function = memory_aligned((size_t)p->switch_count * lanes, sizeof(double));
    f->begin_unknown = lanes_unknown_room(f->x);
    f->end_unknown = lanes_unknown_room(f->x);
    f->seen_unknown = lanes_unknown_room(f->x);
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
    free(f->event_function);
    free(f->begin_unknown);
    free(f->end_unknown);
    free(f->seen_unknown);
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
