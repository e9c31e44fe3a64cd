// Stiff problems with published references, systems left implicit, orders of convergence.
#include "runs.h"

#include <math.h>

static Expr product(Fixture *f, double k, Expr a, Expr b) {
    return expr_mul(f->dag, fixture_number(f, k), expr_mul(f->dag, a, b));
}

// y1' = y2, y2' = ((1 - y1^2) y2 - y1)/1e-6
static Fixture *van_der_pol(void) {
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "y1", 2), y = fixture_state(f, "y2", 0);
    f->rate[0] = y;
    Expr damping = expr_mul(d, expr_sub(d, fixture_number(f, 1), expr_mul(d, x, x)), y);
    f->rate[1] = expr_mul(d, fixture_number(f, 1e6), expr_sub(d, damping, x));
    return f;
}

static Fixture *robertson(void) {
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr one = fixture_number(f, 1);
    Expr a = fixture_state(f, "a", 1), b = fixture_state(f, "b", 0), c = fixture_state(f, "c", 0);
    Expr slow = product(f, 0.04, a, one), back = product(f, 1e4, b, c),
         fast = product(f, 3e7, b, b);
    f->rate[0] = expr_sub(d, back, slow);
    f->rate[1] = expr_sub(d, expr_sub(d, slow, back), fast);
    f->rate[2] = fast;
    return f;
}

// References of the test set for IVP solvers, at t = 2 and at t = 1e11.
static void references_are_met(void **state) {
    (void)state;
    static const SolverKind methods[] = {SOLVER_CVODE_BDF, SOLVER_IDA, SOLVER_AUTO};
    for (int i = 0; i < 3; i++) {
        Fixture *f = van_der_pol();
        Record *r =
            run_well(f, (How){.method = methods[i], .stop = 2, .rtol = 1e-9, .atol = 1e-12});
        // errors of some thousand steps at the tolerance
        assert_near(r->state[10][0], 1.706167732170469, 1e-5);
        assert_near(r->state[10][1], -0.8928097010248125, 1e-5);
        assert_true(r->stats.method != SOLVER_CVODE_ADAMS);
        free(r);
        fixture_free(f);
        f = robertson();
        r = run_well(f, (How){.method = methods[i], .stop = 1e11, .rtol = 1e-9, .atol = 1e-16});
        assert_near(r->state[10][0] / 0.2083340149701255e-7, 1, 1e-4);
        assert_near(r->state[10][1] / 0.8333360770334713e-13, 1, 1e-4);
        assert_near(r->state[10][2], 0.9999999791665050, 1e-10);
        free(r);
        fixture_free(f);
    }
}

// The fast decay is three times as fast as a step; the reference is by bdf at 1e-13.
static void rosenbrock_meets_it_in_fixed_steps(void **state) {
    (void)state;
    Fixture *f = robertson();
    Record *r = run_well(f, (How){.method = SOLVER_ROSENBROCK, .stop = 40, .step = 0.001});
    assert_near(r->state[10][0], 0.71582706872018, 1e-10);
    assert_near(r->state[10][1], 9.18553476459e-6, 1e-14);
    assert_int_equal(r->stats.steps, 40000);
    free(r);
    fixture_free(f);
}

// y' = y (1 - y) g, g = 1 + sin(3 t)/2: y = 1/(1 + exp(-G)), G = t + (1 - cos 3t)/6; the integral
// of g y is log((1 + exp(G))/2).
static double logistic_error(double step, double *quad_error) {
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr y = fixture_state(f, "y", 0.5), one = fixture_number(f, 1);
    Expr three = expr_mul(d, fixture_number(f, 3), f->system.time);
    Expr g =
        expr_add(d, one, expr_mul(d, fixture_number(f, 0.5), fixture_call(f, OP_SIN, three, 0)));
    f->rate[0] = expr_mul(d, expr_mul(d, y, expr_sub(d, one, y)), g);
    f->quad[f->quad_count++] = expr_mul(d, y, g);
    Record *r = run_well(f, (How){.method = SOLVER_ROSENBROCK, .stop = 2, .step = step});
    double big_g = 2 + (1 - cos(6)) / 6;
    double error = fabs(r->state[10][0] - 1 / (1 + exp(-big_g)));
    *quad_error = fabs(r->quad[10][0] - log((1 + exp(big_g)) / 2));
    free(r);
    fixture_free(f);
    return error;
}

