// Large loops from text to results: time and memory against size, and how they grow.
//
//   grid      n x n nodes, a resistor on every edge: one algebraic loop, sparse, factored once
//   gears     n inertias that turn together: n - 1 dependent storages, solved with symbols
//   chain     n links in Cartesian coordinates (index 3): a loop of n tensions at every evaluation
//   orifices  n nodes without volumes, an orifice to the next and a leak: one nonlinear loop
//   cranks    n parallel cranks, each coupled to the next by a bar and once more by a rod
//
// Each size runs in a process of its own, so that peak memory is that size's.
#include "apart.h"
#include "bench.h"
#include "run/pipeline.h"

#include "solve/solve.h"
#include <malloc.h>
#include <math.h>
#include <string.h>

typedef struct {
    double compile, run, evaluation, bytes;
    int equations, states, unknowns;
} Measured;

// --- models --------------------------------------------------------------------------------------

static void write_edge(Text *out, const char *name, int x, int y, int to_x, int to_y, int n) {
    text_printf(out, "  1 %s%d_%d\n  R r%s%d_%d(1 {ohm})\n", name, x, y, name, x, y);
    text_printf(out, "  v%d_%d -> %s%d_%d -> r%s%d_%d\n", x, y, name, x, y, name, x, y);
    if (to_x < n || to_y < n) text_printf(out, "  %s%d_%d -> v%d_%d\n", name, x, y, to_x, to_y);
}

static void write_grid(Text *out, int n) {
    text_add(out, "model M\n  Se u = 1 {V}\n  u -> v1_1\n");
    for (int y = 1; y <= n; y++)
        for (int x = 1; x <= n; x++) {
            if (x < n || y < n) text_printf(out, "  0 v%d_%d\n", x, y);
            if (x < n) write_edge(out, "h", x, y, x + 1, y, n);
            if (y < n) write_edge(out, "w", x, y, x, y + 1, n);
        }
    text_add(out, "end\n");
}

static void write_gears(Text *out, int n) {
    text_printf(out,
                "model M\n  const n = %d\n  Se tau = 2 {N.m}\n  1 w[n]\n"
                "  I wheel[n](0.01 {kg.m2})\n  TF mesh[n - 1](0.999)\n  R drag(0.05)\n"
                "  tau -> w[1] -> wheel[1]\n  for i in 2:n\n"
                "    w[i - 1] -> mesh[i - 1] -> w[i] -> wheel[i]\n  end\n  w[n] -> drag\nend\n",
                n);
}

static void write_chain(Text *out, int n) {
    text_printf(out,
                "model M\n  const n = %d\n  param L = 3/n, m = 6/n, g = 9.81\n"
                "  var x[n] initial 0.2*L*(1:n), y[n], u[n], v[n], T[n]\n",
                n);
    text_add(out,
             "  for i in 1:n\n    der(x[i])*1 {s} = u[i]\n    der(y[i])*1 {s} = v[i]\n  end\n"
             "  y[1] = -sqrt(L^2 - x[1]^2)\n  for i in 2:n\n"
             "    y[i] = y[i - 1] - sqrt(L^2 - (x[i] - x[i - 1])^2)\n  end\n"
             "  m*der(u[1])*1 {s} = T[2]*(x[2] - x[1]) - T[1]*x[1]\n"
             "  m*der(v[1])*1 {s} = T[2]*(y[2] - y[1]) - T[1]*y[1] - m*g\n"
             "  for i in 2:n - 1\n"
             "    m*der(u[i])*1 {s} = T[i + 1]*(x[i + 1] - x[i]) - T[i]*(x[i] - x[i - 1])\n"
             "    m*der(v[i])*1 {s} = T[i + 1]*(y[i + 1] - y[i]) - T[i]*(y[i] - y[i - 1]) - m*g\n"
             "  end\n  m*der(u[n])*1 {s} = -T[n]*(x[n] - x[n - 1])\n"
             "  m*der(v[n])*1 {s} = -T[n]*(y[n] - y[n - 1]) - m*g\nend\n");
}

static void write_orifices(Text *out, int n) {
    text_printf(out,
                "import hydraulic\nmodel M\n  param oil: MineralOil\n  const n = %d\n"
                "  PressureSource src(P = 100 {bar})\n  Reservoir tank\n  for i in 1:n\n"
                "    0 p[i]\n    1 f[i]\n    Orifice o[i](A = 3 {mm2}, fluid = oil)\n"
                "    f[i] -> o[i]\n    f[i] -> p[i]\n"
                "    LaminarRestriction r[i](d = 0.5 {mm}, L = 1 {m}, mu = 0.04)\n"
                "    p[i] -> r[i]\n  end\n  src -> f[1]\n  for i in 2:n\n"
                "    p[i - 1] -> f[i]\n  end\n  Orifice last(A = 3 {mm2}, fluid = oil)\n"
                "  1 fl\n  p[n] -> fl -> last, tank\nend\n",
                n);
}

