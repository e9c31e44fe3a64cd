// Poles, shares of energy, zeros and margins against closed forms.
#include "../test.h"

#include "../pipeline.h"
#include "analysis/nearest.h"
#include "analysis/response.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    Built b;
    LinearPlan plan;
    Reached at;
    LinearModel *l;
} Opened;

static void open_text(Opened *o, const char *text, const LinearOptions *wish) {
    *o = (Opened){0};
    LangOptions with = build_open(&o->b, NULL);
    Syntax *syntax = lang_load_text(&o->b.tree, o->b.names, o->b.sources, "test.bond", text,
                                    strlen(text), &with, &o->b.report);
    PipelineOptions p = {.lang = with, .last = STAGE_MODEL};
    assert_true(pipeline_build(&o->b.pipeline, syntax, &p, &o->b.report));
    assert_true(
        linear_open(o->b.pipeline.model, &o->b.pipeline.arena, wish, &o->plan, &o->b.report));
    p.last = STAGE_SYSTEM;
    assert_true(pipeline_finish(&o->b.pipeline, &p, &o->b.report));
    RunOptions run = {.experiment = o->b.pipeline.experiment, .engine = ENGINE_VM};
    assert_true(linear_reach(&o->at, o->b.pipeline.system, &run, true, 0, &o->b.report));
    o->l = linear_model(&o->plan, &o->at, &o->b.report);
    assert_non_null(o->l);
}

static void close_text(Opened *o) {
    linear_model_free(o->l);
    reached_free(&o->at);
    build_free(&o->b);
}

// --- chains --------------------------------------------------------------------------------------

// Masses between springs, both ends fixed; with losses all storages decay at one rate: an RLC ladder
// without distortion, poles -d +- i w_k.
static void chain(Text *t, int n, double m, double k, double d) {
    text_add(t, "model Chain\n");
    for (int i = 0; i <= n; i++) {
        text_printf(t, "  C s%d(%.17g)\n", i, 1 / k);
        if (i) text_printf(t, "  I m%d(%.17g)\n  1 v%d\n  v%d -> m%d\n", i, m, i, i, i);
        if (i && d > 0) text_printf(t, "  R r%d(%.17g)\n  v%d -> r%d\n", i, d * m, i, i);
        text_printf(t, "  0 z%d\n  z%d -> s%d\n", i, i, i);
        if (d > 0) text_printf(t, "  R g%d(%.17g)\n  z%d -> g%d\n", i, k / d, i, i);
    }
    for (int i = 0; i <= n; i++) {
        if (i) text_printf(t, "  v%d -> z%d\n", i, i);
        if (i < n) text_printf(t, "  z%d -> v%d\n", i, i + 1);
    }
    text_add(t, "end\n");
}

static void try_chain(int n, double m, double k, double d) {
    Text text = {0};
    Opened o;
    LinearOptions wish = {0};
    chain(&text, n, m, k, d);
    open_text(&o, text_get(&text), &wish);
    Poles *p = poles_of(o.l, &o.b.report);
    double largest = 2 * sqrt(k / m), pi = acos(-1);
    assert_int_equal(o.l->n, 2 * n + 1);
    assert_int_equal(p->count, n + 1);
    assert_near(creal(p->mode[0].value), -d, 1e-10 * largest);
    for (int i = 1; i <= n; i++) {
        double w = largest * sin(i * pi / (2 * (n + 1)));
        assert_near(cimag(p->mode[i].value), w, 1e-10 * largest);
        assert_near(creal(p->mode[i].value), -d, 1e-10 * largest);
        double sum = 0, states = 0;
        for (int s = 0; s < o.l->storages; s++) sum += p->mode[i].storage[s];
        for (int s = 0; s < o.l->n; s++) states += p->mode[i].state[s];
        assert_near(sum, 1, 1e-12);
        assert_near(states, 1, 1e-12);
    }
    poles_free(p);
    close_text(&o);
    text_free(&text);
}

static void test_chains(void **unused) {
    (void)unused;
    try_chain(1, 2, 50, 0);
    try_chain(7, 0.3, 2e4, 0);
    try_chain(40, 2, 3e3, 0);
    try_chain(25, 1e-3, 1e9, 40); // units of a circuit: L = 1 mH, C = 1 nF
}

// --- plates --------------------------------------------------------------------------------------

