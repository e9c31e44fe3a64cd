// Stretches: steps of a method with a memory that one stride goes along together.
//
//     x--x--x--x--x--x--x     Adams' method takes short steps, with an evaluation or two for each, as it remembers those
//     '------stride-----'     before. A stride of order 5 for each has six; one of order 8 over many of them has 13.
//
// A stride serves where its own error is far below the run's tolerance, and it ends where the run did but for the errors
// that the run may have made on the way. What rests in the run may move in its derivatives: so strides are short enough, too, to
// keep each motion of the linear equations, up to the fastest, far within the tolerance.
#ifndef BONDYN_SENSITIVITY_STRETCH_H
#define BONDYN_SENSITIVITY_STRETCH_H

#include "sensitivity/stride.h"
#include "sensitivity/trail.h"

// Along the whole trail, for both ways: nodes know `joined` and `passed`. They end at points that are used and at events.
void stretches_find(Trail *t, double rtol, double span);
int stretch_first(const Trail *t, int last); // step of those that are gone along with the last

#endif
