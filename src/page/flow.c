// Energy as ribbons: on the left who gave it, on the right who got it, as thick as it was much.
//
//     pump  4132 J ====\                    /==== valve1   heat    1950 J
//                       [ all that moved ]=<
//     weight  3 J  ----/                    \==== arm      stored   466 J
//
// Components are taken together by the first parts of their paths. The largest group is opened, as
// long as there are few of them, so that a model in one box is not shown as one box.
#include "page/flow.h"

#include "base/array.h"
#include "base/memory.h"
#include "page/ribbon.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GROUPS = 12, WIDTH = 1100, HEIGHT = 300, GAP = 26, MARGIN = 330 };

typedef enum { SUPPLIED, RELEASED, HEAT, STORED, TAKEN, KINDS } Kind;

static const char *const kind_word[KINDS] = {"supplied", "released", "heat", "stored",
                                             "taken back"};
static const char *const kind_color[KINDS] = {"#d98a1f", "#7fa6d1", "#b8484f", "#2f6fb3",
                                              "#e3b676"};

typedef struct {
    const char *path;
    size_t length; // of the part of the path that all members share
    double energy[KINDS];
    bool whole; // has one member, which is called so
} Group;

typedef struct {
    const Audit *audit;
    const System *system;
    ARRAY(Group) group;
    int *of; // per line of the audit: its group
    double total;
} Flow;

// --- groups --------------------------------------------------------------------------------------

static const char *path_of(const Flow *f, int line) {
    const Model *m = f->system->model;
    return name_text(m->names, m->comp[f->audit->line[line].comp].path);
}

static size_t part_end(const char *path, size_t from) {
    while (path[from] && path[from] != '.') from++;
    return from;
}

// The group of a line when paths are cut behind the part that begins at `from`.
static int find_group(Flow *f, int line, size_t from, int first) {
    const char *path = path_of(f, line);
    size_t end = part_end(path, from);
    for (int g = first; g < f->group.count; g++) {
        const Group *x = &f->group.data[g];
        if (x->length == end && strncmp(x->path, path, end) == 0) return g;
    }
    Group fresh = {.path = path, .length = end, .whole = !path[end]};
    array_push(&f->group, fresh);
    return f->group.count - 1;
}

static void put(double energy[KINDS], Kind positive, Kind negative, double joules) {
    energy[joules >= 0 ? positive : negative] += fabs(joules);
}

static void add_line(Flow *f, int line) {
    const AuditLine *l = &f->audit->line[line];
    double *energy = f->group.data[f->of[line]].energy;
    double given = l->supplied - l->returned;
    if (isfinite(given)) put(energy, SUPPLIED, TAKEN, given);
    if (isfinite(l->dissipated)) put(energy, HEAT, SUPPLIED, l->dissipated);
    if (isfinite(l->stored)) put(energy, STORED, RELEASED, l->stored);
}

static double size_of(const Group *g) {
    return fmax(g->energy[SUPPLIED] + g->energy[RELEASED],
                g->energy[HEAT] + g->energy[STORED] + g->energy[TAKEN]);
}

static void first_groups(Flow *f) {
    for (int i = 0; i < f->audit->line_count; i++) {
        f->of[i] = find_group(f, i, 0, 0);
        add_line(f, i);
    }
    double given = 0, got = 0;
    for (int g = 0; g < f->group.count; g++) {
        const double *e = f->group.data[g].energy;
        given += e[SUPPLIED] + e[RELEASED];
        got += e[HEAT] + e[STORED] + e[TAKEN];
    }
    f->total = fmax(given, got);
}

static int largest_that_opens(const Flow *f) {
    int best = -1;
    for (int g = 0; g < f->group.count; g++) {
        const Group *x = &f->group.data[g];
        bool opens = !x->whole && size_of(x) > 0.2 * f->total;
        if (opens && (best < 0 || size_of(x) > size_of(&f->group.data[best]))) best = g;
    }
    return best;
}

// Members get groups of their own, one part of the path longer.
static void open_group(Flow *f, int g) {
    size_t from = f->group.data[g].length + 1;
    int first = f->group.count;
    memset(f->group.data[g].energy, 0, sizeof f->group.data[g].energy);
    f->group.data[g].whole = true;
    for (int i = 0; i < f->audit->line_count; i++) {
        if (f->of[i] != g) continue;
        const char *path = path_of(f, i);
        if (strlen(path) >= from) f->of[i] = find_group(f, i, from, first);
        add_line(f, i);
    }
}

static int count_shown(const Flow *f) {
    int n = 0;
    for (int g = 0; g < f->group.count; g++) n += size_of(&f->group.data[g]) > 0.01 * f->total;
    return n;
}

