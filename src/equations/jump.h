// Entering a mode. When laws switch (a clutch closes, a diode blocks), the storages may have to
// jump, by impulses through the new constraints:
//
//     w1 = 5, w2 = 1, open       closed: w1 = w2, dp1 = -impulse, dp2 = +impulse
//                                p1 = I1 w, p2 = I2 w, p1 + p2 as before
//
// A jump is a small system of its own, solved in closed form wherever the model's equations are:
// what the variables were before -> what they are after.
//
//   finite      quantities that constraints tie together: they have values after the jump, and the
//               constraints hold for these
//   impulsive   all others: their impulses fulfil the remaining equations, of which only the
//               part that is linear in what may be infinite counts. x after = x before + the
//               impulse of der(x)
#ifndef BONDYN_EQUATIONS_JUMP_H
#define BONDYN_EQUATIONS_JUMP_H

#include "equations/system.h"

typedef struct Memory { // what must be known from before; the same for all modes of a model
    int count;
    int state_count; // the first ones are the variables with derivatives
    Expr *what;      // in the symbols of the model
    Expr *symbol;    // stands for its value before
    int *var;        // its variable, or -1: what stands in a pre()
    int *item;       // per variable: its place here, or -1
} Memory;

Memory *memory_build(Arena *out, const Model *m);

typedef struct Jump {
    System *system; // has the memory as states, which do not move
    Expr *after;    // per state of the mode, then per state of the memory: its value after
    Expr *work; // per component: energy that impulses bring into it by its ports; then of each by
                // its drives
    Expr *impulse; // per impulse of Whens: impulse of the relation's left side less its right side
    Expr *entry;   // per column of each Choice of the mode, one after the other: its value after
    int after_count, work_count, impulse_count, entry_count;
} Jump;

// As equations_build, for a mode that is entered during a run: states have no start values, but
// there is a jump. The model is the one in which the laws of the mode stand.
System *equations_build_mode(Arena *out, const Model *m, const Graph *g, const Memory *memory,
                             Jump *jump, Report *r);

#endif
