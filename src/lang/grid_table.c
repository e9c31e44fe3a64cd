// Tables of two and more variables, as sums of products of tables of one:
//
//     z(x, y) = sum over j of  z_j(x) w_j(y)       z_j: the values at y_j over x
//                                                  w_j: 1 at y_j, 0 at the other points
//
// With lines in z_j and w_j this is bilinear interpolation. `smooth` takes cubics whose slopes are
// those of parabolas through three neighbours; they depend on the values linearly, so it does not
// matter over which of the two the sum goes: it goes over the one with fewer points. Of more
// variables the sum goes over all but the one with the most points, with the product of their w.
#include "lang/build.h"

#include <string.h>

struct Grid {
    int rank;
    int size[TABLE_ARGUMENTS];
    int along;           // the argument that z_j are tables of: the one with the most points
    int count;           // of z_j: points of all other arguments, the last one first in a row
    const Table **table; // z_0, z_1 ... then w_0, w_1 ... of each other argument in turn
    int table_count;
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
    int size[TABLE_ARGUMENTS];
    double *axis[TABLE_ARGUMENTS], *z; // z: the last argument first in a row
} Numbers;

static bool read_rows(Builder *b, const Global *g, Numbers *n) {
    const AstClass *c = g->class;
    Env env = {.file = g->file, .instance = -1, .element = -1};
    const AstFormal *x = &c->formals[0], *y = &c->formals[1];
    int columns = n->size[1] = c->columns;
    int rows = n->size[0] = (c->number_count - c->columns) / (c->columns + 1);
    n->axis[0] = ARENA_ARRAY(b->out, double, rows);
    n->axis[1] = ARENA_ARRAY(b->out, double, columns);
    n->z = ARENA_ARRAY(b->out, double, rows *columns);
    AstExpr *const *at = c->numbers;
    for (int k = 0; k < columns; k++)
        if (!table_number(b, *at++, &env, y->has_unit, &y->unit, &n->axis[1][k])) return false;
    for (int i = 0; i < rows; i++) {
        if (!table_number(b, *at++, &env, x->has_unit, &x->unit, &n->axis[0][i])) return false;
        for (int k = 0; k < columns; k++)
            if (!table_number(b, *at++, &env, c->has_unit, &c->unit, &n->z[i * columns + k]))
                return false;
    }
    return table_rises(b, c, columns, n->axis[1], c->numbers, 1, "first line") &&
           table_rises(b, c, rows, n->axis[0], c->numbers + c->columns, c->columns + 1,
                       "first column");
}

