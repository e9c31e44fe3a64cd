// The section on power of a page: who gave and took energy, by which paths, and the power of every bond over time.
#ifndef BONDYN_PAGE_POWER_H
#define BONDYN_PAGE_POWER_H

#include "analysis/power.h"

// Integrals beside the states have a part in the choice of steps, so they have a run of their own: what else the page shows is
// what `bondyn run` gives.
typedef struct {
    PowerPlan plan;
    Run *run; // NULL: there is no such section
} PagePower;

// `first` is the run of the page, made with these options. Free with page_power_free.
PagePower page_power(Arena *out, const System *s, const RunOptions *o, const Run *first);
void page_power_free(PagePower *p);
void power_html(Text *out, const System *s, const PagePower *p);

#endif
