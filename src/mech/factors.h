// Symmetric positive definite matrices of expressions.
#ifndef BONDYN_MECH_FACTORS_H
#define BONDYN_MECH_FACTORS_H

#include "base/arena.h"
#include "expr/expr.h"

// A, n*n, of which the lower triangle counts, becomes L below the diagonal and D on it.
void factors_find(Dag *d, int n, Expr *A);
// x <- A^-1 x, with what factors_find left in A.
void factors_solve(Dag *d, int n, const Expr *A, Expr *x);

// An order of the rows in which L has far fewer entries than in theirs; false: there is none.
// `full`, n*n: which entries of A are not zero; `block`, rising: rows that stay together.
bool factors_order(Arena *scratch, int n, const bool *full, const int *block, int *order);

#endif
