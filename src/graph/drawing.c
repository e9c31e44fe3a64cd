// What both drawings show: strokes, colours and numbers of the bonds, words for the components.
#include "graph/drawing.h"

#include <string.h>

#include <stdlib.h>

static void colour_loops(const Graph *g, Drawing *d) {
    for (int b = 0; b < g->bond_count; b++)
        if (g->bond[b].looped) d->bond[g->bond[b].model_bond].colour = BOND_LOOP;
}

Drawing drawing_of(Arena *out, const Graph *g) {
    Drawing d = {.g = g,
                 .bond = ARENA_ARRAY(out, DrawnBond, g->model->bond_count),
                 .derivative = ARENA_ARRAY(out, bool, g->model->comp_count),
                 .var_of_symbol = model_symbol_vars(g->model)};
    colour_loops(g, &d);
    for (int i = 0; i < g->dependent_count; i++)
        d.derivative[g->node[g->dependent[i].node].comp] = true;
    for (int i = 0; i < g->bond_count; i++) {
        const GraphBond *b = &g->bond[i];
        DrawnBond *drawn = &d.bond[b->model_bond];
        if (!drawn->count++) drawn->first = i;
        drawn->at_from |= b->stroke == STROKE_AT_FROM;
        drawn->at_to |= b->stroke == STROKE_AT_TO;
        for (int side = 0; side < 2; side++) {
            int end = side ? b->to : b->from;
            if (!end_is_derivative(g, end)) continue;
            drawn->colour = BOND_DERIVATIVE;
            d.derivative[g->node[g->end[end].node].comp] = true;
        }
    }
    return d;
}

void drawing_free(Drawing *d) { free(d->var_of_symbol); }

void drawn_number(Text *out, const Drawing *d, int bond) {
    const DrawnBond *b = &d->bond[bond];
    const GraphBond *scalar = d->g->bond + b->first;
    bool run = b->count > 2;
    for (int i = 1; i < b->count; i++) run &= scalar[i].order == scalar[i - 1].order + 1;
    if (run) {
        text_printf(out, "%d-%d", scalar[0].order, scalar[b->count - 1].order);
        return;
    }
    for (int i = 0; i < b->count && i < 4; i++)
        text_printf(out, "%s%d", i ? ", " : "", scalar[i].order);
    if (b->count > 4) text_add(out, " ...");
}

// At most `most` bytes, without cutting a character of several bytes in two.
static void add_cut(Text *out, const char *s, size_t length, size_t most) {
    if (length > most) {
        length = most - 3;
        while (length && ((unsigned char)s[length] & 0xc0) == 0x80) length--;
        text_add_n(out, s, length);
        text_add(out, "...");
    } else {
        text_add_n(out, s, length);
    }
}

void drawn_title(Text *out, const Drawing *d, int comp) {
    enum { LONGEST = 44 };
    const Model *m = d->g->model;
    const Comp *c = &m->comp[comp];
    if (is_junction(c->kind)) {
        text_add(out, kind_name(c->kind));
        return;
    }
    Text t = {0};
    text_printf(&t, "%s: %s", c->type ? name_text(m->names, c->type) : kind_name(c->kind),
                name_text(m->names, c->path));
    add_cut(out, text_get(&t), t.length, LONGEST);
    text_free(&t);
}

// Small enough to be read at a glance: no more than a few nodes.
static bool is_short(const Dag *d, Expr e) {
    enum { MOST = 14 };
    Expr open[MOST];
    int count = 0;
    open[count++] = e;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < expr_arg_count(d, open[i]); k++) {
            if (count == MOST) return false;
            open[count++] = expr_arg(d, open[i], k);
        }
    return true;
}

// Unit of the argument: R = e/f, C = q/e, I = p/f, m = f2/f1, r = e1/f2.
static Dim argument_dim(const Model *m, const Comp *c) {
    const Port *p = &m->port[c->first_port];
    Dim second = DIM_ONE, e = m->var[p[0].e].dim, f = m->var[p[0].f].dim;
    second.power[BASE_S] = POWER_ONE;
    switch (c->kind) {
    case COMP_R: return dim_divide(e, f);
    case COMP_C: return dim_divide(dim_multiply(f, second), e);
    case COMP_I: return dim_divide(dim_multiply(e, second), f);
    case COMP_TF: return dim_divide(m->var[p[1].f].dim, f);
    case COMP_GY: return dim_divide(e, m->var[p[1].f].dim);
    case COMP_SE: return e;
    case COMP_SF: return f;
    default: return DIM_UNKNOWN;
    }
}

// What sets an element apart: its argument, or what a source gives.
static Expr shown_value(const Drawing *d, int comp) {
    const Model *m = d->g->model;
    const Comp *c = &m->comp[comp];
    Expr e = 0;
    if (c->argument && c->argument_rows * c->argument_cols == 1) e = c->argument[0];
    if (is_source(c->kind) && c->dim <= 1 && c->equation_count == 1)
        e = m->equation[c->first_equation].right;
    if (!e || expr_op(m->dag, e) != OP_SYMBOL) return e;
    // a plain number became a parameter of the element itself: the number says more
    int v = d->var_of_symbol[expr_symbol_index(m->dag, e)];
    bool own = v >= 0 && m->var[v].kind == VAR_PARAM && m->var[v].comp == comp;
    return own && m->var[v].value ? m->var[v].value : e;
}

// Numbers as they are read at a glance; of an effort, J is a torque.
static void add_value(Text *out, const Model *m, const Comp *c, Expr value) {
    double number;
    if (!expr_is_number(m->dag, value, &number)) {
        expr_print(out, m->dag, value, &(Printer){.style = PRINT_TEXT});
        return;
    }
    text_printf(out, "%.5g", number);
    Dim dim = c->port_count ? argument_dim(m, c) : DIM_UNKNOWN;
    if (!dim.known || dim_is_one(dim)) return;
    Text unit = {0};
    dim_print(&unit, dim);
    bool torque = c->kind == COMP_SE && strcmp(text_get(&unit), "J") == 0;
    text_printf(out, " %s", torque ? "N.m" : text_get(&unit));
    text_free(&unit);
}

void drawn_subtitle(Text *out, const Drawing *d, int comp) {
    enum { LONGEST = 30 };
    const Model *m = d->g->model;
    const Comp *c = &m->comp[comp];
    Text t = {0};
    Expr value = shown_value(d, comp);
    if (is_junction(c->kind)) {
        text_add(&t, name_text(m->names, c->path));
    } else if (value && is_short(m->dag, value)) {
        add_value(&t, m, c, value);
    } else if (c->argument && c->argument_rows * c->argument_cols > 1) {
        text_printf(&t, "%d x %d", c->argument_rows, c->argument_cols);
    }
    add_cut(out, text_get(&t), t.length, LONGEST);
    text_free(&t);
}
