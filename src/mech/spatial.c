// Three-vectors, turns and inertias, traced. The formulas stand above the functions.
#include "mech/spatial.h"

#include <math.h>
#include <string.h>

enum { X, Y, Z };

// --- numbers and scalars -------------------------------------------------------------------------

Expr expr_zero(Dag *d) { return expr_number(d, 0); }

bool expr_is_zero(const Dag *d, Expr e) {
    double value;
    return expr_is_number(d, e, &value) && value == 0;
}

bool all_numbers(const Dag *d, const Expr *e, int n, double *value) {
    for (int i = 0; i < n; i++)
        if (!expr_is_number(d, e[i], &value[i])) return false;
    return true;
}

double snap_unit(double x) {
    const double rounding = 1e-14;
    double whole = nearbyint(x);
    return fabs(x - whole) < rounding && fabs(whole) <= 1 ? whole : x;
}

double largest_number(const Dag *d, const Expr *e, int n) {
    double value, largest = 0;
    for (int i = 0; i < n; i++)
        if (expr_is_number(d, e[i], &value)) largest = fmax(largest, fabs(value));
    return largest;
}

void snap_numbers(Dag *d, Expr *e, int n, double scale) {
    const double rounding = 1e-15;
    double value, largest = fmax(scale, largest_number(d, e, n));
    for (int i = 0; i < n; i++)
        if (expr_is_number(d, e[i], &value) && fabs(value) < rounding * largest)
            e[i] = expr_zero(d);
}

// --- vectors and matrices ------------------------------------------------------------------------

void v3_zero(Dag *d, Expr out[3]) { out[X] = out[Y] = out[Z] = expr_zero(d); }

void v3_copy(const Expr a[3], Expr out[3]) { memmove(out, a, 3 * sizeof *out); }

void v3_add(Dag *d, const Expr a[3], const Expr b[3], Expr out[3]) {
    for (int i = 0; i < 3; i++) out[i] = expr_add(d, a[i], b[i]);
}

void v3_sub(Dag *d, const Expr a[3], const Expr b[3], Expr out[3]) {
    for (int i = 0; i < 3; i++) out[i] = expr_sub(d, a[i], b[i]);
}

void v3_scale(Dag *d, Expr by, const Expr a[3], Expr out[3]) {
    for (int i = 0; i < 3; i++) out[i] = expr_mul(d, by, a[i]);
}

static Expr cross_part(Dag *d, const Expr a[3], const Expr b[3], int i, int j) {
    return expr_products_subtract(d, a[i], b[j], a[j], b[i]);
}

void v3_cross(Dag *d, const Expr a[3], const Expr b[3], Expr out[3]) {
    Expr x = cross_part(d, a, b, Y, Z), y = cross_part(d, a, b, Z, X);
    out[Z] = cross_part(d, a, b, X, Y);
    out[X] = x;
    out[Y] = y;
}

static Expr dot(Dag *d, Expr a, Expr x, Expr b, Expr y, Expr c, Expr z) {
    return expr_sum(d, (Expr[]){expr_mul(d, a, x), expr_mul(d, b, y), expr_mul(d, c, z)}, 3);
}

Expr v3_dot(Dag *d, const Expr a[3], const Expr b[3]) {
    return dot(d, a[X], b[X], a[Y], b[Y], a[Z], b[Z]);
}

void m3_identity(Dag *d, Expr out[9]) {
    for (int i = 0; i < 9; i++) out[i] = expr_number(d, i % 4 == 0);
}

void m3_numbers(Dag *d, const double value[9], Expr out[9]) {
    for (int i = 0; i < 9; i++) out[i] = expr_number(d, value[i]);
}

void m3_transpose(const Expr a[9], Expr out[9]) {
    Expr t[9] = {a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]};
    memcpy(out, t, sizeof t);
}

void m3_add(Dag *d, const Expr a[9], const Expr b[9], Expr out[9]) {
    for (int i = 0; i < 9; i++) out[i] = expr_add(d, a[i], b[i]);
}

