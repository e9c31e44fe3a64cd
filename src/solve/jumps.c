// Velocities that jump because what prescribes them does: `driven by` a motion whose rate is
// another one from a moment on, a source of flow on a storage. The states that are integrated do
// not jump with it; the energy of the storage does, and that is the work of an impulse.
//
//     outputs with the switches as they were | outputs as they are from here on
//                                      both at the same time and state
//
// Where a mechanism is held, its velocities are what is integrated, projected on what holds it.
// Projected for good they begin the next step without a rest that would have to die out.
#include "solve/job.h"

#include "base/memory.h"
#include <string.h>

static void take_side(Job *j, double time, const double *state, double *output) {
    bool hold = j->m->hold;
    size_t size = j->o->only_watches ? j->p->unknown_count * sizeof(double) : 0;
    double *unknown = j->m->reg + j->p->first_unknown;
    if (size) memcpy(j->unknown, unknown, size);
    j->m->hold = true;
    if (!machine_outputs(j->m, time, state, output))
        for (int i = 0; i < j->p->output_count; i++) output[i] = (double)NAN;
    j->m->hold = hold;
    if (size) memcpy(unknown, j->unknown, size);
}

double *jumps_before(Job *j, double time, const double *state) {
    if (!j->o->jump) return NULL;
    double *sides = memory_zeroed(2 * (size_t)j->p->output_count, sizeof *sides);
    take_side(j, time, state, sides);
    return sides;
}

void jumps_after(Job *j, double time, double *state, double *sides) {
    if (!sides) return;
    const SolveOptions *o = j->o;
    double *after = sides + j->p->output_count;
    take_side(j, time, state, after);
    if (o->settle_count) job_mark(j, TRAIL_SETTLED, time, state);
    for (int k = 0; k < o->settle_count; k++)
        for (int i = 0; i < j->n; i++)
            if (j->p->system->state_var[i] == o->settle_var[k] &&
                isfinite(after[o->settle_output[k]]))
                state[i] = after[o->settle_output[k]];
    o->jump(o->context, time, sides, after);
    free(sides);
}
