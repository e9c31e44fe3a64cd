// The explicit bond graph of energies, as text of the language.
//
//     T = sum I_k (a_k(q) . f)^2 / 2        f: velocities, one 1-junction each; q' = beta(q) f
//
//     1: f_j --> MTF a_kj --> 0: sum_k --> I: I_k          momenta p_k = I_k a_k . f
//       |                      ^
//       |      other rates ----+
//       +--> MGY G_jl --> 1: f_l                           C from the potential, R from the losses
//
// Lagrange's equations in these variables, with p_j = sum over k of a_kj p_k:
//
//     e_j = p_j' - dT/dq_j + dV/dq_j = sum a_kj p_k' + sum over l of G_jl f_l + dV/dq_j
//     G_jl = sum over k of p_k (da_kj/dq_l - da_kl/dq_j)
//
// Twists of planar, spherical and free joints are no rates of coordinates. For them d/dq_j is the
// derivative X_j along q' = beta e_j, and the brackets [X_l, X_j] = sum over m of c^m_lj X_m, which
// are those of turning and shifting axes, join in (Hamel):
//
//     G_jl = sum over k of p_k (X_l a_kj - X_j a_kl - sum over m of c^m_lj a_km)
//
// For one free body that is the ring of gyrators of Euler's equations, its moduli the momenta.
//
// G is skew: each pair of rates that multiply is a gyrator between two junctions, whose modulus is
// made of momenta elsewhere in the graph. With more inertias than rates some are dependent, and
// causality says so; with Brown's form (SQUARES_UNIT) none is.
#include "mech/graphing.h"

#include <string.h>

// --- text ----------------------------------------------------------------------------------------

static void put(Graphing *g, Expr e, Dim dim) { formula_print(g->out, &g->text, e, dim); }

static void write_parameter(Graphing *g, const Var *x) {
    Dim dim = x->dim.known ? x->dim : DIM_ONE;
    text_printf(g->out, "  param %s = ", g->text.name[expr_symbol_index(g->d, x->symbol)]);
    bool number = expr_is_number(g->d, x->value, NULL);
    put(g, x->value, number ? DIM_ONE : dim);
    if (number && x->unit) text_printf(g->out, " {%s}", name_text(g->m->names, x->unit));
    text_char(g->out, '\n');
}

// Writes the parameters that occur, and those that their values depend on.
static void write_parameters(Graphing *g) {
    ExprWalk *seen = walk_new(g->d);
    for (int k = 0; k < g->square.count; k++) {
        walk_add(seen, g->square.at[k].inertia);
        for (int i = 0; i < g->n; i++) walk_add(seen, g->square.at[k].slope[i]);
    }
    walk_add(seen, g->V);
    walk_add(seen, g->D);
    for (int i = 0; i < g->n; i++) walk_add(seen, g->rate[i]);
    for (int i = 0; i < g->nq; i++) walk_add(seen, g->coordinate[i].start);
    for (int before = -1; before != walk_count(seen);) {
        before = walk_count(seen);
        for (int v = 0; v < g->m->var_count; v++)
            if (g->m->var[v].kind == VAR_PARAM && walk_seen(seen, g->m->var[v].symbol))
                walk_add(seen, g->m->var[v].value);
    }
    for (int v = 0; v < g->m->var_count; v++)
        if (g->m->var[v].kind == VAR_PARAM && walk_seen(seen, g->m->var[v].symbol))
            write_parameter(g, &g->m->var[v]);
    walk_free(seen);
}

// Flows go by other names inside an element than in the model.
static void call_flows(Graphing *g, const char *format) {
    for (int i = 0; i < g->n; i++) {
        Text name = {0};
        text_add(&name, g->name[i]);
        text_add(&name, format);
        graphing_call(g, g->f[i], arena_copy_text(g->scratch, text_get(&name), name.length),
                      flow_dim(g->linear[i]));
        text_free(&name);
    }
}

static Dim rate_dim(const GraphCoordinate *c) {
    return dim_divide(dim_of_text(c->unit), dim_of_text("s"));
}

static void write_coordinate(Graphing *g, int q, int velocity) {
    const GraphCoordinate *c = &g->coordinate[q];
    text_printf(g->out, "  var %s {%s}", c->name, c->unit);
    if (velocity >= 0 && g->own_C[velocity]) {
        text_printf(g->out, "\n  %s = potential_%s.q\n", c->name, g->name[velocity]);
        return;
    }
    text_add(g->out, " initial ");
    put(g, c->start, dim_of_text(c->unit));
    text_printf(g->out, "\n  der(%s) = ", c->name);
    put(g, c->rate, rate_dim(c));
    text_char(g->out, '\n');
}

static bool is_own(const Graphing *g, int q) {
    for (int i = 0; i < g->n; i++)
        if (g->own[i] == q) return true;
    return false;
}

