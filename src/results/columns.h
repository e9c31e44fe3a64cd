// Results: columns of numbers with names and units, in memory and in files.
//
//     time [s]   v.f [m/s]   spring.e [N]      column[0] is time, and it never falls
//     0          0           1                 one row per wanted point
//     0.01       0.0001      0.99
//
// CSV, HDF5 and MAT files hold the same: the columns, and a few words about where they came from.
#ifndef BONDYN_RESULTS_COLUMNS_H
#define BONDYN_RESULTS_COLUMNS_H

#include "base/names.h"
#include "base/report.h"

typedef struct {
    const char *name, *unit, *text; // unit "" when unknown, text "" when there is none
    double *value;                  // row_count values
} Column;

typedef struct {
    Arena arena;
    int column_count;
    Column *column; // the first is time
    int row_count, row_capacity;
    const char *model, *experiment, *solver, *source; // metadata; Nullable
    bool complete; // false: the run ended early; marked in every file
} Results;

// Empty results that live in their own arena: results_free gives back the struct as well.
Results *results_new(void);
void results_free(Results *r);
// Columns without names and room for `rows` rows of zeros; for results whose size is known.
void results_make_room(Results *r, int columns, int rows);
// False, with the reason in the report: time is not finite somewhere, or falls.
bool results_time_rises(const Results *r, const char *path, Report *report);
int results_column(const Results *r, const char *name); // -1 when there is none

// An index of column names, for looking up many; it does not follow later changes.
typedef struct {
    Names *names;
    int *column; // by name
} ColumnIndex;

ColumnIndex column_index_new(const Results *r);
void column_index_free(ColumnIndex *index);
int column_index_find(const ColumnIndex *index, const char *name); // -1 when there is none

// Results on their way into a file, block by block: a long run needs no more memory than a short
// one.
//
//     beside its place, marked incomplete     head  block  block ...   what a killed run leaves
//     in its place at the end                 the same, marked complete if it is
//
// Where a file cannot be written on (a full disk), CSV keeps the rows that are whole.
typedef struct ResultWriter ResultWriter;

ResultWriter *csv_open(const char *path, Report *report); // NULL: reported
ResultWriter *hdf5_open(const char *path, Report *report);
ResultWriter *mat_open(const char *path, Report *report);
// The rows of this block behind those before. False: reported; nothing more is written.
bool writer_add(ResultWriter *w, const Results *block, Report *report);
// The last block, often without rows; it tells whether the results are complete.
// False: reported, now or before.
bool writer_close(ResultWriter *w, const Results *last, Report *report);
void writer_discard(ResultWriter *w); // instead: as if nothing had been written

// Written beside their place and renamed. False, with the reason in the report, when it failed.
bool results_write_csv(const Results *r, const char *path, Report *report);
bool results_write_hdf5(const Results *r, const char *path, Report *report);
bool results_write_mat(const Results *r, const char *path, Report *report);
// NULL when the file cannot be read or does not hold results. Free with results_free.
// CSV of other tools is read too: a line of names, then numbers, apart by comma, semicolon or tab.
Results *results_read_csv(const char *path, Report *report);
Results *results_read_hdf5(const char *path, Report *report);
Results *results_read_mat(const char *path, Report *report); // also of MATLAB, Octave, SciPy
Results *results_from_mat(const char *bytes, size_t length, const char *path, Report *report);

// --- comparison ---------------------------------------------------------------------------------

typedef struct {
    const char *name;
    double largest, at_time; // largest distance and where
    double bound;            // tube half-width there
    bool pass;
} Difference;

// Column by column on the times of `a`, `b` interpolated: |a-b| <= atol + rtol*max|a|.
// Gives the number of entries in *list: one for each column that both have. Columns that only one
// has, units that differ and times that `b` does not cover are reported.
int results_compare(Arena *out, const Results *a, const Results *b, double rtol, double atol,
                    Difference **list, Report *r);

// --- before it (comparable.c)

// Whether results say anything: rows, columns beside time, no name twice, no column of NaN only,
// and a run that came to its end. False: reported, with `path` as what they are called.
bool results_comparable(const Results *r, const char *path, Report *report);
// A column gets another name; false when there is none of that name.
bool results_rename(Results *r, const char *from, const char *to);
// Leaves out the columns of `a` that `b` does not have; gives how many are left beside time.
int results_keep_common(Results *a, const Results *b);

#endif
