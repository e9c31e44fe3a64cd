// Objective and constraints of one run, with their slopes by the parameters.
#include "optimise/inside.h"

#include "analysis/experiment.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

static const Aims *aims(const Trial *t) { return &t->plan->cases[0].experiment->aims; }

void trial_open(Trial *t, const SearchPlan *p, Found *f) {
    *t = (Trial){.plan = p, .found = f, .n = f->count};
    t->limits = aims(t)->limit_count;
    size_t n = (size_t)t->n, m = (size_t)t->limits;
    t->x = memory_zeroed(2 * n + m + m * n + 4, sizeof(double));
    t->slope = t->x + n;
    t->limit = t->slope + n;
    t->limit_slope = t->limit + m;
    for (size_t i = 0; i < n; i++) t->x[i] = NAN;
    t->report = memory_zeroed(1, sizeof *t->report);
}

void trial_close(Trial *t) {
    along_shared_free(&t->shared);
    report_free(t->report);
    free(t->report);
    free(t->x);
}

// An expression by probes and parameters becomes one by parameters alone.
static bool slope_of(Trial *t, Along *a, Expr e, const double *slopes, const int *var,
                     double *value, double *slope) {
    int probes = a->job.plan.probe_count;
    double *by = memory_zeroed((size_t)probes + 1, sizeof *by);
    double *own = memory_zeroed((size_t)t->n + 1, sizeof *own);
    *value += along_expression(a, e, var, t->n, by, slope);
    bool good = isfinite(*value);
    if (slopes)
        for (int i = 0; i < probes; i++)
            for (int j = 0; j < t->n && by[i] != 0; j++) slope[j] += by[i] * slopes[i * t->n + j];
    else if (good) {
        good = along_gradient(a, by, var, t->n, own);
        for (int j = 0; j < t->n; j++) slope[j] += own[j];
    }
    free(by);
    free(own);
    return good;
}

// Probes that the expressions have.
static bool *probes_wanted(Trial *t, Along *a) {
    int probes = a->job.plan.probe_count;
    bool *wanted = memory_zeroed((size_t)probes + 1, sizeof *wanted);
    const Dag *d = a->job.model->dag;
    for (int i = 0; i < probes; i++) {
        Expr symbol = a->job.plan.probes[i].symbol;
        wanted[i] = expr_depends(d, aims(t)->objective, symbol);
        for (int k = 0; k < t->limits; k++)
            wanted[i] = wanted[i] || expr_depends(d, aims(t)->limit[k].left, symbol) ||
                        expr_depends(d, aims(t)->limit[k].right, symbol);
    }
    return wanted;
}

static bool find_slopes(Trial *t, Along *a, const int *var) {
    enum { DEAR = 4 }; // runs that a way back costs
    int probes = a->job.plan.probe_count;
    bool back = t->n > DEAR * (1 + t->limits);
    bool *wanted = probes_wanted(t, a);
    double *slopes = back ? NULL : memory_zeroed((size_t)probes * (size_t)t->n + 1, sizeof *slopes),
           ignored = 0;
    t->found->gradient = back ? "adjoint" : "forward";
    t->value = 0;
    memset(t->slope, 0, (size_t)t->n * sizeof *t->slope);
    bool good = (back || along_slopes(a, wanted, var, t->n, slopes)) &&
                slope_of(t, a, aims(t)->objective, slopes, var, &t->value, t->slope);
    for (int k = 0; k < t->limits && good; k++) {
        const Expectation *e = &aims(t)->limit[k];
        double *to = t->limit_slope + k * t->n;
        double *right = memory_zeroed((size_t)t->n + 1, sizeof *right);
        memset(to, 0, (size_t)t->n * sizeof *to);
        good = slope_of(t, a, e->left, slopes, var, &ignored, to) &&
               slope_of(t, a, e->right, slopes, var, &ignored, right);
        for (int j = 0; j < t->n; j++) to[j] -= right[j];
        free(right);
    }
    free(slopes);
    free(wanted);
    return good;
}

