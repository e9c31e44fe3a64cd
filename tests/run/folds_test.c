// Loops with several solutions, against a walk along them by tiny steps.
//
//   model    f(x) = w(t, y), y' = x - y, with f like an S: x^3 - 3 a x, or x - g tanh(x), and w slow
//            sines with some of y
//   walk     the run is on one of the two outer branches of f; where w leaves it behind, beyond the
//            fold, it goes on with the other one. Steps of 1/200000 of the run
//   same     the number of folds; y at the end
//
// Arguments: the number of seeds, the first of them.
#include "bench.h"

#include "base/text.h"
#include <stdio.h>

static const double span = 20;
#ifdef __SANITIZE_ADDRESS__
static int seeds = 4, first; // all of them run in the release build
#else
static int seeds = 14, first;
#endif
static uint64_t dice;

static double between(double low, double high) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(dice >> 33) / (double)(1u << 31);
}

typedef struct {
    bool tanh;
    double a, size, period, phase, more, faster, back;
} Case;

static double value(const Case *k, double x) {
    return k->tanh ? x - k->a * tanh(x) : x * x * x - 3 * k->a * x;
}

static double fold_at(const Case *k) { return k->tanh ? acosh(sqrt(k->a)) : sqrt(k->a); }

static Case random_case(int seed) {
    dice = (uint64_t)seed * 0x9E3779B97F4A7C15u + 999;
    for (int i = 0; i < 8; i++) between(0, 1);
    Case k = {.tanh = seed % 2, .period = between(4, 12)};
    k.a = k.tanh ? between(1.5, 4) : between(0.5, 1.5);
    k.size = between(1.1, 2.5) * fabs(value(&k, fold_at(&k)));
    k.phase = between(0.3, 2.8);
    k.more = between(0, 0.3);
    k.faster = between(1, 4);
    k.back = between(0, 0.3);
    return k;
}

static void write_model(Text *t, const Case *k) {
    text_printf(t, "model M\n var x initial 4, y initial 0, w\n");
    text_printf(
        t, " w = %.17g*sin(time*%.17g {1/s} + %.17g) + %.17g*sin(time*%.17g {1/s}) + %.17g*y\n",
        k->size, 2 * M_PI / k->period, k->phase, k->more, k->faster, k->back);
    text_printf(t, k->tanh ? " x - %.17g*tanh(x) = w\n" : " x^3 - 3*%.17g*x = w\n", k->a);
    text_printf(t,
                " der(y) = (x - y)/(1 {s})\nend\nexperiment E of M\n stop %g {s}\n points 5\n"
                " solver cvode rtol 1e-8 step 0.002 {s}\n record x, y\nend\n",
                span);
}

// --- the walk ------------------------------------------------------------------------------------

static double input(const Case *k, double t, double y) {
    return k->size * sin(2 * M_PI / k->period * t + k->phase) + k->more * sin(k->faster * t) +
           k->back * y;
}

// On the branch of this side, which begins at the fold; NaN: it has no solution.
static double solution(const Case *k, int side, double w) {
    double low = fold_at(k), high = 100;
    if (side * w < value(k, low)) return NAN;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        *(value(k, middle) > side * w ? &high : &low) = middle;
    }
    return side * low;
}

typedef struct {
    double y;
    int folds;
} Walk;

static Walk walk(const Case *k) {
    enum { STEPS = 200000 };
    Walk o = {0};
    double h = span / STEPS;
    int side = 1;
    for (int i = 0; i < STEPS; i++) {
        double t = span * i / STEPS, x = solution(k, side, input(k, t, o.y));
        if (isnan(x)) {
            side = -side;
            o.folds++;
            x = solution(k, side, input(k, t, o.y));
        }
        double later = o.y + h / 2 * (x - o.y),
               there = solution(k, side, input(k, t + h / 2, later));
        if (isnan(there)) there = x;
        o.y += h * (there - later);
    }
    return o;
}

// --- comparison ----------------------------------------------------------------------------------

static bool agrees(const Case *k, const Walk *o, SolverKind solver, int seed) {
    Text t = {0};
    Bench b;
    write_model(&t, k);
    bench_run(&b, text_get(&t), &(RunOptions){.solver = solver});
    const Results *r = &b.run->results;
    double y = r->row_count ? r->column[results_column(r, "y")].value[r->row_count - 1] : NAN;
    bool good = r->complete && b.run->stats.events == o->folds && fabs(y - o->y) < 1e-3;
    if (!good) {
        print_message("seed %d, solver %d: %ld folds, y = %g; by tiny steps %d, %g\n", seed,
                      (int)solver, b.run->stats.events, y, o->folds, o->y);
        show_report(&b);
    }
    bench_close(&b);
    text_free(&t);
    return good;
}

static void runs_leave_branches_where_they_fold(void **state) {
    static const SolverKind solver[] = {SOLVER_CVODE_ADAMS, SOLVER_CVODE_BDF, SOLVER_IDA,
                                        SOLVER_ROSENBROCK,  SOLVER_RK78,      SOLVER_RK4,
                                        SOLVER_HEUN,        SOLVER_GAUSS};
    int wrong = 0, folds = 0;
    (void)state;
    for (int seed = first; seed < first + seeds; seed++) {
        Case k = random_case(seed);
        Walk o = walk(&k);
        folds += o.folds;
        for (size_t s = 0; s < sizeof solver / sizeof *solver; s++)
            wrong += !agrees(&k, &o, solver[s], seed);
    }
    print_message("%d seeds with %d folds; %d wrong runs\n", seeds, folds, wrong);
    assert_int_equal(wrong, 0);
    assert_true(folds > 2 * seeds);
}

int main(int count, char **words) {
    if (count > 1) seeds = atoi(words[1]);
    if (count > 2) first = atoi(words[2]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_leave_branches_where_they_fold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
