// Steady points by Newton's method on the exact Jacobian.
//
//     0 = rates of the states that something depends on
//     0 = constraints that every motion keeps (loops, lengths of quaternions)
//     0 = what is given less its value
//
// in states and in what is free. There may be more rows than unknowns, which agree at a solution, and
// directions in which nothing changes: each step is the shortest of the best ones, by singular values of the
// matrix scaled to entries of size 1. So neutral directions stay where they began, and are named. Steps
// that do not lead down are halved.
#include "analysis/steady.h"

#include "analysis/tangent.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

enum { MOST_STEPS = 200, MOST_HALVES = 40 };
static const double RANK = 1e-10, EXACT = 1e-9;

typedef ARRAY(Expr) Exprs;

typedef struct {
    const System *s;
    const LinearPlan *plan;
    Reached *at;
    Report *r;
    Exprs row;          // given, then constraints
    ARRAY(double) want; // their values
    ARRAY(bool) fast;
    Exprs column;
    Tangent *t;
    int n, rows, columns; // states; equations; unknowns
    int *of_row;          // per equation: row of the tangent
    int *of_column;       // per unknown: column of the tangent
    bool *cyclic;
    double *z, *state, *free; // unknowns; the point
    double *F, *J, *row_scale, *column_scale, *first;
    int iterations;
} Work;

// --- equations and unknowns ----------------------------------------------------------------------

static void want_rows(Work *w) {
    const Model *m = w->s->model;
    Resolver *resolver = resolver_new(w->s);
    for (int i = 0; i < w->plan->given_count; i++) {
        array_push(&w->row, resolve(resolver, m->var[w->plan->given[i]].symbol));
        array_push(&w->want, w->plan->given_value[i]);
    }
    ConstraintRows rows = {0};
    constraint_rows(w->s, resolver, &rows);
    for (int i = 0; i < rows.count; i++) {
        array_push(&w->row, rows.row[i]);
        array_push(&w->want, rows.value[i]);
    }
    constraint_rows_free(&rows);
    resolver_free(resolver);
    for (int i = 0; i < w->plan->free_count; i++) array_push(&w->column, w->plan->free[i].delta);
}

// States on which no rate, loop or condition depends.
static bool *unseen_states(const System *s, const Expr *row, int rows) {
    ExprWalk *walk = walk_new(s->dag);
    walk_start(walk);
    for (int i = 0; i < s->state_count; i++) walk_add(walk, s->rate[i]);
    for (int b = 0; b < s->block_count; b++)
        for (int k = 0; k < s->block[b].size; k++) walk_add(walk, s->block[b].residual[k]);
    for (int i = 0; i < rows; i++) walk_add(walk, row[i]);
    bool *unseen = memory_zeroed((size_t)s->state_count + 1, sizeof *unseen);
    for (int i = 0; i < s->state_count; i++) unseen[i] = !walk_seen(walk, s->state[i]);
    walk_free(walk);
    return unseen;
}

// What a storage keeps is no coordinate that may move on, although nothing else depends on it: a tank that fills, a mass that
// gets faster. Of a height or an angle the energy has no second derivative.
static void leave_out_storages(const System *s, bool *cyclic) {
    Partials *partials = partials_new(dag_grow(s->dag));
    ExprWalk *energy = walk_new(s->dag), *slope = walk_new(s->dag);
    for (int c = 0; c < s->model->comp_count; c++) {
        if (!s->stored[c]) continue;
        walk_start(energy);
        walk_add(energy, s->stored[c]);
        for (int i = 0; i < s->state_count; i++) {
            if (!cyclic[i] || !walk_seen(energy, s->state[i])) continue;
            partials_of(partials, s->stored[c]);
            walk_start(slope);
            walk_add(slope, partials_by(partials, s->state[i]));
            if (walk_seen(slope, s->state[i])) cyclic[i] = false;
        }
    }
    walk_free(energy);
    walk_free(slope);
    partials_free(partials);
}

