// Forth along a trail, with dots of states and held values by the parameters. One direction more is
// that of time: f of the states, 1 of the time, which tells how fast relations change.
#include "sensitivity/walk_forth.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

// --- machines ------------------------------------------------------------------------------------

static Visited *here(Walk *w) { return &w->visited.data[w->present]; }

// Parameters and what is prepared from them have their dots for good.
static bool seed_parameters(Walk *w, Visited *v) {
    const Program *p = v->machine->program;
    for (uint32_t i = 0; i < p->param_count; i++)
        for (int j = 0; j < w->k; j++)
            if (p->param_var[i] == w->plan->parameter[j])
                dots_of(v->dots, p->first_param + i)[j] = 1;
    return dots_run(v->dots, &p->prepare);
}

static int visit(Walk *w, Machine *m) {
    for (int i = 0; i < w->visited.count; i++)
        if (w->visited.data[i].machine == m) return i;
    Visited v = {.machine = m, .dots = dots_new(m, w->all)};
    m->native = NULL;
    m->past = NULL;
    if (!seed_parameters(w, &v)) {
        dots_free(v.dots);
        return -1;
    }
    array_push(&w->visited, v);
    return w->visited.count - 1;
}

// For states of another machine: what is there is not needed any more.
static void make_room(Walk *w, int n) {
    if (n <= w->room) return;
    free(w->x);
    free(w->rate);
    free(w->S);
    w->x = memory_zeroed((size_t)n, sizeof *w->x);
    w->rate = memory_zeroed((size_t)n, sizeof *w->rate);
    w->S = memory_zeroed((size_t)n * (size_t)w->all, sizeof *w->S);
    w->room = n;
}

// --- dots of a point -----------------------------------------------------------------------------

static void put_dots(Walk *w, const Visited *v, double time, const double *x, const double *S,
                     int count) {
    const Program *p = v->machine->program;
    machine_set_point(v->machine, time, x);
    if (count)
        memcpy(dots_of(v->dots, p->first_state), S, (size_t)count * (size_t)w->all * sizeof *S);
    memcpy(dots_of(v->dots, p->time), w->dtau, (size_t)w->all * sizeof *S);
}

static void put_point(Walk *w) { put_dots(w, here(w), w->time, w->x, w->S, w->n); }

static const double *result_dots(const Visited *v, const TapeFunction *f, int i) {
    return dots_of(v->dots, f->result[i]);
}

static void take_dots(const Walk *w, double *to, const double *from) {
    memcpy(to, from, (size_t)w->all * sizeof *to);
}

static bool fail(Walk *w, const Node *n) {
    return refuse_walk(w->plan, n, "equations that the run solved have no derivative",
                       "a root or a quotient is at the end of its range there: keep away from it");
}

// --- the start -----------------------------------------------------------------------------------

static bool start(Walk *w, Node *n) {
    w->present = visit(w, n->kept->machine);
    if (w->present < 0) return fail(w, n);
    const Visited *v = here(w);
    const Program *p = v->machine->program;
    w->n = p->state_count;
    make_room(w, w->n);
    w->time = n->time;
    kept_restore(n->kept);
    memset(w->S, 0, (size_t)w->n * (size_t)w->all * sizeof *w->S);
    memset(w->x, 0, (size_t)w->n * sizeof *w->x);
    put_point(w);
    if (!dots_run(v->dots, &p->held_start)) return fail(w, n);
    for (int i = 0; i < p->held_start.result_count; i++)
        take_dots(w, dots_of(v->dots, p->first_held + (uint32_t)i),
                  result_dots(v, &p->held_start, i));
    if (!dots_run(v->dots, &p->initial)) return fail(w, n);
    for (int i = 0; i < w->n; i++)
        take_dots(w, w->S + (size_t)i * (size_t)w->all, result_dots(v, &p->initial, i));
    if (w->n) memcpy(w->x, n->state, (size_t)w->n * sizeof *w->x);
    return true;
}

