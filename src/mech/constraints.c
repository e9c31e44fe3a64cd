// Rows of constraints and drives. See constraints.h.
//
//      a, b        the two ends, seen from the link that carries both
//      d, R        place and axes of b in the axes of a
//      v, omega    velocity of b's origin and turning of b as seen from a, in the axes of a
//
//   joint kinds, axis z          constrained velocities        phi
//     fixed                      v, omega                      d, vee(R)
//     revolute                   v, omega_x omega_y            d, -R_yz R_xz
//     prismatic                  v_x v_y, omega                d_x d_y, vee(R)
//     cylindrical                v_x v_y, omega_x omega_y      d_x d_y, -R_yz R_xz
//     helical                    ... and v_z - pitch omega_z   ... pitch sin(d_z/pitch - angle)
//     planar                     v_z, omega_x omega_y          d_z, -R_yz R_xz
//     spherical                  v                             d
//     universal (a1, a2)         v, omega.(R a2 x a1)          d, a1.R a2 - a1.a2
//   line, plane normal to z      v_x v_y; v_z                  d_x d_y; d_z
//   distance L                   d.v/|d|                       |d| - L
//   knife along s = R axis       s.v
//   wheel, ball of radius r      v + omega x c                 (z only) d_z + c_z
//     c: from b to the point of contact; ball -r z, wheel -r (z - s_z s)/sqrt(1 - s_z^2)
//
// On the constraint phi' = J w, row by row; off it the two differ a little, which only the solution
// for phi = 0 meets, and that has its own derivative. vee(R) is axis times sine of the angle.
#include "mech/constraints.h"

#include "mech/dynamics.h"
#include <string.h>

typedef struct {
    Arena *out, scratch;
    Dag *d;
    const Mechanism *m;
    Tree *t;
    Constraints *h;
    // of the tie at hand
    const MechTie *tie;
    int number;
    Pose ab;     // b in a
    Expr F[9];   // the tie's own axes in those of a
    Six *column; // per velocity in the order of the mechanism: v, omega
    bool *moves; // it has such a column
} Rows;

// --- relative motion -----------------------------------------------------------------------------

static Place end_place(Rows *r, const MechEnd *e) {
    Place p = {.link = -1};
    Pose at;
    memcpy(at.R, e->rotation, sizeof at.R);
    v3_copy(e->position, at.p);
    p.at = at;
    if (e->body < 0) return p;
    p.link = r->t->body[e->body].link;
    pose_times(r->d, &r->t->body[e->body].at, &at, &p.at);
    return p;
}

// Adds the columns of one link to the motion of an end whose pose on it is `at`: for b they count
// plus and are turned into the axes of a, which is why b comes last.
static void add_columns(Rows *r, int link, const Pose *at, Six *own) {
    const Link *l = &r->t->link[link];
    for (int k = 0; k < link_velocities(l->kind); k++) {
        Six s = link_axis(r->d, l, k);
        int v = r->t->velocity[l->first + k];
        twist_at(r->d, at, &s, &own[v]);
        r->moves[v] = true;
    }
}

static void step_up(Rows *r, Place *end, Six *own) {
    Pose up;
    add_columns(r, end->link, &end->at, own);
    link_pose(r->d, &r->t->link[end->link], &up);
    pose_times(r->d, &up, &end->at, &end->at);
    end->link = r->t->link[end->link].parent;
}

// v = R v_b - v_a - omega_a x d       omega = R omega_b - omega_a
static void combine(Rows *r, int v, const Six *of_a, const Six *of_b) {
    Dag *d = r->d;
    Six *to = &r->column[v];
    Expr carried[3];
    m3_apply(d, r->ab.R, of_b[v].lin, to->lin);
    m3_apply(d, r->ab.R, of_b[v].ang, to->ang);
    v3_sub(d, to->lin, of_a[v].lin, to->lin);
    v3_sub(d, to->ang, of_a[v].ang, to->ang);
    v3_cross(d, of_a[v].ang, r->ab.p, carried);
    v3_sub(d, to->lin, carried, to->lin);
}

// Both ends walk towards the world until they stand on the same link: links before their children.
static void find_motion(Rows *r, const MechTie *tie) {
    int nv = r->t->nv;
    Six *of_a = ARENA_ARRAY(&r->scratch, Six, nv), *of_b = ARENA_ARRAY(&r->scratch, Six, nv);
    Place a = end_place(r, &tie->end[0]), b = end_place(r, &tie->end[1]);
    for (int v = 0; v < nv; v++) {
        six_zero(r->d, &of_a[v]);
        six_zero(r->d, &of_b[v]);
        r->moves[v] = false;
    }
    m3_times(r->d, a.at.R, r->F, a.at.R);
    m3_times(r->d, b.at.R, r->F, b.at.R);
    while (a.link != b.link)
        if (a.link > b.link)
            step_up(r, &a, of_a);
        else
            step_up(r, &b, of_b);
    pose_inverse_times(r->d, &a.at, &b.at, &r->ab);
    for (int v = 0; v < nv; v++)
        if (r->moves[v]) combine(r, v, of_a, of_b);
}

