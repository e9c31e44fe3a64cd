// Runs over lanes against the same runs one by one on the virtual machine: every bit of what is
// recorded, the audit, verdicts, steps and events, and what is said when one fails.
#ifndef BONDYN_TESTS_RESULTS_BATCHES_H
#define BONDYN_TESTS_RESULTS_BATCHES_H

#include "bench.h"

#include "engine/lanes.h"
#include "run/batch.h"
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

static inline int find_var(const Model *m, const char *path) {
    for (int v = 0; v < m->var_count; v++)
        if (strcmp(name_text(m->names, m->var[v].path), path) == 0) return v;
    fail_msg("no parameter '%s'", path);
    return -1;
}

static inline void batch_open(Batch *b, const char *text, const char *const *factor,
                              RunOptions options, int lanes) {
    options.engine = ENGINE_VM;
    bench_run(&b->bench, text, &options);
    b->options = built_options(&b->bench.built, &options);
    b->options.engine = ENGINE_NATIVE;
    for (b->factors = 0; factor[b->factors]; b->factors++)
        b->var[b->factors] = find_var(b->bench.built.model, factor[b->factors]);
    BatchPlan plan = {.options = &b->options, .nominal = b->bench.run, .runs = 1, .lanes = lanes};
    b->batch = batch_new(b->bench.built.system, &plan);
}

static inline void batch_close(Batch *b) {
    batch_free(b->batch);
    bench_close(&b->bench);
}

static inline RunOptions options_with(const Batch *b, const double *value) {
    RunOptions o = b->options;
    o.set_var = b->var;
    o.set_value = value;
    o.set_count = b->factors;
    return o;
}

static inline void same_bits(const char *what, int i, double a, double b) {
    if (memcmp(&a, &b, sizeof a) != 0 && !(isnan(a) && isnan(b)))
        fail_msg("%s %d: %a alone, %a over lanes", what, i, a, b);
}

static inline void same_extremes(const Run *a, const Run *b) {
    assert_int_equal(a->least == NULL, b->least == NULL);
    for (int c = 0; a->least && c < a->results.column_count; c++) {
        same_bits("least value of column", c, a->least[c], b->least[c]);
        same_bits("largest value of column", c, a->most[c], b->most[c]);
    }
}

static inline void same_results(const Run *a, const Run *b) {
    assert_int_equal(a->results.row_count, b->results.row_count);
    assert_int_equal(a->results.complete, b->results.complete);
    for (int c = 0; c < a->results.column_count; c++)
        for (int i = 0; i < a->results.row_count; i++)
            same_bits(a->results.column[c].name, i, a->results.column[c].value[i],
                      b->results.column[c].value[i]);
    for (int i = 0; i < a->verdict_count; i++)
        same_bits("verdict", i, a->verdict[i].left, b->verdict[i].left);
}

static inline void same_run(const Run *a, const Run *b) {
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
    same_extremes(a, b);
}

static inline void same_words(const Report *a, const Report *b) {
    const Remark *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next) assert_string_equal(x->message, y->message);
    assert_true(!x && !y);
}

typedef struct { // runs that wait, with `factors` numbers each
    const Batch *batch;
    const double *value;
    int count, begun, ended, done;
} Queue;

static inline bool next_run(void *context, BatchRun *r) {
    Queue *q = context;
    if (q->begun == q->count) return false;
    r->number = q->begun++;
    r->options = options_with(q->batch, q->value + (size_t)(r->number * q->batch->factors));
    return true;
}

static inline void run_ended(void *context, BatchRun *r) {
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
static inline int compare_runs(const Batch *b, const double *value, int count, int at_once) {
    Queue q = {b, value, count, 0, 0, 0};
    batch_run(b->batch, &(RunQueue){next_run, run_ended, &q, at_once});
    assert_int_equal(q.ended, count);
    return q.done;
}

// All runs with every number at once.
static inline void compare(const Batch *b, const double *value, int runs, int done) {
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
static inline void agrees(const Ensemble *e, const char *const *method) {
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

static inline bool no_compiler(void) { return system("cc --version > /dev/null 2>&1") != 0; }

// The tests with the suite's cache, so that both suites compile the same code once; with one of
// their own where there is none.
#define RUN_BATCH_TESTS(tests)                                                                     \
    char folder[] = "/tmp/bondyn_batch_XXXXXX", command[64];                                       \
    if (getenv("XDG_CACHE_HOME")) return cmocka_run_group_tests(tests, NULL, NULL);                \
    if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1) != 0) return 1;                    \
    int failed = cmocka_run_group_tests(tests, NULL, NULL);                                        \
    snprintf(command, sizeof command, "rm -r %s", folder);                                         \
    return failed + (system(command) != 0)

#endif
