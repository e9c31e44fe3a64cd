// Functions that are not Bondyn's own: C of a user, equations of a foreign unit. To the expression
// graph and the tape they are functions of matrices (MATRIX_EXTERNAL): numbers in, numbers out.
//
//     out = f(in)        rate:  d out = f'(in) d in,   a function of (in, d in)
//
// Who brings no rate gets one by central differences, and that one has a rate by differences, too.
#ifndef BONDYN_NUMERIC_EXTERNAL_H
#define BONDYN_NUMERIC_EXTERNAL_H

#include "base/arena.h"
#include "base/text.h"
#include <stdbool.h>

typedef struct External External;
struct External {
    const char *name; // as the model calls it
    int inputs, outputs;
    bool impure;          // a call does something: it is not made ahead of its time
    const External *rate; // Nullable: there is none
    // False: it failed; then `explain` says why, and what to do.
    bool (*compute)(const External *e, const double *in, double *out);
    void (*explain)(const External *e, const double *in, Text *what, Text *help);
    void *context;
    const External *of; // of a function made by differences: which one it is the rate of
};

// The rate of e by differences, with a rate of its own; lives in `out`.
const External *external_differences(Arena *out, const External *e);

#endif
