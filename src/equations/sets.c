// Sets of variables of which some are states, chosen during the run.
//
// Constraints whose pivots change leave it open which of their variables they determine: a circle
// determines x where y = 0, and y where x = 0. Rows and candidates fall into groups, each solved
// after the ones before it:
//
//              x1 y1 x2 y2                 links of a chain: one row, two candidates each
//     link 1 [ *  *        ]   group 1     a row takes the candidates that no row before it took;
//     link 2 [ *  *  *  *  ]   group 2     where fewer than two are left, it joins the groups
//                                          that it touches, so that they choose together
//
// A group with as many rows as candidates has nothing to choose. The others become sets: all
// candidates are unknowns, and new states s with held numbers a say which of them are given:
//
//     0 = g(z)          s = a z          s' = a z'
#include "equations/work.h"

#include "base/memory.h"
#include <math.h>

enum { FEW = 8, MOST_PICKS = 40000 };

static const double weak = 1e-3; // hold of a row on its own candidates, against all of them

typedef struct {
    Work *w;
    const Constraint *row;
    int row_count;
    ARRAY(int) quantity;   // columns
    ARRAY(int) * rows_of;  // per column
    int *group_of_column;  // -1: taken by no row yet
    int *group_of_row;     // the same
    int *open;             // per row: columns that no row has taken
    ARRAY(int) parent;     // of groups that were joined
    ARRAY(int) queue[FEW]; // rows by the number of open columns, the longest together
} Groups;

// --- rows and columns ---------------------------------------------------------------------------

static void open_groups(Groups *g, Work *w, const Constraint *row, int count) {
    *g = (Groups){.w = w, .row = row, .row_count = count};
    Arena *a = &w->scratch;
    int cells = 0;
    for (int r = 0; r < count; r++) cells += row[r].count;
    g->rows_of = memory_zeroed((size_t)cells + 1, sizeof *g->rows_of);
    g->group_of_column = ARENA_ARRAY(a, int, cells + 1);
    g->group_of_row = ARENA_ARRAY(a, int, count + 1);
    g->open = ARENA_ARRAY(a, int, count + 1);
    for (int r = 0; r < count; r++) {
        for (int k = 0; k < row[r].count; k++) {
            Quantity *q = &w->quantity.data[row[r].quantity[k]];
            if (q->place < 0) {
                q->place = g->quantity.count;
                array_push(&g->quantity, row[r].quantity[k]);
            }
            array_push(&g->rows_of[q->place], r);
        }
        g->open[r] = row[r].count;
        g->group_of_row[r] = -1;
    }
    for (int c = 0; c < g->quantity.count; c++) g->group_of_column[c] = -1;
}

static void close_groups(Groups *g) {
    for (int c = 0; c < g->quantity.count; c++) {
        g->w->quantity.data[g->quantity.data[c]].place = -1;
        array_free(&g->rows_of[c]);
    }
    for (int i = 0; i < FEW; i++) array_free(&g->queue[i]);
    free(g->rows_of);
    array_free(&g->quantity);
    array_free(&g->parent);
}

static int column_of(const Groups *g, int row, int k) {
    return g->w->quantity.data[g->row[row].quantity[k]].place;
}

// --- grouping -----------------------------------------------------------------------------------

static int root_of(Groups *g, int group) {
    while (g->parent.data[group] != group) {
        g->parent.data[group] = g->parent.data[g->parent.data[group]];
        group = g->parent.data[group];
    }
    return group;
}

static void put(Groups *g, int row) {
    int length = g->open[row] < FEW ? g->open[row] : FEW - 1;
    array_push(&g->queue[length], row);
}

// The row with the fewest open columns, or -1. Entries of the queues may be out of date.
static int next_row(Groups *g) {
    for (int length = 0; length < FEW; length++)
        while (g->queue[length].count > 0) {
            int r = array_pop(&g->queue[length]);
            int now = g->open[r] < FEW ? g->open[r] : FEW - 1;
            if (g->group_of_row[r] < 0 && now == length) return r;
        }
    return -1;
}

// Does a row hold its open candidates firmly enough to choose among them alone?
static bool stands_alone(const Groups *g, int row) {
    const Constraint *r = &g->row[row];
    double own = 0, all = 0;
    for (int k = 0; k < r->count; k++) {
        double size = fabs(r->value[k]);
        all = fmax(all, size);
        if (g->group_of_column[column_of(g, row, k)] < 0) own = fmax(own, size);
    }
    return g->open[row] > 1 && (own >= weak * all || all == 0);
}

static void take_row(Groups *g, int row) {
    int group = g->parent.count;
    array_push(&g->parent, group);
    bool alone = stands_alone(g, row);
    g->group_of_row[row] = group;
    for (int k = 0; k < g->row[row].count; k++) {
        int c = column_of(g, row, k);
        if (g->group_of_column[c] >= 0) {
            if (!alone) g->parent.data[root_of(g, g->group_of_column[c])] = root_of(g, group);
            continue;
        }
        g->group_of_column[c] = group;
        for (int i = 0; i < g->rows_of[c].count; i++) {
            int other = g->rows_of[c].data[i];
            g->open[other]--;
            if (g->group_of_row[other] < 0) put(g, other);
        }
    }
}

