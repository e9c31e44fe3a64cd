// The meshes of a model's shapes: each file is found, read and thinned once. What cannot be shown
// is a warning at the shape that names it.
#ifndef BONDYN_PAGE_MESHES_H
#define BONDYN_PAGE_MESHES_H

#include "base/report.h"
#include "lang/model.h"
#include "page/surface.h"

typedef struct {
    Surface *surface;
    int count;
    int *of; // surface of each drawing, mechanism after mechanism; -1: none, or not to be shown
} Meshes;

// Files that cannot be used are added to `sources`, so that remarks can show their lines.
Meshes meshes_load(Arena *out, const Model *m, Sources *sources, Report *r);

#endif