void m3_times(Dag *d, const Expr a[9], const Expr b[9], Expr out[9]) {
    Expr t[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            t[3 * i + j] = dot(d, a[3 * i], b[j], a[3 * i + 1], b[3 + j], a[3 * i + 2], b[6 + j]);
    memcpy(out, t, sizeof t);
}

void m3_apply(Dag *d, const Expr a[9], const Expr v[3], Expr out[3]) {
    Expr t[3];
    for (int i = 0; i < 3; i++) t[i] = v3_dot(d, a + 3 * i, v);
    v3_copy(t, out);
}

void m3_apply_transposed(Dag *d, const Expr a[9], const Expr v[3], Expr out[3]) {
    Expr t[3];
    for (int i = 0; i < 3; i++) t[i] = dot(d, a[i], v[X], a[3 + i], v[Y], a[6 + i], v[Z]);
    v3_copy(t, out);
}

void m3_skew(Dag *d, const Expr v[3], Expr out[9]) {
    Expr zero = expr_zero(d);
    Expr t[9] = {
        zero, expr_neg(d, v[Z]), v[Y], v[Z], zero, expr_neg(d, v[X]), expr_neg(d, v[Y]), v[X],
        zero};
    memcpy(out, t, sizeof t);
}

bool m3_is_identity(const Dag *d, const Expr a[9]) {
    double value[9];
    if (!all_numbers(d, a, 9, value)) return false;
    for (int i = 0; i < 9; i++)
        if (value[i] != (i % 4 == 0)) return false;
    return true;
}

static bool is_symmetric(const Expr a[9]) { return a[1] == a[3] && a[2] == a[6] && a[5] == a[7]; }

void m3_congruence(Dag *d, const Expr r[9], const Expr a[9], Expr out[9]) {
    Expr t[9], result[9];
    bool symmetric = is_symmetric(a);
    m3_times(d, r, a, t);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            result[3 * i + j] =
                symmetric && j < i ? result[3 * j + i] : v3_dot(d, t + 3 * i, r + 3 * j);
    memcpy(out, result, sizeof result);
}

//                  [ n/2 - yy - zz    xy - wz          xz + wy       ]
//   R  =  2/n      [ xy + wz          n/2 - xx - zz    yz - wx       ]     n = ww + xx + yy + zz
//                  [ xz - wy          yz + wx          n/2 - xx - yy ]
void quaternion_matrix(Dag *d, const Expr quat[4], Expr out[9]) {
    Expr product[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) product[i][j] = expr_mul(d, quat[i], quat[j]);
    Expr square[4] = {product[0][0], product[1][1], product[2][2], product[3][3]};
    Expr length = expr_sum(d, square, 4), twice = expr_div(d, expr_number(d, 2), length);
    Expr one = expr_number(d, 1);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int k = 3 - i - j;
            if (i == j) {
                Expr others = expr_add(d, square[1 + (i + 1) % 3], square[1 + (i + 2) % 3]);
                out[4 * i] = expr_sub(d, one, expr_mul(d, twice, others));
                continue;
            }
            Expr w = product[0][1 + k];
            bool minus = (i + 1) % 3 == j; // (x,y), (y,z), (z,x): minus w times the third
            Expr sum = minus ? expr_sub(d, product[1 + i][1 + j], w)
                             : expr_add(d, product[1 + i][1 + j], w);
            out[3 * i + j] = expr_mul(d, twice, sum);
        }
}

// --- a frame about an axis -----------------------------------------------------------------------

static void normalise(Dag *d, Expr axis[3]) {
    double v[3];
    if (!all_numbers(d, axis, 3, v)) return;
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++) axis[i] = expr_number(d, snap_unit(v[i] / length));
}

// The coordinate direction for a frame's x, when z is a coordinate direction or has a zero; or -1.
static int plain_normal(const Dag *d, const Expr z[3]) {
    double value;
    for (int i = 0; i < 3; i++)
        if (expr_is_number(d, z[i], &value) && fabs(value) == 1) return (i + 1) % 3;
    for (int i = 0; i < 3; i++)
        if (expr_is_zero(d, z[i])) return i;
    return -1;
}

static int least_component(const Dag *d, const Expr z[3]) {
    double v[3];
    int least = 2;
    if (!all_numbers(d, z, 3, v)) return least;
    for (int i = 0; i < 2; i++)
        if (fabs(v[i]) < fabs(v[least])) least = i;
    return least;
}

