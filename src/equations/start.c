// Start values of the states: which conditions hold at the start.
//
// What is given directly for a state stands. Everything else is a system of its own, in the states
// that are open and in the unknowns of the blocks that matter:
//
//     must      equations of blocks, as they are (without the rows that pick states)
//     tie       what is integrated lies on the constraints of its mechanism
//     given     initial equations; start values of variables that are no states, or of candidates
//     default   what stays open starts at 0, or at a value that is an expression with the value 0,
//               such as a library's parameter v0 = 0
//
// Conditions are taken in this order as long as each says something new (start_take.c). A given one
// that does not must hold anyway: it is checked. The rest is solved (start_solve.c). Mechanisms say
// velocities (start_mechanisms.c).
#include "equations/start.h"

#include <math.h>
#include <string.h>

// Not given, or an expression with the value 0.
static bool is_open_start(Work *w, int var) {
    Expr start = w->model->var[var].start;
    if (!start) return true;
    if (w->model->var[var].given || expr_is_number(w->dag, start, NULL)) return false;
    return expr_evaluate(w->dag, start, w->value.data) == 0;
}

// --- states -------------------------------------------------------------------------------------

// A momentum of a mechanism, and its velocities are conditions.
static bool is_moved(const Start *s, int var) {
    return s->speed_of_var[var] >= 0 && s->moved[s->w->model->var[var].comp];
}

// As is_open_start, for all given ones at once: momenta of a mechanism share most of their
// formulas.
static void find_open(Start *s) {
    Work *w = s->w;
    int n = w->system->state_count;
    Expr *start = ARENA_ARRAY(&w->scratch, Expr, n);
    double *value = ARENA_ARRAY(&w->scratch, double, n);
    for (int i = 0; i < n; i++) start[i] = s->given[i] ? s->given[i] : expr_number(w->dag, 0);
    expr_evaluate_many(w->dag, start, n, w->value.data, value);
    for (int i = 0; i < n; i++) {
        int v = w->system->state_var[i];
        bool zero = !expr_is_number(w->dag, start[i], NULL) && value[i] == 0;
        s->open[i] =
            v >= 0 && (!s->given[i] || (zero && !w->model->var[v].given) || is_moved(s, v));
    }
}

static void read_vars(Start *s) {
    Work *w = s->w;
    const System *x = w->system;
    s->state_of_var = ARENA_ARRAY(&w->scratch, int, w->model->var_count);
    s->speed_of_var = ARENA_ARRAY(&w->scratch, int, w->model->var_count);
    for (int i = 0; i < w->model->var_count; i++) s->state_of_var[i] = s->speed_of_var[i] = -1;
    for (int i = 0; i < x->state_count; i++)
        if (x->state_var[i] >= 0) s->state_of_var[x->state_var[i]] = i;
    for (int i = 0; i < w->model->speed_count; i++) s->speed_of_var[w->model->speed[i].state] = i;
}

static void read_states(Start *s) {
    Work *w = s->w;
    const System *x = w->system;
    s->given = ARENA_ARRAY(&w->scratch, Expr, x->state_count);
    s->open = ARENA_ARRAY(&w->scratch, bool, x->state_count);
    for (int i = 0; i < x->state_count; i++)
        if (x->state_var[i] >= 0) s->given[i] = w->model->var[x->state_var[i]].start;
    find_open(s);
    for (int i = 0; i < x->state_count; i++)
        if (x->state_var[i] >= 0 && !s->open[i]) rewrite_set(s->fixed, x->state[i], s->given[i]);
}

// --- rows ---------------------------------------------------------------------------------------

void add_start_row(Start *s, StartRow row) {
    row.whole = row.residual;
    row.residual = rewrite(s->fixed, row.residual);
    array_push(&s->row, row);
}

// unknown = value
static void add_unit(Start *s, Strength strength, Expr unknown, Expr value, int var, Pos pos) {
    add_start_row(s, (StartRow){.strength = strength,
                                .residual = expr_sub(s->w->dag, unknown, value),
                                .unit = unknown,
                                .value = value,
                                .wanted = value,
                                .var = var,
                                .steady = -1,
                                .origin = ORIGIN_START,
                                .pos = pos});
}

