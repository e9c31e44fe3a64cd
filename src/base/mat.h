// MAT files, which MATLAB, Octave, SciPy and others load and save: matrices with names (mat.c).
#ifndef BONDYN_BASE_MAT_H
#define BONDYN_BASE_MAT_H

#include "base/arena.h"
#include "base/text.h"
#include <stdbool.h>

typedef struct { // a variable of the file
    char name[64];
    long rows, columns;
    double *value; // by columns
    bool words;    // characters
} MatMatrix;

typedef struct {
    Arena arena;
    MatMatrix *list;
    int count, room;
} MatFile;

// NULL, or why it cannot be read. Free it in both cases.
const char *mat_read(MatFile *f, const char *bytes, size_t length);
void mat_free(MatFile *f);
const MatMatrix *mat_find(const MatFile *f, const char *name); // NULL: it is not there
// A row of characters, without the blanks behind it; empty where there is none. Nullable: m.
const char *mat_line(Arena *out, const MatMatrix *m, long row);

// Each of them behind the last, in any number, is a file.
void mat_add_numbers(Text *t, const char *name, int rows, int columns, const double *value);
void mat_add_characters(Text *t, const char *name, const char *const *line, int count);

#endif
