// Can the strokes that are still open be set so that every junction, TF and GY gets its one hit?
//
// An open bond between two such nodes either hits both or neither (0 - 1, 0 - TF ...), or exactly
// one of them (0 - 0, 1 - 1 ...). With a vertex in the middle of each bond of the second kind the
// question is whether the graph of nodes and open bonds has a perfect matching, where a bond to
// any other element (R, C, I, a field) may serve a node alone:
//
//     0 === 1     matched by a bond that hits both         0 --- o === 0    hits the right one
//     |     |
//     R     R     served alone: R sets the variable
//
// Gyrators close odd circles, so this is matching in a general graph (Edmonds): alternating paths
// from each vertex without a partner, odd circles on the way shrunk to their base. Partners of an
// earlier answer are kept where they still can be, so a next question costs little.
#include "graph/inside.h"

#include "base/array.h"
#include "base/memory.h"
#include <string.h>

enum { NOBODY = -1, ALONE = -2 };

typedef ARRAY(int) Ints;

struct Completion {
    const Graph *g;
    const Rules *rules;
    const NodeCount *count;
    int vertices;     // nodes, then bonds
    int *mate, *bond; // per vertex: its partner, and the bond that goes there
    // a search
    int *parent, *base;
    bool *outer, *shrunk, *on_path, *seen;
    Ints queue, touched;
};

Completion *completion_new(const Graph *g, const Rules *rules, const NodeCount *count) {
    Completion *c = memory_zeroed(1, sizeof *c);
    *c = (Completion){.g = g, .rules = rules, .count = count};
    size_t n = (size_t)g->node_count + (size_t)g->bond_count;
    c->vertices = (int)n;
    c->mate = memory_zeroed(n, sizeof *c->mate);
    c->bond = memory_zeroed(n, sizeof *c->bond);
    c->parent = memory_zeroed(n, sizeof *c->parent);
    c->base = memory_zeroed(n, sizeof *c->base);
    c->outer = memory_zeroed(4 * n, sizeof *c->outer);
    c->shrunk = c->outer + n;
    c->on_path = c->shrunk + n;
    c->seen = c->on_path + n;
    for (size_t v = 0; v < n; v++) {
        c->mate[v] = c->bond[v] = c->parent[v] = NOBODY;
        c->base[v] = (int)v;
    }
    return c;
}

void completion_free(Completion *c) {
    if (!c) return;
    free(c->mate);
    free(c->bond);
    free(c->parent);
    free(c->base);
    free(c->outer);
    array_free(&c->queue);
    array_free(&c->touched);
    free(c);
}

// --- the graph -----------------------------------------------------------------------------------

static bool counts(const Completion *c, int node) {
    return c->rules->rule[node] == RULE_COUNT && !c->count[node].broken;
}

static bool wants_hit(const Completion *c, int node) {
    return counts(c, node) && c->count[node].hits == 0 && c->count[node].open > 0;
}

static bool is_open(const Graph *g, int bond) { return g->bond[bond].stroke == STROKE_NONE; }

static bool hits_both(const Graph *g, int end) {
    return stroke_to_hit(g, end, true) == stroke_to_hit(g, bond_far_end(g, end), true);
}

// The bond has a vertex of its own.
static bool has_middle(const Completion *c, int bond) {
    const Graph *g = c->g;
    int from = g->bond[bond].from, to = g->bond[bond].to;
    return is_open(g, bond) && counts(c, g->end[from].node) && counts(c, g->end[to].node) &&
           !hits_both(g, from);
}

// Where the k-th way out of a vertex leads: a vertex, ALONE, or NOBODY when this way is closed;
// false beyond the last.
static bool way_out(const Completion *c, int v, int k, int *to, int *bond) {
    const Graph *g = c->g;
    *to = NOBODY;
    if (v >= g->node_count) {
        *bond = v - g->node_count;
        if (k < 2) *to = g->end[k ? g->bond[*bond].to : g->bond[*bond].from].node;
        return k < 2;
    }
    int end = first_end(g, v) + k;
    if (end >= past_end(g, v)) return false;
    *bond = g->end[end].bond;
    if (*bond < 0 || !is_open(g, *bond)) return true;
    int far = bond_far_end(g, end), other = g->end[far].node;
    if (!counts(c, other))
        *to = ALONE;
    else
        *to = hits_both(g, end) ? other : g->node_count + *bond;
    return true;
}

static void pair(Completion *c, int v, int to, int bond) {
    c->mate[v] = to;
    c->bond[v] = bond;
    if (to < 0) return;
    c->mate[to] = v;
    c->bond[to] = bond;
}

// --- a search for a partner ----------------------------------------------------------------------

static void touch(Completion *c, int v) {
    if (c->seen[v]) return;
    c->seen[v] = true;
    array_push(&c->touched, v);
}

static void make_outer(Completion *c, int v) {
    touch(c, v);
    if (c->outer[v]) return;
    c->outer[v] = true;
    array_push(&c->queue, v);
}

