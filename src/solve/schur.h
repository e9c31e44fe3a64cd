// d rate / d state through blocks, in numbers (schur.c).
#ifndef BONDYN_SOLVE_SCHUR_H
#define BONDYN_SOLVE_SCHUR_H

#include "engine/program.h"

typedef struct Schur Schur;

Schur *schur_new(const Program *p); // needs a program with the system left implicit
void schur_free(Schur *s);
// Entries in the pattern of d rate / d state; false: a block has no solution here.
bool schur_at(Schur *s, Machine *m, double time, const double *state, double *nonzero);

#endif
