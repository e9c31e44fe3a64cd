// What was found, for people and as JSON.
#include "optimise/optimise.h"

#include "base/json.h"
#include "results/plot.h"
#include <math.h>

bool found_at_bound(const FreeFound *x) {
    double near = 1e-6 * (x->to - x->from);
    return x->value <= x->from + near || x->value >= x->to - near;
}

static void print_free(Text *out, const Found *f) {
    for (int i = 0; i < f->count; i++) {
        const FreeFound *x = &f->free[i];
        text_printf(out, "  %-20s %14.8g", x->name, x->value / x->scale);
        if (isfinite(x->half)) text_printf(out, " +- %-10.3g", x->half / x->scale);
        text_printf(out, " %s", x->unit);
        text_printf(out, "%s(was %.6g", *x->unit ? " " : "", x->first / x->scale);
        if (isfinite(x->from) || isfinite(x->to))
            text_printf(out, ", from %.6g to %.6g", x->from / x->scale, x->to / x->scale);
        text_printf(out, ")%s\n", found_at_bound(x) ? ", at its bound" : "");
    }
}

static void print_correlations(Text *out, const Found *f) {
    int n = f->count;
    bool any = false;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double c = f->correlation[i * n + j];
            if (!(fabs(c) > 0.9)) continue;
            text_printf(out, "%s%s and %s go together (correlation %.3f)",
                        any ? "; " : "correlated   ", f->free[i].name, f->free[j].name, c);
            any = true;
        }
    text_add(out, any ? "\n" : "correlated   no two parameters by more than 0.9\n");
}

void found_print(Text *out, const Found *f) {
    if (f->text) {
        text_printf(out, "%s   %s = %.8g (was %.8g)\n", f->most ? "largest  " : "least    ",
                    f->text, f->objective, f->first);
    } else {
        text_printf(out, "fitted       to %d data; what is left is %.4g deviations (was %.4g)%s\n",
                    f->data, f->deviation, f->first_deviation,
                    f->estimated ? ", which are estimated" : "");
    }
    print_free(out, f);
    for (int k = 0; k < f->limits; k++)
        text_printf(out, "  subject to %s: %s\n", f->limit[k].text,
                    !f->limit[k].met     ? "NOT MET"
                    : f->limit[k].active ? "holds, and is what limits it"
                                         : "holds");
    if (f->correlation) print_correlations(out, f);
    text_printf(out, "search       %d runs", f->runs);
    if (f->kept) text_printf(out, " (%d of them known from before)", f->kept);
    text_printf(out, ", %.3g s, %s slopes; %s\n", f->seconds, f->gradient,
                f->interrupted ? "INTERRUPTED: the same command goes on from here" : f->why);
    if (f->starts > 1)
        text_printf(out, "starts       %d ended well, %d of them here\n", f->starts, f->agreed);
}

static void number_or_null(Text *out, const char *key, double x) {
    if (isfinite(x)) json_number_of(out, key, x);
}

static void limits_json(Text *out, const Found *f) {
    json_key(out, "constraints");
    json_open(out, '[');
    for (int k = 0; k < f->limits; k++) {
        json_open(out, '{');
        json_text_of(out, "text", f->limit[k].text);
        json_bool_of(out, "met", f->limit[k].met);
        json_bool_of(out, "active", f->limit[k].active);
        json_close(out, '}');
    }
    json_close(out, ']');
}

void found_json(Text *out, const Found *f) {
    json_open(out, '{');
    if (f->text) {
        json_text_of(out, "objective", f->text);
        json_number_of(out, "value", f->objective);
        json_number_of(out, "first", f->first);
    } else {
        json_number_of(out, "data", f->data);
        json_number_of(out, "deviation", f->deviation);
        json_number_of(out, "first", f->first_deviation);
    }
    json_key(out, "parameters");
    json_open(out, '[');
    for (int i = 0; i < f->count; i++) {
        const FreeFound *x = &f->free[i];
        json_open(out, '{');
        json_text_of(out, "name", x->name);
        json_text_of(out, "unit", x->unit);
        json_number_of(out, "value", x->value / x->scale);
        json_number_of(out, "first", x->first / x->scale);
        number_or_null(out, "from", x->from / x->scale);
        number_or_null(out, "to", x->to / x->scale);
        number_or_null(out, "half_interval", x->half / x->scale);
        json_close(out, '}');
    }
    json_close(out, ']');
    if (f->limits) limits_json(out, f);
    if (f->correlation) {
        json_key(out, "correlation");
        json_open(out, '[');
        for (int i = 0; i < f->count * f->count; i++) json_number(out, f->correlation[i]);
        json_close(out, ']');
    }
    json_number_of(out, "starts", f->starts);
    json_number_of(out, "agreed", f->agreed);
    json_number_of(out, "runs", f->runs);
    if (f->kept) json_number_of(out, "kept", f->kept);
    json_text_of(out, "slopes", f->gradient);
    if (f->why) json_text_of(out, "ended", f->why);
    json_bool_of(out, "interrupted", f->interrupted);
    json_close(out, '}');
}

void fit_svg(Text *svg, const Found *f, int curve) {
    const FitCurve *c = &f->curve[curve];
    Arena tmp = {0};
    const char *label[] = {"data", "model"}, *unit[] = {c->unit, c->unit};
    const double *x[] = {c->time, c->time}, *y[] = {c->data, c->model};
    const int count[] = {c->count, c->count};
    const bool dots[] = {true, false};
    PlotData p = {.title = arena_printf(&tmp, "%s: data and model", c->signal),
                  .x_label = "time [s]",
                  .curve_count = 2,
                  .label = label,
                  .unit = unit,
                  .dots = dots,
                  .x = x,
                  .y = y,
                  .count = count};
    plot_svg(svg, &p);
    arena_free(&tmp);
}
