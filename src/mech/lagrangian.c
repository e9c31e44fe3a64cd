// The laws of a lagrangian: an IC-field from its energies, in momentum form like a mechanism.
//
//      p = dT/df                        solved for f by the stage of equations, linear where T is
//      q' = f                           quadratic, by Newton where it is not
//      p' = e + dT/dq - dV/dq - dD/df
//
// Stored energy is p.f - T + V; for quadratic T that is T + V. Efforts of the dissipation function
// D take f.dD/df out of it without a bond: `loss`.
//
// Velocities of the user's choice, w = alpha'(q) f, have momenta P with p = alpha P, which are the
// states instead of p (Boltzmann and Hamel; alpha' P is what is known as the gyration gamma). With
// E bonded to the velocities:
//
//      dT/df = alpha P       alpha P' + alpha^. P = e + alpha E + dT/dq - dV/dq - dD/df
//
// Neither beta = alpha'^-1 nor T in terms of w is ever formed; equations solve both linear systems.
#include "mech/expansion.h"

#include <math.h>
#include <string.h>

typedef struct {
    Expansion *k;
    int n;
    Expr *q, *f, *p, *momentum; // symbols, and dT/df
    Expr T, V, D;               // in coordinates and their flows
    Matrix alpha, alpha_rate;   // 0 x 0 without velocities of their own
    int *pivot; // rows of alpha in an order in which it can be eliminated at the start
} Energies;

// --- checks --------------------------------------------------------------------------------------

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
    if (!is_closed(g, g->T, true) || !is_closed(g, g->D, true) || !is_closed(g, g->V, false))
        return report_wrong(g, "an energy uses variables that are not its own",
                            "kinetic and dissipation may use q and f of its coordinates, potential "
                            "q alone, and all of them parameters");
    if (is_convex(g)) return true;
    return report_wrong(g, "at the start the kinetic energy does not grow with every velocity",
                        "its second derivatives by the flows must form a positive definite matrix: "
                        "each coordinate has to move something that has mass");
}

// --- laws ----------------------------------------------------------------------------------------

// Row i of p = alpha P, and of alpha P' + alpha^. P = alpha E + (what acts on coordinate i).
static void balance_of_velocities(Energies *g, int i, Expr acting) {
    Expansion *k = g->k;
    Dag *d = k->d;
    Expr momentum = expr_number(d, 0), rate = momentum;
    for (int w = 0; w < g->n; w++) {
        const MechVelocity *v = &k->x->velocity[w];
        Expr alpha = MATRIX_AT(g->alpha, i, w), P = symbol(k, v->p), bonded = effort_of(k, v->e);
        momentum = expr_add(d, momentum, expr_mul(d, alpha, P));
        rate = expr_add(d, rate, expr_mul(d, alpha, symbol(k, k->m->var[v->p].der)));
        acting = expr_sub(d, acting, expr_mul(d, MATRIX_AT(g->alpha_rate, i, w), P));
        if (bonded) acting = expr_add(d, acting, expr_mul(d, alpha, bonded));
    }
    add_law(k, g->p[i], momentum, k->x->joint[i].pos);
    add_law(k, rate, acting, k->x->joint[i].pos);
}

static void velocity_laws(Energies *g) {
    for (int w = 0; w < g->k->x->velocity_count; w++) {
        const MechVelocity *v = &g->k->x->velocity[w];
        add_law(g->k, symbol(g->k, v->f), v->value, v->pos);
        free_efforts(g->k, v->e, 1, v->pos);
    }
}

static void coordinate_laws(Energies *g, int i) {
    Expansion *k = g->k;
    Dag *d = k->d;
    const MechJoint *j = &k->x->joint[i];
    Expr bonded = effort_of(k, j->e);
    Expr terms[4] = {bonded ? bonded : expr_number(d, 0), expr_derivative(d, g->T, g->q[i]),
                     expr_neg(d, expr_derivative(d, g->V, g->q[i])),
                     expr_neg(d, expr_derivative(d, g->D, g->f[i]))};
    Expr rate = expr_sum(d, terms, 4);
    add_law(k, g->p[i], g->momentum[i], j->pos);
    add_law(k, symbol(k, k->m->var[j->coordinate[0]].der), g->f[i], j->pos);
    if (k->x->velocity_count)
        balance_of_velocities(g, i, rate);
    else
        add_law(k, symbol(k, k->m->var[j->p].der), rate, j->pos);
    free_efforts(k, j->e, 1, j->pos);
}

