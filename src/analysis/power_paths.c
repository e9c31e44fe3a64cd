// Energy by path: from each element that gives to each that takes, through junctions and two-ports.
//
// A junction does not say which of the power that comes in goes where. The rule is proportional
// sharing: all that comes in is mixed, and what goes out has the mixture.
//
//      6 J  u ---.       .---> a   6 J       u -> a  2 J      v -> a  4 J
//                 >  i  <
//     12 J  v ---'       '---> b  12 J       u -> b  4 J      v -> b  8 J
//
// Time is cut into stretches: at the rows, and where any power changes sign between them (swing.h).
// In a stretch every energy has one direction, so the bonds are a directed graph, and what is given
// is pushed along it until it has arrived. Sums over paths are the energies of the elements by
// construction: nothing is thrown away, and what does not balance is an end of its own.
#include "analysis/power.h"

#include "analysis/swing.h"
#include "base/array.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ENDS = 200 };
static const double same_place = 1e-9; // of an interval: a bond and its element turn at once
static const double arrived = 1e-14;   // of what was given: the rest that goes in circles

typedef struct {
    int flow, bond;
    int tail, head;      // nodes
    double ahead, aback; // J along the half-arrow and against it, over the run
} Edge;

typedef struct {
    const Model *m;
    const PowerPlan *plan;
    const Run *run;
    int *node; // per component: those between which power is not known are one
    Edge *edge;
    int edge_count, ends; // elements are the first flows of the plan; `ends` is for what is missing
    int *first, *at_node; // edges at each node
    int *end_first, *end_at;         // elements at each node
    int *order, *arrivals;           // of nodes in a stretch: those before come first
    double *net, *into, *out, *rest; // per flow; per node: comes in, goes out, is missing
    double *pending;                 // per node and giver: not yet passed on
    double *sent;                    // per giver and taker
    double *given;                   // per giver
    ARRAY(double) cut;
} Tracing;

// --- the graph -----------------------------------------------------------------------------------

static void merge(Tracing *t, int a, int b) {
    int keep = t->node[a], gone = t->node[b];
    for (int c = 0; c < t->m->comp_count; c++)
        if (t->node[c] == gone) t->node[c] = keep;
}

static void find_nodes(Tracing *t) {
    for (int c = 0; c < t->m->comp_count; c++) t->node[c] = c;
    for (int b = 0; b < t->m->bond_count; b++)
        if (t->plan->bond_flow[b] < 0) merge(t, t->m->bond[b].from.comp, t->m->bond[b].to.comp);
}

static void find_edges(Tracing *t) {
    for (int b = 0; b < t->m->bond_count; b++) {
        int tail = t->node[t->m->bond[b].from.comp], head = t->node[t->m->bond[b].to.comp];
        if (t->plan->bond_flow[b] < 0 || tail == head) continue;
        t->edge[t->edge_count++] = (Edge){t->plan->bond_flow[b], b, tail, head, 0, 0};
    }
}

// Things by node: counted, summed, filled in from behind.
static void put_in_buckets(int *first, int *at, int nodes, const int *node, int count, int per) {
    for (int i = 0; i < count; i++) first[node[i] + 1]++;
    for (int n = 0; n < nodes; n++) first[n + 1] += first[n];
    int *fill = memory_zeroed((size_t)nodes, sizeof *fill);
    for (int i = 0; i < count; i++) at[first[node[i]] + fill[node[i]]++] = i / per;
    free(fill);
}

static void list_neighbours(Tracing *t) {
    int nodes = t->m->comp_count, *both = memory_zeroed((size_t)t->edge_count * 2, sizeof *both);
    int *where = memory_zeroed((size_t)t->ends, sizeof *where);
    for (int e = 0; e < t->edge_count; e++) {
        both[2 * e] = t->edge[e].tail;
        both[2 * e + 1] = t->edge[e].head;
    }
    for (int i = 0; i < t->ends; i++) where[i] = t->node[t->plan->flow[i].comp];
    put_in_buckets(t->first, t->at_node, nodes, both, 2 * t->edge_count, 2);
    put_in_buckets(t->end_first, t->end_at, nodes, where, t->ends, 1);
    free(both);
    free(where);
}

