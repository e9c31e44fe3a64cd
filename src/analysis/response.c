// Frequency responses: a complex solution for each frequency, in balanced states. Of large models A is made a Hessenberg matrix
// first (Laub), with which a solution takes n^2 operations; small ones keep the zeros that their equations have.
#include "analysis/response.h"

#include "analysis/crossings.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 60, MANY = 200 };

struct Responder {
    int n;
    double period;                 // 0: continuous
    double *A, *b, *b1, *c, d, d1; // b, b1 and c are one block
    Complex *matrix, *x;
    double rounding; // of the last answer
};

Responder *responder_new(const LinearModel *l, int input, int output) {
    Responder *x = memory_zeroed(1, sizeof *x);
    int n = x->n = l->n;
    x->period = l->period;
    size_t square = (size_t)n * (size_t)n + 1;
    double *scale = memory_zeroed((size_t)n + 1, sizeof *scale);
    x->A = memory_zeroed(square, sizeof(double));
    x->b = memory_zeroed(3 * (size_t)n + 1, sizeof(double));
    x->b1 = x->b + n;
    x->c = x->b1 + n;
    x->matrix = memory_zeroed(square, sizeof(Complex));
    x->x = memory_zeroed((size_t)n + 1, sizeof(Complex));
    dense_balance(n, l->A, scale);
    for (int i = 0; i < n; i++) {
        x->b[i] = l->B[(size_t)input * (size_t)n + (size_t)i] / scale[i];
        if (l->B1) x->b1[i] = l->B1[(size_t)input * (size_t)n + (size_t)i] / scale[i];
        x->c[i] = l->C[(size_t)i * (size_t)l->p + (size_t)output] * scale[i];
        for (int j = 0; j < n; j++)
            x->A[(size_t)j * (size_t)n + (size_t)i] =
                l->A[(size_t)j * (size_t)n + (size_t)i] * scale[j] / scale[i];
    }
    x->d = l->D[input * l->p + output];
    x->d1 = l->D1 ? l->D1[input * l->p + output] : 0;
    free(scale);
    if (n > SMALL) dense_hessenberg(n, x->A, 3, x->b);
    return x;
}

void responder_free(Responder *x) {
    if (!x) return;
    free(x->A);
    free(x->b);
    free(x->matrix);
    free(x->x);
    free(x);
}

Complex response_at(Responder *x, double w) {
    int n = x->n;
    Complex at = x->period > 0 ? cexp(I * w * x->period) : I * w;
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++) x->matrix[k] = -x->A[k];
    for (int i = 0; i < n; i++) {
        x->matrix[(size_t)i * (size_t)n + (size_t)i] += at;
        x->x[i] = x->b[i] + I * w * x->b1[i];
    }
    if (!(n > SMALL ? dense_solve_hessenberg(n, x->matrix, x->x)
                    : dense_solve_complex(n, x->matrix, 1, x->x)))
        return NAN;
    Complex y = x->d + I * w * x->d1;
    double terms = cabs(y);
    for (int i = 0; i < n; i++) {
        Complex part = x->c[i] * x->x[i];
        y += part;
        terms += cabs(part);
    }
    x->rounding = 1e-15 * (n + 1) * terms;
    return y;
}

double response_rounding(const Responder *x) { return x->rounding; }

// --- frequencies ---------------------------------------------------------------------------------

double nyquist_of(const LinearModel *l) {
    return l->period > 0 ? acos(-1) / l->period : (double)INFINITY;
}

bool below_nyquist(const LinearModel *l, const double *w, int count, Pos pos, Report *r) {
    double turn = 2 * acos(-1);
    for (int i = 0; i < count; i++) {
        if (!(w[i] > nyquist_of(l) * (1 + 1e-9))) continue;
        Remark *m = report_error(r, A_ABOVE_NYQUIST, pos,
                                 "%g Hz is above %g Hz, half of the frequency of the samples: they "
                                 "do not tell it from a lower one",
                                 w[i] / turn, nyquist_of(l) / turn);
        remark_help(r, m, "ask for lower frequencies, or for the continuous model");
        return false;
    }
    return true;
}

typedef struct {
    double *data;
    int count, room;
    double from, to;
} Grid;

static void add(Grid *g, double w) {
    if (!(w >= g->from && w <= g->to)) return;
    if (g->count == g->room) {
        g->room = 2 * g->room + 64;
        double *more = memory_zeroed((size_t)g->room, sizeof *more);
        if (g->count) memcpy(more, g->data, (size_t)g->count * sizeof *more);
        free(g->data);
        g->data = more;
    }
    g->data[g->count++] = w;
}

// A peak is as wide as its pole is away from the axis.
static void add_around(Grid *g, Complex at, int points) {
    double width = fabs(creal(at)), middle = fabs(cimag(at));
    if (middle == 0 || width > middle) return;
    for (int k = -points; k <= points; k++) add(g, middle + 6.0 * k / points * width);
}

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void leave_out_same(Grid *g) {
    int kept = 0;
    for (int i = 0; i < g->count; i++)
        if (!kept || g->data[i] > g->data[kept - 1] * (1 + 1e-13)) g->data[kept++] = g->data[i];
    g->count = kept;
}

static void find_range(Grid *g, const Complex *pole, int count, double nyquist) {
    double least = INFINITY, most = 0;
    for (int i = 0; i < count; i++) {
        double size = cabs(pole[i]);
        if (isfinite(size)) most = fmax(most, size);
    }
    for (int i = 0; i < count; i++) // what is slower is an integrator, but for rounding
        if (cabs(pole[i]) > 1e-9 * most) least = fmin(least, cabs(pole[i]));
    if (!(most > 0)) least = most = 1;
    if (!(g->from > 0)) g->from = 0.01 * fmin(least, nyquist);
    if (!(g->to > 0)) g->to = isfinite(nyquist) ? nyquist : 100 * most;
}

double *response_grid(const LinearModel *l, int input, int output, double from, double to,
                      int points, int *count) {
    Grid g = {.from = from, .to = to};
    Complex *root = memory_zeroed(3 * (size_t)l->n + 2, sizeof *root);
    double *hint;
    int roots = dense_eigen(l->n, l->A, root, NULL, NULL) ? l->n : 0;
    for (int i = 0; i < roots; i++) root[i] = continuous_pole(l, root[i]);
    find_range(&g, root, roots, nyquist_of(l));
    int zeros = channel_zeros(l, input, output, root + l->n);
    zeros = zeros < 0 ? 0 : zeros;
    int closed = l->n <= MANY ? closed_loop_poles(l, input, output, root + l->n + zeros) : 0;
    if (closed > 0) zeros += closed;
    for (int i = 0; i < zeros; i++) root[l->n + i] = continuous_pole(l, root[l->n + i]);
    for (int i = 0; i < points; i++)
        add(&g, i + 1 == points ? g.to : g.from * pow(g.to / g.from, i / (points - 1.0)));
    int beside = l->n <= MANY ? 12 : 2;
    for (int i = 0; i < roots; i++) add_around(&g, root[i], beside);
    for (int i = 0; i < zeros; i++) add_around(&g, root[l->n + i], beside);
    int hints = crossing_hints(l, input, output, &hint);
    for (int i = 0; i < hints; i++) add(&g, hint[i]);
    free(hint);
    if (g.count) qsort(g.data, (size_t)g.count, sizeof *g.data, rising);
    leave_out_same(&g);
    free(root);
    *count = g.count;
    return g.data;
}
