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
#include <stdlib.h>
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

static bool choose(const Model *m, Arena *out, const LinearOptions *w, bool input, int **var,
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
    Dag *d = dag_grow(m->dag);
    Var *v = &m->var[m->var_count++];
    Name name = name_printf(m->names, "~%s(%s)", what, of);
    *v = (Var){.path = name,
               .symbol = expr_symbol(d, name),
               .kind = VAR_PARAM,
               .comp = -1,
               .der = -1,
               .of = -1,
               .value = expr_number(d, 0),
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
    Dag *d = dag_grow(m->dag);
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
    Expr half = expr_scale(d, 0.5, expr_mul(d, since, since));
    Expr term[] = {e->right, u->delta, expr_mul(d, u->rate, since), expr_mul(d, u->bend, half)};
    e->right = expr_sum(d, term, 4);
    return true;
}

// "NAME = VALUE" or "NAME = VALUE {unit}"; plain numbers count in SI.
static bool read_given(const Model *m, const char *words, int *var, double *value, Report *r) {
    char name[200], *end = NULL;
    const char *equal = strchr(words, '=');
    size_t n = equal ? (size_t)(equal - words) : 0;
    while (n && words[n - 1] == ' ') n--;
    if (n && n < sizeof name) {
        memcpy(name, words, n);
        name[n] = 0;
        *value = strtod(equal + 1, &end);
        *var = model_find(m, name);
    }
    bool number = end && end != equal + 1 && isfinite(*value);
    const char *rest = number ? end + strspn(end, " ") : "", *close = strchr(rest, '}'), *bad;
    if (number && *rest == '{' && close && *var >= 0) {
        Unit unit;
        size_t length;
        number = unit_parse(rest + 1, (size_t)(close - rest) - 1, &unit, &bad, &length) &&
                 dim_fits(unit.dim, m->var[*var].dim);
        if (number) *value = *value * unit.scale + unit.offset;
    } else {
        number = number && !*rest;
    }
    if (number && *var < 0) return refuse(m, r, name, -1, false);
    if (number) return true;
    Remark *x = report_error(r, A_BAD_GIVEN, m->pos, "'%s' is not of the form NAME = VALUE", words);
    remark_help(r, x, "for example --given \"arm.q = 30 {deg}, load.f = 0\"");
    return false;
}

static bool open_input(Model *m, const LinearPlan *plan, int opened, LinearInput *u, int var,
                       Expr since, Report *r) {
    u->var = var;
    for (int i = 0; i < opened; i++) // named before
        if (plan->input[i].var == var) {
            *u = plan->input[i];
            return true;
        }
    if (m->var[var].kind != VAR_PARAM) return open_signal(m, u, since, r);
    u->delta = m->var[var].symbol;
    return true;
}

static bool take_given(Model *m, Arena *out, const LinearOptions *options, LinearPlan *plan,
                       Report *r) {
    plan->given_count = options->given_count;
    plan->given = ARENA_ARRAY(out, int, options->given_count + 1);
    plan->given_value = ARENA_ARRAY(out, double, options->given_count + 1);
    for (int i = 0; i < options->given_count; i++)
        if (!read_given(m, options->given[i], &plan->given[i], &plan->given_value[i], r))
            return false;
    return true;
}

static bool take_moving(const Model *m, Arena *out, const LinearOptions *options, LinearPlan *plan,
                        Report *r) {
    plan->moving = ARENA_ARRAY(out, int, options->moving_count + 1);
    for (int i = 0; i < options->moving_count; i++) {
        int var = model_find(m, options->moving[i]);
        if (var < 0) return refuse(m, r, options->moving[i], -1, false);
        if (m->var[var].der < 0) {
            Remark *x = report_error(r, A_NO_SIGNAL, m->var[var].pos,
                                     "'%s' is no state: it has no rate", options->moving[i]);
            remark_help(r, x, "name states: q of a spring or joint, p of an inertia, x of der(x)");
            return false;
        }
        plan->moving[plan->moving_count++] = var;
    }
    return true;
}

bool linear_open(Model *m, Arena *out, const LinearOptions *options, LinearPlan *plan, Report *r) {
    *plan = (LinearPlan){.discrete = options->discrete};
    LinearOptions free = {.input = options->free, .input_count = options->free_count};
    int *input, *loose = NULL;
    if (!choose(m, out, options, true, &input, &plan->input_count, r) ||
        !choose(m, out, options, false, &plan->output, &plan->output_count, r) ||
        (free.input_count && !choose(m, out, &free, true, &loose, &plan->free_count, r)) ||
        !take_given(m, out, options, plan, r) || !take_moving(m, out, options, plan, r))
        return false;
    plan->input = ARENA_ARRAY(out, LinearInput, plan->input_count + 1);
    plan->free = ARENA_ARRAY(out, LinearInput, plan->free_count + 1);
    Var *var = ARENA_ARRAY(out, Var, m->var_count + 3 * (plan->input_count + plan->free_count) + 2);
    memcpy(var, m->var, (size_t)m->var_count * sizeof *var);
    m->var = var;
    plan->origin = add_zero(m, "a", "origin");
    Expr since = expr_sub(dag_grow(m->dag), m->var[0].symbol, plan->origin);
    for (int i = 0; i < plan->input_count; i++)
        if (!open_input(m, plan, i, &plan->input[i], input[i], since, r)) return false;
    for (int i = 0; loose && i < plan->free_count; i++)
        if (!open_input(m, plan, plan->input_count, &plan->free[i], loose[i], since, r))
            return false;
    return true;
}
