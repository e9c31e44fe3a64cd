// From bodies and joints to the tree of links. See tree.h.
#include "mech/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- what a joint and a link are -----------------------------------------------------------------

int link_velocities(LinkKind kind) {
    static const int count[] = {1, 1, 1, 3, 3, 6};
    return count[kind];
}

int link_component(const Link *l, int k) {
    static const int component[][6] = {{5}, {2}, {-1}, {0, 1, 5}, {3, 4, 5}, {0, 1, 2, 3, 4, 5}};
    return component[l->kind][k];
}

Six link_axis(Dag *d, const Link *l, int k) {
    Six s;
    six_zero(d, &s);
    link_move(d, l, k, expr_number(d, 1), &s);
    return s;
}

Expr link_dot(Dag *d, const Link *l, int k, const Six *f) {
    int c = link_component(l, k);
    if (c < 0) return expr_add(d, f->ang[2], expr_mul(d, l->pitch, f->lin[2]));
    return c < 3 ? f->lin[c] : f->ang[c - 3];
}

void link_efforts(Dag *d, const Tree *t, const Six *f, Expr *effort) {
    for (int i = 0; i < t->count; i++)
        for (int k = 0; k < link_velocities(t->link[i].kind); k++)
            effort[t->link[i].first + k] = link_dot(d, &t->link[i], k, &f[i]);
}

void link_move(Dag *d, const Link *l, int k, Expr w, Six *v) {
    int c = link_component(l, k);
    if (c < 0) v->lin[2] = expr_add(d, v->lin[2], expr_mul(d, l->pitch, w));
    Expr *to = c < 0 ? &v->ang[2] : c < 3 ? &v->lin[c] : &v->ang[c - 3];
    *to = expr_add(d, *to, w);
}

// --- order ---------------------------------------------------------------------------------------

typedef struct {
    const char *name;
    int joint;
} NamedJoint;

static int compare_named(const void *left, const void *right) {
    const NamedJoint *a = left, *b = right;
    int by_name = name_compare(a->name, b->name);
    return by_name ? by_name : (a->joint > b->joint) - (a->joint < b->joint);
}

// Sorts joints from the world outwards, level by level, by name within a body. Returns how many of
// them hang on the world.
static int order_joints(Arena *scratch, Dag *d, const Mechanism *m, int *order) {
    int n = m->joint_count, count = 0;
    NamedJoint *named = ARENA_ARRAY(scratch, NamedJoint, n);
    for (int i = 0; i < n; i++)
        named[i] = (NamedJoint){name_text(dag_names(d), m->joint[i].name), i};
    qsort(named, (size_t)n, sizeof *named, compare_named);
    int *first = ARENA_ARRAY(scratch, int, m->body_count + 1); // of a body's joints; 0 = world
    int *next = ARENA_ARRAY(scratch, int, n);
    for (int i = 0; i <= m->body_count; i++) first[i] = -1;
    for (int i = n - 1; i >= 0; i--) { // backwards, so that each list comes out by name
        int j = named[i].joint, parent = m->joint[j].parent + 1;
        next[j] = first[parent];
        first[parent] = j;
    }
    for (int j = first[0]; j >= 0; j = next[j]) order[count++] = j;
    for (int i = 0; i < count; i++)
        for (int j = first[m->joint[order[i]].child + 1]; j >= 0 && count < n; j = next[j])
            order[count++] = j;
    return count;
}

// --- links of a joint ----------------------------------------------------------------------------

static int push_link(Dag *d, Tree *t, LinkKind kind, int parent, int joint, int q, const Pose *at) {
    Link *l = &t->link[t->count];
    *l = (Link){.kind = kind, .parent = parent, .joint = joint, .q = q, .at = *at};
    l->pitch = l->offset = expr_zero(d);
    inertia_zero(d, &l->inertia);
    pose_clean(d, &l->at);
    return t->count++;
}

// A link whose z is the joint's axis: at * frame, the body then stands in it at frame^-1.
static Place push_about(Dag *d, Tree *t, LinkKind kind, const Place *on, int joint, int q,
                        const Expr axis[3]) {
    Pose frame, at, none;
    Place body;
    pose_identity(d, &frame);
    frame_about(d, axis, frame.R);
    pose_times(d, &on->at, &frame, &at);
    body.link = push_link(d, t, kind, on->link, joint, q, &at);
    pose_identity(d, &none);
    pose_inverse_times(d, &frame, &none, &body.at);
    return body;
}

