// The page, section by section:
//
//     title and verdicts | 3-D view | plots, or what an analysis found | bond graph | states | equations | parameters
//     | power | energy | expectations | text of the model; what a search or sensitivities found stands before the plots
//
// Everything is inside: pictures as SVG, formulas as MathML, the motion and the curves as JSON. Viewer, plots and graph are
// the studio's (web/src/report.ts, motion.ts); a page of a build without node has all but them.
#include "page/report.h"

#include "page/flow.h"
#include "page/formulas.h"
#include "page/html.h"
#include "page/search.h"
#include "results/shown.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

extern const char asset_page_css[];
extern const unsigned char asset_report[], asset_motion[]; // scripts; empty in a build without node

enum { MOST_PARAMETERS = 400, MOST_DRAWN = 400, MOST_AT_ONCE = 60 };

ReportPlan report_plan(Arena *out, const Model *m) {
    ReportPlan plan = {0};
    plan.scene = scene_plan(out, m, &plan.watch);
    plan.first_param = plan.watch.count;
    for (int v = 0; v < m->var_count; v++)
        if (m->var[v].kind == VAR_PARAM) array_push(&plan.watch, m->var[v].symbol);
    return plan;
}

void report_options(const ReportPlan *plan, RunOptions *o) {
    o->watch = plan->watch.data;
    o->watch_count = plan->watch.count;
    o->most_rows = 20000; // more than the page shows
}

void report_plan_free(ReportPlan *plan) { array_free(&plan->watch); }

// --- small pieces --------------------------------------------------------------------------------

static void details(Text *out, const char *summary, const char *text) {
    if (!*text) return;
    text_printf(out, "<details><summary>%s</summary><pre>", summary);
    text_xml(out, text);
    text_add(out, "</pre></details>\n");
}

static void fact(Text *out, const char *value, const char *what, const char *class) {
    text_printf(out, "<li><b class=\"%s\">%s</b><span>%s</span></li>\n", class, value, what);
}

// --- title and verdicts --------------------------------------------------------------------------

static bool has_audit(const ReportPage *p) { return !p->findings && !p->run->audit.off; }

static void add_point(Text *out, const Findings *f) {
    char text[64];
    snprintf(text, sizeof text, "%.6g s", f->l->time);
    fact(out, text, f->point ? "beside a steady point" : "of the run", "");
    if (!f->poles) return;
    snprintf(text, sizeof text, "%d", f->poles->unstable);
    fact(out, text, "unstable poles", f->poles->unstable ? "bad" : "");
}

static void add_verdicts(Text *out, const ReportPage *p) {
    const Run *run = p->run;
    const Audit *a = &run->audit;
    char text[64];
    text_add(out, "<ul class=\"facts\">\n");
    if (run->verdict_count) {
        snprintf(text, sizeof text, "%d of %d", run->verdict_count - run->failed_count,
                 run->verdict_count);
        fact(out, text, "expectations hold", run->failed_count ? "bad" : "good");
    }
    if (has_audit(p)) {
        snprintf(text, sizeof text, "%.1e", a->relative);
        fact(out, text,
             a->pass ? "of the energy unaccounted: balanced" : "of the energy: NOT balanced",
             a->pass ? "good" : "bad");
    }
    snprintf(text, sizeof text, "%d", p->system->state_count);
    fact(out, text, "states", "");
    if (p->findings) {
        add_point(out, p->findings);
        text_add(out, "</ul>\n");
        return;
    }
    snprintf(text, sizeof text, "%.6g s", run->stats.reached);
    fact(out, text, run->status == SOLVE_DONE ? "simulated" : "simulated, then it ENDED EARLY",
         run->status == SOLVE_DONE ? "" : "bad");
    snprintf(text, sizeof text, "%ld", run->stats.steps);
    char what[64];
    snprintf(what, sizeof what, "steps of %s", solver_name(run->stats.method));
    fact(out, text, what, "");
    text_add(out, "</ul>\n");
}

