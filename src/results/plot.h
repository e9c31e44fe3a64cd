// Plots: curves as an SVG picture.
#ifndef BONDYN_RESULTS_PLOT_H
#define BONDYN_RESULTS_PLOT_H

#include "base/text.h"
#include <stdbool.h>

typedef struct {
    const char *title;
    const char *x_label; // "time [s]"
    int curve_count;
    const char **label;  // "v.f"
    const char **unit;   // curves of one unit share an axis; two units: left and right;
                         // more: stacked panels
    const char **colour; // of each curve, "#0072B2"; NULL: those of the palette, with line patterns
    const bool *dots;    // drawn as points, not as a line; Nullable
    int legend_every;    // only each so many-th curve is named in the legend; 0, 1: all
    const double **x, **y;
    bool decades; // x is the logarithm of what the axis shows; every unit has a panel of its own
    const int *count;
    const char *footer; // small print: model, experiment; Nullable
} PlotData;

void plot_svg(Text *out, const PlotData *p);

#endif
