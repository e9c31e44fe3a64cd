// How poles move with parameters: exact d lambda / d parameter (sensitivity.c).
#ifndef BONDYN_ANALYSIS_SENSITIVITY_H
#define BONDYN_ANALYSIS_SENSITIVITY_H

#include "analysis/poles.h"

typedef struct {
    Arena arena;
    int modes, parameters;
    const char **name; // of the parameters
    double *value;     // SI
    Complex *slope;    // mode by mode: d lambda / d parameter, 1/s per SI unit
} PoleSlopes;

// At a point that stays where it is when the parameter changes (a start of given values), or, `steady`, at the
// steady point that moves along. NULL with the reasons in r.
PoleSlopes *pole_slopes(const LinearPlan *plan, const Reached *at, const Poles *m, bool steady,
                        Report *r);
void pole_slopes_free(PoleSlopes *p);
void pole_slopes_print(Text *out, const Poles *m, const PoleSlopes *p);
void pole_slopes_json(Text *out, const PoleSlopes *p); // a list

#endif
