// Why a value is no number: the expression below it is evaluated node by node, and from the top the
// search follows arguments that are not finite down to the first operation whose inputs are.
//
//        rate = nan            rate <- product <- sqrt(e): e = -3 is finite, so the root
//         |    \               of a negative number is to blame, and e is named.
//       sqrt(e)  k
#include "engine/check.h"

#include "base/memory.h"
#include "expr/kernels.h"
#include <math.h>

// --- names ---------------------------------------------------------------------------------------

static const char *symbol_text(const Program *p, Expr e) {
    const Dag *dag = p->system->dag;
    return name_text(dag_names(dag), expr_symbol_name(dag, expr_symbol_index(dag, e)));
}

const char *program_state_name(const Program *p, int state) {
    return system_state_name(p->system, state);
}

Pos program_state_pos(const Program *p, int state) { return system_state_pos(p->system, state); }

static int variable_with_value(const System *s, Expr e) {
    for (int i = 0; s->value && i < s->model->var_count; i++)
        if (s->value[i] == e) return i;
    return -1;
}

enum { SHORT_FORMULA = 24, FEW_NAMES = 4 };

static void name_by_symbols(Text *out, const Program *p, const ExprWalk *walk) {
    int found = 0;
    text_add(out, "an expression of ");
    for (int i = 0; i < walk_count(walk); i++) {
        if (expr_op(p->system->dag, walk_at(walk, i)) != OP_SYMBOL || ++found > FEW_NAMES) continue;
        text_printf(out, "%s%s", found > 1 ? ", " : "", symbol_text(p, walk_at(walk, i)));
    }
    if (found > FEW_NAMES) text_printf(out, " and %d more", found - FEW_NAMES);
}

void program_name(Text *out, const Program *p, Expr e) {
    const System *s = p->system;
    int var = variable_with_value(s, e);
    if (var >= 0) {
        text_add(out, name_text(s->model->names, s->model->var[var].path));
        return;
    }
    ExprWalk *walk = walk_new(s->dag);
    walk_start(walk);
    walk_add(walk, e);
    if (walk_count(walk) <= SHORT_FORMULA) {
        Printer how = {.style = PRINT_TEXT};
        expr_print(out, s->dag, e, &how);
    } else {
        name_by_symbols(out, p, walk);
    }
    walk_free(walk);
}

// --- values --------------------------------------------------------------------------------------

typedef struct {
    const Machine *m;
    const Dag *dag;
    double *symbol; // per symbol
    double *node;   // per node below the value in question
    MatrixValues matrix;
    ExprWalk *walk;
} Values;

static void set_symbol(Values *v, Expr e, double value) {
    v->symbol[expr_symbol_index(v->dag, e)] = value;
}

// Those of the program as the run has them, the others from their formulas.
static void set_params(Values *v) {
    const Program *p = v->m->program;
    const Model *model = p->system->model;
    int count, *order = model_param_order(model, &count);
    bool *given = memory_zeroed((size_t)model->var_count, sizeof *given);
    for (uint32_t i = 0; i < p->param_count; i++) {
        given[p->param_var[i]] = true;
        set_symbol(v, model->var[p->param_var[i]].symbol, v->m->reg[p->first_param + i]);
    }
    for (int i = 0; i < count; i++) {
        const Var *x = &model->var[order[i]];
        if (x->value && !given[order[i]])
            set_symbol(v, x->symbol, expr_evaluate(v->dag, x->value, v->symbol));
    }
    free(given);
    free(order);
}

// Samples that are due and branches that happen at this moment, as the registers have them.
static void set_moments(Values *v) {
    const Whens *w = &v->m->program->system->whens;
    const double *held = v->m->reg + v->m->program->first_held + w->discrete_count;
    for (int i = 0; i < w->sample_count; i++) set_symbol(v, w->sample[i], held[i]);
    for (int i = 0; i < w->branch_count; i++) set_symbol(v, w->fired[i], held[w->sample_count + i]);
}

static void set_symbols(Values *v) {
    const Program *p = v->m->program;
    const System *s = p->system;
    set_params(v);
    if (s->time) set_symbol(v, s->time, v->m->reg[p->time]);
    for (int i = 0; i < s->state_count; i++)
        set_symbol(v, s->state[i], v->m->reg[p->first_state + (uint32_t)i]);
    for (int i = 0; i < s->whens.discrete_count; i++)
        set_symbol(v, s->whens.discrete[i], v->m->reg[p->first_held + (uint32_t)i]);
    set_moments(v);
    for (int i = 0; i < s->set_count; i++) // which variables are states now
        for (int k = 0; k < s->set[i].free * s->set[i].count; k++)
            set_symbol(v, s->set[i].pick[k],
                       v->m->reg[p->first_held + (uint32_t)(p->first_pick[i] + k)]);
    for (int i = 0; i < s->block_count; i++)
        for (int k = 0; k < s->block[i].size; k++)
            set_symbol(v, s->block[i].unknown[k], v->m->reg[p->block[i].unknown + (uint32_t)k]);
}

