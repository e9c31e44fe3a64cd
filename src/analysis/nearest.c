// Poles nearest to a shift s, for models with thousands of states: the matrix stays sparse.
//
//     (A - s)^-1 has the eigenvalues 1/(pole - s): the nearest poles are its largest ones, which the method of Arnoldi finds first,
//
//     (A - s)^-1 V = V H + h v e',    V orthonormal,     H small
//
// A - s is factored once (KLU), each step is one solution. The space grows, twice as large each time, until what is asked for has residuals
// of rounding; there is no restart, as no more than some hundred vectors are needed.
#include "analysis/nearest.h"

#include "analysis/tangent.h"
#include "base/json.h"
#include "base/memory.h"
#include "engine/sparse.h"
#include <math.h>
#include <string.h>

#define CONVERGED 1e-11

typedef struct {
    int n, steps, room;
    double *V; // n by room + 1
    double *H; // room + 1 by room, column by column
    SparseFactor *lu;
} Space;

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void first_vector(Space *k) { // no direction is left out
    double size = 0;
    for (int i = 0; i < k->n; i++) k->V[i] = 1 + sin(1 + 1.7 * i * (1 + 0.1 * (i % 7)));
    size = sqrt(dot(k->n, k->V, k->V));
    for (int i = 0; i < k->n; i++) k->V[i] /= size;
}

// One vector more, orthogonal to all others to the last digit. False: the space is closed.
static bool one_step(Space *k) {
    int j = k->steps, ld = k->room + 1;
    double *w = k->V + (size_t)(j + 1) * (size_t)k->n;
    memcpy(w, k->V + (size_t)j * (size_t)k->n, (size_t)k->n * sizeof *w);
    sparse_solve(k->lu, w);
    double before = sqrt(dot(k->n, w, w));
    for (int twice = 0; twice < 2; twice++)
        for (int i = 0; i <= j; i++) {
            const double *v = k->V + (size_t)i * (size_t)k->n;
            double h = dot(k->n, v, w);
            for (int q = 0; q < k->n; q++) w[q] -= h * v[q];
            k->H[(size_t)j * (size_t)ld + (size_t)i] += h;
        }
    double rest = sqrt(dot(k->n, w, w));
    k->H[(size_t)j * (size_t)ld + (size_t)(j + 1)] = rest;
    k->steps++;
    if (!(rest > 1e-14 * before)) return false;
    for (int q = 0; q < k->n; q++) w[q] /= rest;
    return true;
}

static void grow(Space *k, int room) {
    double *V = memory_zeroed((size_t)k->n * (size_t)(room + 1), sizeof *V);
    double *H = memory_zeroed((size_t)(room + 1) * (size_t)room, sizeof *H);
    if (k->V) memcpy(V, k->V, (size_t)k->n * (size_t)(k->steps + 1) * sizeof *V);
    for (int j = 0; j < k->steps; j++)
        memcpy(H + (size_t)j * (size_t)(room + 1), k->H + (size_t)j * (size_t)(k->room + 1),
               (size_t)(k->room + 1) * sizeof *H);
    free(k->V);
    free(k->H);
    k->V = V;
    k->H = H;
    k->room = room;
}

// Poles from the small matrix, nearest first; gives how many of the first `count` have converged.
static int look(const Space *k, double shift, int count, Nearest *x) {
    int m = k->steps, good = 0;
    size_t square = (size_t)m * (size_t)m;
    double *H = memory_zeroed(square + 1, sizeof *H);
    Complex *theta = memory_zeroed((size_t)m + 1, sizeof *theta);
    Complex *right = memory_zeroed(square + 1, sizeof *right),
            *left = memory_zeroed(square + 1, sizeof *left);
    bool *taken = memory_zeroed((size_t)m + 1, sizeof *taken);
    for (int j = 0; j < m; j++)
        memcpy(H + (size_t)j * (size_t)m, k->H + (size_t)j * (size_t)(k->room + 1),
               (size_t)m * sizeof *H);
    double last = k->H[(size_t)(m - 1) * (size_t)(k->room + 1) + (size_t)m];
    bool found = dense_eigen(m, H, theta, right, left);
    x->count = 0;
    for (int c = 0; c < count && c < m && found; c++) {
        int best = -1;
        for (int i = 0; i < m; i++)
            if (!taken[i] &&
                (best < 0 || cabs(theta[i]) > cabs(theta[best]) ||
                 (cabs(theta[i]) == cabs(theta[best]) && cimag(theta[i]) < cimag(theta[best]))))
                best = i;
        taken[best] = true;
        x->pole[x->count] = shift + 1 / theta[best];
        x->residual[x->count] =
            last * cabs(right[(size_t)best * (size_t)m + (size_t)(m - 1)]) / cabs(theta[best]);
        good += x->residual[x->count++] <= CONVERGED;
    }
    free(H);
    free(theta);
    free(right);
    free(left);
    free(taken);
    return good;
}

