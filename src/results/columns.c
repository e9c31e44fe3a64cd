// Room for results. Everything hangs off one arena, so freeing is one call.
#include "results/columns.h"

#include "base/array.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

Results *results_new(void) {
    Arena arena = {0};
    Results *r = ARENA_NEW(&arena, Results);
    r->arena = arena; // from here on the results own the block that they lie in
    r->complete = true;
    return r;
}

bool results_time_rises(const Results *r, const char *path, Report *report) {
    const double *time = r->column[0].value;
    for (int i = 0; i < r->row_count; i++) {
        if (isfinite(time[i]) && (i == 0 || time[i] >= time[i - 1])) continue;
        report_error(report, R_TIME_FALLS, POS_NONE, "%s, row %d: time %g does not follow %g", path,
                     i + 1, time[i], i ? time[i - 1] : 0.0);
        return false;
    }
    return true;
}

void results_free(Results *r) {
    if (!r) return;
    Arena arena = r->arena;
    *r = (Results){0};
    arena_free(&arena);
}

void results_make_room(Results *r, int columns, int rows) {
    r->column = ARENA_ARRAY(&r->arena, Column, columns);
    r->column_count = columns;
    r->row_capacity = rows;
    for (int c = 0; c < columns; c++)
        r->column[c] = (Column){"", "", "", ARENA_ARRAY(&r->arena, double, rows)};
}

int results_column(const Results *r, const char *name) {
    for (int c = 0; c < r->column_count; c++)
        if (strcmp(r->column[c].name, name) == 0) return c;
    return -1;
}

ColumnIndex column_index_new(const Results *r) {
    ColumnIndex index = {names_new(), NULL};
    int capacity = 0;
    index.column = array_grow(NULL, &capacity, r->column_count + 1, sizeof(int));
    for (int c = r->column_count - 1; c >= 0; c--) // of equal names the first one counts
        index.column[name_of(index.names, r->column[c].name)] = c;
    return index;
}

void column_index_free(ColumnIndex *index) {
    names_free(index->names);
    free(index->column);
    *index = (ColumnIndex){0};
}

int column_index_find(const ColumnIndex *index, const char *name) {
    Name known = name_find(index->names, name);
    return known ? index->column[known] : -1;
}
