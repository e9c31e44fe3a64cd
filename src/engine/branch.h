// The branch of solutions on which the implicit blocks of a run are (branch.c).
#ifndef BONDYN_ENGINE_BRANCH_H
#define BONDYN_ENGINE_BRANCH_H

#include "engine/program.h"

void machine_open_branch(Machine *m); // from now on; nothing where no block can fold
void machine_close_branch(Machine *m);
// Needs: an accepted point. False: its blocks have no solution on the branch.
bool machine_keep_branch(Machine *m, double time, const double *state);
void machine_release_branch(Machine *m); // at events: what comes next may be anywhere
// As machine_derivative, on the branch; false with failed_block also where the branch ends before
// this point.
bool machine_branch_derivative(Machine *m, double time, const double *state, double *rate,
                               double *quad);
// For methods that lanes have, too, whose rates know of no branch: rates are found as without
// one (loose), and after each step machine_look_at_branch says whether it went beyond a fold.
void machine_loosen_branch(Machine *m, bool loose);
typedef enum {
    BRANCH_KEPT,
    BRANCH_STRAYED, // the branch goes on, but Newton's method went elsewhere in the step
    BRANCH_ENDS     // before the end of the step
} BranchLook;
BranchLook machine_look_at_branch(Machine *m, double time, const double *state);
void machine_return_to_branch(Machine *m); // to the accepted point, before a step is tried again
void machine_mark_branch(Machine *m);      // the way to a fold begins here
// A solution elsewhere, at a point where the branch has none; it is kept. Gives the block that
// jumps, or -1: there is none.
int machine_leave_branch(Machine *m, double time, const double *state);

#endif
