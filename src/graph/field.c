// Fields: which causality do the equations of an element allow?
//
// A port hands out either its effort or its flow; what it does not hand out comes in. The laws must
// determine everything that is handed out and the element's inner variables, one law for each:
// a perfect matching between laws (rows) and ports and variables (columns).
//
//      e1 = a*f1 + b*f2        law 1 --- port 1 (as e1, or as f1)     A port is one column with two
//      e2 = b*f1 + c*f2               \ / port 2 (as f2)               kinds of edges. A stroke
//                              law 2 --- port 2 (as e2, or as f2)     takes one kind away.
//
// A variable x with der(x) in a law is a state. In integral causality x is known and der(x) is
// what the law determines, so only edges through der(x) count; else both kinds do.
//
// An edge lies in some perfect matching when it is in the one we have, or when both its ends are in
// one strong component of the graph "column -> columns of the law it is matched to". So one pass of
// Tarjan's algorithm tells for all ports what they can still hand out; a port with one way left is
// forced. The whole work of a field with n ports is n passes over its incidence.
#include "graph/inside.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/strong.h"
#include <math.h>

enum { // how a column occurs in a law
    VIA_E = 1,
    VIA_F = 2,
    VIA_DER_E = 4,
    VIA_DER_F = 8,
    VIA_VAR = 16,
    VIA_DER_VAR = 32,
    VIA_ANY_DER = VIA_DER_E | VIA_DER_F | VIA_DER_VAR,
};

typedef struct {
    int row, col;
    unsigned char via;
} FieldEdge;

struct Field {
    int node;
    int ports;         // columns 0 .. ports-1 are the ports, in the order of the node's ends
    int size;          // rows and columns
    int *row_start;    // into edge: size + 1
    FieldEdge *edge;   // row by row
    int *edge_of_row;  // matched edge, or -1
    int *row_of_col;   // matched row, or -1
    bool *integral;    // per column: its state keeps integral causality
    bool *is_state;    // per column: its derivative occurs
    bool *alone;       // per column: one law speaks of it, and of nothing else
    bool lawless;      // the laws determine no complete set: left to the equations stage
    int *mark, *other; // scratch, per column
};

struct FieldReader {
    const Graph *g;
    ARRAY(Expr) sides; // of the laws of the field that is being read
    SymbolLists below; // them
    int *var_of_symbol;
    int *col_of_var;      // -1 outside the field that is being read
    unsigned char *via;   // per variable: how it counts in its column
    int *edge_of_col;     // newest edge of a column, while rows are read
    int edge_capacity;    // of edge_of_col
    double *symbol_value; // random numbers for rank tests; NULL until needed
    ARRAY(int) vars;      // variables with a column, to clear col_of_var afterwards
    ARRAY(FieldEdge) edges;
    ARRAY(int) starts;
    ARRAY(bool) foreign; // per law: it speaks of variables of other components
};

FieldReader *field_reader_new(const Graph *g) {
    FieldReader *r = memory_zeroed(1, sizeof *r);
    const Model *m = g->model;
    r->g = g;
    r->var_of_symbol = model_symbol_vars(m);
    r->col_of_var = memory_zeroed((size_t)m->var_count, sizeof *r->col_of_var);
    r->via = memory_zeroed((size_t)m->var_count, sizeof *r->via);
    for (int v = 0; v < m->var_count; v++) r->col_of_var[v] = -1;
    return r;
}

void field_reader_free(FieldReader *r) {
    array_free(&r->sides);
    symbol_lists_free(&r->below);
    free(r->var_of_symbol);
    free(r->col_of_var);
    free(r->via);
    free(r->edge_of_col);
    free(r->symbol_value);
    array_free(&r->vars);
    array_free(&r->edges);
    array_free(&r->starts);
    array_free(&r->foreign);
    free(r);
}

// --- which rule a node follows -------------------------------------------------------------------

static double random_value(int index) { // in 0.5 .. 1.5, the same on every run
    double x = (index + 1) * 0.6180339887498949;
    return 0.5 + (x - floor(x));
}

