// Expressions taken apart as linear forms, term by term, so that a sum of n terms costs n.
#ifndef BONDYN_EQUATIONS_LINEAR_H
#define BONDYN_EQUATIONS_LINEAR_H

#include "equations/work.h"

typedef struct {
    int quantity;
    Expr coefficient;
} Term;

typedef ARRAY(Term) Terms;

// residual = sum of coefficient*quantity + rest, over the quantities whose place is >= 0, with
// coefficients and rest free of them. False when it is not linear in all of them together.
bool linear_form(Work *w, Expr residual, Terms *terms, Expr *rest);

bool quantity_has_place(const void *work, int quantity);

// Derivatives of a residual by all its quantities that `wanted` accepts.
void slopes(Work *w, Expr residual, bool (*wanted)(const void *context, int quantity),
            const void *context, Terms *terms);

#endif
