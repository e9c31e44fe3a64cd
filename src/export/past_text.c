// Delayed signals, as C: what is delayed by which time, and how much room the past needs. The memory of a run is known
// beforehand: points of the grid over the longest delay, and as many again for events.
#include "export/writing.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST_POINTS = 256, MOST_POINTS = 10000000 };

bool has_past(const Writing *w) { return w->p->system->whens.delay_count > 0; }

// The longest delay at the start, by its bound.
static double longest_delay(const Writing *w) {
    const Program *p = w->p;
    int n = p->system->whens.delay_count;
    double longest = 0;
    Arena tmp = {0};
    double *state = ARENA_ARRAY(&tmp, double, p->state_count + 1);
    double *time = ARENA_ARRAY(&tmp, double, 2 * n);
    Machine *m = machine_new(p);
    machine_set_params(m, job_parameters(w->job, p));
    machine_initial(m, w->job->plan.start, state);
    machine_set_point(m, w->job->plan.start, state);
    machine_delay_times(m, time);
    for (int d = 0; d < n; d++) longest = fmax(longest, time[2 * d + 1]);
    machine_free(m);
    arena_free(&tmp);
    return longest;
}

long past_room(const Writing *w) {
    double span = w->job->plan.stop - w->job->plan.start;
    double points = ceil(fmin(longest_delay(w), span) / export_step(w->job));
    return FEWEST_POINTS + 2 * (long)(points < MOST_POINTS ? points : MOST_POINTS);
}

void export_past(const Writing *w, Text *o) {
    const Whens *n = &w->p->system->whens;
    const Delay *delay = w->p->system->model->delay;
    text_add(o,
             "\n// held: its place among held values; before: what was before the start is known\n"
             "static const struct {\n    int held, fixed, before;\n} model_delay_of[] = {\n");
    for (int d = 0; d < n->delay_count; d++)
        text_printf(o, "    {%d, %d, %d},\n", n->delay[d], delay[d].fixed, delay[d].before != 0);
    text_add(o, "};\n");
}
