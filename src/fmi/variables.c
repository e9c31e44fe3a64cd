// Which variables an FMU has, in which order, and what each is.
#include "fmi/inside.h"

#include "base/memory.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

// --- power ports ----------------------------------------------------------------------------------

static int open_input_behind(const FmuWriting *u, int var) {
    Expr value = u->system->value ? u->system->value[var] : 0;
    for (int v = 0; v < u->model->var_count && value; v++)
        if (u->model->var[v].open && u->model->var[v].symbol == value) return v;
    return -1;
}

static void find_ports(FmuWriting *u) {
    const Model *m = u->model;
    u->port = ARENA_ARRAY(&u->arena, FmuPort, m->comp_count + 1);
    for (int i = 0; i < m->comp_count; i++) {
        const Comp *c = &m->comp[i];
        if ((c->kind != COMP_SE && c->kind != COMP_SF) || c->dim != 1 || c->pseudo) continue;
        const Port *p = &m->port[c->first_port];
        bool effort = c->kind == COMP_SE;
        int input = open_input_behind(u, effort ? p->e : p->f);
        if (input < 0) continue;
        u->port[u->port_count++] = (FmuPort){i, input, effort ? p->f : p->e, effort};
    }
}

static bool answers_a_port(const FmuWriting *u, int var) {
    for (int i = 0; i < u->port_count; i++)
        if (u->port[i].answer == var) return true;
    return false;
}

// --- what is recorded ------------------------------------------------------------------------------

static bool is_own_output(const Model *m, int var) {
    return m->var[var].kind == VAR_OUTPUT && m->var[var].comp < 0 &&
           !strchr(name_text(m->names, m->var[var].path), '.');
}

RunOptions fmu_record(FmuWriting *u, const RunOptions *o) {
    const Model *m = u->model;
    RunOptions all = *o;
    find_ports(u);
    const Experiment *x = o->experiment;
    int given = o->record_count ? o->record_count : x ? x->record_count : 0, n = 0;
    if (!given) return all; // everything
    const char **pattern = ARENA_ARRAY(&u->arena, const char *, given + m->var_count + 1);
    for (int i = 0; i < given; i++)
        pattern[n++] = o->record_count ? o->record[i] : name_text(m->names, x->records[i]);
    for (int v = 0; v < m->var_count; v++)
        if (is_own_output(m, v) || answers_a_port(u, v))
            pattern[n++] = name_text(m->names, m->var[v].path);
    all.record = pattern;
    all.record_count = n;
    return all;
}

// Is it matched by `record`, other than by the pattern * that matches all? Then the user asked for it.
static bool is_asked_for(const FmuWriting *u, const char *name) {
    const Experiment *x = &u->w.job->plan;
    const RunOptions *o = u->w.job->options;
    int count = o->record_count ? o->record_count : x->record_count;
    for (int i = 0; i < count; i++) {
        const char *pattern =
            o->record_count ? o->record[i] : name_text(u->model->names, x->records[i]);
        if (strcmp(pattern, "*") != 0 && path_matches(pattern, name)) return true;
    }
    return false;
}

// --- names ----------------------------------------------------------------------------------------

// "arm.q[2]", "der(x)"; false: not of the structured convention.
static bool is_structured(const char *name) {
    bool begins = true;
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        if (c == '.') {
            if (begins) return false;
            begins = true;
        } else if (c == '[') {
            size_t n = strspn(name + 1, "0123456789,");
            if (begins || n == 0 || name[1 + n] != ']') return false;
            name += n + 1;
        } else if (isalpha(c) || c == '_' || (isdigit(c) && !begins)) {
            begins = false;
        } else {
            return false;
        }
    }
    return !begins;
}

static const char *variable_name(FmuWriting *u, const char *name) {
    if (is_structured(name)) return name;
    u->renamed = true;
    return name;
}

// --- the list -------------------------------------------------------------------------------------

