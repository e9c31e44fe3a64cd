// Power, activity and shares against closed forms.
#include "../run/bench.h"

#include "analysis/power.h"

typedef struct {
    Bench b;
    Arena arena;
    PowerTable t;
} Measured;

static void measure_text(Measured *m, const char *text) {
    *m = (Measured){0};
    bench_open(&m->b, text);
    const System *s = m->b.built.system;
    PowerPlan plan = power_plan(&m->arena, s);
    RunOptions o = {.watch = plan.power,
                    .watch_count = plan.count,
                    .integrate = plan.power,
                    .integrate_count = plan.count,
                    .engine = ENGINE_VM};
    m->b.run = run_experiment(s, &o, &m->b.built.report);
    assert_non_null(m->b.run);
    m->t = power_measure(&m->arena, s, &plan, m->b.run, 0.01);
}

static void close_measured(Measured *m) {
    arena_free(&m->arena);
    bench_close(&m->b);
}

static const PowerFlow *flow(const Measured *m, const char *name) {
    const PowerFlow *x = power_find(&m->t, name);
    if (!x) fail_msg("there is no flow '%s'", name);
    return x;
}

static double carried(const Measured *m, const char *name) {
    for (int i = 0; i < m->t.carrier_count; i++)
        if (strcmp(m->t.carrier[i].name, name) == 0) return m->t.carrier[i].carried;
    return NAN;
}

static double along(const Measured *m, const char *name) {
    for (int i = 0; i < m->t.count; i++)
        if (strcmp(m->t.flow[i].name, name) == 0) return m->t.flow[i].into - m->t.flow[i].out;
    return NAN;
}

// E = 1/2 k q0^2 = 0.5 J goes to the mass and back twice in a period: each has the activity 4 E, and
// the shares are halves. With 25 rows in a period energy turns around between rows; the cubic is
// wrong by less than h^4/384 of the fourth derivative of the energy there, 1e-4 of a swing.
static void energy_swings(void **state) {
    (void)state;
    Measured m;
    measure_text(&m, "model Swing\n  I mass(1 {kg})\n  C spring(0.01 {m/N}, q0 = 0.1 {m})\n  1 v\n"
                     "  v -> mass, spring\nend\n"
                     "experiment E of Swing\n  stop 0.6283185307179586 {s}\n  points 25\n"
                     "  solver rk78 rtol 1e-11\nend\n");
    assert_near(flow(&m, "mass")->activity, 2, 2e-4);
    assert_near(flow(&m, "spring")->activity, 2, 2e-4);
    assert_near(flow(&m, "mass")->into, flow(&m, "mass")->out, 1e-8);
    assert_near(flow(&m, "mass")->share, 0.5, 1e-4);
    assert_near(flow(&m, "mass")->peak, 5, 0.05); // E w, at rows
    close_measured(&m);
}

// Resistors in a row have shares in the ratio of their resistances; a small one can be spared.
static void resistors_share(void **state) {
    (void)state;
    Measured m;
    measure_text(&m, "model Row\n  Se u = 12 {V}\n  R a(7 {ohm})\n  R b(4.9 {ohm})\n"
                     "  R c(0.01 {ohm})\n  R d(1 {ohm})\n  R e(3 {ohm})\n  TF t(2)\n  1 i\n  1 k\n"
                     "  u -> i -> a, b, c\n  i -> t -> k -> d, e\nend\n"
                     "experiment E of Row\n  stop 2 {s}\nend\n");
    const PowerFlow *u = flow(&m, "u"), *a = flow(&m, "a"), *c = flow(&m, "c");
    double sum = 0, behind = flow(&m, "d")->activity + flow(&m, "e")->activity;
    for (int i = 0; i < m.t.count; i++)
        if (m.t.flow[i].kind == POWER_ELEMENT) sum += m.t.flow[i].share;
    assert_near(sum, 1, 1e-12);
    assert_near(a->activity / flow(&m, "b")->activity, 7 / 4.9, 1e-9);
    assert_near(flow(&m, "e")->activity / flow(&m, "d")->activity, 3, 1e-9);
    assert_true(c->spare && !flow(&m, "b")->spare);
    assert_near(m.t.spare, c->share, 1e-15);
    assert_near(u->out, m.t.activity, 1e-9 * u->out); // all of it is dissipated
    assert_near(power_efficiency(u, a), a->share, 1e-9);
    assert_true(isnan(power_efficiency(a, u)));
    assert_near(carried(&m, "t"), behind, 1e-9 * behind);
    assert_near(carried(&m, "i"), u->out, 1e-9 * u->out);
    close_measured(&m);
}

// Two 1-junctions in a row: no variable tells the power between them, the balance does.
static void junctions_balance(void **state) {
    (void)state;
    Measured m;
    measure_text(&m, "model Row\n  Se u = 6 {V}\n  R a(1 {ohm})\n  R b(2 {ohm})\n  1 i\n  1 j\n"
                     "  u -> i -> a\n  j -> b\n  i -> j\nend\n"
                     "experiment E of Row\n  stop 1 {s}\nend\n");
    assert_near(along(&m, "i -> j"), 8, 1e-9);
    assert_near(along(&m, "u -> i"), 12, 1e-9);
    assert_near(along(&m, "j -> b"), 8, 1e-9);
    assert_near(carried(&m, "j"), 8, 1e-9);
    close_measured(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(energy_swings),
                                       cmocka_unit_test(resistors_share),
                                       cmocka_unit_test(junctions_balance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