static void rosenbrock_is_of_order_four(void **state) {
    (void)state;
    double quad[3], error[3];
    for (int i = 0; i < 3; i++) error[i] = logistic_error(0.05 / (1 << i), &quad[i]);
    for (int i = 0; i < 2; i++) // 16 in the limit; rounding is far below
        assert_true(error[i] / error[i + 1] > 14 && error[i] / error[i + 1] < 24);
    assert_true(quad[1] / quad[2] > 13 && quad[1] / quad[2] < 24);
    assert_true(error[2] < 1e-9);
}

// y' = -k (y - cos t) - sin t, y = cos t: stiff, and moved by time (Prothero and Robinson).
static void rosenbrock_follows_a_moving_equilibrium(void **state) {
    (void)state;
    for (double k = 10; k < 1e9; k *= 100) {
        Fixture *f = fixture_new();
        Dag *d = f->dag;
        Expr y = fixture_state(f, "y", 1), t = f->system.time;
        Expr gap = expr_sub(d, y, fixture_call(f, OP_COS, t, 0));
        f->rate[0] =
            expr_sub(d, expr_mul(d, fixture_number(f, -k), gap), fixture_call(f, OP_SIN, t, 0));
        Record *r = run_well(f, (How){.method = SOLVER_ROSENBROCK, .stop = 2, .step = 0.05});
        assert_near(r->state[10][0], cos(2), 1e-5);
        free(r);
        fixture_free(f);
    }
}

// u + u^3 = x, x' = -1000 u: log(u) + 1.5 u^2 falls by 1000 t. Two blocks, the second on the first.
static void blocks_are_left_implicit(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "x", 1), u = fixture_symbol(f, "u"), v = fixture_symbol(f, "v");
    Expr cube = expr_pow(d, u, fixture_number(f, 3));
    fixture_block(f, 1, &u, (Expr[]){expr_sub(d, expr_add(d, u, cube), x)}, false);
    fixture_block(f, 1, &v, (Expr[]){expr_sub(d, expr_mul(d, fixture_number(f, 2), v), u)}, true);
    f->rate[0] = product(f, -2000, v, fixture_number(f, 1));
    f->quad[f->quad_count++] = v;
    f->output[f->output_count++] = u;
    f->output[f->output_count++] = v;
    static const SolverKind methods[] = {SOLVER_IDA, SOLVER_ROSENBROCK, SOLVER_CVODE_BDF};
    for (int i = 0; i < 3; i++) {
        Record *r = run_well(
            f,
            (How){.method = methods[i], .stop = 0.01, .rtol = 1e-9, .atol = 1e-12, .step = 2e-5});
        double u0 = r->output[0][0], u1 = r->output[10][0];
        assert_int_equal(r->stats.method, methods[i]);
        assert_near(log(u1) + 1.5 * u1 * u1 - log(u0) - 1.5 * u0 * u0, -10, 1e-5);
        assert_near(r->output[10][1], u1 / 2, 1e-15);
        // x' = -2000 v, so the integral of v is what x lost
        assert_near(r->quad[10][0], (1 - r->state[10][0]) / 2000, 1e-10);
        free(r);
    }
    fixture_free(f);
}

// H = 1e3 q p + (p^2 + (1e6 + 1) q^2)/2 swings with pace 1 and decays nowhere, although the
// diagonal of its Jacobian is 1e3, -1e3.
static void balanced_entries_are_no_decay(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr one = fixture_number(f, 1), q = fixture_state(f, "q", 1), p = fixture_state(f, "p", -1e3);
    f->rate[0] = expr_add(d, product(f, 1e3, q, one), p);
    f->rate[1] = expr_sub(d, product(f, -1e3, p, one), product(f, 1e6 + 1, q, one));
    Record *r = run_well(f, (How){.method = SOLVER_AUTO, .stop = 10, .rtol = 1e-9, .atol = 1e-12});
    assert_int_equal(r->stats.method, SOLVER_CVODE_ADAMS);
    assert_near(r->state[10][0], cos(10), 1e-5); // p + 1e3 q is the small difference of the two
    free(r);
    fixture_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_met),
        cmocka_unit_test(rosenbrock_meets_it_in_fixed_steps),
        cmocka_unit_test(rosenbrock_is_of_order_four),
        cmocka_unit_test(rosenbrock_follows_a_moving_equilibrium),
        cmocka_unit_test(blocks_are_left_implicit),
        cmocka_unit_test(balanced_entries_are_no_decay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