// side x side masses that move out of their plane, with springs to their neighbours and to the fixed rim:
// w^2 = 4 k/m (sin^2(i pi/2(side + 1)) + sin^2(j pi/2(side + 1))). There are more springs than masses: what is left rests.
static void plate(Text *t, int side, double m, double k) {
    text_add(t, "model Plate\n");
    for (int i = 1; i <= side; i++)
        for (int j = 1; j <= side; j++)
            text_printf(t, "  1 v%d_%d\n  I m%d_%d(%.17g)\n  v%d_%d -> m%d_%d\n", i, j, i, j, m, i,
                        j, i, j);
    for (int way = 0; way < 2; way++)
        for (int i = 0; i <= side; i++)
            for (int j = 1; j <= side; j++) { // between i and i + 1
                const char *name = way ? "y" : "x";
                text_printf(t, "  0 z%s%d_%d\n  C s%s%d_%d(%.17g)\n  z%s%d_%d -> s%s%d_%d\n", name,
                            i, j, name, i, j, 1 / k, name, i, j, name, i, j);
                if (i)
                    text_printf(t, "  v%d_%d -> z%s%d_%d\n", way ? j : i, way ? i : j, name, i, j);
                if (i < side)
                    text_printf(t, "  z%s%d_%d -> v%d_%d\n", name, i, j, way ? j : i + 1,
                                way ? i + 1 : j);
            }
    text_add(t, "end\n");
}

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void try_plate(int side) {
    const double m = 0.3, k = 2e3, pi = acos(-1);
    Text text = {0};
    Opened o;
    LinearOptions wish = {0};
    plate(&text, side, m, k);
    open_text(&o, text_get(&text), &wish);
    int n = o.l->n, masses = side * side;
    assert_int_equal(n, masses + 2 * side * (side + 1));
    Complex *pole = memory_zeroed((size_t)n, sizeof *pole);
    double *w = memory_zeroed((size_t)n, sizeof *w),
           *exact = memory_zeroed((size_t)n, sizeof *exact);
    assert_true(dense_eigen(n, o.l->A, pole, NULL, NULL));
    double largest = 0;
    for (int i = 1, at = 0; i <= side; i++)
        for (int j = 1; j <= side; j++) {
            double a = sin(i * pi / (2 * (side + 1))), b = sin(j * pi / (2 * (side + 1)));
            double value = 2 * sqrt(k / m * (a * a + b * b));
            exact[at++] = value, exact[at++] = -value;
            largest = fmax(largest, value);
        }
    for (int i = 0; i < n; i++) {
        assert_near(creal(pole[i]), 0, 1e-10 * largest);
        w[i] = cimag(pole[i]);
    }
    qsort(w, (size_t)n, sizeof *w, rising);
    qsort(exact, (size_t)n, sizeof *exact, rising); // the rest are zeros already
    for (int i = 0; i < n; i++) assert_near(w[i], exact[i], 1e-10 * largest);
    free(pole);
    free(w);
    free(exact);
    close_text(&o);
    text_free(&text);
}

// The few poles nearest to a number, of a chain with many states.
static void try_nearest(int n) {
    const double m = 2, k = 3e3, d = 0.5, pi = acos(-1);
    Text text = {0};
    Opened o;
    LinearOptions wish = {0};
    Nearest x;
    chain(&text, n, m, k, d);
    open_text(&o, text_get(&text), &wish);
    assert_true(poles_nearest(&o.plan, &o.at, 0.25, 7, &x, &o.b.report));
    assert_int_equal(x.count, 7);
    for (int i = 0; i < 7; i++) {
        double w = 2 * sqrt(k / m) * sin((i + 1) / 2 * pi / (2 * (n + 1)));
        assert_near(creal(x.pole[i]), -d, 1e-10 * sqrt(k / m));
        assert_near(fabs(cimag(x.pole[i])), w, 1e-10 * sqrt(k / m));
    }
    nearest_free(&x);
    close_text(&o);
    text_free(&text);
}

static int largest_side = 5, longest_chain = 60;

static void test_plates(void **unused) {
    (void)unused;
    try_plate(1);
    try_plate(3);
    try_plate(largest_side);
    try_chain(longest_chain, 2, 3e3, 0);
    try_chain(longest_chain, 1e-3, 1e9, 40);
    try_nearest(4);
    try_nearest(longest_chain);
}

// --- two oscillators, by hand --------------------------------------------------------------------

static double share(const Opened *o, const PoleMode *x, const char *name) {
    for (int i = 0; i < o->l->storages; i++)
        if (strcmp(o->l->storage[i].name, name) == 0) return x->storage[i];
    fail_msg("no storage %s", name);
    return 0;
}