static int quantity_of_var(Work *w, int v, int *sign) {
    return w->quantity_of_node[alias_root(w, v, sign)];
}

// A start value of a name of a state, or of what was one before constraints came. Others are
// guesses only.
bool is_start_condition(Start *s, int v) {
    Work *w = s->w;
    const Var *x = &w->model->var[v];
    if (x->kind == VAR_PARAM || x->kind == VAR_DISCRETE || !x->start || s->state_of_var[v] >= 0)
        return false;
    if (s->speed_of_var[v] >= 0) return false; // its mechanism says velocities
    int sign, q = quantity_of_var(w, v, &sign);
    return q >= 0 && w->quantity.data[q].user_state && !is_open_start(w, v);
}

static void add_given(Start *s) {
    Work *w = s->w;
    const Model *m = w->model;
    Resolver *solved = m->initial_count ? resolver_new(w->system) : NULL;
    for (int i = 0; i < m->initial_count; i++) {
        const Equation *e = &m->initial[i];
        Expr said = expr_sub(w->dag, e->left, e->right), residual = resolve(solved, said);
        add_start_row(s, (StartRow){.strength = START_GIVEN,
                                    .residual = residual,
                                    .said = said,
                                    .var = -1,
                                    .steady = -1,
                                    .origin = ORIGIN_START,
                                    .pos = e->pos});
    }
    resolver_free(solved);
    for (int i = 0; i < m->var_count; i++) {
        if (!is_start_condition(s, i)) continue;
        int sign, q = quantity_of_var(w, i, &sign);
        if (w->quantity.data[q].set >= 0) continue; // with its set
        const Var *v = &m->var[i];
        add_start_row(s, (StartRow){.strength = START_GIVEN,
                                    .residual = expr_sub(w->dag, w->system->value[i], v->start),
                                    .wanted = v->start,
                                    .var = i,
                                    .steady = -1,
                                    .origin = ORIGIN_START,
                                    .pos = v->pos});
    }
}

// --- steady state -------------------------------------------------------------------------------

// The `initial steady` that speaks of a variable, or NULL.
static const Steady *steady_of(const Model *m, int var) {
    const char *path = name_text(m->names, m->var[var].path);
    for (int i = 0; i < m->steady_count; i++) {
        const char *owner = name_text(m->names, m->steady[i].owner);
        size_t length = strlen(owner);
        bool within = strncmp(path, owner, length) == 0 && (path[length] == '.' || !path[length]);
        if (length == 0 || within) return &m->steady[i];
    }
    return NULL;
}

typedef struct {
    Start *start;
    Rates *along;   // the motion, for rates of rates
    Rewrite *guess; // states that are open -> where they start if nothing determines them
    bool *open;     // per quantity: a state that the start may determine
    bool *solved;   // likewise: an unknown of a block
} Rest;

// Is the rate zero without any open state having a say in it, there where the start is looked for?
static bool is_settled(const Rest *r, Expr e) {
    Work *w = r->start->w;
    ARRAY(Expr) symbol = {0};
    e = rewrite(r->start->fixed, e);
    bool settled = expr_evaluate(w->dag, rewrite(r->guess, e), w->value.data) == 0;
    walk_start(w->walk);
    walk_add(w->walk, e);
    for (int k = 0; settled && k < walk_count(w->walk); k++) {
        Expr x = walk_at(w->walk, k);
        int q = expr_op(w->dag, x) == OP_SYMBOL ? quantity_of(w, x) : -1;
        settled = q < 0 || !r->solved[q];
        if (q >= 0 && r->open[q]) array_push(&symbol, x);
    }
    for (int k = 0; settled && k < symbol.count; k++) {
        Expr slope = rewrite(r->guess, expr_derivative(w->dag, e, symbol.data[k]));
        settled = expr_evaluate(w->dag, slope, w->value.data) == 0;
    }
    array_free(&symbol);
    return settled;
}

