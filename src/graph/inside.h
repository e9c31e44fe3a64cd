// What the files of this stage share: reading strokes from the side of a node, rules of causality,
// fields, causal paths.
#ifndef BONDYN_GRAPH_INSIDE_H
#define BONDYN_GRAPH_INSIDE_H

#include "graph/graph.h"

// --- strokes as a node sees them

static inline const Comp *node_comp(const Graph *g, int node) {
    return &g->model->comp[g->node[node].comp];
}

static inline int first_end(const Graph *g, int node) { return g->node[node].first_end; }
static inline int past_end(const Graph *g, int node) {
    return g->node[node].first_end + g->node[node].end_count;
}

static inline bool is_junction(CompKind kind) { return kind == COMP_0 || kind == COMP_1; }
static inline bool is_source(CompKind kind) { return kind == COMP_SE || kind == COMP_SF; }
static inline bool is_storage(CompKind kind) { return kind == COMP_C || kind == COMP_I; }

static inline int bond_far_end(const Graph *g, int end) {
    const GraphBond *b = &g->bond[g->end[end].bond];
    return g->end[end].is_from ? b->to : b->from;
}

// The stroke that makes this end receive effort, or flow.
static inline Stroke stroke_for(const Graph *g, int end, bool effort_in) {
    return g->end[end].is_from == effort_in ? STROKE_AT_FROM : STROKE_AT_TO;
}

static inline bool end_assigned(const Graph *g, int end) {
    return g->end[end].bond >= 0 && g->bond[g->end[end].bond].stroke != STROKE_NONE;
}

// The stroke is at this end: the node receives effort here and hands out flow.
static inline bool end_takes_effort(const Graph *g, int end) {
    return g->bond[g->end[end].bond].stroke == stroke_for(g, end, true);
}

// Sources, sensors, storages and resistors: the effort comes from outside in the causality that
// they insist on or prefer.
bool kind_wants_effort(CompKind kind);
// A storage end in derivative causality.
bool end_is_derivative(const Graph *g, int end);
// The end of `node` at `bond`; of two, the tail.
int node_end_at(const Graph *g, int node, int bond);

// --- names of things

const char *node_path(const Graph *g, int node);             // path of its component
void node_title(Text *out, const Graph *g, int node);        // "C 'spring'", "1 'w[2]'"
void end_label(Text *out, const Graph *g, int end);          // "spring", "w[2]", "arm.tip[3]"
char *bond_text(Arena *out, const Graph *g, int bond);       // graph_bond_label as a string
char *node_title_text(Arena *out, const Graph *g, int node); // node_title as a string

// --- rules of causality

typedef enum {
    RULE_FIXED,   // sources and sensors
    RULE_COUNT,   // junctions, scalar TF and GY: a fixed number of ends brings the common variable
    RULE_NATURAL, // TF, GY whose modulus cannot be inverted: flow into p1
    RULE_STORAGE, // C, I
    RULE_FREE,    // linear scalar R
    RULE_FIELD,   // what the equations allow
} Rule;

void check_storages(const Model *m, Report *r); // warns of energies that can be negative

// For junctions, TF and GY (RULE_COUNT), which take one of effort and flow from exactly one end: is
// it this end?
static inline bool end_hits(const Graph *g, int end) {
    int node = g->end[end].node;
    bool effort = end_takes_effort(g, end);
    switch (node_comp(g, node)->kind) {
    case COMP_0: return effort;
    case COMP_GY: return effort == (end != g->node[node].first_end);
    default: return !effort;
    }
}

// The stroke that makes an end hit or miss.
static inline Stroke stroke_to_hit(const Graph *g, int end, bool hit) {
    int node = g->end[end].node;
    CompKind kind = node_comp(g, node)->kind;
    bool effort_hits = kind == COMP_0 || (kind == COMP_GY && end != g->node[node].first_end);
    return stroke_for(g, end, effort_hits == hit);
}

typedef struct {
    int hits, open; // ends that hit; ends without a stroke
    bool broken;    // a conflict was found here
} NodeCount;

// --- fields (field.c)

typedef struct Field Field;
typedef struct FieldReader FieldReader;

enum { WAY_EFFORT = 1, WAY_FLOW = 2 }; // what a port can hand out

FieldReader *field_reader_new(const Graph *g);
void field_reader_free(FieldReader *r);
Rule node_rule(FieldReader *r, int node);
Field *field_new(Arena *out, FieldReader *r, int node);
bool field_settle(Field *f, const Graph *g); // can the laws live with the strokes there are?
// The stroke that this port has got says nothing about the others: its law is about it alone, and
// still holds. So n ports side by side take n looks, not n passes.
bool field_unmoved(const Field *f, const Graph *g, int port);
void field_ways(Field *f, const Graph *g, unsigned char *ways); // after field_settle said yes
bool field_has_states(const Field *f);
bool field_keep_states(Field *f, const Graph *g); // integral where possible; true: all of them
void field_release_states(Field *f);
bool field_lost_state(const Field *f); // a state is not in integral causality
// The ports whose coming in decides what port `out` hands out: their numbers in order into `needs`,
// which has room for all ports; how many. A port needs few others in a long field, so lists cost
// what there is, a matrix its square.
int field_needs(Field *f, const Graph *g, int out, int *needs);
bool law_prefers_flow_out(const Graph *g, int end); // the law is written as f = ...

// --- what SCAP leaves for the search of paths

typedef struct {
    Rule *rule;    // per node
    Field **field; // per node, NULL unless RULE_FIELD
} Rules;

// --- the strokes that are still open (completion.c)

typedef struct Completion Completion;
Completion *completion_new(const Graph *g, const Rules *rules, const NodeCount *count);
void completion_free(Completion *c);
bool completion_find(Completion *c); // is there one from the strokes as they are now?
Stroke completion_stroke(const Completion *c, int bond); // STROKE_NONE: either will do

void report_conflict(Report *r, const Graph *g, const Conflict *c, Reason objection);
void find_dependents_and_loops(Arena *out, Graph *g, const Rules *rules);

#endif
