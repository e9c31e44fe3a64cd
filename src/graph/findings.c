// What is worth knowing about the causal graph: storages without a state of their own, algebraic
// loops, sinks; each with its ways out, cheapest first.
#include "graph/explain.h"

#include "base/array.h"

// Sources whose half-arrow points into them: they take power out of the system.
static bool is_sink(const Graph *g, int node) {
    if (!is_source(node_comp(g, node)->kind)) return false;
    for (int end = first_end(g, node); end < past_end(g, node); end++)
        if (g->end[end].bond >= 0 && !g->end[end].is_from) return true;
    return false;
}

// "'a', 'b' and 'c'"; of long lists the beginning
static void name_list(Text *out, const Graph *g, const int *nodes, int count, bool more) {
    enum { SHOWN = 8 };
    int shown = count > SHOWN ? SHOWN - 1 : count;
    for (int i = 0; i < shown; i++) {
        bool last = i == shown - 1 && shown == count && !more;
        if (i) text_add(out, last ? " and " : ", ");
        node_title(out, g, nodes[i]);
    }
    if (shown < count)
        text_printf(out, " and %d others", count - shown);
    else if (more)
        text_add(out, " and others");
}

static const char *names_text(Arena *a, const Graph *g, const int *nodes, int count, bool more) {
    Text t = {0};
    name_list(&t, g, nodes, count, more);
    char *copy = arena_copy_text(a, text_get(&t), t.length);
    text_free(&t);
    return copy;
}

// --- remedies ------------------------------------------------------------------------------------

static int remedies_against_source(Arena *a, const Graph *g, const DependentStorage *d,
                                   const char **remedy) {
    CompKind kind = node_comp(g, d->source[0])->kind;
    bool flow = kind == COMP_SF || kind == COMP_DE;
    const char *who = node_title_text(a, g, d->node);
    const char *source = names_text(a, g, d->source, d->source_count, d->more);
    remedy[0] = arena_printf(a,
                             "leave it: Bondyn differentiates %s exactly; it must not jump, as a "
                             "step would ask for an impulse",
                             source);
    remedy[1] = arena_printf(a, "remove %s if the power that it takes is of no interest", who);
    remedy[2] = arena_printf(a,
                             flow ? "give the drive the compliance or slip that it really has: a C "
                                    "or an R on a 0-junction between %s and %s"
                                  : "give the supply the resistance that it really has: an R on a "
                                    "1-junction between %s and %s",
                             source, who);
    return 3;
}

// Ways out in order of cost, into arena `a`; how many.
static int storage_remedies(Arena *a, const Graph *g, const DependentStorage *d,
                            const char **remedy) {
    if (!d->state_count && d->source_count) return remedies_against_source(a, g, d, remedy);
    const Comp *c = node_comp(g, d->node);
    const char *who = node_title_text(a, g, d->node);
    const char *others = names_text(a, g, d->states, d->state_count, d->more);
    bool inertia = c->kind == COMP_I;
    int n = 0;
    remedy[n++] = inertia ? "leave it: Bondyn solves it exactly; the inertias move as one, and the "
                            "equations hold the reduced inertia"
                          : "leave it: Bondyn solves it exactly; the storages act as one in the "
                            "reduced equations";
    if (!d->state_count) return n;
    remedy[n++] = arena_printf(a, "let it own the state: `causality %s integral`",
                               name_text(g->model->names, c->path));
    remedy[n++] = arena_printf(a, "merge it by hand: one storage for %s and %s", who, others);
    remedy[n++] = arena_printf(a,
                               inertia ? "put the compliance that is really there between %s and "
                                         "%s: a C on a 0-junction"
                                       : "put the resistance that is really there between %s and "
                                         "%s: an R on a 1-junction",
                               who, others);
    return n;
}

static int elements_on_loop(const Graph *g, const AlgebraicLoop *l, int *nodes, int most) {
    int count = 0;
    for (int i = 0; i < l->bond_count; i++)
        for (int side = 0; side < 2; side++) {
            const GraphBond *b = &g->bond[l->bonds[i]];
            int node = g->end[side ? b->to : b->from].node;
            bool known = is_junction(node_comp(g, node)->kind);
            for (int k = 0; k < count; k++) known |= nodes[k] == node;
            if (!known && count < most) nodes[count++] = node;
        }
    return count;
}

static int junction_on_loop(const Graph *g, const AlgebraicLoop *l) {
    for (int i = 0; i < l->bond_count; i++) {
        const GraphBond *b = &g->bond[l->bonds[i]];
        if (is_junction(node_comp(g, g->end[b->from].node)->kind)) return g->end[b->from].node;
        if (is_junction(node_comp(g, g->end[b->to].node)->kind)) return g->end[b->to].node;
    }
    return -1;
}

