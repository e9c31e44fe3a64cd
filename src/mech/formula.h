// Formulas as text of the language, with units. The expression graph knows none: a number that was
// 9.81 {m/s2} is 9.81 in it. What a term lacks is found from the units of its symbols:
//
//     9.81*L*m2*sin(q) as a torque    ->    9.81 {m/s2}*L*m2*sin(q)
#ifndef BONDYN_MECH_FORMULA_H
#define BONDYN_MECH_FORMULA_H

#include "base/arena.h"
#include "expr/expr.h"
#include "lang/units.h"

typedef struct {
    const Dag *d;
    const char **name; // of symbols, by index
    Dim *dim;          // of symbols, by index; unknown counts as 1
    ExprWalk *walk;
    Arena *scratch;
} Formulas;

Dim formula_dim(const Formulas *f, Expr e, bool *good); // not good: terms of different kinds
void formula_print(Text *out, const Formulas *f, Expr e, Dim dim);

#endif
