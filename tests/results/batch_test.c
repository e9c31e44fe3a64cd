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

static void batch_open(Batch *b, const char *text, const char *const *factor, RunOptions options) {
    options.engine = ENGINE_VM;
    bench_run(&b->bench, text, &options);
    b->options = options;
    b->options.engine = ENGINE_NATIVE;
    for (b->factors = 0; factor[b->factors]; b->factors++)
        b->var[b->factors] = find_var(b->bench.built.model, factor[b->factors]);
    BatchPlan plan = {.options = &b->options, .nominal = b->bench.run, .runs = 1};
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

// Group `count` runs from values[0] on, which have `factors` numbers each.
static int compare_group(const Batch *b, const double *value, int count) {
    RunOptions o[MOST_LANES] = {0};
    Report report[MOST_LANES] = {0};
    Run *run[MOST_LANES];
    int done = 0;
    for (int i = 0; i < count; i++) o[i] = options_with(b, value + (size_t)(i * b->factors));
    batch_run(b->batch, o, count, report, run);
    for (int i = 0; i < count; i++) {
        Report alone = {0};
        o[i].engine = ENGINE_VM;
        Run *single = run_experiment(b->bench.built.system, &o[i], &alone);
        same_run(single, run[i]);
        same_words(&alone, &report[i]);
        done += run[i] && run[i]->status == SOLVE_DONE;
        run_free(single);
        run_free(run[i]);
        report_free(&alone);
        report_free(&report[i]);
    }
    return done;
}

// All runs in groups of every size. Gives: how many came to their end in groups of the full width.
static int compare(const Batch *b, const double *value, int runs) {
    int lanes = batch_lanes(b->batch), done = 0;
    assert_int_equal(lanes, native_lanes());
    for (int i = 0; i < runs; i += lanes)
        done +=
            compare_group(b, value + (size_t)(i * b->factors), runs - i < lanes ? runs - i : lanes);
    for (int count = 1; count < lanes; count++) compare_group(b, value, count);
    return done;
}

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
        "end\nexperiment E of M\n stop 3 {s}\n every 0.0173 {s}\n solver %s step 0.01 {s}\n"
        "expect x(1.2345 {s}) > -2\n expect integral(y) > 0\n expect max(y) > 0\nend\n";
    static const char *const method[] = {"euler", "heun", "rk4"};
    static const char *const factor[] = {"k", "a", NULL};
    double value[2 * 11];
    for (int i = 0; i < 11; i++) value[2 * i] = 1 + 0.37 * i, value[2 * i + 1] = 0.1 - 0.2 * i;
    for (int m = 0; m < 3; m++) {
        char with[1200];
        snprintf(with, sizeof with, text, method[m]);
        Batch b;
        batch_open(&b, with, factor, (RunOptions){0});
        assert_int_equal(compare(&b, value, 11), 11);
        batch_close(&b);
    }
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
        "experiment E of M\n stop 2 {s}\n points 77\n solver rk4 step 0.01 {s}\nend\n";
    static const char *const factor[] = {"e", "Ts", NULL};
    double value[2 * 9];
    for (int i = 0; i < 9; i++) value[2 * i] = 0.2 + 0.09 * i, value[2 * i + 1] = 0.1 + 0.013 * i;
    Batch b;
    batch_open(&b, text, factor, (RunOptions){0});
    compare(&b, value, 9);
    batch_close(&b);
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
        "experiment E of M\n stop 2 {s}\n points 50\n solver rk4 step 0.01 {s}\nend\n";
    static const char *const factor[] = {"k", NULL};
    double value[9];
    for (int i = 0; i < 9; i++) value[i] = 0.5 + 0.3 * i;
    Batch b;
    batch_open(&b, text, factor, (RunOptions){0});
    assert_int_equal(compare(&b, value, 9), 9);
    batch_close(&b);
}

// --- what goes wrong -----------------------------------------------------------------------------

static void a_lane_that_fails_leaves_the_others_alone(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] = "model M\n param k = 9, c = 1\n var x initial 1\n"
                               "der(x) = (sqrt(k - x^2) + 1/c)*1 {1/s}\nend\n"
                               "experiment E of M\n stop 1 {s}\n solver rk4 step 1e-3 {s}\nend\n";
    static const char *const factor[] = {"k", "c", NULL};
    static const double value[] = {90, 1, 2, 1, 80, 1, 91, 0, 0.5, 1, 70, 1, 60, 2, 95, 1};
    Batch b;
    batch_open(&b, text, factor, (RunOptions){.stop = 0.1});
    b.options.stop = 1;
    assert_int_equal(compare(&b, value, 8), 5);
    batch_close(&b);
}

static void an_assertion_ends_one_run(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] = "model M\n param k = 1\n var x initial 0\n der(x) = k*1 {1/s}\n"
                               "assert x < 2, \"x is too large\"\nend\n"
                               "experiment E of M\n stop 1 {s}\n solver heun step 1e-2 {s}\nend\n";
    static const char *const factor[] = {"k", NULL};
    static const double value[] = {1, 3, 0.5, 2.5, 1.9};
    Batch b;
    batch_open(&b, text, factor, (RunOptions){0});
    assert_int_equal(compare(&b, value, 5), 3);
    batch_close(&b);
}

// An expectation at a time that is a parameter: such runs have other points each.
static void points_of_their_own(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] = "model M\n param T = 0.5 {s}\n var x initial 1\n"
                               "der(x) = -x*1 {1/s}\nend\n"
                               "experiment E of M\n stop 1 {s}\n solver rk4 step 1e-2 {s}\n"
                               "expect x(T) = exp(-T/(1 {s})) within 1e-8\nend\n";
    static const char *const factor[] = {"T", NULL};
    static const double value[] = {0.123, 0.77, 0.5, 0.9};
    Batch b;
    batch_open(&b, text, factor, (RunOptions){0});
    assert_int_equal(compare(&b, value, 4), 4);
    batch_close(&b);
}

static void cancelled_runs_end(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] = "model M\n param k = 1\n var x initial 1\n der(x) = -k*x*1 {1/s}\n"
                               "end\nexperiment E of M\n stop 1 {s}\n solver rk4 step 1e-2 {s}\n"
                               "end\n";
    static const char *const factor[] = {"k", NULL};
    static const double value[] = {1, 2};
    volatile int cancel = 0;
    Batch b;
    batch_open(&b, text, factor, (RunOptions){0});
    cancel = 1;
    b.options.cancel = &cancel;
    assert_int_equal(compare_group(&b, value, 2), 0);
    batch_close(&b);
}

static void what_does_not_fit_goes_one_by_one(void **state) {
    (void)state;
    if (no_compiler()) skip();
    static const char text[] = "model M\n param k = 1\n var x initial 1\n der(x) = -k*x*1 {1/s}\n"
                               "end\nexperiment E of M\n stop 1 {s}\nend\n";
    static const char *const factor[] = {"k", NULL};
    static const double value[] = {1.5};
    Batch b;
    batch_open(&b, text, factor, (RunOptions){0});
    assert_int_equal(batch_lanes(b.batch), 1);
    assert_non_null(strstr(batch_words(b.batch), "one run at a time: the method"));
    assert_int_equal(compare_group(&b, value, 1), 1);
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
