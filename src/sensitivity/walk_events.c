// What happens between steps, on the way forth: moments that move, values that change, laws that change.
#include "sensitivity/walk_forth.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

// --- events --------------------------------------------------------------------------------------

static const double *keep(Walk *w, const double *x, int count) {
    double *to = ARENA_ARRAY(&w->plan->trail->arena, double, count + 1);
    if (count) memcpy(to, x, (size_t)count * sizeof *to);
    return to;
}

const double *event_keep(Walk *w, const double *x) { return keep(w, x, w->n); }

// Of the states, and of the integrals where they are wanted.
static bool find_rates(Walk *w) {
    const Visited *v = forth_here(w);
    return machine_derivative(v->machine, w->time, w->x, w->rate, w->plan->quads ? w->quad : NULL);
}

static const double *keep_quads(Walk *w) {
    int count = forth_here(w)->machine->program->quad_count;
    return w->plan->quads ? keep(w, w->quad, count) : NULL;
}

// Q += by*q dtau: the integrals up to a moment that moves.
static void move_quads(Walk *w, double by) {
    for (int q = 0; w->plan->quads && q < forth_here(w)->machine->program->quad_count; q++)
        for (int j = 0; j < w->k; j++) w->Q[q * w->all + j] += by * w->quad[q] * w->dtau[j];
}

// What moves with time: states by f, time itself. False: no rates.
bool event_rates(Walk *w, Node *n) {
    if (!find_rates(w)) return forth_fail(w, n);
    for (int q = 0; q < w->n; q++) w->S[(q + 1) * w->all - 1] = w->rate[q];
    w->dtau[w->all - 1] = 1;
    return true;
}

// Does a moment that moves by that much per parameter move at all, beside rounding?
static bool matters(const Walk *w, int j, double by) {
    double span = fabs(w->plan->solve->stop - w->plan->solve->start);
    double value = fabs(forth_parameter(w, j));
    return by != 0 && !(fabs(by) * (value > 0 ? value : 1) < 1e-12 * span);
}

bool event_moves(const Walk *w, int j) { return matters(w, j, w->dtau[j]); }

// The time moves with what crosses zero, given its dots.
static void moment_of(Walk *w, Node *n, const double *dots, int cause) {
    double event_rate = dots[w->all - 1];
    n->cause = cause;
    n->event_rate = event_rate;
    for (int j = 0; j < w->k; j++) w->dtau[j] = -dots[j] / event_rate;
}

// Does another relation move with the same parameters in the same way?
static bool is_moment_of(const Walk *w, const double *dots) {
    for (int j = 0; j < w->k; j++) {
        double other = -dots[j] / dots[w->all - 1];
        if (fabs(other - w->dtau[j]) > 1e-6 * (fabs(other) + fabs(w->dtau[j])) &&
            matters(w, j, other - w->dtau[j]))
            return false;
    }
    return true;
}

bool event_refuse_apart(Walk *w, const Node *n) {
    return refuse_walk(
        w->plan, n,
        "two things happen at once that a parameter moves apart: there is no derivative",
        "change the start or a parameter a little, so that one comes first");
}

static bool is_crossed(const Node *n, int relation) {
    for (const int *i = n->crossed; i && *i >= 0; i++)
        if (*i == relation) return true;
    return false;
}

// Relations that cross now, whether or not the run has noticed it yet: at their zeros, and on their way.
static bool find_zeros(Walk *w, Node *n) {
    const Visited *v = forth_here(w);
    const TapeFunction *f = &v->machine->program->switches;
    double span = fabs(w->plan->solve->stop - w->plan->solve->start);
    int *list = ARENA_ARRAY(&w->plan->trail->arena, int, f->result_count + 1), found = 0;
    n->cause = -1;
    n->beside = list;
    list[0] = -1;
    if (!f->result_count) return true;
    free(w->event_function);
    w->event_function =
        memory_zeroed((size_t)f->result_count * (size_t)w->all, sizeof *w->event_function);
    forth_put_point(w);
    if (!dots_run(v->dots, f)) return forth_fail(w, n);
    for (int i = 0; i < v->machine->program->switch_count; i++) {
        double event_rate = fabs(result_dots(v, f, i)[w->all - 1]),
               g = v->machine->reg[f->result[i]];
        if (!isfinite(event_rate) || event_rate == 0) continue;
        if (!is_crossed(n, i) && (!(fabs(g) <= 1e-9 * span * event_rate) ||
                                  span * event_rate < 1e-9 * relation_size(n->kept->machine, i)))
            continue; // it is elsewhere, or rests at its zero
        take_dots(w, w->event_function + (size_t)found * (size_t)w->all, result_dots(v, f, i));
        list[found++] = i;
    }
    list[found] = -1;
    return true;
}

