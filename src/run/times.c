#include "run/times.h"

#include <math.h>
#include <stdlib.h>

static double row_time(const Times *t, long i) {
    return i >= t->intervals ? t->stop : t->start + (double)i * t->every;
}

static double grid_time(const Times *t, long g) {
    long i = g / t->parts, k = g % t->parts;
    double from = row_time(t, i);
    return k ? from + (row_time(t, i + 1) - from) * (double)k / t->parts : from;
}

static double margin(const Times *t) { return 1e-12 * (t->stop - t->start); }

// The last point of the grid that does not lie behind this time.
static long grid_before(const Times *t, double time) {
    long low = 0, high = t->intervals * t->parts + 1;
    while (high - low > 1) {
        long middle = low + (high - low) / 2;
        if (grid_time(t, middle) <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static long grid_nearest(const Times *t, double time) {
    long g = grid_before(t, time);
    if (g >= t->intervals * t->parts) return g;
    return time - grid_time(t, g) <= grid_time(t, g + 1) - time ? g : g + 1;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

Times times_make(double start, double stop, double every, long intervals, int parts, double *extra,
                 int extra_count) {
    Times t = {start, stop, every, intervals, parts, extra, 0};
    if (extra_count) qsort(extra, (size_t)extra_count, sizeof *extra, by_size);
    for (int i = 0; i < extra_count; i++) {
        bool repeats = t.extra_count && extra[i] - extra[t.extra_count - 1] <= margin(&t);
        bool on_grid = fabs(grid_time(&t, grid_nearest(&t, extra[i])) - extra[i]) <= margin(&t);
        if (!repeats && !on_grid) extra[t.extra_count++] = extra[i];
    }
    return t;
}

long times_count(const Times *t) { return t->intervals * t->parts + 1 + t->extra_count; }

static int extras_before(const Times *t, double time) {
    int n = 0;
    while (n < t->extra_count && t->extra[n] < time) n++;
    return n;
}

long times_index(const Times *t, double time) {
    long g = grid_nearest(t, time);
    int e = extras_before(t, time); // the nearest extra time is this one or the one before
    if (e > 0 && (e == t->extra_count || time - t->extra[e - 1] < t->extra[e] - time)) e--;
    double on_grid = grid_time(t, g);
    if (e < t->extra_count && fabs(t->extra[e] - time) < fabs(on_grid - time))
        return grid_before(t, t->extra[e]) + 1 + e;
    return g + extras_before(t, on_grid);
}

bool times_next(const Times *t, TimesCursor *c, double *time, bool *row) {
    bool more = c->grid <= t->intervals * t->parts;
    double grid = more ? grid_time(t, c->grid) : INFINITY;
    if (c->extra < t->extra_count && t->extra[c->extra] < grid) {
        *time = t->extra[c->extra++];
        *row = false;
        return true;
    }
    if (!more) return false;
    *time = grid;
    *row = c->grid % t->parts == 0;
    c->grid++;
    return true;
}
