// Causal paths: with strokes on every bond each effort and each flow runs one way, and the graph is
// a network of signals. Dependent storages are found by walking against the arrows, algebraic loops
// along them.
//
//        e ->                 e ->            signal 2*b = effort of bond b, towards the stroke;
//   R ----------| 0 n  ----------| R2         signal 2*b+1 = its flow, away from the stroke
//        <- f                 <- f
//
//   R hands out e; n passes it on; R2 answers with f; n sums it up; R takes f: a closed path.
//
// Storages end a path: what they hand out is a state. A storage in derivative causality hands out
// the derivative of what it takes, so a walk towards the causes goes on behind it.
#include "graph/inside.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/strong.h"
#include <string.h>

typedef struct { // per port its list: port[first[i]] up to port[first[i + 1] - 1], in order
    int *first, *port;
} NeedLists;

typedef struct {
    const Graph *g;
    const Rules *rules;
    int *setter;         // per node: the end that sets a junction's common variable
    NeedLists *needs[2]; // per node, for fields: what a port needs; what needs it
    long long budget;    // steps that searches may still take, so that time stays near linear
} Paths;

static int signal_into(const Graph *g, int s) { // the end where a signal arrives
    const GraphBond *b = &g->bond[s / 2];
    bool at_to = (b->stroke == STROKE_AT_TO) == (s % 2 == 0);
    return at_to ? b->to : b->from;
}

static int signal_out_of(const Graph *g, int s) {
    int into = signal_into(g, s);
    return into == g->bond[s / 2].to ? g->bond[s / 2].from : g->bond[s / 2].to;
}

static int signal_in(const Graph *g, int end) { // what the node takes at this end
    return 2 * g->end[end].bond + (end_takes_effort(g, end) ? 0 : 1);
}

static int signal_out(const Graph *g, int end) { // what the node hands out there
    return 2 * g->end[end].bond + (end_takes_effort(g, end) ? 1 : 0);
}

static int first_port_dim(const Graph *g, int node) {
    return g->model->port[node_comp(g, node)->first_port].dim;
}

// Does what `node` hands out at end number `out` depend at once on what it takes at `in`?
static bool passes(const Paths *p, int node, int in, int out) {
    const Graph *g = p->g;
    const GraphNode *n = &g->node[node];
    switch (p->rules->rule[node]) {
    case RULE_COUNT:
        if (!is_junction(node_comp(g, node)->kind)) return in != out;
        return in != out &&
               (n->first_end + in == p->setter[node]) != (n->first_end + out == p->setter[node]);
    case RULE_NATURAL: {
        int split = first_port_dim(g, node);
        return n->end_count == split || (in < split) != (out < split);
    }
    case RULE_FREE: return true;
    case RULE_FIELD: // lists tell: field_neighbour
    case RULE_FIXED:
    case RULE_STORAGE: break;
    }
    return false;
}

static int field_neighbour(const Paths *p, int end, int k, bool forward) {
    const Graph *g = p->g;
    int node = g->end[end].node, mine = end - g->node[node].first_end;
    const NeedLists *list = &p->needs[forward][node];
    if (k >= list->first[mine + 1] - list->first[mine]) return -2;
    int other = g->node[node].first_end + list->port[list->first[mine] + k];
    if (g->end[other].bond < 0) return -1;
    return forward ? signal_out(g, other) : signal_in(g, other);
}

// The k-th neighbour of a signal, forward (what it acts on) or backward (what it comes from): a
// signal; -1 = none at this k; -2 = k is beyond the last. Junctions answer without a search, so
// that walking a graph costs as much as it has edges.
static int neighbour(const Paths *p, int s, int k, bool forward) {
    const Graph *g = p->g;
    int end = forward ? signal_into(g, s) : signal_out_of(g, s);
    int node = g->end[end].node;
    const GraphNode *n = &g->node[node];
    bool junction = is_junction(node_comp(g, node)->kind);
    int setter = p->setter[node];
    Rule rule = p->rules->rule[node];
    if (rule == RULE_FIXED || rule == RULE_STORAGE) return -2; // nothing passes at once
    if (rule == RULE_FIELD) return field_neighbour(p, end, k, forward);
    if (junction && end != setter) {
        if (k > 0 || setter < 0) return -2;
        return forward ? signal_out(g, setter) : signal_in(g, setter);
    }
    if (k >= n->end_count) return -2;
    int other = n->first_end + k, mine = end - n->first_end;
    if (g->end[other].bond < 0) return -1;
    if (!(forward ? passes(p, node, mine, k) : passes(p, node, k, mine))) return -1;
    return forward ? signal_out(g, other) : signal_in(g, other);
}

