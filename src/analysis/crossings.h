// Where a loop may cross the unit circle or the real axis (crossings.c).
#ifndef BONDYN_ANALYSIS_CROSSINGS_H
#define BONDYN_ANALYSIS_CROSSINGS_H

#include "analysis/linear.h"

// Frequencies, rad/s, at and between the crossings of a channel; none for large models. Free the array.
int crossing_hints(const LinearModel *l, int input, int output, double **w);

#endif
