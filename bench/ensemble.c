// An ensemble: 10 s of arm7 with RK4 at 1 ms, recorded every 10 ms, other dampers in every run.
//
// First on one core, in one process: a group of runs over SIMD lanes and the same runs one by one,
// in turn, by processor time. Then a thousand runs as a user makes them, `bondyn montecarlo` with
// one process and with two, by the clock; processor time beside it tells how far others disturbed.
#include "base/files.h"
#include "bench.h"
#include "chain_text.h"
#include "engine/lanes.h"
#include "model.h"
#include "solve/solve.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 1000, ROUNDS = 15 };

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
    const Program *program;
    Native *single, *wide;
    int lanes;
    double times[ROWS + 1];
    double *params[MOST_LANES];
    Last last[MOST_LANES];
    SolveLane lane[MOST_LANES];
    Report report;
} Ensemble;

static void set_up(Ensemble *e) {
    for (int i = 0; i < e->lanes; i++) {
        e->last[i] = (Last){.joints = e->program->output_count};
        e->lane[i] = (SolveLane){.machine = machine_new(e->program),
                                 .params = e->params[i],
                                 .report = &e->report,
                                 .options = {.method = SOLVER_RK4,
                                             .engine = ENGINE_VM,
                                             .native = e->single,
                                             .step = 1e-3,
                                             .stop = 10,
                                             .times = e->times,
                                             .time_count = ROWS + 1,
                                             .sink = take_row,
                                             .context = &e->last[i]}};
    }
}

static double run_group(Ensemble *e, bool over_lanes) {
    double start = cpu_seconds();
    set_up(e);
    if (over_lanes) solve_lanes(e->lane, e->lanes, e->wide);
    for (int i = 0; i < e->lanes; i++) {
        SolveLane *l = &e->lane[i];
        if (!over_lanes)
            l->status = solve_run(l->machine, l->params, &l->options, &l->stats, l->report);
        if (l->status != SOLVE_DONE || e->last[i].rows != ROWS + 1) exit(1);
        machine_free(l->machine);
    }
    return (cpu_seconds() - start) / e->lanes;
}

static void choose_params(Ensemble *e) {
    const Program *p = e->program;
    const Model *m = p->system->model;
    for (int i = 0; i < e->lanes; i++) {
        e->params[i] = calloc(p->param_count, sizeof(double));
        for (uint32_t k = 0; k < p->param_count; k++) {
            const char *path = name_text(m->names, m->var[p->param_var[k]].path);
            bool damper = path[0] == 'd' && strstr(path, ".R");
            e->params[i][k] = p->param_value[k] * (damper ? 1 + 0.1 * i : 1);
        }
    }
}

static void one_core(const BenchModel *m, const char *folder) {
    static Ensemble e;
    double single[ROUNDS], lanes[ROUNDS];
    e.program = m->program;
    e.lanes = native_lanes();
    e.single = compile(m->program, 1, folder);
    e.wide = compile(m->program, e.lanes, folder);
    for (int i = 0; i <= ROWS; i++) e.times[i] = i == ROWS ? 10 : 0.01 * i;
    choose_params(&e);
    for (int i = 0; i < ROUNDS; i++) {
        single[i] = run_group(&e, false);
        Last alone[MOST_LANES];
        memcpy(alone, e.last, sizeof alone);
        lanes[i] = run_group(&e, true);
        if (memcmp(alone, e.last, sizeof alone) != 0) {
            fprintf(stderr, "lanes and single runs do not agree\n");
            exit(1);
        }
    }
    double one = 1e3 * median(single, ROUNDS), many = 1e3 * median(lanes, ROUNDS);
    printf("one core, ms of processor time per run, median of %d: one by one %.2f, over %d lanes "
           "%.2f: %.2f times faster, the same bits\n",
           ROUNDS, one, e.lanes, many, one / many);
    for (int i = 0; i < e.lanes; i++) free(e.params[i]);
    native_free(e.single);
    native_free(e.wide);
}

// --- a thousand runs -----------------------------------------------------------------------------

static double children_seconds(void) {
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    return (double)use.ru_utime.tv_sec + 1e-6 * (double)use.ru_utime.tv_usec;
}

static void thousand(const char *folder, const char *how) {
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
}

int main(void) {
    char folder[] = "/tmp/bondyn_ensemble_XXXXXX", command[128];
    static Chain c;
    static ChainState s[CHAIN_STATES];
    if (!mkdtemp(folder)) return 1;
    for (int i = 0; i < chain_kind_count; i++)
        if (strcmp(chain_kinds[i].name, "arm7") == 0) chain_build(&c, chain_kinds[i]);
    chain_states(&c, s);
    BenchModel m;
    model_open(&m, &c, &s[0], true);
    one_core(&m, folder);
    model_close(&m);
    Text text = {0};
    Report ignored = {0};
    chain_text(&text, &c, &s[0], true);
    snprintf(command, sizeof command, "%s/chain.bond", folder);
    if (!file_write(command, text_get(&text), text.length, &ignored)) return 1;
    thousand(folder, "-j 1"); // compiles
    thousand(folder, "-j 1");
    thousand(folder, "-j 2");
    thousand(folder, "-j 1 --lanes 1");
    text_free(&text);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0;
}
