// The explicit bond graph of energies, as text of the language.
//
//     T = sum I_k (a_k(q) . f)^2 / 2        f: rates of the coordinates, one 1-junction each
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
// G is skew: each pair of rates that multiply is a gyrator between two junctions, whose modulus is
// made of momenta elsewhere in the graph. With more inertias than rates some are dependent, and
// causality says so; with Brown's form (SQUARES_UNIT) none is.
#include "mech/derive.h"

#include "base/array.h"
#include "mech/derive_share.h"
#include "mech/formula.h"
#include "mech/mech.h"
#include <math.h>
#include <string.h>

typedef struct {
    Text *out;
    Arena *scratch;
    const Model *m;
    const Mechanism *x;
    Dag *d;
    Report *r;
    SquareForm form;
    Formulas text;
    int n;
    Expr *q, *f, *unit; // coordinates, rates, inertias of 1
    const char **name;  // of coordinates
    bool *linear;       // lengths
    int *var;           // variables of coordinates
    Expr *start, *rate; // at the start
    Expr T, V, D;
    Squares square;
    bool *moves;  // per square: in the axes of a length
    Expr *p;      // per square: its momentum, a symbol
    bool *own_C;  // per coordinate: one C has all that the potential takes from it
    bool joint_V; // the potential couples coordinates
    bool joint_D;
} Graphing;

// --- what it is made of
// ------------------------------------------------------------------------------------------------

static bool refuse(Graphing *g, const char *what, const char *help) {
    Remark *e = report_error(g->r, D_NO_GRAPH, g->x->pos, "%s", what);
    remark_help(g->r, e, "%s", help);
    return false;
}

