// Runs over lanes against the same runs one by one on the virtual machine: every bit of what is
// recorded, the audit, verdicts, steps and events, and what is said when one fails.
#include "bench.h"

#include "engine/lanes.h"
#include "results/batch.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FACTORS = 2 };

typedef struct {
    Bench bench;
    int var[MOST_FACTORS], factors;
    RunOptions options; // of every run
    RunBatch *batch;
} Batch;

static int find_var(const Model *m, const char *path) {
    for (int v = 0; v < m->var_count; v++)
        if (strcmp(name_text(m->names, m->var[v].path), path) == 0) return v;
    fail_msg("no parameter '%s'", path);
    return -1;
}

static void batch_open(Batch *b, const char *text, const char *const *factor, RunOptions options,
                       int lanes) {
    options.engine = ENGINE_VM;
    bench_run(&b->bench, text, &options);
    b->options = options;
    b->options.engine = ENGINE_NATIVE;
    for (b->factors = 0; factor[b->factors]; b->factors++)
        b->var[b->factors] = find_var(b->bench.built.model, factor[b->factors]);
    BatchPlan plan = {.options = &b->options, .nominal = b->bench.run, .runs = 1, .lanes = lanes};
    b->batch = batch_new(b->bench.built.system, &plan);
}

static void batch_close(Batch *b) {
    batch_free(b->batch);
    bench_close(&b->bench);
}

static RunOptions options_with(const Batch *b, const double *value) {
    RunOptions o = b->options;
    o.set_var = b->var;
    o.set_value = value;
    o.set_count = b->factors;
    return o;
}

static void same_bits(const char *what, int i, double a, double b) {
    if (memcmp(&a, &b, sizeof a) != 0 && !(isnan(a) && isnan(b)))
        fail_msg("%s %d: %a alone, %a over lanes", what, i, a, b);
}

static void same_results(const Run *a, const Run *b) {
    assert_int_equal(a->results.row_count, b->results.row_count);
    assert_int_equal(a->results.complete, b->results.complete);
    for (int c = 0; c < a->results.column_count; c++)
        for (int i = 0; i < a->results.row_count; i++)
            same_bits(a->results.column[c].name, i, a->results.column[c].value[i],
                      b->results.column[c].value[i]);
    for (int i = 0; i < a->verdict_count; i++)
        same_bits("verdict", i, a->verdict[i].left, b->verdict[i].left);
}

static void same_run(const Run *a, const Run *b) {
    assert_int_equal(a == NULL, b == NULL);
    if (!a) return;
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->not_finite, b->not_finite);
    assert_int_equal(a->stats.events, b->stats.events);
    assert_int_equal(a->stats.steps, b->stats.steps);
    assert_int_equal(a->stats.rejected, b->stats.rejected);
    if (a->status == SOLVE_DONE)
        assert_int_equal(a->stats.derivative_calls, b->stats.derivative_calls);
    assert_int_equal(a->failed_count, b->failed_count);
    same_bits("residual", 0, a->audit.residual, b->audit.residual);
    same_bits("throughput", 0, a->audit.throughput, b->audit.throughput);
    same_results(a, b);
}

static void same_words(const Report *a, const Report *b) {
    const Remark *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next) assert_string_equal(x->message, y->message);
    assert_true(!x && !y);
}

typedef struct { // runs that wait, with `factors` numbers each
    const Batch *batch;
    const double *value;
    int count, begun, ended, done;
} Queue;

static bool next_run(void *context, BatchRun *r) {
    Queue *q = context;
    if (q->begun == q->count) return false;
    r->number = q->begun++;
    r->options = options_with(q->batch, q->value + (size_t)(r->number * q->batch->factors));
    return true;
}

static void run_ended(void *context, BatchRun *r) {
    Queue *q = context;
    Report alone = {0};
    r->options.engine = ENGINE_VM;
    Run *single = run_experiment(q->batch->bench.built.system, &r->options, &alone);
    same_run(single, r->run);
    same_words(&alone, &r->report);
    q->ended++;
    q->done += r->run && r->run->status == SOLVE_DONE;
    run_free(single);
    run_free(r->run);
    report_free(&alone);
    report_free(&r->report);
}

// Gives: how many of the runs came to their end.
static int compare_runs(const Batch *b, const double *value, int count, int at_once) {
    Queue q = {b, value, count, 0, 0, 0};
    batch_run(b->batch, &(RunQueue){next_run, run_ended, &q, at_once});
    assert_int_equal(q.ended, count);
    return q.done;
}

