// Steps on the way back: strides transposed.
#include "sensitivity/walk_back.h"

#include "base/memory.h"
#include "sensitivity/cuts.h"
#include <string.h>

// --- steps ---------------------------------------------------------------------------------------

static Stride *stride_for(const Walk *w, Visited *v, SolverKind method) {
    stride_ready(&v->stride, v->machine, method, w->plan->solve->stop - w->plan->solve->start);
    return &v->stride;
}

static void seed_quads(Walk *w, const Program *p, double by) {
    for (int q = 0; q < p->quad_count && w->plan->quads; q++)
        w->seed[p->state_count + q] = by * w->visitor->quad_weight[q];
}

// X~ = J' k~, with the rates of a stage weighed by k~.
static bool stage_back(Walk *w, Visited *v, const Stride *s, int i, const double *k, bool quads,
                       double *X) {
    const Program *p = v->machine->program;
    for (int q = 0; q < s->n && k; q++) w->seed[q] = k[q];
    if (quads) seed_quads(w, p, s->h * s->scheme.b[i]);
    TapeFunction f = rates_tape(w->plan, p);
    if (!back_tape(w, v, &f, stride_time(s, i), s->X + i * s->n)) return false;
    back_take_states(v, X, false);
    *weight_of(v->weights, p->time) = 0;
    return true;
}

// k~ of a stage, from the lambda at the end and the X~ of the stages behind it.
static void weigh_stage(const Walk *w, const Stride *s, int i, const double *X, double *k) {
    for (int q = 0; q < s->n; q++) k[q] = s->h * s->scheme.b[i] * w->lambda[q];
    for (int j = i + 1; j < s->scheme.stages; j++) {
        double by = s->h * s->scheme.a[j][i];
        const double *from = X + j * s->n;
        for (int q = 0; q < s->n && by != 0; q++) k[q] += by * from[q];
    }
}

// All stages forth, each with its layer of values, then all of them back: each is run once.
static bool stages_forth(Walk *w, Visited *v, Stride *s, const double *x) {
    straight_begin(v->straight);
    for (int i = 0; i < s->scheme.stages; i++) {
        stride_point(s, i, x);
        machine_set_point(v->machine, stride_time(s, i), s->X + i * s->n);
        if (!straight_forth(v->straight, w->seed)) return false;
        memcpy(s->k + i * s->n, w->seed, (size_t)s->n * sizeof *s->k);
    }
    return true;
}

static void stages_back(Walk *w, Visited *v, Stride *s, double *k, double *X) {
    const Program *p = v->machine->program;
    size_t results = (size_t)rates_tape(w->plan, p).result_count;
    for (int i = s->scheme.stages - 1; i >= 0; i--) {
        weigh_stage(w, s, i, X, k);
        memset(w->seed, 0, results * sizeof *w->seed);
        memcpy(w->seed, k, (size_t)s->n * sizeof *k);
        seed_quads(w, p, s->h * s->scheme.b[i]);
        straight_back(v->straight, w->seed, v->weights);
        back_take_states(v, X + i * s->n, false);
        *weight_of(v->weights, p->time) = 0;
    }
    memset(w->seed, 0, results * sizeof *w->seed);
}

// ready: the stages have been gone forth with their layers.
static bool explicit_back(Walk *w, Visited *v, Stride *s, const double *x, bool ready, double *k,
                          double *X) {
    int n = s->n, stages = s->scheme.stages;
    if (v->straight) {
        if (!ready && !stages_forth(w, v, s, x)) return false;
        stages_back(w, v, s, k, X);
    } else {
        for (int i = stages - 1; i >= 0; i--) {
            weigh_stage(w, s, i, X, k);
            if (!stage_back(w, v, s, i, k, true, X + i * n)) return false;
        }
    }
    for (int i = 0; i < stages; i++)
        for (int q = 0; q < n; q++) w->lambda[q] += X[i * n + q];
    return true;
}