static bool crossing(Walk *w, Node *n) {
    for (int i = 0; n->beside[i] >= 0 && n->cause < 0; i++)
        if (is_crossed(n, n->beside[i]))
            moment_of(w, n, w->event_function + i * w->all, n->beside[i]);
    return n->cause >= 0 ||
           refuse_walk(w->plan, n, "a relation only touches its zero: its moment has no derivative",
                       "change the start or a parameter a little");
}

// Does something else happen now that parameters move otherwise?
static bool happens_alone(Walk *w, const Node *n) {
    for (int i = 0; n->beside[i] >= 0; i++)
        if (!is_moment_of(w, w->event_function + i * w->all)) return false;
    return true;
}

// Nothing jumps and no rate changes: when it happens is the same for all that follows.
static bool changes_nothing(const Walk *w, const Node *n) {
    bool same = n->kept->machine->program->state_count == w->n;
    for (int i = 0; i < w->n && same; i++) {
        double size = fabs(n->before[i]) + fabs(w->x[i]);
        double event_rate = fabs(n->rate_before[i]) + fabs(w->rate[i]);
        same = fabs(w->x[i] - n->before[i]) <= 1e-12 * size &&
               fabs(w->rate[i] - n->rate_before[i]) <= 1e-7 * event_rate;
    }
    return same;
}

// The moment of a sample or a clock, unless one is known: then both must move together.
static void take_moment(Walk *w, Node *n, const double *dots, int cause, double event_rate) {
    if (n->cause >= 0) {
        for (int j = 0; j < w->k; j++)
            if (fabs(dots[j] - w->dtau[j]) > 1e-6 * fabs(dots[j]) &&
                matters(w, j, dots[j] - w->dtau[j]))
                w->apart = true;
        return;
    }
    n->cause = cause;
    n->event_rate = event_rate;
    for (int j = 0; j < w->k; j++) w->dtau[j] = dots[j];
}

static bool samples_due(Walk *w, Node *n, double near, double *room) {
    const Visited *v = forth_here(w);
    const Program *p = v->machine->program;
    bool good = dots_run(v->dots, &p->samples);
    for (int i = 0; 2 * i < p->samples.result_count && good; i++) {
        double period = v->machine->reg[p->samples.result[2 * i]];
        double offset = v->machine->reg[p->samples.result[2 * i + 1]];
        double count = period > 0 ? round((w->time - offset) / period) : NAN;
        if (!(fabs(offset + count * period - w->time) < near)) continue;
        const double *by = result_dots(v, &p->samples, 2 * i);
        const double *from = result_dots(v, &p->samples, 2 * i + 1);
        for (int j = 0; j < w->k; j++) room[j] = from[j] + count * by[j];
        take_moment(w, n, room, p->switch_count + i, count);
    }
    return good;
}

static bool clocks_due(Walk *w, Node *n, double near, double *room) {
    const Visited *v = forth_here(w);
    const Program *p = v->machine->program;
    bool good = dots_run(v->dots, &p->clocks);
    for (int i = 0; i < p->clock_count && good; i++) {
        double phase = v->machine->reg[p->clocks.result[2 * i]];
        double rate = v->machine->reg[p->clocks.result[2 * i + 1]];
        const Table *t = p->clock[i].table;
        double whole = t ? table_next_kink(t, phase - near * fabs(rate), true) : round(phase);
        if (rate == 0 || !(fabs(whole - phase) <= near * fabs(rate))) continue;
        const double *dots = result_dots(v, &p->clocks, 2 * i);
        for (int j = 0; j < w->k; j++) room[j] = -dots[j] / dots[w->all - 1];
        take_moment(w, n, room, p->switch_count + p->samples.result_count / 2 + i,
                    dots[w->all - 1]);
    }
    return good;
}

// Which sample or clock is due here? Numbers behind those of relations: samples, then clocks.
static bool moment(Walk *w, Node *n) {
    double near = 1e-9 * (fabs(w->time) + fabs(w->plan->solve->stop - w->plan->solve->start));
    double *room = memory_zeroed((size_t)w->k + 1, sizeof *room);
    forth_put_point(w);
    bool good = samples_due(w, n, near, room) && clocks_due(w, n, near, room);
    free(room);
    return good;
}

