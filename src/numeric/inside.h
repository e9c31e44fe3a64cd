// What the files of this folder share. Matrices lie column by column from here on.
#ifndef BONDYN_NUMERIC_INSIDE_H
#define BONDYN_NUMERIC_INSIDE_H

#include "numeric/lapack.h"
#include "numeric/matrix_function.h"

typedef struct { // memory that is given out from the front
    double *next;
} Room;

double *room_take(Room *r, int rows, int cols);
int *room_integers(Room *r, int count);

// c = a b, with a or b transposed where 't' stands; c is m x n, k is the inner size.
void multiply(char ta, char tb, int m, int n, int k, const double *a, const double *b, double *c);
void from_rows(int rows, int cols, const double *in, double *out); // row by row to column by column
void to_rows(int rows, int cols, const double *in, double *out);
void transpose_into(int n, const double *a, double *out); // square
void symmetrise(int n, double *a);
double largest_entry(int count, const double *a);
bool all_finite(int count, const double *a);
bool is_symmetric(int n, const double *a);

// Each false: there is no unique solution. X may not be an input.
bool solve_linear(int n, int columns, double *a, double *b, Room room); // a is lost, b solved
bool solve_lyap(int n, const double *a, const double *q, double *x, Room room);
bool solve_dlyap(int n, const double *a, const double *q, double *x, Room room);
bool solve_sylvester(int n, int m, const double *a, const double *b, const double *c, double *x,
                     Room room);
MatrixFault solve_care(int n, int m, const double *const in[5], double *x, Room room);
MatrixFault solve_dare(int n, int m, const double *const in[5], double *x, Room room);
bool solve_expm(int n, const double *a, double *x, Room room);
MatrixFault solve_place(int n, int m, const double *a, const double *b, const double *p, double *k,
                        Room room);
MatrixFault solve_place_rate(int n, int m, const double *const in[6], double *rate, Room room);

// Eigenvalues; a is lost.
bool eigenvalues(int n, double *a, double *re, double *im, Room room);
// The smallest singular value of [A - lambda 1, B] (B: n x m), against the size of both. Nullable:
// left, its left vector (n).
double distance_to_loss(int n, int m, const double *a, const double *b, Complex16 lambda,
                        Complex16 *left, Room room);

#endif
