// Hovering over a name. What stands in the text comes from the syntax tree; values, laws and
// strokes from the model of the first experiment, found by the place of the declaration there.
#include "graph/explain.h"
#include "results/shown.h"
#include "run/job.h"
#include "service/answers.h"
#include <math.h>
#include <string.h>

enum { MOST_SHOWN = 6, MOST_LAWS = 8 };

static bool same_place(Pos a, Pos b) { return a.file == b.file && a.at == b.at; }

// --- values --------------------------------------------------------------------------------------

static void add_value(Text *out, const Model *m, Symbols *symbols, const Var *v) {
    Shown shown = shown_in(m, v->unit);
    double si = v->symbol ? symbols_evaluate(symbols, v->symbol) : (double)NAN;
    if (isnan(si)) return;
    text_printf(out, "- `%s` = ", name_text(m->names, v->path));
    text_printf(out, "%.6g", show(shown, si));
    if (*shown.unit) text_printf(out, " %s", shown.unit);
    text_char(out, '\n');
}

// What a parameter is in each of its instances.
static void add_values(Text *out, const Model *m, Pos declared) {
    Symbols symbols = {0};
    int shown = 0;
    symbols_open(&symbols, m);
    for (int i = 0; i < m->var_count; i++) {
        const Var *v = &m->var[i];
        if (v->kind != VAR_PARAM || !same_place(v->pos, declared)) continue;
        if (++shown > MOST_SHOWN) continue;
        if (shown == 1) text_add(out, "\n");
        add_value(out, m, &symbols, v);
    }
    if (shown > MOST_SHOWN) text_printf(out, "- and %d more\n", shown - MOST_SHOWN);
    symbols_close(&symbols);
}

// --- laws and strokes ----------------------------------------------------------------------------

static void add_laws(Text *out, const Model *m, const Comp *c) {
    Printer how = {.style = PRINT_TEXT};
    for (int i = 0; i < c->equation_count && i < MOST_LAWS; i++) {
        const Equation *e = &m->equation[c->first_equation + i];
        text_add(out, "    ");
        expr_print(out, m->dag, e->left, &how);
        text_add(out, " = ");
        expr_print(out, m->dag, e->right, &how);
        text_char(out, '\n');
    }
}

static void add_strokes(Text *out, const Graph *g, int comp) {
    int shown = 0;
    for (int b = 0; b < g->bond_count; b++) {
        bool here = g->node[g->end[g->bond[b].from].node].comp == comp ||
                    g->node[g->end[g->bond[b].to].node].comp == comp;
        if (!here || ++shown > MOST_SHOWN) continue;
        text_add(out, "- `");
        graph_bond_label(out, g, b);
        text_add(out, "`: ");
        bond_reason(out, g, b);
        text_char(out, '\n');
    }
    if (shown > MOST_SHOWN) text_printf(out, "- and %d bonds more\n", shown - MOST_SHOWN);
}

// The components that a declaration became, the first with its laws and strokes.
static void add_components(Text *out, const Pipeline *p, Pos declared) {
    const Model *m = p->model;
    int found = 0;
    for (int i = 0; i < m->comp_count; i++) {
        if (!same_place(m->comp[i].pos, declared) || ++found > 1) continue;
        text_printf(out, "\n`%s`\n\n", name_text(m->names, m->comp[i].path));
        add_laws(out, m, &m->comp[i]);
        text_char(out, '\n');
        if (p->graph) add_strokes(out, p->graph, i);
    }
    if (found > 1) text_printf(out, "- and %d instances more\n", found - 1);
}

// --- what it is ----------------------------------------------------------------------------------

static void add_code(Text *out, const Text *code) {
    text_printf(out, "```bondyn\n%s\n```\n", text_get(code));
}

static void add_description(Text *out, const Names *n, Name text) {
    if (*name_text(n, text)) text_printf(out, "%s\n", name_text(n, text));
}

static void hover_class(Text *out, const Analysis *a, const Meaning *m) {
    Text code = {0};
    describe_class(&code, a->names, m->class);
    Text members = {0};
    describe_members(&members, a, (Definition){m->class, m->file});
    if (members.length) text_printf(&code, "\n%.*s", (int)members.length - 1, text_get(&members));
    add_code(out, &code);
    add_description(out, a->names, m->class->text);
    text_free(&members);
    text_free(&code);
}

static void hover_item(Text *out, Analysis *a, const Meaning *m) {
    Text code = {0};
    describe_item(&code, a->names, m->item);
    add_code(out, &code);
    text_free(&code);
    add_description(out, a->names, m->item->text);
    const Pipeline *p = analysis_pipeline(a);
    if (!p->model) return;
    add_values(out, p->model, m->pos);
    if (!m->item->set) add_components(out, p, m->pos);
}

static void hover_own_variable(Text *out, Analysis *a, const Use *u) {
    static const struct {
        const char *name, *text;
    } known[] = {{"e", "effort"},
                 {"f", "flow"},
                 {"q", "displacement"},
                 {"p", "momentum"},
                 {"e1", "effort at p1"},
                 {"f1", "flow at p1"},
                 {"e2", "effort at p2"},
                 {"f2", "flow at p2"},
                 {"p1", "port that power enters"},
                 {"p2", "port that power leaves"}};
    const char *word = name_text(a->names, u->meaning.name);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(word, known[i].name) == 0) text_printf(out, "`%s`: %s\n", word, known[i].text);
    if (!u->path || u->path->kind != AST_MEMBER) return;
    Scope s = {.a = a, .file = analysis_file(a), .class = u->class};
    Meaning of = meaning_of_path(&s, u->path->left);
    if (of.kind != MEANS_ITEM) return;
    const Pipeline *p = analysis_pipeline(a);
    if (p->model) add_components(out, p, of.pos);
}

static void hover_meaning(Text *out, Analysis *a, const Use *u) {
    const Meaning *m = &u->meaning;
    const char *word = name_text(a->names, m->name);
    switch (m->kind) {
    case MEANS_CLASS: hover_class(out, a, m); break;
    case MEANS_ITEM: hover_item(out, a, m); break;
    case MEANS_FORMAL:
        text_printf(out, "argument `%s`", word);
        if (m->formal->has_unit)
            text_printf(out, " {%s}", name_text(a->names, m->formal->unit_text));
        text_char(out, '\n');
        break;
    case MEANS_LOOP: text_printf(out, "variable `%s` of a loop\n", word); break;
    case MEANS_LOCAL: text_printf(out, "`%s`, a name in this function\n", word); break;
    case MEANS_ELEMENT: text_printf(out, "%s\n", describe_element(word)); break;
    case MEANS_VARIABLE: hover_own_variable(out, a, u); break;
    case MEANS_FUNCTION: text_printf(out, "`%s`: a function of the language\n", word); break;
    case MEANS_FILE:
        text_printf(out, "file `%s`\n", source_name(a->sources, m->file->source));
        break;
    case MEANS_NOTHING: break;
    }
}

bool hover_at(Text *out, Document *d, uint32_t at, uint32_t *from, uint32_t *to) {
    Analysis *a = document_analysis(d);
    const AstFile *file = analysis_file(a);
    if (!file) return false;
    Uses uses = uses_of_file(a, file);
    const Use *u = use_at(&uses, at);
    if (u) {
        hover_meaning(out, a, u);
        *from = u->at;
        *to = u->end;
    }
    array_free(&uses);
    return u && out->length > 0;
}
