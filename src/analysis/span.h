// How long a run is worth watching, and how short its steps should be, where nobody says it (span.c).
#ifndef BONDYN_ANALYSIS_SPAN_H
#define BONDYN_ANALYSIS_SPAN_H

#include "run/run.h"

// Seconds, from the poles at the start; 0: there are none to tell by.
double natural_span(const System *s, const RunOptions *o);
// Half the longest step that is stable with rk4 at the start, or less; 0: as above.
double stable_step(const System *s, const RunOptions *o);

#endif
