// The numbers of parameters, for checks before a run: a parameter waits for those in its formula.
#include "lang/model.h"

#include "base/array.h"
#include <math.h>

typedef struct {
    const Model *m;
    double *value; // by symbol index; what is no parameter stays NAN
    int *var;      // by symbol index, -1 = none
    ExprWalk *walk;
    ARRAY(int) open; // parameters that wait for others
} Numbers;

// False when some parameter below has to come first; they are on the list then.
static bool is_ready(Numbers *n, int v) {
    const Dag *d = n->m->dag;
    int before = n->open.count;
    walk_start(n->walk);
    walk_add(n->walk, n->m->var[v].value);
    for (int i = 0; i < walk_count(n->walk); i++) {
        Expr e = walk_at(n->walk, i);
        if (expr_op(d, e) != OP_SYMBOL) continue;
        int index = expr_symbol_index(d, e), p = n->var[index];
        if (p >= 0 && n->m->var[p].kind == VAR_PARAM && isnan(n->value[index]) &&
            n->open.count <= n->m->var_count)
            array_push(&n->open, p);
    }
    return n->open.count == before;
}

static void find_number(Numbers *n, int v) {
    array_push(&n->open, v);
    while (n->open.count && n->open.count <= n->m->var_count) {
        const Var *x = &n->m->var[array_last(&n->open)];
        double *to = &n->value[expr_symbol_index(n->m->dag, x->symbol)];
        if (isnan(*to) && x->value && !is_ready(n, array_last(&n->open))) continue;
        if (isnan(*to) && x->value) *to = expr_evaluate(n->m->dag, x->value, n->value);
        if (isnan(*to)) *to = 0; // lang has refused such values
        (void)array_pop(&n->open);
    }
    n->open.count = 0;
}

double *model_numbers(Arena *out, const Model *m) {
    int count = expr_symbol_count(m->dag);
    Numbers n = {.m = m,
                 .value = ARENA_ARRAY(out, double, count),
                 .var = ARENA_ARRAY(out, int, count),
                 .walk = walk_new(m->dag)};
    for (int i = 0; i < count; i++) {
        n.value[i] = NAN;
        n.var[i] = -1;
    }
    for (int v = 0; v < m->var_count; v++) n.var[expr_symbol_index(m->dag, m->var[v].symbol)] = v;
    for (int v = 0; v < m->var_count; v++)
        if (m->var[v].kind == VAR_PARAM) find_number(&n, v);
    walk_free(n.walk);
    array_free(&n.open);
    return n.value;
}
