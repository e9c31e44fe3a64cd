// One pass over the nodes below an expression that gives each a new expression and remembers it:
// the loop behind substitution and derivatives. No recursion.
#ifndef BONDYN_EXPR_REWRITE_H
#define BONDYN_EXPR_REWRITE_H

#include "expr/internal.h"

typedef struct {
    Dag *dag;
    NodeMap result;
    Expr oldest; // symbols before this one are not touched, so nothing before it is
    ARRAY(Expr) stack;
    ARRAY(Expr) work;
} Pass;

void pass_init(Pass *p, Dag *d);
void pass_free(Pass *p);
void pass_set(Pass *p, Expr symbol, Expr value);

// Makes the results of all nodes below e and of e itself, by `rule` from the results of the
// arguments.
void pass_run(Pass *p, Expr e, Expr (*rule)(Pass *p, Expr e));

// derivative.c: the rate of the last of some nodes when a symbol changes at the rate 1. The nodes
// are all below it that depend on the symbol, arguments first; only: per node its only argument
// among them and the symbol, 0 when it has several. Leaves the pass empty.
Expr rate_along(Pass *p, Expr symbol, const Expr *node, const Expr *only, int n);

#endif
