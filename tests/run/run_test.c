// Whole runs of small models: recording, plots, expectations, the energy audit.
#include "bench.h"

#include <stdlib.h>

static Code last_code(const Bench *b) {
    return b->built.report.last ? b->built.report.last->code : CODE_COUNT;
}

#define OSCILLATOR                                                                                 \
    "model Swing\n"                                                                                \
    "  param k = 4 {N/m}\n"                                                                        \
    "  I mass(1 {kg})\n"                                                                           \
    "  C spring(1/k, q0 = 0.1 {m})\n"                                                              \
    "  1 v\n"                                                                                      \
    "  v -> mass, spring\n"                                                                        \
    "end\n"

static void probes_agree_with_the_closed_form(void **state) {
    (void)state;
    Bench b; // q = 0.1 cos(2t), v = -0.2 sin(2t)
    bench_run(&b,
              OSCILLATOR "experiment Free of Swing\n"
                         "  stop 10 {s}\n"
                         "  solver cvode rtol 1e-11 atol 1e-13\n"
                         "  expect spring.q(1.2345 {s}) = (0.1*cos(2*1.2345)) {m} within 1e-9\n"
                         "  expect spring.q(end) = (0.1*cos(20)) {m} within 1e-8\n"
                         "  expect max(v.f) = 0.2 {m/s} within 1e-9\n"
                         "  expect min(v.f) = -0.2 {m/s} within 1e-9\n"
                         "  expect integral(v.f) = (0.1*(cos(20) - 1)) {m} within 1e-8\n"
                         "  expect mean(spring.e) = (0.4*sin(20)/20) {N} within 1e-8\n"
                         "  expect partial(der(mass.p), spring.q) = -k within 1e-12\n"
                         "  expect max(spring.q) < 0.11 {m}\n"
                         "  expect max(spring.q) < 0.05 {m}\n"
                         "  expect spring.q(end) = 7 {m} within 1e-3 relative\n"
                         "end\n",
              NULL);
    const Run *run = b.run;
    assert_int_equal(run->verdict_count, 10);
    for (int i = 0; i < 8; i++)
        if (!run->verdict[i].pass)
            fail_msg("expectation %d: %.15g, %.15g", i, run->verdict[i].left,
                     run->verdict[i].right);
    assert_false(run->verdict[8].pass);
    assert_false(run->verdict[9].pass);
    assert_int_equal(run->failed_count, 2);
    Text t = {0};
    verdicts_print(&t, run, b.built.system);
    assert_non_null(strstr(text_get(&t), "FAILS"));
    text_clear(&t);
    verdicts_json(&t, run, b.built.system);
    assert_non_null(strstr(text_get(&t), "\"pass\": false"));
    text_free(&t);
    bench_close(&b);
}

// Leading minors of this matrix, by which formulas would divide, vanish on the way.
static void large_inverses_need_no_formulas(void **state) {
    (void)state;
    Bench b;
    bench_run(&b,
              "model M\n  var x initial 0, R[6,6], S[6,6], wrong\n  der(x) = 1\n"
              "  for i in 1:6\n    for j in 1:6\n"
              "      R[i,j] = if i == j then sin(x) else if i + j == 7 then (if i < j then "
              "cos(x) else -cos(x)) else 0.1*sin(x)*sin(i + 2*j)\n"
              "    end\n  end\n"
              "  S = R*inverse(R) - identity(6)\n  wrong = norm((S[1,1], S[2,3], S[3,3], S[5,1], "
              "S[6,6], S[4,2]))\nend\n"
              "experiment E of M\n  stop 6\n  expect max(wrong) < 1e-12\nend\n",
              NULL);
    assert_int_equal(b.run->failed_count, 0);
    assert_int_equal(b.run->verdict_count, 1);
    bench_close(&b);
}

// A force of 1 N on two masses of 1 kg through f2 = (1, 2) f1: 5 kg.
static void effort_enters_a_rectangular_transformer(void **state) {
    (void)state;
    Bench b;
    bench_run(&b,
              "model M\n  1[2] v\n  MTF t([1; 2])\n  I[2] m(1)\n  Se s = 1\n  s -> t\n"
              "  t -> v -> m\nend\n"
              "experiment E of M\n  stop 1\n  expect t.f1(end) = 0.2 within 1e-9\n"
              "  expect m.p[2](end) = 0.4 within 1e-9\nend\n",
              NULL);
    assert_int_equal(b.run->failed_count, 0);
    assert_int_equal(b.run->verdict_count, 2);
    bench_close(&b);
}