// --- steps ---------------------------------------------------------------------------------------

static Stride *stride_for(Walk *w, SolverKind method) {
    Visited *v = here(w);
    if (v->open && v->method == method) return &v->stride;
    if (v->open) stride_close(&v->stride);
    stride_open(&v->stride, v->machine, method);
    v->open = true;
    v->method = method;
    return &v->stride;
}

// K_i = J_i (S + h sum a_ij K_j) + f_p: rates of the stages, from dots X of their states. The integrals
// go along.
static bool stage_dots(Walk *w, const Stride *s, int i, const double *X, double *K) {
    const Visited *v = here(w);
    const Program *p = v->machine->program;
    put_dots(w, v, s->t + s->scheme.c[i] * s->h, s->X + i * s->n, X, s->n);
    TapeFunction f = rates_tape(w->plan, p);
    if (!dots_run(v->dots, &f)) return false;
    for (int q = 0; q < s->n; q++)
        take_dots(w, K + (size_t)q * (size_t)w->all, result_dots(v, &p->derivative, q));
    return true;
}

static void add_quads(Walk *w, const Stride *s, int i) {
    const Visited *v = here(w);
    const Program *p = v->machine->program;
    for (int q = 0; q < p->quad_count && w->plan->quads; q++) {
        const double *from = result_dots(v, &p->derivative, s->n + q);
        for (int j = 0; j < w->all; j++) w->Q[q * w->all + j] += s->h * s->scheme.b[i] * from[j];
    }
}

static void stage_states(const Walk *w, const Stride *s, int i, const double *K, double *X) {
    size_t size = (size_t)s->n * (size_t)w->all;
    memcpy(X, w->S, size * sizeof *X);
    for (int j = 0; j < s->scheme.stages; j++) {
        double by = s->h * s->scheme.a[i][j];
        for (size_t q = 0; by != 0 && q < size; q++) X[q] += by * K[(size_t)j * size + q];
    }
}

// Per direction the stages' right sides one after the other, as M wants them.
static void solve_stages(const Walk *w, const Stride *s, double *K, double *room) {
    int rows = s->n * s->scheme.stages;
    for (int j = 0; j < w->all; j++) {
        for (int q = 0; q < rows; q++) room[q] = K[q * w->all + j];
        stride_solve(s, false, room);
        for (int q = 0; q < rows; q++) K[q * w->all + j] = room[q];
    }
}

static bool stride_dots(Walk *w, const Stride *s, double *K, double *X) {
    size_t size = (size_t)s->n * (size_t)w->all;
    bool quads = w->plan->quads;
    bool implicit = s->scheme.implicit;
    for (int i = 0; i < s->scheme.stages; i++) {
        if (!implicit) stage_states(w, s, i, K, X);
        if (!stage_dots(w, s, i, implicit ? w->S : X, K + (size_t)i * size)) return false;
        if (!implicit) add_quads(w, s, i);
    }
    if (implicit) solve_stages(w, s, K, X);
    for (int i = 0; implicit && quads && i < s->scheme.stages; i++) {
        stage_states(w, s, i, K, X);
        double *again = X + size;
        if (!stage_dots(w, s, i, X, again)) return false;
        add_quads(w, s, i);
    }
    for (int i = 0; i < s->scheme.stages; i++)
        for (size_t q = 0; q < size; q++)
            w->S[q] += s->h * s->scheme.b[i] * K[(size_t)i * size + q];
    return true;
}

