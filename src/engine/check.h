// What a new program is looked over for, and the search for the origin of a value that is no
// number.
#ifndef BONDYN_ENGINE_CHECK_H
#define BONDYN_ENGINE_CHECK_H

#include "engine/program.h"

typedef struct {
    Expr node;        // the operation that had finite inputs and no finite result
    Expr input;       // the input to blame, 0 when it is none in particular
    double value;     // of that input
    const char *what; // "division by zero"
    Expr matrix;      // the function of matrices that has no value, or 0
    bool constant;    // free of time, states and unknowns
} Cause;

// Needs: a machine whose registers hold the point in question.
Cause machine_find_cause(const Machine *m, Expr bad);
void cause_print(Text *out, const Machine *m, const Cause *c);

// Constants, parameters, start values and constant parts of the rates are finite.
bool program_check(Program *p, Report *r);

#endif
