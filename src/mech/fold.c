// Folding: the same mechanism with fewer numbers. Both steps are exact.
//
// Frames laid anew. A link that turns about z or slides along z may have its frame turned about z
// and moved along z (a sliding one anywhere) without a change of the motion. So each link's x is
// laid along the common normal of its axis and the next one:
//
//        z            z'                at = Tx(a) Rx(b),  then Rz(q + c) Tz(d + ...)
//        |    a      /
//        o----------o----> x            one turn about x and two offsets remain of six numbers
//
// Inertia regrouped. What a joint's motion cannot show is moved to the parent, tip to base:
//   turning about z    mass, first moment along z and diag(a, a, 0) of J        (a = J_yy)
//   sliding along z    all of J
//   ball               the mass, as a point at the centre
#include "mech/tree.h"

#include <math.h>
#include <string.h>

static bool is_axial(const Link *l) {
    return l->kind == LINK_TURN || l->kind == LINK_SLIDE || l->kind == LINK_SCREW;
}

// --- which child a link's frame is laid for ------------------------------------------------------

// The child with most links outboard, the first of equals; -1 for a leaf.
static int *favoured_children(Arena *scratch, const Tree *t) {
    int *child = ARENA_ARRAY(scratch, int, t->count);
    int *size = ARENA_ARRAY(scratch, int, t->count);
    for (int i = 0; i < t->count; i++) {
        child[i] = -1;
        size[i] = 1;
    }
    for (int i = t->count - 1; i >= 0; i--) {
        int p = t->link[i].parent;
        if (p < 0) continue;
        size[p] += size[i];
        if (child[p] < 0 || size[i] >= size[child[p]]) child[p] = i;
    }
    return child;
}

// --- a new frame for a link: pose in the old one -------------------------------------------------

static void z_turn(Dag *d, double angle, Expr out[9]) {
    double c = snap_unit(cos(angle)), s = snap_unit(sin(angle));
    m3_numbers(d, (double[]){c, -s, 0, s, c, 0, 0, 0, 1}, out);
}

// The angle that lays x along (x, y): as far as these are numbers.
static double angle_along(const Dag *d, Expr x, Expr y) {
    double v[2];
    if (expr_is_zero(d, y)) return 0;
    if (expr_is_zero(d, x)) return M_PI_2;
    return all_numbers(d, (Expr[]){x, y}, 2, v) ? atan2(v[1], v[0]) : 0;
}

// x along the common normal of z and the axis u: the turn makes u_x zero.
static double angle_normal(const double u[3]) {
    if (fabs(u[0]) < 1e-14) return 0;
    return u[1] > 0 ? atan2(-u[0], u[1]) : atan2(u[0], -u[1]);
}

// Where the common normal to the axis u through p meets z: p + s u has y = 0 there.
static Expr foot_on_axis(Dag *d, const Expr turn[9], const double u[3], const Expr p[3]) {
    Expr axis[3] = {expr_number(d, u[0]), expr_number(d, u[1]), expr_number(d, u[2])}, at[3];
    m3_apply_transposed(d, turn, axis, axis);
    m3_apply_transposed(d, turn, p, at);
    Expr along = expr_div(d, at[1], axis[1]);
    return expr_sub(d, at[2], expr_mul(d, along, axis[2]));
}

static void frame_for_child(Dag *d, const Link *l, const Link *child, Pose *frame) {
    double u[3] = {0}; // the axis of the child, as far as it is known
    const Expr *R = child->at.R, *p = child->at.p;
    bool known = is_axial(child) && all_numbers(d, (Expr[]){R[2], R[5], R[8]}, 3, u);
    double across = known ? hypot(u[0], u[1]) : 0;
    bool parallel = !is_axial(child) || (known && across < 1e-9);
    bool meets = across > 1e-2; // nearly parallel axes have their common normal far away
    double angle = parallel ? angle_along(d, p[0], p[1]) : known ? angle_normal(u) : 0;
    z_turn(d, angle, frame->R);
    if (l->kind == LINK_SLIDE)
        v3_copy(p, frame->p);
    else if (meets)
        frame->p[2] = foot_on_axis(d, frame->R, u, p);
    else if (parallel || known)
        frame->p[2] = p[2];
}