void machine_symbols(const Machine *m, double *symbol_value) {
    Values v = {.m = m, .dag = m->program->system->dag};
    v.symbol = symbol_value;
    set_symbols(&v);
}

static double matrix_node(Values *v, Expr e) {
    v->matrix.in.count = 0;
    for (int i = 1; i < expr_arg_count(v->dag, e); i++)
        array_push(&v->matrix.in, v->node[expr_arg(v->dag, e, i)]);
    return matrix_values_add(&v->matrix, v->dag, e);
}

static double node_value(Values *v, Expr e) {
    Op op = expr_op(v->dag, e);
    int count = expr_arg_count(v->dag, e);
    double a[3] = {0, 0, 0}, all = op == OP_PRODUCT;
    switch (op) {
    case OP_NUMBER: return expr_value(v->dag, e);
    case OP_SYMBOL: return v->symbol[expr_symbol_index(v->dag, e)];
    case OP_SUM:
        for (int i = 0; i < count; i++) all += v->node[expr_arg(v->dag, e, i)];
        return all;
    case OP_PRODUCT:
        for (int i = 0; i < count; i++) all *= v->node[expr_arg(v->dag, e, i)];
        return all;
    case OP_MATRIX: return matrix_node(v, e);
    default: break;
    }
    for (int i = 0; i < count && i < 3; i++) a[i] = v->node[expr_arg(v->dag, e, i)];
    if (op == OP_ENTRY) return v->matrix.out.data[(int)a[0] + (int)a[1]];
    if (op == OP_TABLE) return table_value(expr_table(v->dag, (int)a[0]), a[1]);
    if (op == OP_TABLE_SLOPE) return table_slope(expr_table(v->dag, (int)a[0]), a[1]);
    return kernel(op, a[0], a[1], a[2]);
}

static Values values_of(const Machine *m, const Expr *root, int count) {
    const Dag *dag = m->program->system->dag;
    Values v = {.m = m, .dag = dag};
    v.symbol = memory_zeroed((size_t)expr_symbol_count(dag), sizeof *v.symbol);
    v.node = memory_zeroed((size_t)dag_size(dag) + 1, sizeof *v.node);
    set_symbols(&v);
    v.walk = walk_new(dag);
    walk_start(v.walk);
    for (int i = 0; i < count; i++) walk_add(v.walk, root[i]);
    for (int i = 0; i < walk_count(v.walk); i++)
        v.node[walk_at(v.walk, i)] = node_value(&v, walk_at(v.walk, i));
    return v;
}

static void values_free(Values *v) {
    free(v->symbol);
    free(v->node);
    matrix_values_free(&v->matrix);
    walk_free(v->walk);
}

void machine_values(const Machine *m, const Expr *e, int count, double *value) {
    Values v = values_of(m, e, count);
    for (int i = 0; i < count; i++) value[i] = v.node[e[i]];
    values_free(&v);
}

// --- the search ----------------------------------------------------------------------------------

// The argument that carries the trouble up to e, or 0: e itself makes it.
static Expr bad_argument(const Values *v, Expr e) {
    if (expr_op(v->dag, e) == OP_ENTRY) e = expr_arg(v->dag, e, 0);
    int count = expr_arg_count(v->dag, e);
    if (expr_op(v->dag, e) == OP_IF) {
        Expr taken = expr_arg(v->dag, e, v->node[expr_arg(v->dag, e, 0)] != 0 ? 1 : 2);
        return isfinite(v->node[taken]) ? 0 : taken;
    }
    for (int i = 0; i < count; i++)
        if (!isfinite(v->node[expr_arg(v->dag, e, i)])) return expr_arg(v->dag, e, i);
    return 0;
}

static const char *trouble(Op op, double a, double b, int *input) {
    *input = 0;
    switch (op) {
    case OP_POWER:
        if (a == 0 && b < 0) return "division by zero";
        if (a < 0 && b != floor(b)) return "root of a negative number";
        break;
    case OP_LOG: return a == 0 ? "logarithm of zero" : "logarithm of a negative number";
    case OP_ASIN:
    case OP_ACOS: return "arc function of a number beyond 1";
    case OP_MOD: return *input = 1, "remainder of a division by zero";
    case OP_SYMBOL: return "a variable that is no number";
    case OP_ENTRY: return "a function of matrices without a value";
    default: break;
    }
    *input = -1;
    return "a result beyond the range of numbers";
}

