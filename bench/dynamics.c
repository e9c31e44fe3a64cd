// Vehicles and arms against other simulators: the derivative call, ten seconds of an arm, the way
// from text to the first result.
//
// Every contender gets the same chains; before anything is timed, Bondyn and MuJoCo move each of
// them for a tenth of a second and have to arrive at the same angles.
#include "bench.h"
#include "model.h"
#include "peer.h"
#include "solve/solve.h"
#include "timing.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const Peer *const peers[] = {
#ifdef BENCH_MUJOCO
    &peer_mujoco,
#endif
#ifdef BENCH_SIMBODY
    &peer_simbody,
#endif
    NULL};

enum { PEERS = sizeof peers / sizeof *peers - 1 };

// --- runs ----------------------------------------------------------------------------------------

typedef struct {
    double q[CHAIN_MOST];
    double record[1001][CHAIN_MOST];
    int joints, rows;
} Recorded;

static bool take_row(void *context, const SolvePoint *p) {
    Recorded *r = context;
    if (r->rows < 1001) memcpy(r->record[r->rows++], p->output, (size_t)r->joints * sizeof *r->q);
    memcpy(r->q, p->output, (size_t)r->joints * sizeof *r->q);
    return true;
}

// RK4 at 1 ms, a row every 10 ms.
static void run_bondyn(const BenchModel *m, const Native *native, double seconds, Recorded *out) {
    static double times[1001];
    int rows = (int)lround(seconds / 0.01);
    for (int i = 0; i <= rows; i++) times[i] = i == rows ? seconds : 0.01 * i;
    Machine *machine = machine_new(m->program);
    Report report = {0};
    *out = (Recorded){.joints = m->program->output_count};
    SolveOptions o = {.method = SOLVER_RK4,
                      .engine = ENGINE_VM,
                      .native = native,
                      .step = 1e-3,
                      .stop = seconds,
                      .times = times,
                      .time_count = rows + 1,
                      .sink = take_row,
                      .context = out};
    if (solve_run(machine, NULL, &o, NULL, &report) != SOLVE_DONE) {
        fprintf(stderr, "the run failed\n");
        exit(1);
    }
    machine_free(machine);
}

static Native *compile(const BenchModel *m, const char *folder) {
    NativeOptions o = {.folder = folder};
    return model_native(m, &o, NULL);
}

static double check_agreement(const Chain *c, const ChainState *s) {
    static Recorded mine;
    double theirs[CHAIN_MOST], worst = 0;
    BenchModel m;
    model_open(&m, c, s, true);
    run_bondyn(&m, NULL, 0.1, &mine);
    for (int k = 0; k < PEERS; k++) {
        if (!peers[k]->run) continue;
        void *peer = peers[k]->open(c);
        if (!peer) exit(1);
        peers[k]->run(peer, s, 0.1, 100, theirs);
        for (int i = 0; i < c->kind.joints; i++) worst = fmax(worst, fabs(theirs[i] - mine.q[i]));
        peers[k]->close(peer);
    }
    model_close(&m);
    if (worst < 1e-7) return worst;
    fprintf(stderr, "%s: the contenders do not agree: %g rad\n", c->kind.name, worst);
    exit(1);
}

// --- the derivative call -------------------------------------------------------------------------

typedef struct {
    Machine *machine;
    int n;
    double *state, *rate; // states one after the other
    const Peer *peer;
    void *opened;
    const ChainState *chain_state;
} Call;

static void call_bondyn(void *context, int k) {
    Call *c = context;
    machine_derivative(c->machine, 0, c->state + k * c->n, c->rate, NULL);
}

static void call_peer(void *context, int k) {
    Call *c = context;
    c->peer->forward(c->opened, &c->chain_state[k]);
}

static int multiplications(const Program *p) {
    int count = 0;
    for (int i = 0; i < p->rate_code; i++) {
        TapeOp op = (TapeOp)p->derivative.code[i].op;
        count += op == TAPE_MUL || op == TAPE_SQUARE || op == TAPE_MULADD || op == TAPE_MULSUB ||
                 op == TAPE_DIV || op == TAPE_RECIPROCAL;
    }
    return count;
}

static void print_row(const Chain *c, const Program *p, const Timed *t, double off,
                      double multiply) {
    int lost = 0, all = 0;
    for (int i = 0; i < 2 + PEERS; i++) lost += t[i].lost, all += t[i].lost + t[i].kept;
    printf("%-8s %6d %8.0f %8.0f", c->kind.name, p->rate_code, t[0].ns, t[1].ns);
    for (int i = 0; i < PEERS; i++) printf(" %8.0f", t[2 + i].ns);
    printf("  %6.1f", t[1].ns / t[0].ns);
    for (int i = 0; i < PEERS; i++) printf("  %8.1f", t[2 + i].ns / t[0].ns);
    printf("  %7.0f  %7.1e  %3d%%\n", multiply * multiplications(p), off, 100 * lost / all);
    fflush(stdout);
}

