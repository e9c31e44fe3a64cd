// Derivatives of one expression by many symbols.
//
//          e                 The derivative by x is built over the nodes above x alone: the others
//        /   \               have the rate 0. They are found from x upwards, by lists of readers:
//       s     p  <- x's      for each node below e the nodes that have it as an argument.
//      / \   / \             All together this costs as much as there are pairs of a symbol and a
//     y   z z   x            node above it, where one derivative after the other costs symbols
//                            times nodes.
#include "expr/rewrite.h"

#include <stdlib.h>
#include <string.h>

typedef ARRAY(int) Places;

struct Partials {
    Dag *dag;
    ExprWalk *walk;   // nodes below e, by place
    Places first;     // per place, one more at the end: its readers begin here
    Places reader;    // places
    Places above;     // scratch: places above the symbol
    Places hits;      // per place: how many of its arguments lie above the symbol, or are it
    Places hit;       // the last of them
    ARRAY(Expr) node; // scratch: the same as nodes, in order
    ARRAY(Expr) only; // scratch: per node its only argument with a rate, 0 when there are several
    Pass pass;
    Expr e;
};

Partials *partials_new(Dag *d) {
    Partials *g = calloc(1, sizeof *g);
    if (!g) abort();
    g->dag = d;
    g->walk = walk_new(d);
    pass_init(&g->pass, d);
    return g;
}

void partials_free(Partials *g) {
    if (!g) return;
    walk_free(g->walk);
    array_free(&g->first);
    array_free(&g->reader);
    array_free(&g->above);
    array_free(&g->hits);
    array_free(&g->hit);
    array_free(&g->node);
    array_free(&g->only);
    pass_free(&g->pass);
    free(g);
}

// Readers are counted, then put in their places: first[p] moves from the end of the list to its
// beginning.
static void find_readers(Partials *g) {
    int n = walk_count(g->walk), count = 0;
    array_reserve(&g->first, n + 1);
    memset(g->first.data, 0, ((size_t)n + 1) * sizeof *g->first.data);
    for (int p = 0; p < n; p++) {
        Expr e = walk_at(g->walk, p);
        for (int i = 0; i < count_of(g->dag, e); i++)
            g->first.data[walk_place(g->walk, args_of(g->dag, e)[i])]++;
    }
    for (int p = 0; p <= n; p++) g->first.data[p] = count += g->first.data[p];
    array_reserve(&g->reader, count);
    for (int p = n - 1; p >= 0; p--) {
        Expr e = walk_at(g->walk, p);
        for (int i = 0; i < count_of(g->dag, e); i++)
            g->reader.data[--g->first.data[walk_place(g->walk, args_of(g->dag, e)[i])]] = p;
    }
}

void partials_of(Partials *g, Expr e) {
    g->e = e;
    walk_start(g->walk);
    walk_add(g->walk, e);
    int n = walk_count(g->walk);
    find_readers(g);
    array_reserve(&g->hits, n);
    array_reserve(&g->hit, n);
    memset(g->hits.data, 0, (size_t)n * sizeof *g->hits.data);
}

static void see_readers(Partials *g, int place) {
    for (int k = g->first.data[place]; k < g->first.data[place + 1]; k++) {
        int reader = g->reader.data[k];
        g->hit.data[reader] = place;
        if (g->hits.data[reader]++ == 0) array_push(&g->above, reader);
    }
}

static int compare_places(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

Expr partials_by(Partials *g, Expr symbol) {
    if (!walk_seen(g->walk, symbol)) return expr_number(g->dag, 0);
    g->above.count = g->node.count = g->only.count = 0;
    see_readers(g, walk_place(g->walk, symbol));
    for (int i = 0; i < g->above.count; i++) see_readers(g, g->above.data[i]);
    if (g->above.count)
        qsort(g->above.data, (size_t)g->above.count, sizeof *g->above.data, compare_places);
    for (int i = 0; i < g->above.count; i++) {
        int place = g->above.data[i];
        array_push(&g->node, walk_at(g->walk, place));
        array_push(&g->only, g->hits.data[place] > 1 ? 0 : walk_at(g->walk, g->hit.data[place]));
        g->hits.data[place] = 0;
    }
    return rate_along(&g->pass, symbol, g->node.data, g->only.data, g->node.count);
}
