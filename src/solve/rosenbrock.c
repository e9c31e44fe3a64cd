// One step of a Rosenbrock method of order 4 with six stages (Rodas4: L-stable, stiffly accurate),
// for stiff models in fixed steps: a known number of evaluations, one matrix, no iteration.
//
//   W = 1/(h gamma) - J,   J = d rate / d state
//   W U_i = f(t + alpha_i h, y + sum a_ij U_j) + sum c_ij U_j/h + h gamma_i f_t      i = 1 .. 6
//   y(t + h) = y + sum_j a_5j U_j + U_5 + U_6
//
// Quadratures do not act back on the states: Simpson's rule over the step, in the middle with the
// cubic that has the values and slopes of both ends.
#include "solve/job.h"

#include "base/memory.h"
#include "engine/sparse.h"
#include <string.h>

enum { STAGES = 6 };

static const double gamma_ = 0.25;
static const double alpha[STAGES] = {0, 0.386, 0.21, 0.63, 1, 1};
static const double gamma_of[STAGES] = {0.25, -0.1043, 0.1035, -0.0362, 0, 0};
static const double a[STAGES][STAGES] = {
    {0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1},
};
static const double c[STAGES][STAGES] = {
    {0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
     -6.058818238834054},
};

struct Rosenbrock {
    Job *j;
    int n;
    bool on_time;         // the rates depend on time by themselves
    SparseFactor *factor; // of W
    int *start, *row;     // its pattern: that of J with the diagonal
    int *to, *diagonal;   // where nonzeros of J and the diagonal go
    double *nonzero;      // of J
    double *u[STAGES], *slope, *by_time, *trial, *end_slope;
    double *quad[3]; // rates of the quadratures at the beginning, in the middle, at the end
    double *space;
};

// --- opening and closing -------------------------------------------------------------------------

static void make_pattern(Rosenbrock *s) {
    const Program *p = s->j->p;
    int n = s->n, next = 0;
    s->start = memory_zeroed((size_t)n + 1, sizeof *s->start);
    s->row = memory_zeroed((size_t)p->nonzero_count + (size_t)n, sizeof *s->row);
    s->to = memory_zeroed((size_t)p->nonzero_count, sizeof *s->to);
    s->diagonal = memory_zeroed((size_t)n, sizeof *s->diagonal);
    for (int col = 0; col < n; col++) {
        bool open = true; // the diagonal is still to come
        for (int k = p->column_start[col]; k < p->column_start[col + 1]; k++) {
            if (open && p->row[k] >= col) {
                s->diagonal[col] = next;
                if (p->row[k] > col) s->row[next++] = col;
                open = false;
            }
            s->to[k] = next;
            s->row[next++] = p->row[k];
        }
        if (open) {
            s->diagonal[col] = next;
            s->row[next++] = col;
        }
        s->start[col + 1] = next;
    }
}

static bool reads(const Instruction *code, int count, uint32_t reg) {
    for (int i = 0; i < count; i++) {
        const TapeInfo *info = &tape_info[code[i].op];
        if ((info->a && code[i].a == reg) || (info->b && code[i].b == reg)) return true;
        if (code[i].op == TAPE_BLOCK) return true; // what blocks read is not looked at
    }
    return false;
}

Rosenbrock *rosenbrock_new(Job *j) {
    if (j->n > 0 && !job_has_jacobian(j)) return NULL;
    Rosenbrock *s = memory_zeroed(1, sizeof *s);
    size_t n = (size_t)j->n, nq = (size_t)j->nq;
    s->j = j;
    s->n = j->n;
    s->on_time = reads(j->p->derivative.code, j->p->rate_code, j->p->time);
    s->space = memory_zeroed((STAGES + 4) * n + 3 * nq, sizeof *s->space);
    double *next = s->space;
    for (int i = 0; i < STAGES; i++, next += n) s->u[i] = next;
    s->slope = next;
    s->by_time = next + n;
    s->trial = next + 2 * n;
    s->end_slope = next + 3 * n;
    for (int i = 0; i < 3; i++) s->quad[i] = next + 4 * n + (size_t)i * nq;
    s->nonzero = memory_zeroed((size_t)j->p->nonzero_count, sizeof *s->nonzero);
    if (s->n > 0) {
        make_pattern(s);
        s->factor = sparse_new(s->n, s->start, s->row);
    }
    return s;
}

