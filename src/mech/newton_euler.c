// Inverse dynamics by recursive Newton-Euler, as a second formulation: three-vectors in the axes of
// the world, bodies and joints as given, no links, no folding, no spatial algebra.
//
//   out   positions, velocities, accelerations of each body from its parent's
//   in    forces and moments that each joint must carry; its efforts are their parts along the axes
//
// It shares with the rest of the folder nothing but vector arithmetic, so agreement means
// something.
#include "base/array.h"
#include "mech/attitude.h"
#include "mech/mech.h"
#include "spatial/spatial.h"

#include <string.h>

typedef struct {
    Expr R[9], r[3]; // axes and origin
    Expr v[3], a[3]; // of the origin
    Expr omega[3], alpha[3];
    Expr force[3], moment[3]; // that its joint carries, moment about its origin
} Motion;

typedef struct {
    Arena scratch;
    Dag *d;
    const Mechanism *m;
    Motion *body; // one per body, then the world
    int *order, count;
    const Expr *q, *w, *w_rate;
    int *joint_q, *joint_v;
} Recursion;

// --- order: every parent before its children -----------------------------------------------------

static void find_order(Recursion *c) {
    const Mechanism *m = c->m;
    int nq = 0, nv = 0;
    ARRAY(int) open = {0};
    int *first = ARENA_ARRAY(&c->scratch, int, m->body_count + 1);
    int *next = ARENA_ARRAY(&c->scratch, int, m->joint_count);
    for (int i = 0; i <= m->body_count; i++) first[i] = -1;
    for (int i = 0; i < m->joint_count; i++) {
        int parent = m->joint[i].parent < 0 ? m->body_count : m->joint[i].parent;
        next[i] = first[parent];
        first[parent] = i;
        c->joint_q[i] = nq;
        c->joint_v[i] = nv;
        nq += joint_coordinates(&m->joint[i]);
        nv += joint_velocities(m->joint[i].kind);
    }
    array_push(&open, m->body_count);
    while (open.count) {
        int body = array_pop(&open);
        for (int j = first[body]; j >= 0 && c->count < m->joint_count; j = next[j]) {
            c->order[c->count++] = j;
            array_push(&open, m->joint[j].child);
        }
    }
    array_free(&open);
}

// --- rotations -----------------------------------------------------------------------------------

// 1 + sin(q) e~ + (1 - cos(q)) e~ e~
static void rodrigues(Dag *d, const Expr axis[3], Expr q, Expr out[9]) {
    Expr skew[9], square[9], one[9], s = expr_call(d, OP_SIN, &q, 1);
    Expr c = expr_call(d, OP_COS, &q, 1);
    c = expr_sub(d, expr_number(d, 1), c);
    m3_skew(d, axis, skew);
    m3_times(d, skew, skew, square);
    m3_identity(d, one);
    for (int i = 0; i < 9; i++)
        out[i] =
            expr_sum(d, (Expr[]){one[i], expr_mul(d, s, skew[i]), expr_mul(d, c, square[i])}, 3);
}

static void joint_turn(Dag *d, Motion *b, const Expr axis[3], Expr q) {
    Expr R[9];
    rodrigues(d, axis, q, R);
    m3_times(d, b->R, R, b->R);
}

// --- one step outwards; b holds the joint frame as part of the parent ----------------------------

static void add_scaled(Dag *d, Expr by, const Expr e[3], Expr to[3]) {
    for (int i = 0; i < 3; i++) to[i] = expr_add(d, to[i], expr_mul(d, by, e[i]));
}

static void add_cross(Dag *d, const Expr a[3], const Expr b[3], Expr to[3]) {
    Expr c[3];
    v3_cross(d, a, b, c);
    v3_add(d, to, c, to);
}

// Carries velocity and acceleration from the parent's origin to the point r that moves with it.
static void carry(Dag *d, const Motion *parent, Motion *b) {
    Expr arm[3], speed[3];
    v3_sub(d, b->r, parent->r, arm);
    v3_cross(d, parent->omega, arm, speed);
    v3_add(d, parent->v, speed, b->v);
    v3_copy(parent->a, b->a);
    add_cross(d, parent->alpha, arm, b->a);
    add_cross(d, parent->omega, speed, b->a);
}

// omega + e w,  alpha + e w' + omega x e w
static void spin(Dag *d, const Expr e[3], Expr w, Expr rate, Motion *b) {
    Expr turning[3];
    v3_scale(d, w, e, turning);
    add_cross(d, b->omega, turning, b->alpha);
    add_scaled(d, rate, e, b->alpha);
    v3_add(d, b->omega, turning, b->omega);
}

