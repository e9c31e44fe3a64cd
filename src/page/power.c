// The table of `bondyn power`, its paths and its ribbons; the numbers beside them move the bond graph (web/src/report.ts).
#include "page/power.h"

#include "page/html.h"
#include "page/sankey.h"
#include <math.h>

enum { MOST_FLOWS = 600, MOST_NUMBERS = 24000, MOST_FRAMES = 400, MOST_PATHS = 40 };

PagePower page_power(Arena *out, const System *s, const RunOptions *o, const Run *first) {
    PagePower p = {0};
    const Experiment *x = o->experiment;
    if ((x && x->sweep.symbol) || first->status != SOLVE_DONE || first->results.row_count < 2)
        return p;
    p.plan = power_plan(out, s);
    if (!p.plan.count || p.plan.count > MOST_FLOWS) return p;
    RunOptions own = *o;
    own.watch = own.integrate = p.plan.power;
    own.watch_count = own.integrate_count = p.plan.count;
    own.most_rows = 20000;
    own.rows = NULL;
    Report said = {0}; // the first run has said it
    p.run = run_experiment(s, &own, &said);
    report_free(&said);
    if (p.run && (p.run->status != SOLVE_DONE || p.run->results.row_count < 2)) page_power_free(&p);
    return p;
}

void page_power_free(PagePower *p) {
    run_free(p->run);
    p->run = NULL;
}

// --- tables --------------------------------------------------------------------------------------

static void add_flow(Text *out, const PowerFlow *x) {
    text_add(out, "<tr>");
    html_code_cell(out, x->name);
    html_cell(out, x->role);
    html_number_cell(out, x->into);
    html_number_cell(out, x->out);
    html_number_cell(out, x->peak);
    html_number_cell(out, 100 * x->efficiency);
    html_number_cell(out, x->activity);
    if (isfinite(x->share))
        text_printf(out,
                    "<td><span class=\"bar stored\" style=\"width:%.1fpx\"></span> %.3g %%%s</td>",
                    fmax(120 * x->share, 1), 100 * x->share, x->spare ? " *" : "");
    else
        text_add(out, "<td></td>");
    text_add(out, "</tr>\n");
}

static void add_ranking(Text *out, const PowerTable *t) {
    int rows = 0, spare = 0;
    for (int i = 0; i < t->count; i++) {
        rows += t->flow[i].kind != POWER_BOND;
        spare += t->flow[i].spare;
    }
    bool many = html_open_rows(out, rows, "elements, by activity");
    text_add(out,
             "<table><tr><th>element</th><th></th><th>into [J]</th><th>out [J]</th>"
             "<th>peak [W]</th><th>efficiency [%]</th><th>activity [J]</th><th>share</th></tr>\n");
    for (int i = 0; i < t->count; i++)
        if (t->flow[i].kind != POWER_BOND) add_flow(out, &t->flow[i]);
    text_add(out, "</table>\n");
    if (many) text_add(out, "</details>\n");
    text_add(out, "<p class=\"about\">Efficiency: the net energy that it got, by all that others "
                  "gave. Activity: the integral of |power|; sources have no share of it.");
    if (spare)
        text_printf(out,
                    " * has %.3g %% of all activity%s: the first to try to leave out in this run.",
                    100 * t->spare, spare > 1 ? ", all of these together" : "");
    text_add(out, "</p>\n");
}

static void add_carriers(Text *out, const PowerTable *t) {
    if (!t->carrier_count) return;
    text_add(out, "<details><summary>Junctions and two-ports</summary>\n<table><tr><th>name</th>"
                  "<th>type</th><th>carried [J]</th></tr>\n");
    for (int i = 0; i < t->carrier_count; i++) {
        text_add(out, "<tr>");
        html_code_cell(out, t->carrier[i].name);
        html_cell(out, t->carrier[i].type);
        html_number_cell(out, t->carrier[i].carried);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table></details>\n");
}

static const char *end_name(const PowerPlan *plan, int flow) {
    return flow < 0 ? "(unaccounted)" : plan->flow[flow].name;
}

static void add_paths(Text *out, const PowerPlan *plan, const PowerPaths *p) {
    int count = p->count < MOST_PATHS ? p->count : MOST_PATHS;
    if (!count) return;
    text_add(
        out,
        "<p class=\"about\">Paths of energy, from what gives to what takes; junctions share in "
        "proportion. Storages take, and give later.</p>\n");
    html_open_wide(out, "paths of energy");
    paths_svg(out, plan, p);
    html_close_wide(out);
    text_printf(out, "<details><summary>%s %d paths</summary>\n",
                count < p->count ? "The largest" : "All", count);
    text_add(out, "<table class=\"paths\"><tr><th>from</th><th>to</th><th>energy [J]</th>"
                  "<th>efficiency [%]</th><th>through</th></tr>\n");
    for (int i = 0; i < count; i++) {
        text_add(out, "<tr>");
        html_code_cell(out, end_name(plan, p->path[i].from));
        html_code_cell(out, end_name(plan, p->path[i].to));
        html_number_cell(out, p->path[i].energy);
        html_number_cell(out, 100 * p->path[i].efficiency);
        html_cell(out, p->path[i].through);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</table></details>\n");
}

// --- over time -----------------------------------------------------------------------------------

static void add_row_numbers(Text *json, const double *x, int rows, int step, const char *format) {
    text_char(json, '[');
    for (int k = 0; k < rows; k += step) {
        if (k) text_char(json, ',');
        if (isfinite(x[k]))
            text_printf(json, format, x[k]);
        else
            text_add(json, "null");
    }
    text_char(json, ']');
}

// {"time":[...],"bonds":{"3":[...]}}: as many rows as the page can well carry.
static void add_powers(Text *out, const System *s, const PagePower *p) {
    int rows = p->run->results.row_count, bonds = s->model->bond_count;
    double most = fmin(fmax((double)MOST_NUMBERS / fmax(bonds, 1), 50), MOST_FRAMES);
    int step = 1 + (int)(rows / most);
    Text json = {0};
    text_add(&json, "{\"time\":");
    add_row_numbers(&json, p->run->results.column[0].value, rows, step, "%.7g");
    text_add(&json, ",\"bonds\":{");
    bool first = true;
    for (int b = 0; b < bonds; b++) {
        if (p->plan.bond_flow[b] < 0) continue;
        text_printf(&json, "%s\"%d\":", first ? "" : ",\n", b);
        add_row_numbers(&json, p->run->watched[p->plan.bond_flow[b]], rows, step, "%.3g");
        first = false;
    }
    text_add(&json, "}}");
    text_add(out, "<script type=\"application/json\" id=\"powers\">");
    html_script_json(out, text_get(&json));
    text_add(out, "</script>\n");
    text_free(&json);
}

void power_html(Text *out, const System *s, const PagePower *p) {
    if (!p->run) return;
    Arena arena = {0};
    PowerTable table = power_measure(&arena, s, &p->plan, p->run, 0.01);
    PowerPaths paths = power_paths(&arena, s, &p->plan, p->run);
    html_section(out, "power", "Power");
    add_paths(out, &p->plan, &paths);
    add_ranking(out, &table);
    add_carriers(out, &table);
    add_powers(out, s, p);
    arena_free(&arena);
}