// A leaf: x towards the centre of gravity; a sliding one has its origin there.
static void frame_for_leaf(Dag *d, const Link *l, Pose *frame) {
    double m, mc[3];
    if (l->kind != LINK_SLIDE) {
        z_turn(d, angle_along(d, l->inertia.mc[0], l->inertia.mc[1]), frame->R);
    } else if (expr_is_number(d, l->inertia.m, &m) && all_numbers(d, l->inertia.mc, 3, mc) &&
               m > 0 && !l->inertia.full) {
        for (int i = 0; i < 3; i++) frame->p[i] = expr_number(d, mc[i] / m);
    }
}

static void inertia_clean(Dag *d, Inertia *a) {
    snap_numbers(d, a->mc, 3, 0);
    snap_numbers(d, a->J, 9, 0);
}

// Re-expresses what stands on the link; poses of children and of itself follow in lay_frames.
static void inertia_in(Dag *d, Inertia *a, const Pose *frame) {
    Pose none, back;
    pose_identity(d, &none);
    pose_inverse_times(d, frame, &none, &back);
    inertia_place(d, a, &back);
    inertia_clean(d, a);
}

static void move_places(Dag *d, const Mechanism *m, Tree *t, const Pose *frame) {
    for (int i = 0; i < m->body_count + m->frame_count; i++) {
        Place *p = i < m->body_count ? &t->body[i] : &t->frame[i - m->body_count];
        if (p->link >= 0) pose_inverse_times(d, &frame[p->link], &p->at, &p->at);
        pose_clean(d, &p->at);
    }
}

static void lay_frames(Arena *scratch, Dag *d, const Mechanism *m, Tree *t, const int *child) {
    Pose *frame = ARENA_ARRAY(scratch, Pose, t->count);
    for (int i = 0; i < t->count; i++) {
        const Link *l = &t->link[i];
        pose_identity(d, &frame[i]);
        if (!is_axial(l)) continue;
        if (child[i] < 0)
            frame_for_leaf(d, l, &frame[i]);
        else
            frame_for_child(d, l, &t->link[child[i]], &frame[i]);
    }
    for (int i = 0; i < t->count; i++) {
        Link *l = &t->link[i];
        pose_times(d, &l->at, &frame[i], &l->at);
        if (l->parent >= 0) pose_inverse_times(d, &frame[l->parent], &l->at, &l->at);
        pose_clean(d, &l->at);
        inertia_in(d, &l->inertia, &frame[i]);
    }
    move_places(d, m, t, frame);
}

// --- what the motion itself can take over --------------------------------------------------------

// R = Rz(a) Rx(b) Rz(c): the last turn goes into the angle of the motion.
static void absorb_turn(Dag *d, Link *l) {
    double R[9], ca = 1, sa = 0;
    if (!all_numbers(d, l->at.R, 9, R)) return;
    double sb = hypot(R[2], R[5]), cb = R[8];
    if (sb < 1e-14) { // parallel or opposite: Rx(0 or 180 deg) Rz(c)
        sb = 0;
    } else {
        if (R[5] > 0) sb = -sb; // keeps a within a half turn
        ca = -R[5] / sb;
        sa = R[2] / sb;
    }
    double length = hypot(sb, cb);
    cb = snap_unit(cb / length);
    sb = snap_unit(sb / length);
    ca = snap_unit(ca);
    sa = snap_unit(sa);
    double c[2] = {ca * R[0] + sa * R[3], ca * R[1] + sa * R[4]}; // first row of Rx(b) Rz(c)
    l->angle += atan2(-c[1], c[0]);
    m3_numbers(d, (double[]){ca, -sa * cb, sa * sb, sa, ca * cb, -ca * sb, 0, sb, cb}, l->at.R);
}

static int count_nonzero(const Dag *d, const Expr *e, int n) {
    int count = 0;
    for (int i = 0; i < n; i++) count += !expr_is_zero(d, e[i]);
    return count;
}