// v + u,  a + u' + omega_parent x u,  where u = e w and e turns with omega
static void drift(Dag *d, const Motion *parent, const Expr e[3], const Expr omega[3], Expr w,
                  Expr rate, Motion *b) {
    Expr u[3];
    v3_scale(d, w, e, u);
    v3_add(d, b->v, u, b->v);
    add_scaled(d, rate, e, b->a);
    add_cross(d, omega, u, b->a);
    add_cross(d, parent->omega, u, b->a);
}

static void column(const Expr R[9], int j, Expr out[3]) {
    for (int i = 0; i < 3; i++) out[i] = R[3 * i + j];
}

static void joint_axis(Dag *d, const Expr R[9], const Expr given[3], Expr out[3]) {
    Expr frame[9];
    frame_about(d, given, frame);
    column(frame, 2, out);
    m3_apply(d, R, out, out);
}

static void turn_revolute(Dag *d, const Expr given[3], Expr q, Expr w, Expr rate, Motion *b) {
    Expr e[3], frame[9], local[3];
    frame_about(d, given, frame);
    column(frame, 2, local);
    m3_apply(d, b->R, local, e);
    spin(d, e, w, rate, b);
    joint_turn(d, b, local, q);
}

// Origin moved by `by` along the axis, with speed and rate of speed.
static void slide_prismatic(Dag *d, const Motion *parent, const Expr given[3], Expr by, Expr w,
                            Expr rate, Motion *b) {
    Expr e[3];
    joint_axis(d, b->R, given, e);
    add_scaled(d, by, e, b->r);
    carry(d, parent, b);
    drift(d, parent, e, parent->omega, w, rate, b);
}

static void move_planar(Dag *d, const Motion *parent, const MechJoint *j, const Expr *q,
                        const Expr *w, const Expr *rate, Motion *b) {
    Expr frame[9], e[3], local[3];
    frame_about(d, j->axis, frame);
    for (int k = 0; k < 2; k++) {
        column(frame, k, local);
        m3_apply(d, b->R, local, e);
        add_scaled(d, q[k], e, b->r);
    }
    carry(d, parent, b);
    turn_revolute(d, j->axis, q[2], w[2], rate[2], b);
    for (int k = 0; k < 2; k++) {
        column(frame, k, local);
        m3_apply(d, b->R, local, e);
        drift(d, parent, e, b->omega, w[k], rate[k], b);
    }
}

static void turn_ball(Dag *d, const Motion *parent, const MechJoint *j, const Expr *q,
                      const Expr *w, const Expr *rate, Motion *b) {
    Expr R[9], turning[3], change[3];
    attitude_matrix(d, j->angles, q, R);
    m3_times(d, b->R, R, b->R);
    m3_apply(d, b->R, w, turning);
    m3_apply(d, b->R, rate, change);
    add_cross(d, parent->omega, turning, b->alpha);
    v3_add(d, b->alpha, change, b->alpha);
    v3_add(d, b->omega, turning, b->omega);
}

static void move_free(Dag *d, const Motion *parent, const MechJoint *j, const Expr *q,
                      const Expr *w, const Expr *rate, Motion *b) {
    Expr moved[3], e[3];
    m3_apply(d, b->R, q, moved);
    v3_add(d, b->r, moved, b->r);
    carry(d, parent, b);
    turn_ball(d, parent, j, q + 3, w + 3, rate + 3, b);
    for (int k = 0; k < 3; k++) {
        column(b->R, k, e);
        drift(d, parent, e, b->omega, w[k], rate[k], b);
    }
}

