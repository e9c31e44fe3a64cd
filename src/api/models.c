// Loading a model, and what there is to know about it.
#include "api/handles.h"

#include "analysis/asked.h"
#include "base/files.h"
#include "base/memory.h"
#include "page/formulas.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *bd_version(void) { return BONDYN_VERSION; }
int bd_abi(void) { return BD_ABI; }
void bd_free(void *memory) { free(memory); }

BdLoadOptions bd_default_load_options(void) { return (BdLoadOptions){0}; }

// --- loading -------------------------------------------------------------------------------------

static void list_experiments(BdModel *m, const Syntax *syntax) {
    ARRAY(const char *) name = {0};
    for (const AstClass *c = syntax->files ? syntax->files->classes : NULL; c; c = c->next)
        if (c->kind == CLASS_EXPERIMENT) array_push(&name, name_text(m->names, c->name));
    m->experiment_count = name.count;
    m->experiment = ARENA_ARRAY(&m->arena, const char *, name.count);
    for (int i = 0; i < name.count; i++) m->experiment[i] = name.data[i];
    array_free(&name);
}

static bool is_of_kind(const Var *v, BdKind kind) {
    switch (kind) {
    case BD_PARAMETER: return v->kind == VAR_PARAM;
    case BD_INPUT: return v->kind == VAR_INPUT || v->open;
    case BD_OUTPUT: return v->kind == VAR_OUTPUT;
    case BD_VARIABLE:
        return v->kind != VAR_TIME && v->kind != VAR_PARAM && v->kind != VAR_DERIVATIVE;
    case BD_STATE: break;
    }
    return false;
}

static void list_kind(BdModel *m, BdKind kind) {
    const Model *model = m->p.model;
    int *list = m->list[kind] = ARENA_ARRAY(&m->arena, int, model->var_count);
    for (int v = 0; v < model->var_count; v++)
        if (is_of_kind(&model->var[v], kind)) list[m->count[kind]++] = v;
}

static void evaluate_parameters(BdModel *m) {
    const Model *model = m->p.model;
    Symbols symbols = {0};
    symbols_open(&symbols, model);
    m->parameter = ARENA_ARRAY(&m->arena, double, model->var_count);
    for (int i = 0; i < m->count[BD_PARAMETER]; i++) {
        int v = m->list[BD_PARAMETER][i];
        m->parameter[v] =
            model->var[v].symbol ? symbols_evaluate(&symbols, model->var[v].symbol) : NAN;
    }
    symbols_close(&symbols);
}

static void list_variables(BdModel *m) {
    for (int kind = 0; kind < KINDS; kind++)
        if (kind != BD_STATE) list_kind(m, (BdKind)kind);
    m->list[BD_STATE] = m->p.system->state_var;
    m->count[BD_STATE] = m->p.system->state_count;
    evaluate_parameters(m);
}

// `path` or `text` is what is loaded.
static BdModel *load(const char *path, const char *text, size_t length, const BdLoadOptions *o,
                     BdReport *r) {
    static const BdLoadOptions nothing = {0};
    if (!o) o = &nothing;
    BdModel *m = memory_zeroed(1, sizeof *m);
    m->names = names_new();
    m->sources = sources_new();
    Arena tree = {0}, bonds = {0};
    Report report = {0};
    LangOptions lang =
        pipeline_lang(&(LangOptions){.library = library_folder(&m->arena, o->library),
                                     .set = o->set,
                                     .set_count = o->set_count,
                                     .bonds = &bonds,
                                     .open_inputs = true,
                                     .linear = linear_asked,
                                     .read = o->read,
                                     .read_context = o->read_context,
                                     .added = o->added});
    Syntax *syntax =
        text ? lang_load_text(&tree, m->names, m->sources, path, text, length, &lang, &report)
             : lang_load(&tree, m->names, m->sources, path, &lang, &report);
    PipelineOptions options = {.model = o->model,
                               .experiment = o->experiment,
                               .lang = lang,
                               .last = STAGE_SYSTEM,
                               .syntax = &tree};
    bool good = report.errors == 0;
    if (good) list_experiments(m, syntax);
    good = good && pipeline_build(&m->p, syntax, &options, &report);
    if (good) list_variables(m), model_seal(m->p.model);
    size_t source_length;
    if (good) m->source = source_text(m->sources, 1, &source_length);
    arena_free(&tree);
    arena_free(&bonds);
    report_hand_over(&report, m->sources, r);
    if (good) return m;
    bd_model_free(m);
    return NULL;
}