static Place push_joint(Dag *d, Tree *t, const MechJoint *j, int joint, const Place *on) {
    static const LinkKind simple[JOINT_KINDS] = {
        [JOINT_REVOLUTE] = LINK_TURN, [JOINT_PRISMATIC] = LINK_SLIDE, [JOINT_HELICAL] = LINK_SCREW,
        [JOINT_PLANAR] = LINK_PLANE,  [JOINT_SPHERICAL] = LINK_BALL,  [JOINT_FREE] = LINK_FREE};
    int q = t->joint_q[joint];
    Place body;
    switch (j->kind) {
    case JOINT_FIXED: return *on;
    case JOINT_CYLINDRICAL:
        body = push_about(d, t, LINK_SLIDE, on, joint, q, j->axis);
        return push_about(d, t, LINK_TURN, &body, joint, q + 1, j->axis);
    case JOINT_UNIVERSAL:
        body = push_about(d, t, LINK_TURN, on, joint, q, j->axis);
        return push_about(d, t, LINK_TURN, &body, joint, q + 1, j->axis2);
    case JOINT_SPHERICAL:
    case JOINT_FREE:
        body.link = push_link(d, t, simple[j->kind], on->link, joint, q, &on->at);
        t->link[body.link].angles = j->angles;
        pose_identity(d, &body.at);
        return body;
    default:
        body = push_about(d, t, simple[j->kind], on, joint, q, j->axis);
        if (j->kind == JOINT_HELICAL) t->link[body.link].pitch = j->pitch;
        return body;
    }
}

// --- inertia of a body ---------------------------------------------------------------------------

static void symmetric_copy(const Expr *from, int stride, Expr out[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) out[3 * i + j] = out[3 * j + i] = from[stride * i + j];
}

// Moved from the centre of gravity, added mass on top.
void body_inertia(Dag *d, const MechBody *b, Inertia *out) {
    inertia_zero(d, out);
    out->m = b->mass;
    symmetric_copy(b->inertia, 3, out->J);
    inertia_shift(d, out, b->cg);
    if (!b->has_added) return;
    Inertia added;
    inertia_zero(d, &added);
    added.full = true;
    symmetric_copy(b->added, 6, added.M);
    symmetric_copy(b->added + 21, 6, added.J);
    for (int i = 0; i < 9; i++) added.H[i] = b->added[6 * (i % 3) + 3 + i / 3];
    inertia_add(d, &added, out);
}

static void load_body(Dag *d, const MechBody *b, const Place *p, Tree *t) {
    Inertia a;
    body_inertia(d, b, &a);
    inertia_place(d, &a, &p->at);
    inertia_add(d, &a, p->link < 0 ? &t->world : &t->link[p->link].inertia);
    t->added = t->added || b->has_added;
}

// --- the whole -----------------------------------------------------------------------------------

static void number_joints(Arena *out, const Mechanism *m, Tree *t) {
    t->joint_q = ARENA_ARRAY(out, int, m->joint_count);
    t->joint_v = ARENA_ARRAY(out, int, m->joint_count);
    for (int i = 0; i < m->joint_count; i++) {
        t->joint_q[i] = t->nq;
        t->joint_v[i] = t->nv;
        t->nq += joint_coordinates(&m->joint[i]);
        t->nv += joint_velocities(m->joint[i].kind);
    }
}

// Velocities in the order of the tree, the way back to the order of the mechanism, and which
// velocity carries which.
static void number_velocities(Arena *scratch, Arena *out, Tree *t) {
    int *deep = ARENA_ARRAY(scratch, int, t->count);
    t->velocity = ARENA_ARRAY(out, int, t->nv);
    t->before = ARENA_ARRAY(out, int, t->nv);
    for (int i = 0, next = 0; i < t->count; i++) {
        Link *l = &t->link[i];
        const Link *parent = l->parent < 0 ? NULL : &t->link[l->parent];
        bool second = parent && parent->joint == l->joint;
        int own = link_velocities(l->kind);
        l->first = next;
        for (int k = 0; k < own; k++, next++) {
            t->velocity[next] = t->joint_v[l->joint] + second + k;
            int carrier = parent ? parent->first + link_velocities(parent->kind) - 1 : -1;
            t->before[next] = k ? next - 1 : carrier;
        }
        deep[i] = own + (parent ? deep[l->parent] : 0);
        if (deep[i] > t->depth) t->depth = deep[i];
    }
}

static Pose joint_pose(const MechJoint *j) {
    Pose p;
    memcpy(p.R, j->rotation, sizeof p.R);
    v3_copy(j->position, p.p);
    return p;
}

