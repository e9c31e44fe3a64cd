// Runs over lanes: smooth ones, events, pieces, failures. See batches.h.
#include "batches.h"

// --- runs ----------------------------------------------------------------------------------------

// All kinds of operations; wanted points beside the grid, integrals, extremes.
static void smooth_runs_agree(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] =
        "table T(x) linear\n -2, 1\n 0, 0.5\n 1, 0.7\n 3, 2\nend\n"
        "model M\n param k = 2 {1/s2}, a = 0.3\n"
        "var x initial 1, v {1/s} initial a*1 {1/s}, y\n"
        "der(x) = v\n der(v) = -k*(sin(x) + 0.1*tanh(x)^3)\n"
        "der(y) = (exp(-abs(x)) + max(x, 0.2)*T(x) + sqrt(1 + x^2) + atan2(v*1 {s}, 2))*1 {1/s}\n"
        "end\nexperiment E of M\n stop 3 {s}\n every 0.0173 {s}\n solver %s\n"
        "expect x(1.2345 {s}) > -2\n expect integral(y) > 0\n expect max(y) > 0\nend\n";
    static const char *const method[] = {"euler step 0.01 {s}", "heun step 0.01 {s}",
                                         "rk4 step 0.01 {s}",   "rk78",
                                         "rk78 rtol 1e-11",     NULL};
    double value[2 * 11];
    for (int i = 0; i < 11; i++) value[2 * i] = 1 + 0.37 * i, value[2 * i + 1] = 0.1 - 0.2 * i;
    agrees(&(Ensemble){text, {"k", "a"}, value, 11, 11, {0}, true}, method);
}

// Bounces at other times in every lane; a relation; samples with other periods in every lane; one
// lane bounces without end.
static void events_agree(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] =
        "model M\n param e = 0.8, Ts = 0.13 {s}\n"
        "var h {m} initial 1 {m}, v {m/s}, u discrete, n discrete\n"
        "der(h) = v\n der(v) = -9.81 {m/s2} + u*1 {m/s2} + (if h > 0.5 {m} then 1 {m/s2} else 0 "
        "{m/s2})\n"
        "when h <= 0 {m} then\n reinit(v, -e*pre(v))\n n = pre(n) + 1\n end\n"
        "when sample(Ts) then\n u = 0.1*h/(1 {m})\n end\nend\n"
        "experiment E of M\n stop 2 {s}\n points 77\n solver %s\nend\n";
    double value[2 * 9];
    for (int i = 0; i < 9; i++) value[2 * i] = 0.2 + 0.09 * i, value[2 * i + 1] = 0.1 + 0.013 * i;
    agrees(&(Ensemble){text, {"e", "Ts"}, value, 9, -1, {0}, true}, fixed_and_free);
}

// Kinks of tables of time and of states, steps of floor and mod, met at other times in every lane.
static void pieces_agree(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] =
        "table T(x) linear\n 0, 1\n 0.4, 0.5\n 1.1, 0.7\n 3, 2\nend\n"
        "model M\n param k = 2 {1/s}\n var x initial 0, y initial 0\n"
        "der(x) = T(y)*1 {1/s} + T(time*k)*1 {1/s}\n"
        "der(y) = (1 + 0.3*floor(3*x) + 0.2*mod(x, 0.7) + 0.1*ceil(k*time))*1 {1/s}\nend\n"
        "experiment E of M\n stop 2 {s}\n points 50\n solver %s\nend\n";
    double value[9];
    for (int i = 0; i < 9; i++) value[i] = 0.5 + 0.3 * i;
    agrees(&(Ensemble){text, {"k"}, value, 9, 9, {0}, false}, fixed_and_free);
}

// Steps far shorter than the distance of points: what is largest inside of them.
static void peaks_agree(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] =
        "model M\n param k = 1e5 {1/s2}, h0 = 0.5 {m}\n var h {m} initial h0, v {m/s}, F {m/s2}\n"
        "der(h) = v\n der(v) = -9.81 {m/s2} + F\n F = k*max(0 {m}, -h) - 2 {1/s}*v\nend\n"
        "experiment E of M\n stop 1 {s}\n points 7\n solver %s\n record F, h\n"
        "expect max(F) > 0 {m/s2}\nend\n";
    static const char *const method[] = {"rk4 step 0.0005 {s}", "heun step 0.0007 {s}", "rk78",
                                         NULL};
    double value[2 * 9];
    for (int i = 0; i < 9; i++) value[2 * i] = 5e4 + 2e4 * i, value[2 * i + 1] = 0.3 + 0.05 * i;
    agrees(&(Ensemble){text, {"k", "h0"}, value, 9, 9, {.extremes = true}, true}, method);
}