// The same lists the other way round.
static NeedLists turned(Arena *scratch, const NeedLists *from, int ports) {
    int count = from->first[ports];
    NeedLists to = {.first = ARENA_ARRAY(scratch, int, ports + 2),
                    .port = ARENA_ARRAY(scratch, int, count + 1)};
    for (int i = 0; i < count; i++) to.first[from->port[i] + 2]++;
    for (int i = 2; i <= ports + 1; i++) to.first[i] += to.first[i - 1];
    for (int i = 0; i < ports; i++) // first[j + 1] moves from the beginning of a list to its end
        for (int k = from->first[i]; k < from->first[i + 1]; k++)
            to.port[to.first[from->port[k] + 1]++] = i;
    return to;
}

static void list_needs(Paths *p, Arena *scratch, int node) {
    int ports = p->g->node[node].end_count, *needs = memory_zeroed((size_t)ports, sizeof *needs);
    ARRAY(int) all = {0};
    NeedLists *to = &p->needs[false][node];
    to->first = ARENA_ARRAY(scratch, int, ports + 1);
    for (int out = 0; out < ports; out++) {
        int count = field_needs(p->rules->field[node], p->g, out, needs);
        for (int i = 0; i < count; i++) array_push(&all, needs[i]);
        to->first[out + 1] = all.count;
    }
    to->port = ARENA_ARRAY(scratch, int, all.count + 1);
    if (all.count) memcpy(to->port, all.data, (size_t)all.count * sizeof *all.data);
    p->needs[true][node] = turned(scratch, to, ports);
    array_free(&all);
    free(needs);
}

static void paths_start(Paths *p, Arena *scratch, const Graph *g, const Rules *rules) {
    *p = (Paths){.g = g, .rules = rules, .budget = 100000 + 64LL * g->bond_count};
    p->setter = ARENA_ARRAY(scratch, int, g->node_count);
    for (int i = 0; i < 2; i++) p->needs[i] = ARENA_ARRAY(scratch, NeedLists, g->node_count);
    for (int n = 0; n < g->node_count; n++) {
        CompKind kind = node_comp(g, n)->kind;
        p->setter[n] = -1;
        for (int end = first_end(g, n); end < past_end(g, n); end++)
            if (is_junction(kind) && end_assigned(g, end) &&
                end_takes_effort(g, end) == (kind == COMP_0))
                p->setter[n] = end;
        if (rules->rule[n] == RULE_FIELD) list_needs(p, scratch, n);
    }
}

// --- dependent storages --------------------------------------------------------------------------

typedef ARRAY(int) Ints;

typedef struct {
    Paths *p;
    int *jump;  // per signal: where its only way back leads to; -1 unknown, -2 being followed
    int *stamp; // per signal: last search that saw it
    int search;
    Ints queue, states, sources, trail;
} BackWalk;

// What stands at the beginning of a signal: nothing to walk on behind it.
static bool is_origin(const Paths *p, int s) {
    const Graph *g = p->g;
    int end = signal_out_of(g, s);
    Rule rule = p->rules->rule[g->end[end].node];
    return rule == RULE_FIXED || (rule == RULE_STORAGE && !end_is_derivative(g, end));
}

// The only predecessor of a signal, or -1 when there are several or none.
static int only_way_back(const Paths *p, int s) {
    const Graph *g = p->g;
    int end = signal_out_of(g, s), node = g->end[end].node, found = -1;
    if (is_origin(p, s) || p->rules->rule[node] == RULE_FIELD) return -1;
    if (p->rules->rule[node] == RULE_STORAGE) return signal_in(g, end);
    if (is_junction(node_comp(g, node)->kind) && end == p->setter[node] &&
        g->node[node].end_count > 2)
        return -1;
    for (int k = 0;; k++) {
        int back = neighbour(p, s, k, false);
        if (back == -2) return found;
        if (back < 0) continue;
        if (found >= 0) return -1;
        found = back;
    }
}

// Runs back over signals with one predecessor; remembers the way for the next time.
static int run_back(BackWalk *w, int s) {
    w->trail.count = 0;
    while (w->jump[s] == -1) {
        int back = only_way_back(w->p, s);
        if (back < 0) break;
        w->jump[s] = -2;
        array_push(&w->trail, s);
        s = back;
    }
    if (w->jump[s] >= 0) s = w->jump[s];
    for (int i = 0; i < w->trail.count; i++) w->jump[w->trail.data[i]] = s;
    return s;
}

static void visit(BackWalk *w, int s) {
    s = run_back(w, s);
    w->p->budget--;
    if (w->stamp[s] == w->search) return;
    w->stamp[s] = w->search;
    array_push(&w->queue, s);
}

