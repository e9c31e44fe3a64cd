// Runs that are advanced in pieces: the same bits as whole runs, inputs that the caller holds,
// saved runs that go on.
#include "../test.h"

#include "bondyn.h"
#include <stdlib.h>
#include <string.h>

static BdModel *load(const char *text) {
    BdLoadOptions o = bd_default_load_options();
    o.library = BONDYN_SOURCE "/library";
    BdReport *r = bd_report_new();
    BdModel *m = bd_load_text("m.bond", text, strlen(text), &o, r);
    if (!m) print_message("%s", bd_report_text(r));
    assert_non_null(m);
    bd_report_free(r);
    return m;
}

static void advance(BdRun *run, double time) {
    BdReport *r = bd_report_new();
    bool good = bd_advance(run, time, r);
    if (!good) print_message("%s", bd_report_text(r));
    assert_true(good);
    bd_report_free(r);
}

static BdRun *start(const BdModel *m, const char *solver) {
    BdRunOptions o = bd_default_run_options();
    o.solver = solver;
    o.engine = "vm";
    BdReport *r = bd_report_new();
    BdRun *run = bd_start(m, &o, r);
    if (!run) print_message("%s", bd_report_text(r));
    assert_non_null(run);
    bd_report_free(r);
    return run;
}

static void assert_same_rows(const BdRun *a, const BdRun *b) {
    const BdRows *x = bd_rows(a), *y = bd_rows(b);
    assert_int_equal(x->columns, y->columns);
    assert_int_equal(x->rows, y->rows);
    for (int c = 0; c < x->columns; c++)
        assert_memory_equal(x->value[c], y->value[c], (size_t)x->rows * sizeof(double));
}

// --- models of every kind ------------------------------------------------------------------------

// A ball that bounces, a controller that samples, a relation, a table of time, a loop.
static const char events[] =
    "table road(x) linear\n  0, 0\n  0.4, 1\n  0.5, 0.2\n  1, 0\nend\n"
    "model M\n"
    "  param k = 3, drop = 0.9\n"
    "  var h {m} initial 1, v {m/s} initial 0, x initial 0.2, z initial 0.1\n"
    "  var u discrete\n"
    "  der(h) = v\n"
    "  der(v) = -9.81 {m/s2}\n"
    "  der(x) = (-x + u + road(time/(1 {s})) + z)*1 {1/s}\n"
    "  z + 0.3*z^3 = if x > 0.25 then x else 0.25\n"
    "  when h < 0 then\n    reinit(v, -drop*v)\n  end\n"
    "  when sample(0.1 {s}) then\n    u = -k*(x - 0.3)\n  end\n"
    "end\n"
    "experiment E of M\n  stop 1 {s}\n  points 20\n  solver rk4 step 0.01 {s}\nend\n";

static const char friction[] = "import translation\nmodel M\n"
                               "  param Fs = 2 {N}\n"
                               "  Force f(u = 5 {N}*sin(6 {rad/s}*time))\n  Mass m(m = 1)\n"
                               "  DryFriction b(Fs = Fs)\n  1 v\n  f -> v -> m, b\nend\n"
                               "experiment E of M\n  stop 2 {s}\n  points 20\n"
                               "  solver rk4 step 0.01 {s}\nend\n";

static const char delayed[] =
    "model M\n  var x initial 1\n  der(x) = -2*delay(x, 0.3 {s})/(1 {s})\nend\n"
    "experiment E of M\n  stop 2 {s}\n  points 20\n  solver rk4 step 0.01 {s}\nend\n";

// Its states are chosen during the run.
static const char pendulum[] =
    "model M\n  var x {m} initial 0.6 {m}, y {m}, vx {m/s} initial 0, vy {m/s}, T {1/s2}\n"
    "  initial y = -0.8 {m}\n"
    "  der(x) = vx\n  der(y) = vy\n  der(vx) = -T*x\n  der(vy) = -T*y - 9.81 {m/s2}\n"
    "  x^2 + y^2 = 1 {m2}\nend\n"
    "experiment E of M\n  stop 3 {s}\n  points 20\n  solver rk4 step 0.01 {s}\nend\n";