// In the order of the joints, so that sums do not depend on the order of declaration.
static void place_bodies(Arena *scratch, Dag *d, const Mechanism *m, Tree *t) {
    Place world = {.link = -1};
    pose_identity(d, &world.at);
    for (int i = 0; i < m->body_count; i++) t->body[i] = world;
    int *order = ARENA_ARRAY(scratch, int, m->joint_count + 1);
    int count = order_joints(scratch, d, m, order);
    for (int i = 0; i < count; i++) {
        const MechJoint *j = &m->joint[order[i]];
        Place on = j->parent < 0 ? world : t->body[j->parent];
        Pose at = joint_pose(j);
        pose_times(d, &on.at, &at, &on.at);
        pose_clean(d, &on.at);
        t->body[j->child] = push_joint(d, t, j, order[i], &on);
        load_body(d, &m->body[j->child], &t->body[j->child], t);
    }
}

static void place_frames(Dag *d, const Mechanism *m, Tree *t) {
    for (int i = 0; i < m->frame_count; i++) {
        const MechFrame *f = &m->frame[i];
        Pose at;
        memcpy(at.R, f->rotation, sizeof at.R);
        v3_copy(f->position, at.p);
        if (f->body < 0) {
            t->frame[i] = (Place){-1, at};
            continue;
        }
        t->frame[i].link = t->body[f->body].link;
        pose_times(d, &t->body[f->body].at, &at, &t->frame[i].at);
    }
}

Tree *tree_build(Arena *out, Dag *d, const Mechanism *m, bool fold) {
    Arena scratch = {0};
    Tree *t = ARENA_NEW(out, Tree);
    t->link = ARENA_ARRAY(out, Link, 2 * (size_t)m->joint_count + 1);
    t->body = ARENA_ARRAY(out, Place, m->body_count);
    t->frame = ARENA_ARRAY(out, Place, m->frame_count);
    inertia_zero(d, &t->world);
    number_joints(out, m, t);
    place_bodies(&scratch, d, m, t);
    place_frames(d, m, t);
    number_velocities(&scratch, out, t);
    if (fold) tree_fold(&scratch, d, m, t);
    arena_free(&scratch);
    return t;
}

// --- at given coordinates ------------------------------------------------------------------------

// sin and cos of q + angle; quarter turns exchange them instead.
static void turn_angle(Dag *d, Expr q, double angle, Expr *c, Expr *s) {
    const double quarter = 1.5707963267948966;
    double quarters = angle / quarter, whole = nearbyint(quarters);
    bool exact = fabs(quarters - whole) < 1e-15 * fmax(1, fabs(whole));
    if (!exact) q = expr_add(d, q, expr_number(d, angle));
    Expr cosine = expr_call(d, OP_COS, &q, 1), sine = expr_call(d, OP_SIN, &q, 1);
    int turns = exact ? ((int)whole % 4 + 4) % 4 : 0;
    *c = turns == 0   ? cosine
         : turns == 1 ? expr_neg(d, sine)
         : turns == 2 ? expr_neg(d, cosine)
                      : sine;
    *s = turns == 0   ? sine
         : turns == 1 ? cosine
         : turns == 2 ? expr_neg(d, sine)
                      : expr_neg(d, cosine);
}

// The turn of a link about z: at.R * Rz
static void set_axial_turn(Dag *d, Link *l) {
    Turn *t = &l->turn;
    const Expr *R = l->at.R;
    if (expr_is_zero(d, R[6])) { // a rotation with this zero is Rz(a) Rx(b)
        t->ca = R[0];
        t->sa = R[3];
        t->cb = R[8];
        t->sb = R[7];
        turn_plain(d, t);
        return;
    }
    Expr about[9], zero = expr_zero(d), one = expr_number(d, 1);
    Expr z_turn[9] = {t->c, expr_neg(d, t->s), zero, t->s, t->c, zero, zero, zero, one};
    memcpy(about, z_turn, sizeof about);
    m3_times(d, R, about, t->E);
    t->plain = false;
    t->whole = true;
}

static void set_ball_turn(Dag *d, Link *l, const Expr *q) {
    l->turn.plain = false;
    l->turn.whole = true;
    attitude_matrix(d, l->angles, q, l->turn.E);
    m3_times(d, l->at.R, l->turn.E, l->turn.E);
}

static void set_position(Dag *d, Link *l, const Expr *q, int n) {
    Expr moved[3];
    v3_zero(d, moved);
    for (int i = 0; i < n; i++) moved[i] = q[i];
    m3_apply(d, l->at.R, moved, moved);
    v3_add(d, l->at.p, moved, l->shift);
}

