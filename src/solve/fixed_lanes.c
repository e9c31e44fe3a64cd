// Several runs with fixed steps at once, one per SIMD lane.
//
//     t[k] ====== one step of all lanes =====> t[k+1] ====>
//            lane 2: a relation has changed
//               \---> event ----------------/              goes this step alone, and joins again
//
// All lanes stand on the same point of the grid. A lane whose step is out of the ordinary (a
// relation changes, a sample falls into it, a value is not finite) takes it anew from where it
// was, as a single run does (fixed_advance): events and failures are found and told of by the same
// code, and every lane ends with the bits of its run alone. A run that is over leaves its lane to a
// copy of another one.
//
// Unknowns of blocks (lanes.h) are kept before whatever may have to be done again by a run alone.
#include "solve/lanes.h"

#include "base/memory.h"
#include "solve/fixed.h"
#include <math.h>
#include <string.h>

enum { LOOK_AFTER = 64 }; // steps; when most were taken alone, the lanes are given up

typedef struct LaneGroup Lanes;
struct LaneGroup {
    SolveLane *lane;
    int count, width; // runs; lanes, of which the last may be empty
    LaneMachine *x;
    Job job[MOST_LANES];
    Fixed fixed[MOST_LANES];
    // sets of lanes, a bit for each
    unsigned over;    // this run has ended, or never began
    unsigned apart;   // stands a rounding beside the grid, after an event there
    unsigned members; // lanes that are together, when the empty ones were filled
    int lead;         // the first of them; -1: none
    double t, k;      // as in Fixed
    double time[MOST_LANES];
    double wanted; // no lane wants a point before this time
    double *y, *begin, *aside, *output, *event_function;
    double *begin_unknown, *kept_unknown; // at `begin`; before a point beside the grid, or outputs
    long steps, alone;                    // of all lanes
    // of groups that others lead, also sets of lanes
    unsigned open; // a run has begun here, so it has to end
    unsigned solo; // goes by itself, with a time of its own; `over` for the others
};

static bool is_in(unsigned set, int i) { return set >> i & 1; }

static void put_in(unsigned *set, int i, bool in) {
    *set = in ? *set | 1u << i : *set & ~(1u << i);
}

static bool is_together(const Lanes *l, int i) { return !is_in(l->over | l->apart, i); }

static void take(const Lanes *l, int i, const double *vectors, double *one, int count) {
    for (int k = 0; k < count; k++) one[k] = vectors[k * l->width + i];
}

static void put(const Lanes *l, int i, double *vectors, const double *one, int count) {
    for (int k = 0; k < count; k++) vectors[k * l->width + i] = one[k];
}

// The same time in every lane.
static const double *all_at(Lanes *l, double time) {
    for (int i = 0; i < l->width; i++) l->time[i] = time;
    return l->time;
}

static unsigned everybody(const Lanes *l) { return (1u << l->count) - 1; }

static unsigned together(const Lanes *l) { return everybody(l) & ~(l->over | l->apart); }

// A lane without a run computes what another lane does, so that its numbers do no harm.
static void fill_empty(Lanes *l) {
    unsigned who = together(l);
    if (who == l->members) return;
    l->members = who;
    l->lead = -1;
    for (int i = 0; i < l->count && l->lead < 0; i++)
        if (is_together(l, i)) l->lead = i;
    for (int i = 0; i < l->width && who; i++) {
        if (who & 1u << i) continue;
        lanes_load(l->x, i, l->job[l->lead].m);
        for (int k = 0; k < l->fixed[l->lead].total; k++)
            l->y[k * l->width + i] = l->y[k * l->width + l->lead];
    }
}

// --- wanted points -------------------------------------------------------------------------------

// The outputs of a lane in which a block has no solution: the run alone says what is wrong.
static bool emit_alone(Lanes *l, int i, double time) {
    Fixed *f = &l->fixed[i];
    lanes_hand_back(l->x, i, l->kept_unknown);
    bool good = job_emit(f->j, time, f->trial, f->trial + f->j->n);
    lanes_load_held(l->x, i, f->j->m);
    return good;
}

