// The Titan 4 simulator in closed loop, 16 s of it: how many times faster than real time on one
// core.
//
// Every solver gets the same model; how far its angles are from those of a run with rtol 1e-10 at
// any recorded time stands beside its speed. Then the same with oil that is ten times as stiff.
// Seconds are those that this process computed, so they hold on a machine that does other things,
// too.
#include "bench.h"
#include "run/pipeline.h"
#include "timing.h"

#include "base/memory.h"
#include "engine/native.h"
#include "solve/solve.h"
#include <math.h>
#include <string.h>

enum { JOINTS = 6, ROWS = 161, STATES = 64 };
static const double seconds = 16;

typedef struct {
    double angle[ROWS][JOINTS];
    double *state; // STATES of them, one after the other
    double time[STATES];
    int rows, state_count;
} Recorded;

typedef struct {
    Arena arena;
    Pipeline pipeline;
    Names *names;
    Sources *sources;
    Report report;
    Model *model;
    Program *program;
    Native *native; // NULL: there is no compiler
} Simulator;

// --- text to program -----------------------------------------------------------------------------

static void give_up(Simulator *s) {
    Text t = {0};
    report_print(&t, &s->report, s->sources);
    fprintf(stderr, "%s", text_get(&t));
    exit(1);
}

static System *build_system(Simulator *s, const char *set) {
    LangOptions options = pipeline_lang(
        &(LangOptions){.library = BONDYN_SOURCE "/library", .set = &set, .set_count = set != NULL});
    Syntax *syntax = lang_load(&s->arena, s->names, s->sources,
                               BONDYN_SOURCE "/examples/titan4/titan4.bond", &options, &s->report);
    if (s->report.errors) give_up(s);
    PipelineOptions o = {.experiment = "Recommended", .lang = options, .last = STAGE_SYSTEM};
    if (!pipeline_build(&s->pipeline, syntax, &o, &s->report)) give_up(s);
    s->model = s->pipeline.model;
    return s->pipeline.system;
}

static void open_simulator(Simulator *s, const char *set) {
    *s = (Simulator){.names = names_new(), .sources = sources_new()};
    System *system = build_system(s, set);
    Expr output[JOINTS];
    int found = 0;
    for (int i = 0; i < JOINTS; i++) {
        const char *name = arena_printf(&s->arena, "q[%d]", i + 1);
        for (int v = 0; v < s->model->var_count; v++)
            if (strcmp(name_text(s->names, s->model->var[v].path), name) == 0)
                output[found++] = system->value[v];
    }
    if (found != JOINTS) give_up(s);
    ProgramOptions wish = {.output = output, .output_count = JOINTS};
    s->program = program_build(system, &wish, &s->report);
    if (!s->program) give_up(s);
    s->native = native_start(s->program, NULL);
    if (native_wait(s->native) == NATIVE_READY) return;
    native_free(s->native);
    s->native = NULL;
}

static void close_simulator(Simulator *s) {
    if (s->native) native_free(s->native);
    program_free(s->program);
    pipeline_free(&s->pipeline);
    report_free(&s->report);
    sources_free(s->sources);
    names_free(s->names);
    arena_free(&s->arena);
}

// --- runs ----------------------------------------------------------------------------------------

typedef struct {
    const char *name;
    SolverKind method;
    double rtol, step;
    bool native;
} Contender;

static bool take_row(void *context, const SolvePoint *p) {
    Recorded *r = context;
    if (r->rows < ROWS) memcpy(r->angle[r->rows], p->output, sizeof r->angle[0]);
    if (r->state && r->rows < STATES) {
        memcpy(r->state + (size_t)r->rows * (size_t)r->state_count, p->state,
               (size_t)r->state_count * sizeof *r->state);
        r->time[r->rows] = p->time;
    }
    r->rows++;
    return true;
}

static double run(const Simulator *s, const Contender *c, Recorded *out, SolveStats *stats) {
    static double times[ROWS];
    for (int i = 0; i < ROWS; i++) times[i] = seconds * i / (ROWS - 1);
    Machine *machine = machine_new(s->program);
    Report report = {0};
    SolveOptions o = {.method = c->method,
                      .engine = ENGINE_VM,
                      .native = c->native ? s->native : NULL,
                      .rtol = c->rtol,
                      .atol = c->rtol / 100,
                      .step = c->step,
                      .stop = seconds,
                      .times = times,
                      .time_count = ROWS,
                      .sink = take_row,
                      .context = out};
    out->rows = 0;
    double start = cpu_seconds();
    if (solve_run(machine, NULL, &o, stats, &report) != SOLVE_DONE) {
        Text t = {0};
        report_print(&t, &report, s->sources);
        fprintf(stderr, "%s: the run failed\n%s", c->name, text_get(&t));
        exit(1);
    }
    double took = cpu_seconds() - start;
    machine_free(machine);
    report_free(&report);
    return took;
}

