// Every example on all engines: the virtual machine, native code and native code over lanes give
// the same bits, at the start and at states around it, for rates, integrals, all variables, event
// functions and small Jacobians.
#include "../test.h"

#include "../engine/heap_count.h"
#include "base/files.h"
#include "base/memory.h"
#include "engine/lanes.h"
#include "example_program.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Compilers take seconds for large tapes: of those a part is compared, and what the sanitizers
// cannot see anyway, as the code is not theirs, is compared once. Larger ones, all but the grid of
// 10000 resistors, are compared by tests/long/engines.sh.
#ifdef __SANITIZE_ADDRESS__
static int largest = 2000;
#else
static int largest = 5000;
#endif
static int share = 0, shares = 1; // each program of several takes some of the examples
enum { LARGEST_JACOBIAN = 1500, POINTS = 8, MOST_COMPARED = 300 };

typedef struct {
    const Program *p;
    Machine *vm, *native;
    double *x, *y;
    const char *name;
} Pair;

static void same(const Pair *k, const char *what, int count) {
    for (int i = 0; i < count; i++) {
        if (isnan(k->x[i]) && isnan(k->y[i])) continue;
        if (memcmp(&k->x[i], &k->y[i], sizeof *k->x) != 0)
            fail_msg("%s: %s %d: %a on the virtual machine, %a native", k->name, what, i, k->x[i],
                     k->y[i]);
    }
}

static void compare_at(Pair *k, double t, const double *at) {
    const Program *p = k->p;
    bool good = machine_derivative(k->vm, t, at, k->x, k->x + p->state_count);
    assert_int_equal(machine_derivative(k->native, t, at, k->y, k->y + p->state_count), good);
    if (good) same(k, "rate", p->state_count + p->quad_count);
    good = machine_outputs(k->vm, t, at, k->x);
    assert_int_equal(machine_outputs(k->native, t, at, k->y), good);
    if (good) same(k, "output", p->output_count);
    good = machine_switches(k->vm, t, at, k->x);
    assert_int_equal(machine_switches(k->native, t, at, k->y), good);
    if (good) same(k, "switch", p->switch_count);
    if (!p->has_jacobian || p->jacobian.count > LARGEST_JACOBIAN) return;
    good = machine_jacobian(k->vm, t, at, k->x);
    assert_int_equal(machine_jacobian(k->native, t, at, k->y), good);
    if (good) same(k, "jacobian", p->nonzero_count);
}

static void compare_points(Pair *k) {
    int n = k->p->state_count;
    double *at = calloc((size_t)n + 1, sizeof *at);
    for (int point = 0; point < POINTS; point++) {
        for (int i = 0; i < n; i++)
            at[i] = k->p->start[i] +
                    0.2 * point * sin(1 + 3.7 * i + point) * (fabs(k->p->start[i]) + 0.1);
        compare_at(k, 0.3 * point, at);
    }
    free(at);
}

// --- lanes ---------------------------------------------------------------------------------------

typedef struct {
    Pair pair;
    LaneMachine *x;
    double *at, *result; // vectors
    double *unknown;     // of blocks, before a call
} LanePair;

// Every lane has a state of its own; they are compared one after the other, with a machine that
// begins Newton's method where the lane did.
static void lane_same(LanePair *k, const char *what, int lane, int first, int count) {
    for (int i = 0; i < count; i++) k->pair.y[i] = k->result[(first + i) * k->x->lanes + lane];
    same(&k->pair, what, count);
}

static void compare_lanes_at(LanePair *k, double t) {
    double time[MOST_LANES];
    for (int i = 0; i < MOST_LANES; i++) time[i] = t;
    const Program *p = k->pair.p;
    int n = p->state_count, lanes = k->x->lanes;
    double *one = calloc((size_t)n + 1, sizeof *one);
    for (int lane = 0; lane < lanes; lane++) {
        for (int i = 0; i < n; i++) one[i] = k->at[i * lanes + lane];
        lanes_keep(k->x, k->unknown);
        lanes_rates(k->x, time, k->at, k->result, k->result + n * lanes);
        lanes_hand_back(k->x, lane, k->unknown);
        if (machine_derivative(k->pair.vm, t, one, k->pair.x, k->pair.x + n))
            lane_same(k, "rate in a lane", lane, 0, n + p->quad_count);
        lanes_keep(k->x, k->unknown);
        lanes_outputs(k->x, time, k->at, k->result);
        lanes_hand_back(k->x, lane, k->unknown);
        if (machine_outputs(k->pair.vm, t, one, k->pair.x))
            lane_same(k, "output in a lane", lane, 0, p->output_count);
        lanes_keep(k->x, k->unknown);
        lanes_switches(k->x, time, k->at, k->result);
        lanes_hand_back(k->x, lane, k->unknown);
        if (machine_switches(k->pair.vm, t, one, k->pair.x))
            lane_same(k, "switch in a lane", lane, 0, p->switch_count);
    }
    free(one);
}

