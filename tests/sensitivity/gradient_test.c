// Derivatives of what runs give, three ways: along the run (forward), back along it (adjoint), and by
// Richardson differences of whole runs.
//
// With arguments FILE [EXPERIMENT [SOLVER [RTOL]]]: of that file, all figures.
#include "../test.h"

#include "../pipeline.h"
#include "base/memory.h"
#include "sensitivity/sensitivity.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PARAMETERS = 4, MOST_PROBES = 64 };

typedef struct {
    const char *file, *experiment;
    SolverKind solver;
    double rtol;
    double agree; // with differences, of the largest slope of the probe by relative changes
    double stop;  // 0: of the experiment
    const char *parameter[MOST_PARAMETERS]; // none: the first that matter
} Case;

static bool open_case(Built *b, const Case *c) {
    char path[1000];
    snprintf(path, sizeof path, "%s%s",
             c->file[0] == '/' || c->file[0] == '.' ? "" : BONDYN_SOURCE "/examples/", c->file);
    LangOptions given = {.library = BONDYN_SOURCE "/library"};
    LangOptions with = build_open(b, &given);
    Syntax *syntax = lang_load(&b->tree, b->names, b->sources, path, &with, &b->report);
    return build_syntax(b, syntax, NULL, c->experiment, &with);
}

static RunOptions options_of(const Case *c) {
    return (RunOptions){.solver = c->solver, .rtol = c->rtol, .stop = c->stop, .engine = ENGINE_VM};
}

static void tell(Built *b) {
    Text t = {0};
    report_print(&t, &b->report, b->sources);
    fputs(text_get(&t), stderr);
    text_free(&t);
}

// --- parameters ----------------------------------------------------------------------------------

static double number_of(const Model *m, int var) {
    double x = 0;
    if (m->var[var].kind != VAR_PARAM || !m->var[var].value ||
        !expr_is_number(m->dag, m->var[var].value, &x))
        return 0;
    return x;
}

static int choose_parameters(const Built *b, const Case *c, const Program *p, int *var) {
    int count = 0;
    for (; count < MOST_PARAMETERS && c->parameter[count]; count++) {
        var[count] = model_find(b->model, c->parameter[count]);
        assert_true(var[count] >= 0);
    }
    for (uint32_t i = 0; i < p->param_count && count < MOST_PARAMETERS && !c->parameter[0]; i++)
        if (number_of(b->model, p->param_var[i]) != 0) var[count++] = p->param_var[i];
    return count;
}

// --- differences ---------------------------------------------------------------------------------

static bool probes_with(const Built *b, const Case *c, int var, double value, double *probe) {
    RunOptions o = options_of(c);
    o.set_var = &var;
    o.set_value = &value;
    o.set_count = 1;
    Along a;
    Report r = {0};
    bool good = along_run(&a, b->system, &o, NULL, &r);
    for (int i = 0; i < a.job.plan.probe_count && good; i++) probe[i] = along_probe(&a, i);
    along_close(&a);
    report_free(&r);
    return good;
}

// (4 D(h/2) - D(h))/3, by a relative change of the parameter.
static bool differences(const Built *b, const Case *c, int var, double step, int probes,
                        double *slope) {
    double x = number_of(b->model, var), p[4][MOST_PROBES];
    const double at[4] = {-step, step, -step / 2, step / 2};
    for (int k = 0; k < 4; k++)
        if (!probes_with(b, c, var, x * (1 + at[k]), p[k])) return false;
    for (int i = 0; i < probes; i++) {
        double wide = (p[1][i] - p[0][i]) / (2 * step), narrow = (p[3][i] - p[2][i]) / step;
        slope[i] = (4 * narrow - wide) / 3 / x;
    }
    return true;
}

// --- comparing -----------------------------------------------------------------------------------

typedef struct {
    double adjoint, difference; // worst
} Worst;

static double scale_of(const double *slope, const double *size, int count, double value) {
    double most =
        1e-3 * fabs(value) + 1e-200; // a number that hardly changes is compared by its size
    for (int j = 0; j < count; j++) most = fmax(most, fabs(slope[j] * size[j]));
    return most;
}

