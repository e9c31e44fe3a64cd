// Words about causality that listings, JSON and drawings share.
#ifndef BONDYN_GRAPH_EXPLAIN_H
#define BONDYN_GRAPH_EXPLAIN_H

#include "graph/inside.h"

enum { MOST_REMEDIES = 4 };

int stroke_end(const Graph *g, int bond); // the end that receives effort
void bond_reason(Text *out, const Graph *g, int bond);
int *bonds_by_order(const Graph *g); // on the heap

// Ways out in order of cost, into arena `a`; how many.
int storage_remedies(Arena *a, const Graph *g, const DependentStorage *d, const char **remedy);
int loop_remedies(Arena *a, const Graph *g, const AlgebraicLoop *l, const char **remedy);

// Sources whose half-arrow points into them: they take power out of the system.
bool is_sink(const Graph *g, int node);

#endif
