// Networks of resistances without storages: one nonlinear loop as large as the model. What
// compiling them costs is counted and grows with their size; what they give is held to Newton's
// method on the pressures of the nodes, with full matrices.
//
// An argument says how many random networks are tried.
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { NODES = 80, EDGES = 200 };

// --- how work grows ------------------------------------------------------------------------------

typedef struct {
    double nodes, visits, entries, operations;
} Cost;

static Cost cost_of(const char *text) {
    Bench b;
    Cost c = {0};
    bench_open(&b, text);
    const System *s = b.built.system;
    ProgramOptions wish = {.output = s->block[0].unknown, .output_count = s->block[0].size};
    for (int i = 0; i < s->block_count; i++)
        c.entries += s->block[i].jacobian.start[s->block[i].size];
    Program *p = program_build((System *)s, &wish, &b.built.report);
    assert_non_null(p);
    for (int i = 0; i < p->block_count; i++)
        c.operations += p->block[i].residual.count + p->block[i].jacobian.count;
    c.nodes = dag_size(s->dag);
    c.visits = (double)dag_visits(s->dag);
    program_free(p);
    bench_close(&b);
    return c;
}

static void head(Text *t) {
    text_printf(t, "import hydraulic\nmodel Net\nparam oil: MineralOil\n"
                   "PressureSource src(P = 100 {bar})\nReservoir tank\n"
                   "1 fl\nOrifice last(A = 3 {mm2}, fluid = oil)\nfl -> last, tank\n");
}

static void orifice(Text *t, int k, int from, int to) {
    text_printf(t, "1 f%d\nOrifice o%d(A = %d {mm2}, fluid = oil)\n", k, k, 1 + k % 4);
    text_printf(t, "p%d -> f%d -> o%d\nf%d -> p%d\n", from, k, k, k, to);
}

static void nodes(Text *t, int n) {
    for (int i = 0; i < n; i++) text_printf(t, "0 p%d\n", i);
    text_printf(t, "src -> p0\np%d -> fl\n", n - 1);
}

static void ladder(Text *t, int n) { // a leak at every node
    head(t);
    nodes(t, n);
    for (int i = 0; i + 1 < n; i++) {
        orifice(t, i, i, i + 1);
        text_printf(t, "LaminarRestriction r%d(d = 0.5 {mm}, L = 1 {m}, mu = 0.04)\n", i);
        text_printf(t, "p%d -> r%d\n", i + 1, i);
    }
    text_printf(t, "end\n");
}

static void strip(Text *t, int n) { // a grid, 5 wide
    enum { WIDE = 5 };
    head(t);
    nodes(t, n * WIDE);
    for (int i = 0, k = 0; i < n; i++)
        for (int j = 0; j < WIDE; j++) {
            if (i + 1 < n) orifice(t, k++, i * WIDE + j, (i + 1) * WIDE + j);
            if (j + 1 < WIDE) orifice(t, k++, i * WIDE + j, i * WIDE + j + 1);
        }
    text_printf(t, "end\n");
}

static void manifold(Text *t, int n) { // n branches of two orifices between two nodes
    head(t);
    nodes(t, n + 2);
    for (int i = 0; i < n; i++) {
        orifice(t, 2 * i, 0, i + 1);
        orifice(t, 2 * i + 1, i + 1, n + 1);
    }
    text_printf(t, "end\n");
}

static void equations(Text *t, int n) {
    text_printf(t, "model Net\nconst n = %d\nvar x[n], y[n]\nfor i in 2:n - 1\n", n);
    text_printf(t, "x[i] = sin(x[i - 1]) + 0.3*cos(y[i + 1])\n"
                   "y[i] = 0.5*x[i] + 0.1*tanh(x[i + 1] + y[i - 1])\nend\n"
                   "x[1] = 1\ny[1] = 0.5*x[2]\nx[n] = 0.3*sin(x[n - 1]*time/1 {s})\n"
                   "y[n] = 0.2*y[n - 1]^3\nend\n");
}

