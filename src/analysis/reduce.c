// Balanced truncation by square roots. With the Gramians of what inputs reach and of what outputs see,
//
//     A P + P A' + B B' = 0,   A' Q + Q A + C' C = 0,   P = L L',  Q = M M',   M' L = U S V'
//
// the states T^-1 x with T = L V S^-1/2, T^-1 = S^-1/2 U' M' are reached and seen alike, by the Hankel singular values S. Those with
// the smallest are left out; the error of the answer is at most twice their sum at every frequency (Glover, Enns).
#include "analysis/reduce.h"

#include "analysis/response.h"
#include "analysis/time_response.h"
#include "base/json.h"
#include "base/memory.h"
#include "numeric/matrix_function.h"
#include <math.h>
#include <string.h>

// Column by column; X: A X + X A' + Q = 0.
static bool lyapunov(int n, const double *A, bool transposed, const double *Q, double *X) {
    size_t square = (size_t)n * (size_t)n;
    MatrixShape shape = {.function = MATRIX_LYAP, .n = n};
    double *in = memory_zeroed(2 * square, sizeof *in);
    double *work = memory_zeroed(matrix_work_count(shape), sizeof *work);
    for (int i = 0; i < n; i++) // row by row: of a matrix by columns that is its transpose
        for (int j = 0; j < n; j++)
            in[(size_t)i * (size_t)n + (size_t)j] = transposed
                                                        ? A[(size_t)i * (size_t)n + (size_t)j]
                                                        : A[(size_t)j * (size_t)n + (size_t)i];
    memcpy(in + square, Q, square * sizeof *Q);
    bool good = matrix_compute(shape, in, X, work) == MATRIX_GOOD;
    free(in);
    free(work);
    return good;
}

// L with P = L L', by the singular values of a symmetric P.
static bool root_of(int n, const double *P, double *L) {
    size_t square = (size_t)n * (size_t)n;
    double *U = memory_zeroed(square, sizeof *U), *V = memory_zeroed(square, sizeof *V);
    double *s = memory_zeroed((size_t)n, sizeof *s);
    bool good = dense_singular(n, n, P, s, U, V);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            L[(size_t)k * (size_t)n + (size_t)i] =
                U[(size_t)k * (size_t)n + (size_t)i] * sqrt(s[k]);
    free(U);
    free(V);
    free(s);
    return good;
}

static void outer(int n, int m, const double *B, bool rows, double *Q) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < m; k++)
                sum += rows ? B[i * m + k] * B[j * m + k] : B[k * n + i] * B[k * n + j];
            Q[j * n + i] = sum;
        }
}

static bool decays(const LinearModel *l, Report *r) {
    Poles *m = poles_of(l, r);
    int bad = -1;
    for (int k = 0; m && k < m->count && bad < 0; k++)
        if (!(creal(m->mode[k].value) < 0)) bad = k;
    if (m && bad >= 0) {
        int state = 0;
        for (int i = 1; i < l->n; i++)
            if (m->mode[bad].state[i] > m->mode[bad].state[state]) state = i;
        Remark *x = report_error(r, A_UNSTABLE_LOOP, l->model->pos,
                                 "a model with a mode that does not decay is not reduced: %.6g "
                                 "%+.6gi, above all in '%s'",
                                 creal(m->mode[bad].value), cimag(m->mode[bad].value),
                                 l->state[state].name);
        remark_help(
            r, x,
            "take positions that nothing depends on out of the outputs, or close the loop first");
    }
    bool good = m && bad < 0;
    poles_free(m);
    return good;
}

typedef struct {
    double *P, *Q, *L, *M, *H, *U, *V;
} Room;

