// Steps and impulses. Over equal steps h the motion with a constant input is exact,
//
//     [x(t + h); 1] = exp([A, B; 0, 0] h) [x(t); 1],       y = C x + D u
//
// and an impulse is a start at x = B. So nothing is integrated, however stiff A is.
#include "analysis/time_response.h"

#include "base/json.h"
#include "base/memory.h"
#include "numeric/matrix_function.h"
#include "results/plot.h"
#include <math.h>
#include <string.h>

enum { POINTS = 1000 };

bool time_response_exists(const LinearModel *l, int input, bool impulse, Report *r) {
    int rate = -1, direct = -1; // the outputs that the input's rate or the input itself go to
    for (int i = 0; i < l->p; i++) {
        if (l->D1 && l->D1[input * l->p + i] != 0) rate = i;
        if (l->Dz[input * l->p + i] != 0) direct = i;
    }
    if (rate < 0 && !(impulse && direct >= 0)) return true;
    Remark *m =
        report_error(r, A_IMPROPER, l->model->pos,
                     rate >= 0 ? "the rate of '%s' enters '%s': the answer to a step has an impulse"
                               : "'%s' goes through to '%s': the answer to an impulse has one",
                     l->input[input].name, l->output[rate >= 0 ? rate : direct].name);
    remark_help(r, m,
                rate >= 0 ? "take the force or the acceleration as input, not the velocity"
                          : "take the answer to a step, or another output");
    return false;
}

// exp of [A, b; 0, 0] h, row by row.
bool time_propagator(const LinearModel *l, int input, double h, double *P) {
    int n = l->n + 1;
    MatrixShape shape = {.function = MATRIX_EXPM, .n = n};
    double *M = memory_zeroed((size_t)n * (size_t)n, sizeof *M);
    double *work = memory_zeroed(matrix_work_count(shape), sizeof *work);
    for (int i = 0; i < l->n; i++) {
        for (int j = 0; j < l->n; j++) M[i * n + j] = h * l->A[j * l->n + i];
        M[i * n + l->n] = h * l->Bz[input * l->n + i];
    }
    bool good = matrix_compute(shape, M, P, work) == MATRIX_GOOD;
    free(M);
    free(work);
    return good;
}

static void begin(const LinearModel *l, int input, bool impulse, double *x) {
    for (int i = 0; i < l->n; i++) x[i] = impulse ? l->Bz[input * l->n + i] : 0;
    x[l->n] = impulse ? 0 : 1;
}

static void move(int n, const double *P, double *x, double *next) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += P[i * n + j] * x[j];
        next[i] = sum;
    }
    memcpy(x, next, (size_t)n * sizeof *x);
}

static double seen(const LinearModel *l, int input, int output, const double *x) {
    double y = l->Dz[input * l->p + output] * x[l->n];
    for (int j = 0; j < l->n; j++) y += l->C[j * l->p + output] * x[j];
    return y;
}

double time_response_at(const LinearModel *l, int input, int output, bool impulse, double time) {
    int n = l->n + 1;
    double *P = memory_zeroed((size_t)n * (size_t)n, sizeof *P), y = NAN;
    double *x = memory_zeroed(2 * (size_t)n, sizeof *x);
    begin(l, input, impulse, x);
    if (time_propagator(l, input, time, P)) {
        move(n, P, x, x + n);
        y = seen(l, input, output, x);
    }
    free(P);
    free(x);
    return y;
}

// The states that an output depends on, by what A and C are made of: meters that nothing reads do not count. Gives their
// matrix, column by column, and numbers; free both.
static int seen_part(const LinearModel *l, int output, double **part, int **number) {
    bool *in = memory_zeroed((size_t)l->n + 1, sizeof *in), more = true;
    for (int j = 0; j < l->n; j++) in[j] = l->C[j * l->p + output] != 0;
    while (more) {
        more = false;
        for (int j = 0; j < l->n; j++)
            for (int i = 0; i < l->n && !in[j]; i++)
                if (in[i] && l->A[j * l->n + i] != 0) in[j] = more = true;
    }
    int n = 0;
    *number = memory_zeroed((size_t)l->n + 1, sizeof **number);
    for (int j = 0; j < l->n; j++)
        if (in[j]) (*number)[n++] = j;
    *part = memory_zeroed((size_t)n * (size_t)n + 1, sizeof **part);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) (*part)[j * n + i] = l->A[(*number)[j] * l->n + (*number)[i]];
    free(in);
    return n;
}

int seen_poles(const LinearModel *l, int output, Complex *pole) {
    double *A;
    int *number, n = seen_part(l, output, &A, &number);
    bool good = dense_eigen(n, A, pole, NULL, NULL);
    free(A);
    free(number);
    return good ? n : -1;
}

// Seven time constants of the slowest mode that decays; of one that does not, some periods.
static double usual_span(const LinearModel *l, int output) {
    Complex *pole = memory_zeroed((size_t)l->n + 1, sizeof *pole);
    double span = 0, largest = 0;
    int n = seen_poles(l, output, pole);
    for (int i = 0; i < n; i++) largest = fmax(largest, cabs(pole[i]));
    for (int i = 0; i < n; i++) {
        double decay = -creal(pole[i]), size = cabs(pole[i]);
        if (size <= 1e-9 * largest) continue; // an integrator
        span = fmax(span, decay > 1e-3 * size ? 7 / decay : 40 / size);
    }
    free(pole);
    return span > 0 ? span : 1;
}

