// Tearing: unknowns that a row gives explicitly once others are assumed, x = f(assumed). What is
// assumed are the unknowns of the implicit block. Chains of such steps stay short, since each may
// magnify the error of the one before.
//
//     a row with one open column      gives it, if linear with a coefficient that cannot vanish
//     no such row                     the column in most unused rows is assumed
#include "equations/core.h"

enum { DEEPEST_CHAIN = 8 };

typedef struct {
    int col, count;
} Wanted;

typedef ARRAY(Wanted) Heap;

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
    int *wanted;          // per column: unused rows that have it
    Heap heap;
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

// In a large block unknowns that a nonlinear row gives stay: Newton's method then meets each law by
// itself, and goes far from its guess more easily than with sums of laws.
static bool stays(const Tearing *t, int row) {
    const Elimination *e = t->c->e;
    return e->tracked && !e->row[t->c->rows.data[row]].linear;
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
    if (col < 0 || depth >= DEEPEST_CHAIN || stays(t, row)) return false;
    if (w->quantity.data[t->c->quantities[col]].set >= 0) return false;
    Expr x = w->quantity.data[t->c->quantities[col]].symbol, coefficient, rest;
    if (!expr_linear_in(w->dag, t->c->residual[row], x, &coefficient, &rest)) return false;
    if (!is_constant(w, coefficient)) return false;
    if (expr_evaluate(w->dag, coefficient, w->value.data) == 0) return false;
    t->value[col] = expr_neg(w->dag, expr_div(w->dag, rest, coefficient));
    t->given_by[col] = row;
    t->used[row] = true;
    for (int k = t->a.start[row]; k < t->a.start[row + 1]; k++) t->wanted[t->a.col[k]]--;
    array_push(&t->given, col);
    settle_column(t, col, depth + 1);
    return true;
}

// --- the next column to assume -------------------------------------------------------------------

// A heap of columns, those in most unused rows first. Counts only fall, so an entry that is out of
// date is put back when it comes up.
static bool comes_before(const Wanted *a, const Wanted *b) {
    return a->count != b->count ? a->count > b->count : a->col < b->col;
}

static void swap_wanted(Wanted *a, Wanted *b) {
    Wanted kept = *a;
    *a = *b;
    *b = kept;
}

static void heap_push(Heap *h, Wanted w) {
    array_push(h, w);
    for (int i = h->count - 1; i > 0; i = (i - 1) / 2) {
        Wanted *up = &h->data[(i - 1) / 2];
        if (!comes_before(&h->data[i], up)) break;
        swap_wanted(&h->data[i], up);
    }
}

static Wanted heap_pop(Heap *h) {
    Wanted first = h->data[0];
    h->data[0] = array_pop(h);
    for (int i = 0, below; (below = 2 * i + 1) < h->count; i = below) {
        if (below + 1 < h->count && comes_before(&h->data[below + 1], &h->data[below])) below++;
        if (!comes_before(&h->data[below], &h->data[i])) break;
        swap_wanted(&h->data[below], &h->data[i]);
    }
    return first;
}

static int most_wanted_column(Tearing *t) {
    while (t->heap.count > 0) {
        Wanted w = heap_pop(&t->heap);
        if (t->depth[w.col] >= 0) continue;
        if (w.count == t->wanted[w.col]) return w.col;
        heap_push(&t->heap, (Wanted){w.col, t->wanted[w.col]});
    }
    return -1;
}

// --- tearing -------------------------------------------------------------------------------------

static void tear(Tearing *t) {
    for (int i = 0; i < t->n; i++)
        if (t->open_count[i] == 1) array_push(&t->queue, i);
    for (int j = 0; j < t->n; j++) {
        t->wanted[j] = t->rows_of[j].count;
        heap_push(&t->heap, (Wanted){j, t->wanted[j]});
    }
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
    bool closed = n == 1 && !has_candidates(w, quantities, n) &&
                  solve_scalar(w, quantities[0], residual[0], rules[0], &ok);
    if (ok && n > 0 && !closed) block_keep(w, quantities, residual, rules, n, NULL);
    core_note(c, quantities, n, n > 0 && !closed);
    for (int i = 0; ok && i < t->given.count; i++) {
        int col = t->given.data[i];
        ok = quantity_solved(w, c->quantities[col], t->value[col], c->rules[t->given_by[col]]);
    }
    return ok;
}

bool solve_by_tearing(Core *c) {
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
    t.wanted = ARENA_ARRAY(a, int, n);
    for (int i = 0; i < n; i++) t.depth[i] = t.given_by[i] = -1;
    core_incidence(&t);
    tear(&t);
    bool ok = keep_torn(&t);
    for (int j = 0; j < n; j++) array_free(&t.rows_of[j]);
    free(t.rows_of);
    array_free(&t.given);
    array_free(&t.assumed);
    array_free(&t.queue);
    array_free(&t.heap);
    incidence_free(&t.a);
    return ok;
}
