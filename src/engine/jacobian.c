// d rate / d state: which entries can differ from zero, and formulas for them.
//
// Every rate is cut into pieces (the terms of a long sum), and each piece is searched for states.
// States that no piece has in common get one colour; the derivative of a piece along all states of
// a colour at once is then its derivative by the only one of them that it contains:
//
//            x1 x2 x3 x4
//   piece 1   *  *              colours  x1: a, x2: b, x3: a, x4: b
//   piece 2      *  *           two directional derivatives give all six entries
//   piece 3         *  *
//
// A block f(x, u) = 0 passes derivatives on through a linear block with the same matrix:
//   (df/du) du + (df/dx) dx = 0.
//
// The system left implicit has more rows, the residuals of the blocks, and more columns, their
// unknowns: nothing passes through blocks, so its matrix stays as sparse as the model.
#include "engine/build.h"

#include "base/memory.h"
#include <string.h>

enum { LONG_SUM = 8, MOST_FULL = 2000, MOST_NODES = 2000000 };

typedef struct { // rows of column numbers, one behind the other
    ARRAY(int) start, column;
} Pattern;

typedef struct {
    Builder *b;
    bool implicit;            // unknowns of blocks are columns, residuals rows
    Exprs row, column;        // what is differentiated; by which symbols
    int columns, base_blocks; // blocks of the system, before those that derivatives need
    Exprs piece;
    ARRAY(int) piece_row;
    Pattern pieces, blocks;
    int *first_of; // per block that is not linear: the first that passes on its derivatives, or -1
    int *color;
    int color_count;
    Exprs entry; // per place in pieces.column: the derivative
    TapePattern pattern;
    // search
    uint32_t *seen, *block_seen, *column_seen;
    uint32_t stamp;
    Exprs stack;
    long visits, most_visits;
} Work;

static void pattern_free(Pattern *p) {
    array_free(&p->start);
    array_free(&p->column);
}

// --- which states a piece contains ---------------------------------------------------------------

static void look_at(Work *w, Expr e) {
    if (w->seen[e] == w->stamp || w->b->level.data[e] < LEVEL_STATE) return;
    w->seen[e] = w->stamp;
    array_push(&w->stack, e);
}

// Values that jump have no derivative worth having.
static bool is_piecewise_constant(Op op) {
    return op == OP_SIGN || op == OP_FLOOR || op == OP_CEIL || op == OP_LESS ||
           op == OP_LESS_EQUAL || op == OP_EQUAL || op == OP_AND || op == OP_OR || op == OP_NOT;
}

static void look_at_symbol(Work *w, Expr e, Pattern *found) {
    SymbolRole role = w->b->role.data[expr_symbol_index(w->b->dag, e)];
    bool unknown = role.kind == SYMBOL_UNKNOWN;
    int column = unknown ? w->b->system->state_count + role.index : role.index;
    if ((role.kind == SYMBOL_STATE || (unknown && w->implicit)) &&
        w->column_seen[column] != w->stamp) {
        w->column_seen[column] = w->stamp;
        array_push(&found->column, column);
    }
    if (!unknown || w->implicit || w->block_seen[role.block] == w->stamp) return;
    w->block_seen[role.block] = w->stamp;
    BlockDraft *block = &w->b->block.data[role.block];
    for (int i = 0; i < block->size; i++) look_at(w, block->residual[i]);
}

