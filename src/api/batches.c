// Many runs of one model, over SIMD lanes.
#include "api/handles.h"

#include "base/memory.h"
#include "run/batch.h"

typedef struct {
    const BdModel *of;
    const BdBatch *b;
    RunOptions options;
    Copy copy;
    int *var;    // per name: the parameter
    int next;    // run
    bool ended;  // the caller wants no more
    Arena arena; // of rows that are shown
} Task;

static bool next_run(void *context, BatchRun *run) {
    Task *t = context;
    if (t->ended || t->next >= t->b->runs) return false;
    run->number = t->next++;
    run->options = t->options;
    run->options.set_var = t->var;
    run->options.set_value = t->b->value + (size_t)run->number * (size_t)t->b->name_count;
    run->options.set_count = t->b->name_count;
    return true;
}

static void run_done(void *context, BatchRun *run) {
    Task *t = context;
    BdReport report = {0};
    report_hand_over(&run->report, t->of->sources, &report);
    BdRun shown = {.of = t->of, .run = run->run};
    if (run->run) shown.rows = rows_of(&t->arena, &run->run->results);
    if (!t->ended && !t->b->done(t->b->context, run->number, run->run ? &shown : NULL, &report))
        t->ended = true;
    bd_report_clear(&report);
    run_free(run->run);
    run->run = NULL;
    arena_free(&t->arena);
}

static bool find_parameters(Task *t, Report *r) {
    bool good = true;
    t->var = memory_zeroed((size_t)t->b->name_count + 1, sizeof *t->var);
    for (int i = 0; i < t->b->name_count; i++) {
        t->var[i] = settable_parameter(t->of, t->b->name[i], r);
        good = good && t->var[i] >= 0;
    }
    return good;
}

// A first run tells which method serves, and how long a run takes.
static bool run_all(Task *t, Report *r) {
    const System *s = &t->copy.system;
    Run *nominal = run_experiment(s, &t->options, r);
    if (!nominal) return false;
    BatchPlan plan = {
        .options = &t->options, .nominal = nominal, .runs = t->b->runs, .lanes = t->b->lanes};
    RunBatch *batch = batch_new(s, &plan);
    batch_run(batch, &(RunQueue){next_run, run_done, t, 0});
    batch_free(batch);
    run_free(nominal);
    return true;
}

int bd_batch(const BdModel *m, const BdBatch *b, const BdRunOptions *o, BdReport *r) {
    static const BdRunOptions nothing = {0};
    Task t = {.of = m, .b = b};
    Arena arena = {0};
    Report report = {0};
    copy_open(&t.copy, m);
    bool good = run_options_from(m, o ? o : &nothing, &arena, &t.options, &report);
    good = find_parameters(&t, &report) && good && run_all(&t, &report);
    report_hand_over(&report, m->sources, r);
    copy_close(&t.copy);
    free(t.var);
    arena_free(&arena);
    return good ? t.next : -1;
}
