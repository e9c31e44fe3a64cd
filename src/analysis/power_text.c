// Power and activity as text, JSON, CSV and as a picture. People see what matters, and all on request.
#include "analysis/power.h"

#include "base/json.h"
#include "results/plot.h"
#include <math.h>
#include <string.h>

static int widest(const PowerTable *t, bool bonds) {
    int width = 20;
    for (int i = 0; i < t->count; i++)
        if (bonds || t->flow[i].kind != POWER_BOND)
            width = (int)fmax(width, (double)strlen(t->flow[i].name));
    for (int i = 0; bonds && i < t->carrier_count; i++)
        width = (int)fmax(width, (double)strlen(t->carrier[i].name));
    return width;
}

static void print_flow(Text *out, const PowerFlow *x, int width) {
    text_printf(out, "  %-*s %-10s %12.6g %12.6g %12.6g %12.6g", width, x->name, x->role, x->into,
                x->out, x->peak, x->activity);
    if (isfinite(x->share)) text_printf(out, " %8.3f", 100 * x->share);
    if (x->spare) text_add(out, "  *");
    text_char(out, '\n');
}

static void print_kind(Text *out, const PowerTable *t, PowerKind kind, const char *title, int width,
                       bool all) {
    bool any = false;
    for (int i = 0; i < t->count; i++) {
        if (t->flow[i].kind != kind || (t->flow[i].spare && !all)) continue;
        if (!any)
            text_printf(out, "%-*s %-10s %12s %12s %12s %12s%s\n", width + 2, title, "", "into [J]",
                        "out [J]", "peak [W]", "activity [J]",
                        kind == POWER_ELEMENT ? "  share [%]" : "");
        any = true;
        print_flow(out, &t->flow[i], width);
    }
}

static void print_spare(Text *out, const PowerTable *t, bool all) {
    int count = 0, ranked = 0;
    for (int i = 0; i < t->count; i++) {
        count += t->flow[i].spare;
        ranked += t->flow[i].kind == POWER_ELEMENT;
    }
    if (!ranked) text_add(out, "no element stores or dissipates\n");
    if (!count) return;
    text_printf(out,
                "%s%d of %d elements %s %.3g %% of all activity%s: the first to try to leave out\n",
                all ? "* " : "", count, ranked, count > 1 ? "have" : "has", 100 * t->spare,
                count > 1 ? " together" : "");
    if (!all) text_add(out, "-v lists them, with bonds and junctions\n");
}

void power_print(Text *out, const PowerTable *t, bool all) {
    int width = widest(t, all);
    text_printf(out, "power from %g s to %g s\n", t->start, t->stop);
    print_kind(out, t, POWER_SOURCE, "sources", width, all);
    print_kind(out, t, POWER_ELEMENT, "elements", width, all);
    print_spare(out, t, all);
    if (!all) return;
    print_kind(out, t, POWER_BOND, "bonds, along the half-arrow", width, all);
    if (t->carrier_count)
        text_printf(out, "%-*s %-10s %12s\n", width + 2, "junctions and two-ports", "",
                    "carried [J]");
    for (int i = 0; i < t->carrier_count; i++)
        text_printf(out, "  %-*s %-10s %12.6g\n", width, t->carrier[i].name, t->carrier[i].type,
                    t->carrier[i].carried);
}

static void flow_json(Text *out, const PowerFlow *x) {
    json_open(out, '{');
    json_text_of(out, "name", x->name);
    if (x->kind != POWER_BOND) json_text_of(out, "role", x->role);
    json_number_of(out, "into", x->into);
    json_number_of(out, "out", x->out);
    json_number_of(out, "activity", x->activity);
    json_number_of(out, "peak", x->peak);
    if (x->kind != POWER_BOND) json_number_of(out, "efficiency", x->efficiency);
    if (x->kind == POWER_ELEMENT) {
        json_number_of(out, "share", x->share);
        json_bool_of(out, "spare", x->spare);
    }
    json_close(out, '}');
}

static void kind_json(Text *out, const PowerTable *t, PowerKind kind, const char *key) {
    json_key(out, key);
    json_open(out, '[');
    for (int i = 0; i < t->count; i++)
        if (t->flow[i].kind == kind) flow_json(out, &t->flow[i]);
    json_close(out, ']');
}

void power_json(Text *out, const PowerTable *t) {
    json_number_of(out, "start", t->start);
    json_number_of(out, "stop", t->stop);
    json_number_of(out, "activity", t->activity);
    json_number_of(out, "spare", t->spare);
    kind_json(out, t, POWER_SOURCE, "sources");
    kind_json(out, t, POWER_ELEMENT, "elements");
    kind_json(out, t, POWER_BOND, "bonds");
    json_key(out, "carriers");
    json_open(out, '[');
    for (int i = 0; i < t->carrier_count; i++) {
        json_open(out, '{');
        json_text_of(out, "name", t->carrier[i].name);
        json_text_of(out, "type", t->carrier[i].type);
        json_number_of(out, "carried", t->carrier[i].carried);
        json_close(out, '}');
    }
    json_close(out, ']');
}

