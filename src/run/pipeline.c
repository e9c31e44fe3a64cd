// See pipeline.h.
#include "run/pipeline.h"

#include "base/invariant.h"
#include "mech/expand.h"
#include "mech/functions.h"
#include "solve/solvers.h"

LangOptions pipeline_lang(const LangOptions *given) {
    LangOptions o = given ? *given : (LangOptions){0};
    o.trace = mech_function;
    o.solvers = solvers_to_name();
    return o;
}

static void tell(const PipelineOptions *o, Stage stage) {
    if (o->reached) o->reached(o->context, stage);
}

// Builds the graph and assigns strokes. *graph is set as far as it could be built, also when
// strokes contradict each other, so that conflicts can be explained.
static bool causal_graph(Arena *out, const Model *m, Graph **graph, Report *r) {
    int before = r->errors;
    *graph = graph_build(out, m, r);
    if (!*graph || r->errors > before) return false;
    causality_assign(out, *graph, r);
    STAGE_KEEPS(graph_check(*graph));
    return r->errors == before;
}

bool pipeline_finish(Pipeline *p, const PipelineOptions *o, Report *r) {
    int before = r->errors;
    STAGE_KEEPS(model_check(p->model));
    tell(o, STAGE_MODEL);
    if (o->last == STAGE_MODEL) return true;
    if (!causal_graph(&p->arena, p->model, &p->graph, r)) return false;
    tell(o, STAGE_GRAPH);
    if (o->last == STAGE_GRAPH) return true;
    p->system = equations_build(&p->arena, p->model, p->graph, r);
    if (p->system) STAGE_KEEPS(system_check(p->system));
    tell(o, STAGE_SYSTEM);
    return p->system && r->errors == before;
}

bool pipeline_build(Pipeline *p, Syntax *syntax, const PipelineOptions *o, Report *r) {
    *p = (Pipeline){0};
    int before = r->errors;
    LangOptions lang = pipeline_lang(&o->lang);
    lang.last = o->syntax != NULL;
    p->model =
        lang_instantiate(&p->arena, syntax, o->model, o->experiment, &lang, &p->experiment, r);
    if (o->syntax) arena_free(o->syntax);
    if (!p->model || r->errors > before) return false;
    STAGE_KEEPS(model_check(p->model));
    tell(o, STAGE_FLAT);
    if (o->last == STAGE_FLAT) return true;
    return mech_expand(p->model, &p->arena, r) && pipeline_finish(p, o, r);
}

System *pipeline_mode(Arena *out, const Model *m, const Memory *memory, Jump *jump, Report *r) {
    Graph *g;
    if (!causal_graph(out, m, &g, r)) return NULL;
    System *s = equations_build_mode(out, m, g, memory, jump, r);
    if (s) STAGE_KEEPS(system_check(s));
    return s;
}

void pipeline_free(Pipeline *p) {
    if (p->model) model_free_expressions(p->model);
    arena_free(&p->arena);
    *p = (Pipeline){0};
}