// In phase the spring between them rests, w^2 = k/m; against each other w^2 = (k + 2 c)/m, and it
// has 2 c/(k + 2 c) of the potential energy.
static void test_shares(void **unused) {
    (void)unused;
    const double m = 2, k = 30, c = 7;
    Opened o;
    LinearOptions wish = {0};
    open_text(&o,
              "model Two\n  I m1(2)\n  I m2(2)\n  C k1(1/30)\n  C k2(1/30)\n  C between(1/7)\n"
              "  1 v1\n  1 v2\n  0 z\n  v1 -> m1, k1, z\n  z -> between, v2\n  v2 -> m2, k2\nend\n",
              &wish);
    Poles *p = poles_of(o.l, &o.b.report);
    assert_int_equal(p->count, 3); // and one that rests: three springs between two masses
    const PoleMode *with = &p->mode[1], *against = &p->mode[2];
    assert_near(with->frequency, sqrt(k / m), 1e-12);
    assert_near(against->frequency, sqrt((k + 2 * c) / m), 1e-12);
    assert_near(share(&o, with, "m1"), 0.25, 1e-12);
    assert_near(share(&o, with, "k2"), 0.25, 1e-12);
    assert_near(share(&o, with, "between"), 0, 1e-12);
    assert_near(share(&o, against, "m2"), 0.25, 1e-12);
    assert_near(share(&o, against, "between"), 0.5 * 2 * c / (k + 2 * c), 1e-12);
    assert_near(share(&o, against, "k1"), 0.25 * k / (k + 2 * c), 1e-12);
    poles_free(p);
    close_text(&o);
}

// --- zeros of random channels --------------------------------------------------------------------

static double uniform(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 16777216.0;
}

static void polynomial(const double *root, int n, double *c) { // c[k] s^k, leading 1
    for (int i = 0; i <= n; i++) c[i] = i == 0;
    for (int r = 0; r < n; r++)
        for (int i = r + 1; i >= 0; i--) c[i] = (i ? c[i - 1] : 0) - root[r] * c[i];
}

// The companion form of given poles and zeros, in states of other units that are mixed.
static void mixed_channel(LinearModel *l, int n, const double *a, const double *b, unsigned *seed) {
    double *T = memory_zeroed((size_t)(n * n), sizeof *T),
           *X = memory_zeroed((size_t)(n * n), sizeof *X);
    double *A = memory_zeroed((size_t)(n * n), sizeof *A);
    for (int i = 0; i + 1 < n; i++) A[(i + 1) * n + i] = 1;
    for (int j = 0; j < n; j++) A[j * n + n - 1] = -a[j];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            T[j * n + i] = (i == j) * (1 + uniform(seed)) + 0.3 * uniform(seed);
    dense_multiply(n, n, n, A, T, X); // A T, then T^-1 of it
    for (int j = 0; j < n; j++) {
        l->B[j] = j == n - 1;
        l->C[j] = 0;
        for (int i = 0; i < n; i++) l->C[j] += b[i] * T[j * n + i];
    }
    double *copy = memory_zeroed((size_t)(n * n), sizeof *copy);
    memcpy(copy, T, (size_t)(n * n) * sizeof *copy);
    assert_true(dense_solve(n, copy, n, X));
    memcpy(copy, T, (size_t)(n * n) * sizeof *copy);
    assert_true(dense_solve(n, copy, 1, l->B));
    memcpy(l->A, X, (size_t)(n * n) * sizeof *X);
    free(T);
    free(X);
    free(A);
    free(copy);
}

static void try_zeros(unsigned *seed) {
    enum { MOST = 5 };
    int n = 1 + (int)(uniform(seed) * (MOST - 0.01)), m = (int)(uniform(seed) * (n - 0.01));
    double pole[MOST], zero[MOST], a[MOST + 1] = {0}, b[MOST + 1] = {0}, A[MOST * MOST], B[MOST],
                                            C[MOST], D = 0;
    for (int i = 0; i < n; i++) pole[i] = -1 - i - 0.5 * uniform(seed);
    for (int i = 0; i < m; i++) zero[i] = 2.3 * i - 4 + uniform(seed);
    polynomial(pole, n, a);
    polynomial(zero, m, b);
    LinearModel l = {.n = n, .m = 1, .p = 1, .A = A, .B = B, .C = C, .D = &D, .Bz = B, .Dz = &D};
    mixed_channel(&l, n, a, b, seed);
    Complex found[MOST];
    int count = channel_zeros(&l, 0, 0, found);
    assert_int_equal(count, m);
    for (int i = 0; i < m; i++) {
        double nearest = INFINITY;
        for (int k = 0; k < m; k++) nearest = fmin(nearest, cabs(found[k] - zero[i]));
        assert_near(nearest, 0, 1e-6);
    }
    Responder *x = responder_new(&l, 0, 0);
    for (int k = 0; k < 5; k++) {
        Complex s = I * (0.1 + 3 * uniform(seed)), g = 1;
        for (int i = 0; i < m; i++) g *= s - zero[i];
        for (int i = 0; i < n; i++) g /= s - pole[i];
        assert_near(cabs(response_at(x, cimag(s)) - g), 0, 1e-9 * cabs(g) + 1e-12);
    }
    responder_free(x);
}

