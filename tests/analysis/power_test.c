// Power, activity and shares against closed forms.
#include "../run/bench.h"

#include "analysis/power.h"

typedef struct {
    Bench b;
    Arena arena;
    PowerPlan plan;
    PowerTable t;
    PowerPaths paths;
} Measured;

static void measure_text(Measured *m, const char *text) {
    *m = (Measured){0};
    bench_open(&m->b, text);
    const System *s = m->b.built.system;
    m->plan = power_plan(&m->arena, s);
    RunOptions o = {.watch = m->plan.power,
                    .watch_count = m->plan.count,
                    .integrate = m->plan.power,
                    .integrate_count = m->plan.count,
                    .engine = ENGINE_VM};
    m->b.run = built_run(&m->b.built, &o);
    assert_non_null(m->b.run);
    m->t = power_measure(&m->arena, s, &m->plan, m->b.run, 0.01);
    m->paths = power_paths(&m->arena, s, &m->plan, m->b.run);
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
    assert_true(isnan(flow(&m, "mass")->efficiency) != isnan(flow(&m, "spring")->efficiency));
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
    assert_near(a->efficiency, a->share, 1e-9); // the source gives all
    assert_true(isnan(u->efficiency));
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

// --- paths ---------------------------------------------------------------------------------------

static const char *end_of(const Measured *m, int flow) {
    return flow < 0 ? "" : m->plan.flow[flow].name;
}

static const PowerPath *path(const Measured *m, const char *from, const char *to) {
    for (int i = 0; i < m->paths.count; i++) {
        const PowerPath *x = &m->paths.path[i];
        if (strcmp(end_of(m, x->from), from) == 0 && strcmp(end_of(m, x->to), to) == 0) return x;
    }
    fail_msg("there is no path from '%s' to '%s'", from, to);
    return NULL;
}

// What goes out of an element by all paths is what it gave, what comes in is what it got. The sums
// are over stretches of the same cubics, so that only rounding is between them.
static void sums_are_energies(const Measured *m) {
    double all = m->paths.energy;
    for (int i = 0; i < m->plan.count && m->plan.flow[i].kind != POWER_BOND; i++) {
        const PowerFlow *x = flow(m, m->plan.flow[i].name);
        double given = 0, got = 0;
        for (int k = 0; k < m->paths.count; k++) {
            given += m->paths.path[k].from == i ? m->paths.path[k].energy : 0;
            got += m->paths.path[k].to == i ? m->paths.path[k].energy : 0;
        }
        assert_near(given, x->out, 1e-10 * all);
        assert_near(got, x->into, 1e-10 * all);
    }
    assert_true(m->paths.unaccounted < 1e-10 * all);
}

// By hand: 1-junction i with 1 A, sources of 6 V and 12 V against 18 ohm. Of the 18 W, 6 W stay in a
// and 12 W go through the transformer to b: each source has the same mixture, 1/3 and 2/3, for 2 s.
static void two_sources_two_sinks(void **state) {
    (void)state;
    Measured m;
    measure_text(&m, "model Two\n  Se u = 6 {V}\n  Se v = 12 {V}\n  R a(6 {ohm})\n  R b(3 {ohm})\n"
                     "  TF t(2)\n  1 i\n  1 k\n  u, v -> i\n  i -> a\n  i -> t -> k -> b\nend\n"
                     "experiment E of Two\n  stop 2 {s}\nend\n");
    assert_near(path(&m, "u", "a")->energy, 4, 1e-9);
    assert_near(path(&m, "v", "a")->energy, 8, 1e-9);
    assert_near(path(&m, "u", "b")->energy, 8, 1e-9);
    assert_near(path(&m, "v", "b")->energy, 16, 1e-9);
    assert_near(path(&m, "u", "b")->efficiency, 2.0 / 3, 1e-12);
    assert_string_equal(path(&m, "v", "b")->through, "i, t, k");
    assert_string_equal(path(&m, "v", "a")->through, "i");
    assert_int_equal(m.paths.count, 4);
    sums_are_energies(&m);
    close_measured(&m);
}

// Storages give back what they got: an oscillator that is driven and damped, with few rows, so that
// every power turns around between them. No element is its own source.
static void storages_give_back(void **state) {
    (void)state;
    Measured m;
    measure_text(
        &m, "model Swing\n  I mass(1 {kg}), far(0.3 {kg})\n  C spring(0.01 {m/N}, q0 = 0.1 {m})\n"
            "  C tie(0.02 {m/N})\n  MSe push = 2 {N}*sin(7 {rad/s}*time)\n  R damper(0.4 {N.s/m})\n"
            "  1 v\n  0 f\n  1 w\n  push -> v -> mass, spring, damper\n  v -> f -> w -> far\n"
            "  f -> tie\nend\n"
            "experiment E of Swing\n  stop 3 {s}\n  points 60\n  solver rk78 rtol 1e-10\nend\n");
    sums_are_energies(&m);
    assert_true(path(&m, "spring", "damper")->energy > 0.01);
    assert_string_equal(path(&m, "spring", "far")->through, "v, f, w");
    for (int i = 0; i < m.paths.count; i++)
        if (m.paths.path[i].from == m.paths.path[i].to)
            assert_true(m.paths.path[i].energy < 1e-9 * m.paths.energy);
    close_measured(&m);
}

// A ring of transformers carries power round and round: what goes in arrives all the same.
static void power_goes_in_a_ring(void **state) {
    (void)state;
    Measured m;
    measure_text(
        &m, "model Ring\n  Se u = 10 {V}\n  R a(1 {ohm})\n  R b(2 {ohm})\n  R c(0.5 {ohm})\n"
            "  TF s(2)\n  GY g(3 {ohm})\n  1 i\n  1 k\n  0 n\n"
            "  u -> i -> a\n  i -> s -> n -> g -> k -> b\n  n -> c\n  k -> TF2.p1\n  TF2.p2 -> i\n"
            "  TF TF2(4)\nend\n"
            "experiment E of Ring\n  stop 1 {s}\nend\n");
    sums_are_energies(&m);
    assert_true(along(&m, "TF2 -> i") > 1 && along(&m, "i -> s") > 1);
    assert_near(path(&m, "u", "a")->efficiency + path(&m, "u", "b")->efficiency +
                    path(&m, "u", "c")->efficiency,
                1, 1e-10);
    close_measured(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sources_two_sinks), cmocka_unit_test(storages_give_back),
        cmocka_unit_test(power_goes_in_a_ring),  cmocka_unit_test(energy_swings),
        cmocka_unit_test(resistors_share),       cmocka_unit_test(junctions_balance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
