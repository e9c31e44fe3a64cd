// Long runs of models without loss: `auto` takes Gauss's method, and energies stay. Events and
// points between steps are exact.
#include "bench.h"

#include <math.h>

static double first, most, least;

static bool take(void *context, const Results *block) {
    (void)context;
    int column = block->column_count - 1;
    for (int i = 0; i < block->row_count; i++) {
        double x = block->column[column].value[i];
        if (isnan(first)) first = most = least = x;
        most = fmax(most, x);
        least = fmin(least, x);
    }
    return true;
}

// How far the last recorded column moves during the run.
static double range_of(const char *text, SolverKind solver, SolverKind taken) {
    Bench b;
    RunOptions o = {.rows = take, .solver = solver};
    first = NAN;
    bench_run(&b, text, &o);
    assert_int_equal(b.run->status, SOLVE_DONE);
    assert_int_equal(b.run->stats.method, taken);
    assert_true(b.run->audit.pass);
    bench_close(&b);
    return most - least;
}

#define PENDULUM                                                                                   \
    "mechanism Pendulum\n  gravity (0, -9.81, 0) {m/s2}\n"                                         \
    "  joint a revolute z: world -> rod\n"                                                         \
    "  body rod mass 1 {kg} cg (1, 0, 0) {m} inertia (0, 0.1, 0.1) {kg.m2}\nend\n"

// From the horizontal its energy is 9.81 J above the lowest point.
static void a_pendulum_keeps_its_energy(void **state) {
    (void)state;
    double range = range_of(PENDULUM "experiment E of Pendulum\n  stop 10000 {s}\n  points 2000\n"
                                     "  record energy\nend\n",
                            SOLVER_AUTO, SOLVER_GAUSS);
    assert_true(range < 1e-6 * 9.81);
}

// In momenta, with declared energies: masses and springs that harden.
static void a_chain_keeps_its_energy(void **state) {
    (void)state;
    double range = range_of("model M\n  1 a, b\n  0 f\n  I m1(1, p0 = 1), m2(2)\n"
                            "  C k1: e = 10*q + 50*q^3\n  C k2(0.05)\n"
                            "  a -> m1, k1\n  a -> f -> b -> m2\n  f -> k2\n  var E\n"
                            "  E = m1.p^2/2 + m2.p^2/4 + 5*k1.q^2 + 12.5*k1.q^4 + 10*k2.q^2\nend\n"
                            "experiment X of M\n  stop 5000 {s}\n  points 500\n  record E\nend\n",
                            SOLVER_AUTO, SOLVER_GAUSS);
    assert_true(range < 1e-6 * 0.5);
}

// With events: the period by the complete elliptic integral, K(sin 45 deg) = 1.8540746773.
static void crossings_are_found(void **state) {
    (void)state;
    Bench b;
    RunOptions o = {.solver = SOLVER_GAUSS};
    bench_run(&b,
              PENDULUM
              "model M\n  Pendulum m\n  var n discrete\n  var last {s} discrete\n"
              "  when m.a.q < -pi/2 then\n    n = pre(n) + 1\n    last = time\n  end\nend\n"
              "experiment E of M\n  stop 100 {s}\n  solver gauss rtol 1e-9\n"
              "  expect n(end) = 40 within 0.5\n  expect last(end) = 0 within 1\nend\n",
              &o);
    double period = 4 * sqrt(1.1 / 9.81) * 1.8540746773013719;
    double count = floor(100 / period - 0.25) + 1;
    assert_near(b.run->verdict[0].left, count, 0);
    assert_near(b.run->verdict[1].left, (count - 0.75) * period, 1e-6);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_keeps_its_energy),
        cmocka_unit_test(a_chain_keeps_its_energy),
        cmocka_unit_test(crossings_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
