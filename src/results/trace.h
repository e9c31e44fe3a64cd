// A curve that keeps its picture, in memory that does not grow with the run.
//
//     few points   all of them
//     x rises      groups of neighbouring points keep their first, lowest, highest and last one;
//                  when there are too many groups, two become one. Several groups make a pixel, so the
//                  drawn curve and its extremes are the same.
//     x turns back a grid of cells over the plane; a point is kept when it is the first one in its
//                  cell, with the point before it. When the curve leaves the grid, cells double.
//
//     |.:.:|:.:.|        +--+--+--+
//     | '  |  ' |        |  |./|  |      breaks in a line are points that are no numbers
//                        +--+--+--+
#ifndef BONDYN_RESULTS_TRACE_H
#define BONDYN_RESULTS_TRACE_H

#include "base/arena.h"
#include "base/array.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double x, y;
} TracePoint;

typedef struct { // neighbouring points; the order of low and high is that of the rows
    TracePoint first, low, high, last;
    long low_at, high_at;
    long count; // drawable points in it
    bool gap;   // one was not
} TraceGroup;

typedef struct {                        // the cells of a curve that turns back
    double left, bottom, width, height; // width and height of a cell
    uint64_t *seen;                     // bits, row by row
} TraceCells;

typedef ARRAY(TracePoint) TracePoints;

typedef struct {
    TracePoints point; // all of them, or what cells keep
    TraceGroup *group; // Nullable
    int group_count;
    long rows, group_rows; // so far; in a full group
    TraceCells cells;
    TracePoint before; // the last point
    bool pen_down;     // it is the last one of `point`
    double last_x;
} Trace;

void trace_add(Trace *t, double x, double y);
// The points to draw, in order; gives their number.
int trace_points(const Trace *t, Arena *out, const double **x, const double **y);
void trace_free(Trace *t);

#endif
