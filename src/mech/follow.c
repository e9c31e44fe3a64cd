// Joints that follow others in proportion are no constraints: their motion is put in.
//
//     q_f = a q_l + b        w = G u        u: velocities of the joints that lead
//
//     P = G' p               momenta that are integrated; those of followers are a part of them
//     (G' B G) u = P         P' = G' p'     G is constant
//     (G' B G) u' = G' (...)                form lagrange
//
// Efforts at followers (bonds, stops) act on the joints that lead by the same G'. A follower's
// signals stay: q, f, p, and the effort `drive` that makes it follow, by inverse dynamics.
// This serves trees that nothing else holds; beside constraints, cams or motions of time, followers
// are rows like these (constraints.h).
#include "mech/dynamics.h"
#include "mech/expansion.h"

#include <string.h>

typedef struct {
    Expansion *k;
    ExprWalk *changing; // coordinates and time
    int *row_of;        // per velocity: the row that makes it follow, or -1
    bool *known;        // per velocity: its row of G is there
    Expr *G;
} Following;

static Expr *entry(const Following *x, int v, int u) {
    return &x->G[(size_t)v * (size_t)x->k->constraints->nv + (size_t)u];
}

// --- who follows ---------------------------------------------------------------------------------

static int first_velocity(const Expansion *k, int joint) {
    int v = 0;
    for (int i = 0; i < joint; i++) v += joint_velocities(k->x->joint[i].kind);
    return v;
}

static bool changes(Following *x, Expr e) {
    const Expansion *k = x->k;
    walk_start(x->changing);
    walk_add(x->changing, e);
    bool any = walk_seen(x->changing, symbol(k, 0));
    for (int q = 0; q < k->constraints->nq; q++) any |= walk_seen(x->changing, k->in.q[q]);
    return any;
}

// A row in proportion: its factors are constant, and it moves nothing by itself.
static bool is_proportion(Following *x, const ConstraintRow *row) {
    const Expansion *k = x->k;
    if (row->tie >= 0 || !row->kept || !expr_is_zero(k->d, row->rate)) return false;
    int own = first_velocity(k, row->joint) + row->index, others = 0;
    for (int v = 0; v < k->constraints->nv; v++) {
        if (expr_is_zero(k->d, row->slope[v])) continue;
        if (changes(x, row->slope[v])) return false;
        others += v != own;
    }
    x->row_of[own] = (int)(row - k->constraints->row);
    return others > 0; // alone it is at rest, which the constraint says
}

static bool all_follow(Following *x) {
    const Constraints *h = x->k->constraints;
    for (int v = 0; v < h->nv; v++) x->row_of[v] = -1;
    for (int i = 0; i < h->row_count; i++)
        if (!is_proportion(x, &h->row[i])) return false;
    return h->row_count > 0;
}

// G, row by row, from the end of each chain; there is no circle (drives.c).
static void find_factors(Following *x, int v) {
    const Expansion *k = x->k;
    Dag *d = k->d;
    if (x->known[v]) return;
    x->known[v] = true;
    if (x->row_of[v] < 0) {
        *entry(x, v, v) = expr_number(d, 1);
        return;
    }
    const Expr *slope = k->constraints->row[x->row_of[v]].slope;
    for (int l = 0; l < k->constraints->nv; l++) {
        if (l == v || expr_is_zero(d, slope[l])) continue;
        find_factors(x, l);
        for (int u = 0; u < k->constraints->nv; u++)
            *entry(x, v, u) = expr_sub(d, *entry(x, v, u), expr_mul(d, slope[l], *entry(x, l, u)));
    }
}

bool find_followers(Expansion *k) {
    if (!k->constraints || !k->x->constrained) return false;
    int nv = k->constraints->nv;
    Following x = {.k = k, .changing = walk_new(k->d)};
    x.row_of = ARENA_ARRAY(&k->scratch, int, nv);
    x.known = ARENA_ARRAY(&k->scratch, bool, nv);
    bool good = all_follow(&x);
    walk_free(x.changing);
    if (!good) return false;
    x.G = ARENA_ARRAY(&k->scratch, Expr, (size_t)nv * (size_t)nv);
    for (int i = 0; i < nv * nv; i++) x.G[i] = expr_zero(k->d);
    for (int v = 0; v < nv; v++) find_factors(&x, v);
    k->in.follow = x.G;
    k->follows = x.row_of;
    return true;
}

// --- from all velocities to those that lead, and back --------------------------------------------

Expr *follow_gather(Expansion *k, const Expr *efforts) {
    int nv = k->constraints->nv;
    Expr *out = ARENA_ARRAY(&k->scratch, Expr, nv);
    for (int u = 0; u < nv; u++) {
        out[u] = expr_zero(k->d);
        for (int v = 0; v < nv; v++)
            out[u] = expr_add(
                k->d, out[u],
                expr_mul(k->d, k->in.follow[(size_t)v * (size_t)nv + (size_t)u], efforts[v]));
    }
    return out;
}

Expr *follow_spread(Expansion *k, const Expr *leading) {
    int nv = k->constraints->nv;
    Expr *out = ARENA_ARRAY(&k->scratch, Expr, nv);
    for (int v = 0; v < nv; v++) {
        out[v] = expr_zero(k->d);
        for (int u = 0; u < nv; u++)
            out[v] = expr_add(
                k->d, out[v],
                expr_mul(k->d, k->in.follow[(size_t)v * (size_t)nv + (size_t)u], leading[u]));
    }
    return out;
}