static bool integrate(Walk *w, Node *to) {
    Stride *s = stride_for(w, to->method);
    if (!to->strides) to->strides = divide_step(s, to, w->time, w->x, w->rtol);
    if (!to->strides) return false;
    size_t size = (size_t)s->n * (size_t)w->all, stages = (size_t)s->scheme.stages;
    double *K = memory_zeroed((stages + 2) * size + stages * (size_t)s->n + 1, sizeof *K);
    double *X = K + stages * size, h = (to->time - w->time) / to->strides;
    double *x = memory_zeroed((size_t)s->n + 1, sizeof *x);
    memcpy(x, w->x, (size_t)s->n * sizeof *x);
    bool good = true;
    for (int i = 0; i < to->strides && good; i++) {
        good = stride_take(s, w->time + i * h, h, x, to->strides == 1 ? to->state : NULL) &&
               stride_dots(w, s, K, X);
        memcpy(x, s->end, (size_t)s->n * sizeof *x);
    }
    free(K);
    free(x);
    return good;
}

static bool go_to(Walk *w, Node *n) {
    if (n->time > w->time) {
        if (w->k && !integrate(w, n)) return fail(w, n);
        if (w->n) memcpy(w->x, n->state, (size_t)w->n * sizeof *w->x);
        w->time = n->time;
    }
    return true;
}

// --- events --------------------------------------------------------------------------------------

static const double *keep(Walk *w, const double *x) {
    double *to = ARENA_ARRAY(&w->plan->trail->arena, double, w->n + 1);
    if (w->n) memcpy(to, x, (size_t)w->n * sizeof *to);
    return to;
}

// What moves with time: states by f, time itself. False: no rates.
static bool look_along_time(Walk *w, Node *n) {
    if (!machine_derivative(here(w)->machine, w->time, w->x, w->rate, NULL)) return fail(w, n);
    n->rate_before = keep(w, w->rate);
    for (int q = 0; q < w->n; q++) w->S[(q + 1) * w->all - 1] = w->rate[q];
    w->dtau[w->all - 1] = 1;
    return true;
}

// The time moves with what crosses zero, given its dots.
static void moment_of(Walk *w, Node *n, const double *dots, int cause) {
    double pace = dots[w->all - 1];
    n->cause = cause;
    n->pace = pace;
    for (int j = 0; j < w->k; j++) w->dtau[j] = -dots[j] / pace;
}

static bool crossing(Walk *w, Node *n) {
    const Visited *v = here(w);
    const TapeFunction *f = &v->machine->program->switches;
    put_point(w);
    if (!dots_run(v->dots, f)) return fail(w, n);
    int best = -1;
    for (const int *i = n->crossed; *i >= 0; i++) {
        double pace = fabs(result_dots(v, f, *i)[w->all - 1]);
        if (isfinite(pace) && pace > 0 && best < 0) best = *i;
    }
    if (best < 0)
        return refuse_walk(w->plan, n,
                           "a relation only touches its border: its moment has no "
                           "derivative",
                           "change the start or a parameter a little");
    moment_of(w, n, result_dots(v, f, best), best);
    return true;
}

// Which sample or clock is due here? Numbers behind those of relations: samples, then clocks.
static void moment(Walk *w, Node *n) {
    const Visited *v = here(w);
    const Program *p = v->machine->program;
    double near = 1e-9 * (fabs(w->time) + fabs(w->plan->solve->stop - w->plan->solve->start));
    put_point(w);
    dots_run(v->dots, &p->samples);
    for (int i = 0; 2 * i < p->samples.result_count; i++) {
        double period = v->machine->reg[p->samples.result[2 * i]];
        double offset = v->machine->reg[p->samples.result[2 * i + 1]];
        double count = period > 0 ? round((w->time - offset) / period) : NAN;
        if (!(fabs(offset + count * period - w->time) < near)) continue;
        const double *by = result_dots(v, &p->samples, 2 * i);
        const double *from = result_dots(v, &p->samples, 2 * i + 1);
        for (int j = 0; j < w->k; j++) w->dtau[j] = from[j] + count * by[j];
        n->cause = p->switch_count + i;
        n->pace = count;
        return;
    }
    dots_run(v->dots, &p->clocks);
    for (int i = 0; i < p->clock_count; i++) {
        double phase = v->machine->reg[p->clocks.result[2 * i]];
        double rate = v->machine->reg[p->clocks.result[2 * i + 1]];
        const Table *t = p->clock[i].table;
        double whole = t ? table_next_kink(t, phase - near * fabs(rate), true) : round(phase);
        if (rate == 0 || !(fabs(whole - phase) <= near * fabs(rate))) continue;
        moment_of(w, n, result_dots(v, &p->clocks, 2 * i),
                  p->switch_count + p->samples.result_count / 2 + i);
        return;
    }
}

