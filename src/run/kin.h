// Modes of a choice that one program serves (kin.c).
#ifndef BONDYN_RUN_KIN_H
#define BONDYN_RUN_KIN_H

#include "lang/model.h"

// Per mode of the model: the number, in its choice, of the other mode whose program it shares; its
// own number if there is none.
int *kin_find(Arena *out, const Model *m);

// The law of either mode; the variable of the choice says which one holds. One of them has to be
// the first of the two.
Equation kin_law(Dag *d, const Model *m, const ModeChoice *c, int mode, int other, int k);

#endif