static const char *const models[] = {events, friction, delayed, pendulum};
enum { MODELS = sizeof models / sizeof models[0] };

static double random_part(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 16777216.0;
}

static double stop_of(int model) { return model == 0 ? 1 : model == 3 ? 3 : 2; }

// --- whole and in pieces -------------------------------------------------------------------------

static void compare_with_whole(int model, const char *solver, bool on_grid, bool bits) {
    BdModel *m = load(models[model]);
    BdRunOptions o = bd_default_run_options();
    o.solver = solver;
    o.engine = "vm";
    BdRun *whole = bd_run(m, &o, NULL), *run = start(m, solver);
    unsigned seed = 7;
    double t = 0, stop = stop_of(model);
    assert_int_equal(bd_status(run), BD_GOING);
    while (t < stop) {
        t = on_grid ? 0.01 * (floor(t / 0.01 + 0.5) + 1 + floor(9 * random_part(&seed)))
                    : t + 0.2 * random_part(&seed);
        if (t > stop) t = stop;
        advance(run, t);
        assert_near(bd_time(run), t, 0);
    }
    assert_int_equal(bd_status(run), BD_DONE);
    if (bits) {
        assert_same_rows(whole, run);
    } else {
        const BdRows *x = bd_rows(whole), *y = bd_rows(run);
        assert_int_equal(x->rows, y->rows);
        for (int c = 0; c < x->columns; c++) // the tolerance of the run, over its length
            assert_near(x->value[c][10], y->value[c][10], 1e-3 * (1 + fabs(x->value[c][10])));
    }
    assert_int_equal(bd_summary(whole).balanced, bd_summary(run).balanced);
    bd_run_free(whole);
    bd_run_free(run);
    bd_model_free(m);
}

static void test_pieces_on_the_grid_give_the_same_bits(void **state) {
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        compare_with_whole(i, NULL, true, true);
        compare_with_whole(i, "euler", true, true);
    }
}

// The solver steps past: pieces anywhere do not disturb it.
static void test_pieces_do_not_disturb_multistep_methods(void **state) {
    (void)state;
    compare_with_whole(2, "bdf", false, true);
    compare_with_whole(3, "adams", false, true);
    compare_with_whole(1, "bdf", false, true);
}

static void test_pieces_stay_within_tolerance(void **state) {
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        compare_with_whole(i, "rk78", false, false);
        compare_with_whole(i, NULL, false, false);
        compare_with_whole(i, "auto", false, false);
    }
}

// --- inputs --------------------------------------------------------------------------------------

static const char open_loop[] =
    "model M\n  param k = 2\n  input u, w {m} = k*(1 {m})\n  var x initial 0, v initial 1\n  "
    "output y\n"
    "  var up discrete\n"
    "  der(x) = v/(1 {s})\n  der(v) = (u - x - 0.1*v^3)/(1 {s}) + 0*w/(1 {m.s})\n  y = x + u\n"
    "  when u > 0.5 then\n    up = pre(up) + 1\n  end\nend\n"
    "experiment E of M\n  stop 2 {s}\n  points 20\n  solver rk4 step 0.01 {s}\nend\n";

static const char closed_loop[] =
    "model M\n  param k = 2\n  var u discrete\n  var x initial 0, v initial 1\n  output y\n"
    "  der(x) = v/(1 {s})\n  der(v) = (u - x - 0.1*v^3)/(1 {s})\n  y = x + u\n"
    "  when sample(0.1 {s}) then\n    u = -k*x + 0.3*v\n  end\nend\n"
    "experiment E of M\n  stop 2 {s}\n  points 20\n  solver rk4 step 0.01 {s}\nend\n";

