// The linear model of a model or experiment for a text that asks for it: the whole way from syntax to
// numbers, beside the model that is being built.
#include "analysis/asked.h"

#include "analysis/steady.h"
#include <string.h>

typedef struct {
    Pipeline p;
    LinearPlan plan;
    Reached at;
    SteadyPoint *point;
    LinearModel *l;
} Making;

static bool build(Making *k, Syntax *s, const LinearAsk *ask, const LangOptions *options,
                  Report *r) {
    PipelineOptions o = {
        .model = ask->model, .experiment = ask->experiment, .lang = *options, .last = STAGE_MODEL};
    LinearOptions linear = {.input = ask->input,
                            .input_count = ask->input_count,
                            .output = ask->output,
                            .output_count = ask->output_count};
    if (!pipeline_build(&k->p, s, &o, r) ||
        !linear_open(k->p.model, &k->p.arena, &linear, &k->plan, r))
        return false;
    o.last = STAGE_SYSTEM;
    return pipeline_finish(&k->p, &o, r);
}

static bool linearise(Making *k, const LinearAsk *ask, Report *r) {
    RunOptions o = {.experiment = k->p.experiment};
    if (!linear_reach(&k->at, k->p.system, &o, ask->at_start, ask->time, r)) return false;
    if (ask->steady) k->point = steady_find(&k->plan, &k->at, r);
    if (ask->steady && !k->point) return false;
    k->l = linear_model(&k->plan, &k->at, r);
    if (!k->l || !k->l->B1) return k->l != NULL;
    Remark *m = report_error(r, A_IMPROPER, k->p.model->pos,
                             "the rate of an input enters: four matrices do not tell all");
    remark_help(r, m, "take the force or the acceleration as input, not the velocity");
    return false;
}

// Which state of the model each of the wanted ones is; false: reported.
static bool order_states(const Making *k, const LinearAsk *ask, int *order, Report *r) {
    const LinearModel *l = k->l;
    for (int i = 0; i < l->n; i++) order[i] = i;
    if (!ask->state_count) return true;
    bool good = ask->state_count == l->n;
    for (int i = 0; good && i < l->n; i++) {
        int found = -1;
        for (int j = 0; j < l->n; j++)
            if (strcmp(l->state[j].name, ask->state[i]) == 0) found = j;
        for (int j = 0; j < i; j++) good = good && order[j] != found;
        good = good && found >= 0;
        order[i] = found;
    }
    if (good) return true;
    Text all = {0};
    for (int j = 0; j < l->n; j++) text_printf(&all, "%s%s", j ? ", " : "", l->state[j].name);
    Remark *m = report_error(r, A_NO_SIGNAL, k->p.model->pos,
                             "'states' names all states once: there are %d", l->n);
    remark_help(r, m, "they are %s", text_get(&all));
    text_free(&all);
    return false;
}

// Columns to rows, states in their wanted order (Nullable: as they are).
static const double *turned(Arena *out, const double *a, int rows, int cols, const int *row,
                            const int *col) {
    double *to = ARENA_ARRAY(out, double, (size_t)rows *(size_t)cols + 1);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            to[(size_t)i * (size_t)cols + (size_t)j] =
                a[(size_t)(col ? col[j] : j) * (size_t)rows + (size_t)(row ? row[i] : i)];
    return to;
}

static bool hand_over(Arena *out, const Making *k, const LinearAsk *ask, LinearNumbers *x,
                      Report *r) {
    const LinearModel *l = k->l;
    int *order = ARENA_ARRAY(out, int, l->n + 1);
    if (!order_states(k, ask, order, r)) return false;
    const char **name = ARENA_ARRAY(out, const char *, l->n + 1);
    for (int i = 0; i < l->n; i++) name[i] = arena_printf(out, "%s", l->state[order[i]].name);
    *x = (LinearNumbers){.n = l->n, .m = l->m, .p = l->p, .state = name};
    x->matrix[0] = turned(out, l->A, l->n, l->n, order, order);
    x->matrix[1] = turned(out, l->B, l->n, l->m, order, NULL);
    x->matrix[2] = turned(out, l->C, l->p, l->n, NULL, order);
    x->matrix[3] = turned(out, l->D, l->p, l->m, NULL, NULL);
    return true;
}

bool linear_asked(Arena *out, Syntax *s, const LinearAsk *ask, const LangOptions *options,
                  LinearNumbers *x, Report *r) {
    Making k = {0};
    bool good =
        build(&k, s, ask, options, r) && linearise(&k, ask, r) && hand_over(out, &k, ask, x, r);
    linear_model_free(k.l);
    steady_free(k.point);
    reached_free(&k.at);
    pipeline_free(&k.p);
    return good;
}