static int compare_int(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// Gives: one more row of the pattern, with the states below some roots.
static void find_states(Work *w, const Expr *root, int count, Pattern *found) {
    w->stamp++;
    int first = found->column.count;
    array_push(&found->start, first);
    for (int i = 0; i < count; i++) look_at(w, root[i]);
    while (w->stack.count && w->visits <= w->most_visits) {
        Expr e = array_pop(&w->stack);
        Op op = expr_op(w->b->dag, e);
        int arguments = is_piecewise_constant(op) ? 0 : expr_arg_count(w->b->dag, e);
        w->visits += 1 + arguments;
        for (int i = 0; i < arguments; i++) look_at(w, expr_arg(w->b->dag, e, i));
        if (op == OP_SYMBOL) look_at_symbol(w, e, found);
    }
    w->stack.count = 0;
    if (found->column.count > first)
        qsort(found->column.data + first, (size_t)(found->column.count - first), sizeof(int),
              compare_int);
}

static void cut_rates(Work *w) {
    Dag *dag = w->b->dag;
    for (int i = 0; i < w->row.count; i++) {
        Expr rate = w->row.data[i];
        int terms = expr_op(dag, rate) == OP_SUM ? expr_arg_count(dag, rate) : 1;
        for (int k = 0; k < (terms > LONG_SUM ? terms : 1); k++) {
            array_push(&w->piece, terms > LONG_SUM ? expr_arg(dag, rate, k) : rate);
            array_push(&w->piece_row, i);
        }
    }
}

static bool find_patterns(Work *w) {
    cut_rates(w);
    for (int i = 0; i < w->piece.count; i++) find_states(w, &w->piece.data[i], 1, &w->pieces);
    array_push(&w->pieces.start, w->pieces.column.count);
    for (int i = 0; i < w->base_blocks; i++)
        find_states(w, w->b->block.data[i].residual, w->b->block.data[i].size, &w->blocks);
    array_push(&w->blocks.start, w->blocks.column.count);
    return w->visits <= w->most_visits;
}

// --- the pattern by columns ----------------------------------------------------------------------

typedef struct {
    int row, column, at; // at: place in pieces.column
} Entry;

static int compare_entries(const void *a, const void *b) {
    const Entry *x = a, *y = b;
    if (x->column != y->column) return (x->column > y->column) - (x->column < y->column);
    if (x->row != y->row) return (x->row > y->row) - (x->row < y->row);
    return (x->at > y->at) - (x->at < y->at);
}

static Entry *sorted_entries(const Work *w) {
    int count = w->pieces.column.count;
    Entry *entry = memory_zeroed((size_t)count, sizeof *entry);
    for (int i = 0; i < w->piece.count; i++)
        for (int k = w->pieces.start.data[i]; k < w->pieces.start.data[i + 1]; k++)
            entry[k] = (Entry){w->piece_row.data[i], w->pieces.column.data[k], k};
    qsort(entry, (size_t)count, sizeof *entry, compare_entries);
    return entry;
}

// Adds the pieces of each entry, and leaves out entries that turn out to be zero when there are
// formulas. Gives: the pattern, and the formulas in `formula`.
static void by_columns(Work *w, Exprs *formula) {
    Arena *arena = &w->b->program->arena;
    Entry *entry = sorted_entries(w);
    int count = w->pieces.column.count;
    TapePattern p = {ARENA_ARRAY(arena, int, w->columns + 1), ARENA_ARRAY(arena, int, count + 1),
                     0};
    Exprs terms = {0};
    for (int i = 0, next; i < count; i = next) {
        terms.count = 0;
        for (next = i; next < count && entry[next].row == entry[i].row &&
                       entry[next].column == entry[i].column;
             next++)
            if (formula) array_push(&terms, w->entry.data[entry[next].at]);
        if (formula) {
            Expr sum = expr_sum(w->b->dag, terms.data, terms.count);
            double value;
            if (expr_is_number(w->b->dag, sum, &value) && value == 0) continue;
            array_push(formula, sum);
        }
        p.row[p.count++] = entry[i].row;
        p.start[entry[i].column + 1]++;
    }
    for (int j = 0; j < w->columns; j++) p.start[j + 1] += p.start[j];
    w->pattern = p;
    array_free(&terms);
    free(entry);
}

// --- colours -------------------------------------------------------------------------------------

typedef struct { // a pattern the other way round: per column, the rows that have it
    int *start, *row;
} Columns;

static Columns columns_of(const Pattern *p, int columns) {
    Columns c = {memory_zeroed((size_t)columns + 2, sizeof(int)),
                 memory_zeroed((size_t)p->column.count, sizeof(int))};
    for (int k = 0; k < p->column.count; k++) c.start[p->column.data[k] + 2]++;
    for (int j = 0; j < columns; j++) c.start[j + 2] += c.start[j + 1];
    for (int i = 0; i + 1 < p->start.count; i++)
        for (int k = p->start.data[i]; k < p->start.data[i + 1]; k++)
            c.row[c.start[p->column.data[k] + 1]++] = i;
    return c;
}

static double coloring_cost(const Pattern *p) {
    double cost = 0;
    for (int i = 0; i + 1 < p->start.count; i++) {
        double length = p->start.data[i + 1] - p->start.data[i];
        cost += length * length;
    }
    return cost;
}

// Greedy: each column gets the first colour that no column beside it has. 0 when it costs too much.
static int color_columns(const Pattern *p, int columns, int *color) {
    if (coloring_cost(p) > 1e8) return 0;
    Columns c = columns_of(p, columns);
    int *taken = memory_zeroed((size_t)columns + 1, sizeof *taken);
    int count = 0;
    for (int j = 0; j < columns; j++) color[j] = -1;
    for (int j = 0; j < columns; j++) {
        for (int k = c.start[j]; k < c.start[j + 1]; k++)
            for (int i = p->start.data[c.row[k]]; i < p->start.data[c.row[k] + 1]; i++)
                if (color[p->column.data[i]] >= 0) taken[color[p->column.data[i]]] = j + 1;
        int best = 0;
        while (taken[best] == j + 1) best++;
        color[j] = best;
        if (best >= count) count = best + 1;
    }
    free(taken);
    free(c.start);
    free(c.row);
    return count;
}

// --- formulas ------------------------------------------------------------------------------------

static bool has_color(const Work *w, const Pattern *p, int row, int color, int *at) {
    for (int k = p->start.data[row]; k < p->start.data[row + 1]; k++)
        if (w->color[p->column.data[k]] == color) return *at = k, true;
    return false;
}

// The linear block that passes derivatives of one colour through block `number`.
static void differentiate_block(Work *w, Rates *rates, int number, int color) {
    Builder *b = w->b;
    BlockDraft old = b->block.data[number];
    BlockDraft new_block = {.size = old.size, .linear = true, .pos = old.pos, .what = old.what};
    if (!old.linear && w->first_of[number] < 0) w->first_of[number] = b->block.count;
    new_block.matrix = old.linear ? number : w->first_of[number];
    if (new_block.matrix == b->block.count) new_block.matrix = -1;
    Arena *arena = &b->program->arena;
    new_block.unknown = ARENA_ARRAY(arena, Expr, old.size);
    new_block.residual = ARENA_ARRAY(arena, Expr, old.size);
    new_block.jacobian = old.jacobian;
    for (int i = 0; i < old.size; i++) {
        const char *name = name_text(
            dag_names(b->dag), expr_symbol_name(b->dag, expr_symbol_index(b->dag, old.unknown[i])));
        Name derivative = name_printf(dag_names(b->dag), "d%d(%s)", color, name);
        new_block.unknown[i] = expr_symbol(b->dag, derivative);
        rates_set(rates, old.unknown[i], new_block.unknown[i]);
    }
    for (int i = 0; i < old.size; i++) new_block.residual[i] = rates_of(rates, old.residual[i]);
    block_add(b, &new_block);
}

static void differentiate_color(Work *w, int color) {
    Dag *dag = w->b->dag;
    Rates *rates = rates_new(dag);
    Expr one = expr_number(dag, 1);
    int at;
    for (int j = 0; j < w->columns; j++)
        if (w->color[j] == color) rates_set(rates, w->column.data[j], one);
    for (int i = 0; i < w->base_blocks; i++)
        if (has_color(w, &w->blocks, i, color, &at)) differentiate_block(w, rates, i, color);
    for (int i = 0; i < w->piece.count; i++)
        if (has_color(w, &w->pieces, i, color, &at))
            w->entry.data[at] = rates_of(rates, w->piece.data[i]);
    rates_free(rates);
}

// Formulas that would be out of proportion to the equations are not worth their time and memory.
static bool differentiate(Work *w) {
    uint32_t before = dag_size(w->b->dag);
    double block_size = 0;
    for (int i = 0; i < w->base_blocks; i++)
        block_size += w->b->block.data[i].jacobian.start[w->b->block.data[i].size];
    if (block_size * w->color_count > 2e4) return false; // numbers do better (implicit_build)
    if ((double)w->color_count * w->piece.count > 5e7) return false;
    if ((double)w->color_count * w->b->rate_nodes > MOST_NODES) return false; // so do differences
    for (int k = 0; k < w->pieces.column.count; k++) array_push(&w->entry, 0);
    for (int c = 0; c < w->color_count; c++) {
        differentiate_color(w, c);
        if (dag_size(w->b->dag) - before > 8 * (uint64_t)before + 1000000) return false;
    }
    return true;
}

static void write_jacobian(Work *w, const Exprs *formula, Draft *code) {
    Builder *b = w->b;
    for (int i = w->base_blocks; i < b->block.count && !w->implicit; i++) block_write(b, i);
    function_begin(b, code, LEVEL_TIME, -1);
    function_roots(b, formula->data, formula->count);
    for (int i = 0; i < formula->count; i++) function_add(b, formula->data[i]);
    function_end(b);
}

// Every column a colour of its own: always right, and for full matrices the best there is.
static void color_apart(Work *w) {
    Program *p = w->b->program;
    if (w->columns > MOST_FULL) return;
    for (int j = 0; j < w->columns; j++) p->color[j] = j;
    p->color_count = w->columns;
}

// The rates share so many nodes that they were not examined one by one, as in a long chain of
// joints: every rate may depend on every state.
static void full_pattern(Work *w) {
    Program *p = w->b->program;
    int n = w->columns;
    if (n > MOST_FULL) return;
    TapePattern full = {.count = n * n};
    full.start = ARENA_ARRAY(&p->arena, int, n + 1);
    full.row = ARENA_ARRAY(&p->arena, int, full.count);
    for (int j = 0; j <= n; j++) full.start[j] = n * j;
    for (int k = 0; k < full.count; k++) full.row[k] = k % n;
    w->pattern = full;
    p->color = ARENA_ARRAY(&p->arena, int, n + 1);
    color_apart(w);
}

// Differences need columns without a row in common.
static void color_for_differences(Work *w) {
    Program *p = w->b->program;
    Pattern rows = {0}, by_column = {0};
    for (int j = 0; j <= w->columns; j++) array_push(&by_column.start, w->pattern.start[j]);
    for (int k = 0; k < w->pattern.count; k++) array_push(&by_column.column, w->pattern.row[k]);
    Columns c = columns_of(&by_column, w->columns);
    for (int i = 0; i <= w->columns; i++) array_push(&rows.start, c.start[i]);
    for (int k = 0; k < w->pattern.count; k++) array_push(&rows.column, c.row[k]);
    p->color = ARENA_ARRAY(&p->arena, int, w->columns + 1);
    p->color_count = color_columns(&rows, w->columns, p->color);
    if (p->color_count == 0) color_apart(w);
    free(c.start);
    free(c.row);
    pattern_free(&rows);
    pattern_free(&by_column);
}

static void *new_stamps(size_t count) { return memory_zeroed(count + 1, sizeof(uint32_t)); }

static void work_free(Work *w) {
    array_free(&w->row);
    array_free(&w->column);
    array_free(&w->piece);
    array_free(&w->piece_row);
    pattern_free(&w->pieces);
    pattern_free(&w->blocks);
    array_free(&w->entry);
    array_free(&w->stack);
    free(w->color);
    free(w->first_of);
    free(w->seen);
    free(w->block_seen);
    free(w->column_seen);
}

static void drop_new_blocks(Work *w) {
    w->b->block.count = w->base_blocks;
    w->b->unknown_count = 0;
    for (int i = 0; i < w->base_blocks; i++) w->b->unknown_count += w->b->block.data[i].size;
}

enum { MANY_NODES = 300000, FEW_COLORS = 50 };

// In very large sparse systems a few differences cost as much as the formulas would, without the
// time and memory to make them.
static bool differences_will_do(Work *w) {
    Program *p = w->b->program;
    if (w->b->rate_nodes <= MANY_NODES) return false;
    by_columns(w, NULL);
    color_for_differences(w);
    if (p->color_count > 0 && p->color_count <= FEW_COLORS) return true;
    w->pattern = (TapePattern){0};
    p->color_count = 0;
    return false;
}

static void make_formulas(Work *w, Draft *code) {
    Program *p = w->b->program;
    Exprs formula = {0};
    w->color_count = color_columns(&w->pieces, w->columns, w->color);
    p->has_jacobian = (w->color_count > 0 || w->columns == 0) && differentiate(w);
    by_columns(w, p->has_jacobian ? &formula : NULL);
    if (p->has_jacobian) {
        write_jacobian(w, &formula, code);
    } else {
        drop_new_blocks(w);
        color_for_differences(w);
    }
    array_free(&formula);
}

static void work_open(Work *w, Builder *b) {
    const System *s = b->system;
    builder_grow(b);
    for (int i = 0; i < s->state_count; i++) {
        array_push(&w->row, s->rate[i]);
        array_push(&w->column, s->state[i]);
    }
    for (int i = 0; i < s->block_count && w->implicit; i++)
        for (int k = 0; k < s->block[i].size; k++) {
            array_push(&w->row, s->block[i].residual[k]);
            array_push(&w->column, s->block[i].unknown[k]);
        }
    w->columns = w->column.count;
    w->seen = new_stamps(dag_size(b->dag) + 1);
    w->block_seen = new_stamps((size_t)b->block.count);
    w->column_seen = new_stamps((size_t)w->columns);
    w->color = new_stamps((size_t)w->columns);
    w->first_of = new_stamps((size_t)b->block.count);
    for (int i = 0; i < b->block.count; i++) w->first_of[i] = -1;
    w->most_visits = 30000000 + 20 * (long)dag_size(b->dag);
}

void jacobian_build(Builder *b, Draft *code, bool exact) {
    Program *p = b->program;
    Work w = {.b = b, .base_blocks = b->block.count};
    work_open(&w, b);
    if (!find_patterns(&w))
        full_pattern(&w);
    else if (exact || !differences_will_do(&w))
        make_formulas(&w, code);
    p->column_start = w.pattern.start;
    p->row = w.pattern.row;
    p->nonzero_count = w.pattern.count;
    work_free(&w);
}

// Needs: as many base blocks in the builder as in the system; others may follow.
bool implicit_build(Builder *b, Draft *rows, Draft *code) {
    Work w = {.b = b, .implicit = true};
    Exprs formula = {0};
    work_open(&w, b);
    bool good = find_patterns(&w);
    if (good) w.color_count = color_columns(&w.pieces, w.columns, w.color);
    good = good && (w.color_count > 0 || w.columns == 0) && differentiate(&w);
    if (good) {
        by_columns(&w, &formula);
        b->unknowns_given = true;
        function_begin(b, rows, LEVEL_TIME, -1);
        function_roots(b, w.row.data, w.row.count);
        for (int i = 0; i < w.row.count; i++) function_add(b, w.row.data[i]);
        function_end(b);
        write_jacobian(&w, &formula, code);
        b->unknowns_given = false;
        b->program->implicit_pattern = w.pattern;
    }
    array_free(&formula);
    work_free(&w);
    return good;
}
