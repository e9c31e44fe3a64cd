// Text -> flat model, for the tests of this folder.
#ifndef BONDYN_TESTS_MODEL_OF_H
#define BONDYN_TESTS_MODEL_OF_H

#include "../test.h"

#include "solve/solvers.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    Arena arena;
    Names *names;
    Sources *sources;
    Report report;
    Model *model; // NULL: see the report
    const Experiment *experiment;
} Loaded;

static inline Loaded load_model(const char *text, const char *model, const LangOptions *options) {
    Loaded l = {.names = names_new(), .sources = sources_new()};
    LangOptions known = {.solvers = solvers_to_name()};
    if (!options) options = &known;
    Syntax *s = lang_load_text(&l.arena, l.names, l.sources, "test.bond", text, strlen(text),
                               options, &l.report);
    if (!l.report.errors)
        l.model = lang_instantiate(&l.arena, s, model, NULL, options, &l.experiment, &l.report);
    return l;
}

static inline void free_model(Loaded *l) {
    if (l->model) model_free_expressions(l->model);
    report_free(&l->report);
    arena_free(&l->arena);
    names_free(l->names);
    sources_free(l->sources);
}

// A model that must be right.
static inline Loaded good_model(const char *text) {
    Loaded l = load_model(text, NULL, NULL);
    if (!l.model) {
        Text t = {0};
        report_print(&t, &l.report, l.sources);
        print_error("%s\n", text_get(&t));
        text_free(&t);
        fail();
    }
    return l;
}

static inline const char *var_text(const Loaded *l, Name name) { return name_text(l->names, name); }

static inline const Var *find_var(const Loaded *l, const char *path) {
    int i = model_find(l->model, path);
    if (i < 0) fail_msg("no variable %s", path);
    return &l->model->var[i];
}

static inline const Comp *find_comp(const Loaded *l, const char *path) {
    for (int i = 0; i < l->model->comp_count; i++)
        if (strcmp(name_text(l->names, l->model->comp[i].path), path) == 0)
            return &l->model->comp[i];
    fail_msg("no component %s", path);
    return NULL;
}

// "left = right" of an equation, as printed.
static inline const char *equation_text(Loaded *l, const Equation *e) {
    Text t = {0};
    Printer how = {.style = PRINT_TEXT};
    expr_print(&t, l->model->dag, e->left, &how);
    text_add(&t, " = ");
    expr_print(&t, l->model->dag, e->right, &how);
    const char *kept = arena_copy_text(&l->arena, text_get(&t), t.length);
    text_free(&t);
    return kept;
}

static inline bool has_equation(Loaded *l, const char *text) {
    for (int i = 0; i < l->model->equation_count; i++)
        if (strcmp(equation_text(l, &l->model->equation[i]), text) == 0) return true;
    for (int i = 0; i < l->model->equation_count; i++)
        print_message("  %s\n", equation_text(l, &l->model->equation[i]));
    return false;
}

static inline bool has_bond(Loaded *l, const char *text) {
    Text t = {0}, line = {0};
    model_dump(&t, l->model);
    text_printf(&line, "\n  %s\n", text);
    const char *bonds = strstr(text_get(&t), "\nbonds\n"), *end = strstr(bonds, "\nequations\n");
    const char *found = strstr(bonds, text_get(&line));
    bool there = found && found < end;
    text_free(&t);
    text_free(&line);
    return there;
}

static inline double param_number(const Loaded *l, const char *path) {
    return expr_value(l->model->dag, find_var(l, path)->value);
}

#endif
