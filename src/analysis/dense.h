// Dense linear algebra by LAPACK; matrices column by column (dense.c).
#ifndef BONDYN_ANALYSIS_DENSE_H
#define BONDYN_ANALYSIS_DENSE_H

#include <complex.h>
#include <stdbool.h>

typedef double complex Complex;

// Eigenvalues of A, and its vectors A v = lambda v, w^H A = lambda w^H, each of length 1. The matrix
// is balanced first, so that the units of states do not matter. Nullable: right and left, together.
bool dense_eigen(int n, const double *A, Complex *value, Complex *right, Complex *left);
// Solves A X = B in place of B; A is overwritten. False: singular.
bool dense_solve(int n, double *A, int columns, double *B);
bool dense_solve_complex(int n, Complex *A, int columns, Complex *B);
// H = Q' A Q in place of A, zero below the entries beside the diagonal, and Q' V in place of V, n by columns.
bool dense_hessenberg(int n, double *A, int columns, double *V);
// As dense_solve_complex for such an H, in n^2 operations.
bool dense_solve_hessenberg(int n, Complex *H, Complex *b);
// Diagonal d that balances A: d^-1 A d has rows and columns of similar size.
void dense_balance(int n, const double *A, double *d);
// An orthonormal basis of all x with R x = 0, of n - rows columns; R: rows by n of full rank.
bool dense_kernel(int rows, int n, const double *R, double *basis);

// The shortest x of the best of A x = b, with singular values below rank*largest as zero; b has room for
// the longer of both and becomes x; A is overwritten.
bool dense_least_squares(int rows, int columns, double *A, double *b, double rank);
// Directions x with A x = 0 by the same measure, columns of length 1; gives their number.
int dense_null_space(int rows, int columns, const double *A, double rank, double *basis);

// Scales with which the largest entry of each row and column is near 1.
void dense_equilibrate(int rows, int columns, const double *A, double *row_scale,
                       double *column_scale);
// P, columns by rows: x = P b is the shortest of the best of A x = b, in these scales, with singular values below rank*largest
// as zero. Gives how many are above; -1: not found.
int dense_inverse(int rows, int columns, const double *A, double rank, double *P);

// A = U diag(s) V', s falling; A, U and V column by column, rows >= columns or square. A is not changed.
bool dense_singular(int rows, int columns, const double *A, double *s, double *U, double *V);

// C = A B: (rows by inner)(inner by columns)
void dense_multiply(int rows, int inner, int columns, const double *A, const double *B, double *C);

#endif
