// The public header as its callers see it: nothing else of Bondyn is included here.
#include "../test.h"

#include "bondyn.h"
#include <stdlib.h>
#include <string.h>

static const char swing[] = "model Swing\n"
                            "  param m = 1 {kg}, k = 100 {N/m}, twice = 2*k\n"
                            "  I mass(m)\n"
                            "  C spring(1/k, q0 = 0.1 {m})\n"
                            "  1 v\n"
                            "  v -> mass, spring\n"
                            "end\n"
                            "experiment Go of Swing\n"
                            "  stop 1 {s}\n"
                            "  points 10\n"
                            "  solver rk78 rtol 1e-12 atol 1e-14\n"
                            "end\n"
                            "experiment Heavy of Swing\n"
                            "  set m = 4 {kg}\n"
                            "  stop 1 {s}\n"
                            "  expect spring.q(end) = 1 within 1e-9\n"
                            "end\n";

static BdModel *load(const char *text, const BdLoadOptions *o) {
    BdReport *r = bd_report_new();
    BdModel *m = bd_load_text("swing.bond", text, strlen(text), o, r);
    if (!m) print_message("%s", bd_report_text(r));
    assert_non_null(m);
    bd_report_free(r);
    return m;
}

static void test_model_is_listed(void **state) {
    (void)state;
    BdModel *m = load(swing, NULL);
    assert_string_equal(bd_model_name(m), "Swing");
    assert_string_equal(bd_model_experiment(m), "Go");
    assert_int_equal(bd_experiment_count(m), 2);
    assert_string_equal(bd_experiment_name(m, 1), "Heavy");
    assert_null(bd_experiment_name(m, 2));
    assert_int_equal(bd_count(m, BD_STATE), 2);
    BdVariable v;
    assert_true(bd_variable(m, BD_PARAMETER, bd_find(m, BD_PARAMETER, "k"), &v));
    assert_string_equal(v.name, "k");
    assert_string_equal(v.unit, "N/m");
    assert_near(v.value, 100, 0);
    assert_true(v.settable);
    assert_true(bd_variable(m, BD_PARAMETER, bd_find(m, BD_PARAMETER, "twice"), &v));
    assert_near(v.value, 200, 0);
    assert_false(v.settable); // it is computed
    assert_int_equal(bd_find(m, BD_PARAMETER, "spring.q"), -1);
    assert_true(bd_find(m, BD_STATE, "spring.q") >= 0);
    assert_false(bd_variable(m, BD_STATE, 2, &v));
    bd_model_free(m);
}

// x = 0.1 cos(w t), w = sqrt(k/m)
static void test_run_meets_its_closed_form(void **state) {
    (void)state;
    BdModel *m = load(swing, NULL);
    BdRun *run = bd_run(m, NULL, NULL);
    assert_non_null(run);
    assert_int_equal(bd_status(run), BD_DONE);
    assert_int_equal(bd_rows(run)->rows, 11);
    assert_string_equal(bd_rows(run)->name[0], "time");
    assert_near(bd_final(run, "spring.q"), 0.1 * cos(10), 1e-11); // the tolerance of the run
    assert_true(isnan(bd_final(run, "nothing")));
    BdSummary s = bd_summary(run);
    assert_string_equal(s.solver, "rk78");
    assert_true(s.balanced);
    assert_near(s.reached, 1, 0);
    bd_run_free(run);
    BdSetting heavier = {"m", 4};
    BdRunOptions o = bd_default_run_options();
    o.set = &heavier;
    o.set_count = 1;
    run = bd_run(m, &o, NULL);
    assert_near(bd_final(run, "spring.q"), 0.1 * cos(5), 1e-11);
    bd_run_free(run);
    bd_model_free(m);
}

static void test_expectations_are_counted(void **state) {
    (void)state;
    BdLoadOptions o = bd_default_load_options();
    o.experiment = "Heavy";
    BdModel *m = load(swing, &o);
    BdRun *run = bd_run(m, NULL, NULL);
    BdSummary s = bd_summary(run);
    assert_int_equal(s.expectations, 1);
    assert_int_equal(s.failed, 1);
    bd_run_free(run);
    bd_model_free(m);
}

