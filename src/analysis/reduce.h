// Balanced truncation of linear models (reduce.c).
#ifndef BONDYN_ANALYSIS_REDUCE_H
#define BONDYN_ANALYSIS_REDUCE_H

#include "analysis/poles.h"

typedef struct {
    int n, m, p, order;
    double *hankel;        // singular values, largest first
    double *A, *B, *C, *D; // of the reduced model, column by column
    double bound; // of the gain of the error, at every frequency: twice the sum of what is left out
} Reduced;

// order 0: as many as leave a bound of 1 % of the largest singular value. False with the reasons in r: a mode does not decay.
bool reduce_balanced(const LinearModel *l, int order, Reduced *x, Report *r);
void reduced_free(Reduced *x);
// The same of a model whose answers to all inputs exist: order as above, or more than there are.
bool reduce_model(const LinearModel *l, int order, Reduced *x, Report *r);
void reduced_print(Text *out, const LinearModel *l, const Reduced *x);
void reduced_json(Text *out, const LinearModel *l, const Reduced *x); // members of an object
void reduced_csv(Text *out, const Reduced *x);
void reduced_svg(Text *out, const LinearModel *l, const Reduced *x); // responses of both

#endif
