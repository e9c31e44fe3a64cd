// Straight lines between boxes that somebody has put where they are.
#include "graph/layout.h"

#include <math.h>

enum { BESIDE = 12, MARGIN = 14, PORTS = 40 };

// How far the outline of a box is from its centre in a direction; what stands below the shape
// counts.
static double to_outline(const Box *b, Point u, double clear) {
    double half = b->shape_width / 2 + clear, down = b->shape_height / 2 + clear;
    if (u.y > 0) down += b->below;
    double across = fabs(u.x) > 1e-9 ? half / fabs(u.x) : INFINITY;
    double along = fabs(u.y) > 1e-9 ? down / fabs(u.y) : INFINITY;
    return fmin(across, along);
}

// Lines between the same two boxes stand beside each other.
static double beside(const LayoutLine *line, int count, int which) {
    int same = 0, before = 0;
    for (int i = 0; i < count; i++) {
        bool there = line[i].from == line[which].from && line[i].to == line[which].to;
        bool back = line[i].from == line[which].to && line[i].to == line[which].from;
        if (!there && !back) continue;
        same++;
        before += i < which;
    }
    bool turned = line[which].from > line[which].to;
    return (before - (same - 1) / 2.0) * BESIDE * (turned ? -1 : 1);
}

static Route straight_route(Arena *out, const Box *a, const Box *b, double aside, double clear) {
    double x = b->x - a->x, y = b->y - a->y, far = hypot(x, y);
    Point u = far > 1e-9 ? (Point){x / far, y / far} : (Point){1, 0};
    Point shift = {-u.y * aside, u.x * aside};
    double from = to_outline(a, u, clear), to = to_outline(b, (Point){-u.x, -u.y}, clear);
    if (from + to > far) from = to = far / 2; // they overlap
    Route r = {.point = ARENA_ARRAY(out, Point, 2), .count = 2, .straight = true};
    r.point[0] = (Point){a->x + from * u.x + shift.x, a->y + from * u.y + shift.y};
    r.point[1] = (Point){b->x - to * u.x + shift.x, b->y - to * u.y + shift.y};
    return r;
}

void layout_straighten(Arena *out, Layout *l, const LayoutLine *line, int line_count,
                       const Box *box, const bool *moved, int box_count, double clear) {
    for (int i = 0; i < line_count; i++) {
        int from = line[i].from, to = line[i].to;
        if (from == to || (!moved[from] && !moved[to])) continue;
        l->route[i] = straight_route(out, &box[from], &box[to], beside(line, line_count, i), clear);
    }
    double right = 0, bottom = 0;
    for (int i = 0; i < box_count; i++) {
        const Box *b = &box[i];
        double half = b->width / 2 + MARGIN, up = b->shape_height / 2 + MARGIN;
        l->left = i ? fmin(l->left, b->x - half) : b->x - half;
        l->top = i ? fmin(l->top, b->y - up) : b->y - up;
        right = i ? fmax(right, b->x + half) : b->x + half;
        bottom = i ? fmax(bottom, b->y + up + b->below) : b->y + up + b->below;
    }
    l->width = right - l->left;
    l->height = bottom - l->top;
}
