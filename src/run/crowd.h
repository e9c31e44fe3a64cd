// Many runs of one experiment side by side, one per SIMD lane, that are advanced from step to step with
// open inputs:
//
//     inputs, a row per run -> crowd_step -> columns of the results, a row per run
//
// Runs stand in groups, one run per lane; groups do not know of each other, so threads share a
// crowd by groups. A run that is over begins again with the next step, which does nothing else for
// it. As long as all of a group are over at the same time they stay together; one that fails goes
// on by itself until they meet again.
#ifndef BONDYN_RUN_CROWD_H
#define BONDYN_RUN_CROWD_H

#include "run/job.h"

typedef struct Crowd Crowd;

typedef enum { CROWD_GOES_ON, CROWD_ENDED, CROWD_FAILED } CrowdState;

// dt: of a step; input: open variables. NULL: reported. A fixed-step method is wanted, whose grid
// dt is on, and code for lanes.
Crowd *crowd_new(const System *s, const RunOptions *o, int count, double dt, const int *input,
                 int input_count, Report *r);
void crowd_free(Crowd *c);            // Nullable
const Run *crowd_run(const Crowd *c); // for names and units of its columns
int crowd_lanes(const Crowd *c);
int crowd_groups(const Crowd *c);

// Groups from `first` to before `last`. value: a row of columns (without time, as shown) per run of
// the crowd; state: how each run is after it. inputs: SI, a row per run. which: per run, the others are left alone;
// Nullable: all.
void crowd_reset(Crowd *c, int first, int last, const bool *which, double *value);
void crowd_step(Crowd *c, int first, int last, const double *inputs, double *value,
                unsigned char *state);

#endif