static double *copied(Builder *b, const double *from, int count) {
    double *to = ARENA_ARRAY(b->out, double, count);
    memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

// The syntax may be gone before the model is.
static void take_data(Builder *b, const AstClass *c, Numbers *n) {
    int points = 1;
    for (int k = 0; k < c->formal_count; k++) {
        n->size[k] = c->data->size[k];
        n->axis[k] = copied(b, c->data->axis[k], n->size[k]);
        points *= n->size[k];
    }
    n->z = copied(b, c->data->y, points);
}

static bool read_grid(Builder *b, const Global *g, Numbers *n) {
    const AstClass *c = g->class;
    if (c->from && !c->data) return false; // reported when it was read
    if (c->data)
        take_data(b, c, n);
    else if (!read_rows(b, g, n))
        return false;
    if (c->data || (n->size[0] > 1 && n->size[1] > 1)) return true;
    Remark *m = complain(b, L_TABLE, c->pos, "table '%s' has fewer than two %s",
                         text_of(b, c->name), n->size[0] < 2 ? "rows" : "columns");
    remark_help(b->r, m, "its first line is: , y1, y2 ...   and each other one: x, z1, z2 ...");
    return false;
}

// The argument with the most points: the last of them.
static void choose_along(Grid *g) {
    g->count = 1;
    for (int k = 0; k < g->rank; k++)
        if (g->size[k] >= g->size[g->along]) g->along = k;
    if (g->rank == 2 && g->size[0] == g->size[1]) g->along = 0;
    for (int k = 0; k < g->rank; k++) g->count *= k == g->along ? 1 : g->size[k];
}

// z number j: its values at the points of the other arguments that j counts.
static const Table *line_table(Builder *b, const AstClass *c, const Grid *g, const Numbers *n,
                               int j) {
    int first = 0, stride = 1, step = 1;
    for (int k = g->rank - 1; k >= 0; stride *= g->size[k--]) {
        if (k == g->along) {
            step = stride;
            continue;
        }
        first += j % g->size[k] * stride;
        j /= g->size[k];
    }
    double *z = ARENA_ARRAY(b->out, double, g->size[g->along]);
    for (int i = 0; i < g->size[g->along]; i++) z[i] = n->z[first + i * step];
    return table_make(b, c, g->size[g->along], n->axis[g->along], z, parabola_slopes);
}

static const Table *share_table(Builder *b, const AstClass *c, const Grid *g, const Numbers *n,
                                int k, int point) {
    double *w = ARENA_ARRAY(b->out, double, g->size[k]);
    for (int i = 0; i < g->size[k]; i++) w[i] = i == point;
    return table_make(b, c, g->size[k], n->axis[k], w, parabola_slopes);
}

const Grid *grid_build(Builder *b, const Global *g) {
    enum { MOST_LINES = 4000 };
    const AstClass *c = g->class;
    Numbers n = {0};
    if (!read_grid(b, g, &n)) return NULL;
    Grid *grid = ARENA_NEW(b->out, Grid);
    grid->rank = c->formal_count;
    memcpy(grid->size, n.size, sizeof n.size);
    choose_along(grid);
    if (grid->count > MOST_LINES) {
        Remark *m = complain(b, L_TABLE, c->pos, "table '%s' has %d lines of points, more than %d",
                             text_of(b, c->name), grid->count, MOST_LINES);
        remark_help(b->r, m,
                    "every line is looked at in each step: leave out points that are not needed");
        return NULL;
    }
    int shares = 0;
    for (int k = 0; k < grid->rank; k++) shares += k == grid->along ? 0 : grid->size[k];
    grid->table_count = grid->count + shares;
    grid->table = ARENA_ARRAY(b->out, const Table *, grid->table_count);
    for (int j = 0; j < grid->count; j++) grid->table[j] = line_table(b, c, grid, &n, j);
    for (int k = 0, at = grid->count; k < grid->rank; k++)
        for (int i = 0; k != grid->along && i < grid->size[k]; i++)
            grid->table[at++] = share_table(b, c, grid, &n, k, i);
    return grid;
}

static Expr read_table(Dag *d, int number, Expr x) {
    Expr args[] = {expr_number(d, number), x};
    return expr_call(d, OP_TABLE, args, 2);
}

// The sum over the points of argument k of what is left of the others, line after line.
static Expr sum_over(Dag *d, const Grid *g, int first, const Expr *x, int k, int share, int *line) {
    if (k == g->along) k++;
    if (k >= g->rank) return read_table(d, first + (*line)++, x[g->along]);
    Expr sum = expr_number(d, 0);
    for (int i = 0; i < g->size[k]; i++) {
        Expr rest = sum_over(d, g, first, x, k + 1, share + g->size[k], line);
        sum = expr_add(d, sum, expr_mul(d, rest, read_table(d, first + share + i, x[k])));
    }
    return sum;
}

// Needs: the tables of the grid in the graph from number `first` on.
Expr grid_value(Dag *d, const Grid *g, int first, const Expr *x) {
    int line = 0;
    return sum_over(d, g, first, x, 0, g->count, &line);
}

int grid_add(Dag *d, const Grid *g) {
    int first = expr_add_table(d, g->table[0]);
    for (int j = 1; j < g->table_count; j++) expr_add_table(d, g->table[j]);
    return first;
}

// Which argument does table number `number` of the graph read? -1: it is none of this grid's first.
int grid_argument(const Grid *g, int first, int number) {
    if (number == first) return g->along;
    for (int k = 0, at = first + g->count; k < g->rank; k++) {
        if (k == g->along) continue;
        if (number == at) return k;
        at += g->size[k];
    }
    return -1;
}
