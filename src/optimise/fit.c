// Parameters that fit data: least squares by Levenberg and Marquardt, with the Jacobian of the
// runs.
//
//     r_i = (y(t_i) - data_i)/s        J = dr/dp along the runs        (J'J + m D) step = -J'r
//
// s is the deviation of the data, given with `within`, or found: the root mean square of what is
// left, of each list of data for itself. Then the covariance of the parameters is (J'J)^-1, their
// 95 % intervals are p +- t sqrt of its diagonal, with Student's t where s was found.
#include "optimise/inside.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/symmetric.h"
#include "numeric/lapack.h"
#include "study/factor.h"
#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 200, WEIGHINGS = 3 };

typedef struct { // one experiment with its data as probes
    const System *system;
    Experiment experiment;
    int first;         // of the probes of data
    int rows;          // data
    double *deviation; // per list of data
    AlongShared shared;
} Part;

typedef struct {
    const SearchPlan *plan;
    Found *f;
    Report *r;
    Part *part;
    int n, rows;
    double *scale;
    double *residual, *J; // J: rows of n, by scaled parameters
    Report *report;       // of the last run
    Journal journal;
} Fit;

// --- data as probes ------------------------------------------------------------------------------

// Each row of data is x(t) at its time.
static void make_part(Fit *f, int i) {
    Part *p = &f->part[i];
    const System *s = f->plan->cases[i].system;
    const Experiment *x = f->plan->cases[i].experiment;
    Arena *out = &f->f->arena;
    p->system = s;
    p->experiment = *x;
    p->first = x->probe_count;
    for (int k = 0; k < x->aims.fit_count; k++) p->rows += x->aims.fit[k].count;
    Probe *probe = ARENA_ARRAY(out, Probe, p->first + p->rows + 1);
    if (p->first) memcpy(probe, x->probes, (size_t)p->first * sizeof *probe);
    int at = p->first;
    Dag *d = dag_grow(s->model->dag);
    for (int k = 0; k < x->aims.fit_count; k++)
        for (int q = 0; q < x->aims.fit[k].count; q++) {
            double time = fmin(fmax(x->aims.fit[k].time[q], x->start), x->stop);
            Name name = name_printf(s->model->names, "data(%d, %d)", k, q);
            probe[at++] = (Probe){.kind = PROBE_AT,
                                  .signal = x->aims.fit[k].signal,
                                  .time = expr_number(d, time),
                                  .symbol = expr_symbol(d, name)};
        }
    p->experiment.probes = probe;
    p->experiment.probe_count = at;
    p->deviation = ARENA_ARRAY(out, double, x->aims.fit_count + 1);
    f->rows += p->rows;
}

// --- residuals -----------------------------------------------------------------------------------

static double datum(const Part *p, int row, int *list) {
    for (int k = 0;; k++) {
        const FitData *d = &p->experiment.aims.fit[k];
        if (row < d->count) {
            *list = k;
            return d->value[row];
        }
        row -= d->count;
    }
}

static bool part_at(Fit *f, int i, const double *x, bool slopes, double *residual, double *J) {
    Part *p = &f->part[i];
    int count, n = f->n;
    int *var = memory_zeroed(2 * (size_t)n + 1, sizeof *var), *of = var + n;
    double *to = memory_zeroed((size_t)n + 1, sizeof *to);
    free_sets(f->f, i, x, var, to, &count);
    for (int j = 0, k = 0; j < n; j++)
        if (f->f->free[j].var[i] >= 0) of[k++] = j;
    RunOptions o = *f->plan->options;
    o.experiment = &p->experiment;
    o.set_var = var;
    o.set_value = to;
    o.set_count = count;
    o.progress = NULL;
    int probes = p->experiment.probe_count;
    bool *wanted = memory_zeroed((size_t)probes + 1, sizeof *wanted);
    for (int k = p->first; k < probes; k++) wanted[k] = true;
    double *slope = memory_zeroed((size_t)probes * (size_t)count + 1, sizeof *slope);
    Along a;
    report_free(f->report);
    *f->report = (Report){0};
    f->f->runs++;
    bool good = along_run(&a, p->system, &o, &p->shared, f->report) &&
                (!slopes || along_slopes(&a, wanted, var, count, slope));
    for (int row = 0; row < p->rows && good; row++) {
        int list;
        double data = datum(p, row, &list), s = p->deviation[list];
        residual[row] = (along_probe(&a, p->first + row) - data) / s;
        good = isfinite(residual[row]);
        for (int k = 0; k < count && slopes; k++)
            J[row * n + of[k]] = slope[(p->first + row) * count + k] * f->scale[of[k]] / s;
    }
    along_close(&a);
    free(var);
    free(to);
    free(wanted);
    free(slope);
    return good;
}

