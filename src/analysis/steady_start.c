// A run that begins at a steady point: the states found there, and what was free, in place of start values.
#include "analysis/experiment.h"

#include <string.h>

static int var_with(const Model *m, Expr symbol) {
    for (int v = 0; v < m->var_count; v++)
        if (m->var[v].kind == VAR_PARAM && m->var[v].symbol == symbol) return v;
    return -1;
}

static double parameter_of(const Reached *at, int var) {
    const Program *p = at->program;
    for (uint32_t i = 0; i < p->param_count; i++)
        if (p->param_var[i] == var) return at->machine->reg[p->first_param + i];
    return 0; // nothing depends on it
}

// What is free stands behind the parameters that have another value anyway.
static void set_free(const LinearPlan *plan, const Reached *at, RunOptions *o, Arena *out) {
    int *var = ARENA_ARRAY(out, int, o->set_count + plan->free_count + 1);
    double *value = ARENA_ARRAY(out, double, o->set_count + plan->free_count + 1);
    for (int i = 0; i < o->set_count; i++) var[i] = o->set_var[i], value[i] = o->set_value[i];
    for (int i = 0; i < plan->free_count; i++) {
        int v = var_with(at->model, plan->free[i].delta);
        if (v < 0) continue;
        var[o->set_count] = v;
        value[o->set_count++] = parameter_of(at, v);
    }
    o->set_var = var;
    o->set_value = value;
}

bool steady_start(const System *s, const LinearPlan *plan, RunOptions *o, Arena *out, Report *r) {
    Reached at;
    o->start_state = NULL; // the search begins with the start values
    if (!linear_reach(&at, s, o, true, 0, r)) return false;
    SteadyPoint *p = steady_find(plan, &at, r);
    double *state = ARENA_ARRAY(out, double, s->state_count + 1);
    bool good = p && reached_states(&at, s, state, r);
    if (good) {
        set_free(plan, &at, o, out);
        o->start_state = state;
    }
    steady_free(p);
    reached_free(&at);
    return good;
}
