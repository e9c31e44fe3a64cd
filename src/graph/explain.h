// Words about causality that listings, JSON and drawings share.
#ifndef BONDYN_GRAPH_EXPLAIN_H
#define BONDYN_GRAPH_EXPLAIN_H

#include "graph/inside.h"

enum { MOST_REMEDIES = 4 };

void bond_reason(Text *out, const Graph *g, int bond);
int *bonds_by_order(const Graph *g); // on the heap

#endif
