// Which states give way to the constraints (dummy derivatives, Mattsson and Soderlind).
//
// A rule that was differentiated k times stands in the system k + 1 times. Its highest
// derivative determines a highest derivative of some quantity; each lower one takes a state away:
//
//     stage 1   rules one below their highest derivative, in quantities one below theirs
//     stage 2   two below, in quantities whose derivative gave way in stage 1; and so on
//
// In each stage as many quantities give way as there are rules, such that the Jacobian of the
// rules by them is regular. Columns with constant pivots are taken in the order in which they
// should go: names that the user did not make a state, then corrections that hold a mechanism on
// its constraints (their pivots change, but vanish only where the constraints do), storages that
// the graph found dependent, other storages; those that the user wants integral come last. A column
// that depends on the ones before it is passed over, so the result is the best possible (a
// matroid). A pivot that changes during the run may vanish: rows that have no other choose their
// states then (sets.c).
#include "equations/linear.h"

#include <math.h>

enum {
    RANK_INTERNAL,
    RANK_PLAIN,
    RANK_CORRECTION,
    RANK_WANTED,
    RANK_DEPENDENT,
    RANK_STORAGE,
    RANK_INTEGRAL,
    RANKS
};

static const double smallest_pivot = 1e-9; // relative to the largest entry of the row at first

typedef struct {
    int quantity;
    double value;
    bool constant;
} Cell;

typedef struct {
    int rule;
    ARRAY(Cell) cell;
    double scale;
    bool taken;
} Row;

typedef struct {
    int quantity, rank;
    ARRAY(int) rows; // rows that have, or had, a cell here
} Column;

typedef struct {
    Work *w;
    ARRAY(Row) row;
    ARRAY(Column) column;
    ARRAY(int) rule;             // the rules of the stage: `stage` below their highest derivative
    unsigned char *is_dependent; // per model variable: the graph says so
    int stage;
} Stage;

// --- preferences --------------------------------------------------------------------------------

static void mark_dependent(Stage *c) {
    const Work *w = c->w;
    c->is_dependent = ARENA_ARRAY(&c->w->scratch, unsigned char, w->model->var_count);
    for (int i = 0; i < w->graph->dependent_count; i++) {
        const Comp *comp = &w->model->comp[w->graph->node[w->graph->dependent[i].node].comp];
        for (int k = 0; k < comp->state_count; k++) c->is_dependent[comp->first_state + k] = 1;
    }
}

static int rank_of(const Stage *c, int q) {
    const Work *w = c->w;
    const Quantity *x = &w->quantity.data[q];
    if (x->var < 0) return RANK_INTERNAL;
    if (w->model->var[x->var].afresh) return RANK_CORRECTION;
    if (!x->user_state) return RANK_PLAIN;
    const Var *v = &w->model->var[x->var];
    Request request = v->comp >= 0 ? w->model->comp[v->comp].request : REQUEST_NONE;
    if (request == REQUEST_INTEGRAL) return RANK_INTEGRAL;
    if (request == REQUEST_DERIVATIVE) return RANK_WANTED;
    return c->is_dependent[x->var] ? RANK_DEPENDENT : RANK_STORAGE;
}

// --- rows and columns of a stage ----------------------------------------------------------------

static bool is_candidate(const void *context, int q) {
    const Stage *c = context;
    const Work *w = c->w;
    int der = w->quantity.data[q].der;
    if (der < 0 || w->quantity.data[q].demoted_by >= 0) return false;
    if (c->stage == 1) return w->quantity.data[der].der < 0;
    return w->quantity.data[der].demoted_by >= 0;
}

static void add_row(Stage *c, int rule) {
    Work *w = c->w;
    Row row = {.rule = rule};
    Terms slope = {0};
    slopes(w, rule_residual(w, rule), is_candidate, c, &slope);
    for (int k = 0; k < slope.count; k++) {
        Expr e = slope.data[k].coefficient;
        double value = expr_evaluate(w->dag, e, w->value.data);
        bool constant = is_constant(w, e);
        if (constant && (!isfinite(value) || value == 0)) continue;
        Cell cell = {slope.data[k].quantity, isfinite(value) ? value : 0, constant};
        array_push(&row.cell, cell);
        if (fabs(value) > row.scale) row.scale = fabs(value);
    }
    array_free(&slope);
    array_push(&c->row, row);
}

