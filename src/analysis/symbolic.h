// A, B, C and D as formulas, for small models (symbolic.c).
#ifndef BONDYN_ANALYSIS_SYMBOLIC_H
#define BONDYN_ANALYSIS_SYMBOLIC_H

#include "analysis/linear.h"

// Entries that are not zero, a line each. False with the reasons in r: loops, constraints, or too large.
bool linear_symbolic(Text *out, const System *s, const LinearPlan *plan, const LinearModel *l,
                     Report *r);

#endif
