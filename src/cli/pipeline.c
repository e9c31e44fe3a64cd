// The stages in order.
//
//     text -> syntax -> model (+ mechanisms) -> graph -> system     (program, solver, results:
//     run_experiment)
#include "cli/cli.h"

#include "mech/expand.h"
#include <string.h>

Syntax *pipeline_load(Session *s, const char *file) {
    int before = s->report.errors;
    LangOptions options = session_lang_options(s);
    options.bonds = &s->bonds;
    Syntax *syntax = lang_load(&s->syntax, s->names, s->sources, file, &options, &s->report);
    return s->report.errors > before ? NULL : syntax;
}

// Does the verb build nothing more from this file? Then the syntax need not stay beside the model.
static bool is_last_build(const Session *s) {
    static const char *const once[] = {"check", "equations", "graph", "run"};
    for (size_t i = 0; s->verb && !s->more && i < sizeof once / sizeof once[0]; i++)
        if (strcmp(s->verb->name, once[i]) == 0) return true;
    return false;
}

bool pipeline_build(Pipeline *p, Session *s, Syntax *syntax, const char *experiment, Stage last) {
    *p = (Pipeline){0};
    Report *r = &s->report;
    int before = r->errors;
    LangOptions options = session_lang_options(s);
    options.last = is_last_build(s);
    p->model =
        lang_instantiate(&p->arena, syntax, session_value(s, OPT_MODEL), experiment, &options, r);
    if (options.last) arena_free(&s->syntax);
    if (!p->model || r->errors > before) return false;
    if (!mech_expand(p->model, &p->arena, r)) return false;
    if (last == STAGE_MODEL) return true;
    p->graph = graph_build(&p->arena, p->model, r);
    if (!p->graph || r->errors > before) return false;
    causality_assign(&p->arena, p->graph, r);
    if (r->errors > before) return false;
    if (last == STAGE_GRAPH) return true;
    p->system = equations_build(&p->arena, p->model, p->graph, r);
    return p->system && r->errors == before;
}

void pipeline_free(Pipeline *p) {
    if (p->model) dag_free(p->model->dag);
    arena_free(&p->arena);
    *p = (Pipeline){0};
}
