#include "../test.h"

#include "numeric/matrix_function.h"
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Functions of matrices against closed forms, and against their equations for random matrices of up
// to 30 rows, with roots that repeat or nearly do. Argument: number of seeds.

static int seeds = 40;

// --- help ----------------------------------------------------------------------------------------

typedef struct {
    uint64_t state;
} Random;

static double random_number(Random *r) { // -1 .. 1
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int32_t)(r->state >> 32) / 2147483648.0;
}

static int random_below(Random *r, int n) {
    int i = (int)((random_number(r) + 1) / 2 * n);
    return i < n ? i : n - 1;
}

static MatrixFault call(MatrixFunction f, int n, int m, const double *in, double *out) {
    MatrixShape s = {f, n, m, NULL, false};
    double *work = calloc(matrix_work_count(s), sizeof *work);
    MatrixFault fault = matrix_compute(s, in, out, work);
    free(work);
    return fault;
}

// c = a b, all row by row
static void times(int rows, int inner, int cols, const double *a, const double *b, double *c) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            long double sum = 0;
            for (int k = 0; k < inner; k++) sum += (long double)a[i * inner + k] * b[k * cols + j];
            c[i * cols + j] = (double)sum;
        }
}

static void turned(int rows, int cols, const double *a, double *out) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) out[j * rows + i] = a[i * cols + j];
}

static double most(int count, const double *a) {
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(a[i]));
    return largest;
}

enum { MOST = 30, SQUARE = MOST * MOST };

// --- closed forms --------------------------------------------------------------------------------

static void closed_forms(void **state) {
    (void)state;
    double x[16];
    // x' = a x + b u: X = (a r + sqrt(a^2 r^2 + b^2 q r))/b^2
    const double one[] = {3, 2, 5, 0.7, 0};
    assert_int_equal(call(MATRIX_CARE, 1, 1, one, x), MATRIX_GOOD);
    assert_near(x[0], (3 * 0.7 + sqrt(9 * 0.49 + 4 * 5 * 0.7)) / 4, 1e-14);
    // the double integrator with Q = diag(1, 0), R = 1: X = [sqrt 2, 1; 1, sqrt 2]
    const double two[] = {0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0};
    assert_int_equal(call(MATRIX_CARE, 2, 1, two, x), MATRIX_GOOD);
    const double expected[] = {sqrt(2), 1, 1, sqrt(2)};
    for (int i = 0; i < 4; i++) assert_near(x[i], expected[i], 1e-14);
    // x = a x + u: X is the golden ratio for a = q = r = 1
    const double golden[] = {1, 1, 1, 1, 0};
    assert_int_equal(call(MATRIX_DARE, 1, 1, golden, x), MATRIX_GOOD);
    assert_near(x[0], (1 + sqrt(5)) / 2, 1e-14);
    // a turn by t: exp([0 -t; t 0]), also of many turns
    for (double t = 0.3; t < 400; t *= 7) {
        const double turn[] = {0, -t, t, 0};
        assert_int_equal(call(MATRIX_EXPM, 2, 0, turn, x), MATRIX_GOOD);
        assert_near(x[0], cos(t), 1e-15 * (3 + 4 * t));
        assert_near(x[2], sin(t), 1e-15 * (3 + 4 * t));
    }
    const double jordan[] = {-2, 1, 0, 0, -2, 1, 0, 0, -2};
    assert_int_equal(call(MATRIX_EXPM, 3, 0, jordan, x), MATRIX_GOOD);
    assert_near(x[1], exp(-2), 1e-15);
    assert_near(x[2], exp(-2) / 2, 1e-15);
    const double decay[] = {-3, 6};
    assert_int_equal(call(MATRIX_LYAP, 1, 0, decay, x), MATRIX_GOOD);
    assert_near(x[0], 1, 1e-15);
}

// The missile of McBride's chapter 6 at alpha = 0, weights 2 and 1: stable roots that nearly
// repeat.
static void nearly_repeated(void **state) {
    (void)state;
    const double za = -2.784355707401, ma = -637.4426360445, zd = -0.650903197030,
                 md = -556.5222334609, v = 3000, w = 2, r = 1, h = -za * v, l = -zd * v;
    const double in[] = {za, 1, ma, 0, zd, md, w * h * h, 0, 0, 0, r + w * l * l, w * h * l, 0};
    double x[4];
    assert_int_equal(call(MATRIX_CARE, 2, 1, in, x), MATRIX_GOOD);
    assert_near(x[0] / 3258158.93647, 1, 2e-9);
    assert_near(x[1] / 78037.0710694, 1, 2e-9);
    assert_near(x[3] / 1869.0877239, 1, 2e-9);
}

