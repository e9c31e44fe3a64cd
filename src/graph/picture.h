// What a drawing shows of a graph: which boxes, and which lines between them.
//
//     whole          depth 1                 inside of "servo"
//     Se - 1 - R     Se - [servo] - I        (Se) - 1 - R          boxes of parts that are folded, and
//          |                                        |              names in grey for what lies outside
//          I                                        I
//
// Signals are lines too: who reads a variable of whom, by way of variables that belong to neither.
#ifndef BONDYN_GRAPH_PICTURE_H
#define BONDYN_GRAPH_PICTURE_H

#include "graph/drawing.h"

typedef enum { NODE_COMP, NODE_FOLD, NODE_BLOCK, NODE_OUTSIDE } PictureKind;

typedef struct {
    PictureKind kind;
    int comp;         // NODE_COMP; else -1
    const char *path; // of what it stands for
    const char *title, *subtitle;
    const char *text; // description, or NULL
    int parts;        // NODE_FOLD: components inside
    bool derivative;
    bool junction, source;
} PictureNode;

typedef struct {
    int from, to; // nodes
    int bond,
        last; // the bonds of the model at its tail and head: one, unless junctions between are left out; -1: a signal
    const char *tail, *head; // names of ports there, or ""
    const char *words;       // a signal: what is read
    bool at_from, at_to;     // strokes
    BondColour colour;
    int dim;
} PictureLine;

typedef struct {
    const Drawing *d; // NULL: a sketch of a model that cannot be built yet, without strokes
    PictureNode *node;
    int node_count;
    PictureLine *line;
    int line_count;
    const char **left_out; // in words
    int left_out_count;
} Picture;

void picture_svg(Text *out, const Picture *p, const char *title, const GraphView *view);
Picture picture_make(Arena *out, const Drawing *d, const GraphView *view);
// Who reads whom: pairs of nodes, numbered as components and then blocks (signals.c).
typedef struct {
    int from, to;
    int var; // what is read
} SignalLine;
typedef struct {
    SignalLine *line;
    int line_count;
    const char **block; // paths of models that have signals and no component
    int block_count;
} Signals;
Signals signals_find(Arena *out, const Drawing *d);

#endif
