// Which model and which experiment are meant, and the stages that make the flat model of them.
#include "lang/build.h"

#include "lang/parser.h"
#include <string.h>

bool no_errors(const Builder *b) { return b->r->errors == b->errors; }

// --- what is asked for ---------------------------------------------------------------------------

static const AstClass *find_class(const AstFile *file, const Names *n, ClassKind kind,
                                  const char *name) {
    for (const AstClass *c = file->classes; c; c = c->next)
        if (c->kind == kind && (!name || strcmp(name_text(n, c->name), name) == 0)) return c;
    return NULL;
}

static const AstClass *experiment_of(const Syntax *s, const AstClass *model) {
    for (const AstClass *c = s->files->classes; c; c = c->next)
        if (c->kind == CLASS_EXPERIMENT && c->base && c->base->kind == AST_NAME &&
            c->base->name == model->name)
            return c;
    return NULL;
}

// A model in place of an experiment: which experiment runs it, and what takes the model by itself.
static void help_with_model(const Syntax *s, Report *r, Remark *m, const AstClass *model) {
    const char *name = name_text(s->names, model->name);
    const AstClass *runs = experiment_of(s, model);
    if (runs)
        remark_help(r, m, "'%s' is a model; experiment '%s' runs it, or --model %s takes it alone",
                    name, name_text(s->names, runs->name), name);
    else
        remark_help(r, m, "'%s' is a model: --model %s takes it", name, name);
}

static void report_unknown(Syntax *s, Report *r, ClassKind kind, const char *name) {
    bool experiment = kind == CLASS_EXPERIMENT;
    Remark *m = report_error(r, L_UNKNOWN_EXPERIMENT, POS_NONE, "%s has no %s '%s'",
                             source_name(s->sources, s->files->source),
                             experiment ? "experiment" : "model", name);
    Suggestion g = suggest_for(name);
    Text all = {0};
    for (const AstClass *c = s->files->classes; c; c = c->next) {
        const char *there = name_text(s->names, c->name);
        if (experiment && (COMPONENT_CLASSES >> c->kind & 1) && strcmp(there, name) == 0) {
            help_with_model(s, r, m, c);
            text_free(&all);
            return;
        }
        if (c->kind != kind) continue;
        suggest_offer(&g, there);
        text_printf(&all, "%s%s", all.length ? ", " : "it has: ", there);
    }
    suggest_help(r, m, &g, all.length ? text_get(&all) : NULL);
    if (!g.best && all.length) m->help = arena_copy_text(&r->arena, text_get(&all), all.length);
    text_free(&all);
}

// The last model of the file; without models the last mechanism.
static Definition last_model(const Syntax *s) {
    Definition d = {0};
    for (const AstClass *c = s->files->classes; c; c = c->next) {
        bool better = !d.what || d.what->kind == CLASS_MECHANISM;
        if (c->kind == CLASS_MODEL || (c->kind == CLASS_MECHANISM && better))
            d = (Definition){c, s->files};
    }
    return d;
}

static Definition base_of(Syntax *s, const AstClass *experiment, Report *r) {
    Definition d = {0};
    if (experiment->base) d = find_by_path(s, s->files, experiment->base, r);
    if (d.what && (COMPONENT_CLASSES >> d.what->kind & 1)) return d;
    Remark *m = report_error(
        r, L_UNKNOWN_CLASS, experiment->base ? experiment->base->pos : experiment->pos,
        "experiment '%s' is of a model that does not exist", name_text(s->names, experiment->name));
    Suggestion g = suggest_for(experiment->base && experiment->base->kind == AST_NAME
                                   ? name_text(s->names, experiment->base->name)
                                   : "");
    suggest_definitions(&g, s, s->files, 1u << CLASS_MODEL | 1u << CLASS_MECHANISM);
    suggest_help(r, m, &g, "name a model of this file or of an imported one");
    return (Definition){0};
}

