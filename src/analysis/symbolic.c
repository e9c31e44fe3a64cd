// The linear model as formulas: partial derivatives of the reduced equations, in the model's names,
//
//     d der(spring.q)/d mass.p = 1/m
//
// for models whose rates are formulas of states and inputs alone.
#include "analysis/symbolic.h"

#include "base/memory.h"
#include <string.h>

enum { MOST_STATES = 30 };

typedef struct {
    Text *out;
    const System *s;
    const LinearModel *l;
    const LinearPlan *plan;
    Partials *partials;
    Rewrite *at_rest;
} Work;

static bool refuse(const System *s, const LinearModel *l, Report *r) {
    const char *why = s->block_count       ? "it has algebraic loops"
                      : l->left_count      ? "constraints tie its states"
                      : l->n > MOST_STATES ? "it has more than 30 states"
                                           : NULL;
    if (!why) return false;
    Remark *x =
        report_error(r, A_TOO_LARGE, s->model->pos, "there are no formulas for A and B: %s", why);
    remark_help(r, x, "leave --symbolic out: the numbers are exact");
    return true;
}

static void entry(Work *w, const char *row, Expr by, const char *column, const char *matrix) {
    Expr e = rewrite(w->at_rest, partials_by(w->partials, by));
    double number;
    if (expr_is_number(w->s->dag, e, &number) && number == 0) return;
    text_printf(w->out, "  %s[%s, %s] = ", matrix, row, column);
    expr_print(w->out, w->s->dag, e, &(Printer){.style = PRINT_TEXT});
    text_char(w->out, '\n');
}

static void row(Work *w, Expr e, const char *name, const char *by_state, const char *by_input) {
    partials_of(w->partials, e);
    for (int j = 0; j < w->l->n; j++)
        entry(w, name, w->s->state[w->l->number[j]], w->l->state[j].name, by_state);
    for (int j = 0; j < w->l->m; j++)
        entry(w, name, w->plan->input[j].delta, w->l->input[j].name, by_input);
}

bool linear_symbolic(Text *out, const System *s, const LinearPlan *plan, const LinearModel *l,
                     Report *r) {
    if (refuse(s, l, r)) return false;
    Work w = {.out = out, .s = s, .l = l, .plan = plan};
    Dag *d = dag_grow(s->dag);
    w.partials = partials_new(d);
    w.at_rest = rewrite_new(d); // what moves inputs is zero at the point
    Expr zero = expr_number(d, 0);
    for (int i = 0; i < plan->input_count; i++) {
        const LinearInput *u = &plan->input[i];
        if (!u->rate) continue; // a parameter
        rewrite_set(w.at_rest, u->delta, zero);
        rewrite_set(w.at_rest, u->rate, zero);
        rewrite_set(w.at_rest, u->bend, zero);
    }
    text_add(out, "entries of A, B, C and D that are not zero, as formulas\n");
    for (int i = 0; i < l->n; i++) row(&w, s->rate[l->number[i]], l->state[i].name, "A", "B");
    Resolver *resolver = resolver_new(s);
    for (int i = 0; i < l->p; i++)
        row(&w, resolve(resolver, s->model->var[plan->output[i]].symbol), l->output[i].name, "C",
            "D");
    resolver_free(resolver);
    rewrite_free(w.at_rest);
    partials_free(w.partials);
    return true;
}
