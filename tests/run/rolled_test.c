// Loops in native code: chains, trees and ladders give the bits of the virtual machine, and what
// repeats is found.
#include "../test.h"

#include "../pipeline.h"
#include "base/memory.h"
#include "engine/lanes.h"
#include "engine/native.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { POINTS = 6 };

// --- models --------------------------------------------------------------------------------------

typedef enum { ANYHOW, RIGHT_ANGLES, SLIDING, IN_WATER } LinkKind;

static double uniform(uint64_t *seed, double low, double high) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*seed >> 11) / 0x1p53;
}

// Numbers are drawn one after the other, never as arguments of one call: their order would be the compiler's choice.
static void write_place(Text *out, LinkKind kind, int i, uint64_t *seed) {
    double x = uniform(seed, 0.1, 0.4), y = uniform(seed, -0.3, 0.3);
    if (kind == RIGHT_ANGLES) {
        text_printf(out, " at (%.3f, 0, 0) {m} rotated x %d {deg}\n", x, i % 2 ? 90 : -90);
        return;
    }
    double about_x = uniform(seed, -3, 3), about_z = uniform(seed, -3, 3);
    text_printf(out, " at (%.3f, %.3f, 0.1) {m} rotated z %.3f {rad}, x %.3f {rad}\n", x, y,
                about_z, about_x);
}

static void write_body(Text *out, const char *name, LinkKind kind, uint64_t *seed) {
    double y = uniform(seed, -0.1, 0.1), x = uniform(seed, -0.1, 0.1);
    double mass = uniform(seed, 0.8, 4);
    double width = uniform(seed, 0.1, 0.5), length = uniform(seed, 0.1, 0.5);
    double about_x = uniform(seed, -3, 3), about_z = uniform(seed, -3, 3);
    text_printf(out, "  body %s box (%.3f, %.3f, 0.1) {m} mass %.3f {kg} at (%.3f, %.3f, 0.02) {m}",
                name, length, width, mass, x, y);
    text_printf(out, " rotated z %.3f {rad}, x %.3f {rad}\n", about_z, about_x);
    if (kind == IN_WATER)
        text_printf(out,
                    "    added_mass added_cylinder(1025 {kg/m3}, %.3f {m}, 0 {m}, 0.4 {m}, 0)\n",
                    uniform(seed, 0.02, 0.06));
}

// Joints a1, a2 ... of links a1, a2 ..., the first one on `base`.
static void write_links(Text *out, char letter, const char *base, int count, LinkKind kind,
                        uint64_t *seed) {
    char name[24], parent[24];
    for (int i = 1; i <= count; i++) {
        snprintf(name, sizeof name, "%c%d_link", letter, i);
        if (i == 1)
            snprintf(parent, sizeof parent, "%s", base);
        else
            snprintf(parent, sizeof parent, "%c%d_link", letter, i - 1);
        text_printf(out, "  joint %c%d %s z: %s -> %s", letter, i,
                    kind == SLIDING && i % 3 == 0 ? "prismatic" : "revolute", parent, name);
        write_place(out, kind, i, seed);
        write_body(out, name, kind, seed);
    }
}

static void open_mechanism(Text *out, bool free, LinkKind kind, uint64_t *seed) {
    if (kind == IN_WATER) text_add(out, "import marine\n");
    text_add(out, "mechanism Arm\n  gravity (0, 0.5, -9.81) {m/s2}\n");
    if (!free) return;
    text_add(out, "  joint hull free: world -> hull\n");
    write_body(out, "hull", kind, seed);
}

// A damper at every second joint, an effort of time at the first.
static void close_mechanism(Text *out, int dampers) {
    text_add(
        out,
        "end\nmodel Top\n  Arm arm\n  Se push = 2 {N.m}*sin(3 {rad/s}*time)\n  push -> arm.a1\n");
    for (int i = 2; i <= dampers; i += 2)
        text_printf(out, "  R d%d(0.5 {N.m.s/rad})\n  arm.a%d -> d%d\n", i, i, i);
    text_add(out, "end\nexperiment Run of Top\n");
    for (int i = 1; i <= dampers; i++)
        text_printf(out, "  set arm.a%d.q0 = %.3f, arm.a%d.f0 = %.3f\n", i, sin(i), i, cos(2 * i));
    text_add(out, "  stop 1 {s}\nend\n");
}