static int next_state(const Expansion *k, int *joint, int *c) {
    while (*c == joint_velocities(k->x->joint[*joint].kind)) ++*joint, *c = 0;
    return k->x->joint[*joint].motion + (*c)++;
}

void follow_inputs(Expansion *k) {
    int nv = k->constraints->nv;
    Expr *state = ARENA_ARRAY(&k->scratch, Expr, nv);
    for (int v = 0, joint = 0, c = 0; v < nv; v++) {
        int motion = next_state(k, &joint, &c);
        state[v] = k->follows[v] < 0 ? symbol(k, motion) : expr_zero(k->d);
    }
    if (k->x->lagrange)
        k->in.w = follow_spread(k, state);
    else
        k->in.p = state;
}

// --- laws ----------------------------------------------------------------------------------------

// What would have been a state follows from the states of others.
static void no_state(Expansion *k, int var, Expr value, Expr rate, Pos pos) {
    int der = k->m->var[var].der;
    k->m->var[var].kind = VAR_LOCAL;
    k->m->var[var].der = -1;
    add_law(k, symbol(k, var), value, pos);
    add_law(k, symbol(k, der), rate, pos);
}

static void follower_laws(Expansion *k, const MechJoint *j, int v, const Expr *acceleration) {
    Expr zero = expr_number(k->d, 0), one = expr_number(k->d, 1);
    for (int c = 0; c < joint_velocities(j->kind); c++, v++) {
        const ConstraintRow *row = &k->constraints->row[k->follows[v]];
        Expr q = symbol(k, j->coordinate[c]), f = symbol(k, j->f + c);
        add_law(k, q, j->drive[c], j->pos);
        no_state(k, j->state[c], q, f, j->pos);
        if (k->x->lagrange)
            no_state(k, j->motion + c, f, acceleration[v], j->pos);
        else
            no_state(k, j->motion + c, zero, zero, j->pos);
        add_law(k, symbol(k, row->mu), zero, j->pos);
        add_law(k, symbol(k, row->nu), one, j->pos);
    }
}

// What others put in at a follower's velocity: bonds, stops, and joints that follow it in turn.
static Expr given_effort(Expansion *k, int v) {
    Expr sum = k->in.effort[v] ? k->in.effort[v] : expr_zero(k->d);
    for (int i = 0; i < k->constraints->row_count; i++) {
        const ConstraintRow *row = &k->constraints->row[i];
        if (i != k->follows[v] && !expr_is_zero(k->d, row->slope[v]))
            sum = expr_add(k->d, sum, expr_mul(k->d, row->slope[v], symbol(k, row->lambda)));
    }
    return sum;
}

// The effort of each follower: what its motion takes, less what bonds on it put in.
static void drive_laws(Expansion *k) {
    const MechInputs *in = &k->in;
    MechInputs seen = *in;
    const Expr *acceleration = k->traced->acceleration;
    if (!k->x->lagrange) {
        seen.w = k->traced->w;
        acceleration =
            mech_lagrange_form(&k->scratch, k->d, k->x, &seen, METHOD_AUTO)->acceleration;
    }
    Matrix whole = mech_inverse_dynamics(&k->scratch, k->d, k->x, in->q, k->traced->w, acceleration,
                                         in->wrench);
    for (int v = 0; v < k->constraints->nv; v++) {
        if (k->follows[v] < 0) continue;
        const ConstraintRow *row = &k->constraints->row[k->follows[v]];
        add_law(k, symbol(k, row->lambda), expr_sub(k->d, whole.at[v], given_effort(k, v)),
                constraint_row_pos(k, row));
    }
    add_law(k, symbol(k, k->x->drive_power), expr_number(k->d, 0), k->x->pos);
}

void follow_laws(Expansion *k) {
    const MechEquations *t = k->traced;
    bool lagrange = k->x->lagrange;
    const Expr *rate = lagrange ? t->acceleration : follow_gather(k, t->p_rate);
    for (int i = 0; i < k->x->joint_count; i++) {
        const MechJoint *j = &k->x->joint[i];
        int v = t->joint_v[i], n = joint_velocities(j->kind), nq = joint_coordinates(j);
        bool follows = n && k->follows[v] >= 0;
        if (follows) follower_laws(k, j, v, rate);
        for (int c = 0; c < nq && !follows; c++) {
            add_law(k, symbol(k, j->coordinate[c]), symbol(k, j->state[c]), j->pos);
            add_law(k, symbol(k, k->m->var[j->state[c]].der), t->q_rate[t->joint_q[i] + c], j->pos);
        }
        for (int c = 0; c < n; c++) {
            if (!follows) add_law(k, symbol(k, k->m->var[j->motion + c].der), rate[v + c], j->pos);
            add_law(k, symbol(k, j->f + c), t->w[v + c], j->pos);
            add_law(k, symbol(k, j->p + c), t->p[v + c], j->pos);
            if (lagrange) add_law(k, symbol(k, j->w + c), symbol(k, j->f + c), j->pos);
        }
    }
    drive_laws(k);
}
