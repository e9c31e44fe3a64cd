// What elimination left of a block, and how it goes on; inside this folder.
#ifndef BONDYN_EQUATIONS_CORE_H
#define BONDYN_EQUATIONS_CORE_H

#include "equations/eliminate.h"

typedef struct {
    Elimination *e;
    ARRAY(int) rows, cols; // of the elimination
    int *quantities, *rules;
    Expr *residual; // in symbols of the core's unknowns and of what is known
    bool linear;
} Core;

// block.c
bool refuse_large(Elimination *e, int size); // false, and reported: too many unknowns
void core_note(const Core *c, const int *left, int n, bool implicit);
// tear.c: needs the residuals of a core that is not linear.
bool solve_by_tearing(Core *c);

#endif
