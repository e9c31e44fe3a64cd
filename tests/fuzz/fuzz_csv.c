// Any bytes as a file of data: refused with remarks, or a table of finite numbers that rise.
#include "lang/csv_table.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

// Of several variables: every argument rises, and every point has a value.
static void check_grid(const AstData *d, int rank) {
    int points = 1;
    for (int k = 0; k < rank; k++) {
        if (d->size[k] < 2) abort();
        for (int i = 0; i < d->size[k]; i++)
            if (!isfinite(d->axis[k][i]) || (i && !(d->axis[k][i] > d->axis[k][i - 1]))) abort();
        points *= d->size[k];
    }
    if (points != d->count) abort();
    for (int i = 0; i < points; i++)
        if (!isfinite(d->y[i])) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const AstData *d) {
    if (d->count < 2) abort();
    for (int i = 0; i < d->count; i++)
        if (!isfinite(d->x[i]) || !isfinite(d->y[i]) || (i && !(d->x[i] > d->x[i - 1]))) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena = {0};
    Report report = {0};
    Text printed = {0};
    Names *names = names_new();
    Sources *sources = sources_new();
    uint32_t source = sources_add(sources, "fuzz.csv", (const char *)data, size);
    AstFormal formal[3] = {{0}};
    int rank = 1 + (int)(size / 2 % 3);
    AstClass table = {.kind = CLASS_TABLE, .formals = formal, .formal_count = rank};
    table.column = size % 2 ? name_of(names, "b") : 0; // else the first column twice
    table_from_csv(&arena, names, sources, source, &table, &report);
    if ((table.data != NULL) == (report.errors > 0)) abort();
    if (table.data && rank == 1) check(table.data);
    if (table.data && rank > 1) check_grid(table.data, rank);
    report_print(&printed, &report, sources);
    text_free(&printed);
    report_free(&report);
    sources_free(sources);
    names_free(names);
    arena_free(&arena);
    return 0;
}
