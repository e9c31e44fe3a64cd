// `auto` against each solver by itself over random models of all kinds: it costs at most twice the
// best one, in evaluations of the rates, for 95 of 100 models. The argument: how many models.
#include "auto_models.h"

#include "bench.h"

#include <stdlib.h>

static int seeds = 20;

static double ratio_of(int seed) {
    AutoModel a = auto_model(seed);
    Bench b;
    bench_open(&b, text_get(&a.text));
    AutoCost own = auto_cost(&b.built, SOLVER_AUTO, 0);
    double best = INFINITY;
    for (int i = 0; i < AUTO_RIVALS; i++)
        best = fmin(best, auto_cost(&b.built, auto_rival[i], 2 * own.stats.steps + 100).cost);
    bench_close(&b);
    if (own.cost == INFINITY) fail_msg("seed %d: auto fails\n%s", seed, text_get(&a.text));
    text_free(&a.text);
    return own.cost / best;
}

static void costs_at_most_twice_the_best(void **state) {
    (void)state;
    int dear = 0;
    for (int seed = 0; seed < seeds; seed++) {
        double ratio = ratio_of(seed);
        if (ratio > 2) {
            dear++;
            print_message("seed %d (%s): %.2f times the best\n", seed,
                          auto_kind[seed % AUTO_KINDS].name, ratio);
        }
    }
    if (dear * 20 > seeds) fail_msg("%d of %d models cost more than twice the best", dear, seeds);
}

static SolveStats stats_of(const char *text, bool conserves) {
    Bench b;
    bench_run(&b, text, NULL);
    assert_int_equal(b.run->status, SOLVE_DONE);
    assert_int_equal(audit_conserves(b.built.system), conserves);
    SolveStats s = b.run->stats;
    bench_close(&b);
    return s;
}

// Stiff once its input has come: to bdf then, and it says so. The swing at the end is followed by
// bdf as well as by others.
static void changes_over_when_the_picture_does(void **state) {
    (void)state;
    SolveStats s = stats_of("model M\n  var x, y\n  initial x = 1\n  der(x) = -x\n"
                            "  der(y) = 1e4*(cos(x) - y)\nend\n"
                            "experiment E of M\n  stop 10 {s}\nend\n",
                            false);
    assert_int_equal(s.method, SOLVER_CVODE_BDF);
    assert_true(s.steps < 600);
    s = stats_of("model M\n  var x, y\n  initial x = 1\n  der(x) = y\n  der(y) = -100*x\nend\n"
                 "experiment E of M\n  stop 20 {s}\nend\n",
                 false);
    assert_true(s.method != SOLVER_CVODE_BDF);
    assert_int_equal(s.changes, 0);
}

static void knows_what_conserves(void **state) {
    (void)state;
    static const char parts[] = "  I m(1)\n  C k(0.01, q0 = 0.1)\n  1 v\n  v -> m, k\n";
    static const struct {
        const char *more;
        bool conserves;
    } models[] = {{"", true},
                  {"  R d(0.1)\n  v -> d\n", false},
                  {"  Se f = 1\n  f -> v\n", false},
                  {"  var s\n  der(s) = v.f - s\n", false},
                  {"  when k.q < 0 then\n    reinit(m.p, 0)\n  end\n", false}};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        char text[400];
        snprintf(text, sizeof text, "model M\n%s%send\nexperiment E of M\n  stop 100 {s}\nend\n",
                 parts, models[i].more);
        SolveStats s = stats_of(text, models[i].conserves);
        if (models[i].conserves) assert_int_equal(s.first, SOLVER_RK78);
    }
}

int main(int count, char **argument) {
    if (count > 1) seeds = atoi(argument[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_at_most_twice_the_best),
        cmocka_unit_test(changes_over_when_the_picture_does),
        cmocka_unit_test(knows_what_conserves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