static int count_ends(const PowerPlan *plan) {
    int n = 0;
    while (n < plan->count && plan->flow[n].kind != POWER_BOND) n++;
    return n;
}

static void open_tracing(Tracing *t, Arena *a) {
    int nodes = t->m->comp_count, givers = t->ends + 1;
    t->node = ARENA_ARRAY(a, int, nodes);
    t->edge = ARENA_ARRAY(a, Edge, t->m->bond_count);
    t->first = ARENA_ARRAY(a, int, nodes + 1);
    t->end_first = ARENA_ARRAY(a, int, nodes + 1);
    t->order = ARENA_ARRAY(a, int, nodes);
    t->arrivals = ARENA_ARRAY(a, int, nodes);
    t->net = ARENA_ARRAY(a, double, t->plan->count);
    t->into = ARENA_ARRAY(a, double, nodes);
    t->out = ARENA_ARRAY(a, double, nodes);
    t->rest = ARENA_ARRAY(a, double, nodes);
    t->pending = ARENA_ARRAY(a, double, nodes *givers);
    t->sent = ARENA_ARRAY(a, double, givers *givers);
    t->given = ARENA_ARRAY(a, double, givers);
    find_nodes(t);
    find_edges(t);
    t->at_node = ARENA_ARRAY(a, int, 2 * t->edge_count);
    t->end_at = ARENA_ARRAY(a, int, t->ends);
    list_neighbours(t);
}

// --- one stretch ---------------------------------------------------------------------------------

// Energy that an edge takes away from a node, or brings to it (negative).
static double leaves(const Tracing *t, const Edge *e, int node) {
    return e->tail == node ? t->net[e->flow] : -t->net[e->flow];
}

static void balance_nodes(Tracing *t) {
    int nodes = t->m->comp_count;
    for (int n = 0; n < nodes; n++) {
        double in = 0, out = 0;
        for (int k = t->first[n]; k < t->first[n + 1]; k++) {
            double x = leaves(t, &t->edge[t->at_node[k]], n);
            *(x > 0 ? &out : &in) += fabs(x);
        }
        for (int k = t->end_first[n]; k < t->end_first[n + 1]; k++) {
            double x = t->net[t->end_at[k]];
            *(x > 0 ? &out : &in) += fabs(x);
        }
        t->rest[n] = fmax(in - out, 0);
        t->into[n] = fmax(out - in, 0); // comes from nowhere
        t->out[n] = out + t->rest[n];
    }
}

static void give(Tracing *t, int node, int giver, double energy) {
    t->pending[node * (t->ends + 1) + giver] += energy;
    t->given[giver] += energy;
}

static double give_all(Tracing *t) {
    double sum = 0;
    for (int n = 0; n < t->m->comp_count; n++) {
        for (int k = t->end_first[n]; k < t->end_first[n + 1]; k++) {
            int i = t->end_at[k];
            if (t->net[i] < 0) give(t, n, i, -t->net[i]);
            sum += fmax(-t->net[i], 0);
        }
        give(t, n, t->ends, t->into[n]);
        sum += t->into[n];
    }
    return sum;
}

static int other_end(const Edge *e, int node) { return e->tail == node ? e->head : e->tail; }

// Nodes behind those that they get energy from; those in circles last. True: there are no circles.
static bool sort_nodes(Tracing *t) {
    int nodes = t->m->comp_count, count = 0;
    for (int n = 0; n < nodes; n++) {
        t->arrivals[n] = 0;
        for (int k = t->first[n]; k < t->first[n + 1]; k++)
            t->arrivals[n] += leaves(t, &t->edge[t->at_node[k]], n) < 0;
        if (!t->arrivals[n]) t->order[count++] = n;
    }
    for (int i = 0; i < count; i++) {
        int n = t->order[i];
        for (int k = t->first[n]; k < t->first[n + 1]; k++) {
            const Edge *e = &t->edge[t->at_node[k]];
            int to = other_end(e, n);
            if (leaves(t, e, n) > 0 && --t->arrivals[to] == 0) t->order[count++] = to;
        }
    }
    bool straight = count == nodes;
    for (int n = 0; n < nodes && !straight; n++)
        if (t->arrivals[n] > 0) t->order[count++] = n;
    return straight;
}

