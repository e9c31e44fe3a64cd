// Causality (SCAP): for each bond, decide which end sets the effort.
//
//        e -->
//    A ---------| B     The stroke marks the end that receives effort.
//        <-- f          A 0-junction has one stroke beside it; a 1-junction all but one.
//
//   1. sources and sensors; elements whose laws leave no choice
//   2. requests of the user
//   3. storages in integral causality: fields with states, then C and I in the order of their
//      paths; first those that pass every modulated transformer forwards (f2 = m f1), since
//      f1 = f2/m breaks down where m vanishes
//   4. resistors and fields: free choices, each a candidate for an algebraic loop
//   5. bonds between junctions that are still open
//
// Each choice spreads at once. Bonds with a stroke form a trail: in the order of assignment, which
// is also the queue of bonds whose neighbours are still to be looked at. A choice that can be made
// the other way is tried first; if it runs into a clash, the trail is cut back to where it began
// and the other way is taken. If neither works, an earlier choice was unlucky: all choices are made
// again with this one first. A clash that remains is a conflict: it is reported with the first
// causes on both sides, its node is left alone from then on, and the rest goes on.
//
// Junctions, TF and GY follow one counting rule. An end "hits" when it brings what the node wants
// from exactly one end: flow into 1 and TF, effort into 0; into GY flow at p1 or effort at p2.
#include "graph/inside.h"

#include "base/array.h"
#include "base/memory.h"

typedef struct { // an end that may go either way
    int end;
    bool effort_in; // the way we would rather have
    Reason reason, otherwise;
    bool forwards; // only if no modulated transformer is passed backwards, else left for later
} Choice;

typedef struct {
    Arena *out;
    Graph *g;
    Report *r;
    Rules rules;
    NodeCount *count;
    unsigned char *ways; // scratch for the field with most ports
    int *trail;          // bonds in order of assignment
    int assigned, done;  // bonds on the trail; bonds whose neighbours were looked at
    bool trying;         // a clash ends the attempt instead of being reported
    bool forwards;       // passing a modulated transformer backwards is a clash
    bool clash;
    ARRAY(Choice) choices;
    ARRAY(Conflict) conflicts;
} Scap;

// --- clashes -------------------------------------------------------------------------------------

// `node` cannot accept the stroke of `bond`, because of `cause` (-1: by its nature).
static void clash(Scap *s, int node, int bond, int cause, Reason objection) {
    s->clash = true;
    if (s->trying || s->count[node].broken) return;
    s->count[node].broken = true;
    Conflict c = {.node = node, .bond_a = bond, .bond_b = cause};
    array_push(&s->conflicts, c);
    if (!report_full(s->r)) report_conflict(s->r, s->g, &c, objection);
}

// --- assignment and undoing it -------------------------------------------------------------------

static void count_end(Scap *s, int end, int sign) {
    int node = s->g->end[end].node;
    s->count[node].open -= sign;
    if (s->rules.rule[node] == RULE_COUNT && end_hits(s->g, end)) s->count[node].hits += sign;
}

static void assign(Scap *s, int bond, Stroke stroke, Reason reason, int by, int cause) {
    GraphBond *b = &s->g->bond[bond];
    if (b->stroke == stroke) return;
    if (b->stroke != STROKE_NONE) {
        clash(s, by, bond, cause, reason);
        return;
    }
    b->stroke = stroke;
    b->reason = reason;
    b->by = by;
    b->cause = cause;
    s->trail[s->assigned++] = bond;
    b->order = s->assigned;
    count_end(s, b->from, 1);
    count_end(s, b->to, 1);
}

static void assign_end(Scap *s, int end, bool effort_in, Reason reason, int by, int cause) {
    int bond = s->g->end[end].bond;
    if (bond >= 0) assign(s, bond, stroke_for(s->g, end, effort_in), reason, by, cause);
}

static void cut_back(Scap *s, int mark) {
    while (s->assigned > mark) {
        GraphBond *b = &s->g->bond[s->trail[--s->assigned]];
        count_end(s, b->from, -1);
        count_end(s, b->to, -1);
        b->stroke = STROKE_NONE;
        b->reason = REASON_NONE;
        b->by = b->cause = -1;
        b->order = 0;
    }
    s->done = mark;
    s->clash = false;
}