// Moves part of the position into the shift along the axis where fewer numbers remain then.
static void absorb_shift(Dag *d, Link *l) {
    double z[3];
    const Expr *R = l->at.R;
    if (!all_numbers(d, (Expr[]){R[2], R[5], R[8]}, 3, z)) return;
    Expr axis[3] = {R[2], R[5], R[8]}, best[3], offset = expr_zero(d);
    v3_copy(l->at.p, best);
    int fewest = count_nonzero(d, best, 3);
    for (int k = 0; k < 4; k++) { // along the axis to its foot, or until one component is zero
        if (k < 3 && fabs(z[k]) < 0.3) continue;
        Expr by = k < 3 ? expr_div(d, l->at.p[k], axis[k]) : v3_dot(d, axis, l->at.p), rest[3];
        v3_scale(d, by, axis, rest);
        v3_sub(d, l->at.p, rest, rest);
        snap_numbers(d, rest, 3, largest_number(d, l->at.p, 3));
        int count = count_nonzero(d, rest, 3) + 1;
        if (count >= fewest + (l->kind == LINK_SLIDE)) continue;
        fewest = count;
        offset = by;
        v3_copy(rest, best);
    }
    v3_copy(best, l->at.p);
    l->offset = expr_add(d, l->offset, offset);
}

// A leaf that turns has no other use for its offset along z: its frame moves to the foot.
static void drop_offsets(Arena *scratch, Dag *d, const Mechanism *m, Tree *t, const int *child) {
    Pose *frame = ARENA_ARRAY(scratch, Pose, t->count);
    for (int i = 0; i < t->count; i++) {
        Link *l = &t->link[i];
        pose_identity(d, &frame[i]);
        if (child[i] >= 0 || (l->kind != LINK_TURN && l->kind != LINK_SCREW)) continue;
        frame[i].p[2] = expr_neg(d, l->offset);
        l->offset = expr_zero(d);
        inertia_in(d, &l->inertia, &frame[i]);
    }
    move_places(d, m, t, frame);
}

// --- regrouping ----------------------------------------------------------------------------------

// The part of a link's inertia that its motion cannot show, taken away from it.
static void take_hidden(Dag *d, Link *l, Inertia *part) {
    Inertia *own = &l->inertia;
    Expr zero = expr_zero(d);
    inertia_zero(d, part);
    switch (l->kind) {
    case LINK_TURN:
        part->m = own->m;
        part->mc[2] = own->mc[2];
        part->J[0] = part->J[4] = own->J[4];
        own->J[0] = expr_sub(d, own->J[0], own->J[4]);
        own->m = own->mc[2] = own->J[4] = zero;
        break;
    case LINK_SLIDE:
        memcpy(part->J, own->J, sizeof part->J);
        for (int i = 0; i < 9; i++) own->J[i] = zero;
        break;
    case LINK_BALL:
        part->m = own->m;
        own->m = zero;
        break;
    default: break;
    }
}

static void regroup(Dag *d, Tree *t) {
    for (int i = t->count - 1; i >= 0; i--) {
        Link *l = &t->link[i];
        Inertia part;
        if (l->inertia.full) continue;
        take_hidden(d, l, &part);
        Pose at = l->at, turn;
        pose_identity(d, &turn);
        z_turn(d, l->angle, turn.R);
        turn.p[2] = l->offset;
        pose_times(d, &at, &turn, &at);
        inertia_place(d, &part, &at);
        Inertia *to = l->parent < 0 ? &t->world : &t->link[l->parent].inertia;
        inertia_add(d, &part, to);
        inertia_clean(d, to);
    }
}

void tree_fold(Arena *scratch, Dag *d, const Mechanism *m, Tree *t) {
    int *child = favoured_children(scratch, t);
    lay_frames(scratch, d, m, t, child);
    for (int i = 0; i < t->count; i++) {
        Link *l = &t->link[i];
        if (!is_axial(l)) continue;
        absorb_turn(d, l);
        absorb_shift(d, l);
    }
    drop_offsets(scratch, d, m, t, child);
    regroup(d, t);
}