static void work_grows_with_size(void **state) {
    (void)state;
    static const struct {
        const char *name;
        void (*write)(Text *t, int n);
        int size;
    } family[] = {{"ladder", ladder, 100},
                  {"strip", strip, 24},
                  {"manifold", manifold, 60},
                  {"equations", equations, 100}};
    for (int f = 0; f < 4; f++) {
        Text one = {0}, two = {0};
        family[f].write(&one, family[f].size);
        family[f].write(&two, 2 * family[f].size);
        Cost a = cost_of(text_get(&one)), b = cost_of(text_get(&two));
        double growth = fmax(fmax(b.nodes / a.nodes, b.visits / a.visits),
                             fmax(b.entries / a.entries, b.operations / a.operations));
        if (!(growth < 2.3))
            fail_msg("%s: nodes %g to %g, visits %g to %g, entries %g to %g, operations %g to %g",
                     family[f].name, a.nodes, b.nodes, a.visits, b.visits, a.entries, b.entries,
                     a.operations, b.operations);
        text_free(&one);
        text_free(&two);
    }
}

// --- random networks -----------------------------------------------------------------------------

typedef struct {
    unsigned seed;
    int nodes, edges;
    int from[EDGES], to[EDGES]; // -1: into the tank
    double area[EDGES];         // of an orifice; 0: a resistor of 1e11 Pa s/m3
} Network;

static int draw(Network *w, int count) {
    w->seed = w->seed * 1664525u + 1013904223u;
    return (int)((w->seed >> 8) % (unsigned)count);
}

static void connect(Network *w, int from, int to) {
    int k = w->edges++;
    w->from[k] = from;
    w->to[k] = to;
    w->area[k] = draw(w, 4) ? 1e-6 * (1 + draw(w, 5)) : 0;
}

// Every node hangs on one before it, then chords and leaks.
static Network network_new(unsigned seed) {
    Network w = {.seed = seed * 7919u + 1};
    w.nodes = 8 + draw(&w, NODES - 8);
    bool chain = draw(&w, 2);
    for (int i = 1; i < w.nodes; i++) connect(&w, chain ? i - 1 : draw(&w, i), i);
    for (int i = draw(&w, w.nodes); i > 0; i--) {
        int a = draw(&w, w.nodes), b = draw(&w, w.nodes);
        if (a != b) connect(&w, a, b);
    }
    for (int i = 1 + draw(&w, 9); i > 0; i--) connect(&w, 1 + draw(&w, w.nodes - 1), -1);
    return w;
}

static void write_network(Text *t, const Network *w) {
    text_printf(t, "import hydraulic\nmodel Net\nparam oil: MineralOil\n"
                   "PressureSource src(P = 50 {bar})\nsrc -> p0\n");
    for (int i = 0; i < w->nodes; i++) text_printf(t, "0 p%d\n", i);
    for (int k = 0; k < w->edges; k++) {
        if (w->area[k] > 0)
            text_printf(t, "Orifice o%d(A = %.17g {m2}, fluid = oil)\n", k, w->area[k]);
        else
            text_printf(t, "R o%d(1e11)\n", k);
        if (w->to[k] < 0)
            text_printf(t, "p%d -> o%d\n", w->from[k], k);
        else
            text_printf(t, "1 f%d\np%d -> f%d -> o%d\nf%d -> p%d\n", k, w->from[k], k, k, k,
                        w->to[k]);
    }
    text_printf(t, "end\nexperiment E of Net\nstop 1 {s}\npoints 1\n");
    for (int i = 0; i < w->nodes; i++) text_printf(t, "record p%d.e\n", i);
    text_printf(t, "end\n");
}

// Flow at the pressure dp, and its slope.
static double flow(double area, double dp, double *slope) {
    double a = 0.62 * area * sqrt(2 / 870.), square = dp * dp + 1e4, size = sqrt(sqrt(square));
    *slope = area > 0 ? a / size * (1 - 0.5 * dp * dp / square) : 1e-11;
    return area > 0 ? a * dp / size : dp * 1e-11;
}