// --- rows ----------------------------------------------------------------------------------------

static Expr *slopes(Rows *r, const Six *direction) {
    Expr *slope = ARENA_ARRAY(r->out, Expr, r->t->nv);
    for (int v = 0; v < r->t->nv; v++)
        slope[v] = r->moves[v] ? six_dot(r->d, direction, &r->column[v]) : expr_zero(r->d);
    return slope;
}

static void hold(Rows *r, Six direction, Expr phi) {
    const MechTie *t = r->tie;
    ConstraintRow *row = &r->h->row[r->h->row_count++];
    int index = r->number++;
    *row = (ConstraintRow){.tie = (int)(t - r->m->tie),
                           .joint = -1,
                           .index = index,
                           .phi = phi,
                           .slope = slopes(r, &direction),
                           .rate = expr_zero(r->d),
                           .kept = true,
                           .lambda = t->lambda + index,
                           .mu = t->mu + index,
                           .nu = t->nu + index};
    m3_apply(r->d, r->F, direction.lin, row->direction);
    m3_apply(r->d, r->F, direction.ang, row->direction + 3);
}

static void release(Rows *r, Six direction, Expr coordinate) {
    FreeRow *row = &r->h->port[r->h->port_count];
    int tie = (int)(r->tie - r->m->tie), index = 0;
    if (r->h->port_count && row[-1].tie == tie) index = row[-1].index + 1;
    *row = (FreeRow){tie, index, slopes(r, &direction), coordinate};
    r->h->port_count++;
}

// Component 0 .. 5 of (v; omega)
static Six along(Rows *r, int component) {
    Six s;
    six_zero(r->d, &s);
    *(component < 3 ? &s.lin[component] : &s.ang[component - 3]) = expr_number(r->d, 1);
    return s;
}

static Six linear(Rows *r, const Expr direction[3]) {
    Six s;
    six_zero(r->d, &s);
    v3_copy(direction, s.lin);
    return s;
}

static Six angular(Rows *r, const Expr direction[3]) {
    Six s;
    six_zero(r->d, &s);
    v3_copy(direction, s.ang);
    return s;
}

// --- joints --------------------------------------------------------------------------------------

static void hold_place(Rows *r, int from, int to) {
    for (int i = from; i < to; i++) hold(r, along(r, i), r->ab.p[i]);
}

static void hold_axis(Rows *r) {
    Expr tilt = expr_neg(r->d, r->ab.R[5]);
    hold(r, along(r, 3), tilt);
    hold(r, along(r, 4), r->ab.R[2]);
}

static void hold_turning(Rows *r) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Expr twice = expr_sub(r->d, r->ab.R[3 * k + j], r->ab.R[3 * j + k]);
        Expr phi = expr_scale(r->d, 0.5, twice);
        hold(r, along(r, 3 + i), phi);
    }
}

static Expr angle_about_z(Rows *r) {
    Expr arguments[2] = {r->ab.R[3], r->ab.R[0]};
    return expr_call(r->d, OP_ATAN2, arguments, 2);
}

static void release_about_z(Rows *r) {
    Expr angle = angle_about_z(r);
    release(r, along(r, 5), angle);
}

// pitch sin(d_z/pitch - angle): the path counts the turns, so the angle need not.
static void hold_helix(Rows *r) {
    Dag *d = r->d;
    const Expr pitch = r->tie->pitch;
    Six row = along(r, 2), free = along(r, 5);
    Expr phi = r->ab.p[2], q = angle_about_z(r);
    row.ang[2] = expr_neg(d, pitch);
    if (!expr_is_zero(d, pitch)) {
        Expr path = expr_div(d, r->ab.p[2], pitch);
        Expr s = expr_call(d, OP_SIN, &path, 1), c = expr_call(d, OP_COS, &path, 1);
        phi = expr_mul(d, pitch, expr_products_subtract(d, s, r->ab.R[0], c, r->ab.R[3]));
        q = path;
    }
    hold_place(r, 0, 2);
    hold(r, row, phi);
    hold_axis(r);
    release(r, free, q);
}