static double distance(const Recorded *a, const Recorded *b) {
    double worst = 0;
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < JOINTS; k++) worst = fmax(worst, fabs(a->angle[i][k] - b->angle[i][k]));
    return worst;
}

// --- the derivative call -------------------------------------------------------------------------

typedef struct {
    Machine *machine;
    const Recorded *at;
    double *rate;
} Call;

static void call_derivative(void *context, int k) {
    Call *c = context;
    machine_derivative(c->machine, c->at->time[k],
                       c->at->state + (size_t)k * (size_t)c->at->state_count, c->rate, NULL);
}

static void time_call(const Simulator *s, const Recorded *at) {
    Call call[2] = {{machine_new(s->program), at, memory_zeroed((size_t)at->state_count, 8)},
                    {machine_new(s->program), at, memory_zeroed((size_t)at->state_count, 8)}};
    Timed task[2] = {{.name = "vm", .call = call_derivative, .context = &call[0]},
                     {.name = "native", .call = call_derivative, .context = &call[1]}};
    int count = s->native ? 2 : 1;
    double first[256];
    for (int i = 0; i < 2; i++) machine_initial(call[i].machine, 0, first);
    if (s->native) machine_use(call[1].machine, s->native);
    time_together(task, count, STATES);
    printf("derivative call: %d states, %d operations, %.1f us on the virtual machine",
           at->state_count, s->program->rate_code, 1e-3 * task[0].ns);
    if (count > 1) printf(", %.1f us native", 1e-3 * task[1].ns);
    printf("\n");
    for (int i = 0; i < 2; i++) {
        machine_free(call[i].machine);
        free(call[i].rate);
    }
}

// --- all of it -----------------------------------------------------------------------------------

static const Contender contenders[] = {
    {"bdf 1e-4", SOLVER_CVODE_BDF, 1e-4, 0, false},
    {"bdf 1e-5", SOLVER_CVODE_BDF, 1e-5, 0, false},
    {"bdf 1e-7", SOLVER_CVODE_BDF, 1e-7, 0, false},
    {"adams 1e-5", SOLVER_CVODE_ADAMS, 1e-5, 0, true},
    {"rk78 1e-6", SOLVER_RK78, 1e-6, 0, true},
    {"rk4 1 ms", SOLVER_RK4, 0, 1e-3, true},
    {"rosenbrock 10 ms", SOLVER_ROSENBROCK, 0, 1e-2, true},
};

static void race(const char *title, const char *set) {
    static Recorded exact, mine;
    static const Contender reference = {"rk78 1e-10", SOLVER_RK78, 1e-10, 0, true};
    Simulator s;
    SolveStats stats;
    open_simulator(&s, set);
    printf("\n%s\n", title);
    exact = (Recorded){.state_count = (int)s.program->state_count};
    exact.state = memory_zeroed((size_t)exact.state_count * STATES, sizeof *exact.state);
    run(&s, &reference, &exact, &stats);
    time_call(&s, &exact);
    printf("%-18s %6s %9s %8s %8s %7s %9s %9s\n", "solver", "engine", "real time", "seconds",
           "steps", "calls", "matrices", "apart");
    for (size_t i = 0; i < sizeof contenders / sizeof *contenders; i++) {
        const Contender *c = &contenders[i];
        mine = (Recorded){0};
        double best = INFINITY;
        for (int k = 0; k < 3; k++) best = fmin(best, run(&s, c, &mine, &stats));
        printf("%-18s %6s %8.0fx %8.3f %8ld %7ld %9ld %9.1e\n", c->name,
               c->native && s.native ? "native" : "vm", seconds / best, best, stats.steps,
               stats.derivative_calls, stats.jacobian_calls, distance(&mine, &exact));
        fflush(stdout);
    }
    free(exact.state);
    close_simulator(&s);
}

int main(void) {
    printf("Titan 4 in closed loop, %.0f s, a row every 0.1 s; apart: rad, from rk78 with rtol "
           "1e-10\n",
           seconds);
    race("oil as published", NULL);
    race("oil ten times as stiff", "oil.bulk = 1e9 {Pa}");
    return 0;
}