static void make_groups(Groups *g) {
    for (int r = g->row_count - 1; r >= 0; r--) put(g, r);
    for (int r; (r = next_row(g)) >= 0;) take_row(g, r);
    for (int r = 0; r < g->row_count; r++) g->group_of_row[r] = root_of(g, g->group_of_row[r]);
    for (int c = 0; c < g->quantity.count; c++)
        g->group_of_column[c] = root_of(g, g->group_of_column[c]);
}

// --- sets ---------------------------------------------------------------------------------------

typedef struct {
    ARRAY(int) rows, columns;
} Group;

static Expr derivative_of(Work *w, int q) {
    const Quantity *x = &w->quantity.data[q];
    Expr rate = w->quantity.data[x->der].symbol;
    return x->der_sign > 0 ? rate : expr_neg(w->dag, rate);
}

// "x or y", "2 of x, y, z": how a state of a set is called.
static Name state_name(const Work *w, const StateSet *s, int j) {
    enum { SHOWN = 4 };
    Text t = {0};
    if (s->free > 1) text_printf(&t, "%d of ", j + 1);
    for (int i = 0; i < s->count && i < SHOWN; i++) {
        if (i > 0) text_add(&t, s->free > 1 ? ", " : " or ");
        int index = expr_symbol_index(w->dag, s->candidate[i]);
        text_add(&t, name_text(w->model->names, expr_symbol_name(w->dag, index)));
    }
    if (s->count > SHOWN) text_add(&t, " ...");
    Name name = name_of(w->model->names, text_get(&t));
    text_free(&t);
    return name;
}

// s = sum of a*z and s' = sum of a*z', for one of the states.
static void add_state(Work *w, StateSet *s, const int *quantity, int j) {
    Dag *d = w->dag;
    Name name = state_name(w, s, j);
    int q = quantity_add(w, expr_symbol(d, name), -1, -1);
    quantity_differentiate(w, q);
    Expr *term = ARENA_ARRAY(&w->scratch, Expr, s->count), *rate_term;
    rate_term = ARENA_ARRAY(&w->scratch, Expr, s->count);
    for (int i = 0; i < s->count; i++) {
        const char *of =
            name_text(w->model->names, expr_symbol_name(d, expr_symbol_index(d, s->candidate[i])));
        Expr pick = expr_symbol(d, name_printf(w->model->names, "pick%d(%s)", j + 1, of));
        symbol_is_held(w, pick);
        s->pick[j * s->count + i] = pick;
        term[i] = expr_mul(d, pick, s->candidate[i]);
        rate_term[i] = expr_mul(d, pick, derivative_of(w, quantity[i]));
    }
    Expr state = w->quantity.data[q].symbol;
    Expr rate = w->quantity.data[w->quantity.data[q].der].symbol;
    rule_add(w, expr_sub(d, expr_sum(d, term, s->count), state), 0, ORIGIN_PICK, s->pos);
    rule_add(w, rate, expr_sum(d, rate_term, s->count), ORIGIN_PICK, s->pos);
}

static void add_set(Work *w, const Groups *g, const Group *group) {
    const Rule *first = &w->rule.data[g->row[group->rows.data[0]].rule];
    int n = group->columns.count, number = w->set.count;
    StateSet s = {
        .count = n, .free = n - group->rows.count, .equation = first->origin, .pos = first->pos};
    s.var = ARENA_ARRAY(w->out, int, n);
    s.candidate = ARENA_ARRAY(w->out, Expr, n);
    s.pick = ARENA_ARRAY(w->out, Expr, s.free * n);
    int *quantity = ARENA_ARRAY(&w->scratch, int, n);
    for (int i = 0; i < n; i++) {
        quantity[i] = g->quantity.data[group->columns.data[i]];
        Quantity *q = &w->quantity.data[quantity[i]];
        q->set = number;
        s.var[i] = q->var;
        s.candidate[i] = q->symbol;
    }
    for (int i = 0; i < group->rows.count; i++) {
        array_push(&w->set_row, g->row[group->rows.data[i]].rule);
        array_push(&w->set_row, number);
    }
    for (int j = 0; j < s.free; j++) add_state(w, &s, quantity, j);
    array_push(&w->set, s);
}

static bool report_too_few(Work *w, const Groups *g, const Group *group) {
    enum { SHOWN = 8 };
    int rules[SHOWN], n = group->rows.count < SHOWN ? group->rows.count : SHOWN;
    for (int i = 0; i < n; i++) rules[i] = g->row[group->rows.data[i]].rule;
    Remark *remark = report_error(w->report, Q_LOST_CONSTRAINT, w->rule.data[rules[n - 1]].pos,
                                  "%d constraints share %d variables that could give way to them",
                                  group->rows.count, group->columns.count);
    remark_rules(w, remark, rules, n);
    remark_help(w->report, remark, "leave out the one that repeats what the others say");
    return false;
}