// Rank of an n x n matrix by elimination with full pivoting.
static int numeric_rank(double *a, int n) {
    double largest = 0;
    for (int i = 0; i < n * n; i++) largest = fmax(largest, fabs(a[i]));
    for (int rank = 0; rank < n; rank++) {
        int pivot = -1;
        double best = largest * 1e-10;
        for (int i = rank * n; i < n * n; i++)
            if (i % n >= rank && fabs(a[i]) > best) best = fabs(a[pivot = i]);
        if (pivot < 0) return rank;
        int pr = pivot / n, pc = pivot % n;
        for (int j = 0; j < n; j++) {
            double t = a[rank * n + j];
            a[rank * n + j] = a[pr * n + j], a[pr * n + j] = t;
        }
        for (int i = 0; i < n; i++) {
            double t = a[i * n + rank];
            a[i * n + rank] = a[i * n + pc], a[i * n + pc] = t;
        }
        for (int i = rank + 1; i < n; i++) {
            double factor = a[i * n + rank] / a[rank * n + rank];
            for (int j = rank; j < n; j++) a[i * n + j] -= factor * a[rank * n + j];
        }
    }
    return n;
}

// Singular whatever its symbols are worth: tried with random numbers. A skew matrix of odd size is
// the case that matters (the lever arm of a rigid body).
static bool argument_is_singular(FieldReader *r, const Comp *c) {
    const Dag *d = r->g->model->dag;
    int n = c->argument_rows;
    if (!c->argument || n < 1 || n != c->argument_cols) return false;
    if (!r->symbol_value) {
        int count = expr_symbol_count(d);
        r->symbol_value = memory_zeroed((size_t)count, sizeof *r->symbol_value);
        for (int i = 0; i < count; i++) r->symbol_value[i] = random_value(i);
    }
    double *a = memory_zeroed((size_t)n * (size_t)n, sizeof *a);
    bool known = true;
    for (int i = 0; i < n * n && known; i++) {
        if (!expr_is_number(d, c->argument[i], &a[i]))
            a[i] = expr_evaluate(d, c->argument[i], r->symbol_value);
        known = isfinite(a[i]);
    }
    bool singular = known && numeric_rank(a, n) < n;
    free(a);
    return singular;
}

// The number 0, or a parameter that has this value.
static bool argument_is_zero(const FieldReader *r, const Comp *c) {
    const Model *m = r->g->model;
    if (!c->argument || c->argument_rows * c->argument_cols != 1) return false;
    Expr e = c->argument[0];
    if (expr_op(m->dag, e) == OP_SYMBOL) {
        int v = r->var_of_symbol[expr_symbol_index(m->dag, e)];
        if (v >= 0 && m->var[v].kind == VAR_PARAM && m->var[v].value) e = m->var[v].value;
    }
    double value;
    return expr_is_number(m->dag, e, &value) && value == 0;
}

static Rule two_port_rule(FieldReader *r, const Comp *c, int ends) {
    const Port *p = &r->g->model->port[c->first_port];
    if (c->own_law || c->port_count != 2) return RULE_FIELD;
    if (p[0].dim != p[1].dim || argument_is_zero(r, c)) return RULE_NATURAL;
    if (ends == 2) return RULE_COUNT;
    return c->argument_rows > 1 && argument_is_singular(r, c) ? RULE_NATURAL : RULE_FIELD;
}

Rule node_rule(FieldReader *r, int node) {
    const Graph *g = r->g;
    const Comp *c = node_comp(g, node);
    int ends = g->node[node].end_count;
    switch (c->kind) {
    case COMP_0:
    case COMP_1: return RULE_COUNT;
    case COMP_SE:
    case COMP_SF:
    case COMP_DE:
    case COMP_DF: return RULE_FIXED;
    case COMP_C:
    case COMP_I: return RULE_STORAGE;
    case COMP_TF:
    case COMP_GY: return two_port_rule(r, c, ends);
    case COMP_R:
        if (ends == 1 && !c->own_law && !argument_is_zero(r, c)) return RULE_FREE;
        if (!c->own_law && c->argument_rows > 1 && argument_is_singular(r, c)) return RULE_NATURAL;
        return RULE_FIELD;
    case COMP_FIELD: break;
    }
    return RULE_FIELD;
}

// --- reading the laws ----------------------------------------------------------------------------

static void give_column(FieldReader *r, int var, int col, unsigned char via) {
    r->col_of_var[var] = col;
    r->via[var] = via;
    array_push(&r->vars, var);
}

// Variables that the element's own laws have to determine. Inputs come from outside.
static bool is_inner(const Var *v, int comp) {
    return v->comp == comp &&
           (v->kind == VAR_LOCAL || v->kind == VAR_OUTPUT || is_of_storage(v->kind));
}

static void add_edge(FieldReader *r, int row_first, int col, unsigned char via) {
    if (col >= r->edge_capacity) {
        int old = r->edge_capacity;
        r->edge_of_col =
            array_grow(r->edge_of_col, &r->edge_capacity, col + 1, sizeof *r->edge_of_col);
        for (int i = old; i < r->edge_capacity; i++) r->edge_of_col[i] = -1;
    }
    int known = r->edge_of_col[col];
    if (known >= row_first && known < r->edges.count && r->edges.data[known].col == col) {
        r->edges.data[known].via |= via;
        return;
    }
    r->edge_of_col[col] = r->edges.count;
    array_push(&r->edges, ((FieldEdge){r->starts.count - 1, col, via}));
}

