// What the drawings in SVG and dot have in common: the whole graph seen by components and bonds of
// the model, multibonds as one line.
#ifndef BONDYN_GRAPH_DRAWING_H
#define BONDYN_GRAPH_DRAWING_H

#include "graph/explain.h"

typedef enum { BOND_PLAIN, BOND_LOOP, BOND_DERIVATIVE } BondColour;

typedef struct {         // a bond of the model
    int first, count;    // its scalars, into Graph.bond
    bool at_from, at_to; // strokes at its ends; both for a multibond of mixed causality
    BondColour colour;
} DrawnBond;

typedef struct {
    const Graph *g;
    DrawnBond *bond;  // per bond of the model
    bool *derivative; // per component
    int *var_of_symbol;
} Drawing;

Drawing drawing_of(Arena *out, const Graph *g);
void drawing_free(Drawing *d);
void drawn_number(Text *out, const Drawing *d, int bond);   // "3", "4-6", "4, 7, 9"
void drawn_title(Text *out, const Drawing *d, int comp);    // "C: spring", "1"
void drawn_subtitle(Text *out, const Drawing *d, int comp); // "1/k"; the name of a junction

#endif
