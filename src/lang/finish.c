// The last step: der(x) variables, which were found on the way, take their place in the order of
// paths, and the lists move into the model's arena.
#include "lang/build.h"

#include <string.h>

static int compare_paths(const Builder *b, int x, int y) {
    return name_compare(name_text(b->names, b->var.data[x].path),
                        name_text(b->names, b->var.data[y].path));
}

// Plain variables are sorted already, and derivatives are in the order of what they derive.
static int *merged_order(Builder *b, int *derivatives, int count) {
    int n = b->var.count, plain = 0, k = 0;
    int *place = ARENA_ARRAY(&b->tmp, int, n);
    for (int at = 0; at < n; at++) {
        while (plain < n && b->var.data[plain].kind == VAR_DERIVATIVE) plain++;
        bool take_plain =
            k == count ||
            (plain < n && (plain == 0 || compare_paths(b, plain, derivatives[k]) < 0));
        place[take_plain ? plain++ : derivatives[k++]] = at;
    }
    return place;
}

static int *derivatives_in_order(Builder *b, int *count) {
    int n = b->var.count;
    int *list = ARENA_ARRAY(&b->tmp, int, n);
    *count = 0;
    for (int i = 0; i < n; i++)
        if (b->var.data[i].der >= 0) list[(*count)++] = b->var.data[i].der;
    return list;
}

static void move_vars(Builder *b, const int *place) {
    Model *m = b->model;
    m->var_count = b->var.count;
    m->var = ARENA_ARRAY(b->out, Var, m->var_count);
    for (int i = 0; i < m->var_count; i++) {
        Var x = b->var.data[i];
        if (x.der >= 0) x.der = place[x.der];
        if (x.of >= 0) x.of = place[x.of];
        if (x.kind == VAR_DERIVATIVE && !x.unit) x.unit = dim_unit(b, x.dim);
        m->var[place[i]] = x;
    }
}

static void *keep(Builder *b, const void *data, int count, size_t size) {
    void *copy = arena_alloc(b->out, (size_t)count, size);
    if (count) memcpy(copy, data, (size_t)count * size);
    return copy;
}

typedef struct {
    const int *place; // of the variable that has the number now
    int count;
} Numbering;

static void number_vars(const Numbering *to, int *var, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (var[i] >= 0 && var[i] < to->count) var[i] = to->place[var[i]];
}

#define NUMBER(vars) number_vars(to, vars, sizeof(vars) / sizeof *(vars))

// Fields that a joint does not use are 0, the number of time, which keeps it; a joint without
// variables behind all others may have a number that is none.
static void number_mechanism(Mechanism *m, const Numbering *to) {
    for (int i = 0; i < m->joint_count; i++) {
        MechJoint *j = &m->joint[i];
        NUMBER(j->coordinate);
        NUMBER(j->state);
        NUMBER(j->var);
    }
    for (int i = 0; i < m->frame_count; i++) NUMBER(m->frame[i].var);
    for (int i = 0; i < m->velocity_count; i++) NUMBER(m->velocity[i].var);
    for (int i = 0; i < m->tie_count; i++) NUMBER(m->tie[i].var);
    NUMBER(m->var);
}

// What a source sets, it sets along its half-arrow: `drain = 2 {l/s}` with `tank -> drain` takes 2
// l/s out of the tank. So its port counts as the arrow does.
static void orient_sources(Model *m) {
    for (int i = 0; i < m->bond_count; i++) {
        const BondEnd *to = &m->bond[i].to;
        CompKind kind = m->comp[to->comp].kind;
        if (to->port >= 0 && (kind == COMP_SE || kind == COMP_SF)) m->port[to->port].out = false;
    }
}

// A list of the builder becomes one of the model.
#define KEEP(to, list)                                                                             \
    (m->to##_count = b->list.count,                                                                \
     m->to = keep(b, b->list.data, b->list.count, sizeof *b->list.data))

void finish_model(Builder *b) {
    Model *m = b->model;
    int count;
    int *derivatives = derivatives_in_order(b, &count);
    const int *place = merged_order(b, derivatives, count);
    move_vars(b, place);
    array_free(&b->var);
    for (int i = 0; i < b->port.count; i++) {
        b->port.data[i].e = place[b->port.data[i].e];
        b->port.data[i].f = place[b->port.data[i].f];
    }
    for (int i = 0; i < b->comp.count; i++) {
        Comp *c = &b->comp.data[i];
        if (c->var >= 0) c->var = place[c->var];
        if (c->state_count) c->first_state = place[c->first_state];
    }
    for (int i = 0; i < b->action.count; i++) b->action.data[i].var = place[b->action.data[i].var];
    for (int i = 0; b->plan && i < b->plan->live_count; i++)
        b->plan->live[i].var = place[b->plan->live[i].var];
    const Numbering to = {place, m->var_count};
    for (int i = 0; i < b->mechanism.count; i++) number_mechanism(&b->mechanism.data[i], &to);
    KEEP(mechanism, mechanism);
    KEEP(called, called);
    for (int i = 0; i < b->choice.count; i++)
        if (b->choice.data[i].var >= 0) b->choice.data[i].var = place[b->choice.data[i].var];
    KEEP(choice, choice);
    KEEP(mode, mode);
    KEEP(mode_law, mode_law);
    KEEP(when, branch);
    KEEP(action, action);
    KEEP(sample, sample);
    KEEP(before, before);
    KEEP(delay, delay);
    KEEP(comp, comp);
    KEEP(port, port);
    KEEP(bond, flat);
    orient_sources(m);
    KEEP(equation, law);
    KEEP(initial, start);
    KEEP(steady, steady);
}
