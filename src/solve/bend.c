// Events behind which the method goes on as if nothing had been: laws that bend there only
// slightly.
//
//     rates      .' old law        Two formulas often meet smoothly: the capacity of a junction, a
//             __o---- new law      transistor that begins to conduct. What a new start costs (order
//           /   |     |            one, steps that grow again, sizes found anew) buys nothing there.
//              event  end of step
//
// The step has been done by the old law up to its end. If old and new rates, at the event and at
// the end of the step, differ by less than a part of the tolerance over the whole step, then that
// end is as good as one by the new law, and so are the points that the method remembers. States,
// discrete values and the event functions of time have to be what they were.
#include "solve/multistep.h"

#include "base/memory.h"
#include "base/numbers.h"
#include <math.h>
#include <string.h>

static const double slight = 0.25; // of the tolerance

static size_t width(const Job *j) { return (size_t)j->n + (size_t)j->nq; }

void bend_open(Multistep *c) {
    Job *j = c->j;
    if (j->p->switch_count) c->bend = memory_zeroed(2 * width(j) + (size_t)j->n, sizeof *c->bend);
}

// Rates and integrands, without a trace in the machine.
static bool rates(Multistep *c, double t, const double *state, double *to) {
    Job *j = c->j;
    const Program *p = j->p;
    double *unknown = j->m->reg + p->first_unknown;
    long count = j->m->calls;
    if (p->unknown_count) memcpy(j->unknown, unknown, p->unknown_count * sizeof *unknown);
    bool good = machine_derivative(j->m, t, state, to, j->nq ? to + j->n : NULL);
    if (p->unknown_count) memcpy(unknown, j->unknown, p->unknown_count * sizeof *unknown);
    j->m->calls = count;
    return good;
}

static bool may_go_on(const Multistep *c) {
    const Job *j = c->j;
    return c->bend && j->n && !c->unknowns && !has_whens(j) && !has_modes(j) && !j->history &&
           !j->o->trail && !j->o->settle_count && j->p->system->choice_count == 0;
}

static bool has_pieces(const Multistep *c) {
    for (int i = 0; i < c->j->p->switch_count; i++)
        if (c->crossed[i] && switch_has_pieces(&c->j->p->sw[i])) return true;
    return false;
}

// Rates at the event, then at the end of the step.
static bool both(Multistep *c, double *to) {
    double end, step;
    c->how->where(c, &end, &step);
    return rates(c, c->t, vector_data(c->y), to) && c->how->value(c, end) &&
           rates(c, end, vector_data(c->error), to + width(c->j));
}

bool bend_before(Multistep *c) {
    Job *j = c->j;
    if (!may_go_on(c) || has_pieces(c)) return false;
    memcpy(c->bend + 2 * width(j), vector_data(c->y), (size_t)j->n * sizeof(double));
    return both(c, c->bend);
}

// The largest change over the step, in tolerances.
static double largest(Multistep *c, const double *now) {
    const Job *j = c->j;
    const double *weight = vector_data(c->weight), *q = vector_data(c->q);
    double worst = 0, end, step;
    c->how->where(c, &end, &step);
    multistep_weights(c->y, c->weight, c);
    for (size_t k = 0; k < 2 * width(j); k++) {
        int i = (int)(k % width(j));
        double one = i < j->n
                         ? weight[i]
                         : 1 / (j->rtol * fabs(q[i - j->n]) + sizes_quad_tolerance(j, i - j->n));
        double change = fabs(now[k] - c->bend[k]) * one;
        if (!isfinite(change)) return INFINITY;
        worst = larger(worst, change);
    }
    return step * worst;
}

bool bend_is_slight(Multistep *c) {
    const Job *j = c->j;
    const double *was = c->bend + 2 * width(j);
    if (memcmp(was, vector_data(c->y), (size_t)j->n * sizeof(double)) != 0) return false;
    double *now = memory_zeroed(2 * width(j), sizeof *now);
    bool good = both(c, now) && largest(c, now) <= slight;
    free(now);
    return good;
}
