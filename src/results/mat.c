// Results as MAT files, which MATLAB, Octave, SciPy and others load:
//
//     names   a row of characters per variable            data(k, :) belongs to names(k, :)
//     units   the same
//     about   model, experiment, solver, source, complete: a line each
//     data    a row of numbers per variable, the first is time
//
// They are of level 4, which can be written as the run goes on: matrices stand one behind the
// other, by columns, and a column of `data` is a row of the results. Only its head has to be put
// right at the end.
#include "results/writer.h"

#include "base/files.h"
#include "base/mat.h"
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { FLUSH_AT = 1 << 20, HEAD = 20 };
static const char unfinished[] = "complete: no ", finished[] = "complete: yes";

typedef struct {
    ResultWriter base;
    int file;
    Text bytes; // waiting to be written
    off_t data_at,
        complete_at;      // places in the file: of the head of `data`, of the last line of `about`
    int columns, problem; // errno of the first failure
} MatWriter;

static bool failed(MatWriter *w) {
    if (!w->problem) w->problem = errno ? errno : EIO;
    return false;
}

static bool flush(MatWriter *w) {
    if (!file_put(w->file, w->bytes.data, w->bytes.length)) return failed(w);
    text_clear(&w->bytes);
    return true;
}

// Characters of a row lie apart: those of the line that tells the end are found by their places.
static bool begin(ResultWriter *base, const Results *r) {
    MatWriter *w = (MatWriter *)base;
    Text *t = &w->bytes;
    const char **name = ARENA_ARRAY(&base->arena, const char *, r->column_count);
    const char **unit = ARENA_ARRAY(&base->arena, const char *, r->column_count);
    for (int c = 0; c < r->column_count; c++)
        name[c] = r->column[c].name, unit[c] = r->column[c].unit;
    w->columns = r->column_count;
    mat_add_characters(t, "names", name, r->column_count);
    mat_add_characters(t, "units", unit, r->column_count);
    w->complete_at = (off_t)t->length + HEAD + (off_t)sizeof "complete";
    mat_add_characters(t, "complete", (const char *const[]){unfinished}, 1);
    static const char program[] = "Bondyn " BONDYN_VERSION;
    const char *about[] = {r->model, r->experiment, r->solver, r->source, program};
    mat_add_characters(t, "about", about, 5);
    w->data_at = (off_t)t->length;
    mat_add_numbers(t, "data", r->column_count, 0, NULL);
    return flush(w);
}

static bool add_rows(ResultWriter *base, const Results *r) {
    MatWriter *w = (MatWriter *)base;
    for (int row = 0; row < r->row_count; row++) {
        for (int c = 0; c < r->column_count; c++)
            text_add_n(&w->bytes, (const char *)&r->column[c].value[row], sizeof(double));
        if ((w->bytes.length > FLUSH_AT || row + 1 == r->row_count) && !flush(w)) return false;
    }
    return true;
}

static bool put_right(MatWriter *w, bool complete) {
    int32_t rows = (int32_t)w->base.rows;
    if (w->base.rows > INT_MAX) return failed(w);
    if (pwrite(w->file, &rows, sizeof rows, w->data_at + 8) != (ssize_t)sizeof rows)
        return failed(w);
    size_t n = sizeof finished - 1;
    return !complete || pwrite(w->file, finished, n, w->complete_at) == (ssize_t)n || failed(w);
}

static bool finish(ResultWriter *base, bool complete) {
    MatWriter *w = (MatWriter *)base;
    bool good = !base->begun || put_right(w, complete);
    if (close(w->file) != 0) good = failed(w);
    text_free(&w->bytes);
    return good;
}

static bool salvage(ResultWriter *base, Report *report) {
    const MatWriter *w = (MatWriter *)base;
    Remark *m = report_error(report, T_CANNOT_WRITE, POS_NONE, "cannot write '%s': %s", base->path,
                             strerror(w->problem));
    remark_help(report, m, "choose a folder that exists, has space and that you may write to");
    return false;
}

static const WriterKind writes = {begin, add_rows, finish, salvage};

ResultWriter *mat_open(const char *path, Report *report) {
    Arena arena = {0};
    MatWriter *w = ARENA_NEW(&arena, MatWriter);
    w->base = writer_at(&arena, path, &writes);
    w->file = file_create(w->base.beside, path);
    if (w->file < 0) failed(w);
    w->base.arena = arena;
    if (w->file >= 0) return &w->base;
    salvage(&w->base, report);
    arena = w->base.arena;
    arena_free(&arena);
    return NULL;
}
