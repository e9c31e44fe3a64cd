// Is e linear in a symbol x? Each node below e that depends on x becomes a pair
//
//     node = coefficient*x + rest        both free of x
//
// from the pairs of its arguments: sums add pairs, a product may have one such factor, an if may
// choose between two. Anything else makes e nonlinear. Two passes, for the coefficient and for the
// rest (e with x = 0), so that nothing is built when the answer is no.
#include "expr/rewrite.h"

// How the node depends on x when its arguments do so at most linearly.
typedef enum { FREE = 1, LINEAR, NONLINEAR } Dependence;

static Dependence dependence_in(const NodeMap *m, Expr e, Expr symbol) {
    return e < symbol ? FREE : (Dependence)map_get(m, e);
}

static Dependence node_dependence(const Dag *d, const NodeMap *m, Expr e, Expr symbol) {
    int linear = 0;
    Op op = op_of(d, e);
    for (int i = 0; i < count_of(d, e); i++) {
        Dependence arg = dependence_in(m, args_of(d, e)[i], symbol);
        if (arg == NONLINEAR) return NONLINEAR;
        if (arg == LINEAR && op == OP_IF && i == 0) return NONLINEAR;
        linear += arg == LINEAR;
    }
    if (linear == 0) return FREE;
    if (op == OP_SUM || op == OP_IF) return LINEAR;
    return op == OP_PRODUCT && linear == 1 ? LINEAR : NONLINEAR;
}

// Fills the dependence of e and all below that are not older than the symbol; stops at the first
// node that is nonlinear.
static Dependence dependence(const Dag *d, NodeMap *m, Expr e, Expr symbol) {
    ARRAY(Expr) stack = {0};
    Dependence last = dependence_in(m, e, symbol);
    if (!last) array_push(&stack, e);
    while (stack.count) {
        Expr top = array_last(&stack);
        int before = stack.count;
        for (int i = count_of(d, top) - 1; i >= 0; i--) {
            Expr arg = args_of(d, top)[i];
            if (!dependence_in(m, arg, symbol)) array_push(&stack, arg);
        }
        if (stack.count > before) continue;
        stack.count--;
        last = node_dependence(d, m, top, symbol);
        map_set(m, top, last);
        if (last == NONLINEAR) break;
    }
    array_free(&stack);
    return last;
}

bool expr_linear_in(Dag *d, Expr e, Expr symbol, Expr *coefficient, Expr *rest) {
    NodeMap m = {0};
    map_set(&m, symbol, LINEAR);
    Dependence how = dependence(d, &m, e, symbol);
    map_free(&m);
    if (how == NONLINEAR) return false;
    *coefficient = expr_number(d, 0);
    *rest = e;
    if (how == FREE) return true;
    *coefficient = expr_derivative(d, e, symbol);
    Rewrite *w = rewrite_new(d);
    rewrite_set(w, symbol, expr_number(d, 0));
    *rest = rewrite(w, e);
    rewrite_free(w);
    return true;
}
