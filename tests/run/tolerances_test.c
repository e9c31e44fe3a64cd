// Tolerances that lose no component: random systems with solutions in closed form, without an
// `atol`.
//
//   forced    x' = -k (x - s cos w t)      k from slow to 1e12, from rest, on its way or elsewhere
//   decay     x' = -k x
//   swing     x' = v, v' = -w^2 x          from rest with a speed
//   chain     x' = k (y - x), y' = -y c    x starts at 0 and follows y
//
// Sizes s are from 1e-5 to 1e5 side by side (a state that starts at zero begins with no less than
// 1e-12 of the largest of its dimension, solve/sizes.c). In the end every component is right to 1e3
// rtol or 1 % of itself, or of how far it swings.
//
// Arguments: how many random systems are tried, the first of them.
#include "../expr/random.h"
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int seeds = 40, first_seed;

enum { PARTS = 4 };

static double decades(Random *r, double low, double high) { // even in the exponent
    return pow(10, random_between(r, low, high));
}

typedef enum { FORCED, DECAY, SWING, CHAIN, KINDS } Kind;

// Two variables of one size: rates as text, start and end in closed form.
typedef struct {
    Kind kind;
    double size, k, w, start[2], end[2];
    double swing[2]; // how far it swings; 0: it does not
} Part;

static double forced(const Part *p, double k, double start, double t) {
    double along = k * p->size / (k * k + p->w * p->w);
    double now = along * (k * cos(p->w * t) + p->w * sin(p->w * t));
    return now + (start - along * k) * exp(-k * t);
}

static Part random_part(Random *r, double stop, bool stiff) {
    Part p = {.kind = (Kind)random_below(r, KINDS), .size = decades(r, -5, 5)};
    p.w = random_between(r, 0.5, 6);
    p.k = decades(r, -1, stiff ? 12 : 1);
    double first = random_below(r, 2) ? 0 : p.size * random_between(r, -2, 2);
    switch (p.kind) {
    case FORCED: // the second is ten times as slow
        p.start[0] = first;
        p.start[1] = 0;
        p.end[0] = forced(&p, p.k, first, stop);
        p.end[1] = forced(&p, p.k / 10, 0, stop);
        for (int i = 0; i < 2; i++) {
            double k = i ? p.k / 10 : p.k;
            p.swing[i] = p.size * k / hypot(k, p.w);
        }
        break;
    case DECAY:
        p.k = random_between(r, 0.1, 20) / stop;
        for (int i = 0; i < 2; i++) {
            p.start[i] = p.size * random_between(r, 0.5, 2);
            p.end[i] = p.start[i] * exp(-p.k * (i + 1) / 2 * stop);
        }
        break;
    case SWING:
        p.start[0] = 0;
        p.start[1] = p.size * p.w;
        p.end[0] = p.size * sin(p.w * stop);
        p.end[1] = p.size * p.w * cos(p.w * stop);
        p.swing[0] = p.size;
        p.swing[1] = p.size * p.w;
        break;
    default:
        p.w = random_between(r, 0.1, 3) / stop;
        if (fabs(p.k / p.w - 1) < 0.1) p.k *= 2;
        p.start[1] = p.size;
        p.end[1] = p.size * exp(-p.w * stop);
        p.end[0] = p.size * p.k / (p.k - p.w) * (exp(-p.w * stop) - exp(-p.k * stop));
    }
    return p;
}

static void write_rates(Text *t, const Part *p, int i) {
    switch (p->kind) {
    case FORCED:
        text_printf(t,
                    "  der(x%d) = -%.17g*(x%d - %.17g*cos(%.17g*s))*c\n"
                    "  der(y%d) = -%.17g*(y%d - %.17g*cos(%.17g*s))*c\n",
                    i, p->k, i, p->size, p->w, i, p->k / 10, i, p->size, p->w);
        break;
    case DECAY:
        text_printf(t, "  der(x%d) = -%.17g*x%d*c\n  der(y%d) = -%.17g*y%d*c\n", i, p->k / 2, i, i,
                    p->k, i);
        break;
    case SWING:
        text_printf(t, "  der(x%d) = y%d*c\n  der(y%d) = -%.17g*x%d*c\n", i, i, i, p->w * p->w, i);
        break;
    default:
        text_printf(t, "  der(x%d) = %.17g*(y%d - x%d)*c\n  der(y%d) = -%.17g*y%d*c\n", i, p->k, i,
                    i, i, p->w, i);
    }
}

static void write_end(Text *t, const char *name, int i, const Part *p, int which, double rtol) {
    double size = fmax(fabs(p->end[which]), p->swing[which]);
    text_printf(t, "  expect %s%d(end)/%.17g = %.17g within %.3g\n", name, i, size,
                p->end[which] / size, fmax(1e-2, 1e3 * rtol));
}

static void write_system(Text *t, int number) {
    int seed = first_seed + number;
    Random r = {(uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15) + 99};
    for (int i = 0; i < 10; i++) random_below(&r, 10);
    bool stiff = seed % 2;
    double stop = decades(&r, -1, 1.5), rtol = pow(10, -4 - random_below(&r, 4));
    static const char *const stiff_solver[] = {"auto", "bdf"};
    static const char *const solver[] = {"auto", "adams", "rk78", "bdf"};
    Part part[PARTS];
    text_add(t, "model Mixed\n  const c = 1 {1/s}\n  var s\n  s = time*1 {1/s}\n");
    for (int i = 0; i < PARTS; i++) {
        part[i] = random_part(&r, stop, stiff);
        text_printf(t, "  var x%d, y%d\n  initial x%d = %.17g\n  initial y%d = %.17g\n", i, i, i,
                    part[i].start[0], i, part[i].start[1]);
        write_rates(t, &part[i], i);
    }
    text_printf(t, "end\nexperiment E of Mixed\n  stop %.17g {s}\n  solver %s rtol %g\n", stop,
                stiff ? stiff_solver[random_below(&r, 2)] : solver[random_below(&r, 4)], rtol);
    for (int i = 0; i < PARTS; i++) {
        write_end(t, "x", i, &part[i], 0, rtol);
        write_end(t, "y", i, &part[i], 1, rtol);
    }
    text_add(t, "end\n");
}

static void no_component_is_lost(void **state) {
    (void)state;
    seeds_hold(write_system, seeds, 2 * PARTS);
}

// A state at zero whose equation brings it far away at once is followed there.
static void a_fast_state_starts_at_zero(void **state) {
    (void)state;
    static const char *const starts[] = {"0", "1e-9", "1", "2"};
    for (int i = 0; i < 4; i++) {
        Text t = {0};
        Bench b;
        text_printf(&t,
                    "model Fast\n  var x\n  initial x = %s\n"
                    "  der(x) = -1e12*(x - cos(time*1 {1/s}))*1 {1/s}\nend\n"
                    "experiment E of Fast\n  stop 1 {s}\n  solver bdf rtol 1e-6\n"
                    "  expect x(end) = 0.5403023058681398 within 1e-6\nend\n",
                    starts[i]);
        bench_run(&b, text_get(&t), NULL);
        if (b.run->failed_count) show_report(&b);
        assert_int_equal(b.run->failed_count, 0);
        bench_close(&b);
        text_free(&t);
    }
}

int main(int count, char **argument) {
    if (count > 1) seeds = atoi(argument[1]);
    if (count > 2) first_seed = atoi(argument[2]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_component_is_lost),
                                       cmocka_unit_test(a_fast_state_starts_at_zero)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
