// check: what a model is, stage by stage, without running it.
#include "verb/verb.h"

#include "page/meshes.h"

#include <string.h>

static void print_sizes(Text *t, const Model *m) {
    text_printf(t, "model %s", name_text(m->names, m->name));
    if (*name_text(m->names, m->text)) text_printf(t, ": %s", name_text(m->names, m->text));
    text_printf(t, "\n  %d components, %d bonds, %d equations, %d variables\n", m->comp_count,
                m->bond_count, m->equation_count, m->var_count);
}

static void print_forms(Text *t, const Model *m) {
    for (int i = 0; i < m->mechanism_count; i++)
        if (m->mechanism[i].chosen)
            text_printf(
                t,
                "  mechanism %s has velocities for states (form lagrange): it falls as a whole\n",
                name_text(m->names, m->comp[m->mechanism[i].comp].path));
}

static void sizes_json(Text *t, const Model *m) {
    const struct {
        const char *key;
        int value;
    } sizes[] = {{"components", m->comp_count},
                 {"bonds", m->bond_count},
                 {"equations", m->equation_count},
                 {"variables", m->var_count}};
    json_text_of(t, "model", name_text(m->names, m->name));
    json_key(t, "sizes");
    json_open(t, '{');
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        json_number_of(t, sizes[i].key, sizes[i].value);
    }
    json_close(t, '}');
}

static void add_section(Text *t, const char *title, const Text *body) {
    if (!body->length) return;
    text_printf(t, "\n%s%s", title, text_get(body));
    if (body->data[body->length - 1] != '\n') text_char(t, '\n');
}

static void print_stages(Text *t, const Pipeline *p) {
    if (p->model) print_sizes(t, p->model);
    if (p->model) print_forms(t, p->model);
    if (p->graph) {
        Text strokes = {0}, findings = {0};
        causality_explain(&strokes, p->graph);
        causality_findings(&findings, p->graph);
        add_section(t, "causality\n", &strokes);
        add_section(t, "findings\n", &findings);
        text_free(&strokes);
        text_free(&findings);
    }
    if (p->system) {
        Text summary = {0};
        equations_summary(&summary, p->system);
        add_section(t, "", &summary);
        text_free(&summary);
    }
}

static void stages_json(Text *t, const Pipeline *p) {
    if (p->model) sizes_json(t, p->model);
    Text part = {0};
    if (p->graph) {
        causality_json(&part, p->graph);
        json_key(t, "causality");
        json_raw(t, text_get(&part));
        text_clear(&part);
    }
    if (p->system) {
        equations_summary_json(&part, p->system);
        json_key(t, "equations");
        json_raw(t, text_get(&part));
    }
    text_free(&part);
}

static ExitCode check_dump(Session *s, Syntax *syntax) {
    static const char *const stages[] = {"syntax", "model", "graph", "system", "program"};
    const char *asked = session_value(s, OPT_DUMP);
    for (int i = 0; i < 5; i++)
        if (strcmp(asked, stages[i]) == 0)
            return dump_stage(s, syntax, asked) ? EXIT_GOOD : EXIT_INPUT;
    Remark *m = report_error(&s->report, T_BAD_VALUE, POS_NONE, "there is no stage '%s'", asked);
    const char *near = nearest_text(asked, stages, 5);
    if (near)
        remark_help(&s->report, m, "did you mean '%s'?", near);
    else
        remark_help(&s->report, m, "take syntax, model, graph, system or program");
    return EXIT_USAGE;
}

ExitCode verb_check(Session *s) {
    Syntax *syntax = session_load(s, session_argument(s, 0));
    if (!syntax) return EXIT_INPUT;
    if (session_has(s, OPT_DUMP)) return check_dump(s, syntax);
    Pipeline p;
    bool good = session_build(&p, s, syntax, session_argument(s, 1), STAGE_SYSTEM, SYNTAX_FOR_ONCE);
    if (good) meshes_load(&p.arena, p.model, s->sources, &s->report);
    if (s->json)
        stages_json(&s->out, &p);
    else if (!session_has(s, OPT_QUIET))
        print_stages(&s->out, &p);
    pipeline_free(&p);
    return good ? EXIT_GOOD : EXIT_INPUT;
}