// The angle about `axis` by which `from` becomes `to`.
static Expr turned_by(Rows *r, const Expr axis[3], const Expr from[3], const Expr to[3]) {
    Dag *d = r->d;
    Expr cross[3], arguments[2];
    v3_cross(d, from, to, cross);
    arguments[0] = v3_dot(d, axis, cross);
    Expr along_to = v3_dot(d, axis, to), both = expr_mul(d, v3_dot(d, axis, from), along_to);
    arguments[1] = expr_sub(d, v3_dot(d, from, to), both);
    return expr_call(d, OP_ATAN2, arguments, 2);
}

//   omega = a1 q1' + b q2',  b = R a2,  a1.b = c:   q1' = omega.(a1 - c b)/(1 - c^2), and so on
static void universal(Rows *r) {
    Dag *d = r->d;
    const Expr *a1 = r->tie->axis, *a2 = r->tie->axis2;
    Expr b[3], seen[3], normal[3], one = expr_number(d, 1), rate[2][3];
    m3_apply(d, r->ab.R, a2, b);
    m3_apply_transposed(d, r->ab.R, a1, seen);
    v3_cross(d, b, a1, normal);
    Expr c = v3_dot(d, a1, a2), scale = expr_div(d, one, expr_sub(d, one, expr_mul(d, c, c)));
    hold_place(r, 0, 3);
    Expr phi = expr_sub(d, v3_dot(d, a1, b), c);
    hold(r, angular(r, normal), phi);
    for (int i = 0; i < 3; i++) {
        rate[0][i] = expr_mul(d, scale, expr_sub(d, a1[i], expr_mul(d, c, b[i])));
        rate[1][i] = expr_mul(d, scale, expr_sub(d, b[i], expr_mul(d, c, a1[i])));
    }
    Expr first = turned_by(r, a1, a2, b);
    release(r, angular(r, rate[0]), first);
    Expr second = turned_by(r, a2, seen, a1);
    release(r, angular(r, rate[1]), second);
}

// Axis i of b in the axes of a: flows of planar and spherical joints are in those of the body.
static void own_axis(Rows *r, int i, Expr out[3]) {
    for (int k = 0; k < 3; k++) out[k] = r->ab.R[3 * k + i];
}

static void trace_joint(Rows *r) {
    Expr axis[3];
    switch (r->tie->joint) {
    case JOINT_FIXED:
        hold_place(r, 0, 3);
        hold_turning(r);
        break;
    case JOINT_REVOLUTE:
        hold_place(r, 0, 3);
        hold_axis(r);
        release_about_z(r);
        break;
    case JOINT_PRISMATIC:
        hold_place(r, 0, 2);
        hold_turning(r);
        release(r, along(r, 2), r->ab.p[2]);
        break;
    case JOINT_CYLINDRICAL:
        hold_place(r, 0, 2);
        hold_axis(r);
        release(r, along(r, 2), r->ab.p[2]);
        release_about_z(r);
        break;
    case JOINT_HELICAL: hold_helix(r); break;
    case JOINT_UNIVERSAL: universal(r); break;
    case JOINT_PLANAR:
        hold_place(r, 2, 3);
        hold_axis(r);
        for (int i = 0; i < 2; i++) {
            own_axis(r, i, axis);
            release(r, linear(r, axis), r->ab.p[i]);
        }
        release_about_z(r);
        break;
    default:
        hold_place(r, 0, 3);
        for (int i = 0; i < 3; i++) {
            own_axis(r, i, axis);
            release(r, angular(r, axis), 0);
        }
    }
}

// --- others --------------------------------------------------------------------------------------

static void trace_distance(Rows *r) {
    Dag *d = r->d;
    Expr length = expr_sqrt(d, v3_dot(d, r->ab.p, r->ab.p)), unit[3];
    for (int i = 0; i < 3; i++) unit[i] = expr_div(d, r->ab.p[i], length);
    if (r->tie->kind == TIE_ACTUATOR) {
        release(r, linear(r, unit), length);
        return;
    }
    Expr phi = expr_sub(d, length, r->tie->size);
    hold(r, linear(r, unit), phi);
}

// v + omega x c along i is (e_i; c x e_i) on (v; omega).
static void trace_rolling(Rows *r) {
    Dag *d = r->d;
    Expr contact[3], s[3], one = expr_number(d, 1), down = expr_neg(d, r->tie->size);
    v3_zero(d, contact);
    contact[2] = down;
    if (r->tie->kind == TIE_WHEEL) {
        m3_apply(d, r->ab.R, r->tie->axis, s);
        Expr level = expr_sqrt(d, expr_sub(d, one, expr_mul(d, s[2], s[2])));
        Expr to_rim[3] = {expr_zero(d), expr_zero(d), one};
        for (int i = 0; i < 3; i++) to_rim[i] = expr_sub(d, to_rim[i], expr_mul(d, s[2], s[i]));
        v3_scale(d, expr_div(d, down, level), to_rim, contact);
        contact[2] = expr_mul(d, down, level); // = -r (1 - s_z^2)/level
    }
    for (int i = 0; i < 3; i++) {
        Six row = along(r, i);
        v3_cross(d, contact, row.lin, row.ang);
        hold(r, row, i == 2 ? expr_add(d, r->ab.p[2], contact[2]) : 0);
    }
}

