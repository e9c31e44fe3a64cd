// Relations that cross at once: do all of them move with parameters in the same way? Told without dots, by
// weights: of each relation in units of its event_rate, dtau = -(g_x S + g_p)/event_rate, against those of another.
#include "sensitivity/walk_inside.h"

#include "base/memory.h"
#include <math.h>

// Weights of states, held values and parameters that relation `a`, less relation `b`, is made of, each times its factor.
static bool weigh(Weights *w, const Node *n, int a, double by_a, int b, double by_b) {
    const Program *p = n->kept->machine->program;
    double *seed = memory_zeroed((size_t)p->switches.result_count + 1, sizeof *seed);
    weights_clear(w);
    seed[a] += by_a;
    seed[b] -= by_b;
    machine_set_point(n->kept->machine, n->time, n->before);
    bool good = weights_run(w, &p->switches, seed) && weights_run(w, &p->prepare, NULL);
    free(seed);
    return good;
}

// How fast a relation changes, with states as they go.
static double event_rate_of(Weights *w, const Node *n, int relation) {
    const Program *p = n->kept->machine->program;
    if (!weigh(w, n, relation, 1, relation, 0)) return NAN;
    double event_rate = *weight_of(w, p->time);
    for (int i = 0; i < p->state_count; i++)
        event_rate += *weight_of(w, p->first_state + (uint32_t)i) * n->rate_before[i];
    return event_rate;
}

// Registers that change with parameters: parameters, states and what `when` sets.
static bool has_slope(const Program *p, uint32_t reg) {
    uint32_t set = (uint32_t)p->system->whens.discrete_count, states = (uint32_t)p->state_count;
    return (reg >= p->first_param && reg < p->first_param + p->param_count) ||
           (reg >= p->first_state && reg < p->first_state + states) ||
           (reg >= p->first_held && reg < p->first_held + set);
}

static bool is_same_moment(Weights *w, const Node *n, int other, double event_rate) {
    const Program *p = n->kept->machine->program;
    double *one = memory_zeroed((size_t)p->register_count + 1, sizeof *one);
    bool same = weigh(w, n, n->cause, 1 / n->event_rate, n->cause, 0);
    for (uint32_t i = 0; i < p->register_count; i++) one[i] = fabs(*weight_of(w, i));
    same = same && weigh(w, n, n->cause, 1 / n->event_rate, other, 1 / event_rate);
    for (uint32_t i = 0; i < p->register_count && same; i++)
        same = !has_slope(p, i) || fabs(*weight_of(w, i)) <= 1e-6 * one[i];
    free(one);
    return same;
}

// Run at a point, the tape of relations is at it.
double relation_size(Machine *m, int relation) {
    const Program *p = m->program;
    double *seed = memory_zeroed((size_t)p->switches.result_count + 1, sizeof *seed), sum = 0;
    Weights *w = weights_new(m);
    seed[relation] = 1;
    if (weights_run(w, &p->switches, seed))
        for (uint32_t i = 0; i < p->register_count; i++)
            if (*weight_of(w, i) != 0 && i != p->time) sum += fabs(*weight_of(w, i) * m->reg[i]);
    weights_free(w);
    free(seed);
    return sum;
}

bool happens_alone_back(const Node *n) {
    int relations = n->kept->machine->program->switch_count;
    if (n->beside[0] < 0) return true;
    if (n->cause < 0 || n->cause >= relations) return false; // a given time, and a relation besides
    if (n->beside[1] < 0 && n->beside[0] == n->cause) return true;
    Weights *w = weights_new(n->kept->machine);
    bool alone = true;
    for (const int *i = n->beside; *i >= 0 && alone; i++) {
        if (*i == n->cause) continue;
        double event_rate = event_rate_of(w, n, *i);
        alone = event_rate == 0 || is_same_moment(w, n, *i, event_rate);
    }
    weights_free(w);
    return alone;
}
