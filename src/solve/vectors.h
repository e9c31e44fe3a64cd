// Vectors and matrices for the integrators of SUNDIALS, with kernels of our own (vectors.c).
#ifndef BONDYN_SOLVE_VECTORS_H
#define BONDYN_SOLVE_VECTORS_H

#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_nvector.h>

// The numbers of a vector, without a call: a step asks some twenty times.
static inline double *vector_data(N_Vector x) { return NV_DATA_S(x); }

N_Vector vectors_new(sunindextype length, SUNContext context); // zeros; NULL: no memory
SUNMatrix vectors_matrix(sunindextype n, SUNContext context);
// Zeros by columns, with this pattern for good: it has the diagonal.
SUNMatrix vectors_sparse(sunindextype n, const sunindextype *start, const sunindextype *row,
                         SUNContext context);
SUNLinearSolver vectors_solver(N_Vector y, SUNMatrix matrix, SUNContext context);

// x becomes a^-1 x, the matrix its factors. False: it is singular.
bool vectors_full_solve(int n, double *a, double *x);

#endif
