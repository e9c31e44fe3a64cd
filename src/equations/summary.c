// What was done with the equations: states and why, constraints, loops.
#include "equations/work.h"

static const char *path(const System *s, int var) {
    return name_text(s->model->names, s->model->var[var].path);
}

static const Comp *storage_of(const System *s, int var) {
    int c = s->model->var[var].comp;
    if (c < 0) return NULL;
    const Comp *comp = &s->model->comp[c];
    return is_of_storage(s->model->var[var].kind) ? comp : NULL;
}

static const char *comp_path(const System *s, const Comp *c) {
    return name_text(s->model->names, c->path);
}

// The set that chooses a state, or -1.
static int set_of(const System *s, int state) {
    for (int i = 0; i < s->set_count; i++)
        if (state >= s->set[i].first_state && state < s->set[i].first_state + s->set[i].free)
            return i;
    return -1;
}

static void candidate_list(Text *out, const System *s, const StateSet *set) {
    enum { SHOWN = 12 };
    for (int i = 0; i < set->count && i < SHOWN; i++)
        text_printf(
            out, "%s%s", i > 0 ? ", " : "",
            name_text(dag_names(s->dag),
                      expr_symbol_name(s->dag, expr_symbol_index(s->dag, set->candidate[i]))));
    if (set->count > SHOWN) text_printf(out, " and %d more", set->count - SHOWN);
}

static void reason_of_set(Text *out, const System *s, const StateSet *set) {
    text_printf(out, "chosen during the run: %d of ", set->free);
    candidate_list(out, s, set);
    text_add(out, ", tied by ");
    rule_label(out, s->model, s->graph, set->equation);
    if (set->count - set->free > 1)
        text_printf(out, " and %d more constraint%s", set->count - set->free - 1,
                    set->count - set->free > 2 ? "s" : "");
}

static void reason(Text *out, const System *s, int state) {
    int set = set_of(s, state), var = s->state_var[state];
    if (set >= 0) {
        reason_of_set(out, s, &s->set[set]);
        return;
    }
    const Comp *c = storage_of(s, var);
    int rate = s->model->var[var].der;
    if (!c && rate < 0)
        text_add(out, "free everywhere: the constraints determine storages from it");
    else if (!c)
        text_printf(out, "der(%s) stands in the model", path(s, var));
    else if (c->request == REQUEST_INTEGRAL)
        text_printf(out, "storage '%s' has integral causality, as requested", comp_path(s, c));
    else
        text_printf(out, "storage '%s' has integral causality", comp_path(s, c));
}

// --- dependent storages -------------------------------------------------------------------------

typedef struct {
    int state;    // model variable that it follows, or -1
    Expr ratio;   // value = ratio * state
    Expr reduced; // both storages together as one, or 0
} Following;

static bool is_plain_storage(const Comp *c) {
    return c && !c->own_law && c->argument && c->argument_rows == 1 && c->argument_cols == 1 &&
           (c->kind == COMP_I || c->kind == COMP_C);
}

// Storages s and d with d = ratio*s:  s^2/(2 S) + d^2/(2 D) = s^2/(2 S^2) * (S + (ratio*S)^2/D)
static Expr reduced_storage(const System *s, const Comp *state, const Comp *demoted, Expr ratio) {
    if (!is_plain_storage(state) || !is_plain_storage(demoted)) return 0;
    if (state->kind != demoted->kind) return 0;
    Dag *d = dag_grow(s->dag);
    Expr scaled = expr_mul(d, ratio, state->argument[0]);
    Expr square = expr_mul(d, scaled, scaled);
    return expr_add(d, state->argument[0], expr_div(d, square, demoted->argument[0]));
}

// By symbol index: the state that the symbol is, or -1.
static int *states_by_symbol(const System *s) {
    int n = expr_symbol_count(s->dag);
    int *state_of = malloc(((size_t)n + 1) * sizeof *state_of);
    if (!state_of) abort();
    for (int i = 0; i < n; i++) state_of[i] = -1;
    for (int i = 0; i < s->state_count; i++) state_of[expr_symbol_index(s->dag, s->state[i])] = i;
    return state_of;
}

// The one state that the value of a variable is proportional to, if there is one. What depends on
// many states is not looked at.
static Following following(const System *s, const int *state_of, int var) {
    enum { MANY = 8 };
    Following f = {.state = -1};
    ExprWalk *w = walk_new(s->dag);
    walk_add(w, s->value[var]);
    int found = 0, states = 0;
    for (int i = 0; i < walk_count(w); i++) {
        Expr e = walk_at(w, i), ratio, rest;
        int state = expr_op(s->dag, e) == OP_SYMBOL ? state_of[expr_symbol_index(s->dag, e)] : -1;
        if (state >= 0 && ++states > MANY) found = -1;
        if (found < 0) break;
        if (state < 0 || s->state_var[state] < 0 ||
            !expr_linear_in(dag_grow(s->dag), s->value[var], e, &ratio, &rest))
            continue;
        double zero;
        if (!expr_is_number(s->dag, rest, &zero) || zero != 0) continue;
        found++;
        f.ratio = ratio;
        f.state = s->state_var[state];
    }
    walk_free(w);
    if (found != 1) return (Following){.state = -1};
    f.reduced = reduced_storage(s, storage_of(s, f.state), storage_of(s, var), f.ratio);
    return f;
}

