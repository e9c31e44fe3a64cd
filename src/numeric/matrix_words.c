// Why a function of matrices has no value, in words, with the mode that is to blame.
#include "numeric/inside.h"

#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

double distance_to_loss(int n, int m, const double *a, const double *b, Complex16 lambda,
                        Complex16 *left, Room room) {
    int wide = n + m, info, lwork = 6 * (wide + n) + 8, one = 1;
    Complex16 *w = (Complex16 *)(void *)room_take(&room, 2 * n, wide);
    Complex16 *u = (Complex16 *)(void *)room_take(&room, 2 * n, n);
    Complex16 *work = (Complex16 *)(void *)room_take(&room, 2 * lwork, 1);
    double *s = room_take(&room, n, 1), *rwork = room_take(&room, 5 * wide, 1);
    // B in proportion to A: only whether it reaches counts
    double size = largest_entry(n * n, a) + cabs(lambda), reach = largest_entry(n * m, b);
    for (int i = 0; i < n * n; i++) w[i] = a[i];
    for (int i = 0; i < n; i++) w[i * n + i] -= lambda;
    for (int i = 0; i < n * m; i++) w[n * n + i] = reach > 0 ? b[i] * (size / reach) : 0;
    zgesvd_("A", "N", &n, &wide, w, &n, s, u, &n, work, &one, work, &lwork, rwork, &info, 1, 1);
    if (info != 0 || n == 0) return INFINITY;
    for (int i = 0; i < n && left; i++) left[i] = u[(n - 1) * n + i];
    return size > 0 ? s[n - 1] / size : 0;
}

// --- modes ---------------------------------------------------------------------------------------

static void say_number(Text *out, Complex16 z) {
    if (fabs(cimag(z)) < 1e-12 * cabs(z) || cimag(z) == 0)
        text_printf(out, "%.5g", creal(z) == 0 ? 0 : creal(z));
    else
        text_printf(out, "%.5g +- %.5gi", creal(z), fabs(cimag(z)));
}

// The rows in which the vector is large.
static void say_rows(Text *out, int n, const Complex16 *v) {
    double most = 0;
    int said = 0;
    for (int i = 0; i < n; i++) most = fmax(most, cabs(v[i]));
    text_add(out, ", of state");
    for (int i = 0; i < n; i++)
        if (cabs(v[i]) > 0.3 * most && said++ < 4)
            text_printf(out, "%s %d", said > 1 ? "," : "", i + 1);
    if (said > 4) text_printf(out, " and %d more", said - 4);
}

typedef struct {
    int n, m;
    const double *a, *b; // by columns
    bool turned;         // A' in place of A
    bool discrete, all;  // all: also modes that are stable by themselves
} Question;

// The mode of A that [A - lambda, B] loses. False: there is none.
static bool say_lost_mode(Text *out, const Question *q) {
    int n = q->n;
    double *memory =
        memory_zeroed(matrix_work_count((MatrixShape){MATRIX_CARE, n, n + q->m, NULL, false}) + 64,
                      sizeof *memory);
    Room room = {memory};
    double *a = room_take(&room, n, n), *copy = room_take(&room, n, n);
    double *re = room_take(&room, n, 1), *im = room_take(&room, n, 1), worst = 1e-9;
    Complex16 *left = (Complex16 *)(void *)room_take(&room, 2 * n, 1), *lost = NULL, lambda = 0;
    if (q->turned)
        transpose_into(n, q->a, a);
    else
        memcpy(a, q->a, (size_t)n * (size_t)n * sizeof *a);
    memcpy(copy, a, (size_t)n * (size_t)n * sizeof *a);
    bool good = eigenvalues(n, copy, re, im, room);
    lost = (Complex16 *)(void *)room_take(&room, 2 * n, 1);
    bool found = false;
    for (int i = 0; i < n && good; i++) {
        Complex16 z = re[i] + I * im[i];
        double inside = q->discrete ? 1 - cabs(z) : -re[i];
        if (im[i] < 0 || (!q->all && inside > 1e-9 * (q->discrete ? 1 : cabs(z)))) continue;
        double gap = distance_to_loss(n, q->m, a, q->b, z, left, room);
        if (gap >= worst) continue;
        worst = gap, found = true, lambda = z;
        memcpy(lost, left, (size_t)n * sizeof *lost);
    }
    if (found) {
        say_number(out, lambda);
        say_rows(out, n, lost);
    }
    free(memory);
    return found;
}

// --- riccati -------------------------------------------------------------------------------------