void rosenbrock_free(Rosenbrock *s) {
    if (!s) return;
    sparse_free(s->factor);
    free(s->start);
    free(s->row);
    free(s->to);
    free(s->diagonal);
    free(s->nonzero);
    free(s->space);
    free(s);
}

// --- a step --------------------------------------------------------------------------------------

// f_t by differences ahead, of second order: the step is short, so that rounding and what is left
// out are both far below the error of the method.
static bool rate_by_time(Rosenbrock *s, double t, double h, const double *y) {
    double d = 1e-4 * h;
    memset(s->by_time, 0, (size_t)s->n * sizeof *s->by_time);
    if (!s->on_time) return true;
    double *one = s->trial, *two = s->end_slope; // not in use yet
    if (!job_rates(s->j, t + d, y, one, NULL) || !job_rates(s->j, t + 2 * d, y, two, NULL))
        return false;
    for (int i = 0; i < s->n; i++)
        s->by_time[i] = (4 * (one[i] - s->slope[i]) - (two[i] - s->slope[i])) / (2 * d);
    return true;
}

static bool factor_matrix(Rosenbrock *s, double t, double h, const double *y) {
    const Program *p = s->j->p;
    if (!job_jacobian(s->j, t, y, s->nonzero)) return false;
    s->j->stats->jacobian_calls++;
    double *w = sparse_entries(s->factor);
    memset(w, 0, (size_t)s->start[s->n] * sizeof *w);
    for (int k = 0; k < p->nonzero_count; k++) w[s->to[k]] = -s->nonzero[k];
    for (int i = 0; i < s->n; i++) w[s->diagonal[i]] += 1 / (h * gamma_);
    return sparse_factor(s->factor);
}

static bool stage(Rosenbrock *s, int k, double t, double h, const double *y) {
    double *u = s->u[k];
    for (int i = 0; i < s->n; i++) {
        s->trial[i] = y[i];
        for (int m = 0; m < k; m++) s->trial[i] += a[k][m] * s->u[m][i];
    }
    if (k == 0)
        memcpy(u, s->slope, (size_t)s->n * sizeof *u);
    else if (!job_rates(s->j, t + alpha[k] * h, s->trial, u, NULL))
        return false;
    for (int i = 0; i < s->n; i++) {
        double more = h * gamma_of[k] * s->by_time[i];
        for (int m = 0; m < k; m++) more += c[k][m] / h * s->u[m][i];
        u[i] += more;
    }
    sparse_solve(s->factor, u);
    return true;
}

// The quadratures behind the states of y; `to`: the states at the end of the step.
static bool add_quadratures(Rosenbrock *s, double t, double h, double *y, const double *to) {
    Job *j = s->j;
    if (j->nq == 0) return true;
    if (!job_rates(j, t + h, to, s->end_slope, s->quad[2])) return false;
    for (int i = 0; i < s->n; i++)
        s->trial[i] = (y[i] + to[i]) / 2 + h / 8 * (s->slope[i] - s->end_slope[i]);
    if (!job_rates(j, t + h / 2, s->trial, s->end_slope, s->quad[1])) return false;
    for (int i = 0; i < j->nq; i++)
        y[s->n + i] += h / 6 * (s->quad[0][i] + 4 * s->quad[1][i] + s->quad[2][i]);
    return true;
}

bool rosenbrock_step(Rosenbrock *s, double t, double h, double *y) {
    Job *j = s->j;
    if (!job_rates(j, t, y, s->slope, j->nq ? s->quad[0] : NULL)) return false;
    if (s->n > 0 && (!rate_by_time(s, t, h, y) || !factor_matrix(s, t, h, y))) return false;
    for (int k = 0; k < STAGES && s->n > 0; k++)
        if (!stage(s, k, t, h, y)) return false;
    double *end = s->u[0];
    for (int i = 0; i < s->n; i++) end[i] = s->trial[i] + s->u[STAGES - 1][i];
    if (!add_quadratures(s, t, h, y, end)) return false;
    if (s->n) memcpy(y, end, (size_t)s->n * sizeof *y);
    return true;
}
