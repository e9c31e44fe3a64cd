// Experiments: what to run, what to draw, what to expect.
//
// In an expectation a variable stands for a number that is taken from the run, a probe (probes.c).
#include "lang/build.h"

#include <math.h>
#include <string.h>

typedef struct {
    Builder *b;
    const Env *env;
    Experiment *x;
    Probes probes;
    ARRAY(Plot) plots;
    ARRAY(Name) records;
    ARRAY(Expectation) expects;
    ARRAY(Live) live;
    const AstItem *setting[ITEM_AUDIT + 1]; // by kind: the first one
    const AstItem *sweep;                   // `frequency`, or NULL
    Pos stop_pos;
    bool has_stop;
} Making;

// Of a variable its own, else that of the dimension.
static Name signal_unit(Builder *b, Expr e, Dim dim) {
    if (expr_op(b->dag, e) == OP_SYMBOL) {
        int symbol = expr_symbol_index(b->dag, e);
        if (symbol < b->var.count && b->var.data[symbol].unit) return b->var.data[symbol].unit;
    }
    return dim_unit(b, dim);
}

Name label_of(Builder *b, const AstExpr *e) {
    Text t = {0};
    ast_print(&t, b->names, e);
    Name label = name_of(b->names, text_get(&t));
    text_free(&t);
    return label;
}

// --- numbers -------------------------------------------------------------------------------------

bool plain_number(Builder *b, const Env *env, const AstExpr *e, Dim dim, const char *what,
                  double *x) {
    Lower l = lower_numbers(b, what, false);
    Value v = lower(&l, e, env);
    Constant c;
    if (!value_ok(&v) || !value_fit(&l, &v, false, NULL, dim, ast_start(e), what) ||
        !value_shape(&l, &v, 1, 1, ast_start(e), what))
        return false;
    if (!value_numbers(&l, &v, &c, &b->tmp)) {
        complain_not_finite(b, ast_start(e), "%s", what);
        return false;
    }
    *x = c.one;
    return true;
}

static bool setting(Making *k, const AstExpr *e, Dim dim, const char *what, double *x) {
    return plain_number(k->b, k->env, e, dim, what, x);
}

static bool positive_setting(Making *k, const AstExpr *e, Dim dim, const char *what, double *x) {
    double value;
    if (!setting(k, e, dim, what, &value)) return false;
    if (value > 0) {
        *x = value;
        return true;
    }
    Remark *m = complain(k->b, L_SETTING, ast_start(e), "%s must be positive, not %g", what, value);
    remark_help(k->b->r, m, "leave it out to have the default");
    return false;
}

static void set_points(Making *k, const AstItem *item) {
    double points;
    if (!positive_setting(k, item->left, DIM_ONE, "the number of points", &points)) return;
    if (points != floor(points) || points > 1e8) {
        Remark *m =
            complain(k->b, L_SETTING, ast_start(item->left),
                     "the number of points must be a whole number up to 1e8, not %g", points);
        remark_help(k->b->r, m, "write points 1000, or every 0.01 {s}");
        return;
    }
    k->x->points = (int)points;
}

// --- solver --------------------------------------------------------------------------------------

// Below, rounding is larger; from 1 on, a value may be anything.
static void check_rtol(Making *k, const AstExpr *value) {
    double rtol = k->x->rtol;
    if (rtol == 0 || (rtol >= 1e-15 && rtol < 1)) return;
    Remark *m = complain(k->b, L_SETTING, ast_start(value),
                         "rtol must lie from 1e-15 to below 1, not %g", rtol);
    remark_help(k->b->r, m, "write rtol 1e-6, or leave it out");
}

static void solver_option(Making *k, const AstArg *a) {
    Builder *b = k->b;
    const char *name = text_of(b, a->name);
    enum { OPTIONS = 5 };
    const char *const options[OPTIONS] = {"rtol", "atol", "step", "max_step", "min_step"};
    double *const to[OPTIONS] = {&k->x->rtol, &k->x->atol, &k->x->step, &k->x->max_step,
                                 &k->x->min_step};
    for (int i = 0; i < OPTIONS; i++)
        if (strcmp(options[i], name) == 0) {
            Dim dim = i == 0 ? DIM_ONE : i == 1 ? DIM_UNKNOWN : dim_second();
            positive_setting(k, a->value, dim, name, to[i]);
            if (i == 0) check_rtol(k, a->value);
            return;
        }
    Remark *m = complain(b, L_SOLVER, a->pos, "a solver has no option '%s'", name);
    Suggestion g = suggest_for(name);
    for (int i = 0; i < OPTIONS; i++) suggest_offer(&g, options[i]);
    suggest_help(b->r, m, &g, "the options are rtol, atol, step, max_step, min_step");
}