static void compare_lanes(Pair pair, size_t room, int lanes) {
    const Program *p = pair.p;
    if (lanes_obstacle(p)) return;
    NativeOptions o = {.lanes = lanes, .rolling = ROLL_ALWAYS};
    Native *native = native_start(p, &o);
    if (native_wait(native) != NATIVE_READY) fail_msg("%s: %s", pair.name, native_words(native));
    LanePair k = {.pair = pair, .x = lanes_new(p, native)};
    k.at = memory_aligned((size_t)((p->state_count + 1) * lanes), sizeof *k.at);
    k.result = memory_aligned(room * (size_t)lanes, sizeof *k.result);
    k.unknown = lanes_unknown_room(k.x);
    for (int lane = 0; lane < lanes; lane++) lanes_load(k.x, lane, pair.vm);
    for (int point = 0; point < 3; point++) {
        for (int i = 0; i < p->state_count; i++)
            for (int lane = 0; lane < lanes; lane++) {
                double off = sin(1 + 3.7 * i + point + 5 * lane) * (fabs(p->start[i]) + 0.1);
                k.at[i * lanes + lane] = p->start[i] + 0.2 * (point + lane) * off;
            }
        compare_lanes_at(&k, 0.3 * point);
    }
    free(k.at);
    free(k.result);
    free(k.unknown);
    lanes_free(k.x);
    native_free(native);
}

// The derivative call of native code takes no memory and no lock.
static void count_calls(Pair *k) {
    double *rate = k->x, *quad = rate + k->p->state_count;
    machine_derivative(k->native, 0, k->p->start, rate, quad);
    long heap = heap_count, locks = lock_count;
    for (int i = 0; i < 10; i++) machine_derivative(k->native, 0.1 * i, k->p->start, rate, quad);
    if (heap_count != heap) fail_msg("%s: %ld allocations", k->name, heap_count - heap);
    if (lock_count != locks) fail_msg("%s: %ld locks", k->name, lock_count - locks);
}

static void compare_engines(const Program *p, const char *name) {
    NativeOptions o = {.jacobian = p->has_jacobian && p->jacobian.count <= LARGEST_JACOBIAN};
    Native *n = native_start(p, &o);
    if (native_wait(n) != NATIVE_READY) fail_msg("%s: %s", name, native_words(n));
    size_t room = (size_t)(p->state_count + p->quad_count + p->output_count + p->switch_count +
                           p->nonzero_count + 1);
    Pair k = {.p = p, .vm = machine_new(p), .native = machine_new(p), .name = name};
    k.x = calloc(room, sizeof *k.x);
    k.y = calloc(room, sizeof *k.y);
    machine_use(k.native, n);
    compare_points(&k);
    compare_lanes(k, room, native_lanes());
    count_calls(&k);
    machine_free(k.vm);
    machine_free(k.native);
    native_free(n);
    free(k.x);
    free(k.y);
}

static void compare_example(const char *path) {
    Built b;
    Program *p = example_program(&b, path, MOST_COMPARED);
    int size = p->derivative.count + p->outputs.count;
    for (int i = 0; i < p->block_count; i++)
        size += p->block[i].residual.count + p->block[i].jacobian.count;
    if (size <= largest) compare_engines(p, path);
    program_free(p);
    build_free(&b);
}

static void every_example_agrees(void **state) {
    (void)state;
    if (system("cc --version > /dev/null 2>&1") != 0) skip();
    count_heap();
    char command[1024];
    snprintf(command, sizeof command, "ls -d %s/examples/*/*.bond", BONDYN_SOURCE);
    FILE *list = popen(command, "r");
    assert_non_null(list);
    char path[1024];
    int count = 0;
    for (; fgets(path, sizeof path, list); count++) {
        path[strcspn(path, "\n")] = 0;
        if (count % shares == share) compare_example(path);
    }
    pclose(list);
    assert_true(count > 20);
}

// engines_test [SHARE SHARES [LARGEST]]
int main(int count, char **argument) {
    if (count > 2) share = atoi(argument[1]), shares = atoi(argument[2]);
    if (count > 3) largest = atoi(argument[3]);
    if (share < 0 || share >= shares) return 2;
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_example_agrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