static bool is_cancelled(const Fit *f) { return f->plan->cancel && *f->plan->cancel; }

// All parts one after the other; false: a run did not come to its end.
static bool parts_at(Fit *f, const double *x, bool slopes, double *residual) {
    int row = 0;
    for (int i = 0; i < f->plan->count; i++) {
        if (!part_at(f, i, x, slopes, residual + row, f->J + row * f->n)) return false;
        row += f->part[i].rows;
    }
    return true;
}

// An entry of the journal is (slopes, x, deviations; good, runs, residuals, J where asked for).
typedef struct {
    double *entry, *answer;
    int asked, answers;
} Asking;

static Asking asking_open(const Fit *f, const double *x, bool slopes) {
    int lists = 0, at = 0;
    for (int i = 0; i < f->plan->count; i++) lists += f->part[i].experiment.aims.fit_count;
    Asking a = {.asked = 1 + f->n + lists, .answers = 2 + f->rows + (slopes ? f->rows * f->n : 0)};
    a.entry = memory_zeroed((size_t)a.asked + (size_t)a.answers, sizeof *a.entry);
    a.answer = a.entry + a.asked;
    a.entry[at++] = slopes;
    for (int i = 0; i < f->n; i++) a.entry[at++] = x[i];
    for (int i = 0; i < f->plan->count; i++)
        for (int k = 0; k < f->part[i].experiment.aims.fit_count; k++)
            a.entry[at++] = f->part[i].deviation[k];
    return a;
}

static bool take_answer(Fit *f, const Asking *a, bool slopes, double *residual, bool *good) {
    const double *answer = journal_answer(&f->journal, 0, a->entry, a->asked, a->answers);
    if (!answer) return false;
    size_t rows = (size_t)f->rows;
    *good = answer[0] != 0;
    f->f->runs += (int)answer[1];
    memcpy(residual, answer + 2, rows * sizeof *residual);
    if (slopes) memcpy(f->J, answer + 2 + rows, rows * (size_t)f->n * sizeof *f->J);
    return true;
}

static void keep_answer(Fit *f, const Asking *a, bool slopes, const double *residual, bool good,
                        int runs) {
    if (is_cancelled(f)) return; // perhaps cut off
    size_t rows = (size_t)f->rows;
    a->answer[0] = good;
    a->answer[1] = runs;
    memcpy(a->answer + 2, residual, rows * sizeof *residual);
    if (slopes) memcpy(a->answer + 2 + rows, f->J, rows * (size_t)f->n * sizeof *f->J);
    journal_put(&f->journal, 0, ENTRY_ANSWER, a->entry, a->asked + a->answers);
}

// The sum of squares; NaN: a run did not come to its end.
static double sum_at(Fit *f, const double *x, bool slopes, double *residual) {
    Asking a = asking_open(f, x, slopes);
    double sum = 0;
    bool good;
    if (slopes) memset(f->J, 0, (size_t)f->rows * (size_t)f->n * sizeof *f->J);
    if (!take_answer(f, &a, slopes, residual, &good)) {
        int before = f->f->runs;
        good = parts_at(f, x, slopes, residual);
        keep_answer(f, &a, slopes, residual, good, f->f->runs - before);
    }
    free(a.entry);
    for (int k = 0; k < f->rows; k++) sum += residual[k] * residual[k];
    return good ? sum : NAN;
}

// --- Levenberg and Marquardt ---------------------------------------------------------------------

static void normal_matrix(const Fit *f, double *A, double *b) {
    int n = f->n;
    memset(A, 0, (size_t)(n * n) * sizeof *A);
    memset(b, 0, (size_t)n * sizeof *b);
    for (int k = 0; k < f->rows; k++)
        for (int i = 0; i < n; i++) {
            double J = f->J[k * n + i];
            b[i] -= J * f->residual[k];
            for (int j = 0; j < n; j++) A[i * n + j] += J * f->J[k * n + j];
        }
}

// A parameter at its bound that wants to go further stays.
static void hold_bounds(const Fit *f, const double *x, double *A, double *b) {
    int n = f->n;
    for (int i = 0; i < n; i++) {
        const FreeFound *p = &f->f->free[i];
        if (!((x[i] <= p->from && b[i] < 0) || (x[i] >= p->to && b[i] > 0))) continue;
        for (int j = 0; j < n; j++) A[i * n + j] = A[j * n + i] = 0;
        A[i * n + i] = 1;
        b[i] = 0;
    }
}