static void energy_laws(Energies *g) {
    Expansion *k = g->k;
    Dag *d = k->d;
    const Mechanism *x = k->x;
    Expr kinetic = expr_neg(d, g->T), loss = expr_number(d, 0), zero = loss;
    for (int i = 0; i < g->n; i++) {
        kinetic = expr_add(d, kinetic, expr_mul(d, g->p[i], g->f[i]));
        loss = expr_add(d, loss, expr_mul(d, g->f[i], expr_derivative(d, g->D, g->f[i])));
    }
    add_law(k, symbol(k, x->kinetic), kinetic, x->pos);
    add_law(k, symbol(k, x->potential), g->V, x->pos);
    add_law(k, symbol(k, x->energy), expr_add(d, symbol(k, x->kinetic), symbol(k, x->potential)),
            x->pos);
    for (int c = 0; c < 6; c++) add_law(k, symbol(k, x->momentum + c), zero, x->pos);
    Comp *c = &k->m->comp[x->comp];
    c->stored = expr_add(d, kinetic, g->V);
    if (x->loss < 0) return;
    add_law(k, symbol(k, x->loss), loss, x->pos);
    c->lost = symbol(k, x->loss);
}

// alpha P = p with values of the start, by elimination of alpha's rows in the order of `pivot`.
static void start_of_velocities(Energies *g, Rewrite *start) {
    Expansion *k = g->k;
    Dag *d = k->d;
    int n = g->n;
    Matrix a = matrix_new(&k->scratch, n, n + 1);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            MATRIX_AT(a, i, j) = rewrite(start, MATRIX_AT(g->alpha, g->pivot[i], j));
        MATRIX_AT(a, i, n) = rewrite(start, g->momentum[g->pivot[i]]);
    }
    for (int c = 0; c < n; c++)
        for (int i = 0; i < n; i++) {
            if (i == c) continue;
            Expr factor = expr_div(d, MATRIX_AT(a, i, c), MATRIX_AT(a, c, c));
            for (int j = c; j <= n; j++)
                MATRIX_AT(a, i, j) =
                    expr_sub(d, MATRIX_AT(a, i, j), expr_mul(d, factor, MATRIX_AT(a, c, j)));
        }
    for (int w = 0; w < n; w++)
        k->m->var[k->x->velocity[w].p].start = expr_div(d, MATRIX_AT(a, w, n), MATRIX_AT(a, w, w));
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
        if (!k->x->velocity_count) k->m->var[j->p].start = rewrite(start, g->momentum[i]);
        k->m->var[j->f].start = k->start_w[i]; // where Newton begins
    }
    if (k->x->velocity_count) start_of_velocities(g, start);
    rewrite_free(start);
}

// --- velocities of the user's choice -------------------------------------------------------------

static bool report_velocity(Energies *g, const MechVelocity *v, const char *what,
                            const char *help) {
    Remark *e = report_error(g->k->report, M_VELOCITY, v->pos, "velocity '%s' %s",
                             name_text(g->k->m->names, v->name), what);
    remark_help(g->k->report, e, "%s", help);
    return false;
}

// A sum of flows, with factors of coordinates: alpha does not depend on flows, and without flows
// there is no velocity.
static bool is_linear(Energies *g, int w) {
    Dag *d = g->k->d;
    Expr rest = g->k->x->velocity[w].value;
    if (!is_closed(g, rest, true)) return false;
    for (int i = 0; i < g->n; i++) {
        Expr factor, left;
        if (!expr_linear_in(d, rest, g->f[i], &factor, &left)) return false;
        for (int j = 0; j < g->n; j++)
            if (expr_depends(d, factor, g->f[j])) return false;
        MATRIX_AT(g->alpha, i, w) = factor;
        rest = left;
    }
    double number;
    return expr_is_number(d, rest, &number) && number == 0;
}

