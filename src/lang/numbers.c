// Symbols of expressions and the variables that they stand for; parameters in the order in which
// they need each other, and their numbers.
#include "lang/model.h"

#include "base/array.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>

int *model_symbol_vars(const Model *m) {
    int count = expr_symbol_count(m->dag);
    int *var = memory_zeroed((size_t)count, sizeof *var);
    for (int i = 0; i < count; i++) var[i] = -1;
    for (int v = 0; v < m->var_count; v++)
        if (m->var[v].symbol) var[expr_symbol_index(m->dag, m->var[v].symbol)] = v;
    return var;
}

// --- order ---------------------------------------------------------------------------------------

typedef enum { NOT_MET, WAITS, PLACED } Progress;

typedef struct {
    const Model *m;
    const int *var; // by symbol index
    Progress *at;   // per variable
    ExprWalk *walk;
    ARRAY(int) open; // parameters that wait for others
    int *order, count;
} ParamOrder;

static void push_needed(ParamOrder *o, int v) {
    const Dag *d = o->m->dag;
    walk_start(o->walk);
    if (o->m->var[v].value) walk_add(o->walk, o->m->var[v].value);
    for (int i = 0; i < walk_count(o->walk); i++) {
        Expr e = walk_at(o->walk, i);
        if (expr_op(d, e) != OP_SYMBOL) continue;
        int p = o->var[expr_symbol_index(d, e)];
        if (p >= 0 && o->m->var[p].kind == VAR_PARAM && o->at[p] == NOT_MET)
            array_push(&o->open, p);
    }
}

static void place(ParamOrder *o, int v) {
    array_push(&o->open, v);
    while (o->open.count) {
        int top = array_last(&o->open);
        if (o->at[top] == NOT_MET) {
            o->at[top] = WAITS;
            push_needed(o, top);
            continue;
        }
        (void)array_pop(&o->open);
        if (o->at[top] == PLACED) continue;
        o->at[top] = PLACED;
        o->order[o->count++] = top;
    }
}

int *model_param_order(const Model *m, int *count) {
    int *var = model_symbol_vars(m);
    ParamOrder o = {.m = m,
                    .var = var,
                    .at = memory_zeroed((size_t)m->var_count, sizeof(Progress)),
                    .walk = walk_new(m->dag),
                    .order = memory_zeroed((size_t)m->var_count, sizeof(int))};
    for (int v = 0; v < m->var_count; v++)
        if (m->var[v].kind == VAR_PARAM) place(&o, v);
    walk_free(o.walk);
    array_free(&o.open);
    free(o.at);
    free(var);
    *count = o.count;
    return o.order;
}

// --- numbers -------------------------------------------------------------------------------------

double *model_numbers(Arena *out, const Model *m) {
    int symbols = expr_symbol_count(m->dag), count;
    double *value = ARENA_ARRAY(out, double, symbols);
    int *order = model_param_order(m, &count);
    for (int i = 0; i < symbols; i++) value[i] = NAN;
    for (int i = 0; i < count; i++) {
        const Var *v = &m->var[order[i]];
        double x = v->value ? expr_evaluate(m->dag, v->value, value) : 0;
        value[expr_symbol_index(m->dag, v->symbol)] =
            isnan(x) ? 0 : x; // lang has refused such values
    }
    free(order);
    return value;
}
