// Large sparse blocks: the same answers as elimination by hand, at every point, with derivatives.
#include "fixture.h"

#include "engine/sparse.h"
#include <math.h>

enum { N = 120 };

typedef struct {
    Expr x, u[N];
} Chain;

// A chain (2 + x) u_i - u_(i-1) - u_(i+1) + nonlinear*u_i^3 = 1 with one state.
static Chain chain_block(Fixture *f, bool linear) {
    Dag *d = f->dag;
    Chain c = {.x = fixture_state(f, "x", 1)};
    Expr residual[N], one = fixture_number(f, 1), two = fixture_number(f, 2);
    for (int i = 0; i < N; i++) {
        char name[16];
        snprintf(name, sizeof name, "u%03d", i);
        c.u[i] = fixture_symbol(f, name);
    }
    for (int i = 0; i < N; i++) {
        Expr r = expr_sub(d, expr_mul(d, expr_add(d, two, c.x), c.u[i]), one);
        if (i > 0) r = expr_sub(d, r, c.u[i - 1]);
        if (i + 1 < N) r = expr_sub(d, r, c.u[i + 1]);
        if (!linear) r = expr_add(d, r, expr_pow(d, c.u[i], fixture_number(f, 3)));
        residual[i] = r;
    }
    fixture_block(f, N, c.u, residual, linear);
    f->rate[0] = expr_add(d, c.u[0], expr_mul(d, c.u[N / 2], c.x));
    return c;
}

// Newton with Thomas' algorithm; u begins at 0.
static void chain_by_hand(double x, bool linear, double *u) {
    double a[N], r[N];
    for (int i = 0; i < N; i++) u[i] = 0;
    for (int step = 0; step < 60; step++) {
        for (int i = 0; i < N; i++) {
            r[i] = (2 + x) * u[i] - 1 - (i > 0 ? u[i - 1] : 0) - (i + 1 < N ? u[i + 1] : 0);
            if (!linear) r[i] += u[i] * u[i] * u[i];
            a[i] = 2 + x + (linear ? 0 : 3 * u[i] * u[i]);
        }
        for (int i = 1; i < N; i++) {
            a[i] -= 1 / a[i - 1];
            r[i] += r[i - 1] / a[i - 1];
        }
        r[N - 1] /= a[N - 1];
        for (int i = N - 2; i >= 0; i--) r[i] = (r[i] + r[i + 1]) / a[i];
        for (int i = 0; i < N; i++) u[i] -= r[i];
    }
}

static double rate_by_hand(double x, bool linear) {
    double u[N];
    chain_by_hand(x, linear, u);
    return u[0] + u[N / 2] * x;
}

static void chain_agrees(bool linear) {
    Fixture *f = fixture_new();
    chain_block(f, linear);
    Program *p = fixture_program(f);
    Machine *m = machine_new(p);
    assert_true(p->has_jacobian);
    assert_false(p->block[0].constant);
    for (double at = 0.125; at < 4; at *= 1.5) {
        double rate, slope, h = 1e-3;
        assert_true(machine_derivative(m, 0, &at, &rate, NULL));
        assert_near(rate, rate_by_hand(at, linear), 1e-12 * fabs(rate)); // rounding of n steps
        assert_true(machine_jacobian(m, 0, &at, &slope));
        // differences of fourth order: error about h^4 times a fifth derivative of order 100
        double d = (8 * (rate_by_hand(at + h, linear) - rate_by_hand(at - h, linear)) -
                    (rate_by_hand(at + 2 * h, linear) - rate_by_hand(at - 2 * h, linear))) /
                   (12 * h);
        assert_near(slope, d, 1e-6 * fabs(d) + 1e-8);
    }
    machine_free(m);
    program_free(p);
    fixture_free(f);
}

static void linear_chains_agree(void **state) {
    (void)state;
    chain_agrees(true);
}

static void nonlinear_chains_agree(void **state) {
    (void)state;
    chain_agrees(false);
}