// Checks that min_step is not above max_step. Which of the two is wrong cannot be told.
static void compare_steps(Making *k, const AstItem *item) {
    if (!(k->x->max_step > 0) || k->x->min_step <= k->x->max_step) return;
    Remark *m = complain(k->b, L_SETTING, item->pos, "min_step %g s is longer than max_step %g s",
                         k->x->min_step, k->x->max_step);
    remark_help(k->b->r, m, "leave one of them out, or choose min_step below max_step");
}

// NULL: reported.
static const NamedSolver *find_solver(Making *k, const NamedSolver *list, const AstItem *item) {
    Builder *b = k->b;
    const char *name = text_of(b, item->name);
    for (const NamedSolver *s = list; s->name; s++)
        if (strcmp(s->name, name) == 0) return s;
    Remark *m = complain(b, L_SOLVER, item->pos, "there is no solver '%s'", name);
    Suggestion g = suggest_for(name);
    const char *all = NULL;
    for (const NamedSolver *s = list; s->name; s++) {
        suggest_offer(&g, s->name);
        if (s->is_other_name) continue;
        all = all ? arena_printf(&b->tmp, "%s, %s", all, s->name) : s->name;
    }
    suggest_help(b->r, m, &g, arena_printf(&b->tmp, "the solvers are %s", all));
    return NULL;
}

static void set_solver(Making *k, const AstItem *item) {
    Builder *b = k->b;
    for (int i = 0; i < item->arg_count; i++) solver_option(k, &item->args[i]);
    compare_steps(k, item);
    if (!b->options.solvers) return;
    const NamedSolver *solver = find_solver(k, b->options.solvers, item);
    if (!solver) return;
    k->x->solver = solver->number;
    bool step_written = false;
    for (int i = 0; i < item->arg_count; i++)
        step_written |= strcmp(text_of(b, item->args[i].name), "step") == 0;
    if (solver->needs_step && !step_written) {
        Remark *m = complain(b, L_SOLVER, item->pos, "solver '%s' needs a step", solver->name);
        remark_help(b->r, m, "write solver %s step 1e-3 {s}", solver->name);
    }
}

// --- plots and records ---------------------------------------------------------------------------

static bool signal_value(Making *k, const AstExpr *e, Value *v) {
    Lower l = lower_symbols(k->b);
    *v = lower(&l, e, k->env);
    return value_ok(v);
}

static Signal signal_at(Making *k, const AstExpr *e, const Value *v, int i) {
    Builder *b = k->b;
    Expr what = value_at(v, i);
    Name label = label_of(b, e);
    if (value_count(v) > 1)
        label = expr_op(b->dag, what) == OP_SYMBOL
                    ? b->var.data[expr_symbol_index(b->dag, what)].path
                    : name_printf(b->names, "(%s)[%d]", text_of(b, label), i + 1);
    return (Signal){what, label, signal_unit(b, what, v->dim), ast_start(e)};
}

bool scalar_signal(Builder *b, const Env *env, const AstExpr *e, Signal *s, Dim *dim) {
    Making k = {.b = b, .env = env};
    Value v;
    if (!signal_value(&k, e, &v)) return false;
    if (value_count(&v) != 1) {
        Remark *m = complain(b, L_WRONG_SHAPE, ast_start(e), "a scalar is wanted here, not %s",
                             shape_text(b, v.rows, v.cols));
        remark_help(b->r, m, "name one entry: %s[1]", expr_text(b, e));
        return false;
    }
    *s = signal_at(&k, e, &v, 0);
    if (dim) *dim = v.dim;
    return true;
}