// The first velocity that says nothing new at the start, or -1: elimination of columns of alpha.
static int dependent_velocity(Energies *g) {
    Expansion *k = g->k;
    int n = g->n;
    double *a = ARENA_ARRAY(&k->scratch, double, (size_t)n *(size_t)n);
    g->pivot = ARENA_ARRAY(&k->scratch, int, n);
    for (int i = 0; i < n; i++) {
        g->pivot[i] = i;
        k->number[expr_symbol_index(k->d, g->q[i])] = expr_evaluate(k->d, k->start_q[i], k->number);
    }
    expr_evaluate_many(k->d, g->alpha.at, n * n, k->number, a);
    for (int w = 0; w < n; w++) {
        double size = 0, left = 0;
        int row = w;
        for (int i = 0; i < n; i++) size = fmax(size, fabs(a[i * n + w]));
        for (int c = 0; c < w; c++) { // what the velocities before it have
            double factor = a[c * n + w];
            for (int i = c + 1; i < n; i++) a[i * n + w] -= factor * a[i * n + c];
        }
        for (int i = w; i < n; i++)
            if (fabs(a[i * n + w]) > left) row = i, left = fabs(a[i * n + w]);
        if (!(left > 1e-12 * size)) return w;
        for (int c = 0; c < n; c++) {
            double swap = a[row * n + c];
            a[row * n + c] = a[w * n + c];
            a[w * n + c] = swap;
        }
        int swap = g->pivot[row];
        g->pivot[row] = g->pivot[w];
        g->pivot[w] = swap;
        for (int i = w + 1; i < n; i++) a[i * n + w] /= a[w * n + w];
    }
    return -1;
}

// Where velocities no longer tell the rates of all coordinates (Euler angles!) the run ends.
static void guard_velocities(Energies *g) {
    enum { MOST = 8 }; // beyond this only an exactly singular matrix is noticed, when it is solved
    Expansion *k = g->k;
    Dag *d = k->d;
    if (g->n > MOST) return;
    Expr det = matrix_determinant(&k->scratch, d, g->alpha);
    Expr hold = expr_div(d, det, expr_number(d, expr_evaluate(d, det, k->number)));
    if (expr_is_number(d, hold, NULL)) return;
    add_guard(k, hold, k->x->velocity[0].name, k->x->velocity[0].pos,
              "here the rates of the coordinates do not follow from the velocities: choose other "
              "coordinates; a mechanism with spherical and free joints has no such places");
}

// alpha, its rate, and energies without velocities. False: reported.
static bool open_velocities(Energies *g) {
    Expansion *k = g->k;
    Dag *d = k->d;
    int n = k->x->velocity_count;
    if (!n) return true;
    g->alpha = matrix_new(&k->scratch, n, n);
    g->alpha_rate = matrix_new(&k->scratch, n, n);
    for (int w = 0; w < n; w++)
        if (!is_linear(g, w))
            return report_velocity(g, &k->x->velocity[w],
                                   "is no sum of the flows of its coordinates",
                                   "write factor*x.f + factor*phi.f, with factors of coordinates "
                                   "and parameters");
    int dependent = dependent_velocity(g);
    if (dependent >= 0)
        return report_velocity(g, &k->x->velocity[dependent],
                               "follows from the others at the start",
                               "the rates of all coordinates must follow from the velocities, here "
                               "and wherever the motion leads");
    Rates *rates = rates_new(d);
    Rewrite *flows = rewrite_new(d);
    for (int i = 0; i < n; i++) {
        rates_set(rates, g->q[i], g->f[i]);
        rewrite_set(flows, symbol(k, k->x->velocity[i].f), k->x->velocity[i].value);
    }
    for (int i = 0; i < n * n; i++) g->alpha_rate.at[i] = rates_of(rates, g->alpha.at[i]);
    g->T = rewrite(flows, g->T);
    g->D = rewrite(flows, g->D);
    rates_free(rates);
    rewrite_free(flows);
    guard_velocities(g);
    return true;
}

bool lagrangian_expand(Expansion *k) {
    int n = k->x->joint_count;
    Energies g = {
        .k = k, .n = n, .q = k->in.q, .p = k->in.p, .T = k->x->T, .V = k->x->V, .D = k->x->D};
    g.f = ARENA_ARRAY(&k->scratch, Expr, n);
    g.momentum = ARENA_ARRAY(&k->scratch, Expr, n);
    for (int i = 0; i < n; i++) g.f[i] = symbol(k, k->x->joint[i].f);
    if (!open_velocities(&g)) return false;
    for (int i = 0; i < n; i++) g.momentum[i] = expr_derivative(k->d, g.T, g.f[i]);
    if (!check_energies(&g)) return false;
    for (int i = 0; i < n; i++) coordinate_laws(&g, i);
    velocity_laws(&g);
    energy_laws(&g);
    start_laws(&g);
    return true;
}
