// Start values of the states.
//
// What is given directly stands. A start value of a storage that lost its state, of an alias, or an
// initial equation is a condition on the states: it determines one whose start was left open, or it
// must agree with what is given. What stays open starts at 0.
//
// A start value that is an expression with the value 0, such as a library's parameter v0 = 0,
// counts as left open: it gives way to conditions, and is used otherwise.
#include "equations/work.h"

#include <math.h>

typedef struct {
    Expr residual; // = 0, in states
    int var;       // whose start value it is, or -1: an initial equation
    Pos pos;
} StartCondition;

typedef struct {
    Work *w;
    Work inner;        // the small system for the states that conditions determine
    int *state_of_var; // per model variable: the state it is, or -1
    Expr *given;       // per state: its start when given, else 0
    bool *open;        // per state: conditions may determine it
    ARRAY(StartCondition) condition;
    Rewrite *fixed; // states that are given -> their start
} Start;

static bool is_open_start(Work *w, Expr start) {
    if (!start) return true;
    if (expr_is_number(w->dag, start, NULL)) return false;
    return expr_evaluate(w->dag, start, w->value.data) == 0;
}

// --- what is given ------------------------------------------------------------------------------

static void read_states(Start *s) {
    Work *w = s->w;
    const System *x = w->system;
    s->state_of_var = ARENA_ARRAY(&w->scratch, int, w->model->var_count);
    s->given = ARENA_ARRAY(&w->scratch, Expr, x->state_count);
    s->open = ARENA_ARRAY(&w->scratch, bool, x->state_count);
    for (int i = 0; i < w->model->var_count; i++) s->state_of_var[i] = -1;
    for (int i = 0; i < x->state_count; i++) {
        s->state_of_var[x->state_var[i]] = i;
        s->given[i] = w->model->var[x->state_var[i]].start;
        s->open[i] = is_open_start(w, s->given[i]);
        if (!s->open[i]) rewrite_set(s->fixed, x->state[i], s->given[i]);
    }
}

// Is v a name of a state, or was it one before constraints came? Others have starts as guesses
// only.
static bool was_state(Work *w, int v) {
    int sign;
    int q = w->quantity_of_node[alias_root(w, v, &sign)];
    return q >= 0 && w->quantity.data[q].user_state;
}

static void read_conditions(Start *s) {
    Work *w = s->w;
    const Model *m = w->model;
    for (int i = 0; i < m->var_count; i++) {
        const Var *v = &m->var[i];
        if (v->kind == VAR_PARAM || v->kind == VAR_DISCRETE || !v->start || s->state_of_var[i] >= 0)
            continue;
        if (!was_state(w, i) || is_open_start(w, v->start)) continue;
        Expr residual = expr_sub(w->dag, w->system->value[i], v->start);
        array_push(&s->condition, ((StartCondition){rewrite(s->fixed, residual), i, v->pos}));
    }
    Resolver *solved = m->initial_count ? resolver_new(w->system) : NULL;
    for (int i = 0; i < m->initial_count; i++) {
        const Equation *e = &m->initial[i];
        Expr residual = resolve(solved, expr_sub(w->dag, e->left, e->right));
        array_push(&s->condition, ((StartCondition){rewrite(s->fixed, residual), -1, e->pos}));
    }
    resolver_free(solved);
}

// --- messages -----------------------------------------------------------------------------------

static void describe(Start *s, Text *out, const StartCondition *c) {
    if (c->var < 0)
        text_add(out, "this initial equation");
    else
        text_printf(out, "the start value of '%s'",
                    name_text(s->w->model->names, s->w->model->var[c->var].path));
}

// The states that the condition speaks of, where their start is given.
static void note_givens(Start *s, Remark *remark, const StartCondition *c) {
    Work *w = s->w;
    Expr source = c->var >= 0 ? w->system->value[c->var] : c->residual;
    walk_start(w->walk);
    walk_add(w->walk, source);
    for (int i = 0, told = 0; i < w->system->state_count && told < 5; i++) {
        if (!walk_seen(w->walk, w->system->state[i])) continue;
        const Var *v = &w->model->var[w->system->state_var[i]];
        const char *path = name_text(w->model->names, v->path);
        if (s->given[i])
            remark_note(w->report, remark, v->pos, "'%s' has its own start value", path);
        else
            remark_note(w->report, remark, v->pos, "'%s' starts at 0", path);
        told++;
    }
}

static bool report_contradiction(Start *s, const StartCondition *c, double gap) {
    Text what = {0};
    describe(s, &what, c);
    Remark *remark =
        report_error(s->w->report, Q_START_CONTRADICTS, c->pos,
                     "%s contradicts the constraints: they are apart by %g", text_get(&what), gap);
    note_givens(s, remark, c);
    remark_help(s->w->report, remark,
                "give the start of one of them only; the others follow from it");
    text_free(&what);
    return false;
}

