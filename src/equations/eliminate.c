// Gaussian elimination on sparse rows of expressions.
//
// A pivot is taken only where it cannot vanish later: it is made of numbers and parameters, it is
// not the small difference of large terms, and it is not small beside its row (scaled). The
// shortest row and column go first (Markowitz), which solves trees and ladders without fill and in
// a stable order: from the ends inwards. Among rows of a length numbers go first, since a parameter
// may be set to zero; what then remains to be divided by are sums such as J + m*r^2. Every step
// builds on the shared expression graph, so the result is the straight-line program of a sparse LU.
#include "equations/eliminate.h"

#include <limits.h>
#include <math.h>

enum { SHORT = 8 }; // sums and rows whose denominators are cleared

static const double threshold = 1e-3;   // of a pivot against its row, scaled
static const double two_cells = 1e-8;   // the same in a row that only relates two unknowns
static const double cancellation = 0.1; // of a sum against its terms

// --- denominators -------------------------------------------------------------------------------

typedef ARRAY(Expr) Exprs;

// The bases of 1/base among the factors of a term, each once. Products may stand in products.
static void find_denominators(Dag *d, Expr term, Exprs *open, Exprs *found) {
    enum { MOST_FACTORS = 100 };
    open->count = 0;
    array_push(open, term);
    for (int i = 0; i < open->count && i < MOST_FACTORS; i++) {
        Expr f = open->data[i];
        double exponent;
        if (expr_op(d, f) == OP_PRODUCT)
            for (int k = 0; k < expr_arg_count(d, f); k++) array_push(open, expr_arg(d, f, k));
        if (expr_op(d, f) != OP_POWER || !expr_is_number(d, expr_arg(d, f, 1), &exponent)) continue;
        bool skip = exponent != -1;
        for (int j = 0; j < found->count; j++) skip = skip || found->data[j] == expr_arg(d, f, 0);
        if (!skip) array_push(found, expr_arg(d, f, 0));
    }
}

// The factor that removes all denominators of the terms: 1/J, r^2/m -> J*m; 0 if there are none.
static Expr common_denominator(Dag *d, const Expr *terms, int n) {
    Exprs open = {0}, found = {0};
    for (int i = 0; i < n; i++) find_denominators(d, terms[i], &open, &found);
    Expr product = found.count ? expr_product(d, found.data, found.count) : 0;
    array_free(&open);
    array_free(&found);
    return product;
}

// --- rows and columns ---------------------------------------------------------------------------

// Is a coefficient of parameters not small by cancellation?
static bool is_safe(Work *w, Expr coefficient, double value) {
    if (!isfinite(value) || value == 0) return false;
    if (expr_op(w->dag, coefficient) != OP_SUM) return true;
    double size = 0;
    for (int i = 0; i < expr_arg_count(w->dag, coefficient); i++)
        size += fabs(expr_evaluate(w->dag, expr_arg(w->dag, coefficient, i), w->value.data));
    return fabs(value) >= cancellation * size;
}

static void add_cell(Elimination *e, int row, EliminationCell cell) {
    array_push(&e->row[row].cell, cell);
    array_push(&e->column[cell.col].rows, row);
    e->column[cell.col].count++;
}

// f' = p'/m is read as m*f' = p': then masses add up in what remains to be divided by, not their
// reciprocals.
static void clear_denominators(Work *w, Terms *terms, Expr *rest) {
    Expr coefficient[SHORT];
    if (terms->count > SHORT) return;
    for (int k = 0; k < terms->count; k++) coefficient[k] = terms->data[k].coefficient;
    Expr multiple = common_denominator(w->dag, coefficient, terms->count);
    if (!multiple || !is_constant(w, multiple)) return;
    for (int k = 0; k < terms->count; k++)
        terms->data[k].coefficient = expr_mul(w->dag, coefficient[k], multiple);
    *rest = expr_mul(w->dag, *rest, multiple);
}

static void read_linear_row(Elimination *e, int row, Terms *terms) {
    Work *w = e->w;
    clear_denominators(w, terms, &e->row[row].rest);
    for (int k = 0; k < terms->count; k++) {
        Expr c = terms->data[k].coefficient;
        double value = expr_evaluate(w->dag, c, w->value.data);
        int col = w->quantity.data[terms->data[k].quantity].place;
        bool constant = is_constant(w, c);
        bool safe = constant && is_safe(w, c, value);
        add_cell(e, row, (EliminationCell){col, c, value, constant, safe});
    }
    Solution rest = solution_of(w, e->row[row].rest);
    e->row[row].rest_value = rest.number;
    e->row[row].rest_constant = rest.constant;
}