static void write_coordinates(Graphing *g) {
    call_flows(g, "_rate.f");
    for (int i = 0; i < g->n; i++) {
        text_printf(g->out, "  port %s: %s\n", g->name[i],
                    g->linear[i] ? "translation" : "rotation");
        text_printf(g->out, "  1 %s_rate\n  %s -> %s_rate\n", g->name[i], g->name[i], g->name[i]);
        text_printf(g->out, "  initial %s_rate.f = ", g->name[i]);
        put(g, g->rate[i], flow_dim(g->linear[i]));
        text_char(g->out, '\n');
        if (g->own[i] >= 0) write_coordinate(g, g->own[i], i);
    }
    for (int q = 0; q < g->nq; q++)
        if (!is_own(g, q)) write_coordinate(g, q, -1);
    for (int i = 0; i < g->n; i++) graphing_call(g, g->f[i], "f", flow_dim(g->linear[i]));
}

static bool is_number(const Graphing *g, Expr e, double wanted) {
    double x;
    return expr_is_number(g->d, e, &x) && x == wanted;
}

// The way from a rate to an inertia or to the junction that adds up its flow.
static void write_share(Graphing *g, int k, int i, const char *to) {
    Expr slope = g->square.at[k].slope[i];
    Dim dim = dim_divide(flow_dim(g->moves[k]), flow_dim(g->linear[i]));
    if (is_number(g, slope, 1) && dim_is_one(dim)) {
        text_printf(g->out, "  %s_rate -> %s_%d\n", g->name[i], to, k + 1);
        return;
    }
    text_printf(g->out, "  MTF %s_to_%d(", g->name[i], k + 1);
    put(g, slope, dim);
    text_printf(g->out, ")\n  %s_rate -> %s_to_%d -> %s_%d\n", g->name[i], g->name[i], k + 1, to,
                k + 1);
}

static bool is_unit(const Graphing *g, Expr e) {
    for (int i = 0; i < g->n; i++)
        if (e == g->unit[i]) return true;
    return false;
}

static void write_inertia(Graphing *g, int k) {
    int shares = 0;
    for (int i = 0; i < g->n; i++) shares += !is_number(g, g->square.at[k].slope[i], 0);
    text_printf(g->out, "  I inertia_%d(", k + 1);
    if (is_unit(g, g->square.at[k].inertia))
        text_add(g->out, g->moves[k] ? "1 {kg}" : "1 {kg.m2}");
    else
        put(g, g->square.at[k].inertia, inertia_dim(g->moves[k]));
    text_add(g->out, ")\n");
    if (shares > 1)
        text_printf(g->out, "  0 sum_%d\n  sum_%d -> inertia_%d\n", k + 1, k + 1, k + 1);
    for (int i = 0; i < g->n; i++)
        if (!is_number(g, g->square.at[k].slope[i], 0))
            write_share(g, k, i, shares > 1 ? "sum" : "inertia");
}

// G_jl of the opening comment.
static Expr gyration(const Graphing *g, int j, int l) {
    Expr sum = expr_number(g->d, 0);
    for (int k = 0; k < g->square.count; k++) {
        const Expr *a = g->square.at[k].slope;
        Expr turn = expr_sub(g->d, graphing_along(g, a[j], l), graphing_along(g, a[l], j));
        for (int m = 0; m < g->n; m++) { // -c^m_lj is the slope of gamma_jm
            Expr bracket = expr_derivative(g->d, MATRIX_AT(g->gamma, j, m), g->f[l]);
            turn = expr_add(g->d, turn, expr_mul(g->d, bracket, a[m]));
        }
        sum = expr_add(g->d, sum, expr_mul(g->d, g->p[k], turn));
    }
    return sum;
}

static void write_gyrators(Graphing *g) {
    for (int j = 0; j < g->n; j++)
        for (int l = j + 1; l < g->n; l++) {
            Expr modulus = gyration(g, j, l);
            if (is_number(g, modulus, 0)) continue;
            const char *a = g->name[j], *b = g->name[l];
            text_printf(g->out, "  MGY %s_with_%s(", a, b);
            put(g, modulus, dim_divide(effort_dim(g->linear[j]), flow_dim(g->linear[l])));
            text_printf(g->out, ")\n  %s_rate -> %s_with_%s -> %s_rate\n", a, a, b, b);
        }
}

// What couples several coordinates is an element of its own, with one port for each velocity that
// it needs. A potential keeps the coordinates itself, so that it stores what goes in; of losses the
// coordinates are inputs.
typedef struct {
    const char *type, *name; // "Potential", "potential"
    Expr energy;
    bool stores;
    bool *port;   // per velocity
    bool *inside; // per coordinate: one that it keeps
} Coupling;

