// Poles, modes and zeros as text and as JSON.
#include "analysis/poles.h"

#include "base/json.h"
#include "base/memory.h"
#include "results/plot.h"
#include <math.h>
#include <stdio.h>

enum { MOST_SHARES = 4 };
static const double SMALL_SHARE = 0.005, ROUNDING = 1e-13;

static void print_complex(Text *out, int width, Complex x) {
    char words[80];
    if (cimag(x) == 0)
        snprintf(words, sizeof words, "%.10g", creal(x));
    else
        snprintf(words, sizeof words, "%.10g %s %.10gi", creal(x), cimag(x) < 0 ? "-" : "+-",
                 fabs(cimag(x)));
    text_printf(out, "%-*s", width, words);
}

// The largest shares, largest first; false: there are none.
static bool print_shares(Text *out, const double *share, const Label *label, int count) {
    double below = INFINITY;
    int told = 0, last = -1;
    while (told < MOST_SHARES) {
        int best = -1;
        for (int i = 0; i < count; i++) {
            bool later = share[i] < below || (share[i] == below && i > last);
            if (later && share[i] > SMALL_SHARE && (best < 0 || share[i] > share[best])) best = i;
        }
        if (best < 0) break;
        text_printf(out, "%s%s %.1f %%", told ? ", " : "", label[best].name, 100 * share[best]);
        told++;
        below = share[best];
        last = best;
    }
    return told > 0;
}

void mode_parts_print(Text *out, const Poles *m, const PoleMode *x) {
    if (print_shares(out, x->storage, m->model->storage, m->model->storages)) return;
    text_add(out, "states: ");
    print_shares(out, x->state, m->model->state, m->model->n);
}

static double fastest(const Poles *m) {
    double most = 0;
    for (int k = 0; k < m->count; k++)
        if (isfinite(m->mode[k].frequency)) most = fmax(most, m->mode[k].frequency);
    return most;
}

static void print_mode(Text *out, const Poles *m, const PoleMode *x) {
    text_add(out, "  ");
    bool still = fabs(creal(x->s)) <= ROUNDING * fastest(m); // it neither grows nor decays
    print_complex(out, 36, still && !(m->model->period > 0) ? I * cimag(x->value) : x->value);
    if (m->model->period > 0) {
        text_printf(out, " %10.7g ", cabs(x->value));
        print_complex(out, 32, x->s);
    }
    text_printf(out, " %13.6g", still && cimag(x->s) == 0 ? 0 : x->frequency / (2 * acos(-1)));
    if (isnan(x->damping) || (still && cimag(x->s) == 0))
        text_printf(out, " %10s", "-");
    else
        text_printf(out, " %10.5f", fabs(x->damping) < 5e-6 ? 0 : x->damping); // never -0.00000
    if (isinf(x->time) || still)
        text_printf(out, " %13s   ", "-");
    else
        text_printf(out, " %13.6g   ", x->time);
    mode_parts_print(out, m, x);
    text_char(out, '\n');
}

static void print_zeros(Text *out, const LinearModel *l, int input, int output) {
    Complex *zero = memory_zeroed((size_t)l->n + 1, sizeof *zero);
    int count = channel_zeros(l, input, output, zero);
    text_printf(out, "zeros from %s to %s:", l->input[input].name, l->output[output].name);
    if (count < 0)
        text_add(out, " the output does not depend on the input");
    else if (count == 0)
        text_add(out, " none");
    for (int k = 0; k < count; k++) {
        if (cimag(zero[k]) < 0) continue;
        text_add(out, k ? ", " : " ");
        print_complex(out, 0, zero[k]);
    }
    text_char(out, '\n');
    free(zero);
}

void poles_print(Text *out, const Poles *m) {
    const LinearModel *l = m->model;
    text_printf(out, "poles of %d state%s at t = %g s", l->n, l->n == 1 ? "" : "s", l->time);
    bool discrete = l->period > 0;
    if (discrete) text_printf(out, ", discrete, period %.10g s", l->period);
    if (m->unstable) text_printf(out, "; %d %s: unstable", m->unstable, unstable_place(l));
    text_printf(out, "\n  %-36s", discrete ? "pole z" : "pole [1/s]");
    if (discrete) text_printf(out, " %10s %-32s", "|z|", "s = ln(z)/T [1/s]");
    text_printf(out, " %13s %10s %13s   %s\n", "frequency [Hz]", "damping", "time [s]",
                "energy in");
    for (int i = 0; i < m->count; i++) print_mode(out, m, &m->mode[i]);
    for (int i = 0; i < l->p; i++)
        for (int j = 0; j < l->m; j++) print_zeros(out, l, j, i);
}

// --- JSON ----------------------------------------------------------------------------------------

static void json_complex(Text *out, Complex x) {
    json_open(out, '[');
    json_number(out, creal(x));
    json_number(out, cimag(x));
    json_close(out, ']');
}