// A law is what stands below its left side (root 2 law) and below its right side.
static void read_law(FieldReader *r, int law, int comp, int *cols) {
    const Model *m = r->g->model;
    int row_first = r->edges.count;
    array_push(&r->starts, row_first);
    array_push(&r->foreign, false);
    for (int i = r->below.first.data[2 * law]; i < r->below.first.data[2 * law + 2]; i++) {
        int v = r->var_of_symbol[expr_symbol_index(m->dag, r->below.symbol.data[i])];
        if (v < 0) continue;
        bool derived = m->var[v].kind == VAR_DERIVATIVE;
        if (derived) v = m->var[v].of;
        if (r->col_of_var[v] < 0 && is_inner(&m->var[v], comp))
            give_column(r, v, (*cols)++, VIA_VAR);
        if (r->col_of_var[v] < 0) {
            bool given = m->var[v].kind == VAR_PARAM || m->var[v].kind == VAR_TIME ||
                         m->var[v].kind == VAR_DISCRETE;
            array_last(&r->foreign) |= !given && m->var[v].comp != comp;
            continue;
        }
        unsigned char via = r->via[v];
        if (derived) via = via == VIA_VAR ? VIA_DER_VAR : (unsigned char)(via << 2);
        add_edge(r, row_first, r->col_of_var[v], via);
    }
}

static int read_laws(FieldReader *r, int node) {
    const Graph *g = r->g;
    const GraphNode *n = &g->node[node];
    const Comp *c = node_comp(g, node);
    int cols = n->end_count;
    r->edges.count = r->starts.count = r->vars.count = r->foreign.count = 0;
    for (int k = 0; k < n->end_count; k++) {
        give_column(r, g->end[n->first_end + k].e, k, VIA_E);
        give_column(r, g->end[n->first_end + k].f, k, VIA_F);
    }
    r->sides.count = 0;
    for (int i = 0; i < c->equation_count; i++) {
        const Equation *law = &g->model->equation[c->first_equation + i];
        array_push(&r->sides, law->left);
        array_push(&r->sides, law->right);
    }
    expr_symbols_below(g->model->dag, r->sides.data, r->sides.count, &r->below);
    for (int i = 0; i < c->equation_count; i++) read_law(r, i, n->comp, &cols);
    for (int i = 0; i < r->vars.count; i++) r->col_of_var[r->vars.data[i]] = -1;
    return cols;
}

// Fewer laws than columns: some inner variables are determined elsewhere. Rows for "elsewhere".
static void add_rows(FieldReader *r, int ports, int cols) {
    for (int row = r->starts.count; row < cols; row++) {
        array_push(&r->starts, r->edges.count);
        for (int c = ports; c < cols; c++) array_push(&r->edges, ((FieldEdge){row, c, VIA_VAR}));
    }
    array_push(&r->starts, r->edges.count);
}

// More laws than columns: some determine things elsewhere (the input of a part inside a model), of
// which they speak. Columns for these things, open to the laws that can mean them.
static void add_columns(FieldReader *r, int cols) {
    int rows = r->starts.count, can = 0;
    ARRAY(FieldEdge) edges = {0};
    for (int row = 0; row < rows; row++) can += r->foreign.data[row];
    array_push(&r->starts, r->edges.count);
    for (int row = 0; row < rows; row++) {
        int from = r->starts.data[row], to = r->starts.data[row + 1];
        r->starts.data[row] = edges.count;
        for (int i = from; i < to; i++) array_push(&edges, r->edges.data[i]);
        if (!r->foreign.data[row] && can >= rows - cols) continue;
        for (int c = cols; c < rows; c++) array_push(&edges, ((FieldEdge){row, c, VIA_VAR}));
    }
    r->starts.data[rows] = edges.count;
    r->edges.count = 0;
    for (int i = 0; i < edges.count; i++) array_push(&r->edges, edges.data[i]);
    array_free(&edges);
}

static int pad_to_square(FieldReader *r, int ports, int cols) {
    int rows = r->starts.count;
    if (rows > cols)
        add_columns(r, cols);
    else
        add_rows(r, ports, cols);
    return rows > cols ? rows : cols;
}

