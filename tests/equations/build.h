// Models made by hand, and a small simulator on expressions: so that these tests need neither the
// language nor the engine.
#ifndef BONDYN_TESTS_EQUATIONS_BUILD_H
#define BONDYN_TESTS_EQUATIONS_BUILD_H

#include "../test.h"

#include "base/array.h"
#include "base/elimination.h"
#include "run/pipeline.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Arena arena;
    Names *names;
    Dag *dag;
    Report report;
    Model model;
    ARRAY(Var) var;
    ARRAY(Comp) comp;
    ARRAY(Port) port;
    ARRAY(Bond) bond;
    ARRAY(Equation) equation;
    ARRAY(Equation) initial;
    Graph *graph;
    Pipeline pipeline;
    System *system;
    double *value; // by symbol index
} Build;

// --- variables ----------------------------------------------------------------------------------

static inline int add_var(Build *b, VarKind kind, const char *path, int comp) {
    Name name = name_of(b->names, path);
    Var v = {.path = name,
             .symbol = expr_symbol(b->dag, name),
             .kind = kind,
             .comp = comp,
             .der = -1,
             .of = -1};
    array_push(&b->var, v);
    return b->var.count - 1;
}

static inline int find_var(const Build *b, const char *path) {
    Name name = name_find(b->names, path);
    for (int i = 0; i < b->var.count; i++)
        if (name && b->var.data[i].path == name) return i;
    fail_msg("there is no variable %s", path);
    return -1;
}

static inline Expr sym(const Build *b, const char *path) {
    return b->var.data[find_var(b, path)].symbol;
}

static inline Expr num(Build *b, double x) { return expr_number(b->dag, x); }

static inline Expr param(Build *b, const char *path, double value) {
    int v = add_var(b, VAR_PARAM, path, -1);
    b->var.data[v].value = num(b, value);
    return b->var.data[v].symbol;
}

static inline int add_der(Build *b, int v) {
    char path[200];
    snprintf(path, sizeof path, "der(%s)", name_text(b->names, b->var.data[v].path));
    int d = add_var(b, VAR_DERIVATIVE, path, b->var.data[v].comp);
    b->var.data[v].der = d;
    b->var.data[d].of = v;
    return d;
}

static inline Expr local(Build *b, const char *path) {
    int v = add_var(b, VAR_LOCAL, path, -1);
    return b->var.data[v].symbol;
}

static inline Expr der(Build *b, const char *path) {
    int v = find_var(b, path);
    int d = b->var.data[v].der >= 0 ? b->var.data[v].der : add_der(b, v);
    return b->var.data[d].symbol;
}

static inline void set_start(Build *b, const char *path, double value) {
    b->var.data[find_var(b, path)].start = num(b, value);
}

static inline void equation_of(Build *b, Expr left, Expr right, int comp) {
    array_push(&b->equation, ((Equation){left, right, comp, {0, 0}, 0}));
}

static inline void equation(Build *b, Expr left, Expr right) { equation_of(b, left, right, -1); }

static inline void initial(Build *b, Expr left, Expr right) {
    array_push(&b->initial, ((Equation){left, right, -1, {0, 0}, 0}));
}

static inline Build *build_new(void) {
    Build *b = calloc(1, sizeof *b);
    b->names = names_new();
    b->dag = dag_new(b->names);
    add_var(b, VAR_TIME, "time", -1);
    return b;
}

// --- components ---------------------------------------------------------------------------------

static inline int add_comp(Build *b, CompKind kind, const char *path) {
    Comp c = {.path = name_of(b->names, path),
              .kind = kind,
              .dim = 1,
              .var = -1,
              .first_port = b->port.count,
              .first_equation = b->equation.count};
    array_push(&b->comp, c);
    return b->comp.count - 1;
}

static inline int add_own(Build *b, int comp, VarKind kind, const char *name) {
    char path[200];
    snprintf(path, sizeof path, "%s.%s", name_text(b->names, b->comp.data[comp].path), name);
    return add_var(b, kind, path, comp);
}