static bool damped_step(const Fit *f, const double *A, const double *b, double damping,
                        double *step) {
    int n = f->n, one = 1, info = 0;
    double *M = memory_zeroed((size_t)(n * n) + 1, sizeof *M);
    memcpy(M, A, (size_t)(n * n) * sizeof *M);
    memcpy(step, b, (size_t)n * sizeof *step);
    for (int i = 0; i < n; i++) M[i * n + i] += damping * (A[i * n + i] > 0 ? A[i * n + i] : 1);
    dpotrf_("L", &n, M, &n, &info, 1);
    if (info == 0) dpotrs_("L", &n, &one, M, &n, step, &n, &info, 1);
    free(M);
    return info == 0;
}

typedef struct {
    double *A, *b, *step, *next, *residual;
    double damping, sum;
} Descent;

// One step from x to a smaller sum, trying larger dampings until there is one. False: there is
// none.
static bool descend(Fit *f, Descent *d, double *x, bool *small) {
    enum { MOST_DAMPINGS = 25 };
    for (int tries = 0; tries < MOST_DAMPINGS && !is_cancelled(f); tries++) {
        double change = 0;
        if (damped_step(f, d->A, d->b, d->damping, d->step)) {
            for (int i = 0; i < f->n; i++) {
                const FreeFound *p = &f->f->free[i];
                d->next[i] = fmin(fmax(x[i] + d->step[i] * f->scale[i], p->from), p->to);
                change = fmax(change, fabs(d->next[i] - x[i]) / (fabs(x[i]) + 1e-3 * f->scale[i]));
            }
            *small = change < 1e-9;
            if (*small) return false;
            double sum = sum_at(f, d->next, false, d->residual);
            if (sum < d->sum) {
                *small = change < 1e-7 || d->sum - sum < 1e-10 * d->sum;
                memcpy(x, d->next, (size_t)f->n * sizeof *x);
                d->sum = sum;
                d->damping = fmax(d->damping / 9, 1e-12);
                return true;
            }
        }
        d->damping = fmax(d->damping * 4, 1e-8);
    }
    return false;
}

static bool least_squares(Fit *f, double *x, double *sum) {
    size_t n = (size_t)f->n;
    double *room = memory_zeroed(n * n + 3 * n + (size_t)f->rows + 4, sizeof *room);
    Descent d = {.A = room, .b = room + n * n, .damping = 1e-3};
    d.step = d.b + n;
    d.next = d.step + n;
    d.residual = d.next + n;
    bool small = false;
    f->f->why = "it has made as many steps as it may";
    *sum = d.sum = sum_at(f, x, true, f->residual);
    for (int round = 0; round < MOST_ROUNDS && isfinite(d.sum); round++) {
        normal_matrix(f, d.A, d.b);
        hold_bounds(f, x, d.A, d.b);
        if (!descend(f, &d, x, &small)) {
            f->f->why = "no step leads further down";
            break;
        }
        *sum = d.sum; // known, also if the next run is cut off
        d.sum = sum_at(f, x, true, f->residual);
        if (f->plan->progress) f->plan->progress(f->plan->context, fmin(0.95, 0.1 * (round + 1)));
        if (small) {
            f->f->why = "the parameters change no more";
            break;
        }
    }
    if (isfinite(d.sum)) *sum = d.sum;
    free(room);
    return isfinite(d.sum);
}

// --- deviations ----------------------------------------------------------------------------------

static bool is_given(const Fit *f) {
    for (int i = 0; i < f->plan->count; i++)
        for (int k = 0; k < f->part[i].experiment.aims.fit_count; k++)
            if (!(f->part[i].experiment.aims.fit[k].within > 0)) return false;
    return true;
}

// To begin with a hundredth of the range of the data; later what is left, of each list.
static void first_deviations(Fit *f) {
    for (int i = 0; i < f->plan->count; i++)
        for (int k = 0; k < f->part[i].experiment.aims.fit_count; k++) {
            const FitData *d = &f->part[i].experiment.aims.fit[k];
            double low = INFINITY, high = -INFINITY;
            for (int q = 0; q < d->count; q++)
                low = fmin(low, d->value[q]), high = fmax(high, d->value[q]);
            double range = high > low ? high - low : fabs(high) + 1e-300;
            f->part[i].deviation[k] = d->within > 0 ? d->within : 0.01 * range;
        }
}

