// What must not matter: the order of declarations, vector or scalar writing, the run before.
#include "../pipeline.h"
#include "../test.h"

#include "base/array.h"
#include "base/files.h"
#include "run/run.h"
#include <stdlib.h>

static const LangOptions options = {.library = BONDYN_SOURCE "/library"};

// --- declaration order ---------------------------------------------------------------------------

static unsigned next_random(unsigned *seed) { return *seed = *seed * 1664525u + 1013904223u; }

// Shuffles the lines between "model ..." and "end" (models without nested blocks, statements of one
// line each).
static char *shuffled(Arena *a, const char *text, unsigned seed) {
    ARRAY(const char *) line = {0};
    Text out = {0};
    bool inside = false;
    char *copy = arena_copy_text(a, text, strlen(text)), *rest = copy;
    for (char *l; (l = rest) && *l;) {
        rest = strchr(l, '\n');
        if (rest) *rest++ = 0;
        if (inside && strcmp(l, "end") == 0) {
            for (int i = line.count - 1; i > 0; i--) {
                int k = (int)(next_random(&seed) >> 8) % (i + 1);
                const char *swap = line.data[i];
                line.data[i] = line.data[k], line.data[k] = swap;
            }
            for (int i = 0; i < line.count; i++) text_printf(&out, "%s\n", line.data[i]);
            line.count = 0;
            inside = false;
        }
        if (inside)
            array_push(&line, l);
        else
            text_printf(&out, "%s\n", l);
        if (strncmp(l, "model ", 6) == 0) inside = true;
    }
    char *result = arena_copy_text(a, text_get(&out), out.length);
    array_free(&line);
    text_free(&out);
    return result;
}

typedef struct {
    Text strokes;
    Run *run;
    Built built;
} Outcome;

static Outcome outcome_of(const char *text) {
    Outcome o = {0};
    bool good = build_text(&o.built, text, strlen(text), NULL, NULL, &options);
    if (!good) {
        Text why = {0};
        report_print(&why, &o.built.report, o.built.sources);
        fail_msg("%s", text_get(&why));
    }
    causality_explain(&o.strokes, o.built.graph);
    o.run = built_run(&o.built, NULL);
    assert_non_null(o.run);
    return o;
}

static void outcome_free(Outcome *o) {
    run_free(o->run);
    text_free(&o->strokes);
    build_free(&o->built);
}

static void assert_same_outcome(const Outcome *a, const Outcome *b) {
    assert_string_equal(text_get(&a->strokes), text_get(&b->strokes));
    assert_int_equal(a->run->results.column_count, b->run->results.column_count);
    assert_int_equal(a->run->results.row_count, b->run->results.row_count);
    for (int c = 0; c < a->run->results.column_count; c++) {
        const Column *x = &a->run->results.column[c], *y = &b->run->results.column[c];
        assert_string_equal(x->name, y->name);
        assert_memory_equal(x->value, y->value, (size_t)a->run->results.row_count * sizeof(double));
    }
}

static void declaration_order_changes_nothing(void **state) {
    (void)state;
    const char *const files[] = {"rlc/rlc.bond",
                                 "mass_spring_damper/mass_spring_damper.bond",
                                 "resistor_network/resistor_network.bond",
                                 "mcbride_circuit/mcbride_circuit.bond",
                                 "mcbride_two_mass/mcbride_two_mass.bond",
                                 "pendulum/pendulum.bond",
                                 "dc_motor/dc_motor.bond",
                                 "quarter_car/quarter_car.bond",
                                 "two_tanks/two_tanks.bond"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        Arena a = {0};
        Report r = {0};
        size_t length;
        char *path = path_join(&a, BONDYN_SOURCE "/examples", files[i]);
        char *text = file_read(&a, path, &length, &r, POS_NONE);
        assert_non_null(text);
        Outcome plain = outcome_of(text);
        for (unsigned seed = 1; seed <= 3; seed++) {
            Outcome other = outcome_of(shuffled(&a, text, seed));
            assert_same_outcome(&plain, &other);
            outcome_free(&other);
        }
        outcome_free(&plain);
        arena_free(&a);
        report_free(&r);
    }
}

// --- vector and scalar writing -------------------------------------------------------------------