static FmuVariable *add(FmuWriting *u, FmuKind kind, int place, int var, const char *name) {
    FmuVariable *v = &u->variable[u->count++];
    *v = (FmuVariable){.kind = kind, .place = place, .var = var};
    v->name = kind == FMU_RATE ? arena_printf(&u->arena, "der(%s)", variable_name(u, name))
                               : variable_name(u, name);
    return v;
}

static const char *path_of(const FmuWriting *u, int var) {
    return name_text(u->model->names, u->model->var[var].path);
}

static bool reaches(const Flow *f, const TapeFunction *t) {
    for (int i = 0; i < t->result_count; i++)
        if (flow_at(f, t->result[i])) return true;
    return false;
}

// Moments of samples are counted from the start, and what only the start needs has no effect later.
static bool acts_later(Flow *f, const Program *p, uint32_t reg) {
    const TapeFunction *later[] = {&p->derivative, &p->outputs, &p->switches, &p->conditions,
                                   &p->actions};
    flow_from(f, reg);
    flow_pass(f, &p->prepare, p->prepare.count);
    for (int i = 0; i < 5; i++) {
        flow_pass(f, later[i], later[i]->count);
        if (reaches(f, later[i])) return true;
    }
    return false;
}

static bool sets_samples(const Program *p, int param) {
    Flow *f = flow_new(p);
    flow_from(f, p->first_param + (uint32_t)param);
    flow_pass(f, &p->prepare, p->prepare.count);
    flow_pass(f, &p->samples, p->samples.count);
    bool sets = reaches(f, &p->samples);
    flow_free(f);
    return sets;
}

int fmu_param_in(const Program *p, int var) {
    for (uint32_t i = 0; i < p->param_count; i++)
        if (p->param_var[i] == var) return (int)i;
    return -1;
}

static bool is_tunable(const FmuWriting *u, int var) {
    const Writing *w = &u->w;
    int in_start = fmu_param_in(w->p, var);
    bool acts = false;
    if (in_start >= 0 && sets_samples(w->p, in_start)) return false;
    for (int k = 0; k < w->part_count && !acts; k++) {
        const Program *p = w->part[k].p;
        int at = fmu_param_in(p, var);
        if (at < 0 || w->part[k].jump) continue;
        Flow *f = flow_new(p);
        acts = acts_later(f, p, p->first_param + (uint32_t)at);
        flow_free(f);
    }
    return acts;
}

static double param_value(const FmuWriting *u, int var) {
    for (int k = 0; k < u->w.part_count; k++) {
        const Program *p = u->w.part[k].p;
        const double *value = job_parameters(u->w.job, p);
        int at = fmu_param_in(p, var);
        if (at >= 0) return (value ? value : p->param_value)[at];
    }
    return 0;
}

