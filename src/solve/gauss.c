// Gauss's collocation with four stages, order 8, for models that keep their energy: symmetric and
// symplectic, so that over equal steps the energy swings within the error of a step and does not
// drift, however long the run is.
//
//   Y_i = y + h sum_j a_ij k_j     k_i = f(t + c_i h, Y_i)     y(t + h) = y + h sum_j b_j k_j
//
//   stages    solved by iteration to rounding, as what is left of it would drift. They begin with
//             the polynomial through the stages of the last two steps
//   step      lies on a grid as those of fixed.c do, which has all that happens at and between its
//             points. Its length is found at the start by comparing one step with two halves of it,
//             and looked after every so many steps in the same way; in between by the third
//             difference of the stages. It changes by a factor of two, seldom: every change costs
//             an error of a step, once
#include "solve/fixed.h"

#include "base/memory.h"
#include <float.h>
#include <string.h>

enum {
    STAGES = 4,
    ORDER = 2 * STAGES,
    MOST_ROUNDS = 60,
    STEPS_BETWEEN = 64,
    MOST_TRIES = 60,
    MOST_PARTS = 4096
};

static const double aim = 0.2;     // error of a step at the start, in tolerances
static const double bound = 0.5;   // beyond it steps are halved
static const double little = 0.05; // which a step twice as long would have: doubled
enum { CALM = 8 };                 // looks in a row for that

// c_i: zeros of Legendre's polynomial of degree 4 on [0, 1].
static const double c[STAGES] = {0.069431844202973712388, 0.33000947820757186760,
                                 0.66999052179242813240, 0.93056815579702628761};
static const double b[STAGES] = {0.17392742256872692869, 0.32607257743127307131,
                                 0.32607257743127307131, 0.17392742256872692869};

typedef struct { // stages of a step that was taken
    double t, h; // h = 0: none
    double *k;
} Past;

typedef struct {
    Fixed fixed; // first: steps get it back
    double a[STAGES][STAGES], difference[STAGES];
    double *space, *k, *stage, *weight, *half, *whole, *part;
    Past past[2];          // the last step, and the one before
    int divided;           // into how many a step was divided; 0: it was not
    bool fresh;            // nothing is known of what comes: after a start, an event, a jump
    double error, measure; // of the last comparison: in tolerances; the third difference there
    int countdown, calm;   // steps until the next; how many in a row allow longer steps
} Gauss;

// --- coefficients --------------------------------------------------------------------------------

// a_ij is the integral of the Lagrange polynomial l_j from 0 to c_i: four nodes integrate exactly.
static void find_coefficients(Gauss *g) {
    for (int j = 0; j < STAGES; j++) {
        g->difference[j] = 1;
        for (int m = 0; m < STAGES; m++)
            if (m != j) g->difference[j] /= c[j] - c[m];
        for (int i = 0; i < STAGES; i++) {
            g->a[i][j] = 0;
            for (int x = 0; x < STAGES; x++) {
                double value = 1;
                for (int m = 0; m < STAGES; m++)
                    if (m != j) value *= (c[i] * c[x] - c[m]) / (c[j] - c[m]);
                g->a[i][j] += c[i] * b[x] * value;
            }
        }
    }
}

// --- a step --------------------------------------------------------------------------------------

static double norm(const Gauss *g, const double *x) {
    double sum = 0;
    int n = g->fixed.j->n;
    for (int i = 0; i < n; i++) sum += x[i] * g->weight[i] * (x[i] * g->weight[i]);
    return n ? sqrt(sum / n) : 0;
}

// Which steps lie right before t, one behind the other? Only these continue the solution.
static int known_steps(const Gauss *g, double t, double h) {
    double close = 1e-6 * h;
    const Past *p = g->past;
    if (p[0].h == 0 || fabs(p[0].t + p[0].h - t) > close) return 0;
    return p[1].h == 0 || fabs(p[1].t + p[1].h - p[0].t) > close ? 1 : 2;
}

