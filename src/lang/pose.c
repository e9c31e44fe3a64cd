// Places and turns of frames, traced into expressions.
//
//   turn by angle a about unit axis u:   R = c I + (1 - c) u u' + s [u x]
//   pose (r, R) then (q, Q):             (r + R q, R Q)
#include "lang/pose.h"

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

// --- products ------------------------------------------------------------------------------------

// out = a*b for matrices (n x m)(m x k); out is neither of them
static void multiply(Dag *d, const Expr *a, const Expr *b, int n, int m, int k, Expr *out) {
    Expr term[6];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++) {
            for (int l = 0; l < m; l++) term[l] = expr_mul(d, a[i * m + l], b[l * k + j]);
            out[i * k + j] = expr_sum(d, term, m);
        }
}

static void transpose(const Expr *a, int n, Expr *out) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) out[j * n + i] = a[i * n + j];
}

Pose pose_none(Dag *d) {
    Pose p;
    for (int i = 0; i < 3; i++) p.at[i] = expr_number(d, 0);
    for (int i = 0; i < 9; i++) p.turn[i] = expr_number(d, i % 4 == 0);
    return p;
}

void pose_point(Dag *d, const Pose *a, const Expr x[3], Expr out[3]) {
    Expr turned[3];
    multiply(d, a->turn, x, 3, 3, 1, turned);
    for (int i = 0; i < 3; i++) out[i] = expr_add(d, a->at[i], turned[i]);
}

Pose pose_then(Dag *d, const Pose *a, const Pose *b) {
    Pose p;
    pose_point(d, a, b->at, p.at);
    multiply(d, a->turn, b->turn, 3, 3, 3, p.turn);
    return p;
}

void turn_tensor(Dag *d, const Expr turn[9], const Expr x[9], Expr out[9]) {
    Expr half[9], back[9];
    multiply(d, turn, x, 3, 3, 3, half);
    transpose(turn, 3, back);
    multiply(d, half, back, 3, 3, 3, out);
}

// --- turns ---------------------------------------------------------------------------------------

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

void unit_vector(Dag *d, const Expr *x, int n, Expr *out) {
    Expr square[4] = {0};
    for (int i = 0; i < n; i++) square[i] = expr_mul(d, x[i], x[i]);
    Expr length = expr_sqrt(d, expr_sum(d, square, n));
    for (int i = 0; i < n; i++) out[i] = expr_div(d, x[i], length);
}

// --- inertia -------------------------------------------------------------------------------------

// The twist at the frame from the twist at its parent: v_f = R' (v - r x w), w_f = R' w.
static void twist_matrix(Dag *d, const Pose *a, Expr x[36]) {
    Expr back[9], zero = expr_number(d, 0), turned[9];
    transpose(a->turn, 3, back);
    const Expr arm[9] = {zero,
                         a->at[2],
                         expr_neg(d, a->at[1]),
                         expr_neg(d, a->at[2]),
                         zero,
                         a->at[0],
                         a->at[1],
                         expr_neg(d, a->at[0]),
                         zero}; // -[r x]
    multiply(d, back, arm, 3, 3, 3, turned);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            x[6 * i + j] = x[6 * (i + 3) + j + 3] = back[3 * i + j];
            x[6 * i + j + 3] = turned[3 * i + j];
            x[6 * (i + 3) + j] = zero;
        }
}

void pose_inertia(Dag *d, const Pose *a, const Expr m[36], Expr out[36]) {
    Expr x[36], back[36], half[36];
    twist_matrix(d, a, x);
    transpose(x, 6, back);
    multiply(d, back, m, 6, 6, 6, half);
    multiply(d, half, x, 6, 6, 6, out);
}