static int seeds = 200;

static void test_zeros(void **unused) {
    (void)unused;
    for (int k = 0; k < seeds; k++) {
        unsigned seed = (unsigned)k * 7919u + 1;
        try_zeros(&seed);
    }
}

// A mass that nothing holds: one vector for both poles, w v = 0, and still something takes part.
static void test_jordan(void **unused) {
    (void)unused;
    double A[4] = {0, 0, 1, 0};
    LinearModel l = {.n = 2, .A = A};
    Report report = {0};
    Poles *p = poles_of(&l, &report);
    assert_int_equal(p->count, 2);
    assert_int_equal(p->unstable, 0);
    for (int k = 0; k < 2; k++) assert_near(p->mode[k].state[0] + p->mode[k].state[1], 1, 1e-14);
    poles_free(p);
    report_free(&report);
}

// --- margins -------------------------------------------------------------------------------------

// L = K/(s (s + 1)(s + 2)): real and negative at w = sqrt(2), there K/6.
static void test_margins(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        double K = k ? 9 : 2, A[9] = {0, 0, 0, 1, 0, -2, 0, 1, -3}, B[3] = {0, 0, 1},
               C[3] = {K, 0, 0}, D = 0;
        LinearModel l = {
            .n = 3, .m = 1, .p = 1, .A = A, .B = B, .C = C, .D = &D, .Bz = B, .Dz = &D};
        ChannelResponse c = channel_response(&l, 0, 0, 0, 0, 200, NULL, 0);
        const Margins *m = &c.margins;
        assert_int_equal(m->gain_count, 1);
        assert_int_equal(m->phase_count, 1);
        assert_near(m->gain[0].w, sqrt(2), 1e-9);
        assert_near(m->gain[0].value, 6 / K, 1e-9);
        assert_int_equal(m->unstable, K > 6 ? 2 : 0);
        double w = m->phase[0].w, pi = acos(-1);
        assert_near(K / (w * hypot(w, 1) * hypot(w, 2)), 1, 1e-9);
        assert_near(m->phase[0].value, pi / 2 - atan(w) - atan(w / 2), 1e-9);
        assert_true(m->peak > 1);
        channel_response_free(&c);
    }
}

// The sensitivity 1/(1 + L) of L = c/(s - a): its limits count, and a loop on the boundary has none.
static void test_peaks(void **unused) {
    (void)unused;
    static const struct {
        double a, c, peak, w;
    } cases[] = {{-1, -3, 1, INFINITY}, // (s + 1)/(s - 2): 1 at last
                 {-1, 2, 1, INFINITY},  // (s + 1)/(s + 3): from 1/3 up to 1
                 {-1, -0.5, 2, 0}};     // (s + 1)/(s + 0.5)
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double A = cases[k].a, B = 1, C = cases[k].c, D = 0;
        LinearModel l = {
            .n = 1, .m = 1, .p = 1, .A = &A, .B = &B, .C = &C, .D = &D, .Bz = &B, .Dz = &D};
        ChannelResponse c = channel_response(&l, 0, 0, 0, 0, 200, NULL, 0);
        assert_near(c.margins.peak, cases[k].peak, 1e-12);
        assert_true(c.margins.peak_w == cases[k].w);
        assert_false(c.margins.real);
        channel_response_free(&c);
    }
    // L = 3/(s^2 - 1): the closed loop s^2 + 2 swings for ever
    double A[4] = {0, 1, 1, 0}, B[2] = {0, 1}, C[2] = {3, 0}, D = 0;
    LinearModel l = {.n = 2, .m = 1, .p = 1, .A = A, .B = B, .C = C, .D = &D, .Bz = B, .Dz = &D};
    ChannelResponse c = channel_response(&l, 0, 0, 0, 0, 200, NULL, 0);
    assert_true(isinf(c.margins.peak));
    assert_near(c.margins.peak_w, sqrt(2), 1e-9);
    assert_int_equal(c.margins.unstable, 0);
    assert_true(c.margins.real);
    channel_response_free(&c);
}

int main(int count, char **words) {
    if (count > 1) seeds = atoi(words[1]);
    if (count > 2) largest_side = atoi(words[2]);  // 18: 1008 states
    if (count > 3) longest_chain = atoi(words[3]); // 500: 1001 states
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),  cmocka_unit_test(test_shares),
        cmocka_unit_test(test_plates),  cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_margins), cmocka_unit_test(test_jordan),
        cmocka_unit_test(test_peaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
