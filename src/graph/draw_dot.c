// Graphviz: half-arrow as a one-sided head, strokes as tees, multibonds as double lines.
#include "graph/drawing.h"

// Names go into quoted strings; only quotes and backslashes are special there.
static void dot_text(Text *out, const char *s) {
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') text_char(out, '\\');
        text_char(out, *s);
    }
}

static void dot_comp(Text *out, const Drawing *d, int comp) {
    Text title = {0}, sub = {0};
    drawn_title(&title, d, comp);
    drawn_subtitle(&sub, d, comp);
    text_printf(out, "  n%d [label=\"", comp);
    dot_text(out, text_get(&title));
    if (sub.length) {
        text_add(out, "\\n");
        dot_text(out, text_get(&sub));
    }
    text_char(out, '"');
    if (d->derivative[comp]) text_add(out, ", fontcolor=\"#c8102e\"");
    if (is_junction(d->g->model->comp[comp].kind))
        text_add(out, ", shape=box, style=rounded, color=\"#9aa4b2\"");
    text_add(out, "];\n");
    text_free(&title);
    text_free(&sub);
}

static void dot_bond(Text *out, const Drawing *d, int bond) {
    static const char *const colour[] = {"#1f2933", "#b45309", "#c8102e"};
    const DrawnBond *b = &d->bond[bond];
    const Bond *m = &d->g->model->bond[bond];
    const char *c = colour[b->colour];
    text_printf(out, "  n%d -> n%d [dir=both, arrowhead=\"%slvee\", arrowtail=\"%s\", label=\"",
                m->from.comp, m->to.comp, b->at_to ? "tee" : "", b->at_from ? "tee" : "none");
    drawn_number(out, d, bond);
    if (m->dim > 1)
        text_printf(out, "\", taillabel=\"%d\", color=\"%s:invis:%s\"];\n", m->dim, c, c);
    else
        text_printf(out, "\", color=\"%s\"];\n", c);
}

void graph_dot(Text *out, const Graph *g) {
    const Model *m = g->model;
    Arena a = {0};
    Drawing d = drawing_of(&a, g);
    text_add(out, "digraph \"");
    dot_text(out, name_text(m->names, m->name));
    text_add(out, "\" {\n  rankdir=LR;\n  node [shape=plaintext, fontname=\"sans-serif\"];\n"
                  "  edge [fontname=\"sans-serif\", fontsize=9, fontcolor=\"#6b7280\"];\n");
    for (int c = 0; c < m->comp_count; c++) dot_comp(out, &d, c);
    for (int b = 0; b < m->bond_count; b++)
        if (d.bond[b].count) dot_bond(out, &d, b);
    text_add(out, "}\n");
    drawing_free(&d);
    arena_free(&a);
}
