// The start values, from the conditions that were taken: a small system that is ordered and solved
// like any other. What cannot be had in closed form becomes blocks of its own, solved when a run
// begins. Conditions that determined nothing must hold anyway.
#include "equations/start.h"

#include "base/elimination.h"
#include <math.h>

typedef struct {
    Start *s;
    Work inner;
    Rewrite *known;  // unknowns that a condition gives directly
    Rewrite *rename; // unknowns of blocks -> symbols that only the start has
} Solver;

// --- messages -----------------------------------------------------------------------------------

static void describe(const Work *w, Text *out, const StartRow *c) {
    if (c->steady >= 0)
        text_printf(out, "the steady start of '%s'",
                    name_text(w->model->names, w->model->var[c->steady].path));
    else if (c->var < 0)
        text_add(out, "this initial equation");
    else
        text_printf(out, "the start value of '%s'",
                    name_text(w->model->names, w->model->var[c->var].path));
}

static bool is_default_taken(const Start *s, Expr unknown) {
    for (int i = 0; i < s->row.count; i++)
        if (s->row.data[i].unit == unknown && s->row.data[i].strength == START_DEFAULT)
            return s->row.data[i].taken;
    return false;
}

// What the condition speaks of, where its start is given or left open.
static void note_givens(Start *s, Remark *remark, const StartRow *c) {
    Work *w = s->w;
    walk_start(w->walk);
    walk_add(w->walk, c->whole);
    for (int i = 0, told = 0; i < w->system->state_count && told < 5; i++) {
        if (w->system->state_var[i] < 0 || !walk_seen(w->walk, w->system->state[i])) continue;
        const Var *v = &w->model->var[w->system->state_var[i]];
        const char *path = name_text(w->model->names, v->path);
        if (!s->open[i])
            remark_note(w->report, remark, v->pos, "'%s' has its own start value", path);
        else if (is_default_taken(s, w->system->state[i]))
            remark_note(w->report, remark, v->pos, "'%s' starts at 0", path);
        else
            continue;
        told++;
    }
}

// Initial equations that were taken before this one.
static void note_others(Start *s, Remark *remark, const StartRow *c) {
    for (int i = 0, told = 0; i < s->row.count && told < 3; i++) {
        const StartRow *r = &s->row.data[i];
        if (r == c || !r->taken || r->unit || r->strength != START_GIVEN) continue;
        Text what = {0};
        describe(s->w, &what, r);
        remark_note(s->w->report, remark, r->pos, "%s was taken before it", text_get(&what));
        text_free(&what);
        told++;
    }
}

// Given start values of the same set that were taken before this one.
static void note_set(Start *s, Remark *remark, const StartRow *c) {
    Work *w = s->w;
    int q = c->unit ? quantity_of(w, c->unit) : -1, set = q >= 0 ? w->quantity.data[q].set : -1;
    for (int i = 0, told = 0; set >= 0 && i < s->row.count && told < 5; i++) {
        const StartRow *r = &s->row.data[i];
        int other =
            r->unit && r->taken && r->strength == START_GIVEN ? quantity_of(w, r->unit) : -1;
        if (other < 0 || w->quantity.data[other].set != set || r->var < 0) continue;
        remark_note(w->report, remark, r->pos, "'%s' has its own start value",
                    name_text(w->model->names, w->model->var[r->var].path));
        told++;
    }
    if (set >= 0) remark_note(w->report, remark, w->set.data[set].pos, "this constraint ties them");
}

// Given values of what a constraint speaks of, although it has no hold on them here.
static int note_tied(Start *s, Remark *remark, const StartRow *tie) {
    Work *w = s->w;
    int told = 0;
    walk_start(w->walk);
    walk_add(w->walk, tie->whole);
    for (int i = 0; i < s->row.count && told < 5; i++) {
        const StartRow *r = &s->row.data[i];
        if (!r->unit || !r->taken || r->strength != START_GIVEN || r->var < 0) continue;
        if (!walk_seen(w->walk, r->unit)) continue;
        remark_note(w->report, remark, r->pos, "'%s' has its own start value",
                    name_text(w->model->names, w->model->var[r->var].path));
        told++;
    }
    return told;
}

