// A linear model at a point: the tangent of rates, outputs, constraints and gradients of energies
// by states and inputs, in minimal coordinates.
//
//                 x          u  u'  u''
//     rates       A          B  B1   0
//     outputs     C          D  D1   0
//     constraints G          H           -> chart: which states follow from others
//     gradients   second derivatives     -> energy of storages in a mode
#include "analysis/linear.h"

#include "analysis/chart.h"
#include "analysis/dense.h"
#include "analysis/tangent.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

typedef ARRAY(Expr) Exprs;

typedef struct {
    int storage, state; // a gradient: d energy / d state
} Gradient;

typedef struct {
    const System *s;
    const LinearPlan *plan;
    const Reached *at;
    Report *r;
    Resolver *resolver;
    Exprs column, row;
    ARRAY(int) comp; // storages
    ARRAY(Gradient) gradient;
    int outputs, constraints; // rows
    ConstraintRows rows;
    Tangent *t;
    Chart chart;
    LinearModel *l;
} Work;

// --- what is differentiated ----------------------------------------------------------------------

static bool has_unknowns(const Work *w, Expr e) {
    for (int b = 0; b < w->s->block_count; b++)
        for (int k = 0; k < w->s->block[b].size; k++)
            if (expr_depends(w->s->dag, e, w->s->block[b].unknown[k])) return true;
    return false;
}

// Gradients of stored energies, as far as formulas have them.
static void want_energies(Work *w) {
    const System *s = w->s;
    Partials *partials = partials_new(dag_grow(s->dag));
    Exprs stored = {0};
    for (int c = 0; c < s->model->comp_count; c++) {
        if (!s->stored[c] || has_unknowns(w, s->stored[c])) continue;
        array_push(&w->comp, c);
        array_push(&stored, s->stored[c]);
    }
    SymbolLists below = {0};
    expr_symbols_below(s->dag, stored.data, stored.count, &below);
    int *state = memory_zeroed((size_t)expr_symbol_count(s->dag) + 1, sizeof *state);
    for (int i = 0; i < s->state_count; i++) state[expr_symbol_index(s->dag, s->state[i])] = i + 1;
    for (int k = 0; k < stored.count; k++) {
        partials_of(partials, stored.data[k]);
        for (int i = below.first.data[k]; i < below.first.data[k + 1]; i++) {
            Expr symbol = below.symbol.data[i];
            int number = state[expr_symbol_index(s->dag, symbol)] - 1;
            if (number < 0) continue;
            array_push(&w->gradient, ((Gradient){k, number}));
            array_push(&w->row, partials_by(partials, symbol));
        }
    }
    free(state);
    symbol_lists_free(&below);
    array_free(&stored);
    partials_free(partials);
}

static void want_all(Work *w) {
    const Model *m = w->s->model;
    for (int i = 0; i < w->plan->output_count; i++)
        array_push(&w->row, resolve(w->resolver, m->var[w->plan->output[i]].symbol));
    for (int i = 0; i < w->plan->row_count; i++) array_push(&w->row, w->plan->row[i]);
    w->outputs = w->row.count;
    constraint_rows(w->s, w->resolver, &w->rows);
    for (int i = 0; i < w->rows.count; i++) array_push(&w->row, w->rows.row[i]);
    w->constraints = w->rows.count;
    want_energies(w);
    for (int i = 0; i < w->plan->look_count; i++)
        array_push(&w->row, resolve(w->resolver, w->plan->look[i]));
    for (int part = 0; part < 3; part++)
        for (int i = 0; i < w->plan->input_count; i++) {
            const LinearInput *u = &w->plan->input[i];
            Expr symbol = part == 0 ? u->delta : part == 1 ? u->rate : u->bend;
            if (symbol) array_push(&w->column, symbol);
        }
}

// --- the point -----------------------------------------------------------------------------------

// A parameter or a discrete variable as the run has it.
static double value_at(const Reached *at, Symbols *numbers, Expr symbol) {
    const Program *p = at->program;
    for (uint32_t k = 0; k < p->param_count; k++)
        if (p->system->model->var[p->param_var[k]].symbol == symbol)
            return at->machine->reg[p->first_param + k];
    const Whens *d = &at->system->whens;
    for (int k = 0; k < d->discrete_count; k++)
        if (d->discrete[k] == symbol) return machine_held(at->machine)[k];
    return symbols_evaluate(numbers, symbol);
}

