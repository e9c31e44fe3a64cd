// Many runs of one experiment, with other parameters each.
//
//     once         program, native code for single runs and for runs over lanes; modes of laws that
//                  switch when a run first meets them
//     batch_run    runs from a queue, up to `batch_lanes` at once; each gives what run_experiment
//                  would give, to the last bit, whichever runs are beside it
#ifndef BONDYN_RUN_BATCH_H
#define BONDYN_RUN_BATCH_H

#include "run/run.h"

typedef struct RunBatch RunBatch;

typedef struct {
    const RunOptions *options; // of every run; its engine decides about native code
    const Run *nominal;        // a run of the same experiment: its method, how long it took
    double runs;               // of it that are to come, for each process
    int lanes; // 1: one run at a time; 2, 4 or 8 at a time; 0: as many as the processor has lanes
} BatchPlan;

RunBatch *batch_new(const System *s, const BatchPlan *plan);
void batch_free(RunBatch *b);
int batch_lanes(const RunBatch *b);
const char *batch_words(const RunBatch *b); // how the runs go, and why: for people

typedef struct {
    int slot;   // 0 .. batch_lanes - 1, of no other run at this time
    int number; // whoever asks for the run may count
    RunOptions options;
    Report report;
    Run *run; // NULL: it could not start
} BatchRun;

typedef struct {
    bool (*next)(void *context, BatchRun *run); // gives number and options; false: no more
    void (*done)(void *context, BatchRun *run); // frees run and report
    void *context;
    int at_once; // runs, at most; 0: as many as there are lanes
} RunQueue;

void batch_run(const RunBatch *b, const RunQueue *q);

#endif
