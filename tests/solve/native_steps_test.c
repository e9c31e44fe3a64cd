// Whole steps by native code against steps stage by stage on the virtual machine: every bit of
// states, outputs and integrals, steps and calls, and what is said when a run fails.
#include "runs.h"

#include <unistd.h>

static bool has_compiler(void) { return system("cc --version > /dev/null 2>&1") == 0; }

static void same_bits(const char *what, int row, const double *a, const double *b, int count) {
    for (int i = 0; i < count && i < 4; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0)
            fail_msg("%s %d in row %d: %a stage by stage, %a native", what, i, row, a[i], b[i]);
}

static void same_records(const Record *a, const Record *b) {
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->stats.steps, b->stats.steps);
    assert_int_equal(a->stats.events, b->stats.events);
    for (int i = 0; i < a->count; i++) {
        same_bits("time", i, &a->time[i], &b->time[i], 1);
        same_bits("state", i, a->state[i], b->state[i], a->states);
        same_bits("output", i, a->output[i], b->output[i], a->outputs);
        same_bits("integral", i, a->quad[i], b->quad[i], a->quads);
    }
}

static void same_words(const Report *a, const Report *b) {
    const Remark *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next) assert_string_equal(x->message, y->message);
    assert_true(!x && !y);
}

// All methods; gives the number of runs that came to their end.
static int compare(Fixture *f, How how) {
    static const SolverKind method[] = {SOLVER_EULER, SOLVER_HEUN, SOLVER_RK4};
    char folder[] = "/tmp/bondyn_steps_XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    Program *p = fixture_program(f);
    Native *n = native_start(p, &(NativeOptions){.folder = folder});
    if (native_wait(n) != NATIVE_READY) fail_msg("%s", native_words(n));
    int done = 0;
    for (int i = 0; i < 3; i++) {
        Report alone = {0}, native = {0};
        how.method = method[i];
        how.native = NULL;
        Record *a = run_on(p, how, &alone);
        how.native = n;
        Record *b = run_on(p, how, &native);
        assert_true(b->stats.native);
        same_records(a, b);
        same_words(&alone, &native);
        if (a->status == SOLVE_DONE) {
            done++;
            assert_int_equal(a->stats.derivative_calls, b->stats.derivative_calls);
        }
        free(a);
        free(b);
        report_free(&alone);
        report_free(&native);
    }
    native_free(n);
    program_free(p);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    return done;
}

// A pendulum with a drag; wanted points beside the grid.
static void smooth_runs_agree(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "x", 1), v = fixture_state(f, "v", 0.5);
    Expr drag = expr_mul(d, fixture_number(f, 0.1), expr_mul(d, v, fixture_call(f, OP_ABS, v, 0)));
    f->rate[0] = v;
    f->rate[1] = expr_neg(d, expr_add(d, fixture_call(f, OP_SIN, x, 0), drag));
    f->quad[f->quad_count++] = expr_mul(d, v, v);
    f->quad[f->quad_count++] = expr_mul(d, drag, v);
    f->output[f->output_count++] = fixture_call(f, OP_COS, x, 0);
    assert_int_equal(compare(f, (How){.stop = 3, .step = 0.01, .points = 173}), 3);
    fixture_free(f);
}

// A relation that switches several times: steps end where it does.
static void runs_with_events_agree(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "x", 1), v = fixture_state(f, "v", 0);
    Expr below = fixture_call(f, OP_LESS, x, fixture_number(f, 0.25));
    f->rate[0] = v;
    f->rate[1] = expr_sub(d, expr_mul(d, fixture_number(f, 5), below), x);
    f->output[f->output_count++] = below;
    assert_int_equal(compare(f, (How){.stop = 4, .step = 0.02, .points = 50}), 3);
    fixture_free(f);
}

// x' = x^2 leaves all numbers behind soon after t = 1: the same time and the same words.
static void runs_that_fail_agree(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    Fixture *f = fixture_new();
    Expr x = fixture_state(f, "x", 1);
    f->rate[0] = expr_mul(f->dag, x, x);
    assert_int_equal(compare(f, (How){.stop = 3, .step = 0.01, .points = 30}), 0);
    fixture_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_runs_agree),
        cmocka_unit_test(runs_with_events_agree),
        cmocka_unit_test(runs_that_fail_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