static void time_chain(ChainKind kind, const char *folder, double multiply) {
    static Chain c;
    static ChainState s[CHAIN_STATES];
    chain_build(&c, kind);
    chain_states(&c, s);
    double off = check_agreement(&c, &s[0]);
    BenchModel m;
    model_open(&m, &c, &s[0], false);
    Native *native = compile(&m, folder);
    int n = m.program->state_count;
    double *space = calloc((size_t)n * (CHAIN_STATES + 1), sizeof *space);
    Call call[2 + 2] = {{.machine = machine_new(m.program), .n = n}};
    for (int k = 0; k < CHAIN_STATES; k++)
        model_state(call[0].machine, &c, &s[k], 1, space + k * n);
    machine_use(call[0].machine, native);
    call[0].state = space;
    call[0].rate = space + CHAIN_STATES * n;
    call[1] = call[0];
    call[1].machine = machine_new(m.program);
    Timed t[2 + 2] = {{.name = "native", .call = call_bondyn, .context = &call[0]},
                      {.name = "vm", .call = call_bondyn, .context = &call[1]}};
    for (int i = 0; i < PEERS; i++) {
        call[2 + i] = (Call){.peer = peers[i], .opened = peers[i]->open(&c), .chain_state = s};
        t[2 + i] = (Timed){.name = peers[i]->name, .call = call_peer, .context = &call[2 + i]};
    }
    time_together(t, 2 + PEERS, CHAIN_STATES);
    print_row(&c, m.program, t, off, multiply);
    for (int i = 0; i < PEERS; i++) peers[i]->close(call[2 + i].opened);
    machine_free(call[0].machine);
    machine_free(call[1].machine);
    native_free(native);
    model_close(&m);
    free(space);
}

static void derivative_calls(const char *folder) {
    double multiply = time_multiply();
    printf("derivative call, ns; ratios to native code; bound: multiplications at %.3f ns each\n",
           multiply);
    printf("%-8s %6s %8s %8s", "chain", "tape", "native", "vm");
    for (int i = 0; i < PEERS; i++) printf(" %8s", peers[i]->name);
    printf("  %6s", "vm/");
    for (int i = 0; i < PEERS; i++) printf("  %7s/", peers[i]->name);
    printf("  %7s  %7s  %s\n", "bound", "agree", "lost");
    for (int i = 0; i < chain_kind_count; i++) time_chain(chain_kinds[i], folder, multiply);
}

// --- ten seconds of an arm -----------------------------------------------------------------------

static ChainKind arm7(void) {
    for (int i = 0; i < chain_kind_count; i++)
        if (strcmp(chain_kinds[i].name, "arm7") == 0) return chain_kinds[i];
    exit(1);
}

static void ten_seconds(const char *folder) {
    enum { RUNS = 21 };
    static Chain c;
    static ChainState s[CHAIN_STATES];
    static Recorded r;
    chain_build(&c, arm7());
    chain_states(&c, s);
    BenchModel m;
    model_open(&m, &c, &s[0], true);
    Native *native = compile(&m, folder);
    const Peer *peer = PEERS && peers[0]->run ? peers[0] : NULL;
    void *opened = peer ? peer->open(&c) : NULL;
    double time[3][RUNS], q[CHAIN_MOST];
    for (int i = 0; i < RUNS; i++) {
        double t0 = cpu_seconds();
        run_bondyn(&m, native, 10, &r);
        double t1 = cpu_seconds();
        run_bondyn(&m, NULL, 10, &r);
        double t2 = cpu_seconds();
        if (peer) peer->run(opened, &s[0], 0.1, 10000, q);
        time[0][i] = t1 - t0;
        time[1][i] = t2 - t1;
        time[2][i] = cpu_seconds() - t2;
    }
    double ms[3];
    for (int k = 0; k < 3; k++) ms[k] = 1e3 * median(time[k], RUNS);
    printf("\n10 s of arm7, RK4 at 1 ms, recorded every 10 ms; median processor time of %d runs\n",
           RUNS);
    printf("native %.2f ms, virtual machine %.1f ms (%.1f times native)", ms[0], ms[1],
           ms[1] / ms[0]);
    if (peer) printf(", %s %.1f ms (%.1f times native)", peer->name, ms[2], ms[2] / ms[0]);
    printf("\n");
    if (peer) peer->close(opened);
    native_free(native);
    model_close(&m);
}

// --- the way to the first result -----------------------------------------------------------------

static void first_result(void) {
    enum { RUNS = 15 };
    static Chain c;
    static ChainState s[CHAIN_STATES];
    static Recorded r;
    chain_build(&c, arm7());
    chain_states(&c, s);
    double time[RUNS], ready[5], cached[5], first = 0;
    for (int i = 0; i < RUNS; i++) {
        BenchModel m;
        double start = now_seconds();
        model_open(&m, &c, &s[0], true);
        run_bondyn(&m, NULL, 0.01, &r);
        time[i] = now_seconds() - start;
        if (i == 0) first = time[0];
        model_close(&m);
    }
    for (int i = 0; i < 5; i++) {
        char folder[] = "/tmp/bondyn_bench_XXXXXX", command[64];
        if (!mkdtemp(folder)) exit(1);
        BenchModel m;
        model_open(&m, &c, &s[0], true);
        Native *n = compile(&m, folder);
        ready[i] = native_seconds(n);
        native_free(n);
        n = compile(&m, folder);
        cached[i] = native_seconds(n);
        native_free(n);
        model_close(&m);
        snprintf(command, sizeof command, "rm -r %s", folder);
        if (system(command) != 0) exit(1);
    }
    printf("\ntext to first result of arm7, virtual machine: median %.1f ms, first %.1f ms\n",
           1e3 * median(time, RUNS), 1e3 * first);
    printf("native code ready after %.0f ms, from the cache after %.1f ms\n",
           1e3 * median(ready, 5), 1e3 * median(cached, 5));
}

int main(void) {
    char folder[] = "/tmp/bondyn_bench_XXXXXX", command[64];
    if (!mkdtemp(folder)) return 1;
    derivative_calls(folder);
    ten_seconds(folder);
    first_result();
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0;
}
