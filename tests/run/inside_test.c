// What comes and goes inside of steps, in models made by hand to have it passed over: every solver that chooses its steps
// counts the same.
//
//   truth    closed forms, or runs with 500000 and 1000000 fixed steps that agree
#include "bench.h"

#include <math.h>

static const SolverKind solver[] = {SOLVER_CVODE_ADAMS, SOLVER_CVODE_BDF, SOLVER_IDA, SOLVER_RK78,
                                    SOLVER_GAUSS};

static void holds_as(const char *text, int first, int behind) {
    for (int i = first; i < behind; i++) {
        Bench b;
        bench_run(&b, text, &(RunOptions){.solver = solver[i], .rtol = 1e-7});
        if (b.run->failed_count || b.built.report.errors) {
            print_message("solver %d\n%s", (int)solver[i], text);
            show_report(&b);
        }
        assert_int_equal(b.run->failed_count, 0);
        assert_int_equal(b.built.report.errors, 0);
        assert_true(b.run->results.complete);
        bench_close(&b);
    }
}

static void holds(const char *text) { holds_as(text, 0, 5); }

#define TURNING " var n discrete initial 0, q initial 0\n der(q) = 10/(1 {s})\n"
#define COUNTED " then\n  n = pre(n) + 1\n end\n"
#define WITHIN  "end\nexperiment E of M\n stop 10 {s}\n points 3\n"

// --- one relation --------------------------------------------------------------------------------

// On for 9e-5 s: a step over 200 periods finds the first of them, also where the first look falls just behind its zero.
static void pulses_in_their_hundreds(void **state) {
    (void)state;
    holds("model M\n var n discrete initial 0, q initial 0\n der(q) = 1/(1 {s})\n"
          " when sin(1000*q) > 0.999" COUNTED WITHIN " expect n(end) = 1592 within 0\nend\n");
}

// atan2 has the same slope on both sides of its jump, 1/x and tan beside their poles.
static void functions_that_jump(void **state) {
    (void)state;
    holds("model M\n" TURNING " when atan2(sin(q), cos(q)) > 3.1" COUNTED WITHIN
          " expect n(end) = 16 within 0\nend\n");
    holds("model M\n" TURNING " when 1/sin(q) > 20" COUNTED WITHIN
          " expect n(end) = 31 within 0\nend\n");
    holds("model M\n" TURNING " when tan(q) > 30" COUNTED WITHIN
          " expect n(end) = 32 within 0\nend\n");
}

static void formulas_of_many_states(void **state) {
    (void)state;
    Text t = {0};
    text_add(&t, "model M\n var n discrete initial 0\n");
    for (int i = 0; i < 10; i++)
        text_printf(&t, " var s%d initial %g\n der(s%d) = %d/(1 {s})\n", i, 0.1 * i, i, 3 + i);
    for (int i = 0; i < 10; i++) text_printf(&t, "%s sin(s%d)", i ? " +" : " when", i);
    text_add(&t, " > 4" COUNTED "end\nexperiment E of M\n stop 50 {s}\n points 3\n"
                 " expect n(end) = 7 within 0\nend\n");
    holds(text_get(&t));
    text_free(&t);
}

// --- several -------------------------------------------------------------------------------------

// A guard changes at the end of a step, and where it did another relation had changed, which is back at the end.
static void the_first_of_several(void **state) {
    (void)state;
    holds("model M\n var h discrete initial 1, x initial 0, u, state discrete\n" TURNING
          " modes state\n  a: u = 0 while sin(q*h) < 0.99\n  b: u = 1 while sin(q*h) > 0.95\n end\n"
          " when cos(q) > 0.999 then\n  h = pre(h) + 0.01\n end\n der(x) = u/(1 {s})\n"
          " when u > 0.5" COUNTED WITHIN
          " expect n(end) = 19 within 0\n expect x(end) = 0.787938871718 within 1e-6\nend\n");
}

// --- delays --------------------------------------------------------------------------------------

// Steps are a sixth of the delay, the signal turns many times in it; or it is a pulse that nothing else sees: once it was passed
// over, or came out fifty times as large. It is known to 1 %, as the error of what is kept of it adds up.
static void delayed_signals(void **state) {
    (void)state;
    holds("model M\n var q initial 0, x initial 0\n der(q) = 300/(1 {s})\n"
          " der(x) = (delay(sin(q)^2, 0.3 {s}) - x)/(1 {s})\n" WITHIN
          " expect x(end) = 0.49915284921 within 1e-4\nend\n");
    const char *pulse =
        "model M\n var x initial 0\n"
        " der(x) = delay(exp(-((time - 5 {s})/(0.003 {s}))^2), 2.5 {s})/(1 {s})\n" WITHIN
        " expect x(end) = 0.00531736155 within 5e-5\nend\n";
    holds_as(pulse, 0, 2);
    holds_as(pulse, 3, 4);
    // Nothing changes within steps: what bdf and ida look at inside of them begins where these did all the same.
    holds_as("model M\n var q initial 0, x initial 0\n der(q) = 100/(1 {s})\n"
             " der(x) = delay(cos(q), 0.5 {s})^2/(1 {s})\n" WITHIN
             " expect x(end) = 5.2515398 within 6e-4\nend\n",
             0, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pulses_in_their_hundreds), cmocka_unit_test(functions_that_jump),
        cmocka_unit_test(formulas_of_many_states),  cmocka_unit_test(the_first_of_several),
        cmocka_unit_test(delayed_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
