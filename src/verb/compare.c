// compare: two result files, each CSV, HDF5 or MAT by its ending, within a tolerance tube.
#include "verb/verb.h"

#include <string.h>

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

static Results *read_results(Session *s, const char *path) {
    if (ends_with(path, ".h5") || ends_with(path, ".hdf5"))
        return results_read_hdf5(path, &s->report);
    if (ends_with(path, ".mat")) return results_read_mat(path, &s->report);
    if (ends_with(path, ".csv")) return results_read_csv(path, &s->report);
    Remark *m = report_error(&s->report, T_NOT_RESULTS, POS_NONE,
                             "'%s' is no results file that can be read", path);
    remark_help(&s->report, m, "give files that end in .csv, .h5 or .mat");
    return NULL;
}

static void difference_json(Text *t, const Difference *d) {
    json_open(t, '{');
    json_text_of(t, "name", d->name);
    json_number_of(t, "largest", d->largest);
    json_number_of(t, "time", d->at_time);
    json_number_of(t, "bound", d->bound);
    json_bool_of(t, "pass", d->pass);
    json_close(t, '}');
}

static void print_differences(Session *s, const Difference *list, int count, int bad) {
    bool all = session_has(s, OPT_VERBOSE);
    for (int i = 0; i < count; i++) {
        const Difference *d = &list[i];
        if (d->pass && !all) continue;
        text_printf(&s->out, "%-9s %s: largest difference %.3g at time %.6g, allowed %.3g\n",
                    d->pass ? "same" : "DIFFERENT", d->name, d->largest, d->at_time, d->bound);
    }
    if (session_has(s, OPT_QUIET)) return;
    if (bad)
        text_printf(&s->out, "%d of %d columns differ\n", bad, count);
    else
        text_printf(&s->out, "%d columns, all the same within the tolerance\n", count);
}

// A = B: the column that is B in the second file gets the name that it has in the first.
static bool map_name(Session *s, const Results *a, Results *b, const char *map) {
    const char *equals = strchr(map, '=');
    if (!equals) {
        Remark *m = report_error(&s->report, T_BAD_VALUE, POS_NONE, "'%s' maps nothing", map);
        remark_help(&s->report, m, "write --map \"v.f = speed\": first file = second file");
        return false;
    }
    const char *from = equals + 1 + strspn(equals + 1, " ");
    size_t to = (size_t)(equals - map), length = strlen(from);
    while (to && map[to - 1] == ' ') to--;
    while (length && from[length - 1] == ' ') length--;
    const char *name = arena_copy_text(&s->arena, from, length);
    const char *here = arena_copy_text(&s->arena, map, to);
    bool known = results_column(a, here) >= 0;
    if (known && results_rename(b, name, here)) return true;
    Remark *m =
        report_error(&s->report, R_NO_SUCH_COLUMN, POS_NONE, "the %s results have no column '%s'",
                     known ? "second" : "first", known ? name : here);
    remark_help(&s->report, m, "the first name is of the first file, the second of the second");
    return false;
}

static bool ready(Session *s, Results *a, Results *b) {
    bool good = results_comparable(a, session_argument(s, 0), &s->report);
    for (int i = 0; i < s->options.maps.count; i++)
        good = map_name(s, a, b, s->options.maps.data[i]) && good;
    good = results_comparable(b, session_argument(s, 1), &s->report) && good;
    if (!good || !session_has(s, OPT_COMMON) || results_keep_common(a, b) > 0) return good;
    Remark *m =
        report_error(&s->report, R_COLUMN_MISSING, POS_NONE, "the files have no column in common");
    remark_help(&s->report, m, "say which belong together with --map \"A = B\"");
    return false;
}

ExitCode verb_compare(Session *s) {
    double rtol = 1e-4, atol = 1e-9;
    if (!option_number(s, OPT_RTOL, &rtol) || !option_number(s, OPT_ATOL, &atol)) return EXIT_USAGE;
    Results *a = read_results(s, session_argument(s, 0));
    Results *b = read_results(s, session_argument(s, 1));
    Difference *list = NULL;
    int count = 0, bad = 0;
    bool fit = a && b && ready(s, a, b);
    if (fit || (a && b && b->row_count == 0))
        count = results_compare(&s->arena, a, b, rtol, atol, &list, &s->report);
    for (int i = 0; i < count; i++) bad += !list[i].pass;
    if (s->json) {
        json_key(&s->out, "columns");
        json_open(&s->out, '[');
        for (int i = 0; i < count; i++) difference_json(&s->out, &list[i]);
        json_close(&s->out, ']');
    } else if (a && b && !s->report.errors) {
        print_differences(s, list, count, bad);
    }
    if (a) results_free(a);
    if (b) results_free(b);
    if (!a || !b || s->report.errors) return EXIT_INPUT;
    return bad ? EXIT_EXPECT : EXIT_GOOD;
}
