// The state of a walk back; inside this folder.
#ifndef BONDYN_SENSITIVITY_WALK_BACK_H
#define BONDYN_SENSITIVITY_WALK_BACK_H

#include "base/array.h"
#include "sensitivity/walk_inside.h"

typedef struct {
    Machine *machine;
    Weights *weights;
    Straight *straight; // its rates, where they solve no blocks
    Stride stride;
} Visited;

typedef struct {
    const WalkPlan *plan;
    const WalkVisitor *visitor;
    ARRAY(Visited) visited;
    int n;
    double *lambda;    // of the states
    double *mu;        // of the memory, while laws change
    double tau;        // of the moment of the present event
    const Node *event; // that begins further on the way back; NULL: none
    int room;
    double *seed; // of results
    bool *apart;  // see walk_back
} Walk;

// --- tapes and failures (walk_back.c) ------------------------------------------------------------

bool back_fail(Walk *w, const Node *n);
// Weights of the states that a tape found, or of a memory, into `to`; they are taken away.
void back_take_states(Visited *v, double *to, bool add);
bool back_tape(Walk *w, Visited *v, const TapeFunction *f, double time, const double *x);

// --- steps (walk_back_steps.c) -------------------------------------------------------------------

// From the point `to` back to x at `time`, in the strides that the way forth took.
bool back_step(Walk *w, Visited *v, Node *to, double time, const double *x);

#endif