bool *steady_cyclic(const System *s, const LinearPlan *plan, const Expr *row, int rows) {
    bool *cyclic = unseen_states(s, row, rows);
    leave_out_storages(s, cyclic);
    for (int k = 0; k < plan->moving_count; k++) // by options: it stays, and may have a rate
        for (int i = 0; i < s->state_count; i++)
            if (s->state_var[i] == plan->moving[k]) cyclic[i] = true;
    return cyclic;
}

static double parameter_at(const Reached *at, Expr symbol) {
    const Program *p = at->program;
    for (uint32_t i = 0; i < p->param_count; i++)
        if (p->system->model->var[p->param_var[i]].symbol == symbol)
            return at->machine->reg[p->first_param + i];
    return NAN;
}

static void make_room(Work *w) {
    int all = w->n + w->row.count;
    w->of_row = memory_zeroed((size_t)all + 1, sizeof *w->of_row);
    w->of_column = memory_zeroed((size_t)(w->n + w->column.count) + 1, sizeof *w->of_column);
    for (int i = 0; i < all; i++)
        if (i >= w->n || !w->cyclic[i]) w->of_row[w->rows++] = i;
    for (int i = 0; i < w->n + w->column.count; i++)
        if (i >= w->n || !w->cyclic[i]) w->of_column[w->columns++] = i;
    size_t m = (size_t)w->rows + 1, k = (size_t)w->columns + 1;
    w->z = memory_zeroed(k, sizeof(double));
    w->state = memory_zeroed((size_t)w->n + 1, sizeof(double));
    w->free = memory_zeroed((size_t)w->column.count + 1, sizeof(double));
    w->F = memory_zeroed(m, sizeof(double));
    w->first = memory_zeroed(m, sizeof(double));
    w->J = memory_zeroed(m * k, sizeof(double));
    w->row_scale = memory_zeroed(m, sizeof(double));
    w->column_scale = memory_zeroed(k, sizeof(double));
    for (int i = 0; i < w->n; i++) w->state[i] = w->at->state[i];
    Symbols numbers = {0};
    symbols_open(&numbers, w->s->model);
    for (int i = 0; i < w->column.count; i++) {
        double x = parameter_at(w->at, w->column.data[i]);
        w->free[i] = isnan(x) ? symbols_evaluate(&numbers, w->column.data[i]) : x;
    }
    symbols_close(&numbers);
    for (int j = 0; j < w->columns; j++)
        w->z[j] =
            w->of_column[j] < w->n ? w->state[w->of_column[j]] : w->free[w->of_column[j] - w->n];
}

// --- Newton --------------------------------------------------------------------------------------

static bool evaluate(Work *w, const double *z) {
    for (int j = 0; j < w->columns; j++)
        if (w->of_column[j] < w->n)
            w->state[w->of_column[j]] = z[j];
        else
            w->free[w->of_column[j] - w->n] = z[j];
    if (!tangent_at(w->t, w->at->time, w->state, w->free)) return false;
    for (int i = 0; i < w->rows; i++) {
        int row = w->of_row[i];
        w->F[i] = tangent_value(w->t)[row] - (row < w->n ? 0 : w->want.data[row - w->n]);
        for (int j = 0; j < w->columns; j++)
            w->J[(size_t)j * (size_t)w->rows + (size_t)i] =
                tangent_slope(w->t, row, w->of_column[j]);
    }
    return true;
}

static void equilibrate(Work *w) {
    dense_equilibrate(w->rows, w->columns, w->J, w->row_scale, w->column_scale);
}

static double merit(const Work *w) {
    double sum = 0;
    for (int i = 0; i < w->rows; i++) sum += w->F[i] * w->row_scale[i] * w->F[i] * w->row_scale[i];
    return sum;
}

