// Modes of a model whose laws switch, compiled when a run first meets them (modes.c).
#ifndef BONDYN_RUN_MODES_H
#define BONDYN_RUN_MODES_H

#include "run/job.h"

typedef struct ModeStore ModeStore; // compiled modes, for runs with the same options
ModeStore *mode_store_new(const Model *m);
void mode_store_free(ModeStore *x);
void mode_store_rest(ModeStore *x); // ends compilers that are still at work
const Memory *mode_store_memory(const ModeStore *x);

typedef struct Modes Modes;                    // of one run
Modes *modes_new(Job *j, ModeStore *store);    // once all outputs and integrals are wanted
void modes_change_params(Modes *x);            // those of the job are others now
void modes_free(Modes *x);                     // before the store
const SolveModes *modes_solve(const Modes *x); // NULL of NULL

typedef struct {     // what is compiled for a mode
    const int *mode; // per choice: the first of those that it serves
    const System *system;
    const Program *program; // NULL for an instant
    const Program *jump;    // into it
    // per unknown of their loops: which item of the memory it begins at; -1: none
    const int *begin, *jump_begin;
} ModeProgram;
bool modes_program(Modes *x, const int *mode, ModeProgram *out); // false: it has no solution
const int *mode_store_kin(const ModeStore *x);                   // see kin.h
ProgramOptions modes_options(Job *j, Arena *out, const System *s, const Memory *memory);

#endif