static void later_deviations(Fit *f) {
    double part = 1 - (double)f->n / fmax(f->rows, f->n + 1);
    int row = 0;
    for (int i = 0; i < f->plan->count; i++)
        for (int k = 0; k < f->part[i].experiment.aims.fit_count; k++) {
            const FitData *d = &f->part[i].experiment.aims.fit[k];
            double sum = 0;
            for (int q = 0; q < d->count; q++, row++) sum += f->residual[row] * f->residual[row];
            double factor = sqrt(sum / d->count / part);
            if (!(d->within > 0) && factor > 0) f->part[i].deviation[k] *= factor;
        }
}

// --- what the data say ---------------------------------------------------------------------------

// Eigenvalues and vectors (columns) of a symmetric matrix, by Jacobi's rotations.
static void eigen(int n, double *A, double *V) {
    for (int i = 0; i < n * n; i++) V[i] = i % (n + 1) == 0;
    enum { MOST_SWEEPS = 60 }; // a handful is enough: convergence is quadratic
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                if (!(fabs(A[p * n + q]) <= 1e-300)) symmetric_turn(n, A, V, p, q);
}

static void name_weak(Fit *f, const double *v, double ratio) {
    Text words = {0};
    double most = 0;
    for (int i = 0; i < f->n; i++) most = fmax(most, fabs(v[i * f->n]));
    for (int i = 0; i < f->n; i++)
        if (fabs(v[i * f->n]) > 0.1 * most)
            text_printf(&words, "%s%s", words.length ? ", " : "", f->f->free[i].name);
    Remark *m = report_warning(
        f->r, O_NOT_IDENTIFIED, f->plan->cases[0].experiment->pos,
        "the data hardly determine %s: a change of them together shows %.1g times less than others",
        text_get(&words), 1 / ratio);
    remark_help(f->r, m, "hold one of them, measure something else, or excite the model more");
    text_free(&words);
}

