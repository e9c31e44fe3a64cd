// What happens at events, in solved form: conditions and new values as expressions of states, time,
// parameters, unknowns of blocks, and of what is held between events:
//
//   discrete[]   the discrete variables
//   sample[]     1 at the moments of a sample, else 0
//   delay_slope[]  derivatives of delayed signals, which the solver knows as it knows them
//   impulse[]     impulses on what modes depend on, while a mode is looked at, else 0
//   fired[]      1 for the branches of `when` that happen in the present round, else 0
//
//   next[k] = if fired[i] then value_i else if fired[j] then value_j ... else discrete[k]
//
// Values see the new values of other discrete variables (put in place of their symbols, in the
// order of need) and the states as they are before the event.
#ifndef BONDYN_EQUATIONS_WHENS_H
#define BONDYN_EQUATIONS_WHENS_H

#include "lang/model.h"

typedef struct { // a branch sets a discrete variable or a state
    int branch;
    int target; // discrete variable or state
    Expr value; // states: their new value
    Pos pos;
} Setting;

typedef struct {
    int discrete_count;
    int *discrete_var; // model variables
    Expr *discrete;    // their symbols
    Expr *next;        // their new values
    Expr *start;       // their first values
    int sample_count;
    Expr *sample; // symbols; period and offset stand in the model
    int branch_count;
    Expr *fired;      // symbols
    Expr *condition;  // per branch
    Expr **witness;   // per branch: what its condition speaks of, in solved form
    Expr *rate_bound; // of branches that have such a rate
    int rate_bound_count;
    Setting *set; // of discrete variables, in their order; value is not used
    int set_count;
    int delay_count;   // as in the model, in solved form
    int *delay;        // which discrete variable
    Expr *delay_slope; // symbols of their derivatives
    Expr *delayed, *delay_time, *delay_most, *delay_before;
    Setting *reset; // of states, in their order
    int reset_count;
    Expr *guard; // per mode of the model: its condition, where it holds now or may come for an
                 // instant; else 1
    int guard_count;
    Expr
        *impulse; // per relation in guards that hold now: added to its left side while it is looked
                  // at whether an impulse decides it, else 0
    int impulse_count;
} Whens;

#endif