static void start_rules(Stage *c) {
    const Work *w = c->w;
    for (int r = 0; r < w->rule.count; r++)
        if (w->rule.data[r].derivative < 0) array_push(&c->rule, r);
}

// Each rule of the stage before gives way to the one that it is the derivative of.
static void add_rows(Stage *c) {
    int kept = 0;
    for (int i = 0; i < c->rule.count; i++) {
        int lower = c->w->rule.data[c->rule.data[i]].of;
        if (lower >= 0) c->rule.data[kept++] = lower;
    }
    c->rule.count = kept;
    for (int i = 0; i < kept; i++) add_row(c, c->rule.data[i]);
}

static int compare_columns(const void *a, const void *b) {
    const Column *x = a, *y = b;
    if (x->rank != y->rank) return x->rank - y->rank;
    return (x->quantity > y->quantity) - (x->quantity < y->quantity);
}

static void add_columns(Stage *c) {
    Work *w = c->w;
    for (int i = 0; i < c->row.count; i++)
        for (int k = 0; k < c->row.data[i].cell.count; k++) {
            int q = c->row.data[i].cell.data[k].quantity;
            if (w->quantity.data[q].place >= 0) continue;
            w->quantity.data[q].place = c->column.count;
            Column column = {.quantity = q, .rank = rank_of(c, q)};
            array_push(&c->column, column);
        }
    if (c->column.count > 0)
        qsort(c->column.data, (size_t)c->column.count, sizeof *c->column.data, compare_columns);
    for (int i = 0; i < c->column.count; i++)
        w->quantity.data[c->column.data[i].quantity].place = i;
    for (int i = 0; i < c->row.count; i++)
        for (int k = 0; k < c->row.data[i].cell.count; k++) {
            int q = c->row.data[i].cell.data[k].quantity;
            array_push(&c->column.data[w->quantity.data[q].place].rows, i);
        }
}

// --- elimination --------------------------------------------------------------------------------

static Cell *cell_at(Row *row, int quantity) {
    for (int k = 0; k < row->cell.count; k++)
        if (row->cell.data[k].quantity == quantity) return &row->cell.data[k];
    return NULL;
}

// The free row with the best pivot in a column: constant before changing, short before long.
static int pivot_row(Stage *c, Column *column, bool constant_only) {
    int best = -1;
    bool best_constant = false;
    for (int k = 0; k < column->rows.count; k++) {
        Row *row = &c->row.data[column->rows.data[k]];
        Cell *cell = row->taken ? NULL : cell_at(row, column->quantity);
        if (!cell || fabs(cell->value) <= smallest_pivot * row->scale) continue;
        if (constant_only && !cell->constant) continue;
        bool better =
            best < 0 || (cell->constant && !best_constant) ||
            (cell->constant == best_constant && row->cell.count < c->row.data[best].cell.count);
        if (!better) continue;
        best = column->rows.data[k];
        best_constant = cell->constant;
    }
    return best;
}

// Drops cells that are zero for good, and the column that was eliminated.
static void drop_zeros(Row *row, int eliminated) {
    int kept = 0;
    for (int k = 0; k < row->cell.count; k++) {
        const Cell *c = &row->cell.data[k];
        if (c->quantity != eliminated && (c->value != 0 || !c->constant))
            row->cell.data[kept++] = *c;
    }
    row->cell.count = kept;
}

