// From the flat model to nodes, ends and scalar bonds.
//
//    0[3] w -> body     gives     w[1] ----> body (end 1)
//                                 w[2] ----> body (end 2)
//                                 w[3] ----> body (end 3)
//
// Junctions fall apart into scalars, elements stay whole. Ends of a node stand together: those of
// an element port by port, those of a junction bond by bond.
#include "graph/inside.h"

#include "base/memory.h"
#include <assert.h>
#include <stdlib.h>

typedef struct {
    Arena *out;
    const Model *m;
    Graph *g;
    Report *r;
    int *port_offset; // per port: its first end, counted from its node's first
    int *filled;      // per node: ends of a junction that have their bond
} Build;

static int *new_ints(int count) { return memory_zeroed((size_t)count, sizeof(int)); }

static int comp_nodes(const Comp *c) { return is_junction(c->kind) && c->dim > 1 ? c->dim : 1; }

static void make_nodes(Build *b) {
    const Model *m = b->m;
    Graph *g = b->g;
    g->first_node = ARENA_ARRAY(b->out, int, m->comp_count);
    for (int c = 0; c < m->comp_count; c++) {
        g->first_node[c] = g->node_count;
        g->node_count += comp_nodes(&m->comp[c]);
    }
    g->node = ARENA_ARRAY(b->out, GraphNode, g->node_count);
    for (int c = 0; c < m->comp_count; c++)
        for (int k = 0; k < comp_nodes(&m->comp[c]); k++)
            g->node[g->first_node[c] + k] = (GraphNode){.comp = c, .component = k};
}

static void count_junction_ends(Build *b, const BondEnd *end, int dim) {
    if (end->port >= 0) return;
    assert(end->first >= 0 && end->first + dim <= comp_nodes(&b->m->comp[end->comp]));
    for (int k = 0; k < dim; k++)
        b->g->node[b->g->first_node[end->comp] + end->first + k].end_count++;
}

static void count_element_ends(Build *b) {
    for (int c = 0; c < b->m->comp_count; c++) {
        const Comp *comp = &b->m->comp[c];
        GraphNode *node = &b->g->node[b->g->first_node[c]];
        for (int p = comp->first_port; p < comp->first_port + comp->port_count; p++) {
            b->port_offset[p] = node->end_count;
            node->end_count += b->m->port[p].dim;
        }
    }
}

static void make_ends(Build *b) {
    Graph *g = b->g;
    count_element_ends(b);
    for (int i = 0; i < b->m->bond_count; i++) {
        const Bond *bond = &b->m->bond[i];
        count_junction_ends(b, &bond->from, bond->dim);
        count_junction_ends(b, &bond->to, bond->dim);
    }
    for (int n = 0; n < g->node_count; n++) {
        g->node[n].first_end = g->end_count;
        g->end_count += g->node[n].end_count;
    }
    g->end = ARENA_ARRAY(b->out, GraphEnd, g->end_count);
    for (int n = 0; n < g->node_count; n++)
        for (int k = 0; k < g->node[n].end_count; k++)
            g->end[g->node[n].first_end + k] = (GraphEnd){.node = n, .bond = -1, .e = -1, .f = -1};
    for (int p = 0; p < b->m->port_count; p++) {
        const Port *port = &b->m->port[p];
        int first = g->node[g->first_node[port->comp]].first_end + b->port_offset[p];
        for (int k = 0; k < port->dim; k++) {
            g->end[first + k].e = port->e + k;
            g->end[first + k].f = port->f + k;
        }
    }
}

// The end for scalar k of a bond's side: a fresh one at a junction, the port's own at an element.
static int take_end(Build *b, const BondEnd *side, int k) {
    Graph *g = b->g;
    if (side->port < 0) {
        int node = g->first_node[side->comp] + side->first + k;
        return g->node[node].first_end + b->filled[node]++;
    }
    assert(side->first + k < b->m->port[side->port].dim);
    return g->node[g->first_node[side->comp]].first_end + b->port_offset[side->port] + side->first +
           k;
}

// Ports of models are gone by now, and what stood at both of them may be one junction.
static bool joins_two_things(Build *b, int from, int to, const Bond *bond) {
    Graph *g = b->g;
    int node = g->end[from].node;
    assert(from != to && g->end[from].bond < 0 && g->end[to].bond < 0);
    if (node != g->end[to].node || !is_junction(node_comp(g, node)->kind)) return true;
    Text label = {0};
    graph_node_label(&label, g, node);
    Remark *e = report_error(b->r, G_BOND_TO_ITSELF, bond->pos,
                             "this bond leads from junction '%s' back to it", text_get(&label));
    remark_help(b->r, e, "bond the junction to something else, or remove the bond");
    text_free(&label);
    return false;
}

static void make_bonds(Build *b) {
    Graph *g = b->g;
    int most = 0;
    for (int i = 0; i < b->m->bond_count; i++) most += b->m->bond[i].dim;
    g->bond = ARENA_ARRAY(b->out, GraphBond, most);
    for (int i = 0; i < b->m->bond_count; i++) {
        const Bond *bond = &b->m->bond[i];
        for (int k = 0; k < bond->dim; k++) {
            int from = take_end(b, &bond->from, k), to = take_end(b, &bond->to, k);
            if (!joins_two_things(b, from, to, bond)) continue;
            g->end[from].bond = g->end[to].bond = g->bond_count;
            g->end[from].is_from = true;
            g->bond[g->bond_count++] = (GraphBond){
                .from = from, .to = to, .model_bond = i, .component = k, .by = -1, .cause = -1};
        }
    }
}