static void add_title(Text *out, const ReportPage *p) {
    const Model *m = p->system->model;
    const char *about = name_text(m->names, m->text);
    text_add(out, "<h1>");
    text_xml(out, name_text(m->names, m->name));
    if (*about) {
        text_add(out, ": ");
        text_xml(out, about);
    }
    text_add(out, "</h1>\n");
    const Experiment *x = p->experiment;
    if (x && *name_text(m->names, x->name)) {
        text_add(out, "<p class=\"about\">Experiment ");
        text_xml(out, name_text(m->names, x->name));
        const char *text = name_text(m->names, x->text);
        text_add(out, *text ? ": " : "");
        text_xml(out, text);
        text_add(out, "</p>\n");
    }
    add_verdicts(out, p);
}

// Bodies that move in time; a frequency response has no such run.
static bool has_motion(const ReportPage *p) {
    const Experiment *x = p->experiment;
    return p->plan && p->plan->scene.body_count && p->run->results.row_count &&
           !(x && x->sweep.symbol);
}

static bool has_swings(const ReportPage *p) {
    return p->modes && p->modes->shown.results.row_count > 1;
}

static void add_menu(Text *out, const ReportPage *p) {
    text_add(out, "<nav>");
    if (has_motion(p)) text_add(out, "<a href=\"#motion\">Motion</a>");
    if (p->modes) text_add(out, "<a href=\"#modes\">Modes</a>");
    if (p->found) text_printf(out, "<a href=\"#found\">%s</a>", found_title(p->found));
    if (p->sensitivities) text_add(out, "<a href=\"#sensitivities\">Sensitivities</a>");
    text_add(out,
             p->findings ? "<a href=\"#analysis\">Analysis</a>" : "<a href=\"#plots\">Plots</a>");
    text_add(out, "<a href=\"#graph\">Bond graph</a><a href=\"#states\">States</a>"
                  "<a href=\"#equations\">Equations</a>");
    if (!p->findings) text_add(out, "<a href=\"#parameters\">Parameters</a>");
    if (p->power && p->power->run) text_add(out, "<a href=\"#power\">Power</a>");
    if (has_audit(p)) text_add(out, "<a href=\"#energy\">Energy</a>");
    if (p->run->verdict_count) text_add(out, "<a href=\"#expectations\">Expectations</a>");
    if (p->source) text_add(out, "<a href=\"#text\">Text</a>");
    text_add(out, "</nav>\n");
}

// --- motion and plots ----------------------------------------------------------------------------

static void add_motion(Text *out, const ReportPage *p) {
    if (!has_motion(p)) return;
    html_section(out, "motion", "Motion");
    text_add(out, "<div id=\"view\" class=\"motion\"></div>\n<p class=\"about\" id=\"view-note\">");
    text_add(out, *asset_motion ? "The motion needs JavaScript."
                                : "This page was made by a build without node: the moving view is "
                                  "left out.");
    text_add(out, "</p>\n<script type=\"application/json\" id=\"scene\">");
    Text json = {0};
    scene_json(&json, &p->plan->scene, p->meshes, p->run);
    html_script_json(out, text_get(&json));
    text_free(&json);
    text_add(out, "</script>\n");
}

static void add_numbers(Text *json, const double *x, int count) {
    text_char(json, '[');
    for (int i = 0; i < count; i++)
        text_printf(json, isfinite(x[i]) ? "%s%.7g" : "%snull", i ? "," : "", x[i]);
    text_char(json, ']');
}

// Curves as numbers, for web/src/curves.ts. Those that share their x share its numbers.
static void add_curves(Text *out, const PlotData *plot) {
    Text json = {0};
    text_add(&json, "{\"title\":");
    text_json(&json, plot->title ? plot->title : "");
    text_add(&json, ",\"x\":");
    text_json(&json, plot->x_label ? plot->x_label : "");
    text_printf(&json, ",\"decades\":%s,\"xs\":[", plot->decades ? "true" : "false");
    for (int i = 0; i < plot->curve_count; i++) {
        if (i && plot->x[i] == plot->x[i - 1]) continue;
        if (i) text_char(&json, ',');
        add_numbers(&json, plot->x[i], plot->count[i]);
    }
    text_add(&json, "],\"y\":[");
    for (int i = 0, x = 0; i < plot->curve_count; i++) {
        x += i && plot->x[i] != plot->x[i - 1];
        text_add(&json, i ? ",{\"label\":" : "{\"label\":");
        text_json(&json, plot->label[i] ? plot->label[i] : "");
        text_add(&json, ",\"unit\":");
        text_json(&json, plot->unit[i] ? plot->unit[i] : "");
        text_printf(&json, ",\"x\":%d,\"data\":", x);
        add_numbers(&json, plot->y[i], plot->count[i]);
        text_char(&json, '}');
    }
    text_add(&json, "]}");
    text_add(out, "<script type=\"application/json\" class=\"curves\">");
    html_script_json(out, text_get(&json));
    text_add(out, "</script>");
    text_free(&json);
}