static void step_out(Recursion *c, int joint) {
    const MechJoint *j = &c->m->joint[joint];
    const Motion *parent = &c->body[j->parent < 0 ? c->m->body_count : j->parent];
    const Expr *q = c->q + c->joint_q[joint];
    const Expr *w = c->w + c->joint_v[joint], *rate = c->w_rate + c->joint_v[joint];
    Dag *d = c->d;
    Motion *b = &c->body[j->child];
    m3_apply(d, parent->R, j->position, b->r);
    v3_add(d, b->r, parent->r, b->r);
    m3_times(d, parent->R, j->rotation, b->R);
    v3_copy(parent->omega, b->omega);
    v3_copy(parent->alpha, b->alpha);
    carry(d, parent, b);
    switch (j->kind) {
    case JOINT_FIXED:
    case JOINT_KINDS: break;
    case JOINT_REVOLUTE: turn_revolute(d, j->axis, q[0], w[0], rate[0], b); break;
    case JOINT_PRISMATIC: slide_prismatic(d, parent, j->axis, q[0], w[0], rate[0], b); break;
    case JOINT_HELICAL: {
        Expr acceleration = expr_mul(d, j->pitch, rate[0]), speed = expr_mul(d, j->pitch, w[0]);
        slide_prismatic(d, parent, j->axis, expr_mul(d, j->pitch, q[0]), speed, acceleration, b);
        turn_revolute(d, j->axis, q[0], w[0], rate[0], b);
        break;
    }
    case JOINT_CYLINDRICAL:
        slide_prismatic(d, parent, j->axis, q[0], w[0], rate[0], b);
        turn_revolute(d, j->axis, q[1], w[1], rate[1], b);
        break;
    case JOINT_UNIVERSAL:
        turn_revolute(d, j->axis, q[0], w[0], rate[0], b);
        turn_revolute(d, j->axis2, q[1], w[1], rate[1], b);
        break;
    case JOINT_PLANAR: move_planar(d, parent, j, q, w, rate, b); break;
    case JOINT_SPHERICAL: turn_ball(d, parent, j, q, w, rate, b); break;
    case JOINT_FREE: move_free(d, parent, j, q, w, rate, b); break;
    }
}

// --- forces on a body ----------------------------------------------------------------------------

// F = m (a_cg - g)     N = I alpha + omega x I omega, and arm x F for the origin
static void add_rigid(Recursion *c, const MechBody *body, Motion *b) {
    Dag *d = c->d;
    Expr arm[3], speed[3], force[3], about[3], turned[9], inertia[9], spun[3];
    m3_apply(d, b->R, body->cg, arm);
    v3_cross(d, b->omega, arm, speed);
    v3_sub(d, b->a, c->m->gravity, force);
    add_cross(d, b->alpha, arm, force);
    add_cross(d, b->omega, speed, force);
    v3_scale(d, body->mass, force, force);
    m3_times(d, b->R, body->inertia, turned);
    m3_transpose(b->R, inertia);
    m3_times(d, turned, inertia, inertia);
    m3_apply(d, inertia, b->alpha, about);
    m3_apply(d, inertia, b->omega, spun);
    add_cross(d, b->omega, spun, about);
    add_cross(d, arm, force, about);
    v3_add(d, b->force, force, b->force);
    v3_add(d, b->moment, about, b->moment);
}

static void six_by_six(Dag *d, const Expr A[36], const Expr v[6], Expr out[6]) {
    for (int i = 0; i < 6; i++) {
        Expr terms[6];
        for (int j = 0; j < 6; j++) terms[j] = expr_mul(d, A[6 * i + j], v[j]);
        out[i] = expr_sum(d, terms, 6);
    }
}

// Kirchhoff, in the body's axes:  f = P' + omega x P    n = Q' + omega x Q + v x P
static void add_fluid(Dag *d, const MechBody *body, Motion *b) {
    Expr v[6], rate[6], impulse[6], f[6], world[3];
    m3_apply_transposed(d, b->R, b->v, v);
    m3_apply_transposed(d, b->R, b->omega, v + 3);
    m3_apply_transposed(d, b->R, b->a, rate);
    m3_apply_transposed(d, b->R, b->alpha, rate + 3);
    add_cross(d, v, v + 3, rate); // R' a - omega x v
    six_by_six(d, body->added, v, impulse);
    six_by_six(d, body->added, rate, f);
    add_cross(d, v + 3, impulse, f);
    add_cross(d, v + 3, impulse + 3, f + 3);
    add_cross(d, v, impulse, f + 3);
    m3_apply(d, b->R, f, world);
    v3_add(d, b->force, world, b->force);
    m3_apply(d, b->R, f + 3, world);
    v3_add(d, b->moment, world, b->moment);
}

static void subtract_outside(Recursion *c, const Expr *wrench) { // Nullable
    Dag *d = c->d;
    for (int i = 0; wrench && i < c->m->frame_count; i++) {
        const MechFrame *frame = &c->m->frame[i];
        if (frame->body < 0) continue;
        Motion *b = &c->body[frame->body];
        Expr f[6], R[9], arm[3];
        for (int k = 0; k < 6; k++)
            f[k] = wrench[6 * i + k] ? expr_neg(d, wrench[6 * i + k]) : expr_zero(d);
        m3_times(d, b->R, frame->rotation, R);
        m3_apply(d, b->R, frame->position, arm);
        m3_apply(d, R, f, f);
        m3_apply(d, R, f + 3, f + 3);
        v3_add(d, b->force, f, b->force);
        v3_add(d, b->moment, f + 3, b->moment);
        add_cross(d, arm, f, b->moment);
    }
}

