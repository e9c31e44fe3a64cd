// The tape's Jacobian by more than the states: parameters become states that rest, and outputs
// states whose rate they are,
//
//     x' = f(x, c)      c' = 0      z' = h(x, c)          J = [f_x f_c 0; 0 0 0; h_x h_c 0]
//
// so that derivatives through formulas, blocks, tables and colours are those that solvers use.
// Parameters that are made of a column follow it.
#include "analysis/tangent.h"

#include "base/memory.h"
#include "solve/schur.h"
#include <math.h>
#include <string.h>

enum { LARGEST_FULL = 4000 }; // rows of a Jacobian that is kept as a full matrix

struct Tangent {
    Arena arena;
    const System *of;
    System system;
    Program *program;
    Machine *machine;
    Schur *schur; // NULL: formulas pass through blocks
    int n, columns, rows;
    double *state, *rate, *nonzero;
    double *value;    // per row
    double *jacobian; // rows by columns, column by column; NULL: too large, entries are looked up
    Expr origin;
    double *parameter;
};

// --- building ------------------------------------------------------------------------------------

Rewrite *tangent_follow(const System *s, const Expr *column, int columns) {
    const Model *m = s->model;
    Dag *d = dag_grow(s->dag);
    Rewrite *w = rewrite_new(d);
    Rewrite *through = rewrite_new(d); // every formula, to see what it leads to
    for (int v = 0; v < m->var_count; v++)
        if (m->var[v].kind == VAR_PARAM && m->var[v].value && m->var[v].symbol &&
            !expr_is_number(s->dag, m->var[v].value, NULL))
            rewrite_set(through, m->var[v].symbol, m->var[v].value);
    for (int v = 0; v < m->var_count; v++) {
        const Var *x = &m->var[v];
        if (x->kind != VAR_PARAM || !x->value || !x->symbol ||
            expr_is_number(s->dag, x->value, NULL))
            continue;
        Expr full = x->value;
        for (Expr before = 0; before != full;) before = full, full = rewrite(through, full);
        bool leads = false, own = false;
        for (int c = 0; c < columns; c++) {
            leads = leads || expr_depends(s->dag, full, column[c]);
            own = own || column[c] == x->symbol;
        }
        if (leads && !own) rewrite_set(w, x->symbol, full);
    }
    rewrite_free(through);
    return w;
}

static Block *rewritten_blocks(Arena *out, Rewrite *w, const Block *from, int count) {
    Block *block = ARENA_ARRAY(out, Block, count + 1);
    for (int i = 0; i < count; i++) {
        Block *b = &block[i];
        *b = from[i];
        int entries = b->jacobian.start[b->size];
        b->residual = ARENA_ARRAY(out, Expr, b->size);
        b->jacobian.entry = ARENA_ARRAY(out, Expr, entries + 1);
        for (int k = 0; k < b->size; k++) b->residual[k] = rewrite(w, from[i].residual[k]);
        for (int k = 0; k < entries; k++)
            b->jacobian.entry[k] = rewrite(w, from[i].jacobian.entry[k]);
    }
    return block;
}

static bool is_discrete(const System *s, Expr symbol) {
    for (int k = 0; k < s->whens.discrete_count; k++)
        if (s->whens.discrete[k] == symbol) return true;
    return false;
}

// The symbol of the state that stands for a column. A held value lives in a register of its own, so it gets a new
// symbol.
static Expr column_state(Rewrite *w, const System *s, Expr column) {
    if (!is_discrete(s, column)) return column;
    Expr state = expr_symbol(dag_grow(s->dag), name_of(dag_names(s->dag), "held"));
    rewrite_set(w, column, state);
    return state;
}

