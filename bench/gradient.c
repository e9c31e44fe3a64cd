// What a gradient costs, in runs: along the run (forward) and back along it (adjoint), for 1, 10 and 100 parameters.
//
// The model is a chain of masses with hardening springs and dampers, driven by a step; the number is the integral of a square plus an end
// value. A run is one on the virtual machine with the same steps, without a trail. How inexact the adjoint gradient is, against its
// largest entry, is told by one along a run with a tolerance of 1e-13: errors of the run itself are in it.
#include "bench.h"
#include "run/pipeline.h"
#include "sensitivity/sensitivity.h"

#include <math.h>
#include <time.h>

enum { MASSES = 50, MOST = 100, TIMES = 5 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void write_chain(Text *t) {
    text_add(t, "model Chain\n");
    for (int i = 1; i <= MASSES; i++)
        text_printf(t, "  param k%d = %.6g, d%d = %.6g\n  var x%d initial 0, v%d initial 0\n", i,
                    100 + 0.7 * i, i, 0.5 + 0.01 * i, i, i);
    for (int i = 1; i <= MASSES; i++) {
        text_printf(t, "  der(x%d)*1 {s} = v%d\n  der(v%d)*1 {s} = ", i, i, i);
        text_printf(t,
                    i > 1 ? "-k%d*(x%d - x%d + (x%d - x%d)^3) - d%d*v%d"
                          : "1 - k%d*(x%d + x%d^3) - d%d*v%d",
                    i, i, i > 1 ? i - 1 : i, i, i > 1 ? i - 1 : i, i, i);
        if (i < MASSES)
            text_printf(t, " + k%d*(x%d - x%d + (x%d - x%d)^3)", i + 1, i + 1, i, i + 1, i);
        text_char(t, '\n');
    }
    text_printf(t,
                "end\nexperiment Run of Chain\n  stop 10 {s}\n  points 10\n  audit off\n  expect "
                "integral(x%d^2) > -1 {s}\n"
                "  expect x%d(end) > -1e9\nend\n",
                MASSES, MASSES / 2);
}

static int give_up(const Report *r, const Sources *s) {
    Text words = {0};
    report_print(&words, r, s);
    fputs(text_get(&words), stderr);
    return 1;
}

typedef struct {
    double run, forward, adjoint; // seconds
    double off;                   // of the gradient, against its largest entry
} Cost;

static bool gradient(const System *s, const RunOptions *o, int n, double *back, double *seconds,
                     Report *r) {
    Along a;
    double weight[2] = {1, 1};
    int var[MOST];
    if (!along_run(&a, s, o, NULL, r)) return false;
    for (int i = 0; i < n; i++) var[i] = a.program->param_var[i];
    double begin = now();
    bool good = along_gradient(&a, weight, var, n, back);
    *seconds = now() - begin;
    along_close(&a);
    return good;
}

static bool slopes(const System *s, const RunOptions *o, int n, double *seconds, Report *r) {
    Along a;
    int var[MOST];
    if (!along_run(&a, s, o, NULL, r)) return false;
    for (int i = 0; i < n; i++) var[i] = a.program->param_var[i];
    double *slope = calloc((size_t)(2 * n), sizeof *slope), begin = now();
    bool good = along_slopes(&a, NULL, var, n, slope);
    *seconds = now() - begin;
    free(slope);
    along_close(&a);
    return good;
}

static double distance(const double *a, const double *b, int n) {
    double off = 0, size = 0;
    for (int i = 0; i < n; i++) {
        off = fmax(off, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return off / size;
}

// Each anew, with all that it has to find out along the run. The least of several: others are at work, too.
static bool measure(const Pipeline *p, SolverKind solver, int n, Cost *cost, Report *r) {
    const System *s = p->system;
    bool fixed = solver == SOLVER_RK4;
    RunOptions o = {.experiment = p->experiment,
                    .solver = solver,
                    .engine = ENGINE_VM,
                    .max_step = fixed ? 5e-3 : 0}; // as long as it is accurate
    RunOptions fine = {
        .experiment = p->experiment, .solver = SOLVER_RK78, .engine = ENGINE_VM, .rtol = 1e-13};
    double forward, adjoint, back[MOST], exact[MOST], seconds;
    Run *run = run_experiment(s, &o, r);
    cost->run = fmin(cost->run, run->stats.wall_seconds);
    run_free(run);
    if (!gradient(s, &o, n, back, &adjoint, r) || !slopes(s, &o, n, &forward, r)) return false;
    if (!gradient(s, &fine, n, exact, &seconds, r)) return false;
    cost->adjoint = fmin(cost->adjoint, adjoint);
    cost->forward = fmin(cost->forward, forward);
    cost->off = distance(back, exact, n);
    return true;
}

int main(void) {
    Arena tree = {0}, bonds = {0};
    Names *names = names_new();
    Sources *sources = sources_new();
    Report report = {0};
    Text text = {0};
    write_chain(&text);
    LangOptions lang = pipeline_lang(&(LangOptions){.library = BONDYN_SOURCE "/library"});
    lang.bonds = &bonds;
    Syntax *syntax = lang_load_text(&tree, names, sources, "chain.bond", text_get(&text),
                                    text.length, &lang, &report);
    PipelineOptions o = {.experiment = "Run", .lang = lang, .last = STAGE_SYSTEM};
    Pipeline p;
    if (report.errors || !pipeline_build(&p, syntax, &o, &report)) return give_up(&report, sources);
    const SolverKind solver[] = {SOLVER_RK78, SOLVER_CVODE_ADAMS, SOLVER_RK4};
    const int count[] = {1, 10, 100};
    printf("gradient of %d states, seconds of one run, and gradients in runs\n", 2 * MASSES);
    printf("%-8s %10s %10s %10s %10s %12s\n", "solver", "parameters", "run [s]", "forward",
           "adjoint", "inexact by");
    for (int s = 0; s < (int)(sizeof solver / sizeof *solver); s++)
        for (int c = 0; c < 3; c++) {
            Cost cost = {.run = 1e9, .forward = 1e9, .adjoint = 1e9};
            for (int k = 0; k < TIMES; k++)
                if (!measure(&p, solver[s], count[c], &cost, &report))
                    return give_up(&report, sources);
            printf("%-8s %10d %10.4f %10.2f %10.2f %12.1e\n", solver_name(solver[s]), count[c],
                   cost.run, 1 + cost.forward / cost.run, 1 + cost.adjoint / cost.run, cost.off);
            fflush(stdout);
        }
    return 0;
}