static void add_plots(Text *out, const ReportPage *p) {
    html_section(out, "plots", "Plots");
    if (p->run->plot_count) text_add(out, "<p class=\"about\" id=\"plots-note\"></p>\n");
    text_add(out, "<div class=\"plots\">\n");
    for (int i = 0; i < p->run->plot_count; i++) {
        Text svg = {0};
        plot_svg(&svg, &p->run->plot[i]);
        text_add(out, "<figure>");
        html_picture(out, text_get(&svg), p->run->plot[i].title ? p->run->plot[i].title : "plot");
        add_curves(out, &p->run->plot[i]);
        text_add(out, "</figure>\n");
        text_free(&svg);
    }
    text_add(out, "</div>\n");
}

// What an analysis tells in words, and its picture.
static void add_findings(Text *out, const ReportPage *p) {
    Text picture = {0}, words = {0};
    if (p->modes) modes_html(out, p->modes, p->findings->poles, p->meshes);
    html_section(out, "analysis", "Analysis");
    const char *name = findings_file(p->findings, FINDINGS_PICTURE, &picture);
    if (name && picture.length) {
        text_add(out, "<div class=\"plots\"><figure>");
        html_picture(out, text_get(&picture), name);
        text_add(out, "</figure></div>\n");
    }
    findings_print(&words, p->findings);
    if (p->modes) {
        details(out, "As text, with zeros", text_get(&words));
    } else {
        text_add(out, "<pre>");
        text_xml(out, text_get(&words));
        text_add(out, "</pre>\n");
    }
    text_free(&picture);
    text_free(&words);
}

// --- graph, states, equations --------------------------------------------------------------------

// Parts that have parts inside, each once, in the order of their paths.
static int list_parts(Arena *out, const Model *m, const char ***parts) {
    enum { MOST_PARTS = 80 };
    const char **list = *parts = ARENA_ARRAY(out, const char *, MOST_PARTS);
    int count = 0;
    for (int c = 0; c < m->comp_count; c++) {
        const char *path = name_text(m->names, m->comp[c].path);
        for (const char *dot = strchr(path, '.'); dot; dot = strchr(dot + 1, '.')) {
            size_t n = (size_t)(dot - path);
            bool known = false;
            for (int i = 0; i < count && !known; i++)
                known = strlen(list[i]) == n && strncmp(list[i], path, n) == 0;
            if (!known && count < MOST_PARTS) list[count++] = arena_copy_text(out, path, n);
        }
    }
    return count;
}

// One picture among those that a click exchanges.
static void add_view(Text *out, const Graph *g, const GraphView *view, const char *name,
                     bool shown) {
    text_printf(out, "<div class=\"view\" data-view=\"%s\" data-scope=\"", name);
    text_xml(out, view->scope);
    text_printf(out, "\"%s>", shown ? "" : " hidden");
    graph_svg_view(out, g, view, NULL);
    text_add(out, "</div>\n");
}

static void add_views(Text *out, const Graph *g) {
    Arena arena = {0};
    const char **part;
    int count = list_parts(&arena, g->model, &part);
    bool large = count && g->model->comp_count > MOST_AT_ONCE;
    GraphView whole = GRAPH_WHOLE, folded = GRAPH_WHOLE;
    folded.depth = 1;
    if (g->model->comp_count <= MOST_DRAWN) add_view(out, g, &whole, "whole", !large);
    if (count) add_view(out, g, &folded, "folded", large);
    for (int i = 0; i < count; i++) {
        folded.scope = part[i];
        add_view(out, g, &folded, "part", false);
    }
    arena_free(&arena);
}