// All runs with every number at once.
static void compare(const Batch *b, const double *value, int runs, int done) {
    for (int count = 0; count < batch_lanes(b->batch); count++) {
        int ended = compare_runs(b, value, runs, count);
        if (done >= 0) assert_int_equal(ended, done);
    }
}

typedef struct {
    const char *text; // with %s for the method
    const char *factor[MOST_FACTORS + 1];
    const double *value;
    int runs, done;     // -1: that depends on the method
    RunOptions nominal; // the others go on to their end
    bool all_widths;    // of vectors; else what this processor has
} Ensemble;

// Vectors of any width run anywhere.
static void agrees(const Ensemble *e, const char *const *method) {
    for (int lanes = 2; lanes <= MOST_LANES; lanes *= 2)
        for (int m = 0; method[m]; m++) {
            if (!e->all_widths && lanes != native_lanes()) continue;
            char text[2000];
            Batch b;
            snprintf(text, sizeof text, e->text, method[m]);
            batch_open(&b, text, e->factor, e->nominal, lanes);
            b.options.stop = 0;
            assert_int_equal(batch_lanes(b.batch), lanes);
            compare(&b, e->value, e->runs, e->done);
            batch_close(&b);
        }
}

static const char *const fixed_and_free[] = {"rk4 step 0.01 {s}", "rk78", NULL};

static bool no_compiler(void) { return system("cc --version > /dev/null 2>&1") != 0; }

// --- runs ----------------------------------------------------------------------------------------

// All kinds of operations; wanted points beside the grid, integrals, extremes.
static void smooth_runs_agree(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] =
        "table T(x) linear\n -2, 1\n 0, 0.5\n 1, 0.7\n 3, 2\nend\n"
        "model M\n param k = 2 {1/s2}, a = 0.3\n"
        "var x initial 1, v {1/s} initial a*1 {1/s}, y\n"
        "der(x) = v\n der(v) = -k*(sin(x) + 0.1*tanh(x)^3)\n"
        "der(y) = (exp(-abs(x)) + max(x, 0.2)*T(x) + sqrt(1 + x^2) + atan2(v*1 {s}, 2))*1 {1/s}\n"
        "end\nexperiment E of M\n stop 3 {s}\n every 0.0173 {s}\n solver %s\n"
        "expect x(1.2345 {s}) > -2\n expect integral(y) > 0\n expect max(y) > 0\nend\n";
    static const char *const method[] = {"euler step 0.01 {s}", "heun step 0.01 {s}",
                                         "rk4 step 0.01 {s}",   "rk78",
                                         "rk78 rtol 1e-11",     NULL};
    double value[2 * 11];
    for (int i = 0; i < 11; i++) value[2 * i] = 1 + 0.37 * i, value[2 * i + 1] = 0.1 - 0.2 * i;
    agrees(&(Ensemble){text, {"k", "a"}, value, 11, 11, {0}, true}, method);
}

// Bounces at other times in every lane; a relation; samples with other periods in every lane; one
// lane bounces without end.
static void events_agree(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] =
        "model M\n param e = 0.8, Ts = 0.13 {s}\n"
        "var h {m} initial 1 {m}, v {m/s}, u discrete, n discrete\n"
        "der(h) = v\n der(v) = -9.81 {m/s2} + u*1 {m/s2} + (if h > 0.5 {m} then 1 {m/s2} else 0 "
        "{m/s2})\n"
        "when h <= 0 {m} then\n reinit(v, -e*pre(v))\n n = pre(n) + 1\n end\n"
        "when sample(Ts) then\n u = 0.1*h/(1 {m})\n end\nend\n"
        "experiment E of M\n stop 2 {s}\n points 77\n solver %s\nend\n";
    double value[2 * 9];
    for (int i = 0; i < 9; i++) value[2 * i] = 0.2 + 0.09 * i, value[2 * i + 1] = 0.1 + 0.013 * i;
    agrees(&(Ensemble){text, {"e", "Ts"}, value, 9, -1, {0}, true}, fixed_and_free);
}