static const char *clean(const Graphing *g, const char *name) {
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

static bool has_plain_joints(Graphing *g) {
    const Mechanism *x = g->x;
    bool plain = !x->tie_count && !x->held && !x->open_gravity;
    for (int i = 0; i < x->joint_count; i++) {
        JointKind kind = x->joint[i].kind;
        plain &= kind <= JOINT_UNIVERSAL;
    }
    return plain ||
           refuse(g,
                  "an explicit graph is made for joints whose flows are rates of "
                  "coordinates, without constraints, actuators, drives and gravity that changes",
                  "the library `spatial` has bodies and joints bond by bond");
}

static void read_coordinates(Graphing *g) {
    const Mechanism *x = g->x;
    for (int i = 0; i < x->joint_count; i++) g->n += joint_velocities(x->joint[i].kind);
    Arena *a = g->scratch;
    g->q = ARENA_ARRAY(a, Expr, g->n), g->f = ARENA_ARRAY(a, Expr, g->n);
    g->unit = ARENA_ARRAY(a, Expr, g->n), g->name = ARENA_ARRAY(a, const char *, g->n);
    g->linear = ARENA_ARRAY(a, bool, g->n), g->var = ARENA_ARRAY(a, int, g->n);
    g->start = ARENA_ARRAY(a, Expr, g->n), g->rate = ARENA_ARRAY(a, Expr, g->n);
    g->own_C = ARENA_ARRAY(a, bool, g->n);
    Expr unit[2] = {expr_symbol(g->d, name_of(g->m->names, "(1 {kg.m2})")),
                    expr_symbol(g->d, name_of(g->m->names, "(1 {kg})"))};
    for (int i = 0, c = 0; i < x->joint_count; i++) {
        const MechJoint *j = &x->joint[i];
        int many = joint_velocities(j->kind);
        for (int k = 0; k < many; k++, c++) {
            const char *name = inside(g, j->name);
            if (many > 1) name = arena_printf(a, "%s_%d", name, k + 1);
            g->name[c] = clean(g, name);
            g->linear[c] = k < joint_linear(j->kind);
            g->unit[c] = unit[g->linear[c]];
            g->var[c] = j->coordinate[k];
            g->q[c] = g->m->var[j->coordinate[k]].symbol;
            g->f[c] = g->m->var[j->f + k].symbol;
            g->start[c] = j->start[k];
            g->rate[c] = j->start_flow[k];
        }
    }
}

// T of bodies, square by square: masses with the velocity of their centre, inertias about it.
static Expr energy_of_body(Graphing *g, const MechBody *b, const Expr *twist) {
    Dag *d = g->d;
    Expr T = expr_number(d, 0), half = expr_number(d, 0.5);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Expr v = expr_add(
            d, twist[i],
            expr_sub(d, expr_mul(d, twist[3 + j], b->cg[k]), expr_mul(d, twist[3 + k], b->cg[j])));
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
    for (int i = 0; i < g->n; i++) {
        double start = expr_evaluate(g->d, g->start[i], value);
        value[expr_symbol_index(g->d, g->q[i])] = start + 0.1; // no special position
        value[expr_symbol_index(g->d, g->unit[i])] = 1;
    }
    Flows w = {g->scratch, g->d, g->n, g->q, g->f, g->unit, value};
    return squares_find(&w, g->T, g->form, &g->square) ||
           refuse(g, "the kinetic energy is not quadratic in the flows",
                  "a graph of inertias and transformers needs T = sum of I*(flow)^2/2; the "
                  "lagrangian itself runs with any convex energy");
}

static bool depends_on_other(const Graphing *g, Expr e, const Expr *symbol, int own) {
    for (int i = 0; i < g->n; i++)
        if (i != own && expr_depends(g->d, e, symbol[i])) return true;
    return false;
}

static void find_couplings(Graphing *g) {
    for (int i = 0; i < g->n; i++) {
        Expr effort = expr_derivative(g->d, g->V, g->q[i]);
        Expr loss = expr_derivative(g->d, g->D, g->f[i]);
        g->joint_V |= depends_on_other(g, effort, g->q, i);
        g->joint_D |= depends_on_other(g, loss, g->f, i);
    }
    for (int i = 0; i < g->n && !g->joint_V; i++)
        g->own_C[i] = !expr_is_number(g->d, expr_derivative(g->d, g->V, g->q[i]), NULL);
}

// --- names and units of symbols
// ------------------------------------------------------------------------------------------------

static Dim dim_of(const char *unit) {
    Unit u = {0};
    const char *bad;
    size_t length;
    unit_parse(unit, strlen(unit), &u, &bad, &length);
    return u.dim;
}

static Dim flow_dim(bool linear) { return dim_of(linear ? "m/s" : "rad/s"); }
static Dim effort_dim(bool linear) { return dim_of(linear ? "N" : "N.m"); }
static Dim inertia_dim(bool linear) { return dim_of(linear ? "kg" : "kg.m2"); }

static void call(Graphing *g, Expr symbol, const char *name, Dim dim) {
    int index = expr_symbol_index(g->d, symbol);
    g->text.name[index] = name;
    g->text.dim[index] = dim.known ? dim : DIM_ONE;
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
        call(g, g->m->var[v].symbol, clean(g, inside(g, g->m->var[v].path)), g->m->var[v].dim);
    for (int i = 0; i < g->n; i++) {
        call(g, g->q[i], arena_printf(g->scratch, "%s_q", g->name[i]),
             dim_of(g->linear[i] ? "m" : "rad"));
        call(g, g->f[i], "f", flow_dim(g->linear[i]));
        call(g, g->unit[i], g->linear[i] ? "(1 {kg})" : "(1 {kg.m2})", inertia_dim(g->linear[i]));
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
        call(g, g->p[k], arena_printf(g->scratch, "inertia_%d.p", k + 1),
             dim_multiply(inertia_dim(g->moves[k]), flow_dim(g->moves[k])));
    }
}

// --- text
// ------------------------------------------------------------------------------------------------

static void put(Graphing *g, Expr e, Dim dim) { formula_print(g->out, &g->text, e, dim); }

static void write_parameter(Graphing *g, const Var *x) {
    Dim dim = x->dim.known ? x->dim : DIM_ONE;
    text_printf(g->out, "  param %s = ", g->text.name[expr_symbol_index(g->d, x->symbol)]);
    bool number = expr_is_number(g->d, x->value, NULL);
    put(g, x->value, number ? DIM_ONE : dim);
    if (number && x->unit) text_printf(g->out, " {%s}", name_text(g->m->names, x->unit));
    text_char(g->out, '\n');
}

// Parameters that occur, and those that their values are made of.
static void write_parameters(Graphing *g) {
    ExprWalk *seen = walk_new(g->d);
    for (int k = 0; k < g->square.count; k++) {
        walk_add(seen, g->square.at[k].inertia);
        for (int i = 0; i < g->n; i++) walk_add(seen, g->square.at[k].slope[i]);
    }
    walk_add(seen, g->V);
    walk_add(seen, g->D);
    for (int i = 0; i < g->n; i++) walk_add(seen, g->start[i]), walk_add(seen, g->rate[i]);
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

static void write_coordinates(Graphing *g) {
    for (int i = 0; i < g->n; i++) {
        text_printf(g->out, "  port %s: %s\n", g->name[i],
                    g->linear[i] ? "translation" : "rotation");
        text_printf(g->out, "  1 %s_rate\n  %s -> %s_rate\n", g->name[i], g->name[i], g->name[i]);
        text_printf(g->out, "  initial %s_rate.f = ", g->name[i]);
        put(g, g->rate[i], flow_dim(g->linear[i]));
        text_printf(g->out, "\n  var %s_q {%s}", g->name[i], g->linear[i] ? "m" : "rad");
        if (g->own_C[i]) {
            text_printf(g->out, "\n  %s_q = potential_%s.q\n", g->name[i], g->name[i]);
            continue;
        }
        text_add(g->out, " initial ");
        put(g, g->start[i], dim_of(g->linear[i] ? "m" : "rad"));
        text_printf(g->out, "\n  der(%s_q) = %s_rate.f\n", g->name[i], g->name[i]);
    }
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
        Expr turn = expr_sub(g->d, expr_derivative(g->d, a[j], g->q[l]),
                             expr_derivative(g->d, a[l], g->q[j]));
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

// What couples several coordinates is an element of its own, with one port for each that it acts
// on; of the others it needs to know where they are.
static bool acts_on(const Graphing *g, Expr energy, const Expr *by, int i) {
    return !is_number(g, expr_derivative(g->d, energy, by[i]), 0);
}

static void write_joint_port(Graphing *g, Expr energy, const Expr *by, int i) {
    const char *name = g->name[i];
    bool stores = by == g->q, acts = acts_on(g, energy, by, i);
    if (acts)
        text_printf(g->out, "  port %s: %s\n", name, g->linear[i] ? "translation" : "rotation");
    if (stores && acts)
        text_printf(g->out, "  param %s_0 = 0\n  var %s_q {%s} initial %s_0\n  der(%s_q) = %s.f\n",
                    name, name, g->linear[i] ? "m" : "rad", name, name, name);
    else if (expr_depends(g->d, energy, g->q[i]))
        text_printf(g->out, "  input %s_q {%s}\n", name, g->linear[i] ? "m" : "rad");
    if (!acts) return;
    text_printf(g->out, "  %s.e = ", name);
    put(g, expr_derivative(g->d, energy, by[i]), effort_dim(g->linear[i]));
    text_char(g->out, '\n');
}

static void write_joint_element(Graphing *g, const char *model, Expr energy, const Expr *by,
                                const char *what) {
    ExprWalk *seen = walk_new(g->d);
    walk_add(seen, energy);
    text_printf(g->out, "element %s%s%s\n", model, g->form == SQUARES_UNIT ? "Unit" : "", what);
    for (int v = 0; v < g->m->var_count; v++)
        if (g->m->var[v].kind == VAR_PARAM && walk_seen(seen, g->m->var[v].symbol))
            text_printf(g->out, "  param %s\n",
                        g->text.name[expr_symbol_index(g->d, g->m->var[v].symbol)]);
    for (int i = 0; by == g->f && i < g->n; i++)
        call(g, g->f[i], arena_printf(g->scratch, "%s.f", g->name[i]), flow_dim(g->linear[i]));
    for (int i = 0; i < g->n; i++) write_joint_port(g, energy, by, i);
    if (by == g->q) {
        text_add(g->out, "  stores ");
        put(g, energy, dim_of("J"));
        text_char(g->out, '\n');
    }
    text_add(g->out, "end\n\n");
    walk_free(seen);
}

static void write_joint(Graphing *g, const char *model, Expr energy, const Expr *by,
                        const char *type, const char *what) {
    ExprWalk *seen = walk_new(g->d);
    walk_add(seen, energy);
    text_printf(g->out, "  %s%s%s %s(", model, g->form == SQUARES_UNIT ? "Unit" : "", type, what);
    const char *comma = "";
    for (int v = 0; v < g->m->var_count; v++) {
        if (g->m->var[v].kind != VAR_PARAM || !walk_seen(seen, g->m->var[v].symbol)) continue;
        const char *name = g->text.name[expr_symbol_index(g->d, g->m->var[v].symbol)];
        text_printf(g->out, "%s%s = %s", comma, name, name);
        comma = ", ";
    }
    for (int i = 0; i < g->n; i++, comma = ", ") {
        const char *name = g->name[i];
        if (by == g->q && acts_on(g, energy, by, i)) {
            text_printf(g->out, "%s%s_0 = ", comma, name);
            put(g, g->start[i], dim_of(g->linear[i] ? "m" : "rad"));
        } else if (expr_depends(g->d, energy, g->q[i])) {
            text_printf(g->out, "%s%s_q = %s_q", comma, name, name);
        }
    }
    text_add(g->out, ")\n");
    for (int i = 0; i < g->n; i++)
        if (acts_on(g, energy, by, i))
            text_printf(g->out, "  %s_rate -> %s.%s\n", g->name[i], what, g->name[i]);
    walk_free(seen);
}

static void write_potential(Graphing *g, const char *model) {
    if (g->joint_V) write_joint(g, model, g->V, g->q, "Potential", "potential");
    for (int i = 0; i < g->n && !g->joint_V; i++) {
        Expr effort = expr_derivative(g->d, g->V, g->q[i]);
        const char *kept = g->text.name[expr_symbol_index(g->d, g->q[i])], *name = g->name[i];
        if (is_number(g, effort, 0)) continue;
        if (!g->own_C[i]) { // a constant force
            text_printf(g->out, "  Se potential_%s = ", name);
            put(g, expr_neg(g->d, effort), effort_dim(g->linear[i]));
            text_printf(g->out, "\n  potential_%s -> %s_rate\n", name, name);
            continue;
        }
        text_printf(g->out, "  C potential_%s(q0 = ", name);
        put(g, g->start[i], dim_of(g->linear[i] ? "m" : "rad"));
        text_add(g->out, "): e = ");
        g->text.name[expr_symbol_index(g->d, g->q[i])] = "q";
        put(g, effort, effort_dim(g->linear[i]));
        g->text.name[expr_symbol_index(g->d, g->q[i])] = kept;
        text_printf(g->out, "\n  %s_rate -> potential_%s\n", name, name);
    }
}

static void write_losses(Graphing *g, const char *model) {
    if (g->joint_D) write_joint(g, model, g->D, g->f, "Losses", "losses");
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
    const char *model = clean(g, *own ? own : name_text(g->m->names, g->m->name));
    text_printf(
        g->out,
        "// The bond graph of %s: its kinetic energy is a sum of %d square%s, one inertia each"
        "%s.\n// Gyrators have the products of velocities; their moduli are momenta of the "
        "inertias.\n\n",
        model, g->square.count, g->square.count == 1 ? "" : "s",
        g->form == SQUARES_UNIT ? " of size 1" : "");
    if (g->joint_V) write_joint_element(g, model, g->V, g->q, "Potential");
    if (g->joint_D) write_joint_element(g, model, g->D, g->f, "Losses");
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
    Graphing g = {
        .out = out, .scratch = &scratch, .m = m, .x = x, .d = m->dag, .r = r, .form = form};
    bool good = x->by_energy || has_plain_joints(&g);
    if (good) {
        read_coordinates(&g);
        if (x->by_energy)
            energies_given(&g);
        else
            energies_of_bodies(&g);
        good = find_squares(&g);
    }
    if (good) {
        find_couplings(&g);
        name_symbols(&g);
        sort_squares(&g);
        write_model(&g);
        if (strstr(text_get(out), "...")) // the printer gave up
            good = refuse(&g, "a modulus is too long to be written out",
                          "take fewer joints, or the mechanism as it is");
        walk_free(g.text.walk);
    }
    arena_free(&scratch);
    return good;
}