static void add_node(const Gauss *g, int node, int count, double at, double h, double t,
                     double *to) {
    const Past *p = &g->past[node / STAGES];
    double own = p->t + c[node % STAGES] * p->h, weight = 1;
    for (int m = 0; m < count; m++) {
        const Past *q = &g->past[m / STAGES];
        double other = q->t + c[m % STAGES] * q->h;
        if (m != node) weight *= (t + at * h - other) / (own - other);
    }
    const double *k = p->k + node % STAGES * g->fixed.total;
    for (int i = 0; i < g->fixed.total; i++) to[i] += weight * k[i];
}

// The first guess of all stages.
static bool begin_stages(Gauss *g, const double *y, double t, double h) {
    int total = g->fixed.total, count = STAGES * known_steps(g, t, h);
    memset(g->k, 0, STAGES * (size_t)total * sizeof *g->k);
    for (int s = 0; s < STAGES; s++)
        for (int node = 0; node < count; node++)
            add_node(g, node, count, c[s], h, t, g->k + s * total);
    if (count) return true;
    Job *j = g->fixed.j;
    if (!job_rates(j, t, y, g->k, j->nq ? g->k + j->n : NULL)) return false;
    for (int s = 1; s < STAGES; s++) memcpy(g->k + s * total, g->k, (size_t)total * sizeof *g->k);
    return true;
}

// One round over the stages, each with the newest of the others; how far it moved them, in
// tolerances. Negative: a rate has no value.
static double improve(Gauss *g, const double *y, double t, double h) {
    Job *j = g->fixed.j;
    int total = g->fixed.total;
    double most = 0;
    for (int s = 0; s < STAGES; s++) {
        double *stage = g->stage, *k = g->k + s * total, *old = g->stage + total;
        for (int i = 0; i < j->n; i++) {
            double sum = 0;
            for (int m = 0; m < STAGES; m++) sum += g->a[s][m] * g->k[m * total + i];
            stage[i] = y[i] + h * sum;
        }
        memcpy(old, k, (size_t)total * sizeof *k);
        if (!job_rates(j, t + c[s] * h, stage, k, j->nq ? k + j->n : NULL)) return -1;
        for (int i = 0; i < j->n; i++) old[i] = 0.3 * h * (k[i] - old[i]);
        most = fmax(most, norm(g, old));
    }
    return most;
}

// To rounding: until a round moves next to nothing, or no less than the one before.
static bool solve_stages(Gauss *g, const double *y, double t, double h) {
    double small = fmax(1e-7, 1e-15 / g->fixed.j->rtol), last = INFINITY;
    if (!begin_stages(g, y, t, h)) return false;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        double moved = improve(g, y, t, h);
        if (moved < 0 || !isfinite(moved) || moved > 1e6 * last) return false;
        if (moved <= small || (moved > 0.5 * last && moved < 1e-3)) return true;
        last = moved;
    }
    return false;
}

static bool gauss_step(Fixed *f, const double *y, double t, double h, double *to) {
    Gauss *g = (Gauss *)f;
    if (!solve_stages(g, y, t, h)) return false;
    for (int i = 0; i < f->total; i++) {
        double sum = 0;
        for (int s = 0; s < STAGES; s++) sum += b[s] * g->k[s * f->total + i];
        to[i] = y[i] + h * sum;
    }
    return true;
}

// --- how long steps are --------------------------------------------------------------------------

static double third_difference(const Gauss *g, double h) {
    double *sum = g->stage;
    for (int i = 0; i < g->fixed.j->n; i++) {
        sum[i] = 0;
        for (int s = 0; s < STAGES; s++)
            sum[i] += h * g->difference[s] * g->k[s * g->fixed.total + i];
    }
    return norm(g, sum);
}

// The error of a step of length h from y, by two steps of half the length; infinite: no convergence
// or no value. `measure` is that of the whole step.
static double compare(Gauss *g, const double *y, double t, double h) {
    Fixed *f = &g->fixed;
    sizes_wide_weights(f->j, y, g->weight);
    if (!gauss_step(f, y, t, h, g->whole)) return INFINITY;
    g->measure = third_difference(g, h);
    if (!gauss_step(f, y, t, h / 2, g->half) || !gauss_step(f, g->half, t + h / 2, h / 2, g->half))
        return INFINITY;
    for (int i = 0; i < f->j->n; i++) g->whole[i] -= g->half[i];
    double error = norm(g, g->whole);
    return isfinite(error) ? error : INFINITY;
}