static bool begin_event(Walk *w, Node *n) {
    n->reached = keep(w, w->x);
    if (w->event) return true; // one thing led to another
    if (n->time > w->time) w->time = n->time;
    n->before = keep(w, w->x);
    if (!look_along_time(w, n)) return false;
    for (int j = 0; j < w->k; j++) w->dtau[j] = 0;
    if (n->kind == TRAIL_CROSS && !crossing(w, n)) return false;
    if (n->kind == TRAIL_MOMENT) moment(w, n);
    w->dtau[w->all - 1] = 0;
    for (int q = 0; q < w->n; q++) {
        double *S = w->S + q * w->all;
        for (int j = 0; j < w->k; j++) S[j] += n->rate_before[q] * w->dtau[j];
        S[w->all - 1] = 0;
    }
    n->reached = n->before;
    w->event = true;
    w->began = n;
    return true;
}

// Held values and relations as they are on the way to the next step.
static void enter_stretch(Walk *w, int at) {
    const Node *next = next_step(w->plan, at);
    if (!next || next->kept == w->kept) return;
    kept_restore(next->kept);
    w->kept = next->kept;
}

static bool end_event(Walk *w, int at) {
    enter_stretch(w, at);
    if (!w->event) return true;
    if (!machine_derivative(here(w)->machine, w->time, w->x, w->rate, NULL))
        return fail(w, w->began);
    w->began->rate_after = keep(w, w->rate);
    for (int q = 0; q < w->n; q++)
        for (int j = 0; j < w->k; j++) w->S[q * w->all + j] -= w->rate[q] * w->dtau[j];
    memset(w->dtau, 0, (size_t)w->all * sizeof *w->dtau);
    w->event = false;
    return true;
}

// --- values that change --------------------------------------------------------------------------

static void set_state(Walk *w, const Visited *v, const TapeFunction *f, int state, int result) {
    w->x[state] = v->machine->reg[f->result[result]];
    take_dots(w, w->S + (size_t)state * (size_t)w->all, result_dots(v, f, result));
}

static bool actions(Walk *w, Node *n) {
    const Visited *v = here(w);
    const Program *p = v->machine->program;
    const Whens *s = &p->system->whens;
    n->before = keep(w, w->x);
    kept_restore(n->kept);
    put_point(w);
    if (!dots_run(v->dots, &p->actions)) return fail(w, n);
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
    n->reached = keep(w, w->x);
    free(dots);
    return true;
}

static bool settled(Walk *w, Node *n) {
    const Visited *v = here(w);
    const Program *p = v->machine->program;
    const SolveOptions *o = w->plan->solve;
    n->before = keep(w, w->x);
    kept_restore(n->kept);
    v->machine->hold = true;
    put_point(w);
    if (!dots_run(v->dots, &p->outputs)) return fail(w, n);
    for (int k = 0; k < o->settle_count; k++)
        for (int i = 0; i < w->n; i++)
            if (p->system->state_var[i] == o->settle_var[k])
                set_state(w, v, &p->outputs, i, o->settle_output[k]);
    n->reached = keep(w, w->x);
    kept_restore(n->kept);
    return true;
}