static void find_alone(Field *f, int edges) {
    for (int c = 0; c < f->size; c++) f->mark[c] = 0;
    for (int i = 0; i < edges; i++) f->mark[f->edge[i].col]++;
    for (int row = 0; row < f->size; row++) {
        int first = f->row_start[row], col = f->edge[first].col;
        if (f->row_start[row + 1] - first == 1 && f->mark[col] == 1) f->alone[col] = true;
    }
}

Field *field_new(Arena *out, FieldReader *r, int node) {
    Field *f = ARENA_NEW(out, Field);
    f->node = node;
    f->ports = r->g->node[node].end_count;
    int n = f->size = pad_to_square(r, f->ports, read_laws(r, node));
    f->row_start = ARENA_ARRAY(out, int, n + 1);
    for (int i = 0; i <= n; i++) f->row_start[i] = r->starts.data[i];
    f->edge = ARENA_ARRAY(out, FieldEdge, r->edges.count);
    int *block = ARENA_ARRAY(out, int, 4 * n);
    f->edge_of_row = block, f->row_of_col = block + n;
    f->mark = block + 2 * n, f->other = block + 3 * n;
    bool *flags = ARENA_ARRAY(out, bool, 3 * n);
    f->integral = flags, f->is_state = flags + n, f->alone = flags + 2 * n;
    for (int i = 0; i < n; i++) f->edge_of_row[i] = f->row_of_col[i] = -1;
    for (int i = 0; i < r->edges.count; i++) {
        f->edge[i] = r->edges.data[i];
        if (f->edge[i].via & VIA_ANY_DER) f->is_state[f->edge[i].col] = true;
    }
    find_alone(f, r->edges.count);
    f->lawless = !field_settle(f, r->g);
    return f;
}

// --- matching ------------------------------------------------------------------------------------

static bool edge_allowed(const Field *f, const Graph *g, FieldEdge e) {
    unsigned char via = e.via;
    if (f->integral[e.col]) via &= VIA_ANY_DER;
    if (e.col < f->ports) {
        int end = g->node[f->node].first_end + e.col;
        if (end_assigned(g, end))
            via &= end_takes_effort(g, end) ? VIA_F | VIA_DER_F : VIA_E | VIA_DER_E;
    }
    return via != 0;
}

// Matches every column of the path that ends at `col` by the edge the search came along.
static void turn_path(Field *f, int col) {
    for (int before = 0; before >= 0;) {
        int edge = f->mark[col], row = f->edge[edge].row;
        before = f->edge_of_row[row];
        f->edge_of_row[row] = edge;
        f->row_of_col[col] = row;
        if (before >= 0) col = f->edge[before].col;
    }
}

// Breadth-first search for a free column along an alternating path from an unmatched row.
// mark[col] = edge by which the search came, other = queue of columns.
static bool augment(Field *f, const Graph *g, int start) {
    int head = 0, tail = 0;
    for (int c = 0; c < f->size; c++) f->mark[c] = -1;
    for (int row = start;;) {
        for (int i = f->row_start[row]; i < f->row_start[row + 1]; i++) {
            int col = f->edge[i].col;
            if (f->mark[col] >= 0 || !edge_allowed(f, g, f->edge[i])) continue;
            f->mark[col] = i;
            f->other[tail++] = col;
            if (f->row_of_col[col] >= 0) continue;
            turn_path(f, col);
            return true;
        }
        if (head == tail) return false;
        row = f->row_of_col[f->other[head++]];
    }
}

bool field_settle(Field *f, const Graph *g) {
    if (f->lawless) return true;
    for (int row = 0; row < f->size; row++) {
        int edge = f->edge_of_row[row];
        if (edge < 0 || edge_allowed(f, g, f->edge[edge])) continue;
        f->row_of_col[f->edge[edge].col] = -1;
        f->edge_of_row[row] = -1;
    }
    for (int row = 0; row < f->size; row++)
        if (f->edge_of_row[row] < 0 && !augment(f, g, row)) return false;
    return true;
}

bool field_unmoved(const Field *f, const Graph *g, int port) {
    int edge = f->row_of_col[port] < 0 ? -1 : f->edge_of_row[f->row_of_col[port]];
    return f->alone[port] && edge >= 0 && edge_allowed(f, g, f->edge[edge]);
}

// --- strong components ---------------------------------------------------------------------------

typedef struct {
    const Field *f;
    const Graph *g;
} FieldGraph;

static int column_after(const void *graph, int col, int k) {
    const FieldGraph *x = graph;
    const int *start = &x->f->row_start[x->f->row_of_col[col]];
    if (start[0] + k >= start[1]) return STRONG_END;
    FieldEdge e = x->f->edge[start[0] + k];
    return edge_allowed(x->f, x->g, e) ? e.col : STRONG_NO_EDGE;
}