static bool evaluate(Work *w) {
    double *column = memory_zeroed((size_t)w->column.count + 1, sizeof *column);
    w->t = tangent_new(w->s, w->column.data, w->column.count, w->row.data, w->row.count, w->r);
    bool good = w->t && tangent_start(w->t, w->at, w->plan->origin);
    Symbols numbers = {0};
    symbols_open(&numbers, w->s->model);
    for (int i = 0; i < w->column.count; i++)
        column[i] = value_at(w->at, &numbers, w->column.data[i]);
    symbols_close(&numbers);
    if (good) good = tangent_at(w->t, w->at->time, w->at->state, column);
    free(column);
    if (good || w->r->errors) return good;
    Remark *x = report_error(w->r, A_NO_POINT, w->s->model->pos,
                             "at t = %g s the equations or their derivatives have no finite value",
                             w->at->time);
    remark_help(
        w->r, x,
        "a root, a power or a quotient is at the end of its range there: choose another point");
    return false;
}

// --- minimal coordinates -------------------------------------------------------------------------

static bool is_fast(const Work *w, int state) {
    const Model *m = w->s->model;
    int var = w->s->state_var[state];
    if (var < 0) return false;
    for (int i = 0; i < m->speed_count; i++)
        if (m->speed[i].state == var) return true;
    return m->var[var].kind == VAR_MOMENTUM || m->var[var].kind == VAR_VELOCITY;
}

static void make_chart(Work *w) {
    int n = w->s->state_count, m = w->column.count, width = n + m;
    double *G = memory_zeroed((size_t)w->constraints * (size_t)width + 1, sizeof *G);
    for (int r = 0; r < w->constraints; r++)
        for (int j = 0; j < width; j++)
            G[(size_t)r * (size_t)width + (size_t)j] = tangent_slope(w->t, n + w->outputs + r, j);
    bool *fast = memory_zeroed((size_t)n + 1, sizeof *fast);
    for (int i = 0; i < n; i++) fast[i] = is_fast(w, i);
    w->chart = chart_make(n, m, w->constraints, G, w->rows.fast, fast);
    free(fast);
    free(G);
}

// d row / d column along the constraints; column: a state that is kept, or n + an input.
static double along(const Work *w, int row, int column) {
    const Chart *c = &w->chart;
    double sum = tangent_slope(w->t, row, column);
    for (int k = 0; k < c->rank; k++) {
        double by = c->by[(size_t)k * (size_t)(c->n + c->m) + (size_t)column];
        if (by != 0) sum += tangent_slope(w->t, row, c->dependent[k]) * by;
    }
    return sum;
}

// --- the model -----------------------------------------------------------------------------------

static Label label_of(Work *w, const char *name, Dim dim) {
    Text unit = {0};
    if (dim.known && !dim_is_one(dim)) dim_print(&unit, dim);
    Label l = {arena_printf(&w->l->arena, "%s", name),
               arena_printf(&w->l->arena, "%s", text_get(&unit))};
    text_free(&unit);
    return l;
}

static Label label_of_var(Work *w, int var) {
    const Model *m = w->s->model;
    return label_of(w, name_text(m->names, m->var[var].path), m->var[var].dim);
}

static Label label_of_state(Work *w, int i) {
    int var = w->s->state_var[i];
    for (int k = 0; k < w->s->set_count && var < 0; k++) { // the one that is chosen now
        const StateSet *set = &w->s->set[k];
        int row = i - set->first_state;
        if (row < 0 || row >= set->free) continue;
        const double *pick = machine_held(w->at->machine) + w->at->program->first_pick[k];
        for (int c = 0; c < set->count; c++)
            if (pick[row * set->count + c] != 0) var = set->var[c];
    }
    if (var >= 0) return label_of_var(w, var);
    return label_of(w, system_state_name(w->s, i), DIM_UNKNOWN);
}

// How the place of a kept state moves a state of the system.
static double moves(const Work *w, int state, int kept) {
    const Chart *c = &w->chart;
    if (state == kept) return 1;
    for (int k = 0; k < c->rank; k++)
        if (c->dependent[k] == state)
            return c->by[(size_t)k * (size_t)(c->n + c->m) + (size_t)kept];
    return 0;
}

static double *matrix(Work *w, int rows, int columns) {
    return ARENA_ARRAY(&w->l->arena, double, (size_t)rows *(size_t)columns + 1);
}

