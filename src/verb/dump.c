// check --dump STAGE: a stage as readable text.
#include "verb/verb.h"

#include <string.h>

static const char *const var_kind[] = {
    [VAR_TIME] = "time",
    [VAR_PARAM] = "param",
    [VAR_EFFORT] = "effort",
    [VAR_FLOW] = "flow",
    [VAR_MOMENTUM] = "momentum",
    [VAR_DISPLACEMENT] = "displacement",
    [VAR_VELOCITY] = "velocity",
    [VAR_INPUT] = "input",
    [VAR_OUTPUT] = "output",
    [VAR_LOCAL] = "var",
    [VAR_DERIVATIVE] = "derivative",
    [VAR_DISCRETE] = "discrete",
};

static void dump_vars(Text *t, const Model *m) {
    Printer how = {.style = PRINT_TEXT};
    text_printf(t, "variables %d\n", m->var_count);
    for (int i = 0; i < m->var_count; i++) {
        const Var *v = &m->var[i];
        text_printf(t, "  %-12s %s", var_kind[v->kind], name_text(m->names, v->path));
        if (v->unit) text_printf(t, " {%s}", name_text(m->names, v->unit));
        if (v->value) {
            text_add(t, " = ");
            expr_print(t, m->dag, v->value, &how);
        }
        if (v->start) {
            text_add(t, " initial ");
            expr_print(t, m->dag, v->start, &how);
        }
        text_char(t, '\n');
    }
}

static void dump_comps(Text *t, const Model *m) {
    text_printf(t, "components %d\n", m->comp_count);
    for (int i = 0; i < m->comp_count; i++) {
        const Comp *c = &m->comp[i];
        text_printf(t, "  %-5s %s", kind_name(c->kind), name_text(m->names, c->path));
        if (c->dim > 1) text_printf(t, "[%d]", c->dim);
        for (int k = c->first_port; k < c->first_port + c->port_count; k++) {
            const Port *p = &m->port[k];
            if (!p->name && !p->domain) continue;
            text_printf(t, " %s:%s", name_text(m->names, p->name), name_text(m->names, p->domain));
        }
        text_char(t, '\n');
    }
}

static void dump_end(Text *t, const Model *m, const BondEnd *end) {
    text_add(t, name_text(m->names, m->comp[end->comp].path));
    if (end->port >= 0 && m->port[end->port].name)
        text_printf(t, ".%s", name_text(m->names, m->port[end->port].name));
}

static void dump_bonds(Text *t, const Model *m) {
    text_printf(t, "bonds %d\n", m->bond_count);
    for (int i = 0; i < m->bond_count; i++) {
        const Bond *b = &m->bond[i];
        text_add(t, "  ");
        dump_end(t, m, &b->from);
        text_add(t, " -> ");
        dump_end(t, m, &b->to);
        if (b->dim > 1) text_printf(t, " [%d]", b->dim);
        text_char(t, '\n');
    }
}

static void dump_equations(Text *t, const Model *m, const char *title, const Equation *list,
                           int count) {
    Printer how = {.style = PRINT_TEXT};
    text_printf(t, "%s %d\n", title, count);
    for (int i = 0; i < count; i++) {
        text_add(t, "  ");
        expr_print(t, m->dag, list[i].left, &how);
        text_add(t, " = ");
        expr_print(t, m->dag, list[i].right, &how);
        text_char(t, '\n');
    }
}

static void dump_model(Text *t, const Model *m) {
    text_printf(t, "model %s\n", name_text(m->names, m->name));
    dump_vars(t, m);
    dump_comps(t, m);
    dump_bonds(t, m);
    dump_equations(t, m, "equations", m->equation, m->equation_count);
    model_dump_events(t, m);
    if (m->initial_count) dump_equations(t, m, "initial", m->initial, m->initial_count);
}

static bool dump_program(Text *t, const System *system, Report *r) {
    Program *program = program_build(system, &(ProgramOptions){0}, r);
    if (!program) return false;
    program_dump(t, program);
    program_free(program);
    return true;
}

static bool dump_built(Session *s, Syntax *syntax, const char *stage, Text *t) {
    Stage last = strcmp(stage, "model") == 0   ? STAGE_MODEL
                 : strcmp(stage, "graph") == 0 ? STAGE_GRAPH
                                               : STAGE_SYSTEM;
    Pipeline p;
    bool good = session_build(&p, s, syntax, session_argument(s, 1), last, SYNTAX_STAYS);
    if (good && last == STAGE_MODEL) {
        dump_model(t, p.model);
    } else if (good && last == STAGE_GRAPH) {
        causality_explain(t, p.graph);
        causality_findings(t, p.graph);
    } else if (good && strcmp(stage, "system") == 0) {
        equations_print(t, p.system, EQUATIONS_TEXT);
    } else if (good) {
        good = dump_program(t, p.system, &s->report);
    }
    pipeline_free(&p);
    return good;
}

bool dump_stage(Session *s, Syntax *syntax, const char *stage) {
    Text text = {0};
    bool good = true;
    if (strcmp(stage, "syntax") == 0)
        syntax_print(&text, syntax);
    else
        good = dump_built(s, syntax, stage, &text);
    if (s->json) {
        json_text_of(&s->out, stage, text_get(&text));
    } else {
        text_add_n(&s->out, text_get(&text), text.length);
    }
    text_free(&text);
    return good;
}