static bool report_unsolved(Start *s, const StartCondition *c) {
    Text what = {0};
    describe(s, &what, c);
    Remark *remark =
        report_error(s->w->report, Q_START_UNSOLVED, c->pos,
                     "the states cannot be found from %s in closed form", text_get(&what));
    note_givens(s, remark, c);
    remark_help(s->w->report, remark, "give the start values of the states themselves");
    text_free(&what);
    return false;
}

// --- conditions behind implicit blocks ----------------------------------------------------------

// Gauss with pivots by column; a is destroyed, x becomes a^-1 x. False when a is singular.
static bool solve_dense(int n, double *a, double *x) {
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(a[r * n + c]) > fabs(a[best * n + c])) best = r;
        if (!(fabs(a[best * n + c]) > 0)) return false;
        for (int k = 0; k < n && best != c; k++) {
            double swap = a[c * n + k];
            a[c * n + k] = a[best * n + k];
            a[best * n + k] = swap;
        }
        double swap = x[c];
        x[c] = x[best];
        x[best] = swap;
        for (int r = 0; r < n; r++) {
            double factor = r == c ? 0 : a[r * n + c] / a[c * n + c];
            if (factor == 0) continue;
            for (int k = c; k < n; k++) a[r * n + k] -= factor * a[c * n + k];
            x[r] -= factor * x[c];
        }
    }
    for (int c = 0; c < n; c++) x[c] /= a[c * n + c];
    return true;
}

static bool has_block_unknown(Start *s, Expr e) {
    Work *w = s->w;
    walk_start(w->walk);
    walk_add(w->walk, e);
    for (int i = 0; i < w->system->block_count; i++)
        for (int k = 0; k < w->system->block[i].size; k++)
            if (walk_seen(w->walk, w->system->block[i].unknown[k])) return true;
    return false;
}

static double *unknown_at_start(Work *w, const Block *b, int i) {
    return &w->value.data[expr_symbol_index(w->dag, b->unknown[i])];
}

static void matrix_at_start(Work *w, const Block *b, double *a) {
    const Sparse *m = &b->jacobian;
    for (int i = 0; i < b->size * b->size; i++) a[i] = 0;
    for (int j = 0; j < b->size; j++)
        for (int k = m->start[j]; k < m->start[j + 1]; k++)
            a[m->row[k] * b->size + j] = expr_evaluate(w->dag, m->entry[k], w->value.data);
}

// Newton from the guess; the values stay in Work.value.
static bool solve_block_at_start(Work *w, const Block *b) {
    enum { LARGEST = 100, MOST_STEPS = 50 };
    int n = b->size;
    if (n > LARGEST) return false;
    double *a = ARENA_ARRAY(&w->scratch, double, n *n), *x = ARENA_ARRAY(&w->scratch, double, n);
    for (int i = 0; i < n; i++)
        *unknown_at_start(w, b, i) = expr_evaluate(w->dag, b->guess[i], w->value.data);
    for (int step = 0; step < MOST_STEPS; step++) {
        double change = 0, size = 0;
        for (int i = 0; i < n; i++) x[i] = expr_evaluate(w->dag, b->residual[i], w->value.data);
        matrix_at_start(w, b, a);
        if (!solve_dense(n, a, x)) return false;
        for (int i = 0; i < n; i++) {
            *unknown_at_start(w, b, i) -= x[i];
            change = fmax(change, fabs(x[i]));
            size = fmax(size, fabs(*unknown_at_start(w, b, i)));
        }
        if (!isfinite(change)) return false;
        if (change <= 1e-12 * size) return true;
    }
    return false;
}

// Numbers for states and unknowns at the start, as far as start values are settled.
static bool solve_blocks_at_start(Start *s, const Expr *start) {
    Work *w = s->w;
    for (int i = 0; i < w->system->state_count; i++)
        w->value.data[expr_symbol_index(w->dag, w->system->state[i])] =
            expr_evaluate(w->dag, start[i], w->value.data);
    for (int i = 0; i < w->system->block_count; i++)
        if (!solve_block_at_start(w, &w->system->block[i])) return false;
    return true;
}

// --- conditions that determine states -----------------------------------------------------------

static void inner_open(Start *s) {
    Work *w = s->w;
    s->inner = (Work){.model = w->model,
                      .graph = w->graph,
                      .dag = w->dag,
                      .report = w->report,
                      .out = &s->inner.scratch,
                      .system = w->system,
                      .discrete = w->discrete,
                      .discrete_symbols = w->discrete_symbols};
    s->inner.walk = walk_new(w->dag);
    s->inner.rates = rates_new(w->dag);
    s->inner.solved = rewrite_new(w->dag);
    for (int i = 0; i < w->value.count; i++) array_push(&s->inner.value, w->value.data[i]);
}