static void add_part(double *to, const double *from, double part, int count) {
    for (int i = 0; i < count; i++) to[i] += part * from[i];
}

// What has come to a node goes on, in proportion to what goes out. Takers are rows of `sent`.
static void pass_on(Tracing *t, int n) {
    int givers = t->ends + 1;
    double *here = t->pending + (size_t)n * (size_t)givers, out = t->out[n];
    if (!(out > 0)) return;
    for (int k = t->first[n]; k < t->first[n + 1]; k++) {
        const Edge *e = &t->edge[t->at_node[k]];
        double x = leaves(t, e, n);
        if (x > 0)
            add_part(t->pending + (size_t)other_end(e, n) * (size_t)givers, here, x / out, givers);
    }
    for (int k = t->end_first[n]; k < t->end_first[n + 1]; k++) {
        int i = t->end_at[k];
        if (t->net[i] > 0)
            add_part(t->sent + (size_t)i * (size_t)givers, here, t->net[i] / out, givers);
    }
    if (t->rest[n] > 0)
        add_part(t->sent + (size_t)t->ends * (size_t)givers, here, t->rest[n] / out, givers);
    memset(here, 0, (size_t)givers * sizeof *here);
}

static double still_pending(const Tracing *t) {
    double sum = 0;
    for (int i = 0; i < t->m->comp_count * (t->ends + 1); i++) sum += t->pending[i];
    return sum;
}

// What still goes in circles arrives nowhere.
static void drop_pending(Tracing *t) {
    int givers = t->ends + 1;
    for (int n = 0; n < t->m->comp_count; n++) {
        double *here = t->pending + (size_t)n * (size_t)givers;
        add_part(t->sent + (size_t)t->ends * (size_t)givers, here, 1, givers);
        memset(here, 0, (size_t)givers * sizeof *here);
    }
}

static void trace_stretch(Tracing *t) {
    enum { MOST_SWEEPS = 1000 };
    for (int e = 0; e < t->edge_count; e++) {
        double x = t->net[t->edge[e].flow];
        *(x > 0 ? &t->edge[e].ahead : &t->edge[e].aback) += fabs(x);
    }
    balance_nodes(t);
    double given = give_all(t);
    bool straight = sort_nodes(t);
    int sweeps = 0;
    do {
        for (int i = 0; i < t->m->comp_count; i++) pass_on(t, t->order[i]);
    } while (!straight && ++sweeps < MOST_SWEEPS && still_pending(t) > arrived * given);
    drop_pending(t);
}

// --- all stretches -------------------------------------------------------------------------------

