// Numbers for symbols: parameters are evaluated when somebody asks, others are set from outside.
//
// A parameter may be made of others. Instead of recursion there is a stack of open questions: the
// top one is answered when all parameters below it are known, otherwise they are asked first.
#include "run/job.h"

#include <math.h>

void symbols_open(Symbols *s, const Model *m) {
    s->model = m;
    s->count = expr_symbol_count(m->dag);
    s->value = ARENA_ARRAY(&s->tmp, double, s->count + 1);
    s->known = ARENA_ARRAY(&s->tmp, bool, s->count + 1);
    s->var = ARENA_ARRAY(&s->tmp, int, s->count + 1);
    for (int i = 0; i < s->count; i++) {
        s->value[i] = NAN;
        s->var[i] = -1;
    }
    for (int v = 0; v < m->var_count; v++)
        if (m->var[v].kind == VAR_PARAM && m->var[v].symbol)
            s->var[expr_symbol_index(m->dag, m->var[v].symbol)] = v;
}

void symbols_close(Symbols *s) { arena_free(&s->tmp); }

void symbols_set(Symbols *s, Expr symbol, double value) {
    int i = expr_symbol_index(s->model->dag, symbol);
    if (i < 0 || i >= s->count) return;
    s->value[i] = value;
    s->known[i] = true;
}

// The parameter below e that is not known yet, or -1. Symbols that are no parameters stay NaN.
static int unknown_below(Symbols *s, ExprWalk *walk, Expr e) {
    walk_start(walk);
    walk_add(walk, e);
    for (int i = 0; i < walk_count(walk); i++) {
        Expr node = walk_at(walk, i);
        if (expr_op(s->model->dag, node) != OP_SYMBOL) continue;
        int symbol = expr_symbol_index(s->model->dag, node);
        if (symbol < s->count && !s->known[symbol] && s->var[symbol] >= 0) return symbol;
    }
    return -1;
}

double symbols_evaluate(Symbols *s, Expr e) {
    const Dag *d = s->model->dag;
    ExprWalk *walk = walk_new(d);
    ARRAY(int) open = {0}; // symbols of parameters that others wait for
    for (;;) {
        int asked = open.count ? array_last(&open) : -1;
        Expr value = asked >= 0 ? s->model->var[s->var[asked]].value : e;
        int below = value ? unknown_below(s, walk, value) : -1;
        if (below >= 0 && open.count < s->count) {
            array_push(&open, below);
            continue;
        }
        if (asked < 0) break;
        s->value[asked] = value ? expr_evaluate(d, value, s->value) : NAN;
        s->known[asked] = true;
        open.count--;
    }
    array_free(&open);
    walk_free(walk);
    return expr_evaluate(d, e, s->value);
}
