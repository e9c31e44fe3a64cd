// Tables of two variables, as sums of products of tables of one:
//
//     z(x, y) = sum over j of  z_j(x) w_j(y)       z_j: the values at y_j over x
//                                                  w_j: 1 at y_j, 0 at the other points
//
// With lines in z_j and w_j this is bilinear interpolation. `smooth` takes cubics whose slopes are
// those of parabolas through three neighbours; they depend on the values linearly, so it does not
// matter over which of the two the sum goes: it goes over the one with fewer points.
#include "lang/build.h"

#include <string.h>

struct Grid {
    int count;           // of z_j, and of w_j
    bool across;         // the sum goes over x, in place of y
    const Table **table; // z_0, z_1 ... w_0, w_1 ...
};

// m = (h1 d0 + h0 d1)/(h0 + h1) inside; at an end the slope of the parabola there.
static void parabola_slopes(int n, const double *x, const double *y, double *slope) {
    for (int i = 0; i < n; i++) {
        int k = i == 0 ? 1 : i == n - 1 ? n - 2 : i; // the middle of three
        if (n == 2) k = 1;
        double h0 = x[k] - x[k - 1], d0 = (y[k] - y[k - 1]) / h0;
        if (n == 2) {
            slope[i] = d0;
            continue;
        }
        double h1 = x[k + 1] - x[k], d1 = (y[k + 1] - y[k]) / h1;
        slope[i] = i < k   ? ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
                   : i > k ? ((2 * h1 + h0) * d1 - h1 * d0) / (h0 + h1)
                           : (h1 * d0 + h0 * d1) / (h0 + h1);
    }
}

typedef struct {
    int rows, columns;
    double *x, *y, *z; // z: row by row
} Numbers;

static bool read_grid(Builder *b, const Global *g, Numbers *n) {
    const AstClass *c = g->class;
    Env env = {.file = g->file, .instance = -1, .element = -1};
    const AstFormal *x = &c->formals[0], *y = &c->formals[1];
    n->columns = c->columns;
    n->rows = (c->number_count - c->columns) / (c->columns + 1);
    n->x = ARENA_ARRAY(b->out, double, n->rows);
    n->y = ARENA_ARRAY(b->out, double, n->columns);
    n->z = ARENA_ARRAY(b->out, double, n->rows * n->columns);
    AstExpr *const *at = c->numbers;
    for (int k = 0; k < n->columns; k++)
        if (!table_number(b, *at++, &env, y->has_unit, &y->unit, &n->y[k])) return false;
    for (int i = 0; i < n->rows; i++) {
        if (!table_number(b, *at++, &env, x->has_unit, &x->unit, &n->x[i])) return false;
        for (int k = 0; k < n->columns; k++)
            if (!table_number(b, *at++, &env, c->has_unit, &c->unit, &n->z[i * n->columns + k]))
                return false;
    }
    return table_rises(b, c, n->columns, n->y, c->numbers, 1, "first line") &&
           table_rises(b, c, n->rows, n->x, c->numbers + c->columns, c->columns + 1,
                       "first column");
}

const Grid *grid_build(Builder *b, const Global *g) {
    const AstClass *c = g->class;
    Numbers n;
    if (!read_grid(b, g, &n)) return NULL;
    if (n.rows < 2 || n.columns < 2) {
        Remark *m = complain(b, L_TABLE, c->pos, "table '%s' has fewer than two %s",
                             text_of(b, c->name), n.rows < 2 ? "rows" : "columns");
        remark_help(b->r, m, "its first line is: , y1, y2 ...   and each other one: x, z1, z2 ...");
        return NULL;
    }
    Grid *grid = ARENA_NEW(b->out, Grid);
    grid->across = n.rows < n.columns;
    grid->count = grid->across ? n.rows : n.columns;
    grid->table = ARENA_ARRAY(b->out, const Table *, 2 * grid->count);
    int length = grid->across ? n.columns : n.rows;
    const double *along = grid->across ? n.y : n.x, *sum = grid->across ? n.x : n.y;
    for (int j = 0; j < grid->count; j++) {
        double *z = ARENA_ARRAY(b->out, double, length),
               *w = ARENA_ARRAY(b->out, double, grid->count);
        for (int i = 0; i < length; i++)
            z[i] = grid->across ? n.z[j * n.columns + i] : n.z[i * n.columns + j];
        for (int i = 0; i < grid->count; i++) w[i] = i == j;
        grid->table[j] = table_make(b, c, length, along, z, parabola_slopes);
        grid->table[grid->count + j] = table_make(b, c, grid->count, sum, w, parabola_slopes);
    }
    return grid;
}

// Needs: the tables of the grid in the graph from number `first` on.
Expr grid_value(Dag *d, const Grid *g, int first, Expr x, Expr y) {
    Expr sum = expr_number(d, 0), along = g->across ? y : x, other = g->across ? x : y;
    for (int j = 0; j < g->count; j++) {
        Expr z[] = {expr_number(d, first + j), along};
        Expr w[] = {expr_number(d, first + g->count + j), other};
        sum = expr_add(d, sum,
                       expr_mul(d, expr_call(d, OP_TABLE, z, 2), expr_call(d, OP_TABLE, w, 2)));
    }
    return sum;
}

int grid_add(Dag *d, const Grid *g) {
    int first = expr_add_table(d, g->table[0]);
    for (int j = 1; j < 2 * g->count; j++) expr_add_table(d, g->table[j]);
    return first;
}

// Which argument does table number `number` of the graph read? -1: it is none of this grid's first.
int grid_argument(const Grid *g, int first, int number) {
    if (number == first) return g->across;
    return number == first + g->count ? !g->across : -1;
}
