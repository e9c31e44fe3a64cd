// Events of the language, from text to results: what happens, when, in which order, by every
// method.
#include "bench.h"

#include <math.h>

static void run_well(Bench *b, const char *text, SolverKind solver) {
    bench_run(b, text, &(RunOptions){.solver = solver});
    if (b->run->failed_count || b->built.report.errors) show_report(b);
    assert_int_equal(b->run->failed_count, 0);
    assert_int_equal(b->built.report.errors, 0);
    assert_true(b->run->results.complete);
}

static const SolverKind method[] = {SOLVER_AUTO, SOLVER_CVODE_BDF, SOLVER_RK78, SOLVER_RK4};

// The expectations in the text hold, by every method.
static void holds(const char *text) {
    for (int i = 0; i < 4; i++) {
        Bench b;
        run_well(&b, text, method[i]);
        bench_close(&b);
    }
}

// --- what an event costs ------------------------------------------------------------------------

// A spring whose law changes its formula where it is smooth costs hardly more than one of one
// piece, and no crossing is lost; where it breaks, the method starts anew.
static long steps_of_spring(const char *law, SolverKind solver, long *events) {
    Bench b;
    Text t = {0};
    text_printf(&t,
                "model M\n var x initial 1, v initial 0\n der(x) = v*1 {1/s}\n"
                " der(v) = -(%s)*1 {1/s}\nend\n"
                "experiment E of M\n stop 62.83185307179586 {s}\n solver auto rtol 1e-7\n"
                " expect v(end) < 10\nend\n",
                law);
    run_well(&b, text_get(&t), solver);
    long steps = b.run->stats.steps;
    *events = b.run->stats.events;
    bench_close(&b);
    text_free(&t);
    return steps;
}

static void smooth_switches_cost_little(void **state) {
    (void)state;
    static const SolverKind multistep[] = {SOLVER_CVODE_ADAMS, SOLVER_CVODE_BDF};
    for (int i = 0; i < 2; i++) {
        long events, none;
        long one = steps_of_spring("x", multistep[i], &none);
        long two = steps_of_spring("if x > 0 then x else x + x^7", multistep[i], &events);
        long whole = steps_of_spring("x + 0.5*(x^7 - abs(x)^7)", multistep[i], &none);
        assert_true(events >= 19);
        assert_true(two < 1.3 * (double)(one > whole ? one : whole));
        assert_true(steps_of_spring("if x > 0 then x else 3*x", multistep[i], &events) > two);
    }
}

// --- what happens -------------------------------------------------------------------------------

static void states_jump_and_counters_count(void **state) {
    (void)state;
    holds("model M\n var x initial 0, n discrete\n der(x) = 1 {1/s}\n"
          "when x >= 1 then\n reinit(x, 0)\n n = pre(n) + 1\n end\nend\n"
          "experiment E of M\n stop 4.5 {s}\n"
          "expect n(end) = 4 within 0\n expect x(end) = 0.5 within 2e-2\n"
          "expect max(x) < 1.02\nend\n");
}

static void what_is_true_from_the_start_is_no_event(void **state) {
    (void)state;
    holds("model M\n var x initial 2, a discrete, b discrete initial 7\n der(x) = 1 {1/s}\n"
          "when x > 1 then\n a = 1\n end\nwhen initial then\n b = pre(b) + x\n end\nend\n"
          "experiment E of M\n stop 1 {s}\n"
          "expect a(end) = 0 within 0\n expect b(0 {s}) = 9 within 0\n"
          "expect b(end) = 9 within 0\nend\n");
}

static void events_cause_events(void **state) {
    (void)state;
    holds("model M\n var x initial 0, a discrete, b discrete, c discrete\n der(x) = 1 {1/s}\n"
          "when b > 0 then\n c = pre(c) + a\n end\nwhen x > 1 then\n a = 5\n end\n"
          "when a > 0 then\n b = 1\n end\nend\n"
          "experiment E of M\n stop 2 {s}\n expect c(0.9 {s}) = 0 within 0\n"
          "expect c(end) = 5 within 0\nend\n");
}

