// Causality in words: the reason for every stroke.
//
//    1  drive -> v      stroke at v: 'drive' sets the effort, because Se 'drive' is a source of
//                       effort
//    2  v -> mass       stroke at mass: 'mass' sets the flow, because I 'mass' has integral
//                       causality
//    3  v -> damper     stroke at v: the flow of 'v' is set by 'mass' (bond 2), so 'damper'
//                       receives flow
//
// Bonds are numbered in the order in which they got their strokes; drawings show the same numbers.
#include "graph/explain.h"

#include "base/array.h"
#include "base/memory.h"
#include <string.h>

static const char *quoted(Arena *a, const Graph *g, int end) {
    Text t = {0};
    text_char(&t, '\'');
    end_label(&t, g, end);
    text_char(&t, '\'');
    char *copy = arena_copy_text(a, text_get(&t), t.length);
    text_free(&t);
    return copy;
}

// The end that receives effort.
static int stroke_end(const Graph *g, int bond) {
    const GraphBond *b = &g->bond[bond];
    return b->stroke == STROKE_AT_FROM ? b->from : b->to;
}

static const char *owner_of_cause(Arena *a, const Graph *g, int node, int cause) {
    return quoted(a, g, bond_far_end(g, node_end_at(g, node, cause)));
}

// A junction knows its setter: everyone else receives. Or all others receive: this one must set.
static void because_of_junction(Text *out, Arena *a, const Graph *g, int bond) {
    const GraphBond *b = &g->bond[bond];
    int mine = node_end_at(g, b->by, bond), far = bond_far_end(g, mine);
    bool zero = node_comp(g, b->by)->kind == COMP_0;
    const char *common = zero ? "effort" : "flow";
    Text name = {0};
    graph_node_label(&name, g, b->by);
    if (b->cause < 0)
        text_printf(out, "%s '%s' has no other bond, so its %s is zero", zero ? "0" : "1",
                    text_get(&name), zero ? "flow" : "effort");
    else if (end_takes_effort(g, node_end_at(g, b->by, b->cause)) == zero)
        text_printf(out, "the %s of '%s' is set by %s (bond %d), so %s receives %s", common,
                    text_get(&name), owner_of_cause(a, g, b->by, b->cause), g->bond[b->cause].order,
                    quoted(a, g, far), common);
    else
        text_printf(out, "nobody else sets the %s of '%s' (the last was bond %d), so %s must",
                    common, text_get(&name), g->bond[b->cause].order, quoted(a, g, far));
    text_free(&name);
}

static void because_of_two_port(Text *out, Arena *a, const Graph *g, int bond) {
    const GraphBond *b = &g->bond[bond];
    int mine = node_end_at(g, b->by, bond);
    bool effort_in = end_takes_effort(g, node_end_at(g, b->by, b->cause));
    text_printf(out, "%s receives %s from %s (bond %d), so it hands on %s here",
                node_title_text(a, g, b->by), effort_in ? "effort" : "flow",
                owner_of_cause(a, g, b->by, b->cause), g->bond[b->cause].order,
                end_takes_effort(g, mine) ? "flow" : "effort");
}

static void because_of_source(Text *out, Arena *a, const Graph *g, int node) {
    static const char *const why[] = {
        [COMP_SE] = "is a source of effort",
        [COMP_SF] = "is a source of flow",
        [COMP_DE] = "reads the effort and lets no flow pass",
        [COMP_DF] = "reads the flow and takes no effort",
    };
    text_printf(out, "because %s %s", node_title_text(a, g, node), why[node_comp(g, node)->kind]);
}

static bool opens_loop(const Graph *g, int bond) {
    int low = 0, high = g->loop_count; // loops are in the order of their first bonds
    while (low < high) {
        int middle = (low + high) / 2;
        if (g->loop[middle].bonds[0] < bond)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->loop_count && g->loop[low].bonds[0] == bond;
}

static void because_of_owner(Text *out, Arena *a, const Graph *g, int bond) {
    const GraphBond *b = &g->bond[bond];
    const char *title = node_title_text(a, g, b->by);
    switch (b->reason) {
    case REASON_FIXED: because_of_source(out, a, g, b->by); break;
    case REASON_REQUEST: text_printf(out, "because the model wants this for %s", title); break;
    case REASON_INTEGRAL: text_printf(out, "because %s has integral causality", title); break;
    case REASON_RETREAT:
        text_printf(out, "because integral causality of %s would lead to a conflict", title);
        break;
    case REASON_FREE:
        text_printf(out, "a free choice%s",
                    opens_loop(g, bond) ? ": it opens an algebraic loop" : "");
        break;
    case REASON_FIELD:
        if (b->cause >= 0)
            text_printf(out, "because the laws of %s leave no other way after bond %d", title,
                        g->bond[b->cause].order);
        else
            text_printf(out, "because the laws of %s leave no other way", title);
        break;
    default: break;
    }
}

void bond_reason(Text *out, const Graph *g, int bond) {
    const GraphBond *b = &g->bond[bond];
    Arena a = {0};
    if (b->stroke == STROKE_NONE) {
        text_add(out, "undecided");
    } else if (b->reason == REASON_JUNCTION) {
        because_of_junction(out, &a, g, bond);
    } else if (b->reason == REASON_TWO_PORT) {
        because_of_two_port(out, &a, g, bond);
    } else {
        int mine = node_end_at(g, b->by, bond);
        text_printf(out, "%s sets the %s, ", quoted(&a, g, mine),
                    end_takes_effort(g, mine) ? "flow" : "effort");
        because_of_owner(out, &a, g, bond);
    }
    arena_free(&a);
}

int *bonds_by_order(const Graph *g) {
    int *list = memory_zeroed((size_t)g->bond_count, sizeof *list), rest = g->bond_count;
    for (int b = g->bond_count - 1; b >= 0; b--) {
        if (g->bond[b].order)
            list[g->bond[b].order - 1] = b;
        else
            list[--rest] = b;
    }
    return list;
}

void causality_explain(Text *out, const Graph *g) {
    enum { WIDEST = 36 };
    int *list = bonds_by_order(g), width = 0;
    Text label = {0};
    for (int b = 0; b < g->bond_count; b++) {
        text_clear(&label);
        graph_bond_label(&label, g, b);
        if ((int)label.length > width) width = (int)label.length;
    }
    if (width > WIDEST) width = WIDEST;
    int undecided = 0;
    for (int i = 0; i < g->bond_count; i++) {
        const GraphBond *b = &g->bond[list[i]];
        undecided += b->stroke == STROKE_NONE;
        if (b->stroke == STROKE_NONE) continue;
        text_clear(&label);
        graph_bond_label(&label, g, list[i]);
        text_printf(out, "%4d  %-*s  stroke at ", b->order, width, text_get(&label));
        end_label(out, g, stroke_end(g, list[i]));
        text_add(out, ": ");
        bond_reason(out, g, list[i]);
        text_char(out, '\n');
    }
    if (undecided) text_printf(out, "  undecided: %d of %d bonds\n", undecided, g->bond_count);
    text_free(&label);
    free(list);
}
