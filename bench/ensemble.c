// An ensemble: 10 s of arm7, and of a vehicle with that arm, other dampers in every run; RK4 at 1
// ms recorded every 10 ms, and rk78 with steps of each run's own, recorded every 10 ms or at the
// end.
//
// Closed chains (four-bar and other linkages, whose equations are solved at every point) come
// first.
//
// Then on one core, in one process: runs over SIMD lanes and the same runs one by one, in turn,
// by processor time. Then a thousand runs as a user makes them, `bondyn montecarlo` with one
// process and with two, by the clock; processor time beside it tells how far others disturbed.
#include "base/files.h"
#include "bench.h"
#include "chain_text.h"
#include "engine/lanes.h"
#include "model.h"
#include "solve/solve.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 1000, ROUNDS = 9, RUNS = 16 };

// --- one core ------------------------------------------------------------------------------------

typedef struct {
    double q[CHAIN_MOST];
    int joints, rows;
} Last;

static bool take_row(void *context, const SolvePoint *p) {
    Last *l = context;
    l->rows++;
    memcpy(l->q, p->output, (size_t)l->joints * sizeof *l->q);
    return true;
}

static Native *compile(const Program *p, int lanes, const char *folder) {
    NativeOptions o = {.folder = folder, .lanes = lanes};
    Native *n = native_start(p, &o);
    if (native_wait(n) == NATIVE_READY) return n;
    fprintf(stderr, "no native code: %s\n", native_words(n));
    exit(1);
}

typedef struct {
    const char *name;
    SolverKind method;
    int rows;
} Task;

static const Task tasks[] = {{"rk4, 1 ms, every 10 ms", SOLVER_RK4, ROWS},
                             {"rk78, every 10 ms", SOLVER_RK78, ROWS},
                             {"rk78, every 0.1 s", SOLVER_RK78, ROWS / 10},
                             {"rk78, at the end", SOLVER_RK78, 1}};

typedef struct {
    const Program *program;
    const Task *task;
    Native *single, *wide;
    double times[ROWS + 1];
    double *params[RUNS];
    Last last[RUNS];
    int begun;
    long steps;
    double stop;
    const char *varied, *ending; // how the paths of the parameters begin and end that vary
    double spread;               // by so much from run to run
    Report report;
} Ensemble;

static bool next_run(void *context, SolveLane *lane) {
    Ensemble *e = context;
    if (e->begun == RUNS) return false;
    int i = e->begun++;
    e->last[i] = (Last){.joints = e->program->output_count};
    *lane = (SolveLane){.machine = machine_new(e->program),
                        .params = e->params[i],
                        .report = &e->report,
                        .owner = &e->last[i],
                        .options = {.method = e->task->method,
                                    .engine = ENGINE_VM,
                                    .native = e->single,
                                    .step = 1e-3,
                                    .stop = e->stop,
                                    .times = e->times,
                                    .time_count = e->task->rows + 1,
                                    .sink = take_row,
                                    .context = &e->last[i]}};
    return true;
}

static void run_done(void *context, SolveLane *lane) {
    Ensemble *e = context;
    const Last *last = lane->owner;
    if (lane->status != SOLVE_DONE || last->rows != e->task->rows + 1) exit(1);
    e->steps += lane->stats.steps + lane->stats.rejected;
    machine_free(lane->machine);
}

static double run_all(Ensemble *e, bool over_lanes) {
    double start = cpu_seconds();
    LaneQueue q = {next_run, run_done, e, 0};
    e->begun = 0;
    e->steps = 0;
    if (over_lanes) solve_lanes(&q, e->wide);
    for (SolveLane l; !over_lanes && next_run(e, &l); run_done(e, &l))
        l.status = solve_run(l.machine, l.params, &l.options, &l.stats, l.report);
    return (cpu_seconds() - start) / RUNS;
}

static void choose_params(Ensemble *e) {
    const Program *p = e->program;
    const Model *m = p->system->model;
    for (int i = 0; i < RUNS; i++) {
        e->params[i] = calloc(p->param_count, sizeof(double));
        for (uint32_t k = 0; k < p->param_count; k++) {
            const char *path = name_text(m->names, m->var[p->param_var[k]].path);
            bool varies =
                strncmp(path, e->varied, strlen(e->varied)) == 0 && strstr(path, e->ending);
            e->params[i][k] = p->param_value[k] * (varies ? 1 + e->spread * i : 1);
        }
    }
}

static void time_task(Ensemble *e, const char *chain, const Task *task) {
    double single[ROUNDS], lanes[ROUNDS];
    static Last alone[RUNS];
    e->task = task;
    for (int i = 0; i <= task->rows; i++) e->times[i] = e->stop * i / task->rows;
    for (int i = 0; i < ROUNDS; i++) {
        single[i] = run_all(e, false);
        memcpy(alone, e->last, sizeof alone);
        lanes[i] = run_all(e, true);
        if (memcmp(alone, e->last, sizeof alone) == 0) continue;
        fprintf(stderr, "lanes and single runs do not agree\n");
        exit(1);
    }
    double one = 1e3 * median(single, ROUNDS), many = 1e3 * median(lanes, ROUNDS);
    printf("%-8s %-24s %6.0f %9.3f %9.3f %7.2f\n", chain, task->name, (double)e->steps / RUNS, one,
           many, one / many);
    fflush(stdout);
}

