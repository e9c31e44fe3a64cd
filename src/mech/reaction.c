// What passes through a joint of the tree: force and moment of its parent on its child.
//
// The joint is cut: a body without mass and a free joint are put between the parent and the joint,
//
//     parent --free-- cut --joint-- child        the free joint stays where it is
//
// and inverse dynamics tells the effort of the free joint that the motion takes, less what acts
// from outside: wrenches at frames, and constraints and actuators with one end on either side of
// the cut.
#include "mech/functions.h"

#include "mech/constraints.h"
#include "mech/tree.h"
#include "spatial/spatial.h"
#include <string.h>

enum { CUT_COORDINATES = 7, CUT_VELOCITIES = 6 };

typedef struct {
    Arena scratch;
    Dag *d;
    const ModelCall *call;
    Mechanism m; // with the cut, whose joint and body are the last ones
    int nq, nv;  // without it
    Expr *q, *w, *rate;
} Cut;

// Nothing of the frame before the motion is left to the joint: it begins where the cut is.
static void cut_joint(Cut *c, const Mechanism *m, int joint) {
    Mechanism *to = &c->m;
    *to = *m;
    to->joint = ARENA_ARRAY(&c->scratch, MechJoint, m->joint_count + 1);
    to->body = ARENA_ARRAY(&c->scratch, MechBody, m->body_count + 1);
    memcpy(to->joint, m->joint, (size_t)m->joint_count * sizeof *m->joint);
    memcpy(to->body, m->body, (size_t)m->body_count * sizeof *m->body);
    MechBody *body = &to->body[to->body_count++];
    MechJoint *cut = &to->joint[to->joint_count++], *rest = &to->joint[joint];
    *body = (MechBody){.name = rest->name, .pos = rest->pos, .mass = expr_zero(c->d)};
    v3_zero(c->d, body->cg);
    for (int i = 0; i < 9; i++) body->inertia[i] = expr_zero(c->d);
    *cut = (MechJoint){.name = rest->name,
                       .pos = rest->pos,
                       .kind = JOINT_FREE,
                       .parent = rest->parent,
                       .child = m->body_count};
    for (int i = 0; i < 3; i++) cut->axis[i] = cut->axis2[i] = expr_number(c->d, i == 2);
    cut->pitch = expr_zero(c->d);
    memcpy(cut->position, rest->position, sizeof cut->position);
    memcpy(cut->rotation, rest->rotation, sizeof cut->rotation);
    rest->parent = m->body_count;
    v3_zero(c->d, rest->position);
    m3_identity(c->d, rest->rotation);
    for (int i = 0; i < to->joint_count; i++)
        to->joint[i].driven = false; // drives act inside of joints
}

static Expr *with_more(Cut *c, const Expr *values, int n, int more) {
    Expr *list = ARENA_ARRAY(&c->scratch, Expr, n + more);
    for (int i = 0; i < n + more; i++) list[i] = i < n ? values[i] : expr_zero(c->d);
    return list;
}

static void set_motion(Cut *c, const Mechanism *m, const Expr *rates) {
    for (int i = 0; i < m->joint_count; i++) {
        c->nq += joint_coordinates(&m->joint[i]);
        c->nv += joint_velocities(m->joint[i].kind);
    }
    c->q = with_more(c, c->call->q, c->nq, CUT_COORDINATES);
    c->q[c->nq + 3] = expr_number(c->d, 1); // the quaternion of no turn
    c->w = with_more(c, c->call->w, c->nv, CUT_VELOCITIES);
    c->rate = with_more(c, rates, c->nv, CUT_VELOCITIES);
}

// Efforts at the ports of frames, turned into the axes of the frames.
static Expr *frame_wrenches(Cut *c) {
    Expr *wrench = ARENA_ARRAY(&c->scratch, Expr, 6 * c->m.frame_count);
    Tree *t = tree_build(&c->scratch, c->d, &c->m, false);
    tree_set_coordinates(c->d, t, c->q);
    for (int i = 0; i < c->m.frame_count; i++) {
        Expr port[9];
        port_turn(c->d, &c->m, t, i, port);
        for (int part = 0; part < 6; part += 3)
            m3_apply_transposed(c->d, port, &c->call->frame_effort[6 * i + part],
                                &wrench[6 * i + part]);
    }
    return wrench;
}

static void take_off(Cut *c, const Expr *slope, Expr effort, Expr *sum) {
    for (int k = 0; k < CUT_VELOCITIES; k++)
        sum[k] = expr_sub(c->d, sum[k], expr_mul(c->d, slope[c->nv + k], effort));
}

// What constraints hold, and what their ports and actuators do.
static void take_off_ties(Cut *c, Expr *sum) {
    const ModelCall *call = c->call;
    const Constraints *h = constraints_trace(&c->scratch, c->d, &c->m, c->q, expr_zero(c->d));
    for (int i = 0; i < h->row_count; i++)
        if (h->row[i].tie >= 0)
            take_off(c, h->row[i].slope,
                     call->tie_effort[TIE_ROWS * h->row[i].tie + h->row[i].index], sum);
    for (int i = 0; i < h->port_count; i++)
        take_off(c, h->port[i].slope, call->tie_port[TIE_ROWS * h->port[i].tie + h->port[i].index],
                 sum);
}

Matrix mech_reaction(Arena *out, Dag *d, const Mechanism *m, const ModelCall *call,
                     const Expr *rates) {
    Cut c = {.d = d, .call = call};
    cut_joint(&c, m, call->joint);
    set_motion(&c, m, rates);
    Matrix all = mech_inverse_dynamics(&c.scratch, d, &c.m, c.q, c.w, c.rate, frame_wrenches(&c));
    Expr *sum = all.at + c.nv;
    if (c.m.tie_count) take_off_ties(&c, sum);
    Matrix result = matrix_new(out, 3, 1);
    for (int i = 0; i < 3; i++) result.at[i] = sum[call->which == MODEL_FORCE ? i : 3 + i];
    arena_free(&c.scratch);
    return result;
}
