// What holds of every graph: ends and bonds point at each other, and once strokes are assigned
// without a conflict, every bond has one and every junction exactly the setter that it can have.
#include "base/invariant.h"
#include "graph/graph.h"

static const char *check_bond(const Graph *g, int i) {
    const GraphBond *b = &g->bond[i];
    HOLDS(b->from >= 0 && b->from < g->end_count && b->to >= 0 && b->to < g->end_count);
    HOLDS(g->end[b->from].bond == i && g->end[b->from].is_from);
    HOLDS(g->end[b->to].bond == i && !g->end[b->to].is_from);
    HOLDS(b->model_bond >= 0 && b->model_bond < g->model->bond_count);
    HOLDS(b->component >= 0 && b->component < g->model->bond[b->model_bond].dim);
    HOLDS(b->cause >= -1 && b->cause < g->bond_count);
    return NULL;
}

static const char *check_node(const Graph *g, int i) {
    const GraphNode *n = &g->node[i];
    HOLDS(n->comp >= 0 && n->comp < g->model->comp_count);
    HOLDS(IS_PART(n->first_end, n->end_count, g->end_count));
    for (int e = n->first_end; e < n->first_end + n->end_count; e++) {
        HOLDS(g->end[e].node == i);
        HOLDS(g->end[e].bond >= -1 && g->end[e].bond < g->bond_count);
    }
    return NULL;
}

// The stroke stands at this end: effort comes in here.
static bool receives_effort(const Graph *g, const GraphEnd *e) {
    return g->bond[e->bond].stroke == (e->is_from ? STROKE_AT_FROM : STROKE_AT_TO);
}

// A 0-junction has one stroke beside it; a 1-junction all but one.
static const char *check_junction(const Graph *g, const GraphNode *n) {
    CompKind kind = g->model->comp[n->comp].kind;
    if (kind != COMP_0 && kind != COMP_1) return NULL;
    int bonds = 0, strokes = 0;
    for (int e = n->first_end; e < n->first_end + n->end_count; e++) {
        if (g->end[e].bond < 0) continue;
        bonds++;
        strokes += receives_effort(g, &g->end[e]);
    }
    HOLDS(bonds == 0 || strokes == (kind == COMP_0 ? 1 : bonds - 1));
    return NULL;
}

static const char *check_strokes(const Graph *g) {
    for (int i = 0; i < g->bond_count; i++) {
        const GraphBond *b = &g->bond[i];
        HOLDS(b->stroke != STROKE_NONE && b->reason != REASON_NONE);
        HOLDS(b->order >= 1 && b->order <= g->bond_count);
        HOLDS(b->cause < 0 || g->bond[b->cause].order < b->order);
    }
    for (int i = 0; i < g->node_count; i++) HOLDS_IN(check_junction(g, &g->node[i]));
    return NULL;
}

const char *graph_check(const Graph *g) {
    for (int i = 0; i < g->node_count; i++) HOLDS_IN(check_node(g, i));
    for (int i = 0; i < g->bond_count; i++) HOLDS_IN(check_bond(g, i));
    if (g->conflict_count == 0) HOLDS_IN(check_strokes(g));
    return NULL;
}
