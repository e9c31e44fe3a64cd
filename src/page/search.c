#include "page/search.h"

#include "page/html.h"
#include <math.h>

typedef void Draw(Text *svg, const void *of, int which);

static void draw_fit(Text *svg, const void *of, int which) { fit_svg(svg, of, which); }
static void draw_course(Text *svg, const void *of, int which) {
    sensitivities_plot(svg, of, which);
}
static void draw_tornado(Text *svg, const void *of, int which) { tornado_svg(svg, of, which); }

static void add_figure(Text *out, Draw *draw, const void *of, int which, const char *words) {
    Text svg = {0};
    draw(&svg, of, which);
    text_add(out, "<figure>");
    html_picture(out, text_get(&svg), words);
    text_add(out, "</figure>\n");
    text_free(&svg);
}

// --- what a search found -------------------------------------------------------------------------

const char *found_title(const Found *f) { return f->text ? "Best parameters" : "Fit"; }

static void range_cell(Text *out, const FreeFound *x) {
    if (!isfinite(x->from) && !isfinite(x->to)) {
        html_cell(out, "");
        return;
    }
    text_printf(out, "<td>%.6g to %.6g%s</td>", x->from / x->scale, x->to / x->scale,
                found_at_bound(x) ? ", <b>at its bound</b>" : "");
}

static void add_parameters(Text *out, const Found *f) {
    bool fit = !f->text;
    text_printf(out,
                "<table><tr><th>parameter</th><th>found</th>%s<th>unit</th><th>was</th>"
                "<th>range</th></tr>\n",
                fit ? "<th>&plusmn; (95 %)</th>" : "");
    for (int i = 0; i < f->count; i++) {
        const FreeFound *x = &f->free[i];
        text_add(out, "<tr>");
        html_code_cell(out, x->name);
        text_printf(out, "<td class=\"n\">%.8g</td>", x->value / x->scale);
        if (fit) html_number_cell(out, x->half / x->scale);
        html_cell(out, x->unit);
        html_number_cell(out, x->first / x->scale);
        range_cell(out, x);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table>\n");
}

static void add_limits(Text *out, const Found *f) {
    if (!f->limits) return;
    text_add(out, "<table><tr><th></th><th>constraint</th></tr>\n");
    for (int k = 0; k < f->limits; k++) {
        const LimitFound *l = &f->limit[k];
        text_printf(out, "<tr><td class=\"%s\">%s</td>", l->met ? "good" : "bad",
                    !l->met     ? "NOT MET"
                    : l->active ? "holds, limits"
                                : "holds");
        html_code_cell(out, l->text);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table>\n");
}

static void add_correlations(Text *out, const Found *f) {
    int n = f->count;
    if (!f->correlation || n < 2) return;
    text_add(out, "<details><summary>Correlations</summary>\n<table><tr><th></th>");
    for (int j = 0; j < n; j++) {
        text_add(out, "<th>");
        text_xml(out, f->free[j].name);
        text_add(out, "</th>");
    }
    text_add(out, "</tr>\n");
    for (int i = 0; i < n; i++) {
        text_add(out, "<tr>");
        html_code_cell(out, f->free[i].name);
        for (int j = 0; j < n; j++)
            text_printf(out, "<td class=\"n%s\">%.3f</td>",
                        i != j && fabs(f->correlation[i * n + j]) > 0.9 ? " bad" : "",
                        f->correlation[i * n + j]);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table></details>\n");
}

void found_html(Text *out, const Found *f) {
    html_section(out, "found", found_title(f));
    if (f->text) {
        text_printf(out, "<p>%s <code>", f->most ? "Largest" : "Least");
        text_xml(out, f->text);
        text_printf(out, "</code> = %.8g (was %.8g)", f->objective, f->first);
    } else {
        text_printf(out, "<p>Fitted to %d data; what is left is %.4g deviations (was %.4g)%s",
                    f->data, f->deviation, f->first_deviation,
                    f->estimated ? ", which are estimated" : "");
    }
    text_printf(out, "; %d runs with %s slopes: %s.</p>\n", f->runs, f->gradient,
                f->interrupted ? "the search was INTERRUPTED" : f->why);
    add_parameters(out, f);
    add_limits(out, f);
    if (f->starts > 1)
        text_printf(out, "<p>%d starts ended well, %d of them here.</p>\n", f->starts, f->agreed);
    if (f->curves) text_add(out, "<div class=\"plots\">\n");
    for (int i = 0; i < f->curves; i++) add_figure(out, draw_fit, f, i, "data and model");
    if (f->curves) text_add(out, "</div>\n");
    add_correlations(out, f);
}

// --- sensitivities -------------------------------------------------------------------------------

void sensitivities_html(Text *out, const Sensitivities *s) {
    Text words = {0};
    html_section(out, "sensitivities", "Sensitivities");
    text_add(out, "<div class=\"plots\">\n");
    for (int i = 0; i < s->signals; i++) {
        add_figure(out, draw_course, s, i, "by 1 % more of each parameter, over time");
        add_figure(out, draw_tornado, s, i, "by 1 % more of each parameter, at the end");
    }
    text_add(out, "</div>\n<details><summary>As text</summary><pre>");
    sensitivities_print(&words, s);
    text_xml(out, text_get(&words));
    text_add(out, "</pre></details>\n");
    text_free(&words);
}
