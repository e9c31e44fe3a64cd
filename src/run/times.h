// The wanted points of a run, made one after the other: a run of 10^8 points needs no list of them.
//
//     grid      |---.---.---|---.---.---|---.---.---|     rows of the results, `parts` per interval
//     extra           x                    x              times of probes that lie between
#ifndef BONDYN_RUN_TIMES_H
#define BONDYN_RUN_TIMES_H

#include <stdbool.h>

typedef struct {
    double start, stop, every;
    long intervals; // of the results
    int parts;      // points per interval
    double *extra;  // rising; none as close as rounding to another point
    int extra_count;
} Times;

typedef struct { // a walk through them
    long grid;   // next point of the grid
    int extra;   // next extra time
} TimesCursor;

// Points to be merged with the grid: sorts `extra` in place and takes out those that fall together.
Times times_make(double start, double stop, double every, long intervals, int parts, double *extra,
                 int extra_count);
long times_count(const Times *t);
long times_index(const Times *t, double time); // of the point nearest to this time
// The next point; *row: it is a row of the results. False: there are no more.
bool times_next(const Times *t, TimesCursor *c, double *time, bool *row);

#endif
