// Matching and ordering on plain incidence. No recursion: paths get as long as the model.
#include "equations/incidence.h"

#include "base/array.h"
#include "base/strong.h"
#include <string.h>

void incidence_free(Incidence *a) {
    free(a->start);
    free(a->col);
    *a = (Incidence){0};
}

static int *new_ints(int count, int value) {
    int capacity = 0;
    int *p = array_grow(NULL, &capacity, count + 1, sizeof *p);
    for (int i = 0; i <= count; i++) p[i] = value;
    return p;
}

static Incidence transpose(const Incidence *a) {
    int entries = a->start[a->row_count];
    Incidence t = {a->col_count, a->row_count, new_ints(a->col_count, 0), new_ints(entries, 0)};
    for (int k = 0; k < entries; k++) t.start[a->col[k] + 1]++;
    for (int c = 0; c < a->col_count; c++) t.start[c + 1] += t.start[c];
    int *at = new_ints(a->col_count, 0);
    memcpy(at, t.start, (size_t)a->col_count * sizeof *at);
    for (int r = 0; r < a->row_count; r++)
        for (int k = a->start[r]; k < a->start[r + 1]; k++) t.col[at[a->col[k]]++] = r;
    free(at);
    return t;
}

// --- Karp-Sipser: whoever has one partner left gets it ------------------------------------------

typedef struct {
    const Incidence *a, *t;
    int *col_of_row, *row_of_col;
    int *row_degree, *col_degree; // partners that are still free
    ARRAY(int) queue;             // rows as r, columns as ~c, with one partner left
} Greedy;

static void pair(Greedy *g, int r, int c) {
    g->col_of_row[r] = c;
    g->row_of_col[c] = r;
    for (int k = g->t->start[c]; k < g->t->start[c + 1]; k++)
        if (--g->row_degree[g->t->col[k]] == 1) array_push(&g->queue, g->t->col[k]);
    for (int k = g->a->start[r]; k < g->a->start[r + 1]; k++)
        if (--g->col_degree[g->a->col[k]] == 1) array_push(&g->queue, ~g->a->col[k]);
}

static int free_col_with_fewest_rows(const Greedy *g, int r) {
    int best = -1;
    for (int k = g->a->start[r]; k < g->a->start[r + 1]; k++) {
        int c = g->a->col[k];
        if (g->row_of_col[c] < 0 && (best < 0 || g->col_degree[c] < g->col_degree[best])) best = c;
    }
    return best;
}

static int free_row_of(const Greedy *g, int c) {
    for (int k = g->t->start[c]; k < g->t->start[c + 1]; k++)
        if (g->col_of_row[g->t->col[k]] < 0) return g->t->col[k];
    return -1;
}

static void serve_queue(Greedy *g, int *served) {
    while (*served < g->queue.count) {
        int x = g->queue.data[(*served)++];
        if (x >= 0 && g->col_of_row[x] < 0) {
            int c = free_col_with_fewest_rows(g, x);
            if (c >= 0) pair(g, x, c);
        } else if (x < 0 && g->row_of_col[~x] < 0) {
            int r = free_row_of(g, ~x);
            if (r >= 0) pair(g, r, ~x);
        }
    }
}

static void match_greedily(const Incidence *a, const Incidence *t, int *col_of_row,
                           int *row_of_col) {
    Greedy g = {.a = a, .t = t};
    g.col_of_row = col_of_row;
    g.row_of_col = row_of_col;
    g.row_degree = new_ints(a->row_count, 0);
    g.col_degree = new_ints(a->col_count, 0);
    for (int r = 0; r < a->row_count; r++) {
        g.row_degree[r] = a->start[r + 1] - a->start[r];
        if (g.row_degree[r] == 1) array_push(&g.queue, r);
    }
    for (int c = 0; c < a->col_count; c++) {
        g.col_degree[c] = t->start[c + 1] - t->start[c];
        if (g.col_degree[c] == 1) array_push(&g.queue, ~c);
    }
    int served = 0;
    serve_queue(&g, &served);
    for (int r = 0; r < a->row_count; r++) {
        if (col_of_row[r] >= 0) continue;
        int c = free_col_with_fewest_rows(&g, r);
        if (c < 0) continue;
        pair(&g, r, c);
        serve_queue(&g, &served);
    }
    free(g.row_degree);
    free(g.col_degree);
    array_free(&g.queue);
}

// --- Hopcroft-Karp: shortest augmenting paths for the rest --------------------------------------

typedef struct {
    const Incidence *a;
    int *col_of_row, *row_of_col;
    int *level; // of rows, -1 = not reached
    int *next;  // per row: the entry to try next
    int *stack;
} Paths;

// Levels of rows by breadth from the free ones. False when no free column can be reached.
static bool spread_levels(Paths *p) {
    int head = 0, tail = 0;
    bool found = false;
    for (int r = 0; r < p->a->row_count; r++) {
        p->level[r] = p->col_of_row[r] < 0 ? 0 : -1;
        if (p->level[r] == 0) p->stack[tail++] = r;
    }
    while (head < tail) {
        int r = p->stack[head++];
        for (int k = p->a->start[r]; k < p->a->start[r + 1]; k++) {
            int other = p->row_of_col[p->a->col[k]];
            if (other < 0)
                found = true;
            else if (p->level[other] < 0) {
                p->level[other] = p->level[r] + 1;
                p->stack[tail++] = other;
            }
        }
    }
    return found;
}

// The path lies on the stack; the entry that each row took is next[row] - 1.
static void turn_path(Paths *p, int top) {
    for (int i = top; i >= 0; i--) {
        int r = p->stack[i], c = p->a->col[p->next[r] - 1];
        p->col_of_row[r] = c;
        p->row_of_col[c] = r;
    }
}

