// Runs over lanes whose models solve equations together at every point. See batches.h.
#include "batches.h"

// Solved together at every point, or this is not a test of that.
static void has_blocks(const char *text, const char *method, int least) {
    char with[3000];
    Bench b;
    snprintf(with, sizeof with, text, method);
    bench_open(&b, with);
    assert_true(b.built.system->block_count >= least);
    build_free(&b.built);
}

static void agrees_on_blocks(const Ensemble *e) {
    if (no_compiler()) skip();
    has_blocks(e->text, "rk78", 1);
    agrees(e, fixed_and_free);
}

// An orthogonal matrix with many entries of one size, and a small one that depends on x, y and k:
// lanes have other pivots, at other times.
static void linear_blocks_agree(void **state) {
    (void)state;
    static const char text[] =
        "model M\n param k = 2, a = 0.3\n"
        "var x initial 1, y initial 0, u[7], A[7, 7], b[7]\n"
        "der(x) = (tanh(u[1]) - k*x)*1 {1/s}\n der(y) = (sin(u[3] - u[5]) - y)*1 {1/s}\n"
        "for i in 1:7\n b[i] = sin(i*y + k)\n for j in 1:7\n"
        "  A[i, j] = 2*sin(0.39269908169872414*i*j) + 0.5*cos(k*i + j*(x + y))\n end\n end\n A*u = "
        "b\n"
        "end\nexperiment E of M\n stop 2 {s}\n every 0.0173 {s}\n solver %s\n"
        "expect integral(u[2]) > -1e9 {s}\nend\n";
    double value[2 * 9];
    for (int i = 0; i < 9; i++) value[2 * i] = 0.2 + 0.37 * i, value[2 * i + 1] = 2.1 - 0.5 * i;
    agrees_on_blocks(&(Ensemble){text, {"k", "a"}, value, 9, 9, {0}, false});
}

// Newton's method begins at the last solution: what a lane solves must be what its run alone
// solves, point by point, with wanted points beside the grid and events at other times each. Some
// lanes need shorter steps.
static void newton_blocks_agree(void **state) {
    (void)state;
    static const char text[] =
        "model M\n param k = 2, a = 0.3\n"
        "var x initial 1, y initial 0, u, v, n discrete\n"
        "der(x) = (v - 0.2*x + (if u > 0.4 then 0.3 else 0))*1 {1/s}\n"
        "der(y) = (u - y)*1 {1/s}\n"
        "atan(20*(u - a*sin(2*x))) + 0.1*u*v = 0.3*cos(k*time*1 {1/s})\n"
        "v + tanh(3*v*u) = k*y - x\n"
        "when x < 0.5 then\n n = pre(n) + 1\n end\n"
        "when sample(0.31 {s}) then\n reinit(y, pre(y) + 0.1)\n end\n"
        "end\nexperiment E of M\n stop 3 {s}\n every 0.0173 {s}\n solver %s\nend\n";
    double value[2 * 9];
    for (int i = 0; i < 9; i++) value[2 * i] = 0.4 + 0.3 * i, value[2 * i + 1] = 3 - 0.6 * i;
    agrees_on_blocks(&(Ensemble){text, {"k", "a"}, value, 9, 9, {0}, true});
}

// u has three solutions while k sin(t) + a is small: each run leaves its branch where it folds, at
// its own time.
static void loops_fold_one_by_one(void **state) {
    (void)state;
    static const char text[] =
        "model M\n param k = 2, a = 0.3\n var u initial 2, y initial 0\n"
        "u^3 - 3*u = k*sin(time*1 {1/s}) + a + 0.1*y\n der(y) = (u - y)*1 {1/s}\n"
        "end\nexperiment E of M\n stop 9 {s}\n every 0.173 {s}\n solver %s rtol 1e-8\nend\n";
    double value[2 * 9];
    for (int i = 0; i < 9; i++) value[2 * i] = 1.5 + 0.4 * i, value[2 * i + 1] = 0.1 * i - 0.4;
    agrees_on_blocks(&(Ensemble){text, {"k", "a"}, value, 9, 9, {0}, false});
}