static bool compare(const Built *b, const Case *c, Along *a, bool print, Worst *worst) {
    int var[MOST_PARAMETERS], probes = a->job.plan.probe_count;
    int count = choose_parameters(b, c, a->program, var);
    double slope[MOST_PROBES * MOST_PARAMETERS], size[MOST_PARAMETERS], weight[MOST_PROBES] = {0};
    double other[MOST_PARAMETERS][MOST_PROBES];
    assert_true(probes <= MOST_PROBES && probes > 0 && count > 0);
    if (!along_slopes(a, NULL, var, count, slope)) return false;
    for (int j = 0; j < count; j++) {
        size[j] = number_of(b->model, var[j]);
        if (!differences(b, c, var[j], 1e-3, probes, other[j])) return false;
    }
    for (int i = 0; i < probes; i++) {
        double back[MOST_PARAMETERS],
            scale = scale_of(slope + i * count, size, count, along_probe(a, i));
        weight[i] = 1;
        if (!along_gradient(a, weight, var, count, back)) return false;
        weight[i] = 0;
        for (int j = 0; j < count; j++) {
            double forth = slope[i * count + j];
            double far = fabs(back[j] - forth) * fabs(size[j]) / scale;
            double off = fabs(other[j][i] - forth) * fabs(size[j]) / scale;
            worst->adjoint = fmax(worst->adjoint, isfinite(far) ? far : 1e300);
            worst->difference = fmax(worst->difference, isfinite(off) ? off : 1e300);
            if (print && (far > 1e-8 || off > 1e-7))
                printf("  %-28s by %-20s %22.15g adjoint %8.1e differences %8.1e\n",
                       name_text(b->names, a->job.plan.probes[i].signal.label),
                       name_text(b->names, b->model->var[var[j]].path), forth, far, off);
        }
    }
    return true;
}

static bool run_case(const Case *c, bool print, Worst *worst) {
    Built b;
    Along a = {0};
    bool good = open_case(&b, c);
    if (good) {
        RunOptions o = options_of(c);
        good = along_run(&a, b.system, &o, NULL, &b.report) && compare(&b, c, &a, print, worst);
        along_close(&a);
    }
    if (!good) tell(&b);
    build_free(&b);
    return good;
}

#define MODELS BONDYN_SOURCE "/tests/sensitivity/models/"
#define SMOOTH 1e-7
#define EVENTS 1e-5

// Differences are those of whole runs, whose own errors are their limit: 1e-12 by 1e-3 with rk78.
static const Case cases[] = {
    {"rlc/rlc.bond", NULL, SOLVER_RK78, 1e-12, SMOOTH, 0, {0}},
    {"two_tanks/two_tanks.bond", NULL, SOLVER_RK78, 1e-12, SMOOTH, 0, {0}},
    {"double_pendulum/double_pendulum.bond", NULL, SOLVER_RK78, 1e-12, SMOOTH, 0, {0}},
    {"quarter_car/quarter_car.bond", NULL, SOLVER_RK78, 1e-12, SMOOTH, 0, {0}},
    {"start_values/start_values.bond", NULL, SOLVER_RK78, 1e-12, SMOOTH, 0, {0}},
    {"tables/tables.bond", NULL, SOLVER_RK78, 1e-11, EVENTS, 0, {0}},
    {"clutch/clutch.bond", NULL, SOLVER_RK78, 1e-11, EVENTS, 0, {0}},
    {"rigid_stops/driven.bond", "Pressed", SOLVER_RK78, 1e-11, EVENTS, 0, {0}},
    {"titan4/bench_motor.bond", "FullSoft", SOLVER_CVODE_BDF, 1e-9, SMOOTH, 0, {0}},
    {MODELS "closed.bond", NULL, SOLVER_RK78, 1e-12, SMOOTH, 0, {0}},
    {MODELS "impact.bond", NULL, SOLVER_RK78, 1e-11, EVENTS, 0, {0}},
    {MODELS "friction.bond", NULL, SOLVER_RK78, 1e-11, EVENTS, 0, {0}},
    {MODELS "sampled.bond", NULL, SOLVER_RK78, 1e-11, EVENTS, 0, {0}},
};

static void test_examples(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Worst w = {0};
        bool good = run_case(&cases[i], false, &w);
        printf("%-40s adjoint %8.1e differences %8.1e\n", cases[i].file, w.adjoint, w.difference);
        assert_true(good);
        assert_true(w.adjoint <= 1e-8);
        assert_true(w.difference <= cases[i].agree);
    }
}

int main(int count, char **word) {
    if (count > 1) {
        Case c = {word[1], count > 2 && *word[2] ? word[2] : NULL, SOLVER_AUTO, 1e-10, 1, 0, {0}};
        Worst w = {0};
        if (count > 3) assert_true(solver_named(word[3], &c.solver));
        if (count > 4) c.rtol = strtod(word[4], NULL);
        if (count > 5) c.stop = strtod(word[5], NULL);
        bool good = run_case(&c, true, &w);
        printf("%s adjoint %.1e differences %.1e\n", good ? "good" : "FAILED", w.adjoint,
               w.difference);
        return !good;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
