// Equations that must be solved together.
//
//     linear rows    ->  eliminated symbolically while there are safe pivots
//     what is left   ->  linear, up to 4 unknowns: by determinants, so the only division is by the
//                        determinant; more: an implicit linear block
//                        nonlinear: unknowns that a row gives explicitly are torn out of the loop;
//                        the rest is an implicit block for Newton, with its exact Jacobian
//
// A row that elimination empties shows that equations depend on each other. Where it leaves a
// condition between states, this is a constraint that the structure alone did not show: the
// rule is replaced by it and index reduction starts again.
#include "equations/eliminate.h"
#include "expr/matrix.h"

enum { BY_DETERMINANT = 4, LARGEST_BLOCK = 2000, DEEPEST_CHAIN = 8 };

// --- implicit blocks ----------------------------------------------------------------------------

static Expr guess_of(const Work *w, int q) {
    int v = w->quantity.data[q].var;
    Expr start = v >= 0 ? w->model->var[v].start : 0;
    return start ? start : expr_number(w->dag, 0);
}

void block_keep(Work *w, const int *quantities, const Expr *residual, const int *rules, int n,
                bool linear) {
    Block b = {.size = n, .linear = linear, .pos = w->rule.data[rules[0]].pos};
    b.unknown = ARENA_ARRAY(w->out, Expr, n);
    b.residual = ARENA_ARRAY(w->out, Expr, n);
    b.guess = ARENA_ARRAY(w->out, Expr, n);
    b.equation = ARENA_ARRAY(w->out, int, n);
    b.jacobian = ARENA_ARRAY(w->out, Expr, n * n);
    Expr zero = expr_number(w->dag, 0);
    for (int i = 0; i < n * n; i++) b.jacobian[i] = zero;
    for (int i = 0; i < n; i++) {
        Quantity *q = &w->quantity.data[quantities[i]];
        b.unknown[i] = q->symbol;
        b.guess[i] = guess_of(w, quantities[i]);
        b.equation[i] = w->rule.data[rules[i]].origin;
        q->constant = false;
        q->place = i;
    }
    Terms row = {0};
    for (int i = 0; i < n; i++) {
        b.residual[i] = rewrite(w->solved, residual[i]);
        slopes(w, residual[i], quantity_has_place, w, &row);
        for (int k = 0; k < row.count; k++)
            b.jacobian[i * n + w->quantity.data[row.data[k].quantity].place] =
                rewrite(w->solved, row.data[k].coefficient);
    }
    array_free(&row);
    for (int i = 0; i < n; i++) w->quantity.data[quantities[i]].place = -1;
    array_push(&w->block, b);
}

void loop_note(Work *w, int size, const int *left, int n, bool linear, bool implicit, Pos pos) {
    Loop l = {.size = size, .left = n, .linear = linear, .implicit = implicit, .pos = pos};
    l.var = ARENA_ARRAY(w->out, int, n);
    for (int i = 0; i < n; i++) {
        int v = w->quantity.data[left[i]].var;
        if (v >= 0) l.var[l.var_count++] = v;
    }
    array_push(&w->loop, l);
}

// --- what cannot be solved ----------------------------------------------------------------------

static void report_dependent(Elimination *e, const char *what) {
    Work *w = e->w;
    ARRAY(int) rules = {0};
    for (int i = 0; i < e->size; i++) array_push(&rules, e->row[i].rule);
    Text names = {0};
    quantity_list(&names, w, e->quantity, e->size);
    Remark *remark = report_error(w->report, Q_DEPENDENT, w->rule.data[rules.data[0]].pos,
                                  "these %d equations %s, so they do not determine %s", e->size,
                                  what, text_get(&names));
    remark_rules(w, remark, rules.data, rules.count);
    remark_help(w->report, remark,
                "remove an equation or bond that repeats what others say, and set what is open");
    text_free(&names);
    array_free(&rules);
}

static bool has_quantities(Work *w, Expr e) {
    walk_start(w->walk);
    walk_add(w->walk, e);
    for (int i = 0; i < walk_count(w->walk); i++) {
        Expr x = walk_at(w->walk, i);
        if (expr_op(w->dag, x) == OP_SYMBOL && quantity_of(w, x) >= 0) return true;
    }
    return false;
}