// Definitions that a caller adds see those of the file; places in the file stay where they are, and
// an experiment can be done with such a model in place of its own.
static void test_definitions_are_added(void **state) {
    (void)state;
    static const char more[] =
        "import translation\nmodel Stiff extends Swing\n  R held(3 {N.s/m})\n"
        "  1 j\n  j -> held\n  Se push = 6 {N}\n  push -> j\nend\n";
    BdLoadOptions o = bd_default_load_options();
    o.library = BONDYN_SOURCE "/library";
    o.added = more;
    o.model = "Stiff";
    o.experiment = "Heavy";
    BdModel *m = load(swing, &o);
    assert_string_equal(bd_model_name(m), "Stiff");
    assert_string_equal(bd_model_experiment(m), "Heavy");
    assert_true(bd_find(m, BD_VARIABLE, "held.f") >= 0);
    bd_model_free(m);
    BdReport *r = bd_report_new();
    static const char wrong[] = "model A\n  C c(1)\n  R r(nothing)\nend\n";
    o.model = "A";
    o.experiment = NULL;
    o.added = "import spatial\nmodel B\nend\n";
    assert_null(bd_load_text("a.bond", wrong, strlen(wrong), &o, r));
    assert_int_equal(bd_report_message(r, 0)->line, 3);
    assert_string_equal(bd_report_message(r, 0)->file, "a.bond");
    bd_report_free(r);
}

typedef struct {
    int rows, calls;
    double last;
} Taken;

static bool take_rows(void *context, const BdRows *block) {
    Taken *t = context;
    t->rows += block->rows;
    t->calls++;
    t->last = block->value[1][block->rows - 1];
    return true;
}

static bool stop_at_once(void *context, double fraction) {
    (void)context, (void)fraction;
    return false;
}

static void test_rows_come_by_callback(void **state) {
    (void)state;
    BdModel *m = load(swing, NULL);
    Taken t = {0};
    static const char *const record[] = {"spring.q"};
    BdRunOptions o = bd_default_run_options();
    o.rows = take_rows;
    o.context = &t;
    o.record = record;
    o.record_count = 1;
    BdRun *run = bd_run(m, &o, NULL);
    assert_int_equal(t.rows, 11);
    assert_near(t.last, 0.1 * cos(10), 1e-11);
    assert_int_equal(bd_rows(run)->rows, 0);
    bd_run_free(run);
    bd_model_free(m);
}

static void test_a_run_can_be_cancelled(void **state) {
    (void)state;
    static const char slow[] =
        "model M\n  var x initial 1\n  der(x) = -x/(1 {s})\nend\n"
        "experiment E of M\n  stop 1e6 {s}\n  solver rk4 step 1e-3 {s}\nend\n";
    BdModel *m = load(slow, NULL);
    BdRunOptions o = bd_default_run_options();
    o.progress = stop_at_once;
    BdRun *run = bd_run(m, &o, NULL);
    assert_int_equal(bd_status(run), BD_CANCELLED);
    assert_true(bd_summary(run).reached < 1e6);
    bd_run_free(run);
    bd_model_free(m);
}

static void test_errors_are_values(void **state) {
    (void)state;
    static const char wrong[] = "model M\n  R r(1 {kg})\n  Se u = 1 {V}\n  u -> r\nend\n";
    BdReport *r = bd_report_new();
    assert_null(bd_load_text("wrong.bond", wrong, strlen(wrong), NULL, r));
    assert_true(bd_report_errors(r) > 0);
    const BdMessage *m = bd_report_message(r, 0);
    assert_int_equal(m->severity, BD_ERROR);
    assert_string_equal(m->file, "wrong.bond");
    assert_true(m->line > 0 && m->column > 0);
    assert_non_null(bd_explain(m->code));
    assert_non_null(strstr(bd_report_text(r), m->code));
    assert_null(bd_report_message(r, bd_report_count(r)));
    bd_report_clear(r);
    assert_int_equal(bd_report_count(r), 0);
    assert_null(bd_load("no/such/file.bond", NULL, r));
    assert_int_equal(bd_report_errors(r), 1);
    BdModel *good = load(swing, NULL);
    BdSetting none = {"mm", 1};
    BdRunOptions o = bd_default_run_options();
    o.solver = "rk79";
    o.engine = "steam";
    o.set = &none;
    o.set_count = 1;
    bd_report_clear(r);
    assert_null(bd_run(good, &o, r));
    assert_int_equal(bd_report_errors(r), 3);
    assert_null(bd_explain("X999"));
    bd_model_free(good);
    bd_report_free(r);
}

// --- files from memory

static char *read_from_memory(void *context, const char *path, size_t *length) {
    static const char part[] = "model Part\n  output y\n  y = 3\nend\n";
    ++*(int *)context;
    if (!strstr(path, "part.bond")) return NULL;
    *length = strlen(part);
    char *copy = malloc(*length);
    memcpy(copy, part, *length);
    return copy;
}

static void test_imports_come_from_the_caller(void **state) {
    (void)state;
    static const char text[] = "import \"part.bond\"\nmodel M\n  Part p\nend\n";
    int calls = 0;
    BdLoadOptions o = bd_default_load_options();
    o.read = read_from_memory;
    o.read_context = &calls;
    BdModel *m = load(text, &o);
    assert_true(calls > 0);
    BdRun *run = bd_run(m, NULL, NULL);
    assert_near(bd_final(run, "p.y"), 3, 0);
    bd_run_free(run);
    bd_model_free(m);
    static const char other[] = "import \"other.bond\"\nmodel M\nend\n";
    BdReport *r = bd_report_new();
    assert_null(bd_load_text("m.bond", other, strlen(other), &o, r));
    assert_int_equal(bd_report_errors(r), 1);
    bd_report_free(r);
}

