// Gauss collocation: exact at points, integrals beside the states, no drift, cancelling.
#include "runs.h"

static double energy_of(const Record *r, int i) {
    double x = r->state[i][0], v = r->state[i][1];
    return x * x + v * v;
}

static void follows_a_swing(void **state) {
    (void)state;
    static const struct {
        double rtol, error;
    } level[] = {{1e-4, 2e-3}, {1e-6, 5e-5}, {1e-9, 1e-7}, {1e-12, 2e-10}};
    for (int l = 0; l < 4; l++) {
        Fixture *f = oscillator(1);
        Record *r = run_well(
            f, (How){.method = SOLVER_GAUSS, .stop = 50, .points = 333, .rtol = level[l].rtol});
        for (int i = 0; i < r->count; i++) {
            double t = r->time[i];
            assert_near(r->state[i][0], cos(t), level[l].error);
            assert_near(r->quad[i][0], t / 2 - sin(2 * t) / 4, 50 * level[l].error);
        }
        free(r);
        fixture_free(f);
    }
}

static void keeps_the_energy(void **state) {
    (void)state;
    Fixture *f = oscillator(1);
    Record *r = run_well(f, (How){.method = SOLVER_GAUSS, .stop = 1e5, .points = 1000});
    for (int i = 0; i < r->count; i++) assert_near(energy_of(r, i), 1, 1e-7);
    free(r);
    fixture_free(f);
}

static void is_cancelled(void **state) {
    (void)state;
    volatile int cancel = 1;
    Fixture *f = oscillator(1);
    Record *r = run(f, (How){.method = SOLVER_GAUSS, .stop = 1e6, .cancel = &cancel});
    assert_int_equal(r->status, SOLVE_CANCELLED);
    assert_true(r->stats.steps < 3);
    free(r);
    fixture_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_a_swing),
        cmocka_unit_test(keeps_the_energy),
        cmocka_unit_test(is_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