// row += by * pivot, where the column of the pivot vanishes.
static void add_multiple(Stage *c, int row, int pivot, int quantity, double by, bool constant) {
    for (int k = 0; k < c->row.data[pivot].cell.count; k++) {
        Cell from = c->row.data[pivot].cell.data[k];
        Row *to = &c->row.data[row];
        Cell *cell = cell_at(to, from.quantity);
        if (cell) {
            double sum = cell->value + by * from.value;
            bool gone = fabs(sum) < 1e-13 * (fabs(cell->value) + fabs(by * from.value));
            cell->value = gone || from.quantity == quantity ? 0 : sum;
            cell->constant = cell->constant && from.constant && constant;
        } else {
            Cell fill = {from.quantity, by * from.value, from.constant && constant};
            array_push(&to->cell, fill);
            Column *column = &c->column.data[c->w->quantity.data[from.quantity].place];
            array_push(&column->rows, row);
        }
    }
    drop_zeros(&c->row.data[row], quantity);
}

static void eliminate(Stage *c, int column, int pivot) {
    int quantity = c->column.data[column].quantity;
    Cell p = *cell_at(&c->row.data[pivot], quantity);
    for (int k = 0; k < c->column.data[column].rows.count; k++) {
        int r = c->column.data[column].rows.data[k];
        Cell *cell = c->row.data[r].taken ? NULL : cell_at(&c->row.data[r], quantity);
        if (!cell) continue;
        double by = -cell->value / p.value;
        add_multiple(c, r, pivot, quantity, by, cell->constant && p.constant);
    }
}

// --- what the user hears ------------------------------------------------------------------------

static void warn_of_changing_pivot(Stage *c, int q, int rule) {
    Work *w = c->w;
    Text name = {0};
    quantity_label(&name, w, q);
    Remark *remark = report_warning(w->report, Q_CHANGING_CHOICE, w->rule.data[rule].pos,
                                    "with '%s' as the dependent one, as requested, the run fails "
                                    "where the constraint loses its "
                                    "hold on it",
                                    text_get(&name));
    remark_help(w->report, remark, "without the request the states are chosen during the run");
    text_free(&name);
}

static void report_request(Stage *c, int q, int rule) {
    Work *w = c->w;
    const Comp *comp = &w->model->comp[w->model->var[w->quantity.data[q].var].comp];
    Remark *remark =
        report_error(w->report, Q_REQUEST, comp->request_pos,
                     "'%s' cannot keep integral causality: a constraint fixes its state",
                     name_text(w->model->names, comp->path));
    remark_rules(w, remark, &rule, 1);
    remark_help(w->report, remark,
                "take the request back, or request it for fewer of the storages");
}

static void report_lost_row(Stage *c, int rule) {
    Work *w = c->w;
    Remark *remark = report_error(w->report, Q_LOST_CONSTRAINT, w->rule.data[rule].pos,
                                  "at the start this constraint holds no state that others do not "
                                  "hold already");
    remark_rules(w, remark, &rule, 1);
    remark_help(w->report, remark,
                "start at another point, or leave the constraint out if it repeats another one");
}

// --- a stage ------------------------------------------------------------------------------------

static void demote(Stage *c, int q, int row, bool constant) {
    Work *w = c->w;
    int rule = c->row.data[row].rule;
    w->quantity.data[q].demoted_by = rule;
    c->row.data[row].taken = true;
    if (rank_of(c, q) == RANK_INTEGRAL) report_request(c, q, rule);
    if (!constant && rank_of(c, q) != RANK_CORRECTION) warn_of_changing_pivot(c, q, rule);
}

static void take_columns(Stage *c, int first, int end, bool constant_only) {
    for (int i = first; i < end; i++) {
        Column *column = &c->column.data[i];
        if (c->w->quantity.data[column->quantity].demoted_by >= 0) continue;
        int row = pivot_row(c, column, constant_only);
        if (row < 0) continue;
        bool constant = cell_at(&c->row.data[row], column->quantity)->constant;
        demote(c, column->quantity, row, constant);
        eliminate(c, i, row);
    }
}

static int end_of_rank(const Stage *c, int first) {
    int end = first;
    while (end < c->column.count && c->column.data[end].rank == c->column.data[first].rank) end++;
    return end;
}

static const Var *var_of(const Stage *c, int quantity) {
    int v = c->w->quantity.data[quantity].var;
    return v >= 0 ? &c->w->model->var[v] : NULL;
}

