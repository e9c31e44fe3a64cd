// The explicit bond graph of energies while it is made; inside this folder only.
//
//     graphing.c        what it is made of: velocities, coordinates, energies, squares
//     derive_graph.c    its text
#ifndef BONDYN_MECH_GRAPHING_H
#define BONDYN_MECH_GRAPHING_H

#include "mech/derive.h"
#include "mech/formula.h"
#include "mech/mech.h"

typedef struct {
    Expr q; // symbol
    const char *name;
    const char *unit; // "m", "rad", "1"
    Expr start;
    Expr rate; // q' = beta f
} GraphCoordinate;

typedef struct {
    Text *out;
    Arena *scratch;
    const Model *m;
    const Mechanism *x;
    Dag *d;
    Report *r;
    SquareForm form;
    Formulas text;
    int n, nq;
    Expr *f, *unit;    // velocities, inertias of 1
    const char **name; // of velocities
    bool *linear;      // velocities of translation
    int *own;          // coordinate whose rate a velocity is; -1: it is no rate
    GraphCoordinate *coordinate;
    Expr *q;            // their symbols
    Matrix beta, gamma; // nq x n; n x n, of velocities that are no rates
    Expr *rate;         // velocities at the start
    Expr T, V, D;
    Expr *slope; // X_j V: efforts of the potential
    Squares square;
    bool *moves;  // per square: in the axes of a length
    Expr *p;      // per square: its momentum, a symbol
    bool *own_C;  // per velocity: one C has all that the potential takes from it
    bool joint_V; // the potential couples coordinates
    bool joint_D;
} Graphing;

bool graphing_read(Graphing *g);                                       // false: reported
bool graphing_refuse(Graphing *g, const char *what, const char *help); // always false
Expr graphing_along(const Graphing *g, Expr e,
                    int velocity); // X_j e: its rate while f_j alone is 1
const char *graphing_clean(const Graphing *g, const char *name);
// How a symbol is written, and its unit.
void graphing_call(Graphing *g, Expr symbol, const char *name, Dim dim);
Dim dim_of_text(const char *unit);
Dim flow_dim(bool linear);
Dim effort_dim(bool linear);
Dim inertia_dim(bool linear);

#endif
