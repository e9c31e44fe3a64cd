// Steps of explicit methods that are too long for what does not move.
//
// A model that rests, or a part of it, lets such a method take steps of any length: nothing moves there, so nothing grows. The
// derivatives along it do move: they would be wrong, or grow without bound. Steps that are too long for the fastest
// decay, or swing, of the model at their point are gone along by several strides of order 8 (cuts.h); where these
// would be very many it is a decay, and an implicit method goes along.
#ifndef BONDYN_SENSITIVITY_EDGE_H
#define BONDYN_SENSITIVITY_EDGE_H

#include "sensitivity/trail.h"

void edge_mend(Trail *t, double rtol); // once, when the run is over
// h r up to which a stride of order 8 keeps exp(h r) within a tolerance, r the fastest rate.
double edge_reach(double tolerance);
int edge_strides(const Node *n, double h, double rtol); // of order 8, for a step of such a method

#endif