static void transform(const LinearModel *l, const Room *w, const double *s, Reduced *x) {
    int n = l->n, k = x->order;
    double *T = memory_zeroed((size_t)n * (size_t)k + 1, sizeof *T);
    double *W = memory_zeroed((size_t)n * (size_t)k + 1, sizeof *W); // transposed inverse
    double *AT = memory_zeroed((size_t)n * (size_t)k + 1, sizeof *AT);
    for (int c = 0; c < k; c++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                T[c * n + i] += w->L[j * n + i] * w->V[c * n + j] / sqrt(s[c]);
                W[c * n + i] += w->M[j * n + i] * w->U[c * n + j] / sqrt(s[c]);
            }
    dense_multiply(n, n, k, l->A, T, AT);
    for (int c = 0; c < k; c++)
        for (int i = 0; i < k; i++)
            for (int j = 0; j < n; j++) x->A[c * k + i] += W[i * n + j] * AT[c * n + j];
    for (int c = 0; c < l->m; c++)
        for (int i = 0; i < k; i++)
            for (int j = 0; j < n; j++) x->B[c * k + i] += W[i * n + j] * l->Bz[c * n + j];
    dense_multiply(l->p, n, k, l->C, T, x->C);
    memcpy(x->D, l->Dz, (size_t)l->p * (size_t)l->m * sizeof *x->D);
    free(T);
    free(W);
    free(AT);
}

static int choose_order(const double *s, int n, int order) {
    double rest = 0;
    int k = n;
    while (k > 0 && s[k - 1] <= 1e-13 * s[0]) k--; // nothing reaches or sees these
    if (order > 0) return order < k ? order : k;
    while (k > 1 && 2 * (rest + s[k - 1]) <= 0.01 * s[0]) rest += s[--k];
    return k;
}

static bool balance(const LinearModel *l, int order, Room *w, Reduced *x) {
    int n = l->n;
    size_t square = (size_t)n * (size_t)n;
    outer(n, l->m, l->Bz, false, w->H);
    if (!lyapunov(n, l->A, false, w->H, w->P)) return false;
    outer(n, l->p, l->C, true, w->H);
    if (!lyapunov(n, l->A, true, w->H, w->Q)) return false;
    if (!root_of(n, w->P, w->L) || !root_of(n, w->Q, w->M)) return false;
    memset(w->H, 0, square * sizeof *w->H);
    for (int c = 0; c < n; c++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) w->H[c * n + i] += w->M[i * n + j] * w->L[c * n + j];
    if (!dense_singular(n, n, w->H, x->hankel, w->U, w->V)) return false;
    x->order = choose_order(x->hankel, n, order);
    for (int k = x->order; k < n; k++) x->bound += 2 * x->hankel[k];
    size_t k = (size_t)x->order;
    x->A = memory_zeroed(k * k + 1, sizeof(double));
    x->B = memory_zeroed(k * (size_t)l->m + 1, sizeof(double));
    x->C = memory_zeroed(k * (size_t)l->p + 1, sizeof(double));
    x->D = memory_zeroed((size_t)l->p * (size_t)l->m + 1, sizeof(double));
    transform(l, w, x->hankel, x);
    return true;
}

bool reduce_balanced(const LinearModel *l, int order, Reduced *x, Report *r) {
    *x = (Reduced){.n = l->n, .m = l->m, .p = l->p};
    if (l->n == 0) {
        Remark *m = report_error(r, A_NO_POINT, l->model->pos, "there is no state to leave out");
        remark_help(r, m, "outputs follow at once from inputs: 'bondyn linearize' shows D");
        return false;
    }
    if (!decays(l, r)) return false;
    size_t square = (size_t)l->n * (size_t)l->n + 1;
    Room w;
    double **part[] = {&w.P, &w.Q, &w.L, &w.M, &w.H, &w.U, &w.V};
    for (size_t i = 0; i < 7; i++) *part[i] = memory_zeroed(square, sizeof(double));
    x->hankel = memory_zeroed((size_t)l->n + 1, sizeof(double));
    bool good = balance(l, order, &w, x);
    for (size_t i = 0; i < 7; i++) free(*part[i]);
    if (good) return true;
    Remark *m = report_error(r, A_NO_POINT, l->model->pos,
                             "the Gramians of the linear model are not found");
    remark_help(r, m,
                "modes that hardly decay, or states of very different sizes, make them inexact");
    return false;
}

bool reduce_model(const LinearModel *l, int order, Reduced *x, Report *r) {
    bool good = true;
    *x = (Reduced){0};
    for (int j = 0; j < l->m && good; j++) good = time_response_exists(l, j, false, r);
    return good && reduce_balanced(l, order < l->n ? order : l->n, x, r);
}