static void make_lift(Work *w) {
    LinearModel *l = w->l;
    int n = w->s->state_count;
    l->lift = matrix(w, n, l->n);
    for (int j = 0; j < l->n; j++)
        for (int i = 0; i < n; i++)
            l->lift[(size_t)j * (size_t)n + (size_t)i] = moves(w, i, l->number[j]);
}

static void name_all(Work *w) {
    LinearModel *l = w->l;
    int n = w->s->state_count, at = 0;
    l->state = ARENA_ARRAY(&l->arena, Label, l->n + 1);
    l->number = ARENA_ARRAY(&l->arena, int, l->n + 1);
    l->left = ARENA_ARRAY(&l->arena, Label, n - l->n + 1);
    l->x = ARENA_ARRAY(&l->arena, double, l->n + 1);
    l->rate = ARENA_ARRAY(&l->arena, double, l->n + 1);
    for (int i = 0; i < n; i++) {
        if (w->chart.follows[i]) {
            l->left[l->left_count++] = label_of_state(w, i);
            continue;
        }
        l->number[at] = i;
        l->x[at] = w->at->state[i];
        l->rate[at] = tangent_value(w->t)[i];
        l->state[at++] = label_of_state(w, i);
    }
    l->input = ARENA_ARRAY(&l->arena, Label, l->m + 1);
    l->output = ARENA_ARRAY(&l->arena, Label, l->p + 1);
    l->u = ARENA_ARRAY(&l->arena, double, l->m + 1);
    l->y = ARENA_ARRAY(&l->arena, double, l->p + 1);
    l->look = ARENA_ARRAY(&l->arena, double, w->plan->look_count + 1);
    for (int i = 0; i < w->plan->look_count; i++)
        l->look[i] = tangent_value(w->t)[n + w->row.count - w->plan->look_count + i];
    for (int i = 0; i < l->m; i++) l->input[i] = label_of_var(w, w->plan->input[i].var);
    for (int i = 0; i < l->p; i++) {
        l->output[i] = i < w->plan->output_count ? label_of_var(w, w->plan->output[i])
                                                 : label_of(w, "", DIM_ONE);
        l->y[i] = tangent_value(w->t)[n + i];
    }
}

static void fill(Work *w, double *to, int rows, bool outputs, int columns, int first_column) {
    int n = w->s->state_count;
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            to[(size_t)j * (size_t)rows + (size_t)i] =
                along(w, outputs ? n + i : w->l->number[i],
                      first_column < 0 ? w->l->number[j] : first_column + j);
}

static bool any(const double *a, int count) {
    for (int i = 0; i < count; i++)
        if (a[i] != 0) return true;
    return false;
}

// Columns of rates follow those of inputs; parameters have none.
static bool fill_rates(Work *w, int part, double *by_rate, double *out_rate) {
    LinearModel *l = w->l;
    int at = w->s->state_count + l->m;
    for (int before = 1; before < part; before++)
        for (int i = 0; i < l->m; i++) at += w->plan->input[i].rate != 0;
    for (int j = 0; j < l->m; j++) {
        if (!w->plan->input[j].rate) continue;
        for (int i = 0; i < l->n; i++) by_rate[j * l->n + i] = along(w, l->number[i], at);
        for (int i = 0; i < l->p; i++) out_rate[j * l->p + i] = along(w, w->s->state_count + i, at);
        at++;
    }
    return any(by_rate, l->n * l->m) || any(out_rate, l->p * l->m);
}

// Bz = B + A B1, Dz = D + C B1
static void shift_states(Work *w) {
    LinearModel *l = w->l;
    l->Bz = l->B;
    l->Dz = l->D;
    if (!l->B1) return;
    l->Bz = matrix(w, l->n, l->m);
    l->Dz = matrix(w, l->p, l->m);
    dense_multiply(l->n, l->n, l->m, l->A, l->B1, l->Bz);
    dense_multiply(l->p, l->n, l->m, l->C, l->B1, l->Dz);
    for (int k = 0; k < l->n * l->m; k++) l->Bz[k] += l->B[k];
    for (int k = 0; k < l->p * l->m; k++) l->Dz[k] += l->D[k];
}

