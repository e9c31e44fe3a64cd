// A ribbon from left to right in a picture of energy; its thickness says how much.
#ifndef BONDYN_PAGE_RIBBON_H
#define BONDYN_PAGE_RIBBON_H

#include "base/text.h"
#include <stddef.h>

typedef struct {
    const char *colour;
    double x0, top0, x1, top1; // its upper edge
    double thick;
    const char *title; // what is said when the pointer is on it; Nullable
} Ribbon;

void ribbon_svg(Text *out, const Ribbon *r);
// A path of a component, of which the end is shown when it is long.
void ribbon_name(Text *out, const char *name, size_t length);
// Opens the picture; </svg> closes it.
void ribbon_open(Text *out, double width, double height, const char *words);

#endif
