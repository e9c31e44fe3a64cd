// What pages ask about a model beside its variables: how long the experiment is, what it draws, in
// which units parameters are shown, and which variables belong to each bond of the drawing.
#include "api/handles.h"

#include "base/json.h"
#include "graph/explain.h"
#include "results/shown.h"
#include <string.h>

static const char *path_of(const Model *m, int var) {
    return name_text(m->names, m->var[var].path);
}

// --- the experiment ------------------------------------------------------------------------------

// The variable that an expression is, or NULL: a page plots what is recorded.
static const char *signal_name(const Model *m, const Signal *s) {
    if (!s->what || expr_op(m->dag, s->what) != OP_SYMBOL) return NULL;
    return name_text(m->names, expr_symbol_name(m->dag, expr_symbol_index(m->dag, s->what)));
}

static void add_plot(Text *out, const Model *m, const Plot *p) {
    json_open(out, '{');
    json_text_of(out, "title", name_text(m->names, p->title));
    if (p->x.what && signal_name(m, &p->x)) json_text_of(out, "x", signal_name(m, &p->x));
    json_key(out, "y");
    json_open(out, '[');
    for (int i = 0; i < p->y_count; i++)
        if (signal_name(m, &p->y[i])) json_quoted(out, signal_name(m, &p->y[i]));
    json_close(out, ']');
    json_close(out, '}');
}

// Of a method with fixed steps.
static double own_step(const Experiment *x) {
    return x->step > 0 ? x->step : (x->stop - x->start) / 1000;
}

static void add_experiment(Text *out, const Model *m, const Experiment *x) {
    json_number_of(out, "start", x ? x->start : 0);
    json_number_of(out, "stop", x ? x->stop : 10);
    json_number_of(out, "step", x ? own_step(x) : 0.01);
    json_text_of(out, "text", name_text(m->names, x && x->text ? x->text : m->text));
    json_bool_of(out, "sweep", x && x->sweep.symbol);
    json_key(out, "plots");
    json_open(out, '[');
    for (int i = 0; x && i < x->plot_count; i++) add_plot(out, m, &x->plots[i]);
    json_close(out, ']');
}

static void add_source(Text *out, const Model *m, const LiveSource *s, Shown shown) {
    static const char *const word[] = {"axis", "button", "key", "keys", "slider"};
    json_open(out, '{');
    json_text_of(out, "kind", word[s->kind]);
    json_number_of(out, "number", s->number);
    if (s->key) json_text_of(out, "key", name_text(m->names, s->key));
    if (s->other) json_text_of(out, "other", name_text(m->names, s->other));
    json_number_of(out, "low", show(shown, s->low));
    json_number_of(out, "high", show(shown, s->high));
    json_close(out, '}');
}

// Numbers are in the unit that the input is shown in.
static void add_live(Text *out, const Model *m, const Experiment *x) {
    json_key(out, "live");
    json_open(out, '[');
    for (int i = 0; x && i < x->live_count; i++) {
        const Live *l = &x->live[i];
        Shown shown = shown_in(m, m->var[l->var].unit);
        json_open(out, '{');
        json_text_of(out, "input", path_of(m, l->var));
        json_number_of(out, "scale", l->scale / shown.scale);
        json_key(out, "sources");
        json_open(out, '[');
        for (int k = 0; k < l->source_count; k++) add_source(out, m, &l->source[k], shown);
        json_close(out, ']');
        json_close(out, '}');
    }
    json_close(out, ']');
}

// SI = shown*scale + offset, of everything that is not shown in SI.
static void add_units(Text *out, const Model *m) {
    json_key(out, "shown");
    json_open(out, '{');
    for (int v = 0; v < m->var_count; v++) {
        Shown s = shown_in(m, m->var[v].unit);
        if (s.scale == 1 && s.offset == 0) continue;
        json_key(out, path_of(m, v));
        json_open(out, '[');
        json_number(out, s.scale);
        json_number(out, s.offset);
        json_close(out, ']');
    }
    json_close(out, '}');
}

// --- the graph -----------------------------------------------------------------------------------

// Variables of a scalar bond; -1: it has none of its own. A junction gives the one that all share.
static void bond_variables(const Graph *g, const GraphBond *b, int *e, int *f) {
    const int ends[2] = {b->from, b->to};
    *e = *f = -1;
    for (int i = 0; i < 2; i++) {
        const GraphEnd *end = &g->end[ends[i]];
        const GraphNode *node = &g->node[end->node];
        const Comp *c = &g->model->comp[node->comp];
        if (end->e >= 0) *e = end->e;
        if (end->f >= 0) *f = end->f;
        if (c->kind == COMP_0 && c->var >= 0 && *e < 0) *e = c->var + node->component;
        if (c->kind == COMP_1 && c->var >= 0 && *f < 0) *f = c->var + node->component;
    }
}

static void add_variable(Text *out, const Model *m, const char *key, int var) {
    if (var >= 0) json_text_of(out, key, path_of(m, var));
}

static void add_bonds(Text *out, const Graph *g) {
    Text t = {0};
    json_key(out, "bonds");
    json_open(out, '[');
    for (int i = 0; i < g->bond_count; i++) {
        int e, f;
        bond_variables(g, &g->bond[i], &e, &f);
        json_open(out, '{');
        json_number_of(out, "bond", g->bond[i].model_bond);
        text_clear(&t);
        graph_bond_label(&t, g, i);
        json_text_of(out, "label", text_get(&t));
        add_variable(out, g->model, "e", e);
        add_variable(out, g->model, "f", f);
        text_clear(&t);
        bond_reason(&t, g, i);
        json_text_of(out, "reason", text_get(&t));
        json_number_of(out, "order", g->bond[i].order);
        json_bool_of(out, "pseudo",
                     g->model->comp[g->node[g->end[g->bond[i].to].node].comp].pseudo);
        json_close(out, '}');
    }
    json_close(out, ']');
    text_free(&t);
}

static void add_components(Text *out, const Model *m) {
    json_key(out, "components");
    json_open(out, '[');
    for (int c = 0; c < m->comp_count; c++) {
        json_open(out, '{');
        json_text_of(out, "path", name_text(m->names, m->comp[c].path));
        json_text_of(out, "type", name_text(m->names, m->comp[c].type));
        json_text_of(out, "text", name_text(m->names, m->comp[c].text));
        json_close(out, '}');
    }
    json_close(out, ']');
}

void about_json(Text *out, const System *s, const Experiment *x) {
    json_open(out, '{');
    add_experiment(out, s->model, x);
    add_live(out, s->model, x);
    add_units(out, s->model);
    add_components(out, s->model);
    add_bonds(out, s->graph);
    json_close(out, '}');
}
