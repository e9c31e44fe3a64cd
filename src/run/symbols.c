// Numbers for symbols: parameters by their formulas, in the order in which they need each other,
// as soon as somebody asks; others are set from outside.
#include "run/job.h"

#include <math.h>
#include <stdlib.h>

void symbols_open(Symbols *s, const Model *m) {
    s->model = m;
    s->count = expr_symbol_count(m->dag);
    s->value = ARENA_ARRAY(&s->tmp, double, s->count + 1);
    s->known = ARENA_ARRAY(&s->tmp, bool, s->count + 1);
    for (int i = 0; i < s->count; i++) s->value[i] = NAN;
}

void symbols_close(Symbols *s) { arena_free(&s->tmp); }

void symbols_set(Symbols *s, Expr symbol, double value) {
    int i = expr_symbol_index(s->model->dag, symbol);
    if (i < 0 || i >= s->count) return;
    s->value[i] = value;
    s->known[i] = true;
}

static void evaluate_parameters(Symbols *s) {
    const Model *m = s->model;
    int count, *order = model_param_order(m, &count);
    for (int i = 0; i < count; i++) {
        const Var *v = &m->var[order[i]];
        int symbol = v->symbol ? expr_symbol_index(m->dag, v->symbol) : s->count;
        if (symbol >= s->count || s->known[symbol] || !v->value) continue;
        s->value[symbol] = expr_evaluate(m->dag, v->value, s->value);
    }
    free(order);
}

double symbols_evaluate(Symbols *s, Expr e) {
    if (!s->evaluated) evaluate_parameters(s);
    s->evaluated = true;
    return expr_evaluate(s->model->dag, e, s->value);
}