static void partials_go_through_implicit_blocks(void **state) {
    (void)state;
    Bench b; // f + f^3 = -q with q = 2: f = -1, and df/dq = -1/(1 + 3 f^2)
    bench_run(&b,
              "model M\n  C c(1, q0 = 2)\n  R r: e = f + f^3\n  1 v\n  v -> c, r\nend\n"
              "experiment X of M\n  stop 1 {s}\n"
              "  expect v.f(0 {s}) = -1 within 1e-9\n"
              "  expect partial(der(c.q), c.q) = -0.25 within 1e-9\nend\n",
              NULL);
    assert_int_equal(b.built.system->block_count, 1);
    assert_int_equal(b.run->verdict_count, 2);
    assert_int_equal(b.run->failed_count, 0);
    bench_close(&b);
}

static void energy_of_a_swing_is_kept(void **state) {
    (void)state;
    Bench b;
    bench_run(&b,
              OSCILLATOR "experiment Free of Swing\n  stop 20 {s}\n"
                         "  solver cvode rtol 1e-10 atol 1e-13\nend\n",
              NULL);
    const Audit *a = &b.run->audit;
    assert_true(a->pass);
    assert_int_equal(a->line_count, 2);
    // 0.02 J cos^2(2t) goes up and down; the points of the result miss the turning points a little
    assert_near(a->throughput, 0.02 * (24 + 1 + 0.444806), 5e-4);
    assert_true(a->relative < 1e-8);
    Text t = {0};
    audit_print(&t, a, b.built.system);
    assert_non_null(strstr(text_get(&t), "balanced"));
    text_clear(&t);
    audit_json(&t, a, b.built.system);
    assert_non_null(strstr(text_get(&t), "\"component\": \"spring\""));
    text_free(&t);
    bench_close(&b);
}

static void a_transformer_that_makes_energy_is_named(void **state) {
    (void)state;
    Bench b;
    bench_run(&b,
              "model Gear\n"
              "  Se motor = 10 {N.m}\n"
              "  TF gear: e1 = 3*e2, f1 = 3*f2\n"
              "  I wheel(1)\n"
              "  R load(2)\n"
              "  1 a, b\n"
              "  motor -> a -> gear -> b -> wheel, load\n"
              "end\n"
              "experiment X of Gear\n  stop 1 {s}\nend\n",
              NULL);
    const Audit *a = &b.run->audit;
    assert_false(a->pass);
    assert_true(a->worst >= 0);
    assert_string_equal(name_text(b.built.names, b.built.model->comp[a->worst].path), "gear");
    assert_true(a->worst_junction >= 0);
    assert_int_equal(last_code(&b), R_AUDIT);
    bench_close(&b);
}

static void a_resistor_that_delivers_is_named(void **state) {
    (void)state;
    Bench b;
    bench_run(&b,
              "model M\n  I mass(1)\n  R odd(-1)\n  R d(0.5)\n  1 v\n  v -> mass, odd, d\n"
              "end\nexperiment X of M\n  set mass.p0 = 1\n  stop 1 {s}\nend\n",
              NULL);
    assert_false(b.run->audit.pass);
    assert_string_equal(name_text(b.built.names, b.built.model->comp[b.run->audit.worst].path),
                        "odd");
    bench_close(&b);
}

// Between 0 and 1, the same for every seed.
static double chance(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24);
}

// Orifices between chambers that have one pressure, beside a large store: only the tolerance moves
// anything. `odd` hands out what moves there.
static void write_chambers(Text *t, unsigned seed, bool odd) {
    double tau = pow(10, -4 + 1.5 * chance(&seed)), p = pow(10, 2 * chance(&seed));
    int count = 1 + (int)(3 * chance(&seed));
    text_printf(t,
                "model M\n  Se pump = %.17g\n  Sf none = 0\n  C big(1, q0 = 100)\n"
                "  R inlet(1)\n  1 shut, line\n  0 n0\n  none -> shut -> big\n"
                "  pump -> line -> inlet\n  line -> n0\n",
                p);
    for (int k = 0; k <= count; k++) {
        double c = tau * pow(10, chance(&seed) - 0.5);
        text_printf(t, "  C c%d(%.17g, q0 = %.17g)\n  n%d -> c%d\n", k, c, c * p, k, k);
        if (k == count) break;
        text_printf(t,
                    "  R r%d: f = e/sqrt(sqrt(e^2 + 1e-4))\n  1 j%d\n  0 n%d\n"
                    "  n%d -> j%d -> n%d\n  j%d -> r%d\n",
                    k, k, k + 1, k, k, k + 1, k, k);
    }
    if (odd) text_printf(t, "  R odd: f = -0.1*e\n  n%d -> odd\n", count);
    text_printf(t,
                "end\nexperiment E of M\n  stop 0.1 {s}\n  points 501\n"
                "  solver rk78 rtol 1e-6 atol %.17g\nend\n",
                pow(10, -6 + 1.5 * chance(&seed)));
}