// --- spreading -----------------------------------------------------------------------------------

static int find_end(const Graph *g, int node, bool assigned, bool hit) {
    for (int end = first_end(g, node); end < past_end(g, node); end++) {
        if (g->end[end].bond < 0 || end_assigned(g, end) != assigned) continue;
        if (!assigned || end_hits(g, end) == hit) return end;
    }
    return -1;
}

// The bond at the node whose stroke is oldest, not counting `bond`.
static int oldest_bond(const Graph *g, int node, int bond) {
    int oldest = -1;
    for (int end = first_end(g, node); end < past_end(g, node); end++) {
        int b = g->end[end].bond;
        if (!end_assigned(g, end) || b == bond) continue;
        if (oldest < 0 || g->bond[b].order < g->bond[oldest].order) oldest = b;
    }
    return oldest;
}

// Two ends hit where one should: the later one is in the wrong.
static void clash_of_hits(Scap *s, int node) {
    const Graph *g = s->g;
    int first = -1, last = -1;
    for (int end = first_end(g, node); end < past_end(g, node); end++) {
        int b = g->end[end].bond;
        if (!end_assigned(g, end) || !end_hits(g, end)) continue;
        if (first < 0 || g->bond[b].order < g->bond[first].order) first = b;
        if (last < 0 || g->bond[b].order > g->bond[last].order) last = b;
    }
    clash(s, node, last, first, REASON_JUNCTION);
}

static bool is_modulated_transformer(const Graph *g, int node) {
    const Comp *c = node_comp(g, node);
    return c->kind == COMP_TF && c->modulated;
}

// Exactly one end must hit. One does: the others miss. None did and one is left: that one hits.
static void spread_count(Scap *s, int node, int bond) {
    Graph *g = s->g;
    NodeCount *c = &s->count[node];
    Reason reason = is_junction(node_comp(g, node)->kind) ? REASON_JUNCTION : REASON_TWO_PORT;
    if (c->hits == 1 && c->open > 0) {
        int hit = find_end(g, node, true, true), setter = g->end[hit].bond;
        if (s->forwards && is_modulated_transformer(g, node) && hit > first_end(g, node))
            clash(s, node, bond, setter, reason);
        for (int end = first_end(g, node); end < past_end(g, node); end++)
            if (g->end[end].bond >= 0 && !end_assigned(g, end))
                assign(s, g->end[end].bond, stroke_to_hit(g, end, false), reason, node, setter);
    } else if (c->hits == 0 && c->open == 1) {
        int end = find_end(g, node, false, false);
        assign(s, g->end[end].bond, stroke_to_hit(g, end, true), reason, node, bond);
    } else if (c->hits > 1) {
        clash_of_hits(s, node);
    } else if (c->hits == 0 && c->open == 0) {
        clash(s, node, bond, oldest_bond(g, node, bond), reason);
    }
}

static void spread_field(Scap *s, int node, int cause, Reason reason) {
    Graph *g = s->g;
    Field *f = s->rules.field[node];
    const GraphNode *n = &g->node[node];
    if (!field_settle(f, g)) {
        if (cause >= 0) clash(s, node, cause, oldest_bond(g, node, cause), REASON_FIELD);
        return;
    }
    if (s->count[node].open == 0) return;
    field_ways(f, g, s->ways);
    for (int k = 0; k < n->end_count; k++) {
        int end = n->first_end + k;
        if (end_assigned(g, end) || s->ways[k] == (WAY_EFFORT | WAY_FLOW) || !s->ways[k]) continue;
        assign_end(s, end, s->ways[k] == WAY_FLOW, reason, node, cause);
    }
}

static void spread_at(Scap *s, int end, int bond) {
    int node = s->g->end[end].node;
    if (s->count[node].broken) return;
    if (s->rules.rule[node] == RULE_COUNT) spread_count(s, node, bond);
    if (s->rules.rule[node] != RULE_FIELD) return;
    if (field_unmoved(s->rules.field[node], s->g, end - s->g->node[node].first_end)) return;
    spread_field(s, node, bond, REASON_FIELD);
}

