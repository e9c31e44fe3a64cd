// Symmetric positive definite matrices of expressions.
#ifndef BONDYN_MECH_FACTORS_H
#define BONDYN_MECH_FACTORS_H

#include "expr/expr.h"

// A, n*n, of which the lower triangle counts, becomes L below the diagonal and D on it.
void factors_find(Dag *d, int n, Expr *A);
// x <- A^-1 x, with what factors_find left in A.
void factors_solve(Dag *d, int n, const Expr *A, Expr *x);

#endif
