// Where the energy of a run came from and where it went, as a picture.
#ifndef BONDYN_PAGE_FLOW_H
#define BONDYN_PAGE_FLOW_H

#include "results/audit.h"

// An SVG element; nothing when no energy moved.
void flow_svg(Text *out, const Audit *a, const System *s);

#endif