// Every lane of `who` hands over the point y at this time.
static void emit_point(Lanes *l, double time, const double *y, unsigned who) {
    bool hold = l->x->hold;
    lanes_keep(l->x, l->kept_unknown);
    l->x->hold = false; // as in job_emit
    l->x->active = who;
    unsigned failed = lanes_outputs(l->x, all_at(l, time), y, l->output);
    l->x->hold = hold;
    for (int i = 0; i < l->count; i++) {
        if (!is_in(who, i)) continue;
        Job *j = &l->job[i];
        Fixed *f = &l->fixed[i];
        take(l, i, y, f->trial, f->total);
        take(l, i, l->output, j->output, j->p->output_count);
        put_in(&l->over, i,
               is_in(failed, i) ? !emit_alone(l, i, time)
                                : !job_hand_over(j, time, f->trial, f->trial + j->n));
    }
}

// Lanes that are apart have to be looked at always.
static void look_ahead(Lanes *l) {
    l->wanted = l->apart & ~l->over ? -INFINITY : INFINITY;
    for (int i = 0; i < l->count; i++)
        if (is_together(l, i)) l->wanted = fmin(l->wanted, l->job[i].wanted);
}

// The lanes among `who` whose next wanted point is at this time.
static unsigned wanting(const Lanes *l, double time, unsigned who) {
    for (int i = 0; i < l->count; i++)
        if (is_in(l->over, i) || l->job[i].wanted != time) who &= ~(1u << i);
    return who;
}

// False: all runs are over.
static bool emit_here(Lanes *l) {
    unsigned who = together(l);
    double until = l->t + fixed_near(&l->job[l->lead]);
    if (until < l->wanted) return l->over != everybody(l);
    for (int i = 0; i < l->count; i++) {
        const Job *j = &l->job[i];
        if (!is_in(l->over, i) && is_in(l->apart, i))
            put_in(&l->over, i, !fixed_emit(&l->fixed[i]));
        while (is_together(l, i) && job_wants(j, until))
            emit_point(l, j->wanted, l->y, wanting(l, j->wanted, who));
    }
    look_ahead(l);
    return l->over != everybody(l);
}

// Those of a step.
static void count_calls(Job *j) {
    j->m->calls += native_stages(solver_whole_step(j->stats->method));
}

// The rest of a lane's points beside the grid, one of which failed.
static void emit_rest_alone(Lanes *l, int i, double until) {
    Fixed *f = &l->fixed[i];
    take(l, i, l->begin, f->begin, f->total);
    take(l, i, l->y, f->y, f->total);
    lanes_hand_back(l->x, i, l->kept_unknown);
    put_in(&l->over, i, !fixed_emit_between(f, l->t, until));
    lanes_load_held(l->x, i, f->j->m);
}

// One point beside the grid, for all lanes that want it.
static void emit_aside(Lanes *l, double time, double until, unsigned wanted) {
    lanes_keep(l->x, l->kept_unknown);
    l->x->active = wanted;
    WholeStep method = solver_whole_step(l->job[l->lead].stats->method);
    unsigned failed =
        wanted & (unsigned)lanes_step(l->x, method, l->t, time - l->t, l->begin, l->aside);
    for (int i = 0; i < l->count; i++) {
        if (is_in(failed, i)) emit_rest_alone(l, i, until);
        if (is_in(wanted & ~failed, i)) count_calls(&l->job[i]);
    }
    emit_point(l, time, l->aside, wanted & ~failed);
}

// Wanted points before the end of the step.
static void emit_between(Lanes *l, double grid, unsigned who) {
    double until = grid - fixed_near(&l->job[l->lead]);
    if (until < l->wanted) return;
    for (int i = 0; i < l->count; i++) {
        const Job *j = &l->job[i];
        while (is_in(who & ~l->over, i) && job_wants(j, until))
            emit_aside(l, j->wanted, until, wanting(l, j->wanted, who));
    }
    look_ahead(l);
}

// As peaks.c does it at the end of a step.
static void look_for_peaks(Lanes *l, double grid, unsigned who) {
    bool hold = l->x->hold;
    for (int i = 0; i < l->count; i++) {
        const Job *j = &l->job[i];
        bool is_point = job_wants(j, grid + events_margin(j, grid));
        if (is_in(who, i) && (is_point || !peaks_due(j, l->t, grid))) who &= ~(1u << i);
    }
    if (!who) return;
    lanes_keep(l->x, l->kept_unknown);
    l->x->hold = true;
    l->x->active = who;
    unsigned failed = lanes_outputs(l->x, all_at(l, grid), l->y, l->output);
    l->x->hold = hold;
    for (int i = 0; i < l->count; i++) {
        Job *j = &l->job[i];
        if (!is_in(who, i)) continue;
        take(l, i, l->output, j->peak, j->p->output_count);
        if (!is_in(failed, i)) j->o->inside_step(j->o->context, grid, j->peak);
        if (!l->x->unknowns) continue;
        lanes_hand_back(l->x, i, l->kept_unknown);
        lanes_load_held(l->x, i, j->m);
    }
}

