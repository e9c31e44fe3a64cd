// Programs of modes: those that a run meets and no others, and one for laws that are kin
// (run/kin.c), with the motion of the same laws written so that they are not.
#include "bench.h"
#include <math.h>

static const char element[] = "import rotation\n"
                              "element Rough\n  param T {N.m}, d {N.m.s/rad}\n  port p: rotation\n"
                              "  var state discrete initial 1\n  dissipates\n  modes state\n"
                              "    forward: p.e = T + d*p.f while p.f >= 0\n"
                              "    rest: p.f = 0 while p.e <= T and p.e >= -T\n"
                              "    backward: %s while p.f <= 0\n  end\nend\n";

static const char experiment[] =
    "end\nexperiment X of M\n  stop 8 {s}\n  points 40\n  solver rk78 rtol 1e-10\n"
    "  record J1.body.p\nend\n";

// n wheels side by side, or behind each other with springs between them.
static void write_wheels(Text *out, const char *backward, int n, bool coupled) {
    text_printf(out, element, backward);
    text_add(out, "model M\n");
    for (int k = 1; k <= n; k++) {
        text_printf(out,
                    "  Torque t%d(u = 4 {N.m}*sin(%g {1/s}*time + %g))\n  Inertia J%d(J = 0.5 "
                    "{kg.m2})\n  Rough f%d(T = %g {N.m}, d = 0.1 {N.m.s/rad})\n  1 w%d\n"
                    "  t%d -> w%d -> J%d, f%d\n",
                    k, 3 + 0.3 * k, 0.4 * k, k, k, 1 + 0.2 * k, k, k, k, k, k);
        if (k > 1 && coupled)
            text_printf(out,
                        "  C c%d(0.2 {rad/(N.m)})\n  0 s%d\n  w%d -> s%d -> w%d\n  s%d -> c%d\n", k,
                        k, k - 1, k, k, k, k);
    }
    text_add(out, experiment);
}

typedef struct {
    long programs, events;
    double last[41];
} Outcome;

static Outcome run_text(Text *text) {
    Bench b;
    Outcome o = {0};
    bench_run(&b, text_get(text), NULL);
    assert_int_equal(b.run->status, SOLVE_DONE);
    o.programs = b.run->stats.programs;
    o.events = b.run->stats.events;
    for (int i = 0; i < b.run->results.row_count && i < 41; i++)
        o.last[i] = b.run->results.column[1].value[i];
    bench_close(&b);
    text_free(text);
    return o;
}

static Outcome run_wheels(const char *backward, int n, bool coupled) {
    Text text = {0};
    write_wheels(&text, backward, n, coupled);
    return run_text(&text);
}

static void test_kin_share(void **state) {
    (void)state;
    for (int n = 1; n <= 3; n++) {
        Outcome kin = run_wheels("p.e = -T + d*p.f", n, n > 1);
        Outcome apart = run_wheels("-p.e = T - d*p.f", n, n > 1);
        assert_true(kin.programs <= 1 << n);
        assert_true(apart.programs > kin.programs);
        assert_int_equal(kin.events, apart.events);
        for (int i = 0; i < 41; i++) assert_near(kin.last[i], apart.last[i], 1e-7);
    }
}

// Laws that differ by more than sums and products.
static void test_roots_stay_apart(void **state) {
    (void)state;
    Text text = {0};
    text_add(&text, "import rotation\nelement Jet\n  param k = 1 {N.m.s/rad}\n  port p: rotation\n"
                    "  var state discrete initial 1\n  dissipates\n  modes state\n"
                    "    forward: p.e = k*p.f*sqrt(max(p.f, 0 {rad/s})/1 {rad/s}) while p.f >= 0\n"
                    "    backward: p.e = k*p.f*sqrt(max(-p.f, 0 {rad/s})/1 {rad/s}) while p.f <= "
                    "0\n  end\nend\n"
                    "model M\n  Torque t1(u = 4 {N.m}*sin(3 {1/s}*time + 0.1))\n"
                    "  Inertia J1(J = 0.5 {kg.m2})\n  Jet f\n  1 w\n  t1 -> w -> J1, f\n");
    text_add(&text, experiment);
    Outcome o = run_text(&text);
    assert_int_equal(o.programs, 2);
    for (int i = 0; i < 41; i++) assert_true(isfinite(o.last[i]));
}

// Wagons that meet their stops one after the other: two programs for each, not 2^n.
static long stop_programs(int n) {
    Text text = {0};
    text_add(&text, "mechanism Track\n  gravity off\n");
    for (int k = 1; k <= n; k++)
        text_printf(
            &text,
            "  joint x%d prismatic x: world -> b%d rate %g {m/s} limits -1 {m} .. 1 {m} rigid "
            "restitution 0.5\n  body b%d mass 1 {kg}\n",
            k, k, 1 + 0.1 * k, k);
    text_add(&text, "end\nmodel M\n  Track m\nend\nexperiment X of M\n  stop 2 {s}\n  points 4\n"
                    "  record m.x1.q\nend\n");
    return run_text(&text).programs;
}

static void test_many_stops(void **state) {
    (void)state;
    long few = stop_programs(5), many = stop_programs(10);
    assert_true(few >= 5);
    assert_true(many <= 2 * few + 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kin_share),
                                       cmocka_unit_test(test_roots_stay_apart),
                                       cmocka_unit_test(test_many_stops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