void field_ways(Field *f, const Graph *g, unsigned char *ways) {
    for (int p = 0; p < f->ports; p++) ways[p] = f->lawless ? WAY_EFFORT | WAY_FLOW : 0;
    if (f->lawless) return;
    int *part = memory_zeroed((size_t)f->size, sizeof *part);
    strong_components(f->size, column_after, &(FieldGraph){f, g}, part);
    for (int row = 0; row < f->size; row++) {
        int home = f->edge[f->edge_of_row[row]].col;
        for (int i = f->row_start[row]; i < f->row_start[row + 1]; i++) {
            FieldEdge e = f->edge[i];
            if (e.col >= f->ports || part[e.col] != part[home] || !edge_allowed(f, g, e)) continue;
            if (f->integral[e.col]) e.via &= VIA_ANY_DER;
            if (e.via & (VIA_E | VIA_DER_E)) ways[e.col] |= WAY_EFFORT;
            if (e.via & (VIA_F | VIA_DER_F)) ways[e.col] |= WAY_FLOW;
        }
    }
    free(part);
}

// --- states --------------------------------------------------------------------------------------

bool field_has_states(const Field *f) {
    for (int c = 0; c < f->size; c++)
        if (f->is_state[c]) return true;
    return false;
}

bool field_keep_states(Field *f, const Graph *g) {
    bool all = true;
    if (f->lawless) return true;
    for (int c = 0; c < f->size; c++) {
        if (!f->is_state[c]) continue;
        f->integral[c] = true;
        if (field_settle(f, g)) continue;
        f->integral[c] = all = false;
        field_settle(f, g);
    }
    return all;
}

void field_release_states(Field *f) {
    for (int c = 0; c < f->size; c++) f->integral[c] = false;
}

bool field_lost_state(const Field *f) {
    for (int c = 0; c < f->size; c++)
        if (f->is_state[c] && !f->integral[c]) return !f->lawless;
    return false;
}

// --- dependence ----------------------------------------------------------------------------------

static int compare_ports(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// Does an edge take what comes in at a port?
static bool comes_in(const Field *f, const Graph *g, FieldEdge e) {
    if (e.col >= f->ports) return false;
    int end = g->node[f->node].first_end + e.col;
    bool effort_in = end_assigned(g, end) && end_takes_effort(g, end);
    return e.via & (effort_in ? VIA_E | VIA_DER_E : VIA_F | VIA_DER_F);
}

enum { MARK_SEEN = 1, MARK_NEEDED = 2 };

// Follows the laws from the one that determines port `out` to everything that it needs. Marks are 0
// before and after.
static int needs_of_port(Field *f, const Graph *g, int out, int *needs) {
    int head = 0, tail = 0, count = 0;
    f->mark[out] |= MARK_SEEN;
    f->other[tail++] = out;
    while (head < tail) {
        int home = f->other[head++], row = f->row_of_col[home];
        for (int i = f->row_start[row]; i < f->row_start[row + 1]; i++) {
            FieldEdge e = f->edge[i];
            if (comes_in(f, g, e) && !(f->mark[e.col] & MARK_NEEDED)) {
                f->mark[e.col] |= MARK_NEEDED;
                needs[count++] = e.col;
            }
            if ((f->mark[e.col] & MARK_SEEN) || !edge_allowed(f, g, e)) continue;
            f->mark[e.col] |= MARK_SEEN;
            f->other[tail++] = e.col;
        }
    }
    for (int i = 0; i < tail; i++) f->mark[f->other[i]] = 0;
    for (int i = 0; i < count; i++) f->mark[needs[i]] = 0;
    if (count) qsort(needs, (size_t)count, sizeof *needs, compare_ports);
    return count;
}

int field_needs(Field *f, const Graph *g, int out, int *needs) {
    if (out == 0)
        for (int c = 0; c < f->size; c++) f->mark[c] = 0;
    if (!f->lawless) return f->integral[out] ? 0 : needs_of_port(f, g, out, needs);
    for (int in = 0; in < f->ports; in++) needs[in] = in;
    return f->ports;
}

bool law_prefers_flow_out(const Graph *g, int end) {
    const Model *m = g->model;
    const Comp *c = node_comp(g, g->end[end].node);
    for (int i = 0; i < c->equation_count; i++) {
        const Equation *eq = &m->equation[c->first_equation + i];
        if (eq->left == m->var[g->end[end].e].symbol) return false;
        if (eq->left == m->var[g->end[end].f].symbol) return true;
    }
    return false;
}
