// A tape over intervals: between which bounds do its results stay while time passes from a to b?
//
//     sin(3 t) over [0, 0.2]   ->   [0, 0.565]
//
// What holds for an interval holds for every point of it, so nothing between two looks can be
// missed, however short it is. Bounds may be too wide, never too narrow (but for roundings):
// whoever needs better ones asks for a shorter interval.
#ifndef BONDYN_ENGINE_BOUNDS_H
#define BONDYN_ENGINE_BOUNDS_H

#include "engine/program.h"

typedef struct {
    double low, high; // infinite: unbounded
} Bound;

typedef struct Bounds Bounds;

// Needs: a tape without blocks. Nullable: holds, a machine whose relations and pieces of functions stay as they are.
Bounds *bounds_new(const Program *p, const TapeFunction *f, const Machine *holds);
void bounds_free(Bounds *b);
// Reads parameters and held values from the machine. True: one of them has changed.
bool bounds_refresh(Bounds *b, const Machine *m);
void bounds_give(Bounds *b, int state, Bound over); // where the tape has states
void bounds_over(Bounds *b, double from, double to, Bound *result);
// May a result jump over the interval that was looked at last, as 1/x and the angle atan2 do? Slopes do not show it.
bool bounds_jump(const Bounds *b, int result);

#endif