static inline int add_port(Build *b, int comp, const char *suffix, bool out) {
    char e[20], f[20];
    snprintf(e, sizeof e, "e%s", suffix);
    snprintf(f, sizeof f, "f%s", suffix);
    Port p = {.comp = comp, .dim = 1, .out = out};
    p.e = add_own(b, comp, VAR_EFFORT, e);
    p.f = add_own(b, comp, VAR_FLOW, f);
    array_push(&b->port, p);
    b->comp.data[comp].port_count++;
    return b->port.count - 1;
}

static inline Expr effort(const Build *b, int port) {
    return b->var.data[b->port.data[port].e].symbol;
}

static inline Expr flow(const Build *b, int port) {
    return b->var.data[b->port.data[port].f].symbol;
}

static inline void add_law(Build *b, int comp, Expr left, Expr right) {
    equation_of(b, left, right, comp);
    b->comp.data[comp].equation_count++;
}

static inline int junction(Build *b, CompKind kind, const char *path) {
    int c = add_comp(b, kind, path);
    b->comp.data[c].var =
        kind == COMP_0 ? add_own(b, c, VAR_EFFORT, "e") : add_own(b, c, VAR_FLOW, "f");
    return c;
}

static inline int source(Build *b, CompKind kind, const char *path, Expr value) {
    int c = add_comp(b, kind, path);
    int p = add_port(b, c, "", true);
    add_law(b, c, kind == COMP_SE ? effort(b, p) : flow(b, p), value);
    return c;
}

static inline void set_argument(Build *b, int c, Expr argument) {
    b->comp.data[c].argument = ARENA_NEW(&b->arena, Expr);
    b->comp.data[c].argument[0] = argument;
    b->comp.data[c].argument_rows = b->comp.data[c].argument_cols = 1;
}

static inline int resistor(Build *b, const char *path, Expr R) {
    int c = add_comp(b, COMP_R, path);
    int p = add_port(b, c, "", false);
    set_argument(b, c, R);
    add_law(b, c, effort(b, p), expr_mul(b->dag, R, flow(b, p)));
    return c;
}

// A resistor without law: the caller adds it.
static inline int own_resistor(Build *b, const char *path) {
    int c = add_comp(b, COMP_R, path);
    add_port(b, c, "", false);
    b->comp.data[c].own_law = true;
    return c;
}

static inline int storage(Build *b, CompKind kind, const char *path, Expr argument, double start) {
    bool inertia = kind == COMP_I;
    int c = add_comp(b, kind, path);
    int p = add_port(b, c, "", false);
    int x = add_own(b, c, inertia ? VAR_MOMENTUM : VAR_DISPLACEMENT, inertia ? "p" : "q");
    Expr state = b->var.data[x].symbol;
    if (start != 0) b->var.data[x].start = num(b, start);
    b->comp.data[c].first_state = x;
    b->comp.data[c].state_count = 1;
    b->comp.data[c].role = ROLE_STORE;
    set_argument(b, c, argument);
    int d = add_der(b, x);
    Expr rate = b->var.data[d].symbol;
    add_law(b, c, rate, inertia ? effort(b, p) : flow(b, p));
    add_law(b, c, state, expr_mul(b->dag, argument, inertia ? flow(b, p) : effort(b, p)));
    b->comp.data[c].stored =
        expr_div(b->dag, expr_mul(b->dag, state, state), expr_mul(b->dag, num(b, 2), argument));
    return c;
}

static inline int two_port(Build *b, CompKind kind, const char *path, Expr m) {
    int c = add_comp(b, kind, path);
    int p1 = add_port(b, c, "1", false), p2 = add_port(b, c, "2", true);
    set_argument(b, c, m);
    if (kind == COMP_TF) {
        add_law(b, c, effort(b, p1), expr_mul(b->dag, m, effort(b, p2)));
        add_law(b, c, flow(b, p2), expr_mul(b->dag, m, flow(b, p1)));
    } else {
        add_law(b, c, effort(b, p1), expr_mul(b->dag, m, flow(b, p2)));
        add_law(b, c, effort(b, p2), expr_mul(b->dag, m, flow(b, p1)));
    }
    return c;
}

