// A machine for several runs at a time, one per SIMD lane.
//
//     registers   [ ... | r7 of run 0, 1, 2, 3 | r8 of run 0, 1, 2, 3 | ... ]
//
// Parameters, what was prepared from them, held values and switches come from the machine of each
// run, which stays in charge of everything that is rare: start values, events, failures. A lane
// gives the bits of its run alone.
//
// Where blocks of equations are solved, their unknowns belong to the state of a run, as Newton's
// method begins at the last ones: they travel with it from the lane to the machine and back, and
// whoever takes a step again begins with those from before it. So whatever is computed for some
// lanes only leaves the unknowns of the others alone (`active`).
#ifndef BONDYN_ENGINE_LANES_H
#define BONDYN_ENGINE_LANES_H

#include "engine/native.h"

enum { MOST_LANES = 8 };

typedef struct {
    const Program *program;
    const NativeCode *code;
    int lanes;
    double *reg;   // value of register i in lane k: reg[i*lanes + k], and so for all arrays below
    double *truth; // states of switches, 0 or 1
    double *piece; // of functions with pieces
    double *room, *work;
    bool hold;
    Machine *machine[MOST_LANES]; // of the runs
    int unknowns;                 // numbers per lane of all blocks; 0: none is solved
    // sets of lanes, a bit for each
    unsigned active; // whose unknowns may change
    unsigned failed; // in which a block had no solution in the last call
} LaneMachine;

// Why a program cannot run over lanes: what it has that lanes do not know; NULL when it can.
const char *lanes_obstacle(const Program *p);
LaneMachine *lanes_new(const Program *p, const Native *n); // n: ready, for lanes
void lanes_free(LaneMachine *x);
void lanes_load(LaneMachine *x, int lane, Machine *m); // parameters, prepared, and what follows:
void lanes_load_held(LaneMachine *x, int lane, const Machine *m); // held, switches, unknowns
double *lanes_unknown_room(const LaneMachine *x);                 // for the unknowns of all lanes
void lanes_keep(const LaneMachine *x, double *unknown);           // those of now
// To the machine of the run. Nullable: unknown, kept before; else those of now.
void lanes_hand_back(const LaneMachine *x, int lane, const double *unknown);
// Arrays of vectors below are from memory_aligned. A step of the same length in all lanes,
// from y to `to`: states, then quadratures. Gives: a bit for each lane in which it failed.
int lanes_step(LaneMachine *x, WholeStep method, double time, double h, const double *y,
               double *to);
// From here on every lane has a time of its own.
typedef struct { // a step of order 8, see rk78.def: states, then quadratures
    double *time, *h, *y;
    double *next, *error; // results
    double *end;          // times at the end, for lanes_inside
    double *k;            // rates at the 13 stages, and at three more for y inside the step
    double *polynomial;   // which is this
    unsigned fresh;       // lanes in which those of the first stage are not known yet
} LaneAttempt;
int lanes_attempt(LaneMachine *x, const LaneAttempt *a);
int lanes_inside(LaneMachine *x, const LaneAttempt *a); // after an attempt
// Both give the lanes in which a block had no solution.
unsigned lanes_outputs(LaneMachine *x, const double *time, const double *y, double *output);
unsigned lanes_switches(LaneMachine *x, const double *time, const double *y, double *value);
void lanes_rates(LaneMachine *x, const double *time, const double *y, double *rate, double *quad);

#endif