// --- random matrices -----------------------------------------------------------------------------

// Entries of one size; or a similarity of a matrix with repeated roots; states in mixed units.
static void random_system(Random *r, int n, double *a, int *kind) {
    *kind = random_below(r, 4);
    if (n > 6 && *kind % 3) *kind = 0; // few inputs do not reach the end of a long chain
    double shift = random_number(r);
    for (int i = 0; i < n * n; i++) a[i] = random_number(r);
    if (*kind == 1 || *kind == 2)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) // triangular, its diagonal repeats (nearly)
                a[i * n + j] = j < i    ? 0
                               : j == i ? shift + (*kind == 2 ? 1e-9 * i : 0)
                                        : a[i * n + j];
    if (*kind == 3)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) a[i * n + j] *= pow(10, i % 4 - j % 4);
}

// A positive matrix, in the units of the states.
static void random_weight(Random *r, int n, double least, int kind, double *q) {
    static double f[SQUARE], ft[SQUARE];
    for (int i = 0; i < n * n; i++) f[i] = random_number(r);
    turned(n, n, f, ft);
    times(n, n, n, f, ft, q);
    for (int i = 0; i < n; i++) q[i * n + i] += least;
    for (int i = 0; i < n * n && kind == 3; i++) q[i] *= pow(10, -(i / n) % 4 - (i % n) % 4);
}

static void lyapunov_equations(void **state) {
    (void)state;
    static double in[2 * SQUARE], x[SQUARE], ax[SQUARE], at[SQUARE], xa[SQUARE];
    for (int seed = 1; seed <= seeds; seed++) {
        Random r = {(uint64_t)seed};
        int n = 1 + random_below(&r, MOST), kind;
        random_system(&r, n, in, &kind);
        for (int i = 0; i < n * n; i++) in[n * n + i] = random_number(&r);
        for (int i = 0; i < n; i++) in[i * n + i] -= n; // away from pairs that add up to 0
        assert_int_equal(call(MATRIX_LYAP, n, 0, in, x), MATRIX_GOOD);
        turned(n, n, in, at);
        times(n, n, n, in, x, ax);
        times(n, n, n, x, at, xa);
        double size = most(n * n, in) * most(n * n, x) * n, worst = 0;
        for (int i = 0; i < n * n; i++) worst = fmax(worst, fabs(ax[i] + xa[i] + in[n * n + i]));
        assert_true(worst <= 1e-14 * size);
        for (int i = 0; i < n * n; i++) in[i] *= 0.9 / n / (kind == 3 ? 1000 : 1);
        assert_int_equal(call(MATRIX_DLYAP, n, 0, in, x), MATRIX_GOOD);
        turned(n, n, in, at);
        times(n, n, n, in, x, ax);
        times(n, n, n, ax, at, xa);
        worst = 0;
        for (int i = 0; i < n * n; i++) worst = fmax(worst, fabs(xa[i] - x[i] + in[n * n + i]));
        assert_true(worst <= 1e-13 * (most(n * n, x) + 1));
    }
}

// What is left of the Riccati equation, against the sizes of its terms; S = 0.
static double riccati_residual(bool discrete, int n, int m, const double *in, const double *x) {
    static double xb[SQUARE], bt[SQUARE], g[SQUARE], rk[SQUARE], at[SQUARE], ax[SQUARE], xa[SQUARE];
    static double bx[SQUARE], k[SQUARE], xbk[SQUARE], solve[2 * SQUARE];
    const double *a = in, *b = a + n * n, *q = b + n * m, *rr = q + n * n;
    turned(n, m, b, bt);
    turned(n, n, a, at);
    times(m, n, n, bt, x, bx);
    times(n, n, m, x, b, xb);
    times(n, n, n, at, x, ax);
    times(n, n, n, x, a, xa);
    memcpy(solve, rr, (size_t)(m * m) * sizeof *solve);
    if (discrete) {
        times(m, n, m, bx, b, g);
        for (int i = 0; i < m * m; i++) solve[i] += g[i];
        times(m, n, n, bx, a, rk);
        times(n, n, n, ax, a, xa);
        times(n, n, m, ax, b, xb);
        for (int i = 0; i < n * n; i++) ax[i] = -x[i];
    } else {
        memcpy(rk, bx, (size_t)(m * n) * sizeof *rk);
    }
    memcpy(solve + m * m, rk, (size_t)(m * n) * sizeof *rk);
    assert_int_equal(call(MATRIX_SOLVE, m, n, solve, k), MATRIX_GOOD);
    times(n, m, n, xb, k, xbk);
    double worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int at_ij = i * n + j;
            double left = ax[at_ij] + xa[at_ij] - xbk[at_ij] + q[at_ij];
            double size = sqrt(fabs(xbk[i * n + i] * xbk[j * n + j])) +
                          sqrt(fabs(q[i * n + i] * q[j * n + j])) +
                          sqrt(fabs(x[i * n + i] * x[j * n + j])) * n;
            worst = fmax(worst, fabs(left) / size);
        }
    return worst;
}