static inline BondEnd bond_end(Build *b, int comp, bool entered) {
    Comp *c = &b->comp.data[comp];
    if (c->port_count == 0) return (BondEnd){comp, -1, 0};
    int side = c->port_count == 2 ? !entered : 0;
    return (BondEnd){comp, c->first_port + side, 0};
}

static inline void connect(Build *b, int from, int to) {
    Bond bond = {bond_end(b, from, false), bond_end(b, to, true), 1, {0, 0}, true};
    array_push(&b->bond, bond);
}

// --- building and looking -----------------------------------------------------------------------

static inline System *build_system(Build *b) {
    b->model = (Model){.names = b->names,
                       .dag = b->dag,
                       .name = name_of(b->names, "Test"),
                       .var = b->var.data,
                       .var_count = b->var.count,
                       .comp = b->comp.data,
                       .comp_count = b->comp.count,
                       .port = b->port.data,
                       .port_count = b->port.count,
                       .bond = b->bond.data,
                       .bond_count = b->bond.count,
                       .equation = b->equation.data,
                       .equation_count = b->equation.count,
                       .initial = b->initial.data,
                       .initial_count = b->initial.count};
    b->pipeline.model = &b->model;
    pipeline_finish(&b->pipeline, &(PipelineOptions){.last = STAGE_SYSTEM}, &b->report);
    b->graph = b->pipeline.graph;
    b->system = b->pipeline.system;
    return b->system;
}

static inline void build_free(Build *b) {
    array_free(&b->var);
    array_free(&b->comp);
    array_free(&b->port);
    array_free(&b->bond);
    array_free(&b->equation);
    array_free(&b->initial);
    free(b->value);
    report_free(&b->report);
    arena_free(&b->pipeline.arena); // the model is the test's own
    arena_free(&b->arena);
    dag_free(b->dag);
    names_free(b->names);
    free(b);
}

static inline void print_report(const Build *b) {
    Sources *s = sources_new();
    Text t = {0};
    report_print(&t, &b->report, s);
    print_message("%s", text_get(&t));
    text_free(&t);
    sources_free(s);
}

static inline bool has_code(const Build *b, Code code) {
    for (const Remark *r = b->report.first; r; r = r->next)
        if (r->code == code) return true;
    return false;
}

// --- a small simulator --------------------------------------------------------------------------

static inline double *number_of(Build *b, Expr symbol) {
    return &b->value[expr_symbol_index(b->dag, symbol)];
}

static inline void solve_block(Build *b, const Block *block) {
    int n = block->size;
    double *a = calloc((size_t)(n * n), sizeof *a), *x = calloc((size_t)n, sizeof *x);
    for (int step = 0; step < 50; step++) {
        double size = 0;
        for (int i = 0; i < n; i++) x[i] = expr_evaluate(b->dag, block->residual[i], b->value);
        const Sparse *m = &block->jacobian;
        for (int i = 0; i < n * n; i++) a[i] = 0;
        for (int j = 0; j < n; j++)
            for (int i = m->start[j]; i < m->start[j + 1]; i++)
                a[m->row[i] * n + j] = expr_evaluate(b->dag, m->entry[i], b->value);
        elimination_solve(n, a, x);
        for (int i = 0; i < n; i++) {
            *number_of(b, block->unknown[i]) -= x[i];
            size = fmax(size, fabs(x[i]));
        }
        if (size < 1e-14) break;
    }
    free(a);
    free(x);
}

static inline void solve_blocks(Build *b) {
    for (int k = 0; k < b->system->block_count; k++) solve_block(b, &b->system->block[k]);
}

