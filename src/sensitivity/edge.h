// Steps of explicit methods that lie beyond the edge of their stability.
//
// A model at rest lets such a method take steps of any length: nothing moves, so nothing grows. The
// derivatives along it do move, and would grow without bound. Steps that are too long for the fastest
// decay, or swing, of the model at their point are gone along by an implicit method.
#ifndef BONDYN_SENSITIVITY_EDGE_H
#define BONDYN_SENSITIVITY_EDGE_H

#include "sensitivity/trail.h"

void edge_mend(Trail *t); // once, when the run is over

#endif