static void read_nonlinear_row(Elimination *e, int row, const Rule *r) {
    Work *w = e->w;
    for (int k = r->first; k < r->first + r->count; k++) {
        int col = w->quantity.data[w->entry.data[k]].place;
        if (col >= 0) add_cell(e, row, (EliminationCell){.col = col});
    }
}

static bool has_size(const EliminationCell *c) { return c->value != 0 && isfinite(c->value); }

// Units make entries large and small. Scales of rows and columns that bring all entries near 1 take
// them out again: least squares in logarithms,  log|a_ij| + row_i + column_j = 0, by turns.
static void scale_columns(Elimination *e) {
    enum { SWEEPS = 6 };
    double *sum = calloc((size_t)e->size, sizeof *sum);
    int *count = calloc((size_t)e->size, sizeof *count);
    if (!sum || !count) abort();
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int j = 0; j < e->size; j++) sum[j] = count[j] = 0;
        for (int i = 0; i < e->size; i++) {
            EliminationRow *row = &e->row[i];
            double mean = 0;
            int n = 0;
            for (int k = 0; k < row->cell.count; k++) {
                const EliminationCell *c = &row->cell.data[k];
                if (!has_size(c)) continue;
                mean += log(fabs(c->value)) + e->column[c->col].scale;
                n++;
            }
            for (int k = 0; k < row->cell.count; k++) {
                const EliminationCell *c = &row->cell.data[k];
                if (!has_size(c)) continue;
                sum[c->col] += log(fabs(c->value)) - mean / n;
                count[c->col]++;
            }
        }
        for (int j = 0; j < e->size; j++)
            if (count[j]) e->column[j].scale = -sum[j] / count[j];
    }
    for (int j = 0; j < e->size; j++) e->column[j].scale = exp(e->column[j].scale);
    free(sum);
    free(count);
}

static bool is_zero(const Work *w, Expr e) {
    double value;
    return expr_is_number(w->dag, e, &value) && value == 0;
}

// A rest fills other rows like one cell more.
static int bucket_of(const Elimination *e, const EliminationRow *row) {
    int length = row->cell.count + !is_zero(e->w, row->rest);
    return length < BUCKETS ? length : BUCKETS - 1;
}

static void put(const Elimination *e, Buckets *b, int row) {
    array_push(&b->length[bucket_of(e, &e->row[row])], row);
}

// The next row of a length that still has this length, or -1.
static int take(const Elimination *e, Buckets *b, int length) {
    while (b->length[length].count > 0) {
        int r = array_pop(&b->length[length]);
        if (!e->row[r].done && bucket_of(e, &e->row[r]) == length) return r;
    }
    return -1;
}

void elimination_open(Elimination *e, Work *w, const int *rules, const int *quantities, int n) {
    *e = (Elimination){.w = w, .size = n, .quantity = quantities};
    e->row = calloc((size_t)n, sizeof *e->row);
    e->column = calloc((size_t)n, sizeof *e->column);
    e->where = calloc((size_t)n, sizeof *e->where);
    if (!e->row || !e->column || !e->where) abort();
    e->budget = 200L * n + 20000;
    for (int i = 0; i < n; i++) w->quantity.data[quantities[i]].place = i;
    Terms terms = {0};
    for (int i = 0; i < n; i++) {
        const Rule *r = &w->rule.data[rules[i]];
        e->where[i] = -1;
        e->row[i].rule = rules[i];
        e->row[i].residual = rule_residual(w, rules[i]);
        e->row[i].linear = linear_form(w, e->row[i].residual, &terms, &e->row[i].rest);
        if (e->row[i].linear)
            read_linear_row(e, i, &terms);
        else
            read_nonlinear_row(e, i, r);
        e->nonlinear += !e->row[i].linear;
        if (e->row[i].linear) put(e, &e->untried, i);
    }
    array_free(&terms);
    scale_columns(e);
}

void elimination_close(Elimination *e) {
    for (int i = 0; i < e->size; i++) {
        array_free(&e->row[i].cell);
        array_free(&e->column[i].rows);
        e->w->quantity.data[e->quantity[i]].place = -1;
    }
    for (int i = 0; i < BUCKETS; i++) {
        array_free(&e->untried.length[i]);
        array_free(&e->tried.length[i]);
    }
    array_free(&e->pivots);
    free(e->row);
    free(e->column);
    free(e->where);
}