static void trace_knife(Rows *r) {
    Expr across[3];
    m3_apply(r->d, r->ab.R, r->tie->axis, across);
    hold(r, linear(r, across), 0);
}

static void trace_tie(Rows *r, const MechTie *tie) {
    r->tie = tie;
    r->number = 0;
    m3_identity(r->d, r->F);
    bool about_z = tie->kind == TIE_JOINT ? tie->joint != JOINT_UNIVERSAL
                                          : tie->kind == TIE_LINE || tie->kind == TIE_PLANE;
    if (about_z) frame_about(r->d, tie->axis, r->F);
    find_motion(r, tie);
    switch (tie->kind) {
    case TIE_JOINT: trace_joint(r); break;
    case TIE_LINE:
        hold_place(r, 0, 2);
        release(r, along(r, 2), r->ab.p[2]);
        break;
    case TIE_PLANE: hold_place(r, 2, 3); break;
    case TIE_DISTANCE:
    case TIE_ACTUATOR: trace_distance(r); break;
    case TIE_KNIFE: trace_knife(r); break;
    default: trace_rolling(r);
    }
}

// --- prescribed motion: q = u(t), beta w = u'(t) -------------------------------------------------

// Coordinate o moves the driven one by `factor`.
static void lead(Rows *r, ConstraintRow *row, Expr factor, Matrix beta, int o) {
    double number;
    if (expr_is_number(r->d, factor, &number) && number == 0) return;
    for (int v = 0; v < r->t->nv; v++)
        row->slope[v] =
            expr_sub(r->d, row->slope[v], expr_mul(r->d, factor, MATRIX_AT(beta, o, v)));
}

// phi = q - drive(t, coordinates of other joints)
static void trace_drive(Rows *r, const MechJoint *j, const Expr *q, Matrix beta, Expr time) {
    int number = (int)(j - r->m->joint), first = r->t->joint_q[number];
    for (int c = 0; c < joint_coordinates(j); c++) {
        ConstraintRow *row = &r->h->row[r->h->row_count++];
        *row = (ConstraintRow){.tie = -1,
                               .joint = number,
                               .index = c,
                               .kept = true,
                               .phi = expr_sub(r->d, q[first + c], j->drive[c]),
                               .rate = expr_derivative(r->d, j->drive[c], time),
                               .slope = ARENA_ARRAY(r->out, Expr, r->t->nv),
                               .lambda = j->effort + c,
                               .mu = j->mu + c,
                               .nu = j->nu + c};
        for (int v = 0; v < r->t->nv; v++) row->slope[v] = MATRIX_AT(beta, first + c, v);
        for (int o = 0; o < r->t->nq; o++)
            lead(r, row, expr_derivative(r->d, j->drive[c], q[o]), beta, o);
    }
}

Constraints *constraints_trace(Arena *out, Dag *d, const Mechanism *m, const Expr *q, Expr time) {
    Rows r = {.out = out, .d = d, .m = m, .h = ARENA_NEW(out, Constraints)};
    int rows = 0, ports = 0;
    for (int i = 0; i < m->tie_count; i++) {
        rows += tie_rows(m->tie[i].kind, m->tie[i].joint);
        ports += tie_freedom(m->tie[i].kind, m->tie[i].joint);
    }
    for (int i = 0; i < m->joint_count; i++)
        if (m->joint[i].driven) rows += joint_coordinates(&m->joint[i]);
    r.h->row = ARENA_ARRAY(out, ConstraintRow, rows);
    r.h->port = ARENA_ARRAY(out, FreeRow, ports);
    r.t = tree_build(&r.scratch, d, m, false);
    tree_set_coordinates(d, r.t, q);
    r.h->nq = r.t->nq;
    r.h->nv = r.t->nv;
    r.column = ARENA_ARRAY(&r.scratch, Six, r.t->nv);
    r.moves = ARENA_ARRAY(&r.scratch, bool, r.t->nv);
    for (int i = 0; i < m->tie_count; i++) trace_tie(&r, &m->tie[i]);
    Matrix beta = mech_beta(&r.scratch, d, m, q);
    for (int i = 0; i < m->joint_count; i++)
        if (m->joint[i].driven) trace_drive(&r, &m->joint[i], q, beta, time);
    arena_free(&r.scratch);
    return r.h;
}
