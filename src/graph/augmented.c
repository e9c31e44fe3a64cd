// The augmented graph as a listing: every bond has a number, and every element and junction its
// equations in the efforts and flows of these bonds, nothing put in anywhere. What a student writes
// down before reducing (Bright, 2.6.2).
//
//     bonds      storages with integral causality first: of an I the effort is p', of a C the flow q'
//     elements   their laws, with e3, f3, p3, q3 for what the bond has
//     junctions  the common variable, and the balance of the other
#include "graph/explain.h"
#include "graph/inside.h"

#include "base/array.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    const Graph *g;
    const Model *m;
    int *number;     // per bond of the graph
    int *order;      // bonds by number - 1
    const char **as; // per symbol: how it is called here; NULL: by its own name
    Arena tmp;
} Listing;

// --- numbers -------------------------------------------------------------------------------------

// The storage at a bond that is in integral causality there; -1: none.
static int storage_at(const Graph *g, int bond) {
    const GraphBond *b = &g->bond[bond];
    int ends[] = {b->from, b->to};
    for (int i = 0; i < 2; i++) {
        CompKind kind = node_comp(g, g->end[ends[i]].node)->kind;
        if ((kind == COMP_I || kind == COMP_C) && !end_is_derivative(g, ends[i])) return ends[i];
    }
    return -1;
}

static void give_numbers(Listing *l) {
    const Graph *g = l->g;
    int *by_order = memory_zeroed((size_t)g->bond_count + 2, sizeof(int)), next = 0;
    for (int b = 0; b < g->bond_count; b++) {
        int k = g->bond[b].order;
        if (k >= 1 && k <= g->bond_count) by_order[k] = b + 1;
    }
    for (int pass = 0; pass < 2; pass++)
        for (int k = 1; k <= g->bond_count; k++) {
            int b = by_order[k] - 1;
            if (b < 0 || (storage_at(g, b) >= 0) != (pass == 0)) continue;
            l->order[next++] = b;
            l->number[b] = next;
        }
    free(by_order);
}

static void call(Listing *l, int var, const char *text) {
    if (var >= 0) l->as[expr_symbol_index(l->m->dag, l->m->var[var].symbol)] = text;
}

// Variables of ports and storages by the numbers of their bonds.
static void give_names(Listing *l) {
    const Graph *g = l->g;
    for (int b = 0; b < g->bond_count; b++) {
        int ends[] = {g->bond[b].from, g->bond[b].to}, n = l->number[b];
        for (int i = 0; i < 2 && n; i++) {
            const GraphEnd *end = &g->end[ends[i]];
            call(l, end->e, arena_printf(&l->tmp, "e%d", n));
            call(l, end->f, arena_printf(&l->tmp, "f%d", n));
            const Comp *c = node_comp(g, end->node);
            if (c->kind != COMP_I && c->kind != COMP_C) continue;
            int state = c->first_state + (ends[i] - g->node[end->node].first_end);
            char letter = c->kind == COMP_I ? 'p' : 'q';
            call(l, state, arena_printf(&l->tmp, "%c%d", letter, n));
            if (l->m->var[state].der >= 0)
                call(l, l->m->var[state].der, arena_printf(&l->tmp, "%c%d'", letter, n));
        }
    }
}

static const char *name_here(void *context, Expr e) {
    const Listing *l = context;
    if (expr_op(l->m->dag, e) != OP_SYMBOL) return NULL;
    int symbol = expr_symbol_index(l->m->dag, e);
    const char *as = l->as[symbol];
    return as ? as : name_text(l->m->names, expr_symbol_name(l->m->dag, symbol));
}

// --- the listing ---------------------------------------------------------------------------------

static void list_bond(Text *out, const Listing *l, int bond) {
    const Graph *g = l->g;
    int n = l->number[bond], storage = storage_at(g, bond);
    Text label = {0}, pair = {0};
    graph_bond_label(&label, g, bond);
    CompKind kind = storage < 0 ? COMP_0 : node_comp(g, g->end[storage].node)->kind;
    if (kind == COMP_I)
        text_printf(&pair, "(p%d', f%d)", n, n);
    else if (kind == COMP_C)
        text_printf(&pair, "(e%d, q%d')", n, n);
    else
        text_printf(&pair, "(e%d, f%d)", n, n);
    text_printf(out, "  %3d  %-32s %-14s %s\n", n, text_get(&label), text_get(&pair),
                kind == COMP_I || kind == COMP_C ? "integral" : "");
    text_free(&label);
    text_free(&pair);
}