// --- steps ---------------------------------------------------------------------------------------

static unsigned changed_relations(Lanes *l, double time) {
    return lanes_changed(l->x, all_at(l, time), l->y, l->event_function);
}

static unsigned samples_inside(Lanes *l, double grid) {
    unsigned inside = 0;
    for (int i = 0; i < l->count; i++) {
        Job *j = &l->job[i];
        if (l->fixed[i].quiet || !is_together(l, i)) continue;
        if (fixed_moment(j, l->t) < grid - fixed_near(j)) inside |= 1u << i;
    }
    return inside;
}

// Lanes of `who` whose loops did not stay on their branch.
static unsigned off_branch(Lanes *l, double grid, unsigned who) {
    unsigned off = 0;
    for (int i = 0; i < l->count; i++) {
        Machine *m = l->job[i].m;
        Fixed *f = &l->fixed[i];
        if (!is_in(who, i) || !m->branch) continue;
        take(l, i, l->y, f->trial, f->total);
        lanes_hand_back(l->x, i, NULL);
        if (machine_look_at_branch(m, grid, f->trial) != BRANCH_KEPT) off |= 1u << i;
    }
    return off;
}

// The run of a lane to the next point of the grid by itself.
static void go_alone(Lanes *l, int i, double grid) {
    Fixed *f = &l->fixed[i];
    l->alone++;
    if (!is_in(l->apart, i)) {
        take(l, i, l->begin, f->y, f->total);
        lanes_hand_back(l->x, i, l->begin_unknown);
        f->t = l->t;
        f->k = l->k;
    }
    bool good = fixed_advance(f);
    while (good && f->k <= l->k) good = fixed_emit(f) && fixed_advance(f);
    put_in(&l->over, i, !good);
    put_in(&l->apart, i, good && f->t != grid);
    if (!good || f->t != grid) return;
    put(l, i, l->y, f->y, f->total);
    lanes_load_held(l->x, i, f->j->m);
}

// The end of an ordinary step.
static void arrive(Lanes *l, int i, double grid) {
    Fixed *f = &l->fixed[i];
    bool acts = !f->quiet && (has_whens(f->j) || f->j->p->system->choice_count);
    double h = grid - l->t;
    if (acts && fixed_moment(f->j, l->t) <= grid + fixed_near(f->j))
        machine_release_branch(f->j->m);
    f->t = grid;
    count_calls(f->j);
    bool due = fixed_watch_due(f), good = true;
    if (acts || due || watch_will_look(f->j)) {
        take(l, i, l->y, f->y, f->total);
        lanes_hand_back(l->x, i, NULL);
    }
    if (due) take(l, i, l->begin, f->begin, f->total);
    good = fixed_watch_step(f, l->t, h);
    put_in(&l->over, i, !good || !fixed_arrive(f, h, false));
    if (!acts) return;
    put(l, i, l->y, f->y, f->total);
    lanes_load_held(l->x, i, f->j->m);
}

static void advance(Lanes *l) {
    const Job *lead = &l->job[l->lead];
    double grid = fixed_grid(lead, l->k);
    unsigned all = together(l), odd = samples_inside(l, grid);
    double *begin = l->y;
    l->y = l->begin;
    l->begin = begin;
    lanes_keep(l->x, l->begin_unknown);
    l->x->active = all;
    odd |= (unsigned)lanes_step(l->x, solver_whole_step(lead->stats->method), l->t, grid - l->t,
                                begin, l->y);
    odd |= off_branch(l, grid, all & ~odd);
    odd |= changed_relations(l, grid);
    emit_between(l, grid, all & ~odd);
    look_for_peaks(l, grid, all & ~odd & ~l->over);
    for (int i = 0; i < l->count; i++) {
        if (is_in(l->over, i)) continue;
        if (is_in(odd | l->apart, i))
            go_alone(l, i, grid);
        else
            arrive(l, i, grid);
    }
    if (odd | l->apart) look_ahead(l);
    l->steps += l->count;
    l->t = grid;
    l->k++;
    fill_empty(l);
}

