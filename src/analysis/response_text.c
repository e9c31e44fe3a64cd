// Frequency responses as text, JSON, CSV and pictures.
#include "analysis/response.h"

#include "base/json.h"
#include "base/memory.h"
#include "results/plot.h"
#include <math.h>
#include <stdio.h>

static double pi(void) { return acos(-1); }
static double hertz(double w) { return w / (2 * pi()); }
static double decibel(double gain) { return 20 * log10(gain); }
static double degrees(double angle) { return angle * 180 / pi(); }

ChannelResponse channel_response(const LinearModel *l, int input, int output, double from,
                                 double to, int points, const double *asked, int asked_count) {
    ChannelResponse c = {.input = input, .output = output, .asked_count = asked_count};
    Responder *x = responder_new(l, input, output);
    c.w = response_grid(l, input, output, from, to, points, &c.count);
    c.value = memory_zeroed((size_t)c.count + 1, sizeof *c.value);
    c.asked = memory_zeroed((size_t)asked_count + 1, sizeof *c.asked);
    c.answer = memory_zeroed((size_t)asked_count + 1, sizeof *c.answer);
    double *rounding = memory_zeroed((size_t)c.count + 1, sizeof *rounding);
    for (int i = 0; i < c.count; i++) {
        c.value[i] = response_at(x, c.w[i]);
        rounding[i] = response_rounding(x);
    }
    for (int i = 0; i < asked_count; i++) c.answer[i] = response_at(x, c.asked[i] = asked[i]);
    c.margins = margins_of(l, input, output, x, c.w, c.value, rounding, c.count);
    responder_free(x);
    free(rounding);
    return c;
}

void channel_response_free(ChannelResponse *c) {
    free(c->w);
    free(c->value);
    free(c->asked);
    free(c->answer);
    margins_free(&c->margins);
    *c = (ChannelResponse){0};
}

// --- for people ----------------------------------------------------------------------------------

static void print_point(Text *out, double w, Complex x) {
    text_printf(out, "  %14.8g %14.8g %14.8g %14.8f %14.8f\n", hertz(w), w, cabs(x),
                decibel(cabs(x)), degrees(carg(x)));
}

static void print_peak(Text *out, const Margins *m) {
    if (isinf(m->peak))
        text_printf(
            out,
            "  sensitivity    without bound, at %.8g rad/s: a pole of the closed loop lies on "
            "the boundary of stability\n",
            m->peak_w);
    else if (isinf(m->peak_w))
        text_printf(out, "  sensitivity    at most %.8g, towards high frequencies\n", m->peak);
    else if (m->peak > 0)
        text_printf(out, "  sensitivity    at most %.8g, at %.8g rad/s\n", m->peak, m->peak_w);
}

static void print_margins(Text *out, const LinearModel *l, const Margins *m) {
    text_add(out, "margins of the loop that negative feedback closes around it\n");
    if (m->unstable > 0)
        text_printf(out, "  the closed loop is UNSTABLE: %d pole%s %s\n", m->unstable,
                    m->unstable == 1 ? "" : "s", unstable_place(l));
    for (int i = 0; i < m->gain_count; i++)
        text_printf(out, "  gain margin    %.8f dB (factor %.8g) at %.8g rad/s (%.6g Hz)\n",
                    decibel(m->gain[i].value), m->gain[i].value, m->gain[i].w, hertz(m->gain[i].w));
    if (!m->gain_count)
        text_printf(out, "  gain margin    none: the %s\n",
                    m->real ? "response is real at all frequencies" : "phase never is 180 degrees");
    for (int i = 0; i < m->phase_count; i++)
        text_printf(out, "  phase margin   %.8f deg at %.8g rad/s (%.6g Hz), delay margin %.6g s\n",
                    degrees(m->phase[i].value), m->phase[i].w, hertz(m->phase[i].w),
                    m->phase[i].delay);
    if (!m->phase_count) text_add(out, "  phase margin   none: the gain never is 1\n");
    print_peak(out, m);
}

enum { ROWS = 21 };