// der(x) = 0. The integral of a controller without an error is at rest whatever it is; it stays so
// if the next derivative in which something is open is zero, too. That one decides, the rate is
// checked.
static void add_steady_row(const Rest *r, int var, Expr rate) {
    enum { MOST_DERIVATIVES = 3 };
    Start *s = r->start;
    const Steady *steady = steady_of(s->w->model, var);
    int speed = s->speed_of_var[var];
    if (!steady || (speed >= 0 ? s->w->model->speed[speed].given : !is_open_start(s->w, var)))
        return;
    StartRow row = {.strength = START_GIVEN,
                    .residual = rate,
                    .var = -1,
                    .steady = var,
                    .origin = ORIGIN_START,
                    .pos = steady->pos};
    int k = 0;
    while (k < MOST_DERIVATIVES && is_settled(r, row.residual)) {
        row.residual = rates_of(r->along, row.residual);
        k++;
    }
    if (k > 0 && k < MOST_DERIVATIVES) add_start_row(s, row);
    row.residual = rate;
    add_start_row(s, row);
}

static Rest rest_new(Start *s) {
    Work *w = s->w;
    const System *x = w->system;
    Expr zero = expr_number(w->dag, 0);
    Rest r = {.start = s, .along = rates_new(w->dag), .guess = rewrite_new(w->dag)};
    r.open = ARENA_ARRAY(&w->scratch, bool, w->quantity.count);
    r.solved = ARENA_ARRAY(&w->scratch, bool, w->quantity.count);
    rates_set(r.along, x->time, expr_number(w->dag, 1));
    rewrite_set(r.guess, x->time, zero);
    for (int i = 0; i < x->state_count; i++) {
        int q = quantity_of(w, x->state[i]);
        rates_set(r.along, x->state[i], x->rate[i]);
        if (q < 0 || !s->open[i]) continue;
        r.open[q] = true;
        rewrite_set(r.guess, x->state[i], s->given[i] ? s->given[i] : zero);
    }
    for (int b = 0; b < x->block_count; b++)
        for (int k = 0; k < x->block[b].size; k++)
            r.solved[quantity_of(w, x->block[b].unknown[k])] = true;
    return r;
}

// der(x) = 0 for every state and candidate without a start value of its own.
static void add_steady(Start *s) {
    Work *w = s->w;
    const System *x = w->system;
    if (w->model->steady_count == 0) return;
    Rest r = rest_new(s);
    for (int i = 0; i < x->state_count; i++)
        if (x->state_var[i] >= 0) add_steady_row(&r, x->state_var[i], x->rate[i]);
    for (int i = 0; i < x->set_count; i++)
        for (int k = 0; k < x->set[i].count; k++) {
            int v = x->set[i].var[k], rate = v >= 0 ? w->model->var[v].der : -1;
            if (rate >= 0) add_steady_row(&r, v, x->value[rate]);
        }
    rates_free(r.along);
    rewrite_free(r.guess);
}

// --- candidates of sets -------------------------------------------------------------------------

typedef struct {
    int rows, columns;
    double *a;     // the matrix of the choice, at the start as far as it is known
    bool *given;   // per column: its start value is given
    bool *depends; // per column: better left to the constraints
    bool *used;    // per row
} Preference;

// Takes the largest pivot among columns that qualify; false when there is none to speak of.
static bool prefer_pivot(Preference *p, bool given, double least) {
    int row = -1, column = -1;
    double best = least;
    for (int i = 0; i < p->rows; i++)
        for (int k = 0; k < p->columns && !p->used[i]; k++) {
            double size = fabs(p->a[i * p->columns + k]);
            if (p->depends[k] || p->given[k] != given || !(size > best)) continue;
            best = size;
            row = i;
            column = k;
        }
    if (row < 0) return false;
    p->used[row] = p->depends[column] = true;
    const double *from = p->a + row * p->columns;
    for (int i = 0; i < p->rows; i++) {
        double factor = p->used[i] ? 0 : p->a[i * p->columns + column] / from[column];
        for (int k = 0; k < p->columns && factor != 0; k++)
            p->a[i * p->columns + k] -= factor * from[k];
    }
    return true;
}

