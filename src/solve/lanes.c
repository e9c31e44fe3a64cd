// Several runs at once, one per SIMD lane: which can, and how each method takes them.
#include "solve/lanes.h"

const char *solve_lanes_obstacle(const Program *p, const SolveOptions *o) {
    if (!solver_has_lanes(o->method)) return "the method is not euler, heun, rk4 or rk78";
    if (o->modes) return "laws switch";
    for (int i = 0; i < p->system->model->when_count; i++)
        if (p->system->model->when[i].ends) return "the model ends runs (terminate)";
    if (p->system->whens.delay_count) return "it remembers what was (delay)";
    if (p->state_count + p->quad_count == 0) return "there is nothing to integrate";
    return lanes_obstacle(p);
}

unsigned lanes_changed(LaneMachine *x, const double *time, const double *y,
                       double *event_function) {
    const Program *p = x->program;
    unsigned changed = 0;
    if (p->switch_count == 0) return 0;
    changed = lanes_switches(x, time, y, event_function); // no value: the run alone looks closer
    for (int s = 0; s < p->switch_count; s++)
        for (int i = 0; i < x->lanes; i++) {
            int at = s * x->lanes + i;
            bool now = p->sw[s].or_equal ? event_function[at] <= 0 : event_function[at] < 0;
            if (event_function[at] != 0 && now != (x->truth[at] != 0)) changed |= 1u << i;
        }
    return changed;
}

// All stand on one grid: a group begins and ends together.
static void run_groups(const LaneQueue *q, SolveLane *lane, const Native *code) {
    int lanes = native_code(code)->lanes, most = q->at_once > 0 ? q->at_once : lanes;
    if (most > lanes) most = lanes;
    for (int count = 1; count; count = q->next(q->context, &lane[0])) {
        while (count < most && q->next(q->context, &lane[count])) count++;
        fixed_lanes(lane, count, code);
        for (int i = 0; i < count; i++) q->done(q->context, &lane[i]);
    }
}

void solve_lanes(const LaneQueue *q, const Native *code) {
    SolveLane lane[MOST_LANES] = {{0}};
    if (!q->next(q->context, &lane[0])) return;
    if (lane[0].options.method == SOLVER_RK78)
        rk78_lanes(q, lane, code);
    else
        run_groups(q, lane, code);
}