// --- choosing a pivot ---------------------------------------------------------------------------

static double scaled(const Elimination *e, const EliminationCell *c) {
    return fabs(c->value) * e->column[c->col].scale;
}

// How many new cells elimination with this pivot would make in other rows (each nonlinear row
// counts as one).
static long fill_of(Elimination *e, const EliminationRow *row, int col) {
    enum { MOST_ROWS = 32, MOST_CELLS = 32 };
    const EliminationColumn *column = &e->column[col];
    int length = row->cell.count;
    if (column->rows.count > MOST_ROWS || length > MOST_CELLS)
        return (long)(length - 1) * (column->count - 1);
    long fill = 0;
    for (int k = 0; k < length; k++) e->where[row->cell.data[k].col] = k;
    for (int i = 0; i < column->rows.count; i++) {
        const EliminationRow *other = &e->row[column->rows.data[i]];
        if (other == row || other->done) continue;
        bool known = other->linear || e->tracked;
        if (!known || other->cell.count > MOST_CELLS) {
            fill += length - 1;
            continue;
        }
        int common = 0;
        bool there = false;
        for (int k = 0; k < other->cell.count; k++) {
            common += e->where[other->cell.data[k].col] >= 0;
            there = there || other->cell.data[k].col == col;
        }
        if (there) fill += length - common;
    }
    for (int k = 0; k < length; k++) e->where[row->cell.data[k].col] = -1;
    return fill;
}

// The best cell of a row to pivot on, or -1: the one that fills other rows least, then the largest.
// A row as the model gave it is solved for a term that has a number, if it has one; when rows have
// been combined, only if no other fills less (else it could be shooting along a ladder).
static int best_cell(Elimination *e, const EliminationRow *row, bool numbers) {
    double largest = 0;
    for (int k = 0; k < row->cell.count; k++)
        largest = fmax(largest, scaled(e, &row->cell.data[k]));
    double smallest = largest * (row->cell.count == 2 ? two_cells : threshold);
    int best = -1;
    long best_fill = LONG_MAX, least = LONG_MAX;
    for (int k = 0; k < row->cell.count; k++) {
        const EliminationCell *c = &row->cell.data[k];
        if (!c->safe || scaled(e, c) < smallest) continue;
        if (e->w->quantity.data[e->quantity[c->col]].set >= 0) continue; // it stays an unknown
        long fill = fill_of(e, row, c->col);
        if (fill > e->most_fill) continue;
        if (row->combined && fill < least) least = fill;
        if (numbers && !expr_is_number(e->w->dag, c->coefficient, NULL)) continue;
        bool larger = best >= 0 && scaled(e, c) > scaled(e, &row->cell.data[best]);
        if (fill > best_fill || (fill == best_fill && !larger)) continue;
        best = k;
        best_fill = fill;
    }
    return best_fill <= least ? best : -1;
}

static bool pivot_from(Elimination *e, Buckets *b, int length, bool numbers, Pivot *p) {
    for (int r; (r = take(e, b, length)) >= 0;) {
        int k = best_cell(e, &e->row[r], numbers);
        *p = (Pivot){r, k >= 0 ? e->row[r].cell.data[k].col : -1};
        if (k >= 0) return true;
        if (numbers) put(e, &e->tried, r); // any other comes back when it changes
    }
    return false;
}

static bool next_pivot(Elimination *e, Pivot *p) {
    enum { WORTH = 2 }; // cells that a row with a number may be longer than one without
    for (int length = 1; length < BUCKETS + WORTH; length++) {
        if (length < BUCKETS && pivot_from(e, &e->untried, length, true, p)) return true;
        if (length > WORTH && pivot_from(e, &e->tried, length - WORTH, false, p)) return true;
    }
    return false;
}

// --- one step -----------------------------------------------------------------------------------

static EliminationCell *cell_at(EliminationRow *row, int col) {
    for (int k = 0; k < row->cell.count; k++)
        if (row->cell.data[k].col == col) return &row->cell.data[k];
    return NULL;
}

static void remove_cell(Elimination *e, int row, int k) {
    EliminationRow *r = &e->row[row];
    e->column[r->cell.data[k].col].count--;
    for (int i = k + 1; i < r->cell.count; i++) r->cell.data[i - 1] = r->cell.data[i];
    r->cell.count--;
}