// Rows that elimination emptied. False when there are any; then the reason is told, or the rule
// has been replaced and the work starts again.
static bool rows_are_independent(Elimination *e) {
    Work *w = e->w;
    for (int i = 0; i < e->size; i++) {
        EliminationRow *row = &e->row[i];
        if (row->done || !row->linear || row->cell.count > 0) continue;
        double value;
        bool number = expr_is_number(w->dag, row->rest, &value);
        if (number && value == 0)
            report_dependent(e, "repeat each other");
        else if (!has_quantities(w, row->rest) || w->rule.data[row->rule].of >= 0)
            report_dependent(e, "contradict each other");
        else {
            rule_replace(w, row->rule, row->rest);
            w->restart = true;
        }
        return false;
    }
    return true;
}

static bool refuse_large(Elimination *e, int size) {
    if (size <= LARGEST_BLOCK) return true;
    Work *w = e->w;
    Remark *remark =
        report_error(w->report, Q_LOOP_TOO_LARGE, w->rule.data[e->row[0].rule].pos,
                     "an algebraic loop leaves %d unknowns that must be solved together", size);
    remark_help(w->report, remark,
                "at most %d are possible: break the loop with storages where nature has them",
                LARGEST_BLOCK);
    return false;
}

// --- the core that elimination left -------------------------------------------------------------

typedef struct {
    Elimination *e;
    ARRAY(int) rows, cols; // of the elimination
    int *quantities, *rules;
    Expr *residual; // in symbols of the core's unknowns and of what is known
    bool linear;
} Core;

static void core_open(Core *c, Elimination *e) {
    *c = (Core){.e = e, .linear = true};
    for (int i = 0; i < e->size; i++) {
        if (!e->row[i].done) array_push(&c->rows, i);
        if (!e->row[i].done && !e->row[i].linear) c->linear = false;
        if (!e->column[i].done) array_push(&c->cols, i);
    }
    int n = c->rows.count;
    c->quantities = ARENA_ARRAY(&e->w->scratch, int, n);
    c->rules = ARENA_ARRAY(&e->w->scratch, int, n);
    c->residual = ARENA_ARRAY(&e->w->scratch, Expr, n);
    for (int i = 0; i < n; i++) {
        c->quantities[i] = e->quantity[c->cols.data[i]];
        c->rules[i] = e->row[c->rows.data[i]].rule;
    }
}

static void core_close(Core *c) {
    array_free(&c->rows);
    array_free(&c->cols);
}

static void core_note(const Core *c, const int *left, int n, bool implicit) {
    Work *w = c->e->w;
    loop_note(w, c->e->size, left, n, c->linear, implicit, w->rule.data[c->e->row[0].rule].pos);
}

static bool solve_last(Core *c) {
    const EliminationRow *row = &c->e->row[c->rows.data[0]];
    const EliminationCell *cell = &row->cell.data[0];
    Expr x = minus_quotient(c->e->w->dag, row->rest, cell->coefficient, cell->value < 0);
    return quantity_solved(c->e->w, c->quantities[0], x, c->rules[0]);
}

// x = -A^-1 * rest
static bool solve_by_determinant(Core *c) {
    Elimination *e = c->e;
    Work *w = e->w;
    int n = c->rows.count;
    if (n == 1) return solve_last(c);
    Matrix a = matrix_new(&w->scratch, n, n), rest = matrix_new(&w->scratch, n, 1), inverse;
    for (int i = 0; i < n * n; i++) a.at[i] = expr_number(w->dag, 0);
    for (int j = 0; j < n; j++) e->where[c->cols.data[j]] = j;
    for (int i = 0; i < n; i++) {
        EliminationRow *row = &e->row[c->rows.data[i]];
        rest.at[i] = expr_neg(w->dag, row->rest);
        for (int k = 0; k < row->cell.count; k++)
            MATRIX_AT(a, i, e->where[row->cell.data[k].col]) = row->cell.data[k].coefficient;
    }
    for (int j = 0; j < n; j++) e->where[c->cols.data[j]] = -1;
    if (!matrix_inverse(&w->scratch, w->dag, a, &inverse)) {
        report_dependent(e, "depend on each other");
        return false;
    }
    Matrix x = matrix_multiply(&w->scratch, w->dag, inverse, rest);
    for (int j = 0; j < n; j++)
        if (!quantity_solved(w, c->quantities[j], x.at[j], c->rules[j])) return false;
    return true;
}

// --- tearing ------------------------------------------------------------------------------------

// Unknowns that a row gives explicitly once others are assumed:  x = f(assumed). What is assumed
// are the unknowns of the implicit block. Chains of such steps stay short, since each may magnify
// the error of the one before.
typedef struct {
    Core *c;
    int n;
    Incidence a;          // rows and columns of the core
    ARRAY(int) * rows_of; // per column
    int *open_count;      // per row: columns that are neither assumed nor given
    int *depth;           // per column: 0 assumed, k given by a chain of k steps, -1 open
    int *given_by;        // per column: row, or -1
    bool *used;           // per row
    ARRAY(int) given;     // columns in order
    ARRAY(int) assumed;   // columns
    ARRAY(int) queue;     // rows with one open column
    Expr *value;          // per given column
} Tearing;