static inline void guess_unknowns(Build *b, const Block *block) {
    for (int i = 0; i < block->size; i++)
        *number_of(b, block->unknown[i]) = expr_evaluate(b->dag, block->guess[i], b->value);
}

// Of each set the last candidates are states, for good: enough for short runs.
static inline void pick_states(Build *b) {
    for (int i = 0; i < b->system->set_count; i++) {
        const StateSet *s = &b->system->set[i];
        for (int j = 0; j < s->free; j++)
            *number_of(b, s->pick[j * s->count + s->count - s->free + j]) = 1;
    }
}

static inline void sim_prepare(Build *b) {
    if (!b->system) {
        print_report(b);
        fail_msg("no system");
    }
    b->value = calloc((size_t)expr_symbol_count(b->dag) + 1, sizeof(double));
    for (int i = 0; i < b->var.count; i++) {
        const Var *v = &b->var.data[i];
        if (v->kind == VAR_PARAM)
            *number_of(b, v->symbol) = expr_evaluate(b->dag, v->value, b->value);
    }
    const System *s = b->system;
    pick_states(b);
    for (int k = 0; k < s->start_block_count; k++) {
        guess_unknowns(b, &s->start_block[k]);
        solve_block(b, &s->start_block[k]);
    }
    for (int i = 0; i < s->state_count; i++)
        *number_of(b, s->state[i]) = expr_evaluate(b->dag, s->start[i], b->value);
    for (int k = 0; k < s->block_count; k++) guess_unknowns(b, &s->block[k]);
    for (int i = 0; i < s->choice_count; i++)
        for (int k = 0; k < s->choice[i].columns; k++)
            *number_of(b, s->choice[i].value[k]) =
                expr_evaluate(b->dag, s->choice[i].start[k], b->value);
}

static inline double value_of(Build *b, const char *path) {
    return expr_evaluate(b->dag, b->system->value[find_var(b, path)], b->value);
}

static inline double rate_of(Build *b, const char *path) {
    int v = find_var(b, path);
    for (int i = 0; i < b->system->state_count; i++)
        if (b->system->state_var[i] == v)
            return expr_evaluate(b->dag, b->system->rate[i], b->value);
    fail_msg("%s is no state", path);
    return 0;
}

static inline bool is_state_var(const Build *b, const char *path) {
    int v = find_var(b, path);
    for (int i = 0; i < b->system->state_count; i++)
        if (b->system->state_var[i] == v) return true;
    return false;
}

static inline void set_state(Build *b, const char *path, double x) {
    b->value[expr_symbol_index(b->dag, sym(b, path))] = x;
    solve_blocks(b);
}

static inline void rates_at(Build *b, double time, const double *x, double *rate) {
    const System *s = b->system;
    b->value[expr_symbol_index(b->dag, s->time)] = time;
    for (int i = 0; i < s->state_count; i++)
        b->value[expr_symbol_index(b->dag, s->state[i])] = x[i];
    solve_blocks(b);
    for (int i = 0; i < s->state_count; i++) rate[i] = expr_evaluate(b->dag, s->rate[i], b->value);
}

// Runge-Kutta from the values that stand, for n steps.
static inline void simulate(Build *b, double from, double to, int n) {
    const System *s = b->system;
    int m = s->state_count;
    double x[32], y[32], k[4][32], h = (to - from) / n;
    for (int i = 0; i < m; i++) x[i] = b->value[expr_symbol_index(b->dag, s->state[i])];
    for (int step = 0; step < n; step++) {
        double t = from + h * step;
        static const double at[] = {0, 0.5, 0.5, 1};
        for (int j = 0; j < 4; j++) {
            for (int i = 0; i < m; i++) y[i] = j ? x[i] + at[j] * h * k[j - 1][i] : x[i];
            rates_at(b, t + at[j] * h, y, k[j]);
        }
        for (int i = 0; i < m; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    rates_at(b, to, x, y);
}

#endif
