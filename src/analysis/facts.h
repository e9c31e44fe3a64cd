// Single numbers that expectations take from an analysis (facts.c), and nonlinear responses beside it (beside.c).
#ifndef BONDYN_ANALYSIS_FACTS_H
#define BONDYN_ANALYSIS_FACTS_H

#include "analysis/experiment.h"

enum { FACTS_GRID = 400 }; // points of a response

double fact_of(const Findings *f, const Probe *p, Report *r); // NaN: reported, or there is none
// How far the linear model is from what was measured; false: they have no channel in common.
bool beside_compare(const LinearModel *l, Beside *b, Report *r);

#endif