// `how`: what varies, and for how long it runs.
static void one_core(const BenchModel *m, const char *chain, const char *folder,
                     const Ensemble *how) {
    static Ensemble e;
    int lanes = native_lanes();
    e = *how;
    e.program = m->program;
    e.single = compile(m->program, 1, folder);
    e.wide = compile(m->program, lanes, folder);
    choose_params(&e);
    printf("one core, ms of processor time per run, median of %d, %d lanes, the same bits\n"
           "%-8s %-24s %6s %9s %9s %7s\n",
           ROUNDS, lanes, "", "", "steps", "single", "lanes", "ratio");
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) time_task(&e, chain, &tasks[i]);
    for (int i = 0; i < RUNS; i++) free(e.params[i]);
    native_free(e.single);
    native_free(e.wide);
}

// --- closed chains -------------------------------------------------------------------------------

typedef struct {
    const char *name, *file, *model; // of examples/
    const char *output[2];
    const char *varied;
    double stop, spread;
} ClosedChain;

static const ClosedChain closed_chains[] = {
    {"four-bar",
     "four_bar/four_bar.bond",
     "Free",
     {"bars.crank.q", "bars.rocker.q"},
     "bars.c",
     10,
     0.004},
    {"pen", "linkages/linkages.bond", "StraightLine", {"ob.q", "oc.q"}, "s", 1, 0.001},
    {"in x, y",
     "cartesian_linkages/cartesian_linkages.bond",
     "SliderCrank",
     {"x", "s"},
     "m1",
     2,
     0.01},
};

static void closed_chain(const ClosedChain *c, const char *folder) {
    char path[256];
    Text text = {0};
    Report report = {0};
    Arena arena = {0};
    snprintf(path, sizeof path, BONDYN_SOURCE "/examples/%s", c->file);
    size_t length;
    char *file = file_read(&arena, path, &length, &report, (Pos){0});
    if (!file) exit(1);
    text_printf(&text, "%s\nexperiment Run of %s\n stop %g {s}\n solver rk4 step 1 {ms}\nend\n",
                file, c->model, c->stop);
    BenchModel m;
    model_open_text(&m, &text, c->output, 2);
    one_core(&m, c->name, folder,
             &(Ensemble){.stop = c->stop, .varied = c->varied, .ending = "", .spread = c->spread});
    model_close(&m);
    text_free(&text);
    arena_free(&arena);
}

// --- a thousand runs -----------------------------------------------------------------------------

static double children_seconds(void) {
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    return (double)use.ru_utime.tv_sec + 1e-6 * (double)use.ru_utime.tv_usec;
}

static double thousand(const char *folder, const char *how) {
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && XDG_CACHE_HOME=%s '%s' montecarlo chain.bond Run --vary 'd0.R = normal(0.5, "
             "0.05) {N.m.s/rad}' --record arm.j6.q --runs 1000 --engine native --no-plot --yes -q "
             "%s --out out > /dev/null",
             folder, folder, BONDYN_PROGRAM, how);
    double wall = now_seconds(), cpu = children_seconds();
    if (system(command) != 0) exit(1);
    wall = now_seconds() - wall;
    cpu = children_seconds() - cpu;
    printf("montecarlo --runs 1000 %-16s %6.2f s by the clock, %6.2f s of processors\n", how, wall,
           cpu);
    fflush(stdout);
    return wall;
}

// One process and two in turn, with everything in caches.
static void two_cores(const char *folder) {
    enum { TURNS = 5 };
    double ratio[TURNS];
    thousand(folder, "-j 1"); // compiles
    for (int i = 0; i < TURNS; i++) {
        double one = thousand(folder, "-j 1");
        ratio[i] = one / thousand(folder, "-j 2");
    }
    printf("two processes: median %.2f times faster by the clock\n", median(ratio, TURNS));
}

// Arguments: nothing, for all of it; `closed`: closed chains alone.
int main(int count, char **words) {
    bool only_closed = count > 1 && strcmp(words[1], "closed") == 0;
    char folder[] = "/tmp/bondyn_ensemble_XXXXXX", command[128];
    static Chain c;
    static ChainState s[CHAIN_STATES];
    if (!mkdtemp(folder)) return 1;
    for (size_t i = 0; i < sizeof closed_chains / sizeof *closed_chains; i++)
        closed_chain(&closed_chains[i], folder);
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (only_closed) return system(command) != 0;
    for (int k = 0; k < 2; k++) {
        static const char *const names[] = {"free+7", "arm7"}; // the last is used below
        for (int i = 0; i < chain_kind_count; i++)
            if (strcmp(chain_kinds[i].name, names[k]) == 0) chain_build(&c, chain_kinds[i]);
        chain_states(&c, s);
        BenchModel m;
        model_open(&m, &c, &s[0], true);
        one_core(&m, names[k], folder,
                 &(Ensemble){.stop = 10, .varied = "d", .ending = ".R", .spread = 0.05});
        model_close(&m);
    }
    Text text = {0};
    Report ignored = {0};
    chain_text(&text, &c, &s[0], true);
    snprintf(command, sizeof command, "%s/chain.bond", folder);
    if (!file_write(command, text_get(&text), text.length, &ignored)) return 1;
    two_cores(folder);
    thousand(folder, "-j 1 --lanes 1");
    text_free(&text);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0;
}
