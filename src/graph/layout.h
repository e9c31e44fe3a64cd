// Where things stand in a drawing: boxes, and routes for lines between them.
//
//        column 0        gap        column 1         A box has a shape (what bonds end at) and room
//      +---------+                +---------+        below it for a second line. Bonds leave shapes
//      |  shape  o----o       o---o  shape  |        level, bend in the gaps only and pass other
//      +---------+     \_____/    +---------+        columns level, so they cross no box.
//         below       bend
#ifndef BONDYN_GRAPH_LAYOUT_H
#define BONDYN_GRAPH_LAYOUT_H

#include "base/arena.h"
#include <stdbool.h>

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
    bool straight; // from one box to another in any direction: two points
} Route;

typedef struct {
    Route *route;     // per line
    double left, top; // 0 unless boxes were put elsewhere
    double width, height;
} Layout;

typedef struct { // from a box to another, or to itself
    int from, to;
} LayoutLine;

// Needs: the sizes of the boxes; which of them begin (sources).  Gives: their places, and routes.
Layout *layout_make(Arena *out, const LayoutLine *line, int line_count, Box *box,
                    const bool *begins, int box_count);

// Boxes that were put elsewhere since: lines from and to them become straight, `clear` away from
// the shapes, and the drawing as large as it has to be.
void layout_straighten(Arena *out, Layout *l, const LayoutLine *line, int line_count,
                       const Box *box, const bool *moved, int box_count, double clear);

#endif
