// All that a run remembers, to go on from there later.
//
//     mode | point | time, method, counts | machine | `when` | sizes | the past | laws that switch
//
// One walk serves both ways: it passes every piece to a function that copies it out, or back in.
// The memory of integrators is not among them: where a run was saved it starts anew, and so does
// one that goes on from there.
#include "solve/job.h"

#include <string.h>

typedef struct {
    char *to;         // NULL: only counted
    const char *from; // NULL: nothing is put back
    size_t done, size;
    bool good;
} Pipe;

static void pass(void *context, void *data, size_t size) {
    Pipe *p = context;
    if (p->from && (!p->good || size > p->size - p->done)) {
        p->good = false;
        return;
    }
    if (p->to && size) memcpy(p->to + p->done, data, size);
    if (p->from && size) memcpy(data, p->from + p->done, size);
    p->done += size;
}

#define PASS(p, what)           pass(p, &(what), sizeof(what))
#define PASS_LIST(p, at, count) pass(p, at, (size_t)(count) * sizeof *(at))

static void pass_counts(Job *j, Pipe *p) {
    PASS(p, j->time);
    PASS(p, j->stats->method);
    PASS(p, j->choice);
    PASS(p, j->polls);
    PASS(p, j->step);
    PASS(p, j->folds);
    PASS(p, j->last_switch);
    PASS(p, j->own_jump);
    PASS_LIST(p, j->quad, j->nq);
    PASS_LIST(p, j->shift, j->p->switch_count);
}

static void pass_whens(Job *j, Pipe *p) {
    const Whens *w = &j->p->system->whens;
    PASS(p, j->when.begun);
    PASS(p, j->when.turn);
    PASS(p, j->when.last);
    PASS_LIST(p, j->when.was, w->branch_count);
    PASS_LIST(p, j->when.gaps, w->branch_count);
    PASS_LIST(p, j->when.next, w->sample_count);
    PASS_LIST(p, j->when.sample, 2 * w->sample_count);
}

static void pass_sizes(Job *j, Pipe *p) {
    Sizes *s = &j->sizes;
    PASS_LIST(p, s->space, 15 * j->n + 5 * j->nq + 4 * s->unknown_count);
    PASS(p, s->energy);
    PASS(p, s->step);
    PASS(p, s->countdown);
    PASS(p, s->between);
    PASS(p, s->until_rounding);
    if (j->known_sizes) PASS_LIST(p, j->known_sizes, 2 * j->p->system->model->var_count);
}

static void pass_mode(Job *j, Pipe *p) {
    if (!has_modes(j)) return;
    const Model *m = j->o->modes->model;
    PASS_LIST(p, j->modes.mode, m->choice_count);
    for (int c = 0; p->from && p->good && c < m->choice_count; c++)
        p->good = j->modes.mode[c] >= 0 && j->modes.mode[c] < m->choice[c].mode_count;
    if (p->from && p->good) p->good = modes_go_on(j);
    PASS_LIST(p, j->modes.gaps, m->choice_count);
    PASS(p, j->modes.last);
}

static void pass_all(Job *j, Pipe *p) {
    pass_mode(j, p);
    if (!p->good) return;
    int n = j->n;
    PASS(p, n);
    p->good = p->good && n == j->n;
    if (p->from)
        PASS_LIST(p, j->state, n);
    else
        PASS_LIST(p, (double *)j->at.state, n);
    pass_counts(j, p);
    machine_pass(j->m, pass, p);
    pass_whens(j, p);
    pass_sizes(j, p);
    history_pass(j, pass, p);
}

// The point that is saved is the one that was handed over last.
size_t solve_save(struct SolveJob *j, void *to) {
    Pipe p = {.to = to, .good = true};
    double time = j->time, *quad = j->quad;
    j->time = j->at.time;
    j->quad = (double *)j->at.quad;
    pass_all(j, &p);
    j->time = time;
    j->quad = quad;
    return p.done;
}

bool saved_load(Job *j) {
    Pipe p = {.from = j->o->from, .size = j->o->from_size, .good = true};
    pass_all(j, &p);
    if (p.good && p.done == p.size) return true;
    Remark *m = report_error(j->r, S_BAD_OPTION, POS_NONE, "what was saved is not of such a run");
    remark_help(j->r, m, "restore into a run of the same model with the same options");
    j->status = SOLVE_REFUSED;
    return false;
}