static void demoted_text(Text *out, const System *s, const int *state_of, const Demoted *d) {
    Printer how = {.style = PRINT_TEXT};
    Following f = following(s, state_of, d->var);
    text_printf(out, "  %s    ", path(s, d->var));
    if (f.state < 0) {
        text_add(out, "follows from the constraint: ");
        rule_label(out, s->model, s->graph, d->equation);
    } else {
        text_add(out, "= ");
        expr_print(out, s->dag, f.ratio, &how);
        text_printf(out, " * %s", path(s, f.state));
    }
    if (f.reduced) {
        text_printf(out, "; '%s' and '%s' act as one of ", comp_path(s, storage_of(s, f.state)),
                    comp_path(s, storage_of(s, d->var)));
        expr_print(out, s->dag, f.reduced, &how);
    }
    text_char(out, '\n');
}

// --- loops --------------------------------------------------------------------------------------

static void loop_text(Text *out, const System *s, const Loop *l) {
    text_printf(out, "  %d equation%s, %s, ", l->size, l->size == 1 ? "" : "s",
                l->linear ? "linear" : "nonlinear");
    text_add(out, l->implicit ? "solved numerically for " : "solved symbolically");
    if (!l->implicit && l->left > 0) text_add(out, " through ");
    if (l->left > 0) text_printf(out, "%d unknown%s", l->left, l->left == 1 ? "" : "s");
    for (int i = 0; i < l->var_count && i < 8; i++)
        text_printf(out, "%s%s", i > 0 ? ", " : ": ", path(s, l->var[i]));
    if (l->var_count > 8) text_add(out, ", ...");
    text_char(out, '\n');
}

void equations_summary(Text *out, const System *s) {
    text_printf(out, "equations: %d, after %d that only equate two variables; index %d\n",
                s->equation_count, s->alias_count, s->index);
    text_printf(out, "states: %d\n", s->state_count);
    for (int i = 0; i < s->state_count; i++) {
        text_printf(out, "  %s    ", system_state_name(s, i));
        reason(out, s, i);
        text_char(out, '\n');
    }
    int *state_of = states_by_symbol(s);
    if (s->demoted_count > 0) text_printf(out, "dependent storages: %d\n", s->demoted_count);
    for (int i = 0; i < s->demoted_count; i++) demoted_text(out, s, state_of, &s->demoted[i]);
    free(state_of);
    if (s->loop_count > 0) text_printf(out, "loops: %d\n", s->loop_count);
    for (int i = 0; i < s->loop_count; i++) loop_text(out, s, &s->loop[i]);
}

// --- JSON ---------------------------------------------------------------------------------------

static void json_expr(Text *out, const System *s, Expr e) {
    Printer how = {.style = PRINT_TEXT};
    Text text = {0};
    expr_print(&text, s->dag, e, &how);
    text_json(out, text_get(&text));
    text_free(&text);
}

static void json_demoted(Text *out, const System *s, const int *state_of, const Demoted *d) {
    Following f = following(s, state_of, d->var);
    text_add(out, "{\"name\":");
    text_json(out, path(s, d->var));
    text_add(out, ",\"constraint\":");
    Text label = {0};
    rule_label(&label, s->model, s->graph, d->equation);
    text_json(out, text_get(&label));
    text_free(&label);
    if (f.state >= 0) {
        text_add(out, ",\"follows\":");
        text_json(out, path(s, f.state));
        text_add(out, ",\"ratio\":");
        json_expr(out, s, f.ratio);
    }
    if (f.reduced) {
        text_add(out, ",\"together\":");
        json_expr(out, s, f.reduced);
    }
    text_add(out, "}");
}

static void json_loop(Text *out, const System *s, const Loop *l) {
    text_printf(out, "{\"equations\":%d,\"left\":%d,\"linear\":%s,\"numerical\":%s,\"unknowns\":[",
                l->size, l->left, l->linear ? "true" : "false", l->implicit ? "true" : "false");
    for (int i = 0; i < l->var_count; i++) {
        if (i > 0) text_add(out, ",");
        text_json(out, path(s, l->var[i]));
    }
    text_add(out, "]}");
}

void equations_summary_json(Text *out, const System *s) {
    text_printf(out, "{\"equations\":%d,\"aliases\":%d,\"index\":%d,\"states\":[",
                s->equation_count, s->alias_count, s->index);
    for (int i = 0; i < s->state_count; i++) {
        Text why = {0};
        reason(&why, s, i);
        text_add(out, i > 0 ? ",{\"name\":" : "{\"name\":");
        text_json(out, system_state_name(s, i));
        text_add(out, ",\"why\":");
        text_json(out, text_get(&why));
        text_add(out, "}");
        text_free(&why);
    }
    int *state_of = states_by_symbol(s);
    text_add(out, "],\"dependent\":[");
    for (int i = 0; i < s->demoted_count; i++) {
        if (i > 0) text_add(out, ",");
        json_demoted(out, s, state_of, &s->demoted[i]);
    }
    free(state_of);
    text_add(out, "],\"loops\":[");
    for (int i = 0; i < s->loop_count; i++) {
        if (i > 0) text_add(out, ",");
        json_loop(out, s, &s->loop[i]);
    }
    text_add(out, "]}\n");
}
