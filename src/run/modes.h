// Modes of a model whose laws switch, compiled when a run first meets them (modes.c).
#ifndef BONDYN_RUN_MODES_H
#define BONDYN_RUN_MODES_H

#include "run/job.h"

typedef struct Modes Modes;
Modes *modes_new(Job *j); // once all outputs and integrals are wanted
void modes_free(Modes *x);
const SolveModes *modes_solve(const Modes *x);
const Memory *modes_memory(const Modes *x);
ProgramWish modes_wish(Job *j, Arena *out, const System *s, const Memory *memory);

#endif
