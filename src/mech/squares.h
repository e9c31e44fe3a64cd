// A kinetic energy as a sum of squares, one inertia each:
//
//     T(q, f) = sum over k of  I_k (a_k(q) . f)^2 / 2
//
// With I_k constant this is what a bond graph of plain inertias and modulated transformers shows:
// a_k are the moduli (McBride). With I_k = 1 and as many squares as flows it is Brown's form: every
// inertia owns a state, and all that changes is in the transformers.
#ifndef BONDYN_MECH_SQUARES_H
#define BONDYN_MECH_SQUARES_H

#include "base/arena.h"
#include "expr/expr.h"

typedef enum { SQUARES_CONSTANT, SQUARES_UNIT } SquareForm;

typedef struct {
    Expr inertia;      // of parameters alone
    const Expr *slope; // a_k, one for each flow, of coordinates and parameters
} Square;

typedef struct {
    Square *at;
    int count;
} Squares;

typedef struct {
    Arena *out;
    Dag *d;
    int n, nq; // flows, coordinates
    const Expr *q, *f;
    const Expr *unit; // inertia 1 for each flow, a symbol
    double *value;    // numbers by symbol index: parameters, and coordinates of some position
} Flows;

// Squares that the energy is written with are kept where their inertias are constant and positive;
// the rest is completed to squares. False: the energy is not quadratic in the flows.
bool squares_find(const Flows *w, Expr T, SquareForm form, Squares *out);

#endif
