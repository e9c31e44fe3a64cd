// Fewer points, same picture.
//
//      |  . . .       | .          Where x rises, a column of one pixel keeps its first, lowest,
//      | .:.:.:   ->  | |.         highest and last point, so the envelope stays to the pixel.
//      |. . . .       |.|
//
// Curves that turn back (one signal against another) keep a point when it lies away from the last
// one that was kept. If these are still too many, the curve fills areas: then a piece between two
// cells of a few pixels that the curve has visited before is left out.
#include "results/curve.h"

#include "base/arena.h"
#include <math.h>
#include <stdio.h>

enum { MOST_LOOSE_POINTS = 30000, CELL = 3 };
#define LOOSE_DISTANCE 0.25

typedef struct {
    double x, y;
} Pixel;

typedef struct {
    Text *out;    // Nullable: then points are only counted
    int count;    // points of this piece
    Pixel first;  // of this piece
    long written; // points of all pieces
} Pen;

static void add_coordinate(Text *out, double v) {
    char text[40];
    int n = snprintf(text, sizeof text, "%.2f", v);
    while (text[n - 1] == '0') n--;
    if (text[n - 1] == '.') n--;
    text_add_n(out, text, (size_t)n);
}

static void pen_to(Pen *pen, Pixel p) {
    pen->written++;
    if (pen->count++ == 0) pen->first = p;
    if (!pen->out) return;
    text_char(pen->out, pen->count == 1 ? 'M' : 'L');
    add_coordinate(pen->out, p.x);
    text_char(pen->out, ' ');
    add_coordinate(pen->out, p.y);
}

static void pen_up(Pen *pen) {
    if (pen->count == 1) pen_to(pen, pen->first);
    pen->count = 0;
}

static Pixel to_pixel(const Frame *f, double x, double y) {
    return (Pixel){f->left + f->width * axis_part(&f->x, x),
                   f->top + f->height * (1 - axis_part(&f->y, y))};
}

static bool can_draw(double x, double y) { return drawable(x) && drawable(y); }

typedef struct { // one column of pixels: points by their order
    long number;
    int count; // points seen
    int low_at, high_at;
    Pixel first, low, high, last;
} Bin;

static void bin_flush(Bin *b, Pen *pen) {
    if (b->count == 0) return;
    int last_at = b->count - 1;
    bool low_first = b->low_at < b->high_at;
    int at[4] = {0, low_first ? b->low_at : b->high_at, low_first ? b->high_at : b->low_at,
                 last_at};
    Pixel p[4] = {b->first, low_first ? b->low : b->high, low_first ? b->high : b->low, b->last};
    for (int i = 0; i < 4; i++)
        if (i == 0 || at[i] > at[i - 1]) pen_to(pen, p[i]);
    b->count = 0;
}

static void bin_add(Bin *b, Pen *pen, Pixel p) {
    long number = (long)floor(p.x);
    if (b->count && number != b->number) bin_flush(b, pen);
    if (b->count == 0) *b = (Bin){.number = number, .first = p, .low = p, .high = p};
    if (p.y < b->low.y) b->low = p, b->low_at = b->count;
    if (p.y > b->high.y) b->high = p, b->high_at = b->count;
    b->last = p;
    b->count++;
}

static void draw_rising(Pen *pen, const Frame *f, const double *x, const double *y, int count) {
    Bin bin = {0};
    for (int i = 0; i < count; i++) {
        if (can_draw(x[i], y[i])) {
            bin_add(&bin, pen, to_pixel(f, x[i], y[i]));
        } else {
            bin_flush(&bin, pen);
            pen_up(pen);
        }
    }
    bin_flush(&bin, pen);
    pen_up(pen);
}

static void draw_loose(Pen *pen, const Frame *f, const double *x, const double *y, int count) {
    Pixel kept = {0}, last = {0};
    bool owes = false; // the last point was skipped
    for (int i = 0; i < count; i++) {
        if (!can_draw(x[i], y[i])) {
            if (owes) pen_to(pen, last);
            pen_up(pen);
            owes = false;
            continue;
        }
        last = to_pixel(f, x[i], y[i]);
        owes = pen->count > 0 && hypot(last.x - kept.x, last.y - kept.y) < LOOSE_DISTANCE;
        if (owes) continue;
        pen_to(pen, last);
        kept = last;
    }
    if (owes) pen_to(pen, last);
    pen_up(pen);
}

// Cells of the frame with one more on each side, as data may lie on its edge.
typedef struct {
    const Frame *frame;
    int columns, rows;
    bool *seen;
} Cells;

static bool first_visit(Cells *c, Pixel p) {
    int column = 1 + (int)((p.x - c->frame->left) / CELL);
    int row = 1 + (int)((p.y - c->frame->top) / CELL);
    if (column < 0 || row < 0 || column >= c->columns || row >= c->rows) return false;
    bool *seen = &c->seen[row * c->columns + column];
    bool first = !*seen;
    *seen = true;
    return first;
}

static void draw_filling(Pen *pen, const Frame *f, const double *x, const double *y, int count) {
    Arena tmp = {0};
    Cells cells = {f, (int)f->width / CELL + 3, (int)f->height / CELL + 3, NULL};
    cells.seen = ARENA_ARRAY(&tmp, bool, cells.columns *cells.rows);
    Pixel before = {0};
    bool has_before = false; // the point before this one may start a piece
    for (int i = 0; i < count; i++) {
        if (!can_draw(x[i], y[i])) {
            pen_up(pen);
            has_before = false;
            continue;
        }
        Pixel p = to_pixel(f, x[i], y[i]);
        if (first_visit(&cells, p)) {
            if (pen->count == 0 && has_before) pen_to(pen, before);
            pen_to(pen, p);
        } else {
            pen_up(pen);
        }
        before = p;
        has_before = true;
    }
    pen_up(pen);
    arena_free(&tmp);
}

bool curve_rises(const double *x, int count) {
    double before = -INFINITY;
    for (int i = 0; i < count; i++) {
        if (!drawable(x[i])) continue;
        if (x[i] < before) return false;
        before = x[i];
    }
    return true;
}

void curve_path(Text *out, const Frame *f, const double *x, const double *y, int count) {
    Pen pen = {.out = out};
    if (curve_rises(x, count)) {
        draw_rising(&pen, f, x, y, count);
        return;
    }
    Pen counter = {0};
    draw_loose(&counter, f, x, y, count);
    if (counter.written <= MOST_LOOSE_POINTS)
        draw_loose(&pen, f, x, y, count);
    else
        draw_filling(&pen, f, x, y, count);
}
