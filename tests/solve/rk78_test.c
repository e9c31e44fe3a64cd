// Runs by rk78: its accuracy, and what lies inside of its steps. order_test.c has its coefficients.
#include "runs.h"

static void it_is_of_high_order(void **state) {
    (void)state;
    Fixture *f = oscillator(1);
    Record *r = run_well(
        f, (How){.method = SOLVER_RK78, .stop = 20, .rtol = 1e-12, .atol = 1e-13, .points = 1});
    assert_near(r->state[1][0], cos(20.0), 1e-12);
    assert_true(r->stats.steps < 250);
    free(r);
    fixture_free(f);
}

// Points inside of steps: states, outputs and integrals as good as at their ends, for two calls a
// step. The bound is ten tolerances of a whole swing, as for what is found at the end.
static void points_inside_of_steps_are_found(void **state) {
    (void)state;
    for (double rtol = 1e-5; rtol > 1e-13; rtol /= 100) {
        double w = 3, bound = 10 * rtol;
        Fixture *f = oscillator(w);
        How how = {.method = SOLVER_RK78, .stop = 4, .rtol = rtol, .points = 1};
        Record *few = run_well(f, how);
        how.points = 2000;
        Record *many = run_well(f, how);
        for (int i = 0; i < many->count; i++) {
            double t = many->time[i];
            assert_near(many->state[i][0], cos(w * t), bound);
            assert_near(many->state[i][1], -w * sin(w * t), w * bound);
            assert_near(many->output[i][0], w * w * cos(w * t), w * w * bound);
            assert_near(many->quad[i][0], w * w * (t / 2 - sin(2 * w * t) / (4 * w)),
                        w * w * bound);
        }
        assert_true(many->stats.steps <= few->stats.steps + 2);
        long most = few->stats.derivative_calls + 2 * many->stats.steps + 30;
        assert_true(many->stats.derivative_calls <= most);
        free(few);
        free(many);
        fixture_free(f);
    }
}

// der(n) = 1 where x = cos(t) is above 0.999, for 0.089 s in every turn: steps are longer than
// that, and recorded points, 0.02 s apart, tell.
static void relations_that_change_and_change_back_are_seen(void **state) {
    (void)state;
    Fixture *f = oscillator(1);
    Expr x = f->system.state[0];
    fixture_state(f, "n", 0);
    f->rate[2] = fixture_call(f, OP_LESS, fixture_number(f, 0.999), x);
    Record *r = run_well(f, (How){.method = SOLVER_RK78, .stop = 20, .rtol = 1e-8, .points = 1000});
    assert_near(r->state[1000][2], 7 * acos(0.999), 1e-6);
    free(r);
    fixture_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_of_high_order),
        cmocka_unit_test(points_inside_of_steps_are_found),
        cmocka_unit_test(relations_that_change_and_change_back_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
