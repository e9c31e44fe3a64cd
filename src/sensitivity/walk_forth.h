// The state of a walk forth; inside this folder.
#ifndef BONDYN_SENSITIVITY_WALK_FORTH_H
#define BONDYN_SENSITIVITY_WALK_FORTH_H

#include "sensitivity/cuts.h"
#include "sensitivity/stretch.h"
#include "sensitivity/walk_inside.h"
#include <string.h>

typedef struct { // a machine with its dots
    Machine *machine;
    Dots *dots;
    Stride stride;
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
    double *rate, *quad; // of the states; of the integrals
    bool event;          // the moment moves with parameters: dtau
    double *dtau;
    bool acted;       // it has set values that are held
    bool apart;       // something else happens at the same moment that parameters move otherwise
    Node *began;      // where the event began
    int room;         // states that x, S and rate have room for
    const Kept *kept; // that the machine has now; NULL: others
    double *event_function; // dots of the relations that are at their zeros where an event begins
    double *side;           // outputs before the present event, with their dots; NULL: nobody asks
    double rtol;
} Walk;

static inline const double *result_dots(const Visited *v, const TapeFunction *f, int i) {
    return dots_of(v->dots, f->result[i]);
}

static inline void take_dots(const Walk *w, double *to, const double *from) {
    memcpy(to, from, (size_t)w->all * sizeof *to);
}

// --- machines and points (walk_forth.c) ----------------------------------------------------------

Visited *forth_here(Walk *w);
int forth_visit(Walk *w, Machine *m); // its number; -1: parameters have no slope
void forth_room(Walk *w, int n);      // for states of another machine
void forth_put(Walk *w, const Visited *v, double time, const double *x, const double *S, int count);
void forth_put_point(Walk *w);
double forth_parameter(const Walk *w, int j); // its value; 0: the present machine has none
bool forth_fail(Walk *w, const Node *n);

// --- what happens (walk_events.c) ----------------------------------------------------------------

const double *event_keep(Walk *w, const double *x); // states, for the way back
bool event_rates(Walk *w, Node *n);                 // what moves with time; false: reported
bool event_begin(Walk *w, Node *n, int at);
bool event_end(Walk *w, int at);
bool event_refuse_apart(Walk *w, const Node *n);
bool event_moves(const Walk *w, int j); // the moment, with a parameter
bool event_actions(Walk *w, Node *n);
bool event_settled(Walk *w, Node *n);
bool event_choose(Walk *w, Node *n);
bool laws_remember(Walk *w, Node *n);
bool laws_instant(Walk *w, Node *n);
bool laws_enter(Walk *w, Node *n);
bool laws_after(Walk *w, Node *n);

// --- values at the moment of an event (walk_sides.c) ---------------------------------------------

bool sides_before(Walk *w, int at); // the event begins; false: no values
bool sides_after(Walk *w);          // it is over: tells the visitor what has no derivative
void sides_forget(Walk *w);

#endif
