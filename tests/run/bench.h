// A model text taken through all stages to its run.
#ifndef BONDYN_TESTS_RESULTS_BENCH_H
#define BONDYN_TESTS_RESULTS_BENCH_H

#include "../pipeline.h"
#include "../test.h"

#include "run/run.h"

typedef struct {
    Built built;
    Run *run;
} Bench;

static inline void show_report(Bench *b) {
    Text t = {0};
    report_print(&t, &b->built.report, b->built.sources);
    if (b->run) verdicts_print(&t, b->run, b->built.system);
    if (t.length) print_message("%s", text_get(&t));
    text_free(&t);
}

static inline void bench_open(Bench *b, const char *text) {
    LangOptions o = {.library = BONDYN_SOURCE "/library"};
    b->run = NULL;
    if (build_text(&b->built, text, strlen(text), NULL, NULL, &o)) return;
    show_report(b);
    fail_msg("the model cannot be built");
}

static inline void bench_run(Bench *b, const char *text, const RunOptions *o) {
    bench_open(b, text);
    b->run = built_run(&b->built, o);
    if (!b->run) show_report(b);
    assert_non_null(b->run);
}

static inline void bench_close(Bench *b) {
    run_free(b->run);
    build_free(&b->built);
}

// --- seeds: models that carry their own expectations ---------------------------------------------

// Writes the model of a seed and its experiment.
typedef void (*SeedWriter)(Text *t, int seed);

// Whether all expectations hold, `least` or more of them; otherwise the text and why not are shown.
static inline bool seed_holds(SeedWriter write, int seed, int least) {
    Text t = {0};
    Bench b = {0};
    LangOptions o = {.library = BONDYN_SOURCE "/library"};
    write(&t, seed);
    bool right = build_text(&b.built, text_get(&t), t.length, NULL, NULL, &o);
    if (right) b.run = built_run(&b.built, NULL);
    right = b.run && b.run->failed_count == 0 && b.run->verdict_count >= least;
    if (!right) {
        print_message("--- seed %d\n%s", seed, text_get(&t));
        show_report(&b);
    }
    text_free(&t);
    bench_close(&b);
    return right;
}

static inline void seeds_hold(SeedWriter write, int seeds, int least) {
    int wrong = 0;
    for (int seed = 0; seed < seeds; seed++) wrong += !seed_holds(write, seed, least);
    if (wrong) fail_msg("%d of %d seeds are wrong", wrong, seeds);
}

#endif