static int loop_remedies(Arena *a, const Graph *g, const AlgebraicLoop *l, const char **remedy) {
    const Comp *c = node_comp(g, l->tear);
    int n = 0, junction = junction_on_loop(g, l);
    remedy[n++] = "leave it: Bondyn solves the loop exactly, by symbols where it is linear";
    if (c->kind == COMP_R && l->bond_count) {
        int end = node_end_at(g, l->tear, l->bonds[0]);
        remedy[n++] = arena_printf(
            a,
            "give the resistor the other causality, for a better form of its law: `causality "
            "%s %s`",
            name_text(g->model->names, c->path), end_takes_effort(g, end) ? "effort" : "flow");
    }
    if (junction >= 0) {
        bool zero = node_comp(g, junction)->kind == COMP_0;
        remedy[n++] = arena_printf(a, "add the storage that is really there: %s at junction '%s'",
                                   zero ? "a C" : "an I", node_path(g, junction));
    }
    return n;
}

// --- text ----------------------------------------------------------------------------------------

static void add_remedies(Text *out, const char **remedy, int count) {
    text_add(out, "  ways out, cheapest first:\n");
    for (int i = 0; i < count; i++) text_printf(out, "    %d. %s\n", i + 1, remedy[i]);
}

static void storage_finding(Text *out, const Graph *g, const DependentStorage *d) {
    const char *remedy[MOST_REMEDIES];
    Arena a = {0};
    CompKind kind = node_comp(g, d->node)->kind;
    const char *given = kind == COMP_I   ? "its flow"
                        : kind == COMP_C ? "its effort"
                                         : "a state of it";
    text_add(out, "dependent storage: ");
    node_title(out, g, d->node);
    text_printf(out, " has derivative causality: %s is given by ", given);
    if (d->state_count) name_list(out, g, d->states, d->state_count, d->more);
    if (d->state_count && d->source_count) text_add(out, ", and by ");
    if (d->source_count) name_list(out, g, d->source, d->source_count, d->more);
    if (!d->state_count && !d->source_count) text_add(out, "the structure of the graph");
    text_char(out, '\n');
    add_remedies(out, remedy, storage_remedies(&a, g, d, remedy));
    arena_free(&a);
}

static void loop_finding(Text *out, const Graph *g, const AlgebraicLoop *l) {
    enum { ELEMENTS = 16, SHOWN = 12 };
    const char *remedy[MOST_REMEDIES];
    int nodes[ELEMENTS];
    Arena a = {0};
    text_add(out, "algebraic loop: ");
    name_list(out, g, nodes, elements_on_loop(g, l, nodes, ELEMENTS), false);
    text_add(out, " determine each other\n  closed causal path: ");
    for (int i = 0; i < l->bond_count && i < SHOWN; i++) {
        if (i) text_add(out, ", ");
        graph_bond_label(out, g, l->bonds[i]);
        text_printf(out, " (%d)", g->bond[l->bonds[i]].order);
    }
    if (l->bond_count > SHOWN) text_printf(out, " and %d more bonds", l->bond_count - SHOWN);
    text_char(out, '\n');
    add_remedies(out, remedy, loop_remedies(&a, g, l, remedy));
    arena_free(&a);
}

void causality_findings(Text *out, const Graph *g) {
    for (int i = 0; i < g->dependent_count; i++) storage_finding(out, g, &g->dependent[i]);
    for (int i = 0; i < g->loop_count; i++) loop_finding(out, g, &g->loop[i]);
    for (int n = 0; n < g->node_count; n++) {
        if (!is_sink(g, n)) continue;
        text_add(out, "sink: the half-arrow points into ");
        node_title(out, g, n);
        text_add(out, ": positive power leaves the system there\n");
    }
}

// --- JSON ----------------------------------------------------------------------------------------

static void json_label(Text *out, const char *key, const Graph *g, int number,
                       void (*label)(Text *, const Graph *, int)) {
    Text t = {0};
    label(&t, g, number);
    text_printf(out, "\"%s\": ", key);
    text_json(out, text_get(&t));
    text_free(&t);
}