// --- point by point

// Two states, and a relation that is an event function.
static const char points[] = "model P\n"
                             "  param c = 0.5\n"
                             "  var x initial 1, v initial 0.3, y\n"
                             "  der(x) = v*1 {1/s}\n"
                             "  der(v) = (-c*v^3 - sin(x) + (if x > 0.5 then 0 else 0.1))*1 {1/s}\n"
                             "  y = if x > 0.5 then x^2 else 0.25\n"
                             "end\n";

static void test_engines_by_hand(void **state) {
    (void)state;
    BdModel *m = load(points, NULL);
    BdRunOptions vm = bd_default_run_options(), native = vm;
    vm.engine = "vm";
    native.engine = "native";
    BdRun *run[] = {bd_open(m, &vm, NULL), bd_open(m, &native, NULL), bd_open(m, NULL, NULL)};
    double rate[3][2], j[3][4];
    // `auto` starts the compiler on the way, and may go over to its code at any call
    for (long i = 0; i < 20000000; i++)
        if (!bd_rates(run[2], rate[2])) fail();
    for (int i = 0; i < 50; i++) {
        double point[2] = {sin(3.0 * i), 2 * cos(5.0 * i)};
        for (int k = 0; k < 3; k++) {
            bd_set_point(run[k], i, point);
            if (i == 25) assert_true(bd_set(run[k], "c", 1.25));
            assert_true(bd_rates(run[k], rate[k]));
            assert_true(bd_jacobian(run[k], j[k]));
        }
        for (int k = 1; k < 3; k++) {
            assert_memory_equal(rate[0], rate[k], sizeof rate[0]);
            assert_memory_equal(j[0], j[k], sizeof j[0]);
        }
    }
    for (int k = 0; k < 3; k++) bd_run_free(run[k]);
    bd_model_free(m);
}

static void test_rates_outputs_and_jacobian(void **state) {
    (void)state;
    BdModel *m = load(points, NULL);
    BdRun *run = bd_open(m, NULL, NULL);
    assert_non_null(run);
    assert_near(bd_time(run), 0, 0);
    assert_null(bd_column(run, "x")); // nothing is kept
    int x = bd_find(m, BD_STATE, "x"), v = bd_find(m, BD_STATE, "v");
    double point[2], rate[2], j[4], beside[2];
    bd_get_states(run, point);
    assert_near(point[x], 1, 0);
    assert_true(bd_rates(run, rate));
    assert_near(rate[x], 0.3, 0);
    assert_near(rate[v], -0.5 * 0.027 - sin(1.0), 1e-15); // rounding
    assert_true(bd_jacobian(run, j));
    assert_near(j[2 * x + v], -cos(1.0), 1e-15); // d v' / d x
    assert_near(j[2 * v + v], -1.5 * 0.09, 1e-15);
    assert_near(j[2 * v + x], 1, 0);
    assert_near(j[2 * x + x], 0, 0);
    int columns = bd_rows(run)->columns;
    double *value = calloc((size_t)columns, sizeof *value);
    assert_true(bd_outputs(run, value));
    for (int c = 1; c < columns; c++)
        if (strcmp(bd_rows(run)->name[c], "y") == 0) assert_near(value[c - 1], 1, 0);
    free(value);
    assert_int_equal(bd_event_count(run), 1);
    double z, before;
    assert_true(bd_event_functions(run, &before));
    beside[x] = 0.4, beside[v] = 0;
    bd_set_point(run, 2, beside);
    assert_near(bd_time(run), 2, 0);
    assert_true(bd_event_functions(run, &z));
    assert_true(z * before < 0);
    assert_true(bd_set(run, "c", 2));
    assert_false(bd_set(run, "c", NAN));
    assert_false(bd_set(run, "x", 1));
    beside[v] = 1;
    bd_set_point(run, 2, beside);
    assert_true(bd_rates(run, rate));
    assert_near(rate[v], -2 - sin(0.4) + 0.1, 1e-15);
    assert_true(bd_reset(run, 0));
    bd_get_states(run, point);
    assert_near(point[v], 0.3, 0);
    bd_run_free(run);
    bd_model_free(m);
}