// Where the answer to a step ends: D - C A^-1 B; NaN where a mode does not decay.
static double final_value(const LinearModel *l, int input, int output) {
    double *A, y = NAN;
    int *number, n = seen_part(l, output, &A, &number);
    double *b = memory_zeroed((size_t)n + 1, sizeof *b);
    Complex *pole = memory_zeroed((size_t)n + 1, sizeof *pole);
    bool stable = dense_eigen(n, A, pole, NULL, NULL);
    for (int i = 0; i < n; i++) stable = stable && creal(pole[i]) < 0;
    for (int i = 0; i < n; i++) b[i] = l->Bz[input * l->n + number[i]];
    if (stable && dense_solve(n, A, 1, b)) {
        y = l->Dz[input * l->p + output];
        for (int j = 0; j < n; j++) y -= l->C[number[j] * l->p + output] * b[j];
    }
    free(A);
    free(number);
    free(b);
    free(pole);
    return y;
}

TimeResponse time_response(const LinearModel *l, int input, int output, bool impulse, double to) {
    TimeResponse t = {.input = input, .output = output, .impulse = impulse, .count = POINTS + 1};
    int n = l->n + 1;
    double span = to > 0 ? to : usual_span(l, output), h = span / POINTS;
    double *P = memory_zeroed((size_t)n * (size_t)n, sizeof *P);
    double *x = memory_zeroed(2 * (size_t)n, sizeof *x);
    t.time = memory_zeroed((size_t)t.count, sizeof *t.time);
    t.value = memory_zeroed((size_t)t.count, sizeof *t.value);
    bool good = time_propagator(l, input, h, P);
    begin(l, input, impulse, x);
    for (int i = 0; i < t.count; i++) {
        t.time[i] = i * h;
        t.value[i] = good ? seen(l, input, output, x) : NAN;
        if (good) move(n, P, x, x + n);
    }
    t.last = impulse ? (double)NAN : final_value(l, input, output);
    step_figures(l, &t);
    free(P);
    free(x);
    return t;
}

void time_response_free(TimeResponse *t) {
    free(t->time);
    free(t->value);
    *t = (TimeResponse){0};
}

// --- telling -------------------------------------------------------------------------------------

static const char *word(const TimeResponse *t) { return t->impulse ? "impulse" : "step"; }

void time_response_print(Text *out, const LinearModel *l, const TimeResponse *t) {
    enum { ROWS = 20 };
    const Label *u = &l->input[t->input], *y = &l->output[t->output];
    text_printf(out, "answer of %s [%s] to a unit %s of %s [%s], linear model at t = %g s\n",
                y->name, *y->unit ? y->unit : "1", word(t), u->name, *u->unit ? u->unit : "1",
                l->time);
    for (int i = 0; i < t->count; i += (t->count - 1) / ROWS)
        text_printf(out, "  %14.8g %16.10g\n", t->time[i], t->value[i]);
    if (t->impulse) return;
    if (!isfinite(t->last)) {
        text_add(out, "  it does not come to rest: a mode does not decay\n");
        return;
    }
    text_printf(out, "  comes to rest at %.10g", t->last);
    if (isfinite(t->overshoot)) text_printf(out, ", overshoot %.4g %%", 100 * t->overshoot);
    if (isfinite(t->rise)) text_printf(out, ", rises in %.4g s", t->rise);
    if (isfinite(t->settle)) text_printf(out, ", within 2 %% after %.4g s", t->settle);
    text_char(out, '\n');
}

void time_response_json(Text *out, const LinearModel *l, const TimeResponse *t, int count) {
    json_open(out, '[');
    for (int k = 0; k < count; k++) {
        json_open(out, '{');
        json_text_of(out, "input", l->input[t[k].input].name);
        json_text_of(out, "output", l->output[t[k].output].name);
        json_text_of(out, "kind", word(&t[k]));
        json_number_of(out, "last", t[k].last);
        json_number_of(out, "overshoot", t[k].overshoot);
        json_number_of(out, "rise", t[k].rise);
        json_number_of(out, "settle", t[k].settle);
        for (int part = 0; part < 2; part++) {
            json_key(out, part ? "value" : "time");
            json_open(out, '[');
            for (int i = 0; i < t[k].count; i++)
                json_number(out, part ? t[k].value[i] : t[k].time[i]);
            json_close(out, ']');
        }
        json_close(out, '}');
    }
    json_close(out, ']');
}

void time_response_csv(Text *out, const LinearModel *l, const TimeResponse *t, int count) {
    text_add(out, "input,output,time [s],value\n");
    for (int k = 0; k < count; k++)
        for (int i = 0; i < t[k].count; i++) {
            text_printf(out, "\"%s\",\"%s\",", l->input[t[k].input].name,
                        l->output[t[k].output].name);
            text_number(out, t[k].time[i]);
            text_char(out, ',');
            text_number(out, t[k].value[i]);
            text_char(out, '\n');
        }
}

void time_response_svg(Text *out, const LinearModel *l, const TimeResponse *t, int count) {
    Arena arena = {0};
    int *points = ARENA_ARRAY(&arena, int, count + 1);
    PlotData p = {.title = count && t[0].impulse ? "Impulse response" : "Step response",
                  .x_label = "time [s]",
                  .curve_count = count,
                  .label = ARENA_ARRAY(&arena, const char *, count + 1),
                  .unit = ARENA_ARRAY(&arena, const char *, count + 1),
                  .x = ARENA_ARRAY(&arena, const double *, count + 1),
                  .y = ARENA_ARRAY(&arena, const double *, count + 1),
                  .count = points,
                  .footer = arena_printf(&arena, "linear model at t = %g s", l->time)};
    for (int k = 0; k < count; k++) {
        p.label[k] = arena_printf(&arena, "%s from %s", l->output[t[k].output].name,
                                  l->input[t[k].input].name);
        p.unit[k] = l->output[t[k].output].unit;
        p.x[k] = t[k].time;
        p.y[k] = t[k].value;
        points[k] = t[k].count;
    }
    plot_svg(out, &p);
    arena_free(&arena);
}
