// Which conditions at the start determine something.
//
// By structure: each, in its order, as long as it finds an unknown of its own. But structure takes
// a coefficient that is zero at this start for a number, and two conditions that say the same for
// two. So numbers decide where they can be had: Newton's method on all rows in their order,
//
//     row <- row - sum of multiples of the rows before it     what is left of it: a pivot, or
//                                                             nothing, then it says nothing new
//
// until the values stand still. Columns are scaled so that units do not matter.
#include "base/memory.h"
#include "equations/start.h"

#include <math.h>
#include <string.h>

static const double nothing = 1e-8; // what is left of a row of size 1 that depends on others

typedef struct {
    int col;
    double value;
} Cell;

typedef struct { // a row, less multiples of the pivots before it
    int row, col;
    double rest;
    ARRAY(Cell) cell;
} Pivot;

struct Echelon {
    Start *s;
    int rows, cols;
    int *col_of_symbol; // by symbol index, -1: no unknown
    int symbols;
    struct {
        ARRAY(Cell) cell;
        double value, size; // size: largest scaled cell
    } * row;
    double *scale; // per column
    ARRAY(Pivot) pivot;
    int *pivot_of_col;
    bool *taken;              // per row
    double *work, rest;       // per column; of the row
    bool *touched, *awaiting; // per column; per pivot
    ARRAY(int) column;        // touched ones
    ARRAY(int) used;          // pivots
    double *step;             // per column
};

// --- memory -------------------------------------------------------------------------------------

static Echelon *echelon_new(Start *s) {
    Echelon *e = memory_zeroed(1, sizeof *e);
    Work *w = s->w;
    e->s = s;
    e->rows = s->row.count;
    e->cols = s->unknown.count;
    e->symbols = expr_symbol_count(w->dag);
    e->col_of_symbol = ARENA_ARRAY(&w->scratch, int, e->symbols);
    for (int i = 0; i < e->symbols; i++) e->col_of_symbol[i] = -1;
    for (int c = 0; c < e->cols; c++)
        e->col_of_symbol[expr_symbol_index(w->dag, s->unknown.data[c])] = c;
    e->row = memory_zeroed((size_t)e->rows + 1, sizeof *e->row);
    e->scale = ARENA_ARRAY(&w->scratch, double, e->cols);
    e->work = ARENA_ARRAY(&w->scratch, double, e->cols);
    e->step = ARENA_ARRAY(&w->scratch, double, e->cols);
    e->touched = ARENA_ARRAY(&w->scratch, bool, e->cols);
    e->awaiting = ARENA_ARRAY(&w->scratch, bool, e->cols);
    e->pivot_of_col = ARENA_ARRAY(&w->scratch, int, e->cols);
    e->taken = ARENA_ARRAY(&w->scratch, bool, e->rows);
    return e;
}

static void forget_pivots(Echelon *e) {
    for (int i = 0; i < e->pivot.count; i++) array_free(&e->pivot.data[i].cell);
    e->pivot.count = 0;
    for (int c = 0; c < e->cols; c++) e->pivot_of_col[c] = -1;
}

void echelon_free(Echelon *e) {
    if (!e) return;
    forget_pivots(e);
    for (int i = 0; i < e->rows; i++) array_free(&e->row[i].cell);
    array_free(&e->pivot);
    array_free(&e->column);
    array_free(&e->used);
    free(e->row);
    free(e);
}

// --- numbers ------------------------------------------------------------------------------------

static double *number(const Echelon *e, int col) {
    Work *w = e->s->w;
    return &w->value.data[expr_symbol_index(w->dag, e->s->unknown.data[col])];
}

// Values and slopes of all rows. False: one is not finite.
static bool evaluate(Echelon *e) {
    Work *w = e->s->w;
    Slopes slope = {0};
    bool finite = true;
    for (int i = 0; i < e->rows && finite; i++) {
        e->row[i].value =
            expr_gradient(w->dag, w->walk, e->s->row.data[i].residual, w->value.data, &slope);
        finite = isfinite(e->row[i].value);
        e->row[i].cell.count = 0;
        for (int k = 0; k < slope.count && finite; k++) {
            int symbol = slope.data[k].symbol, col = e->col_of_symbol[symbol];
            if (col < 0) continue;
            finite = isfinite(slope.data[k].slope);
            array_push(&e->row[i].cell, ((Cell){col, slope.data[k].slope}));
        }
    }
    array_free(&slope);
    return finite;
}

