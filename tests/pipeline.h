// Text to system in one call, for tests of the later stages.
#ifndef BONDYN_TESTS_PIPELINE_H
#define BONDYN_TESTS_PIPELINE_H

#include "equations/system.h"
#include "lang/lang.h"
#include "mech/expand.h"
#include "mech/functions.h"
#include <string.h>

typedef struct {
    Arena arena;
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
    LangOptions with = options ? *options : (LangOptions){0};
    with.bonds = &b->bonds;
    with.trace = mech_function;
    with.last = true;
    return with;
}

static inline bool build_syntax(Built *b, Syntax *syntax, const char *model, const char *experiment,
                                const LangOptions *options) {
    if (b->report.errors) return false;
    b->model = lang_instantiate(&b->arena, syntax, model, experiment, options, &b->report);
    arena_free(&b->tree);
    if (!b->model || b->report.errors) return false;
    if (!mech_expand(b->model, &b->arena, &b->report)) return false;
    b->graph = graph_build(&b->arena, b->model, &b->report);
    if (!b->graph || b->report.errors) return false;
    causality_assign(&b->arena, b->graph, &b->report);
    if (b->report.errors) return false;
    b->system = equations_build(&b->arena, b->model, b->graph, &b->report);
    return b->system && !b->report.errors;
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

static inline void build_free(Built *b) {
    if (b->model) dag_free(b->model->dag);
    report_free(&b->report);
    sources_free(b->sources);
    names_free(b->names);
    arena_free(&b->arena);
    arena_free(&b->tree);
    arena_free(&b->bonds);
}

#endif