void tree_set_coordinates(Dag *d, Tree *t, const Expr *all) {
    for (int i = 0; i < t->count; i++) {
        Link *l = &t->link[i];
        const Expr *q = all + l->q;
        v3_copy(l->at.p, l->shift);
        l->slide = l->offset;
        Expr none = expr_zero(d), angle = l->kind == LINK_PLANE ? q[2] : q[0];
        if (l->kind != LINK_BALL && l->kind != LINK_FREE) {
            turn_angle(d, l->kind == LINK_SLIDE ? none : angle, l->angle, &l->turn.c, &l->turn.s);
            set_axial_turn(d, l);
        }
        switch (l->kind) {
        case LINK_TURN: break;
        case LINK_SLIDE: l->slide = expr_add(d, l->offset, q[0]); break;
        case LINK_SCREW: l->slide = expr_add(d, l->offset, expr_mul(d, l->pitch, q[0])); break;
        case LINK_PLANE: set_position(d, l, q, 2); break;
        case LINK_BALL: set_ball_turn(d, l, q); break;
        case LINK_FREE:
            set_position(d, l, q, 3);
            set_ball_turn(d, l, q + 3);
            break;
        }
    }
}

// --- coordinate rates: q' = beta w ---------------------------------------------------------------

int link_coordinates(const Link *l) {
    return link_velocities(l->kind) + (l->kind >= LINK_BALL && !l->angles.used);
}

void link_rates(Dag *d, const Link *l, const Expr *q, const Expr *w, Expr *out) {
    Expr R[9];
    switch (l->kind) {
    case LINK_PLANE: {
        Expr c = expr_call(d, OP_COS, &q[2], 1), s = expr_call(d, OP_SIN, &q[2], 1);
        out[0] = expr_products_subtract(d, c, w[0], s, w[1]);
        out[1] = expr_products_add(d, s, w[0], c, w[1]);
        out[2] = w[2];
        break;
    }
    case LINK_BALL: attitude_rate(d, l->angles, q, w, out); break;
    case LINK_FREE:
        attitude_matrix(d, l->angles, q + 3, R);
        m3_apply(d, R, w, out);
        attitude_rate(d, l->angles, q + 3, w + 3, out + 3);
        break;
    default: out[0] = w[0];
    }
}

// --- between a link and its parent: turn, shift, slide along the own z ---------------------------

// omega x (0, 0, z)
static void add_slide_velocity(Dag *d, Expr z, const Expr ang[3], Expr lin[3]) {
    lin[0] = expr_add(d, lin[0], expr_mul(d, ang[1], z));
    lin[1] = expr_sub(d, lin[1], expr_mul(d, ang[0], z));
}

void link_twist_down(Dag *d, const Tree *t, int link, Six *twist) {
    const Link *l = &t->link[link];
    Six *out = &twist[link];
    Expr carried[3];
    six_zero(d, out);
    if (l->parent < 0) return;
    const Six *v = &twist[l->parent];
    v3_cross(d, v->ang, l->shift, carried);
    v3_add(d, v->lin, carried, carried);
    turn_down(d, &l->turn, carried, out->lin);
    turn_down(d, &l->turn, v->ang, out->ang);
    add_slide_velocity(d, l->slide, out->ang, out->lin);
}

void link_wrench_up(Dag *d, const Link *l, const Six *f, Six *out) {
    Expr moment[3] = {expr_sub(d, f->ang[0], expr_mul(d, l->slide, f->lin[1])),
                      expr_add(d, f->ang[1], expr_mul(d, l->slide, f->lin[0])), f->ang[2]};
    Expr carried[3];
    turn_up(d, &l->turn, f->lin, out->lin);
    turn_up(d, &l->turn, moment, out->ang);
    v3_cross(d, l->shift, out->lin, carried);
    v3_add(d, out->ang, carried, out->ang);
}

void link_inertia_up(Dag *d, const Link *l, Inertia *a) {
    Expr slide[3] = {expr_zero(d), expr_zero(d), l->slide};
    inertia_shift(d, a, slide);
    inertia_turn(d, a, &l->turn);
    inertia_shift(d, a, l->shift);
}

void link_pose(Dag *d, const Link *l, Pose *out) {
    Expr slide[3] = {expr_zero(d), expr_zero(d), l->slide};
    turn_matrix(d, &l->turn, out->R);
    m3_apply(d, out->R, slide, out->p);
    v3_add(d, out->p, l->shift, out->p);
}
