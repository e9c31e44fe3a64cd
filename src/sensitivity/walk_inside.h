// What both ways along a trail share; inside this folder.
#ifndef BONDYN_SENSITIVITY_WALK_INSIDE_H
#define BONDYN_SENSITIVITY_WALK_INSIDE_H

#include "sensitivity/walk.h"

// Where outputs of a jump's machine lie.
typedef struct {
    int states;  // of the mode
    int memory;  // states of the memory
    int entries; // the first entry of choices
} JumpLayout;

JumpLayout jump_layout(const WalkPlan *plan, const SolveMode *mode);
// Which result of a jump, or of the tape `choices`, is the state i of a set with the picks that the
// machine holds now; -1: the state belongs to no set. first: of the values of the first choice.
int chosen_column(const Machine *m, int state);
int choices_result(const Program *p, int column);                // of the tape `choices`
TapeFunction rates_tape(const WalkPlan *plan, const Program *p); // with integrals where wanted
bool refuse_walk(const WalkPlan *plan, const Node *n, const char *what, const char *help);
// Does all that happens here move with parameters as its cause does? False where the way back cannot
// tell. The machine holds what it held there.
bool happens_alone_back(const Node *n);
double relation_size(Machine *m, int relation); // of the terms that it is made of, where m is
// The last point of a run that the model ended.
bool is_moving_end(const WalkPlan *plan, const Node *n);
// The next used point at the moment of node `at`, forth or back (by = 1, -1); -1: none.
int point_beside(const WalkPlan *plan, int at, int by);
const Node *next_step(const WalkPlan *plan, int from); // before anything happens; NULL: none

#endif