static void spread(Scap *s) {
    while (s->done < s->assigned && !(s->trying && s->clash)) {
        int bond = s->trail[s->done++];
        spread_at(s, s->g->bond[bond].from, bond);
        spread_at(s, s->g->bond[bond].to, bond);
    }
    if (!s->trying) s->clash = false;
}

// --- choices -------------------------------------------------------------------------------------

static void insist(Scap *s, int end, bool effort_in, Reason reason) {
    assign_end(s, end, effort_in, reason, s->g->end[end].node, -1);
    spread(s);
}

static bool attempt(Scap *s, int end, bool effort_in, Reason reason) {
    int mark = s->assigned;
    s->trying = true;
    insist(s, end, effort_in, reason);
    s->trying = false;
    if (!s->clash) return true;
    cut_back(s, mark);
    return false;
}

// Modulus without an inverse: f2 = m f1, e1 = m' e2 (GY: e2 = r f1, e1 = r' f2; R: e = R f).
static bool natural_wants_effort(const Graph *g, int end) {
    int node = g->end[end].node;
    const Comp *c = node_comp(g, node);
    return c->kind == COMP_TF && end - g->node[node].first_end >= g->model->port[c->first_port].dim;
}

// A rectangular modulus can also be turned round, as far as its laws allow: one of the n1 flows may
// come in at p2 instead of p1. This is needed only if sources leave no other way.
static bool gives_way(Scap *s, int node) {
    const Graph *g = s->g;
    if (!s->rules.field[node]) return false;
    for (int end = first_end(g, node); end < past_end(g, node); end++)
        if (end_assigned(g, end) && end_takes_effort(g, end) != natural_wants_effort(g, end))
            return true;
    return false;
}

static void assign_fixed(Scap *s) {
    Graph *g = s->g;
    for (int n = 0; n < g->node_count; n++)
        if (s->rules.rule[n] == RULE_FIXED)
            for (int end = first_end(g, n); end < past_end(g, n); end++)
                insist(s, end, kind_wants_effort(node_comp(g, n)->kind), REASON_FIXED);
    for (int n = 0; n < g->node_count; n++) {
        if (s->rules.rule[n] == RULE_NATURAL && gives_way(s, n)) s->rules.rule[n] = RULE_FIELD;
        if (s->rules.rule[n] == RULE_NATURAL)
            for (int end = first_end(g, n); end < past_end(g, n); end++)
                insist(s, end, natural_wants_effort(g, end), REASON_FIELD);
        if (s->rules.rule[n] == RULE_FIELD) spread_field(s, n, -1, REASON_FIELD);
        spread(s);
    }
    for (int n = 0; n < g->node_count; n++) // junctions with a single bond know what they want
        if (s->rules.rule[n] == RULE_COUNT && g->node[n].end_count == 1) {
            spread_count(s, n, -1);
            spread(s);
        }
}

static void keep_field_states(Scap *s, int node, Reason reason) {
    Field *f = s->rules.field[node];
    int mark = s->assigned;
    bool all = field_keep_states(f, s->g);
    s->trying = true;
    spread_field(s, node, -1, reason);
    spread(s);
    s->trying = false;
    bool failed = s->clash;
    if (failed) {
        cut_back(s, mark);
        field_release_states(f);
    }
    if (reason == REASON_REQUEST && (failed || !all))
        clash(s, node, oldest_bond(s->g, node, -1), -1, reason);
    s->clash = false;
}

static void grant_request(Scap *s, int node) {
    Graph *g = s->g;
    const Comp *c = node_comp(g, node);
    if (is_junction(c->kind)) return;
    if (c->request == REQUEST_EFFORT_OUT || c->request == REQUEST_FLOW_OUT) {
        for (int end = first_end(g, node); end < past_end(g, node); end++)
            insist(s, end, c->request == REQUEST_FLOW_OUT, REASON_REQUEST);
    } else if (is_storage(c->kind)) {
        bool effort_in = kind_wants_effort(c->kind) == (c->request == REQUEST_INTEGRAL);
        for (int end = first_end(g, node); end < past_end(g, node); end++)
            insist(s, end, effort_in, REASON_REQUEST);
    } else if (s->rules.rule[node] == RULE_FIELD && c->request == REQUEST_INTEGRAL) {
        keep_field_states(s, node, REASON_REQUEST);
    }
}