static bool take_rates(Work *w) {
    LinearModel *l = w->l;
    l->B1 = matrix(w, l->n, l->m);
    l->D1 = matrix(w, l->p, l->m);
    double *B2 = matrix(w, l->n, l->m), *D2 = matrix(w, l->p, l->m);
    if (!fill_rates(w, 1, l->B1, l->D1)) l->B1 = l->D1 = NULL;
    shift_states(w);
    if (!fill_rates(w, 2, B2, D2)) return true;
    int which = 0;
    while (which + 1 < l->m && !any(B2 + which * l->n, l->n) && !any(D2 + which * l->p, l->p))
        which++;
    Remark *x = report_error(w->r, A_IMPROPER, w->s->model->var[w->plan->input[which].var].pos,
                             "the second derivative of the input '%s' enters the equations",
                             l->input[which].name);
    remark_help(w->r, x,
                "it prescribes a position: prescribe the velocity or the acceleration instead");
    return false;
}

// Energy along the constraints: T' H T, with T = d all states / d kept ones.
static void take_bends(Work *w) {
    LinearModel *l = w->l;
    const Model *m = w->s->model;
    int n = w->s->state_count;
    ARRAY(Bend) bend = {0};
    l->storages = w->comp.count;
    l->storage = ARENA_ARRAY(&l->arena, Label, l->storages + 1);
    for (int k = 0; k < l->storages; k++)
        l->storage[k] = label_of(w, name_text(m->names, m->comp[w->comp.data[k]].path), DIM_ONE);
    for (int g = 0; g < w->gradient.count; g++) {
        Gradient x = w->gradient.data[g];
        int row = n + w->outputs + w->constraints + g;
        for (int j = 0; j < l->n; j++) {
            double slope = along(w, row, l->number[j]);
            for (int i = 0; i < l->n && slope != 0; i++) {
                double by = moves(w, x.state, l->number[i]);
                if (by != 0) array_push(&bend, ((Bend){x.storage, i, j, by * slope}));
            }
        }
    }
    l->bend = ARENA_ARRAY(&l->arena, Bend, bend.count + 1);
    l->bend_count = bend.count;
    if (bend.count) memcpy(l->bend, bend.data, (size_t)bend.count * sizeof *l->bend);
    array_free(&bend);
}

static void values_of_inputs(Work *w) {
    const Model *m = w->s->model;
    for (int i = 0; i < w->l->m; i++) {
        Expr e = m->var[w->plan->input[i].var].kind == VAR_PARAM
                     ? m->var[w->plan->input[i].var].symbol
                     : resolve(w->resolver, m->var[w->plan->input[i].var].symbol);
        machine_values(tangent_machine(w->t), &e, 1, &w->l->u[i]);
    }
}

static bool assemble(Work *w) {
    LinearModel *l = w->l;
    make_chart(w);
    l->n = w->s->state_count - w->chart.rank;
    l->m = w->plan->input_count;
    l->p = w->outputs;
    l->time = w->at->time;
    l->sampled = w->s->model->sample_count > 0;
    name_all(w);
    make_lift(w);
    values_of_inputs(w);
    l->A = matrix(w, l->n, l->n);
    l->B = matrix(w, l->n, l->m);
    l->C = matrix(w, l->p, l->n);
    l->D = matrix(w, l->p, l->m);
    fill(w, l->A, l->n, false, l->n, -1);
    fill(w, l->B, l->n, false, l->m, w->s->state_count);
    fill(w, l->C, l->p, true, l->n, -1);
    fill(w, l->D, l->p, true, l->m, w->s->state_count);
    take_bends(w);
    return take_rates(w);
}

LinearModel *linear_model(const LinearPlan *plan, const Reached *at, Report *r) {
    if (plan->discrete) return discrete_model(plan, at, r);
    const System *s = at->system;
    Work w = {.s = s, .plan = plan, .at = at, .r = r, .resolver = resolver_new(s)};
    w.l = memory_zeroed(1, sizeof *w.l);
    w.l->model = at->model;
    w.l->modes = reached_modes(at, &w.l->arena);
    want_all(&w);
    kinks_tell(at, r);
    bool good = evaluate(&w) && assemble(&w);
    resolver_free(w.resolver);
    tangent_free(w.t);
    chart_free(&w.chart);
    array_free(&w.column);
    array_free(&w.row);
    array_free(&w.comp);
    array_free(&w.gradient);
    constraint_rows_free(&w.rows);
    if (good) return w.l;
    linear_model_free(w.l);
    return NULL;
}

void linear_model_free(LinearModel *l) {
    if (!l) return;
    arena_free(&l->arena);
    free(l);
}