static bool find_values(Trial *t, Along *a) {
    Symbols *s = &a->job.symbols;
    if (a->job.plan.probe_count) along_probe(a, 0);
    t->value = symbols_evaluate(s, aims(t)->objective);
    bool good = isfinite(t->value);
    for (int k = 0; k < t->limits; k++) {
        const Expectation *e = &aims(t)->limit[k];
        t->limit[k] = symbols_evaluate(s, e->left) - symbols_evaluate(s, e->right);
        good = good && isfinite(t->limit[k]);
    }
    return good;
}

// Numbers of an analysis; they have no slopes.
static bool analyse(Trial *t, const RunOptions *o) {
    const SearchCase *c = &t->plan->cases[0];
    int count = 1 + 2 * t->limits;
    Expr *e = memory_zeroed((size_t)count, sizeof *e);
    double *value = memory_zeroed((size_t)count, sizeof *value);
    e[0] = aims(t)->objective;
    for (int k = 0; k < t->limits; k++) {
        e[1 + 2 * k] = aims(t)->limit[k].left;
        e[2 + 2 * k] = aims(t)->limit[k].right;
    }
    bool good = analysis_numbers(c->system, c->plan, o, e, count, value, t->report);
    if (good) t->value = value[0];
    good = good && isfinite(t->value);
    for (int k = 0; k < t->limits && good; k++) {
        t->limit[k] = value[1 + 2 * k] - value[2 + 2 * k];
        good = isfinite(t->limit[k]);
    }
    free(e);
    free(value);
    return good;
}

static bool run_along(Trial *t, const RunOptions *o, const int *var, bool slopes) {
    Along a;
    bool good = along_run(&a, t->plan->cases[0].system, o, &t->shared, t->report) &&
                find_values(t, &a) && (!slopes || find_slopes(t, &a, var));
    for (int j = 0; j < t->n && good && slopes; j++) good = isfinite(t->slope[j]);
    along_close(&a);
    return good;
}

static void run_at(Trial *t, bool slopes) {
    int *var = memory_zeroed((size_t)t->n + 1, sizeof *var), count;
    double *to = memory_zeroed((size_t)t->n + 1, sizeof *to);
    free_sets(t->found, 0, t->x, var, to, &count);
    RunOptions o = *t->plan->options;
    o.experiment = t->plan->cases[0].experiment;
    o.set_var = var;
    o.set_value = to;
    o.set_count = count;
    o.progress = NULL;
    report_free(t->report);
    *t->report = (Report){0};
    t->value = NAN;
    t->good = t->plan->cases[0].plan ? analyse(t, &o) : run_along(t, &o, var, slopes);
    free(var);
    free(to);
}

// An entry of the journal is (slopes, x; good, value, slopes and constraints).
static bool take_answer(Trial *t, const double *entry, int answers) {
    const double *answer =
        t->journal ? journal_answer(t->journal, t->start, entry, 1 + t->n, answers) : NULL;
    if (!answer) return false;
    t->good = answer[0] != 0;
    t->value = answer[1];
    memcpy(t->slope, answer + 2, (size_t)(answers - 2) * sizeof *answer);
    return true;
}

static void keep_answer(Trial *t, double *entry, int answers) {
    if (!t->journal || (t->plan->cancel && *t->plan->cancel)) return; // perhaps cut off
    double *answer = entry + 1 + t->n;
    answer[0] = t->good;
    answer[1] = t->value;
    memcpy(answer + 2, t->slope, (size_t)(answers - 2) * sizeof *answer);
    journal_put(t->journal, t->start, ENTRY_ANSWER, entry, 1 + t->n + answers);
}

bool trial_at(Trial *t, const double *x, bool slopes) {
    size_t size = (size_t)t->n * sizeof *x;
    if (memcmp(t->x, x, size) == 0 && (!slopes || t->sloped)) return t->good;
    int answers = 2 + t->n + t->limits + t->limits * t->n; // as they lie behind each other
    double *entry = memory_zeroed(1 + (size_t)t->n + (size_t)answers, sizeof *entry);
    memmove(t->x, x, size);
    entry[0] = slopes;
    memcpy(entry + 1, x, size);
    t->runs++;
    t->sloped = slopes;
    if (!take_answer(t, entry, answers)) {
        run_at(t, slopes);
        keep_answer(t, entry, answers);
    }
    free(entry);
    return t->good;
}
