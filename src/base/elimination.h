// Small dense systems of linear equations, row by row.
#ifndef BONDYN_BASE_ELIMINATION_H
#define BONDYN_BASE_ELIMINATION_H

#include <stdbool.h>

// Gauss and Jordan with row pivots: a (n x n) is destroyed, x becomes a^-1 x. False: a is singular.
bool elimination_solve(int n, double *a, double *x);

#endif