static void augment(Tangent *t, const System *s, const Expr *column, const Expr *row) {
    Dag *d = dag_grow(s->dag);
    Rewrite *w = tangent_follow(s, column, t->columns);
    System *a = &t->system;
    *a = *s;
    int all = a->state_count = t->n + t->columns + t->rows;
    a->state = ARENA_ARRAY(&t->arena, Expr, all + 1);
    a->rate = ARENA_ARRAY(&t->arena, Expr, all + 1);
    a->start = ARENA_ARRAY(&t->arena, Expr, all + 1);
    a->state_var = ARENA_ARRAY(&t->arena, int, all + 1);
    Expr zero = expr_number(d, 0);
    for (int c = 0; c < t->columns; c++) a->state[t->n + c] = column_state(w, s, column[c]);
    Symbols numbers = {0};
    symbols_open(&numbers, s->model);
    for (int i = 0; i < all; i++) {
        int c = i - t->n, z = c - t->columns;
        bool own = i < t->n, rests = !own && c < t->columns;
        a->state_var[i] = own ? s->state_var[i] : -1;
        a->start[i] = own ? s->start[i]
                      : rests && !is_discrete(s, column[c])
                          ? expr_number(d, symbols_evaluate(&numbers, column[c]))
                          : zero;
        a->state[i] = own     ? s->state[i]
                      : rests ? a->state[i]
                              : expr_symbol(d, name_printf(dag_names(d), "row(%d)", z));
        a->rate[i] = own ? rewrite(w, s->rate[i]) : rests ? zero : rewrite(w, row[z]);
    }
    symbols_close(&numbers);
    a->block = rewritten_blocks(&t->arena, w, s->block, s->block_count);
    rewrite_free(w);
}

static void make_room(Tangent *t) {
    size_t all = (size_t)t->program->state_count;
    int rows = t->n + t->rows, columns = t->n + t->columns;
    t->state = memory_zeroed(all + 1, sizeof(double));
    t->rate = memory_zeroed(all + 1, sizeof(double));
    t->nonzero = memory_zeroed((size_t)t->program->nonzero_count + 1, sizeof(double));
    t->value = memory_zeroed((size_t)rows + 1, sizeof(double));
    if (rows <= LARGEST_FULL)
        t->jacobian = memory_zeroed((size_t)rows * (size_t)columns + 1, sizeof(double));
    t->parameter = memory_zeroed(t->program->param_count + 1, sizeof(double));
}

Tangent *tangent_new(const System *s, const Expr *column, int columns, const Expr *row, int rows,
                     Report *r) {
    Tangent *t = memory_zeroed(1, sizeof *t);
    t->of = s;
    t->n = s->state_count;
    t->columns = columns;
    t->rows = rows;
    augment(t, s, column, row);
    ProgramOptions options = {.exact = true};
    t->program = program_build(&t->system, &options, r);
    if (!t->program) {
        tangent_free(t);
        return NULL;
    }
    if (!t->program->has_jacobian && !t->program->has_implicit) {
        Remark *m = report_error(r, A_TOO_LARGE, s->model->pos,
                                 "the exact Jacobian of '%s' is out of proportion",
                                 name_text(s->model->names, s->model->name));
        remark_help(r, m, "linearise a smaller model, or a part of it");
        tangent_free(t);
        return NULL;
    }
    t->machine = machine_new(t->program);
    if (!t->program->has_jacobian) t->schur = schur_new(t->program);
    make_room(t);
    return t;
}

void tangent_free(Tangent *t) {
    if (!t) return;
    schur_free(t->schur);
    machine_free(t->machine);
    program_free(t->program);
    free(t->state);
    free(t->rate);
    free(t->nonzero);
    free(t->value);
    free(t->jacobian);
    free(t->parameter);
    arena_free(&t->arena);
    free(t);
}

// --- points --------------------------------------------------------------------------------------

static double run_parameter(const Reached *at, int var, double otherwise) {
    const Program *p = at->program;
    for (uint32_t i = 0; i < p->param_count; i++)
        if (p->param_var[i] == var) return at->machine->reg[p->first_param + i];
    return otherwise;
}

bool tangent_start(Tangent *t, const Reached *at, Expr origin) {
    const Program *p = t->program, *from = at->program;
    t->origin = origin;
    for (uint32_t i = 0; i < p->param_count; i++)
        t->parameter[i] = run_parameter(at, p->param_var[i], p->param_value[i]);
    for (uint32_t i = 0; i < p->param_count && origin; i++)
        if (t->of->model->var[p->param_var[i]].symbol == origin) t->parameter[i] = at->time;
    if (!machine_set_params(t->machine, t->parameter)) return false;
    memcpy(t->machine->reg + p->first_held, at->machine->reg + from->first_held,
           (size_t)from->held_count * sizeof(double));
    int unknowns = 0;
    for (int i = 0; i < t->of->block_count; i++) unknowns += t->of->block[i].size;
    memcpy(t->machine->reg + p->first_unknown, at->machine->reg + from->first_unknown,
           (size_t)unknowns * sizeof(double));
    return true;
}

