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

static void number_mechanism(Mechanism *m, const int *place) {
    for (int i = 0; i < m->joint_count; i++) {
        MechJoint *j = &m->joint[i];
        for (int k = 0; k < joint_coordinates(j); k++) j->coordinate[k] = place[j->coordinate[k]];
        if (!joint_velocities(j->kind)) continue;
        for (int k = 0; k < joint_coordinates(j); k++) j->state[k] = place[j->state[k]];
        j->p = place[j->p];
        j->motion = place[j->motion];
        if (j->stiffness || j->restitution) j->stop = place[j->stop];
        if (j->restitution) j->contact = place[j->contact];
        if (j->driven) {
            j->effort = place[j->effort];
            j->mu = place[j->mu];
            j->nu = place[j->nu];
        }
        if (j->w >= 0) j->w = place[j->w];
        if (j->attitude >= 0) j->attitude = place[j->attitude];
        j->e = place[j->e];
        j->f = place[j->f];
    }
    for (int i = 0; i < m->frame_count; i++) {
        MechFrame *f = &m->frame[i];
        f->e = place[f->e];
        f->f = place[f->f];
        f->place = place[f->place];
        f->orientation = place[f->orientation];
    }
    for (int i = 0; i < m->velocity_count; i++) {
        MechVelocity *v = &m->velocity[i];
        v->p = place[v->p];
        v->e = place[v->e];
        v->f = place[v->f];
    }
    for (int i = 0; i < m->tie_count; i++) {
        MechTie *t = &m->tie[i];
        int *const var[] = {&t->e,  &t->f,     &t->q,      &t->lambda, &t->mu,
                            &t->nu, &t->force, &t->moment, &t->gap};
        for (size_t k = 0; k < sizeof var / sizeof var[0]; k++)
            if (*var[k] >= 0) *var[k] = place[*var[k]];
    }
    if (m->loss >= 0) m->loss = place[m->loss];
    if (m->drive_power >= 0) m->drive_power = place[m->drive_power];
    m->kinetic = place[m->kinetic];
    m->potential = place[m->potential];
    m->energy = place[m->energy];
    m->momentum = place[m->momentum];
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
    for (int i = 0; i < b->mechanism.count; i++) number_mechanism(&b->mechanism.data[i], place);
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
