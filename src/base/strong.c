#include "base/strong.h"

#include "base/memory.h"
#include <stdlib.h>

typedef struct {
    int *met;  // per node: when it was met, from 1; 0: not yet
    int *low;  // per node: the earliest node that it can reach among the open ones
    int *next; // per node: the edge to look at next
    int *path; // nodes from the root to the present one
    int *open; // nodes whose component is not complete
    int *part; // per node; -1: its component is not complete
    int on_path, opened, counter, parts;
} Search;

static void enter(Search *s, int node) {
    s->met[node] = s->low[node] = ++s->counter;
    s->path[s->on_path++] = s->open[s->opened++] = node;
}

static void leave(Search *s, int node) {
    s->on_path--;
    if (s->on_path) {
        int above = s->path[s->on_path - 1];
        if (s->low[node] < s->low[above]) s->low[above] = s->low[node];
    }
    if (s->low[node] != s->met[node]) return;
    int member;
    do {
        member = s->open[--s->opened];
        s->part[member] = s->parts;
    } while (member != node);
    s->parts++;
}

static void search_from(Search *s, StrongEdge edge, const void *graph, int root) {
    enter(s, root);
    while (s->on_path) {
        int node = s->path[s->on_path - 1], to = edge(graph, node, s->next[node]++);
        if (to == STRONG_END)
            leave(s, node);
        else if (to == STRONG_NO_EDGE)
            continue;
        else if (!s->met[to])
            enter(s, to);
        else if (s->part[to] < 0 && s->met[to] < s->low[node])
            s->low[node] = s->met[to];
    }
}

int strong_components(int count, StrongEdge edge, const void *graph, int *part) {
    size_t n = (size_t)count;
    int *space = memory_zeroed(5 * n, sizeof *space);
    Search s = {.met = space,
                .low = space + n,
                .next = space + 2 * n,
                .path = space + 3 * n,
                .open = space + 4 * n,
                .part = part};
    for (int i = 0; i < count; i++) part[i] = -1;
    for (int i = 0; i < count; i++)
        if (!s.met[i]) search_from(&s, edge, graph, i);
    free(space);
    return s.parts;
}