static void riccati_equations(void **state) {
    (void)state;
    static double in[4 * SQUARE], x[SQUARE];
    double worst = 0;
    for (int seed = 1; seed <= seeds; seed++) {
        Random r = {(uint64_t)seed + 1000};
        int n = 1 + random_below(&r, MOST), m = 1 + random_below(&r, n < 6 ? n : 6), kind;
        random_system(&r, n, in, &kind);
        if (m < n / 4) m = n / 4;
        if (kind % 3 && m < (n + 1) / 2)
            m = (n + 1) / 2; // few inputs hardly reach many unstable modes
        double *b = in + n * n, *q = b + n * m, *rr = q + n * n;
        for (int i = 0; i < n * m; i++)
            b[i] = random_number(&r) * (kind == 3 ? pow(10, (i / m) % 4) : 1);
        random_weight(&r, n, 0.01, kind, q);
        random_weight(&r, m, 0.1, 0, rr);
        memset(rr + m * m, 0, (size_t)(n * m) * sizeof *rr);
        for (int discrete = 0; discrete < 2; discrete++) {
            MatrixFault f = call(discrete ? MATRIX_DARE : MATRIX_CARE, n, m, in, x);
            if (f != MATRIX_GOOD)
                fail_msg("seed %d, n %d, m %d, kind %d: fault %d", seed, n, m, kind, f);
            double left = riccati_residual(discrete, n, m, in, x);
            worst = fmax(worst, left);
            if (!(left < 1e-10 * (10 + most(n * n, x)))) // a large X: hard to reach
                fail_msg("seed %d, n %d, m %d, kind %d: %g is left", seed, n, m, kind, left);
        }
    }
    print_message("Riccati: at most %.1e of the terms is left\n", worst);
}

// exp(A) exp(-A) = 1, exp(2 A) = exp(A)^2.
static void exponentials(void **state) {
    (void)state;
    static double a[SQUARE], x[SQUARE], back[SQUARE], one[SQUARE];
    for (int seed = 1; seed <= seeds; seed++) {
        Random r = {(uint64_t)seed + 2000};
        int n = 1 + random_below(&r, MOST);
        double size = pow(10, 2 * random_number(&r) - 1) / sqrt(n);
        for (int i = 0; i < n * n; i++) a[i] = size * random_number(&r);
        assert_int_equal(call(MATRIX_EXPM, n, 0, a, x), MATRIX_GOOD);
        for (int i = 0; i < n * n; i++) a[i] = -a[i];
        assert_int_equal(call(MATRIX_EXPM, n, 0, a, back), MATRIX_GOOD);
        times(n, n, n, x, back, one);
        double scale = most(n * n, x) * most(n * n, back) * n;
        for (int i = 0; i < n * n; i++) assert_near(one[i], i / n == i % n, 1e-14 * (1 + scale));
    }
}

// --- poles ---------------------------------------------------------------------------------------

// The characteristic polynomial at z of A - B K, against that of the wanted poles: |det(z - A + B
// K)| by elimination.
static double determinant(int n, double _Complex *w) {
    double size = 1;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++)
            if (cabs(w[i * n + k]) > cabs(w[best * n + k])) best = i;
        for (int j = 0; j < n; j++) {
            double _Complex t = w[k * n + j];
            w[k * n + j] = w[best * n + j];
            w[best * n + j] = t;
        }
        size *= cabs(w[k * n + k]);
        for (int i = k + 1; i < n; i++) {
            double _Complex f = w[i * n + k] / w[k * n + k];
            for (int j = k; j < n; j++) w[i * n + j] -= f * w[k * n + j];
        }
    }
    return size;
}