void response_print(Text *out, const LinearModel *l, const ChannelResponse *c) {
    const Label *u = &l->input[c->input], *y = &l->output[c->output];
    text_printf(out, "from %s [%s] to %s [%s], at t = %g s%s%s\n", u->name,
                *u->unit ? u->unit : "1", y->name, *y->unit ? y->unit : "1", l->time,
                c->of ? ", " : "", c->of ? c->of : "");
    if (l->period > 0)
        text_printf(out, "discrete, period %.10g s: up to %.8g Hz, half of its frequency\n",
                    l->period, hertz(nyquist_of(l)));
    text_printf(out, "  %14s %14s %14s %14s %14s\n", "Hz", "rad/s", "gain", "dB", "degrees");
    for (int i = 0; i < c->asked_count; i++) print_point(out, c->asked[i], c->answer[i]);
    for (int i = 0; i < ROWS && !c->asked_count && c->count; i++) {
        int at = (int)((long)i * (c->count - 1) / (ROWS - 1));
        print_point(out, c->w[at], c->value[at]);
    }
    print_margins(out, l, &c->margins);
}

// --- JSON and CSV --------------------------------------------------------------------------------

static void json_points(Text *out, const char *key, const double *w, const Complex *value,
                        int count) {
    json_key(out, key);
    json_open(out, '[');
    for (int i = 0; i < count; i++) {
        json_open(out, '{');
        json_number_of(out, "frequency", hertz(w[i]));
        json_number_of(out, "real", creal(value[i]));
        json_number_of(out, "imaginary", cimag(value[i]));
        json_number_of(out, "decibel", decibel(cabs(value[i])));
        json_number_of(out, "phase", degrees(carg(value[i])));
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void json_margins(Text *out, const Margins *m) {
    json_key(out, "gain_margins");
    json_open(out, '[');
    for (int i = 0; i < m->gain_count; i++) {
        json_open(out, '{');
        json_number_of(out, "decibel", decibel(m->gain[i].value));
        json_number_of(out, "w", m->gain[i].w);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_key(out, "phase_margins");
    json_open(out, '[');
    for (int i = 0; i < m->phase_count; i++) {
        json_open(out, '{');
        json_number_of(out, "degrees", degrees(m->phase[i].value));
        json_number_of(out, "w", m->phase[i].w);
        json_number_of(out, "delay", m->phase[i].delay);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_number_of(out, "sensitivity_peak", m->peak);
    json_number_of(out, "sensitivity_w", m->peak_w);
    json_bool_of(out, "closed_loop_on_boundary", isinf(m->peak));
    json_number_of(out, "closed_loop_unstable_poles", m->unstable);
}

void response_json(Text *out, const LinearModel *l, const ChannelResponse *c, int count) {
    json_open(out, '[');
    for (int i = 0; i < count; i++) {
        json_open(out, '{');
        json_text_of(out, "input", l->input[c[i].input].name);
        json_text_of(out, "output", l->output[c[i].output].name);
        if (c[i].of) json_text_of(out, "of", c[i].of);
        if (l->period > 0) json_number_of(out, "period", l->period);
        json_points(out, "asked", c[i].asked, c[i].answer, c[i].asked_count);
        json_points(out, "points", c[i].w, c[i].value, c[i].count);
        json_margins(out, &c[i].margins);
        json_close(out, '}');
    }
    json_close(out, ']');
}

void response_csv(Text *out, const LinearModel *l, const ChannelResponse *c, int count) {
    bool several = count && c[0].of;
    text_printf(out, "input,output,%sfrequency [Hz],real,imaginary,gain [dB],phase [deg]\n",
                several ? "of," : "");
    for (int k = 0; k < count; k++) {
        bool asked = c[k].asked_count > 0;
        for (int i = 0; i < (asked ? c[k].asked_count : c[k].count); i++) {
            Complex x = asked ? c[k].answer[i] : c[k].value[i];
            double row[] = {hertz(asked ? c[k].asked[i] : c[k].w[i]), creal(x), cimag(x),
                            decibel(cabs(x)), degrees(carg(x))};
            text_printf(out, "\"%s\",\"%s\"", l->input[c[k].input].name,
                        l->output[c[k].output].name);
            if (several) text_printf(out, ",\"%s\"", c[k].of);
            for (int j = 0; j < 5; j++) {
                text_char(out, ',');
                text_number(out, row[j]);
            }
            text_char(out, '\n');
        }
    }
}

// --- pictures ------------------------------------------------------------------------------------

typedef struct {
    Arena arena;
    PlotData plot;
    int *count;
} Sheet;

static void curve(Sheet *s, const char *label, const char *unit, const double *x, const double *y,
                  int count) {
    int k = s->plot.curve_count++;
    s->plot.label[k] = label;
    s->plot.unit[k] = unit;
    s->plot.x[k] = x;
    s->plot.y[k] = y;
    s->count[k] = count;
}

// A phase without jumps: each point within half a turn of the one before.
static void add_bode(Sheet *s, const ChannelResponse *c, const char *label) {
    double *x = ARENA_ARRAY(&s->arena, double, c->count + 1);
    double *gain = ARENA_ARRAY(&s->arena, double, c->count + 1);
    double *phase = ARENA_ARRAY(&s->arena, double, c->count + 1), turns = 0;
    for (int i = 0; i < c->count; i++) {
        x[i] = log10(hertz(c->w[i]));
        gain[i] = decibel(cabs(c->value[i]));
        double angle = degrees(carg(c->value[i]));
        if (i) turns = 360 * round((phase[i - 1] - angle) / 360);
        phase[i] = angle + turns;
    }
    curve(s, label, "dB", x, gain, c->count);
    curve(s, label, "deg", x, phase, c->count);
}

static void add_beside(Sheet *s, const Beside *b) {
    double *x = ARENA_ARRAY(&s->arena, double, b->count + 1);
    for (int i = 0; i < b->count; i++) x[i] = log10(b->frequency[i]);
    for (int k = 0; k < b->answers; k++) {
        const char *label = arena_printf(&s->arena, "%s, nonlinear", b->name[k]);
        curve(s, label, "dB", x, b->decibel + k * b->count, b->count);
        curve(s, label, "deg", x, b->phase + k * b->count, b->count);
    }
}

static void add_nyquist(Sheet *s, const ChannelResponse *c, const char *label) {
    double *x = ARENA_ARRAY(&s->arena, double, 2 * c->count + 1);
    double *y = ARENA_ARRAY(&s->arena, double, 2 * c->count + 1);
    for (int i = 0; i < c->count; i++) {
        int mirror = 2 * c->count - 1 - i;
        x[i] = x[mirror] = creal(c->value[i]);
        y[i] = cimag(c->value[i]);
        y[mirror] = -y[i];
    }
    curve(s, label, "", x, y, 2 * c->count);
}

void response_svg(Text *out, const LinearModel *l, const ChannelResponse *c, int count,
                  Picture picture, const Beside *beside) {
    Sheet s = {0};
    int curves = 2 * count + 1 + (beside ? 2 * beside->answers : 0);
    bool bode = picture == PICTURE_BODE;
    s.plot.label = ARENA_ARRAY(&s.arena, const char *, curves);
    s.plot.unit = ARENA_ARRAY(&s.arena, const char *, curves);
    s.plot.x = ARENA_ARRAY(&s.arena, const double *, curves);
    s.plot.y = ARENA_ARRAY(&s.arena, const double *, curves);
    s.plot.count = s.count = ARENA_ARRAY(&s.arena, int, curves);
    s.plot.title = bode ? "Frequency response" : "Nyquist plot";
    s.plot.x_label = bode ? "frequency [Hz]" : "real part";
    s.plot.decades = bode;
    s.plot.footer = l->period > 0
                        ? arena_printf(&s.arena, "discrete linear model at t = %g s, period %g s",
                                       l->time, l->period)
                        : arena_printf(&s.arena, "linear model at t = %g s", l->time);
    for (int i = 0; i < count; i++) {
        const char *label =
            arena_printf(&s.arena, "%s from %s%s%s", l->output[c[i].output].name,
                         l->input[c[i].input].name, c[i].of ? ", " : "", c[i].of ? c[i].of : "");
        if (bode)
            add_bode(&s, &c[i], label);
        else
            add_nyquist(&s, &c[i], label);
    }
    if (beside) add_beside(&s, beside);
    plot_svg(out, &s.plot);
    arena_free(&s.arena);
}
