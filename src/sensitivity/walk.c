// What both ways along a trail share.
#include "sensitivity/walk_inside.h"

#include <math.h>
#include <string.h>

JumpLayout jump_layout(const WalkPlan *plan, const SolveMode *mode) {
    const SolveModes *m = plan->solve->modes;
    JumpLayout l = {.states = mode->state_count, .memory = m->memory->state_count};
    int impulses = mode->machine ? mode->machine->program->system->whens.impulse_count : 0;
    l.entries = l.states + l.memory + 2 * m->model->comp_count + impulses;
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

bool is_moving_end(const WalkPlan *plan, const Node *n) {
    return plan->ends_itself && n->kind == TRAIL_POINT && n->point == plan->trail->points - 1;
}

// Are two times of a run the same, but for how exactly a moment is found?
static bool is_same_time(const WalkPlan *plan, double a, double b) {
    double span = fabs(plan->solve->stop - plan->solve->start);
    double rtol = plan->solve->rtol > 0 ? plan->solve->rtol : 1e-6;
    return fabs(a - b) <= fmax(rtol, 1e-11) * (span + fabs(a));
}

int point_beside(const WalkPlan *plan, int at, int by) {
    const Trail *t = plan->trail;
    double time = t->node.data[at].time;
    for (int i = at + by; i >= 0 && i < t->node.count; i += by) {
        const Node *n = &t->node.data[i];
        if (!is_same_time(plan, n->time, time)) return -1;
        if (n->kind == TRAIL_POINT && n->used && !is_moving_end(plan, n)) return i;
    }
    return -1;
}

bool walk_meets_events(const WalkPlan *plan) {
    for (int i = 0; i < plan->trail->node.count; i++) {
        const Node *n = &plan->trail->node.data[i];
        if (n->rate_before && n->cause >= 0 &&
            (point_beside(plan, i, 1) >= 0 || point_beside(plan, i, -1) >= 0))
            return true;
    }
    return false;
}
