// Verbs as calls: bd_verb, what it lists, and messages while it works. Nothing but the public
// header.
#include "../test.h"

#include "bondyn.h"
#include <stdlib.h>
#include <string.h>

static const char swing[] = "model Swing\n"
                            "  param m = 1 {kg}, k = 100 {N/m}\n"
                            "  I mass(m)\n"
                            "  C spring(1/k, q0 = 0.1 {m})\n"
                            "  1 v\n"
                            "  v -> mass, spring\n"
                            "end\n"
                            "experiment Go of Swing\n"
                            "  stop 1 {s}\n"
                            "  solver rk78\n"
                            "end\n";

static char *read_swing(void *context, const char *path, size_t *length) {
    (void)context;
    if (strcmp(path, "swing.bond") != 0) return NULL;
    *length = sizeof swing - 1;
    char *text = malloc(sizeof swing);
    if (text) memcpy(text, swing, sizeof swing);
    return text;
}

static BdVerbOptions options_for(const char *const *argument, int arguments, const BdOption *option,
                                 int options) {
    BdVerbOptions o = bd_default_verb_options();
    o.argument = argument;
    o.argument_count = arguments;
    o.option = option;
    o.option_count = options;
    o.read = read_swing;
    return o;
}

static const char *const files[] = {"swing.bond", "Go"};

// +-i sqrt(k/m), with m = 4 kg: 5 rad/s
static void test_poles_of_a_text_in_memory(void **state) {
    (void)state;
    static const BdOption heavy[] = {{"set", "m = 4 {kg}"}};
    BdVerbOptions o = options_for(files, 2, heavy, 1);
    BdReport *r = bd_report_new();
    char *text = NULL;
    o.json = true;
    assert_int_equal(bd_verb("poles", &o, &text, r), BD_GOOD);
    assert_int_equal(bd_report_count(r), 0);
    assert_non_null(strstr(text, "\"verb\": \"poles\""));
    assert_non_null(strstr(text, "\"pole\": [0, 5]"));
    assert_non_null(strstr(text, "\"remarks\": []"));
    bd_free(text);
    bd_report_free(r);
}

typedef struct {
    size_t text;
    int phase[BD_ENDS + 1];
    int files;
    int stop; // after the first of the run
} Seen;

static bool see_text(void *context, const char *text, size_t length) {
    Seen *s = context;
    assert_true(strlen(text) == length);
    s->text += length;
    return true;
}

static void see_progress(void *context, BdPhase phase, const char *what, double fraction) {
    Seen *s = context;
    s->phase[phase]++;
    if (phase == BD_GOES_ON) assert_true(fraction >= 0 && fraction <= 1);
    if (phase == BD_GOES_ON) assert_string_equal(what, "Go");
    if (phase == BD_GOES_ON) s->stop = 1;
}

static void see_file(void *context, const char *path) {
    Seen *s = context;
    s->files += strcmp(path, "swing.bond") == 0;
}

static void test_callbacks_and_cancel(void **state) {
    (void)state;
    Seen seen = {0};
    BdVerbOptions o = options_for(files, 2, NULL, 0);
    o.text = see_text;
    o.progress = see_progress;
    o.file = see_file;
    o.cancel = &seen.stop;
    o.context = &seen;
    char *text = NULL;
    assert_int_equal(bd_verb("power", &o, &text, NULL), BD_INTERRUPTED);
    assert_string_equal(text, ""); // the callback has it
    bd_free(text);
    assert_true(seen.text > 0);
    assert_int_equal(seen.phase[BD_BEGINS], 1);
    assert_int_equal(seen.phase[BD_ENDS], 1);
    assert_true(seen.phase[BD_GOES_ON] > 0);
    assert_int_equal(seen.files, 1);
}

// A report may serve several calls: the outcome of a verb is its own, and each message is told
// once.
static void test_messages(void **state) {
    (void)state;
    static const BdOption wrong[] = {{"stp", "3"}, {"rtol", NULL}, {"json", "yes"}};
    BdVerbOptions o = options_for(files, 2, wrong, 3);
    BdReport *r = bd_report_new();
    assert_int_equal(bd_verb("run", &o, NULL, r), BD_WRONG_USE);
    assert_int_equal(bd_report_errors(r), 3);
    assert_string_equal(bd_report_message(r, 0)->text, "there is no option '--stp'");
    assert_string_equal(bd_report_message(r, 0)->remedy, "did you mean '--stop'?");
    assert_non_null(strstr(bd_report_tell(r, false, false), "wants a value"));
    assert_string_equal(bd_report_tell(r, false, false), "");
    o.option_count = 0;
    char *text = NULL;
    assert_int_equal(bd_verb("signals", &o, &text, r), BD_GOOD);
    assert_non_null(strstr(text, "spring.q"));
    bd_free(text);
    assert_true(bd_report_add(r, BD_WARNING, "T002", "the disk is nearly full", "make room"));
    assert_false(bd_report_add(r, BD_WARNING, "X999", "", NULL));
    assert_string_equal(bd_report_tell(r, false, true),
                        "warning T002: the disk is nearly full\n  help: make room\n"
                        "3 errors, 1 warning\n");
    assert_int_equal(bd_report_count(r), 4);
    bd_report_free(r);
}

// Lines are shown although the texts have gone with the model.
static void test_places_outlive_texts(void **state) {
    (void)state;
    char text[] = "model M\n  I mass(1 {kg})\n  bond -> mass\nend\n";
    BdReport *r = bd_report_new();
    assert_null(bd_load_text("wrong.bond", text, strlen(text), NULL, r));
    memset(text, 'x', sizeof text - 1);
    assert_non_null(strstr(bd_report_text(r), "     3 |   bond -> mass\n"));
    assert_int_equal(bd_report_message(r, 0)->line, 3);
    bd_report_free(r);
}

static void test_verbs_and_options_are_listed(void **state) {
    (void)state;
    BdVerbInfo verb;
    BdOptionInfo option;
    int verbs = 0, solvers = 0;
    for (int i = 0; bd_verb_info(i, &verb); i++) {
        assert_true(*verb.name && *verb.summary);
        for (int k = 0; bd_option_info(verb.name, k, &option); k++)
            solvers += strcmp(option.name, "solver") == 0;
        verbs++;
    }
    assert_true(verbs > 20 && solvers > 5);
    assert_false(bd_option_info("frobnicate", 0, &option));
    assert_int_equal(bd_verb("frobnicate", NULL, NULL, NULL), BD_WRONG_USE);
    assert_int_equal(bd_verb(NULL, NULL, NULL, NULL), BD_WRONG_USE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poles_of_a_text_in_memory),
        cmocka_unit_test(test_callbacks_and_cancel),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_places_outlive_texts),
        cmocka_unit_test(test_verbs_and_options_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
