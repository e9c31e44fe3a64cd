// The best parameters: those that make a number of a run as small as can be, or that fit data.
//
//     experiment (minimise, over, subject to)  --search_run-->  Found       NLopt, exact gradients
//     experiments (fit, over)                  --fit_run----->  Found       Levenberg and Marquardt
//
// Every value is that of a run; slopes come along it (src/sensitivity): forth for few parameters,
// back for many. Searches from several starts go to all cores; what they have found is kept in a
// file from which an interrupted one goes on.
#ifndef BONDYN_OPTIMISE_OPTIMISE_H
#define BONDYN_OPTIMISE_OPTIMISE_H

#include "analysis/linear.h"
#include "sensitivity/sensitivity.h"

typedef struct {
    const System *system;
    const Experiment *experiment; // with what is searched for
    const LinearPlan *plan;       // of an experiment that analyses; NULL: it runs
} SearchCase;

typedef struct {             // what is asked for
    const SearchCase *cases; // one, or several to fit together: parameters of one name are one
    int count;
    const RunOptions *options; // of every run, beside its experiment
    const char *method;        // NULL: slsqp
    int starts;                // the first is the model's own; the others are drawn from the ranges
    uint64_t seed;
    int workers;      // processes
    const char *file; // for what is found on the way; NULL: none
    const char *key;  // changes with everything that it depends on
    void (*progress)(void *context, double fraction);
    void *context;
    const volatile int *cancel; // Nullable
} SearchPlan;

typedef struct {
    const char *text; // "max(x) < 1.1"
    double left, right;
    bool active, met;
} LimitFound;

typedef struct {
    const char *name, *unit;
    double scale;                  // SI per unit
    double value, first, from, to; // SI
    double half;                   // of a fit: half of the 95 % interval; NaN: none
    int *var;                      // per system: its variable, or -1
} FreeFound;

typedef struct
{ // data of a fit beside the model's values there, in the unit in which they are shown
    int system;
    const char *signal, *unit;
    int count;
    double *time, *data, *model;
} FitCurve;

typedef struct Found {
    Arena arena;
    FreeFound *free;
    int count;
    // minimise
    const char *text; // of the objective; NULL: a fit
    bool most;
    double objective, first;
    LimitFound *limit;
    int limits;
    // fit
    int data;
    double deviation,
        first_deviation; // root mean square of the residuals, in deviations of the data
    bool estimated;      // these were not given
    double *correlation; // count by count
    FitCurve *curve;
    int curves;
    int starts, agreed; // starts that ended well; those that ended at the same place
    int runs, kept;     // kept: of these, known from before an interruption
    double seconds;
    const char *gradient; // "forward" or "adjoint"
    const char *why;      // it ended, in words
    bool interrupted;
} Found;

bool search_wanted(const Experiment *x); // it minimises or fits; x: Nullable
// NULL with the reasons in r.
Found *search_run(const SearchPlan *p, Report *r);
Found *fit_run(const SearchPlan *p, Report *r);
void found_free(Found *f);
// The parameters of one system, for RunOptions.
void found_options(const Found *f, int system, Arena *out, RunOptions *o);

bool found_at_bound(const FreeFound *x);
void found_print(Text *out, const Found *f);
void found_json(Text *out, const Found *f);
void fit_svg(Text *svg, const Found *f, int curve); // data as points, the model as a line

#endif