// Which columns should be left to the constraints: those without a start value, with large pivots.
static Preference prefer(Start *s, const Choice *c) {
    Work *w = s->w;
    Arena *arena = &w->scratch;
    Preference p = {.rows = c->rows, .columns = c->columns};
    p.a = ARENA_ARRAY(arena, double, c->rows * c->columns);
    p.given = ARENA_ARRAY(arena, bool, c->columns);
    p.depends = ARENA_ARRAY(arena, bool, c->columns);
    p.used = ARENA_ARRAY(arena, bool, c->rows);
    double largest = 0;
    for (int i = 0; i < c->rows * c->columns; i++) {
        double value = expr_evaluate(w->dag, c->matrix[i], w->value.data);
        p.a[i] = isfinite(value) ? value : 0;
        largest = fmax(largest, fabs(p.a[i]));
    }
    for (int k = 0; k < c->columns; k++) {
        int v = w->quantity.data[quantity_of(w, c->value[k])].var;
        int speed = v >= 0 ? s->speed_of_var[v] : -1;
        bool given = speed >= 0 ? w->model->speed[speed].given : v >= 0 && !is_open_start(w, v);
        p.given[k] = c->set[k] >= 0 && given;
    }
    while (prefer_pivot(&p, false, 1e-6 * largest)) {}
    while (prefer_pivot(&p, true, 1e-12 * largest)) {}
    return p;
}

// Speeds of mechanisms whose momenta are better left to the constraints.
static bool *late_speeds(Start *s, const Preference *p) {
    Work *w = s->w;
    bool *late = ARENA_ARRAY(&w->scratch, bool, w->model->speed_count);
    for (int i = 0; i < w->system->choice_count; i++)
        for (int k = 0; k < p[i].columns; k++) {
            int v = w->quantity.data[quantity_of(w, w->system->choice[i].value[k])].var;
            if (v >= 0 && s->speed_of_var[v] >= 0) late[s->speed_of_var[v]] = p[i].depends[k];
        }
    return late;
}

// Adds conditions of one kind for the candidates of a choice; last those of candidates that the
// constraints determine from the others.
static void add_candidates(Start *s, const Choice *c, const Preference *p, bool given) {
    Work *w = s->w;
    for (int late = 0; late < 2; late++)
        for (int k = 0; k < c->columns; k++) {
            if (c->set[k] < 0 || p->depends[k] != late || p->given[k] != given) continue;
            int v = w->quantity.data[quantity_of(w, c->value[k])].var;
            if (v >= 0 && s->speed_of_var[v] >= 0) continue;
            Expr start = v >= 0 ? w->model->var[v].start : 0;
            Pos pos = v >= 0 ? w->model->var[v].pos : w->model->pos;
            if (!start) start = expr_number(w->dag, 0);
            add_unit(s, given ? START_GIVEN : START_DEFAULT, c->value[k], start, v, pos);
        }
}

// Given start values of aliases and derivatives of candidates.
static void add_other_names(Start *s) {
    Work *w = s->w;
    for (int i = 0; i < w->model->var_count; i++) {
        if (!is_start_condition(s, i)) continue;
        int sign, q = quantity_of_var(w, i, &sign);
        if (w->quantity.data[q].set < 0 || w->quantity.data[q].var == i) continue;
        const Var *v = &w->model->var[i];
        Expr start = sign > 0 ? v->start : expr_neg(w->dag, v->start);
        add_unit(s, START_GIVEN, w->quantity.data[q].symbol, start, i, v->pos);
    }
}

// --- blocks that matter -------------------------------------------------------------------------

static void mark_below(Start *s, Expr e) {
    Work *w = s->w;
    walk_start(w->walk);
    walk_add(w->walk, e);
    for (int i = 0; i < walk_count(w->walk); i++) {
        Expr x = walk_at(w->walk, i);
        int q = expr_op(w->dag, x) == OP_SYMBOL ? quantity_of(w, x) : -1;
        int b = q >= 0 ? s->block_of_quantity[q] : -1;
        if (b < 0 || s->needed[b]) continue;
        s->needed[b] = true;
        array_push(&s->queue, b);
    }
}

