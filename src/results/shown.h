// Values as people want to see them: in the units of their declarations.
#ifndef BONDYN_RESULTS_SHOWN_H
#define BONDYN_RESULTS_SHOWN_H

#include "lang/model.h"

typedef struct { // SI value = shown*scale + offset
    const char *unit;
    double scale, offset;
} Shown;

Shown shown_in(const Model *m, Name unit);
double show(Shown s, double si);

#endif
