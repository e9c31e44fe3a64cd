#include "../pipeline.h"
#include "../test.h"

#include "study/study.h"
#include <math.h>

static void open_model(Built *b) {
    static const char *const plain =
        "model M\n  param k = 2 {N/m}, n = 3, twice = 2*k\n  var x[n]\n"
        "  for i in 1:n\n    der(x[i]) = -x[i]/(1 {s})\n  end\nend\n";
    assert_true(build_text(b, plain, strlen(plain), NULL, NULL, NULL));
}

static void ranges_lists_and_units(void **state) {
    (void)state;
    Built b;
    Factor f;
    open_model(&b);
    assert_true(factor_read(&b.arena, b.model, "k = 1 .. 2 in 5 {kN/m}", &f, &b.report));
    assert_int_equal(f.level_count, 5);
    assert_true(f.level[0] == 1 && f.level[1] == 1.25 && f.level[4] == 2);
    assert_true(factor_si(&f, f.level[1]) == 1250);
    assert_true(factor_read(&b.arena, b.model, "k = 1, 2.5,-4e1", &f, &b.report));
    assert_int_equal(f.level_count, 3);
    assert_true(f.level[2] == -40 && factor_si(&f, 2.5) == 2.5);
    build_free(&b);
}

static void mistakes_are_named(void **state) {
    (void)state;
    static const struct {
        const char *text;
        Code code;
    } wrong[] = {{"k", V_BAD_FACTOR},
                 {"k = ", V_BAD_FACTOR},
                 {"k = 1 .. 2", V_BAD_FACTOR},
                 {"k = 1 .. 2 in 1", V_BAD_FACTOR},
                 {"k = 1 .. 2 in 1e9", V_BAD_FACTOR},
                 {"k = 1, {N/m}", V_BAD_FACTOR},
                 {"k = 1 {furlong}", V_BAD_FACTOR},
                 {"k = 1 {kg}", V_BAD_FACTOR},
                 {"k = 1 {N/m} 2", V_BAD_FACTOR},
                 {"k = normal(1)", V_BAD_FACTOR},
                 {"k = normal(1, -1)", V_BAD_FACTOR},
                 {"k = uniform(2, 1)", V_BAD_FACTOR},
                 {"k = triangular(1, 0, 2)", V_BAD_FACTOR},
                 {"k = lognormal(0, 1)", V_BAD_FACTOR},
                 {"kk = 1", V_NO_PARAMETER},
                 {"n = 1, 2", V_FIXED_PARAMETER},
                 {"twice = 1, 2", V_FIXED_PARAMETER}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        Built b;
        Factor f;
        open_model(&b);
        assert_false(factor_read(&b.arena, b.model, wrong[i].text, &f, &b.report));
        assert_int_equal(b.report.errors, 1);
        if (b.report.first->code != wrong[i].code) fail_msg("another code for '%s'", wrong[i].text);
        build_free(&b);
    }
}

// Values of the normal distribution from tables, to the last digits that these print.
static void quantiles(void **state) {
    (void)state;
    assert_true(fabs(normal_quantile(0.975) - 1.959963984540054) < 1e-14);
    assert_true(fabs(normal_quantile(0.025) + 1.959963984540054) < 1e-14);
    assert_true(fabs(normal_quantile(0.5)) < 1e-15);
    assert_true(fabs(normal_quantile(1e-9) + 5.997807015008182) < 1e-12);
    Factor f = {.kind = FACTOR_TRIANGULAR, .a = 0, .b = 1, .c = 4};
    for (int i = 1; i < 100; i++) { // the distribution function of its quantile
        double u = i / 100.0, x = factor_quantile(&f, u);
        double below = x < 1 ? x * x / 4 : 1 - (4 - x) * (4 - x) / 12;
        assert_true(fabs(below - u) < 1e-14);
    }
    f = (Factor){.kind = FACTOR_LOGNORMAL, .a = 3, .b = 0.5};
    assert_true(fabs(factor_quantile(&f, 0.5) - 3) < 1e-14);
}

// Values of tables of Student's distribution.
static void few_runs_have_wide_intervals(void **state) {
    (void)state;
    static const struct {
        int freedom;
        double t;
    } known[] = {{1, 12.706204736432095},   {2, 4.302652729911275},   {4, 2.7764451051977987},
                 {9, 2.2621571627409915},   {30, 2.0422724563012373}, {500, 1.964719837490404},
                 {1000, 1.9623390808264078}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_near(student_half_width(0.95, known[i].freedom), known[i].t, 3e-8);
}

static void latin_draws_fill_every_slice_once(void **state) {
    (void)state;
    enum { RUNS = 137 };
    Factor f[3] = {{.kind = FACTOR_UNIFORM, .a = 0, .b = 1},
                   {.kind = FACTOR_UNIFORM, .a = 0, .b = 1},
                   {.kind = FACTOR_UNIFORM, .a = 0, .b = 1}};
    StudyPlan p = {
        .factor = f, .factor_count = 3, .runs = RUNS, .random = true, .latin = true, .seed = 5};
    for (int k = 0; k < 3; k++) {
        bool seen[RUNS] = {0};
        for (int i = 0; i < RUNS; i++) {
            int slice = (int)(study_value(&p, i, k) * RUNS);
            assert_false(seen[slice]);
            seen[slice] = true;
        }
    }
    double same = 0; // factors are shuffled apart
    for (int i = 0; i < RUNS; i++) same += study_value(&p, i, 0) == study_value(&p, i, 1);
    assert_true(same < 5);
}

static void sweeps_go_through_all_combinations(void **state) {
    (void)state;
    double a[2] = {1, 2}, b[3] = {10, 20, 30};
    Factor f[2] = {{.level_count = 2, .level = a}, {.level_count = 3, .level = b}};
    StudyPlan p = {.factor = f, .factor_count = 2};
    assert_int_equal(study_runs(&p), 6);
    for (int i = 0; i < 6; i++) {
        assert_true(study_value(&p, i, 0) == a[i / 3]);
        assert_true(study_value(&p, i, 1) == b[i % 3]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_lists_and_units),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(quantiles),
        cmocka_unit_test(few_runs_have_wide_intervals),
        cmocka_unit_test(latin_draws_fill_every_slice_once),
        cmocka_unit_test(sweeps_go_through_all_combinations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
