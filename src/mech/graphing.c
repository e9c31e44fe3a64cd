// What an explicit bond graph is made of. See derive_graph.c for the mathematics.
#include "mech/graphing.h"

#include "mech/derive_share.h"
#include <math.h>
#include <string.h>

// --- what it is made of --------------------------------------------------------------------------

bool graphing_refuse(Graphing *g, const char *what, const char *help) {
    Remark *e = report_error(g->r, D_NO_GRAPH, g->x->pos, "%s", what);
    remark_help(g->r, e, "%s", help);
    return false;
}

const char *graphing_clean(const Graphing *g, const char *name) {
    char *id = arena_copy_text(g->scratch, name, strlen(name));
    for (char *c = id; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
    size_t end = strlen(id);
    while (end > 1 && id[end - 1] == '_' && name[end - 1] == ']') id[--end] = 0;
    return id;
}

// The path as seen from inside the mechanism.
static const char *inside(const Graphing *g, Name path) {
    const char *text = name_text(g->m->names, path), *own = name_text(g->m->names, g->x->name);
    size_t n = strlen(own);
    return n && strncmp(text, own, n) == 0 && text[n] == '.' ? text + n + 1 : text;
}

static bool moves_freely(Graphing *g) {
    const Mechanism *x = g->x;
    if (x->tie_count || x->constrained)
        return graphing_refuse(
            g, "constraints, drives and actuators have no place in the explicit graph of energies",
            "take them out, derive the tree alone, and hold it in a model by `Sf = 0` behind the "
            "transformers of their Jacobian; or build it from the library `spatial`");
    if (x->open_gravity)
        return graphing_refuse(g, "gravity that changes has no energy",
                               "derive it with `gravity off`, and bond forces to its ports");
    return true;
}

static bool is_rate(JointKind kind) { return kind <= JOINT_UNIVERSAL; }

static void read_velocity(Graphing *g, const MechJoint *j, int k, int v, int first_q,
                          const Expr unit[2]) {
    int many = joint_velocities(j->kind);
    const char *name = inside(g, j->name);
    if (many > 1) name = arena_printf(g->scratch, "%s_%d", name, k + 1);
    g->name[v] = graphing_clean(g, name);
    g->linear[v] = k < joint_linear(j->kind);
    g->unit[v] = unit[g->linear[v]];
    g->f[v] = g->m->var[j->f + k].symbol;
    g->rate[v] = j->start_flow[k];
    g->own[v] = is_rate(j->kind) ? first_q + k : -1;
}

// x y z in the world or a plane, the angle there, the four parts of an attitude or its three
// angles.
static void read_coordinate(Graphing *g, const MechJoint *j, int k, int q, int first_v) {
    static const char *const part[] = {"x", "y", "z", "a0", "a1", "a2", "a3"};
    GraphCoordinate *c = &g->coordinate[q];
    int place = j->kind == JOINT_SPHERICAL ? 3 : 0;
    bool plain = is_rate(j->kind), angle = j->kind == JOINT_PLANAR && k == 2;
    const char *word = angle ? "angle" : part[place + k];
    if (j->angles.used && place + k >= 3) {
        word = angle_name(j->angles, place + k - 3);
        angle = true;
    }
    const char *joint = graphing_clean(g, inside(g, j->name));
    c->name = plain ? arena_printf(g->scratch, "%s_q", g->name[first_v + k])
                    : arena_printf(g->scratch, "%s_%s", joint, word);
    c->unit = plain           ? (g->linear[first_v + k] ? "m" : "rad")
              : angle         ? "rad"
              : place + k < 3 ? "m"
                              : "1";
    c->q = g->q[q] = g->m->var[j->coordinate[k]].symbol;
    c->start = j->start[k];
}

static void read_motion(Graphing *g) {
    const Mechanism *x = g->x;
    for (int i = 0; i < x->joint_count; i++) {
        g->n += joint_velocities(x->joint[i].kind);
        g->nq += joint_coordinates(&x->joint[i]);
    }
    Arena *a = g->scratch;
    g->f = ARENA_ARRAY(a, Expr, g->n), g->unit = ARENA_ARRAY(a, Expr, g->n);
    g->name = ARENA_ARRAY(a, const char *, g->n), g->linear = ARENA_ARRAY(a, bool, g->n);
    g->own = ARENA_ARRAY(a, int, g->n), g->rate = ARENA_ARRAY(a, Expr, g->n);
    g->own_C = ARENA_ARRAY(a, bool, g->n), g->q = ARENA_ARRAY(a, Expr, g->nq);
    g->coordinate = ARENA_ARRAY(a, GraphCoordinate, g->nq);
    Expr unit[2] = {expr_symbol(g->d, name_of(g->m->names, "(1 {kg.m2})")),
                    expr_symbol(g->d, name_of(g->m->names, "(1 {kg})"))};
    for (int i = 0, v = 0, q = 0; i < x->joint_count; i++) {
        const MechJoint *j = &x->joint[i];
        for (int k = 0; k < joint_velocities(j->kind); k++) read_velocity(g, j, k, v + k, q, unit);
        for (int k = 0; k < joint_coordinates(j); k++) read_coordinate(g, j, k, q + k, v);
        v += joint_velocities(j->kind);
        q += joint_coordinates(j);
    }
}

// Coordinates of a lagrangian have their own rates, and no velocities but those.
static void find_rates(Graphing *g) {
    if (g->x->by_energy) {
        g->beta = matrix_new(g->scratch, g->nq, g->n);
        g->gamma = matrix_new(g->scratch, g->n, g->n);
        for (int i = 0; i < g->n * g->n; i++) {
            g->beta.at[i] = expr_number(g->d, i % (g->n + 1) == 0);
            g->gamma.at[i] = expr_number(g->d, 0);
        }
    } else {
        g->beta = mech_beta(g->scratch, g->d, g->x, g->q);
        g->gamma = mech_gamma(g->scratch, g->d, g->x, g->q, g->f);
    }
    for (int q = 0; q < g->nq; q++) {
        g->coordinate[q].rate = expr_number(g->d, 0);
        for (int v = 0; v < g->n; v++)
            g->coordinate[q].rate = expr_add(g->d, g->coordinate[q].rate,
                                             expr_mul(g->d, MATRIX_AT(g->beta, q, v), g->f[v]));
    }
}

Expr graphing_along(const Graphing *g, Expr e, int velocity) {
    Expr sum = expr_number(g->d, 0);
    for (int q = 0; q < g->nq; q++) {
        Expr by = MATRIX_AT(g->beta, q, velocity);
        if (expr_is_number(g->d, by, NULL) && expr_value(g->d, by) == 0) continue;
        sum = expr_add(g->d, sum, expr_mul(g->d, by, expr_derivative(g->d, e, g->q[q])));
    }
    return sum;
}

// T of bodies, square by square: masses with the velocity of their centre, inertias about it.
static Expr energy_of_body(Graphing *g, const MechBody *b, const Expr *twist) {
    Dag *d = g->d;
    Expr T = expr_number(d, 0), half = expr_number(d, 0.5);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Expr turning = expr_products_subtract(d, twist[3 + j], b->cg[k], twist[3 + k], b->cg[j]);
        Expr v = expr_add(d, twist[i], turning);
        Expr square = expr_pow(d, v, expr_number(d, 2));
        T = expr_add(d, T, expr_mul(d, half, expr_mul(d, b->mass, square)));
        for (int c = 0; c < 3; c++) {
            Expr both = i == c ? expr_pow(d, twist[3 + i], expr_number(d, 2))
                               : expr_mul(d, twist[3 + i], twist[3 + c]);
            T = expr_add(d, T, expr_mul(d, half, expr_mul(d, b->inertia[3 * i + c], both)));
        }
    }
    for (int i = 0; b->has_added && i < 36; i++)
        T = expr_add(
            d, T,
            expr_mul(d, half, expr_mul(d, b->added[i], expr_mul(d, twist[i / 6], twist[i % 6]))));
    return T;
}