static int by_place(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static Swing swing_of(const Tracing *t, int flow, int row) {
    return swing_between(t->run->results.column[0].value + row, t->run->integrated[flow] + row,
                         t->run->watched[flow] + row);
}

static bool is_followed(const Tracing *t, int flow) {
    return isfinite(t->run->integrated[flow][0]) && isfinite(t->run->watched[flow][0]);
}

static void trace_interval(Tracing *t, int row) {
    t->cut.count = 0;
    for (int i = 0; i < t->plan->count; i++) {
        double at[2];
        Swing s = swing_of(t, i, row);
        int turns = is_followed(t, i) ? swing_turns(&s, at) : 0;
        for (int k = 0; k < turns; k++) array_push(&t->cut, at[k]);
    }
    array_push(&t->cut, 1.0);
    qsort(t->cut.data, (size_t)t->cut.count, sizeof(double), by_place);
    double from = 0;
    for (int c = 0; c < t->cut.count; c++) {
        double to = t->cut.data[c];
        if (to < 1 && to - from < same_place) continue;
        for (int i = 0; i < t->plan->count; i++) {
            Swing s = swing_of(t, i, row);
            t->net[i] = swing_energy(&s, to) - swing_energy(&s, from);
            if (!isfinite(t->net[i])) t->net[i] = 0;
        }
        trace_stretch(t);
        from = to;
    }
}

// --- the way -------------------------------------------------------------------------------------

// The way that most energy went: every component is reached by the bonds whose least is largest.
static void find_ways(const Tracing *t, int start, int *before, double *width, bool *done) {
    int count = t->m->comp_count;
    for (int c = 0; c < count; c++) {
        before[c] = -1;
        width[c] = 0;
        done[c] = false;
    }
    width[start] = INFINITY;
    for (;;) {
        int best = -1;
        for (int c = 0; c < count; c++)
            if (!done[c] && width[c] > 0 && (best < 0 || width[c] > width[best])) best = c;
        if (best < 0) return;
        done[best] = true;
        for (int b = 0, e = 0; b < t->m->bond_count; b++) {
            const Bond *bond = &t->m->bond[b];
            while (e < t->edge_count && t->edge[e].bond < b) e++;
            const Edge *x = e < t->edge_count && t->edge[e].bond == b ? &t->edge[e] : NULL;
            if (bond->from.comp != best && bond->to.comp != best) continue;
            bool along = bond->from.comp == best;
            int to = along ? bond->to.comp : bond->from.comp;
            double w = fmin(width[best], !x ? INFINITY : along ? x->ahead : x->aback);
            if (done[to] || !(w > width[to])) continue;
            width[to] = w;
            before[to] = best;
        }
    }
}

static const char *way_text(Arena *out, const Tracing *t, const int *before, int start, int stop) {
    const char *text = "";
    if (start == stop) return text;
    for (int c = before[stop]; c >= 0 && c != start; c = before[c]) {
        const char *name = name_text(t->m->names, t->m->comp[c].path);
        text = *text ? arena_printf(out, "%s, %s", name, text) : name;
    }
    return text;
}

static int by_path_energy(const void *a, const void *b) {
    const PowerPath *x = a, *y = b;
    if (x->energy != y->energy) return x->energy > y->energy ? -1 : 1;
    return x->from != y->from ? x->from - y->from : x->to - y->to;
}

// Less than this of all energy is rounding.
static const double least_part = 1e-12;

static void add_paths_from(Arena *out, const Tracing *t, int from, PowerPaths *p) {
    int givers = t->ends + 1, comps = t->m->comp_count;
    int *before = memory_zeroed((size_t)comps, sizeof *before);
    double *width = memory_zeroed((size_t)comps, sizeof *width);
    bool *done = memory_zeroed((size_t)comps, sizeof *done);
    int start = from < t->ends ? t->plan->flow[from].comp : -1;
    if (start >= 0) find_ways(t, start, before, width, done);
    for (int to = 0; to < givers; to++) {
        double energy = t->sent[to * givers + from];
        if (from == t->ends || to == t->ends) p->unaccounted += energy;
        if (!(energy > least_part * p->energy)) continue;
        bool known = from < t->ends && to < t->ends;
        p->path[p->count++] = (PowerPath){
            from < t->ends ? from : -1, to < t->ends ? to : -1, energy, energy / t->given[from],
            known ? way_text(out, t, before, start, t->plan->flow[to].comp) : ""};
    }
    free(before);
    free(width);
    free(done);
}

PowerPaths power_paths(Arena *out, const System *s, const PowerPlan *plan, const Run *run) {
    Tracing t = {.m = s->model, .plan = plan, .run = run, .ends = count_ends(plan)};
    PowerPaths p = {.ends = t.ends, .most_ends = MOST_ENDS};
    if (t.ends > MOST_ENDS) return p;
    Arena own = {0};
    open_tracing(&t, &own);
    for (int k = 0; k + 1 < run->results.row_count; k++) trace_interval(&t, k);
    for (int i = 0; i <= t.ends; i++) p.energy += t.given[i];
    p.path = ARENA_ARRAY(out, PowerPath, (t.ends + 1) * (t.ends + 1));
    for (int i = 0; i <= t.ends; i++)
        if (t.given[i] > 0) add_paths_from(out, &t, i, &p);
    qsort(p.path, (size_t)p.count, sizeof *p.path, by_path_energy);
    array_free(&t.cut);
    arena_free(&own);
    return p;
}
