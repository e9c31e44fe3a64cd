// d rate / d state at a point: from the tape, or where that has no formulas through the blocks in
// numbers (schur.c), or from differences, colour by colour. Columns of one colour have no row in
// common, so each difference belongs to one entry:
//
//   J_ij = (f_i(y + d_j e_j) - f_i(y))/d_j      for all j of a colour with one evaluation
#include "solve/job.h"

#include "base/memory.h"
#include <float.h>
#include <math.h>
#include <string.h>

// One Jacobian takes an evaluation for each colour: a fraction of a second for a chain of 500
// links.
enum { MOST_COLORS = 2000 };

// Of a state: far above the root of the rounding, as forces in a chain are small differences of
// large ones; an iteration is content with six digits.
static const double STEP = 1e-6;

bool job_has_jacobian(const Job *j) {
    const Program *p = j->p;
    return p->column_start && (p->has_jacobian || p->has_implicit ||
                               (p->color_count > 0 && p->color_count <= MOST_COLORS));
}

// shifted and difference: scratch of n numbers each; rate: at y itself.
static bool color_column(Job *j, int color, double t, const double *y, const double *rate,
                         double *shifted, double *difference, double *nonzero) {
    const Program *p = j->p;
    for (int i = 0; i < j->n; i++)
        shifted[i] =
            p->color[i] == color ? y[i] + STEP * fmax(fabs(y[i]), 1e-3 * sizes_of(j, i)) : y[i];
    if (!job_rates(j, t, shifted, difference, NULL)) return false;
    for (int i = 0; i < j->n; i++) {
        if (p->color[i] != color) continue;
        for (int k = p->column_start[i]; k < p->column_start[i + 1]; k++)
            nonzero[k] = (difference[p->row[k]] - rate[p->row[k]]) / (shifted[i] - y[i]);
    }
    return true;
}

static bool differences(Job *j, double t, const double *y, double *nonzero) {
    double *space = memory_zeroed(3 * (size_t)j->n, sizeof *space);
    double *rate = space, *shifted = rate + j->n, *difference = shifted + j->n;
    bool good = job_rates(j, t, y, rate, NULL);
    for (int c = 0; c < j->p->color_count && good; c++)
        good = color_column(j, c, t, y, rate, shifted, difference, nonzero);
    free(space);
    return good;
}

double job_jacobian_cost(const Job *j) {
    const Program *p = j->p;
    double code = p->has_jacobian   ? p->jacobian.count
                  : p->has_implicit ? p->implicit_jacobian.count
                                    : 0;
    return code / fmax(1, p->derivative.count);
}

static bool through_blocks(Job *j, double t, const double *y, double *nonzero) {
    if (!j->schur) j->schur = schur_new(j->p);
    return schur_at(j->schur, j->m, t, y, nonzero);
}

bool job_jacobian(Job *j, double t, const double *y, double *nonzero) {
    const Program *p = j->p;
    j->stats->jacobian_calls++;
    bool good = p->has_jacobian   ? machine_jacobian(j->m, t, y, nonzero)
                : p->has_implicit ? through_blocks(j, t, y, nonzero)
                                  : differences(j, t, y, nonzero);
    for (int k = 0; k < p->nonzero_count && good; k++) good = isfinite(nonzero[k]);
    return good;
}

// The diagonal has the decays of states by themselves, the rest of a row what the digits of others
// do to a rate.
void job_decays(Job *j, double t, const double *y, double *decay, double *digits) {
    const Program *p = j->p;
    memset(decay, 0, (size_t)j->n * sizeof *decay);
    memset(digits, 0, (size_t)j->n * sizeof *digits);
    if (!job_has_jacobian(j)) return;
    double *nonzero = memory_zeroed((size_t)p->nonzero_count, sizeof *nonzero);
    bool good = job_jacobian(j, t, y, nonzero);
    for (int c = 0; c < j->n && good; c++)
        for (int k = p->column_start[c]; k < p->column_start[c + 1]; k++) {
            int row = p->row[k];
            if (row == c)
                decay[c] = fmax(0, -nonzero[k]);
            else
                digits[row] = fmax(digits[row], DBL_EPSILON * fabs(nonzero[k] * y[c]));
        }
    free(nonzero);
}
