// How nodes, ends and bonds are called in messages, listings and drawings.
#include "graph/inside.h"

const char *kind_name(CompKind kind) {
    static const char *const name[] = {
        [COMP_0] = "0",   [COMP_1] = "1",   [COMP_SE] = "Se", [COMP_SF] = "Sf",
        [COMP_R] = "R",   [COMP_C] = "C",   [COMP_I] = "I",   [COMP_TF] = "TF",
        [COMP_GY] = "GY", [COMP_DE] = "De", [COMP_DF] = "Df", [COMP_FIELD] = "field",
    };
    return name[kind];
}

const char *node_path(const Graph *g, int node) {
    return name_text(g->model->names, node_comp(g, node)->path);
}

void graph_node_label(Text *out, const Graph *g, int node) {
    const Comp *c = node_comp(g, node);
    text_add(out, node_path(g, node));
    if (is_junction(c->kind) && c->dim > 1) text_printf(out, "[%d]", g->node[node].component + 1);
}

static const char *type_name(const Graph *g, const Comp *c) {
    return c->type ? name_text(g->model->names, c->type) : kind_name(c->kind);
}

void node_title(Text *out, const Graph *g, int node) {
    const Comp *c = node_comp(g, node);
    text_printf(out, "%s '", is_junction(c->kind) ? kind_name(c->kind) : type_name(g, c));
    graph_node_label(out, g, node);
    text_char(out, '\'');
}

// The port that holds an element's end; *component gets the scalar in it.
static const Port *port_of_end(const Graph *g, int end, int *component) {
    const GraphNode *n = &g->node[g->end[end].node];
    const Comp *c = &g->model->comp[n->comp];
    int k = end - n->first_end;
    for (int p = c->first_port; p < c->first_port + c->port_count; p++) {
        const Port *port = &g->model->port[p];
        if (k < port->dim) {
            *component = k;
            return port;
        }
        k -= port->dim;
    }
    return NULL;
}

// Can the name of the port be left out? A two-port is entered at p1 and left at p2, so its ports
// need no names.
static bool port_name_is_clear(const Graph *g, int end, const Port *port) {
    const Comp *c = &g->model->comp[port->comp];
    if (port->whole) return false; // of a mechanism
    if (c->port_count < 2 || !port->name) return true;
    if (c->kind != COMP_TF && c->kind != COMP_GY) return false;
    bool is_second = port != &g->model->port[c->first_port];
    return g->end[end].bond >= 0 && g->end[end].is_from == is_second;
}

void end_label(Text *out, const Graph *g, int end) {
    int node = g->end[end].node, component = 0;
    graph_node_label(out, g, node);
    if (is_junction(node_comp(g, node)->kind)) return;
    const Port *port = port_of_end(g, end, &component);
    if (!port) return;
    if (!port_name_is_clear(g, end, port))
        text_printf(out, ".%s", name_text(g->model->names, port->name));
    if (port->dim > 1 || port->whole > 1) text_printf(out, "[%d]", port->part + component + 1);
}

void graph_bond_label(Text *out, const Graph *g, int bond) {
    end_label(out, g, g->bond[bond].from);
    text_add(out, " -> ");
    end_label(out, g, g->bond[bond].to);
}

char *bond_text(Arena *out, const Graph *g, int bond) {
    Text t = {0};
    graph_bond_label(&t, g, bond);
    char *copy = arena_copy_text(out, text_get(&t), t.length);
    text_free(&t);
    return copy;
}

char *node_title_text(Arena *out, const Graph *g, int node) {
    Text t = {0};
    node_title(&t, g, node);
    char *copy = arena_copy_text(out, text_get(&t), t.length);
    text_free(&t);
    return copy;
}

// --- strokes -------------------------------------------------------------------------------------

bool kind_wants_effort(CompKind kind) {
    return kind == COMP_SF || kind == COMP_DE || kind == COMP_I;
}

bool end_is_derivative(const Graph *g, int end) {
    CompKind kind = node_comp(g, g->end[end].node)->kind;
    return is_storage(kind) && end_assigned(g, end) &&
           end_takes_effort(g, end) != kind_wants_effort(kind);
}

int node_end_at(const Graph *g, int node, int bond) {
    const GraphBond *b = &g->bond[bond];
    return g->end[b->from].node == node ? b->from : b->to;
}
