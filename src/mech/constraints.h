// What holds a mechanism beside its tree: constraints and drives as rows over its velocities.
//
//     phi(q, t) = 0         where coordinates are constrained (not for knife edges and rolling)
//     J(q) w = rate(t)      velocities along the row
//
// The same J brings the row's effort lambda in: J' lambda. It is exact for every row, so the bond
// between a constraint and the mechanism loses nothing.
#ifndef BONDYN_MECH_CONSTRAINTS_H
#define BONDYN_MECH_CONSTRAINTS_H

#include "mech/mech.h"

typedef struct {
    int tie, joint;    // whose it is: a tie, or with -1 the drive of a joint
    int index;         // which of its rows
    Expr direction[6]; // ties: (linear; angular) in the axes of the first end
    Expr phi;          // 0 = only the velocity is constrained
    Expr *slope;       // J, one for each velocity in the order of the mechanism
    Expr rate;
    bool kept;          // false: nothing can move along it anyway
    int lambda, mu, nu; // variables
    int circuit;        // rows that depend on each other have one number from 1 on; 0: on none
} ConstraintRow;

typedef struct { // a freedom of a tie: f = J w, and its effort enters by J'
    int tie, index;
    Expr *slope;
    Expr coordinate; // 0 = none
} FreeRow;

typedef struct {
    int nq, nv;
    ConstraintRow *row;
    int row_count;
    FreeRow *port;
    int port_count;
} Constraints;

// constraints.c: all rows in the order of constraints, then of joints. q are symbols, in mechanism
// order.
Constraints *constraints_trace(Arena *out, Dag *d, const Mechanism *m, const Expr *q, Expr time);

// assemble.c: a start that fulfils all rows, near the one that is given; rows along which nothing
// moves are no longer `kept`. `value` holds numbers of parameters and time by symbol index; those
// of q are found besides. w: velocities at the start. False: reported.
typedef struct {
    Arena *scratch;
    Dag *d;
    const Mechanism *m;
    const Constraints *h;
    const Expr *q; // symbols
    double *value;
    double *w; // in and out
    Report *r;
} Assembly;

bool constraints_assemble(const Assembly *a);

// assemble.c: marks rows of J, n*nv, that do not depend on those before them; returns how many.
int independent_rows(Arena *scratch, const double *J, int n, int nv, bool *independent);

#endif
