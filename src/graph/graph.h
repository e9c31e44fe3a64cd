// The bond graph in scalars, with causality and the reason for every stroke.
//
//        e -->
//    A ---------| B     The stroke marks the end that receives effort.
//        <-- f          A 0-junction has one stroke beside it; a 1-junction all but one.
//
// A vector junction of dimension 3 is three scalar junctions; a vector element is one node with
// three scalar ports. So causality is decided per component, and a multibond is only a way of
// writing.
#ifndef BONDYN_GRAPH_GRAPH_H
#define BONDYN_GRAPH_GRAPH_H

#include "lang/model.h"

typedef enum { STROKE_NONE, STROKE_AT_FROM, STROKE_AT_TO } Stroke;

typedef enum {
    REASON_NONE,
    REASON_FIXED,    // a source or sensor sets its own variable
    REASON_REQUEST,  // the user's `causality` statement
    REASON_INTEGRAL, // storage was given integral causality
    REASON_FREE,     // an arbitrary choice at a resistor or field: marks an algebraic loop
    REASON_JUNCTION, // a junction that has its one setter (or whose others are all taken)
    REASON_TWO_PORT, // passed through a transformer or gyrator
    REASON_FIELD,    // the equations of a field leave no other way
    REASON_RETREAT,  // the choice one would rather make runs into a conflict further on
} Reason;

typedef struct {
    int comp;                 // into Model.comp
    int component;            // which scalar of a vector junction; 0 for elements
    int first_end, end_count; // into Graph.end: the scalar ports, bond by bond
} GraphNode;

typedef struct { // one scalar port of a node and the bond at it
    int node;
    int bond : 31;    // -1: not connected
    bool is_from : 1; // this end is the tail of its bond's half-arrow
    int e, f;         // model variables of an element's port; -1 at junctions
} GraphEnd;

typedef struct {
    int from, to; // into Graph.end
    int model_bond, component;
    Stroke stroke : 8;
    Reason reason : 8;
    bool looped : 1; // on a closed causal path
    int by;          // node that forced or owns the stroke
    int cause;       // bond whose stroke forced this one; -1 for first causes
    int order;       // 1, 2, 3 ... in the order of assignment
} GraphBond;

typedef struct { // storage that lost its integral causality
    int node;
    int *states; // nodes of the storages it depends on
    int state_count;
    int *source; // sources that fix it, if any
    int source_count;
    bool more; // the search ended early: there are others beside those listed
} DependentStorage;

typedef struct { // closed causal path
    int *bonds;  // in order
    int bond_count;
    int tear; // node of the free choice that opened it, else an element on the path
} AlgebraicLoop;

typedef struct { // two causes that cannot both hold
    int node;    // where they meet
    int bond_a;  // has a stroke that the node cannot accept
    int bond_b;  // bond behind the node's objection; -1: the node itself
} Conflict;

typedef struct {
    const Model *model;
    GraphNode *node;
    int node_count;
    int *first_node; // per component: its node, the first of `dim` ones for junctions
    GraphEnd *end;
    int end_count;
    GraphBond *bond;
    int bond_count;
    DependentStorage *dependent;
    int dependent_count;
    AlgebraicLoop *loop; // in the order of their first bonds
    int loop_count;
    Conflict *conflict;
    int conflict_count;
} Graph;

// Needs: a flat model, every port with its bond.  Gives: nodes, ends and bonds without strokes;
// remarks about junctions with fewer than two bonds and about parts without connection.
Graph *graph_build(Arena *out, const Model *m, Report *r);
// Gives: a stroke with its reason on every bond; dependent storages, loops, conflicts. Conflicts
// are reported as errors; dependent storages and loops are not (equations solves them).
void causality_assign(Arena *out, Graph *g, Report *r);

const char *graph_check(const Graph *g); // what does not hold of it; NULL: all is well

// One line per bond in order of assignment: "3  v -> spring   stroke at v: ...because..."
void causality_explain(Text *out, const Graph *g);
// Dependent storages, loops, with remedies in order of cost; empty when there are none.
void causality_findings(Text *out, const Graph *g);
void causality_json(Text *out, const Graph *g);
void graph_bond_label(Text *out, const Graph *g, int bond); // "v -> spring", "w[2] -> r"
void graph_node_label(Text *out, const Graph *g, int node);

void graph_dot(Text *out, const Graph *g);

typedef struct { // where somebody has put a box: the centre of its shape
    const char *path;
    double x, y;
} GraphPlace;

typedef struct {             // what a drawing shows
    int depth;               // parts deeper than this are folded into boxes; 0: none
    const char *scope;       // the inside of this part alone, "motor.rotor"; "": the whole
    bool reduced;            // without junctions that carry nothing of their own (McBride)
    bool signals;            // who reads whom, as thin arrows
    const GraphPlace *place; // boxes that stand where they were put; lines to them are straight
    int place_count;
} GraphView;
#define GRAPH_WHOLE ((GraphView){.scope = "", .signals = true})

void graph_svg(Text *out, const Graph *g); // layered layout, half-arrows, strokes, legend
// left_out: one line for each thing that `reduced` leaves out. Nullable.
void graph_svg_view(Text *out, const Graph *g, const GraphView *view, Text *left_out);
// Bonds with numbers, and the equations of every element and junction in their efforts and flows.
void graph_augmented(Text *out, const Graph *g);
int graph_depth(const Graph *g); // of parts within parts; 1: there are none

const char *kind_name(CompKind kind); // "Se", "1", "field"

#endif
