// Experiments, settings, imports.
#include "model_of.h"

#include "base/files.h"
#include <stdlib.h>
#include <unistd.h>

static const char *const text =
    "model M\n"
    "  param m = 1 {kg}, k = 100 {N/m}\n"
    "  Se drive = 10 {N}\n  I mass(m)\n  C spring(1/k)\n  R damper(2)\n  1 v\n"
    "  drive -> v\n  v -> mass, spring, damper\n"
    "end\n"
    "experiment Step of M \"answer to a step\"\n"
    "  set m = 2 {kg}, damper.R = 5, spring.q0 = 0.1 {m}\n"
    "  start 1 {s}\n  stop 5 {s}\n  every 0.01 {s}\n"
    "  solver bdf rtol 1e-8 atol 1e-10 max_step 0.1 {s}\n"
    "  plot \"speed and force\" v.f, spring.e\n"
    "  plot spring.e vs spring.q\n"
    "  record v.*, spring.q\n"
    "  expect spring.q(end) = 0.1 {m} within 1e-6\n"
    "  expect v.f(2*1 {s}) = 0.3 within 1e-3 relative\n"
    "  expect max(spring.q) - min(spring.q) < 0.2 {m}\n"
    "  expect integral(v.f) > 0\n"
    "  expect partial(der(mass.p), spring.q) = -k within 1e-12\n"
    "  audit 1e-7\n"
    "end\n"
    "experiment Other of M\n  stop 3\nend\n";

static void experiments_are_read(void **state) {
    (void)state;
    static const NamedSolver known[] = {{"auto", 0, false, false}, {"bdf", 7, false, false}, {0}};
    Loaded l = load_model(text, NULL, &(LangOptions){.solvers = known});
    assert_non_null(l.model);
    const Experiment *x = l.experiment;
    assert_non_null(x);
    assert_string_equal(var_text(&l, x->name), "Step");
    assert_near(x->start, 1, 0);
    assert_near(x->stop, 5, 0);
    assert_near(x->every, 0.01, 0);
    assert_int_equal(x->points, 0);
    assert_int_equal(x->solver, 7);
    assert_near(x->rtol, 1e-8, 0);
    assert_near(x->max_step, 0.1, 0);
    assert_near(x->audit, 1e-7, 0);
    assert_int_equal(x->plot_count, 2);
    assert_int_equal(x->plots[0].y_count, 2);
    assert_string_equal(var_text(&l, x->plots[0].y[1].label), "spring.e");
    assert_string_equal(var_text(&l, x->plots[0].y[1].unit), "N");
    assert_true(x->plots[1].x.what != 0);
    assert_int_equal(x->record_count, 2);
    assert_int_equal(x->probe_count, 6);
    assert_int_equal(x->expect_count, 5);
    assert_int_equal(x->probes[0].kind, PROBE_AT);
    assert_int_equal(x->probes[0].time, 0);
    assert_int_equal(x->probes[5].kind, PROBE_PARTIAL);
    assert_true(x->expects[1].relative);
    assert_int_equal(x->expects[2].relation, EXPECT_LESS);
    assert_string_equal(var_text(&l, x->expects[0].text), "spring.q(end) = 0.1 {m} within 1e-06");
    free_model(&l);
}

static void settings_reach_parameters_and_arguments(void **state) {
    (void)state;
    const char *set[] = {"k = 50 {N/m}, m = 7", "m = 3"};
    LangOptions options = {.set = set, .set_count = 2};
    Loaded l = load_model(text, NULL, &options);
    assert_non_null(l.model);
    assert_near(param_number(&l, "m"), 3, 0); // the last one of the command line wins
    assert_near(param_number(&l, "k"), 50, 0);
    assert_near(param_number(&l, "damper.R"), 5, 0);
    assert_near(expr_value(l.model->dag, find_var(&l, "spring.q")->start), 0.1, 0);
    free_model(&l);
}

