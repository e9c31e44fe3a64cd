// Peaks that lie between two wanted points: a ball is on the ground for a millisecond, and the next
// point is ten later.
//
//     wanted    |                                      |
//     steps     o------------o--.--.--o--.--.--o-------o     where no wanted point lies in a step, outputs are looked at
//                                                            inside of it, too, on the method's own polynomial
//
// Steps are as short as the solution needs, so they find what is narrower than the distance of
// points. Nothing that was only looked at leaves a trace.
#include "solve/job.h"

#include <string.h>

bool peaks_due(const Job *j, double from, double to) {
    return j->o->inside_step && j->at.time <= from && to - from > 4 * events_margin(j, to);
}

void peaks_look(Job *j, double from, double to, int parts, const StepInside *in) {
    const Program *p = j->p;
    double *unknown = j->m->reg + p->first_unknown, *state = j->later;
    if (!peaks_due(j, from, to)) return;
    int looks =
        job_wants(j, to + events_margin(j, to)) ? parts - 1 : parts; // or the end is a point
    long calls = j->m->calls;
    bool hold = j->m->hold;
    if (p->unknown_count) memcpy(j->unknown, unknown, p->unknown_count * sizeof *unknown);
    j->m->hold = true;
    for (int k = 1; k <= looks; k++) {
        double time = k < parts ? from + (to - from) * k / parts : to;
        if (k == parts)
            memcpy(state, in->end, (size_t)j->n * sizeof *state);
        else if (!in->at(in->context, time, false, state))
            continue;
        if (machine_outputs(j->m, time, state, j->peak))
            j->o->inside_step(j->o->context, time, j->peak);
    }
    j->m->hold = hold;
    j->m->calls = calls;
    if (p->unknown_count) memcpy(unknown, j->unknown, p->unknown_count * sizeof *unknown);
}
