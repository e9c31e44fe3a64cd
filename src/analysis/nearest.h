// The few poles of a large model that lie nearest to a number (nearest.c).
#ifndef BONDYN_ANALYSIS_NEAREST_H
#define BONDYN_ANALYSIS_NEAREST_H

#include "analysis/dense.h"
#include "analysis/linear.h"

typedef struct {
    int states, count;
    Complex *pole;    // nearest first
    double *residual; // |A v - pole v| by |pole - shift| of each, as an estimate
} Nearest;

// `count` poles nearest to the real number `shift`. False with the reasons in r: constraints tie states, or the shift is a pole.
bool poles_nearest(const LinearPlan *plan, const Reached *at, double shift, int count, Nearest *x,
                   Report *r);
void nearest_free(Nearest *x);
void nearest_print(Text *out, const Nearest *x, double shift, double time);
void nearest_json(Text *out, const Nearest *x); // an object

#endif
