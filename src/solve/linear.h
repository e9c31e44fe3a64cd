// The linear algebra of the implicit method: which matrix, which solver, how it is filled.
//
//   few states, or a full matrix      dense LU
//   many states, sparse               KLU on the pattern of the Jacobian and the diagonal
//   pattern unknown or too costly     GMRES without a matrix
#ifndef BONDYN_SOLVE_LINEAR_H
#define BONDYN_SOLVE_LINEAR_H

#include "solve/job.h"
#include <cvodes/cvodes.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

typedef struct {
    Job *j;
    SUNMatrix matrix; // NULL: GMRES
    SUNLinearSolver solver;
    bool sparse;
    double *nonzero;                // of the program's pattern
    N_Vector b, x;                  // of equations beside the run; NULL: there is no matrix
    sunindextype *start, *row, *to; // sparse: pattern with the diagonal; where each nonzero goes
} Linear;

// Attaches solver and Jacobian to an integrator. False when memory or the library fails.
bool linear_init(Linear *l, Job *j, void *cvode, N_Vector y, SUNContext context);
void linear_free(Linear *l);
// How far the rounding of rates moves the states, by the factors of the last step.
void linear_pass_rounding(Linear *l, void *cvode);

#endif