static void write_cranks(Text *out, int n) {
    text_printf(out,
                "mechanism M\n  const N = %d\n  gravity (0, -9.81, 0) {m/s2}\n"
                "  joint a[0] revolute z: world -> up[0] initial 90 {deg} rate -1.5 {rad/s}\n"
                "  body up[0] mass 1 {kg} cg (0.5, 0, 0) {m} inertia (0, 1/12, 1/12) {kg.m2}\n"
                "  frame s[0] on up[0] at (0.5, 0.5, 0) {m}\n  for i in 1:N\n",
                n);
    text_add(
        out,
        "    joint a[i] revolute z: world -> up[i] at (i, 0, 0) {m} initial about 90 {deg}\n"
        "    body up[i] mass 1 {kg} cg (0.5, 0, 0) {m} inertia (0, 1/12, 1/12) {kg.m2}\n"
        "    joint b[i] revolute z: up[i-1] -> bar[i] at (1, 0, 0) {m} initial about -90 {deg}\n"
        "    body bar[i] mass 1 {kg} cg (0.5, 0, 0) {m} inertia (0, 1/12, 1/12) {kg.m2}\n"
        "    frame e[i] on bar[i] at (1, 0, 0) {m}\n    frame t[i] on up[i] at (1, 0, 0) {m}\n"
        "    constraint c[i] line z: t[i] -> e[i]\n"
        "    frame s[i] on up[i] at (0.5, 0.5, 0) {m}\n"
        "    constraint r[i] distance: s[i-1] -> s[i] length 1 {m}\n  end\nend\n");
}

typedef struct {
    const char *name;
    void (*write)(Text *out, int n);
    int size[5];
} Family;

static const Family families[] = {
    {"grid", write_grid, {10, 20, 40, 70, 100}},
    {"gears", write_gears, {100, 300, 1000, 3000, 10000}},
    {"chain", write_chain, {10, 30, 100, 200, 300}},
    {"orifices", write_orifices, {50, 150, 500, 1000, 2000}},
    {"cranks", write_cranks, {5, 10, 20, 40, 80}},
};

enum { FAMILIES = sizeof families / sizeof *families };

// --- one size ------------------------------------------------------------------------------------

static bool keep_nothing(void *context, const SolvePoint *p) {
    (void)context, (void)p;
    return true;
}

static System *compile(Arena *arena, const Text *text, Report *report) {
    Names *names = names_new();
    Sources *sources = sources_new();
    LangOptions options = {.library = BONDYN_SOURCE "/library"};
    Syntax *syntax = lang_load_text(arena, names, sources, "loops.bond", text_get(text),
                                    text->length, &options, report);
    Pipeline p; // kept, as the process ends with its measurement
    PipelineOptions o = {.lang = options, .last = STAGE_SYSTEM};
    return pipeline_build(&p, syntax, &o, report) ? p.system : NULL;
}

static Measured measure(const Text *text) {
    Measured s = {0};
    double memory_before = peak_memory(), start = cpu_seconds();
    Arena arena = {0};
    Report report = {0};
    System *system = compile(&arena, text, &report);
    if (!system) exit(1);
    ProgramOptions wish = {.output = system->value, .output_count = 1}; // any variable will do
    for (int i = 0; i < system->model->var_count; i++)
        if (system->block_count && system->value[i] == system->block[0].unknown[0])
            wish.output = &system->value[i];
    Program *program = program_build(system, &wish, &report);
    if (!program) exit(1);
    Machine *machine = machine_new(program);
    double compiled = cpu_seconds(), times[] = {0, 0.5, 1};
    SolveOptions o = {.stop = 1, .times = times, .time_count = 3, .sink = keep_nothing};
    SolveStats stats;
    if (solve_run(machine, NULL, &o, &stats, &report) != SOLVE_DONE) exit(1);
    s.run = cpu_seconds() - compiled;
    s.compile = compiled - start;
    s.evaluation = s.run / (double)(stats.derivative_calls > 0 ? stats.derivative_calls : 3);
    s.equations = system->equation_count;
    s.states = system->state_count;
    for (int i = 0; i < system->block_count; i++) s.unknowns += system->block[i].size;
    s.bytes = peak_memory() - memory_before;
    return s;
}

typedef struct {
    const Family *family;
    int size;
} LoopSize;

static void measure_sample(const void *sample, void *result) {
    const LoopSize *of = sample;
    Text text = {0};
    of->family->write(&text, of->size);
    *(Measured *)result = measure(&text);
}

static double growth(double now, double before, double size, double size_before) {
    return log(now / before) / log(size / size_before);
}

int main(void) {
    mallopt(M_MMAP_THRESHOLD, 128 * 1024); // as the program does
    printf("loops, text to results over 1 s (medians of 3, processor time)\n");
    printf("%-9s %6s %9s %7s %8s %10s %9s %9s %8s   %s\n", "", "n", "equations", "states",
           "unknowns", "compile s", "run s", "eval us", "MB",
           "growth: compile, evaluation, memory");
    for (int f = 0; f < FAMILIES; f++) {
        Measured last = {0};
        for (int k = 0; k < 5; k++) {
            Measured s[3];
            double compile_time[3], run[3], evaluation[3];
            for (int i = 0; i < 3; i++) {
                LoopSize sample = {&families[f], families[f].size[k]};
                if (!measure_apart(measure_sample, &sample, &s[i], sizeof s[i]))
                    return fprintf(stderr, "%s failed\n", families[f].name), 1;
                compile_time[i] = s[i].compile;
                run[i] = s[i].run;
                evaluation[i] = s[i].evaluation;
            }
            Measured m = s[0];
            m.compile = median(compile_time, 3);
            m.run = median(run, 3);
            m.evaluation = median(evaluation, 3);
            printf("%-9s %6d %9d %7d %8d %10.4f %9.4f %9.2f %8.1f", families[f].name,
                   families[f].size[k], m.equations, m.states, m.unknowns, m.compile, m.run,
                   1e6 * m.evaluation, m.bytes / 1e6);
            if (k > 0)
                printf("   %.2f %.2f %.2f",
                       growth(m.compile, last.compile, m.equations, last.equations),
                       growth(m.evaluation, last.evaluation, m.equations, last.equations),
                       growth(m.bytes, last.bytes, m.equations, last.equations));
            printf("\n");
            fflush(stdout);
            last = m;
        }
    }
    printf(
        "growth: exponents against the number of equations, from the size before; 1 is linear\n");
    return 0;
}
