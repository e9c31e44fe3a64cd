// A machine for several runs at a time, one per SIMD lane.
//
//     registers   [ ... | r7 of run 0, 1, 2, 3 | r8 of run 0, 1, 2, 3 | ... ]     structure of
//     lanes
//
// Parameters, what was prepared from them, held values and switches come from the machine of each
// run, which stays in charge of everything that is rare: start values, events, failures. A lane
// gives the bits of its run alone.
#ifndef BONDYN_ENGINE_LANES_H
#define BONDYN_ENGINE_LANES_H

#include "engine/native.h"

enum { MOST_LANES = 8 };

typedef struct {
    const Program *program;
    const NativeCode *code;
    int lanes;
    double *reg;   // value of register i in lane k: reg[i*lanes + k], and so for all arrays below
    double *held;  // states of switches, 0 or 1
    double *piece; // of functions with pieces
    double *room, *work;
    bool hold;
} LaneMachine;

// Why a program cannot run over lanes: what it has that lanes do not know; NULL when it can.
const char *lanes_obstacle(const Program *p);
LaneMachine *lanes_new(const Program *p, const Native *n); // n: ready, for lanes
void lanes_free(LaneMachine *x);
void lanes_load(LaneMachine *x, int lane, const Machine *m); // parameters, prepared, held, switches
void lanes_load_held(LaneMachine *x, int lane, const Machine *m); // held and switches alone
// Arrays of vectors below are from memory_aligned. A step of the same length in all lanes,
// from y to `to`: states, then quadratures. Gives: a bit for each lane in which it failed.
int lanes_step(LaneMachine *x, SolverKind method, double time, double h, const double *y,
               double *to);
// From here on every lane has a time of its own.
typedef struct { // a step of order 8, see rk78.def: states, then quadratures
    double *time, *h, *y;
    double *next, *error; // results
    double *end;          // times at the end, for lanes_inside
    double *k;            // rates at the 13 stages, and at three more for y inside the step
    double *polynomial;   // which is this
} LaneAttempt;
int lanes_attempt(LaneMachine *x, const LaneAttempt *a);
int lanes_inside(LaneMachine *x, const LaneAttempt *a); // after an attempt
void lanes_outputs(LaneMachine *x, const double *time, const double *y, double *output);
void lanes_switches(LaneMachine *x, const double *time, const double *y, double *value);
void lanes_rates(LaneMachine *x, const double *time, const double *y, double *rate, double *quad);

#endif