// A controller outside is the same as one in the language.
static void test_a_loop_closed_by_hand(void **state) {
    (void)state;
    static const char *const solver[] = {NULL, "euler", "heun", "rk78", "bdf"};
    BdModel *m = load(open_loop), *inside = load(closed_loop);
    for (int s = 0; s < 5; s++) {
        BdRunOptions o = bd_default_run_options();
        o.solver = solver[s];
        o.engine = "vm";
        o.rtol = 1e-9;
        BdRun *whole = bd_run(inside, &o, NULL), *run = bd_start(m, &o, NULL);
        int u = bd_find(m, BD_INPUT, "u");
        for (int i = 0; i < 20; i++) {
            double control = -2 * bd_value(run, "x") + 0.3 * bd_value(run, "v");
            assert_true(bd_set_input(run, u, control));
            advance(run, (i + 1) * 0.1);
        }
        double a = bd_final(whole, "x"), b = bd_value(run, "x");
        if (s < 3) assert_memory_equal(&a, &b, sizeof a);
        assert_near(a, b, 1e-7); // the tolerance of the run, over its length
        bd_run_free(whole);
        bd_run_free(run);
    }
    bd_model_free(m);
    bd_model_free(inside);
}

static void test_inputs_are_seen_at_once(void **state) {
    (void)state;
    BdModel *m = load(open_loop);
    BdRun *run = start(m, "rk78");
    BdVariable v;
    int u = bd_find(m, BD_INPUT, "u"), w = bd_find(m, BD_INPUT, "w");
    assert_true(bd_variable(m, BD_INPUT, u, &v) && v.settable);
    assert_near(bd_value(run, "w"), 2, 0); // its default
    assert_false(bd_set_input(run, 7, 1));
    assert_false(bd_set_input(run, u, NAN));
    assert_true(bd_set_input(run, w, 3));
    advance(run, 0.55);
    double x = bd_value(run, "x");
    assert_near(bd_value(run, "up"), 0, 0);
    assert_true(bd_set_input(run, u, 1));
    advance(run, 0.55); // to where it is: outputs after the change
    assert_near(bd_value(run, "x"), x, 0);
    assert_near(bd_value(run, "y"), x + 1, 1e-15);
    assert_near(bd_value(run, "up"), 1, 0);
    double point[2];
    bd_get_states(run, point);
    assert_near(point[bd_find(m, BD_STATE, "x")], x, 0);
    advance(run, 2);
    assert_false(bd_set_input(run, u, 0)); // it is over
    bd_run_free(run);
    bd_model_free(m);
}

// --- saving --------------------------------------------------------------------------------------

static void save_and_compare(int model, const char *solver, double at) {
    BdModel *m = load(models[model]);
    BdRun *run = start(m, solver), *other = start(m, solver);
    double stop = stop_of(model);
    advance(run, at);
    size_t size = bd_saved_size(run);
    assert_true(size > 0);
    void *saved = malloc(size), *again = malloc(size);
    bd_save(run, saved);
    bd_save(run, again);
    assert_memory_equal(saved, again, size);
    advance(run, stop);
    assert_true(bd_restore(other, saved, size));
    assert_near(bd_time(other), at, 0);
    assert_int_equal(bd_saved_size(other), size);
    bd_save(other, again);
    assert_memory_equal(saved, again, size);
    advance(other, stop);
    const BdRows *columns = bd_rows(run);
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 1; c < columns->columns; c++) {
            double a = columns->value[c][columns->rows - 1], b;
            double *value = calloc((size_t)columns->columns, sizeof *value);
            assert_true(bd_outputs(other, value));
            b = value[c - 1];
            free(value);
            assert_memory_equal(&a, &b, sizeof a);
        }
        assert_true(bd_restore(other, saved, size)); // back in time, twice the same
        advance(other, stop);
    }
    ((char *)saved)[size / 2] ^= 1;
    assert_false(bd_restore(other, saved, size));
    assert_false(bd_restore(other, again, size - 1));
    free(saved);
    free(again);
    bd_run_free(run);
    bd_run_free(other);
    bd_model_free(m);
}

static void test_saved_runs_go_on_bit_for_bit(void **state) {
    (void)state;
    static const char *const solver[] = {NULL, "rk78", "bdf", "auto"};
    for (int i = 0; i < MODELS; i++)
        for (int s = 0; s < 4; s++) save_and_compare(i, solver[s], 0.4567);
    save_and_compare(3, "ida", 0.8);
}

// --- parameters, ends, mistakes ------------------------------------------------------------------