static double *scaled_matrix(const Work *w) {
    double *A = memory_zeroed((size_t)w->rows * (size_t)w->columns + 1, sizeof *A);
    for (int j = 0; j < w->columns; j++)
        for (int i = 0; i < w->rows; i++) {
            size_t at = (size_t)j * (size_t)w->rows + (size_t)i;
            A[at] = w->J[at] * w->row_scale[i] * w->column_scale[j];
        }
    return A;
}

static bool shortest_step(Work *w, double *step) {
    double *A = scaled_matrix(w);
    double *b = memory_zeroed((size_t)(w->rows + w->columns) + 1, sizeof *b);
    for (int i = 0; i < w->rows; i++) b[i] = -w->F[i] * w->row_scale[i];
    bool good = dense_least_squares(w->rows, w->columns, A, b, RANK);
    for (int j = 0; j < w->columns; j++) step[j] = b[j] * w->column_scale[j];
    free(A);
    free(b);
    return good;
}

static bool one_step(Work *w, double *step, double *trial) {
    double before, part = 1;
    equilibrate(w);
    before = merit(w);
    if (before == 0 || !shortest_step(w, step)) return false;
    for (int k = 0; k < MOST_HALVES; k++, part /= 2) {
        for (int j = 0; j < w->columns; j++) trial[j] = w->z[j] + part * step[j];
        if (evaluate(w, trial) && merit(w) < before * (1 - 1e-4 * part)) {
            memcpy(w->z, trial, (size_t)w->columns * sizeof *trial);
            return true;
        }
    }
    evaluate(w, w->z); // back
    return false;
}

// How large the residual of an equation may be: a billionth of what the largest unknown, or the
// value that the search began with, contributes to it. A residual that depends on no unknown must
// be zero.
static double allowed(const Work *w, int i) {
    double most = 0;
    bool moves = false;
    for (int j = 0; j < w->columns; j++) {
        moves = moves || w->J[(size_t)j * (size_t)w->rows + (size_t)i] != 0;
        most = fmax(most, fabs(w->z[j]) / w->column_scale[j]);
    }
    for (int k = 0; k < w->rows; k++) most = fmax(most, fabs(w->first[k]) * w->row_scale[k]);
    return moves ? EXACT * most / w->row_scale[i] + 1e-300 : 1e-300;
}

static int worst_row(const Work *w) {
    int worst = -1;
    double most = 1;
    for (int i = 0; i < w->rows; i++)
        if (fabs(w->F[i]) > most * allowed(w, i)) most = fabs(w->F[i]) / allowed(w, i), worst = i;
    return worst;
}

// Is all that is left rounding? Newton's method would go to and fro in it.
static bool is_rounding(Work *w) {
    const double digits = 1e-5; // of what is allowed
    equilibrate(w);
    for (int i = 0; i < w->rows; i++)
        if (!(fabs(w->F[i]) <= digits * allowed(w, i))) return false;
    return true;
}

static const char *state_name(const Work *w, int i) { return system_state_name(w->s, i); }

static bool refuse(Work *w, int row) {
    const Model *m = w->s->model;
    int of = w->of_row[row], given = of - w->n;
    bool *unseen = unseen_states(w->s, w->row.data, w->row.count), alone = of < w->n && unseen[of];
    free(unseen);
    Remark *x;
    if (of < w->n)
        x = report_error(w->r, A_NO_STEADY, system_state_pos(w->s, of),
                         "no steady point is found: the rate of '%s' stays at %g",
                         state_name(w, of), w->F[row]);
    else if (w->want.data && given < w->plan->given_count)
        x = report_error(w->r, A_NO_STEADY, m->var[w->plan->given[given]].pos,
                         "'%s' cannot be %g: it stays %g away",
                         name_text(m->names, m->var[w->plan->given[given]].path),
                         w->want.data[given], w->F[row]);
    else
        x = report_error(w->r, A_NO_STEADY, m->pos, "no steady point is found on the constraints");
    if (alone) {
        remark_help(w->r, x,
                    "nothing depends on it, so nothing holds it: free what drives it (--trim), or "
                    "let it move on (--moving %s)",
                    state_name(w, of));
        return false;
    }
    remark_help(
        w->r, x,
        w->plan->given_count > w->plan->free_count
            ? "more is given than is free: name inputs or parameters with --trim"
            : "free an input or a parameter (--trim u), or begin nearer to it: `initial` or "
              "--at");
    return false;
}

