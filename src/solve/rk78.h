// A run with steps of its own choice by the pair of order 8 and 7, for rk78.c and rk78_lanes.c.
//
//     rk78_ready     what is due before a step: how long it should be          once or again
//     rk78_attempt   13 stages: where it leads, and the error of that              |
//     rk78_settle    accepted: events, wanted points; rejected: shorter -----------+
//
// Where something is looked for inside a step, events or wanted points, three calls more give a
// polynomial over it (rk78_inside.c). These and attempts are all that lanes do together; the rest
// is each run's own.
#ifndef BONDYN_SOLVE_RK78_H
#define BONDYN_SOLVE_RK78_H

#include "solve/job.h"

enum { RK78_STAGES = 13, RK78_ALL_STAGES = 16, RK78_POWERS = 8 }; // all: for the polynomial too

typedef struct {
    Job *j;
    int total;           // states, then quadratures: so are all arrays below
    double t, h;         // where the run is; how long the next step should be, 0: not known
    double *y, *weight;  // there; 1/tolerance
    double target;       // where a step has to end, whatever is wanted before
    double longest;      // step, so that no swing is stepped over; 0: any
    double jump, after;  // of signals of time: the last time before it, the first behind it
    int failures;        // of the present step
    double tried_at;     // where a start anew was of no use; NaN: nowhere
    double last, judged; // step that was accepted, 0: none since a start; its error in tolerances
    double step, end;    // of the attempt: its length, and where it ends
    double *k;           // rates at the stages
    bool begun;          // those of the first stage are known
    BranchLook look;     // where loops are after the attempt, if it was `looked`
    bool looked;
    bool again;                // the attempt was made once more, on the branches of loops
    double *polynomial;        // y inside the step, see engine/rk78.def
    double known;              // the length of step that it is for; 0: it is not known
    bool given;                // lanes have made it already
    bool whole;                // it is known of quadratures, too, and not of states alone
    double *next, *error;      // y at its end, and the error of that
    double *trial, *rate;      // scratch
    int *crossed, *others;     // switches that changed; room
    double *event_function[3]; // switch functions at a, b and between them, see rk78_event.c
} Rk78;

// --- rk78.c
void rk78_open(Rk78 *k, Job *j);
void rk78_shut(Rk78 *k);
bool rk78_start(Rk78 *k); // events and wanted points at the start; false: stop
bool rk78_ready(Rk78 *k); // false: the run is over, or cannot go on
// good: every rate had a value. quiet: it is known that no relation changed.
bool rk78_is_accepted(const Rk78 *k);             // an attempt that went well
bool rk78_settle(Rk78 *k, bool good, bool quiet); // false: stop

// --- rk78_step.c
bool rk78_attempt(Rk78 *k); // false: a rate has no value
bool rk78_more(Rk78 *k);    // rates for the polynomial, after an attempt; false: one has no value
void rk78_polynomial(Rk78 *k, int first, int count); // by these rates
double rk78_norm(const Rk78 *k, const double *x);    // in tolerances
double rk78_first_step(Rk78 *k);                     // 0: a rate has no value

// --- rk78_inside.c
bool rk78_wants(const Rk78 *k);                    // is a point inside the step wanted?
bool rk78_look_inside(Rk78 *k);                    // false: a rate has no value
void rk78_inside(Rk78 *k, double time, double *y); // states, then quadratures
void rk78_state_inside(const Rk78 *k, double time, double *state);

// --- rk78_event.c: a relation changed in the accepted step. `step`, `end` and `next` become those
// of the first point where one has. False: a rate has no value on the way.
bool rk78_locate(Rk78 *k);
void rk78_keep_inside(Rk78 *k); // see peaks.c
// The same of one that changed inside and changed back before the end.
bool rk78_ends_inside(Rk78 *k);

#endif
