// The laws of a lagrangian: an IC-field from its energies, in momentum form like a mechanism.
//
//      p = dT/df                        solved for f by the stage of equations, linear where T is
//      q' = f                           quadratic, by Newton where it is not
//      p' = e + dT/dq - dV/dq - dD/df
//
// Stored energy is p.f - T + V; for quadratic T that is T + V. Efforts of the dissipation function
// D take f.dD/df out of it without a bond: `loss`.
#include "mech/expansion.h"

#include <math.h>
#include <string.h>

typedef struct {
    Expansion *k;
    int n;
    Expr *q, *f, *p, *momentum; // symbols, and dT/df
} Energies;

// --- checks
// ------------------------------------------------------------------------------------------------

static bool report_wrong(Energies *g, const char *what, const char *help) {
    Remark *e = report_error(g->k->report, M_LAGRANGIAN, g->k->x->pos, "%s", what);
    remark_help(g->k->report, e, "%s", help);
    return false;
}

// Only coordinates, with flows where they may be, and parameters.
static bool is_closed(Energies *g, Expr energy, bool flows) {
    const Model *m = g->k->m;
    ExprWalk *w = walk_new(g->k->d);
    bool closed = true;
    walk_add(w, energy);
    for (int v = 0; v < m->var_count; v++) {
        if (m->var[v].kind == VAR_PARAM || !walk_seen(w, m->var[v].symbol)) continue;
        bool own = false;
        for (int i = 0; i < g->n; i++)
            own |= m->var[v].symbol == g->q[i] || (flows && m->var[v].symbol == g->f[i]);
        closed = closed && own;
    }
    walk_free(w);
    return closed;
}

// Is d2T/df2 positive definite at the start? By elimination.
static bool is_convex(Energies *g) {
    Expansion *k = g->k;
    int n = g->n;
    double *B = ARENA_ARRAY(&k->scratch, double, (size_t)n *(size_t)n);
    for (int i = 0; i < n; i++) {
        k->number[expr_symbol_index(k->d, g->q[i])] = expr_evaluate(k->d, k->start_q[i], k->number);
        k->number[expr_symbol_index(k->d, g->f[i])] = expr_evaluate(k->d, k->start_w[i], k->number);
    }
    for (int i = 0; i < n * n; i++)
        B[i] =
            expr_evaluate(k->d, expr_derivative(k->d, g->momentum[i / n], g->f[i % n]), k->number);
    for (int c = 0; c < n; c++) {
        double scale =
            fabs(expr_evaluate(k->d, expr_derivative(k->d, g->momentum[c], g->f[c]), k->number));
        if (!(B[c * n + c] > 1e-12 * scale)) return false;
        for (int i = c + 1; i < n; i++)
            for (int j = c + 1; j < n; j++)
                B[i * n + j] -= B[i * n + c] * B[c * n + j] / B[c * n + c];
    }
    return true;
}

static bool check_energies(Energies *g) {
    const Mechanism *x = g->k->x;
    if (!is_closed(g, x->T, true) || !is_closed(g, x->D, true) || !is_closed(g, x->V, false))
        return report_wrong(g, "an energy uses variables that are not its own",
                            "kinetic and dissipation may use q and f of its coordinates, potential "
                            "q alone, and all of them parameters");
    if (is_convex(g)) return true;
    return report_wrong(g, "at the start the kinetic energy does not grow with every velocity",
                        "its second derivatives by the flows must form a positive definite matrix: "
                        "each coordinate has to move something that has mass");
}

// --- laws
// ------------------------------------------------------------------------------------------------

static void coordinate_laws(Energies *g, int i) {
    Expansion *k = g->k;
    Dag *d = k->d;
    const MechJoint *j = &k->x->joint[i];
    Expr bonded = effort_of(k, j->e);
    Expr terms[4] = {bonded ? bonded : expr_number(d, 0), expr_derivative(d, k->x->T, g->q[i]),
                     expr_neg(d, expr_derivative(d, k->x->V, g->q[i])),
                     expr_neg(d, expr_derivative(d, k->x->D, g->f[i]))};
    add_law(k, g->p[i], g->momentum[i], j->pos);
    add_law(k, symbol(k, k->m->var[j->coordinate[0]].der), g->f[i], j->pos);
    add_law(k, symbol(k, k->m->var[j->p].der), expr_sum(d, terms, 4), j->pos);
    free_efforts(k, j->e, 1, j->pos);
}

static void energy_laws(Energies *g) {
    Expansion *k = g->k;
    Dag *d = k->d;
    const Mechanism *x = k->x;
    Expr kinetic = expr_neg(d, x->T), loss = expr_number(d, 0), zero = loss;
    for (int i = 0; i < g->n; i++) {
        kinetic = expr_add(d, kinetic, expr_mul(d, g->p[i], g->f[i]));
        loss = expr_add(d, loss, expr_mul(d, g->f[i], expr_derivative(d, x->D, g->f[i])));
    }
    add_law(k, symbol(k, x->kinetic), kinetic, x->pos);
    add_law(k, symbol(k, x->potential), x->V, x->pos);
    add_law(k, symbol(k, x->energy), expr_add(d, symbol(k, x->kinetic), symbol(k, x->potential)),
            x->pos);
    for (int c = 0; c < 6; c++) add_law(k, symbol(k, x->momentum + c), zero, x->pos);
    Comp *c = &k->m->comp[x->comp];
    c->stored = expr_add(d, kinetic, x->V);
    if (x->loss < 0) return;
    add_law(k, symbol(k, x->loss), loss, x->pos);
    c->own_supply = x->loss;
    c->own_loss = true;
}

// p = dT/df with coordinates and flows of the start.
static void start_laws(Energies *g) {
    Expansion *k = g->k;
    Rewrite *start = rewrite_new(k->d);
    for (int i = 0; i < g->n; i++) {
        rewrite_set(start, g->q[i], k->start_q[i]);
        rewrite_set(start, g->f[i], k->start_w[i]);
    }
    for (int i = 0; i < g->n; i++) {
        const MechJoint *j = &k->x->joint[i];
        k->m->var[j->coordinate[0]].start = k->start_q[i];
        k->m->var[j->p].start = rewrite(start, g->momentum[i]);
        k->m->var[j->f].start = k->start_w[i]; // where Newton begins
    }
    rewrite_free(start);
}

bool lagrangian_expand(Expansion *k) {
    int n = k->x->joint_count;
    Energies g = {.k = k, .n = n, .q = k->in.q, .p = k->in.p};
    g.f = ARENA_ARRAY(&k->scratch, Expr, n);
    g.momentum = ARENA_ARRAY(&k->scratch, Expr, n);
    for (int i = 0; i < n; i++) {
        g.f[i] = symbol(k, k->x->joint[i].f);
        g.momentum[i] = expr_derivative(k->d, k->x->T, g.f[i]);
    }
    if (!check_energies(&g)) return false;
    for (int i = 0; i < n; i++) coordinate_laws(&g, i);
    energy_laws(&g);
    start_laws(&g);
    return true;
}