// --- what goes wrong -----------------------------------------------------------------------------

static void a_lane_that_fails_leaves_the_others_alone(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] = "model M\n param k = 9, c = 1\n var x initial 1\n"
                               "der(x) = (sqrt(k - x^2) + 1/c)*1 {1/s}\nend\n"
                               "experiment E of M\n stop 1 {s}\n solver %s\nend\n";
    static const double value[] = {90, 1, 2, 1, 80, 1, 91, 0, 0.5, 1, 70, 1, 60, 2, 95, 1};
    agrees(&(Ensemble){text, {"k", "c"}, value, 8, 5, {.stop = 0.1}, false}, fixed_and_free);
}

static void an_assertion_ends_one_run(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] = "model M\n param k = 1\n var x initial 0\n der(x) = k*1 {1/s}\n"
                               "assert x < 2, \"x is too large\"\nend\n"
                               "experiment E of M\n stop 1 {s}\n solver %s\nend\n";
    static const double value[] = {1, 3, 0.5, 2.5, 1.9};
    agrees(&(Ensemble){text, {"k"}, value, 5, 3, {0}, false}, fixed_and_free);
}

// An expectation at a time that is a parameter: such runs have other points each.
static void points_of_their_own(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] = "model M\n param T = 0.5 {s}\n var x initial 1\n"
                               "der(x) = -x*1 {1/s}\nend\n"
                               "experiment E of M\n stop 1 {s}\n solver %s\n"
                               "expect x(T) = exp(-T/(1 {s})) within 1e-8\nend\n";
    static const double value[] = {0.123, 0.77, 0.5, 0.9};
    agrees(&(Ensemble){text, {"T"}, value, 4, 4, {0}, false}, fixed_and_free);
}

static void cancelled_runs_end(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] = "model M\n param k = 1\n var x initial 1\n der(x) = -k*x*1 {1/s}\n"
                               "end\nexperiment E of M\n stop 1 {s}\n solver %s\nend\n";
    static const char *const factor[] = {"k", NULL};
    static const double value[] = {1, 2};
    for (int m = 0; fixed_and_free[m]; m++) {
        volatile int cancel = 0;
        char with[400];
        Batch b;
        snprintf(with, sizeof with, text, fixed_and_free[m]);
        batch_open(&b, with, factor, (RunOptions){0}, 0);
        assert_int_equal(batch_lanes(b.batch), native_lanes());
        cancel = 1;
        b.options.cancel = &cancel;
        assert_int_equal(compare_runs(&b, value, 2, 0), 0);
        batch_close(&b);
    }
}

static void what_does_not_fit_goes_one_by_one(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] = "model M\n param k = 1\n var x initial 1\n der(x) = -k*x*1 {1/s}\n"
                               "end\nexperiment E of M\n stop 1 {s}\nend\n";
    static const char *const factor[] = {"k", NULL};
    static const double value[] = {1.5};
    Batch b;
    batch_open(&b, text, factor, (RunOptions){0}, 0);
    assert_int_equal(batch_lanes(b.batch), 1);
    assert_non_null(strstr(batch_words(b.batch), "one run at a time: the method"));
    assert_int_equal(compare_runs(&b, value, 1, 0), 1);
    batch_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_runs_agree),
        cmocka_unit_test(events_agree),
        cmocka_unit_test(pieces_agree),
        cmocka_unit_test(peaks_agree),
        cmocka_unit_test(a_lane_that_fails_leaves_the_others_alone),
        cmocka_unit_test(an_assertion_ends_one_run),
        cmocka_unit_test(points_of_their_own),
        cmocka_unit_test(cancelled_runs_end),
        cmocka_unit_test(what_does_not_fit_goes_one_by_one),
    };
    RUN_BATCH_TESTS(tests);
}