static Expr effort_of_coupling(const Graphing *g, const Coupling *c, int i) {
    return c->stores ? g->slope[i] : expr_derivative(g->d, c->energy, g->f[i]);
}

// Coordinates that the energy depends on, and those that their rates depend on.
static void find_inside(const Graphing *g, Coupling *c) {
    for (int q = 0; q < g->nq; q++) c->inside[q] = expr_depends(g->d, c->energy, g->q[q]);
    for (bool grown = true; grown;) {
        grown = false;
        for (int q = 0; q < g->nq; q++)
            for (int o = 0; c->inside[q] && o < g->nq; o++) {
                if (c->inside[o] || !expr_depends(g->d, g->coordinate[q].rate, g->q[o])) continue;
                c->inside[o] = grown = true;
            }
    }
}

static Coupling coupling(Graphing *g, Expr energy, bool stores) {
    Coupling c = {
        stores ? "Potential" : "Losses",     stores ? "potential" : "losses",     energy, stores,
        ARENA_ARRAY(g->scratch, bool, g->n), ARENA_ARRAY(g->scratch, bool, g->nq)};
    if (stores) find_inside(g, &c);
    for (int i = 0; i < g->n; i++) {
        c.port[i] = !is_number(g, effort_of_coupling(g, &c, i), 0);
        for (int q = 0; q < g->nq; q++)
            c.port[i] |= c.inside[q] && expr_depends(g->d, g->coordinate[q].rate, g->f[i]);
    }
    return c;
}

static const char *start_name(const Graphing *g, int q) {
    for (int i = 0; i < g->n; i++)
        if (g->own[i] == q) return arena_printf(g->scratch, "%s_0", g->name[i]);
    return arena_printf(g->scratch, "%s_0", g->coordinate[q].name);
}

static void write_kept(Graphing *g, const Coupling *c, int q) {
    const GraphCoordinate *x = &g->coordinate[q];
    const char *start = start_name(g, q);
    if (c->inside[q]) {
        text_printf(g->out, "  param %s = 0\n  var %s {%s} initial %s\n  der(%s) = ", start,
                    x->name, x->unit, start, x->name);
        put(g, x->rate, rate_dim(x));
        text_char(g->out, '\n');
    } else if (!c->stores && expr_depends(g->d, c->energy, x->q)) {
        text_printf(g->out, "  input %s {%s}\n", x->name, x->unit);
    }
}

static void write_coupling_element(Graphing *g, const char *model, const Coupling *c) {
    ExprWalk *seen = walk_new(g->d);
    walk_add(seen, c->energy);
    text_printf(g->out, "element %s%s%s\n", model, g->form == SQUARES_UNIT ? "Unit" : "", c->type);
    for (int v = 0; v < g->m->var_count; v++)
        if (g->m->var[v].kind == VAR_PARAM && walk_seen(seen, g->m->var[v].symbol))
            text_printf(g->out, "  param %s\n",
                        g->text.name[expr_symbol_index(g->d, g->m->var[v].symbol)]);
    call_flows(g, ".f");
    for (int i = 0; i < g->n; i++) {
        if (c->port[i])
            text_printf(g->out, "  port %s: %s\n", g->name[i],
                        g->linear[i] ? "translation" : "rotation");
        if (g->own[i] >= 0) write_kept(g, c, g->own[i]);
        if (!c->port[i]) continue;
        text_printf(g->out, "  %s.e = ", g->name[i]);
        put(g, effort_of_coupling(g, c, i), effort_dim(g->linear[i]));
        text_char(g->out, '\n');
    }
    for (int q = 0; q < g->nq; q++)
        if (!is_own(g, q)) write_kept(g, c, q);
    if (c->stores) {
        text_add(g->out, "  stores ");
        put(g, c->energy, dim_of_text("J"));
        text_char(g->out, '\n');
    }
    text_add(g->out, "end\n\n");
    walk_free(seen);
}

static void write_coupling(Graphing *g, const char *model, const Coupling *c) {
    ExprWalk *seen = walk_new(g->d);
    walk_add(seen, c->energy);
    text_printf(g->out, "  %s%s%s %s(", model, g->form == SQUARES_UNIT ? "Unit" : "", c->type,
                c->name);
    const char *comma = "";
    for (int v = 0; v < g->m->var_count; v++) {
        if (g->m->var[v].kind != VAR_PARAM || !walk_seen(seen, g->m->var[v].symbol)) continue;
        const char *name = g->text.name[expr_symbol_index(g->d, g->m->var[v].symbol)];
        text_printf(g->out, "%s%s = %s", comma, name, name);
        comma = ", ";
    }
    for (int q = 0; q < g->nq; q++) {
        const GraphCoordinate *x = &g->coordinate[q];
        if (c->inside[q]) {
            text_printf(g->out, "%s%s = ", comma, start_name(g, q));
            put(g, x->start, dim_of_text(x->unit));
        } else if (expr_depends(g->d, c->energy, x->q)) {
            text_printf(g->out, "%s%s = %s", comma, x->name, x->name);
        } else {
            continue;
        }
        comma = ", ";
    }
    text_add(g->out, ")\n");
    for (int i = 0; i < g->n; i++)
        if (c->port[i])
            text_printf(g->out, "  %s_rate -> %s.%s\n", g->name[i], c->name, g->name[i]);
    walk_free(seen);
}