// Notes the conditions that together contradict this one, where the numbers of the start are known.
static int note_reasons(Start *s, Remark *remark, const StartRow *c) {
    enum { MOST = 64, FEW = 5 }; // looked at; named
    int row[MOST], n = echelon_reasons(s, (int)(c - s->row.data), row, MOST), given = 0;
    const StartRow *tie = NULL;
    for (int i = 0; i < n; i++) {
        const StartRow *r = &s->row.data[row[i]];
        if (r->strength <= START_TIE && !tie) tie = r;
        if (r->strength != START_GIVEN || given == FEW) continue;
        Text what = {0};
        describe(s->w, &what, r);
        if (r->var >= 0)
            remark_note(s->w->report, remark, r->pos, "'%s' has its own start value",
                        name_text(s->w->model->names, s->w->model->var[r->var].path));
        else
            remark_note(s->w->report, remark, r->pos, "%s was taken before it", text_get(&what));
        text_free(&what);
        given++;
    }
    if (tie && !given) given = note_tied(s, remark, tie);
    if (tie) remark_note(s->w->report, remark, tie->pos, "this constraint ties them");
    return given;
}

// The constraint that leaves a storage no start of its own.
static void note_demotion(Start *s, Remark *remark, const StartRow *c) {
    const System *x = s->w->system;
    for (int i = 0; i < x->demoted_count; i++)
        if (x->demoted[i].var == c->var)
            remark_note(s->w->report, remark, x->demoted[i].pos, "it follows from this constraint");
}

// Driven joints that an initial equation speaks of.
static void note_drives(Start *s, Remark *remark, const StartRow *c) {
    const Model *m = s->w->model;
    walk_start(s->w->walk);
    walk_add(s->w->walk, c->said);
    for (int i = 0; i < m->mechanism_count; i++)
        for (int k = 0; k < m->mechanism[i].joint_count; k++) {
            const MechJoint *j = &m->mechanism[i].joint[k];
            bool named = j->driven && walk_seen(s->w->walk, m->var[j->f].symbol);
            for (int q = 0; j->driven && q < joint_coordinates(j); q++)
                named = named || walk_seen(s->w->walk, m->var[j->coordinate[q]].symbol);
            if (named)
                remark_note(s->w->report, remark, j->pos,
                            "'%s' is driven: its motion is given here",
                            name_text(m->names, j->name));
        }
}

static void note_causes(Start *s, Remark *remark, const StartRow *c) {
    if (s->echelon && note_reasons(s, remark, c)) return;
    note_givens(s, remark, c);
    if (!s->echelon) note_set(s, remark, c);
    if (!s->echelon) note_others(s, remark, c);
    if (!remark->first_note && c->var >= 0) note_demotion(s, remark, c);
    if (!remark->first_note && c->said) note_drives(s, remark, c);
}

static bool report_contradiction(Start *s, const StartRow *c, double gap) {
    Text what = {0};
    describe(s->w, &what, c);
    Remark *remark =
        report_error(s->w->report, Q_START_CONTRADICTS, c->pos,
                     "%s contradicts the constraints: they are apart by %g", text_get(&what), gap);
    note_causes(s, remark, c);
    remark_help(s->w->report, remark, "%s",
                c->steady >= 0 ? "nothing can bring its rate to zero: give it a start value instead"
                               : "give the start of one of them only; the others follow from it");
    text_free(&what);
    return false;
}

static bool report_unsolved(Start *s, const StartRow *c) {
    Text what = {0};
    describe(s->w, &what, c);
    Remark *remark = report_error(s->w->report, Q_START_UNSOLVED, c->pos,
                                  "no start values were found that fulfil %s", text_get(&what));
    note_givens(s, remark, c);
    note_set(s, remark, c);
    remark_help(s->w->report, remark,
                "give start values near the solution, or those of the states themselves");
    text_free(&what);
    return false;
}

// --- numbers ------------------------------------------------------------------------------------

static double *number_of(Work *w, const Block *b, int i) {
    return &w->value.data[expr_symbol_index(w->dag, b->unknown[i])];
}

static double residual_size(Work *w, const Block *b, double *f) {
    double largest = 0;
    for (int i = 0; i < b->size; i++) {
        f[i] = expr_evaluate(w->dag, b->residual[i], w->value.data);
        if (!isfinite(f[i])) return INFINITY;
        largest = fmax(largest, fabs(f[i]));
    }
    return largest;
}

// x -= part*step, with the part halved until the residual does not grow.
static bool damped_step(Work *w, const Block *b, const double *step, double before, double *f) {
    enum { MOST_HALVINGS = 20 }; // down to 2e-6
    for (int halvings = 0; halvings < MOST_HALVINGS; halvings++) {
        double part = ldexp(1, -halvings);
        for (int i = 0; i < b->size; i++) *number_of(w, b, i) -= part * step[i];
        double now = residual_size(w, b, f);
        if (now <= before * (1 - part / 10) || now < 1e-12) return true;
        for (int i = 0; i < b->size; i++) *number_of(w, b, i) += part * step[i];
    }
    return false;
}

