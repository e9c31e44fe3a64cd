// What the run was: rows at the times of the frames. Room is bounded: when it is full, every second
// row goes and from then on only every second one is kept, so a row costs the same however long the
// run is.
#include "studio/inside.h"

#include "base/memory.h"
#include <string.h>

enum { MOST_ROWS = 24000 }; // four times what a page gets

void trail_begin(Trail *h, int columns, size_t bytes) {
    trail_free(h);
    size_t room = bytes / ((size_t)columns * sizeof(double));
    h->columns = columns;
    h->room = room < 16 ? 16 : room > MOST_ROWS ? MOST_ROWS : (int)room;
    h->stride = 1;
    h->row = memory_zeroed((size_t)h->room * (size_t)columns, sizeof *h->row);
}

static double *row_at(const Trail *h, int i) { return h->row + (size_t)i * (size_t)h->columns; }

static void thin(Trail *h) {
    size_t size = (size_t)h->columns * sizeof(double);
    for (int i = 1; 2 * i < h->rows; i++) memcpy(row_at(h, i), row_at(h, 2 * i), size);
    h->rows = (h->rows + 1) / 2;
    h->stride *= 2;
}

void trail_add(Trail *h, const double *row) {
    if (!h->row || h->skipped++ % h->stride != 0) return;
    if (h->rows == h->room) thin(h);
    memcpy(row_at(h, h->rows++), row, (size_t)h->columns * sizeof *row);
}

void trail_cut(Trail *h, double time) {
    while (h->rows && row_at(h, h->rows - 1)[0] >= time) h->rows--;
    h->skipped = 0;
}

void trail_free(Trail *h) {
    free(h->row);
    *h = (Trail){0};
}
