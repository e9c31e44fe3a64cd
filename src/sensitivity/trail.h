// The trail of a run: its points, and all that happened between them, kept to go along it again.
//
//     START  STEP STEP POINT STEP CROSS ACTIONS STEP STEP ... STEP
//       |     x    x     x    x     |      |
//       '-- start values            '------'-- values and laws change here: the steps behind see
//                                              other held values and relations (`Kept`)
//
// A point inside a step may come after the step; it is put in its place. The points of steps are
// what adjoints call checkpoints: from each the run can be taken up again.
#ifndef BONDYN_SENSITIVITY_TRAIL_H
#define BONDYN_SENSITIVITY_TRAIL_H

#include "base/array.h"
#include "solve/solve.h"

typedef struct { // what a machine holds between events
    Machine *machine;
    double *held, *piece, *unknown;
    unsigned char *relation;
    bool hold;
} Kept;

typedef struct { // of a step, gone along at once
    double time, h;
    const double *state; // where it begins; NULL: where the one before it ended, or the step begins
    const signed char *side; // of the machine's kinks; NULL: as values say
} StepPart;

typedef struct {
    TrailKind kind;
    double time;
    const double *state; // as the mark has it
    const Kept *kept;    // of the machine: during the step, or at the mark
    const Kept *jump;    // of a jump's machine
    const int *crossed;  // TRAIL_CROSS: numbers of relations, then -1
    const SolveMode *mode;
    SolverKind method;
    long point; // TRAIL_POINT: its number
    bool used;  // the same: somebody wants to know something there
    bool asked; // of an event: a peak may lie there
    // Found on the first way along it:
    const double *before, *reached; // states, or the memory, before and after what happens here
    const Kept *held_before;        // TRAIL_CHOICE: with the picks as they were
    const double *rate_before;      // of an event: the rates on both sides of it,
    const double *rate_after;       // this one where it is over;
    const double *quad_before;      // and what the integrals add up there
    const double *quad_after;
    double event_rate;    // how fast the relation that caused it changed
    int cause;            // its number; -1: a time that is given
    const int *beside;    // all relations at their zeros then, then -1
    int strides;          // into which a step is divided,
    const StepPart *part; // as many; NULL: equal ones (cuts.h)
    bool joined;          // the stride goes over steps before it, too (stretch.h),
    bool passed;          // which have this
    double fastest;       // rate of the equations hereabouts (edge.h); 0: not looked at
} Node;

typedef struct {
    Arena arena;
    ARRAY(Node) node;
    const Kept *present; // of the last step; NULL: something has happened since
    long points;
    const signed char *side; // of kinks, in the last part of a step
    int sides;
    bool folds;   // the run passed a fold of a loop
    double bytes; // so far
} Trail;

void trail_mark(void *trail, const TrailMark *mark); // SolveOptions.trail
const Kept *trail_keep(Trail *t, Machine *m);        // what it holds now
void trail_free(Trail *t);
int trail_before(const Trail *t, int at); // the node before that has a point of its own; -1: none
void kept_restore(const Kept *k);         // back into its machine
void kept_restore_held(const Kept *k);    // the same, but for unknowns of loops and relations

#endif
