// Rotations, traced.
//
//   turn by angle a about unit axis u:   R = c I + (1 - c) u u' + s [u x]
#include "spatial/spatial.h"

#include <math.h>
#include <string.h>

// --- sine and cosine -----------------------------------------------------------------------------

// A number that is a whole multiple of a right angle but for rounding: which one?
static bool right_angle(const Dag *d, Expr angle, int *quarter) {
    const double quarter_turn = 1.57079632679489661923;
    double a;
    if (!expr_is_number(d, angle, &a) || fabs(a) > 1e6) return false;
    double n = round(a / quarter_turn);
    if (fabs(a - n * quarter_turn) > 1e-15 * (1 + fabs(a))) return false;
    *quarter = (int)n & 3;
    return true;
}

static Expr cosine(Dag *d, Expr angle) {
    static const double exact[] = {1, 0, -1, 0};
    int quarter;
    if (right_angle(d, angle, &quarter)) return expr_number(d, exact[quarter]);
    return expr_call(d, OP_COS, &angle, 1);
}

static Expr sine(Dag *d, Expr angle) {
    static const double exact[] = {0, 1, 0, -1};
    int quarter;
    if (right_angle(d, angle, &quarter)) return expr_number(d, exact[quarter]);
    return expr_call(d, OP_SIN, &angle, 1);
}

// --- about an axis -------------------------------------------------------------------------------

void turn_about(Dag *d, const Expr axis[3], Expr angle, Expr turn[9]) {
    Expr c = cosine(d, angle), s = sine(d, angle), rest = expr_sub(d, expr_number(d, 1), c);
    Expr zero = expr_number(d, 0);
    const Expr cross[9] = {zero,
                           expr_neg(d, axis[2]),
                           axis[1],
                           axis[2],
                           zero,
                           expr_neg(d, axis[0]),
                           expr_neg(d, axis[1]),
                           axis[0],
                           zero};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            Expr sum[3] = {i == j ? c : zero, expr_mul(d, rest, expr_mul(d, axis[i], axis[j])),
                           expr_mul(d, s, cross[3 * i + j])};
            turn[3 * i + j] = expr_sum(d, sum, 3);
        }
}

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

// --- quaternions ---------------------------------------------------------------------------------

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

void quaternion_about(Dag *d, const Expr axis[3], Expr angle, Expr out[4]) {
    Expr half = expr_mul(d, expr_number(d, 0.5), angle), s = sine(d, half);
    out[0] = cosine(d, half);
    for (int i = 0; i < 3; i++) out[i + 1] = expr_mul(d, s, axis[i]);
}

void quaternion_then(Dag *d, const Expr a[4], const Expr b[4], Expr out[4]) {
    static const struct {
        signed char index, sign;
    } rule[4][4] = {{{0, 1}, {1, -1}, {2, -1}, {3, -1}}, // out_i = sum_k sign a_k b_index
                    {{1, 1}, {0, 1}, {3, 1}, {2, -1}},
                    {{2, 1}, {3, -1}, {0, 1}, {1, 1}},
                    {{3, 1}, {2, 1}, {1, -1}, {0, 1}}};
    Expr result[4];
    for (int i = 0; i < 4; i++) {
        Expr term[4];
        for (int k = 0; k < 4; k++) {
            Expr product = expr_mul(d, a[k], b[rule[i][k].index]);
            term[k] = rule[i][k].sign > 0 ? product : expr_neg(d, product);
        }
        result[i] = expr_sum(d, term, 4);
    }
    memcpy(out, result, sizeof result);
}

// Entry (i, j) of the rotation by a quaternion of length 1.
static Expr rotation_entry(Dag *d, const Expr q[4], int i, int j) {
    Expr two = expr_number(d, 2);
    int a = (i + 1) % 3, b = (i + 2) % 3;
    if (i == j) {
        Expr others = expr_products_add(d, q[1 + a], q[1 + a], q[1 + b], q[1 + b]);
        Expr twice = expr_mul(d, two, others);
        return expr_sub(d, expr_number(d, 1), twice);
    }
    Expr both = expr_mul(d, q[1 + i], q[1 + j]), about = expr_mul(d, q[0], q[1 + 3 - i - j]);
    return expr_mul(d, two, a == j ? expr_sub(d, both, about) : expr_add(d, both, about));
}

static Expr direction(Dag *d, Expr y, Expr x) { return expr_call(d, OP_ATAN2, (Expr[]){y, x}, 2); }

static Expr hypotenuse(Dag *d, Expr a, Expr b) {
    return expr_sqrt(d, expr_products_add(d, a, a, b, b));
}

// R = R_i(a) R_j(b) R_k(c), s = 1 where i, j and the third axis m follow each other as x, y, z do:
//
//   k = m:   R_ii = cb cc    R_ik = s sb    R_ij = -s cb sc    R_jk = -s sa cb    R_kk = ca cb
//   k = i:   R_ii = cb       R_ij = sb sc   R_im = s sb cc     R_ji = sa sb       R_mi = -s ca sb
void quaternion_angles(Dag *d, const Expr q[4], const unsigned char axis[3], Expr out[3]) {
    int i = axis[0], j = axis[1], m = 3 - i - j;
    Expr R[9], s = expr_number(d, (i + 1) % 3 == j ? 1 : -1), minus = expr_neg(d, s);
    for (int at = 0; at < 9; at++) R[at] = rotation_entry(d, q, at / 3, at % 3);
    Expr ii = R[3 * i + i], ij = R[3 * i + j], im = R[3 * i + m];
    if (axis[2] == i) {
        out[0] = direction(d, R[3 * j + i], expr_mul(d, minus, R[3 * m + i]));
        out[1] = direction(d, hypotenuse(d, ij, im), ii);
        out[2] = direction(d, ij, expr_mul(d, s, im));
    } else {
        out[0] = direction(d, expr_mul(d, minus, R[3 * j + m]), R[3 * m + m]);
        Expr length = hypotenuse(d, ii, ij);
        out[1] = direction(d, expr_mul(d, s, im), length);
        out[2] = direction(d, expr_mul(d, minus, ij), ii);
    }
}
