// A conflict told from both sides: the bond, what reaches it from the one end, what from the other,
// each followed back along the chain of causes to where somebody first said so.
//
//      a: Se ----| 0 n |---- Se :b      "effort is set at both ends of 'b -> n'"
//        1. first cause: a    '- wants to set effort here, because 'a' already sets it
#include "graph/inside.h"

static int first_cause(const Graph *g, int bond) {
    while (g->bond[bond].cause >= 0) bond = g->bond[bond].cause;
    return bond;
}

static Pos bond_pos(const Graph *g, int bond) {
    return g->model->bond[g->bond[bond].model_bond].pos;
}

static Pos node_pos(const Graph *g, int node) { return node_comp(g, node)->pos; }

// Why the owner of a first cause insists.
static const char *claim(Arena *a, const Graph *g, int node, Reason reason) {
    const Comp *c = node_comp(g, node);
    const char *title = node_title_text(a, g, node);
    switch (reason) {
    case REASON_FIXED:
        if (c->kind == COMP_SE) return arena_printf(a, "%s sets its effort", title);
        if (c->kind == COMP_SF) return arena_printf(a, "%s sets its flow", title);
        return arena_printf(a, c->kind == COMP_DE ? "%s lets no flow pass" : "%s takes no effort",
                            title);
    case REASON_REQUEST: return arena_printf(a, "the model wants this causality for %s", title);
    case REASON_INTEGRAL: return arena_printf(a, "%s has integral causality", title);
    case REASON_FREE: return arena_printf(a, "%s was free and got this causality", title);
    case REASON_FIELD: return arena_printf(a, "the laws of %s allow this only", title);
    case REASON_JUNCTION:
        return arena_printf(a, "%s has this bond only%s", title,
                            c->kind == COMP_1 ? ", so its effort is zero"
                                              : ", so its flow is zero");
    default: return arena_printf(a, "%s has no other way", title);
    }
}

// The nodes between the first cause and the bond: "through 'n', 'gear'". Long ways are cut short.
static void add_way(Text *out, const Graph *g, int bond) {
    enum { SHOWN = 6 };
    int shown = 0, last = -1;
    for (int b = bond; g->bond[b].cause >= 0; b = g->bond[b].cause) {
        if (g->bond[b].by == last) continue;
        last = g->bond[b].by;
        if (shown == SHOWN) text_add(out, " ...");
        if (shown++ >= SHOWN) continue;
        text_printf(out, "%s'", shown == 1 ? " (reaches it through " : ", ");
        graph_node_label(out, g, last);
        text_char(out, '\'');
    }
    if (shown) text_char(out, ')');
}

// One side of the quarrel: the first cause of `bond`'s stroke, or `node` itself.
static void note_side(Report *r, Remark *to, const Graph *g, int bond, int node, Reason reason) {
    Text way = {0};
    Pos pos;
    if (bond >= 0) {
        int first = first_cause(g, bond);
        node = g->bond[first].by;
        reason = g->bond[first].reason;
        add_way(&way, g, bond);
    }
    const Comp *c = node_comp(g, node);
    pos = reason == REASON_REQUEST ? c->request_pos : node_pos(g, node);
    remark_note(r, to, pos, "%s%s", claim(&r->arena, g, node, reason), text_get(&way));
    text_free(&way);
}

static Reason side_reason(const Graph *g, int bond, Reason reason, int *node) {
    if (bond < 0) return reason;
    int first = first_cause(g, bond);
    *node = g->bond[first].by;
    return g->bond[first].reason;
}

static const char *help_for(bool effort, Reason a, Reason b) {
    if (a == REASON_REQUEST || b == REASON_REQUEST)
        return "remove the `causality` statement, or put a storage or a resistor between the two";
    if (a == REASON_FIXED && b == REASON_FIXED)
        return effort ? "remove one of the two, or put the resistance that is really there between "
                        "them: an R on a 1-junction"
                      : "remove one of the two, or put the leak that is really there between them: "
                        "an R on a 0-junction";
    return effort ? "put an R or an I on a 1-junction between the two"
                  : "put an R or a C on a 0-junction between the two";
}

static bool has_modes(const Model *m, int comp) {
    for (int i = 0; i < m->choice_count; i++)
        if (m->choice[i].comp == comp) return true;
    return false;
}

// The laws of an element against the strokes at its ports.
static void report_laws(Report *r, const Graph *g, const Conflict *c) {
    const char *title = node_title_text(&r->arena, g, c->node);
    bool effort = end_takes_effort(g, node_end_at(g, c->node, c->bond_a));
    Remark *e = report_error(r, G_LAWS_FORBID, bond_pos(g, c->bond_a),
                             "%s receives %s through '%s', which its laws do not allow%s", title,
                             effort ? "effort" : "flow", bond_text(&r->arena, g, c->bond_a),
                             c->bond_b >= 0 ? " together with its other bonds" : "");
    note_side(r, e, g, c->bond_a, c->node, REASON_FIELD);
    if (c->bond_b >= 0) note_side(r, e, g, c->bond_b, c->node, REASON_FIELD);
    remark_note(r, e, node_pos(g, c->node), "%s is declared here", title);
    if (has_modes(g->model, g->node[c->node].comp)) {
        remark_help(r, e,
                    "in these modes the elements that switch leave a value open that nothing else "
                    "decides: give them the small %s that is really there",
                    effort ? "resistance" : "leakage");
        return;
    }
    remark_help(r, e,
                effort ? "give it a law for the flow at this port, or put an R or an I on a "
                         "1-junction in between"
                       : "give it a law for the effort at this port, or put an R or a C on a "
                         "0-junction in between");
}

void report_conflict(Report *r, const Graph *g, const Conflict *c, Reason objection) {
    int node_a = c->node, node_b = c->node;
    Reason a = side_reason(g, c->bond_a, objection, &node_a);
    Reason b = side_reason(g, c->bond_b, objection, &node_b);
    if (a != REASON_REQUEST && b != REASON_REQUEST && objection == REASON_FIELD) {
        report_laws(r, g, c);
        return;
    }
    bool effort = c->bond_a < 0 || end_takes_effort(g, node_end_at(g, c->node, c->bond_a));
    const char *what = effort ? "effort" : "flow";
    Code code = a == REASON_REQUEST || b == REASON_REQUEST ? G_REQUEST_IMPOSSIBLE
                : effort                                   ? G_EFFORT_TWICE
                                                           : G_FLOW_TWICE;
    Remark *e;
    if (code == G_REQUEST_IMPOSSIBLE) {
        int requester = b == REASON_REQUEST ? node_b : node_a;
        e = report_error(r, code, node_comp(g, requester)->request_pos,
                         "%s cannot have the causality that is wanted for it",
                         node_title_text(&r->arena, g, requester));
    } else {
        e = report_error(r, code, bond_pos(g, c->bond_a), "%s is set at both ends of '%s'", what,
                         bond_text(&r->arena, g, c->bond_a));
    }
    if (c->bond_a >= 0) note_side(r, e, g, c->bond_a, node_a, a);
    note_side(r, e, g, c->bond_b, c->node, objection);
    remark_help(r, e, "%s", help_for(effort, a, b));
}
