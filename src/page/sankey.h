// Paths of energy as ribbons: from each element that gives, on the left, to each that takes.
#ifndef BONDYN_PAGE_SANKEY_H
#define BONDYN_PAGE_SANKEY_H

#include "analysis/power.h"

void paths_svg(Text *out, const PowerPlan *plan, const PowerPaths *paths); // no energy: nothing

#endif
