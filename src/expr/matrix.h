// Vectors and matrices as structure over scalar expressions: a shape and its entries, row by row.
#ifndef BONDYN_EXPR_MATRIX_H
#define BONDYN_EXPR_MATRIX_H

#include "base/arena.h"
#include "expr/expr.h"

typedef struct {
    int rows, cols; // a scalar is 1 x 1; a vector is n x 1
    Expr *at;       // rows*cols entries
} Matrix;

Matrix matrix_new(Arena *out, int rows, int cols); // entries 0 (no expression)
Matrix matrix_scalar(Arena *out, Expr e);
Matrix matrix_identity(Arena *out, Dag *d, int n);
Matrix matrix_add(Arena *out, Dag *d, Matrix a, Matrix b);
Matrix matrix_sub(Arena *out, Dag *d, Matrix a, Matrix b);
Matrix matrix_scale(Arena *out, Dag *d, Matrix a, Expr by);
Matrix matrix_multiply(Arena *out, Dag *d, Matrix a, Matrix b);
Matrix matrix_transpose(Arena *out, Matrix a);
Matrix matrix_cross(Arena *out, Dag *d, Matrix a, Matrix b);
Matrix matrix_skew(Arena *out, Dag *d, Matrix a); // skew(a)*b = a x b
Expr matrix_dot(Dag *d, Matrix a, Matrix b);
// Symbolic inverse of small matrices (diagonal ones of any size; others up to 4 x 4 by cofactors
// and beyond that by fraction-free elimination). False when it is singular as a symbol structure.
bool matrix_inverse(Arena *out, Dag *d, Matrix a, Matrix *inverse);
// Of some 10 rows at most: the number of minors that it is made of doubles with each.
Expr matrix_determinant(Arena *scratch, Dag *d, Matrix a);
#define MATRIX_AT(m, i, j) ((m).at[(i) * (m).cols + (j)])

#endif
