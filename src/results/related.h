// Which curves of a plot belong to each other: what is wanted and what it became.
#ifndef BONDYN_RESULTS_RELATED_H
#define BONDYN_RESULTS_RELATED_H

#include <stdbool.h>

// Does the first label name the setpoint of the second? For example "x_d" and "x", "ref.w" and "w",
// "q_ref[2]" and "q[2]".
bool label_is_setpoint(const char *setpoint, const char *value);

#endif
