#include "results/trace.h"

#include "base/memory.h"
#include "results/axis.h"
#include <math.h>
#include <string.h>

enum { MOST_POINTS = 16384, GROUPS = 4096, ROWS_PER_GROUP = 8, COLUMNS = 512, ROWS = 256 };
enum { MOST_KEPT = 4 * COLUMNS * ROWS }; // a cell keeps its point, the one before and a break

static bool can_draw(TracePoint p) { return drawable(p.x) && drawable(p.y); }

// --- x rises -------------------------------------------------------------------------------------

static void group_add(TraceGroup *g, TracePoint p, long row) {
    if (!can_draw(p)) {
        g->gap = true;
        return;
    }
    if (g->count++ == 0) {
        g->first = g->low = g->high = p;
        g->low_at = g->high_at = row;
    }
    if (p.y < g->low.y) g->low = p, g->low_at = row;
    if (p.y > g->high.y) g->high = p, g->high_at = row;
    g->last = p;
}

static TraceGroup join(const TraceGroup *a, const TraceGroup *b) {
    TraceGroup g = a->count ? *a : *b;
    g.gap = a->gap || b->gap;
    if (!a->count || !b->count) return g;
    if (b->low.y < g.low.y) g.low = b->low, g.low_at = b->low_at;
    if (b->high.y > g.high.y) g.high = b->high, g.high_at = b->high_at;
    g.last = b->last;
    g.count += b->count;
    return g;
}

static bool differs(TracePoint a, TracePoint b) { return a.x != b.x || a.y != b.y; }

// The points of a group in order: at most four, and a break.
static int group_points(const TraceGroup *g, TracePoint p[5]) {
    int n = 0;
    if (g->count) {
        bool low_first = g->low_at < g->high_at;
        TracePoint middle[2] = {low_first ? g->low : g->high, low_first ? g->high : g->low};
        p[n++] = g->first;
        for (int i = 0; i < 2; i++)
            if (differs(middle[i], p[n - 1])) p[n++] = middle[i];
        if (g->count > 1 && differs(g->last, p[n - 1])) p[n++] = g->last;
    }
    if (g->gap) p[n++] = (TracePoint){NAN, NAN};
    return n;
}

static void add_to_group(Trace *t, TracePoint p) {
    if (t->rows % t->group_rows == 0) {
        if (t->group_count == GROUPS) {
            for (int i = 0; i < GROUPS / 2; i++)
                t->group[i] = join(&t->group[2 * i], &t->group[2 * i + 1]);
            t->group_count = GROUPS / 2;
            t->group_rows *= 2;
        }
        t->group[t->group_count++] = (TraceGroup){0};
    }
    group_add(&t->group[t->group_count - 1], p, t->rows);
    t->rows++;
}

// --- x turns back --------------------------------------------------------------------------------

static bool take_cell(TraceCells *c, long column, long row) {
    size_t bit = (size_t)row * COLUMNS + (size_t)column;
    uint64_t mask = 1ull << (bit % 64);
    bool first = !(c->seen[bit / 64] & mask);
    c->seen[bit / 64] |= mask;
    return first;
}

// Cells become twice as wide or high; the old ones lie in one half of the new grid.
static void grow(TraceCells *c, bool wide, bool down) {
    TraceCells old = *c;
    c->seen = memory_zeroed(COLUMNS * ROWS / 64, sizeof *c->seen);
    *(wide ? &c->width : &c->height) *= 2;
    if (down && wide) c->left -= old.width * COLUMNS;
    if (down && !wide) c->bottom -= old.height * ROWS;
    long shift = !down ? 0 : wide ? COLUMNS / 2 : ROWS / 2;
    for (long row = 0; row < ROWS; row++)
        for (long column = 0; column < COLUMNS; column++) {
            size_t bit = (size_t)row * COLUMNS + (size_t)column;
            if (!(old.seen[bit / 64] >> (bit % 64) & 1)) continue;
            take_cell(c, wide ? shift + column / 2 : column, wide ? row : shift + row / 2);
        }
    free(old.seen);
}

static bool first_visit(TraceCells *c, TracePoint p) {
    while (p.x < c->left) grow(c, true, true);
    while (p.x >= c->left + c->width * COLUMNS) grow(c, true, false);
    while (p.y < c->bottom) grow(c, false, true);
    while (p.y >= c->bottom + c->height * ROWS) grow(c, false, false);
    long column = (long)((p.x - c->left) / c->width), row = (long)((p.y - c->bottom) / c->height);
    return take_cell(c, column < COLUMNS ? column : COLUMNS - 1, row < ROWS ? row : ROWS - 1);
}

static void put_into_cells(Trace *t, TracePoint p) {
    static const TracePoint up = {(double)NAN, (double)NAN};
    bool keep = can_draw(p) && first_visit(&t->cells, p);
    if (!keep && t->pen_down) array_push(&t->point, up);
    if (keep && !t->pen_down && can_draw(t->before)) array_push(&t->point, t->before);
    if (keep) array_push(&t->point, p);
    t->pen_down = keep;
    t->before = p;
}