// cell += factor*from
static void add_to_cell(Elimination *e, EliminationCell *cell, const EliminationCell *from,
                        const EliminationCell *factor) {
    Dag *d = e->w->dag;
    double added = factor->value * from->value, sum = cell->value + added;
    bool cancels = fabs(sum) < cancellation * (fabs(cell->value) + fabs(added));
    cell->coefficient =
        expr_add(d, cell->coefficient, expr_mul(d, factor->coefficient, from->coefficient));
    cell->value = sum;
    cell->constant = cell->constant && from->constant && factor->constant;
    if (expr_op(d, cell->coefficient) != OP_SUM) cancels = false; // the terms have become one
    cell->safe = cell->safe && from->safe && factor->safe && !cancels;
}

// row += factor * pivot row, leaving out the pivot's column.
static void add_row(Elimination *e, int row, Pivot p, const EliminationCell *factor) {
    Dag *d = e->w->dag;
    EliminationRow *to = &e->row[row], *from = &e->row[p.row];
    for (int k = 0; k < to->cell.count; k++) e->where[to->cell.data[k].col] = k;
    for (int k = 0; k < from->cell.count; k++) {
        const EliminationCell *c = &from->cell.data[k];
        if (c->col == p.col) continue;
        if (e->where[c->col] >= 0) {
            add_to_cell(e, &to->cell.data[e->where[c->col]], c, factor);
        } else {
            Expr fill = expr_mul(d, factor->coefficient, c->coefficient);
            add_cell(e, row,
                     (EliminationCell){c->col, fill, factor->value * c->value,
                                       c->constant && factor->constant, c->safe && factor->safe});
        }
        e->work++;
    }
    to->rest = expr_add(d, to->rest, expr_mul(d, factor->coefficient, from->rest));
    to->rest_value += factor->value * from->rest_value;
    to->rest_constant = to->rest_constant && from->rest_constant && factor->constant;
    for (int k = 0; k < to->cell.count; k++) e->where[to->cell.data[k].col] = -1;
}

static void drop_zeros(Elimination *e, int row) {
    EliminationRow *r = &e->row[row];
    for (int k = r->cell.count - 1; k >= 0; k--)
        if (is_zero(e->w, r->cell.data[k].coefficient)) remove_cell(e, row, k);
}

static void eliminate_from(Elimination *e, int row, Pivot p, const EliminationCell *pivot) {
    Dag *d = e->w->dag;
    EliminationRow *r = &e->row[row];
    EliminationCell *cell = r->done ? NULL : cell_at(r, p.col);
    if (!cell || !r->linear) return;
    EliminationCell factor = *cell;
    factor.coefficient = expr_neg(d, expr_div(d, cell->coefficient, pivot->coefficient));
    factor.value = -cell->value / pivot->value;
    remove_cell(e, row, (int)(cell - r->cell.data));
    r->combined = true;
    add_row(e, row, p, &factor);
    drop_zeros(e, row);
    put(e, &e->untried, row);
}

// The pivot's solution will stand in a nonlinear row in place of the unknown: its columns are there
// from now on.
static void spread_to(Elimination *e, int row, Pivot p) {
    EliminationRow *to = &e->row[row], *from = &e->row[p.row];
    EliminationCell *cell = to->done ? NULL : cell_at(to, p.col);
    if (!cell || to->linear || !e->tracked) return;
    remove_cell(e, row, (int)(cell - to->cell.data));
    for (int k = 0; k < to->cell.count; k++) e->where[to->cell.data[k].col] = k;
    for (int k = 0; k < from->cell.count; k++) {
        int col = from->cell.data[k].col;
        if (col != p.col && e->where[col] < 0) add_cell(e, row, (EliminationCell){.col = col});
    }
    for (int k = 0; k < to->cell.count; k++) e->where[to->cell.data[k].col] = -1;
}

static void take_pivot(Elimination *e, Pivot p) {
    EliminationRow *row = &e->row[p.row];
    EliminationCell pivot = *cell_at(row, p.col);
    array_push(&e->pivots, p);
    row->done = true;
    e->column[p.col].done = true;
    for (int k = 0; k < row->cell.count; k++) e->column[row->cell.data[k].col].count--;
    int n = e->column[p.col].rows.count;
    for (int k = 0; k < n; k++) {
        eliminate_from(e, e->column[p.col].rows.data[k], p, &pivot);
        spread_to(e, e->column[p.col].rows.data[k], p);
    }
}

