// Inputs that can be moved, and outputs that are looked at.
//
// The equation of a signal, u = value, becomes
//
//     u = value + delta + rate (time - t0) + bend (time - t0)^2/2
//
// with parameters that are zero. At t0 the derivative by delta is that by u, the one by rate that by
// u', which enters where index reduction has differentiated the equation, and by bend that by u''.
#include "analysis/linear.h"

#include <math.h>
#include <string.h>

static const char *text_at(const Model *m, int var) {
    return name_text(m->names, m->var[var].path);
}

static bool is_own(const Model *m, int var) { return !strchr(text_at(m, var), '.'); }

static bool can_move(const Var *v) {
    return v->kind == VAR_INPUT || (v->kind == VAR_PARAM && !v->structural);
}

static bool refuse(const Model *m, Report *r, const char *name, int var, bool input) {
    Remark *x;
    if (var < 0)
        x = report_error(r, A_NO_SIGNAL, m->pos, "'%s' has no variable '%s'",
                         name_text(m->names, m->name), name);
    else
        x = report_error(r, A_NO_SIGNAL, m->var[var].pos, "'%s' cannot be moved from outside: %s",
                         name,
                         m->var[var].kind == VAR_PARAM ? "it fixes the structure of the model"
                                                       : "it is neither an input nor a parameter");
    remark_help(r, x, "%s",
                input ? "name inputs (`input u` of a model or component) or parameters, by their "
                        "paths"
                      : "name a variable by its path, as in results: arm.spring.e");
    return false;
}

static bool choose(const Model *m, Arena *out, const LinearWish *w, bool input, int **var,
                   int *count, Report *r) {
    int asked = input ? w->input_count : w->output_count;
    const char *const *name = input ? w->input : w->output;
    *var = ARENA_ARRAY(out, int, asked + m->var_count + 1);
    *count = 0;
    for (int i = 0; i < asked; i++) {
        int v = model_find(m, name[i]);
        if (v < 0 || (input && !can_move(&m->var[v]))) return refuse(m, r, name[i], v, input);
        (*var)[(*count)++] = v;
    }
    for (int v = 0; v < m->var_count && !asked; v++)
        if (m->var[v].kind == (input ? VAR_INPUT : VAR_OUTPUT) && is_own(m, v))
            (*var)[(*count)++] = v;
    return true;
}

// A parameter that is zero, behind all others in the order of paths.
static Expr add_zero(Model *m, const char *what, const char *of) {
    Var *v = &m->var[m->var_count++];
    Name name = name_printf(m->names, "~%s(%s)", what, of);
    *v = (Var){.path = name,
               .symbol = expr_symbol(m->dag, name),
               .kind = VAR_PARAM,
               .comp = -1,
               .der = -1,
               .of = -1,
               .value = expr_number(m->dag, 0),
               .pos = m->pos};
    v->dim.known = false;
    return v->symbol;
}

static Equation *equation_of(Model *m, int var) {
    for (int i = 0; i < m->equation_count; i++)
        if (m->equation[i].left == m->var[var].symbol) return &m->equation[i];
    return NULL;
}

static bool open_signal(Model *m, LinearInput *u, Expr since, Report *r) {
    Dag *d = m->dag;
    Equation *e = equation_of(m, u->var);
    const char *path = text_at(m, u->var);
    if (!e) {
        Remark *x =
            report_error(r, A_NO_SIGNAL, m->var[u->var].pos,
                         "no equation of the form '%s = ...' gives the input its value", path);
        remark_help(r, x,
                    "set it in the experiment, or write the equation with it alone on the left");
        return false;
    }
    u->delta = add_zero(m, "delta", path);
    u->rate = add_zero(m, "rate", path);
    u->bend = add_zero(m, "bend", path);
    Expr half = expr_mul(d, expr_number(d, 0.5), expr_mul(d, since, since));
    Expr term[] = {e->right, u->delta, expr_mul(d, u->rate, since), expr_mul(d, u->bend, half)};
    e->right = expr_sum(d, term, 4);
    return true;
}

bool linear_open(Model *m, Arena *out, const LinearWish *wish, LinearPlan *plan, Report *r) {
    *plan = (LinearPlan){0};
    int *input;
    if (!choose(m, out, wish, true, &input, &plan->input_count, r) ||
        !choose(m, out, wish, false, &plan->output, &plan->output_count, r))
        return false;
    plan->input = ARENA_ARRAY(out, LinearInput, plan->input_count + 1);
    Var *var = ARENA_ARRAY(out, Var, m->var_count + 3 * plan->input_count + 2);
    memcpy(var, m->var, (size_t)m->var_count * sizeof *var);
    m->var = var;
    plan->origin = add_zero(m, "a", "origin");
    Expr since = expr_sub(m->dag, m->var[0].symbol, plan->origin);
    for (int i = 0; i < plan->input_count; i++) {
        LinearInput *u = &plan->input[i];
        u->var = input[i];
        if (m->var[u->var].kind == VAR_PARAM)
            u->delta = m->var[u->var].symbol;
        else if (!open_signal(m, u, since, r))
            return false;
    }
    return true;
}
