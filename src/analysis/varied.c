// An analysis over the values of a parameter (`vary`): the whole analysis once for each of them, of which the poles,
// or the responses, are kept side by side, and of each expectation the verdict where it is nearest to failing.
#include "analysis/experiment.h"

#include "base/memory.h"
#include "results/shown.h"
#include <string.h>

typedef struct {
    const System *s;
    const LinearPlan *plan;
    const RunOptions *options;
    const Vary *vary;
    int var;
    Findings *to;
    Report *r;
} Varying;

static bool can_vary(const Varying *x) {
    const Var *v = &x->s->model->var[x->var];
    if (!v->structural) return true;
    Remark *m = report_error(x->r, V_FIXED_PARAMETER, x->vary->pos,
                             "the parameter '%s' decides the structure of the model",
                             name_text(x->s->model->names, v->path));
    remark_help(x->r, m, "write an experiment for each value, with set");
    return false;
}

// The analysis with the parameter at one of its values.
static bool perform_at(const Varying *x, int k, Arena *tmp, Findings *one) {
    RunOptions o = *x->options;
    int *var = ARENA_ARRAY(tmp, int, o.set_count + 1), count = 0;
    double *value = ARENA_ARRAY(tmp, double, o.set_count + 1);
    for (int i = 0; i < o.set_count; i++) {
        if (o.set_var[i] == x->var) continue;
        var[count] = o.set_var[i];
        value[count++] = o.set_value[i];
    }
    var[count] = x->var;
    value[count++] = x->vary->value[k];
    o.set_var = var;
    o.set_value = value;
    o.set_count = count;
    return analysis_at_value(x->s, x->plan, &o, one, x->r);
}

static void begin_locus(const Varying *x) {
    const Model *m = x->s->model;
    const Var *v = &m->var[x->var];
    Shown in = shown_in(m, v->unit);
    Arena *out = &x->to->arena;
    int count = x->vary->count;
    Locus *l = &x->to->locus;
    *l = (Locus){.name = name_text(m->names, v->path),
                 .unit = in.unit,
                 .count = count,
                 .value = ARENA_ARRAY(out, double, count),
                 .pole = ARENA_ARRAY(out, Complex *, count),
                 .discrete = x->to->plan->discrete};
    for (int k = 0; k < count; k++) l->value[k] = show(in, x->vary->value[k]);
}

static const char *label_of(const Varying *x, int k) {
    const Locus *l = &x->to->locus;
    return arena_printf(&x->to->arena, "%s = %.6g%s%s", l->name, l->value[k], *l->unit ? " " : "",
                        l->unit);
}

// What one value gives goes to the others.
static bool keep(const Varying *x, int k, Findings *one) {
    Findings *to = x->to;
    const char *label = label_of(x, k);
    if (to->plan->kind == ANALYSIS_POLES) {
        if (!locus_take(&to->locus, &to->arena, one->l, k)) return false;
        poles_free(one->poles);
        one->poles = NULL;
    }
    size_t all = (size_t)x->vary->count * (size_t)one->channels;
    if (one->channels && !to->channel) to->channel = memory_zeroed(all, sizeof *to->channel);
    for (int i = 0; i < one->channels; i++) {
        to->channel[to->channels] = one->channel[i];
        to->channel[to->channels++].of = label;
    }
    free(one->channel);
    one->channel = NULL;
    one->channels = 0;
    verdicts_join(&to->run, &one->run, label);
    if (k > 0) return true; // the point and the model of the first one stand for all
    to->point = one->point;
    to->l = one->l;
    one->point = NULL;
    one->l = NULL;
    return true;
}

bool analysis_over(const System *s, const LinearPlan *plan, const RunOptions *o, Findings *f,
                   Report *r) {
    const AnalysisPlan *a = &o->experiment->analysis;
    *f = (Findings){.plan = a};
    Varying x = {s, plan, o, &a->vary, model_of_symbol(s->model, a->vary.symbol), f, r};
    Arena tmp = {0};
    bool good = can_vary(&x);
    if (good) begin_locus(&x);
    for (int k = 0; k < a->vary.count && good; k++) {
        Findings one = {0};
        good = perform_at(&x, k, &tmp, &one) && keep(&x, k, &one);
        if (!good && r->last)
            remark_note(r, r->last, x.vary->pos, "this happened at %s", label_of(&x, k));
        findings_free(&one);
    }
    if (good && a->kind == ANALYSIS_POLES) locus_join(&f->locus);
    if (a->kind != ANALYSIS_POLES) f->locus.count = 0; // its name and values alone were wanted
    arena_free(&tmp);
    return good;
}