// A unit vector normal to z: a coordinate direction, or e x z with the coordinate direction e that
// z is farthest from. (A symbolic z without zeros takes the third: it must not come to lie there.)
static void normal_to(Dag *d, const Expr z[3], Expr x[3]) {
    Expr e[3];
    int plain = plain_normal(d, z), least = least_component(d, z);
    for (int i = 0; i < 3; i++) e[i] = expr_number(d, i == (plain >= 0 ? plain : least));
    v3_copy(e, x);
    if (plain >= 0) return;
    v3_cross(d, e, z, x);
    Expr length = expr_sqrt(d, v3_dot(d, x, x));
    for (int i = 0; i < 3; i++) x[i] = expr_div(d, x[i], length);
}

void frame_about(Dag *d, const Expr axis[3], Expr out[9]) {
    Expr x[3], y[3], z[3];
    v3_copy(axis, z);
    normalise(d, z);
    normal_to(d, z, x);
    v3_cross(d, z, x, y);
    for (int i = 0; i < 3; i++) {
        out[3 * i] = x[i];
        out[3 * i + 1] = y[i];
        out[3 * i + 2] = z[i];
    }
}

// --- poses ---------------------------------------------------------------------------------------

void pose_identity(Dag *d, Pose *out) {
    m3_identity(d, out->R);
    v3_zero(d, out->p);
}

void pose_times(Dag *d, const Pose *a, const Pose *b, Pose *out) {
    Pose t;
    m3_times(d, a->R, b->R, t.R);
    m3_apply(d, a->R, b->p, t.p);
    v3_add(d, t.p, a->p, t.p);
    *out = t;
}

void pose_inverse_times(Dag *d, const Pose *a, const Pose *b, Pose *out) {
    Expr back[9], p[3];
    Pose t;
    m3_transpose(a->R, back);
    m3_times(d, back, b->R, t.R);
    v3_sub(d, b->p, a->p, p);
    m3_apply(d, back, p, t.p);
    *out = t;
}

// Rotations and offsets without the dust of rounding: cos(90 deg) is 0.
void pose_clean(Dag *d, Pose *p) {
    double value;
    for (int i = 0; i < 9; i++)
        if (expr_is_number(d, p->R[i], &value)) p->R[i] = expr_number(d, snap_unit(value));
    snap_numbers(d, p->p, 3, 0);
}

void twist_at(Dag *d, const Pose *frame, const Six *v, Six *out) {
    Six t;
    v3_cross(d, v->ang, frame->p, t.lin);
    v3_add(d, v->lin, t.lin, t.lin);
    m3_apply_transposed(d, frame->R, t.lin, t.lin);
    m3_apply_transposed(d, frame->R, v->ang, t.ang);
    *out = t;
}

void wrench_from(Dag *d, const Pose *frame, const Six *f, Six *out) {
    Six t;
    Expr moment[3];
    m3_apply(d, frame->R, f->lin, t.lin);
    m3_apply(d, frame->R, f->ang, t.ang);
    v3_cross(d, frame->p, t.lin, moment);
    v3_add(d, t.ang, moment, t.ang);
    *out = t;
}

// --- turns ---------------------------------------------------------------------------------------

// In the plane (i, j): [ c -s ; s c ] (v_i; v_j)
static void plane_turn(Dag *d, Expr c, Expr s, int i, int j, Expr v[3]) {
    Expr a = expr_products_subtract(d, c, v[i], s, v[j]);
    Expr b = expr_products_add(d, s, v[i], c, v[j]);
    v[i] = a;
    v[j] = b;
}

void turn_matrix(Dag *d, const Turn *t, Expr out[9]) {
    if (t->whole) {
        memcpy(out, t->E, sizeof t->E);
        return;
    }
    for (int j = 0; j < 3; j++) { // column j is where unit vector j goes
        Expr v[3];
        for (int i = 0; i < 3; i++) v[i] = expr_number(d, i == j);
        turn_up(d, t, v, v);
        for (int i = 0; i < 3; i++) out[3 * i + j] = v[i];
    }
}

// Two turns cost less one after the other, three cost less as a matrix.
void turn_plain(Dag *d, Turn *t) {
    t->plain = true;
    t->whole = false;
    if (expr_is_zero(d, t->sa)) return;
    turn_matrix(d, t, t->E);
    t->whole = true;
}

void turn_up(Dag *d, const Turn *t, const Expr v[3], Expr out[3]) {
    if (t->whole) {
        m3_apply(d, t->E, v, out);
        return;
    }
    v3_copy(v, out);
    plane_turn(d, t->c, t->s, X, Y, out);
    plane_turn(d, t->cb, t->sb, Y, Z, out);
    plane_turn(d, t->ca, t->sa, X, Y, out);
}

