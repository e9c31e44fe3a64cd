// What both ways along a trail share.
#include "sensitivity/walk_inside.h"

#include <math.h>
#include <string.h>

JumpLayout jump_layout(const WalkPlan *plan, const SolveMode *mode) {
    const SolveModes *m = plan->solve->modes;
    JumpLayout l = {.states = mode->state_count, .memory = m->memory->state_count};
    int strikes = mode->machine ? mode->machine->program->system->whens.strike_count : 0;
    l.entries = l.states + l.memory + 2 * m->model->comp_count + strikes;
    return l;
}

int chosen_column(const Machine *m, int state) {
    const Program *p = m->program;
    const System *s = p->system;
    for (int k = 0; k < s->set_count; k++) {
        int row = state - s->set[k].first_state;
        if (row < 0 || row >= s->set[k].free) continue;
        const double *pick = m->reg + p->first_held + p->first_pick[k] + row * s->set[k].count;
        for (int c = 0, at = 0; c < s->choice_count; at += s->choice[c++].columns)
            for (int i = 0; i < s->choice[c].columns; i++)
                if (s->choice[c].set[i] == k && pick[s->choice[c].place[i]] != 0) return at + i;
    }
    return -1;
}

int choices_result(const Program *p, int column) {
    const System *s = p->system;
    int at = 0;
    for (int c = 0; c < s->choice_count; c++) {
        if (column < s->choice[c].columns) return at + column;
        column -= s->choice[c].columns;
        at += s->choice[c].columns * (1 + s->choice[c].rows);
    }
    return -1;
}

TapeFunction rates_tape(const WalkPlan *plan, const Program *p) {
    TapeFunction f = p->derivative;
    if (plan->quads) return f;
    f.count = p->rate_code;
    f.result_count = p->state_count;
    return f;
}

bool refuse_walk(const WalkPlan *plan, const Node *n, const char *what, const char *help) {
    Remark *m =
        report_error(plan->report, O_NO_SLOPE, plan->solve->pos, "at t = %g s %s", n->time, what);
    remark_help(plan->report, m, "%s", help);
    return false;
}

const Node *next_step(const WalkPlan *plan, int from) {
    const Trail *t = plan->trail;
    for (int i = from; i < t->node.count; i++) {
        if (t->node.data[i].kind == TRAIL_STEP) return &t->node.data[i];
        if (t->node.data[i].kind != TRAIL_POINT) return NULL;
    }
    return NULL;
}

// --- how many strides ----------------------------------------------------------------------------

// How far from the run's own point, in tolerances.
static double distance(const Stride *s, const double *to, const double *x, double rtol) {
    double sum = 0;
    for (int i = 0; i < s->n; i++) {
        double size = fmax(fabs(to[i]), fmax(fabs(x[i]), 1e-6 * fabs(s->k[i]) * s->h)) + 1e-300;
        double off = fmin(fabs(s->end[i] - to[i]) / (rtol * size), 1e100);
        sum += off * off;
    }
    return s->n ? sqrt(sum / s->n) : 0;
}

static double distance_with(Stride *s, int parts, const Node *to, double t, const double *x,
                            double rtol) {
    double h = (to->time - t) / parts;
    double *at = s->at;
    memcpy(at, x, (size_t)s->n * sizeof *at);
    for (int i = 0; i < parts; i++) {
        if (!stride_take(s, t + i * h, h, at, parts == 1 ? to->state : NULL)) return INFINITY;
        memcpy(at, s->end, (size_t)s->n * sizeof *at);
    }
    return distance(s, to->state, x, rtol);
}

// A distance that more strides do not change is the error of the run itself.
int divide_step(Stride *s, const Node *to, double t, const double *x, double rtol) {
    enum { MOST = 16 };
    int parts = 1;
    double off = distance_with(s, 1, to, t, x, rtol);
    while (parts < MOST && !(off < 1)) {
        double less = distance_with(s, 2 * parts, to, t, x, rtol);
        if (!(less < off / 2)) break;
        parts *= 2;
        off = less;
    }
    return isfinite(off) ? parts : 0;
}