static void the_asked_experiment_is_taken(void **state) {
    (void)state;
    Loaded l = {.names = names_new(), .sources = sources_new()};
    Syntax *s =
        lang_load_text(&l.arena, l.names, l.sources, "t.bond", text, strlen(text), NULL, &l.report);
    l.model = lang_instantiate(&l.arena, s, NULL, "Other", NULL, &l.experiment, &l.report);
    assert_non_null(l.model);
    assert_near(l.experiment->stop, 3, 0);
    assert_int_equal(l.experiment->points, 1000);
    assert_null(lang_instantiate(&l.arena, s, NULL, "Othre", NULL, NULL, &l.report));
    assert_int_equal(l.report.last->code, L_UNKNOWN_EXPERIMENT);
    assert_non_null(strstr(l.report.last->help, "Other"));
    assert_null(lang_instantiate(&l.arena, s, "N", NULL, NULL, NULL, &l.report));
    free_model(&l);
}

static char *write_text(Arena *a, const char *folder, const char *name, const char *content) {
    Report r = {0};
    char *path = path_join(a, folder, name);
    assert_true(file_write(path, content, strlen(content), &r));
    report_free(&r);
    return path;
}

static void imports_are_found_once_and_may_be_circular(void **state) {
    (void)state;
    char folder[] = "/tmp/bondyn_import_XXXXXX";
    assert_non_null(mkdtemp(folder));
    Loaded l = {.names = names_new(), .sources = sources_new()};
    char *paths[3] = {
        write_text(&l.arena, folder, "parts.bond",
                   "import \"main.bond\"\nconst two = 2\nfunction f(x) = two*x\n"
                   "model Part\n  param a = two\n  var x\n  x = f(a)*h\nend\nconst h = 1\n"),
        write_text(&l.arena, folder, "other.bond", "model Part\n  var y\n  y = 1\nend\n"),
        write_text(&l.arena, folder, "main.bond",
                   "import parts\nimport \"./parts.bond\"\nimport \"other.bond\"\nconst h = 3\n"
                   "model Main\n  parts.Part p(a = two)\n  other.Part o\n  var z\n  z = p.x*h\n"
                   "end\n"),
    };
    LangOptions options = {.library = folder};
    Syntax *s = lang_load(&l.arena, l.names, l.sources, paths[2], &options, &l.report);
    assert_int_equal(l.report.errors, 0);
    assert_int_equal(sources_count(l.sources), 3);
    l.model = lang_instantiate(&l.arena, s, NULL, NULL, &options, NULL, &l.report);
    assert_non_null(l.model);
    assert_true(has_equation(&l, "p.x = 2*p.a"));
    assert_true(has_equation(&l, "z = 3*p.x"));
    for (int i = 0; i < 3; i++) unlink(paths[i]);
    rmdir(folder);
    free_model(&l);
}

static void a_name_of_two_imports_is_ambiguous(void **state) {
    (void)state;
    char folder[] = "/tmp/bondyn_import_XXXXXX";
    assert_non_null(mkdtemp(folder));
    Loaded l = {.names = names_new(), .sources = sources_new()};
    char *paths[3] = {
        write_text(&l.arena, folder, "a.bond", "model P\n  var y\n  y = 1\nend\n"),
        write_text(&l.arena, folder, "b.bond", "model P\n  var y\n  y = 1\nend\n"),
        write_text(&l.arena, folder, "c.bond", "import a\nimport b\nmodel M\n  P p\nend\n"),
    };
    Syntax *s = lang_load(&l.arena, l.names, l.sources, paths[2], NULL, &l.report);
    assert_null(lang_instantiate(&l.arena, s, NULL, NULL, NULL, NULL, &l.report));
    assert_int_equal(l.report.first->code, L_AMBIGUOUS_NAME);
    for (int i = 0; i < 3; i++) unlink(paths[i]);
    rmdir(folder);
    free_model(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(experiments_are_read),
        cmocka_unit_test(settings_reach_parameters_and_arguments),
        cmocka_unit_test(the_asked_experiment_is_taken),
        cmocka_unit_test(imports_are_found_once_and_may_be_circular),
        cmocka_unit_test(a_name_of_two_imports_is_ambiguous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
