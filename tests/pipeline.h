// Text to system in one call, for tests of the later stages.
#ifndef BONDYN_TESTS_PIPELINE_H
#define BONDYN_TESTS_PIPELINE_H

#include "analysis/asked.h"
#include "run/pipeline.h"
#include "run/run.h"
#include <string.h>

typedef struct {
    Pipeline pipeline;
    Arena arena;       // for what tests make besides
    Arena tree, bonds; // the syntax; given back as soon as the model is made
    Names *names;
    Sources *sources;
    Report report;
    Model *model;
    Graph *graph;
    System *system; // NULL: look at the report
} Built;

static inline LangOptions build_open(Built *b, const LangOptions *options) {
    *b = (Built){.names = names_new(), .sources = sources_new()};
    LangOptions with = pipeline_lang(options);
    with.bonds = &b->bonds;
    with.linear = linear_asked;
    return with;
}

static inline bool build_syntax(Built *b, Syntax *syntax, const char *model, const char *experiment,
                                const LangOptions *options) {
    if (b->report.errors) return false;
    PipelineOptions o = {.model = model,
                         .experiment = experiment,
                         .lang = *options,
                         .last = STAGE_SYSTEM,
                         .syntax = &b->tree};
    bool good = pipeline_build(&b->pipeline, syntax, &o, &b->report);
    b->model = b->pipeline.model;
    b->graph = b->pipeline.graph;
    b->system = b->pipeline.system;
    return good;
}

static inline bool build_text(Built *b, const char *text, size_t length, const char *model,
                              const char *experiment, const LangOptions *options) {
    LangOptions with = build_open(b, options);
    Syntax *syntax = lang_load_text(&b->tree, b->names, b->sources, "test.bond", text, length,
                                    &with, &b->report);
    return build_syntax(b, syntax, model, experiment, &with);
}

static inline bool build_file(Built *b, const char *path, const LangOptions *options) {
    LangOptions with = build_open(b, options);
    Syntax *syntax = lang_load(&b->tree, b->names, b->sources, path, &with, &b->report);
    return build_syntax(b, syntax, NULL, NULL, &with);
}

// Options with the experiment that was built.
static inline RunOptions built_options(const Built *b, const RunOptions *o) {
    RunOptions with = o ? *o : (RunOptions){0};
    with.experiment = b->pipeline.experiment;
    return with;
}

static inline Run *built_run(Built *b, const RunOptions *o) { // o: Nullable
    RunOptions with = built_options(b, o);
    return run_experiment(b->system, &with, &b->report);
}

static inline void build_free(Built *b) {
    pipeline_free(&b->pipeline);
    arena_free(&b->arena);
    report_free(&b->report);
    sources_free(b->sources);
    names_free(b->names);
    arena_free(&b->tree);
    arena_free(&b->bonds);
}

#endif