// --- remarks -------------------------------------------------------------------------------------

// One bond is questionable; without any the junction's variable would stay open.
static Remark *report_lonely(Build *b, int node) {
    const Comp *c = node_comp(b->g, node);
    bool none = b->g->node[node].end_count == 0;
    Text label = {0};
    graph_node_label(&label, b->g, node);
    Remark *w =
        report_add(b->r, none ? ERROR : WARNING, G_LONELY_JUNCTION, c->pos, "junction '%s' has %s",
                   text_get(&label), none ? "no bonds" : "only one bond");
    remark_help(b->r, w,
                none                ? "bond something to it, or remove it"
                : c->kind == COMP_1 ? "its effort is zero: bond a second thing to it, or remove it"
                                    : "its flow is zero: bond a second thing to it, or remove it");
    text_free(&label);
    return w;
}

// Of junctions that one line declares, the first; of many lines, the first few.
static void report_lonely_junctions(Build *b) {
    enum { MOST = 20 };
    const Graph *g = b->g;
    int reported = 0, others = 0;
    Remark *last = NULL;
    for (int n = 0; n < g->node_count; n++) {
        const Comp *c = node_comp(g, n);
        if (!is_junction(c->kind) || g->node[n].end_count > 1) continue;
        bool same_line = last && last->pos.file == c->pos.file && last->pos.at == c->pos.at &&
                         (last->severity == ERROR) == (g->node[n].end_count == 0);
        if (same_line || reported == MOST) {
            others++;
            continue;
        }
        last = report_lonely(b, n);
        reported++;
    }
    if (others) remark_note(b->r, last, POS_NONE, "%d more junctions are like this", others);
}

// --- separate parts ------------------------------------------------------------------------------
//
// Union-find over components and variables. Parts that are coupled by equations (a controller and
// its plant) count as one; only what has nothing to do with the rest is worth a remark.

static int find_root(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void unite(int *parent, int a, int b) {
    a = find_root(parent, a), b = find_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

static void unite_by_equations(const Model *m, int *parent) {
    int *var_of = model_symbol_vars(m);
    ExprWalk *walk = walk_new(m->dag);
    for (int i = 0; i < m->equation_count; i++) {
        const Equation *eq = &m->equation[i];
        int first = eq->comp;
        walk_start(walk);
        walk_add(walk, eq->left);
        walk_add(walk, eq->right);
        for (int k = 0; k < walk_count(walk); k++) {
            if (expr_op(m->dag, walk_at(walk, k)) != OP_SYMBOL) continue;
            int v = var_of[expr_symbol_index(m->dag, walk_at(walk, k))];
            if (v < 0 || m->var[v].kind == VAR_TIME || m->var[v].kind == VAR_PARAM ||
                m->var[v].kind == VAR_DISCRETE)
                continue;
            if (m->var[v].kind == VAR_DERIVATIVE) v = m->var[v].of;
            int item = m->var[v].comp >= 0 ? m->var[v].comp : m->comp_count + v;
            if (first >= 0) unite(parent, first, item);
            first = item;
        }
    }
    walk_free(walk);
    free(var_of);
}

static int count_parts(const Model *m, int *parent, bool *bonded, int *of_part, int most) {
    int parts = 0;
    for (int c = 0; c < m->comp_count; c++)
        if (bonded[c]) bonded[find_root(parent, c)] = true;
    for (int c = 0; c < m->comp_count; c++) {
        if (find_root(parent, c) != c || !bonded[c]) continue;
        if (parts < most) of_part[parts] = c;
        parts++;
    }
    return parts;
}

static void report_parts(Build *b) {
    enum { SHOWN = 4 };
    const Model *m = b->m;
    int *parent = new_ints(m->comp_count + m->var_count), shown[SHOWN];
    bool *bonded = memory_zeroed((size_t)m->comp_count, sizeof *bonded);
    for (int i = 0; i < m->comp_count + m->var_count; i++) parent[i] = i;
    for (int i = 0; i < m->bond_count; i++) {
        unite(parent, m->bond[i].from.comp, m->bond[i].to.comp);
        bonded[m->bond[i].from.comp] = bonded[m->bond[i].to.comp] = true;
    }
    int parts = count_parts(m, parent, bonded, shown, SHOWN);
    if (parts > 1) {
        unite_by_equations(m, parent);
        parts = count_parts(m, parent, bonded, shown, SHOWN);
    }
    if (parts > 1) {
        Remark *n =
            report_add(b->r, NOTE, G_SEPARATE_PARTS, m->pos,
                       "the model is made of %d systems that do not act on each other", parts);
        for (int i = 0; i < parts && i < SHOWN; i++)
            remark_note(b->r, n, m->comp[shown[i]].pos, "'%s' belongs to one of them",
                        name_text(m->names, m->comp[shown[i]].path));
        remark_help(b->r, n, "if that is not what you mean, a bond or an equation is missing");
    }
    free(bonded);
    free(parent);
}

Graph *graph_build(Arena *out, const Model *m, Report *r) {
    Graph *g = ARENA_NEW(out, Graph);
    g->model = m;
    Build b = {.out = out, .m = m, .g = g, .r = r, .port_offset = new_ints(m->port_count)};
    make_nodes(&b);
    make_ends(&b);
    b.filled = new_ints(g->node_count);
    make_bonds(&b);
    report_lonely_junctions(&b);
    report_parts(&b);
    check_storages(m, r);
    free(b.filled);
    free(b.port_offset);
    return g;
}