static void core_incidence(Tearing *t) {
    Core *c = t->c;
    Work *w = c->e->w;
    ARRAY(int) col = {0};
    int capacity = 0;
    t->a = (Incidence){.row_count = t->n, .col_count = t->n};
    t->a.start = array_grow(NULL, &capacity, t->n + 1, sizeof *t->a.start);
    for (int j = 0; j < t->n; j++) w->quantity.data[c->quantities[j]].place = j;
    for (int i = 0; i < t->n; i++) {
        t->a.start[i] = col.count;
        walk_start(w->walk);
        walk_add(w->walk, c->residual[i]);
        for (int k = 0; k < walk_count(w->walk); k++) {
            Expr x = walk_at(w->walk, k);
            int q = expr_op(w->dag, x) == OP_SYMBOL ? quantity_of(w, x) : -1;
            int j = q >= 0 ? w->quantity.data[q].place : -1;
            if (j < 0 || j >= t->n || c->quantities[j] != q) continue;
            array_push(&col, j);
            array_push(&t->rows_of[j], i);
        }
        t->open_count[i] = col.count - t->a.start[i];
    }
    t->a.start[t->n] = col.count;
    t->a.col = col.data;
    for (int j = 0; j < t->n; j++) w->quantity.data[c->quantities[j]].place = -1;
}

static void settle_column(Tearing *t, int col, int depth) {
    t->depth[col] = depth;
    for (int k = 0; k < t->rows_of[col].count; k++) {
        int row = t->rows_of[col].data[k];
        if (--t->open_count[row] == 1 && !t->used[row]) array_push(&t->queue, row);
    }
}

// Does the row give its last open column explicitly, with a coefficient that cannot vanish?
static bool gives(Tearing *t, int row) {
    Work *w = t->c->e->w;
    int col = -1, depth = 0;
    for (int k = t->a.start[row]; k < t->a.start[row + 1]; k++) {
        int j = t->a.col[k];
        if (t->depth[j] < 0)
            col = j;
        else if (t->depth[j] > depth)
            depth = t->depth[j];
    }
    if (col < 0 || depth >= DEEPEST_CHAIN) return false;
    Expr x = w->quantity.data[t->c->quantities[col]].symbol, coefficient, rest;
    if (!expr_linear_in(w->dag, t->c->residual[row], x, &coefficient, &rest)) return false;
    if (!is_constant(w, coefficient)) return false;
    if (expr_evaluate(w->dag, coefficient, w->value.data) == 0) return false;
    t->value[col] = expr_neg(w->dag, expr_div(w->dag, rest, coefficient));
    t->given_by[col] = row;
    t->used[row] = true;
    array_push(&t->given, col);
    settle_column(t, col, depth + 1);
    return true;
}

static int most_wanted_column(const Tearing *t) {
    int best = -1, best_count = -1;
    for (int j = 0; j < t->n; j++) {
        if (t->depth[j] >= 0) continue;
        int count = 0;
        for (int k = 0; k < t->rows_of[j].count; k++) count += !t->used[t->rows_of[j].data[k]];
        if (count > best_count) {
            best = j;
            best_count = count;
        }
    }
    return best;
}

static void tear(Tearing *t) {
    for (int i = 0; i < t->n; i++)
        if (t->open_count[i] == 1) array_push(&t->queue, i);
    for (;;) {
        while (t->queue.count > 0) {
            int row = array_pop(&t->queue);
            if (!t->used[row] && t->open_count[row] == 1) gives(t, row);
        }
        int col = most_wanted_column(t);
        if (col < 0) break;
        array_push(&t->assumed, col);
        settle_column(t, col, 0);
    }
}

// One unknown that can be had in closed form after all.
static bool solve_scalar(Work *w, int quantity, Expr residual, int rule, bool *ok) {
    Expr x = w->quantity.data[quantity].symbol, value;
    if (!invert(w->dag, residual, x, &value)) return false;
    *ok = quantity_solved(w, quantity, value, rule);
    return true;
}