// M' k~ = h b lambda + h a' X~ of the integrals.
static bool implicit_back(Walk *w, Visited *v, const Stride *s, double *k, double *X) {
    int n = s->n, stages = s->scheme.stages;
    bool quads = w->plan->quads;
    memset(X, 0, (size_t)(n * stages) * sizeof *X);
    for (int i = 0; i < stages && quads; i++)
        if (!stage_back(w, v, s, i, NULL, true, X + i * n)) return false;
    for (int i = 0; i < stages; i++)
        for (int q = 0; q < n; q++) {
            k[i * n + q] = s->h * s->scheme.b[i] * w->lambda[q];
            for (int j = 0; j < stages; j++)
                k[i * n + q] += s->h * s->scheme.a[j][i] * X[j * n + q];
        }
    stride_solve(s, true, k);
    for (int i = 0; i < stages; i++)
        for (int q = 0; q < n; q++) w->lambda[q] += X[i * n + q];
    for (int i = 0; i < stages; i++) {
        if (!stage_back(w, v, s, i, k + i * n, false, X)) return false;
        for (int q = 0; q < n; q++) w->lambda[q] += X[q];
    }
    return true;
}

static bool stride_back(Walk *w, Visited *v, Stride *s, StepPart part, const double *x,
                        const double *guess, double *k) {
    double *X = k + (size_t)s->n * (size_t)s->scheme.stages;
    bool at_once = !s->scheme.implicit && v->straight;
    stride_aim(s, part.time, part.h);
    v->machine->side = part.side;
    if (!at_once && !stride_take(s, part.time, part.h, x, guess)) return false;
    return s->scheme.implicit ? implicit_back(w, v, s, k, X)
                              : explicit_back(w, v, s, x, false, k, X);
}

// A step that one stride serves, which is found out on the way forth that the way back needs anyway.
// *done: it was one.
static bool whole_back(Walk *w, Visited *v, Stride *s, Node *to, double time, const double *x,
                       bool *done) {
    double rtol = w->plan->solve->rtol > 0 ? w->plan->solve->rtol : 1e-6;
    *done = false;
    if (to->strides || s->scheme.implicit || !v->straight) return true;
    stride_aim(s, time, to->time - time);
    if (!stages_forth(w, v, s, x)) return true;
    stride_end(s, x);
    if (!cuts_whole(to, s, x, rtol)) return true;
    size_t size = (size_t)s->n * (size_t)s->scheme.stages;
    double *k = memory_zeroed(2 * size + 1, sizeof *k);
    *done = true;
    bool good = explicit_back(w, v, s, x, true, k, k + size);
    free(k);
    return good;
}

// From the point `to` back to `from`, in the strides that the way forth took.
bool back_step(Walk *w, Visited *v, Node *to, double time, const double *x) {
    Stride *s = stride_for(w, v, to->joined ? SOLVER_RK78 : to->method);
    double rtol = w->plan->solve->rtol > 0 ? w->plan->solve->rtol : 1e-6;
    bool done;
    if (!whole_back(w, v, s, to, time, x, &done)) return back_fail(w, to);
    if (done) return true;
    if (!cuts_make(w->plan->trail, to, s, time, x, rtol)) return back_fail(w, to);
    int parts = to->strides, n = s->n, stages = s->scheme.stages;
    size_t size = (size_t)n * (size_t)stages;
    double *k = memory_zeroed(2 * size + (size_t)parts * (size_t)n + 1, sizeof *k);
    double *at = k + 2 * size;
    memcpy(at, x, (size_t)n * sizeof *at);
    bool good = true;
    for (int i = 0; i < parts && good; i++) {
        StepPart next = cuts_part(to, i + 1 < parts ? i + 1 : i, time),
                 part = cuts_part(to, i, time);
        if (part.state) memcpy(at + i * n, part.state, (size_t)n * sizeof *at);
        if (i + 1 == parts || next.state) continue;
        good = stride_take(s, part.time, part.h, at + i * n, NULL);
        memcpy(at + (i + 1) * n, s->end, (size_t)n * sizeof *at);
    }
    for (int i = parts - 1; i >= 0 && good; i--)
        good = stride_back(w, v, s, cuts_part(to, i, time), at + i * n,
                           parts == 1 ? to->state : NULL, k);
    v->machine->side = NULL;
    free(k);
    return good || back_fail(w, to);
}