static void matrix_at_start(Work *w, const Block *b, double *a) {
    const Sparse *m = &b->jacobian;
    for (int i = 0; i < b->size * b->size; i++) a[i] = 0;
    for (int j = 0; j < b->size; j++)
        for (int k = m->start[j]; k < m->start[j + 1]; k++)
            a[m->row[k] * b->size + j] = expr_evaluate(w->dag, m->entry[k], w->value.data);
}

static bool newton_at_start(Work *w, const Block *b, double shift) {
    enum { MOST_STEPS = 50 };
    int n = b->size;
    double *a = ARENA_ARRAY(&w->scratch, double, n *n), *x = ARENA_ARRAY(&w->scratch, double, n);
    double *f = ARENA_ARRAY(&w->scratch, double, n);
    for (int i = 0; i < n; i++) {
        double guess = expr_evaluate(w->dag, b->guess[i], w->value.data);
        *number_of(w, b, i) = guess + shift * (guess == 0 ? 1 : guess);
    }
    for (int step = 0; step < MOST_STEPS; step++) {
        double change = 0, size = 0, before = residual_size(w, b, f);
        if (before == 0) return true;
        if (!isfinite(before)) return false;
        for (int i = 0; i < n; i++) x[i] = f[i];
        matrix_at_start(w, b, a);
        if (!elimination_solve(n, a, x)) return false;
        for (int i = 0; i < n; i++) {
            change = fmax(change, fabs(x[i]));
            size = fmax(size, fabs(*number_of(w, b, i)));
        }
        if (!isfinite(change)) return false;
        if (change <= 1e-12 * size) return true;
        if (!damped_step(w, b, x, before, f)) return false;
    }
    return false;
}

// As the run will do it: from the guess, then from nearby.
static bool solve_at_start(Work *w, const Block *b) {
    enum { LARGEST = 50 };
    for (int i = 0; i < START_SHIFTS && b->size <= LARGEST; i++)
        if (newton_at_start(w, b, start_shift[i])) return true;
    return false;
}

// --- the system of the start --------------------------------------------------------------------

static void inner_open(Solver *v) {
    Work *w = v->s->w;
    v->inner = (Work){.model = w->model,
                      .graph = w->graph,
                      .dag = w->dag,
                      .report = w->report,
                      .out = w->out,
                      .system = w->system,
                      .discrete = w->discrete,
                      .discrete_symbols = w->discrete_symbols};
    v->inner.walk = walk_new(w->dag);
    v->inner.rates = rates_new(w->dag);
    v->inner.solved = rewrite_new(w->dag);
    for (int i = 0; i < w->value.count; i++) array_push(&v->inner.value, w->value.data[i]);
}

static void put_known(Solver *v) {
    Start *s = v->s;
    for (int i = 0; i < s->row.count; i++) {
        const StartRow *r = &s->row.data[i];
        if (r->taken && r->unit) rewrite_set(v->known, r->unit, r->value);
    }
}

static bool is_known(const Solver *v, Expr unknown) {
    return rewrite(v->known, unknown) != unknown;
}

// Rules and quantities of what is not known yet. Gives: the first condition, for messages.
static const StartRow *put_rules(Solver *v) {
    Start *s = v->s;
    Work *w = s->w;
    const StartRow *first = NULL;
    for (int i = 0; i < s->unknown.count; i++) {
        Expr x = s->unknown.data[i];
        if (!is_known(v, x))
            quantity_add(&v->inner, x, w->quantity.data[quantity_of(w, x)].var, -1);
    }
    for (int i = 0; i < s->row.count; i++) {
        StartRow *r = &s->row.data[i];
        r->residual = rewrite(v->known, r->residual);
        if (!r->taken || r->unit) continue;
        if (!first || (first->strength <= START_TIE && r->strength == START_GIVEN)) first = r;
        rule_add(&v->inner, r->residual, 0, r->origin, r->pos);
    }
    return first;
}

static bool solve_inner(Solver *v) {
    Start *s = v->s;
    put_known(v);
    const StartRow *first = put_rules(v);
    if (!first) return true;
    int errors = s->w->report->errors;
    if (order_and_solve(&v->inner)) return true;
    return s->w->report->errors > errors ? false : report_unsolved(s, first);
}

// --- results ------------------------------------------------------------------------------------

static Expr at_start(Solver *v, Expr e) {
    e = rewrite(v->known, rewrite(v->s->fixed, e));
    return rewrite(v->rename, rewrite(v->inner.solved, e));
}