static void list_element(Text *out, Listing *l, int comp) {
    const Comp *c = &l->m->comp[comp];
    Printer how = {.style = PRINT_TEXT, .name = name_here, .context = l};
    text_printf(out, "  %s %s\n", c->type ? name_text(l->m->names, c->type) : kind_name(c->kind),
                name_text(l->m->names, c->path));
    for (int e = c->first_equation; e < c->first_equation + c->equation_count; e++) {
        text_add(out, "      ");
        expr_print(out, l->m->dag, l->m->equation[e].left, &how);
        text_add(out, " = ");
        expr_print(out, l->m->dag, l->m->equation[e].right, &how);
        text_char(out, '\n');
    }
}

// Of a 1-junction the flow is common and efforts add up; of a 0-junction the other way round.
static void list_junction(Text *out, const Listing *l, int node) {
    const Graph *g = l->g;
    const Comp *c = node_comp(g, node);
    char common = c->kind == COMP_1 ? 'f' : 'e', sum = c->kind == COMP_1 ? 'e' : 'f';
    int strong = 0; // the bond that brings the common variable
    text_printf(out, "  %s ", kind_name(c->kind));
    graph_node_label(out, g, node);
    for (int end = first_end(g, node); end < past_end(g, node); end++)
        if (g->end[end].bond >= 0 && end_hits(g, end)) strong = l->number[g->end[end].bond];
    text_add(out, "\n     ");
    for (int end = first_end(g, node); end < past_end(g, node); end++) {
        int n = g->end[end].bond >= 0 ? l->number[g->end[end].bond] : 0;
        if (n && n != strong) text_printf(out, " %c%d = %c%d", common, n, common, strong);
    }
    text_add(out, "\n      ");
    bool first = true;
    for (int end = first_end(g, node); end < past_end(g, node); end++) {
        int n = g->end[end].bond >= 0 ? l->number[g->end[end].bond] : 0;
        if (!n) continue;
        bool in = !g->end[end].is_from;
        text_printf(out, "%s%c%d", first ? (in ? "" : "-") : in ? " + " : " - ", sum, n);
        first = false;
    }
    text_add(out, " = 0\n");
}

static void list_signals(Text *out, Listing *l) {
    Printer how = {.style = PRINT_TEXT, .name = name_here, .context = l};
    bool any = false;
    for (int e = 0; e < l->m->equation_count; e++) {
        if (l->m->equation[e].comp >= 0) continue;
        text_add(out, any ? "  " : "\nsignals\n  ");
        any = true;
        expr_print(out, l->m->dag, l->m->equation[e].left, &how);
        text_add(out, " = ");
        expr_print(out, l->m->dag, l->m->equation[e].right, &how);
        text_char(out, '\n');
    }
}

void graph_augmented(Text *out, const Graph *g) {
    Listing l = {.g = g, .m = g->model};
    l.number = ARENA_ARRAY(&l.tmp, int, g->bond_count);
    l.order = ARENA_ARRAY(&l.tmp, int, g->bond_count);
    l.as = ARENA_ARRAY(&l.tmp, const char *, expr_symbol_count(g->model->dag));
    give_numbers(&l);
    give_names(&l);
    text_add(out, "bonds\n");
    for (int i = 0; i < g->bond_count; i++)
        if (l.number[l.order[i]] == i + 1) list_bond(out, &l, l.order[i]);
    text_add(out, "\nelements\n");
    for (int c = 0; c < g->model->comp_count; c++)
        if (!is_junction(g->model->comp[c].kind)) list_element(out, &l, c);
    text_add(out, "\njunctions\n");
    for (int n = 0; n < g->node_count; n++)
        if (is_junction(node_comp(g, n)->kind)) list_junction(out, &l, n);
    list_signals(out, &l);
    arena_free(&l.tmp);
}