static bool solve(Work *w) {
    double *step = memory_zeroed((size_t)w->columns + 1, sizeof *step);
    double *trial = memory_zeroed((size_t)w->columns + 1, sizeof *trial);
    bool good = evaluate(w, w->z);
    if (!good) {
        Remark *x =
            report_error(w->r, A_NO_POINT, w->s->model->pos,
                         "the equations have no finite value or slope where the search begins");
        remark_help(w->r, x, "begin elsewhere: `initial` of states, or --at");
    } else {
        memcpy(w->first, w->F, (size_t)w->rows * sizeof *w->first);
        while (w->iterations < MOST_STEPS && !is_rounding(w) && one_step(w, step, trial))
            w->iterations++;
        equilibrate(w);
        int row = worst_row(w);
        good = row < 0 || refuse(w, row);
    }
    free(step);
    free(trial);
    return good;
}

// --- what was found ------------------------------------------------------------------------------

static Label label(Work *w, SteadyPoint *p, int var, const char *name) {
    const Model *m = w->s->model;
    Text unit = {0};
    if (var >= 0 && m->var[var].dim.known && !dim_is_one(m->var[var].dim))
        dim_print(&unit, m->var[var].dim);
    Label l = {
        arena_printf(&p->arena, "%s", var >= 0 ? name_text(m->names, m->var[var].path) : name),
        arena_printf(&p->arena, "%s", text_get(&unit))};
    text_free(&unit);
    return l;
}

static const char *direction(Work *w, SteadyPoint *p, const double *v) {
    const Model *m = w->s->model;
    Text words = {0};
    double most = 0;
    for (int j = 0; j < w->columns; j++) most = fmax(most, fabs(v[j]));
    for (int j = 0; j < w->columns; j++) {
        if (fabs(v[j]) < 0.05 * most) continue;
        int of = w->of_column[j];
        const char *name = of < w->n
                               ? state_name(w, of)
                               : name_text(m->names, m->var[w->plan->free[of - w->n].var].path);
        text_printf(&words, "%s%s", words.length ? ", " : "", name);
    }
    const char *kept = arena_copy_text(&p->arena, text_get(&words), words.length);
    text_free(&words);
    return kept;
}

static void find_neutral(Work *w, SteadyPoint *p) {
    equilibrate(w);
    double *A = scaled_matrix(w);
    double *V = memory_zeroed((size_t)w->columns * (size_t)w->columns + 1, sizeof *V);
    int count = dense_null_space(w->rows, w->columns, A, RANK, V);
    p->neutral = ARENA_ARRAY(&p->arena, const char *, count + 1);
    for (int k = 0; k < count; k++)
        p->neutral[p->neutral_count++] = direction(w, p, V + (size_t)k * (size_t)w->columns);
    free(A);
    free(V);
    if (!count) return;
    Remark *x = report_warning(w->r, A_NEUTRAL, w->s->model->pos,
                               "the steady point is not the only one: %d direction%s neutral",
                               count, count > 1 ? "s are" : " is");
    for (int k = 0; k < count && k < 5; k++)
        remark_note(w->r, x, POS_NONE, "%s can change together, and all rates stay zero",
                    p->neutral[k]);
    remark_help(w->r, x,
                "what is neutral stays where the search began; hold it with --given, or "
                "free less");
}

// Free values go into the parameters of the run, so that what follows begins here.
static void move_on(Work *w) {
    Reached *at = w->at;
    const Program *p = at->program;
    double *value = memory_zeroed(p->param_count + 1, sizeof *value);
    for (uint32_t i = 0; i < p->param_count; i++) {
        value[i] = at->machine->reg[p->first_param + i];
        for (int k = 0; k < w->column.count; k++)
            if (w->s->model->var[p->param_var[i]].symbol == w->column.data[k])
                value[i] = w->free[k];
    }
    machine_change_params(at->machine, value); // held values and unknowns stay
    memcpy(at->state, w->state, (size_t)w->n * sizeof(double));
    free(value);
}