static void the_first_branch_wins(void **state) {
    (void)state;
    holds("model M\n var x initial 0, k discrete\n der(x) = 1 {1/s}\n"
          "when x > 2 then\n k = 3\n elsewhen sample(1 {s}, 1 {s}) then\n k = pre(k) + 1\n"
          "elsewhen sample(0.5 {s}, 0.5 {s}) then\n k = pre(k) + 10\n end\nend\n"
          "experiment E of M\n stop 1.7 {s}\n expect k(0.7 {s}) = 10 within 0\n"
          "expect k(1.2 {s}) = 11 within 0\n expect k(end) = 21 within 0\nend\n");
}

// A chain of sampled blocks sees the new values of those before it, in any order of the text.
static void samples_see_new_values(void **state) {
    (void)state;
    holds("model Hold\n input u\n output y discrete\n when sample(0.1 {s}) then\n y = u + 1\n "
          "end\nend\n"
          "model M\n Hold c, a, b\n a.u = time/(1 {s})\n c.u = 2*b.y\n b.u = a.y\nend\n"
          "experiment E of M\n stop 1 {s}\n"
          "expect a.y(0.25 {s}) = 1.2 within 1e-12\n expect b.y(0.25 {s}) = 2.2 within 1e-12\n"
          "expect c.y(0.25 {s}) = 5.4 within 1e-12\n expect c.y(0.3 {s}) = 5.6 within 1e-12\n"
          "expect c.y(end) = 7 within 1e-12\nend\n");
}

static void vectors_are_set_by_parts(void **state) {
    (void)state;
    holds("model M\n var x initial 0, k[2] discrete\n der(x) = k[1]*1 {1/s} + k[2]*1 {1/s}\n"
          "when sample(1 {s}) then\n k = pre(k) + (1, 2)\n end\nend\n"
          "experiment E of M\n stop 1.5 {s}\n expect x(end) = 6 within 1e-6\nend\n");
}

// --- the order of the text means nothing --------------------------------------------------------

static void order_changes_nothing(void **state) {
    (void)state;
#define REST                                                                                       \
    " der(x) = (k - x)*1 {1/s}\nend\nexperiment E of M\n stop 3 {s}\n record x, k, n\nend\n"
    Bench a, b;
    run_well(&a,
             "model M\n var x initial 0, k discrete, n discrete\n"
             "when sample(0.3 {s}) then\n n = pre(n) + x\n k = 2 - n\n end\n"
             "when x > 0.7 then\n reinit(x, x/2)\n end\n" REST,
             SOLVER_AUTO);
    run_well(&b,
             "model M\n when x > 0.7 then\n reinit(x, x/2)\n end\n"
             "var n discrete, k discrete, x initial 0\n"
             "when sample(0.3 {s}) then\n k = 2 - n\n n = pre(n) + x\n end\n" REST,
             SOLVER_AUTO);
    const Results *x = &a.run->results, *y = &b.run->results;
    assert_int_equal(x->row_count, y->row_count);
    for (int c = 0; c < x->column_count; c++) {
        int other = results_column(y, x->column[c].name);
        assert_true(other >= 0);
        assert_memory_equal(x->column[c].value, y->column[other].value,
                            (size_t)x->row_count * sizeof(double));
    }
    bench_close(&a);
    bench_close(&b);
}

// A sign in a law is found like an `if`: v falls by 1 m/s2 in either direction of x.
static void signs_are_events(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        Bench b;
        run_well(&b,
                 "model M\n var x initial -1, v initial 0 {1/s}\n der(x) = v\n"
                 "der(v) = -sign(x)/(1 {s2})\nend\n"
                 "experiment E of M\n stop 20 {s}\n solver cvode rtol 1e-9 step 0.01 {s}\n"
                 "expect x(16*sqrt(2)*0.5 {s}) = -1 within 1e-5\nend\n",
                 method[i]);
        assert_int_equal(b.run->stats.events, 7);
        bench_close(&b);
    }
}

