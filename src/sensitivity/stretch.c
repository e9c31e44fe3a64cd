// See stretch.h.
#include "sensitivity/stretch.h"

#include "base/memory.h"
#include "sensitivity/edge.h"
#include <math.h>

enum { LEAST_STEPS = 3, FIRST_STEPS = 8 }; // fewer: a stride for each costs less; to begin with
#define OWN    1e-4                        // error of a stride, in tolerances of the run
#define LINEAR 1e-2                        // the same, of the fastest motion
#define FINEST 1e-10                       // of it

typedef struct {
    Trail *trail;
    double rtol;
    Stride stride;
    double length;    // to try next; 0: not known
    const Kept *kept; // of the present steps,
    double *largest;  // and the largest values of the states along all that have it
} Finder;

// --- which steps ---------------------------------------------------------------------------------

// Laws and held values are the same along them, and no kink may lie between.
static bool may_join(const Node *n) {
    if (n->kind != TRAIL_STEP || n->method != SOLVER_CVODE_ADAMS || n->strides) return false;
    const Program *p = n->kept->machine->program;
    return p->state_count && !p->kink_count && p->signals.result_count <= 2 * p->signal_count;
}

static double longest(const Finder *f, double fastest) {
    double z = edge_reach(fmax(LINEAR * f->rtol, FINEST));
    return fastest > 0 ? z / fastest : INFINITY;
}

// The last step of as many from `first` on, which begins at a time, as fit into the length.
static int reach(const Finder *f, int first, double begin, int *steps) {
    const Node *node = f->trail->node.data;
    double fastest = node[first].fastest;
    int last = first;
    *steps = 1;
    for (int i = first + 1; i < f->trail->node.count; i++) {
        if (node[i].kind == TRAIL_POINT && !node[i].used) continue;
        if (!may_join(&node[i]) || node[i].kept != node[first].kept) break;
        double h = node[i].time - begin;
        fastest = fmax(fastest, node[i].fastest);
        if (h > longest(f, fastest)) break;
        if (f->length > 0 ? h > f->length : *steps == FIRST_STEPS) break;
        last = i;
        ++*steps;
    }
    return last;
}

// Where a step begins, if that is known before anybody has gone along the trail: not behind events.
static const Node *beginning(const Trail *t, int step) {
    int before = trail_before(t, step);
    const Node *n = before >= 0 ? &t->node.data[before] : NULL;
    bool known = n && (n->kind == TRAIL_STEP || n->kind == TRAIL_POINT || n->kind == TRAIL_START);
    return known && n->state && n->time < t->node.data[step].time ? n : NULL;
}

// --- does a stride serve -------------------------------------------------------------------------

// Largest values of states, over all steps between two events.
static void find_largest(Finder *f, int at) {
    const Node *node = f->trail->node.data;
    const Kept *kept = node[at].kept;
    int n = kept->machine->program->state_count, last = at;
    if (f->kept == kept) return;
    free(f->largest);
    f->kept = kept;
    f->largest = memory_zeroed((size_t)n + 1, sizeof *f->largest);
    while (last + 1 < f->trail->node.count && node[last + 1].kept == kept) last++;
    for (int i = at; i <= last; i++)
        for (int k = 0; k < n; k++) f->largest[k] = fmax(f->largest[k], fabs(node[i].state[k]));
}

// In what it may be: its own error, and how far from the run's own point it ends after some steps.
static double error_of(const Finder *f, const double *to, int steps, bool *ends) {
    const Stride *s = &f->stride;
    double own = 0, off = 0;
    for (int i = 0; i < s->n; i++) {
        double size = f->rtol * f->largest[i] + 1e-300;
        double e = fmin(fabs(stride_error(s, i)) / size, 1e100);
        double d = fmin(fabs(s->end[i] - to[i]) / size, 1e100);
        own += e * e;
        off += d * d;
    }
    *ends = sqrt(off / s->n) <= steps;
    return sqrt(own / s->n) / OWN;
}

// From a point to the node `last`. The length to try next follows from the error.
static bool serves(Finder *f, const Node *from, const Node *to, int steps) {
    bool ends = false;
    double h = to->time - from->time, error = INFINITY;
    if (stride_take(&f->stride, from->time, h, from->state, NULL))
        error = error_of(f, to->state, steps, &ends);
    bool good = error <= 1 && ends;
    double by = error > 0 ? 0.9 * pow(error, -1.0 / 8) : 2;
    f->length = h * (good ? fmin(by, 2) : fmin(fmax(by, 0.3), 0.6));
    return good;
}

// --- together ------------------------------------------------------------------------------------

static void join(const Trail *t, int first, int last) {
    for (int i = first; i < last; i++)
        if (t->node.data[i].kind == TRAIL_STEP) t->node.data[i].passed = true;
    Node *to = &t->node.data[last];
    to->part = NULL;
    to->strides = 1;
    to->joined = true;
}

// The longest stretch of steps that can be gone along in one stride, beginning with this one. Gives
// its last step; this step itself if it cannot be joined.
static int find(Finder *f, int first, double span) {
    const Node *from = beginning(f->trail, first), *n = &f->trail->node.data[first];
    if (!may_join(n) || !from) return first;
    for (;;) {
        int steps, last = reach(f, first, from->time, &steps);
        if (steps < LEAST_STEPS) break;
        if (f->stride.machine && f->stride.machine != n->kept->machine) {
            stride_close(&f->stride);
            f->stride.machine = NULL;
        }
        n->kept->machine->native = NULL;
        n->kept->machine->past = NULL;
        find_largest(f, first);
        kept_restore(n->kept);
        stride_ready(&f->stride, n->kept->machine, SOLVER_RK78, span);
        if (!serves(f, from, &f->trail->node.data[last], steps)) continue;
        join(f->trail, first, last);
        return last;
    }
    f->length *= 1.2; // what is too long here may not be further on
    return first;
}

void stretches_find(Trail *t, double rtol, double span) {
    Finder f = {.trail = t, .rtol = rtol};
    for (int i = 0; i < t->node.count; i++)
        if (t->node.data[i].kind == TRAIL_STEP) i = find(&f, i, span);
    if (f.stride.machine) stride_close(&f.stride);
    free(f.largest);
}

int stretch_first(const Trail *t, int last) {
    int first = last;
    if (!t->node.data[last].joined) return last;
    for (int i = trail_before(t, last); i >= 0 && t->node.data[i].passed; i = trail_before(t, i))
        first = i;
    return first;
}
