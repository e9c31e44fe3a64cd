// Implicit blocks while a machine runs; inside this folder.
#ifndef BONDYN_ENGINE_BLOCK_RUN_H
#define BONDYN_ENGINE_BLOCK_RUN_H

#include "engine/program.h"

void block_run_open(Machine *m); // memory for all blocks
void block_run_close(Machine *m);
void block_run_forget(Machine *m);           // parameters changed: no factor holds any more
bool block_run(Machine *m, uint32_t number); // false: no solution
bool run_code(Machine *m, const Instruction *code, int count); // machine.c
BondynCall native_call(Machine *m);                            // the same

#endif
