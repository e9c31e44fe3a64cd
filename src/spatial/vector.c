// Three-vectors and 3 x 3 matrices, traced.
#include "spatial/spatial.h"

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

bool m3_is_symmetric(const Expr a[9]) { return a[1] == a[3] && a[2] == a[6] && a[5] == a[7]; }

void m3_congruence(Dag *d, const Expr r[9], const Expr a[9], Expr out[9]) {
    Expr t[9], result[9];
    bool symmetric = m3_is_symmetric(a);
    m3_times(d, r, a, t);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            result[3 * i + j] =
                symmetric && j < i ? result[3 * j + i] : v3_dot(d, t + 3 * i, r + 3 * j);
    memcpy(out, result, sizeof result);
}

void unit_vector(Dag *d, const Expr *x, int n, Expr *out) {
    Expr square[4] = {0};
    for (int i = 0; i < n; i++) square[i] = expr_mul(d, x[i], x[i]);
    Expr length = expr_sqrt(d, expr_sum(d, square, n));
    for (int i = 0; i < n; i++) out[i] = expr_div(d, x[i], length);
}