static void write_chain(Text *out, int count, bool free, LinkKind kind) {
    uint64_t seed = 7 + (uint64_t)kind;
    open_mechanism(out, free, kind, &seed);
    write_links(out, 'a', free ? "hull" : "world", count, kind, &seed);
    close_mechanism(out, kind == SLIDING ? 2 : count);
}

// Two arms of different lengths on a hull, a third one on the first.
static void write_tree(Text *out) {
    uint64_t seed = 99;
    open_mechanism(out, true, ANYHOW, &seed);
    write_links(out, 'a', "hull", 16, ANYHOW, &seed);
    write_links(out, 'b', "hull", 12, ANYHOW, &seed);
    write_links(out, 'c', "a9_link", 10, RIGHT_ANGLES, &seed);
    close_mechanism(out, 16);
}

// --- the same bits -------------------------------------------------------------------------------

typedef struct {
    Built built;
    Program *p;
    char folder[64];
} Case;

static void case_open(Case *c, const Text *text) {
    LangOptions options = {.library = BONDYN_SOURCE "/library"};
    if (!build_text(&c->built, text_get(text), text->length, NULL, NULL, &options)) {
        Text words = {0};
        report_print(&words, &c->built.report, c->built.sources);
        fail_msg("%s", text_get(&words));
    }
    System *s = c->built.system;
    int outputs = 0;
    Expr *output = memory_zeroed((size_t)c->built.model->var_count, sizeof *output);
    for (int i = 0; i < c->built.model->var_count; i++)
        if (s->value[i]) output[outputs++] = s->value[i];
    ProgramOptions wish = {.output = output,
                           .output_count = outputs < 60 ? outputs : 60,
                           .quadrature = s->rate + s->state_count / 2,
                           .quadrature_count = 2};
    c->p = program_build(s, &wish, &c->built.report);
    assert_non_null(c->p);
    free(output);
    strcpy(c->folder, "/tmp/bondyn_rolled_XXXXXX");
    assert_non_null(mkdtemp(c->folder));
}

static void case_close(Case *c) {
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", c->folder);
    assert_int_equal(system(command), 0);
    program_free(c->p);
    build_free(&c->built);
}

static int count_loops(const Program *p) {
    Text text = {0};
    native_text(&text, p, false, 4, ROLL_ALWAYS);
    int count = 0;
    for (const char *at = text_get(&text); (at = strstr(at, "for (long i")); at++) count++;
    text_free(&text);
    return count;
}

static void point(const Program *p, int k, double *at) {
    for (int i = 0; i < p->state_count; i++)
        at[i] = p->start[i] + 0.3 * k * sin(1 + 3.7 * i + k) * (fabs(p->start[i]) + 0.1);
}

static void same_bits(const double *x, const double *y, int count) {
    for (int i = 0; i < count; i++)
        if (memcmp(&x[i], &y[i], sizeof *x) != 0) fail_msg("%d: %a and %a", i, x[i], y[i]);
}

static void compare(Case *c) {
    const Program *p = c->p;
    NativeOptions o = {.folder = c->folder, .rolling = ROLL_ALWAYS};
    Native *n = native_start(p, &o);
    if (native_wait(n) != NATIVE_READY) fail_msg("%s", native_words(n));
    Machine *vm = machine_new(p), *native = machine_new(p);
    machine_use(native, n);
    int count = p->state_count + p->quad_count + p->output_count;
    double *at = memory_zeroed((size_t)p->state_count, sizeof *at);
    double *x = memory_zeroed((size_t)count, sizeof *x),
           *y = memory_zeroed((size_t)count, sizeof *y);
    for (int k = 0; k < POINTS; k++) {
        point(p, k, at);
        assert_true(machine_derivative(vm, 0.1 * k, at, x, x + p->state_count));
        assert_true(machine_derivative(native, 0.1 * k, at, y, y + p->state_count));
        same_bits(x, y, p->state_count + p->quad_count);
        assert_true(machine_derivative(native, 0.1 * k, at, y, NULL));
        same_bits(x, y, p->state_count);
        assert_true(machine_outputs(vm, 0.1 * k, at, x));
        assert_true(machine_outputs(native, 0.1 * k, at, y));
        same_bits(x, y, p->output_count);
    }
    free(at);
    free(x);
    free(y);
    machine_free(vm);
    machine_free(native);
    native_free(n);
}

