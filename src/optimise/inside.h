// Inside this folder.
#ifndef BONDYN_OPTIMISE_INSIDE_H
#define BONDYN_OPTIMISE_INSIDE_H

#include "optimise/journal.h"
#include "optimise/optimise.h"

// --- parameters (free.c) -------------------------------------------------------------------------

// Gathers what may move over all systems, with the values that the model has. False: reported.
bool free_gather(const SearchPlan *p, Found *f, Report *r);
double free_scale(const FreeFound *x); // a step that means something
void free_sets(const Found *f, int system, const double *value, int *var, double *to, int *count);
// Has this parameter any effect, as its slopes are all zero? Reported if not.
bool free_refuse(const SearchPlan *p, const Found *f, int which, Report *r);

// --- one run (evaluate.c) ------------------------------------------------------------------------

typedef struct {
    const SearchPlan *plan;
    Found *found;
    AlongShared shared;
    int n, limits;
    double *x;                   // where it was evaluated last; NaN: nowhere
    bool sloped, good;           // with slopes; the run came to its end
    double value, *slope;        // of the objective
    double *limit, *limit_slope; // left - right
    int runs;
    Report *report;   // of the last run
    Journal *journal; // that answers, and is told; Nullable
    int start;        // the present one
} Trial;

void trial_open(Trial *t, const SearchPlan *p, Found *f);
void trial_close(Trial *t);
// At parameters x; false: the run did not come to its end, or a number is not finite.
bool trial_at(Trial *t, const double *x, bool slopes);

#endif
