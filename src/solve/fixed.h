// A run with fixed steps while it goes on, for fixed.c and lanes.c.
#ifndef BONDYN_SOLVE_FIXED_H
#define BONDYN_SOLVE_FIXED_H

#include "solve/job.h"

typedef struct { // growth that the method makes, see fixed_watch.c
    bool on;
    double *space;
    double *size, *from; // where the last look was: sizes of the states, and all of it
    double *one, *two, *registers;
    double time;     // of the last look
    long steps, all; // since then; in all
    long spent;      // on looking
    int wrong;       // looks in a row that found growth of the method
} FixedWatch;

typedef struct Fixed Fixed;
struct Fixed {
    Job *j;
    bool (*take)(Fixed *f, const double *y, double t, double h,
                 double *to); // NULL: a method of fixed.c
    // The states after a part of the step that was just taken, by what is known of it; false: nothing is. NULL: never.
    bool (*within)(const Fixed *f, double part, double *state);
    int total;       // states and quadratures
    bool quiet;      // nothing happens in this run: no relation, sample, kink, delay, choice, mode
    bool folded;     // the last step ended where a loop folds
    bool after;      // the present step begins at an event
    bool jumped;     // the last step ended where something jumps
    double t, k;     // where the run is; the last point of the grid up to there
    double length;   // of the step that is looked into
    double *space;   // all below but the switches
    double *y;       // states, then quadratures
    double *begin;   // the same where the present step begins; the two change places
    double *rate[4]; // at the stages
    double *trial;
    double *aside;  // a wanted point beside the grid
    int *direction; // of switches that changed
    Rosenbrock *rosenbrock;
    FixedWatch watch;
};

bool fixed_open(Fixed *f, Job *j); // false: reported
void fixed_leave(const Fixed *f);  // the point goes to the job, for the next mode
void fixed_shut(Fixed *f);
bool fixed_start(Fixed *f);
bool fixed_emit(Fixed *f);    // wanted points here
bool fixed_advance(Fixed *f); // to the next point of the grid, sample or event; false: stop
bool fixed_arrive(Fixed *f, double h, bool jumps); // what is due at the end of a step
// Wanted points up to `next`, from the beginning of the step at t; false: stop.
bool fixed_emit_between(Fixed *f, double t, double next);
// A step aside, from y at t; false: a rate has no value. Nothing is reported.
bool fixed_try(Fixed *f, const double *y, double t, double h, double *to);
double fixed_grid(const Job *j, double k); // the time of point k + 1
double fixed_moment(Job *j, double t);     // of the next sample, or kink of a table of time

// --- fixed_watch.c
void fixed_watch_open(Fixed *f);
void fixed_watch_shut(Fixed *f);
void fixed_watch_begin(Fixed *f); // from here on values are compared: also after events
bool fixed_watch_due(const Fixed *f);
bool fixed_watch_step(Fixed *f, double t, double h); // from `begin` to `y`; false: reported

static inline double fixed_near(const Job *j) { return 1e-9 * j->step; } // times that are one

#endif