static void test_parameters_change_on_the_way(void **state) {
    (void)state;
    BdModel *m = load("model M\n  param k = 1 {1/s}, T = 0.25 {s}\n  var x initial 1\n"
                      "  var n discrete\n  der(x) = -k*x\n"
                      "  when sample(T) then\n    n = pre(n) + 1\n  end\nend\n"
                      "experiment E of M\n  stop 2 {s}\n  solver rk78 rtol 1e-12\nend\n");
    BdRun *run = start(m, NULL);
    advance(run, 1);
    assert_true(bd_set(run, "k", 3));
    assert_false(bd_set(run, "T", 0.1)); // moments are counted from the start
    assert_false(bd_set(run, "k", NAN));
    assert_false(bd_set(run, "x", 1));
    advance(run, 2);
    assert_near(bd_value(run, "x"), exp(-4), 1e-10);
    assert_near(bd_value(run, "n"), 9, 0);
    assert_true(bd_reset(run, 0));
    advance(run, 1);
    assert_near(bd_value(run, "x"), exp(-3), 1e-10); // with the present parameters
    bd_run_free(run);
    bd_model_free(m);
}

static void test_mistakes_are_told(void **state) {
    (void)state;
    BdModel *m = load(open_loop);
    BdReport *r = bd_report_new();
    BdRun *run = start(m, NULL), *whole = bd_run(m, NULL, r);
    assert_non_null(whole); // inputs keep their start values
    assert_false(bd_advance(whole, 1, r));
    assert_int_equal(bd_report_errors(r), 1);
    advance(run, 1);
    assert_false(bd_advance(run, 0.5, r));
    assert_false(bd_advance(run, NAN, r));
    assert_false(bd_advance(run, 3, r));
    assert_int_equal(bd_report_errors(r), 4);
    assert_int_equal(bd_status(run), BD_GOING);
    assert_true(isnan(bd_value(run, "nothing")));
    assert_false(bd_rates(run, NULL));
    bd_run_free(run); // in the middle
    bd_run_free(whole);
    bd_model_free(m);
    m = load("model M\n  var x initial 1\n  der(x) = x^2/(1 {s})\nend\n" // it has no value at 1 s
             "experiment E of M\n  stop 2 {s}\n  solver rk78\nend\n");
    run = start(m, NULL);
    advance(run, 0.5);
    bd_report_clear(r);
    assert_false(bd_advance(run, 2, r));
    assert_true(bd_report_errors(r) > 0);
    assert_int_equal(bd_status(run), BD_ENDED_EARLY);
    assert_false(bd_advance(run, 2, r));
    bd_run_free(run);
    bd_model_free(m);
    bd_report_free(r);
}

static bool pause_soon(void *context, double fraction) {
    (void)fraction;
    if (*(BdRun **)context) bd_pause(*(BdRun **)context);
    return true;
}

static void test_a_run_pauses_at_a_row(void **state) {
    (void)state;
    BdModel *m = load("model M\n  var x initial 1\n  der(x) = -x/(1 {s})\nend\n"
                      "experiment E of M\n  stop 1 {s}\n  points 20\n"
                      "  solver rk4 step 1e-5 {s}\nend\n");
    BdRun *run = NULL;
    BdRunOptions o = bd_default_run_options();
    o.progress = pause_soon;
    o.context = &run;
    run = bd_start(m, &o, NULL);
    int pauses = 0;
    while (bd_status(run) == BD_GOING) {
        advance(run, 1);
        pauses++;
    }
    assert_true(pauses > 1 && bd_time(run) == 1);
    BdRun *whole = bd_run(m, NULL, NULL);
    assert_same_rows(whole, run);
    bd_run_free(run);
    bd_run_free(whole);
    bd_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_on_the_grid_give_the_same_bits),
        cmocka_unit_test(test_pieces_do_not_disturb_multistep_methods),
        cmocka_unit_test(test_pieces_stay_within_tolerance),
        cmocka_unit_test(test_a_loop_closed_by_hand),
        cmocka_unit_test(test_inputs_are_seen_at_once),
        cmocka_unit_test(test_saved_runs_go_on_bit_for_bit),
        cmocka_unit_test(test_parameters_change_on_the_way),
        cmocka_unit_test(test_mistakes_are_told),
        cmocka_unit_test(test_a_run_pauses_at_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
