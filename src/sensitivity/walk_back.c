// Back along a trail, with the weights of states and held values in a sum of outputs and integrals:
// every line of walk_forth.c transposed, in reverse order. Weights of parameters, and of what is
// prepared from them, gather in the registers of each machine until the end.
#include "sensitivity/walk_back.h"

#include "base/memory.h"
#include "sensitivity/stretch.h"
#include <math.h>
#include <string.h>

static Visited *visit(Walk *w, Machine *m) {
    for (int i = 0; i < w->visited.count; i++)
        if (w->visited.data[i].machine == m) return &w->visited.data[i];
    Visited v = {.machine = m, .weights = weights_new(m)};
    TapeFunction rates = rates_tape(w->plan, m->program);
    m->native = NULL;
    m->past = NULL;
    v.straight = straight_new(m, &rates);
    array_push(&w->visited, v);
    return &w->visited.data[w->visited.count - 1];
}

bool back_fail(Walk *w, const Node *n) {
    return refuse_walk(w->plan, n, "equations that the run solved have no derivative",
                       "a root or a quotient is at the end of its range there: keep away from it");
}

// --- a tape back ---------------------------------------------------------------------------------

// Weights of the states that a tape found, or of a memory, into `to`; they are taken away.
void back_take_states(Visited *v, double *to, bool add) {
    const Program *p = v->machine->program;
    double *from = weight_of(v->weights, p->first_state);
    for (int i = 0; i < p->state_count; i++) {
        to[i] = (add ? to[i] : 0) + from[i];
        from[i] = 0;
    }
}

static void take_time(Walk *w, Visited *v) {
    double *from = weight_of(v->weights, v->machine->program->time);
    w->tau += *from;
    *from = 0;
}

bool back_tape(Walk *w, Visited *v, const TapeFunction *f, double time, const double *x) {
    machine_set_point(v->machine, time, x);
    bool good = weights_run(v->weights, f, w->seed);
    memset(w->seed, 0, (size_t)f->result_count * sizeof *w->seed);
    return good;
}

// --- events --------------------------------------------------------------------------------------

