// Numbers at the start of a run, for choices that only numbers can make: which pivot is safe, which
// storage can give up its state. Parameters have their defaults, states their start values; what is
// not solved yet has a value of its own between 1 and 2, so that nothing cancels by chance.
#include "equations/work.h"

#include <math.h>
#include <stdlib.h>

// A number that depends on nothing but the place in the list, and repeats late.
static double stand_in(int i) {
    double x = (i + 2) * 0.6180339887498949;
    return 1 + (x - floor(x));
}

void values_grow(Work *w) {
    while (w->value.count < expr_symbol_count(w->dag)) {
        int index = w->value.count; // symbols are numbered by declaration; quantities are not
        int q = index < w->quantity_of_symbol.count ? w->quantity_of_symbol.data[index] : -1;
        array_push(&w->value, stand_in(q));
    }
}

static void set_value(Work *w, Expr symbol, double value, double otherwise) {
    w->value.data[expr_symbol_index(w->dag, symbol)] = isfinite(value) ? value : otherwise;
}

static void evaluate_params(Work *w) {
    int count, *order = model_param_order(w->model, &count);
    for (int i = 0; i < count; i++) {
        const Var *x = &w->model->var[order[i]];
        double value = x->value ? expr_evaluate(w->dag, x->value, w->value.data) : NAN;
        set_value(w, x->symbol, value, stand_in(order[i]));
    }
    free(order);
}

// --- the rest -----------------------------------------------------------------------------------

// What jumps at events is no constant, although no equation determines it.
static void note_discrete(Work *w) {
    const Model *m = w->model;
    w->discrete_symbols = expr_symbol_count(w->dag);
    for (int i = 0; i < m->var_count; i++) {
        if (m->var[i].kind != VAR_DISCRETE) continue;
        if (!w->discrete) w->discrete = ARENA_ARRAY(&w->scratch, bool, w->discrete_symbols);
        w->discrete[expr_symbol_index(w->dag, m->var[i].symbol)] = true;
    }
}

// All at once: the momenta of a mechanism at the start share most of their formulas.
static void put_starts(Work *w) {
    const Model *m = w->model;
    ARRAY(Expr) symbol = {0};
    ARRAY(Expr) start = {0};
    for (int i = 0; i < m->var_count; i++) {
        const Var *v = &m->var[i];
        if (v->kind == VAR_PARAM || (v->der < 0 && v->kind != VAR_DISCRETE)) continue;
        array_push(&symbol, v->symbol);
        array_push(&start, v->start ? v->start : expr_number(w->dag, 0));
    }
    double *value = ARENA_ARRAY(&w->scratch, double, start.count);
    expr_evaluate_many(w->dag, start.data, start.count, w->value.data, value);
    for (int i = 0; i < symbol.count; i++) set_value(w, symbol.data[i], value[i], 0);
    array_free(&symbol);
    array_free(&start);
}

void values_prepare(Work *w) {
    const Model *m = w->model;
    values_grow(w);
    for (int i = 0; i < m->var_count; i++) set_value(w, m->var[i].symbol, stand_in(i), 1);
    note_discrete(w);
    evaluate_params(w);
    if (m->var_count > 0) set_value(w, m->var[0].symbol, m->start, 0);
    put_starts(w);
}

static bool is_discrete(const Work *w, Expr symbol) {
    int index = expr_symbol_index(w->dag, symbol);
    return w->discrete && index < w->discrete_symbols && w->discrete[index];
}

bool is_constant(Work *w, Expr e) {
    walk_start(w->walk);
    walk_add(w->walk, e);
    for (int i = 0; i < walk_count(w->walk); i++) {
        Expr x = walk_at(w->walk, i);
        if (expr_op(w->dag, x) != OP_SYMBOL) continue;
        if (x == w->system->time) return false;
        if (is_discrete(w, x)) return false;
        int q = quantity_of(w, x);
        if (q == HELD_SYMBOL || (q >= 0 && !w->quantity.data[q].constant)) return false;
    }
    return true;
}

Solution solution_of(Work *w, Expr value) {
    return (Solution){value, expr_evaluate(w->dag, value, w->value.data), is_constant(w, value)};
}

void values_set(Work *w, int q, Solution s) {
    w->quantity.data[q].constant = s.constant;
    set_value(w, w->quantity.data[q].symbol, s.number, stand_in(q));
}
