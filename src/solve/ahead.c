// A little later: where a mode that is tried leads to.
//
//     explicit     x + h x'                     what rests at its zero with balanced forces moves to
//                                               the side to which these change: where a rate is nothing
//                                               against what it will be, the mean of both counts
//     implicit     x + (1 - h J)^-1 h x'        where a state decays faster than that: a current that a
//                                               diode with little leakage has just stopped would swing
//                                               far beyond where it comes to rest
#include "solve/job.h"

#include "base/memory.h"
#include "solve/vectors.h"
#include <math.h>
#include <string.h>

double ahead_time(const Job *j) { return 1e-9 * (j->span > 0 ? j->span : 1); }

// Did a rate turn round within the step, and become larger than it was?
static bool swings(int n, const double *rate, const double *next) {
    for (int i = 0; i < n; i++)
        if (rate[i] * next[i] < 0 && fabs(next[i]) > fabs(rate[i])) return true;
    return false;
}

// The matrix 1 - h J, column by column. Gives: does a state decay within the step?
static bool fill_matrix(const Program *p, double h, const double *nonzero, double *matrix) {
    int n = p->state_count;
    bool decays = false;
    for (int c = 0; c < n; c++) {
        matrix[c * n + c] = 1;
        for (int k = p->column_start[c]; k < p->column_start[c + 1]; k++) {
            if (!isfinite(nonzero[k])) return false;
            matrix[c * n + p->row[k]] -= h * nonzero[k];
            decays = decays || (p->row[k] == c && h * nonzero[k] < -1);
        }
    }
    return decays;
}

// The linearly implicit step. False: it is not wanted, or there is none.
static bool step_implicitly(Job *j, Machine *m, const double *state, const double *rate,
                            double *later) {
    enum { MOST_STATES = 300 };
    const Program *p = m->program;
    size_t n = (size_t)p->state_count;
    double h = ahead_time(j);
    if (!p->has_jacobian || !p->column_start || n > MOST_STATES) return false;
    double *matrix = memory_zeroed(n * n + n + (size_t)p->nonzero_count, sizeof *matrix);
    double *step = matrix + n * n, *nonzero = step + n;
    for (size_t i = 0; i < n; i++) step[i] = h * rate[i];
    bool good = machine_jacobian(m, j->time, state, nonzero) &&
                fill_matrix(p, h, nonzero, matrix) &&
                vectors_full_solve(p->state_count, matrix, step);
    for (size_t i = 0; i < n && good; i++) good = isfinite(step[i]);
    for (size_t i = 0; i < n && good; i++) later[i] = state[i] + step[i];
    free(matrix);
    return good;
}

bool ahead_step(Job *j, Machine *m, const double *state, double *rate, double *later) {
    enum { NOTHING = 1000 };
    int n = m->program->state_count;
    double little = ahead_time(j), *next = later + n;
    if (!machine_derivative(m, j->time, state, rate, NULL)) return false;
    for (int i = 0; i < n; i++) {
        if (!isfinite(rate[i])) return false;
        later[i] = state[i] + little * rate[i];
    }
    if (!machine_derivative(m, j->time + little, later, next, NULL)) return true;
    if (swings(n, rate, next) && step_implicitly(j, m, state, rate, later) &&
        !machine_derivative(m, j->time + little, later, next, NULL))
        return true;
    for (int i = 0; i < n; i++)
        if (NOTHING * fabs(rate[i]) <= fabs(next[i] - rate[i]))
            later[i] = state[i] + little / 2 * (rate[i] + next[i]);
    return true;
}
