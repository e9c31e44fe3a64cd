// Experiments that analyse: what their statements ask for (parse_analysis.c), as names and numbers.
#include "lang/build.h"

#include <math.h>
#include <string.h>

static const char *const kinds[ANALYSIS_KINDS] = {
    "", "steady", "linearize", "poles", "bode", "nyquist", "step", "impulse", "reduce", "power"};

AnalysisKind analysis_named(const char *word) {
    for (int i = 1; i < ANALYSIS_KINDS; i++)
        if (strcmp(kinds[i], word) == 0) return (AnalysisKind)i;
    return ANALYSIS_NONE;
}

const char *analysis_name(AnalysisKind kind) { return kinds[kind]; }

typedef struct {
    Builder *b;
    const Env *env;
    AnalysisPlan *plan;
} Making;

// --- names ---------------------------------------------------------------------------------------

// The path of a variable as the flat model has it: arm.q[1]; NULL: reported.
static const char *path_of(Making *k, const AstExpr *e) {
    Builder *b = k->b;
    Text t = {0};
    ast_print(&t, b->names, e);
    for (int i = 0; i < b->var.count; i++)
        if (strcmp(text_of(b, b->var.data[i].path), text_get(&t)) == 0) {
            text_free(&t);
            return text_of(b, b->var.data[i].path);
        }
    Remark *m =
        complain(b, L_UNKNOWN_NAME, ast_start(e), "the model has no variable '%s'", text_get(&t));
    Suggestion g = suggest_for(arena_copy_text(&b->r->arena, text_get(&t), t.length));
    for (int v = 0; v < b->var.count; v++) suggest_offer(&g, text_of(b, b->var.data[v].path));
    suggest_help(b->r, m, &g, "name it by its path, one scalar at a time: arm.tip.f[2]");
    text_free(&t);
    return NULL;
}

static void read_names(Making *k, const AstItem *item, const char *const **list, int *count) {
    const char **to = ARENA_ARRAY(k->b->out, const char *, *count + item->expr_count + 1);
    if (*count) memcpy(to, *list, (size_t)*count * sizeof *to);
    for (int i = 0; i < item->expr_count; i++) {
        const char *path = path_of(k, item->exprs[i]);
        if (path) to[(*count)++] = path;
    }
    *list = to;
}

// --- numbers -------------------------------------------------------------------------------------

static bool numbers(Making *k, const AstExpr *e, Dim dim, const Unit *unit, const char *what,
                    Constant *c) {
    Builder *b = k->b;
    Lower l = lower_numbers(b, what, false);
    Value v = lower(&l, e, k->env);
    if (!value_ok(&v) || !value_fit(&l, &v, unit != NULL, unit, dim, ast_start(e), what))
        return false;
    if (value_numbers(&l, &v, c, &b->tmp)) return true;
    complain_not_finite(b, ast_start(e), "%s", what);
    return false;
}

static bool number(Making *k, const AstExpr *e, Dim dim, const char *what, double *x) {
    Constant c;
    if (!numbers(k, e, dim, NULL, what, &c)) return false;
    if (c.rows * c.cols != 1) {
        complain(k->b, L_WRONG_SHAPE, ast_start(e), "%s must be one number", what);
        return false;
    }
    *x = c.one;
    return true;
}

static const Var *var_named(const Builder *b, const char *path) {
    for (int i = 0; i < b->var.count; i++)
        if (text_of(b, b->var.data[i].path) == path) return &b->var.data[i];
    return NULL;
}

// A plain number counts in the unit in which the variable is shown.
static void read_given(Making *k, const AstItem *item) {
    Builder *b = k->b;
    AnalysisPlan *p = k->plan;
    const char **to = ARENA_ARRAY(b->out, const char *, p->given_count + item->expr_count + 1);
    if (p->given_count) memcpy(to, p->given, (size_t)p->given_count * sizeof *to);
    for (int i = 0; i + 1 < item->expr_count; i += 2) {
        const char *path = path_of(k, item->exprs[i]), *bad;
        size_t length;
        const Var *v = path ? var_named(b, path) : NULL;
        Unit unit = {.scale = 1};
        const char *shown = v ? text_of(b, v->unit) : "";
        if (!*shown || !unit_parse(shown, strlen(shown), &unit, &bad, &length))
            unit = (Unit){.scale = 1};
        Constant c;
        if (!v || !numbers(k, item->exprs[i + 1], v->dim, *shown ? &unit : NULL, path, &c))
            continue;
        if (c.rows * c.cols == 1)
            to[p->given_count++] = arena_printf(b->out, "%s = %.17g", path, c.one);
        else
            complain(b, L_WRONG_SHAPE, ast_start(item->exprs[i + 1]), "'%s' is one number", path);
    }
    p->given = to;
}

static Dim per_second(void) { return dim_divide(DIM_ONE, dim_second()); }

