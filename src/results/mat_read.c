// Results in MAT files: those of mat.c, and those of MATLAB, Octave and SciPy (base/mat.h).
//
//     data, names     a row of numbers and one of characters per variable (or `data` the other way round)
//     A, states       a linear model: one row at its time, a column per entry, A[coil.p,capacitor.q]
//     else            every vector of the length of `time` (or `t`) is a column with the name of its variable
#include "results/columns.h"

#include "base/files.h"
#include "base/mat.h"
#include <limits.h>
#include <math.h>
#include <string.h>

// --- to results ----------------------------------------------------------------------------------

static void read_about(Results *r, const MatFile *f) {
    const MatMatrix *about = mat_find(f, "about"), *complete = mat_find(f, "complete");
    r->model = mat_line(&r->arena, about, 0);
    r->experiment = mat_line(&r->arena, about, 1);
    r->solver = mat_line(&r->arena, about, 2);
    r->source = mat_line(&r->arena, about, 3);
    r->complete = !complete || strstr(mat_line(&r->arena, complete, 0), "no") == NULL;
}

static bool read_named(Results *r, const MatFile *f, const MatMatrix *data,
                       const MatMatrix *names) {
    bool across = data->rows == names->rows; // a row per variable
    long rows = across ? data->columns : data->rows;
    if ((!across && data->columns != names->rows) || rows > INT_MAX / 2 ||
        names->rows > INT_MAX / 2)
        return false;
    results_make_room(r, (int)names->rows, (int)rows);
    for (int c = 0; c < r->column_count; c++) {
        Column *x = &r->column[c];
        x->name = mat_line(&r->arena, names, c);
        x->unit = mat_line(&r->arena, mat_find(f, "units"), c);
        x->text = "";
        for (long i = 0; i < rows; i++)
            x->value[i] = data->value[across ? i * data->rows + c : c * data->rows + i];
    }
    r->row_count = (int)rows;
    read_about(r, f);
    return true;
}

static bool is_vector(const MatMatrix *m, long length) {
    return (m->rows == 1 || m->columns == 1) && !m->words && m->rows * m->columns == length;
}

static bool read_vectors(Results *r, const MatFile *f, const MatMatrix *time) {
    long rows = time->rows * time->columns;
    int count = 0, at = 1;
    if (!is_vector(time, rows) || rows > INT_MAX / 2) return false;
    for (int i = 0; i < f->count; i++) count += is_vector(&f->list[i], rows);
    results_make_room(r, count, (int)rows);
    for (int i = 0; i < f->count; i++) {
        const MatMatrix *m = &f->list[i];
        if (!is_vector(m, rows)) continue;
        Column *x = &r->column[m == time ? 0 : at++];
        x->name = m == time ? "time" : arena_copy_text(&r->arena, m->name, strlen(m->name));
        x->unit = x->text = "";
        memcpy(x->value, m->value, (size_t)rows * sizeof *x->value);
    }
    r->row_count = (int)rows;
    r->model = r->experiment = r->solver = r->source = "";
    r->complete = true;
    return true;
}

// --- linear models -------------------------------------------------------------------------------

typedef struct {
    const char *letter, *rows, *columns; // and the lists of their names; NULL: a vector
} Letter;

static const Letter letters[] = {
    {"A", "states", "states"},  {"B", "states", "inputs"},  {"C", "outputs", "states"},
    {"D", "outputs", "inputs"}, {"B1", "states", "inputs"}, {"D1", "outputs", "inputs"},
    {"x", "states", NULL},      {"u", "inputs", NULL},      {"y", "outputs", NULL}};
enum { LETTERS = sizeof letters / sizeof *letters };

static const char *label(Results *r, const MatFile *f, const char *list, long i) {
    const MatMatrix *names = mat_find(f, list);
    return names && names->words ? mat_line(&r->arena, names, i)
                                 : arena_printf(&r->arena, "%ld", i + 1);
}

static const char *entry_name(Results *r, const MatFile *f, const Letter *x, long i, long j) {
    const char *row = label(r, f, x->rows, i);
    if (!x->columns) return arena_printf(&r->arena, "%s[%s]", x->letter, row);
    return arena_printf(&r->arena, "%s[%s,%s]", x->letter, row, label(r, f, x->columns, j));
}

// One row: the time, and every entry as a column.
static bool read_linear(Results *r, const MatFile *f) {
    const MatMatrix *time = mat_find(f, "time");
    long count = 1;
    for (int k = 0; k < LETTERS; k++) {
        const MatMatrix *m = mat_find(f, letters[k].letter);
        if (m && !m->words) count += m->rows * m->columns;
    }
    if (count > INT_MAX / 2) return false;
    results_make_room(r, (int)count, 1);
    Column *at = r->column;
    *at->value = time && time->rows * time->columns == 1 ? *time->value : 0;
    at->name = "time";
    at->unit = at->text = "";
    for (int k = 0; k < LETTERS; k++) {
        const MatMatrix *m = mat_find(f, letters[k].letter);
        for (long i = 0; m && !m->words && i < m->rows * m->columns; i++) {
            at++;
            at->name = entry_name(r, f, &letters[k], i % m->rows, i / m->rows);
            at->unit = at->text = "";
            *at->value = m->value[i];
        }
    }
    r->row_count = 1;
    r->model = r->experiment = r->solver = r->source = "";
    r->complete = true;
    return true;
}

static bool is_linear(const MatFile *f) {
    const MatMatrix *a = mat_find(f, "A"), *c = mat_find(f, "C");
    return a && c && !a->words && !c->words && a->rows == a->columns && c->columns == a->columns;
}

static const char *fill(Results *r, const MatFile *f) {
    const MatMatrix *data = mat_find(f, "data"), *names = mat_find(f, "names");
    const MatMatrix *time = mat_find(f, "time") ? mat_find(f, "time") : mat_find(f, "t");
    if (data && names)
        return names->rows > 0 && read_named(r, f, data, names) ? NULL
                                                                : "`data` does not fit `names`";
    if (is_linear(f)) return read_linear(r, f) ? NULL : "the matrices are too large";
    if (!time)
        return "there are neither `data` and `names`, nor `A` and `C` of a linear model, nor a "
               "vector `time` or `t`";
    return read_vectors(r, f, time) ? NULL : "`time` is not a vector";
}

Results *results_from_mat(const char *bytes, size_t length, const char *path, Report *report) {
    MatFile f;
    Results *r = results_new();
    const char *why = mat_read(&f, bytes, length);
    if (!why) why = fill(r, &f);
    if (why) {
        Remark *m =
            report_error(report, T_NOT_RESULTS, POS_NONE, "'%s' holds no results: %s", path, why);
        remark_help(report, m,
                    "MAT files of levels 4 and 5 with `data` and `names`, or with vectors "
                    "beside `time`, are read");
    }
    if (why || !results_time_rises(r, path, report)) results_free(r), r = NULL;
    mat_free(&f);
    return r;
}

Results *results_read_mat(const char *path, Report *report) {
    Arena arena = {0};
    size_t length;
    const char *bytes = file_read(&arena, path, &length, report, POS_NONE);
    Results *r = bytes ? results_from_mat(bytes, length, path, report) : NULL;
    arena_free(&arena);
    return r;
}