// The grid has a whole number of steps.
static void set_step(Gauss *g, double h) {
    Job *j = g->fixed.j;
    j->step = j->span / ceil(j->span / h * (1 - 1e-12));
}

static bool find_first_step(Gauss *g) {
    Job *j = g->fixed.j;
    double most = fmin(j->span / 100, j->o->max_step > 0 ? j->o->max_step : INFINITY);
    double h = most, least = 1e-12 * j->span, failed = INFINITY;
    for (int tries = 0; tries < MOST_TRIES && h > least; tries++) {
        g->error = compare(g, g->fixed.y, j->time, h);
        double factor =
            g->error == INFINITY ? 0.25 : pow(aim / fmax(g->error, 1e-30), 1.0 / (ORDER + 1));
        bool good = g->error <= 2 * aim && (factor < 1.3 || h >= most || 4 * h >= failed);
        if (!(g->error <= 2 * aim)) failed = fmin(failed, h);
        if (good) {
            set_step(g, h);
            j->trouble.happened = false;
            return true;
        }
        if (g->error == INFINITY) most = h / 2; // at rest nothing else says what is too long
        h = fmin(most, h * fmin(fmax(0.9 * factor, 0.1), 4));
    }
    if (job_in_trouble(j))
        problem_trouble(j);
    else
        problem_step(j, j->time, h, -1);
    return false;
}

// Divides the step. The points of the coarse grid are points of the fine one, too.
static void shorten(Gauss *g, int parts) {
    Fixed *f = &g->fixed;
    Job *j = f->j;
    j->step /= parts;
    f->k = floor((f->t - j->o->start + fixed_near(j)) / j->step);
    g->calm = 0;
    g->divided = 0;
    g->countdown = STEPS_BETWEEN;
}

static void lengthen(Gauss *g) {
    Job *j = g->fixed.j;
    double most = fmin(j->span / 100, j->o->max_step > 0 ? j->o->max_step : INFINITY);
    if (g->calm < CALM || fmod(g->fixed.k, 2) != 0 || 2 * j->step > most) return;
    if (fmod(round(j->span / j->step), 2) != 0) return;
    j->step *= 2;
    g->fixed.k /= 2;
    g->calm = 0;
}

// Is the error of the step whose stages were found far above that of the last comparison?
static bool is_suspect(const Gauss *g, double h) {
    double grown = third_difference(g, h) / fmax(g->measure, DBL_MIN);
    return g->error * pow(grown, (ORDER + 1.0) / STAGES) > 4 * bound;
}

// Has the step that was taken, from `begin` at t, become too long, or too short?
static void look_after(Gauss *g, double t, double h) {
    Fixed *f = &g->fixed;
    if (!is_suspect(g, h) && --g->countdown > 0) return;
    g->countdown = STEPS_BETWEEN;
    Past last = g->past[0]; // the comparison begins as the step did
    g->past[0].h = 0;
    g->error = compare(g, f->begin, t, h);
    g->past[0] = last;
    g->calm = g->error * pow(2, ORDER + 1) < little ? g->calm + 1 : 0;
    if (g->error > bound)
        shorten(g, 2);
    else
        lengthen(g);
}

static void remember(Gauss *g, double t, double h) {
    Past oldest = g->past[1];
    g->past[1] = g->past[0];
    g->past[0] = (Past){t, h, oldest.k};
    memcpy(g->past[0].k, g->k, STAGES * (size_t)g->fixed.total * sizeof *g->k);
}

// Where the stages of a step do not converge, or its error is far too large: 2, 4, 8 ... shorter
// ones in its place, each of them looked at.
static bool divide(Gauss *g, const double *y, double t, double h, double *to) {
    size_t size = (size_t)g->fixed.total * sizeof *y;
    for (int parts = 2; parts <= MOST_PARTS; parts *= 2) {
        bool good = true;
        memcpy(g->part, y, size);
        for (int i = 0; i < parts && good; i++) {
            double from = t + i * (h / parts);
            g->error = compare(g, g->part, from, h / parts);
            good =
                g->error <= 4 * bound && gauss_step(&g->fixed, g->part, from, h / parts, g->part);
        }
        if (!good) continue;
        memcpy(to, g->part, size);
        g->fixed.j->trouble.happened = false;
        g->divided = parts;
        return true;
    }
    return false;
}

