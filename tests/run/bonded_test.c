// An inertia that is bonded to the joint of a closed chain costs what it costs in the body: the
// loops of equations are the same, no state is chosen during the run, a derivative call is about as
// long, and the motion is that of the twin.
#include "bench.h"

static const char chain[] =
    "  %s\n"
    "  gravity off\n"
    "  joint crank revolute z: world -> arm initial 0.8 {rad} rate 8 {rad/s}\n"
    "  body arm mass 2 {kg} cg (0.06, 0, 0) {m} inertia (0.3, 0.3, %g) {kg.m2}\n"
    "  joint slide prismatic x: world -> piston at (0.42, 0, 0) {m}\n"
    "  body piston mass 1.5 {kg}\n"
    "  joint pin revolute z: piston -> rod\n"
    "  body rod mass 1 {kg} cg (-0.15, 0, 0) {m} inertia (0.01, 0.01, 0.01) {kg.m2}\n"
    "  frame a on arm at (0.12, 0, 0) {m}\n"
    "  frame b on rod at (-0.3, 0, 0) {m}\n"
    "  constraint big line z: a -> b\n"
    "end\n";

static const char experiment[] = "experiment X of M\n  stop 1 {s}\n  points 10\n"
                                 "  solver rk78 rtol 1e-11\n  record m.crank.q\nend\n";

static void write_model(Text *out, const char *form, bool bonded) {
    text_add(out, "mechanism SliderCrank\n");
    text_printf(out, chain, form, bonded ? 0.02 : 0.52);
    text_add(out, "model M\n  SliderCrank m\n");
    if (bonded) text_add(out, "  I J(0.5 {kg.m2})\n  1 w\n  w -> m.crank, J\n");
    text_printf(out, "end\n%s", experiment);
}

typedef struct {
    double angle[11];
    int unknowns, states, sets;
    int instructions; // of a derivative call
} Motion;

static Motion run_model(const char *form, bool bonded) {
    Text text = {0};
    Bench b;
    Motion m = {0};
    write_model(&text, form, bonded);
    bench_run(&b, text_get(&text), NULL);
    const System *s = b.built.system;
    for (int i = 0; i < s->block_count; i++)
        if (!s->block[i].linear) m.unknowns += s->block[i].size;
    m.states = s->state_count;
    m.sets = s->set_count;
    Program *p = program_build((System *)s, &(ProgramOptions){0}, &b.built.report);
    m.instructions = p->derivative.count;
    program_free(p);
    assert_int_equal(b.run->results.row_count, 11);
    for (int i = 0; i < 11; i++) m.angle[i] = b.run->results.column[1].value[i];
    bench_close(&b);
    text_free(&text);
    return m;
}

static void test_bonded_is_body(void **state) {
    (void)state;
    static const char *const form[] = {"form momentum", "form lagrange"};
    for (int f = 0; f < 2; f++) {
        Motion body = run_model(form[f], false), bonded = run_model(form[f], true);
        assert_int_equal(bonded.unknowns, body.unknowns);
        assert_int_equal(bonded.states, body.states);
        assert_int_equal(bonded.sets, 0);
        assert_true(bonded.instructions < 1.2 * body.instructions); // it was 2.4 times
        for (int i = 0; i < 11; i++) assert_near(bonded.angle[i], body.angle[i], 1e-8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bonded_is_body)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