static void rename_unknowns(Solver *v) {
    Work *w = v->s->w;
    for (int i = 0; i < v->inner.block.count; i++)
        for (int k = 0; k < v->inner.block.data[i].size; k++) {
            Expr x = v->inner.block.data[i].unknown[k];
            Name name = expr_symbol_name(w->dag, expr_symbol_index(w->dag, x));
            rewrite_set(v->rename, x, expr_symbol(w->dag, name));
        }
}

static void rename_all(Solver *v, Expr *e, int count) {
    for (int i = 0; i < count; i++) e[i] = rewrite(v->rename, e[i]);
}

static void keep_blocks(Solver *v) {
    System *x = v->s->w->system;
    x->start_block_count = v->inner.block.count;
    x->start_block = ARENA_ARRAY(v->s->w->out, Block, x->start_block_count);
    for (int i = 0; i < x->start_block_count; i++) {
        Block *b = &x->start_block[i];
        *b = v->inner.block.data[i];
        rename_all(v, b->unknown, b->size);
        rename_all(v, b->residual, b->size);
        rename_all(v, b->jacobian.entry, b->jacobian.start[b->size]);
    }
}

static void keep_choices(Solver *v) {
    Work *w = v->s->w;
    System *x = w->system;
    for (int i = 0; i < x->choice_count; i++) {
        Choice *c = &x->choice[i];
        c->start = ARENA_ARRAY(w->out, Expr, c->columns);
        c->start_matrix = ARENA_ARRAY(w->out, Expr, c->rows * c->columns);
        for (int k = 0; k < c->columns; k++) c->start[k] = at_start(v, c->value[k]);
        for (int k = 0; k < c->rows * c->columns; k++)
            c->start_matrix[k] = at_start(v, c->matrix[k]);
    }
    for (int i = 0; i < x->set_count; i++) {
        StateSet *s = &x->set[i];
        s->start = ARENA_ARRAY(w->out, Expr, s->count);
        Expr *term = ARENA_ARRAY(&w->scratch, Expr, s->count);
        for (int k = 0; k < s->count; k++) {
            int var = s->var[k];
            s->start[k] = at_start(v, var >= 0 ? w->system->value[var] : s->candidate[k]);
        }
        for (int j = 0; j < s->free; j++) {
            for (int k = 0; k < s->count; k++)
                term[k] = expr_mul(w->dag, s->pick[j * s->count + k], s->start[k]);
            x->start[s->first_state + j] = expr_sum(w->dag, term, s->count);
        }
    }
}

static void keep_states(Solver *v) {
    System *x = v->s->w->system;
    for (int i = 0; i < x->state_count; i++)
        if (x->state_var[i] >= 0) x->start[i] = at_start(v, x->state[i]);
}

// The same where the numbers of the start are known.
static bool check_numbers(Start *s) {
    for (int i = 0; i < s->row.count; i++) {
        const StartRow *c = &s->row.data[i];
        if (!c->taken && c->strength != START_DEFAULT && !echelon_holds(s, i))
            return report_contradiction(s, c, echelon_gap(s, i));
    }
    return true;
}

// Given conditions that determined nothing must hold anyway.
static bool check_conditions(Solver *v) {
    Start *s = v->s;
    Work *w = &v->inner;
    bool ok = true, solved = false;
    for (int i = 0; ok && i < s->row.count; i++) {
        const StartRow *c = &s->row.data[i];
        if (c->taken || c->strength == START_DEFAULT) continue;
        for (int b = 0; b < w->block.count && !solved; b++)
            if (!solve_at_start(w, &w->block.data[b])) return true; // the run will tell
        solved = true;
        Expr residual = rewrite(w->solved, c->residual);
        double gap = expr_evaluate(w->dag, residual, w->value.data), size = 1;
        if (c->wanted)
            size = fmax(fabs(expr_evaluate(w->dag, c->wanted, w->value.data)), c->unit ? 1e-3 : 0);
        if (!(fabs(gap) <= 1e-8 * size)) ok = report_contradiction(s, c, gap);
    }
    return ok;
}

bool start_solve(Start *s) {
    Solver v = {.s = s, .known = rewrite_new(s->w->dag), .rename = rewrite_new(s->w->dag)};
    inner_open(&v);
    bool ok = !s->echelon || check_numbers(s);
    ok = ok && solve_inner(&v);
    if (ok && !s->echelon) ok = check_conditions(&v);
    if (ok) {
        rename_unknowns(&v);
        keep_states(&v);
        keep_choices(&v);
        keep_blocks(&v);
    }
    rewrite_free(v.known);
    rewrite_free(v.rename);
    work_free(&v.inner);
    return ok;
}
