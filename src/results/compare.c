// Two results side by side, column by column, within a tube around the first:
//
//       a + w  ------------------      w = atol + rtol*max|a|, one width for a whole column
//       a      ==================      b is looked at on the times of a, straight lines between
//       a - w  ------------------      its points
//
// Where a signal jumps, results hold two rows of one time; the first is compared with the first
// and the second with the last of b's rows at that time.
#include "results/columns.h"

#include <math.h>
#include <string.h>

// Rows of b for a row of a: value = b[left] + part*(b[left+1] - b[left]).
typedef struct {
    int left;
    double part;
} Place;

static double largest_magnitude(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        if (isfinite(x[i])) most = fmax(most, fabs(x[i]));
    return most;
}

// Places for the times of a; gives the number of rows that b covers. Times that differ by rounding
// only (a few parts in 1e12 of the span) count as equal.
static int find_places(const Results *a, const Results *b, Place *place) {
    const double *ta = a->column[0].value, *tb = b->column[0].value;
    int n = b->row_count, left = 0, covered = 0;
    if (n == 0 || a->row_count == 0) return 0;
    double close = 1e-12 * (fabs(ta[a->row_count - 1] - ta[0]) + fabs(tb[n - 1] - tb[0]));
    for (int i = 0; i < a->row_count; i++) {
        if (ta[i] < tb[0] - close || ta[i] > tb[n - 1] + close) {
            place[i].left = -1;
            continue;
        }
        bool second = i > 0 && ta[i] == ta[i - 1];
        while (left + 1 < n &&
               (tb[left + 1] < ta[i] - close || (second && tb[left + 1] <= ta[i] + close)))
            left++;
        place[i] = (Place){left, 0};
        if (left + 1 < n && ta[i] > tb[left] + close) {
            double span = tb[left + 1] - tb[left];
            place[i].part =
                tb[left + 1] <= ta[i] + close || span <= 0 ? 1 : (ta[i] - tb[left]) / span;
        }
        covered++;
    }
    return covered;
}

static double value_at(const double *b, Place p) {
    if (p.part == 0) return b[p.left];
    if (p.part == 1) return b[p.left + 1];
    return b[p.left] + p.part * (b[p.left + 1] - b[p.left]);
}

// Distance of two values; numbers against nan or inf are infinitely far apart.
static double distance(double x, double y) {
    if (x == y || (isnan(x) && isnan(y))) return 0;
    double d = fabs(x - y);
    return isnan(d) ? INFINITY : d;
}

static Difference compare_column(const Results *a, const Column *ca, const Column *cb,
                                 const Place *place, double rtol, double atol) {
    Difference d = {.name = ca->name,
                    .bound = atol + rtol * largest_magnitude(ca->value, a->row_count)};
    const double *time = a->column[0].value;
    d.at_time = a->row_count ? time[0] : 0;
    for (int i = 0; i < a->row_count; i++) {
        if (place[i].left < 0) continue;
        double far = distance(ca->value[i], value_at(cb->value, place[i]));
        if (far > d.largest) d.largest = far, d.at_time = time[i];
    }
    d.pass = d.largest <= d.bound;
    return d;
}

static bool units_fit(const Column *a, const Column *b, Report *r) {
    if (!*a->unit || !*b->unit || strcmp(a->unit, b->unit) == 0) return true;
    Remark *m = report_error(r, R_UNITS_DIFFER, POS_NONE, "'%s' is in %s here and in %s there",
                             a->name, a->unit, b->unit);
    remark_help(r, m, "write both results in one unit");
    return false;
}

static void report_missing(const Results *a, const Results *b, const ColumnIndex *in_a,
                           const ColumnIndex *in_b, Report *r) {
    for (int c = 1; c < a->column_count; c++) {
        if (column_index_find(in_b, a->column[c].name) > 0) continue;
        Remark *m = report_error(r, R_COLUMN_MISSING, POS_NONE,
                                 "column '%s' is missing in the second results", a->column[c].name);
        remark_help(r, m, "record it in the second run, or leave it out of the first");
    }
    int extra = 0;
    const char *first = "";
    for (int c = b->column_count - 1; c > 0; c--)
        if (column_index_find(in_a, b->column[c].name) <= 0) extra++, first = b->column[c].name;
    if (extra)
        report_add(r, NOTE, R_COLUMN_MISSING, POS_NONE,
                   "%d column%s of the second results not compared: '%s'%s", extra,
                   extra == 1 ? " is" : "s are", first, extra > 1 ? " ..." : "");
}

static void report_uncovered(const Results *a, const Place *place, int covered, Report *r) {
    if (covered == a->row_count) return;
    int i = 0;
    while (place[i].left >= 0) i++;
    Remark *m = report_error(r, R_NOT_COVERED, POS_NONE,
                             "the second results do not cover %d of %d times, from %g s on",
                             a->row_count - covered, a->row_count, a->column[0].value[i]);
    remark_help(r, m, "run both over the same time");
}

int results_compare(Arena *out, const Results *a, const Results *b, double rtol, double atol,
                    Difference **list, Report *r) {
    *list = ARENA_ARRAY(out, Difference, a->column_count);
    if (a->column_count == 0 || b->column_count == 0) {
        report_error(r, R_NO_RESULTS, POS_NONE, "results without columns cannot be compared");
        return 0;
    }
    Arena tmp = {0};
    Place *place = ARENA_ARRAY(&tmp, Place, a->row_count);
    for (int i = 0; i < a->row_count; i++) place[i].left = -1;
    int covered = find_places(a, b, place), count = 0;
    ColumnIndex in_a = column_index_new(a), in_b = column_index_new(b);
    report_missing(a, b, &in_a, &in_b, r);
    report_uncovered(a, place, covered, r);
    for (int c = 1; c < a->column_count; c++) {
        int other = column_index_find(&in_b, a->column[c].name);
        if (other <= 0 || !units_fit(&a->column[c], &b->column[other], r)) continue;
        (*list)[count++] = compare_column(a, &a->column[c], &b->column[other], place, rtol, atol);
    }
    column_index_free(&in_a);
    column_index_free(&in_b);
    arena_free(&tmp);
    return count;
}