static void read_frequencies(Making *k, const AstItem *item) {
    Constant c;
    if (!numbers(k, item->left, per_second(), NULL, "the frequencies", &c)) return;
    int n = c.rows * c.cols;
    k->plan->frequency = ARENA_ARRAY(k->b->out, double, n);
    for (int i = 0; i < n; i++) {
        double f = n == 1 ? c.one : c.many[i];
        if (!(f > 0)) {
            Remark *m =
                complain(k->b, L_FREQUENCY, ast_start(item->left), "a frequency cannot be %g", f);
            remark_help(k->b->r, m, "write frequencies (0.1, 1, 10) {Hz}");
            return;
        }
        k->plan->frequency[k->plan->frequency_count++] = f;
    }
}

static bool in_time(AnalysisKind kind) { return kind == ANALYSIS_STEP || kind == ANALYSIS_IMPULSE; }

static void read_span(Making *k, const AstItem *item) {
    AnalysisPlan *p = k->plan;
    bool time = in_time(p->kind);
    Dim dim = time ? dim_second() : per_second();
    const char *what = time ? "a time" : "a frequency";
    if (!number(k, item->left, dim, what, &p->from) || !number(k, item->right, dim, what, &p->to))
        return;
    if (p->from < p->to && (time ? p->from >= 0 : p->from > 0)) return;
    Remark *m = complain(k->b, L_SETTING, item->pos, "'from %g to %g' is no span", p->from, p->to);
    remark_help(k->b->r, m, time ? "write from 0 {s} to 2 {s}" : "write from 0.1 {Hz} to 100 {Hz}");
}

static void read_point(Making *k, const AstItem *item) {
    const AstExpr *e = item->left;
    if (e->kind == AST_NAME && strcmp(text_of(k->b, e->name), "steady") == 0)
        k->plan->steady = true;
    else
        k->plan->has_time = number(k, e, dim_second(), "the time", &k->plan->time);
}

static void read_beside(Making *k, const AstItem *item) {
    Builder *b = k->b;
    const AstExpr *e = item->exprs[0];
    Definition d = find_by_path(b->syntax, k->env->file, e, b->r);
    if (item->expr_count == 1 && d.what && d.what->kind == CLASS_EXPERIMENT) {
        k->plan->beside = text_of(b, d.what->name);
        return;
    }
    Remark *m =
        complain(b, L_FREQUENCY, ast_start(e),
                 "'beside' wants one experiment with 'frequency', not '%s'", expr_text(b, e));
    remark_help(b->r, m, "write the experiment that sweeps the nonlinear model, and name it here");
}

static void misplaced(Builder *b, const AstItem *item, const char *why, const char *help) {
    Remark *m = complain(b, L_NOT_IN_ANALYSIS, item->pos, "%s", why);
    remark_help(b->r, m, "%s", help);
}

static void read_discrete(Making *k, const AstItem *item) {
    k->plan->discrete = true;
    AnalysisKind kind = k->plan->kind;
    if (kind == ANALYSIS_LINEARIZE || kind == ANALYSIS_POLES || kind == ANALYSIS_BODE ||
        kind == ANALYSIS_NYQUIST)
        return;
    misplaced(k->b, item, "discrete models are those of 'linearize', 'poles', 'bode' and 'nyquist'",
              "leave it out: the answer is then that of the continuous part");
}

static void read_order(Making *k, const AstItem *item) {
    double x;
    if (k->plan->kind != ANALYSIS_REDUCE) {
        misplaced(k->b, item, "'order' is that of a reduced model",
                  "say so behind the model: experiment Small of Model reduce");
        return;
    }
    if (!number(k, item->left, DIM_ONE, "the order", &x)) return;
    if (x >= 1 && x <= 1e6 && x == (double)(int)x) {
        k->plan->order = (int)x;
        return;
    }
    Remark *m = complain(k->b, L_SETTING, ast_start(item->left), "a model has no %g states", x);
    remark_help(k->b->r, m,
                "write order 3, or leave it out: as many states as leave 1 %% of error");
}

// --- all of them ---------------------------------------------------------------------------------

static void read_statement(Making *k, const AstItem *item) {
    AnalysisPlan *p = k->plan;
    const char *word = text_of(k->b, item->name);
    if (strcmp(word, "inputs") == 0) read_names(k, item, &p->input, &p->input_count);
    if (strcmp(word, "outputs") == 0) read_names(k, item, &p->output, &p->output_count);
    if (strcmp(word, "free") == 0) read_names(k, item, &p->free, &p->free_count);
    if (strcmp(word, "moving") == 0) read_names(k, item, &p->moving, &p->moving_count);
    if (strcmp(word, "beside") == 0) read_beside(k, item);
    if (strcmp(word, "given") == 0) read_given(k, item);
    if (strcmp(word, "frequencies") == 0) read_frequencies(k, item);
    if (strcmp(word, "from") == 0) read_span(k, item);
    if (strcmp(word, "at") == 0) read_point(k, item);
    if (strcmp(word, "discrete") == 0) read_discrete(k, item);
    if (strcmp(word, "order") == 0) read_order(k, item);
    if (strcmp(word, "vary") == 0) vary_build(k->b, k->env, item, p);
}