static void write_potential(Graphing *g, const char *model) {
    Coupling all = coupling(g, g->V, true);
    if (g->joint_V) write_coupling(g, model, &all);
    for (int i = 0; i < g->n && !g->joint_V; i++) {
        Expr effort = g->slope[i];
        const char *name = g->name[i];
        if (is_number(g, effort, 0)) continue;
        if (!g->own_C[i]) { // a constant force
            text_printf(g->out, "  Se potential_%s = ", name);
            put(g, expr_neg(g->d, effort), effort_dim(g->linear[i]));
            text_printf(g->out, "\n  potential_%s -> %s_rate\n", name, name);
            continue;
        }
        const GraphCoordinate *c = &g->coordinate[g->own[i]];
        text_printf(g->out, "  C potential_%s(q0 = ", name);
        put(g, c->start, dim_of_text(c->unit));
        text_add(g->out, "): e = ");
        graphing_call(g, c->q, "q", dim_of_text(c->unit));
        put(g, effort, effort_dim(g->linear[i]));
        graphing_call(g, c->q, c->name, dim_of_text(c->unit));
        text_printf(g->out, "\n  %s_rate -> potential_%s\n", name, name);
    }
}

static void write_losses(Graphing *g, const char *model) {
    Coupling all = coupling(g, g->D, false);
    if (g->joint_D) write_coupling(g, model, &all);
    for (int i = 0; i < g->n && !g->joint_D; i++) {
        Expr effort = expr_derivative(g->d, g->D, g->f[i]);
        if (is_number(g, effort, 0)) continue;
        text_printf(g->out, "  R loss_%s: e = ", g->name[i]);
        put(g, effort, effort_dim(g->linear[i]));
        text_printf(g->out, "\n  %s_rate -> loss_%s\n", g->name[i], g->name[i]);
    }
}

static void write_alone(Graphing *g, const char *model) {
    const char *form = g->form == SQUARES_UNIT ? "Unit" : "";
    text_printf(g->out, "\nmodel %s%sAlone \"nothing acts on it\"\n  %s%sGraph graph\n", model,
                form, model, form);
    for (int i = 0; i < g->n; i++)
        text_printf(g->out, "  Se on_%s = 0 {%s}\n  on_%s -> graph.%s\n", g->name[i],
                    g->linear[i] ? "N" : "N.m", g->name[i], g->name[i]);
    text_add(g->out, "end\n");
}

static void write_model(Graphing *g) {
    const char *own = name_text(g->m->names, g->x->name);
    const char *model = graphing_clean(g, *own ? own : name_text(g->m->names, g->m->name));
    text_printf(
        g->out,
        "// The bond graph of %s: its kinetic energy is a sum of %d square%s, one inertia each"
        "%s.\n// Gyrators have the products of velocities; their moduli are momenta of the "
        "inertias.\n\n",
        model, g->square.count, g->square.count == 1 ? "" : "s",
        g->form == SQUARES_UNIT ? " of size 1" : "");
    Coupling potential = coupling(g, g->V, true), losses = coupling(g, g->D, false);
    if (g->joint_V) write_coupling_element(g, model, &potential);
    if (g->joint_D) write_coupling_element(g, model, &losses);
    text_printf(g->out, "model %s%sGraph\n", model, g->form == SQUARES_UNIT ? "Unit" : "");
    write_parameters(g);
    write_coordinates(g);
    for (int k = 0; k < g->square.count; k++) write_inertia(g, k);
    write_gyrators(g);
    write_potential(g, model);
    write_losses(g, model);
    text_add(g->out, "end\n");
    write_alone(g, model);
}

bool derive_graph(Text *out, const Model *m, const Mechanism *x, SquareForm form, Report *r) {
    Arena scratch = {0};
    Graphing g = {.out = out,
                  .scratch = &scratch,
                  .m = m,
                  .x = x,
                  .d = dag_grow(m->dag),
                  .r = r,
                  .form = form};
    bool good = graphing_read(&g);
    if (good) {
        write_model(&g);
        if (strstr(text_get(out), "...")) // the printer gave up
            good = graphing_refuse(&g, "a modulus is too long to be written out",
                                   "take fewer joints, or the mechanism as it is");
        walk_free(g.text.walk);
    }
    arena_free(&scratch);
    return good;
}