static void grant_requests(Scap *s) {
    for (int n = 0; n < s->g->node_count; n++)
        if (node_comp(s->g, n)->request != REQUEST_NONE) grant_request(s, n);
}

static void keep_states_of_fields(Scap *s) {
    Graph *g = s->g;
    for (int n = 0; n < g->node_count; n++) {
        Request request = node_comp(g, n)->request;
        if (s->rules.rule[n] != RULE_FIELD || !field_has_states(s->rules.field[n])) continue;
        if (request != REQUEST_INTEGRAL && request != REQUEST_DERIVATIVE)
            keep_field_states(s, n, REASON_INTEGRAL);
    }
}

static bool has_modulated_transformer(const Graph *g) {
    for (int n = 0; n < g->node_count; n++)
        if (is_modulated_transformer(g, n)) return true;
    return false;
}

static void list_storages(Scap *s, bool forwards) {
    Graph *g = s->g;
    for (int n = 0; n < g->node_count; n++)
        if (s->rules.rule[n] == RULE_STORAGE)
            for (int end = first_end(g, n); end < past_end(g, n); end++)
                array_push(&s->choices, ((Choice){end, kind_wants_effort(node_comp(g, n)->kind),
                                                  REASON_INTEGRAL, REASON_RETREAT, forwards}));
}

static void list_choices(Scap *s) {
    Graph *g = s->g;
    if (has_modulated_transformer(g)) list_storages(s, true);
    list_storages(s, false);
    for (int n = 0; n < g->node_count; n++)
        if (s->rules.rule[n] == RULE_FREE || s->rules.rule[n] == RULE_FIELD)
            for (int end = first_end(g, n); end < past_end(g, n); end++)
                array_push(&s->choices, ((Choice){end, law_prefers_flow_out(g, end), REASON_FREE,
                                                  REASON_FREE, false}));
    for (int b = 0; b < g->bond_count; b++)
        array_push(&s->choices,
                   ((Choice){g->bond[b].from, false, REASON_FREE, REASON_FREE, false}));
}

// The preferred way, else the other.
static bool choose(Scap *s, const Choice *c) {
    if (s->g->end[c->end].bond < 0 || end_assigned(s->g, c->end)) return true;
    if (c->forwards) {
        s->forwards = true;
        attempt(s, c->end, c->effort_in, c->reason);
        s->forwards = false;
        return true;
    }
    return attempt(s, c->end, c->effort_in, c->reason) ||
           attempt(s, c->end, !c->effort_in, c->otherwise);
}

// The number of the choice that got stuck, or -1.
static int choose_all(Scap *s, const int *stuck, int stuck_count) {
    for (int i = stuck_count - 1; i >= 0; i--)
        if (!choose(s, &s->choices.data[stuck[i]])) return stuck[i];
    for (int i = 0; i < s->choices.count; i++)
        if (!choose(s, &s->choices.data[i])) return i;
    return -1;
}

static void choose_and_report(Scap *s) {
    for (int i = 0; i < s->choices.count; i++) {
        const Choice *c = &s->choices.data[i];
        if (!choose(s, c)) insist(s, c->end, c->effort_in, c->reason);
    }
}

static bool attempt_and_look_ahead(Scap *s, Completion *ahead, int end, bool effort_in,
                                   Reason reason) {
    int mark = s->assigned;
    if (!attempt(s, end, effort_in, reason)) return false;
    if (completion_find(ahead)) return true;
    cut_back(s, mark);
    return false;
}