static void constant_matrices_follow_parameters(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "x", 1), k = fixture_param(f, "k", fixture_number(f, 3));
    Expr u[N], residual[N];
    for (int i = 0; i < N; i++) {
        char name[16];
        snprintf(name, sizeof name, "u%03d", i);
        u[i] = fixture_symbol(f, name);
    }
    for (int i = 0; i < N; i++) { // k u_i = x + u_(i-1)
        residual[i] = expr_sub(d, expr_mul(d, k, u[i]), x);
        if (i > 0) residual[i] = expr_sub(d, residual[i], u[i - 1]);
    }
    fixture_block(f, N, u, residual, true);
    f->rate[0] = u[N - 1];
    Program *p = fixture_program(f);
    assert_true(p->block[0].constant);
    Machine *m = machine_new(p);
    for (double value = 3; value < 6; value++) {
        double at = 2, rate, want = 0;
        machine_set_params(m, &value);
        for (int i = 0; i < N; i++) want = (at + want) / value;
        for (int again = 0; again < 2; again++) {
            assert_true(machine_derivative(m, 0, &at, &rate, NULL));
            assert_near(rate, want, 1e-14);
        }
    }
    machine_free(m);
    program_free(p);
    fixture_free(f);
}

// Pairs [x 1; 1 x]: good pivots at x = 2 lie on the diagonal, at x = 0 beside it.
static void pivots_change_when_they_must(void **state) {
    (void)state;
    int start[N + 1], row[2 * N];
    for (int j = 0; j < N; j++) {
        start[j] = 2 * j;
        row[2 * j] = j - j % 2;
        row[2 * j + 1] = j - j % 2 + 1;
    }
    start[N] = 2 * N;
    SparseFactor *s = sparse_new(N, start, row);
    for (double x = 2; x >= 0; x -= x > 1.2 ? 0.25 : 0.5) {
        double b[N], *entry = sparse_entries(s);
        if (x == 1) continue; // singular
        for (int j = 0; j < N; j++) {
            entry[2 * j] = j % 2 ? 1 : x;
            entry[2 * j + 1] = j % 2 ? x : 1;
            b[j] = j;
        }
        assert_true(sparse_factor(s));
        sparse_solve(s, b);
        for (int j = 0; j < N; j += 2) { // x u + v = j, u + x v = j + 1
            assert_near(x * b[j] + b[j + 1], j, 1e-12);
            assert_near(b[j] + x * b[j + 1], j + 1, 1e-12);
        }
    }
    for (int k = 0; k < 2 * N; k++) sparse_entries(s)[k] = 1;
    assert_false(sparse_factor(s));
    for (int k = 0; k < 2 * N; k++) sparse_entries(s)[k] = (double)NAN;
    assert_false(sparse_factor(s));
    sparse_free(s);
}

// Row 3 is row 1 plus row 2: a left null vector (1, 1, -1); x_2 - x_3 stays open.
static void singular_matrices_are_taken_apart(void **state) {
    (void)state;
    int start[] = {0, 2, 4, 6}, row[] = {0, 2, 1, 2, 1, 2};
    double entry[] = {2, 2, 3, 3, 3, 3}, x[3], y[3];
    assert_true(sparse_null_vectors(3, start, row, entry, x, y));
    assert_near(fabs(x[0]), 0, 1e-8);
    assert_near(x[1] / x[2], -1, 1e-8);
    assert_near(y[0] / y[2], -1, 1e-8);
    assert_near(y[1] / y[2], -1, 1e-8);
    double regular[] = {2, 2, 3, 4, 3, 3};
    assert_false(sparse_null_vectors(3, start, row, regular, x, y));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_chains_agree),
        cmocka_unit_test(nonlinear_chains_agree),
        cmocka_unit_test(constant_matrices_follow_parameters),
        cmocka_unit_test(pivots_change_when_they_must),
        cmocka_unit_test(singular_matrices_are_taken_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
