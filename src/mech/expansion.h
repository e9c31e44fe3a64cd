// A mechanism on its way into the flat model; inside this folder only.
#ifndef BONDYN_MECH_EXPANSION_H
#define BONDYN_MECH_EXPANSION_H

#include "base/array.h"
#include "lang/model.h"
#include "mech/constraints.h"

typedef struct {
    Model *m;
    Dag *d;
    Arena *out;
    Arena scratch;
    Report *report;
    double *number; // by symbol index: parameters
    const Mechanism *x;
    Mechanism *changing; // the same, where it turns out that nothing holds it
    MechInputs in;
    Expr *start_q, *start_w;  // coordinates and velocities at the start
    Constraints *constraints; // NULL: it has neither constraints nor drives nor actuators
    const int *follows;     // per velocity, of followers in proportion: its row, or -1; NULL: none
    const bool *prescribed; // per velocity: the rows prescribe it; NULL: none is
    Expr stabilisation;     // rate at which states go back onto the constraints
    Matrix solved; // velocities of what is integrated, and B^-1 J', where it is constrained
    const MechEquations *traced;
    Expr *axes; // 9 per frame: turns what is in its axes into those of its port; NULL: all are its
                // own
    ARRAY(Equation) law;
    ARRAY(StartSpeed) speed;
    ARRAY(StartTie) tie;
    ARRAY(When) guard;        // what ends a run
    ARRAY(ModeChoice) choice; // rigid stops: equations count from the first law, modes and their
    ARRAY(Mode) mode;         // laws from the first here
    ARRAY(Equation) mode_law;
    ARRAY(Before) before;
} Expansion;

static inline Expr symbol(const Expansion *k, int var) { return k->m->var[var].symbol; }

// --- expand.c
void add_law(Expansion *k, Expr left, Expr right, Pos pos);
void add_rated_law(Expansion *k, Expr left, Expr right, Expr rate, Pos pos); // rate: of left
Expr effort_of(const Expansion *k, int var); // 0 where nothing is bonded
void free_efforts(Expansion *k, int first, int count, Pos pos);
// Ends the run where `hold`, 1 at the start, falls to a small part of that: `what` is singular
// then.
void add_guard(Expansion *k, Expr hold, Name what, Pos pos, const char *help);
// An event without actions, which no step of more than 1/rate_bound passes over.
void add_pause(Expansion *k, Expr hold, double part, Expr rate_bound, Pos pos);

// --- constraint_laws.c
bool constraint_open(Expansion *k);   // rows, and a start that fulfils them; false: reported
void constraint_inputs(Expansion *k); // efforts of ports, and velocities where they are constrained
Expr *constraint_efforts(Expansion *k);       // all efforts, with those of the rows
Expr *constraint_accelerations(Expansion *k); // form lagrange: w' with those of the rows
// The rate of a state, stabilised towards what is seen of it.
Expr constraint_rate(const Expansion *k, Expr rate, int seen, int state);
void constraint_laws(Expansion *k);
Pos constraint_row_pos(const Expansion *k, const ConstraintRow *row);
Expr motion_rate_squared(Expansion *k, double floor, const bool *counts);
double *velocity_units(Expansion *k);

// --- sharing.c
typedef enum { SHARE_EXACT, SHARE_BESIDE } Sharing; // where it is used: on the constraints, or near
// Q, n*n: what is added to the matrix of these constraint rows (whose diagonal is given) so that it
// is regular although some rows repeat others. False: no rows repeat each other, and Q is zero.
bool share_load(Expansion *k, const ConstraintRow **row, int n, Sharing how, const Expr *diagonal,
                Expr *Q);

// --- watch.c
void watch_signs(Expansion *k, const ConstraintRow **row, int n);
int *row_groups(Expansion *k, const ConstraintRow **row,
                int n); // per row: the first that it hangs with

// --- drives.c
bool drives_are_sound(Expansion *k); // false: reported

// --- follow.c
// Does nothing but proportions to other joints hold the mechanism? Then these are put in.
bool find_followers(Expansion *k);
void follow_inputs(Expansion *k); // states of the joints that lead, and what follows from them
void follow_laws(Expansion *k);
Expr *follow_gather(Expansion *k, const Expr *efforts); // G' e, zero at followers
Expr *follow_spread(Expansion *k, const Expr *leading); // G u

// --- prescribed.c
void find_led(Expansion *k); // after the start is known
bool is_led(const Expansion *k, const MechJoint *j);

// --- weightless.c
bool start_is_regular(Expansion *k); // false: reported

// --- limits.c
bool check_limits(Expansion *k);                                          // false: reported
Expr stopped_effort(const Expansion *k, const MechJoint *j, Expr bonded); // either may be 0
void limit_laws(Expansion *k, const MechJoint *j);
void stop_energies(Expansion *k); // what elastic stops store, added to that of the mechanism
void stop_losses(Expansion *k);   // ... and what they turn into heat

// --- stops.c
bool check_rigid_stop(Expansion *k, const MechJoint *j); // false: reported
void rigid_stop_laws(Expansion *k, const MechJoint *j);
void keep_stops(Expansion *k); // into the model, before its equations are

// --- angle_laws.c
bool check_angles(Expansion *k);          // false: a start at the singular attitude is reported
void angle_laws(Expansion *k, int joint); // what is seen of them, and where the run ends

// --- lagrangian.c
bool lagrangian_expand(Expansion *k); // false: reported

#endif