void turn_down(Dag *d, const Turn *t, const Expr v[3], Expr out[3]) {
    if (t->whole) {
        m3_apply_transposed(d, t->E, v, out);
        return;
    }
    v3_copy(v, out);
    plane_turn(d, t->ca, t->sa, Y, X, out);
    plane_turn(d, t->cb, t->sb, Z, Y, out);
    plane_turn(d, t->c, t->s, Y, X, out);
}

// Q A Q' for a turn Q in the plane (i, j), by the double angle:
//   g = s (A_ii - A_jj) + c (A_ij + A_ji)
//   B_ii = A_ii - s g    B_jj = A_jj + s g    B_ij = c g - A_ji    B_ji = c g - A_ij
static void plane_tensor(Dag *d, Expr c, Expr s, int i, int j, Expr a[9]) {
    if (expr_is_zero(d, s) && expr_is_number(d, c, NULL) && expr_value(d, c) == 1) return;
    int k = 3 - i - j;
    bool symmetric = is_symmetric(a);
    Expr ii = a[4 * i], jj = a[4 * j], ij = a[3 * i + j], ji = a[3 * j + i];
    Expr g = expr_mul(d, c, expr_add(d, ij, ji));
    g = expr_add(d, expr_mul(d, s, expr_sub(d, ii, jj)), g);
    Expr sg = expr_mul(d, s, g), cg = expr_mul(d, c, g);
    Expr column[3] = {a[k], a[3 + k], a[6 + k]}, row[3] = {a[3 * k], a[3 * k + 1], a[3 * k + 2]};
    plane_turn(d, c, s, i, j, column);
    plane_turn(d, c, s, i, j, row);
    a[4 * i] = expr_sub(d, ii, sg);
    a[4 * j] = expr_add(d, jj, sg);
    a[3 * i + j] = expr_sub(d, cg, ji);
    a[3 * j + i] = symmetric ? a[3 * i + j] : expr_sub(d, cg, ij);
    a[3 * i + k] = column[i];
    a[3 * j + k] = column[j];
    a[3 * k + i] = symmetric ? column[i] : row[i];
    a[3 * k + j] = symmetric ? column[j] : row[j];
}

void turn_tensor_up(Dag *d, const Turn *t, const Expr a[9], Expr out[9]) {
    if (!t->plain) {
        m3_congruence(d, t->E, a, out);
        return;
    }
    memmove(out, a, 9 * sizeof *out);
    plane_tensor(d, t->c, t->s, X, Y, out);
    plane_tensor(d, t->cb, t->sb, Y, Z, out);
    plane_tensor(d, t->ca, t->sa, X, Y, out);
}

// --- inertias ------------------------------------------------------------------------------------

void inertia_zero(Dag *d, Inertia *out) {
    out->full = false;
    out->m = expr_zero(d);
    v3_zero(d, out->mc);
    for (int i = 0; i < 9; i++) out->J[i] = out->M[i] = out->H[i] = out->m;
}

void inertia_make_full(Dag *d, Inertia *a) {
    if (a->full) return;
    a->full = true;
    m3_skew(d, a->mc, a->H);
    for (int i = 0; i < 9; i++) a->M[i] = i % 4 == 0 ? a->m : expr_zero(d);
}