static void search_end(Completion *c) {
    for (int i = 0; i < c->touched.count; i++) {
        int v = c->touched.data[i];
        c->parent[v] = NOBODY;
        c->base[v] = v;
        c->outer[v] = c->shrunk[v] = c->on_path[v] = c->seen[v] = false;
    }
    c->touched.count = c->queue.count = 0;
}

// Where the ways from two outer vertices to the root meet.
static int meeting(Completion *c, int a, int b) {
    int first = a;
    for (;;) {
        a = c->base[a];
        c->on_path[a] = true;
        if (c->mate[a] < 0) break;
        a = c->parent[c->mate[a]];
    }
    for (;;) {
        b = c->base[b];
        if (c->on_path[b]) break;
        b = c->parent[c->mate[b]];
    }
    for (a = first;;) {
        a = c->base[a];
        c->on_path[a] = false;
        if (c->mate[a] < 0) return b;
        a = c->parent[c->mate[a]];
    }
}

static void mark_circle(Completion *c, int v, int base, int child) {
    while (c->base[v] != base) {
        c->shrunk[c->base[v]] = c->shrunk[c->base[c->mate[v]]] = true;
        c->parent[v] = child;
        child = c->mate[v];
        v = c->parent[c->mate[v]];
    }
}

static void shrink(Completion *c, int a, int b) {
    int base = meeting(c, a, b), n = c->touched.count;
    mark_circle(c, a, base, b);
    mark_circle(c, b, base, a);
    for (int i = 0; i < n; i++) {
        int v = c->touched.data[i];
        if (!c->shrunk[c->base[v]]) continue;
        c->base[v] = base;
        make_outer(c, v);
    }
    for (int i = 0; i < n; i++) c->shrunk[c->touched.data[i]] = false;
}

static int bond_between(const Completion *c, int a, int b) {
    int to, bond;
    for (int k = 0; way_out(c, a, k, &to, &bond); k++)
        if (to == b) return bond;
    return NOBODY;
}

// Partners change along the way from an inner vertex back to the root.
static void change_partners(Completion *c, int v) {
    while (v >= 0) {
        int up = c->parent[v], next = c->mate[up];
        pair(c, v, up, bond_between(c, up, v));
        v = next;
    }
}

// From an outer vertex on. True: a way to a free partner was found and taken.
static bool search_from(Completion *c, int v, int root) {
    int to, bond;
    for (int k = 0; way_out(c, v, k, &to, &bond); k++) {
        if (to == NOBODY || to == c->mate[v]) continue;
        if (to == ALONE) {
            int before = c->mate[v];
            pair(c, v, ALONE, bond);
            if (before >= 0) change_partners(c, before);
            return true;
        }
        if (c->base[v] == c->base[to]) continue;
        touch(c, to);
        if (to == root || (c->mate[to] >= 0 && c->parent[c->mate[to]] >= 0)) {
            shrink(c, v, to);
        } else if (c->parent[to] < 0) {
            c->parent[to] = v;
            if (c->mate[to] == NOBODY) {
                change_partners(c, to);
                return true;
            }
            if (c->mate[to] >= 0) make_outer(c, c->mate[to]);
        }
    }
    return false;
}

static bool find_partner(Completion *c, int root) {
    bool found = false;
    make_outer(c, root);
    for (int i = 0; i < c->queue.count && !found; i++)
        found = search_from(c, c->queue.data[i], root);
    search_end(c);
    return found;
}

// --- the answer ----------------------------------------------------------------------------------

// Partners over bonds that have got a stroke since are given up.
static void forget_old(Completion *c) {
    for (int v = 0; v < c->vertices; v++) {
        if (c->mate[v] == NOBODY) continue;
        bool wanted = v < c->g->node_count ? wants_hit(c, v) : has_middle(c, v - c->g->node_count);
        if (!wanted || !is_open(c->g, c->bond[v])) c->mate[v] = c->bond[v] = NOBODY;
    }
}

static void take_first_free(Completion *c, int v) {
    int to, bond;
    for (int k = 0; c->mate[v] == NOBODY && way_out(c, v, k, &to, &bond); k++)
        if (to >= 0 && c->mate[to] == NOBODY) pair(c, v, to, bond);
}

bool completion_find(Completion *c) {
    const Graph *g = c->g;
    forget_old(c);
    for (int pass = 0; pass < 2; pass++)
        for (int v = 0; v < c->vertices; v++) {
            if (c->mate[v] != NOBODY) continue;
            if (!(v < g->node_count ? wants_hit(c, v) : has_middle(c, v - g->node_count))) continue;
            if (pass == 0)
                take_first_free(c, v);
            else if (!find_partner(c, v))
                return false;
        }
    return true;
}

Stroke completion_stroke(const Completion *c, int bond) {
    const GraphBond *b = &c->g->bond[bond];
    for (int i = 0; i < 2; i++) {
        int end = i ? b->to : b->from, node = c->g->end[end].node;
        if (counts(c, node)) return stroke_to_hit(c->g, end, c->bond[node] == bond);
    }
    return STROKE_NONE;
}