// What the integration moves at rest is nobody's fault; a law that makes energy is found there,
// too.
static void noise_at_rest_has_no_culprit(void **state) {
    (void)state;
    for (unsigned seed = 1; seed <= 24; seed++) {
        bool odd = seed % 4 == 0;
        Text t = {0};
        Bench b;
        write_chambers(&t, seed, odd);
        bench_run(&b, text_get(&t), NULL);
        if (b.run->audit.pass == odd) fail_msg("seed %u\n%s", seed, text_get(&t));
        text_free(&t);
        bench_close(&b);
    }
}

static void a_model_at_rest_passes(void **state) {
    (void)state;
    Bench b;
    bench_run(&b, "model M\n  I mass(1)\n  R d(1)\n  1 v\n  v -> mass, d\nend\n", NULL);
    assert_true(b.run->audit.pass);
    assert_near(b.run->audit.throughput, 0, 0);
    assert_near(b.run->audit.relative, 0, 0);
    assert_near(b.run->results.column[0].value[b.run->results.row_count - 1], 10, 0);
    bench_close(&b);
}

static void patterns_choose_columns(void **state) {
    (void)state;
    Bench b;
    const char *wanted[] = {"spring.*", "der(mass.p)"};
    RunOptions o = {.record = wanted, .record_count = 2, .stop = 1};
    bench_run(&b, OSCILLATOR, &o);
    const Results *r = &b.run->results;
    assert_int_equal(r->column_count, 5); // time, der, e, f, q
    assert_true(results_column(r, "spring.q") > 0);
    assert_true(results_column(r, "der(mass.p)") > 0);
    assert_int_equal(results_column(r, "v.f"), -1);
    assert_int_equal(r->row_count, 1001);
    assert_near(r->column[0].value[500], 0.5, 1e-15);
    assert_true(r->complete);
    assert_string_equal(r->model, "Swing");
    bench_close(&b);
}

static void everything_but_derivatives_is_recorded(void **state) {
    (void)state;
    Bench b;
    bench_run(&b, OSCILLATOR "experiment X of Swing\n  stop 1 {s}\n  every 0.3 {s}\nend\n", NULL);
    const Results *r = &b.run->results;
    assert_true(results_column(r, "v.f") > 0);
    assert_true(results_column(r, "mass.p") > 0);
    assert_int_equal(results_column(r, "der(mass.p)"), -1);
    assert_int_equal(results_column(r, "k"), -1);
    assert_int_equal(r->row_count, 5); // 0, 0.3, 0.6, 0.9, 1
    assert_near(r->column[0].value[4], 1, 0);
    bench_close(&b);
}

static void a_pattern_without_variables_is_an_error(void **state) {
    (void)state;
    Bench b;
    const char *wanted[] = {"sprng.q"};
    RunOptions o = {.record = wanted, .record_count = 1};
    bench_open(&b, OSCILLATOR);
    assert_null(built_run(&b.built, &o));
    assert_int_equal(last_code(&b), R_RECORD_NOTHING);
    assert_non_null(strstr(b.built.report.last->help, "spring.q"));
    bench_close(&b);
}

static void bad_times_are_errors(void **state) {
    (void)state;
    Bench b;
    RunOptions o = {.stop = -1};
    bench_open(&b, OSCILLATOR);
    assert_null(built_run(&b.built, &o));
    assert_int_equal(last_code(&b), R_NO_TIME);
    bench_close(&b);
    o.stop = 1; // the command line's word against the experiment's
    bench_open(&b, OSCILLATOR "experiment X of Swing\n  stop 3 {s}\n"
                              "  expect v.f(2 {s}) = 0 within 1\nend\n");
    Run *run = built_run(&b.built, &o);
    assert_non_null(run); // the run is what was asked for; the expectation is left out
    assert_int_equal(run->verdict_count, 0);
    assert_int_equal(last_code(&b), R_PROBE_TIME);
    run_free(run);
    bench_close(&b);
}

