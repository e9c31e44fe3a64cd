// Frequency responses: a complex solution for each frequency, in balanced states.
#include "analysis/response.h"

#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct Responder {
    int n;
    double period; // 0: continuous
    double *A, *b, *b1, *c, d, d1;
    Complex *matrix, *x;
};

Responder *responder_new(const LinearModel *l, int input, int output) {
    Responder *x = memory_zeroed(1, sizeof *x);
    int n = x->n = l->n;
    x->period = l->period;
    size_t square = (size_t)n * (size_t)n + 1;
    double *scale = memory_zeroed((size_t)n + 1, sizeof *scale);
    x->A = memory_zeroed(square, sizeof(double));
    x->b = memory_zeroed((size_t)n + 1, sizeof(double));
    x->b1 = memory_zeroed((size_t)n + 1, sizeof(double));
    x->c = memory_zeroed((size_t)n + 1, sizeof(double));
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
    return x;
}

void responder_free(Responder *x) {
    if (!x) return;
    free(x->A);
    free(x->b);
    free(x->b1);
    free(x->c);
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
    if (!dense_solve_complex(n, x->matrix, 1, x->x)) return NAN;
    Complex y = x->d + I * w * x->d1;
    for (int i = 0; i < n; i++) y += x->c[i] * x->x[i];
    return y;
}

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
static void add_around(Grid *g, Complex at) {
    double width = fabs(creal(at)), middle = fabs(cimag(at));
    if (middle == 0 || width > middle) return;
    for (int k = -12; k <= 12; k++) add(g, middle + 0.5 * k * width);
}

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void find_range(Grid *g, const Complex *pole, int count, double nyquist) {
    double least = INFINITY, most = 0;
    for (int i = 0; i < count; i++) {
        double size = cabs(pole[i]);
        if (size > 0 && isfinite(size)) least = fmin(least, size), most = fmax(most, size);
    }
    if (!(most > 0)) least = most = 1;
    least = fmax(least, 1e-9 * most); // an integrator, but for rounding
    if (!(g->from > 0)) g->from = 0.01 * fmin(least, nyquist);
    if (!(g->to > 0)) g->to = isfinite(nyquist) ? nyquist : 100 * most;
}

double *response_grid(const LinearModel *l, int input, int output, double from, double to,
                      int points, int *count) {
    Grid g = {.from = from, .to = to};
    Complex *root = memory_zeroed(2 * (size_t)l->n + 1, sizeof *root);
    int roots = dense_eigen(l->n, l->A, root, NULL, NULL) ? l->n : 0;
    for (int i = 0; i < roots; i++) root[i] = continuous_pole(l, root[i]);
    find_range(&g, root, roots, nyquist_of(l));
    int zeros = channel_zeros(l, input, output, root + l->n);
    for (int i = 0; i < zeros; i++) root[l->n + i] = continuous_pole(l, root[l->n + i]);
    for (int i = 0; i < points; i++)
        add(&g, i + 1 == points ? g.to : g.from * pow(g.to / g.from, i / (points - 1.0)));
    for (int i = 0; i < roots; i++) add_around(&g, root[i]);
    for (int i = 0; i < zeros; i++) add_around(&g, root[l->n + i]);
    if (g.count) qsort(g.data, (size_t)g.count, sizeof *g.data, rising);
    free(root);
    *count = g.count;
    return g.data;
}
