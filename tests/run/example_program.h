// An example as a program that gives some of its values and integrates some of its rates.
#ifndef BONDYN_TESTS_RESULTS_EXAMPLE_PROGRAM_H
#define BONDYN_TESTS_RESULTS_EXAMPLE_PROGRAM_H

#include "../pipeline.h"
#include "../test.h"
#include "engine/program.h"

// At most `most` values. The caller frees both.
static inline Program *example_program(Built *b, const char *path, int most) {
    LangOptions options = {.library = BONDYN_SOURCE "/library"};
    if (!build_file(b, path, &options)) fail_msg("%s cannot be built", path);
    Expr *wanted = ARENA_ARRAY(&b->arena, Expr, most);
    ProgramOptions wish = {.output = wanted};
    for (int i = 0; i < b->model->var_count && wish.output_count < most; i++)
        if (b->system->value[i]) wanted[wish.output_count++] = b->system->value[i];
    wish.quadrature = b->system->rate;
    wish.quadrature_count = b->system->state_count < 3 ? b->system->state_count : 3;
    Program *p = program_build(b->system, &wish, &b->report);
    if (!p) fail_msg("%s: no program", path);
    return p;
}

#endif
