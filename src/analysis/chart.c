// Minimal coordinates of a system whose states lie on constraints that every motion keeps: the unit
// length of a quaternion, the closed loops of a mechanism. Elimination with complete pivoting takes
// away the states that the constraints determine best; the others are coordinates of what is left,
// so A in them has the poles of the motion and none of the constraints. As they are a part of the
// states, this holds at every point, not only at rest: x_i' = f_i(x_i, x_d(x_i)).
#include "analysis/chart.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

static const double SINGULAR = 1e-9; // of a row that was scaled to 1

static void scale_rows(int n, int m, int rows, double *G) {
    for (int r = 0; r < rows; r++) {
        double *row = G + (size_t)r * (size_t)(n + m), most = 0;
        for (int j = 0; j < n; j++) most = fmax(most, fabs(row[j]));
        for (int j = 0; j < n + m && most > 0; j++) row[j] /= most;
    }
}

static void swap_rows(int width, double *a, double *b) {
    for (int j = 0; j < width; j++) {
        double x = a[j];
        a[j] = b[j];
        b[j] = x;
    }
}

typedef struct {
    bool *row;         // of velocities
    const bool *state; // a velocity or momentum
} Fast;

static double find_pivot(const Chart *c, int rows, const double *G, const Fast *fast, int *row,
                         int *column) {
    double best = 0;
    int width = c->n + c->m;
    for (int r = c->rank; r < rows; r++)
        for (int j = 0; j < c->n; j++) {
            double x = fabs(G[(size_t)r * (size_t)width + (size_t)j]);
            if (fast && fast->row[r] != fast->state[j]) continue;
            if (c->follows[j] || !(x > best * 1.001)) continue; // of equals the first
            best = x;
            *row = r;
            *column = j;
        }
    return best;
}

static void eliminate(const Chart *c, int rows, double *G, int column) {
    int width = c->n + c->m;
    double *pivot = G + (size_t)c->rank * (size_t)width, by = pivot[column];
    for (int j = 0; j < width; j++) pivot[j] /= by;
    for (int r = 0; r < rows; r++) {
        double *row = G + (size_t)r * (size_t)width, factor = row[column];
        if (r == c->rank || factor == 0) continue;
        for (int j = 0; j < width; j++) row[j] -= factor * pivot[j];
        row[column] = 0;
    }
}

static void take_away(Chart *c, int rows, double *G, const Fast *fast, bool *fast_row) {
    int width = c->n + c->m, row = 0, column = 0;
    while (c->rank < rows && find_pivot(c, rows, G, fast, &row, &column) > SINGULAR) {
        if (row != c->rank) {
            swap_rows(width, G + (size_t)row * (size_t)width, G + (size_t)c->rank * (size_t)width);
            bool kind = fast_row[row];
            fast_row[row] = fast_row[c->rank];
            fast_row[c->rank] = kind;
        }
        eliminate(c, rows, G, column);
        c->dependent[c->rank++] = column;
        c->follows[column] = true;
    }
}

Chart chart_make(int n, int m, int rows, double *G, bool *fast_row, const bool *fast_state) {
    int width = n + m;
    Chart c = {.n = n, .m = m};
    Fast fast = {fast_row, fast_state};
    c.dependent = memory_zeroed((size_t)rows + 1, sizeof *c.dependent);
    c.follows = memory_zeroed((size_t)n + 1, sizeof *c.follows);
    c.by = memory_zeroed((size_t)rows * (size_t)width + 1, sizeof *c.by);
    scale_rows(n, m, rows, G);
    take_away(&c, rows, G, &fast, fast_row);
    take_away(&c, rows, G, NULL, fast_row);
    for (int k = 0; k < c.rank; k++)
        for (int j = 0; j < width; j++)
            if (j >= n || !c.follows[j])
                c.by[(size_t)k * (size_t)width + (size_t)j] =
                    -G[(size_t)k * (size_t)width + (size_t)j];
    return c;
}

void chart_free(Chart *c) {
    free(c->dependent);
    free(c->follows);
    free(c->by);
    *c = (Chart){0};
}
