// Where things stand in a drawing: boxes for components, routes for bonds.
//
//        column 0        gap        column 1         A box has a shape (what bonds end at) and room
//      +---------+                +---------+        below it for a second line. Bonds leave shapes
//      |  shape  o----o       o---o  shape  |        level, bend in the gaps only and pass other
//      +---------+     \_____/    +---------+        columns level, so they cross no box.
//         below       bend
#ifndef BONDYN_GRAPH_LAYOUT_H
#define BONDYN_GRAPH_LAYOUT_H

#include "graph/graph.h"

typedef struct {
    double width;                     // of the column that the box needs
    double shape_width, shape_height; // the height grows with the number of bonds
    double below;                     // height of what stands below the shape
    double x, y;                      // centre of the shape
} Box;

typedef struct {
    double x, y;
} Point;

typedef struct { // from the tail to the head; level between points 2i and 2i+1, bent between others
    Point *point;
    int count;
} Route;

typedef struct {
    Route *route; // per bond of the model
    double width, height;
} Layout;

// Needs: the sizes of the boxes, one per component.  Gives: their places, and routes.
Layout *layout_make(Arena *out, const Model *m, Box *box);

#endif