// --- paths ---------------------------------------------------------------------------------------

static const char *end_name(const PowerPlan *plan, int flow) {
    return flow < 0 ? "(unaccounted)" : plan->flow[flow].name;
}

static void path_name(Text *out, const PowerPlan *plan, const PowerPath *x) {
    text_clear(out);
    text_printf(out, "%s -> %s", end_name(plan, x->from), end_name(plan, x->to));
}

// The largest ones, until little is left.
static int count_printed(const PowerPaths *p, bool all) {
    enum { MOST_PATHS = 12 };
    int n = 0;
    for (double left = p->energy; n < p->count; n++) {
        if (!all && (n == MOST_PATHS || left < 0.01 * p->energy)) break;
        left -= p->path[n].energy;
    }
    return n;
}

void paths_print(Text *out, const PowerPlan *plan, const PowerPaths *p, bool all) {
    int shown = count_printed(p, all), width = 20;
    Text name = {0};
    if (p->ends > p->most_ends)
        text_printf(out, "paths are followed between at most %d elements, not %d\n", p->most_ends,
                    p->ends);
    for (int i = 0; i < shown; i++) {
        path_name(&name, plan, &p->path[i]);
        width = (int)fmax(width, (double)name.length);
    }
    if (shown)
        text_printf(out, "%-*s %12s %14s\n", width + 2, "paths", "energy [J]", "efficiency [%]");
    for (int i = 0; i < shown; i++) {
        const PowerPath *x = &p->path[i];
        path_name(&name, plan, x);
        text_printf(out, "  %-*s %12.6g %14.3f", width, text_get(&name), x->energy,
                    100 * x->efficiency);
        if (*x->through) text_printf(out, "  through %s", x->through);
        text_char(out, '\n');
    }
    if (shown < p->count)
        text_printf(out, "%d more path%s; -v lists all\n", p->count - shown,
                    p->count - shown > 1 ? "s" : "");
    text_free(&name);
}

void paths_json(Text *out, const PowerPlan *plan, const PowerPaths *p) {
    json_number_of(out, "unaccounted", p->unaccounted);
    json_key(out, "paths");
    json_open(out, '[');
    for (int i = 0; i < p->count; i++) {
        const PowerPath *x = &p->path[i];
        json_open(out, '{');
        json_text_of(out, "from", end_name(plan, x->from));
        json_text_of(out, "to", end_name(plan, x->to));
        json_number_of(out, "energy", x->energy);
        json_text_of(out, "through", x->through);
        json_close(out, '}');
    }
    json_close(out, ']');
}

void paths_csv(Text *out, const PowerPlan *plan, const PowerPaths *p) {
    text_add(out, "from,to,energy [J],efficiency,through\n");
    for (int i = 0; i < p->count; i++) {
        const PowerPath *x = &p->path[i];
        text_printf(out, "\"%s\",\"%s\",", end_name(plan, x->from), end_name(plan, x->to));
        text_number(out, x->energy);
        text_char(out, ',');
        text_number(out, x->efficiency);
        text_printf(out, ",\"%s\"\n", x->through);
    }
}

// --- over time -----------------------------------------------------------------------------------

void power_csv(Text *out, const PowerTable *t) {
    text_add(out, "time [s]");
    for (int i = 0; i < t->count; i++) text_printf(out, ",\"%s [W]\"", t->flow[i].name);
    text_char(out, '\n');
    for (int row = 0; row < t->rows; row++) {
        text_number(out, t->time[row]);
        for (int i = 0; i < t->count; i++) {
            text_char(out, ',');
            text_number(out, t->flow[i].power[row]);
        }
        text_char(out, '\n');
    }
}

void power_svg(Text *out, const PowerTable *t) {
    enum { MOST_CURVES = 7 };
    const char *label[MOST_CURVES], *unit[MOST_CURVES];
    const double *x[MOST_CURVES], *y[MOST_CURVES];
    int count[MOST_CURVES];
    PlotData plot = {.title = "power into the most active elements",
                     .x_label = "time [s]",
                     .label = label,
                     .unit = unit,
                     .x = x,
                     .y = y,
                     .count = count};
    for (int i = 0; i < t->count && plot.curve_count < MOST_CURVES; i++) {
        if (t->flow[i].kind == POWER_BOND) continue;
        int k = plot.curve_count++;
        label[k] = t->flow[i].name;
        unit[k] = "W";
        x[k] = t->time;
        y[k] = t->flow[i].power;
        count[k] = t->rows;
    }
    plot_svg(out, &plot);
}