static void energies_of_bodies(Graphing *g) {
    MechInputs in = {.q = g->q, .w = g->f};
    const MechEquations *e = mech_lagrange_form(g->scratch, g->d, g->x, &in, METHOD_COMPOSITE);
    g->T = g->D = expr_number(g->d, 0);
    g->V = e->potential;
    for (int i = 0; i < g->x->body_count; i++)
        g->T = expr_add(g->d, g->T, energy_of_body(g, &g->x->body[i], e->body_twist + 6 * i));
}

static void energies_given(Graphing *g) {
    Rewrite *flows = rewrite_new(g->d);
    for (int i = 0; i < g->x->velocity_count; i++)
        rewrite_set(flows, g->m->var[g->x->velocity[i].f].symbol, g->x->velocity[i].value);
    g->T = rewrite(flows, g->x->T);
    g->V = g->x->V;
    g->D = rewrite(flows, g->x->D);
    rewrite_free(flows);
}

static bool find_squares(Graphing *g) {
    double *parameter = derive_values(g->scratch, g->m); // its symbols are all there is
    int count = expr_symbol_count(g->d);
    double *value = ARENA_ARRAY(g->scratch, double, count);
    for (int i = 0; i < count; i++) value[i] = parameter[i];
    for (int i = 0; i < g->n; i++) value[expr_symbol_index(g->d, g->unit[i])] = 1;
    for (int i = 0; i < g->nq; i++) { // no special position
        double start = expr_evaluate(g->d, g->coordinate[i].start, value);
        value[expr_symbol_index(g->d, g->q[i])] = start + 0.1 + 0.01 * i;
    }
    Flows w = {g->scratch, g->d, g->n, g->nq, g->q, g->f, g->unit, value};
    return squares_find(&w, g->T, g->form, &g->square) ||
           graphing_refuse(
               g, "the kinetic energy is not quadratic in the flows",
               "a graph of inertias and transformers needs T = sum of I*(flow)^2/2; the "
               "lagrangian itself runs with any convex energy");
}