static void take_pivots(Elimination *e) {
    Pivot p;
    while (e->work < e->budget && next_pivot(e, &p)) take_pivot(e, p);
}

// In a large block pivots that fill other rows are left to numbers: sparse factors are better at
// them than formulas. With many nonlinear rows these count as well: an unknown of a long chain,
// solved along it, would bring every row all unknowns behind it. What is small then is finished
// with symbols all the same.
void elimination_run(Elimination *e) {
    enum { LARGE = 400, MANY_NONLINEAR = 30, MOST_FILL = 4, SMALL = 40 };
    e->tracked = e->nonlinear > MANY_NONLINEAR;
    bool large = e->tracked || e->size > LARGE;
    e->most_fill = large ? MOST_FILL : LONG_MAX;
    take_pivots(e);
    if (!large || e->size - e->pivots.count > SMALL) return;
    e->most_fill = LONG_MAX;
    for (int i = 0; i < e->size; i++)
        if (e->row[i].linear && !e->row[i].done) put(e, &e->untried, i);
    take_pivots(e);
}

// --- results ------------------------------------------------------------------------------------

Expr row_residual(Elimination *e, int row) {
    Work *w = e->w;
    EliminationRow *r = &e->row[row];
    if (!r->linear) return r->residual;
    ARRAY(Expr) terms = {0};
    array_push(&terms, r->rest);
    for (int k = 0; k < r->cell.count; k++) {
        const EliminationCell *c = &r->cell.data[k];
        Expr x = w->quantity.data[e->quantity[c->col]].symbol;
        array_push(&terms, expr_mul(w->dag, c->coefficient, x));
    }
    Expr sum = expr_sum(w->dag, terms.data, terms.count);
    array_free(&terms);
    return sum;
}

// Every term of a sum times a factor.
static Expr times_terms(Dag *d, Expr sum, Expr factor) {
    ARRAY(Expr) terms = {0};
    for (int i = 0; i < expr_arg_count(d, sum); i++)
        array_push(&terms, expr_mul(d, expr_arg(d, sum, i), factor));
    Expr result = expr_sum(d, terms.data, terms.count);
    array_free(&terms);
    return result;
}

// -over/under, with a denominator as people write it: without fractions in it, and positive.
Expr minus_quotient(Dag *d, Expr over, Expr under, bool negative) {
    Expr factor = expr_number(d, negative ? 1 : -1);
    int n = expr_op(d, under) == OP_SUM ? expr_arg_count(d, under) : 0;
    if (n > 0 && n <= SHORT) {
        Expr terms[SHORT];
        for (int i = 0; i < n; i++) terms[i] = expr_arg(d, under, i);
        Expr multiple = common_denominator(d, terms, n);
        if (multiple) factor = expr_mul(d, factor, multiple);
        Expr by = negative ? expr_number(d, -1) : 0;
        if (multiple) by = by ? expr_mul(d, by, multiple) : multiple;
        if (by) under = times_terms(d, under, by);
    } else if (negative)
        under = expr_neg(d, under);
    return expr_div(d, expr_mul(d, factor, over), under);
}

Solution pivot_solution(Elimination *e, Pivot p) {
    Work *w = e->w;
    ARRAY(Expr) terms = {0};
    EliminationRow *r = &e->row[p.row];
    EliminationCell pivot = {0};
    Solution s = {0, r->rest_value, r->rest_constant};
    array_push(&terms, r->rest);
    for (int k = 0; k < r->cell.count; k++) {
        const EliminationCell *c = &r->cell.data[k];
        const Quantity *x = &w->quantity.data[e->quantity[c->col]];
        if (c->col == p.col) {
            pivot = *c;
            continue;
        }
        array_push(&terms, expr_mul(w->dag, c->coefficient, x->symbol));
        s.number += c->value * w->value.data[expr_symbol_index(w->dag, x->symbol)];
        s.constant = s.constant && c->constant && x->constant;
    }
    Expr sum = expr_sum(w->dag, terms.data, terms.count);
    array_free(&terms);
    s.value = minus_quotient(w->dag, sum, pivot.coefficient, pivot.value < 0);
    s.number = -s.number / pivot.value;
    s.constant = s.constant && pivot.constant;
    return s;
}