static SteadyPoint *gather(Work *w) {
    SteadyPoint *p = memory_zeroed(1, sizeof *p);
    const LinearPlan *plan = w->plan;
    *p = (SteadyPoint){.time = w->at->time,
                       .states = w->n,
                       .frees = plan->free_count,
                       .givens = plan->given_count,
                       .iterations = w->iterations};
    p->state = ARENA_ARRAY(&p->arena, Label, p->states + 1);
    p->x = ARENA_ARRAY(&p->arena, double, p->states + 1);
    p->rate = ARENA_ARRAY(&p->arena, double, p->states + 1);
    p->cyclic = ARENA_ARRAY(&p->arena, bool, p->states + 1);
    p->free = ARENA_ARRAY(&p->arena, Label, p->frees + 1);
    p->value = ARENA_ARRAY(&p->arena, double, p->frees + 1);
    p->given = ARENA_ARRAY(&p->arena, Label, p->givens + 1);
    p->wanted = ARENA_ARRAY(&p->arena, double, p->givens + 1);
    for (int i = 0; i < p->states; i++) {
        p->state[i] = label(w, p, w->s->state_var[i], state_name(w, i));
        p->x[i] = w->state[i];
        p->rate[i] = tangent_value(w->t)[i];
        p->cyclic[i] = w->cyclic[i];
    }
    Resolver *resolver = resolver_new(w->s);
    for (int i = 0; i < p->frees; i++) {
        int var = plan->free[i].var;
        p->free[i] = label(w, p, var, "");
        Expr e = resolve(resolver, w->s->model->var[var].symbol);
        if (plan->free[i].rate)
            machine_values(tangent_machine(w->t), &e, 1, &p->value[i]);
        else
            p->value[i] = w->free[i];
    }
    resolver_free(resolver);
    for (int i = 0; i < p->givens; i++) {
        p->given[i] = label(w, p, plan->given[i], "");
        p->wanted[i] = tangent_value(w->t)[w->n + i];
    }
    find_neutral(w, p);
    return p;
}

SteadyPoint *steady_find(const LinearPlan *plan, Reached *at, Report *r) {
    const System *s = at->system;
    Work w = {.s = s, .plan = plan, .at = at, .r = r, .n = s->state_count};
    SteadyPoint *p = NULL;
    want_rows(&w);
    w.cyclic = steady_cyclic(s, plan, w.row.data, w.row.count);
    w.t = tangent_new(s, w.column.data, w.column.count, w.row.data, w.row.count, r);
    if (w.t && tangent_start(w.t, at, plan->origin)) {
        make_room(&w);
        if (solve(&w)) {
            p = gather(&w);
            move_on(&w);
            reached_check_modes(at, r);
        }
    }
    tangent_free(w.t);
    array_free(&w.row);
    array_free(&w.want);
    array_free(&w.column);
    double *room[] = {w.z, w.state, w.free, w.F, w.first, w.J, w.row_scale, w.column_scale};
    for (size_t i = 0; i < sizeof room / sizeof room[0]; i++) free(room[i]);
    free(w.of_row);
    free(w.of_column);
    free(w.cyclic);
    return p;
}

void steady_free(SteadyPoint *p) {
    if (!p) return;
    arena_free(&p->arena);
    free(p);
}

bool steady_same(const SteadyPoint *a, const SteadyPoint *b) {
    for (int i = 0; i < a->states; i++)
        if (!a->cyclic[i] &&
            fabs(a->x[i] - b->x[i]) > 1e-6 * (fabs(a->x[i]) + fabs(b->x[i])) + 1e-9)
            return false;
    return true;
}
