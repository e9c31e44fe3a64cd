// Customary states: efforts of C and flows of I in place of displacements and momenta (customary.c).
#ifndef BONDYN_ANALYSIS_CUSTOMARY_H
#define BONDYN_ANALYSIS_CUSTOMARY_H

#include "analysis/linear.h"

// Paths of the efforts of all C and the flows of all I with one port and one scalar, to be outputs of the linear model.
int customary_outputs(const Model *m, Arena *out, const char ***path);
// The linear model in customary states: T A T^-1, T B, C T^-1 with z = T x; of its outputs the first `kept` stay. What T is goes to `text`.
// False with the reason in r: T has no inverse.
bool customary_states(LinearModel *l, int kept, Text *text, Report *r);

#endif