void reduced_free(Reduced *x) {
    free(x->hankel);
    free(x->A);
    free(x->B);
    free(x->C);
    free(x->D);
    *x = (Reduced){0};
}

static void print_matrix(Text *out, const char *name, const double *a, int rows, int cols) {
    text_printf(out, "%s\n", name);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) text_printf(out, " %16.10g", a[j * rows + i]);
        text_char(out, '\n');
    }
}

void reduced_print(Text *out, const LinearModel *l, const Reduced *x) {
    text_printf(out, "reduced from %d to %d states, at t = %g s\nHankel singular values\n", x->n,
                x->order, l->time);
    for (int i = 0; i < x->n; i++)
        text_printf(out, "  %3d %16.10g%s\n", i + 1, x->hankel[i],
                    i < x->order ? "" : "  left out");
    text_printf(out, "the gain of the error is at most %.10g at every frequency\n", x->bound);
    print_matrix(out, "A", x->A, x->order, x->order);
    print_matrix(out, "B", x->B, x->order, x->m);
    print_matrix(out, "C", x->C, x->p, x->order);
    print_matrix(out, "D", x->D, x->p, x->m);
}

static void json_matrix(Text *out, const char *key, const double *a, int rows, int cols) {
    json_key(out, key);
    json_open(out, '[');
    for (int i = 0; i < rows; i++) {
        json_open(out, '[');
        for (int j = 0; j < cols; j++) json_number(out, a[j * rows + i]);
        json_close(out, ']');
    }
    json_close(out, ']');
}

void reduced_json(Text *out, const LinearModel *l, const Reduced *x) {
    json_number_of(out, "time", l->time);
    json_number_of(out, "states", x->n);
    json_number_of(out, "order", x->order);
    json_number_of(out, "bound", x->bound);
    json_matrix(out, "hankel", x->hankel, 1, x->n);
    json_matrix(out, "A", x->A, x->order, x->order);
    json_matrix(out, "B", x->B, x->order, x->m);
    json_matrix(out, "C", x->C, x->p, x->order);
    json_matrix(out, "D", x->D, x->p, x->m);
}

static void csv_matrix(Text *out, const char *name, const double *a, int rows, int cols) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            text_printf(out, "%s,%d,%d,%.17g\n", name, i + 1, j + 1, a[j * rows + i]);
}

void reduced_csv(Text *out, const Reduced *x) {
    text_printf(out, "matrix,row,column,value\n");
    csv_matrix(out, "hankel", x->hankel, x->n, 1);
    csv_matrix(out, "bound", &x->bound, 1, 1);
    csv_matrix(out, "A", x->A, x->order, x->order);
    csv_matrix(out, "B", x->B, x->order, x->m);
    csv_matrix(out, "C", x->C, x->p, x->order);
    csv_matrix(out, "D", x->D, x->p, x->m);
}

void reduced_svg(Text *out, const LinearModel *l, const Reduced *x) {
    enum { POINTS = 400 };
    LinearModel small = *l;
    small.n = x->order;
    small.A = x->A;
    small.B = small.Bz = x->B;
    small.C = x->C;
    small.D = small.Dz = x->D;
    small.B1 = NULL;
    Text name = {0};
    text_printf(&name, "%d of %d states", x->order, x->n);
    int count = 0;
    ChannelResponse *c = memory_zeroed(2 * (size_t)l->m * (size_t)l->p + 1, sizeof *c);
    for (int i = 0; i < l->p; i++)
        for (int j = 0; j < l->m; j++) {
            ChannelResponse *whole = &c[count++], *part = &c[count++];
            *whole = channel_response(l, j, i, 0, 0, POINTS, NULL, 0);
            double from = whole->w[0], to = whole->w[whole->count - 1];
            *part = channel_response(&small, j, i, from, to, POINTS, NULL, 0);
            part->of = text_get(&name);
        }
    response_svg(out, l, c, count, PICTURE_BODE, NULL);
    for (int i = 0; i < count; i++) channel_response_free(&c[i]);
    free(c);
    text_free(&name);
}