static void json_shares(Text *out, const char *key, const double *share, const Label *label,
                        int count) {
    json_key(out, key);
    json_open(out, '{');
    for (int i = 0; i < count; i++)
        json_number_of(out, label[i].name, isfinite(share[i]) ? share[i] : 0);
    json_close(out, '}');
}

static void json_zeros(Text *out, const LinearModel *l, int input, int output) {
    Complex *zero = memory_zeroed((size_t)l->n + 1, sizeof *zero);
    int count = channel_zeros(l, input, output, zero);
    json_open(out, '{');
    json_text_of(out, "input", l->input[input].name);
    json_text_of(out, "output", l->output[output].name);
    json_key(out, "zeros");
    if (count < 0) {
        json_raw(out, "null");
    } else {
        json_open(out, '[');
        for (int k = 0; k < count; k++) json_complex(out, zero[k]);
        json_close(out, ']');
    }
    json_close(out, '}');
    free(zero);
}

static void json_mode(Text *out, const LinearModel *l, const PoleMode *x) {
    json_open(out, '{');
    json_key(out, "pole");
    json_complex(out, x->value);
    if (l->period > 0) {
        json_number_of(out, "size", cabs(x->value));
        json_key(out, "continuous");
        json_complex(out, x->s);
    }
    json_number_of(out, "frequency", x->frequency / (2 * acos(-1)));
    json_number_of(out, "damping", x->damping);
    json_number_of(out, "time", x->time);
    json_shares(out, "storages", x->storage, l->storage, l->storages);
    json_shares(out, "states", x->state, l->state, l->n);
    json_close(out, '}');
}

void poles_json(Text *out, const Poles *m) {
    const LinearModel *l = m->model;
    json_open(out, '{');
    json_number_of(out, "time", l->time);
    json_number_of(out, "states", l->n);
    if (l->period > 0) json_number_of(out, "period", l->period);
    json_number_of(out, "unstable", m->unstable);
    json_key(out, "modes");
    json_open(out, '[');
    for (int i = 0; i < m->count; i++) json_mode(out, l, &m->mode[i]);
    json_close(out, ']');
    json_key(out, "channels");
    json_open(out, '[');
    for (int i = 0; i < l->p; i++)
        for (int j = 0; j < l->m; j++) json_zeros(out, l, j, i);
    json_close(out, ']');
    json_close(out, '}');
}

// --- files ---------------------------------------------------------------------------------------

void poles_csv(Text *out, const Poles *m) {
    bool discrete = m->model->period > 0;
    text_add(out, discrete ? "real of z,imaginary of z" : "real [1/s],imaginary [1/s]");
    text_add(out, ",frequency [Hz],damping,time [s]");
    text_add(out, discrete ? ",abs of z,period [s]\n" : "\n");
    for (int i = 0; i < m->count; i++) {
        const PoleMode *x = &m->mode[i];
        double row[] = {creal(x->value), cimag(x->value), x->frequency / (2 * acos(-1)),
                        x->damping,      x->time,         cabs(x->value),
                        m->model->period};
        for (int k = 0; k < (discrete ? 7 : 5); k++) {
            if (k) text_char(out, ',');
            if (isfinite(row[k])) text_number(out, row[k]);
        }
        text_char(out, '\n');
    }
}

// A pole is a short cross in the plane; curves are all that a plot can draw.
void poles_svg(Text *out, const Poles *m) {
    Arena arena = {0};
    bool discrete = m->model->period > 0;
    double most = 0;
    for (int i = 0; i < m->count; i++) most = fmax(most, cabs(m->mode[i].value));
    int curves = 2 * m->count;
    int *count = ARENA_ARRAY(&arena, int, curves + 1);
    PlotData p = {.title = "Poles",
                  .x_label = discrete ? "real part of z" : "real part [1/s]",
                  .label = ARENA_ARRAY(&arena, const char *, curves + 1),
                  .unit = ARENA_ARRAY(&arena, const char *, curves + 1),
                  .x = ARENA_ARRAY(&arena, const double *, curves + 1),
                  .y = ARENA_ARRAY(&arena, const double *, curves + 1),
                  .count = count,
                  .footer = arena_printf(&arena, "linear model at t = %g s", m->model->time)};
    for (int i = 0; i < curves; i++) {
        static const double side[] = {-1, 1, 0, 0, 0, 0}, up[] = {0, 0, 0, 1, -1, 0};
        Complex v = m->mode[i / 2].value;
        if (i % 2 && cimag(v) == 0) continue;
        double *x = ARENA_ARRAY(&arena, double, 6), *y = ARENA_ARRAY(&arena, double, 6);
        for (int k = 0; k < 6; k++) {
            x[k] = creal(v) + 0.01 * most * side[k];
            y[k] = (i % 2 ? -1 : 1) * cimag(v) + 0.01 * most * up[k];
        }
        int c = p.curve_count++;
        p.label[c] = arena_printf(&arena, "mode %d", i / 2 + 1);
        p.unit[c] = discrete ? "" : "1/s";
        p.x[c] = x;
        p.y[c] = y;
        count[c] = 6;
    }
    plot_svg(out, &p);
    arena_free(&arena);
}