BdModel *bd_load(const char *path, const BdLoadOptions *o, BdReport *r) {
    return load(path, NULL, 0, o, r);
}

BdModel *bd_load_text(const char *name, const char *text, size_t length, const BdLoadOptions *o,
                      BdReport *r) {
    return load(name, text, length, o, r);
}

void bd_model_free(BdModel *m) {
    if (!m) return;
    pipeline_free(&m->p);
    arena_free(&m->arena);
    sources_free(m->sources);
    names_free(m->names);
    free(m);
}

// --- looking -------------------------------------------------------------------------------------

const char *bd_model_name(const BdModel *m) { return name_text(m->names, m->p.model->name); }

const char *bd_model_experiment(const BdModel *m) {
    const Experiment *x = m->p.experiment;
    return x ? name_text(m->names, x->name) : "";
}

int bd_experiment_count(const BdModel *m) { return m->experiment_count; }

const char *bd_experiment_name(const BdModel *m, int i) {
    return i >= 0 && i < m->experiment_count ? m->experiment[i] : NULL;
}

static bool is_kind(BdKind kind) { return (int)kind >= 0 && (int)kind < KINDS; }

int bd_count(const BdModel *m, BdKind kind) { return is_kind(kind) ? m->count[kind] : -1; }

// A parameter that is a plain number and decides nothing about the structure.
bool is_settable(const Model *m, const Var *v) {
    return v->kind == VAR_PARAM && !v->structural && v->value &&
           expr_is_number(m->dag, v->value, NULL);
}

bool bd_variable(const BdModel *m, BdKind kind, int i, BdVariable *to) {
    if (!is_kind(kind) || i < 0 || i >= m->count[kind]) return false;
    const Model *model = m->p.model;
    int var = m->list[kind][i];
    if (var < 0) { // chosen during the run: it has no name of its own
        *to = (BdVariable){
            .name = system_state_name(m->p.system, i), .unit = "", .text = "", .value = NAN};
        return true;
    }
    const Var *v = &model->var[var];
    *to = (BdVariable){.name = name_text(m->names, v->path),
                       .unit = name_text(m->names, v->unit),
                       .text = name_text(m->names, v->text),
                       .value = v->kind == VAR_PARAM ? m->parameter[var] : NAN,
                       .settable = v->open || is_settable(model, v)};
    return true;
}

int bd_find(const BdModel *m, BdKind kind, const char *name) {
    int var = name && is_kind(kind) ? model_find(m->p.model, name) : -1;
    for (int i = 0; var >= 0 && i < m->count[kind]; i++)
        if (m->list[kind][i] == var) return i;
    return -1;
}

char *bd_graph(const BdModel *m, const BdGraphOptions *o) {
    Copy c;
    copy_open(&c, m);
    Text t = {0};
    GraphView view = GRAPH_WHOLE;
    Arena arena = {0};
    GraphPlace *place = ARENA_ARRAY(&arena, GraphPlace, o ? o->place_count : 0);
    for (int i = 0; o && i < o->place_count; i++)
        place[i] = (GraphPlace){o->place[i].path, o->place[i].x, o->place[i].y};
    if (o && o->scope) view.scope = o->scope;
    if (o) view.depth = o->depth;
    view.place = place;
    view.place_count = o ? o->place_count : 0;
    graph_svg_view(&t, &c.graph, &view, NULL);
    arena_free(&arena);
    copy_close(&c);
    return t.data;
}

char *bd_text(const BdModel *m, BdForm form) {
    Copy c;
    copy_open(&c, m);
    Text t = {0};
    switch (form) {
    case BD_EQUATIONS_TEXT: equations_print(&t, &c.system, EQUATIONS_TEXT); break;
    case BD_EQUATIONS_LATEX: equations_print(&t, &c.system, EQUATIONS_LATEX); break;
    case BD_EQUATIONS_JSON: equations_print(&t, &c.system, EQUATIONS_JSON); break;
    case BD_GRAPH_SVG: graph_svg(&t, &c.graph); break;
    case BD_GRAPH_DOT: graph_dot(&t, &c.graph); break;
    case BD_EQUATIONS_HTML: formulas_html(&t, &c.system); break;
    case BD_ABOUT: about_json(&t, &c.system, m->p.experiment); break;
    case BD_CAUSALITY:
        causality_explain(&t, &c.graph);
        causality_findings(&t, &c.graph);
        break;
    }
    copy_close(&c);
    if (!t.data) text_add(&t, "");
    return t.data;
}