// --- one step inwards: efforts, and what is handed to the parent ---------------------------------

static void efforts(Recursion *c, int joint, Expr *out) {
    const MechJoint *j = &c->m->joint[joint];
    const Motion *b = &c->body[j->child];
    const Motion *parent = &c->body[j->parent < 0 ? c->m->body_count : j->parent];
    Dag *d = c->d;
    Expr e[3], frame[9], base[9];
    joint_axis(d, b->R, j->kind == JOINT_UNIVERSAL ? j->axis2 : j->axis, e);
    Expr along = v3_dot(d, e, b->force), about = v3_dot(d, e, b->moment);
    switch (j->kind) {
    case JOINT_FIXED:
    case JOINT_KINDS: break;
    case JOINT_REVOLUTE: out[0] = about; break;
    case JOINT_PRISMATIC: out[0] = along; break;
    case JOINT_HELICAL: out[0] = expr_add(d, about, expr_mul(d, j->pitch, along)); break;
    case JOINT_CYLINDRICAL:
        out[0] = along;
        out[1] = about;
        break;
    case JOINT_UNIVERSAL:
        m3_times(d, parent->R, j->rotation, base);
        joint_axis(d, base, j->axis, e);
        out[0] = v3_dot(d, e, b->moment);
        out[1] = about;
        break;
    case JOINT_PLANAR:
        frame_about(d, j->axis, frame);
        for (int k = 0; k < 2; k++) {
            column(frame, k, e);
            m3_apply(d, b->R, e, e);
            out[k] = v3_dot(d, e, b->force);
        }
        out[2] = about;
        break;
    case JOINT_SPHERICAL: m3_apply_transposed(d, b->R, b->moment, out); break;
    case JOINT_FREE:
        m3_apply_transposed(d, b->R, b->force, out);
        m3_apply_transposed(d, b->R, b->moment, out + 3);
        break;
    }
}

static void step_in(Recursion *c, int joint, Expr *out) {
    const MechJoint *j = &c->m->joint[joint];
    Motion *b = &c->body[j->child],
           *parent = &c->body[j->parent < 0 ? c->m->body_count : j->parent];
    Expr arm[3];
    efforts(c, joint, out + c->joint_v[joint]);
    v3_sub(c->d, b->r, parent->r, arm);
    v3_add(c->d, parent->force, b->force, parent->force);
    v3_add(c->d, parent->moment, b->moment, parent->moment);
    add_cross(c->d, arm, b->force, parent->moment);
}

static void at_rest(Dag *d, Motion *b) {
    m3_identity(d, b->R);
    Expr *vectors[] = {b->r, b->v, b->a, b->omega, b->alpha, b->force, b->moment};
    for (int i = 0; i < 7; i++) v3_zero(d, vectors[i]);
}

Matrix mech_inverse_dynamics(Arena *out, Dag *d, const Mechanism *m, const Expr *q, const Expr *w,
                             const Expr *w_rate, const Expr *wrench) {
    Recursion c = {.d = d, .m = m, .q = q, .w = w, .w_rate = w_rate};
    int nv = 0;
    for (int i = 0; i < m->joint_count; i++) nv += joint_velocities(m->joint[i].kind);
    c.body = ARENA_ARRAY(&c.scratch, Motion, m->body_count + 1);
    c.order = ARENA_ARRAY(&c.scratch, int, m->joint_count);
    c.joint_q = ARENA_ARRAY(&c.scratch, int, m->joint_count);
    c.joint_v = ARENA_ARRAY(&c.scratch, int, m->joint_count);
    find_order(&c);
    for (int i = 0; i <= m->body_count; i++) at_rest(d, &c.body[i]);
    for (int i = 0; i < c.count; i++) step_out(&c, c.order[i]);
    for (int i = 0; i < m->body_count; i++) {
        add_rigid(&c, &m->body[i], &c.body[i]);
        if (m->body[i].has_added) add_fluid(d, &m->body[i], &c.body[i]);
    }
    subtract_outside(&c, wrench);
    Matrix result = matrix_new(out, nv, 1);
    for (int i = c.count - 1; i >= 0; i--) step_in(&c, c.order[i], result.at);
    arena_free(&c.scratch);
    return result;
}