bool event_begin(Walk *w, Node *n, int at) {
    n->reached = event_keep(w, w->x);
    n->rate_before = n->rate_after = n->quad_before = n->quad_after = NULL;
    if (w->event) return true; // one thing led to another
    if (n->time > w->time) w->time = n->time;
    n->before = event_keep(w, w->x);
    if (!event_rates(w, n)) return false;
    n->rate_before = event_keep(w, w->rate);
    n->quad_before = keep_quads(w);
    for (int j = 0; j < w->k; j++) w->dtau[j] = 0;
    if (!sides_before(w, at)) return forth_fail(w, n);
    if (!find_zeros(w, n)) return false;
    if (n->kind == TRAIL_CROSS && !crossing(w, n)) return false;
    if (n->kind == TRAIL_MOMENT && !moment(w, n)) return false;
    w->apart = w->apart || !happens_alone(w, n);
    w->dtau[w->all - 1] = 0;
    for (int q = 0; q < w->n; q++) {
        double *S = w->S + q * w->all;
        for (int j = 0; j < w->k; j++) S[j] += n->rate_before[q] * w->dtau[j];
        S[w->all - 1] = 0;
    }
    move_quads(w, 1);
    n->reached = n->before;
    w->event = true;
    w->acted = false;
    w->began = n;
    return true;
}

// Held values and relations as they are on the way to the next step; behind the last one as at the point.
static void enter_stretch(Walk *w, int at) {
    const Node *next = next_step(w->plan, at);
    if (!next && w->plan->trail->node.data[at].kind == TRAIL_POINT)
        next = &w->plan->trail->node.data[at];
    if (!next || next->kept == w->kept) return;
    if (w->kept && w->kept->machine == next->kept->machine)
        kept_restore_held(next->kept); // nothing happened: loops go on from where they are
    else
        kept_restore(next->kept);
    w->kept = next->kept;
}

bool event_end(Walk *w, int at) {
    enter_stretch(w, at);
    if (!w->event) return true;
    if (!find_rates(w)) return forth_fail(w, w->began);
    w->began->rate_after = event_keep(w, w->rate);
    w->began->quad_after = keep_quads(w);
    for (int q = 0; q < w->n; q++)
        for (int j = 0; j < w->k; j++) w->S[q * w->all + j] -= w->rate[q] * w->dtau[j];
    move_quads(w, -1);
    if (w->apart && (w->acted || !changes_nothing(w, w->began)))
        return event_refuse_apart(w, w->began);
    w->apart = false;
    if (!sides_after(w)) return forth_fail(w, w->began);
    memset(w->dtau, 0, (size_t)w->all * sizeof *w->dtau);
    w->event = false;
    return true;
}

// --- values that change --------------------------------------------------------------------------

static void set_state(Walk *w, const Visited *v, const TapeFunction *f, int state, int result) {
    w->x[state] = v->machine->reg[f->result[result]];
    take_dots(w, w->S + (size_t)state * (size_t)w->all, result_dots(v, f, result));
}

bool event_actions(Walk *w, Node *n) {
    const Visited *v = forth_here(w);
    const Program *p = v->machine->program;
    const Whens *s = &p->system->whens;
    n->before = event_keep(w, w->x);
    w->acted = s->discrete_count > 0;
    kept_restore(n->kept);
    forth_put_point(w);
    if (!dots_run(v->dots, &p->actions)) return forth_fail(w, n);
    const double *fired = n->kept->held + s->discrete_count + s->sample_count;
    for (int i = 0; i < s->reset_count; i++)
        if (fired[s->reset[i].branch])
            set_state(w, v, &p->actions, s->reset[i].target, s->discrete_count + i);
    double *dots = memory_zeroed((size_t)s->discrete_count * (size_t)w->all + 1, sizeof *dots);
    for (int i = 0; i < s->discrete_count; i++) {
        take_dots(w, dots + i * w->all, result_dots(v, &p->actions, i));
        w->memory[i] = v->machine->reg[p->actions.result[i]];
    }
    for (int i = 0; i < s->discrete_count; i++) {
        take_dots(w, dots_of(v->dots, p->first_held + (uint32_t)i), dots + i * w->all);
        v->machine->reg[p->first_held + (uint32_t)i] = w->memory[i];
    }
    n->reached = event_keep(w, w->x);
    free(dots);
    return true;
}

bool event_settled(Walk *w, Node *n) {
    const Visited *v = forth_here(w);
    const Program *p = v->machine->program;
    const SolveOptions *o = w->plan->solve;
    n->before = event_keep(w, w->x);
    kept_restore(n->kept);
    v->machine->hold = true;
    forth_put_point(w);
    if (!dots_run(v->dots, &p->outputs)) return forth_fail(w, n);
    for (int k = 0; k < o->settle_count; k++)
        for (int i = 0; i < w->n; i++)
            if (p->system->state_var[i] == o->settle_var[k])
                set_state(w, v, &p->outputs, i, o->settle_output[k]);
    n->reached = event_keep(w, w->x);
    kept_restore(n->kept);
    return true;
}

