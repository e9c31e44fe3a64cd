#include "results/writer.h"

#include "base/files.h"
#include <string.h>

ResultWriter writer_at(Arena *arena, const char *path, const WriterKind *kind) {
    return (ResultWriter){.kind = kind,
                          .path = arena_copy_text(arena, path, strlen(path)),
                          .beside = file_beside(arena, path)};
}

static bool is_good(ResultWriter *w, bool good) {
    w->failed = w->failed || !good;
    return !w->failed;
}

bool writer_add(ResultWriter *w, const Results *block, Report *report) {
    if (w->failed) return false;
    if (!w->begun) w->begun = is_good(w, w->kind->begin(w, block));
    if (!w->failed && block->row_count && is_good(w, w->kind->add(w, block)))
        w->rows += block->row_count;
    if (!w->failed) return true;
    if (!w->kind->salvage(w, report)) w->begun = false;
    return false;
}

bool writer_close(ResultWriter *w, const Results *last, Report *report) {
    if (!w) return false;
    bool whole = writer_add(w, last, report);
    bool closed = w->kind->finish(w, whole && last->complete);
    if (whole && !closed) {
        w->failed = true;
        w->begun = w->kind->salvage(w, report);
    }
    bool kept = w->begun && file_commit(w->beside, w->path, report);
    if (!w->begun) file_discard(w->beside, w->path);
    bool good = kept && !w->failed;
    Arena arena = w->arena;
    arena_free(&arena);
    return good;
}

void writer_discard(ResultWriter *w) {
    w->kind->finish(w, false);
    file_discard(w->beside, w->path);
    Arena arena = w->arena;
    arena_free(&arena);
}

static bool write_at_once(ResultWriter *w, const Results *r, Report *report) {
    return w && writer_close(w, r, report);
}

bool results_write_csv(const Results *r, const char *path, Report *report) {
    return write_at_once(csv_open(path, report), r, report);
}

bool results_write_hdf5(const Results *r, const char *path, Report *report) {
    return write_at_once(hdf5_open(path, report), r, report);
}

bool results_write_mat(const Results *r, const char *path, Report *report) {
    return write_at_once(mat_open(path, report), r, report);
}
