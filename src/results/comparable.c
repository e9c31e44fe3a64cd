// What two results must be before a comparison says anything. Nothing equals nothing, NaN is like
// NaN and half a run is like its half: files that are empty, broken off or not computed at all
// would pass for the same.
#include "results/columns.h"

#include <math.h>
#include <string.h>

static bool has_content(const Results *r, const char *path, Report *report) {
    if (r->row_count > 0 && r->column_count > 1) return true;
    Remark *m =
        report_error(report, R_NO_RESULTS, POS_NONE, "'%s' has no %s: there is nothing to compare",
                     path, r->row_count > 0 ? "columns beside time" : "rows");
    remark_help(report, m, "run the experiment again, or give another file");
    return false;
}

static bool has_end(const Results *r, const char *path, Report *report) {
    if (r->complete) return true;
    Remark *m = report_error(report, R_INCOMPLETE, POS_NONE,
                             "'%s' is marked incomplete: its run was broken off", path);
    remark_help(report, m, "run it again to its end");
    return false;
}

static bool names_once(const Results *r, const char *path, Report *report) {
    ColumnIndex index = column_index_new(r);
    bool good = true;
    for (int c = 0; c < r->column_count && good; c++) {
        if (column_index_find(&index, r->column[c].name) == c) continue;
        Remark *m = report_error(report, R_NAME_TWICE, POS_NONE, "'%s' has two columns '%s'", path,
                                 r->column[c].name);
        remark_help(report, m, "give each column a name of its own");
        good = false;
    }
    column_index_free(&index);
    return good;
}

static bool has_numbers(const Results *r, const char *path, Report *report) {
    bool good = true;
    for (int c = 0; c < r->column_count; c++) {
        int row = 0;
        while (row < r->row_count && isnan(r->column[c].value[row])) row++;
        if (row < r->row_count) continue;
        Remark *m = report_error(report, R_ONLY_NAN, POS_NONE, "column '%s' of '%s' has no number",
                                 r->column[c].name, path);
        remark_help(report, m, "leave the column out of both files");
        good = false;
    }
    return good;
}

bool results_comparable(const Results *r, const char *path, Report *report) {
    if (!has_content(r, path, report)) return false;
    bool good = has_end(r, path, report);
    good = names_once(r, path, report) && good;
    return has_numbers(r, path, report) && good;
}

bool results_rename(Results *r, const char *from, const char *to) {
    for (int c = 1; c < r->column_count; c++) {
        if (strcmp(r->column[c].name, from) != 0) continue;
        r->column[c].name = arena_copy_text(&r->arena, to, strlen(to));
        return true;
    }
    return false;
}

int results_keep_common(Results *a, const Results *b) {
    ColumnIndex in_b = column_index_new(b);
    int kept = 1;
    for (int c = 1; c < a->column_count; c++)
        if (column_index_find(&in_b, a->column[c].name) > 0) a->column[kept++] = a->column[c];
    column_index_free(&in_b);
    a->column_count = kept;
    return kept - 1;
}