static bool depends_on_other(const Graphing *g, Expr e, const Expr *symbol, int count, int own) {
    for (int i = 0; i < count; i++)
        if (i != own && expr_depends(g->d, e, symbol[i])) return true;
    return false;
}

// Efforts of the potential. Through attitudes they are shorter by the sweep that carries weights
// to the joints than as derivatives.
static void find_slopes(Graphing *g) {
    bool rates = true;
    g->slope = ARENA_ARRAY(g->scratch, Expr, g->n);
    for (int i = 0; i < g->n; i++) rates &= g->own[i] >= 0;
    Matrix weight = {0};
    if (!rates) weight = mech_gravity_vector(g->scratch, g->d, g->x, g->q);
    for (int i = 0; i < g->n; i++) g->slope[i] = rates ? graphing_along(g, g->V, i) : weight.at[i];
}

static void find_couplings(Graphing *g) {
    find_slopes(g);
    for (int i = 0; i < g->n; i++) {
        Expr effort = g->slope[i];
        Expr loss = expr_derivative(g->d, g->D, g->f[i]);
        bool acts = !expr_is_number(g->d, effort, NULL) || expr_value(g->d, effort) != 0;
        g->joint_V |= g->own[i] < 0 ? acts : depends_on_other(g, effort, g->q, g->nq, g->own[i]);
        g->joint_D |= depends_on_other(g, loss, g->f, g->n, i);
    }
    for (int i = 0; i < g->n && !g->joint_V; i++)
        g->own_C[i] = g->own[i] >= 0 && !expr_is_number(g->d, g->slope[i], NULL);
}

