// Paths of energy as ribbons:
//
//     pump  4132 J |====-----______==== valve   1950 J
//                  |===____-----      |
//     spring  12 J |----    \_________|= arm     466 J
//
// Both sides are sorted by energy, and so are the ribbons at each end; ends with little energy are taken together.
#include "page/sankey.h"

#include "base/memory.h"
#include "page/ribbon.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ENDS = 12, WIDTH = 860, BAR = 10, MARGIN = 250, HEIGHT = 280, GAP = 20, SPACE = 8 };

typedef struct { // what gives or what takes
    int flow;    // of the plan; UNACCOUNTED, OTHERS
    double energy;
    double y, room, used; // where it is drawn, and how much of it has its ribbon
} End;

enum { UNACCOUNTED = -1, OTHERS = -2 };

typedef struct {
    End end[MOST_ENDS + 1]; // the last one: all others, if there are any
    int count;
} Side;

typedef struct {
    const PowerPlan *plan;
    const PowerPaths *paths;
    Side from, to;
    double link[MOST_ENDS + 1][MOST_ENDS + 1];
    const PowerPath *largest[MOST_ENDS + 1][MOST_ENDS + 1];
} Sankey;

// --- ends ----------------------------------------------------------------------------------------

static int by_energy(const void *pa, const void *pb) {
    const End *a = pa, *b = pb;
    if (a->energy != b->energy) return a->energy > b->energy ? -1 : 1;
    return a->flow - b->flow;
}

static void fill_side(const Sankey *k, Side *side, bool giving) {
    int flows = k->plan->count + 1, kept = 0; // the first: what no law accounts for
    End *all = memory_zeroed((size_t)flows, sizeof *all);
    End others = {.flow = OTHERS};
    for (int i = 0; i < flows; i++) all[i].flow = i - 1;
    for (int i = 0; i < k->paths->count; i++) {
        const PowerPath *p = &k->paths->path[i];
        all[(giving ? p->from : p->to) + 1].energy += p->energy;
    }
    qsort(all, (size_t)flows, sizeof *all, by_energy);
    while (kept < flows && kept < MOST_ENDS && all[kept].energy > 0.01 * k->paths->energy) kept++;
    for (int i = kept; i < flows; i++) others.energy += all[i].energy;
    for (int i = 0; i < kept; i++) side->end[side->count++] = all[i];
    if (others.energy > 0) side->end[side->count++] = others;
    free(all);
}

static int find_end(const Side *side, int flow) {
    for (int i = 0; i < side->count; i++)
        if (side->end[i].flow == flow) return i;
    return side->count - 1; // all others
}

static void add_links(Sankey *k) {
    for (int i = 0; i < k->paths->count; i++) {
        const PowerPath *p = &k->paths->path[i];
        int a = find_end(&k->from, p->from), b = find_end(&k->to, p->to);
        k->link[a][b] += p->energy;
        if (!k->largest[a][b] || k->largest[a][b]->energy < p->energy) k->largest[a][b] = p;
    }
}

static double thickness(const Sankey *k, double energy) {
    return HEIGHT * energy / k->paths->energy;
}

static double place_side(const Sankey *k, Side *side) {
    double y = 0;
    for (int i = 0; i < side->count; i++) {
        End *e = &side->end[i];
        e->room = fmax(thickness(k, e->energy), GAP);
        e->y = y;
        y += e->room + SPACE;
    }
    return y;
}

static void shift_side(Side *side, double by) {
    for (int i = 0; i < side->count; i++) side->end[i].y += by;
}

// --- drawing -------------------------------------------------------------------------------------

static const char *end_name(const Sankey *k, const End *e) {
    if (e->flow == OTHERS) return "all others";
    return e->flow == UNACCOUNTED ? "(unaccounted)" : k->plan->flow[e->flow].name;
}

// The colour of an end by its role in the energy balance, as on the rest of the page.
static const char *end_colour(const Sankey *k, const End *e) {
    if (e->flow < 0) return "#8b96a3";
    const char *role = k->plan->flow[e->flow].role;
    if (strcmp(role, "supplies") == 0) return "#d98a1f";
    return strcmp(role, "stores") == 0 ? "#2f6fb3" : "#b8484f";
}

static double top_of(const Sankey *k, const End *e) {
    return e->y + (e->room - thickness(k, e->energy)) / 2;
}

static void draw_link(Text *out, Sankey *k, int a, int b) {
    End *from = &k->from.end[a], *to = &k->to.end[b];
    double energy = k->link[a][b], thick = thickness(k, energy);
    const PowerPath *largest = k->largest[a][b];
    if (!(energy > 0) || !largest) return;
    Text title = {0};
    text_printf(&title, "%s -> %s: %.4g J, %.3g %%", end_name(k, from), end_name(k, to), energy,
                100 * energy / k->paths->energy);
    if (from->flow != OTHERS && to->flow != OTHERS && *largest->through)
        text_printf(&title, ", through %s", largest->through);
    Ribbon r = {.colour = end_colour(k, to),
                .x0 = MARGIN + BAR,
                .top0 = top_of(k, from) + from->used,
                .x1 = WIDTH - MARGIN - BAR,
                .top1 = top_of(k, to) + to->used,
                .thick = thick,
                .title = text_get(&title)};
    ribbon_svg(out, &r);
    text_free(&title);
    from->used += thick;
    to->used += thick;
}

static void draw_end(Text *out, const Sankey *k, const End *e, bool left) {
    text_printf(out, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.2f\" fill=\"%s\"/>\n",
                left ? MARGIN : WIDTH - MARGIN - BAR, top_of(k, e), BAR,
                fmax(thickness(k, e->energy), 0.6), end_colour(k, e));
    text_printf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"%s\">",
                left ? MARGIN - 6 : WIDTH - MARGIN + 6, e->y + e->room / 2 + 4,
                left ? "end" : "start");
    const char *name = end_name(k, e);
    ribbon_name(out, name, strlen(name));
    text_printf(out, " <tspan fill=\"#5c6b7a\">%.4g J, %.3g %%</tspan></text>\n", e->energy,
                100 * e->energy / k->paths->energy);
}

void paths_svg(Text *out, const PowerPlan *plan, const PowerPaths *paths) {
    if (!(paths->energy > 0) || !isfinite(paths->energy)) return;
    Sankey k = {.plan = plan, .paths = paths};
    fill_side(&k, &k.from, true);
    fill_side(&k, &k.to, false);
    add_links(&k);
    double left = place_side(&k, &k.from), right = place_side(&k, &k.to);
    double height = fmax(left, right);
    shift_side(&k.from, (height - left + SPACE) / 2);
    shift_side(&k.to, (height - right + SPACE) / 2);
    ribbon_open(out, WIDTH, height, "paths of energy: from what gives to what takes");
    for (int a = 0; a < k.from.count; a++)
        for (int b = 0; b < k.to.count; b++) draw_link(out, &k, a, b);
    for (int i = 0; i < k.from.count; i++) draw_end(out, &k, &k.from.end[i], true);
    for (int i = 0; i < k.to.count; i++) draw_end(out, &k, &k.to.end[i], false);
    text_add(out, "</svg>\n");
}