// Kinks of tables of time and of states, steps of floor and mod, met at other times in every lane.
static void pieces_agree(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] =
        "table T(x) linear\n 0, 1\n 0.4, 0.5\n 1.1, 0.7\n 3, 2\nend\n"
        "model M\n param k = 2 {1/s}\n var x initial 0, y initial 0\n"
        "der(x) = T(y)*1 {1/s} + T(time*k)*1 {1/s}\n"
        "der(y) = (1 + 0.3*floor(3*x) + 0.2*mod(x, 0.7) + 0.1*ceil(k*time))*1 {1/s}\nend\n"
        "experiment E of M\n stop 2 {s}\n points 50\n solver %s\nend\n";
    double value[9];
    for (int i = 0; i < 9; i++) value[i] = 0.5 + 0.3 * i;
    agrees(&(Ensemble){text, {"k"}, value, 9, 9, {0}, false}, fixed_and_free);
}

// --- what goes wrong -----------------------------------------------------------------------------

static void a_lane_that_fails_leaves_the_others_alone(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] = "model M\n param k = 9, c = 1\n var x initial 1\n"
                               "der(x) = (sqrt(k - x^2) + 1/c)*1 {1/s}\nend\n"
                               "experiment E of M\n stop 1 {s}\n solver %s\nend\n";
    static const double value[] = {90, 1, 2, 1, 80, 1, 91, 0, 0.5, 1, 70, 1, 60, 2, 95, 1};
    agrees(&(Ensemble){text, {"k", "c"}, value, 8, 5, {.stop = 0.1}, false}, fixed_and_free);
}

static void an_assertion_ends_one_run(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] = "model M\n param k = 1\n var x initial 0\n der(x) = k*1 {1/s}\n"
                               "assert x < 2, \"x is too large\"\nend\n"
                               "experiment E of M\n stop 1 {s}\n solver %s\nend\n";
    static const double value[] = {1, 3, 0.5, 2.5, 1.9};
    agrees(&(Ensemble){text, {"k"}, value, 5, 3, {0}, false}, fixed_and_free);
}

// An expectation at a time that is a parameter: such runs have other points each.
static void points_of_their_own(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] = "model M\n param T = 0.5 {s}\n var x initial 1\n"
                               "der(x) = -x*1 {1/s}\nend\n"
                               "experiment E of M\n stop 1 {s}\n solver %s\n"
                               "expect x(T) = exp(-T/(1 {s})) within 1e-8\nend\n";
    static const double value[] = {0.123, 0.77, 0.5, 0.9};
    agrees(&(Ensemble){text, {"T"}, value, 4, 4, {0}, false}, fixed_and_free);
}

static void cancelled_runs_end(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] = "model M\n param k = 1\n var x initial 1\n der(x) = -k*x*1 {1/s}\n"
                               "end\nexperiment E of M\n stop 1 {s}\n solver %s\nend\n";
    static const char *const factor[] = {"k", NULL};
    static const double value[] = {1, 2};
    for (int m = 0; fixed_and_free[m]; m++) {
        volatile int cancel = 0;
        char with[400];
        Batch b;
        snprintf(with, sizeof with, text, fixed_and_free[m]);
        batch_open(&b, with, factor, (RunOptions){0}, 0);
        assert_int_equal(batch_lanes(b.batch), native_lanes());
        cancel = 1;
        b.options.cancel = &cancel;
        assert_int_equal(compare_runs(&b, value, 2, 0), 0);
        batch_close(&b);
    }
}

static void what_does_not_fit_goes_one_by_one(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] = "model M\n param k = 1\n var x initial 1\n der(x) = -k*x*1 {1/s}\n"
                               "end\nexperiment E of M\n stop 1 {s}\nend\n";
    static const char *const factor[] = {"k", NULL};
    static const double value[] = {1.5};
    Batch b;
    batch_open(&b, text, factor, (RunOptions){0}, 0);
    assert_int_equal(batch_lanes(b.batch), 1);
    assert_non_null(strstr(batch_words(b.batch), "one run at a time: the method"));
    assert_int_equal(compare_runs(&b, value, 1, 0), 1);
    batch_close(&b);
}

int main(void) {
    char folder[] = "/tmp/bondyn_batch_XXXXXX", command[64];
    if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1) != 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_runs_agree),
        cmocka_unit_test(events_agree),
        cmocka_unit_test(pieces_agree),
        cmocka_unit_test(a_lane_that_fails_leaves_the_others_alone),
        cmocka_unit_test(an_assertion_ends_one_run),
        cmocka_unit_test(points_of_their_own),
        cmocka_unit_test(cancelled_runs_end),
        cmocka_unit_test(what_does_not_fit_goes_one_by_one),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return failed + (system(command) != 0);
}