// False: reported.
static bool choose(Syntax *s, const char *model, const char *experiment, Report *r,
                   Definition *chosen, Definition *run) {
    *chosen = *run = (Definition){0};
    if (model) {
        Name name = name_of(s->names, model);
        Definition d = find_definition(s, s->files, name, POS_NONE, r);
        if (!d.what || !(COMPONENT_CLASSES >> d.what->kind & 1)) {
            report_unknown(s, r, CLASS_MODEL, model);
            return false;
        }
        *chosen = d;
    }
    const AstClass *x = NULL;
    if (experiment) {
        x = find_class(s->files, s->names, CLASS_EXPERIMENT, experiment);
        if (!x) report_unknown(s, r, CLASS_EXPERIMENT, experiment);
        if (!x) return false;
    } else if (!model) {
        x = find_class(s->files, s->names, CLASS_EXPERIMENT, NULL);
    }
    if (x) *run = (Definition){x, s->files};
    if (!chosen->what) *chosen = x ? base_of(s, x, r) : last_model(s);
    if (chosen->what || x) return chosen->what != NULL;
    Remark *m = report_error(r, L_NO_MODEL, POS_NONE, "%s contains no model",
                             source_name(s->sources, s->files->source));
    remark_help(r, m, "write model Name ... end; `bondyn new` makes a file to start from");
    return false;
}

// --- `set` ---------------------------------------------------------------------------------------

static void print_set_path(Text *out, const Builder *b, const AstExpr *e) {
    if (e->kind == AST_MEMBER) {
        print_set_path(out, b, e->left);
        text_char(out, '.');
    }
    text_add(out, text_of(b, e->name));
    for (int i = 0; i < e->arg_count; i++) {
        text_add(out, i ? "," : "[");
        ast_print(out, b->names, e->args[i].value);
    }
    if (e->arg_count) text_char(out, ']');
}

static void add_override(Builder *b, const AstItem *item, const Env *env) {
    Text path = {0};
    print_set_path(&path, b, item->left);
    Override o = {name_of(b->names, text_get(&path)), item, env, false};
    text_free(&path);
    array_push(&b->override, o);
}

// The strongest first: the last of the command line before its first, then the experiment.
static void collect_overrides(Builder *b, const LangOptions *options, Definition run,
                              const Env *env) {
    Syntax *s = b->syntax;
    for (int i = options->set_count - 1; i >= 0; i--) {
        const char *text = options->set[i];
        uint32_t source = sources_add(s->sources, "--set", text, strlen(text));
        const AstItem *items = parse_setting_text(b->out, b->names, s->sources, source, b->r);
        for (; items; items = items->next) add_override(b, items, env);
    }
    int first = b->override.count;
    if (!run.what) return;
    for (const AstItem *k = run.what->items; k; k = k->next) {
        if (k->kind == ITEM_INITIAL) array_push(&b->outer, ((Statement){env, k}));
        if (k->kind != ITEM_SET && k->kind != ITEM_FREQUENCY) continue;
        add_override(b, k->kind == ITEM_SET ? k : sweep_drive(b, k), env);
        for (int i = first; i < b->override.count - 1; i++)
            if (b->override.data[i].path == array_last(&b->override).path) {
                Remark *m = complain(b, L_DUPLICATE_NAME, k->pos, "'%s' is set twice",
                                     text_of(b, b->override.data[i].path));
                remark_note(b->r, m, b->override.data[i].item->pos, "the first time is here");
                remark_help(b->r, m, "keep one of them");
            }
    }
}

// --- the stages ----------------------------------------------------------------------------------

// Frees what only earlier stages need before the final lists are made, to save memory.
static void free_structure(Builder *b) {
    array_free(&b->chosen);
    array_free(&b->instance);
    array_free(&b->entity);
    array_free(&b->terminal);
    array_free(&b->member);
    array_free(&b->bond);
    array_free(&b->equation);
    array_free(&b->raw);
    if (b->rates) rates_free(b->rates);
    if (b->walk) walk_free(b->walk);
    if (b->scratch) dag_free(b->scratch);
    b->rates = NULL;
    b->walk = NULL;
    b->scratch = NULL;
}

