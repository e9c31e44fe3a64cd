// Any text through the whole pipeline: load, instantiate, causality, equations, and a short run.
// Nothing may crash, hang or hand on a number that is not finite without a report.
#include "../pipeline.h"

#include "run/run.h"
#include <math.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// An experiment may ask for a billion honest steps, and here all goes thirty times slower than in
// the program: the fuzzer looks at the first steps, at fewer of a large model. Small models get the
// solver they ask for, with all it needs of them; large ones the cheapest.
static void run_briefly(Built *b) {
    enum { SMALL = 4000, MOST_STEPS = 2000 };
    int nodes = (int)dag_size(b->model->dag), steps = 20 + 2000000 / (1 + nodes);
    RunOptions options = {.stop = 1e-2,
                          .solver = nodes < SMALL ? SOLVER_AUTO : SOLVER_HEUN,
                          .most_steps = steps < MOST_STEPS ? steps : MOST_STEPS};
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
