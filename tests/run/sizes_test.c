// The same physics in other units is solved equally well: tolerances follow the sizes of states.
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double relative; // error of the last value
    long steps;
} Outcome;

static Outcome outcome(const char *text, double right) {
    Bench b;
    bench_run(&b, text, NULL);
    Outcome o = {fabs(b.run->verdict[0].left / right - 1), b.run->stats.steps};
    assert_true(b.run->audit.pass);
    bench_close(&b);
    return o;
}

// Charging of C through R and L from a source of U: sizes of charge and flux span 1e24.
static Outcome circuit(const char *solver, double u, double c, double l, const char *audit) {
    double w = 1 / sqrt(l * c), r = 0.4 * l * w, span = 10 / w; // damping 0.2
    char text[1000];
    snprintf(text, sizeof text,
             "model M\n  Se s = %.17g\n  R r(%.17g)\n  C c(%.17g)\n  I l(%.17g)\n  1 j\n"
             "  s -> j\n  j -> r, c, l\nend\n"
             "experiment E of M\n  stop %.17g\n  solver %s\n  %s\n"
             "  expect c.q(end) = 0 within 1\nend\n",
             u, r, c, l, span, solver, audit);
    double d = sqrt(1 - 0.04), t = 10;
    double right = u * c * (1 - exp(-0.2 * t) * (cos(d * t) + 0.2 / d * sin(d * t)));
    return outcome(text, right);
}

static void accuracy_does_not_depend_on_units(void **state) {
    (void)state;
    static const char *const solver[] = {"adams", "bdf", "ida", "rk78", "auto"};
    static const double scale[][3] = {// U, C, L: in V, F, H; nF; m3/Pa as of oil; a galaxy
                                      {1, 1, 1},
                                      {1e-3, 1e-9, 1e-6},
                                      {1e7, 1e-14, 1e8},
                                      {1e-9, 1e-12, 1e-12},
                                      {1e12, 1e6, 1e3}};
    for (int k = 0; k < 5; k++)
        for (int audit = 0; audit < 2; audit++) {
            const char *how = audit ? "audit 1e-3" : "audit off";
            Outcome one = circuit(solver[k], 1, 1, 1, how);
            for (int i = 0; i < 5; i++) {
                Outcome o = circuit(solver[k], scale[i][0], scale[i][1], scale[i][2], how);
                if (o.relative > 3e-5 || labs(o.steps - one.steps) > 0.2 * (double)one.steps + 10)
                    fail_msg("%s, %s, scale %d: error %g in %ld steps, against %g in %ld",
                             solver[k], how, i, o.relative, o.steps, one.relative, one.steps);
            }
        }
}

// p is zero but for rounding: the weight and the spring's force cancel. Steps must not be held
// back.
static void rounding_is_not_followed(void **state) {
    (void)state;
    static const char *const solver[] = {"adams", "bdf", "ida", "rk78"};
    for (int k = 0; k < 4; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "model M\n  Se g = 9.81\n  C c(0.0123, q0 = 9.81*0.0123)\n  I m(3)\n"
                 "  R r(0.1)\n  1 j\n  g -> j\n  j -> c, m, r\nend\n"
                 "experiment E of M\n  stop 100\n  points 10\n  solver %s\n  audit off\n"
                 "  expect c.q(end) = 0 within 1\nend\n",
                 solver[k]);
        Outcome o = outcome(text, 9.81 * 0.0123);
        assert_true(o.relative < 1e-12);
        if (o.steps > 3000) fail_msg("%s: %ld steps", solver[k], o.steps);
    }
}

// A load that settles on a damped spring of any stiffness: what is left of the motion dies away
// into the rounding of the forces that cancel. The number of periods until then says how many steps
// there may be. Before, one winch of many took 5e7: a single look at the rounding can find none by
// chance.
static void motion_that_dies_away_is_let_go(void **state) {
    (void)state;
    static const char *const solver[] = {"adams", "bdf", "rk78"};
    srand(1);
    for (int seed = 0; seed < 24; seed++) {
        double part[4]; // decades of weight, mass and compliance; the damping
        for (int i = 0; i < 4; i++) part[i] = (double)rand() / RAND_MAX;
        double weight = pow(10, 6 * part[0] - 1), mass = pow(10, 4 * part[1] - 1);
        double compliance = pow(10, -7 * part[2] - 1), w = 1 / sqrt(mass * compliance);
        double damping = 0.03 + 0.3 * part[3], rtol = seed % 2 ? 1e-6 : 1e-9;
        char text[800];
        snprintf(text, sizeof text,
                 "model M\n  Se g = %.17g\n  C c(%.17g, q0 = %.17g)\n  I m(%.17g)\n  R r(%.17g)\n"
                 "  1 j\n  g -> j\n  j -> c, m, r\nend\n"
                 "experiment E of M\n  stop %.17g\n  points 10\n  solver %s rtol %g\n  audit off\n"
                 "  expect c.q(end) = 0 within 1e9\nend\n",
                 weight, compliance, 0.7 * weight * compliance, mass, 2 * damping * w * mass,
                 200 / (damping * w), solver[seed % 3], rtol);
        Outcome o = outcome(text, weight * compliance);
        if (o.relative > 1e-9 || (double)o.steps > 3000 / damping)
            fail_msg("seed %d, %s: error %g, %ld steps", seed, solver[seed % 3], o.relative,
                     o.steps);
    }
}

// A wave on its way into a long line at rest: far states are zero to any digits one likes.
static void fronts_are_not_followed(void **state) {
    (void)state;
    Bench b;
    bench_run(
        &b,
        "model M\n  Sf s = 1e-6\n  0 n[60]\n  s -> n[1]\n"
        "  for i in 1:60\n    C c[i](1e-9)\n    n[i] -> c[i]\n  end\n"
        "  for i in 1:59\n    1 j[i]\n    I l[i](1e-3)\n    n[i] -> j[i]\n    j[i] -> n[i+1]\n"
        "    j[i] -> l[i]\n  end\nend\n"
        "experiment E of M\n  stop 4e-5\n  solver adams\n"
        "  expect c[1].q(end) = 0 within 1\n  expect c[60].q(end) = 0 within 1\nend\n",
        NULL);
    if (b.run->stats.steps > 1500) fail_msg("%ld steps", b.run->stats.steps);
    assert_true(b.run->audit.pass);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accuracy_does_not_depend_on_units),
        cmocka_unit_test(rounding_is_not_followed),
        cmocka_unit_test(motion_that_dies_away_is_let_go),
        cmocka_unit_test(fronts_are_not_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