static bool augment_from(Paths *p, int row) {
    int top = 0;
    p->stack[0] = row;
    while (top >= 0) {
        int r = p->stack[top];
        if (p->next[r] == p->a->start[r + 1]) {
            p->level[r] = -1;
            top--;
            continue;
        }
        int other = p->row_of_col[p->a->col[p->next[r]++]];
        if (other < 0) {
            turn_path(p, top);
            return true;
        }
        if (p->level[other] == p->level[r] + 1) p->stack[++top] = other;
    }
    return false;
}

static void match_by_paths(const Incidence *a, int *col_of_row, int *row_of_col) {
    Paths p = {.a = a};
    p.col_of_row = col_of_row;
    p.row_of_col = row_of_col;
    p.level = new_ints(a->row_count, 0);
    p.next = new_ints(a->row_count, 0);
    p.stack = new_ints(a->row_count, 0);
    bool more = true;
    while (more && spread_levels(&p)) {
        more = false;
        memcpy(p.next, a->start, (size_t)a->row_count * sizeof *p.next);
        for (int r = 0; r < a->row_count; r++)
            if (col_of_row[r] < 0 && augment_from(&p, r)) more = true;
    }
    free(p.level);
    free(p.next);
    free(p.stack);
}

int incidence_match(const Incidence *a, int *col_of_row, int *row_of_col) {
    for (int r = 0; r < a->row_count; r++) col_of_row[r] = -1;
    for (int c = 0; c < a->col_count; c++) row_of_col[c] = -1;
    Incidence t = transpose(a);
    match_greedily(a, &t, col_of_row, row_of_col);
    incidence_free(&t);
    match_by_paths(a, col_of_row, row_of_col);
    int size = 0;
    for (int r = 0; r < a->row_count; r++) size += col_of_row[r] >= 0;
    return size;
}

// --- matching in order --------------------------------------------------------------------------

// A shortest augmenting path from a row, turned round. seen[] has the row that asked last.
static bool augment_in_order(const Incidence *a, int row, int *col_of_row, int *row_of_col,
                             int *seen, int *from, int *queue) {
    int head = 0, tail = 0;
    queue[tail++] = row;
    while (head < tail) {
        int r = queue[head++];
        for (int k = a->start[r]; k < a->start[r + 1]; k++) {
            int c = a->col[k];
            if (seen[c] == row) continue;
            seen[c] = row;
            from[c] = r;
            if (row_of_col[c] >= 0) {
                queue[tail++] = row_of_col[c];
                continue;
            }
            for (int next; c >= 0; c = next) { // back along the path
                int by = from[c];
                next = col_of_row[by];
                col_of_row[by] = c;
                row_of_col[c] = by;
            }
            return true;
        }
    }
    return false;
}

void incidence_match_in_order(const Incidence *a, int *col_of_row, int *row_of_col) {
    int *seen = new_ints(a->col_count, -1), *from = new_ints(a->col_count, -1);
    int *queue = new_ints(a->row_count + 1, 0);
    for (int c = 0; c < a->col_count; c++) row_of_col[c] = -1;
    for (int r = 0; r < a->row_count; r++) col_of_row[r] = -1;
    for (int r = 0; r < a->row_count; r++)
        augment_in_order(a, r, col_of_row, row_of_col, seen, from, queue);
    free(seen);
    free(from);
    free(queue);
}

// --- strong components --------------------------------------------------------------------------

typedef struct {
    const Incidence *a;
    const int *row_of_col;
} Needs;

static int row_needed(const void *needs, int row, int k) {
    const Needs *x = needs;
    int at = x->a->start[row] + k;
    if (at == x->a->start[row + 1]) return STRONG_END;
    int needed = x->row_of_col[x->a->col[at]];
    return needed < 0 || needed == row ? STRONG_NO_EDGE : needed;
}

int incidence_components(const Incidence *a, const int *row_of_col, int *order, int *first) {
    int n = a->row_count, *part = new_ints(n, 0);
    int count = strong_components(n, row_needed, &(Needs){a, row_of_col}, part);
    for (int k = 0; k <= count; k++) first[k] = 0;
    for (int r = 0; r < n; r++) first[part[r] + 1]++;
    for (int k = 0; k < count; k++) first[k + 1] += first[k];
    int *next = new_ints(count, 0);
    for (int r = 0; r < n; r++) order[first[part[r]] + next[part[r]]++] = r;
    free(next);
    free(part);
    return count;
}

// --- what is too much, what is missing ----------------------------------------------------------

void incidence_surplus(const Incidence *a, const int *row_of_col, int row, int *rows, int *n_rows,
                       int *cols, int *n_cols) {
    bool *seen = calloc((size_t)a->col_count + 1, sizeof *seen);
    if (!seen) abort();
    *n_rows = *n_cols = 0;
    rows[(*n_rows)++] = row;
    for (int i = 0; i < *n_rows; i++)
        for (int k = a->start[rows[i]]; k < a->start[rows[i] + 1]; k++) {
            int c = a->col[k];
            if (seen[c] || row_of_col[c] < 0) continue;
            seen[c] = true;
            cols[(*n_cols)++] = c;
            rows[(*n_rows)++] = row_of_col[c];
        }
    free(seen);
}

void incidence_shortage(const Incidence *a, const int *col_of_row, int col, int *rows, int *n_rows,
                        int *cols, int *n_cols) {
    Incidence t = transpose(a);
    incidence_surplus(&t, col_of_row, col, cols, n_cols, rows, n_rows);
    incidence_free(&t);
}
