// Any text through the whole pipeline: load, instantiate, causality, equations, and a short run.
// Nothing may crash, hang or hand on a number that is not finite without a report.
#include "../pipeline.h"

#include "results/results.h"
#include <math.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// An experiment may ask for a billion honest steps; the fuzzer looks at the first ones, at fewer of
// a large model, so that every input gets about the same work.
static void run_briefly(Built *b) {
    int steps = 20 + 200000 / (1 + b->model->var_count);
    RunOptions options = {
        .stop = 1e-2, .solver = SOLVER_HEUN, .most_steps = steps < 2000 ? steps : 2000};
    Run *run = run_experiment(b->system, &options, &b->report);
    if (!run) return;
    for (int c = 0; run->status == SOLVE_DONE && c < run->results.column_count; c++)
        for (int row = 0; row < run->results.row_count; row++)
            if (!isfinite(run->results.column[c].value[row]) && !b->report.errors &&
                !b->report.warnings)
                __builtin_trap();
    run_free(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    LangOptions options = {.library = BONDYN_SOURCE "/library", .most_scalars = 5000};
    Built b;
    if (build_text(&b, (const char *)data, size, NULL, NULL, &options)) run_briefly(&b);
    build_free(&b);
    return 0;
}