static bool is_constant(const Program *p, Expr e) {
    const Dag *dag = p->system->dag;
    ExprWalk *walk = walk_new(dag);
    walk_start(walk);
    walk_add(walk, e);
    const Model *model = p->system->model;
    int *var = model_symbol_vars(model);
    bool constant = true;
    for (int i = 0; i < walk_count(walk) && constant; i++)
        if (expr_op(dag, walk_at(walk, i)) == OP_SYMBOL) {
            int v = var[expr_symbol_index(dag, walk_at(walk, i))];
            constant = v >= 0 && model->var[v].kind == VAR_PARAM;
        }
    free(var);
    walk_free(walk);
    return constant;
}

Cause machine_find_cause(const Machine *m, Expr bad) {
    Values v = values_of(m, &bad, 1);
    Expr e = bad;
    for (Expr below = bad; below; below = bad_argument(&v, e)) e = below;
    Cause c = {.node = e, .what = "a result beyond the range of numbers"};
    if (!isfinite(v.node[e])) {
        int count = expr_arg_count(v.dag, e), input;
        double a = count > 0 ? v.node[expr_arg(v.dag, e, 0)] : 0;
        double b = count > 1 ? v.node[expr_arg(v.dag, e, 1)] : 0;
        c.what = trouble(expr_op(v.dag, e), a, b, &input);
        if (input >= 0) c.input = count ? expr_arg(v.dag, e, input) : e;
        if (c.input) c.value = v.node[c.input];
        c.constant = is_constant(m->program, e);
        if (expr_op(v.dag, e) == OP_ENTRY) c.matrix = expr_arg(v.dag, e, 0);
    }
    values_free(&v);
    return c;
}

static void cause_explain_matrix(const Machine *m, Expr matrix, Text *what, Text *help) {
    Values v = values_of(m, &matrix, 1);
    v.matrix.in.count = 0;
    for (int i = 1; i < expr_arg_count(v.dag, matrix); i++)
        array_push(&v.matrix.in, v.node[expr_arg(v.dag, matrix, i)]);
    MatrixShape shape = expr_matrix_kind(v.dag, matrix)->shape;
    text_printf(what, "'%s' has no value: ", matrix_function_name(shape));
    matrix_explain(shape, v.matrix.in.data, what, help);
    values_free(&v);
}

void cause_print(Text *out, const Machine *m, const Cause *c) {
    const Program *p = m->program;
    if (c->matrix) {
        Text help = {0};
        cause_explain_matrix(m, c->matrix, out, &help);
        text_free(&help);
        return;
    }
    text_printf(out, "%s", c->what);
    if (c->input != c->node) {
        text_add(out, " in ");
        program_name(out, p, c->node);
    }
    if (!c->input) return;
    text_add(out, ": ");
    program_name(out, p, c->input);
    text_printf(out, " = %g", c->value);
}

void machine_explain(const Machine *m, Expr bad, Text *out) {
    Cause cause = machine_find_cause(m, bad);
    cause_print(out, m, &cause);
}

void machine_explain_rate(Machine *m, double time, const double *state, int rate, Text *out) {
    const Program *p = m->program;
    double *scratch =
        memory_zeroed((size_t)p->state_count + (size_t)p->quad_count, sizeof *scratch);
    machine_derivative(m, time, state, scratch, scratch + p->state_count);
    free(scratch);
    machine_explain(
        m, rate < p->state_count ? p->system->rate[rate] : p->quadrature[rate - p->state_count],
        out);
}

const char remedy_for_overflow[] = "numbers end at 1.8e308: look for data out of proportion, such "
                                   "as a mass in the wrong unit, and "
                                   "for what makes the motion grow";

bool machine_overflows(const Machine *m, Expr bad) { return !machine_find_cause(m, bad).input; }

void machine_note_law(const Machine *m, Expr bad, Report *r, Remark *to) {
    const System *s = m->program->system;
    const Model *model = s->model;
    Cause cause = machine_find_cause(m, bad);
    int i = cause.node ? equation_with(s, cause.node) : -1;
    if (i < 0 && cause.input) i = equation_with(s, cause.input);
    if (i < 0) return;
    const Equation *e = &model->equation[i];
    if (e->comp >= 0)
        remark_note(r, to, e->pos, "it stands in the law of '%s'",
                    name_text(model->names, model->comp[e->comp].path));
    else
        remark_note(r, to, e->pos, "it stands in this equation");
}

void machine_explain_start(Machine *m, double time, int state, Text *out) {
    const Program *p = m->program;
    double *scratch = memory_zeroed((size_t)p->state_count, sizeof *scratch);
    machine_initial(m, time, scratch);
    free(scratch);
    machine_explain(m, p->system->start[state], out);
}

void machine_explain_output(Machine *m, double time, const double *state, int output, Text *out) {
    const Program *p = m->program;
    double *scratch = memory_zeroed((size_t)p->output_count, sizeof *scratch);
    machine_outputs(m, time, state, scratch);
    free(scratch);
    machine_explain(m, p->output[output], out);
}