static bool keep_torn(Tearing *t) {
    Core *c = t->c;
    Work *w = c->e->w;
    int n = t->assumed.count, m = 0;
    int *quantities = ARENA_ARRAY(&w->scratch, int, n + 1);
    int *rules = ARENA_ARRAY(&w->scratch, int, t->n + 1);
    Expr *residual = ARENA_ARRAY(&w->scratch, Expr, t->n + 1);
    Rewrite *local = rewrite_new(w->dag);
    for (int i = 0; i < t->given.count; i++) {
        int col = t->given.data[i];
        rewrite_set(local, w->quantity.data[c->quantities[col]].symbol,
                    rewrite(local, t->value[col]));
    }
    for (int j = 0; j < n; j++) quantities[j] = c->quantities[t->assumed.data[j]];
    for (int i = 0; i < t->n; i++) {
        if (t->used[i]) continue;
        rules[m] = c->rules[i];
        residual[m++] = rewrite(local, c->residual[i]);
    }
    rewrite_free(local);
    bool ok = refuse_large(c->e, n);
    bool closed = n == 1 && solve_scalar(w, quantities[0], residual[0], rules[0], &ok);
    if (ok && n > 0 && !closed) block_keep(w, quantities, residual, rules, n, false);
    core_note(c, quantities, n, n > 0 && !closed);
    for (int i = 0; ok && i < t->given.count; i++) {
        int col = t->given.data[i];
        ok = quantity_solved(w, c->quantities[col], t->value[col], c->rules[t->given_by[col]]);
    }
    return ok;
}

static bool solve_by_tearing(Core *c) {
    Arena *a = &c->e->w->scratch;
    int n = c->rows.count;
    Tearing t = {.c = c, .n = n};
    t.rows_of = calloc((size_t)n + 1, sizeof *t.rows_of);
    if (!t.rows_of) abort();
    t.open_count = ARENA_ARRAY(a, int, n);
    t.depth = ARENA_ARRAY(a, int, n);
    t.given_by = ARENA_ARRAY(a, int, n);
    t.used = ARENA_ARRAY(a, bool, n);
    t.value = ARENA_ARRAY(a, Expr, n);
    for (int i = 0; i < n; i++) t.depth[i] = t.given_by[i] = -1;
    core_incidence(&t);
    tear(&t);
    bool ok = keep_torn(&t);
    for (int j = 0; j < n; j++) array_free(&t.rows_of[j]);
    free(t.rows_of);
    array_free(&t.given);
    array_free(&t.assumed);
    array_free(&t.queue);
    incidence_free(&t.a);
    return ok;
}

// --- all together -------------------------------------------------------------------------------

// Residuals of the core with the eliminated unknowns put in: the last pivot first.
static void substitute_pivots(Core *c) {
    Elimination *e = c->e;
    Work *w = e->w;
    Rewrite *local = rewrite_new(w->dag);
    for (int k = e->pivots.count - 1; k >= 0; k--) {
        Pivot p = e->pivots.data[k];
        rewrite_set(local, w->quantity.data[e->quantity[p.col]].symbol,
                    rewrite(local, pivot_solution(e, p).value));
    }
    for (int i = 0; i < c->rows.count; i++)
        c->residual[i] = rewrite(local, row_residual(e, c->rows.data[i]));
    rewrite_free(local);
}

static bool solve_core(Core *c) {
    int n = c->rows.count;
    if (c->linear) core_note(c, c->quantities, n, n > BY_DETERMINANT);
    if (n == 0) return true;
    if (c->linear && n <= BY_DETERMINANT) return solve_by_determinant(c);
    if (c->linear) {
        if (!refuse_large(c->e, n)) return false;
        for (int i = 0; i < n; i++) c->residual[i] = row_residual(c->e, c->rows.data[i]);
        for (int j = 0; j < n; j++) c->e->w->quantity.data[c->quantities[j]].place = -1;
        block_keep(c->e->w, c->quantities, c->residual, c->rules, n, true);
        return true;
    }
    substitute_pivots(c);
    return solve_by_tearing(c);
}

bool block_solve(Work *w, const int *rules, const int *quantities, int n) {
    Elimination e;
    Core core;
    elimination_open(&e, w, rules, quantities, n);
    elimination_run(&e);
    bool ok = rows_are_independent(&e);
    if (ok) {
        core_open(&core, &e);
        for (int i = 0; i < n; i++) w->quantity.data[quantities[i]].place = -1;
        ok = solve_core(&core);
        core_close(&core);
    }
    for (int k = e.pivots.count - 1; ok && k >= 0; k--) {
        Pivot p = e.pivots.data[k];
        ok = quantity_solution(w, quantities[p.col], pivot_solution(&e, p), e.row[p.row].rule);
    }
    elimination_close(&e);
    return ok;
}
