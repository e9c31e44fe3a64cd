// Functions of a model, one sweep each; see functions.h.
//
//   B x = S' h           h of the twists of x           momenta
//   g = -S' (weight)                                    loads
//   C(q,w) u             torsion-free: C(q,w) u = C(q,u) w between angles and lengths
//
// With v and u the twists of w and u, r the rate of u while the joints move with w and the numbers
// u stay, the wrench on a link is
//
//   r_i = X r_parent - (S w) x (X u_parent)
//   f_i = I r + ( v x* I u + I (v x u) + u x* I v )/2
//
// For w = u that is I r + v x* I v, the bias. The terms in brackets are antisymmetric between the
// two sides they stand for, so dB/dt = C + C' holds, and between angles and lengths C is the matrix
// of the Christoffel symbols. Nothing is differentiated, so the arguments may be any expressions.
#include "mech/functions.h"

#include "mech/dynamics.h"

typedef struct {
    Arena scratch;
    Arena *out;
    Dag *d;
    bool keep_shared; // of the graph, before
    const Mechanism *m;
    Tree *t;
} Calling;

// By the order of the tree; a velocity that the function does not take is zero.
static Expr *tree_order(Calling *c, const Expr *values) {
    Expr *list = ARENA_ARRAY(&c->scratch, Expr, c->t->nv);
    for (int i = 0; i < c->t->nv; i++)
        list[i] = values ? values[c->t->velocity[i]] : expr_zero(c->d);
    return list;
}

static Expr *new_list(Calling *c) { return ARENA_ARRAY(&c->scratch, Expr, c->t->nv); }

static Six *new_sixes(Calling *c) { return ARENA_ARRAY(&c->scratch, Six, c->t->count); }

static Matrix as_column(Calling *c, const Expr *values) {
    Matrix v = matrix_new(c->out, c->t->nv, 1);
    for (int i = 0; i < c->t->nv; i++) v.at[c->t->velocity[i]] = values[i];
    return v;
}

// --- efforts -------------------------------------------------------------------------------------

static Expr *momenta(Calling *c, const Expr *x) {
    Expr *p = new_list(c);
    Six *twist = new_sixes(c), *h = new_sixes(c);
    sweep_twists(c->d, c->t, x, twist);
    sweep_momenta(c->d, c->t, twist, NULL, h);
    link_efforts(c->d, c->t, h, p);
    return p;
}

static Expr *gravity(Calling *c) {
    Expr *g = new_list(c);
    sweep_loads(&c->scratch, c->d, c->t, c->m, NULL, g);
    for (int i = 0; i < c->t->nv; i++) g[i] = expr_neg(c->d, g[i]);
    return g;
}

static Expr *bias(Calling *c, const Expr *w) {
    Expr *efforts = new_list(c);
    sweep_bias(&c->scratch, c->d, c->t, w, NULL, efforts);
    return efforts;
}

// v x u of twists
static void twist_cross(Dag *d, const Six *v, const Six *u, Six *out) {
    Six t;
    Expr other[3];
    v3_cross(d, v->ang, u->lin, t.lin);
    v3_cross(d, v->lin, u->ang, other);
    v3_add(d, t.lin, other, t.lin);
    v3_cross(d, v->ang, u->ang, t.ang);
    *out = t;
}

void sweep_rates(Dag *d, const Tree *t, const Expr *w, const Expr *u, Six *twist, Six *rate) {
    for (int i = 0; i < t->count; i++) {
        const Link *l = &t->link[i];
        Six own, turned;
        six_zero(d, &own);
        for (int k = 0; k < link_velocities(l->kind); k++)
            link_move(d, l, k, w[l->first + k], &own);
        link_twist_down(d, t, i, twist);
        link_twist_down(d, t, i, rate);
        twist_cross(d, &twist[i], &own, &turned); // X u x (S w)
        six_add(d, &rate[i], &turned, &rate[i]);
        for (int k = 0; k < link_velocities(l->kind); k++)
            link_move(d, l, k, u[l->first + k], &twist[i]);
    }
}

// I r + ( v x* I u + I (v x u) + u x* I v )/2
static void coriolis_wrench(Dag *d, const Inertia *inertia, const Six *v, const Six *u,
                            const Six *rate, Six *f) {
    Six of_v, of_u, crossed, part;
    inertia_times(d, inertia, v, &of_v);
    inertia_times(d, inertia, u, &of_u);
    twist_cross(d, v, u, &crossed);
    inertia_times(d, inertia, &crossed, f);
    twist_cross_wrench(d, v, &of_u, &part);
    six_add(d, f, &part, f);
    twist_cross_wrench(d, u, &of_v, &part);
    six_add(d, f, &part, f);
    v3_scale(d, expr_number(d, 0.5), f->lin, f->lin);
    v3_scale(d, expr_number(d, 0.5), f->ang, f->ang);
    inertia_times(d, inertia, rate, &part);
    six_add(d, f, &part, f);
}

static Expr *coriolis_times(Calling *c, const Expr *w, const Six *v, const Expr *u) {
    Expr *efforts = new_list(c);
    Six *twist = new_sixes(c), *rate = new_sixes(c), *f = new_sixes(c);
    sweep_rates(c->d, c->t, w, u, twist, rate);
    for (int i = 0; i < c->t->count; i++)
        coriolis_wrench(c->d, &c->t->link[i].inertia, &v[i], &twist[i], &rate[i], &f[i]);
    sweep_in(c->d, c->t, f);
    link_efforts(c->d, c->t, f, efforts);
    return efforts;
}

