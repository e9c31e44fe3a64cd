// A run that is advanced in pieces, with inputs that are held open and changed between them.
//
//     advance_to(t1) ----> t1   inputs, parameters, save, restore   advance_to(t2) ----> t2
//                          |
//        solver:  o--------|----o      the step goes on behind t1; what is wanted there is read off.
//                          '-> anew    Only if something has changed it starts anew, at t1.
//
// The solver is a coroutine that waits where a point is handed over. So pieces do not disturb it,
// and every method, event, sample and mode goes through the same code as in a run without pieces.
#ifndef BONDYN_RUN_ADVANCE_H
#define BONDYN_RUN_ADVANCE_H

#include "run/job.h"

typedef struct Advance Advance;

// At its start. NULL: it could not start. Nullable: o; what it points to, and the report, must
// outlive the run.
Advance *advance_new(const System *s, const RunOptions *o, Report *r);
void advance_free(Advance *a); // Nullable
const Run *advance_run(const Advance *a);

// False: reported; the run may have ended. A time before the present one, or after the stop, is
// refused.
bool advance_to(Advance *a, double time);
void advance_pause(Advance *a); // from any thread: it waits at the next point that is recorded
bool advance_ended(const Advance *a); // at the stop, or by a failure
double advance_time(const Advance *a);
double advance_value(const Advance *a, int track);             // SI, at the present time
double advance_watched(const Advance *a, int i);               // of RunOptions.watch, likewise
int advance_states(const Advance *a, const double **x);        // how many
bool advance_set_input(Advance *a, int var, double value);     // SI; false: it is not open
bool advance_set_parameter(Advance *a, int var, double value); // false: not while it runs
const Track *advance_tracks(const Advance *a, int *count);     // of the columns and more

// Back to the start, or to what was saved: from then on nothing is recorded or judged.
bool advance_reset(Advance *a);
size_t advance_save(Advance *a, void *to); // NULL: its size
// False: too short. Whether it fits is seen when the run goes on.
bool advance_restore(Advance *a, const void *from, size_t size);

#endif