static bool report_too_many(Work *w, const Groups *g, const Group *group) {
    int rule = g->row[group->rows.data[0]].rule;
    Remark *remark = report_error(w->report, Q_SET_TOO_LARGE, w->rule.data[rule].pos,
                                  "%d variables are tied by %d constraints that must choose their "
                                  "states together",
                                  group->columns.count, group->rows.count);
    remark_help(w->report, remark,
                "describe parts of the motion with variables that are free everywhere, such as "
                "angles");
    return false;
}

static bool close_group(Work *w, const Groups *g, const Group *group) {
    int rows = group->rows.count, columns = group->columns.count;
    if (columns < rows) return report_too_few(w, g, group);
    for (int i = 0; i < columns; i++) {
        int rule = g->row[group->rows.data[i < rows ? i : 0]].rule;
        w->quantity.data[g->quantity.data[group->columns.data[i]]].demoted_by = rule;
    }
    if (columns == rows) return true;
    if ((long)(columns - rows) * columns > MOST_PICKS) return report_too_many(w, g, group);
    add_set(w, g, group);
    return true;
}

static int compare_columns(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

bool sets_make(Work *w, const Constraint *row, int count) {
    if (count == 0) return true;
    Groups g;
    open_groups(&g, w, row, count);
    make_groups(&g);
    Group *group = memory_zeroed((size_t)g.parent.count, sizeof *group);
    if (w->own_rules == 0) {
        w->own_quantities = w->quantity.count;
        w->own_rules = w->rule.count;
    }
    for (int r = 0; r < count; r++) array_push(&group[g.group_of_row[r]].rows, r);
    for (int c = 0; c < g.quantity.count; c++) array_push(&group[g.group_of_column[c]].columns, c);
    bool ok = true;
    for (int i = 0; i < g.parent.count; i++) {
        if (group[i].columns.count > 1)
            qsort(group[i].columns.data, (size_t)group[i].columns.count, sizeof(int),
                  compare_columns);
        if (ok && group[i].rows.count > 0) ok = close_group(w, &g, &group[i]);
        array_free(&group[i].rows);
        array_free(&group[i].columns);
    }
    free(group);
    close_groups(&g);
    return ok;
}

void sets_forget(Work *w) {
    for (int q = 0; q < w->quantity.count; q++) w->quantity.data[q].set = -1;
    if (w->own_rules > 0) {
        for (int q = w->own_quantities; q < w->quantity.count; q++)
            w->quantity_of_symbol.data[expr_symbol_index(w->dag, w->quantity.data[q].symbol)] =
                NO_QUANTITY;
        w->quantity.count = w->own_quantities;
        w->rule.count = w->own_rules;
    }
    w->own_quantities = w->own_rules = 0;
    w->set.count = w->choice.count = w->set_row.count = 0;
}

// --- choices ------------------------------------------------------------------------------------

// Columns of one unit share a scale.
static int scale_of(const Work *w, const Choice *c, const int *quantities, int column) {
    int v = w->quantity.data[quantities[column]].var;
    for (int i = 0; i < column && v >= 0; i++) {
        int other = w->quantity.data[quantities[i]].var;
        if (other >= 0 && dim_fits(w->model->var[v].dim, w->model->var[other].dim))
            return c->scale[i];
    }
    return column;
}

static int place_in_set(const StateSet *s, Expr symbol) {
    for (int i = 0; i < s->count; i++)
        if (s->candidate[i] == symbol) return i;
    return -1;
}

void choice_note(Work *w, const Block *b, const int *quantities) {
    Choice c = {.block = w->block.count, .columns = b->size};
    c.value = b->unknown;
    c.set = ARENA_ARRAY(w->out, int, b->size);
    c.place = ARENA_ARRAY(w->out, int, b->size);
    c.scale = ARENA_ARRAY(w->out, int, b->size);
    c.anchor = b->anchored ? b->guess : NULL;
    int *row_of = ARENA_ARRAY(&w->scratch, int, b->size);
    for (int i = 0; i < b->size; i++) row_of[i] = b->equation[i] == BLOCK_PICK ? -1 : c.rows++;
    c.matrix = ARENA_ARRAY(w->out, Expr, c.rows * b->size);
    for (int i = 0; i < c.rows * b->size; i++) c.matrix[i] = expr_number(w->dag, 0);
    for (int k = 0; k < b->size; k++)
        for (int i = b->jacobian.start[k]; i < b->jacobian.start[k + 1]; i++) {
            int row = row_of[b->jacobian.row[i]];
            if (row >= 0) c.matrix[row * b->size + k] = b->jacobian.entry[i];
        }
    for (int i = 0; i < b->size; i++) {
        c.set[i] = w->quantity.data[quantities[i]].set;
        c.place[i] = c.set[i] < 0 ? -1 : place_in_set(&w->set.data[c.set[i]], b->unknown[i]);
        c.scale[i] = scale_of(w, &c, quantities, i);
    }
    array_push(&w->choice, c);
}
