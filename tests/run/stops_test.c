// Many rigid stops in one mechanism: ten to fourteen balls that fall onto stops of their own, in
// both forms. Three laws each make up to 3^14 combinations, so no run can compile all of them;
// where the balls are in the end is known in closed form.
//
//   first     a ball at h arrives after sqrt(2 h/g) with sqrt(2 g h)
//   then      it leaves with k times that and is back after 2 v/g; with k = 0 it stays
//
// The argument is the number of seeds.
#include "bench.h"

#include "base/text.h"
#include <math.h>

static int seeds = 4;
static const double span = 1.5, g = 9.81;

static uint64_t dice;

static double chance(double low, double high) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = dice >> 33;
    return low + (high - low) * (double)x / (double)(1u << 31);
}

static double height_in_the_end(double h, double k) {
    double time = sqrt(2 * h / g), v = k * g * time;
    while (v > 0 && time + 2 * v / g < span) {
        time += 2 * v / g;
        v *= k;
    }
    double rest = span - time;
    return v > 0 ? v * rest - g * rest * rest / 2 : 0;
}

static void write_balls(Text *t, int seed) {
    dice = (uint64_t)seed * 7919 + 17;
    chance(0, 1);
    int count = 10 + (int)chance(0, 4.99);
    double h[14], k[14];
    text_printf(t, "mechanism Balls\n  form %s\n", seed % 2 ? "lagrange" : "momentum");
    for (int i = 0; i < count; i++) {
        h[i] = chance(0.5, 2);
        k[i] = chance(0, 1) < 0.4 ? 0 : chance(0.7, 0.9); // not at rest after countless bounces
        text_printf(t,
                    "  joint q%d prismatic z: world -> b%d initial %.17g {m} limits 0 {m} .. 9 {m} "
                    "rigid restitution %.17g\n  body b%d mass %.17g {kg}\n",
                    i, i, h[i], k[i], i, chance(0.1, 10));
    }
    text_printf(t, "end\nmodel M\n  Balls c\nend\nexperiment E of M\n  stop %g {s}\n", span);
    for (int i = 0; i < count; i++)
        text_printf(t, "  expect c.q%d.q(end) = %.17g {m} within 1e-6\n", i,
                    height_in_the_end(h[i], k[i]));
    text_add(t, "end\n");
}

static void balls_fall_onto_their_stops(void **state) {
    (void)state;
    seeds_hold(write_balls, seeds, 10);
}

int main(int count, char **argument) {
    if (count > 1) seeds = atoi(argument[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(balls_fall_onto_their_stops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