static void fill_cells(Trace *t, const TracePoints *p) {
    memset(t->cells.seen, 0, COLUMNS * ROWS / 8);
    t->before = (TracePoint){NAN, NAN};
    t->pen_down = false;
    for (int i = 0; i < p->count; i++) put_into_cells(t, p->data[i]);
}

// What was kept in cells that have become larger since is looked through again.
static void add_to_cells(Trace *t, TracePoint p) {
    if (t->point.count >= MOST_KEPT) {
        TracePoints old = t->point;
        TracePoint last = t->before;
        bool owes = !t->pen_down;
        t->point = (TracePoints){0};
        fill_cells(t, &old);
        array_free(&old);
        if (owes) put_into_cells(t, last);
    }
    put_into_cells(t, p);
}

// A side of the grid about the data, never of no size: a small part of the largest number in it.
static double side(Range r) {
    double most = fmax(fabs(r.lo), fabs(r.hi)), span = r.hi - r.lo;
    return fmax(span, most > 0 ? 1e-9 * most : 1e-9) * 1.01;
}

static void open_cells(Trace *t, const TracePoints *from) {
    Range x = RANGE_EMPTY, y = RANGE_EMPTY;
    for (int i = 0; i < from->count; i++) {
        if (!can_draw(from->data[i])) continue;
        range_add(&x, from->data[i].x);
        range_add(&y, from->data[i].y);
    }
    if (x.lo > x.hi) x = y = (Range){0, 1};
    t->cells = (TraceCells){.left = x.lo,
                            .bottom = y.lo,
                            .width = side(x) / COLUMNS,
                            .height = side(y) / ROWS,
                            .seen = memory_zeroed(COLUMNS * ROWS / 64, sizeof *t->cells.seen)};
}

// --- from all points to fewer --------------------------------------------------------------------

static bool rises(const TracePoints *p) {
    double before = -INFINITY;
    for (int i = 0; i < p->count; i++) {
        if (!can_draw(p->data[i])) continue;
        if (p->data[i].x < before) return false;
        before = p->data[i].x;
    }
    return true;
}

static void move_to_groups(Trace *t) {
    TracePoints all = t->point;
    t->point = (TracePoints){0};
    t->group = memory_zeroed(GROUPS, sizeof *t->group);
    t->group_rows = ROWS_PER_GROUP;
    t->rows = 0;
    for (int i = 0; i < all.count; i++) add_to_group(t, all.data[i]);
    array_free(&all);
}

static void move_to_cells(Trace *t) {
    TracePoints all = t->point;
    t->point = (TracePoints){0};
    for (int i = 0; t->group && i < t->group_count; i++) {
        TracePoint p[5];
        int n = group_points(&t->group[i], p);
        for (int k = 0; k < n; k++) array_push(&all, p[k]);
    }
    free(t->group);
    t->group = NULL;
    t->group_count = 0;
    open_cells(t, &all);
    fill_cells(t, &all);
    array_free(&all);
}

void trace_add(Trace *t, double x, double y) {
    TracePoint p = {x, y};
    if (!t->group && !t->cells.seen && t->point.count == MOST_POINTS) {
        if (rises(&t->point))
            move_to_groups(t);
        else
            move_to_cells(t);
    }
    bool falls = can_draw(p) && x < t->last_x;
    if (can_draw(p)) t->last_x = x;
    if (t->group && falls) move_to_cells(t);
    if (t->group)
        add_to_group(t, p);
    else if (t->cells.seen)
        add_to_cells(t, p);
    else
        array_push(&t->point, p);
}

// --- what is drawn -------------------------------------------------------------------------------

int trace_points(const Trace *t, Arena *out, const double **x, const double **y) {
    int most = t->point.count + 5 * t->group_count + 1, n = 0;
    double *to_x = ARENA_ARRAY(out, double, most), *to_y = ARENA_ARRAY(out, double, most);
    *x = to_x;
    *y = to_y;
    for (int i = 0; i < t->point.count; i++) {
        to_x[n] = t->point.data[i].x;
        to_y[n++] = t->point.data[i].y;
    }
    for (int i = 0; t->group && i < t->group_count; i++) {
        TracePoint p[5];
        int count = group_points(&t->group[i], p);
        for (int k = 0; k < count; k++) {
            to_x[n] = p[k].x;
            to_y[n++] = p[k].y;
        }
    }
    if (!t->group && t->cells.seen && !t->pen_down && can_draw(t->before)) { // where it ends
        to_x[n] = t->before.x;
        to_y[n++] = t->before.y;
    }
    return n;
}

void trace_free(Trace *t) {
    array_free(&t->point);
    free(t->group);
    free(t->cells.seen);
    *t = (Trace){0};
}
