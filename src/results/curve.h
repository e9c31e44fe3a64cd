// Curves as SVG path data, in pixels.
#ifndef BONDYN_RESULTS_CURVE_H
#define BONDYN_RESULTS_CURVE_H

#include "results/axis.h"

typedef struct { // where data comes to lie
    double left, top, width, height;
    Axis x, y;
} Frame;

// "M80 120L81.5 119..." with about two points per pixel, whatever the number of rows. Values that
// are not finite break the line; points that are alone between breaks become dots of no length.
void curve_path(Text *out, const Frame *f, const double *x, const double *y, int count);

bool curve_rises(const double *x, int count); // x never falls, as time does

#endif
