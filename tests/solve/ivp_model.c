#include "ivp_model.h"

#include <string.h>
#include <time.h>

static Expr component(IvpModel *m, const System *system, int number) {
    const char *name = arena_printf(&m->arena, "y[%d]", number);
    for (int v = 0; v < m->pipeline.model->var_count; v++)
        if (strcmp(name_text(m->names, m->pipeline.model->var[v].path), name) == 0)
            return system->value[v];
    return 0;
}

static System *build(IvpModel *m, const Ivp *p) {
    PipelineOptions o = {.lang = pipeline_lang(&(LangOptions){.library = BONDYN_SOURCE "/library"}),
                         .last = STAGE_SYSTEM};
    const char *path = arena_printf(&m->arena, BONDYN_SOURCE "/examples/ivp/%s.bond", p->name);
    Syntax *syntax = lang_load(&m->arena, m->names, m->sources, path, &o.lang, &m->report);
    if (m->report.errors) return NULL;
    return pipeline_build(&m->pipeline, syntax, &o, &m->report) ? m->pipeline.system : NULL;
}

bool ivp_open(IvpModel *m, const Ivp *p, bool native) {
    *m = (IvpModel){.names = names_new(), .sources = sources_new()};
    System *system = build(m, p);
    if (!system) return false;
    Expr output[IVP_MOST];
    for (int i = 0; i < p->n; i++) output[i] = component(m, system, ivp_component(p, i) + 1);
    ProgramOptions wish = {.output = output, .output_count = p->n};
    m->program = program_build(system, &wish, &m->report);
    if (!m->program || !native) return m->program != NULL;
    NativeOptions with_matrix = {.jacobian = true}; // as runs by BDF have it
    m->native = native_start(m->program, &with_matrix);
    if (native_wait(m->native) == NATIVE_READY) return true;
    native_free(m->native);
    m->native = NULL;
    return true;
}

void ivp_close(IvpModel *m) {
    if (m->native) native_free(m->native);
    if (m->program) program_free(m->program);
    pipeline_free(&m->pipeline);
    report_free(&m->report);
    sources_free(m->sources);
    names_free(m->names);
    arena_free(&m->arena);
}

typedef struct {
    double *y;
    int n;
} End;

static bool take(void *context, const SolvePoint *p) {
    const End *e = context;
    memcpy(e->y, p->output, (size_t)e->n * sizeof *e->y);
    return true;
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

IvpRun ivp_run(const IvpModel *m, const Ivp *p, SolverKind method, double rtol, double *y) {
    End end = {y, p->n};
    Machine *machine = machine_new(m->program);
    Report report = {0};
    SolveStats stats;
    SolveOptions o = {.method = method,
                      .engine = ENGINE_VM,
                      .native = m->native,
                      .rtol = rtol,
                      .stop = p->stop,
                      .times = &p->stop,
                      .time_count = 1,
                      .sink = take,
                      .context = &end,
                      .most_steps = IVP_MOST_STEPS};
    double begin = cpu_seconds();
    bool done = solve_run(machine, NULL, &o, &stats, &report) == SOLVE_DONE;
    IvpRun r = {stats.steps, stats.derivative_calls, cpu_seconds() - begin, done};
    machine_free(machine);
    report_free(&report);
    return r;
}