#define PARAMETERS                                                                                 \
    "  param k = 3 {N/m}, ma = 1.1 {kg}, mb = 2.3 {kg}, mc = 0.7 {kg}\n"                           \
    "  param da = 0.1 {N.s/m}, db = 0.2 {N.s/m}, dc = 0.3 {N.s/m}\n"

static const char scalar_model[] = "model Scalar\n" PARAMETERS "  I m1(ma), m2(mb), m3(mc)\n"
                                   "  C c1(1/k), c2(1/k), c3(1/k)\n"
                                   "  R d1(da), d2(db), d3(dc)\n"
                                   "  Se f1 = 1 {N}, f2 = 2 {N}, f3 = sin(time/(1 {s}))*(3 {N})\n"
                                   "  1 v1, v2, v3\n"
                                   "  f1 -> v1 -> m1\n"
                                   "  f2 -> v2 -> m2\n"
                                   "  f3 -> v3 -> m3\n"
                                   "  v1 -> c1, d1\n"
                                   "  v2 -> c2, d2\n"
                                   "  v3 -> c3, d3\n"
                                   "end\n";
static const char vector_model[] =
    "model Vector\n" PARAMETERS "  I[3] m([ma, 0, 0; 0, mb, 0; 0, 0, mc])\n"
    "  C[3] c(1/k)\n"
    "  R[3] d([da, 0, 0; 0, db, 0; 0, 0, dc])\n"
    "  Se[3] f = (1 {N}, 2 {N}, sin(time/(1 {s}))*(3 {N}))\n"
    "  1[3] v\n"
    "  f -> v -> m\n"
    "  v -> c, d\n"
    "end\n";
static const char mixed_model[] = "model Mixed\n" PARAMETERS "  I m_a(ma)\n"
                                  "  I[2] m_b([mb, 0; 0, mc])\n"
                                  "  C[3] c(1/k)\n"
                                  "  R[3] d([da, 0, 0; 0, db, 0; 0, 0, dc])\n"
                                  "  Se f1 = 1 {N}\n"
                                  "  Se[2] f2 = (2 {N}, sin(time/(1 {s}))*(3 {N}))\n"
                                  "  1[3] v\n"
                                  "  f1 -> v[1] -> m_a\n"
                                  "  f2 -> v[2:3] -> m_b\n"
                                  "  v -> c, d\n"
                                  "end\n";

// Rates of the momenta, then of the displacements, at the same state.
static void rates_of_model(const char *text, const char *const *order, double *rate) {
    Built b;
    if (!build_text(&b, text, strlen(text), NULL, NULL, &options)) {
        Text why = {0};
        report_print(&why, &b.report, b.sources);
        fail_msg("%s", text_get(&why));
    }
    Program *p = program_build(b.system, &(ProgramOptions){0}, &b.report);
    assert_non_null(p);
    assert_int_equal(p->state_count, 6);
    Machine *m = machine_new(p);
    assert_true(machine_set_params(m, NULL));
    double x[6], xdot[6];
    int place[6];
    for (int i = 0; i < 6; i++) {
        int var = model_find(b.model, order[i]);
        assert_true(var >= 0);
        for (place[i] = 0; b.system->state_var[place[i]] != var; place[i]++) {}
        x[place[i]] = 0.1 * (i + 1) + 1.0 / 3.0;
    }
    assert_true(machine_derivative(m, 0.37, x, xdot, NULL));
    for (int i = 0; i < 6; i++) rate[i] = xdot[place[i]];
    machine_free(m);
    program_free(p);
    build_free(&b);
}

static void vector_writing_gives_the_same_bits(void **state) {
    (void)state;
    const char *const scalar[] = {"m1.p", "m2.p", "m3.p", "c1.q", "c2.q", "c3.q"};
    const char *const vector[] = {"m.p[1]", "m.p[2]", "m.p[3]", "c.q[1]", "c.q[2]", "c.q[3]"};
    const char *const mixed[] = {"m_a.p", "m_b.p[1]", "m_b.p[2]", "c.q[1]", "c.q[2]", "c.q[3]"};
    double a[6], b[6], c[6];
    rates_of_model(scalar_model, scalar, a);
    rates_of_model(vector_model, vector, b);
    rates_of_model(mixed_model, mixed, c);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_equal(a, c, sizeof a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declaration_order_changes_nothing),
        cmocka_unit_test(vector_writing_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