static void plots_have_curves_and_file_names(void **state) {
    (void)state;
    Bench b;
    bench_run(&b,
              OSCILLATOR "experiment X of Swing\n  stop 1 {s}\n  record spring.q\n"
                         "  plot \"Speed & force\" v.f, spring.e\n"
                         "  plot spring.e vs spring.q\n"
                         "  plot spring.e vs spring.q\nend\n",
              NULL);
    const Run *run = b.run;
    assert_int_equal(run->plot_count, 3);
    assert_string_equal(run->plot_name[0], "speed_force");
    assert_string_equal(run->plot_name[1], "spring_e_vs_spring_q");
    assert_string_equal(run->plot_name[2], "spring_e_vs_spring_q_2");
    assert_int_equal(run->plot[0].curve_count, 2);
    assert_int_equal(run->plot[0].count[0], 1001);
    for (int i = 0; i <= 1000; i += 100)
        assert_near(run->plot[1].y[0][i], 4 * run->plot[1].x[0][i], 1e-12);
    assert_string_equal(run->plot[1].x_label, "spring.q [m]");
    assert_int_equal(run->results.column_count, 2);
    bench_close(&b);
}

static void without_plots_states_are_drawn(void **state) {
    (void)state;
    Bench b;
    RunOptions o = {.stop = 1};
    bench_run(&b, OSCILLATOR, &o);
    assert_int_equal(b.run->plot_count, 1);
    assert_int_equal(b.run->plot[0].curve_count, 2);
    Text t = {0};
    plot_svg(&t, &b.run->plot[0]);
    assert_non_null(strstr(text_get(&t), "spring.q"));
    text_free(&t);
    bench_close(&b);
}

static void a_cancelled_run_is_marked(void **state) {
    (void)state;
    Bench b;
    const volatile int now = 1;
    RunOptions o = {.cancel = &now};
    bench_run(
        &b, OSCILLATOR "experiment X of Swing\n  stop 1 {s}\n  expect v.f(end) < 1e9 {m/s}\nend\n",
        &o);
    assert_int_equal(b.run->status, SOLVE_CANCELLED);
    assert_false(b.run->results.complete);
    assert_int_equal(b.run->failed_count, 1); // no value is no success
    bench_close(&b);
}

static void values_that_are_not_finite_are_reported(void **state) {
    (void)state;
    Bench b;
    RunOptions o = {.stop = 1};
    bench_run(&b, "model M\n  var x initial 1, y\n  der(x) = -x\n  y = log(x - 0.5)\nend\n", &o);
    assert_int_equal(last_code(&b), R_NOT_FINITE);
    assert_int_equal(b.built.report.errors, 1);
    assert_true(b.run->not_finite);
    bench_close(&b);
}

static void count_progress(void *context, double fraction) {
    double *last = context;
    assert_true(fraction >= *last && fraction <= 1);
    *last = fraction;
}

static void progress_rises(void **state) {
    (void)state;
    Bench b;
    double last = 0;
    RunOptions o = {.progress = count_progress, .context = &last, .stop = 100};
    bench_run(&b, OSCILLATOR, &o);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_agree_with_the_closed_form),
        cmocka_unit_test(large_inverses_need_no_formulas),
        cmocka_unit_test(effort_enters_a_rectangular_transformer),
        cmocka_unit_test(partials_go_through_implicit_blocks),
        cmocka_unit_test(energy_of_a_swing_is_kept),
        cmocka_unit_test(a_transformer_that_makes_energy_is_named),
        cmocka_unit_test(a_resistor_that_delivers_is_named),
        cmocka_unit_test(a_model_at_rest_passes),
        cmocka_unit_test(noise_at_rest_has_no_culprit),
        cmocka_unit_test(patterns_choose_columns),
        cmocka_unit_test(everything_but_derivatives_is_recorded),
        cmocka_unit_test(a_pattern_without_variables_is_an_error),
        cmocka_unit_test(bad_times_are_errors),
        cmocka_unit_test(plots_have_curves_and_file_names),
        cmocka_unit_test(without_plots_states_are_drawn),
        cmocka_unit_test(a_cancelled_run_is_marked),
        cmocka_unit_test(values_that_are_not_finite_are_reported),
        cmocka_unit_test(progress_rises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
