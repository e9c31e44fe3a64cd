// What the methods share that go over lanes: fixed steps together over one grid (fixed_lanes.c),
// steps of each lane's own (rk78_lanes.c).
#ifndef BONDYN_SOLVE_LANES_H
#define BONDYN_SOLVE_LANES_H

#include "engine/lanes.h"
#include "solve/job.h"

void fixed_lanes(SolveLane *lane, int count, const Native *code);         // one group, to its end
void rk78_lanes(const LaneQueue *q, SolveLane *lane, const Native *code); // lane[0]: has a run

// The lanes in which a relation differs from its held value; events_missed then looks closer.
unsigned lanes_changed(LaneMachine *x, const double *time, const double *y, double *event_function);

#endif