// u has no value where x is above k: such runs end, and say so as they do alone.
static void a_block_without_a_solution_ends_one_run(void **state) {
    (void)state;
    static const char text[] = "model M\n param k = 9, c = 1\n var x initial 1, u initial 2, v\n"
                               "der(x) = c*1 {1/s}\n u*u + v*v = k - x\n u = v + 0.1*sin(u*v)\n"
                               "end\nexperiment E of M\n stop 1 {s}\n every 0.013 {s}\n"
                               "solver %s\nend\n";
    static const double value[] = {9, 1, 1.5, 1, 8, 1, 1.2, 0.1, 1.7, 1, 3, 1};
    agrees_on_blocks(&(Ensemble){text, {"k", "c"}, value, 6, 4, {.stop = 0.1}, false});
}

// A closed chain: the unknowns are corrections of positions.
static void closed_chains_agree(void **state) {
    (void)state;
    static const char text[] =
        "mechanism Linkage\n param a = 1 {m}, b = 3 {m}, c = 2.5 {m}, g0 = 3 {m}, w = 8 {rad/s}\n"
        "gravity (0, -9.81, 0) {m/s2}\n"
        "joint crank revolute z: world -> bar1 initial 30 {deg} rate w\n"
        "joint knee revolute z: bar1 -> bar2 at (a, 0, 0) initial about 10 {deg}\n"
        "joint rocker revolute z: world -> bar3 at (g0, 0, 0) initial about 90 {deg}\n"
        "body bar1 mass 2 {kg} cg (a/2, 0, 0) inertia (0.2, 0.2, 0.2) {kg.m2}\n"
        "body bar2 mass 3 {kg} cg (b/2, 0, 0) inertia (2, 2, 2) {kg.m2}\n"
        "body bar3 mass 2.5 {kg} cg (c/2, 0, 0) inertia (1.2, 1.2, 1.2) {kg.m2}\n"
        "frame end2 on bar2 at (b, 0, 0) in world\n frame end3 on bar3 at (c, 0, 0) in world\n"
        "constraint pin line z: end2 -> end3\nend\n"
        "model M\n param w = 8 {rad/s}\n Linkage bars(w = w)\nend\n"
        "experiment E of M\n stop 1 {s}\n every 0.0173 {s}\n solver %s\n"
        "expect max(bars.pin.gap) < 1e-9\nend\n";
    static const double value[] = {8, 5, 1, -3, -8, 9, 10};
    agrees_on_blocks(&(Ensemble){text, {"w"}, value, 7, 7, {0}, false});
}

// Pendulums in x and y: which of them is a state changes during the run, at other times each.
static void chosen_states_agree(void **state) {
    (void)state;
    static const char text[] =
        "model M\n param L = 1 {m}, k = 0.1 {1/s}\n"
        "var x {m} initial L, y {m} initial 0 {m}, vx {m/s}, vy {m/s} initial 0 {m/s}, T "
        "{1/s2}\n"
        "der(x) = vx\n der(y) = vy\n der(vx) = -T*x - k*vx\n der(vy) = -T*y - k*vy - 9.81 {m/s2}\n"
        "x^2 + y^2 = L^2\nend\n"
        "experiment E of M\n stop 2 {s}\n every 0.0173 {s}\n solver %s\nend\n";
    double value[2 * 7];
    for (int i = 0; i < 7; i++) value[2 * i] = 0.5 + 0.2 * i, value[2 * i + 1] = 0.1 * i;
    agrees_on_blocks(&(Ensemble){text, {"L", "k"}, value, 7, 7, {0}, false});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_blocks_agree),
        cmocka_unit_test(newton_blocks_agree),
        cmocka_unit_test(loops_fold_one_by_one),
        cmocka_unit_test(a_block_without_a_solution_ends_one_run),
        cmocka_unit_test(closed_chains_agree),
        cmocka_unit_test(chosen_states_agree),
    };
    RUN_BATCH_TESTS(tests);
}
