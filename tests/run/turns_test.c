// Nothing is passed over while states move evenly: shafts that turn at constant or evenly growing speed hold no step back, and
// what depends on their angles (teeth, cams, windows, ramps with marks) comes and goes inside of steps.
//
//   motion    one or two angles, a + w t + b t^2/2, of up to some thousand turns
//   mark      a relation or a function with pieces of them, on for a few ten-thousandths of the run or more
//   seen by   a counter in a `when`, the time for which a law in a rate is on
//   truth     the same formula in C along the same motion, at 400000 points and with the crossings between them halved
//
// Every solver that chooses its steps. The arguments are the number of seeds and the first of them.
#include "../expr/random.h"
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int seeds = 40, first_seed;

enum { POINTS = 400000, KINDS = 12 };

static const double span = 50, turn = 6.283185307179586;

typedef struct {
    int kind;
    double a[2], w[2], b[2], level, width, period, at;
} Mark;

static double angle(const Mark *m, int k, double t) {
    return m->a[k] + m->w[k] * t + m->b[k] * t * t / 2;
}

static double square(double x) { return x * x; }

// Above zero where it is on.
static double mark_at(const Mark *m, double t) {
    double q = angle(m, 0, t), r = angle(m, 1, t);
    switch (m->kind) {
    case 0: return sin(q) - m->level;
    case 1: return cos(q / 3) + m->level < 0 ? 1 : -1;
    case 2: return fmod(q, m->period) - m->period * m->level;
    case 3: return exp(-square((q - m->at) / m->width)) - 0.5;
    case 4: return sin(q) * cos(r) - m->level;
    case 5: return m->width - fabs(sin(q / 2));
    case 6: return floor(q / m->period) - 2 * floor(floor(q / m->period) / 2) - 0.5;
    case 7: return sin(q) + sin(r) - 2 * m->level;
    case 8: return fmin(q - m->at, m->at + m->width - q);
    case 9: return atan2(sin(q), cos(q)) - 3 * m->level;
    case 10: return 1 / sin(q) - 1 / m->width;
    case 11: return tan(q / 2) - 20 * m->level;
    default: return 0;
    }
}

static const char *const formula[KINDS] = {
    "sin(q) > @l",
    "cos(q/3) < -@l",
    "mod(q, @p) > @p*@l",
    "exp(-((q - @a)/@w)^2) > 0.5",
    "sin(q)*cos(r) > @l",
    "abs(sin(q/2)) < @w",
    "mod(floor(q/@p), 2) > 0.5",
    "sin(q) + sin(r) > 2*@l",
    "q > @a and q < @a + @w",
    "atan2(sin(q), cos(q)) > 3*@l",
    "1/sin(q) > 1/@w",
    "tan(q/2) > 20*@l",
};

static void add_formula(Text *t, const Mark *m) {
    for (const char *c = formula[m->kind]; *c; c++) {
        if (*c != '@') {
            text_printf(t, "%c", *c);
            continue;
        }
        c++;
        double x = *c == 'l' ? m->level : *c == 'p' ? m->period : *c == 'a' ? m->at : m->width;
        text_printf(t, "%.17g", x);
    }
}

static Mark random_mark(Random *r) {
    Mark m = {.kind = random_below(r, KINDS)};
    for (int k = 0; k < 2; k++) {
        m.a[k] = random_between(r, 0, 3);
        m.w[k] = pow(10, random_between(r, -0.5, 2)); // up to 800 turns
        m.b[k] = random_below(r, 3) == 0 ? m.w[k] / span * random_between(r, 0, 1) : 0;
    }
    m.level = random_between(r, 0.8, 0.99);
    m.period = turn * random_between(r, 0.5, 2);
    m.at = angle(&m, 0, span * random_between(r, 0.1, 0.9));
    m.width = m.kind == 5 || m.kind == 10
                  ? random_between(r, 0.05, 0.3)
                  : (angle(&m, 0, span) - m.a[0]) * pow(10, random_between(r, -3.5, -1.5));
    return m;
}