// The inverse of J'J from its eigenvalues, in parameters whose columns have length 1.
static void covariance(Fit *f, double *C) {
    int n = f->n;
    double *A = memory_zeroed(2 * (size_t)(n * n) + 2 * (size_t)n + 1, sizeof *A);
    double *V = A + n * n, *size = V + n * n, *b = size + n, largest = 0;
    normal_matrix(f, A, b);
    for (int i = 0; i < n; i++) size[i] = sqrt(A[i * n + i]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[i * n + j] /= size[i] * size[j];
    eigen(n, A, V);
    for (int k = 0; k < n; k++) largest = fmax(largest, A[k * n + k]);
    for (int k = 0; k < n; k++) {
        double least = 1e-14 * largest, value = fmax(A[k * n + k], least);
        if (value < 1e-6 * largest) name_weak(f, V + k, sqrt(value / largest));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                C[i * n + j] += V[i * n + k] * V[j * n + k] / value / (size[i] * size[j]);
    }
    free(A);
}

static void tell_intervals(Fit *f, bool given) {
    int n = f->n;
    double *C = ARENA_ARRAY(&f->f->arena, double, n *n + 1);
    covariance(f, C);
    double t = given || f->rows <= n ? 1.959963984540054 : student_half_width(0.95, f->rows - n);
    f->f->correlation = ARENA_ARRAY(&f->f->arena, double, n *n + 1);
    for (int i = 0; i < n; i++) {
        f->f->free[i].half = t * sqrt(C[i * n + i]) * f->scale[i];
        for (int j = 0; j < n; j++)
            f->f->correlation[i * n + j] = C[i * n + j] / sqrt(C[i * n + i] * C[j * n + j]);
    }
}

// --- all of it -----------------------------------------------------------------------------------

static bool no_start(Fit *f) {
    for (const Remark *m = f->report->first; m; m = m->next)
        if (m->severity == ERROR) report_error(f->r, m->code, m->pos, "%s", m->message);
    Remark *x = report_error(f->r, O_NOT_FINITE, f->plan->cases[0].experiment->pos,
                             "the run that the fit begins with gives no finite numbers");
    remark_help(f->r, x, "begin with parameters with which the model runs: set k = ...");
    return false;
}

static bool has_effect(Fit *f) {
    for (int i = 0; i < f->n; i++) {
        bool any = false;
        for (int k = 0; k < f->rows; k++) any = any || f->J[k * f->n + i] != 0;
        if (!any) return free_refuse(f->plan, f->f, i, f->r);
    }
    return true;
}

static bool enough(Fit *f) {
    if (f->rows > f->n) return true;
    Remark *m = report_error(f->r, O_NO_EFFECT, f->plan->cases[0].experiment->pos,
                             "%d data do not determine %d parameters", f->rows, f->n);
    remark_help(f->r, m, "give more rows of data, or let fewer parameters move");
    return false;
}

// The data, and what the model has there with what was found.
static void keep_curves(Fit *f) {
    Found *to = f->f;
    int lists = 0, row = 0;
    for (int i = 0; i < f->plan->count; i++) lists += f->part[i].experiment.aims.fit_count;
    to->curve = ARENA_ARRAY(&to->arena, FitCurve, lists + 1);
    for (int i = 0; i < f->plan->count; i++)
        for (int k = 0; k < f->part[i].experiment.aims.fit_count; k++) {
            const FitData *d = &f->part[i].experiment.aims.fit[k];
            const Model *m = f->part[i].system->model;
            Shown in = shown_in(m, d->signal.unit);
            FitCurve *c = &to->curve[to->curves++];
            *c = (FitCurve){.system = i, .count = d->count};
            c->signal = arena_printf(&to->arena, "%s", name_text(m->names, d->signal.label));
            c->unit = arena_printf(&to->arena, "%s", in.unit);
            c->time = ARENA_ARRAY(&to->arena, double, 3 * (size_t)d->count + 1);
            c->data = c->time + d->count;
            c->model = c->data + d->count;
            for (int q = 0; q < d->count; q++, row++) {
                c->time[q] = d->time[q];
                c->data[q] = show(in, d->value[q]);
                c->model[q] = show(in, d->value[q] + f->residual[row] * f->part[i].deviation[k]);
            }
        }
}

// What was found so far; the data have no say yet.
static bool cut_off(Fit *f, const double *x, double first, double sum) {
    for (int i = 0; i < f->n; i++) f->f->free[i].value = x[i];
    f->f->data = f->rows;
    f->f->deviation = sqrt(sum / f->rows);
    f->f->first_deviation = sqrt(first / f->rows);
    f->f->interrupted = true;
    return true;
}

static bool fit(Fit *f, double *x) {
    bool given = is_given(f);
    double sum;
    first_deviations(f);
    double first = sum_at(f, x, true, f->residual);
    if (is_cancelled(f)) return cut_off(f, x, first, first);
    if (!isfinite(first)) return no_start(f);
    if (!has_effect(f) || !enough(f)) return false;
    for (int round = 0; round < (given ? 1 : WEIGHINGS); round++) {
        bool good = least_squares(f, x, &sum);
        if (is_cancelled(f)) return cut_off(f, x, first, sum);
        if (!good) return no_start(f);
        if (given) break;
        later_deviations(f);
        sum = sum_at(f, x, true, f->residual);
    }
    for (int i = 0; i < f->n; i++) f->f->free[i].value = x[i];
    f->f->data = f->rows;
    f->f->deviation = sqrt(sum / f->rows);
    f->f->estimated = !given;
    tell_intervals(f, given);
    keep_curves(f);
    for (int i = 0; i < f->n; i++) x[i] = f->f->free[i].first;
    first = sum_at(f, x, false, f->residual);
    f->f->first_deviation = sqrt(first / f->rows);
    return true;
}

Found *fit_run(const SearchPlan *p, Report *r) {
    Found *f = memory_zeroed(1, sizeof *f);
    Report report = {0};
    Fit x = {.plan = p, .f = f, .r = r, .report = &report};
    double begin = clock_seconds();
    f->starts = f->agreed = 1;
    f->gradient = "forward";
    if (!free_gather(p, f, r)) {
        found_free(f);
        return NULL;
    }
    x.n = f->count;
    x.part = ARENA_ARRAY(&f->arena, Part, p->count);
    for (int i = 0; i < p->count; i++) make_part(&x, i);
    x.residual = memory_zeroed((size_t)x.rows + 1, sizeof(double));
    x.J = memory_zeroed((size_t)x.rows * (size_t)x.n + 1, sizeof(double));
    double *at = memory_zeroed(2 * (size_t)x.n + 1, sizeof *at);
    x.scale = at + x.n;
    for (int i = 0; i < x.n; i++) {
        at[i] = f->free[i].first;
        x.scale[i] = f->free[i].first != 0 ? fabs(f->free[i].first) : free_scale(&f->free[i]);
    }
    bool good = journal_open(&x.journal, p->file, p->key, 1, r);
    f->kept = x.journal.kept;
    good = good && fit(&x, at);
    journal_close(&x.journal, !f->interrupted);
    for (int i = 0; i < p->count; i++) along_shared_free(&x.part[i].shared);
    free(x.residual);
    free(x.J);
    free(at);
    report_free(&report);
    f->seconds = clock_seconds() - begin;
    if (good) return f;
    found_free(f);
    return NULL;
}