static void add_graph(Text *out, const ReportPage *p) {
    const Model *m = p->system->model;
    html_section(out, "graph", "Bond graph");
    if (m->comp_count > MOST_DRAWN && graph_depth(p->system->graph) < 2) {
        text_printf(out, "<p>%d components: too many for one picture.</p>\n", m->comp_count);
    } else if (m->comp_count) {
        text_add(out, "<figure class=\"graph\">");
        add_views(out, p->system->graph);
        text_add(out, "</figure>\n");
    } else {
        text_add(out, "<p>The model has equations only.</p>\n");
    }
    Text text = {0};
    causality_explain(&text, p->system->graph);
    details(out, "Why each stroke is where it is", text_get(&text));
    text_clear(&text);
    causality_findings(&text, p->system->graph);
    details(out, "Dependent storages and loops", text_get(&text));
    text_free(&text);
}

static void add_states(Text *out, const ReportPage *p) {
    const System *s = p->system;
    html_section(out, "states", "States");
    bool many = html_open_rows(out, s->state_count, "states");
    if (s->state_count)
        text_add(out, "<table><tr><th>state</th><th>unit</th><th>meaning</th></tr>\n");
    for (int i = 0; i < s->state_count && i < MOST_PARAMETERS; i++) {
        static const Var chosen = {0}; // during the run: it is no variable of the model
        const Var *v = s->state_var[i] < 0 ? &chosen : &s->model->var[s->state_var[i]];
        text_add(out, "<tr>");
        html_code_cell(out, system_state_name(s, i));
        html_cell(out, name_text(s->model->names, v->unit));
        html_cell(out, name_text(s->model->names, v->text));
        text_add(out, "</tr>\n");
    }
    if (s->state_count) text_add(out, "</table>\n");
    if (many) text_add(out, "</details>\n");
    Text text = {0};
    equations_summary(&text, s);
    details(out, "How they were chosen", text_get(&text));
    text_free(&text);
}

static void add_equations(Text *out, const ReportPage *p) {
    html_section(out, "equations", "Equations");
    formulas_html(out, p->system);
}

// --- parameters ----------------------------------------------------------------------------------

