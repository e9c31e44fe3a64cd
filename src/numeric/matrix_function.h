// Functions of matrices in numbers: what control design needs, by ordered Schur forms (LAPACK).
//
//   function   inputs            output
//   solve      A, B              X n x m: A X = B
//   lyap       A, Q              X: A X + X A' + Q = 0
//   dlyap      A, Q              X: A X A' - X + Q = 0
//   sylvester  A, B, C           X n x m: A X + X B + C = 0         (B is m x m)
//   care       A, B, Q, R, S     X: A'X + X A - (X B + S) R^-1 (B'X + S') + Q = 0, stabilising
//   dare       A, B, Q, R, S     X: A'X A - X - (A'X B + S)(R + B'X B)^-1 (B'X A + S') + Q = 0
//   expm       A                 exp(A)
//   place      A, B, p           K m x n: A - B K has the eigenvalues p (n x 2: re, im)
//   place_rate A, B, p and their rates   the rate of K
//   external   n numbers         m numbers: a function of others (external.h)
//
// Inputs and outputs lie one after the other, each row by row. Nothing is allocated: whoever calls
// brings the room. A derivative of any of them is made of the others (expr/matrix_rates.c).
#ifndef BONDYN_NUMERIC_MATRIX_FUNCTION_H
#define BONDYN_NUMERIC_MATRIX_FUNCTION_H

#include "base/text.h"
#include "numeric/external.h"
#include <stdbool.h>
#include <stddef.h>

typedef enum {
    MATRIX_SOLVE,
    MATRIX_LYAP,
    MATRIX_DLYAP,
    MATRIX_SYLVESTER,
    MATRIX_CARE,
    MATRIX_DARE,
    MATRIX_EXPM,
    MATRIX_PLACE,
    MATRIX_PLACE_RATE,
    MATRIX_EXTERNAL,
    MATRIX_FUNCTIONS
} MatrixFunction;

typedef struct {
    MatrixFunction function;
    int n, m;                 // rows of A; columns of B, where there is one
    const External *external; // of MATRIX_EXTERNAL
    bool observes;            // in words: A' and C' stand in the places of A and B (lqe)
} MatrixShape;

typedef enum {
    MATRIX_GOOD,
    MATRIX_NOT_FINITE, // an input is no number
    MATRIX_SINGULAR,   // solve
    MATRIX_NOT_UNIQUE, // lyap, dlyap, sylvester: two eigenvalues add up to 0, or have the product 1
    MATRIX_Q_NOT_SYMMETRIC, // care, dare
    MATRIX_R_NOT_SYMMETRIC,
    MATRIX_R_NOT_POSITIVE,
    MATRIX_NOT_STABILISING, // no solution: some mode is out of reach, or has no weight
    MATRIX_POLE_ALONE,      // place: a complex pole without its conjugate
    MATRIX_POLE_REPEATED,   // more often than B has independent columns
    MATRIX_OUT_OF_REACH,    // place: a mode that must move cannot
    MATRIX_INACCURATE,      // place: poles are not where they should be
    MATRIX_FOREIGN,         // external: it failed
} MatrixFault;

const char *matrix_function_name(MatrixShape s);
int matrix_input_count(MatrixShape s);
int matrix_output_count(MatrixShape s);
size_t matrix_work_count(MatrixShape s); // doubles
// Outputs are NAN where there is a fault.
MatrixFault matrix_compute(MatrixShape s, const double *in, double *out, double *work);
// d <weight, out> / d in, for outputs that were computed; work: twice as much as for the outputs.
// False: there is none.
bool matrix_adjoint(MatrixShape s, const double *in, const double *out, const double *weight,
                    double *gain, double *work);

// What is wrong, and what to do: for messages; allocates.
void matrix_explain(MatrixShape s, const double *in, Text *what, Text *help);

#endif
