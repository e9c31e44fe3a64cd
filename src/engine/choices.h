// States that are chosen during a run, inside the machine.
#ifndef BONDYN_ENGINE_CHOICES_H
#define BONDYN_ENGINE_CHOICES_H

#include "engine/program.h"

void choices_open(Machine *m);                                   // memory
void choices_pass(Machine *m, MachinePass *pass, void *context); // see machine_pass
bool choices_start(Machine *m); // the first choice; needs time and parameters. False: look at
                                // failed_block and failed_choice

// machine.c: a function at the point as it stands.
bool machine_run(Machine *m, const TapeFunction *f, double *result);

#endif