// FMI 3 has them in the order of the model, so that elements of an array follow each other.
static int *order_parameters(FmuWriting *u) {
    const int *var = u->w.param_var;
    int *order = ARENA_ARRAY(&u->arena, int, u->w.param_count + 1);
    for (int i = 0; i < u->w.param_count; i++) {
        int k = i;
        for (; u->options->version == 3 && k > 0 && var[order[k - 1]] > var[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    return order;
}

static void add_parameters(FmuWriting *u) {
    const int *order = order_parameters(u);
    for (int k = 0; k < u->w.param_count; k++) {
        int var = u->w.param_var[order[k]];
        FmuVariable *v = add(u, FMU_PARAM, order[k], var, path_of(u, var));
        v->start = param_value(u, var);
        v->tunable = is_tunable(u, var);
    }
}

static void add_inputs(FmuWriting *u) {
    const double *known = model_numbers(&u->arena, u->model);
    for (int i = 0; i < u->w.input_count; i++) {
        int var = u->w.input_var[i];
        Expr start = u->model->var[var].start;
        FmuVariable *v = add(u, FMU_INPUT, i, var, path_of(u, var));
        v->start = start ? expr_evaluate(u->model->dag, start, known) : 0;
        if (!isfinite(v->start)) v->start = 0;
    }
}

static bool is_listed(const FmuWriting *u, int var) {
    for (int i = 0; i < u->count; i++)
        if (u->variable[i].var == var && u->variable[i].kind != FMU_RATE) return true;
    return false;
}

static void add_columns(FmuWriting *u) {
    const Results *r = &u->w.job->run->results;
    for (int i = 1; i < r->column_count; i++) {
        int var = model_find(u->model, r->column[i].name);
        if (var < 0 || is_listed(u, var)) continue;
        FmuVariable *v = add(u, FMU_COLUMN, i - 1, var, r->column[i].name);
        v->output = is_own_output(u->model, var) || answers_a_port(u, var) ||
                    is_asked_for(u, r->column[i].name);
    }
}

// A name for an array that the model has not.
static const char *own_name(FmuWriting *u, const char *name) {
    while (model_find(u->model, name) >= 0 ||
           model_find(u->model, arena_printf(&u->arena, "%s[1]", name)) >= 0)
        name = arena_printf(&u->arena, "%s_", name);
    return name;
}

// What the solver watches has a name of its own: event_indicators[1], ...
static void add_indicators(FmuWriting *u) {
    const char *name = own_name(u, "event_indicators");
    for (int i = 0; i < u->indicators; i++)
        add(u, FMU_INDICATOR, i, -1, arena_printf(&u->arena, "%s[%d]", name, i + 1));
}

// Modes have states of their own, and some states are chosen during the run. Importers integrate slots, states[1],
// ..., which hold the states of the mode or choice that is valid; the variables themselves are columns.
static void add_slots(FmuWriting *u, FmuKind kind) {
    const char *name = own_name(u, "states");
    for (int i = 0; i < u->slots; i++)
        add(u, kind, i, -1, arena_printf(&u->arena, "%s[%d]", name, i + 1));
}

static void add_states(FmuWriting *u, FmuKind kind) {
    const Program *p = u->w.p;
    const char *slot = own_name(u, "states");
    int slots = 0;
    if (has_parts(&u->w)) {
        add_slots(u, kind);
        return;
    }
    for (int i = 0; i < p->state_count; i++) {
        int var = p->system->state_var[i];
        const char *name = var >= 0 ? system_state_name(p->system, i)
                                    : arena_printf(&u->arena, "%s[%d]", slot, ++slots);
        FmuVariable *v = add(u, kind, i, var, name);
        v->output = kind == FMU_STATE && var >= 0 &&
                    (is_own_output(u->model, var) || is_asked_for(u, name));
    }
}

void fmu_variables(FmuWriting *u) {
    const Writing *w = &u->w;
    int columns = w->job->run->results.column_count;
    u->variable =
        ARENA_ARRAY(&u->arena, FmuVariable,
                    2 * u->slots + w->param_count + w->input_count + columns + u->indicators + 2);
    add(u, FMU_TIME, 0, 0, "time");
    u->first[FMU_PARAM] = u->count;
    add_parameters(u);
    u->first[FMU_INPUT] = u->count;
    add_inputs(u);
    u->first[FMU_STATE] = u->count;
    add_states(u, FMU_STATE);
    u->first[FMU_RATE] = u->count;
    add_states(u, FMU_RATE);
    u->first[FMU_COLUMN] = u->count;
    add_columns(u);
    u->first[FMU_INDICATOR] = u->count;
    if (u->options->version == 3 && u->options->exchange) add_indicators(u);
    u->first[FMU_KINDS] = u->count;
}

int fmu_element(const FmuWriting *u, int var) {
    for (int i = 0; i < u->count; i++)
        if (u->variable[i].var == var && u->variable[i].kind != FMU_RATE) return i;
    return -1;
}