// --- the functions -------------------------------------------------------------------------------

static Matrix inertia_matrix(Calling *c) {
    int n = c->t->nv;
    Expr *B = ARENA_ARRAY(&c->scratch, Expr, (size_t)n * (size_t)n);
    Matrix result = matrix_new(c->out, n, n);
    composite_matrix(&c->scratch, c->d, c->t, B);
    for (int i = 0; i < n * n; i++)
        MATRIX_AT(result, c->t->velocity[i / n], c->t->velocity[i % n]) = B[i];
    return result;
}

static Matrix coriolis_matrix(Calling *c, const Expr *w) {
    int n = c->t->nv;
    Matrix result = matrix_new(c->out, n, n);
    Six *v = new_sixes(c);
    Expr *unit = new_list(c);
    sweep_twists(c->d, c->t, w, v);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) unit[i] = expr_number(c->d, i == j);
        const Expr *column = coriolis_times(c, w, v, unit);
        for (int i = 0; i < n; i++)
            MATRIX_AT(result, c->t->velocity[i], c->t->velocity[j]) = column[i];
    }
    return result;
}

static Matrix coriolis_vector(Calling *c, const Expr *w, const Expr *u) {
    if (!u) return as_column(c, bias(c, w));
    Six *v = new_sixes(c);
    sweep_twists(c->d, c->t, w, v);
    return as_column(c, coriolis_times(c, w, v, u));
}

// B a + C w + g
static Matrix inverse_dynamics(Calling *c, const Expr *w, const Expr *a) {
    Expr *sum = momenta(c, a);
    const Expr *part[] = {bias(c, w), gravity(c)};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < c->t->nv; i++) sum[i] = expr_add(c->d, sum[i], part[k][i]);
    return as_column(c, sum);
}

static Matrix kinetic(Calling *c, const Expr *w) {
    const Expr *p = momenta(c, w);
    Expr twice = expr_zero(c->d);
    for (int i = 0; i < c->t->nv; i++) twice = expr_add(c->d, twice, expr_mul(c->d, p[i], w[i]));
    return matrix_scalar(c->out, expr_mul(c->d, expr_number(c->d, 0.5), twice));
}

static Matrix potential(Calling *c, const ModelCall *call) {
    MechInputs in = {.q = (Expr *)call->q};
    return matrix_scalar(c->out,
                         mech_lagrange_form(&c->scratch, c->d, c->m, &in, METHOD_AUTO)->potential);
}

static Matrix forward_dynamics(Calling *c, const ModelCall *call) {
    MechInputs in = {.q = (Expr *)call->q, .w = (Expr *)call->w, .effort = (Expr *)call->x};
    MechEquations *e = mech_lagrange_form(c->out, c->d, c->m, &in, METHOD_AUTO);
    return (Matrix){e->nv, 1, e->acceleration};
}

static Matrix frame_place(Calling *c, int frame, bool position) {
    Pose pose;
    tree_pose(c->d, c->t, &c->t->frame[frame], &pose);
    Matrix result = matrix_new(c->out, 3, position ? 1 : 3);
    for (int i = 0; i < result.rows * result.cols; i++)
        result.at[i] = position ? pose.p[i] : pose.R[i];
    return result;
}

// In the axes of the frame's port.
static Matrix frame_jacobian(Calling *c, int frame, const Expr *q) {
    Matrix J = mech_frame_jacobian(c->out, c->d, c->m, frame, q);
    if (!c->m->frame[frame].world_axes && !c->m->frame[frame].other_axes) return J;
    Expr R[9];
    port_turn(c->d, c->m, c->t, frame, R);
    for (int part = 0; part < 6; part += 3)
        for (int j = 0; j < J.cols; j++) {
            Expr own[3], turned[3];
            for (int i = 0; i < 3; i++) own[i] = MATRIX_AT(J, part + i, j);
            m3_apply(c->d, R, own, turned);
            for (int i = 0; i < 3; i++) MATRIX_AT(J, part + i, j) = turned[i];
        }
    return J;
}

static Matrix trace(Calling *c, const ModelCall *call) {
    const Expr *w = tree_order(c, call->w);
    const Expr *x = call->x ? tree_order(c, call->x) : NULL;
    switch (call->which) {
    case MODEL_B: return inertia_matrix(c);
    case MODEL_BX: return as_column(c, momenta(c, w));
    case MODEL_C: return coriolis_matrix(c, w);
    case MODEL_CW: return coriolis_vector(c, w, x);
    case MODEL_G: return as_column(c, gravity(c));
    case MODEL_T: return kinetic(c, w);
    case MODEL_V: return potential(c, call);
    case MODEL_INVERSE: return inverse_dynamics(c, w, x);
    case MODEL_FORWARD: return forward_dynamics(c, call);
    case MODEL_JACOBIAN: return frame_jacobian(c, call->frame, call->q);
    case MODEL_POSITION: return frame_place(c, call->frame, true);
    default: break;
    }
    return frame_place(c, call->frame, false);
}

Matrix mech_function(Arena *out, Dag *d, const Mechanism *m, const ModelCall *call) {
    if (call->which >= MODEL_MASS) return mech_signal(out, d, m, call);
    Calling c = {.out = out, .d = d};
    c.m = mech_outwards(&c.scratch, m);
    c.keep_shared = dag_keep_shared(d, true);
    c.t = tree_build(&c.scratch, d, c.m, true);
    tree_set_coordinates(d, c.t, call->q);
    Matrix result = trace(&c, call);
    dag_keep_shared(d, c.keep_shared);
    arena_free(&c.scratch);
    return result;
}
