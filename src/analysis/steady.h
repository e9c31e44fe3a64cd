// Steady points: where all rates are zero, and trim (steady.c).
#ifndef BONDYN_ANALYSIS_STEADY_H
#define BONDYN_ANALYSIS_STEADY_H

#include "analysis/dense.h"
#include "analysis/linear.h"

typedef struct {
    Arena arena;
    double time;
    int states, frees, givens;
    Label *state, *free, *given;
    double *x, *rate;       // per state
    bool *cyclic;           // per state: nothing depends on it; it may move on
    double *value, *wanted; // of what is free; of what is given
    const char **neutral;   // directions along which nothing changes, in words
    int neutral_count;
    int iterations;
} SteadyPoint;

// Needs: a point of the model to begin at.  Gives: the steady point that was found from there, with
// its states and free inputs. NULL: there is none, and r says which rate stays.
SteadyPoint *steady_find(const LinearPlan *plan, Reached *at, Report *r);
void steady_free(SteadyPoint *p);
// Per state: neither rates nor these rows depend on it, or it may move by the plan. Free it.
bool *steady_cyclic(const System *s, const LinearPlan *plan, const Expr *row, int rows);
typedef struct {
    const RunOptions *options; // Nullable
    bool at_start;
    double time;
    int starts; // besides the point itself
    uint64_t seed;
} SteadyStarts;
// Different ones from many starts, into a list with room for starts + 1; gives their number.
int steady_search(const System *s, const LinearPlan *plan, const SteadyStarts *from,
                  SteadyPoint **list, Report *r);
bool steady_same(const SteadyPoint *a, const SteadyPoint *b);
void steady_print(Text *out, const SteadyPoint *p);
void steady_csv(Text *out, const SteadyPoint *p);
void steady_json(Text *out, const SteadyPoint *p); // an object

#endif