static void add_blocks(Start *s) {
    Work *w = s->w;
    const System *x = w->system;
    s->block_of_quantity = ARENA_ARRAY(&w->scratch, int, w->quantity.count);
    s->needed = ARENA_ARRAY(&w->scratch, bool, x->block_count);
    for (int q = 0; q < w->quantity.count; q++) s->block_of_quantity[q] = -1;
    for (int b = 0; b < x->block_count; b++)
        for (int k = 0; k < x->block[b].size; k++)
            s->block_of_quantity[quantity_of(w, x->block[b].unknown[k])] = b;
    for (int i = 0; i < s->row.count; i++) mark_below(s, s->row.data[i].residual);
    for (int i = 0; i < x->choice_count; i++) mark_below(s, x->choice[i].value[0]);
    for (int i = 0; i < s->queue.count; i++) {
        const Block *b = &x->block[s->queue.data[i]];
        for (int k = 0; k < b->size; k++) {
            if (b->equation[k] == BLOCK_PICK) continue;
            mark_below(s, b->residual[k]);
            add_start_row(s, (StartRow){.strength = START_MUST,
                                        .residual = b->residual[k],
                                        .var = -1,
                                        .steady = -1,
                                        .origin = b->equation[k],
                                        .pos = b->pos});
        }
    }
}

// --- unknowns -----------------------------------------------------------------------------------

static void add_unknown(Start *s, Expr symbol) {
    Quantity *q = &s->w->quantity.data[quantity_of(s->w, symbol)];
    q->place = s->unknown.count;
    array_push(&s->unknown, symbol);
}

static void add_unknowns(Start *s) {
    const System *x = s->w->system;
    for (int i = 0; i < x->state_count; i++)
        if (s->open[i]) add_unknown(s, x->state[i]);
    for (int b = 0; b < x->block_count; b++)
        for (int k = 0; s->needed[b] && k < x->block[b].size; k++)
            add_unknown(s, x->block[b].unknown[k]);
}

// Open states start at their defaults, when no condition determines them.
static void add_defaults(Start *s) {
    const System *x = s->w->system;
    for (int i = 0; i < x->state_count; i++) {
        if (!s->open[i] || is_moved(s, x->state_var[i])) continue;
        const Var *v = &s->w->model->var[x->state_var[i]];
        Expr start = s->given[i] ? s->given[i] : expr_number(s->w->dag, 0);
        add_unit(s, START_DEFAULT, x->state[i], start, x->state_var[i], v->pos);
    }
}

// --- all together -------------------------------------------------------------------------------

static void collect_rows(Start *s) {
    const System *x = s->w->system;
    add_given(s);
    Preference *p = ARENA_ARRAY(&s->w->scratch, Preference, x->choice_count);
    for (int i = 0; i < x->choice_count; i++) p[i] = prefer(s, &x->choice[i]);
    for (int i = 0; i < x->choice_count; i++) add_candidates(s, &x->choice[i], &p[i], true);
    if (x->choice_count > 0) add_other_names(s);
    add_speeds(s, true, NULL);
    add_steady(s);
    add_ties(s);
    if (s->row.count == 0 && x->choice_count == 0) return;
    add_blocks(s);
    add_unknowns(s);
    add_defaults(s);
    for (int i = 0; i < x->choice_count; i++) add_candidates(s, &x->choice[i], &p[i], false);
    add_speeds(s, false, late_speeds(s, p));
    start_take(s);
}

bool start_values(Work *w) {
    System *x = w->system;
    Start s = {.w = w, .fixed = rewrite_new(w->dag)};
    values_grow(w);
    x->start = ARENA_ARRAY(w->out, Expr, x->state_count);
    read_vars(&s);
    find_moved(&s);
    read_states(&s);
    collect_rows(&s);
    bool ok = true;
    if (s.row.count == 0)
        for (int i = 0; i < x->state_count; i++)
            x->start[i] = s.given[i] ? s.given[i] : expr_number(w->dag, 0);
    else
        ok = start_solve(&s);
    rewrite_free(s.fixed);
    echelon_free(s.echelon);
    array_free(&s.row);
    array_free(&s.unknown);
    array_free(&s.queue);
    return ok;
}
