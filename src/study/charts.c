// Pictures of a study.
//
//     fan        a signal over time, of random draws: median, quartiles, 5 % and 95 % of the runs
//     curves     a signal over time, of a sweep: a curve for every run, coloured by the value of the first factor
//     response   an outcome against the only factor
//     surface    an outcome over the first two factors, as a map of colours; its mean over the others
//     histogram  an outcome of random draws
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIGNALS = 12, BANDS = 5 };
static const double band[BANDS] = {0.05, 0.25, 0.5, 0.75, 0.95};

typedef struct {
    Arena *out;
    const Study *s;
    const StudyPlan *p;
    Chart *chart;
    int count;
} Drawing;

// --- help ----------------------------------------------------------------------------------------

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, int n, double u) {
    double at = u * (n - 1);
    int i = (int)floor(at);
    return i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

static const char *file_name(Arena *out, const char *signal, const char *kind) {
    char *name = arena_printf(out, "%s_%s.svg", signal, kind);
    for (char *c = name; *c; c++)
        if (strchr("/\\ ()[],:", *c)) *c = '_';
    return name;
}

static const char *axis_label(Arena *out, const char *name, const char *unit) {
    return *unit ? arena_printf(out, "%s [%s]", name, unit) : name;
}

static double outcome_at(const Study *s, int run, int signal, int outcome) {
    return s
        ->outcome[((size_t)run * (size_t)s->signals + (size_t)signal) * OUTCOMES + (size_t)outcome];
}

static Text *new_chart(Drawing *d, int signal, const char *kind) {
    Chart *c = &d->chart[d->count++];
    *c = (Chart){.file = file_name(d->out, d->s->name[signal], kind)};
    return &c->svg;
}

// --- fan -----------------------------------------------------------------------------------------

static void fan_chart(Drawing *d, int signal) {
    const Study *s = d->s;
    static const char *const words[BANDS] = {"5 %", "25 %", "median", "75 %", "95 %"};
    const char *unit[BANDS];
    const double *x[BANDS], *y[BANDS];
    double *curve[BANDS], *all = ARENA_ARRAY(d->out, double, s->runs);
    int count[BANDS];
    for (int b = 0; b < BANDS; b++) {
        y[b] = curve[b] = ARENA_ARRAY(d->out, double, s->rows);
        x[b] = s->time;
        unit[b] = s->unit[signal];
        count[b] = s->rows;
    }
    for (int row = 0; row < s->rows; row++) {
        int n = 0;
        for (int run = 0; run < s->runs; run++)
            if (s->state[run] == RUN_DONE) all[n++] = study_rows(s, run, signal)[row];
        qsort(all, (size_t)n, sizeof *all, by_size);
        for (int b = 0; b < BANDS; b++) curve[b][row] = quantile(all, n, band[b]);
    }
    PlotData plot = {.title = arena_printf(d->out, "%s of %d runs", s->name[signal], s->done),
                     .x_label = "time [s]",
                     .curve_count = BANDS,
                     .label = (const char **)words,
                     .unit = unit,
                     .x = x,
                     .y = y,
                     .count = count};
    plot_svg(new_chart(d, signal, "fan"), &plot);
}

// From dark blue over green to yellow, as the eye orders light.
static void colour_of(double u, int rgb[3]) {
    static const double stop[5][3] = {
        {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    double at = fmin(fmax(u, 0), 1) * 4;
    int i = at < 4 ? (int)at : 3;
    for (int k = 0; k < 3; k++)
        rgb[k] = (int)lround(stop[i][k] + (at - i) * (stop[i + 1][k] - stop[i][k]));
}

// --- curves --------------------------------------------------------------------------------------

// "k = 20 N/m, d = 2 N.s/m": what is different in a run.
static const char *run_label(Drawing *d, int run) {
    const StudyPlan *p = d->p;
    Text t = {0};
    for (int i = 0; i < p->factor_count; i++) {
        const Factor *f = &p->factor[i];
        text_printf(&t, "%s%s = %.6g%s%s", i ? ", " : "", f->name,
                    d->s->factor[(size_t)run * (size_t)p->factor_count + (size_t)i],
                    *f->unit ? " " : "", f->unit);
    }
    const char *label = arena_copy_text(d->out, text_get(&t), t.length);
    text_free(&t);
    return label;
}

// Runs of a sweep are no sample of anything, so each has a curve of its own: its colour goes by the
// value of the first factor, its values stand in the legend and beside the curve when it is pointed
// at. Of very many runs some are shown, evenly.
static void curves_chart(Drawing *d, int signal) {
    enum { MOST_CURVES = 60, MOST_NAMED = 12 };
    const Study *s = d->s;
    const Factor *first = d->p->factor;
    int every = (s->runs + MOST_CURVES - 1) / MOST_CURVES, n = 0;
    const char **label = ARENA_ARRAY(d->out, const char *, MOST_CURVES);
    const char **unit = ARENA_ARRAY(d->out, const char *, MOST_CURVES);
    const char **colour = ARENA_ARRAY(d->out, const char *, MOST_CURVES);
    const double **x = ARENA_ARRAY(d->out, const double *, MOST_CURVES);
    const double **y = ARENA_ARRAY(d->out, const double *, MOST_CURVES);
    int *count = ARENA_ARRAY(d->out, int, MOST_CURVES);
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < first->level_count; k++) {
        least = fmin(least, first->level[k]);
        most = fmax(most, first->level[k]);
    }
    for (int run = 0; run < s->runs; run += every) {
        if (s->state[run] != RUN_DONE) continue;
        double value = s->factor[(size_t)run * (size_t)d->p->factor_count];
        int c[3];
        colour_of(most > least ? 0.92 * (value - least) / (most - least) : 0, c);
        label[n] = run_label(d, run);
        unit[n] = s->unit[signal];
        colour[n] = arena_printf(d->out, "#%02x%02x%02x", c[0], c[1], c[2]);
        x[n] = s->time;
        y[n] = study_rows(s, run, signal);
        count[n++] = s->rows;
    }
    PlotData plot = {.title =
                         arena_printf(d->out, "%s, %d of %d runs", s->name[signal], n, s->runs),
                     .x_label = "time [s]",
                     .curve_count = n,
                     .label = label,
                     .unit = unit,
                     .colour = colour,
                     .legend_every = (n + MOST_NAMED - 1) / MOST_NAMED,
                     .x = x,
                     .y = y,
                     .count = count};
    plot_svg(new_chart(d, signal, "curves"), &plot);
}

// --- response, histogram -------------------------------------------------------------------------

static void one_curve(Drawing *d, int signal, const char *kind, const char *x_label,
                      const char *label, const char *unit, const double *x, const double *y,
                      int n) {
    PlotData plot = {.title = arena_printf(d->out, "%s, %s", d->s->name[signal], kind),
                     .x_label = x_label,
                     .curve_count = 1,
                     .label = &label,
                     .unit = &unit,
                     .x = &x,
                     .y = &y,
                     .count = &n};
    plot_svg(new_chart(d, signal, kind), &plot);
}

static void response_chart(Drawing *d, int signal, int outcome) {
    const Study *s = d->s;
    const Factor *f = d->p->factor;
    double *x = ARENA_ARRAY(d->out, double, s->runs), *y = ARENA_ARRAY(d->out, double, s->runs);
    int n = 0;
    for (int i = 0; i < s->runs; i++) {
        if (s->state[i] != RUN_DONE) continue;
        x[n] = s->factor[i];
        y[n++] = outcome_at(s, i, signal, outcome);
    }
    one_curve(d, signal, outcome_name[outcome], axis_label(d->out, f->name, f->unit),
              s->name[signal], s->unit[signal], x, y, n);
}

// Steps: every bin gives two points of the outline.
static void histogram(Drawing *d, int signal, int outcome) {
    const Study *s = d->s;
    Summary m = study_summary(s, signal, outcome);
    if (!(m.most > m.least)) return;
    int bins = (int)fmin(fmax(ceil(sqrt(m.count)), 5), 60);
    double *many = ARENA_ARRAY(d->out, double, bins), width = (m.most - m.least) / bins;
    for (int i = 0; i < s->runs; i++) {
        if (s->state[i] != RUN_DONE) continue;
        int k = (int)((outcome_at(s, i, signal, outcome) - m.least) / width);
        many[k < bins ? k : bins - 1] += 1;
    }
    int n = 2 * bins + 2;
    double *x = ARENA_ARRAY(d->out, double, n), *y = ARENA_ARRAY(d->out, double, n);
    for (int k = 0; k <= bins; k++) {
        x[2 * k] = x[2 * k + 1] = m.least + k * width;
        y[2 * k] = k > 0 ? many[k - 1] : 0;
        y[2 * k + 1] = k < bins ? many[k] : 0;
    }
    one_curve(d, signal, arena_printf(d->out, "histogram_%s", outcome_name[outcome]),
              axis_label(d->out,
                         arena_printf(d->out, "%s(%s)", outcome_name[outcome], s->name[signal]),
                         s->unit[signal]),
              "runs", "", x, y, n);
}

// --- surface -------------------------------------------------------------------------------------

static void surface_legend(Text *t, double least, double most) {
    for (int i = 0; i < 50; i++) {
        int c[3];
        colour_of(i / 49.0, c);
        text_printf(
            t, "<rect x=\"520\" y=\"%g\" width=\"20\" height=\"7.1\" fill=\"rgb(%d,%d,%d)\"/>\n",
            393 - 7.0 * i, c[0], c[1], c[2]);
    }
    text_printf(t, "<text x=\"546\" y=\"60\">%.4g</text><text x=\"546\" y=\"400\">%.4g</text>\n",
                most, least);
}

static void surface_words(Drawing *d, Text *t, int signal, int outcome) {
    const Factor *f = d->p->factor;
    text_add(t, "<text x=\"70\" y=\"28\" font-size=\"15\" font-weight=\"bold\">");
    text_printf(t, "%s(", outcome_name[outcome]);
    text_xml(t, axis_label(d->out, d->s->name[signal], d->s->unit[signal]));
    text_add(t, ")</text>\n<text x=\"285\" y=\"440\" text-anchor=\"middle\">");
    text_xml(t, axis_label(d->out, f[1].name, f[1].unit));
    text_add(t,
             "</text>\n<text transform=\"translate(20 225) rotate(-90)\" text-anchor=\"middle\">");
    text_xml(t, axis_label(d->out, f[0].name, f[0].unit));
    text_add(t, "</text>\n");
    text_printf(t,
                "<text x=\"70\" y=\"418\">%.4g</text><text x=\"500\" y=\"418\" "
                "text-anchor=\"end\">%.4g</text>\n<text x=\"64\" y=\"400\" "
                "text-anchor=\"end\">%.4g</text><text x=\"64\" y=\"60\" "
                "text-anchor=\"end\">%.4g</text>\n",
                f[1].level[0], f[1].level[f[1].level_count - 1], f[0].level[0],
                f[0].level[f[0].level_count - 1]);
}

// A full grid: the last factor changes from run to run.
static bool is_grid(const StudyPlan *p) {
    double cells = 1;
    for (int i = 0; i < p->factor_count; i++) cells *= p->factor[i].level_count;
    return p->factor_count > 1 && cells == p->runs && p->runs <= 40000;
}

static double cell_mean(const Study *s, int first, int count, int signal, int outcome) {
    double sum = 0;
    int n = 0;
    for (int i = first; i < first + count; i++) {
        if (s->state[i] != RUN_DONE) continue;
        sum += outcome_at(s, i, signal, outcome);
        n++;
    }
    return n ? sum / n : NAN;
}

static void surface_chart(Drawing *d, int signal, int outcome) {
    const Study *s = d->s;
    int rows = d->p->factor[0].level_count, columns = d->p->factor[1].level_count;
    int each = d->p->runs / (rows * columns);
    double least = INFINITY, most = -INFINITY, *cell = ARENA_ARRAY(d->out, double, rows *columns);
    for (int i = 0; i < rows * columns; i++) {
        cell[i] = cell_mean(s, i * each, each, signal, outcome);
        least = fmin(least, cell[i]);
        most = fmax(most, cell[i]);
    }
    Text *t = new_chart(d, signal, outcome_name[outcome]);
    text_add(t, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 460\" width=\"640\" "
                "font-family=\"sans-serif\" font-size=\"12\">\n"
                "<rect width=\"640\" height=\"460\" fill=\"#fff\"/>\n");
    double w = 430.0 / columns, h = 350.0 / rows;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++) {
            double x = cell[i * columns + k];
            int c[3] = {230, 230, 230}; // not made, or failed
            if (isfinite(x)) colour_of(most > least ? (x - least) / (most - least) : 0.5, c);
            text_printf(t,
                        "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                        "fill=\"rgb(%d,%d,%d)\"/>\n",
                        70 + k * w, 400 - (i + 1) * h, w + 0.3, h + 0.3, c[0], c[1], c[2]);
        }
    surface_legend(t, least, most);
    surface_words(d, t, signal, outcome);
    text_add(t, "</svg>\n");
}

// --- all -----------------------------------------------------------------------------------------

int study_charts(Arena *out, const Study *s, const StudyPlan *p, Chart **chart) {
    int signals = s->signals < MOST_SIGNALS ? s->signals : MOST_SIGNALS;
    Drawing d = {out, s, p, ARENA_ARRAY(out, Chart, signals * (1 + OUTCOMES)), 0};
    *chart = d.chart;
    if (!s->done) return 0;
    for (int i = 0; i < signals; i++) {
        if (p->random)
            fan_chart(&d, i);
        else
            curves_chart(&d, i);
        for (int k = 0; k < OUTCOMES; k++) {
            if (p->random)
                histogram(&d, i, k);
            else if (p->factor_count == 1)
                response_chart(&d, i, k);
            else if (is_grid(p))
                surface_chart(&d, i, k);
        }
    }
    return d.count;
}