static bool choose(Walk *w, Node *n) {
    const Visited *v = here(w);
    const Program *p = v->machine->program;
    n->before = keep(w, w->x);
    n->held_before = trail_keep(w->plan->trail, v->machine);
    put_point(w);
    if (!dots_run(v->dots, &p->choices)) return fail(w, n);
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

static bool remember(Walk *w, Node *n) {
    const Visited *v = here(w);
    const Program *p = v->machine->program;
    n->before = keep(w, w->x);
    kept_restore(n->kept);
    put_point(w);
    if (!dots_run(v->dots, &p->memory)) return fail(w, n);
    take_memory(w, v, &p->memory, 0, memory_count(w));
    return true;
}

// Held values of the present machine are those of the next.
static void pass_held(Walk *w, const Visited *to) {
    const Program *from = here(w)->machine->program, *p = to->machine->program;
    int count = p->system->whens.discrete_count;
    if (here(w)->machine == to->machine || !count) return;
    memcpy(dots_of(to->dots, p->first_held), dots_of(here(w)->dots, from->first_held),
           (size_t)count * (size_t)w->all * sizeof *w->S);
}

// The jump of a mode, at the memory. NULL: reported.
static const Visited *jump(Walk *w, const Node *n) {
    int at = visit(w, n->mode->jump);
    if (at < 0) return fail(w, n), NULL;
    const Visited *v = &w->visited.data[at];
    pass_held(w, v);
    kept_restore(n->jump);
    put_dots(w, v, w->time, w->memory, w->memory_dots, v->machine->program->state_count);
    if (!dots_run(v->dots, &v->machine->program->outputs)) return fail(w, n), NULL;
    return v;
}

static double *keep_memory(Walk *w) {
    double *to = ARENA_ARRAY(&w->plan->trail->arena, double, memory_count(w) + 1);
    memcpy(to, w->memory, (size_t)memory_count(w) * sizeof *to);
    return to;
}

static bool instant(Walk *w, Node *n) {
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
    make_room(w, w->n);
    for (int i = 0; i < l.states; i++) {
        int column = chosen_column(n->mode->machine, i);
        int result = column < 0 ? i : l.entries + column;
        take_dots(w, w->S + (size_t)i * (size_t)w->all, result_dots(from, f, result));
    }
    if (w->n) memcpy(w->x, n->state, (size_t)w->n * sizeof *w->x);
}

static bool enter(Walk *w, Node *n) {
    n->before = keep_memory(w);
    const Visited *v = jump(w, n);
    if (!v) return false;
    int from = w->visited.count ? (int)(v - w->visited.data) : 0;
    int to = visit(w, n->mode->machine);
    if (to < 0) return fail(w, n);
    pass_held(w, &w->visited.data[to]);
    kept_restore(n->kept);
    take_states(w, &w->visited.data[from], n);
    w->present = to;
    return true;
}

// States from the jump into the present mode, then the memory from them.
static bool after(Walk *w, Node *n) {
    int present = w->present;
    int states = w->n;
    if (!enter(w, n)) return false;
    const Visited *v = here(w);
    put_point(w);
    if (!dots_run(v->dots, &v->machine->program->memory)) return fail(w, n);
    take_memory(w, v, &v->machine->program->memory, 0, memory_count(w));
    pass_held(w, &w->visited.data[present]);
    w->present = present;
    w->n = states; // what they are is not asked for before a mode is entered
    return true;
}

// --- points --------------------------------------------------------------------------------------

// Recorded relations are as they are at the point itself.
static bool point(Walk *w, Node *n, int at) {
    const Visited *v = here(w);
    const Program *p = v->machine->program;
    if (!n->used) return true;
    if (!end_event(w, at) || !go_to(w, n)) return false;
    n->before = keep(w, w->x);
    if (!w->visitor->point) return true;
    bool hold = v->machine->hold;
    const double *kept = n->rate_before;
    if (!look_along_time(w, n)) return false;
    n->rate_before = kept; // a point is no event
    v->machine->hold = false;
    put_dots(w, v, n->time, w->x, w->S, w->n);
    bool good = dots_run(v->dots, &p->outputs);
    v->machine->hold = hold;
    w->dtau[w->all - 1] = 0;
    for (int q = 0; q < w->n; q++) w->S[(q + 1) * w->all - 1] = 0;
    if (!good) return fail(w, n);
    size_t size = (size_t)(p->output_count + p->quad_count) * (size_t)w->k;
    double *out = memory_zeroed(size + (size_t)p->output_count + 1, sizeof *out);
    double *quad = out + p->output_count * w->k, *rate = out + size;
    for (int i = 0; i < p->output_count; i++) rate[i] = result_dots(v, &p->outputs, i)[w->all - 1];
    for (int i = 0; i < p->output_count; i++)
        memcpy(out + i * w->k, result_dots(v, &p->outputs, i), (size_t)w->k * sizeof *out);
    for (int i = 0; i < p->quad_count; i++)
        memcpy(quad + i * w->k, w->Q + i * w->all, (size_t)w->k * sizeof *out);
    w->visitor->point(w->visitor->context, n, out, quad, rate);
    free(out);
    return true;
}

// --- the walk ------------------------------------------------------------------------------------

static bool step(Walk *w, Node *n, int at) { return end_event(w, at) && go_to(w, n); }

static bool pass_node(Walk *w, Node *n, int at) {
    if (n->kind != TRAIL_STEP && n->kind != TRAIL_POINT) w->kept = NULL;
    switch (n->kind) {
    case TRAIL_START: return start(w, n);
    case TRAIL_STEP: return step(w, n, at);
    case TRAIL_POINT: return point(w, n, at);
    case TRAIL_CROSS:
    case TRAIL_MOMENT: return begin_event(w, n);
    case TRAIL_SETTLED: return settled(w, n);
    case TRAIL_ACTIONS: return actions(w, n);
    case TRAIL_CHOICE: return choose(w, n);
    case TRAIL_REMEMBER: return remember(w, n);
    case TRAIL_INSTANT: return instant(w, n);
    case TRAIL_AFTER: return after(w, n);
    case TRAIL_ENTER: return enter(w, n);
    case TRAIL_FOLD:
        return refuse_walk(w->plan, n,
                           "a loop of equations folds: the moment has no derivative here",
                           "choose parameters or a shorter run so that no fold is passed (S049)");
    }
    return false;
}

static void open_walk(Walk *w, const WalkPlan *plan, const WalkVisitor *v) {
    const Node *first = &plan->trail->node.data[0];
    const Program *p = first->kept->machine->program;
    *w = (Walk){.plan = plan, .visitor = v, .k = plan->parameters, .all = plan->parameters + 1};
    w->rtol = plan->solve->rtol > 0 ? plan->solve->rtol : 1e-6;
    size_t memory = (size_t)p->held_count + 1;
    if (plan->solve->modes) memory += (size_t)plan->solve->modes->memory->count;
    w->memory = memory_zeroed(memory, sizeof *w->memory);
    w->memory_dots = memory_zeroed(memory * (size_t)w->all, sizeof *w->memory);
    w->dtau = memory_zeroed((size_t)w->all + 1, sizeof *w->dtau);
    w->Q = memory_zeroed((size_t)p->quad_count * (size_t)w->all + 1, sizeof *w->Q);
    make_room(w, p->state_count + 1);
}

static void close_walk(Walk *w) {
    for (int i = 0; i < w->visited.count; i++) {
        dots_free(w->visited.data[i].dots);
        if (w->visited.data[i].open) stride_close(&w->visited.data[i].stride);
    }
    array_free(&w->visited);
    free(w->x);
    free(w->S);
    free(w->Q);
    free(w->rate);
    free(w->memory);
    free(w->memory_dots);
    free(w->dtau);
}

bool walk_forth(const WalkPlan *plan, const WalkVisitor *v) {
    Walk w;
    if (!plan->trail->node.count) return true;
    open_walk(&w, plan, v);
    bool good = true;
    for (int i = 0; i < plan->trail->node.count && good; i++)
        good = pass_node(&w, &plan->trail->node.data[i], i);
    close_walk(&w);
    return good;
}