// --- the runs ------------------------------------------------------------------------------------

static void finish_alone(Lanes *l) {
    for (int i = 0; i < l->count; i++) {
        Fixed *f = &l->fixed[i];
        if (is_in(l->over, i)) continue;
        if (!is_in(l->apart, i)) {
            take(l, i, l->y, f->y, f->total);
            lanes_hand_back(l->x, i, NULL);
            f->t = l->t;
            f->k = l->k;
        }
        while (fixed_emit(f) && f->t < f->j->o->stop)
            if (!fixed_advance(f)) break;
    }
}

static void run(Lanes *l) {
    double stop = l->lane[0].options.stop;
    while (l->lead >= 0 && emit_here(l)) {
        fill_empty(l);
        if (l->lead < 0 || l->t >= stop) break;
        if (l->steps > LOOK_AFTER * l->count && l->alone > l->steps / 2) break;
        advance(l);
    }
    finish_alone(l);
}

static bool start(Lanes *l, int i) {
    SolveLane *s = &l->lane[i];
    if (!solve_begin(&l->job[i], s->machine, s->params, &s->options, &s->stats, s->report))
        return false;
    fold_open(&l->job[i]);
    return fixed_open(&l->fixed[i], &l->job[i]) && fixed_start(&l->fixed[i]);
}

static void open_lanes(Lanes *l, const Native *code) {
    const Program *p = l->lane[0].machine->program;
    size_t lanes = (size_t)native_code(code)->lanes,
           total = (size_t)p->state_count + (size_t)p->quad_count;
    l->x = lanes_new(p, code);
    l->width = l->x->lanes;
    l->y = memory_aligned(total * lanes, sizeof *l->y);
    l->begin = memory_aligned(total * lanes, sizeof *l->y);
    l->aside = memory_aligned(total * lanes, sizeof *l->y);
    l->output = memory_aligned((size_t)p->output_count * lanes, sizeof *l->y);
    l->event_function = memory_aligned((size_t)p->switch_count * lanes, sizeof *l->y);
    l->begin_unknown = lanes_unknown_room(l->x);
    l->kept_unknown = lanes_unknown_room(l->x);
}

static void close_lanes(Lanes *l) {
    lanes_free(l->x);
    free(l->y);
    free(l->begin);
    free(l->aside);
    free(l->output);
    free(l->event_function);
    free(l->begin_unknown);
    free(l->kept_unknown);
}

// All that have begun are at the start of their runs: from there on together.
static void join(Lanes *l, int i) {
    Machine *m = l->lane[i].machine;
    lanes_load(l->x, i, m);
    put(l, i, l->y, l->fixed[i].y, l->fixed[i].total);
    l->t = l->fixed[i].t;
    l->k = l->fixed[i].k;
    l->x->hold = m->hold;
}

static void set_out(Lanes *l) {
    l->members = ~0u;
    l->lead = -1;
    look_ahead(l);
    fill_empty(l);
}

static void end_run(Lanes *l, int i) {
    fixed_shut(&l->fixed[i]);
    machine_close_branch(l->lane[i].machine);
    l->lane[i].status = solve_end(&l->job[i]);
}

void fixed_lanes(SolveLane *lane, int count, const Native *code) {
    Lanes *l = memory_zeroed(1, sizeof *l);
    l->lane = lane;
    l->count = count;
    open_lanes(l, code);
    for (int i = 0; i < count; i++) {
        bool begun = start(l, i);
        put_in(&l->over, i, !begun);
        if (begun) join(l, i);
    }
    set_out(l);
    run(l);
    for (int i = 0; i < count; i++) end_run(l, i);
    close_lanes(l);
    free(l);
}

// --- groups that others lead ---------------------------------------------------------------------

LaneGroup *group_new(SolveLane *lane, int count, const Native *code) {
    Lanes *l = memory_zeroed(1, sizeof *l);
    l->lane = lane;
    l->count = count;
    open_lanes(l, code);
    l->lead = -1;
    l->over = l->solo = everybody(l); // until they start
    return l;
}

void group_free(LaneGroup *l) {
    if (!l) return;
    for (int i = 0; i < l->count; i++)
        if (is_in(l->open, i)) end_run(l, i);
    close_lanes(l);
    free(l);
}

static bool begin_again(Lanes *l, int i) {
    if (is_in(l->open, i)) end_run(l, i);
    l->fixed[i] = (Fixed){0};
    put_in(&l->open, i, true);
    put_in(&l->apart, i, false);
    return start(l, i);
}

