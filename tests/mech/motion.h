// Integration of a traced mechanism by the classical Runge-Kutta method with fixed steps: enough to
// compare trajectories, and no part of the program under test.
#ifndef BONDYN_TESTS_MECH_MOTION_H
#define BONDYN_TESTS_MECH_MOTION_H

#include "fixture.h"

typedef struct {
    World *s;
    MechEquations *e;
    int n;     // coordinates and momenta
    int count; // nodes below the rates, in order
    Expr *node;
    double *at; // their values, by node
    double x[COORDINATES + VELOCITIES];
} Motion;

// The momentum form, from the values that q and w have.
static inline Motion *motion_new(World *s, MechMethod method) {
    Motion *m = calloc(1, sizeof *m);
    assert_non_null(m);
    double p[VELOCITIES];
    evaluate(s, mech_momenta(&s->arena, s->d, &s->m, s->q, s->w).at, s->nv, p);
    set_values(s, s->p, p, s->nv);
    m->s = s;
    m->e = mech_momentum_form(&s->arena, s->d, &s->m, &s->in, method);
    m->n = s->nq + s->nv;
    for (int i = 0; i < s->nq; i++) m->x[i] = s->value[expr_symbol_index(s->d, s->q[i])];
    for (int i = 0; i < s->nv; i++) m->x[s->nq + i] = p[i];
    ExprWalk *w = walk_new(s->d);
    for (int i = 0; i < s->nq; i++) walk_add(w, m->e->q_rate[i]);
    for (int i = 0; i < s->nv; i++) walk_add(w, m->e->p_rate[i]);
    m->count = walk_count(w);
    m->node = calloc((size_t)m->count, sizeof *m->node);
    m->at = calloc(dag_size(s->d) + 1, sizeof *m->at);
    for (int i = 0; i < m->count; i++) m->node[i] = walk_at(w, i);
    walk_free(w);
    return m;
}

static inline void motion_free(Motion *m) {
    free(m->node);
    free(m->at);
    free(m);
}

static inline void motion_rates(Motion *m, const double *x, double *rate) {
    World *s = m->s;
    set_values(s, s->q, x, s->nq);
    set_values(s, s->p, x + s->nq, s->nv);
    for (int i = 0; i < m->count; i++) m->at[m->node[i]] = node_value(s, m->at, m->node[i]);
    for (int i = 0; i < m->n; i++)
        rate[i] = m->at[i < s->nq ? m->e->q_rate[i] : m->e->p_rate[i - s->nq]];
}

static inline void motion_run(Motion *m, double time, int steps) {
    double h = time / steps, k[4][COORDINATES + VELOCITIES], y[COORDINATES + VELOCITIES];
    const double part[4] = {0, 0.5, 0.5, 1};
    for (int step = 0; step < steps; step++) {
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < m->n; i++)
                y[i] = m->x[i] + (stage ? h * part[stage] * k[stage - 1][i] : 0);
            motion_rates(m, y, k[stage]);
        }
        for (int i = 0; i < m->n; i++)
            m->x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    motion_rates(m, m->x, k[0]); // leaves the symbols at the last state
}

#endif