static void symmetric_add(Dag *d, const Expr a[9], const Expr b[9], Expr out[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            out[3 * i + j] = out[3 * j + i] = expr_add(d, a[3 * i + j], b[3 * i + j]);
}

void inertia_add(Dag *d, const Inertia *a, Inertia *to) {
    Inertia b = *a;
    if (b.full) inertia_make_full(d, to);
    if (to->full) {
        inertia_make_full(d, &b);
        symmetric_add(d, to->M, b.M, to->M);
        m3_add(d, to->H, b.H, to->H);
    }
    to->m = expr_add(d, to->m, b.m);
    v3_add(d, to->mc, b.mc, to->mc);
    symmetric_add(d, to->J, b.J, to->J);
}

// J + 2 (p.u) 1 - p u' - u p'   with u = mc + m p/2
static void shift_rigid(Dag *d, Inertia *a, const Expr p[3]) {
    Expr u[3], half = expr_number(d, 0.5);
    for (int i = 0; i < 3; i++) {
        u[i] = expr_mul(d, expr_mul(d, half, a->m), p[i]);
        u[i] = expr_add(d, a->mc[i], u[i]);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Expr pj = expr_mul(d, p[j], u[j]), pk = expr_mul(d, p[k], u[k]), two = expr_number(d, 2);
        Expr sum = expr_mul(d, two, expr_add(d, pj, pk));
        Expr cross = expr_products_add(d, p[i], u[j], p[j], u[i]);
        a->J[4 * i] = expr_add(d, a->J[4 * i], sum);
        a->J[3 * i + j] = a->J[3 * j + i] = expr_sub(d, a->J[3 * i + j], cross);
    }
}

// H' = H + p~ M      J' = J - H p~ + p~ H''
static void shift_full(Dag *d, Inertia *a, const Expr p[3]) {
    Expr column[3], across[9], back[9];
    for (int i = 0; i < 3; i++) v3_cross(d, p, a->H + 3 * i, across + 3 * i); // -(H p~), by rows
    for (int j = 0; j < 3; j++) {
        v3_cross(d, p, a->M + 3 * j, column); // M is symmetric: a row is a column
        for (int i = 0; i < 3; i++) a->H[3 * i + j] = expr_add(d, a->H[3 * i + j], column[i]);
    }
    for (int j = 0; j < 3; j++) v3_cross(d, p, a->H + 3 * j, back + 3 * j); // p~ H'', by columns
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            Expr terms[3] = {a->J[3 * i + j], across[3 * i + j], back[3 * j + i]};
            a->J[3 * i + j] = a->J[3 * j + i] = expr_sum(d, terms, 3);
        }
}

void inertia_shift(Dag *d, Inertia *a, const Expr p[3]) {
    if (a->full)
        shift_full(d, a, p);
    else
        shift_rigid(d, a, p);
    for (int i = 0; i < 3; i++) a->mc[i] = expr_add(d, a->mc[i], expr_mul(d, a->m, p[i]));
}

void inertia_turn(Dag *d, Inertia *a, const Turn *t) {
    turn_up(d, t, a->mc, a->mc);
    turn_tensor_up(d, t, a->J, a->J);
    if (!a->full) return;
    turn_tensor_up(d, t, a->M, a->M);
    turn_tensor_up(d, t, a->H, a->H);
}

void inertia_place(Dag *d, Inertia *a, const Pose *at) {
    if (!m3_is_identity(d, at->R)) {
        Turn t = {.whole = true};
        memcpy(t.E, at->R, sizeof t.E);
        inertia_turn(d, a, &t);
    }
    inertia_shift(d, a, at->p);
}

// f = M v + H' omega,  n = J omega + H v;  rigid: f = m v + omega x mc,  n = J omega + mc x v
void inertia_times(Dag *d, const Inertia *a, const Six *v, Six *out) {
    Six h;
    Expr other[3];
    if (a->full) {
        m3_apply(d, a->M, v->lin, h.lin);
        m3_apply_transposed(d, a->H, v->ang, other);
    } else {
        v3_scale(d, a->m, v->lin, h.lin);
        v3_cross(d, v->ang, a->mc, other);
    }
    v3_add(d, h.lin, other, h.lin);
    m3_apply(d, a->J, v->ang, h.ang);
    if (a->full)
        m3_apply(d, a->H, v->lin, other);
    else
        v3_cross(d, a->mc, v->lin, other);
    v3_add(d, h.ang, other, h.ang);
    *out = h;
}

// --- six-vectors ---------------------------------------------------------------------------------

void six_zero(Dag *d, Six *out) {
    v3_zero(d, out->lin);
    v3_zero(d, out->ang);
}

void six_add(Dag *d, const Six *a, const Six *b, Six *out) {
    v3_add(d, a->lin, b->lin, out->lin);
    v3_add(d, a->ang, b->ang, out->ang);
}

Expr six_dot(Dag *d, const Six *a, const Six *b) {
    Expr angular = v3_dot(d, a->ang, b->ang);
    return expr_add(d, v3_dot(d, a->lin, b->lin), angular);
}

// (omega x h_f ; omega x h_n + v x h_f)
void twist_cross_wrench(Dag *d, const Six *v, const Six *h, Six *out) {
    Six t;
    Expr other[3];
    v3_cross(d, v->ang, h->lin, t.lin);
    v3_cross(d, v->ang, h->ang, t.ang);
    v3_cross(d, v->lin, h->lin, other);
    v3_add(d, t.ang, other, t.ang);
    *out = t;
}