unsigned group_start(LaneGroup *l, unsigned who) {
    unsigned begun = 0;
    for (int i = 0; i < l->count; i++) {
        if (!is_in(who, i)) continue;
        bool good = begin_again(l, i);
        put_in(&l->over, i, !good);
        put_in(&l->solo, i, false);
        put_in(&begun, i, good);
        if (good) join(l, i);
    }
    set_out(l);
    return begun;
}

bool group_start_alone(LaneGroup *l, int i) {
    put_in(&l->over, i, true);
    put_in(&l->solo, i, true);
    fill_empty(l);
    return begin_again(l, i);
}

unsigned group_together(const LaneGroup *l) { return everybody(l) & ~l->over; }

// What nobody leads any more goes by itself.
static void let_go(Lanes *l) {
    unsigned rest = l->lead < 0 ? everybody(l) & ~l->over : 0;
    l->solo |= rest;
    l->over |= rest;
}

double group_time(const LaneGroup *l, int i) {
    return is_in(l->solo | l->apart, i) ? l->fixed[i].t : l->t;
}

static bool go_solo(Lanes *l, int i, double until) {
    Fixed *f = &l->fixed[i];
    while (f->t < until - fixed_near(f->j))
        if (!fixed_advance(f)) return false;
    return true;
}

unsigned group_go(LaneGroup *l, double until) {
    unsigned began = group_together(l);
    while (l->lead >= 0 && l->t < until - fixed_near(&l->job[l->lead])) advance(l);
    unsigned failed = began & l->over;
    let_go(l);
    for (int i = 0; i < l->count; i++)
        if (is_in(began & l->solo & ~failed, i) && !go_solo(l, i, until)) failed |= 1u << i;
    return failed;
}

bool group_go_alone(LaneGroup *l, int i, double until) { return go_solo(l, i, until); }

// Puts values into a run from outside, and begins anew behind that as solve.c does.
bool group_put(LaneGroup *l, int i, const int *place, const double *value, int count) {
    Job *j = &l->job[i];
    Fixed *f = &l->fixed[i];
    double *held = machine_held(j->m);
    bool alone = is_in(l->solo | l->apart, i), differs = false;
    for (int k = 0; k < count; k++) differs = differs || held[place[k]] != value[k];
    if (!differs) return true;
    if (!alone) {
        take(l, i, l->y, f->y, f->total);
        if (l->x->unknowns) lanes_hand_back(l->x, i, NULL);
        f->t = l->t;
        f->k = l->k;
    }
    for (int k = 0; k < count; k++) held[place[k]] = value[k];
    j->chatter_count = j->sliding_count = 0;
    f->after = false;
    if (j->m->branch) machine_release_branch(j->m);
    bool good = f->quiet || events_jump(j, f->t, f->y);
    fixed_watch_begin(f);
    if (!alone && f->quiet) {
        double *all = l->x->reg + (size_t)j->p->first_held * (size_t)l->width;
        for (int k = 0; k < count; k++) all[place[k] * l->width + i] = value[k];
    } else if (!alone) {
        put(l, i, l->y, f->y, f->total);
        lanes_load_held(l->x, i, j->m);
        put_in(&l->over, i, !good);
        fill_empty(l);
    }
    return good;
}

static bool look_alone(Lanes *l, int i, double *output) {
    Job *j = &l->job[i];
    bool hold = j->m->hold;
    j->m->hold = false;
    bool good = machine_outputs(j->m, l->fixed[i].t, l->fixed[i].y, output);
    j->m->hold = hold;
    return good;
}

void group_look(LaneGroup *l, double *output) {
    int count = l->lane[0].machine->program->output_count;
    bool hold = l->x->hold;
    unsigned who = together(l), failed = 0;
    if (who) {
        l->x->hold = false; // as in job_emit
        l->x->active = who;
        failed = lanes_outputs(l->x, all_at(l, l->t), l->y, l->output);
        l->x->hold = hold;
    }
    for (int i = 0; i < l->count; i++) {
        double *to = output + (size_t)i * (size_t)count;
        bool good = is_in(who & ~failed, i);
        if (good) take(l, i, l->output, to, count);
        if (!is_in(who, i) && is_in(l->open, i)) good = look_alone(l, i, to);
        for (int k = 0; k < count && !good; k++) to[k] = NAN;
    }
}