// Inflows of the nodes, and how they fall with the pressures.
static void balances(const Network *w, const double *p, double *in, double *matrix) {
    int n = w->nodes;
    for (int i = 0; i < n; i++) in[i] = 0;
    for (int i = 0; i < n * n; i++) matrix[i] = 0;
    for (int k = 0; k < w->edges; k++) {
        int a = w->from[k], b = w->to[k];
        double slope, q = flow(w->area[k], p[a] - (b < 0 ? 0 : p[b]), &slope);
        in[a] -= q;
        matrix[a * n + a] += slope;
        if (b < 0) continue;
        in[b] += q;
        matrix[b * n + b] += slope;
        matrix[a * n + b] -= slope;
        matrix[b * n + a] -= slope;
    }
}

// The matrix is symmetric and dominant: no pivots. Row 0 is the source.
static void solve(int n, double *a, double *x) {
    for (int k = 1; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] / a[k * n + k];
            if (f == 0) continue;
            for (int j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
            x[i] -= f * x[k];
        }
    for (int i = n - 1; i > 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= a[i * n + j] * x[j];
        x[i] /= a[i * n + i];
    }
}

// The pressures make a convex function smallest whose slopes are the balances. Along a step its
// slope rises, so that its zero is found by halving.
static double length_of_step(const Network *w, const double *old, const double *change, double *p,
                             double *in, double *matrix) {
    double low = 0, high = 1;
    for (int half = 0; half < 30; half++) {
        double step = half ? (low + high) / 2 : 1, downhill = 0;
        for (int i = 1; i < w->nodes; i++) p[i] = old[i] + step * change[i];
        balances(w, p, in, matrix);
        for (int i = 1; i < w->nodes; i++) downhill += in[i] * change[i];
        if (downhill >= 0 && !half) return 1;
        *(downhill >= 0 ? &low : &high) = step;
    }
    return low;
}

static void pressures(const Network *w, double *p) {
    static double matrix[NODES * NODES], in[NODES], old[NODES], change[NODES];
    for (int i = 0; i < w->nodes; i++) p[i] = 50e5 * (w->nodes - i) / w->nodes;
    for (int round = 0; round < 300; round++) {
        double largest = 0, step = 1;
        balances(w, p, in, matrix);
        solve(w->nodes, matrix, in);
        for (int i = 1; i < w->nodes; i++) {
            old[i] = p[i];
            change[i] = in[i];
            largest = fmax(largest, fabs(change[i]));
        }
        if (largest > 1e-3) step = length_of_step(w, old, change, p, in, matrix);
        for (int i = 1; i < w->nodes; i++) p[i] = old[i] + step * change[i];
        if (largest <= 1e-3) return;
    }
}

static double value_of(const Results *r, const char *name) {
    for (int c = 0; c < r->column_count; c++)
        if (!strcmp(r->column[c].name, name)) return r->row_count ? r->column[c].value[0] : NAN;
    return NAN;
}

static void networks_have_the_pressures_of_newton(void **state) {
    int seeds = *(int *)*state;
    for (int seed = 1; seed <= seeds; seed++) {
        Network w = network_new((unsigned)seed);
        Text text = {0};
        double p[NODES];
        Bench b;
        write_network(&text, &w);
        bench_run(&b, text_get(&text), &(RunOptions){0});
        pressures(&w, p);
        for (int i = 0; i < w.nodes; i++) {
            char name[20];
            snprintf(name, sizeof name, "p%d.e", i);
            double value = value_of(&b.run->results, name);
            if (fabs(value - p[i]) < 50e5 * 1e-7) continue;
            fputs(text_get(&text), stderr);
            show_report(&b);
            fail_msg("seed %d: %s is %.9g, by hand %.9g", seed, name, value, p[i]);
        }
        bench_close(&b);
        text_free(&text);
    }
}

int main(int count, char **words) {
    int seeds = count > 1 ? atoi(words[1]) : 12;
    void *with = &seeds;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_grows_with_size),
        cmocka_unit_test_prestate(networks_have_the_pressures_of_newton, with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