static void look_behind(BackWalk *w, int s) {
    const Paths *p = w->p;
    const Graph *g = p->g;
    int end = signal_out_of(g, s), node = g->end[end].node;
    Rule rule = p->rules->rule[node];
    if (rule == RULE_FIXED) {
        array_push(&w->sources, node);
    } else if (rule == RULE_STORAGE) {
        if (end_is_derivative(g, end))
            visit(w, signal_in(g, end));
        else
            array_push(&w->states, node);
    } else {
        if (rule == RULE_FIELD && field_has_states(p->rules->field[node]))
            array_push(&w->states, node);
        for (int k = 0, back; (back = neighbour(p, s, k, false)) != -2 && p->budget > 0; k++)
            if (back >= 0) visit(w, back);
    }
}

static int by_number(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int *sorted_set(Arena *out, Ints *list, int without, int *count) {
    int *set = ARENA_ARRAY(out, int, list->count), n = 0;
    if (list->count) qsort(list->data, (size_t)list->count, sizeof *list->data, by_number);
    for (int i = 0; i < list->count; i++)
        if (list->data[i] != without && (!n || set[n - 1] != list->data[i]))
            set[n++] = list->data[i];
    *count = n;
    return set;
}

static DependentStorage explain_storage(Arena *out, BackWalk *w, int node) {
    const Graph *g = w->p->g;
    bool field = w->p->rules->rule[node] == RULE_FIELD;
    w->search++;
    w->queue.count = w->states.count = w->sources.count = 0;
    for (int end = first_end(g, node); end < past_end(g, node); end++)
        if (field || end_is_derivative(g, end)) visit(w, signal_in(g, end));
    for (int i = 0; i < w->queue.count && w->p->budget > 0; i++) look_behind(w, w->queue.data[i]);
    DependentStorage d = {.node = node, .more = w->p->budget <= 0};
    d.states = sorted_set(out, &w->states, node, &d.state_count);
    d.source = sorted_set(out, &w->sources, node, &d.source_count);
    return d;
}

static bool is_dependent(const Graph *g, const Rules *rules, int node) {
    if (rules->rule[node] == RULE_FIELD) return field_lost_state(rules->field[node]);
    for (int end = first_end(g, node); end < past_end(g, node); end++)
        if (end_is_derivative(g, end)) return true;
    return false;
}

static void find_dependents(Arena *out, Graph *g, Paths *p) {
    size_t signals = 2 * (size_t)g->bond_count;
    for (int n = 0; n < g->node_count; n++) g->dependent_count += is_dependent(g, p->rules, n);
    if (!g->dependent_count) return;
    g->dependent = ARENA_ARRAY(out, DependentStorage, g->dependent_count);
    BackWalk w = {.p = p,
                  .jump = memory_zeroed(signals, sizeof(int)),
                  .stamp = memory_zeroed(signals, sizeof(int))};
    for (size_t s = 0; s < signals; s++) w.jump[s] = -1;
    int found = 0;
    for (int n = 0; n < g->node_count; n++)
        if (is_dependent(g, p->rules, n)) g->dependent[found++] = explain_storage(out, &w, n);
    free(w.jump);
    free(w.stamp);
    array_free(&w.queue);
    array_free(&w.states);
    array_free(&w.sources);
    array_free(&w.trail);
}

// --- algebraic loops -----------------------------------------------------------------------------

static int neighbour_after(const void *paths, int s, int k) { return neighbour(paths, s, k, true); }

// part[signal]: number of its strong component, -1 when it lies on no closed path; on the heap
static int *closed_paths(const Paths *p, int *parts) {
    int signals = 2 * p->g->bond_count;
    int *part = memory_zeroed((size_t)signals, sizeof *part);
    int all = strong_components(signals, neighbour_after, p, part), count = 0;
    int *size = memory_zeroed((size_t)all, sizeof *size);
    for (int s = 0; s < signals; s++) size[part[s]]++;
    for (int i = 0; i < all; i++) size[i] = size[i] > 1 ? count++ : -1; // now its number
    for (int s = 0; s < signals; s++) part[s] = size[part[s]];
    free(size);
    *parts = count;
    return part;
}

typedef struct {
    Paths *p;
    const int *part;
    int *from, *stamp; // per signal: where the search came from; last search that saw it
    int search;
    Ints queue, path;
    ARRAY(AlgebraicLoop) loops;
} LoopSearch;

// Shortest way from one signal to another within a strong component: bonds in order of first visit
// into `path`. False when the budget is spent.
static bool shortest_path(LoopSearch *l, int from, int to) {
    l->search++;
    l->queue.count = l->path.count = 0;
    array_push(&l->queue, from);
    bool found = false;
    for (int i = 0; i < l->queue.count && !found; i++) {
        int s = l->queue.data[i], next;
        for (int k = 0; !found && (next = neighbour(l->p, s, k, true)) != -2; k++) {
            if (l->p->budget-- <= 0) return false;
            if (next < 0 || l->part[next] != l->part[from] || l->stamp[next] == l->search) continue;
            l->stamp[next] = l->search;
            l->from[next] = s;
            found = next == to;
            array_push(&l->queue, next);
        }
    }
    if (!found) return false;
    array_push(&l->path, to);
    for (int s = l->from[to];; s = l->from[s]) {
        array_push(&l->path, s);
        if (s == from) break;
    }
    return true;
}

static void add_loop(Arena *out, LoopSearch *l, int tear, int bond, bool found) {
    AlgebraicLoop loop = {.tear = tear};
    loop.bonds = ARENA_ARRAY(out, int, found ? l->path.count : 1);
    l->search++; // stamps now mark bonds (by their effort signal) that are listed
    for (int i = found ? l->path.count - 1 : -1; i >= 0; i--) {
        int b = l->path.data[i] / 2;
        if (l->stamp[2 * b] == l->search) continue;
        l->stamp[2 * b] = l->search;
        loop.bonds[loop.bond_count++] = b;
    }
    if (!found) loop.bonds[loop.bond_count++] = bond;
    array_push(&l->loops, loop);
}

// The element that a loop without a free choice is named after.
static int element_on_path(const Graph *g, const Ints *path, int otherwise) {
    for (int i = path->count - 1; i >= 0; i--) {
        int node = g->end[signal_out_of(g, path->data[i])].node;
        if (!is_junction(node_comp(g, node)->kind)) return node;
    }
    return otherwise;
}

static int by_first_bond(const void *a, const void *b) {
    const AlgebraicLoop *x = a, *y = b;
    int order = by_number(x->bonds, y->bonds);
    return order ? order : by_number(&x->tear, &y->tear);
}

static void find_loops(Arena *out, Graph *g, Paths *p) {
    int parts, signals = 2 * g->bond_count;
    int *part = closed_paths(p, &parts);
    bool *torn = memory_zeroed((size_t)parts, sizeof *torn);
    LoopSearch l = {.p = p,
                    .part = part,
                    .from = memory_zeroed((size_t)signals, sizeof(int)),
                    .stamp = memory_zeroed((size_t)signals, sizeof(int))};
    for (int b = 0; b < g->bond_count; b++) {
        if (g->bond[b].reason != REASON_FREE) continue;
        int end = node_end_at(g, g->bond[b].by, b);
        int out_signal = signal_out(g, end), in = signal_in(g, end);
        if (part[in] < 0 || part[in] != part[out_signal]) continue;
        torn[part[in]] = true;
        add_loop(out, &l, g->bond[b].by, b, shortest_path(&l, out_signal, in));
    }
    for (int s = 0; s < signals; s++) {
        if (part[s] < 0 || torn[part[s]]) continue;
        torn[part[s]] = true;
        bool found = shortest_path(&l, s, s);
        int node = g->end[signal_out_of(g, s)].node;
        add_loop(out, &l, found ? element_on_path(g, &l.path, node) : node, s / 2, found);
    }
    if (l.loops.count)
        qsort(l.loops.data, (size_t)l.loops.count, sizeof *l.loops.data, by_first_bond);
    g->loop_count = l.loops.count;
    g->loop = ARENA_ARRAY(out, AlgebraicLoop, l.loops.count);
    if (l.loops.count) memcpy(g->loop, l.loops.data, (size_t)l.loops.count * sizeof *g->loop);
    for (int b = 0; b < g->bond_count; b++)
        g->bond[b].looped = part[2 * b] >= 0 || part[2 * b + 1] >= 0;
    free(part);
    free(torn);
    free(l.from);
    free(l.stamp);
    array_free(&l.queue);
    array_free(&l.path);
    array_free(&l.loops);
}

void find_dependents_and_loops(Arena *out, Graph *g, const Rules *rules) {
    Arena scratch = {0};
    Paths p;
    for (int b = 0; b < g->bond_count; b++) // a bond without a stroke: ports were left open
        if (g->bond[b].stroke == STROKE_NONE) return;
    paths_start(&p, &scratch, g, rules);
    find_dependents(out, g, &p);
    p.budget = 100000 + 64LL * g->bond_count;
    find_loops(out, g, &p);
    arena_free(&scratch);
}
