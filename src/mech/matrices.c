// The matrices of a mechanism, for people and controllers to read: traced over the unfolded tree,
// so that the entries are made of what the user wrote.
#include "mech/dynamics.h"

typedef struct {
    Arena scratch;
    Tree *t;
} Plain;

static void plain_start(Plain *p, Dag *d, const Mechanism *m, const Expr *q) {
    *p = (Plain){0};
    p->t = tree_build(&p->scratch, d, m, false);
    tree_set_coordinates(d, p->t, q);
}

static Expr *tree_order(Plain *p, const Expr *values) {
    Expr *out = ARENA_ARRAY(&p->scratch, Expr, p->t->nv);
    for (int i = 0; i < p->t->nv; i++) out[i] = values[p->t->velocity[i]];
    return out;
}

static Matrix vector_end(Arena *out, Plain *p, const Expr *values) {
    Matrix v = matrix_new(out, p->t->nv, 1);
    for (int i = 0; i < p->t->nv; i++) v.at[p->t->velocity[i]] = values[i];
    arena_free(&p->scratch);
    return v;
}

static Matrix matrix_end(Arena *out, Plain *p, const Expr *values) {
    int n = p->t->nv;
    Matrix a = matrix_new(out, n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            MATRIX_AT(a, p->t->velocity[i], p->t->velocity[j]) = values[i * n + j];
    arena_free(&p->scratch);
    return a;
}

static Expr *plain_matrix(Plain *p) {
    return ARENA_ARRAY(&p->scratch, Expr, (size_t)p->t->nv * (size_t)p->t->nv);
}

Matrix mech_mass_matrix(Arena *out, Dag *d, const Mechanism *m, const Expr *q) {
    Plain p;
    plain_start(&p, d, m, q);
    Expr *B = plain_matrix(&p);
    composite_matrix(&p.scratch, d, p.t, B);
    return matrix_end(out, &p, B);
}

Matrix mech_momenta(Arena *out, Dag *d, const Mechanism *m, const Expr *q, const Expr *w) {
    Plain p;
    plain_start(&p, d, m, q);
    const Tree *t = p.t;
    Expr *momentum = ARENA_ARRAY(&p.scratch, Expr, t->nv);
    Six *twist = ARENA_ARRAY(&p.scratch, Six, t->count),
        *h = ARENA_ARRAY(&p.scratch, Six, t->count);
    sweep_twists(d, t, tree_order(&p, w), twist);
    sweep_momenta(d, t, twist, NULL, h);
    link_efforts(d, t, h, momentum);
    return vector_end(out, &p, momentum);
}

Matrix mech_gravity_vector(Arena *out, Dag *d, const Mechanism *m, const Expr *q) {
    Plain p;
    plain_start(&p, d, m, q);
    Expr *load = ARENA_ARRAY(&p.scratch, Expr, p.t->nv);
    sweep_loads(&p.scratch, d, p.t, m, NULL, load);
    for (int i = 0; i < p.t->nv; i++) load[i] = expr_neg(d, load[i]);
    return vector_end(out, &p, load);
}

Matrix mech_bias(Arena *out, Dag *d, const Mechanism *m, const Expr *q, const Expr *w) {
    Plain p;
    plain_start(&p, d, m, q);
    Expr *bias = ARENA_ARRAY(&p.scratch, Expr, p.t->nv);
    sweep_bias(&p.scratch, d, p.t, tree_order(&p, w), NULL, bias);
    return vector_end(out, &p, bias);
}

Matrix mech_beta(Arena *out, Dag *d, const Mechanism *m, const Expr *q) {
    Plain p;
    plain_start(&p, d, m, q);
    Matrix beta = matrix_new(out, p.t->nq, p.t->nv);
    for (int i = 0; i < beta.rows * beta.cols; i++) beta.at[i] = expr_zero(d);
    for (int i = 0; i < p.t->count; i++) {
        const Link *l = &p.t->link[i];
        int own = link_velocities(l->kind), rows = link_coordinates(l);
        for (int k = 0; k < own; k++) {
            Expr w[6], rate[7];
            for (int j = 0; j < own; j++) w[j] = expr_number(d, j == k);
            link_rates(d, l, q + l->q, w, rate);
            for (int j = 0; j < rows; j++)
                MATRIX_AT(beta, l->q + j, p.t->velocity[l->first + k]) = rate[j];
        }
    }
    arena_free(&p.scratch);
    return beta;
}

// Column of a velocity: its axis S seen from the frame, while the frame's pose grows link by link
// towards the world.
Matrix mech_frame_jacobian(Arena *out, Dag *d, const Mechanism *m, int frame, const Expr *q) {
    Plain p;
    plain_start(&p, d, m, q);
    Matrix jacobian = matrix_new(out, 6, p.t->nv);
    for (int i = 0; i < 6 * p.t->nv; i++) jacobian.at[i] = expr_zero(d);
    Pose pose = p.t->frame[frame].at, up;
    for (int i = p.t->frame[frame].link; i >= 0; i = p.t->link[i].parent) {
        const Link *l = &p.t->link[i];
        for (int k = 0; k < link_velocities(l->kind); k++) {
            Six s = link_axis(d, l, k);
            int column = p.t->velocity[l->first + k];
            twist_at(d, &pose, &s, &s);
            for (int j = 0; j < 3; j++) {
                MATRIX_AT(jacobian, j, column) = s.lin[j];
                MATRIX_AT(jacobian, 3 + j, column) = s.ang[j];
            }
        }
        link_pose(d, l, &up);
        pose_times(d, &up, &pose, &pose);
    }
    arena_free(&p.scratch);
    return jacobian;
}

// --- Coriolis matrix -----------------------------------------------------------------------------

// How B changes along velocity k of a link: all coordinates of the link at their rates.
static void matrix_rates(Plain *p, Dag *d, const Link *l, int k, const Expr *q, const Expr *B,
                         Expr *out) {
    int own = link_velocities(l->kind), n = p->t->nv;
    Rates *rates = rates_new(d);
    Expr w[6], rate[7];
    for (int j = 0; j < own; j++) w[j] = expr_number(d, j == k);
    link_rates(d, l, q + l->q, w, rate);
    for (int j = 0; j < link_coordinates(l); j++) rates_set(rates, q[l->q + j], rate[j]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            out[i * n + j] = out[j * n + i] = rates_of(rates, B[i * n + j]);
    rates_free(rates);
}

// S_i' (S_j x* h): the gyration between velocities of one link
static void add_brackets(Plain *p, Dag *d, const Expr *w, Expr *C) {
    const Tree *t = p->t;
    Six *twist = ARENA_ARRAY(&p->scratch, Six, t->count),
        *h = ARENA_ARRAY(&p->scratch, Six, t->count);
    sweep_twists(d, t, w, twist);
    sweep_momenta(d, t, twist, NULL, h);
    for (int l = 0; l < t->count; l++) {
        const Link *link = &t->link[l];
        int own = link_velocities(link->kind), first = link->first;
        for (int j = 0; own > 1 && j < own; j++) {
            Six s = link_axis(d, link, j), turned;
            twist_cross_wrench(d, &s, &h[l], &turned);
            for (int i = 0; i < own; i++) {
                Expr *to = &C[(first + i) * t->nv + first + j];
                *to = expr_add(d, *to, link_dot(d, link, i, &turned));
            }
        }
    }
}

// gamma_ik = S_i' (w x* S_k) within a link of several velocities: the columns of S are orthonormal
// and closed under the bracket, so the momenta p = S' h of the link itself are all that it meets.
Matrix mech_gamma(Arena *out, Dag *d, const Mechanism *m, const Expr *q, const Expr *w_given) {
    Plain p;
    plain_start(&p, d, m, q);
    Expr *gamma = plain_matrix(&p), *w = tree_order(&p, w_given);
    for (int i = 0; i < p.t->nv * p.t->nv; i++) gamma[i] = expr_zero(d);
    for (int l = 0; l < p.t->count; l++) {
        const Link *link = &p.t->link[l];
        int own = link_velocities(link->kind), first = link->first;
        Six moving;
        six_zero(d, &moving);
        for (int j = 0; own > 1 && j < own; j++) link_move(d, link, j, w[first + j], &moving);
        for (int k = 0; own > 1 && k < own; k++) {
            Six s = link_axis(d, link, k), turned;
            twist_cross_wrench(d, &moving, &s, &turned);
            for (int i = 0; i < own; i++)
                gamma[(first + i) * p.t->nv + first + k] = link_dot(d, link, i, &turned);
        }
    }
    return matrix_end(out, &p, gamma);
}

//   C = (B' + W' - W)/2 + brackets      row k of W = (dB/dq_k w)'      B' = sum_k dB/dq_k w_k
// For coordinates that are angles and lengths these are the Christoffel symbols.
Matrix mech_coriolis(Arena *out, Dag *d, const Mechanism *m, const Expr *q, const Expr *w_given) {
    Plain p;
    plain_start(&p, d, m, q);
    int n = p.t->nv;
    Expr *B = plain_matrix(&p), *rate = plain_matrix(&p), *W = plain_matrix(&p);
    Expr *C = plain_matrix(&p), *w = tree_order(&p, w_given), half = expr_number(d, 0.5);
    composite_matrix(&p.scratch, d, p.t, B);
    for (int i = 0; i < n * n; i++) W[i] = C[i] = expr_zero(d);
    for (int l = 0; l < p.t->count; l++) {
        const Link *link = &p.t->link[l];
        for (int own = 0; own < link_velocities(link->kind); own++) {
            int k = link->first + own;
            matrix_rates(&p, d, link, own, q, B, rate);
            for (int i = 0; i < n * n; i++) {
                C[i] = expr_add(d, C[i], expr_mul(d, rate[i], w[k]));
                Expr *sum = &W[k * n + i / n];
                *sum = expr_add(d, *sum, expr_mul(d, rate[i], w[i % n]));
            }
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            Expr twist = expr_sub(d, W[j * n + i], W[i * n + j]);
            C[i * n + j] = expr_mul(d, half, expr_add(d, C[i * n + j], twist));
        }
    add_brackets(&p, d, w, C);
    return matrix_end(out, &p, C);
}