static void json_bond(Text *out, const Graph *g, int bond) {
    static const char *const stroke[] = {"none", "from", "to"};
    static const char *const reason[] = {"none",     "fixed",    "request", "integral", "free",
                                         "junction", "two-port", "field",   "retreat"};
    const GraphBond *b = &g->bond[bond];
    text_printf(out, "    {\"number\": %d, ", b->order);
    json_label(out, "bond", g, bond, graph_bond_label);
    text_add(out, ", ");
    json_label(out, "from", g, b->from, end_label);
    text_add(out, ", ");
    json_label(out, "to", g, b->to, end_label);
    text_printf(out, ", \"stroke\": \"%s\", \"reason\": \"%s\"", stroke[b->stroke],
                reason[b->reason]);
    if (b->by >= 0) {
        text_add(out, ", ");
        json_label(out, "by", g, b->by, graph_node_label);
    }
    if (b->cause >= 0) text_printf(out, ", \"cause\": %d", g->bond[b->cause].order);
    text_add(out, ", ");
    json_label(out, "text", g, bond, bond_reason);
    text_char(out, '}');
}

static void json_nodes(Text *out, const Graph *g, const char *key, const int *nodes, int count) {
    text_printf(out, "\"%s\": [", key);
    for (int i = 0; i < count; i++) {
        Text t = {0};
        graph_node_label(&t, g, nodes[i]);
        if (i) text_add(out, ", ");
        text_json(out, text_get(&t));
        text_free(&t);
    }
    text_char(out, ']');
}

static void json_remedies(Text *out, const char **remedy, int count) {
    text_add(out, "\"remedies\": [");
    for (int i = 0; i < count; i++) {
        if (i) text_add(out, ", ");
        text_json(out, remedy[i]);
    }
    text_char(out, ']');
}

static void json_storage(Text *out, const Graph *g, int i) {
    const char *remedy[MOST_REMEDIES];
    Arena a = {0};
    const DependentStorage *d = &g->dependent[i];
    text_add(out, "    {");
    json_label(out, "storage", g, d->node, graph_node_label);
    text_add(out, ", ");
    json_nodes(out, g, "states", d->states, d->state_count);
    text_add(out, ", ");
    json_nodes(out, g, "sources", d->source, d->source_count);
    text_printf(out, ", \"complete\": %s, ", d->more ? "false" : "true");
    json_remedies(out, remedy, storage_remedies(&a, g, d, remedy));
    text_char(out, '}');
    arena_free(&a);
}

static void json_loop(Text *out, const Graph *g, int i) {
    const char *remedy[MOST_REMEDIES];
    Arena a = {0};
    const AlgebraicLoop *l = &g->loop[i];
    text_add(out, "    {");
    json_label(out, "tear", g, l->tear, graph_node_label);
    text_add(out, ", \"bonds\": [");
    for (int k = 0; k < l->bond_count; k++)
        text_printf(out, "%s%d", k ? ", " : "", g->bond[l->bonds[k]].order);
    text_add(out, "], ");
    json_remedies(out, remedy, loop_remedies(&a, g, l, remedy));
    text_char(out, '}');
    arena_free(&a);
}

static void json_conflict(Text *out, const Graph *g, int i) {
    const Conflict *c = &g->conflict[i];
    text_add(out, "    {");
    json_label(out, "node", g, c->node, graph_node_label);
    if (c->bond_a >= 0) {
        text_add(out, ", ");
        json_label(out, "bond", g, c->bond_a, graph_bond_label);
    }
    if (c->bond_b >= 0) {
        text_add(out, ", ");
        json_label(out, "against", g, c->bond_b, graph_bond_label);
    }
    text_char(out, '}');
}

static void json_list(Text *out, const char *key, const Graph *g, int count,
                      void (*item)(Text *, const Graph *, int)) {
    text_printf(out, ",\n  \"%s\": [", key);
    for (int i = 0; i < count; i++) {
        text_add(out, i ? ",\n" : "\n");
        item(out, g, i);
    }
    text_add(out, count ? "\n  ]" : "]");
}

static void json_sinks(Text *out, const Graph *g) {
    ARRAY(int) sinks = {0};
    for (int n = 0; n < g->node_count; n++)
        if (is_sink(g, n)) array_push(&sinks, n);
    text_add(out, ",\n  ");
    json_nodes(out, g, "sinks", sinks.data, sinks.count);
    array_free(&sinks);
}

void causality_json(Text *out, const Graph *g) {
    int *list = bonds_by_order(g);
    text_add(out, "{\n  \"bonds\": [");
    for (int i = 0; i < g->bond_count; i++) {
        text_add(out, i ? ",\n" : "\n");
        json_bond(out, g, list[i]);
    }
    text_add(out, g->bond_count ? "\n  ]" : "]");
    free(list);
    json_list(out, "dependent_storages", g, g->dependent_count, json_storage);
    json_list(out, "algebraic_loops", g, g->loop_count, json_loop);
    json_list(out, "conflicts", g, g->conflict_count, json_conflict);
    json_sinks(out, g);
    text_add(out, "\n}\n");
}
