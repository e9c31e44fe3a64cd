// Index reduction (Pantelides): which equations must be differentiated, and how often.
//
// States are known, their derivatives and all other quantities are unknown. An equation that cannot
// be matched with an unknown, together with everything that competes with it, is a constraint
// between states:
//
//     r1*w1 = r2*w2                w1, w2 states: no unknown in it
//     r1*w1' = r2*w2'              differentiated: now it has two
//
// The set is differentiated as a whole and the search goes on with the derivative. It ends exactly
// when equations plus links x - x' can be matched with all quantities, which is checked first.
#include "equations/work.h"

enum { MOST_DERIVATIVES = 12 };

typedef struct {
    Work *w;
    ARRAY(int) rule_of;                  // per quantity: matched rule or -1
    ARRAY(int) quantity_of;              // per rule
    ARRAY(int) seen_rule, seen_quantity; // stamp of the last search
    ARRAY(int) next;                     // per rule: the entry to try next
    ARRAY(int) colored_rule, colored_quantity, path;
    ARRAY(int) todo; // rules without a partner
    int stamp;
} Pantelides;

static bool is_unknown(const Work *w, int q) { return w->quantity.data[q].der < 0; }

// --- the first matching -------------------------------------------------------------------------

// Rules against unknowns; columns are numbered by column_of_quantity.
static Incidence unknown_incidence(Work *w, int *column_of_quantity, int *quantity_of_column) {
    int columns = 0, entries = 0;
    for (int q = 0; q < w->quantity.count; q++) {
        column_of_quantity[q] = is_unknown(w, q) ? columns : -1;
        if (is_unknown(w, q)) quantity_of_column[columns++] = q;
    }
    Incidence a = {.row_count = w->rule.count, .col_count = columns};
    int capacity = 0;
    a.start = array_grow(NULL, &capacity, a.row_count + 1, sizeof *a.start);
    capacity = 0;
    a.col = array_grow(NULL, &capacity, w->entry.count + 1, sizeof *a.col);
    for (int r = 0; r < a.row_count; r++) {
        const Rule *x = &w->rule.data[r];
        a.start[r] = entries;
        for (int k = x->first; x->derivative < 0 && k < x->first + x->count; k++) {
            int c = column_of_quantity[w->entry.data[k]];
            if (c >= 0) a.col[entries++] = c;
        }
    }
    a.start[a.row_count] = entries;
    return a;
}

// True when every rule and every unknown found a partner.
static bool first_matching(Pantelides *p) {
    Work *w = p->w;
    int n = w->quantity.count, m = w->rule.count;
    int *column = ARENA_ARRAY(&w->scratch, int, n), *quantity = ARENA_ARRAY(&w->scratch, int, n);
    Incidence a = unknown_incidence(w, column, quantity);
    int *col_of_row = ARENA_ARRAY(&w->scratch, int, m);
    int *row_of_col = ARENA_ARRAY(&w->scratch, int, n);
    int size = incidence_match(&a, col_of_row, row_of_col);
    for (int q = 0; q < n; q++) array_push(&p->rule_of, column[q] < 0 ? -1 : row_of_col[column[q]]);
    int active = 0; // rules that were differentiated before speak through their derivative
    for (int r = 0; r < m; r++) {
        array_push(&p->quantity_of, col_of_row[r] < 0 ? -1 : quantity[col_of_row[r]]);
        if (w->rule.data[r].derivative >= 0) continue;
        active++;
        if (col_of_row[r] < 0) array_push(&p->todo, r);
    }
    bool perfect = size == active && size == a.col_count;
    incidence_free(&a);
    return perfect;
}

// --- searching and differentiating --------------------------------------------------------------

static void grow_tables(Pantelides *p) {
    Work *w = p->w;
    while (p->rule_of.count < w->quantity.count) array_push(&p->rule_of, -1);
    while (p->quantity_of.count < w->rule.count) array_push(&p->quantity_of, -1);
    while (p->seen_quantity.count < w->quantity.count) array_push(&p->seen_quantity, 0);
    while (p->seen_rule.count < w->rule.count) array_push(&p->seen_rule, 0);
    while (p->next.count < w->rule.count) array_push(&p->next, 0);
}

static void color_rule(Pantelides *p, int r) {
    p->seen_rule.data[r] = p->stamp;
    p->next.data[r] = 0;
    array_push(&p->colored_rule, r);
    array_push(&p->path, r);
}

// Gives every rule on the path the quantity that it looked at last.
static void turn_path(Pantelides *p) {
    Work *w = p->w;
    for (int i = p->path.count - 1; i >= 0; i--) {
        int r = p->path.data[i];
        int q = w->entry.data[w->rule.data[r].first + p->next.data[r] - 1];
        p->quantity_of.data[r] = q;
        p->rule_of.data[q] = r;
    }
}

