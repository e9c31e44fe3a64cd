// A mesh as the page keeps it: corners on a grid of 65536 steps, each once, and triangles by their
// numbers; thinned to a coarser grid where it has too many of them.
#ifndef BONDYN_PAGE_SURFACE_H
#define BONDYN_PAGE_SURFACE_H

#include "base/text.h"
#include "import/mesh.h"

typedef struct {
    double low[3], step; // corner k is at low + step*corner[3 k ...]
    uint16_t *corner;
    int corner_count;
    uint32_t *triangle; // 3 corners each
    uint8_t *paint;     // of each triangle
    int triangle_count;
    int before; // triangles that the file has
    MeshColour *colour;
    int colour_count;
} Surface;

// At most `most` triangles. None at all: the mesh has no area.
Surface surface_of(Arena *out, const Mesh *m, int most);
void surface_json(Text *out, const Surface *s);

#endif