static void search(Space *k, double shift, int count, Nearest *x) {
    int room = 2 * count + 20;
    if (room > k->n) room = k->n;
    grow(k, room);
    first_vector(k);
    for (bool open = true;;) {
        while (open && k->steps < k->room) open = one_step(k);
        if (look(k, shift, count, x) >= x->count || !open || k->room >= k->n) return;
        grow(k, 2 * k->room < k->n ? 2 * k->room : k->n);
    }
}

// A - shift, column by column, with its whole diagonal.
static SparseFactor *shifted(const Tangent *t, int n, double shift, int **start, int **row,
                             bool *regular) {
    int *from, *of, count = 0;
    double *value;
    tangent_sparse(t, &from, &of, &value);
    *start = memory_zeroed((size_t)n + 1, sizeof **start);
    *row = memory_zeroed((size_t)from[n] + (size_t)n + 1, sizeof **row);
    double *entry = memory_zeroed((size_t)from[n] + (size_t)n + 1, sizeof *entry);
    for (int j = 0; j < n; j++) {
        bool diagonal = false;
        for (int k = from[j]; k < from[j + 1]; k++) {
            diagonal = diagonal || of[k] == j;
            entry[count] = value[k] - (of[k] == j ? shift : 0);
            (*row)[count++] = of[k];
        }
        if (!diagonal) entry[count] = -shift, (*row)[count++] = j;
        (*start)[j + 1] = count;
    }
    SparseFactor *lu = sparse_new(n, *start, *row);
    if (lu) memcpy(sparse_entries(lu), entry, (size_t)count * sizeof *entry);
    *regular = lu && sparse_factor(lu);
    free(from);
    free(of);
    free(value);
    free(entry);
    return lu;
}

static bool refuse(const System *s, Report *r) {
    ConstraintRows rows;
    Resolver *resolver = resolver_new(s);
    constraint_rows(s, resolver, &rows);
    bool tied = rows.count > 0;
    constraint_rows_free(&rows);
    resolver_free(resolver);
    if (!tied) return false;
    Remark *m = report_error(r, A_TOO_LARGE, s->model->pos,
                             "constraints tie states: poles nearest to a number are not sought");
    remark_help(r, m, "leave --near out");
    return true;
}

bool poles_nearest(const LinearPlan *plan, const Reached *at, double shift, int count, Nearest *x,
                   Report *r) {
    const System *s = at->system;
    *x = (Nearest){.states = s->state_count};
    if (refuse(s, r)) return false;
    int n = s->state_count, *start = NULL, *row = NULL;
    if (count > n) count = n;
    bool regular = false;
    x->pole = memory_zeroed((size_t)count + 1, sizeof *x->pole);
    x->residual = memory_zeroed((size_t)count + 1, sizeof *x->residual);
    Tangent *t = tangent_new(s, NULL, 0, NULL, 0, r);
    bool good =
        n && t && tangent_start(t, at, plan->origin) && tangent_at(t, at->time, at->state, NULL);
    Space k = {.n = n};
    if (good) k.lu = shifted(t, n, shift, &start, &row, &regular);
    if (good && regular) search(&k, shift, count, x);
    if (good && !regular) {
        Remark *m = report_error(r, A_NO_POINT, s->model->pos,
                                 "%g 1/s is a pole itself: it cannot be divided by", shift);
        remark_help(r, m, "take a number beside it: --near %g", shift + 1e-3 * (1 + fabs(shift)));
    }
    sparse_free(k.lu);
    tangent_free(t);
    free(start);
    free(row);
    free(k.V);
    free(k.H);
    return good && regular;
}

void nearest_free(Nearest *x) {
    free(x->pole);
    free(x->residual);
    *x = (Nearest){0};
}

void nearest_print(Text *out, const Nearest *x, double shift, double time) {
    text_printf(out, "%d of %d poles, nearest to %g 1/s, at t = %g s\n", x->count, x->states, shift,
                time);
    text_add(out, "  real [1/s]           imaginary [1/s]      frequency [Hz]  residual\n");
    for (int i = 0; i < x->count; i++)
        text_printf(out, "  %-20.12g %-20.12g %-15.8g %.1e%s\n", creal(x->pole[i]),
                    cimag(x->pole[i]), cabs(x->pole[i]) / (2 * acos(-1)), x->residual[i],
                    x->residual[i] > CONVERGED ? "  not exact" : "");
}

void nearest_json(Text *out, const Nearest *x) {
    json_open(out, '{');
    json_number_of(out, "states", x->states);
    json_key(out, "poles");
    json_open(out, '[');
    for (int i = 0; i < x->count; i++) {
        json_open(out, '{');
        json_number_of(out, "real", creal(x->pole[i]));
        json_number_of(out, "imaginary", cimag(x->pole[i]));
        json_number_of(out, "residual", x->residual[i]);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_close(out, '}');
}