// Depth-first search for an unknown without partner; colours what it meets.
static bool find_partner(Pantelides *p, int start) {
    Work *w = p->w;
    grow_tables(p);
    p->stamp++;
    p->colored_rule.count = p->colored_quantity.count = p->path.count = 0;
    color_rule(p, start);
    while (p->path.count > 0) {
        int r = array_last(&p->path);
        const Rule *x = &w->rule.data[r];
        if (p->next.data[r] == x->count) {
            p->path.count--;
            continue;
        }
        int q = w->entry.data[x->first + p->next.data[r]++];
        if (!is_unknown(w, q) || p->seen_quantity.data[q] == p->stamp) continue;
        if (p->rule_of.data[q] < 0) {
            turn_path(p);
            return true;
        }
        p->seen_quantity.data[q] = p->stamp;
        array_push(&p->colored_quantity, q);
        color_rule(p, p->rule_of.data[q]);
    }
    return false;
}

static bool has_entry(const Work *w, int r, int q) {
    const Rule *x = &w->rule.data[r];
    for (int k = x->first; k < x->first + x->count; k++)
        if (w->entry.data[k] == q) return true;
    return false;
}

// Partners hand their partnership down to their derivatives.
static void match_derivatives(Pantelides *p) {
    Work *w = p->w;
    for (int i = 0; i < p->colored_quantity.count; i++) {
        int q = p->colored_quantity.data[i], r = p->rule_of.data[q];
        int dq = w->quantity.data[q].der, dr = w->rule.data[r].derivative;
        p->rule_of.data[q] = -1;
        p->quantity_of.data[r] = -1;
        if (p->rule_of.data[dq] < 0 && has_entry(w, dr, dq)) {
            p->rule_of.data[dq] = dr;
            p->quantity_of.data[dr] = dq;
        } else
            array_push(&p->todo, dr);
    }
}

static int level_of(const Work *w, int r) {
    int level = 0;
    while (w->rule.data[r].of >= 0) {
        r = w->rule.data[r].of;
        level++;
    }
    return level;
}

static void differentiate_colored(Pantelides *p) {
    Work *w = p->w;
    for (int i = 0; i < p->colored_quantity.count; i++)
        quantity_differentiate(w, p->colored_quantity.data[i]);
    for (int i = 0; i < p->colored_rule.count; i++) {
        int d = rule_differentiate(w, p->colored_rule.data[i]);
        if (level_of(w, d) > w->rounds) w->rounds = level_of(w, d);
    }
    grow_tables(p);
    match_derivatives(p);
}

static void report_endless(Pantelides *p, int r) {
    Work *w = p->w;
    Remark *remark =
        report_error(w->report, Q_NO_FREEDOM, w->rule.data[r].pos,
                     "this constraint stays unfulfilled however often it is differentiated");
    remark_rules(w, remark, p->colored_rule.data, p->colored_rule.count);
    remark_help(w->report, remark,
                "something must be free to follow the constraint: an effort or a flow that no "
                "other equation sets");
}

// A derivative that lost all its unknowns: 0 = 0 (the constraint follows from others) or a number.
static bool is_empty(Work *w, int r) {
    const Rule *x = &w->rule.data[r];
    if (x->count > 0) return false;
    Text label = {0};
    rule_label(&label, w->model, w->graph, x->origin);
    double value;
    bool zero = expr_is_number(w->dag, rule_residual(w, r), &value) && value == 0;
    Remark *remark = report_error(w->report, zero ? Q_DEPENDENT : Q_CONTRADICTION, x->pos,
                                  zero ? "%s already follows from other equations"
                                       : "%s has no variable that could fulfil it",
                                  text_get(&label));
    remark_help(w->report, remark,
                "leave it out, or let it speak of a variable that is still free");
    text_free(&label);
    return true;
}

static bool settle(Pantelides *p, int r) {
    for (;;) {
        if (is_empty(p->w, r)) return false;
        if (find_partner(p, r)) return true;
        if (level_of(p->w, r) >= MOST_DERIVATIVES) {
            report_endless(p, r);
            return false;
        }
        differentiate_colored(p);
        r = p->w->rule.data[r].derivative;
    }
}

bool index_reduce(Work *w) {
    Pantelides p = {.w = w};
    bool ok = true;
    if (!first_matching(&p)) {
        ok = !singular_report(w);
        for (int i = 0; ok && i < p.todo.count; i++) ok = settle(&p, p.todo.data[i]);
    }
    array_free(&p.rule_of);
    array_free(&p.quantity_of);
    array_free(&p.seen_rule);
    array_free(&p.seen_quantity);
    array_free(&p.next);
    array_free(&p.colored_rule);
    array_free(&p.colored_quantity);
    array_free(&p.path);
    array_free(&p.todo);
    return ok;
}