// v = sum of large terms that cancel: what is left at rest is rounding, and no relation follows it.
static void rounding_is_no_event(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        Bench b;
        run_well(&b,
                 "model M\n var p initial 0.1 {1}, q initial 0.3 {1}, v, n discrete\n"
                 " der(p) = sin(time*7 {1/s})/(1 {s})\n der(q) = 3*sin(time*7 {1/s})/(1 {s})\n"
                 " v = 1e6*(3*p) - 1e6*q\n var x initial 1\n"
                 " der(x) = (-x - v*(2 + sign(v)))/(1 {s})\n"
                 "when v > 0 then\n  n = pre(n) + 1\n end\nend\n"
                 "experiment E of M\n stop 10 {s}\n solver cvode rtol 1e-9 step 0.01 {s}\n"
                 "expect x(10 {s}) = exp(-10) within 1e-7\nend\n",
                 method[i]);
        assert_true(b.run->stats.events < 10);
        bench_close(&b);
    }
}

// A ball whose bounces become shorter than a step does not fall through the floor: they pile up,
// and that is said.
static void fixed_steps_see_short_bounces(void **state) {
    (void)state;
    Bench b;
    bench_run(&b,
              "model M\n var x initial 1, v initial 0 {1/s}\n der(x) = v\n der(v) = -10 {1/s2}\n"
              "when x < 0 then\n reinit(v, -0.5*v)\n end\nend\n"
              "experiment E of M\n stop 3 {s}\n solver rk4 step 0.05 {s}\n"
              "record x\nend\n",
              &(RunOptions){0});
    assert_false(b.run->results.complete);
    assert_int_equal(b.built.report.errors, 1);
    int column = results_column(&b.run->results, "x");
    for (int i = 0; i < b.run->results.row_count; i++)
        assert_true(b.run->results.column[column].value[i] > -1e-6);
    bench_close(&b);
}

// --- warnings ---

// A limit that has been passed is told of once, and no step ends at it again.
static void warnings_cause_one_event(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        Bench b;
        run_well(
            &b,
            "model M\n var x initial 1, v initial 0 {1/s}\n der(x) = v\n der(v) = -x/(1 {s2})\n"
            "assert x < 0.5 and x > -0.9, warning \"too far\"\n"
            "assert v < 0.2 {1/s}, warning \"too fast\"\nend\n"
            "experiment E of M\n stop 60 {s}\n solver cvode step 0.01 {s}\nend\n",
            method[i]);
        assert_int_equal(b.built.report.warnings, 2);
        assert_true(b.run->stats.events <= 2);
        bench_close(&b);
    }
}

// --- energy -------------------------------------------------------------------------------------

static void audit_holds_through_events(void **state) {
    (void)state;
    Bench b;
    run_well(&b,
             "model M\n I m(2 {kg}, p0 = 4 {N.s})\n C s(0.1 {m/N})\n R d(0.1 {N.s/m})\n 1 v\n"
             "v -> m, s, d\nwhen time > 1 {s} then\n reinit(m.p, 0)\n end\n"
             "when time > 2 {s} then\n reinit(s.q, 3 {m})\n end\nend\n"
             "experiment E of M\n stop 3 {s}\n solver cvode rtol 1e-10 atol 1e-12\nend\n",
             SOLVER_AUTO);
    assert_true(b.run->audit.pass);
    assert_true(b.run->audit.supplied > 1 && b.run->audit.dissipated > 1);
    assert_true(fabs(b.run->audit.residual) < 1e-8 * b.run->audit.throughput);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_switches_cost_little),
        cmocka_unit_test(states_jump_and_counters_count),
        cmocka_unit_test(what_is_true_from_the_start_is_no_event),
        cmocka_unit_test(events_cause_events),
        cmocka_unit_test(the_first_branch_wins),
        cmocka_unit_test(samples_see_new_values),
        cmocka_unit_test(vectors_are_set_by_parts),
        cmocka_unit_test(order_changes_nothing),
        cmocka_unit_test(signs_are_events),
        cmocka_unit_test(rounding_is_no_event),
        cmocka_unit_test(fixed_steps_see_short_bounces),
        cmocka_unit_test(warnings_cause_one_event),
        cmocka_unit_test(audit_holds_through_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