// Largest entries of rows and columns become 1, by turns.
static void find_scales(Echelon *e) {
    enum { SWEEPS = 3 };
    double *most = e->step;
    for (int c = 0; c < e->cols; c++) e->scale[c] = 1;
    for (int sweep = 0; sweep <= SWEEPS; sweep++) {
        for (int c = 0; c < e->cols; c++) most[c] = 0;
        for (int i = 0; i < e->rows; i++) {
            double size = 0;
            for (int k = 0; k < e->row[i].cell.count; k++) {
                const Cell *x = &e->row[i].cell.data[k];
                size = fmax(size, fabs(x->value) * e->scale[x->col]);
            }
            e->row[i].size = size;
            for (int k = 0; k < e->row[i].cell.count && size > 0; k++) {
                const Cell *x = &e->row[i].cell.data[k];
                most[x->col] = fmax(most[x->col], fabs(x->value) * e->scale[x->col] / size);
            }
        }
        for (int c = 0; c < e->cols && sweep < SWEEPS; c++)
            if (most[c] > 0) e->scale[c] /= most[c];
    }
}

// --- elimination --------------------------------------------------------------------------------

static void touch(Echelon *e, int col, double by, int *waiting) {
    if (!e->touched[col]) {
        e->touched[col] = true;
        e->work[col] = 0;
        array_push(&e->column, col);
        int p = e->pivot_of_col[col];
        if (p >= 0) {
            e->awaiting[p] = true;
            (*waiting)++;
        }
    }
    e->work[col] += by;
}

// The row less multiples of pivots, in Echelon.work over Echelon.column; which pivots: used.
static void reduce(Echelon *e, int row) {
    int waiting = 0;
    e->column.count = e->used.count = 0;
    e->rest = e->row[row].value;
    for (int k = 0; k < e->row[row].cell.count; k++)
        touch(e, e->row[row].cell.data[k].col, e->row[row].cell.data[k].value, &waiting);
    for (int p = 0; waiting > 0; p++) {
        if (!e->awaiting[p]) continue;
        const Pivot *from = &e->pivot.data[p];
        e->awaiting[p] = false;
        waiting--;
        double left = e->work[from->col];
        e->work[from->col] = 0;
        if (fabs(left) * e->scale[from->col] <= 1e-14 * e->row[row].size) continue;
        array_push(&e->used, p);
        double factor = 0;
        for (int k = 0; k < from->cell.count; k++)
            if (from->cell.data[k].col == from->col) factor = left / from->cell.data[k].value;
        for (int k = 0; k < from->cell.count; k++)
            if (from->cell.data[k].col != from->col)
                touch(e, from->cell.data[k].col, -factor * from->cell.data[k].value, &waiting);
        e->rest -= factor * from->rest;
    }
    for (int k = 0; k < e->column.count; k++) e->touched[e->column.data[k]] = false;
}

// The column of its largest scaled cell when that is something, or -1.
static int largest_left(const Echelon *e, int row) {
    int best = -1;
    double most = nothing * e->row[row].size;
    for (int k = 0; k < e->column.count; k++) {
        int c = e->column.data[k];
        double size = fabs(e->work[c]) * e->scale[c];
        if (!(size > most)) continue;
        most = size;
        best = c;
    }
    return best;
}

static void eliminate(Echelon *e) {
    forget_pivots(e);
    for (int i = 0; i < e->rows; i++) e->taken[i] = false;
    for (int i = 0; i < e->rows && e->pivot.count < e->cols; i++) {
        reduce(e, i);
        int col = largest_left(e, i);
        if (col < 0) continue;
        Pivot p = {.row = i, .col = col, .rest = e->rest};
        for (int k = 0; k < e->column.count; k++) {
            int c = e->column.data[k];
            if (fabs(e->work[c]) * e->scale[c] > 1e-14 * e->row[i].size)
                array_push(&p.cell, ((Cell){c, e->work[c]}));
        }
        e->taken[i] = true;
        e->pivot_of_col[col] = e->pivot.count;
        array_push(&e->pivot, p);
    }
}