static void placed_poles(void **state) {
    (void)state;
    static double in[3 * SQUARE], k[SQUARE], bk[SQUARE];
    static double _Complex w[SQUARE];
    for (int seed = 1; seed <= seeds; seed++) {
        Random r = {(uint64_t)seed + 3000};
        int n = 1 + random_below(&r, 6), m = 1 + random_below(&r, n), kind;
        double *b = in + n * n, *p = b + n * m;
        random_system(&r, n, in, &kind);
        if (kind == 1 || kind == 2) // repeated roots of A need not be controllable by few inputs
            for (int i = 0; i < n; i++) in[i * n + i] += 0.5 * i;
        for (int i = 0; i < n * m; i++) b[i] = random_number(&r);
        for (int i = 0; i < n; i++) p[2 * i] = -1 - 0.7 * i, p[2 * i + 1] = 0;
        if (n > 1) p[0] = p[2] = -1.5, p[1] = 2, p[3] = -2;
        if (m > 1 && n > 3) p[6] = p[4]; // repeated as often as there are inputs
        MatrixFault f = call(MATRIX_PLACE, n, m, in, k);
        if (f != MATRIX_GOOD)
            fail_msg("seed %d, n %d, m %d, kind %d: fault %d", seed, n, m, kind, f);
        times(n, m, n, b, k, bk);
        for (int at = 0; at < 3; at++) {
            double _Complex z = 1.0 + at + 1.5 * at * _Complex_I;
            double wanted = 1;
            for (int i = 0; i < n; i++) wanted *= cabs(z - p[2 * i] - p[2 * i + 1] * _Complex_I);
            for (int i = 0; i < n * n; i++) w[i] = bk[i] - in[i] + (i / n == i % n ? z : 0);
            assert_near(determinant(n, w) / wanted, 1, 1e-6);
        }
    }
}

// --- faults --------------------------------------------------------------------------------------

static void says(MatrixFunction f, int n, int m, const double *in, const char *words) {
    Text what = {0}, help = {0};
    matrix_explain((MatrixShape){f, n, m, NULL, false}, in, &what, &help);
    if (!strstr(text_get(&what), words)) fail_msg("'%s' has no '%s'", text_get(&what), words);
    assert_true(help.length > 0);
    text_free(&what);
    text_free(&help);
}

static void faults(void **state) {
    (void)state;
    // an unstable second state that the input does not reach
    const double lost[] = {-1, 1, 0, 2, 1, 0, 1, 0, 0, 1, 1, 0, 0};
    says(MATRIX_CARE, 2, 1, lost, "no input reaches the mode 2, of state 2");
    says(MATRIX_DARE, 2, 1, lost, "no input reaches the mode 2, of state 2");
    // an oscillator without weight
    const double free_mode[] = {0, 3, -3, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0};
    says(MATRIX_CARE, 2, 1, free_mode, "leaves the mode 0 +- 3i");
    const double crooked[] = {0, 1, 0, 0, 0, 1, 1, 2, 0, 1, 1, 0, 0};
    says(MATRIX_CARE, 2, 1, crooked, "Q is not symmetric");
    const double negative[] = {0, 1, 0, 0, 0, 1, 1, 0, 0, 1, -1, 0, 0};
    says(MATRIX_CARE, 2, 1, negative, "R is not positive");
    const double zero[] = {0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0};
    says(MATRIX_CARE, 2, 1, zero, "R is not positive");
    const double repeated[] = {0, 1, 0, 0, 0, 1, -1, 0, -1, 0};
    says(MATRIX_PLACE, 2, 1, repeated, "more often than there are inputs (1)");
    const double alone[] = {0, 1, 0, 0, 0, 1, -1, 2, -1, 0};
    says(MATRIX_PLACE, 2, 1, alone, "without its conjugate");
    const double beyond[] = {-1, 0, 0, -2, 1, 0, -3, 0, -4, 0};
    says(MATRIX_PLACE, 2, 1, beyond, "no input reaches the mode -2, of state 2");
    const double pair[] = {1, 0, 0, -1, 1, 0, 0, 1};
    says(MATRIX_LYAP, 2, 0, pair, "add up to 0");
    const double circle[] = {1, 1};
    says(MATRIX_DLYAP, 1, 0, circle, "have the product 1");
    const double flat[] = {1, 2, 2, 4, 1, 0};
    says(MATRIX_SOLVE, 2, 1, flat, "singular");
    const double no_number[] = {NAN, 1};
    says(MATRIX_LYAP, 1, 0, no_number, "no finite number");
}

int main(int argc, char **argv) {
    if (argc > 1) seeds = atoi(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(nearly_repeated),
        cmocka_unit_test(lyapunov_equations),
        cmocka_unit_test(riccati_equations),
        cmocka_unit_test(exponentials),
        cmocka_unit_test(placed_poles),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