static void scatter(Tangent *t) {
    const Program *p = t->program;
    int rows = t->n + t->rows, columns = t->n + t->columns;
    memset(t->jacobian, 0, (size_t)rows * (size_t)columns * sizeof(double));
    for (int c = 0; c < columns; c++)
        for (int k = p->column_start[c]; k < p->column_start[c + 1]; k++) {
            int row = p->row[k] < t->n ? p->row[k] : p->row[k] - t->columns;
            if (p->row[k] >= t->n && p->row[k] < t->n + t->columns) continue;
            t->jacobian[(size_t)c * (size_t)rows + (size_t)row] = t->nonzero[k];
        }
}

static void set_origin(Tangent *t, double time) {
    const Program *p = t->program;
    for (uint32_t i = 0; i < p->param_count && t->origin; i++)
        if (t->of->model->var[p->param_var[i]].symbol == t->origin && t->parameter[i] != time) {
            t->parameter[i] = time;
            machine_set_params(t->machine, t->parameter);
        }
}

bool tangent_value_at(Tangent *t, double time, const double *state, const double *column) {
    set_origin(t, time);
    for (int i = 0; i < t->n; i++) t->state[i] = state[i];
    for (int i = 0; i < t->columns; i++) t->state[t->n + i] = column[i];
    machine_update_switches(t->machine, time, t->state);
    if (!machine_derivative(t->machine, time, t->state, t->rate, NULL)) return false;
    for (int i = 0; i < t->n; i++) t->value[i] = t->rate[i];
    for (int i = 0; i < t->rows; i++) t->value[t->n + i] = t->rate[t->n + t->columns + i];
    for (int i = 0; i < t->n + t->rows; i++)
        if (!isfinite(t->value[i])) return false;
    return true;
}

bool tangent_at(Tangent *t, double time, const double *state, const double *column) {
    if (!tangent_value_at(t, time, state, column)) return false;
    bool good = t->schur ? schur_at(t->schur, t->machine, time, t->state, t->nonzero)
                         : machine_jacobian(t->machine, time, t->state, t->nonzero);
    if (!good) return false;
    for (int k = 0; k < t->program->nonzero_count; k++)
        if (!isfinite(t->nonzero[k])) return false;
    if (t->jacobian) scatter(t);
    return true;
}

const double *tangent_value(const Tangent *t) { return t->value; }

// In a column of the sparse matrix.
static double looked_up(const Tangent *t, int row, int column) {
    const Program *p = t->program;
    int of = row < t->n ? row : row + t->columns;
    for (int k = p->column_start[column]; k < p->column_start[column + 1]; k++)
        if (p->row[k] == of) return t->nonzero[k];
    return 0;
}

void tangent_sparse(const Tangent *t, int **start, int **row, double **value) {
    const Program *p = t->program;
    size_t most = (size_t)p->nonzero_count + 1;
    int count = 0;
    *start = memory_zeroed((size_t)t->n + 1, sizeof **start);
    *row = memory_zeroed(most, sizeof **row);
    *value = memory_zeroed(most, sizeof **value);
    for (int c = 0; c < t->n; c++) {
        for (int k = p->column_start[c]; k < p->column_start[c + 1]; k++) {
            if (p->row[k] >= t->n) continue;
            (*row)[count] = p->row[k];
            (*value)[count++] = t->nonzero[k];
        }
        (*start)[c + 1] = count;
    }
}

double tangent_slope(const Tangent *t, int row, int column) {
    if (!t->jacobian) return looked_up(t, row, column);
    return t->jacobian[(size_t)column * (size_t)(t->n + t->rows) + (size_t)row];
}

const Machine *tangent_machine(const Tangent *t) { return t->machine; }
