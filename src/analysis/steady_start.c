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

static bool refuse_modes(const Model *m, Report *r) {
    if (!m->choice_count) return false;
    Remark *x = report_error(r, A_NO_STEADY, m->choice[0].pos,
                             "a run of '%s' cannot begin at a steady point: its laws switch",
                             name_text(m->names, m->name));
    remark_help(r, x, "'bondyn steady' finds the point; give it as start values (`initial`)");
    return true;
}

bool steady_start(const System *s, const LinearPlan *plan, RunOptions *o, Arena *out, Report *r) {
    Reached at;
    if (refuse_modes(s->model, r) || !linear_reach(&at, s, o, true, 0, r)) return false;
    SteadyPoint *p = steady_find(plan, &at, r);
    if (p) {
        double *state = ARENA_ARRAY(out, double, s->state_count + 1);
        if (s->state_count) memcpy(state, at.state, (size_t)s->state_count * sizeof *state);
        set_free(plan, &at, o, out);
        o->start_state = state;
    }
    bool good = p != NULL;
    steady_free(p);
    reached_free(&at);
    return good;
}
