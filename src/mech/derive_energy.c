// The matrices of a lagrangian from its energies T(q, w), V(q) and its dissipation function D(q,
// w):
//
//      B = d2T/dw2      g = dV/dq      R = dD/dw      C_ij = 1/2 sum_k (B_ij,k + B_ik,j - B_jk,i) w_k
//
// where T = w' B w/2 with B free of w.
#include "mech/derive_energy.h"

static bool is_free_of(const Dag *d, Expr e, const Expr *symbol, int n) {
    for (int i = 0; i < n; i++)
        if (expr_depends(d, e, symbol[i])) return false;
    return true;
}

static Expr slope(Dag *d, Expr e, Expr symbol) {
    return e ? expr_derivative(d, e, symbol) : expr_number(d, 0);
}

static Matrix slopes(Arena *out, Dag *d, Expr e, const Expr *symbol, int n) {
    Matrix column = matrix_new(out, n, 1);
    for (int i = 0; i < n; i++) column.at[i] = slope(d, e, symbol[i]);
    return column;
}

// e where all symbols are 0
static Expr at_rest(Dag *d, Expr e, const Expr *symbol, int n) {
    Rewrite *rest = rewrite_new(d);
    for (int i = 0; i < n; i++) rewrite_set(rest, symbol[i], expr_number(d, 0));
    Expr value = rewrite(rest, e);
    rewrite_free(rest);
    return value;
}

static bool is_zero(const Dag *d, Expr e) {
    double value;
    return expr_is_number(d, e, &value) && value == 0;
}

static bool inertia_matrix(Arena *out, Dag *d, Expr T, const Expr *w, int n, Matrix *B) {
    Matrix p = slopes(out, d, T, w, n);
    *B = matrix_new(out, n, n);
    bool quadratic = is_zero(d, at_rest(d, T, w, n));
    for (int i = 0; i < n; i++) {
        quadratic = quadratic && is_zero(d, at_rest(d, p.at[i], w, n));
        for (int j = 0; j < n; j++) {
            MATRIX_AT(*B, i, j) = i <= j ? slope(d, p.at[i], w[j]) : MATRIX_AT(*B, j, i);
            quadratic = quadratic && is_free_of(d, MATRIX_AT(*B, i, j), w, n);
        }
    }
    return quadratic;
}

static Matrix christoffel(Arena *out, Dag *d, Matrix B, const Expr *q, const Expr *w, int n) {
    Matrix C = matrix_new(out, n, n);
    Expr *term = ARENA_ARRAY(out, Expr, n), half = expr_number(d, 0.5);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                Expr part[] = {slope(d, MATRIX_AT(B, i, j), q[k]),
                               slope(d, MATRIX_AT(B, i, k), q[j]),
                               expr_neg(d, slope(d, MATRIX_AT(B, j, k), q[i]))};
                Expr factor[] = {half, expr_sum(d, part, 3), w[k]};
                term[k] = expr_product(d, factor, 3);
            }
            MATRIX_AT(C, i, j) = expr_sum(d, term, n);
        }
    return C;
}

bool energy_matrices(Arena *out, Dag *d, const Mechanism *x, const Expr *q, const Expr *w, int n,
                     EnergyMatrices *m) {
    if (!x->T || !inertia_matrix(out, d, x->T, w, n, &m->B)) return false;
    m->C = christoffel(out, d, m->B, q, w, n);
    m->g = slopes(out, d, x->V, q, n);
    m->R = slopes(out, d, x->D, w, n);
    return true;
}