static void test_saved_runs_go_on(void **state) {
    (void)state;
    BdModel *m = load(points, NULL);
    BdRun *run = bd_open(m, NULL, NULL), *other = bd_open(m, NULL, NULL);
    double somewhere[2] = {0.7, -0.2}, rate[2], again[2];
    assert_true(bd_set(run, "c", 3));
    bd_set_point(run, 1.5, somewhere);
    assert_true(bd_rates(run, rate));
    size_t size = bd_saved_size(run);
    void *saved = malloc(size);
    bd_save(run, saved);
    assert_false(bd_restore(other, saved, size - 1));
    assert_true(bd_restore(other, saved, size));
    assert_near(bd_time(other), 1.5, 0);
    assert_true(bd_rates(other, again));
    assert_memory_equal(rate, again, sizeof rate);
    memset(saved, 7, 8);
    assert_false(bd_restore(other, saved, size));
    free(saved);
    bd_run_free(run);
    bd_run_free(other);
    bd_model_free(m);
}

static void test_modes_are_refused_by_hand(void **state) {
    (void)state;
    static const char text[] =
        "import translation\nmodel M\n  Force f(u = 5 {N})\n  Mass m(m = 1)\n"
        "  DryFriction b(Fs = 2 {N})\n  1 v\n  f -> v -> m, b\nend\n";
    BdLoadOptions o = bd_default_load_options();
    o.library = BONDYN_SOURCE "/library";
    BdModel *m = load(text, &o);
    BdReport *r = bd_report_new();
    assert_null(bd_open(m, NULL, r));
    assert_int_equal(bd_report_errors(r), 1);
    BdRun *run = bd_run(m, NULL, r);             // with a solver it goes
    assert_near(bd_final(run, "v.f"), 30, 1e-4); // (5 - 2)/1*10 s, at the default tolerance
    bd_run_free(run);
    bd_report_free(r);
    bd_model_free(m);
}

// --- many runs

typedef struct {
    double end[10];
    int done;
} Batch;

static bool keep_end(void *context, int number, const BdRun *run, const BdReport *r) {
    Batch *b = context;
    assert_int_equal(bd_report_errors(r), 0);
    b->end[number] = bd_final(run, "spring.q");
    b->done++;
    return true;
}

static void test_batch_equals_single_runs(void **state) {
    (void)state;
    BdModel *m = load(swing, NULL);
    static const char *const name[] = {"k"};
    double value[10];
    for (int i = 0; i < 10; i++) value[i] = 50 + 10 * i;
    Batch kept = {0};
    BdBatch b = {.runs = 10,
                 .name = name,
                 .name_count = 1,
                 .value = value,
                 .done = keep_end,
                 .context = &kept};
    assert_int_equal(bd_batch(m, &b, NULL, NULL), 10);
    assert_int_equal(kept.done, 10);
    for (int i = 0; i < 10; i++) {
        BdSetting k = {"k", value[i]};
        BdRunOptions o = bd_default_run_options();
        o.set = &k;
        o.set_count = 1;
        BdRun *run = bd_run(m, &o, NULL);
        double single = bd_final(run, "spring.q");
        assert_memory_equal(&single, &kept.end[i], sizeof single);
        bd_run_free(run);
    }
    static const char *const wrong[] = {"spring.q"};
    b.name = wrong;
    assert_int_equal(bd_batch(m, &b, NULL, NULL), -1);
    bd_model_free(m);
}

static void test_texts_and_pages(void **state) {
    (void)state;
    BdModel *m = load(swing, NULL);
    static const struct {
        BdForm form;
        const char *has;
    } forms[] = {{BD_EQUATIONS_TEXT, "spring.q"}, {BD_EQUATIONS_LATEX, "\\"},
                 {BD_EQUATIONS_JSON, "{"},        {BD_GRAPH_SVG, "<svg"},
                 {BD_GRAPH_DOT, "digraph"},       {BD_CAUSALITY, "v -> mass"}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char *text = bd_text(m, forms[i].form);
        assert_non_null(strstr(text, forms[i].has));
        bd_free(text);
    }
    char *page = bd_page(m, NULL, NULL);
    assert_non_null(strstr(page, "<html"));
    bd_free(page);
    assert_int_equal(bd_abi(), BD_ABI);
    assert_true(strlen(bd_version()) > 0);
    bd_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_is_listed),
        cmocka_unit_test(test_run_meets_its_closed_form),
        cmocka_unit_test(test_expectations_are_counted),
        cmocka_unit_test(test_rows_come_by_callback),
        cmocka_unit_test(test_a_run_can_be_cancelled),
        cmocka_unit_test(test_errors_are_values),
        cmocka_unit_test(test_imports_come_from_the_caller),
        cmocka_unit_test(test_rates_outputs_and_jacobian),
        cmocka_unit_test(test_engines_by_hand),
        cmocka_unit_test(test_saved_runs_go_on),
        cmocka_unit_test(test_modes_are_refused_by_hand),
        cmocka_unit_test(test_batch_equals_single_runs),
        cmocka_unit_test(test_texts_and_pages),
        cmocka_unit_test(test_definitions_are_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
