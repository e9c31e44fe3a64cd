// partial(y, x): how y changes with the state x at the start, the other states held.
//
// y is an expression of states, time, parameters and of the unknowns u of implicit blocks, which
// follow the states as well. A block r(x, u) = 0 keeps holding, so along the change of x
//
//      J du/dx = - dr/dx          J = dr/du, with unknowns of earlier blocks moving as found
//
// is solved block by block; then dy/dx is taken with all these rates. Derivatives are symbolic,
// values those of the first point of the run.
#include "run/job.h"

#include "base/elimination.h"
#include <math.h>

// Rates of x (one) and of the unknowns of the first `blocks` blocks.
static Rates *rates_along(Job *j, Expr x, const double *rate, int blocks) {
    const System *s = j->system;
    Dag *d = dag_grow(s->dag);
    Rates *w = rates_new(d);
    rates_set(w, x, expr_number(d, 1));
    for (int b = 0, at = 0; b < blocks; b++)
        for (int i = 0; i < s->block[b].size; i++, at++)
            rates_set(w, s->block[b].unknown[i], expr_number(d, rate[at]));
    return w;
}

// Rates of the unknowns of block b, behind those of the blocks before it.
static bool block_rates(Job *j, Expr x, double *rate, int b, int first) {
    const Block *block = &j->system->block[b];
    int n = block->size;
    Arena tmp = {0};
    double *matrix = ARENA_ARRAY(&tmp, double, (size_t)n *(size_t)n);
    Rates *w = rates_along(j, x, rate, b);
    for (int i = 0; i < n; i++)
        rate[first + i] = -symbols_evaluate(&j->symbols, rates_of(w, block->residual[i]));
    const Sparse *m = &block->jacobian;
    for (int c = 0; c < n; c++)
        for (int k = m->start[c]; k < m->start[c + 1]; k++)
            matrix[(size_t)m->row[k] * (size_t)n + (size_t)c] =
                symbols_evaluate(&j->symbols, m->entry[k]);
    rates_free(w);
    bool good = elimination_solve(n, matrix, rate + first);
    arena_free(&tmp);
    return good;
}

static bool depends_on_blocks(const Job *j, Expr e) {
    const System *s = j->system;
    ExprWalk *walk = walk_new(s->dag);
    walk_start(walk);
    walk_add(walk, e);
    bool found = false;
    for (int b = 0; b < s->block_count && !found; b++)
        for (int i = 0; i < s->block[b].size && !found; i++)
            found = walk_seen(walk, s->block[b].unknown[i]);
    walk_free(walk);
    return found;
}

double partial_value(Job *j, const Probe *probe) {
    const System *s = j->system;
    Expr x = resolve(j->resolver, probe->by), y = resolve(j->resolver, probe->signal.what);
    int blocks = depends_on_blocks(j, y) ? s->block_count : 0, unknowns = 0;
    for (int b = 0; b < blocks; b++) unknowns += s->block[b].size;
    Arena tmp = {0};
    double *rate = ARENA_ARRAY(&tmp, double, unknowns);
    bool good = true;
    for (int b = 0, first = 0; b < blocks && good; first += s->block[b++].size)
        good = block_rates(j, x, rate, b, first);
    Rates *w = rates_along(j, x, rate, blocks);
    double value = good ? symbols_evaluate(&j->symbols, rates_of(w, y)) : NAN;
    rates_free(w);
    arena_free(&tmp);
    return value;
}