// Pairs conditions with open states; open states without partner get their default.
static void pair_conditions(Start *s, int *condition_of_state, int *state_of_condition) {
    Work *w = s->w;
    int n = s->condition.count, states = w->system->state_count;
    ARRAY(int) col = {0};
    int capacity = 0;
    Incidence a = {.row_count = n, .col_count = states};
    a.start = array_grow(NULL, &capacity, n + 1, sizeof *a.start);
    for (int i = 0; i < n; i++) {
        a.start[i] = col.count;
        if (has_block_unknown(s, s->condition.data[i].residual)) continue; // checked only
        walk_start(w->walk);
        walk_add(w->walk, s->condition.data[i].residual);
        for (int k = 0; k < walk_count(w->walk); k++) {
            Expr e = walk_at(w->walk, k);
            int q = expr_op(w->dag, e) == OP_SYMBOL ? quantity_of(w, e) : -1;
            int state = q >= 0 && w->quantity.data[q].var >= 0
                            ? s->state_of_var[w->quantity.data[q].var]
                            : -1;
            if (state >= 0 && s->open[state]) array_push(&col, state);
        }
    }
    a.start[n] = col.count;
    array_push(&col, -1);
    a.col = col.data;
    incidence_match(&a, state_of_condition, condition_of_state);
    incidence_free(&a);
}

static Expr default_start(Start *s, int state) {
    return s->given[state] ? s->given[state] : expr_number(s->w->dag, 0);
}

static bool solve_conditions(Start *s, const int *condition_of_state,
                             const int *state_of_condition) {
    Work *w = s->w;
    if (s->condition.count == 0) return true;
    Rewrite *defaults = rewrite_new(w->dag);
    inner_open(s);
    for (int i = 0; i < w->system->state_count; i++) {
        if (!s->open[i]) continue;
        if (condition_of_state[i] < 0)
            rewrite_set(defaults, w->system->state[i], default_start(s, i));
        else
            quantity_add(&s->inner, w->system->state[i], w->system->state_var[i], -1);
    }
    int first = -1;
    bool ok = true;
    for (int i = 0; ok && i < s->condition.count; i++) {
        StartCondition *c = &s->condition.data[i];
        c->residual = rewrite(defaults, c->residual);
        if (state_of_condition[i] < 0) continue;
        if (first < 0) first = i;
        rule_add(&s->inner, c->residual, 0, ORIGIN_START, c->pos);
    }
    rewrite_free(defaults);
    ok = ok && order_and_solve(&s->inner);
    if (ok && s->inner.block.count > 0) ok = report_unsolved(s, &s->condition.data[first]);
    return ok;
}

// Conditions that determined nothing must hold anyway.
static bool check_conditions(Start *s, const int *state_of_condition) {
    Work *w = s->w;
    bool ok = true, blocks_solved = false;
    for (int i = 0; ok && i < s->condition.count; i++) {
        StartCondition *c = &s->condition.data[i];
        if (state_of_condition[i] >= 0) continue;
        Expr residual = rewrite(s->inner.solved, c->residual);
        bool behind = has_block_unknown(s, residual);
        if (behind && !blocks_solved) {
            if (!solve_blocks_at_start(s, w->system->start)) return report_unsolved(s, c);
            blocks_solved = true;
        }
        double gap = expr_evaluate(w->dag, residual, w->value.data), size = 1;
        if (c->var >= 0)
            size = fabs(expr_evaluate(w->dag, w->model->var[c->var].start, w->value.data));
        if (!(fabs(gap) <= 1e-8 * size))
            ok = behind ? report_unsolved(s, c) : report_contradiction(s, c, gap);
    }
    return ok;
}

bool start_values(Work *w) {
    System *x = w->system;
    Start s = {.w = w, .fixed = rewrite_new(w->dag)};
    read_states(&s);
    read_conditions(&s);
    x->start = ARENA_ARRAY(w->out, Expr, x->state_count);
    int *condition_of_state = ARENA_ARRAY(&w->scratch, int, x->state_count + 1);
    int *state_of_condition = ARENA_ARRAY(&w->scratch, int, s.condition.count + 1);
    pair_conditions(&s, condition_of_state, state_of_condition);
    bool ok = solve_conditions(&s, condition_of_state, state_of_condition);
    for (int i = 0; ok && i < x->state_count; i++)
        x->start[i] = s.open[i] && condition_of_state[i] >= 0 ? rewrite(s.inner.solved, x->state[i])
                                                              : default_start(&s, i);
    ok = ok && check_conditions(&s, state_of_condition);
    work_free(&s.inner);
    rewrite_free(s.fixed);
    array_free(&s.condition);
    return ok;
}
