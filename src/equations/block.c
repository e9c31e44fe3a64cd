// Equations that must be solved together.
//
//     linear rows    ->  eliminated symbolically while there are safe pivots
//     what is left   ->  linear, up to 4 unknowns: by determinants, so the only division is by the
//                        determinant; more: an implicit linear block, whose matrix is what the
//                        elimination left of the rows
//                        nonlinear: unknowns that a row gives explicitly are torn out of the loop
//                        (tear.c); the rest is an implicit block for Newton
//
// A row that elimination empties shows that equations depend on each other. Where it leaves a
// condition between states, this is a constraint that the structure alone did not show: the
// rule is replaced by it and index reduction starts again.
#include "equations/core.h"
#include "expr/matrix.h"

enum { BY_DETERMINANT = 4, LARGEST_BLOCK = 1000000 };

// --- implicit blocks ----------------------------------------------------------------------------

static Expr guess_of(const Work *w, int q) {
    int v = w->quantity.data[q].var;
    Expr start = v >= 0 ? w->model->var[v].start : 0;
    return start ? start : expr_number(w->dag, 0);
}

// With candidates of a set among the unknowns, the run stays on the branch where it is.
bool has_candidates(const Work *w, const int *quantities, int n) {
    for (int i = 0; i < n; i++)
        if (w->quantity.data[quantities[i]].set >= 0) return true;
    return false;
}

// Corrections that are small everywhere: the last solution may come from a step that was refused.
static bool begins_afresh(const Work *w, const int *quantities, int n) {
    for (int i = 0; i < n; i++) {
        int v = w->quantity.data[quantities[i]].var;
        if (v < 0 || !w->model->var[v].afresh) return false;
    }
    return true;
}

static Expr new_anchor(Work *w) {
    Expr anchor = expr_symbol(w->dag, name_of(w->model->names, "anchor"));
    symbol_is_held(w, anchor);
    return anchor;
}

// Derivatives of the residuals, row by row.
static void find_entries(Work *w, const Expr *residual, int n, BlockEntries *entries) {
    Terms row = {0};
    for (int i = 0; i < n; i++) {
        slopes(w, residual[i], quantity_has_place, w, &row);
        for (int k = 0; k < row.count; k++) {
            int col = w->quantity.data[row.data[k].quantity].place;
            array_push(entries, ((BlockEntry){i, col, row.data[k].coefficient}));
        }
    }
    array_free(&row);
}

// Rows of entries turned into columns, in solved form.
static void block_matrix(Work *w, Block *b, const BlockEntries *entries) {
    int n = b->size, *start = ARENA_ARRAY(w->out, int, n + 1);
    for (int k = 0; k < entries->count; k++) start[entries->data[k].col + 1]++;
    for (int j = 0; j < n; j++) start[j + 1] += start[j];
    b->jacobian.start = start;
    b->jacobian.row = ARENA_ARRAY(w->out, int, entries->count);
    b->jacobian.entry = ARENA_ARRAY(w->out, Expr, entries->count);
    int *next = ARENA_ARRAY(&w->scratch, int, n + 1);
    for (int j = 0; j < n; j++) next[j] = start[j];
    for (int k = 0; k < entries->count; k++) {
        const BlockEntry *e = &entries->data[k];
        b->jacobian.row[next[e->col]] = e->row;
        b->jacobian.entry[next[e->col]++] = rewrite(w->solved, e->value);
    }
}

void block_keep(Work *w, const int *quantities, const Expr *residual, const int *rules, int n,
                const BlockEntries *linear) {
    bool candidates = has_candidates(w, quantities, n);
    Block b = {.size = n, .linear = linear, .pos = w->rule.data[rules[0]].pos};
    b.anchored = candidates && !linear;
    b.afresh = !candidates && !linear && begins_afresh(w, quantities, n);
    BlockEntries found = {0};
    b.unknown = ARENA_ARRAY(w->out, Expr, n);
    b.residual = ARENA_ARRAY(w->out, Expr, n);
    b.guess = ARENA_ARRAY(w->out, Expr, n);
    b.equation = ARENA_ARRAY(w->out, int, n);
    for (int i = 0; i < n; i++) {
        Quantity *q = &w->quantity.data[quantities[i]];
        b.unknown[i] = q->symbol;
        b.guess[i] = b.anchored ? new_anchor(w) : guess_of(w, quantities[i]);
        b.equation[i] = w->rule.data[rules[i]].origin;
        q->constant = false;
        q->place = i;
    }
    for (int i = 0; i < n; i++) b.residual[i] = rewrite(w->solved, residual[i]);
    if (!linear) find_entries(w, residual, n, &found);
    block_matrix(w, &b, linear ? linear : &found);
    array_free(&found);
    for (int i = 0; i < n; i++) w->quantity.data[quantities[i]].place = -1;
    if (candidates) choice_note(w, &b, quantities);
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

bool refuse_large(Elimination *e, int size) {
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

void core_note(const Core *c, const int *left, int n, bool implicit) {
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

static void keep_linear(Core *c) {
    Elimination *e = c->e;
    BlockEntries entries = {0};
    int n = c->rows.count;
    for (int j = 0; j < n; j++) e->where[c->cols.data[j]] = j;
    for (int i = 0; i < n; i++) {
        const EliminationRow *row = &e->row[c->rows.data[i]];
        c->residual[i] = row_residual(e, c->rows.data[i]);
        for (int k = 0; k < row->cell.count; k++) {
            const EliminationCell *cell = &row->cell.data[k];
            array_push(&entries, ((BlockEntry){i, e->where[cell->col], cell->coefficient}));
        }
    }
    for (int j = 0; j < n; j++) e->where[c->cols.data[j]] = -1;
    block_keep(e->w, c->quantities, c->residual, c->rules, n, &entries);
    array_free(&entries);
}

static bool solve_core(Core *c) {
    int n = c->rows.count;
    bool closed = n <= BY_DETERMINANT && !has_candidates(c->e->w, c->quantities, n);
    if (c->linear) core_note(c, c->quantities, n, !closed);
    if (n == 0) return true;
    if (c->linear && closed) return solve_by_determinant(c);
    if (c->linear) {
        if (!refuse_large(c->e, n)) return false;
        keep_linear(c);
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
