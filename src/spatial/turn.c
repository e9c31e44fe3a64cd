// Turns of joints, child axes -> parent axes, in the form that costs least.
#include "spatial/spatial.h"

#include <string.h>

enum { X, Y, Z };

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
    bool symmetric = m3_is_symmetric(a);
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