static void explain_riccati(MatrixShape s, const double *in, Text *what, Text *help) {
    int n = s.n, m = s.m;
    bool discrete = s.function == MATRIX_DARE;
    double *a = memory_zeroed(2 * (size_t)n * (size_t)n + (size_t)n * (size_t)m + 1, sizeof *a);
    double *q = a + n * n, *b = q + n * n;
    from_rows(n, n, in, a);
    from_rows(n, m, in + n * n, b);
    from_rows(n, n, in + n * n + n * m, q);
    Text mode = {0};
    if (say_lost_mode(&mode, &(Question){n, m, a, b, false, discrete, false})) {
        text_printf(what,
                    s.observes ? "(A, C) cannot be observed: no measurement sees the mode %s"
                               : "(A, B) cannot be stabilised: no input reaches the mode %s",
                    text_get(&mode));
        text_printf(help, "add %s, or leave these states out of the design",
                    s.observes ? "a measurement that sees it" : "an input that moves it");
    } else if (say_lost_mode(&mode, &(Question){n, n, a, q, true, discrete, false})) {
        text_printf(what,
                    s.observes ? "(A, G W G') leaves the mode %s without noise, and it does not "
                                 "decay by itself"
                               : "(A, Q) leaves the mode %s without weight, and it does not decay "
                                 "by itself",
                    text_get(&mode));
        text_add(help, s.observes ? "give its states noise that excites them, by G or W"
                                  : "give its states a weight in Q");
    } else {
        text_add(what, "there is no stabilising solution");
        text_printf(help, "Q less S R^-1 S' must not be negative, and no mode may lie on the %s",
                    discrete ? "unit circle" : "imaginary axis");
    }
    text_free(&mode);
    free(a);
}

// --- place ---------------------------------------------------------------------------------------

static void explain_reach(MatrixShape s, const double *in, Text *what, Text *help) {
    int n = s.n, m = s.m;
    double *a = memory_zeroed((size_t)n * (size_t)(n + m) + 1, sizeof *a), *b = a + n * n;
    from_rows(n, n, in, a);
    from_rows(n, m, in + n * n, b);
    Text mode = {0};
    if (say_lost_mode(&mode, &(Question){n, m, a, b, false, false, true}))
        text_printf(what, "(A, B) is not controllable: no input reaches the mode %s",
                    text_get(&mode));
    else
        text_add(what, "(A, B) is so near to uncontrollable that poles cannot be placed");
    text_add(help, "leave out the states of this mode, add an input, or use lqr");
    text_free(&mode);
    free(a);
}

// --- all -----------------------------------------------------------------------------------------

static void say_fault(MatrixShape s, MatrixFault fault, Text *what, Text *help) {
    switch (fault) {
    case MATRIX_SINGULAR:
        text_add(what, "the matrix is singular");
        text_add(help, "its rows depend on each other");
        break;
    case MATRIX_NOT_UNIQUE:
        text_printf(what, s.function == MATRIX_DLYAP  ? "two eigenvalues of A have the product 1"
                          : s.function == MATRIX_LYAP ? "two eigenvalues of A add up to 0"
                                                      : "A and -B have an eigenvalue in common");
        text_add(help, "there is one solution where A is stable");
        break;
    case MATRIX_Q_NOT_SYMMETRIC:
    case MATRIX_R_NOT_SYMMETRIC:
        text_printf(what, "%s is not symmetric", fault == MATRIX_Q_NOT_SYMMETRIC ? "Q" : "R");
        text_add(help, "a weight W counts as (W + W')/2: write that");
        break;
    case MATRIX_R_NOT_POSITIVE:
        text_add(what, "R is not positive definite");
        text_add(help, "every input needs a weight greater than 0");
        break;
    case MATRIX_POLE_ALONE:
        text_add(what, "a complex pole stands without its conjugate");
        text_add(help, "give pairs: a row (re, im) and a row (re, -im)");
        break;
    case MATRIX_POLE_REPEATED:
        text_printf(what, "a pole is wanted more often than there are inputs (%d)", s.m);
        text_add(help, "move repeated poles a little apart, or use lqr");
        break;
    case MATRIX_INACCURATE:
        text_add(what, "the poles cannot be placed with any accuracy");
        text_add(help, "fewer states, poles less far from those of A, or lqr");
        break;
    default:
        text_add(what, "a value that is no finite number");
        text_add(help, "look at the matrices that are given");
    }
}

void matrix_explain(MatrixShape s, const double *in, Text *what, Text *help) {
    double *out = memory_zeroed((size_t)matrix_output_count(s) + 1, sizeof *out);
    double *work = memory_zeroed(matrix_work_count(s), sizeof *work);
    MatrixFault fault = matrix_compute(s, in, out, work);
    bool numbers = all_finite(matrix_input_count(s), in);
    free(work);
    free(out);
    if (s.function == MATRIX_EXTERNAL && numbers)
        s.external->explain(s.external, in, what, help);
    else if (fault == MATRIX_NOT_STABILISING)
        explain_riccati(s, in, what, help);
    else if (fault == MATRIX_OUT_OF_REACH)
        explain_reach(s, in, what, help);
    else
        say_fault(s, fault, what, help);
}
