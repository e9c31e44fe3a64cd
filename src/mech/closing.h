// A mechanism that is constrained while its loops are being closed: shared by assemble.c, which
// finds coordinates and velocities, and closing_rows.c, which finds the rows that say nothing new.
#ifndef BONDYN_MECH_CLOSING_H
#define BONDYN_MECH_CLOSING_H

#include "mech/constraints.h"

typedef struct {
    const Assembly *a;
    int n, nv, nq; // rows; velocities; coordinates
    Expr *entry;   // phi, G, J, rate, beta, to be evaluated together
    int entry_count;
    double *number;                    // their values, with names:
    double *phi, *G, *J, *rate, *beta; // n, n*nv, n*nv, n, nq*nv
    double *weight;                    // per velocity: 1 free to move, 0 kept
    double *M, *y, *step, *old;        // n*n, n, nv, nq
} Closing;

double *closing_place(const Closing *c, int coordinate);     // the number of a coordinate
void closing_solve(Closing *c, const double *A, double eps); // y becomes (A W A' + eps)^-1 y
void closing_apply(Closing *c, const double *A);             // step = W A' y
double closing_norm(const double *x, int n);
void closing_move(Closing *c, double by); // coordinates along the step
void closing_keep(Closing *c);            // coordinates, to go back to
bool closing_gaps(Closing *c);            // coordinates that fulfil phi = 0, from the present ones
void closing_weights(Closing *c, bool keep_given,
                     bool flows);                      // joints whose start is given stay, or not
void closing_restart(Closing *c, const double *start); // coordinates as at the start
Pos row_pos(const Closing *c, const ConstraintRow *row);
const char *row_owner(const Closing *c, const ConstraintRow *row);
void row_name(const Closing *c, Text *out, const ConstraintRow *row);

// False: reported. The rows that repeat others are left out of c->a.
bool closing_judge(Closing *c);
bool closing_directions(Closing *c); // every row has one

#endif
