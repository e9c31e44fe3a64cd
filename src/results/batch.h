// Many runs of one experiment, with other parameters each.
//
//     once         program, native code for single runs and for runs over lanes
//     batch_run    up to `batch_lanes` runs at once; each gives what run_experiment would give,
//                  to the last bit, whichever runs are beside it
#ifndef BONDYN_RESULTS_BATCH_H
#define BONDYN_RESULTS_BATCH_H

#include "results/run.h"

typedef struct RunBatch RunBatch;

typedef struct {
    const RunOptions *options; // of every run; its engine decides about native code
    const Run *nominal;        // a run of the same experiment: its method, how long it took
    double runs;               // of it that are to come, for each process
    int lanes;                 // 1: one run at a time; 0: as many as the processor has lanes
} BatchPlan;

RunBatch *batch_new(const System *s, const BatchPlan *plan);
void batch_free(RunBatch *b);
int batch_lanes(const RunBatch *b);
const char *batch_words(const RunBatch *b); // how the runs go, and why: for people
// o, r, run: one per run, count <= batch_lanes. run[i] is NULL where it could not start.
void batch_run(const RunBatch *b, const RunOptions *o, int count, Report *r, Run **run);

#endif