// A displacement of a field whose momenta the row has too: flows are functions of the momenta, with
// a positive definite inertia, or they are the velocities themselves, so these can always give way.
static bool gives_precedence(const Stage *c, const Row *row, int quantity) {
    const Var *v = var_of(c, quantity);
    if (!v || v->kind != VAR_DISPLACEMENT || v->comp < 0) return false;
    for (int k = 0; k < row->cell.count; k++) {
        const Var *other = var_of(c, row->cell.data[k].quantity);
        if (!other || other->comp != v->comp) continue;
        if (other->kind == VAR_MOMENTUM || other->kind == VAR_VELOCITY) return true;
    }
    return false;
}

// Rows that are left, in the columns that may give way: they choose during the run.
static bool leave_rest_open(Stage *c) {
    Work *w = c->w;
    ARRAY(Constraint) open = {0};
    ARRAY(int) bound = {0}; // rows that a request leaves fewer columns
    for (int i = 0; i < c->row.count; i++) {
        const Row *row = &c->row.data[i];
        if (row->taken) continue;
        Constraint r = {.rule = row->rule};
        int *quantity = ARENA_ARRAY(&w->scratch, int, row->cell.count + 1);
        double *value = ARENA_ARRAY(&w->scratch, double, row->cell.count + 1);
        for (int k = 0; k < row->cell.count; k++) {
            const Cell *cell = &row->cell.data[k];
            if (gives_precedence(c, row, cell->quantity)) continue;
            if (c->column.data[w->quantity.data[cell->quantity].place].rank == RANK_INTEGRAL) {
                if (bound.count == 0 || array_last(&bound) != open.count)
                    array_push(&bound, open.count);
                continue;
            }
            quantity[r.count] = cell->quantity;
            value[r.count++] = cell->value;
        }
        if (r.count == 0) {
            if (bound.count > 0 && array_last(&bound) == open.count) bound.count--;
            continue;
        }
        r.quantity = quantity;
        r.value = value;
        c->row.data[i].taken = true;
        array_push(&open, r);
    }
    for (int i = 0; i < c->column.count; i++)
        w->quantity.data[c->column.data[i].quantity].place = -1;
    bool ok = sets_make(w, open.data, open.count);
    for (int i = 0; i < c->column.count; i++)
        w->quantity.data[c->column.data[i].quantity].place = i;
    for (int i = 0; ok && i < bound.count; i++) {
        const Constraint *r = &open.data[bound.data[i]];
        if (w->quantity.data[r->quantity[0]].set < 0)
            warn_of_changing_pivot(c, r->quantity[0], r->rule);
    }
    array_free(&open);
    array_free(&bound);
    return ok;
}

static bool run_stage(Stage *c) {
    add_rows(c);
    add_columns(c);
    int last = c->column.count;
    for (int first = 0, end; first < c->column.count; first = end) {
        end = end_of_rank(c, first);
        int rank = c->column.data[first].rank;
        if (rank == RANK_INTEGRAL)
            last = first;
        else
            take_columns(c, first, end, rank != RANK_WANTED && rank != RANK_CORRECTION);
    }
    bool ok = leave_rest_open(c);
    take_columns(c, last, c->column.count, false);
    for (int i = 0; i < c->row.count; i++)
        if (!c->row.data[i].taken) {
            if (ok) report_lost_row(c, c->row.data[i].rule);
            ok = false;
        }
    return ok;
}

static void close_stage(Stage *c) {
    for (int i = 0; i < c->row.count; i++) array_free(&c->row.data[i].cell);
    for (int i = 0; i < c->column.count; i++) {
        c->w->quantity.data[c->column.data[i].quantity].place = -1;
        array_free(&c->column.data[i].rows);
    }
    array_free(&c->row);
    array_free(&c->column);
}

bool states_choose(Work *w) {
    Stage c = {.w = w};
    mark_dependent(&c);
    start_rules(&c);
    bool ok = true;
    int errors = w->report->errors; // of other models
    for (c.stage = 1; ok && c.stage <= w->rounds; c.stage++) {
        ok = run_stage(&c) && w->report->errors == errors;
        close_stage(&c);
    }
    array_free(&c.rule);
    return ok;
}