// The change of all unknowns that fulfils the rows with pivots, as far as they are straight.
static void find_step(Echelon *e) {
    for (int c = 0; c < e->cols; c++) e->step[c] = 0;
    for (int i = e->pivot.count - 1; i >= 0; i--) {
        const Pivot *p = &e->pivot.data[i];
        double sum = -p->rest, own = 1;
        for (int k = 0; k < p->cell.count; k++) {
            const Cell *x = &p->cell.data[k];
            if (x->col == p->col)
                own = x->value;
            else
                sum -= x->value * e->step[x->col];
        }
        e->step[p->col] = sum / own;
    }
}

// --- Newton's method ----------------------------------------------------------------------------

static double gap_of_taken(const Echelon *e) {
    double most = 0;
    for (int i = 0; i < e->rows; i++)
        if (e->taken[i]) most = fmax(most, fabs(e->row[i].value) / e->row[i].size);
    return most;
}

static void move(Echelon *e, double by) {
    for (int c = 0; c < e->cols; c++) *number(e, c) += by * e->step[c];
}

// A step that makes the gap smaller. False: none was found.
static bool take_step(Echelon *e) {
    enum { HALVINGS = 12 };
    double before = gap_of_taken(e), part = 1;
    if (before == 0) return true;
    for (int i = 0; i < HALVINGS; i++, part /= 2) {
        move(e, part);
        if (evaluate(e) && (gap_of_taken(e) < before * (1 - part / 10) || before < 1e-13))
            return true;
        move(e, -part);
    }
    return false;
}

static bool is_still(const Echelon *e) {
    double change = 0, size = 0;
    for (int c = 0; c < e->cols; c++) {
        change = fmax(change, fabs(e->step[c]) / e->scale[c]);
        size = fmax(size, fabs(*number(e, c)) / e->scale[c]);
    }
    return change <= 1e-11 * size;
}

static void put_guesses(Echelon *e, double shift) {
    Work *w = e->s->w;
    for (int c = 0; c < e->cols; c++) {
        int v = w->quantity.data[quantity_of(w, e->s->unknown.data[c])].var;
        Expr start = v >= 0 ? w->model->var[v].start : 0;
        double guess = start ? expr_evaluate(w->dag, start, w->value.data) : 0;
        if (!isfinite(guess)) guess = 0;
        *number(e, c) = guess + shift * (guess == 0 ? 1 : guess);
    }
}

// An equation of a block that depends on others has no hold here, and the run will fail.
static bool blocks_hold(const Echelon *e) {
    for (int i = 0; i < e->rows; i++)
        if (e->s->row.data[i].strength == START_MUST && !e->taken[i] &&
            e->s->row.data[i].origin != ORIGIN_START)
            return false;
    return true;
}

// True: all unknowns are determined, and have their numbers.
static bool find_numbers(Echelon *e, double shift) {
    enum { MOST_STEPS = 50 };
    put_guesses(e, shift);
    if (!evaluate(e)) return false;
    for (int i = 0; i < MOST_STEPS; i++) {
        find_scales(e);
        eliminate(e);
        find_step(e);
        if (is_still(e)) return e->pivot.count == e->cols && blocks_hold(e);
        if (!take_step(e)) return false;
    }
    return false;
}

// To rounding beside its terms.
static bool row_holds(const Echelon *e, int row) {
    Work *w = e->s->w;
    Expr wanted = e->s->row.data[row].wanted;
    double size = wanted ? fabs(expr_evaluate(w->dag, wanted, w->value.data)) : 0, terms = 0;
    for (int k = 0; k < e->row[row].cell.count; k++)
        terms += fabs(e->row[row].cell.data[k].value * *number(e, e->row[row].cell.data[k].col));
    return fabs(e->row[row].value) <= 1e-8 * fmax(size, terms);
}

// Given rows that were not taken hold anyway.
static bool rows_agree(const Echelon *e) {
    for (int i = 0; i < e->rows; i++) {
        const StartRow *r = &e->s->row.data[i];
        if (!e->taken[i] && r->strength != START_DEFAULT && !row_holds(e, i)) return false;
    }
    return true;
}

const double start_shift[START_SHIFTS] = {0, 1e-3, -1e-3, 0.1, -0.1, 1, -1};