// A run can begin at a steady point: at steady, free, given, moving.
static bool finds_start(Builder *b, const AstItem *item) {
    const char *word = text_of(b, item->name);
    if (strcmp(word, "at") == 0)
        return item->left->kind == AST_NAME && strcmp(text_of(b, item->left->name), "steady") == 0;
    return strcmp(word, "free") == 0 || strcmp(word, "given") == 0 || strcmp(word, "moving") == 0;
}

static void misplaced_in_run(Builder *b, const AstItem *item) {
    bool at = strcmp(text_of(b, item->name), "at") == 0;
    misplaced(b, item,
              arena_printf(&b->r->arena, "'%s' belongs to an analysis", text_of(b, item->name)),
              at ? "a run begins at rest with 'at steady'; for an analysis say which, behind the "
                   "model: experiment Trim of Model steady, poles, bode ..."
                 : "say which, behind the model: experiment Trim of Model steady, poles, bode ...");
}

// A start that is sought moves with the parameters, which searches and slopes would not know; one that equations give they do.
static void check_slopes(Builder *b, const AstItem *items) {
    const AstItem *start = NULL;
    for (const AstItem *i = items; i && !start; i = i->next)
        if (i->kind == ITEM_ANALYSIS && finds_start(b, i)) start = i;
    for (const AstItem *i = items; start && i; i = i->next) {
        if (i->kind != ITEM_MINIMISE && i->kind != ITEM_FIT && i->kind != ITEM_SENSITIVITY)
            continue;
        misplaced(
            b, start,
            "a run that searches or has sensitivities does not begin at a point that is sought",
            "write 'initial steady' into the model: its start is then a formula of the parameters");
        return;
    }
}

// What belongs to runs has no meaning in an analysis, and the other way round.
static void check_places(Builder *b, const AnalysisPlan *p, const AstItem *items) {
    bool run = p->kind == ANALYSIS_NONE || p->kind == ANALYSIS_POWER;
    for (const AstItem *i = items; i; i = i->next) {
        if (i->kind == ITEM_ANALYSIS && run && !finds_start(b, i)) misplaced_in_run(b, i);
        bool of_run = i->kind == ITEM_STOP || i->kind == ITEM_POINTS || i->kind == ITEM_EVERY ||
                      i->kind == ITEM_RECORD || i->kind == ITEM_PLOT || i->kind == ITEM_AUDIT ||
                      i->kind == ITEM_FREQUENCY || i->kind == ITEM_FIT ||
                      i->kind == ITEM_SENSITIVITY;
        if (of_run && !run)
            misplaced(b, i, "this belongs to a run, and the experiment is an analysis",
                      "write a second experiment for a run; pictures of an analysis are drawn "
                      "without asking");
    }
}

static void check_vary(Builder *b, const AnalysisPlan *p, const AstItem *items) {
    for (const AstItem *i = items; i && p->vary.symbol; i = i->next) {
        if (i->kind == ITEM_MINIMISE)
            misplaced(b, i, "a search has values of its own, and goes through no others",
                      "leave out 'vary', and look at what was found in another experiment");
        if (i->kind == ITEM_ANALYSIS && strcmp(text_of(b, i->name), "beside") == 0)
            misplaced(b, i, "responses over several values have nothing beside them",
                      "compare in another experiment, at one value: set k = ...");
    }
}

void analysis_build(Builder *b, const Env *env, const AstClass *class, AnalysisPlan *plan) {
    *plan = (AnalysisPlan){.kind = class->analysis ? analysis_named(text_of(b, class->analysis))
                                                   : ANALYSIS_NONE,
                           .pos = class->analysis_pos};
    Making k = {b, env, plan};
    check_places(b, plan, class->items);
    if (plan->kind == ANALYSIS_NONE) check_slopes(b, class->items);
    for (const AstItem *i = class->items; i && !b->stop; i = i->next)
        if (i->kind == ITEM_ANALYSIS) read_statement(&k, i);
    check_vary(b, plan, class->items);
    for (const AstItem *i = class->items; i && plan->beside; i = i->next)
        if (i->kind == ITEM_MINIMISE)
            misplaced(b, i, "a search has nothing beside it",
                      "compare in another experiment, with what was found");
    if (plan->kind == ANALYSIS_STEADY || plan->free_count || plan->given_count ||
        plan->moving_count)
        plan->steady = true;
}
