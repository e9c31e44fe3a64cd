// See edge.h.
#include "sensitivity/edge.h"

#include "base/memory.h"
#include "engine/slopes.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 36, COUNTED = 24, MOST_BETWEEN = 64 };

typedef struct {
    Machine *machine; // looked at last; NULL: none
    const Kept *kept;
    double fastest, length; // there; the longest step that was judged by it
    int steps, between;     // since the last look; until the next one
    double *nonzero;        // room: entries of the Jacobian, two vectors
    Dots *dots;             // where it is no formula
} Look;

#define FINEST 1e-8 // tolerance for motions that may rest
enum { MOST_STRIDES = 64 };

// Of exp(z) the method of order 8 keeps all but 3.1e-8 |z|^10, up to |z| = 3; that of order 5 all but 2.8e-4 |z|^6.
double edge_reach(double tolerance) { return fmin(pow(tolerance / 3.1e-8, 0.1), 3); }

static double reach_of_five(double tolerance) { return pow(tolerance / 2.8e-4, 1.0 / 6); }

int edge_strides(const Node *n, double h, double rtol) {
    double parts = n->method == SOLVER_RK78 ? h * n->fastest / edge_reach(fmax(rtol, FINEST)) : 1;
    return parts > 1 ? (int)ceil(fmin(parts, MOST_STRIDES)) : 1;
}

// h r beyond which a method is surely unstable, or would need too many strides; 0: it is implicit. A run that moves comes near
// its edge, and its own error keeps it there.
static double edge_of(SolverKind method, double rtol) {
    switch (method) {
    case SOLVER_EULER:
    case SOLVER_HEUN: return 2.5;
    case SOLVER_RK4: return 3.5;
    case SOLVER_RK78:
    case SOLVER_CVODE_ADAMS: return MOST_STRIDES * edge_reach(fmax(rtol, FINEST));
    default: return 0;
    }
}

static SolverKind method_for(const Node *n, double z, double rtol) {
    if (z > edge_of(n->method, rtol)) return SOLVER_CVODE_BDF;
    bool five = n->method == SOLVER_CVODE_ADAMS && z > reach_of_five(fmax(rtol, FINEST));
    return five ? SOLVER_RK78 : n->method;
}

static void close_look(Look *l) {
    free(l->nonzero);
    dots_free(l->dots);
    l->nonzero = NULL;
    l->dots = NULL;
}

static void open_look(Look *l, Machine *m) {
    const Program *p = m->program;
    close_look(l);
    l->machine = m;
    m->native = NULL;
    m->past = NULL;
    size_t room = 2 * (size_t)p->state_count + (size_t)p->nonzero_count + 1;
    l->nonzero = memory_zeroed(room, sizeof *l->nonzero);
    if (!p->has_jacobian) l->dots = dots_new(m, 1);
}

static bool times_jacobian(Look *l, double t, const double *state, const double *x, double *to) {
    const Program *p = l->machine->program;
    if (!l->dots) {
        memset(to, 0, (size_t)p->state_count * sizeof *to);
        for (int c = 0; c < p->state_count; c++)
            for (int k = p->column_start[c]; k < p->column_start[c + 1]; k++)
                to[p->row[k]] += l->nonzero[k] * x[c];
        return true;
    }
    machine_set_point(l->machine, t, state);
    memcpy(dots_of(l->dots, p->first_state), x, (size_t)p->state_count * sizeof *x);
    TapeFunction rates = p->derivative;
    rates.count = p->rate_code;
    if (!dots_run(l->dots, &rates)) return false;
    for (int i = 0; i < p->state_count; i++) to[i] = *dots_of(l->dots, rates.result[i]);
    return true;
}

static double length_of(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

// The spectral radius by power iteration: growth per round over the last rounds, in the mean. States have
// units, so that single rounds say nothing.
static double find_fastest(Look *l, double t, const double *state) {
    const Program *p = l->machine->program;
    int n = p->state_count;
    double *x = l->nonzero + p->nonzero_count, *next = x + n, logs = 0;
    if (!l->dots && !machine_jacobian(l->machine, t, state, l->nonzero)) return 0;
    for (int i = 0; i < n; i++) x[i] = 1 + (double)(i * 7 % 11) / 11;
    double was = length_of(x, n);
    for (int round = 0; round < ROUNDS; round++) {
        if (!(was > DBL_MIN) || !isfinite(was)) return 0;
        for (int i = 0; i < n; i++) x[i] /= was;
        if (!times_jacobian(l, t, state, x, next)) return 0;
        memcpy(x, next, (size_t)n * sizeof *x);
        was = length_of(x, n);
        if (round >= ROUNDS - COUNTED) logs += log(fmax(was, DBL_MIN));
    }
    return isfinite(logs) ? exp(logs / COUNTED) : 0;
}

// At every other, every fourth ... step, and where something has happened or steps are longer.
static void look(Look *l, const Node *n, double h) {
    bool anew = n->kept->machine != l->machine;
    if (anew) open_look(l, n->kept->machine);
    bool changed = anew || n->kept != l->kept;
    if (!changed && ++l->steps < l->between && h <= 1.3 * l->length) return;
    l->between = changed ? 1 : l->between < MOST_BETWEEN ? 2 * l->between : MOST_BETWEEN;
    l->steps = 0;
    l->length = h;
    l->kept = n->kept;
    kept_restore(n->kept);
    l->fastest = find_fastest(l, n->time, n->state);
}

void edge_mend(Trail *t, double rtol) {
    Look l = {0};
    double before = t->node.count ? t->node.data[0].time : 0;
    int first = 0; // of the points of the present step
    for (int i = 0; i < t->node.count; i++) {
        Node *n = &t->node.data[i];
        if (n->kind == TRAIL_POINT) continue;
        double h = n->time - before, edge = edge_of(n->method, rtol);
        if (n->kind == TRAIL_STEP && h > 0 && edge > 0 && n->kept->machine->program->state_count) {
            look(&l, n, h);
            SolverKind method = method_for(n, h * l.fastest, rtol);
            for (int k = first; k <= i; k++) {
                t->node.data[k].fastest = l.fastest;
                t->node.data[k].method = method;
            }
        }
        before = n->time;
        first = i + 1;
    }
    close_look(&l);
}