// How often it comes on, and for how long it is on: those of mark + more.
static void truth(const Mark *m, double more, int *count, double *on) {
    double before = mark_at(m, 0) + more, h = span / POINTS;
    *count = 0;
    *on = 0;
    for (int i = 1; i <= POINTS; i++) {
        double t = i * h, now = mark_at(m, t) + more;
        if ((now > 0) == (before > 0)) {
            *on += now > 0 ? h : 0;
        } else {
            double a = t - h, b = t;
            for (int k = 0; k < 40; k++) {
                double middle = (a + b) / 2;
                *((mark_at(m, middle) + more > 0) == (now > 0) ? &b : &a) = middle;
            }
            *on += now > 0 ? t - b : b - (t - h);
            *count += now > 0;
        }
        before = now;
    }
}

static const char *const solver[] = {"adams", "bdf", "ida", "rk78", "auto", "gauss"};

static Random random_of(int seed) { return (Random){(uint64_t)seed * 7919 + 1}; }

// What a hundred tolerances of the angles (1e-9 of them) may do to a mark: errors of some thousand steps.
static double room(const Mark *m) { return 1e-7 * fmax(angle(m, 0, span), angle(m, 1, span)); }

// A mark that nearly touches its border comes on or not by the last digits of the angles: it tells nothing.
static bool tells(int seed) {
    Random r = random_of(seed);
    Mark m = random_mark(&r);
    int more, less;
    double on;
    truth(&m, room(&m), &more, &on);
    truth(&m, -room(&m), &less, &on);
    return more == less;
}

static void write_turns(Text *t, int seed) {
    Random r = random_of(seed);
    Mark m = random_mark(&r);
    int count, other;
    double on, more, less;
    truth(&m, 0, &count, &on);
    truth(&m, room(&m), &other, &more);
    truth(&m, -room(&m), &other, &less);
    text_printf(
        t, "model M\n  var n discrete initial 0, on initial 0, q initial %.17g, r initial %.17g",
        m.a[0], m.a[1]);
    text_printf(t, ", v initial %.17g, w initial %.17g\n", m.w[0], m.w[1]);
    text_printf(t,
                "  der(q) = v/(1 {s})\n  der(r) = w/(1 {s})\n  der(v) = %.17g {1/s}\n  der(w) = "
                "%.17g {1/s}\n",
                m.b[0], m.b[1]);
    text_add(t, "  der(on) = (if ");
    add_formula(t, &m);
    text_add(t, " then 1 else 0)/(1 {s})\n  when ");
    add_formula(t, &m);
    text_add(t, " then\n    n = pre(n) + 1\n  end\n");
    // times are as exact as angles
    double loose = (more - less) + 1e-5 * on + 1e-7 * span * (count + 1);
    text_printf(t, "end\nexperiment E of M\n  stop %g {s}\n  points 7\n  solver %s rtol 1e-9\n",
                span, solver[random_below(&r, 6)]);
    text_printf(t, "  expect on(end) = %.17g within %g\n", on, loose);
    text_printf(t, "  expect n(end) = %d within 0\n", count);
    text_add(t, "end\n");
}

static void nothing_is_passed_over(void **state) {
    (void)state;
    int wrong = 0, dropped = 0;
    for (int seed = first_seed; seed < first_seed + seeds; seed++) {
        bool clear = tells(seed);
        dropped += !clear;
        wrong += clear && !seed_holds(write_turns, seed, 1);
    }
    print_message("%d seeds, %d dropped, %d wrong\n", seeds, dropped, wrong);
    assert_int_equal(wrong, 0);
    assert_true(dropped <= 1 + 3 * seeds / 100);
}

int main(int argc, char **argv) {
    if (argc > 1) seeds = atoi(argv[1]);
    if (argc > 2) first_seed = atoi(argv[2]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_passed_over)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