static void add_plot(Making *k, const AstItem *item) {
    Builder *b = k->b;
    Plot p = {.title = item->text, .pos = item->pos};
    if (item->right && !scalar_signal(b, k->env, item->right, &p.x, NULL)) return;
    ARRAY(Signal) y = {0};
    for (int i = 0; i < item->expr_count; i++) {
        Value v;
        if (!signal_value(k, item->exprs[i], &v)) continue;
        for (int n = 0; n < value_count(&v); n++)
            array_push(&y, signal_at(k, item->exprs[i], &v, n));
    }
    p.y_count = y.count;
    p.y = ARENA_ARRAY(b->out, Signal, y.count);
    if (y.count) memcpy(p.y, y.data, (size_t)y.count * sizeof *y.data);
    array_free(&y);
    array_push(&k->plots, p);
}

static bool any_variable(const Builder *b, const char *pattern) {
    if (strcmp(pattern, "time") == 0 || strcmp(pattern, "*") == 0) return true;
    for (int i = 0; i < b->var.count; i++)
        if (pattern_takes(pattern, &b->var.data[i], b->names)) return true;
    return false;
}

static void add_records(Making *k, const AstItem *item) {
    Builder *b = k->b;
    for (int i = 0; i < item->expr_count; i++) {
        const char *pattern = text_of(b, item->exprs[i]->name);
        array_push(&k->records, item->exprs[i]->name);
        if (any_variable(b, pattern)) continue;
        Remark *m = complain(b, L_RECORD_NOTHING, item->exprs[i]->pos,
                             "'%s' matches no variable of the model", pattern);
        Suggestion g = suggest_for(pattern);
        for (int v = 0; v < b->var.count; v++) suggest_offer(&g, text_of(b, b->var.data[v].path));
        suggest_help(b->r, m, &g, "* stands for any text: record v.f, arm.*.e");
    }
}

// --- expectations --------------------------------------------------------------------------------

static Name expectation_text(Builder *b, const AstItem *item) {
    static const char *const relation[] = {
        [BIN_EQ] = " = ", [BIN_LT] = " < ", [BIN_LE] = " <= ", [BIN_GT] = " > ", [BIN_GE] = " >= "};
    Text t = {0};
    ast_print(&t, b->names, item->left);
    text_add(&t, relation[item->relation]);
    ast_print(&t, b->names, item->right);
    if (item->tolerance) {
        text_add(&t, " within ");
        ast_print(&t, b->names, item->tolerance);
    }
    if (item->relative) text_add(&t, " relative");
    Name text = name_of(b->names, text_get(&t));
    text_free(&t);
    return text;
}

static Name expectation_unit(Making *k, Expr left, Dim dim) {
    for (int i = 0; i < k->probes.list.count; i++) {
        const Probe *p = &k->probes.list.data[i];
        bool same = p->kind != PROBE_PARTIAL && p->kind != PROBE_INTEGRAL && p->kind != PROBE_PHASE;
        if (p->symbol == left && same && p->signal.unit) return p->signal.unit;
    }
    return signal_unit(k->b, left, dim);
}

// A plain number beside a variable that is shown in bar counts in bar.
Unit unit_named(Builder *b, Name name) {
    Unit unit = {.scale = 1};
    const char *text = text_of(b, name), *bad;
    size_t bad_length;
    if (!*text || !unit_parse(text, strlen(text), &unit, &bad, &bad_length))
        unit = (Unit){.scale = 1};
    return unit;
}

// `within t`: in the unit of the left side, or a plain number when relative. False: reported.
static bool read_tolerance(Making *k, Lower *l, const AstItem *item, Dim dim, Unit unit,
                           Expr *tolerance) {
    Builder *b = k->b;
    Pos pos = ast_start(item->tolerance);
    Value t = lower(l, item->tolerance, k->env);
    double number;
    unit.offset = 0; // a difference of temperatures
    if (!value_ok(&t) ||
        !value_fit(l, &t, !item->relative, &unit, item->relative ? DIM_ONE : dim, pos,
                   "the tolerance") ||
        !value_shape(l, &t, 1, 1, pos, "the tolerance"))
        return false;
    if (expr_is_number(b->dag, t.one, &number) && number < 0) {
        Remark *m = complain(b, L_SETTING, pos, "a tolerance cannot be negative");
        remark_help(b->r, m, "write its size: within %g", -number);
        return false;
    }
    *tolerance = t.one;
    return true;
}

