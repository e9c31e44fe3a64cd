// Derivatives of what runs give, three ways: along the run (forward), back along it (adjoint), and
// by Richardson differences of whole runs.
//
// With arguments FILE [EXPERIMENT [SOLVER [RTOL]]]: of that file, all figures.
#include "../test.h"

#include "gradients.h"

// --- parameters ----------------------------------------------------------------------------------

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

// --- comparing -----------------------------------------------------------------------------------

typedef struct {
    double adjoint, difference; // worst
} Worst;

static bool compare(const Built *b, const Case *c, Along *a, bool print, Worst *worst) {
    int var[MOST_PARAMETERS], probes = a->job.plan.probe_count;
    int count = choose_parameters(b, c, a->program, var);
    double slope[MOST_PROBES * MOST_PARAMETERS], size[MOST_PARAMETERS], weight[MOST_PROBES] = {0};
    double other[MOST_PARAMETERS][MOST_PROBES];
    assert_true(probes <= MOST_PROBES && probes > 0 && count > 0);
    if (!along_slopes(a, NULL, var, count, slope)) return false;
    for (int j = 0; j < count; j++) {
        size[j] = number_of(b->model, var[j]);
        if (!differences(b, c, NULL, var[j], 1e-3, probes, other[j])) return false;
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
        RunOptions o = options_of(&b, c);
        good = along_run(&a, b.system, &o, NULL, &b.report) && compare(&b, c, &a, print, worst);
        along_close(&a);
    }
    if (!good) tell_report(&b.report, b.sources, stderr);
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
    {MODELS "titan4.bond", "Shortly", SOLVER_RK78, 1e-10, EVENTS, 0, {0}},
    {MODELS "closed.bond", NULL, SOLVER_RK78, 1e-12, SMOOTH, 0, {0}},
    {MODELS "chosen.bond", NULL, SOLVER_RK78, 1e-12, SMOOTH, 0, {0}},
    {MODELS "impact.bond", NULL, SOLVER_RK78, 1e-11, EVENTS, 0, {0}},
    {MODELS "friction.bond", NULL, SOLVER_RK78, 1e-11, EVENTS, 0, {0}},
    {MODELS "sampled.bond", NULL, SOLVER_RK78, 1e-11, EVENTS, 0, {0}},
    {MODELS "relay.bond", NULL, SOLVER_RK78, 1e-11, EVENTS, 0, {0}},
    {MODELS "kinks.bond", NULL, SOLVER_RK78, 1e-11, EVENTS, 0, {0}},
    {MODELS "peaks.bond", NULL, SOLVER_RK78, 1e-11, EVENTS, 0, {0}},
    {MODELS "ended.bond", NULL, SOLVER_RK78, 1e-11, EVENTS, 0, {0}},
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

// A kink that a step passes costs what the tolerance costs by itself, not its root: that was 4e-2 as long as steps were not cut
// there. What the tolerance costs is seen in the values of the same run, 2 to 200 rtol; slopes, which grow along the run,
// are off by up to ten times as much (adams and bdf at 50 tolerances from 1e-6 to 1e-10).
enum { SLOPES_BY_VALUES = 20 };

static void slopes_with(SolverKind solver, double rtol, double *slope, double *scale, double *value,
                        int *count) {
    Case c = {MODELS "kinks.bond", NULL, solver, rtol, 1, 0, {"k", "c", "a", "w"}};
    Built b;
    Along a;
    int var[MOST_PARAMETERS];
    double size[MOST_PARAMETERS];
    assert_true(open_case(&b, &c));
    RunOptions o = options_of(&b, &c);
    assert_true(along_run(&a, b.system, &o, NULL, &b.report));
    int parameters = choose_parameters(&b, &c, a.program, var), probes = a.job.plan.probe_count;
    assert_true(along_slopes(&a, NULL, var, parameters, slope));
    *count = probes * parameters;
    for (int i = 0; i < probes; i++) value[i] = along_probe(&a, i);
    for (int j = 0; j < parameters; j++) size[j] = number_of(b.model, var[j]);
    for (int i = 0; i < *count; i++) {
        int probe = i / parameters;
        scale[i] = scale_of(slope + probe * parameters, size, parameters, along_probe(&a, probe)) /
                   fabs(size[i % parameters]);
    }
    along_close(&a);
    build_free(&b);
}

static void test_loose_kinks(void **state) {
    (void)state;
    double exact[64], loose[64], scale[64], value[16], own[16];
    int count, again, probes = 6;
    slopes_with(SOLVER_RK78, 1e-11, exact, scale, value, &count);
    const SolverKind solver[] = {SOLVER_RK78, SOLVER_CVODE_ADAMS, SOLVER_CVODE_BDF};
    for (int s = 0; s < 3; s++) {
        double most = 0, off = 0;
        slopes_with(solver[s], 1e-6, loose, scale, own, &again);
        assert_int_equal(count, again);
        for (int i = 0; i < probes; i++) off = fmax(off, fabs(own[i] / value[i] - 1));
        for (int i = 0; i < count; i++) most = fmax(most, fabs(loose[i] - exact[i]) / scale[i]);
        printf("kinks at rtol 1e-6: slopes off by %.1e at most, values by %.1e\n", most, off);
        assert_true(most < SLOPES_BY_VALUES * off && off < 1e-4 && most < 3e-4);
    }
}

// Many steps of adams are gone along by one stride, and steps that are too long for a swing that rests by several (derivatives
// grew to 1e23 there). Both ways take the same strides, so they differ by rounding. Closed forms are met within the tolerance of
// each of the strides, some hundred of which count: what was long before has died away.
static void go_along_swings(SolverKind solver) {
    Case c = {MODELS "swings.bond", "Swing", solver, 1e-7, 0, 0, {0}};
    Built b;
    Along a = {0};
    double slope[4], back[2], t = 20, w = sqrt(1600 - 0.01);
    double swing = exp(-0.1 * t) * (cos(w * t) + 0.1 / w * sin(w * t));
    const double exact[] = {(1 - swing) / 1600, -t / 4 * sin(2 * t)}; // x by p, y by k
    const double weight[] = {1, 1};
    assert_true(open_case(&b, &c));
    RunOptions o = options_of(&b, &c);
    assert_true(along_run(&a, b.system, &o, NULL, &b.report));
    int var[] = {model_find(b.model, "p"), model_find(b.model, "k")}, joined = 0, steps = 0;
    assert_true(along_slopes(&a, NULL, var, 2, slope));
    for (int i = 0; i < a.trail.node.count; i++) {
        joined += a.trail.node.data[i].joined;
        steps += a.trail.node.data[i].kind == TRAIL_STEP;
    }
    assert_true(solver == SOLVER_RK78 || (joined > 0 && 2 * joined < steps));
    assert_true(along_gradient(&a, weight, var, 2, back));
    for (int j = 0; j < 2; j++) {
        double off = fabs(slope[3 * j] / exact[j] - 1), apart = fabs(back[j] / slope[3 * j] - 1);
        printf("swings: off by %.1e, ways apart by %.1e\n", off, apart);
        assert_true(off < 1e-5 && apart < 1e-12);
    }
    along_close(&a);
    build_free(&b);
}

static void test_swings(void **state) {
    (void)state;
    go_along_swings(SOLVER_CVODE_ADAMS);
    go_along_swings(SOLVER_RK78);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loose_kinks),
                                       cmocka_unit_test(test_swings),
                                       cmocka_unit_test(test_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
