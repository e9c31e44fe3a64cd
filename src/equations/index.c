// Index reduction (Pantelides): which equations must be differentiated, and how often.
//
// States are known, their derivatives and all other quantities are unknown. An equation that cannot
// be matched with an unknown, together with everything that competes with it, is a constraint
// between states:
//
//     r1*w1 = r2*w2                w1, w2 states: no unknown in it
//     r1*w1' = r2*w2'              differentiated: now it has two
//
// All such sets are differentiated at once and matched anew, with the derivatives in their place. A
// few rounds suffice: it ends exactly when equations plus links x - x' can be matched with all
// quantities, which is checked first.
#include "equations/work.h"

typedef struct {
    Work *w;
    Arena arena; // of this round
    Incidence a; // rules that stand for themselves against unknowns
    int *rule_of_row, *quantity_of_col;
    int *col_of_row, *row_of_col;
    ARRAY(int) rows; // that have too few unknowns, with all that compete with them
    ARRAY(int) cols; // those unknowns
    bool matched;    // every row has its column
    bool perfect;    // and every column its row
} Round;

// --- matching -----------------------------------------------------------------------------------

// A rule that was differentiated speaks through its derivative; so does a quantity.
static void number_rows_and_columns(Round *t) {
    Work *w = t->w;
    t->rule_of_row = ARENA_ARRAY(&t->arena, int, w->rule.count + 1);
    t->quantity_of_col = ARENA_ARRAY(&t->arena, int, w->quantity.count + 1);
    for (int r = 0; r < w->rule.count; r++)
        if (w->rule.data[r].derivative < 0) t->rule_of_row[t->a.row_count++] = r;
    for (int q = 0; q < w->quantity.count; q++) {
        bool unknown = w->quantity.data[q].der < 0;
        w->quantity.data[q].place = unknown ? t->a.col_count : -1;
        if (unknown) t->quantity_of_col[t->a.col_count++] = q;
    }
}

static void fill_incidence(Round *t) {
    Work *w = t->w;
    int capacity = 0, at = 0;
    t->a.start = array_grow(NULL, &capacity, t->a.row_count + 1, sizeof *t->a.start);
    capacity = 0;
    t->a.col = array_grow(NULL, &capacity, w->entry.count + 1, sizeof *t->a.col);
    for (int i = 0; i < t->a.row_count; i++) {
        const Rule *r = &w->rule.data[t->rule_of_row[i]];
        t->a.start[i] = at;
        int rated = r->rated ? quantity_of(w, r->rated)
                             : -1; // of such a law nothing else is differentiated
        for (int k = r->first; k < r->first + r->count; k++) {
            int q = w->entry.data[k], c = w->quantity.data[q].place;
            if (c >= 0 && (rated < 0 || q == rated)) t->a.col[at++] = c;
        }
    }
    t->a.start[t->a.row_count] = at;
    for (int q = 0; q < w->quantity.count; q++) w->quantity.data[q].place = -1;
}

static void round_open(Round *t, Work *w) {
    *t = (Round){.w = w};
    number_rows_and_columns(t);
    fill_incidence(t);
    t->col_of_row = ARENA_ARRAY(&t->arena, int, t->a.row_count + 1);
    t->row_of_col = ARENA_ARRAY(&t->arena, int, t->a.col_count + 1);
    int size = incidence_match(&t->a, t->col_of_row, t->row_of_col);
    t->matched = size == t->a.row_count;
    t->perfect = t->matched && size == t->a.col_count;
}

static void round_close(Round *t) {
    incidence_free(&t->a);
    array_free(&t->rows);
    array_free(&t->cols);
    arena_free(&t->arena);
}

// --- constraints --------------------------------------------------------------------------------

// Alternating paths from all rows without partner.
static void find_constraints(Round *t) {
    bool *seen = ARENA_ARRAY(&t->arena, bool, t->a.col_count + 1);
    for (int r = 0; r < t->a.row_count; r++)
        if (t->col_of_row[r] < 0) array_push(&t->rows, r);
    for (int i = 0; i < t->rows.count; i++)
        for (int k = t->a.start[t->rows.data[i]]; k < t->a.start[t->rows.data[i] + 1]; k++) {
            int c = t->a.col[k];
            if (seen[c]) continue;
            seen[c] = true;
            array_push(&t->cols, c);
            array_push(&t->rows, t->row_of_col[c]);
        }
}

static int compare_ints(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// In ascending order, so that new symbols do not depend on the search.
static void differentiate(Round *t) {
    Work *w = t->w;
    if (t->cols.count > 0) qsort(t->cols.data, (size_t)t->cols.count, sizeof(int), compare_ints);
    qsort(t->rows.data, (size_t)t->rows.count, sizeof(int), compare_ints);
    for (int i = 0; i < t->cols.count; i++)
        quantity_differentiate(w, t->quantity_of_col[t->cols.data[i]]);
    for (int i = 0; i < t->rows.count; i++) rule_differentiate(w, t->rule_of_row[t->rows.data[i]]);
}

// --- what cannot be --------------------------------------------------------------------------

static bool report_endless(Round *t) {
    Work *w = t->w;
    for (int i = 0; i < t->rows.count; i++) t->rows.data[i] = t->rule_of_row[t->rows.data[i]];
    Remark *remark =
        report_error(w->report, Q_NO_FREEDOM, w->rule.data[t->rows.data[0]].pos,
                     "this constraint stays unfulfilled however often it is differentiated");
    remark_rules(w, remark, t->rows.data, t->rows.count);
    remark_help(w->report, remark,
                "something must be free to follow the constraint: an effort or a flow that no "
                "other equation sets");
    return false;
}

// A derivative that lost all its unknowns: 0 = 0 (the constraint follows from others) or a number.
static bool has_unknowns(Round *t, int row) {
    Work *w = t->w;
    int r = t->rule_of_row[row];
    if (w->rule.data[r].count > 0) return true;
    Text label = {0};
    rule_label(&label, w->model, w->graph, w->rule.data[r].origin);
    double value;
    bool zero = expr_is_number(w->dag, rule_residual(w, r), &value) && value == 0;
    Remark *remark =
        report_error(w->report, zero ? Q_DEPENDENT : Q_CONTRADICTION, w->rule.data[r].pos,
                     zero ? "%s already follows from other equations"
                          : "%s has no variable that could fulfil it",
                     text_get(&label));
    remark_help(w->report, remark,
                "leave it out, or let it speak of a variable that is still free");
    text_free(&label);
    return false;
}

static bool run_round(Round *t, bool last) {
    find_constraints(t);
    for (int r = 0; r < t->a.row_count; r++)
        if (t->col_of_row[r] < 0 && !has_unknowns(t, r)) return false;
    if (last) return report_endless(t);
    differentiate(t);
    return true;
}

static int deepest_level(const Work *w) {
    int deepest = 0;
    for (int r = 0; r < w->rule.count; r++) {
        int level = 0;
        for (int k = r; w->rule.data[k].of >= 0; k = w->rule.data[k].of) level++;
        if (level > deepest) deepest = level;
    }
    return deepest;
}

bool index_reduce(Work *w) {
    enum { MOST_ROUNDS = 12 };
    bool ok = true, done = false;
    for (int i = 0; ok && !done; i++) {
        Round t;
        round_open(&t, w);
        done = t.matched;
        if (!t.perfect && i == 0) ok = !singular_report(w);
        if (ok && !done) ok = run_round(&t, i == MOST_ROUNDS);
        round_close(&t);
    }
    w->rounds = deepest_level(w);
    return ok;
}
