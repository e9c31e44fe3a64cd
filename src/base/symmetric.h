// Symmetric matrices in numbers, n x n.
#ifndef BONDYN_BASE_SYMMETRIC_H
#define BONDYN_BASE_SYMMETRIC_H

// Jacobi's rotation of rows and columns p and q, after which a[p][q] is zero. Many of them leave the
// eigenvalues on the diagonal. Nullable: v, whose columns turn with them and become eigenvectors.
void symmetric_turn(int n, double *a, double *v, int p, int q);

#endif