static double product(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double quad_product(const Walk *w, const double *quad) {
    if (!quad || !w->visitor->quad_weight) return 0;
    return product(quad, w->visitor->quad_weight,
                   w->plan->trail->node.data[0].kept->machine->program->quad_count);
}

// S -= f+ dtau, and so for the integrals.
static void end_event(Walk *w, const Node *n) {
    w->event = n;
    w->tau = n->rate_after ? -product(n->rate_after, w->lambda, w->n) : 0;
    w->tau -= quad_product(w, n->quad_after);
}

// S += f- dtau, and dtau = -(g_x S + g_p)/event_rate, or from a sample.
static bool begin_event(Walk *w, const Node *n) {
    Visited *v = visit(w, n->kept->machine);
    const Program *p = v->machine->program;
    w->tau += product(n->rate_before, w->lambda, w->n) + quad_product(w, n->quad_before);
    w->event = NULL;
    int sample = n->cause - p->switch_count, clock = sample - p->samples.result_count / 2;
    if (w->tau == 0 || (n->cause < 0 && n->beside[0] < 0)) return true;
    kept_restore(n->kept);
    if (!happens_alone_back(n)) return !(*w->apart = true);
    const TapeFunction *f = clock >= 0 ? &p->clocks : sample >= 0 ? &p->samples : &p->switches;
    if (clock >= 0) {
        w->seed[2 * clock] = -w->tau / n->event_rate;
    } else if (sample >= 0) {
        w->seed[2 * sample] = n->event_rate * w->tau;
        w->seed[2 * sample + 1] = w->tau;
    } else {
        w->seed[n->cause] = -w->tau / n->event_rate;
    }
    if (!back_tape(w, v, f, n->time, n->before)) return back_fail(w, n);
    back_take_states(v, w->lambda, true);
    *weight_of(v->weights, p->time) = 0;
    return true;
}

// --- values that change --------------------------------------------------------------------------

static bool actions(Walk *w, const Node *n) {
    Visited *v = visit(w, n->kept->machine);
    const Program *p = v->machine->program;
    const Whens *s = &p->system->whens;
    const double *fired = n->kept->held + s->discrete_count + s->sample_count;
    kept_restore(n->kept);
    for (int i = 0; i < s->discrete_count; i++) {
        double *held = weight_of(v->weights, p->first_held + (uint32_t)i);
        w->seed[i] = *held;
        *held = 0;
    }
    for (int i = 0; i < s->reset_count; i++)
        if (fired[s->reset[i].branch]) {
            w->seed[s->discrete_count + i] = w->lambda[s->reset[i].target];
            w->lambda[s->reset[i].target] = 0;
        }
    if (!back_tape(w, v, &p->actions, n->time, n->before)) return back_fail(w, n);
    back_take_states(v, w->lambda, true);
    take_time(w, v);
    return true;
}

static bool settled(Walk *w, const Node *n) {
    Visited *v = visit(w, n->kept->machine);
    const Program *p = v->machine->program;
    const SolveOptions *o = w->plan->solve;
    kept_restore(n->kept);
    v->machine->hold = true;
    for (int k = 0; k < o->settle_count; k++)
        for (int i = 0; i < w->n; i++)
            if (p->system->state_var[i] == o->settle_var[k]) {
                w->seed[o->settle_output[k]] += w->lambda[i];
                w->lambda[i] = 0;
            }
    if (!back_tape(w, v, &p->outputs, n->time, n->before)) return back_fail(w, n);
    back_take_states(v, w->lambda, true);
    take_time(w, v);
    return true;
}

// The picks before are those of the step that ended here.
static bool choose(Walk *w, const Node *n, const Kept *before) {
    Visited *v = visit(w, n->kept->machine);
    const Program *p = v->machine->program;
    kept_restore(n->kept);
    for (int i = 0; i < w->n; i++) {
        int column = chosen_column(v->machine, i);
        if (column < 0) continue;
        w->seed[choices_result(p, column)] += w->lambda[i];
        w->lambda[i] = 0;
    }
    if (before) kept_restore(before);
    if (!back_tape(w, v, &p->choices, n->time, n->before)) return back_fail(w, n);
    back_take_states(v, w->lambda, true);
    take_time(w, v);
    return true;
}

// --- laws that change ----------------------------------------------------------------------------

static int memory_count(const Walk *w) { return w->plan->solve->modes->memory->count; }

static void make_room(Walk *w, int n) {
    w->n = n;
    if (n <= w->room) return;
    free(w->lambda);
    w->lambda = memory_zeroed((size_t)n, sizeof *w->lambda);
    w->room = n;
}

static void pass_held(Visited *from, Visited *to) {
    const Program *p = from->machine->program, *q = to->machine->program;
    if (from->machine == to->machine) return;
    for (int i = 0; i < p->system->whens.discrete_count; i++) {
        double *a = weight_of(from->weights, p->first_held + (uint32_t)i);
        *weight_of(to->weights, q->first_held + (uint32_t)i) += *a;
        *a = 0;
    }
}

static bool remember(Walk *w, const Node *n) {
    Visited *v = visit(w, n->kept->machine);
    const Program *p = v->machine->program;
    kept_restore(n->kept);
    make_room(w, p->state_count);
    for (int i = 0; i < memory_count(w); i++) w->seed[i] = w->mu[i];
    memset(w->mu, 0, (size_t)memory_count(w) * sizeof *w->mu);
    if (!back_tape(w, v, &p->memory, n->time, n->before)) return back_fail(w, n);
    back_take_states(v, w->lambda, false);
    take_time(w, v);
    return true;
}

// Seeds are those of the jump's outputs; held weights go to `back`.
static bool jump_back(Walk *w, const Node *n, Machine *back) {
    visit(w, n->mode->jump);
    visit(w, back);
    Visited *v = visit(w, n->mode->jump);
    kept_restore(n->jump);
    if (!back_tape(w, v, &v->machine->program->outputs, n->time, n->before)) return back_fail(w, n);
    back_take_states(v, w->mu, true);
    take_time(w, v);
    pass_held(v, visit(w, back));
    return true;
}

static bool instant(Walk *w, const Node *n) {
    JumpLayout l = jump_layout(w->plan, n->mode);
    for (int i = 0; i < l.memory; i++) {
        w->seed[l.states + i] = w->mu[i];
        w->mu[i] = 0;
    }
    return jump_back(w, n, n->kept->machine);
}

static bool enter(Walk *w, const Node *n, Machine *before) {
    JumpLayout l = jump_layout(w->plan, n->mode);
    kept_restore(n->kept);
    for (int i = 0; i < l.states; i++) {
        int column = chosen_column(n->mode->machine, i);
        w->seed[column < 0 ? i : l.entries + column] += w->lambda[i];
    }
    visit(w, before);
    pass_held(visit(w, n->mode->machine), visit(w, before));
    return jump_back(w, n, before);
}

// The memory from the states, those from the jump at the memory before.
static bool after(Walk *w, const Node *n, Machine *before) {
    Visited *v = visit(w, n->mode->machine);
    const Program *p = v->machine->program;
    int states = w->n;
    kept_restore(n->kept);
    visit(w, before);
    pass_held(visit(w, before), visit(w, n->mode->machine));
    v = visit(w, n->mode->machine);
    make_room(w, p->state_count);
    for (int i = 0; i < memory_count(w); i++) w->seed[i] = w->mu[i];
    memset(w->mu, 0, (size_t)memory_count(w) * sizeof *w->mu);
    if (!back_tape(w, v, &p->memory, n->time, n->state)) return back_fail(w, n);
    back_take_states(v, w->lambda, false);
    take_time(w, v);
    bool good = enter(w, n, before);
    make_room(w, states);
    return good;
}

// --- points and the start ------------------------------------------------------------------------

static bool point(Walk *w, const Node *n, Machine *m) {
    Visited *v = visit(w, m);
    const Program *p = v->machine->program;
    if (!n->used || !w->visitor->weigh) return true;
    w->visitor->weigh(w->visitor->context, n, w->seed);
    bool hold = m->hold;
    m->hold = false;
    bool good = back_tape(w, v, &p->outputs, n->time, n->before);
    m->hold = hold;
    if (!good) return back_fail(w, n);
    back_take_states(v, w->lambda, true);
    w->tau = 0;
    take_time(w, v); // counts where the point moves
    return true;
}

static bool start(Walk *w, const Node *n) {
    Visited *v = visit(w, n->kept->machine);
    const Program *p = v->machine->program;
    double *zero = memory_zeroed((size_t)p->state_count + 1, sizeof *zero);
    kept_restore(n->kept);
    for (int i = 0; i < w->n; i++) w->seed[i] = w->lambda[i];
    bool good = back_tape(w, v, &p->initial, n->time, zero);
    for (int i = 0; i < p->held_start.result_count; i++) {
        double *held = weight_of(v->weights, p->first_held + (uint32_t)i);
        w->seed[i] = *held;
        *held = 0;
    }
    good = good && back_tape(w, v, &p->held_start, n->time, zero);
    free(zero);
    return good || back_fail(w, n);
}

// --- the walk ------------------------------------------------------------------------------------

static Machine *machine_before(const Trail *t, int at) {
    for (int i = at - 1; i >= 0; i--)
        if (t->node.data[i].kind != TRAIL_AFTER && t->node.data[i].kind != TRAIL_INSTANT)
            return t->node.data[i].kept->machine;
    return t->node.data[0].kept->machine;
}

static bool is_event(const Node *n) { return n->rate_before != NULL; }

// The states after everything that happened at a node, and when.
static const double *states_after(const WalkPlan *plan, int at, double *time) {
    const Trail *t = plan->trail;
    const Node *n = &t->node.data[at];
    *time = n->time;
    switch (n->kind) {
    case TRAIL_STEP:
    case TRAIL_POINT:
    case TRAIL_START:
    case TRAIL_CHOICE:
    case TRAIL_ENTER: return n->state;
    default: return n->reached;
    }
}

static bool go_back(Walk *w, int at) {
    const Trail *t = w->plan->trail;
    Node *to = &t->node.data[at];
    int from = trail_before(t, stretch_first(t, at));
    double time = 0;
    const double *x = from >= 0 ? states_after(w->plan, from, &time) : NULL;
    const Node *next = next_step(w->plan, at);
    if (next) kept_restore(next->kept);
    if (!x || !(to->time > time) || to->passed) return true;
    return back_step(w, visit(w, to->kept->machine), to, time, x);
}

// An event is over where the first step or point behind it begins; the one that ended the run never is.
static void look_for_event(Walk *w, int at) {
    const Trail *t = w->plan->trail;
    bool moves = is_moving_end(w->plan, &t->node.data[at]);
    double end = w->tau + w->visitor->end_weight;
    for (int i = trail_before(t, at); i >= 0; i--) {
        const Node *n = &t->node.data[i];
        if (n->kind == TRAIL_STEP || (n->kind == TRAIL_POINT && n->used)) return;
        if (is_event(n)) {
            end_event(w, n);
            if (moves) w->tau = end;
            return;
        }
    }
}

static bool all_finite(Walk *w, const Node *n) {
    for (int i = 0; i < w->n; i++)
        if (!isfinite(w->lambda[i])) return back_fail(w, n);
    return true;
}

static bool pass_node(Walk *w, int at) {
    const Trail *t = w->plan->trail;
    Node *n = &t->node.data[at];
    switch (n->kind) {
    case TRAIL_START: return start(w, n);
    case TRAIL_POINT:
        if (!n->used) return true;
        if (next_step(w->plan, at)) kept_restore(next_step(w->plan, at)->kept);
        if (!point(w, n, machine_before(t, at))) return false; // fall through
    case TRAIL_STEP:
        if (!go_back(w, at)) return false;
        look_for_event(w, at);
        return all_finite(w, n);
    case TRAIL_CROSS:
    case TRAIL_MOMENT: return !is_event(n) || begin_event(w, n);
    case TRAIL_SETTLED: return settled(w, n);
    case TRAIL_ACTIONS: return actions(w, n);
    case TRAIL_CHOICE: return choose(w, n, n->held_before);
    case TRAIL_REMEMBER: return remember(w, n);
    case TRAIL_INSTANT: return instant(w, n);
    case TRAIL_AFTER: return after(w, n, machine_before(t, at));
    case TRAIL_ENTER: return enter(w, n, machine_before(t, at));
    case TRAIL_FOLD: break;
    }
    return false;
}

static size_t most_results(const Machine *m) {
    const Program *p = m->program;
    int most = p->output_count + p->state_count + p->quad_count + p->held_count + p->switch_count;
    most += p->choices.result_count + p->memory.result_count + p->actions.result_count;
    return (size_t)(most + 2 * p->clock_count + p->samples.result_count) + 1;
}

static void open_walk(Walk *w, const WalkPlan *plan, const WalkVisitor *v) {
    *w = (Walk){.plan = plan, .visitor = v};
    size_t room = 1, memory = 1;
    for (int i = 0; i < plan->trail->node.count; i++) {
        const Node *n = &plan->trail->node.data[i];
        size_t here = n->kept ? most_results(n->kept->machine) : 0;
        size_t jump = n->mode ? most_results(n->mode->jump) : 0;
        room = here > room ? here : room;
        room = jump > room ? jump : room;
    }
    if (plan->solve->modes) memory += (size_t)plan->solve->modes->memory->count;
    w->seed = memory_zeroed(room + memory, sizeof *w->seed);
    w->mu = memory_zeroed(memory, sizeof *w->mu);
    const Node *last = &plan->trail->node.data[plan->trail->node.count - 1];
    int states = last->kept ? last->kept->machine->program->state_count : 0;
    make_room(w, states + 1);
    w->n = states;
}

// Carries the weights of prepared registers, which depend on parameters alone, over to the
// parameters.
static bool gather(Walk *w, double *gradient) {
    bool good = true;
    for (int k = 0; k < w->visited.count && good; k++) {
        Visited *v = &w->visited.data[k];
        const Program *p = v->machine->program;
        good = weights_run(v->weights, &p->prepare, NULL);
        for (uint32_t i = 0; i < p->param_count && good; i++)
            for (int j = 0; j < w->plan->parameters; j++)
                if (p->param_var[i] == w->plan->parameter[j])
                    gradient[j] += *weight_of(v->weights, p->first_param + i);
    }
    return good;
}

bool walk_back(const WalkPlan *plan, const WalkVisitor *v, double *gradient, bool *apart) {
    Walk w;
    *apart = false;
    if (!plan->trail->node.count) return true;
    open_walk(&w, plan, v);
    w.apart = apart;
    stretches_find(plan->trail, plan->solve->rtol > 0 ? plan->solve->rtol : 1e-6,
                   plan->solve->stop - plan->solve->start);
    bool good = true;
    for (int i = plan->trail->node.count - 1; i >= 0 && good; i--) good = pass_node(&w, i);
    good = good && gather(&w, gradient);
    for (int i = 0; i < w.visited.count; i++) {
        weights_free(w.visited.data[i].weights);
        straight_free(w.visited.data[i].straight);
        if (w.visited.data[i].stride.machine) stride_close(&w.visited.data[i].stride);
    }
    array_free(&w.visited);
    free(w.lambda);
    free(w.mu);
    free(w.seed);
    return good;
}