static void make_groups(Flow *f) {
    first_groups(f);
    while (count_shown(f) < MOST_GROUPS) {
        int g = largest_that_opens(f);
        if (g < 0) return;
        open_group(f, g);
    }
}

// --- ribbons -------------------------------------------------------------------------------------

typedef struct {
    const char *name;
    size_t length;
    Kind kind;
    double joules;
} Part;

typedef struct {
    ARRAY(Part) part;
    double sum;
} Side;

static int by_size(const void *pa, const void *pb) {
    const Part *a = pa, *b = pb;
    if (a->joules != b->joules) return a->joules > b->joules ? -1 : 1;
    int order = strcmp(a->name, b->name);
    return order ? order : (int)a->kind - (int)b->kind;
}

// What is less than one part in a hundred goes together.
static void fill_side(const Flow *f, Side *side, Kind first, Kind last) {
    double rest[KINDS] = {0};
    for (int g = 0; g < f->group.count; g++)
        for (Kind k = first; k <= last; k++) {
            const Group *x = &f->group.data[g];
            Part r = {x->path, x->length, k, x->energy[k]};
            if (r.joules > 0.01 * f->total)
                array_push(&side->part, r);
            else
                rest[k] += r.joules;
        }
    if (side->part.count) qsort(side->part.data, (size_t)side->part.count, sizeof(Part), by_size);
    for (Kind k = first; k <= last; k++) {
        Part r = {"all others", strlen("all others"), k, rest[k]};
        if (r.joules > 2e-3 * f->total) array_push(&side->part, r);
    }
    for (int i = 0; i < side->part.count; i++) side->sum += side->part.data[i].joules;
}

static double thickness(const Flow *f, double joules) { return HEIGHT * joules / f->total; }

static double side_height(const Flow *f, const Side *s) {
    double h = 0;
    for (int i = 0; i < s->part.count; i++)
        h += fmax(thickness(f, s->part.data[i].joules), GAP) + 6;
    return h;
}

static void draw_label(Text *out, const Flow *f, const Part *r, double y, bool left) {
    text_printf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"%s\">",
                left ? MARGIN - 10 : WIDTH - MARGIN + 10, y + 4, left ? "end" : "start");
    ribbon_name(out, r->name, r->length);
    text_printf(out, " <tspan fill=\"#5c6b7a\">%s %.4g J, %.3g %%</tspan></text>\n",
                kind_word[r->kind], r->joules, 100 * r->joules / f->total);
}

// A ribbon from its place on the side to its place on the bar in the middle.
static void draw_side(Text *out, const Flow *f, const Side *s, double height, bool left) {
    double y = (height - side_height(f, s)) / 2, bar = (height - thickness(f, s->sum)) / 2;
    int outer = left ? MARGIN : WIDTH - MARGIN, inner = left ? WIDTH / 2 - 8 : WIDTH / 2 + 8;
    for (int i = 0; i < s->part.count; i++) {
        const Part *r = &s->part.data[i];
        double t = thickness(f, r->joules), room = fmax(t, GAP);
        double top = y + (room - t) / 2;
        Ribbon ribbon = {kind_color[r->kind], outer, top, inner, bar, t, NULL};
        ribbon_svg(out, &ribbon);
        draw_label(out, f, r, y + room / 2, left);
        y += room + 6;
        bar += t;
    }
}

void flow_svg(Text *out, const Audit *a, const System *s) {
    Flow f = {.audit = a, .system = s};
    Side given = {0}, got = {0};
    f.of = memory_zeroed((size_t)a->line_count, sizeof *f.of);
    make_groups(&f);
    if (f.total > 0 && isfinite(f.total)) {
        fill_side(&f, &given, SUPPLIED, RELEASED);
        fill_side(&f, &got, HEAT, TAKEN);
        double height = fmax(fmax(side_height(&f, &given), side_height(&f, &got)), HEIGHT) + 20;
        ribbon_open(out, WIDTH, height, "energy: who gave it, who got it");
        draw_side(out, &f, &given, height, true);
        draw_side(out, &f, &got, height, false);
        text_printf(out,
                    "<rect class=\"all\" x=\"%d\" y=\"%.1f\" width=\"16\" height=\"%d\" "
                    "fill=\"#1b2733\"/>\n",
                    WIDTH / 2 - 8, (height - HEIGHT) / 2, HEIGHT);
        text_add(out, "</svg>\n");
    }
    array_free(&given.part);
    array_free(&got.part);
    array_free(&f.group);
    free(f.of);
}
