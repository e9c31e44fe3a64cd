// Peaks that lie at events: a mass is never higher than where it hits its stop.
//
//          |        o   recorded points see such a peak from both sides, and what it changes with parameters is neither
//        o |  o         the change at the one nor at the other, but that at the event, whose moment moves, too.
//      o   e    o
#ifndef BONDYN_SENSITIVITY_PEAKS_H
#define BONDYN_SENSITIVITY_PEAKS_H

#include "results/extreme.h"
#include "sensitivity/trail.h"

typedef struct { // of one probe
    double time, value, *slope;
    double off; // of the side that is nearest to it
    bool found;
} Peak;

void peaks_ask(Trail *t, double time, double near); // events at that time are asked for
void peak_open(Peak *p, const Extreme *e, int parameters);
// Looks at both sides of an event (WalkVisitor.event): the peak is the side that has its value.
void peak_look(Peak *p, const double *side[2], int output, int parameters);
void peaks_free(Peak *p, int count);

#endif