// Is the step from `begin` at t as exact as it should be? It is compared with two halves if nothing
// is known of its error or something looks suspicious.
static bool is_exact(Gauss *g, const double *y, double t, double h, double *to) {
    if (!g->fresh && !is_suspect(g, h)) return true;
    double error = compare(g, y, t, h);
    if (!(error <= 4 * bound)) return false;
    g->error = error;
    return gauss_step(&g->fixed, y, t, h, to); // with its stages
}

static bool advance(Fixed *f, const double *y, double t, double h, double *to) {
    Gauss *g = (Gauss *)f;
    bool main = y == f->begin && to == f->y, whole = gauss_step(f, y, t, h, to);
    if (whole && main) whole = is_exact(g, y, t, h, to);
    if (!whole && !divide(g, y, t, h, to)) return false;
    if (main && whole) remember(g, t, h);
    return true;
}

// After what jumps the past says nothing, neither of stages nor of sizes.
static void begin_anew(Gauss *g) {
    Fixed *f = &g->fixed;
    g->past[0].h = 0;
    g->fresh = true;
    sizes_start(f->j, f->t, f->y);
}

// --- inside of a step ----------------------------------------------------------------------------

// The integral of the Lagrange polynomial of a node from 0 to `part`: four nodes integrate exactly.
static double grown(int node, double part) {
    double sum = 0;
    for (int m = 0; m < STAGES; m++) {
        double weight = part * b[m];
        for (int i = 0; i < STAGES; i++)
            if (i != node) weight *= (part * c[m] - c[i]) / (c[node] - c[i]);
        sum += weight;
    }
    return sum;
}

// The polynomial through the stages, good enough to look for changes on.
static bool within(const Fixed *f, double part, double *state) {
    const Gauss *g = (const Gauss *)f;
    if (g->divided) return false;
    for (int i = 0; i < f->j->n; i++) state[i] = f->begin[i];
    for (int s = 0; s < STAGES; s++) {
        double by = f->length * grown(s, part);
        for (int i = 0; i < f->j->n; i++) state[i] += by * g->k[s * f->total + i];
    }
    return true;
}

// --- a run ---------------------------------------------------------------------------------------

static void open_gauss(Gauss *g) {
    size_t total = (size_t)g->fixed.total, stages = STAGES * total;
    double *rest = g->space = memory_zeroed(3 * stages + 6 * total, sizeof *rest);
    g->k = rest;
    g->past[0].k = rest + stages;
    g->past[1].k = rest + 2 * stages;
    g->stage = rest + 3 * stages;
    g->weight = g->stage + 2 * total;
    g->half = g->weight + total;
    g->whole = g->half + total;
    g->part = g->whole + total;
    g->fresh = true;
    g->countdown = STEPS_BETWEEN;
    g->fixed.take = advance;
    g->fixed.within = within;
    find_coefficients(g);
}

static void integrate(Gauss *g) {
    Fixed *f = &g->fixed;
    Job *j = f->j;
    sizes_start(j, j->time, f->y);
    if (!find_first_step(g) || !fixed_start(f)) return;
    while (fixed_emit(f) && f->t < j->o->stop) {
        double t = f->t;
        if (!fixed_advance(f)) return;
        g->fresh = false;
        sizes_step(j, f->t, f->y, f->y + j->n, f->t - t);
        if (g->divided)
            shorten(g, g->divided);
        else if (g->past[0].t == t && g->past[0].h > 0.9 * j->step)
            look_after(g, t, f->t - t);
        if (f->jumped && f->t < j->o->stop) begin_anew(g);
    }
}

void gauss_run(Job *j) {
    Gauss g = {0};
    fold_open(j);
    if (fixed_open(&g.fixed, j)) {
        open_gauss(&g);
        integrate(&g);
        fixed_leave(&g.fixed);
    }
    free(g.space);
    fixed_shut(&g.fixed);
    machine_close_branch(j->m);
}