static void add_parameters(Text *out, const ReportPage *p) {
    const Model *m = p->system->model;
    html_section(out, "parameters", "Parameters");
    if (!p->run->results.row_count) return;
    int count = 0;
    for (int v = 0; v < m->var_count; v++) count += m->var[v].kind == VAR_PARAM;
    bool many = html_open_rows(out, count, "parameters");
    text_add(out,
             "<table><tr><th>parameter</th><th>value</th><th>unit</th><th>meaning</th></tr>\n");
    for (int v = 0, n = 0; v < m->var_count && n < MOST_PARAMETERS; v++) {
        const Var *x = &m->var[v];
        if (x->kind != VAR_PARAM) continue;
        Shown shown = shown_in(m, x->unit);
        text_add(out, "<tr>");
        html_code_cell(out, name_text(m->names, x->path));
        html_number_cell(out, show(shown, p->run->watched[p->plan->first_param + n++][0]));
        html_cell(out, shown.unit);
        html_cell(out, name_text(m->names, x->text));
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table>\n");
    if (many) text_add(out, "</details>\n");
}

// --- energy --------------------------------------------------------------------------------------

static void energy_cell(Text *out, double joules, double scale, const char *class) {
    if (joules == 0) {
        text_add(out, "<td></td>");
        return;
    }
    text_printf(out, "<td><span class=\"bar %s\" style=\"width:%.1fpx\"></span> %.4g J</td>", class,
                scale > 0 ? fmax(120 * fabs(joules) / scale, 1) : 1, joules);
}

static void add_energy(Text *out, const ReportPage *p) {
    const Audit *a = &p->run->audit;
    const Model *m = p->system->model;
    if (!has_audit(p)) return;
    html_section(out, "energy", "Where the energy went");
    text_printf(out,
                "<p>Supplied %.6g J, returned %.6g J, dissipated %.6g J, stored %.6g J; "
                "unaccounted %.2g J, %.1e of all that: <b class=\"%s\">%s</b>.</p>\n",
                a->supplied, a->returned, a->dissipated, a->stored, a->residual, a->relative,
                a->pass ? "good" : "bad", a->pass ? "balanced" : "not balanced");
    html_open_wide(out, "where the energy went");
    flow_svg(out, a, p->system);
    html_close_wide(out);
    bool many = html_open_rows(out, a->line_count, "components");
    double scale = 0;
    for (int i = 0; i < a->line_count; i++)
        scale = fmax(fmax(scale, fmax(a->line[i].supplied, a->line[i].returned)),
                     fmax(fabs(a->line[i].dissipated), fabs(a->line[i].stored)));
    text_add(out, "<table><tr><th>component</th><th>supplied</th><th>returned</th>"
                  "<th>dissipated</th><th>stored</th></tr>\n");
    for (int i = 0; i < a->line_count && i < MOST_PARAMETERS; i++) {
        const AuditLine *l = &a->line[i];
        text_add(out, "<tr>");
        html_code_cell(out, name_text(m->names, m->comp[l->comp].path));
        energy_cell(out, l->supplied, scale, "supplied");
        energy_cell(out, l->returned, scale, "supplied");
        energy_cell(out, l->dissipated, scale, "dissipated");
        energy_cell(out, l->stored, scale, "stored");
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table>\n");
    if (many) text_add(out, "</details>\n");
}

// --- expectations, text --------------------------------------------------------------------------

static void add_expectations(Text *out, const ReportPage *p) {
    const Run *run = p->run;
    const Names *names = p->system->model->names;
    if (!run->verdict_count) return;
    html_section(out, "expectations", "Expectations");
    bool fold = run->failed_count == 0;
    if (fold) text_printf(out, "<details><summary>All %d hold</summary>\n", run->verdict_count);
    text_add(out, "<table><tr><th></th><th>expectation</th><th>found</th><th>expected</th>"
                  "<th>tolerance</th></tr>\n");
    for (int i = 0; i < run->verdict_count; i++) {
        const Verdict *v = &run->verdict[i];
        text_printf(out, "<tr><td class=\"%s\">%s</td>", v->pass ? "good" : "bad",
                    v->pass ? "holds" : "FAILS");
        html_code_cell(out, name_text(names, v->expectation->text));
        html_number_cell(out, v->left);
        html_number_cell(out, v->right);
        html_number_cell(out, v->tolerance);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table>\n");
    if (fold) text_add(out, "</details>\n");
}

static void add_source(Text *out, const ReportPage *p) {
    if (!p->source) return;
    html_section(out, "text", "Text of the model");
    details(out, "Show", p->source);
}

// The page asks the script for its number now and then; another one than at first: there is a new
// page. A script can be asked for without a server, too.
static void add_reload(Text *out, const char *script) {
    text_add(out, "<script>\n(function () {\n  var first = null, name = ");
    text_json(out, script);
    text_add(out, ";\n"
                  "  window.bondynPage = function (number) {\n"
                  "    if (first !== null && number !== first) location.reload();\n"
                  "    first = number;\n"
                  "  };\n"
                  "  setInterval(function () {\n"
                  "    var s = document.createElement('script');\n"
                  "    s.src = encodeURI(name) + '?' + Date.now();\n"
                  "    s.onload = s.onerror = function () { s.remove(); };\n"
                  "    document.head.appendChild(s);\n"
                  "  }, 500);\n"
                  "})();\n</script>\n");
}

void report_html(Text *out, const ReportPage *p) {
    const Model *m = p->system->model;
    text_add(out,
             "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    text_xml(out, name_text(m->names, m->name));
    text_printf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", asset_page_css);
    add_title(out, p);
    add_menu(out, p);
    add_motion(out, p);
    if (p->found) found_html(out, p->found);
    if (p->sensitivities) sensitivities_html(out, p->sensitivities);
    if (p->findings)
        add_findings(out, p);
    else
        add_plots(out, p);
    add_graph(out, p);
    add_states(out, p);
    add_equations(out, p);
    if (!p->findings) add_parameters(out, p);
    if (p->power) power_html(out, p->system, p->power);
    add_energy(out, p);
    add_expectations(out, p);
    add_source(out, p);
    text_add(out, "<footer>Made by Bondyn " BONDYN_VERSION ".</footer>\n");
    const unsigned char *script = has_motion(p) || has_swings(p) ? asset_motion : asset_report;
    if (*script) text_printf(out, "<script>\n%s</script>\n", (const char *)script);
    if (p->number) add_reload(out, p->number);
    text_add(out, "</body>\n</html>\n");
}
