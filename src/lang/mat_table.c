// Tables from MAT files. A file becomes the CSV text that has the same columns, and is read as such
// (csv_table.c): what is wrong with a number is told at its place in that text.
//
//     data, names, units    columns as `bondyn run --mat` writes them
//     else                  all vectors that are as long as the first one
#include "lang/mat_table.h"

#include "base/mat.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    const MatMatrix *m;
    long first, step; // of its values in m
    const char *name, *unit;
} MatColumn;

static long length_of(const MatMatrix *m) {
    bool vector = (m->rows == 1 || m->columns == 1) && !m->words;
    return vector ? m->rows * m->columns : 0;
}

static int named_columns(Arena *out, const MatFile *f, const MatMatrix *data,
                         const MatMatrix *names, MatColumn *list, long *rows) {
    bool across = data->rows == names->rows;
    if (!across && data->columns != names->rows) return 0;
    *rows = across ? data->columns : data->rows;
    for (long c = 0; c < names->rows; c++)
        list[c] = (MatColumn){data, across ? c : c * data->rows, across ? data->rows : 1,
                              mat_line(out, names, c), mat_line(out, mat_find(f, "units"), c)};
    return (int)names->rows;
}

static int vector_columns(const MatFile *f, MatColumn *list, long *rows) {
    int count = 0;
    *rows = 0;
    for (int i = 0; i < f->count; i++) {
        const MatMatrix *m = &f->list[i];
        if (*rows == 0 && length_of(m) > 1) *rows = length_of(m);
        if (*rows && length_of(m) == *rows) list[count++] = (MatColumn){m, 0, 1, m->name, ""};
    }
    return count;
}

static void write_cell(Text *out, const MatColumn *c) {
    text_char(out, '"');
    for (const char *at = c->name; *at; at++) {
        if (*at == '"') text_char(out, '"');
        text_char(out, *at);
    }
    if (*c->unit) text_printf(out, " [%s]", c->unit);
    text_char(out, '"');
}

static void write_columns(Text *out, const MatColumn *list, int count, long rows) {
    for (int c = 0; c < count; c++) {
        if (c) text_char(out, ',');
        write_cell(out, &list[c]);
    }
    for (long i = 0; i < rows; i++)
        for (int c = 0; c < count; c++) {
            text_char(out, c ? ',' : '\n');
            text_number(out, list[c].m->value[list[c].first + i * list[c].step]);
        }
    text_char(out, '\n');
}

const char *mat_as_csv(Text *out, const char *bytes, size_t length) {
    MatFile f;
    Arena tmp = {0};
    long rows = 0;
    const char *why = mat_read(&f, bytes, length);
    if (!why) {
        const MatMatrix *data = mat_find(&f, "data"), *names = mat_find(&f, "names");
        bool named = data && names && names->words;
        long most = named && names->rows > f.count ? names->rows : f.count;
        MatColumn *list = ARENA_ARRAY(&tmp, MatColumn, most + 1);
        int count = named ? named_columns(&tmp, &f, data, names, list, &rows)
                          : vector_columns(&f, list, &rows);
        write_columns(out, list, count, rows);
        if (!count) why = "it has no columns: neither `data` with `names` nor vectors";
    }
    arena_free(&tmp);
    mat_free(&f);
    return why;
}