static Relation relation_of(BinaryOp op) {
    if (op == BIN_EQ) return EXPECT_EQUAL;
    return op == BIN_LT || op == BIN_LE ? EXPECT_LESS : EXPECT_GREATER;
}

static void add_expectation(Making *k, const AstItem *item) {
    Builder *b = k->b;
    Lower l = lower_symbols(b);
    l.probes = &k->probes;
    Value x = lower(&l, item->left, k->env), y = lower(&l, item->right, k->env);
    if (!value_ok(&x) || !value_ok(&y) || !equation_sides(&l, &x, &y, item) ||
        !value_shape(&l, &x, 1, 1, ast_start(item->left), "an expectation"))
        return;
    Dim dim = (x.is & IS_PLAIN) ? y.dim : x.dim;
    Name unit_name = expectation_unit(k, x.one, dim);
    Unit unit = unit_named(b, unit_name);
    if ((y.is & IS_PLAIN) && !(x.is & IS_PLAIN))
        value_fit(&l, &y, true, &unit, dim, ast_start(item->right), "the right side");
    Expectation e = {.left = x.one, .right = y.one, .relative = item->relative, .pos = item->pos};
    e.relation = relation_of(item->relation);
    e.text = expectation_text(b, item);
    e.unit = unit_name;
    if (item->tolerance && !read_tolerance(k, &l, item, dim, unit, &e.tolerance)) return;
    array_push(&k->expects, e);
}

// --- the experiment ------------------------------------------------------------------------------

static void read_setting(Making *k, const AstItem *item) {
    switch (item->kind) {
    case ITEM_START: setting(k, item->left, dim_second(), "start", &k->x->start); break;
    case ITEM_STOP:
        k->has_stop = true;
        k->stop_pos = ast_start(item->left);
        setting(k, item->left, dim_second(), "stop", &k->x->stop);
        break;
    case ITEM_POINTS: set_points(k, item); break;
    case ITEM_EVERY:
        if (positive_setting(k, item->left, dim_second(), "every", &k->x->every)) k->x->points = 0;
        break;
    case ITEM_SOLVER: set_solver(k, item); break;
    case ITEM_AUDIT:
        k->x->audit = -1;
        if (item->left)
            positive_setting(k, item->left, DIM_ONE, "the bound of the audit", &k->x->audit);
        break;
    default: break;
    }
}

// Settings stand once in an experiment; `points` and `every` say the same thing.
static void check_stands_once(Making *k, const AstItem *item) {
    static const char *const word[] = {
        [ITEM_START] = "start", [ITEM_STOP] = "stop",     [ITEM_POINTS] = "points",
        [ITEM_EVERY] = "every", [ITEM_SOLVER] = "solver", [ITEM_AUDIT] = "audit"};
    if (item->kind > ITEM_AUDIT || !word[item->kind]) return;
    const AstItem **first = &k->setting[item->kind == ITEM_EVERY ? ITEM_POINTS : item->kind];
    if (*first) {
        Builder *b = k->b;
        bool same = (*first)->kind == item->kind;
        Remark *m = complain(b, L_SETTING_TWICE, item->pos, "the experiment says '%s' %s%s%s",
                             word[(*first)->kind], same ? "twice" : "and '",
                             same ? "" : word[item->kind], same ? "" : "'");
        remark_note(b->r, m, (*first)->pos, "the first one is here");
        remark_help(b->r, m, "keep one of them");
    } else {
        *first = item;
    }
}

static void read_item(Making *k, const AstItem *item) {
    switch (item->kind) {
    case ITEM_PLOT: add_plot(k, item); break;
    case ITEM_RECORD: add_records(k, item); break;
    case ITEM_EXPECT: add_expectation(k, item); break;
    case ITEM_LIVE: {
        Live live;
        if (live_build(k->b, k->env, item, &live)) array_push(&k->live, live);
        break;
    }
    default: break;
    }
}

