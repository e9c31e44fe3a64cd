// Forth along a trail, with dots of states and held values by the parameters. One direction more is
// that of time: f of the states, 1 of the time, which tells how fast relations change.
#include "sensitivity/walk_forth.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

// --- machines ------------------------------------------------------------------------------------

Visited *forth_here(Walk *w) { return &w->visited.data[w->present]; }

// Parameters and what is prepared from them have their dots for good.
static bool seed_parameters(Walk *w, Visited *v) {
    const Program *p = v->machine->program;
    for (uint32_t i = 0; i < p->param_count; i++)
        for (int j = 0; j < w->k; j++)
            if (p->param_var[i] == w->plan->parameter[j])
                dots_of(v->dots, p->first_param + i)[j] = 1;
    return dots_run(v->dots, &p->prepare);
}

int forth_visit(Walk *w, Machine *m) {
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
void forth_room(Walk *w, int n) {
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

void forth_put(Walk *w, const Visited *v, double time, const double *x, const double *S,
               int count) {
    const Program *p = v->machine->program;
    machine_set_point(v->machine, time, x);
    if (count)
        memcpy(dots_of(v->dots, p->first_state), S, (size_t)count * (size_t)w->all * sizeof *S);
    memcpy(dots_of(v->dots, p->time), w->dtau, (size_t)w->all * sizeof *S);
}

void forth_put_point(Walk *w) { forth_put(w, forth_here(w), w->time, w->x, w->S, w->n); }

bool forth_fail(Walk *w, const Node *n) {
    return refuse_walk(w->plan, n, "equations that the run solved have no derivative",
                       "a root or a quotient is at the end of its range there: keep away from it");
}

double forth_parameter(const Walk *w, int j) {
    const Machine *m = w->visited.data[w->present].machine;
    for (uint32_t i = 0; i < m->program->param_count; i++)
        if (m->program->param_var[i] == w->plan->parameter[j])
            return m->reg[m->program->first_param + i];
    return 0;
}

// --- the start -----------------------------------------------------------------------------------

static bool start(Walk *w, Node *n) {
    w->present = forth_visit(w, n->kept->machine);
    if (w->present < 0) return forth_fail(w, n);
    const Visited *v = forth_here(w);
    const Program *p = v->machine->program;
    w->n = p->state_count;
    forth_room(w, w->n);
    w->time = n->time;
    kept_restore(n->kept);
    memset(w->S, 0, (size_t)w->n * (size_t)w->all * sizeof *w->S);
    memset(w->x, 0, (size_t)w->n * sizeof *w->x);
    forth_put_point(w);
    if (!dots_run(v->dots, &p->held_start)) return forth_fail(w, n);
    for (int i = 0; i < p->held_start.result_count; i++)
        take_dots(w, dots_of(v->dots, p->first_held + (uint32_t)i),
                  result_dots(v, &p->held_start, i));
    if (!dots_run(v->dots, &p->initial)) return forth_fail(w, n);
    for (int i = 0; i < w->n; i++)
        take_dots(w, w->S + (size_t)i * (size_t)w->all, result_dots(v, &p->initial, i));
    if (w->n) memcpy(w->x, n->state, (size_t)w->n * sizeof *w->x);
    return true;
}

// --- steps ---------------------------------------------------------------------------------------

static Stride *stride_for(Walk *w, SolverKind method) {
    Visited *v = forth_here(w);
    stride_ready(&v->stride, v->machine, method, w->plan->solve->stop - w->plan->solve->start);
    return &v->stride;
}

// K_i = J_i (S + h sum a_ij K_j) + f_p: rates of the stages, from dots X of their states. The integrals
// go along.
static bool stage_dots(Walk *w, const Stride *s, int i, const double *X, double *K) {
    const Visited *v = forth_here(w);
    const Program *p = v->machine->program;
    forth_put(w, v, stride_time(s, i), s->X + i * s->n, X, s->n);
    TapeFunction f = rates_tape(w->plan, p);
    if (!dots_run(v->dots, &f)) return false;
    for (int q = 0; q < s->n; q++)
        take_dots(w, K + (size_t)q * (size_t)w->all, result_dots(v, &p->derivative, q));
    return true;
}

static void add_quads(Walk *w, const Stride *s, int i) {
    const Visited *v = forth_here(w);
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
    Stride *s = stride_for(w, to->joined ? SOLVER_RK78 : to->method);
    if (!cuts_make(w->plan->trail, to, s, w->time, w->x, w->rtol)) return false;
    size_t size = (size_t)s->n * (size_t)w->all, stages = (size_t)s->scheme.stages;
    double *K = memory_zeroed((stages + 2) * size + stages * (size_t)s->n + 1, sizeof *K);
    double *X = K + stages * size;
    double *x = memory_zeroed((size_t)s->n + 1, sizeof *x);
    memcpy(x, w->x, (size_t)s->n * sizeof *x);
    bool good = true;
    for (int i = 0; i < to->strides && good; i++) {
        StepPart part = cuts_part(to, i, w->time);
        if (part.state) memcpy(x, part.state, (size_t)s->n * sizeof *x);
        s->machine->side = part.side;
        good = stride_take(s, part.time, part.h, x, to->strides == 1 ? to->state : NULL) &&
               stride_dots(w, s, K, X);
        memcpy(x, s->end, (size_t)s->n * sizeof *x);
    }
    s->machine->side = NULL;
    free(K);
    free(x);
    return good;
}

static bool go_to(Walk *w, Node *n) {
    if (n->time > w->time) {
        if (w->k && !integrate(w, n)) return forth_fail(w, n);
        if (w->n) memcpy(w->x, n->state, (size_t)w->n * sizeof *w->x);
        w->time = n->time;
        for (int q = 0; q < w->n * w->all; q++)
            if (!isfinite(w->S[q])) return forth_fail(w, n);
    }
    return true;
}

// --- points --------------------------------------------------------------------------------------

static bool tell_point(Walk *w, const Node *n) {
    const Visited *v = forth_here(w);
    const Program *p = v->machine->program;
    size_t size = (size_t)(p->output_count + p->quad_count) * (size_t)w->k;
    double *out = memory_zeroed(size + (size_t)p->output_count + 1, sizeof *out);
    double *quad = out + p->output_count * w->k, *rate = out + size;
    for (int i = 0; i < p->output_count; i++) rate[i] = result_dots(v, &p->outputs, i)[w->all - 1];
    for (int i = 0; i < p->output_count; i++)
        memcpy(out + i * w->k, result_dots(v, &p->outputs, i), (size_t)w->k * sizeof *out);
    for (int i = 0; i < p->quad_count; i++)
        memcpy(quad + i * w->k, w->Q + i * w->all, (size_t)w->k * sizeof *out);
    PointDots d = {.output = out, .quad = quad, .rate = rate, .moment = w->dtau};
    w->visitor->point(w->visitor->context, n, &d);
    free(out);
    return true;
}

// Derivatives at a recorded point. Relations are held as they were at that point. When the model
// ended the run itself, the last point moves with the event that ended it.
static bool point(Walk *w, Node *n, int at) {
    const Visited *v = forth_here(w);
    if (!n->used) return true;
    bool moves = w->event && is_moving_end(w->plan, n);
    if (moves && w->apart) return event_refuse_apart(w, n);
    if ((!moves && !event_end(w, at)) || !go_to(w, n)) return false;
    n->before = event_keep(w, w->x);
    if (!w->visitor->point) return true;
    bool hold = v->machine->hold;
    if (!event_rates(w, n)) return false;
    v->machine->hold = false;
    forth_put_point(w);
    bool good = dots_run(v->dots, &v->machine->program->outputs);
    v->machine->hold = hold;
    w->dtau[w->all - 1] = 0;
    for (int q = 0; q < w->n; q++) w->S[(q + 1) * w->all - 1] = 0;
    return good ? tell_point(w, n) : forth_fail(w, n);
}

// --- the walk ------------------------------------------------------------------------------------

static bool step(Walk *w, Node *n, int at) {
    return event_end(w, at) && (n->passed || go_to(w, n));
}

static bool pass_node(Walk *w, Node *n, int at) {
    if (n->kind != TRAIL_STEP && n->kind != TRAIL_POINT) w->kept = NULL;
    switch (n->kind) {
    case TRAIL_START: return start(w, n);
    case TRAIL_STEP: return step(w, n, at);
    case TRAIL_POINT: return point(w, n, at);
    case TRAIL_CROSS:
    case TRAIL_MOMENT: return event_begin(w, n, at);
    case TRAIL_SETTLED: return event_settled(w, n);
    case TRAIL_ACTIONS: return event_actions(w, n);
    case TRAIL_CHOICE: return event_choose(w, n);
    case TRAIL_REMEMBER: return laws_remember(w, n);
    case TRAIL_INSTANT: return laws_instant(w, n);
    case TRAIL_AFTER: return laws_after(w, n);
    case TRAIL_ENTER: return laws_enter(w, n);
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
    w->quad = memory_zeroed((size_t)p->quad_count + 1, sizeof *w->quad);
    w->Q = memory_zeroed((size_t)p->quad_count * (size_t)w->all + 1, sizeof *w->Q);
    forth_room(w, p->state_count + 1);
}

static void close_walk(Walk *w) {
    for (int i = 0; i < w->visited.count; i++) {
        dots_free(w->visited.data[i].dots);
        if (w->visited.data[i].stride.machine) stride_close(&w->visited.data[i].stride);
    }
    array_free(&w->visited);
    free(w->x);
    free(w->S);
    free(w->Q);
    free(w->rate);
    free(w->quad);
    free(w->event_function);
    free(w->memory);
    free(w->memory_dots);
    free(w->dtau);
}

bool walk_forth(const WalkPlan *plan, const WalkVisitor *v) {
    Walk w;
    if (!plan->trail->node.count) return true;
    open_walk(&w, plan, v);
    if (w.k) stretches_find(plan->trail, w.rtol, plan->solve->stop - plan->solve->start);
    bool good = true;
    for (int i = 0; i < plan->trail->node.count && good; i++)
        good = pass_node(&w, &plan->trail->node.data[i], i);
    sides_forget(&w);
    close_walk(&w);
    return good;
}
