// See tornado.h. What a parameter does is told for a change of it by one per cent, so that parameters
// of different units compare.
#include "sensitivity/tornado.h"

#include "base/json.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

// --- making --------------------------------------------------------------------------------------

static const char *unit_of(Arena *out, Dim dim) {
    Text t = {0};
    if (dim.known && !dim_is_one(dim)) dim_print(&t, dim);
    const char *unit = arena_printf(out, "%s", text_get(&t));
    text_free(&t);
    return unit;
}

static void name_all(Sensitivities *s, const Along *a, const Signal *signal, const int *parameter) {
    const Model *m = a->job.model;
    s->signal = ARENA_ARRAY(&s->arena, const char *, s->signals + 1);
    s->signal_unit = ARENA_ARRAY(&s->arena, const char *, s->signals + 1);
    s->parameter = ARENA_ARRAY(&s->arena, const char *, s->parameters + 1);
    s->parameter_unit = ARENA_ARRAY(&s->arena, const char *, s->parameters + 1);
    s->value = ARENA_ARRAY(&s->arena, double, s->parameters + 1);
    for (int i = 0; i < s->signals; i++) {
        s->signal[i] = arena_printf(&s->arena, "%s", name_text(m->names, signal[i].label));
        const char *unit = signal[i].unit ? name_text(m->names, signal[i].unit) : "";
        s->signal_unit[i] = arena_printf(&s->arena, "%s", unit);
        for (int v = 0; v < m->var_count; v++)
            if (m->var[v].symbol == signal[i].what)
                s->signal_unit[i] = unit_of(&s->arena, m->var[v].dim);
    }
    for (int j = 0; j < s->parameters; j++) {
        const Var *v = &m->var[parameter[j]];
        s->parameter[j] = arena_printf(&s->arena, "%s", name_text(m->names, v->path));
        s->parameter_unit[j] = unit_of(&s->arena, v->dim);
        expr_is_number(m->dag, v->value, &s->value[j]);
        for (int k = 0; k < a->job.options->set_count; k++)
            if (a->job.options->set_var[k] == parameter[j])
                s->value[j] = a->job.options->set_value[k];
    }
}

static void take_rows(Sensitivities *s, const Along *a) {
    TimesCursor c = {0};
    double time;
    bool row;
    s->time = ARENA_ARRAY(&s->arena, double, a->points + 1);
    while (times_next(&a->job.times, &c, &time, &row))
        if (row) s->time[s->rows++] = time;
    size_t count = (size_t)s->rows * (size_t)s->signals * (size_t)s->parameters;
    s->slope = ARENA_ARRAY(&s->arena, double, count + 1);
}

bool sensitivity_wanted(const Experiment *x) {
    return x && x->aims.sensitive_count && x->aims.by_count;
}

Sensitivities *sensitivities_run(const System *system, const RunOptions *o, const Signal *signal,
                                 int signals, const int *parameter, int parameters, Report *r) {
    Sensitivities *s = memory_zeroed(1, sizeof *s);
    Expr *watch = ARENA_ARRAY(&s->arena, Expr, signals + 1);
    int *output = ARENA_ARRAY(&s->arena, int, signals + 1);
    RunOptions own = *o;
    Along a;
    for (int i = 0; i < signals; i++) watch[i] = signal[i].what;
    own.watch = watch;
    own.watch_count = signals;
    own.rows = NULL;
    s->signals = signals;
    s->parameters = parameters;
    bool good = along_run(&a, system, &own, NULL, r);
    if (good) {
        name_all(s, &a, signal, parameter);
        take_rows(s, &a);
        for (int i = 0; i < signals; i++)
            output[i] = outputs_add(&a.job.outputs, job_form(&a.job, watch[i]));
        good = along_rows(&a, output, signals, parameter, parameters, s->slope);
    }
    along_close(&a);
    if (good) return s;
    sensitivities_free(s);
    return NULL;
}

void sensitivities_free(Sensitivities *s) {
    if (!s) return;
    arena_free(&s->arena);
    free(s);
}

// --- telling -------------------------------------------------------------------------------------

static double slope_at(const Sensitivities *s, int row, int signal, int parameter) {
    return s->slope[((size_t)row * (size_t)s->signals + (size_t)signal) * (size_t)s->parameters +
                    (size_t)parameter];
}

static double largest(const Sensitivities *s, int signal, int parameter, double *when) {
    double most = 0;
    *when = s->time[0];
    for (int row = 0; row < s->rows; row++) {
        double x = fabs(slope_at(s, row, signal, parameter));
        if (x > most) most = x, *when = s->time[row];
    }
    return most;
}

// The parameters, the one with the largest effect at the end first.
static void order_of(const Sensitivities *s, int signal, int *order) {
    for (int j = 0; j < s->parameters; j++) {
        double much = fabs(slope_at(s, s->rows - 1, signal, j) * s->value[j]);
        int at = j;
        for (; at > 0; at--) {
            double other =
                fabs(slope_at(s, s->rows - 1, signal, order[at - 1]) * s->value[order[at - 1]]);
            if (other >= much) break;
            order[at] = order[at - 1];
        }
        order[at] = j;
    }
}

