// Strong components of a directed graph: nodes that can all reach each other (Tarjan, SIAM J.
// Comput. 1, 1972), with a stack of its own, as graphs may be deep.
//
//     a -> b -> c -> a,  c -> d      components {d} = 0, {a, b, c} = 1: needed ones come first
#ifndef BONDYN_BASE_STRONG_H
#define BONDYN_BASE_STRONG_H

enum { STRONG_NO_EDGE = -1, STRONG_END = -2 };

// Where the k-th edge out of a node leads; STRONG_NO_EDGE: nowhere, look at the next one;
// STRONG_END: there are not so many.
typedef int (*StrongEdge)(const void *graph, int node, int k);

// part[node]: the number of its component. A component has a larger number than those that it leads
// to. Gives how many there are.
int strong_components(int count, StrongEdge edge, const void *graph, int *part);

#endif