// --- names and units of symbols ------------------------------------------------------------------

Dim dim_of_text(const char *unit) {
    Unit u = {0};
    const char *bad;
    size_t length;
    unit_parse(unit, strlen(unit), &u, &bad, &length);
    return u.dim;
}

Dim flow_dim(bool linear) { return dim_of_text(linear ? "m/s" : "rad/s"); }
Dim effort_dim(bool linear) { return dim_of_text(linear ? "N" : "N.m"); }
Dim inertia_dim(bool linear) { return dim_of_text(linear ? "kg" : "kg.m2"); }

void graphing_call(Graphing *g, Expr symbol, const char *name, Dim dim) {
    int index = expr_symbol_index(g->d, symbol);
    g->text.name[index] = name;
    g->text.dim[index] = dim.known ? dim : DIM_ONE;
}

// Scalars of vectors of mixed kinds have units, while the vector has no dimension.
static Dim var_dim(const Graphing *g, const Var *v) {
    bool by_unit = v->unit && v->kind == VAR_PARAM;
    return by_unit ? dim_of_text(name_text(g->m->names, v->unit)) : v->dim;
}

static void name_symbols(Graphing *g) {
    int symbols = expr_symbol_count(g->d) + g->square.count;
    g->p = ARENA_ARRAY(g->scratch, Expr, g->square.count);
    for (int k = 0; k < g->square.count; k++)
        g->p[k] = expr_symbol(g->d, name_of(g->m->names, "momentum"));
    g->text = (Formulas){g->d, ARENA_ARRAY(g->scratch, const char *, symbols),
                         ARENA_ARRAY(g->scratch, Dim, symbols), walk_new(g->d), g->scratch};
    for (int i = 0; i < symbols; i++) g->text.dim[i] = DIM_ONE;
    for (int v = 0; v < g->m->var_count; v++)
        graphing_call(g, g->m->var[v].symbol, graphing_clean(g, inside(g, g->m->var[v].path)),
                      var_dim(g, &g->m->var[v]));
    for (int i = 0; i < g->nq; i++)
        graphing_call(g, g->q[i], g->coordinate[i].name, dim_of_text(g->coordinate[i].unit));
    for (int i = 0; i < g->n; i++) {
        graphing_call(g, g->f[i], "f", flow_dim(g->linear[i]));
        graphing_call(g, g->unit[i], g->linear[i] ? "(1 {kg})" : "(1 {kg.m2})",
                      inertia_dim(g->linear[i]));
    }
}

// The flow of an inertia is a velocity or an angular velocity, as its first share is.
static void sort_squares(Graphing *g) {
    g->moves = ARENA_ARRAY(g->scratch, bool, g->square.count);
    for (int k = 0; k < g->square.count; k++) {
        bool good;
        Dim inertia = formula_dim(&g->text, g->square.at[k].inertia, &good);
        int first = 0;
        while (first < g->n - 1 && expr_is_number(g->d, g->square.at[k].slope[first], NULL) &&
               expr_value(g->d, g->square.at[k].slope[first]) == 0)
            first++;
        g->moves[k] = g->linear[first];
        if (good && dim_equal(inertia, inertia_dim(true))) g->moves[k] = true;
        if (good && dim_equal(inertia, inertia_dim(false))) g->moves[k] = false;
        graphing_call(g, g->p[k], arena_printf(g->scratch, "inertia_%d.p", k + 1),
                      dim_multiply(inertia_dim(g->moves[k]), flow_dim(g->moves[k])));
    }
}

bool graphing_read(Graphing *g) {
    if (!g->x->by_energy && !moves_freely(g)) return false;
    read_motion(g);
    if (g->x->by_energy)
        energies_given(g);
    else
        energies_of_bodies(g);
    find_rates(g);
    if (!find_squares(g)) return false;
    find_couplings(g);
    name_symbols(g);
    sort_squares(g);
    return true;
}
