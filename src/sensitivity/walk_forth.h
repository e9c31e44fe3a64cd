// The state of a walk forth; inside this folder.
#ifndef BONDYN_SENSITIVITY_WALK_FORTH_H
#define BONDYN_SENSITIVITY_WALK_FORTH_H

#include "sensitivity/walk_inside.h"

typedef struct { // a machine with its dots
    Machine *machine;
    Dots *dots;
    Stride stride;
    SolverKind method; // of the stride; it is open
    bool open;
} Visited;

typedef struct {
    const WalkPlan *plan;
    const WalkVisitor *visitor;
    ARRAY(Visited) visited;
    int present;     // of them
    int k, all;      // parameters; directions
    int n;           // states of the present machine
    double time, *x; // where the walk is
    double *S;       // dx/dp: n rows of `all` numbers
    double *Q;       // of the integrals
    double *memory, *memory_dots;
    double *rate;
    bool event; // the moment moves with parameters: dtau
    double *dtau;
    Node *began;      // where the event began
    int room;         // states that x, S and rate have room for
    const Kept *kept; // that the machine has now; NULL: others
    double rtol;
} Walk;

#endif
