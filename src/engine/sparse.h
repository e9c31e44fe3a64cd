// Sparse LU factors of a matrix whose pattern never changes (KLU), inside this folder.
//
//   sparse_new      pattern -> order of elimination, once
//   sparse_factor   numbers -> factors; the first time with pivoting, later with the pivots found
//                   then and without allocation, unless they have become bad
//   sparse_solve    x -> A^-1 x
//
// Rows and columns are multiplied by powers of two first, as the dense kernel does, so that pivots
// compare and the bound for a singular matrix means the same.
#ifndef BONDYN_ENGINE_SPARSE_H
#define BONDYN_ENGINE_SPARSE_H

#include <stdbool.h>

typedef struct SparseFactor SparseFactor;

SparseFactor *sparse_new(int n, const int *column_start, const int *row); // keeps both
void sparse_free(SparseFactor *s);
double *sparse_entries(SparseFactor *s); // to be filled before sparse_factor, which scales them
bool sparse_factor(SparseFactor *s);     // false: singular or not finite
void sparse_solve(SparseFactor *s, double *x);
void sparse_solve_transposed(SparseFactor *s, double *x); // x becomes A'^-1 x
double *sparse_column_scale(SparseFactor *s);

// What a singular matrix leaves open, from its entries (unscaled) as they are: x with A x near 0
// and y with A' y near 0, largest part 1. False when the matrix is not singular after all, or no
// number.
bool sparse_null_vectors(int n, const int *column_start, const int *row, const double *entry,
                         double *x, double *y);

#endif