// Every lane at a point of its own.
static void compare_lanes(Case *c) {
    const Program *p = c->p;
    int lanes = native_lanes(), n = p->state_count;
    NativeOptions o = {.folder = c->folder, .rolling = ROLL_ALWAYS, .lanes = lanes};
    Native *code = native_start(p, &o);
    if (native_wait(code) != NATIVE_READY) fail_msg("%s", native_words(code));
    LaneMachine *x = lanes_new(p, code);
    Machine *vm = machine_new(p);
    size_t room = (size_t)(n + p->quad_count) * (size_t)lanes;
    double *at = memory_aligned(room, sizeof *at), *rate = memory_aligned(room, sizeof *rate);
    double *one = memory_zeroed((size_t)n, sizeof *one), *alone = memory_zeroed(room, sizeof *one);
    double time[MOST_LANES];
    for (int k = 0; k < lanes; k++) {
        time[k] = 0.4 + 0.1 * k;
        lanes_load(x, k, vm);
        point(p, k, one);
        for (int i = 0; i < n; i++) at[i * lanes + k] = one[i];
    }
    lanes_rates(x, time, at, rate, rate + n * lanes);
    for (int k = 0; k < lanes; k++) {
        point(p, k, one);
        assert_true(machine_derivative(vm, time[k], one, alone, alone + n));
        for (int i = 0; i < n; i++) same_bits(&alone[i], &rate[i * lanes + k], 1);
    }
    free(at);
    free(rate);
    free(one);
    free(alone);
    lanes_free(x);
    machine_free(vm);
    native_free(code);
}

static void check(Text *text, int least_loops, bool lanes) {
    if (system("cc --version > /dev/null 2>&1") != 0) skip();
    Case c = {0};
    case_open(&c, text);
    int loops = count_loops(c.p);
    if (loops < least_loops) fail_msg("%d loops, not %d", loops, least_loops);
    compare(&c);
    if (lanes && !lanes_obstacle(c.p)) compare_lanes(&c);
    case_close(&c);
    text_free(text);
}

// --- tests ---------------------------------------------------------------------------------------

// A way in, a way out and a way in again.
static void chain_has_three_loops(void **state) {
    (void)state;
    Text text = {0};
    write_chain(&text, 16, false, ANYHOW);
    check(&text, 3, true);
}

static void right_angles_repeat_every_second_joint(void **state) {
    (void)state;
    Text text = {0};
    write_chain(&text, 24, false, RIGHT_ANGLES);
    check(&text, 3, false);
}

// Sums are not in the same order all along such a chain: a part of it is rolled.
static void sliding_joints_repeat_every_third(void **state) {
    (void)state;
    Text text = {0};
    write_chain(&text, 33, false, SLIDING);
    check(&text, 1, false);
}

static void free_base(void **state) {
    (void)state;
    Text text = {0};
    write_chain(&text, 15, true, ANYHOW);
    check(&text, 3, false);
}

static void added_mass(void **state) {
    (void)state;
    Text text = {0};
    write_chain(&text, 14, true, IN_WATER);
    check(&text, 3, false);
}

static void tree_with_branches(void **state) {
    (void)state;
    Text text = {0};
    write_tree(&text);
    check(&text, 3, false);
}

// Nothing of a mechanism: resistors and capacitors in a row.
static void ladder(void **state) {
    (void)state;
    Text text = {0};
    text_add(&text, "model Ladder\n  Se u0 = 1\n  u0 -> one1\n");
    for (int i = 1; i <= 40; i++) {
        text_printf(&text, "  1 one%d\n  0 zero%d\n  R r%d(%.3f)\n  C c%d(%.3f)\n", i, i, i,
                    1 + 0.1 * sin(i), i, 1 + 0.2 * cos(i));
        text_printf(&text, "  one%d -> r%d\n  one%d -> zero%d\n  zero%d -> c%d\n", i, i, i, i, i,
                    i);
        if (i < 40) text_printf(&text, "  zero%d -> one%d\n", i, i + 1);
    }
    text_add(&text, "end\n");
    check(&text, 1, true);
}

// Too short for loops: straight-line code all the same.
static void short_chain(void **state) {
    (void)state;
    Text text = {0};
    write_chain(&text, 4, false, ANYHOW);
    check(&text, 0, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_has_three_loops),
        cmocka_unit_test(right_angles_repeat_every_second_joint),
        cmocka_unit_test(sliding_joints_repeat_every_third),
        cmocka_unit_test(free_base),
        cmocka_unit_test(added_mass),
        cmocka_unit_test(tree_with_branches),
        cmocka_unit_test(ladder),
        cmocka_unit_test(short_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