// The guess may lie where a constraint has no slope, like the y of a circle where y is 0. Only rows
// that contradict each other from every point nearby are a contradiction.
static bool find_agreement(Echelon *e) {
    int found = 0;
    for (int i = 0; i < START_SHIFTS; i++) {
        if (!find_numbers(e, start_shift[i])) continue;
        if (rows_agree(e)) return true;
        found++;
    }
    return found == START_SHIFTS;
}

// --- by structure -------------------------------------------------------------------------------

static Incidence incidence_of_rows(Start *s) {
    Work *w = s->w;
    ARRAY(int) col = {0};
    int capacity = 0;
    Incidence a = {.row_count = s->row.count, .col_count = s->unknown.count};
    a.start = array_grow(NULL, &capacity, a.row_count + 1, sizeof *a.start);
    for (int i = 0; i < s->row.count; i++) {
        a.start[i] = col.count;
        walk_start(w->walk);
        walk_add(w->walk, s->row.data[i].residual);
        for (int k = 0; k < walk_count(w->walk); k++) {
            Expr e = walk_at(w->walk, k);
            int q = expr_op(w->dag, e) == OP_SYMBOL ? quantity_of(w, e) : -1;
            if (q >= 0 && w->quantity.data[q].place >= 0)
                array_push(&col, w->quantity.data[q].place);
        }
    }
    a.start[s->row.count] = col.count;
    array_push(&col, -1);
    a.col = col.data;
    return a;
}

static void take_by_structure(Start *s) {
    Incidence a = incidence_of_rows(s);
    int *col_of_row = ARENA_ARRAY(&s->w->scratch, int, a.row_count + 1);
    int *row_of_col = ARENA_ARRAY(&s->w->scratch, int, a.col_count + 1);
    incidence_match_in_order(&a, col_of_row, row_of_col);
    for (int i = 0; i < a.row_count; i++) s->row.data[i].taken = col_of_row[i] >= 0;
    incidence_free(&a);
}

// --- both ---------------------------------------------------------------------------------------

static int by_strength(const void *pa, const void *pb) {
    const StartRow *a = pa, *b = pb;
    if (a->strength != b->strength) return (int)a->strength - (int)b->strength;
    return a->number - b->number;
}

void start_take(Start *s) {
    Work *w = s->w;
    for (int i = 0; i < s->row.count; i++) s->row.data[i].number = i;
    if (s->row.count) qsort(s->row.data, (size_t)s->row.count, sizeof *s->row.data, by_strength);
    values_grow(w);
    double *kept = ARENA_ARRAY(&w->scratch, double, s->unknown.count);
    Echelon *e = echelon_new(s);
    for (int c = 0; c < e->cols; c++) kept[c] = *number(e, c);
    if (find_agreement(e)) {
        for (int i = 0; i < s->row.count; i++) s->row.data[i].taken = e->taken[i];
        s->echelon = e;
    } else {
        for (int c = 0; c < e->cols; c++) *number(e, c) = kept[c];
        echelon_free(e);
        take_by_structure(s);
    }
    for (int i = 0; i < s->unknown.count; i++)
        w->quantity.data[quantity_of(w, s->unknown.data[i])].place = -1;
}

// --- for messages -------------------------------------------------------------------------------

int echelon_reasons(Start *s, int row, int *rows, int most) {
    Echelon *e = s->echelon;
    bool *asked = ARENA_ARRAY(&s->w->scratch, bool, e->rows);
    ARRAY(int) queue = {0};
    int found = 0;
    array_push(&queue, row);
    for (int i = 0; i < queue.count; i++) {
        int of = queue.data[i], before = e->taken[of] ? 0 : -1;
        while (before >= 0 && e->pivot.data[before].row != of) before++; // those before its own
        reduce(e, of);
        for (int k = 0; k < e->used.count; k++) {
            int p = e->used.data[k], reason = e->pivot.data[p].row;
            if ((before >= 0 && p >= before) || asked[reason]) continue;
            asked[reason] = true;
            array_push(&queue, reason);
        }
    }
    for (int i = 0; i < e->rows && found < most; i++)
        if (asked[i] && i != row) rows[found++] = i;
    array_free(&queue);
    return found;
}

double echelon_gap(const Start *s, int row) { return s->echelon->row[row].value; }

bool echelon_holds(const Start *s, int row) { return row_holds(s->echelon, row); }
