// Sensitivities over time, as a table, curves and a tornado chart.
#ifndef BONDYN_SENSITIVITY_TORNADO_H
#define BONDYN_SENSITIVITY_TORNADO_H

#include "results/plot.h"
#include "sensitivity/sensitivity.h"

typedef struct Sensitivities {
    Arena arena;
    int signals, parameters, rows;
    const char **signal, **signal_unit; // SI
    const char **parameter, **parameter_unit;
    double *value; // of the parameters
    double *time;
    double *signal_end; // values at the end
    double *slope;      // rows x signals x parameters, SI
} Sensitivities;

bool sensitivity_wanted(const Experiment *x); // x: Nullable
// Runs the experiment with the derivatives of signals by parameters. NULL with the reasons in r.
Sensitivities *sensitivities_run(const System *s, const RunOptions *o, const Signal *signal,
                                 int signals, const int *parameter, int parameters, Report *r);
void sensitivities_free(Sensitivities *s);
void sensitivities_print(Text *out, const Sensitivities *s);
void sensitivities_json(Text *out, const Sensitivities *s);
void sensitivities_csv(Text *out, const Sensitivities *s);
void sensitivities_plot(Text *svg, const Sensitivities *s, int signal); // over time, per 1 %
void tornado_svg(Text *svg, const Sensitivities *s, int signal);        // at the end, per 1 %

#endif