bool event_choose(Walk *w, Node *n) {
    const Visited *v = forth_here(w);
    const Program *p = v->machine->program;
    n->before = event_keep(w, w->x);
    n->held_before = trail_keep(w->plan->trail, v->machine);
    forth_put_point(w);
    if (!dots_run(v->dots, &p->choices)) return forth_fail(w, n);
    kept_restore(n->kept);
    for (int i = 0; i < w->n; i++) {
        int column = chosen_column(v->machine, i);
        if (column >= 0) set_state(w, v, &p->choices, i, choices_result(p, column));
    }
    if (w->n) memcpy(w->x, n->state, (size_t)w->n * sizeof *w->x);
    return true;
}

// --- laws that change ----------------------------------------------------------------------------

static int memory_count(const Walk *w) { return w->plan->solve->modes->memory->count; }

static void take_memory(Walk *w, const Visited *v, const TapeFunction *f, int first, int count) {
    for (int i = 0; i < count; i++) {
        w->memory[i] = v->machine->reg[f->result[first + i]];
        take_dots(w, w->memory_dots + i * w->all, result_dots(v, f, first + i));
    }
}

bool laws_remember(Walk *w, Node *n) {
    const Visited *v = forth_here(w);
    const Program *p = v->machine->program;
    n->before = event_keep(w, w->x);
    kept_restore(n->kept);
    forth_put_point(w);
    if (!dots_run(v->dots, &p->memory)) return forth_fail(w, n);
    take_memory(w, v, &p->memory, 0, memory_count(w));
    return true;
}

// Held values of the present machine are those of the next.
static void pass_held(Walk *w, const Visited *to) {
    const Program *from = forth_here(w)->machine->program, *p = to->machine->program;
    int count = p->system->whens.discrete_count;
    if (forth_here(w)->machine == to->machine || !count) return;
    memcpy(dots_of(to->dots, p->first_held), dots_of(forth_here(w)->dots, from->first_held),
           (size_t)count * (size_t)w->all * sizeof *w->S);
}

// The jump of a mode, at the memory. NULL: reported.
static const Visited *jump(Walk *w, const Node *n) {
    int at = forth_visit(w, n->mode->jump);
    if (at < 0) return forth_fail(w, n), NULL;
    const Visited *v = &w->visited.data[at];
    pass_held(w, v);
    kept_restore(n->jump);
    forth_put(w, v, w->time, w->memory, w->memory_dots, v->machine->program->state_count);
    if (!dots_run(v->dots, &v->machine->program->outputs)) return forth_fail(w, n), NULL;
    return v;
}

static double *keep_memory(Walk *w) {
    double *to = ARENA_ARRAY(&w->plan->trail->arena, double, memory_count(w) + 1);
    memcpy(to, w->memory, (size_t)memory_count(w) * sizeof *to);
    return to;
}

bool laws_instant(Walk *w, Node *n) {
    n->before = keep_memory(w);
    const Visited *v = jump(w, n);
    if (!v) return false;
    JumpLayout l = jump_layout(w->plan, n->mode);
    take_memory(w, v, &v->machine->program->outputs, l.states, l.memory);
    return true;
}

// From a jump into the states of a mode, whose machine has its choices.
static void take_states(Walk *w, const Visited *from, const Node *n) {
    JumpLayout l = jump_layout(w->plan, n->mode);
    const TapeFunction *f = &from->machine->program->outputs;
    w->n = l.states;
    forth_room(w, w->n);
    for (int i = 0; i < l.states; i++) {
        int column = chosen_column(n->mode->machine, i);
        int result = column < 0 ? i : l.entries + column;
        take_dots(w, w->S + (size_t)i * (size_t)w->all, result_dots(from, f, result));
    }
    if (w->n) memcpy(w->x, n->state, (size_t)w->n * sizeof *w->x);
}

bool laws_enter(Walk *w, Node *n) {
    n->before = keep_memory(w);
    const Visited *v = jump(w, n);
    if (!v) return false;
    int from = w->visited.count ? (int)(v - w->visited.data) : 0;
    int to = forth_visit(w, n->mode->machine);
    if (to < 0) return forth_fail(w, n);
    pass_held(w, &w->visited.data[to]);
    kept_restore(n->kept);
    take_states(w, &w->visited.data[from], n);
    w->present = to;
    return true;
}

// States from the jump into the present mode, then the memory from them.
bool laws_after(Walk *w, Node *n) {
    int present = w->present;
    int states = w->n;
    if (!laws_enter(w, n)) return false;
    const Visited *v = forth_here(w);
    forth_put_point(w);
    if (!dots_run(v->dots, &v->machine->program->memory)) return forth_fail(w, n);
    take_memory(w, v, &v->machine->program->memory, 0, memory_count(w));
    pass_held(w, &w->visited.data[present]);
    w->present = present;
    w->n = states; // what they are is not asked for before a mode is entered
    return true;
}
