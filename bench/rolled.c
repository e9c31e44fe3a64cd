// Long chains: loops against straight-line code, and how long the compiler works on each.
//
// Before anything is timed, straight-line code, loops and the virtual machine must give the same
// bits at every state, rates and Jacobian. Seconds are processor time of the compiler. Jacobians
// stop where they are too large as a formula, or at the number of joints that is asked for:
//
//     bench_rolled [MOST [MOST_WITH_JACOBIAN]]
#include "bench.h"
#include "model.h"
#include "timing.h"

#include <string.h>
#include <unistd.h>

static const int sizes[] = {7, 12, 15, 20, 30, 40, 50, 60, 100};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef struct {
    Machine *machine;
    int n;
    const double *state; // one after the other
    double *result;
} Call;

static void call_rates(void *context, int k) {
    Call *c = context;
    machine_derivative(c->machine, 0, c->state + k * c->n, c->result, NULL);
}

static void call_jacobian(void *context, int k) {
    Call *c = context;
    machine_jacobian(c->machine, 0, c->state + k * c->n, c->result);
}

// --- the same bits -------------------------------------------------------------------------------

static void check_same(Call *a, Call *b, void (*call)(void *, int), int results, const char *what) {
    size_t bytes = (size_t)results * sizeof *a->result;
    for (int k = 0; k < CHAIN_STATES; k++) {
        call(a, k);
        call(b, k);
        if (memcmp(a->result, b->result, bytes) == 0) continue;
        fprintf(stderr, "chain of %d joints: %s differ from the virtual machine\n", a->n / 2, what);
        exit(1);
    }
}

static Call open_call(const Program *p, const double *states, const Native *native, int results) {
    Call c = {machine_new(p), p->state_count, states,
              calloc((size_t)results + 1, sizeof *c.result)};
    if (native) machine_use(c.machine, native);
    return c;
}

static void close_call(Call *c) {
    machine_free(c->machine);
    free(c->result);
}

// --- one chain -----------------------------------------------------------------------------------

// States with the efforts of the first: parameters stay as they are.
static double *states_of(const Program *p, const Chain *c, const ChainState *s) {
    double *state = calloc((size_t)p->state_count * CHAIN_STATES, sizeof *state);
    Machine *machine = machine_new(p);
    for (int k = 0; k < CHAIN_STATES; k++)
        model_state(machine, c, &s[k], 1, state + k * p->state_count);
    machine_free(machine);
    return state;
}

static void time_rates(const BenchModel *m, const double *state, const char *folder) {
    static const Rolling way[2] = {ROLL_NEVER, ROLL_LONG};
    const Program *p = m->program;
    Native *native[2];
    double seconds[2];
    Call call[3] = {open_call(p, state, NULL, p->state_count)};
    Timed t[2];
    for (int i = 0; i < 2; i++) {
        NativeOptions o = {.folder = folder, .rolling = way[i]};
        native[i] = model_native(m, &o, &seconds[i]);
        call[1 + i] = open_call(p, state, native[i], p->state_count);
        check_same(&call[0], &call[1 + i], call_rates, p->state_count, "rates");
        t[i] = (Timed){.call = call_rates, .context = &call[1 + i]};
    }
    time_together(t, 2, CHAIN_STATES);
    printf(" %8d %9.0f %9.0f %6.2f %10.2f %8.2f", p->rate_code, t[0].ns, t[1].ns, t[0].ns / t[1].ns,
           seconds[0], seconds[1]);
    for (int i = 0; i < 3; i++) close_call(&call[i]);
    for (int i = 0; i < 2; i++) native_free(native[i]);
}

static void time_jacobian(const BenchModel *m, const double *state, const char *folder) {
    const Program *p = m->program;
    int entries = p->jacobian.result_count;
    NativeOptions o = {.folder = folder, .jacobian = true};
    double seconds;
    Native *native = model_native(m, &o, &seconds);
    Call vm = open_call(p, state, NULL, entries), call = open_call(p, state, native, entries);
    check_same(&vm, &call, call_jacobian, entries, "Jacobians");
    Timed t = {.call = call_jacobian, .context = &call};
    time_together(&t, 1, CHAIN_STATES);
    printf(" %9d %9.0f %10.2f", p->jacobian.count, t.ns, seconds);
    close_call(&vm);
    close_call(&call);
    native_free(native);
}

static void time_chain(int joints, bool jacobian, const char *folder) {
    static Chain c;
    static ChainState s[CHAIN_STATES];
    BenchModel m;
    chain_build(&c, (ChainKind){"long", joints, 0, 0});
    chain_states(&c, s);
    model_open(&m, &c, &s[0], true);
    double *state = states_of(m.program, &c, s);
    printf("%6d", joints);
    time_rates(&m, state, folder);
    if (jacobian && m.program->has_jacobian) time_jacobian(&m, state, folder);
    printf("\n");
    fflush(stdout);
    free(state);
    model_close(&m);
}

int main(int count, char **words) {
    int most = count > 1 ? atoi(words[1]) : 100, most_jacobian = count > 2 ? atoi(words[2]) : 30;
    char folder[] = "/tmp/bondyn_bench_XXXXXX", command[64];
    if (!mkdtemp(folder)) return 1;
    printf("long chains: ns per call, straight-line code and with loops; compiled in s of "
           "processor time\n");
    printf("%6s %8s %9s %9s %6s %10s %8s %9s %9s %10s\n", "joints", "rates", "straight", "rolled",
           "ratio", "compiled", "rolled", "Jacobian", "ns", "compiled");
    for (int i = 0; i < SIZES && sizes[i] <= most; i++)
        time_chain(sizes[i], sizes[i] <= most_jacobian, folder);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0;
}
