// See stride.h.
#include "sensitivity/stride.h"

#include "base/memory.h"
#include "engine/choices.h"
#include "engine/slopes.h"
#include "numeric/lapack.h"
#include <math.h>
#include <string.h>

#define VALUE       double
#define KERNEL(...) __VA_ARGS__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#include "engine/rk78.def"
#pragma GCC diagnostic pop
#undef KERNEL
#undef VALUE

// --- methods -------------------------------------------------------------------------------------

static Scheme rk78_scheme(void) {
    Scheme s = {.stages = 13};
    for (int i = 0; i < 13; i++) {
        s.c[i] = bondyn_rk78_node[i];
        s.b[i] = bondyn_rk78_stage[13][i];
        for (int j = 0; j < i; j++) s.a[i][j] = bondyn_rk78_stage[i][j];
    }
    return s;
}

// Of order 5 by Dormand and Prince, for runs with Adams' method, whose steps are short.
static Scheme fifth_order(void) {
    return (Scheme){
        .stages = 6,
        .a = {{0},
              {1.0 / 5},
              {3.0 / 40, 9.0 / 40},
              {44.0 / 45, -56.0 / 15, 32.0 / 9},
              {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
              {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}},
        .b = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
        .c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1}};
}

static Scheme radau(void) {
    double r = sqrt(6);
    return (Scheme){.stages = 3,
                    .implicit = true,
                    .a = {{(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225},
                          {(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225},
                          {(16 - r) / 36, (16 + r) / 36, 1.0 / 9}},
                    .b = {(16 - r) / 36, (16 + r) / 36, 1.0 / 9},
                    .c = {(4 - r) / 10, (4 + r) / 10, 1}};
}

static Scheme scheme_of(SolverKind method) {
    switch (method) {
    case SOLVER_EULER: return (Scheme){.stages = 1, .b = {1}};
    case SOLVER_HEUN: return (Scheme){.stages = 2, .a = {{0}, {1}}, .b = {0.5, 0.5}, .c = {0, 1}};
    case SOLVER_RK4:
        return (Scheme){.stages = 4,
                        .a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
                        .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
                        .c = {0, 0.5, 0.5, 1}};
    case SOLVER_RK78: return rk78_scheme();
    case SOLVER_CVODE_ADAMS: return fifth_order();
    default: return radau();
    }
}

// --- memory --------------------------------------------------------------------------------------

static void stride_open(Stride *s, Machine *m, SolverKind method, double span) {
    size_t n = (size_t)m->program->state_count;
    *s = (Stride){
        .scheme = scheme_of(method), .method = method, .machine = m, .n = (int)n, .span = span};
    size_t stages = (size_t)s->scheme.stages, all = stages * n;
    size_t signals = (size_t)m->program->signals.result_count;
    s->space = memory_zeroed(3 * all + 2 * n + signals + 1, sizeof(double));
    s->X = s->space;
    s->k = s->X + all;
    s->residual = s->k + all;
    s->end = s->residual + all;
    s->at = s->end + n;
    s->signal = s->at + n;
    size_t kinks = (size_t)m->program->kink_count;
    s->event_function = memory_zeroed(4 * kinks + 3 * n + 1, sizeof *s->event_function);
    s->side = memory_zeroed(kinks + 1, sizeof *s->side);
    if (!s->scheme.implicit) return;
    s->J = memory_zeroed(all * n + 1, sizeof(double));
    s->M = memory_zeroed(all * all + 1, sizeof(double));
    s->pivot = memory_zeroed(all + 1, sizeof(int));
    if (m->program->has_jacobian)
        s->nonzero = memory_zeroed((size_t)m->program->nonzero_count + 1, sizeof(double));
    else
        s->columns = dots_new(m, (int)n);
}

void stride_close(Stride *s) {
    free(s->space);
    free(s->event_function);
    free(s->side);
    free(s->J);
    free(s->M);
    free(s->pivot);
    free(s->nonzero);
    dots_free(s->columns);
}

void stride_ready(Stride *s, Machine *m, SolverKind method, double span) {
    if (s->machine && s->method == method) return;
    if (s->machine) stride_close(s);
    stride_open(s, m, method, span);
}

// --- explicit ------------------------------------------------------------------------------------

static bool all_finite(const double *x, int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

// How far a kink of time alone is away, or more than it ever is where a step ends (solve/scout.c).
static double kink_beside(const Stride *s, double time) {
    const Program *p = s->machine->program;
    int count = p->signals.result_count, first = 2 * p->signal_count;
    double *value = s->signal, least = INFINITY;
    machine_set_point(s->machine, time, s->end);
    if (machine_run(s->machine, &p->signals, value))
        for (int i = first; i + 1 < count; i += 2)
            least = fmin(least, value[i] == 0 ? 0 : fabs(value[i] / value[i + 1]));
    return least;
}

void stride_aim(Stride *s, double t, double h) {
    const Program *p = s->machine->program;
    s->t = s->first = t;
    s->h = h;
    s->last = t + h;
    if (p->signals.result_count <= 2 * p->signal_count) return;
    double near = fmin(4e-8 * s->span, 0.01 * h), little = fmin(1e-10 * s->span, 0.01 * h);
    double before = kink_beside(s, t), after = kink_beside(s, t + h);
    if (before <= near) s->first = t + fmax(2 * before, little);
    if (after <= near) s->last = t + h - fmax(2 * after, little);
}

double stride_time(const Stride *s, int i) {
    double c = s->scheme.c[i];
    return c == 0 ? s->first : c == 1 ? s->last : s->t + c * s->h;
}

static void stage_point(const Stride *s, int i, const double *x, double *to) {
    memcpy(to, x, (size_t)s->n * sizeof *to);
    for (int j = 0; j < s->scheme.stages; j++) {
        double by = s->h * s->scheme.a[i][j];
        const double *k = s->k + j * s->n;
        if (by == 0) continue;
        for (int q = 0; q < s->n; q++) to[q] += by * k[q];
    }
}

static bool stage_rate(Stride *s, int i, double *rate) {
    return machine_derivative(s->machine, stride_time(s, i), s->X + i * s->n, rate, NULL) &&
           all_finite(rate, s->n);
}

static void find_end(Stride *s, const double *x) {
    memcpy(s->end, x, (size_t)s->n * sizeof *x);
    for (int i = 0; i < s->scheme.stages; i++)
        for (int q = 0; q < s->n; q++) s->end[q] += s->h * s->scheme.b[i] * s->k[i * s->n + q];
}

void stride_point(Stride *s, int i, const double *x) { stage_point(s, i, x, s->X + i * s->n); }

void stride_end(Stride *s, const double *x) { find_end(s, x); }

double stride_error(const Stride *s, int i) {
    double sum = 0;
    for (int j = 0; j < s->scheme.stages; j++) sum += bondyn_rk78_error[j] * s->k[j * s->n + i];
    return s->h * sum;
}

static bool take_explicit(Stride *s, const double *x) {
    for (int i = 0; i < s->scheme.stages; i++) {
        stage_point(s, i, x, s->X + i * s->n);
        if (!stage_rate(s, i, s->k + i * s->n)) return false;
    }
    find_end(s, x);
    return true;
}

// --- implicit ------------------------------------------------------------------------------------

static bool jacobian_by_formulas(Stride *s, double t, const double *X, double *J) {
    const Program *p = s->machine->program;
    if (!machine_jacobian(s->machine, t, X, s->nonzero)) return false;
    for (int c = 0; c < s->n; c++)
        for (int q = p->column_start[c]; q < p->column_start[c + 1]; q++)
            J[(size_t)c * (size_t)s->n + (size_t)p->row[q]] = s->nonzero[q];
    return all_finite(s->nonzero, p->nonzero_count);
}

static bool jacobian_by_dots(Stride *s, double t, const double *X, double *J) {
    const Program *p = s->machine->program;
    dots_clear(s->columns);
    machine_set_point(s->machine, t, X);
    for (int i = 0; i < s->n; i++) dots_of(s->columns, p->first_state + (uint32_t)i)[i] = 1;
    if (!dots_run(s->columns, &p->derivative)) return false;
    for (int i = 0; i < s->n; i++)
        for (int c = 0; c < s->n; c++)
            J[(size_t)c * (size_t)s->n + (size_t)i] =
                dots_of(s->columns, p->derivative.result[i])[c];
    return all_finite(J, s->n * s->n);
}

static bool stage_jacobian(Stride *s, int i) {
    size_t square = (size_t)s->n * (size_t)s->n;
    double *J = s->J + (size_t)i * square, t = stride_time(s, i);
    const double *X = s->X + i * s->n;
    memset(J, 0, square * sizeof *J);
    return s->nonzero ? jacobian_by_formulas(s, t, X, J) : jacobian_by_dots(s, t, X, J);
}

// Block (i, j) of M is I - h a_ij J_i.
static bool factor(Stride *s) {
    int n = s->n, all = n * s->scheme.stages, info = 0;
    for (int i = 0; i < s->scheme.stages; i++)
        for (int j = 0; j < s->scheme.stages; j++)
            for (int c = 0; c < n; c++) {
                double *to = s->M + (size_t)(j * n + c) * (size_t)all + (size_t)(i * n);
                const double *J = s->J + ((size_t)i * (size_t)n + (size_t)c) * (size_t)n;
                for (int r = 0; r < n; r++)
                    to[r] = (i == j && r == c) - s->h * s->scheme.a[i][j] * J[r];
            }
    dgetrf_(&all, &all, s->M, &all, s->pivot, &info);
    return info == 0;
}

void stride_solve(const Stride *s, bool transposed, double *k) {
    int all = s->n * s->scheme.stages, one = 1, info = 0;
    dgetrs_(transposed ? "T" : "N", &all, &one, s->M, &all, s->pivot, k, &all, &info, 1);
}

// How far Newton's step moves the stages, against their size.
static double step_size(const Stride *s, const double *x) {
    double most = 0;
    for (int q = 0; q < s->n; q++) {
        double size = fabs(x[q]), moved = 0;
        for (int i = 0; i < s->scheme.stages; i++) {
            size = fmax(size, fabs(s->h * s->k[i * s->n + q]));
            moved = fmax(moved, fabs(s->h * s->residual[i * s->n + q]));
        }
        if (moved > 0) most = fmax(most, moved / (size + 1e-300));
    }
    return most;
}

// Newton's method for all stages together; M is the one at the last iterate but one, or at the
// solution where the last step was not tiny.
static bool take_implicit(Stride *s, const double *x, const double *guess) {
    enum { MOST_ROUNDS = 12 };
    int stages = s->scheme.stages, all = s->n * stages;
    for (int i = 0; i < stages; i++)
        for (int q = 0; q < s->n; q++) s->k[i * s->n + q] = guess ? (guess[q] - x[q]) / s->h : 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        for (int i = 0; i < stages; i++) {
            stage_point(s, i, x, s->X + i * s->n);
            if (!stage_rate(s, i, s->residual + i * s->n) || !stage_jacobian(s, i)) return false;
        }
        if (!factor(s)) return false;
        for (int i = 0; i < all; i++) s->residual[i] -= s->k[i];
        stride_solve(s, false, s->residual);
        for (int i = 0; i < all; i++) s->k[i] += s->residual[i];
        if (step_size(s, x) < 1e-10) break;
    }
    for (int i = 0; i < stages; i++) stage_point(s, i, x, s->X + i * s->n);
    find_end(s, x);
    return all_finite(s->end, s->n);
}

bool stride_take(Stride *s, double t, double h, const double *x, const double *guess) {
    stride_aim(s, t, h);
    return s->scheme.implicit ? take_implicit(s, x, guess) : take_explicit(s, x);
}