static void free_builder(Builder *b) {
    free_structure(b);
    array_free(&b->domain);
    array_free(&b->outer);
    array_free(&b->request);
    array_free(&b->when);
    array_free(&b->modes);
    array_free(&b->choice);
    array_free(&b->choice_statement);
    array_free(&b->mode);
    array_free(&b->mode_law);
    array_free(&b->branch);
    array_free(&b->action);
    array_free(&b->sample);
    array_free(&b->before);
    array_free(&b->delay);
    array_free(&b->part);
    array_free(&b->mechanism);
    array_free(&b->called);
    array_free(&b->override);
    array_free(&b->units_open);
    array_free(&b->global);
    array_free(&b->visiting);
    array_free(&b->calling);
    array_free(&b->var);
    array_free(&b->comp);
    array_free(&b->port);
    array_free(&b->flat);
    array_free(&b->law);
    array_free(&b->start);
    array_free(&b->steady);
    array_free(&b->read);
    array_free(&b->hidden);
    array_free(&b->linear);
    arena_free(&b->tmp);
}

static void evaluate_parameters(Builder *b) {
    for (int i = 0; i < b->entity.count && !b->stop; i++)
        if (b->entity.data[i].kind == ENTITY_PARAM || b->entity.data[i].kind == ENTITY_CONST)
            param_evaluate(b, i);
}

// Equations may ask for linear models of other models, with their bonds.
static bool any_linear(const Syntax *s) {
    for (const AstFile *f = s->files; f; f = f->next)
        if (f->linear) return true;
    return false;
}

// Structure first, then equations: later stages go on after mistakes of earlier ones where that can
// show more of them.
static void run_stages(Builder *b, Definition chosen, Definition run) {
    elaborate_root(b, chosen, run.what);
    if (b->stop) return;
    report_unused_overrides(b);
    evaluate_parameters(b);
    find_dimensions(b);
    if (b->stop) return;
    connect_bonds(b);
    if (b->stop) return;
    infer_domains(b);
    array_free(&b->bond);
    array_free(&b->raw);
    if (b->last && b->syntax->bonds && !any_linear(b->syntax)) arena_free(b->syntax->bonds);
    flatten(b);
    if (b->stop) return;
    rates_set(b->rates, b->var.data[0].symbol, expr_number(b->dag, 1));
    parameter_values(b);
    user_equations(b);
    causality_requests(b);
    b->frozen = true;
    if (!b->stop) lower_instants(b);
    if (!b->stop) lower_whens(b);
    if (!b->stop) guard_tables(b);
    if (b->stop) return;
    if (run.what) {
        b->plan = build_experiment(b, run);
        b->model->start = b->plan->start;
    }
    if (!no_errors(b)) return;
    free_structure(b);
    finish_model(b);
}

Model *lang_instantiate(Arena *out, Syntax *s, const char *model, const char *experiment,
                        const LangOptions *options, const Experiment **plan, Report *r) {
    static const LangOptions none = {0};
    if (!options) options = &none;
    Definition chosen, run;
    if (!s->files || !choose(s, model, experiment, r, &chosen, &run)) return NULL;
    Model *m = ARENA_NEW(out, Model);
    *m = (Model){.names = s->names,
                 .dag = dag_new(s->names),
                 .name = chosen.what->name,
                 .text = chosen.what->text,
                 .pos = chosen.what->pos};
    Builder b = {.out = out,
                 .syntax = s,
                 .names = s->names,
                 .r = r,
                 .model = m,
                 .dag = dag_grow(m->dag),
                 .scratch = dag_new(s->names),
                 .errors = r->errors,
                 .trace = options->trace,
                 .options = *options,
                 .last = options->last,
                 .open_inputs = options->open_inputs,
                 .experiment = run.what};
    b.limit = options->most_scalars > 0 ? options->most_scalars : MOST_SCALARS;
    b.dummy = expr_symbol(b.scratch, name_of(s->names, "?"));
    b.rates = rates_new(b.dag);
    b.walk = walk_new(b.dag);
    add_builtin_domains(&b);
    const Env *env = new_env(&b, (Env){.file = s->files, .instance = 0, .element = -1});
    collect_overrides(&b, options, run, env);
    run_stages(&b, chosen, run);
    bool good = no_errors(&b) && !b.stop;
    if (plan) *plan = good ? b.plan : NULL;
    free_builder(&b);
    if (options->last) s->files = NULL; // parts of it may be gone
    if (good) return m;
    model_free_expressions(m);
    return NULL;
}