// Storages keep their preferred causality if the rest can be completed then; all else follows the
// completion. False when fields do not agree, whose laws the completion does not know.
static bool choose_with(Scap *s, Completion *ahead) {
    if (!completion_find(ahead)) return false;
    for (int i = 0; i < s->choices.count; i++) {
        const Choice *c = &s->choices.data[i];
        int bond = s->g->end[c->end].bond;
        if (bond < 0 || end_assigned(s->g, c->end) || c->forwards) continue;
        if (c->reason == REASON_INTEGRAL) {
            if (!attempt_and_look_ahead(s, ahead, c->end, c->effort_in, c->reason) &&
                !attempt_and_look_ahead(s, ahead, c->end, !c->effort_in, c->otherwise))
                return false;
            continue;
        }
        Stroke stroke = completion_stroke(ahead, bond);
        bool effort_in =
            stroke == STROKE_NONE ? c->effort_in : stroke == stroke_for(s->g, c->end, true);
        if (!attempt(s, c->end, effort_in, c->reason)) return false;
    }
    return true;
}

static bool look_ahead(Scap *s) {
    int mark = s->assigned;
    Completion *ahead = completion_new(s->g, &s->rules, s->count);
    bool good = choose_with(s, ahead);
    completion_free(ahead);
    if (!good) cut_back(s, mark);
    return good;
}

// One choice after the other, as they are. When that gets stuck, with a look ahead; where fields
// stand in the way of that, those that got stuck go first, the latest before the others.
static void make_choices(Scap *s) {
    enum { ROUNDS = 32 };
    int stuck[ROUNDS], mark = s->assigned;
    list_choices(s);
    for (int round = 0; round < ROUNDS; round++) {
        stuck[round] = choose_all(s, stuck, round);
        if (stuck[round] < 0) return;
        cut_back(s, mark);
        if (round == 0 && look_ahead(s)) return;
        if (round && stuck[round] == stuck[round - 1]) break; // even as the first choice
    }
    choose_and_report(s);
}

// --- the whole -----------------------------------------------------------------------------------

static bool is_rectangular(const Graph *g, int node) {
    const Comp *c = node_comp(g, node);
    const Port *p = &g->model->port[c->first_port];
    return c->kind == COMP_TF && c->port_count == 2 && p[0].dim != p[1].dim;
}

static void find_rules(Scap *s) {
    Graph *g = s->g;
    FieldReader *reader = field_reader_new(g);
    int most_ports = 1;
    for (int n = 0; n < g->node_count; n++) {
        s->rules.rule[n] = node_rule(reader, n);
        for (int end = first_end(g, n); end < past_end(g, n); end++)
            s->count[n].open += g->end[end].bond >= 0;
        if (s->rules.rule[n] == RULE_COUNT) // ports without a bond were reported already
            s->count[n].broken = s->count[n].open < g->node[n].end_count;
        if (s->rules.rule[n] != RULE_FIELD && !is_rectangular(s->g, n)) continue;
        s->rules.field[n] = field_new(s->out, reader, n);
        if (g->node[n].end_count > most_ports) most_ports = g->node[n].end_count;
    }
    s->ways = memory_zeroed((size_t)most_ports, 1);
    field_reader_free(reader);
}

void causality_assign(Arena *out, Graph *g, Report *r) {
    Arena scratch = {0};
    Scap s = {.out = &scratch, .g = g, .r = r};
    s.rules.rule = ARENA_ARRAY(&scratch, Rule, g->node_count);
    s.rules.field = ARENA_ARRAY(&scratch, Field *, g->node_count);
    s.count = ARENA_ARRAY(&scratch, NodeCount, g->node_count);
    s.trail = ARENA_ARRAY(&scratch, int, g->bond_count);
    find_rules(&s);
    assign_fixed(&s);
    grant_requests(&s);
    keep_states_of_fields(&s);
    make_choices(&s);
    g->conflict_count = s.conflicts.count;
    g->conflict = ARENA_ARRAY(out, Conflict, s.conflicts.count);
    for (int i = 0; i < s.conflicts.count; i++) g->conflict[i] = s.conflicts.data[i];
    if (!g->conflict_count) find_dependents_and_loops(out, g, &s.rules);
    array_free(&s.choices);
    array_free(&s.conflicts);
    free(s.ways);
    arena_free(&scratch);
}
