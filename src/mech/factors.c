// Symmetric matrices of expressions that are positive definite: A = L D L' needs no pivots, so one
// sequence of operations serves every position.
//
//      D_j  = A_jj - sum L_jc^2 D_c              L_ij = (A_ij - sum L_ic D_c L_jc)/D_j
//
// Entries that are zero fold away, so blocks that share nothing cost what they cost apart.
#include "mech/factors.h"

void factors_find(Dag *d, int n, Expr *A) {
    for (int j = 0; j < n; j++) {
        for (int c = 0; c < j; c++) {
            Expr l = A[j * n + c];
            A[j * n + j] = expr_sub(d, A[j * n + j], expr_mul(d, expr_mul(d, l, l), A[c * n + c]));
        }
        for (int i = j + 1; i < n; i++) {
            Expr sum = A[i * n + j];
            for (int c = 0; c < j; c++)
                sum = expr_sub(d, sum,
                               expr_mul(d, A[i * n + c], expr_mul(d, A[c * n + c], A[j * n + c])));
            A[i * n + j] = expr_div(d, sum, A[j * n + j]);
        }
    }
}

void factors_solve(Dag *d, int n, const Expr *A, Expr *x) {
    for (int i = 0; i < n; i++)
        for (int c = 0; c < i; c++) x[i] = expr_sub(d, x[i], expr_mul(d, A[i * n + c], x[c]));
    for (int i = 0; i < n; i++) x[i] = expr_div(d, x[i], A[i * n + i]);
    for (int i = n - 1; i >= 0; i--)
        for (int c = i + 1; c < n; c++) x[i] = expr_sub(d, x[i], expr_mul(d, A[c * n + i], x[c]));
}
