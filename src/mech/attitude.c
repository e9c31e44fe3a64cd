// How a spherical or free joint keeps its attitude, and how that follows the angular velocity.
//
//   quaternion   quat' = quat * (0, omega)/2
//
// keeps its length; rotations divide by the length, so whatever drift an integrator adds turns
// nothing, and no stage needs to normalise.
//
//   angles       R = R_i(a) R_j(b) R_k(c),   u = R_k(c) omega: seen from before the last turn
//
// With m the third axis beside i and j, and s = 1 where i, j, m follow each other as x, y, z do,
// u = R_j(b)' e_i a' + e_j b' + e_k c' = (cos b e_i + s sin b e_m) a' + e_j b' + e_k c' gives
//
//   k = m:   a' = u_i / cos b         b' = u_j      c' = u_k - s sin b a'
//   k = i:   a' = s u_m / sin b       b' = u_j      c' = u_i - cos b a'
//
// The divisor is the `hold` of the angles: where it vanishes, the first and the last turn are about
// the same axis.
#include "mech/attitude.h"

#include "spatial/spatial.h"
#include <string.h>

static Expr cosine(Dag *d, Expr x) { return expr_call(d, OP_COS, &x, 1); }
static Expr sine(Dag *d, Expr x) { return expr_call(d, OP_SIN, &x, 1); }

// Turn about x, y or z.
static void axis_turn(Dag *d, int axis, Expr angle, Expr R[9]) {
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    m3_identity(d, R);
    R[3 * i + i] = R[3 * j + j] = cosine(d, angle);
    R[3 * j + i] = sine(d, angle);
    R[3 * i + j] = expr_neg(d, R[3 * j + i]);
}

void attitude_matrix(Dag *d, EulerAngles a, const Expr *q, Expr R[9]) {
    Expr turn[9];
    if (!a.used) {
        quaternion_matrix(d, q, R);
        return;
    }
    axis_turn(d, a.axis[0], q[0], R);
    for (int i = 1; i < ANGLES; i++) {
        axis_turn(d, a.axis[i], q[i], turn);
        m3_times(d, R, turn, R);
    }
}

// quat * (0, omega)/2
static void quaternion_rate(Dag *d, const Expr q[4], const Expr w[3], Expr *out) {
    Expr half = expr_number(d, 0.5), imaginary[3];
    v3_cross(d, q + 1, w, imaginary);
    out[0] = expr_scale(d, -0.5, v3_dot(d, q + 1, w));
    for (int i = 0; i < 3; i++) {
        Expr turned = expr_mul(d, q[0], w[i]);
        out[1 + i] = expr_mul(d, half, expr_add(d, turned, imaginary[i]));
    }
}

Expr attitude_hold(Dag *d, EulerAngles a, const Expr *q) {
    return angles_repeat(a) ? sine(d, q[1]) : cosine(d, q[1]);
}

void attitude_rate(Dag *d, EulerAngles a, const Expr *q, const Expr w[3], Expr *rate) {
    if (!a.used) {
        quaternion_rate(d, q, w, rate);
        return;
    }
    int i = a.axis[0], j = a.axis[1], m = 3 - i - j;
    bool again = angles_repeat(a), minus = (i + 1) % 3 != j;
    Expr R[9], u[3], s = sine(d, q[1]), c = cosine(d, q[1]);
    axis_turn(d, a.axis[2], q[2], R);
    m3_apply(d, R, w, u);
    if (minus) s = expr_neg(d, s);
    rate[0] = again ? expr_div(d, u[m], s) : expr_div(d, u[i], c);
    rate[1] = u[j];
    rate[2] = expr_sub(d, u[again ? i : m], expr_mul(d, again ? c : s, rate[0]));
}

// Half of each angle about its axis, one after the other: (v, x) * (cos, sin e) = (v cos - x.e sin,
// x cos + v e sin + x x e sin)
void attitude_quaternion(Dag *d, EulerAngles a, const Expr *q, Expr out[4]) {
    Expr zero = expr_zero(d), first[4] = {expr_number(d, 1), zero, zero, zero};
    memcpy(out, first, sizeof first);
    for (int t = 0; t < ANGLES; t++) {
        int e = a.axis[t], i = (e + 1) % 3, j = (e + 2) % 3;
        Expr half = expr_mul(d, expr_number(d, 0.5), q[t]), c = cosine(d, half), s = sine(d, half);
        Expr v = out[0], along = out[1 + e], x = out[1 + i], y = out[1 + j];
        out[0] = expr_products_subtract(d, v, c, along, s);
        out[1 + e] = expr_products_add(d, along, c, v, s);
        out[1 + i] = expr_products_add(d, x, c, y, s);
        out[1 + j] = expr_products_subtract(d, y, c, x, s);
    }
}