void sensitivities_print(Text *out, const Sensitivities *s) {
    int *order = memory_zeroed((size_t)s->parameters + 1, sizeof *order);
    for (int i = 0; i < s->signals; i++) {
        text_printf(out, "%s%s%s%s: by 1 %% more of\n", s->signal[i],
                    *s->signal_unit[i] ? " [" : "", s->signal_unit[i],
                    *s->signal_unit[i] ? "]" : "");
        order_of(s, i, order);
        for (int k = 0; k < s->parameters; k++) {
            int j = order[k];
            double when, most = largest(s, i, j, &when), end = slope_at(s, s->rows - 1, i, j);
            text_printf(out,
                        "  %-24s at the end %+12.5g, at most %12.5g at %.4g s   (slope %.8g)\n",
                        s->parameter[j], 0.01 * s->value[j] * end, fabs(0.01 * s->value[j]) * most,
                        when, end);
        }
    }
    free(order);
}

void sensitivities_json(Text *out, const Sensitivities *s) {
    json_open(out, '[');
    for (int i = 0; i < s->signals; i++)
        for (int j = 0; j < s->parameters; j++) {
            double when, most = largest(s, i, j, &when);
            json_open(out, '{');
            json_text_of(out, "of", s->signal[i]);
            json_text_of(out, "to", s->parameter[j]);
            json_number_of(out, "end", slope_at(s, s->rows - 1, i, j));
            json_number_of(out, "largest", most);
            json_number_of(out, "at", when);
            json_number_of(out, "parameter", s->value[j]);
            json_close(out, '}');
        }
    json_close(out, ']');
}

void sensitivities_csv(Text *out, const Sensitivities *s) {
    text_add(out, "time [s]");
    for (int i = 0; i < s->signals; i++)
        for (int j = 0; j < s->parameters; j++)
            text_printf(out, ",\"d(%s)/d(%s)\"", s->signal[i], s->parameter[j]);
    text_char(out, '\n');
    for (int row = 0; row < s->rows; row++) {
        text_printf(out, "%.17g", s->time[row]);
        for (int i = 0; i < s->signals; i++)
            for (int j = 0; j < s->parameters; j++)
                text_printf(out, ",%.17g", slope_at(s, row, i, j));
        text_char(out, '\n');
    }
}

void sensitivities_plot(Text *svg, const Sensitivities *s, int signal) {
    Arena tmp = {0};
    int n = s->parameters;
    const char **label = ARENA_ARRAY(&tmp, const char *, n + 1);
    const char **unit = ARENA_ARRAY(&tmp, const char *, n + 1);
    const double **x = ARENA_ARRAY(&tmp, const double *, n + 1);
    const double **y = ARENA_ARRAY(&tmp, const double *, n + 1);
    int *count = ARENA_ARRAY(&tmp, int, n + 1);
    for (int j = 0; j < n; j++) {
        double *to = ARENA_ARRAY(&tmp, double, s->rows + 1);
        for (int row = 0; row < s->rows; row++)
            to[row] = 0.01 * s->value[j] * slope_at(s, row, signal, j);
        label[j] = s->parameter[j];
        unit[j] = s->signal_unit[signal];
        x[j] = s->time;
        y[j] = to;
        count[j] = s->rows;
    }
    PlotData p = {.title =
                      arena_printf(&tmp, "%s by 1 %% more of each parameter", s->signal[signal]),
                  .x_label = "time [s]",
                  .curve_count = n,
                  .label = label,
                  .unit = unit,
                  .x = x,
                  .y = y,
                  .count = count};
    plot_svg(svg, &p);
    arena_free(&tmp);
}

void tornado_svg(Text *svg, const Sensitivities *s, int signal) {
    enum { WIDTH = 640, BAR = 22, TOP = 46, LEFT = 190, NUMBERS = 90 };
    int n = s->parameters, height = TOP + n * (BAR + 8) + 30;
    int *order = memory_zeroed((size_t)n + 1, sizeof *order);
    order_of(s, signal, order);
    double most = fabs(slope_at(s, s->rows - 1, signal, order[0]) * s->value[order[0]]);
    text_printf(svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                "height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"24\">",
                WIDTH, height, WIDTH, height, 16);
    text_xml(svg, s->signal[signal]);
    if (*s->signal_unit[signal]) text_printf(svg, " [%s]", s->signal_unit[signal]);
    text_printf(svg, " at %.6g s, by 1 %% more (dark) and less (light)</text>\n",
                s->time[s->rows - 1]);
    double middle = LEFT + (WIDTH - LEFT - NUMBERS) / 2.0,
           half = (WIDTH - LEFT - NUMBERS) / 2.0 - 8;
    for (int k = 0; k < n; k++) {
        int j = order[k];
        double x = slope_at(s, s->rows - 1, signal, j) * s->value[j], y = TOP + k * (BAR + 8);
        double wide = most > 0 ? fabs(x) / most * half : 0;
        text_printf(svg, "<text x=\"%d\" y=\"%g\" text-anchor=\"end\">", LEFT - 8, y + 16);
        text_xml(svg, s->parameter[j]);
        text_printf(svg,
                    "</text>\n<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%d\" "
                    "fill=\"%s\"/>\n<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%d\" "
                    "fill=\"%s\"/>\n<text x=\"%d\" y=\"%g\" text-anchor=\"end\">%+.3g</text>\n",
                    middle - wide, y, wide, BAR, x < 0 ? "#0072B2" : "#9ecae1", middle, y, wide,
                    BAR, x < 0 ? "#9ecae1" : "#0072B2", WIDTH - 8, y + 16, 0.01 * x);
    }
    text_printf(svg, "<line x1=\"%g\" x2=\"%g\" y1=\"%d\" y2=\"%d\" stroke=\"black\"/>\n</svg>\n",
                middle, middle, TOP - 6, height - 26);
    free(order);
}
