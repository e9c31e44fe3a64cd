// Values at the very moment of an event. Where a parameter moves the moment, a number that is taken there
// comes from before it or from after it: it has a derivative only if both sides have the same value and
// the same slope.
#include "sensitivity/walk_forth.h"

#include "base/memory.h"
#include <math.h>

static int output_count(Walk *w) { return forth_here(w)->machine->program->output_count; }

// Outputs with their dots, by relations as they are held: value, then dots, output by output. NULL: none.
static double *look_at_side(Walk *w) {
    const Visited *v = forth_here(w);
    const TapeFunction *f = &v->machine->program->outputs;
    int count = output_count(w), size = w->all + 1;
    bool hold = v->machine->hold;
    v->machine->hold = true;
    forth_put_point(w);
    bool good = dots_run(v->dots, f);
    v->machine->hold = hold;
    if (!good) return NULL;
    double *side = memory_zeroed((size_t)count * (size_t)size + 1, sizeof *side);
    for (int i = 0; i < count; i++) {
        side[i * size] = v->machine->reg[f->result[i]];
        take_dots(w, side + i * size + 1, result_dots(v, f, i));
    }
    return side;
}

static bool differ(double a, double b, double besides) {
    return fabs(a - b) > 1e-6 * (fabs(a) + fabs(b) + besides);
}

bool sides_before(Walk *w, int at) {
    sides_forget(w);
    bool asked = w->visitor->event && w->plan->trail->node.data[at].asked;
    if (!w->visitor->kink && !asked) return true;
    if (point_beside(w->plan, at, 1) < 0 && point_beside(w->plan, at, -1) < 0 && !asked)
        return true;
    w->side = look_at_side(w);
    return w->side;
}

static void tell_points(Walk *w, int output, const bool *by) {
    const Trail *t = w->plan->trail;
    int at = (int)(w->began - t->node.data);
    for (int way = -1; way <= 1; way += 2)
        for (int i = at; (i = point_beside(w->plan, i, way)) >= 0;)
            w->visitor->kink(w->visitor->context, &t->node.data[i], output, by);
}

// Has an output a kink here, and by which parameters has it no derivative?
static void compare(Walk *w, int output, const double *before, const double *after, bool *by) {
    double span = fabs(w->plan->solve->stop - w->plan->solve->start), rate = 0;
    rate = fabs(before[w->all]) + fabs(after[w->all]);
    bool jump =
        fabs(after[0] - before[0]) > 1e-7 * (fabs(after[0]) + fabs(before[0]) + 1e-3 * span * rate);
    bool kink = jump || differ(before[w->all], after[w->all], 0);
    for (int j = 0; j < w->k; j++) {
        bool bends = jump || differ(before[1 + j], after[1 + j], rate * fabs(w->dtau[j]));
        by[j] = bends && event_moves(w, j);
    }
    if (kink) tell_points(w, output, by);
}

// Dots at the moment as it moves, in place of those at a fixed one.
static void tell_event(Walk *w, double *before, double *after) {
    double *side[2] = {before, after};
    int count = output_count(w), size = w->all + 1;
    const double *told[2] = {before, after};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < count; i++) {
            double *from = side[k] + i * size, *to = side[k] + i * (w->k + 1), rate = from[w->all];
            to[0] = from[0];
            for (int j = 0; j < w->k; j++) to[1 + j] = from[1 + j] + rate * w->dtau[j];
        }
    w->visitor->event(w->visitor->context, w->began, count, told);
}

bool sides_after(Walk *w) {
    if (!w->side) return true;
    int size = w->all + 1;
    double *moment = memory_zeroed((size_t)w->all + 1, sizeof *moment), *dtau = w->dtau;
    bool *by = memory_zeroed((size_t)w->k + 1, sizeof *by);
    for (int q = 0; q < w->n; q++) w->S[(q + 1) * w->all - 1] = w->rate[q];
    moment[w->all - 1] = 1; // a fixed moment, and the direction of time
    w->dtau = moment;
    double *after = look_at_side(w);
    w->dtau = dtau;
    for (int i = 0; after && w->visitor->kink && i < output_count(w); i++)
        compare(w, i, w->side + i * size, after + i * size, by);
    if (after && w->began->asked && w->visitor->event) tell_event(w, w->side, after);
    for (int q = 0; q < w->n; q++) w->S[(q + 1) * w->all - 1] = 0;
    bool good = after;
    free(after);
    free(moment);
    free(by);
    sides_forget(w);
    return good;
}

void sides_forget(Walk *w) {
    free(w->side);
    w->side = NULL;
}