static void check_times(Making *k) {
    Builder *b = k->b;
    Experiment *x = k->x;
    if (k->probes.analysis && !k->has_stop) x->stop = x->start + 10; // for those who ask
    if (k->sweep || k->probes.analysis) return;
    if (!k->has_stop) {
        Remark *m = complain(b, L_TIME, x->pos, "experiment '%s' does not say when it stops",
                             text_of(b, x->name));
        remark_help(b->r, m, "add a line such as: stop 10 {s}");
    } else if (!(x->stop > x->start) && no_errors(b)) {
        Remark *m = complain(b, L_TIME, k->stop_pos, "stop (%g s) must be later than start (%g s)",
                             x->stop, x->start);
        remark_help(b->r, m, "time runs forward");
    }
    if (x->every > 0 && (x->stop - x->start) / x->every > 1e8) {
        Remark *m = complain(b, L_SETTING, x->pos, "more than 1e8 points in time");
        remark_help(b->r, m, "take a larger `every`");
    }
}

// What belongs to a run in time has no meaning beside `frequency`.
static void check_sweep(Making *k, const AstItem *items) {
    static const char *const word[] = {
        [ITEM_START] = "start", [ITEM_STOP] = "stop",          [ITEM_POINTS] = "points",
        [ITEM_EVERY] = "every", [ITEM_RECORD] = "record",      [ITEM_PLOT] = "plot",
        [ITEM_AUDIT] = "audit", [ITEM_FREQUENCY] = "frequency"};
    Builder *b = k->b;
    for (const AstItem *i = items; i && k->sweep; i = i->next) {
        if (i == k->sweep || i->kind > ITEM_FREQUENCY || !word[i->kind]) continue;
        Remark *m = complain(b, L_NOT_IN_SWEEP, i->pos, "'%s' has no meaning beside 'frequency'",
                             word[i->kind]);
        remark_note(b->r, m, k->sweep->pos, "the frequency response is asked for here");
        remark_help(b->r, m, "%s",
                    i->kind == ITEM_FREQUENCY
                        ? "write one experiment for each"
                        : "each frequency is a run of its own, as long as it needs");
    }
}

static void find_sweep(Making *k, const AstItem *items) {
    for (const AstItem *i = items; i && !k->sweep; i = i->next)
        if (i->kind == ITEM_FREQUENCY) k->sweep = i;
    check_sweep(k, items);
    k->probes.sweep = &k->x->sweep;
    if (k->sweep) sweep_build(k->b, k->env, k->sweep, &k->x->sweep);
}

static void *kept(Builder *b, const void *data, int count, size_t size) {
    void *copy = arena_alloc(b->out, (size_t)count, size);
    if (count) memcpy(copy, data, (size_t)count * size);
    return copy;
}

Experiment *build_experiment(Builder *b, Definition d) {
    const AstClass *class = d.what;
    Experiment *x = ARENA_NEW(b->out, Experiment);
    *x = (Experiment){.name = class->name, .text = class->text, .points = 1000, .pos = class->pos};
    Making k = {.b = b, .x = x};
    k.env = new_env(b, (Env){.file = d.file, .instance = 0, .element = -1});
    display_units(b, class->items);
    for (const AstItem *i = class->items; i; i = i->next) {
        check_stands_once(&k, i);
        read_setting(&k, i);
    }
    find_sweep(&k, class->items);
    analysis_build(b, k.env, class, &x->analysis);
    k.probes.analysis = x->analysis.kind != ANALYSIS_NONE && x->analysis.kind != ANALYSIS_POWER;
    check_times(&k);
    k.probes.start = x->start;
    k.probes.stop = k.has_stop ? x->stop : INFINITY;
    for (const AstItem *i = class->items; i && !b->stop; i = i->next) read_item(&k, i);
    search_build(b, k.env, class->items, &k.probes, &x->aims);
    x->plot_count = k.plots.count;
    x->plots = kept(b, k.plots.data, k.plots.count, sizeof(Plot));
    x->record_count = k.records.count;
    x->records = kept(b, k.records.data, k.records.count, sizeof(Name));
    x->probe_count = k.probes.list.count;
    x->probes = kept(b, k.probes.list.data, k.probes.list.count, sizeof(Probe));
    x->expect_count = k.expects.count;
    x->expects = kept(b, k.expects.data, k.expects.count, sizeof(Expectation));
    x->live_count = k.live.count;
    x->live = kept(b, k.live.data, k.live.count, sizeof(Live));
    array_free(&k.live);
    array_free(&k.plots);
    array_free(&k.records);
    array_free(&k.probes.list);
    array_free(&k.expects);
    return x;
}
