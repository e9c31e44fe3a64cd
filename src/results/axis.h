// Axes of plots: from a range of data to round ticks and their labels.
#ifndef BONDYN_RESULTS_AXIS_H
#define BONDYN_RESULTS_AXIS_H

#include "base/text.h"

typedef struct {
    double lo, hi; // lo > hi: nothing in it yet
} Range;

#define RANGE_EMPTY ((Range){1, 0})

bool drawable(double v); // a number of a size that pixels can be computed from
void range_add(Range *r, double v);

typedef struct {
    double lo, hi, step; // ends; ticks are multiples of step
    double first;        // the first tick is first*step
    int tick_count;
    double base;  // labels show tick - base*step ...
    int exponent; // ... divided by 10^exponent
    int decimals;
    bool decades;  // labels are powers of ten
    bool prefixed; // the unit says the exponent: kN
} Axis;

// Ends at the data itself.
Axis axis_tight(Range data, int most_intervals);
// Ends at ticks around the data.
Axis axis_loose(Range data, int most_intervals);
// Of logarithms: ends and ticks at whole decades.
Axis axis_decades(Range data, int most_intervals);
// Ends at ticks around the data, with exactly this many (two or more) intervals: for a second axis
// whose ticks share the grid of the first.
Axis axis_with_intervals(Range data, int intervals);

// Two axes beside one panel whose zeros lie at the same height. False: one of the curves would be
// squeezed into less than 0.4 of it.
bool axis_pair(Range left, Range right, int most_intervals, Axis *a, Axis *b);
// Between these ends, whatever they are.
Axis axis_between(double lo, double hi, int most_intervals);

// The unit with the prefix that says the exponent of the labels ("N" and 3: "kN"), else as it is.
void axis_unit(Text *out, Axis *a, const char *unit);
double axis_tick(const Axis *a, int i);
double axis_part(const Axis *a, double v); // 0 at lo, 1 at hi
void axis_tick_label(Text *out, const Axis *a, int i);
void axis_remark(Text *out, const Axis *a); // "×10³", "+ 1.25e6": what every label leaves out

#endif
