// Sixteen threads on one model: each gives what one thread alone gives, to the last bit. Built with
// ThreadSanitizer
// (`make threads`) it also shows that nothing is shared that somebody writes.
#include "../test.h"

#include "bondyn.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 16 };

// A pendulum in Cartesian coordinates (states chosen during the run), a loop without a closed form,
// dry friction that switches, a table, and a failure for some parameters.
static const char text[] = "import translation\n"
                           "table t(x) smooth\n"
                           "  0, 0\n"
                           "  1, 0.5\n"
                           "  2, 0.3\n"
                           "  3, 0\n"
                           "end\n"
                           "model M\n"
                           "  param Fs = 2 {N}\n"
                           "  var x initial 1, z initial 0.1\n"
                           "  der(x) = -z*x^3/(1 {s})\n"
                           "  z + 0.1*sin(z) = t(time/(1 {s}))\n"
                           "  Force f(u = 5 {N}*sin(3 {rad/s}*time))\n"
                           "  Mass m(m = 1, v0 = 2 {m/s})\n"
                           "  DryFriction b(Fs = Fs)\n"
                           "  1 w\n"
                           "  f -> w -> m, b\n"
                           "end\n"
                           "experiment E of M\n"
                           "  stop 2 {s}\n"
                           "  points 20\n"
                           "  solver cvode rtol 1e-8\n"
                           "end\n";

typedef struct {
    const BdModel *model;
    int number;
    double end[3];
    size_t length; // of a text
    bool good;
} Work;

static const char *const watched[] = {"x", "z", "w.f"};

static void *work(void *context) {
    Work *w = context;
    BdSetting set = {"Fs", 1 + 0.25 * w->number};
    BdRunOptions o = bd_default_run_options();
    o.set = &set;
    o.set_count = 1;
    o.engine = "vm";
    BdReport *r = bd_report_new();
    BdRun *run = bd_run(w->model, &o, r);
    w->good = run && bd_status(run) == BD_DONE;
    for (int i = 0; run && i < 3; i++) w->end[i] = bd_final(run, watched[i]);
    bd_run_free(run);
    run = bd_start(w->model, &o, r);
    for (int i = 1; run && i <= 4; i++) w->good = bd_advance(run, 0.5 * i, r) && w->good;
    for (int i = 0; run && i < 3; i++) w->good = w->good && bd_value(run, watched[i]) == w->end[i];
    bd_run_free(run);
    set.name = "nothing"; // a failure explains itself from names that all share
    w->good = w->good && !bd_run(w->model, &o, r) && bd_report_errors(r) == 1;
    char *equations = bd_text(w->model, BD_EQUATIONS_TEXT);
    w->length = strlen(equations);
    bd_free(equations);
    bd_report_free(r);
    return NULL;
}

static void test_threads_do_not_meet(void **state) {
    (void)state;
    BdLoadOptions o = bd_default_load_options();
    o.library = BONDYN_SOURCE "/library";
    BdReport *r = bd_report_new();
    BdModel *m = bd_load_text("m.bond", text, strlen(text), &o, r);
    if (!m) print_message("%s", bd_report_text(r));
    assert_non_null(m);
    bd_report_free(r);
    Work alone[THREADS], together[THREADS];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        alone[i] = together[i] = (Work){.model = m, .number = i};
        work(&alone[i]);
        assert_true(alone[i].good);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work, &together[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_true(together[i].good);
        assert_memory_equal(alone[i].end, together[i].end, sizeof alone[i].end);
        assert_int_equal(alone[i].length, together[i].length);
    }
    bd_model_free(m);
}

// One thread is advancing, another asks it to pause; then a third goes on.
static void *go_on(void *run) {
    while (bd_status(run) == BD_GOING)
        if (!bd_advance(run, 2, NULL)) break;
    return NULL;
}

static void *advance_once(void *run) {
    bd_advance(run, 2, NULL);
    return NULL;
}

static void test_a_run_is_paused_from_outside(void **state) {
    (void)state;
    BdLoadOptions o = bd_default_load_options();
    o.library = BONDYN_SOURCE "/library";
    BdModel *m = bd_load_text("m.bond", text, strlen(text), &o, NULL);
    BdRunOptions how = bd_default_run_options();
    how.engine = "vm";
    BdRun *run = bd_start(m, &how, NULL), *whole = bd_run(m, &how, NULL);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, advance_once, run), 0);
    bd_pause(run);
    pthread_join(thread, NULL);
    assert_int_equal(pthread_create(&thread, NULL, go_on, run), 0);
    pthread_join(thread, NULL);
    assert_int_equal(bd_status(run), BD_DONE);
    for (int i = 0; i < 3; i++)
        assert_true(bd_final(run, watched[i]) == bd_final(whole, watched[i]));
    bd_run_free(run);
    bd_run_free(whole);
    bd_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads_do_not_meet),
                                       cmocka_unit_test(test_a_run_is_paused_from_outside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
