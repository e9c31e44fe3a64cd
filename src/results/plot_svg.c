// Plots as SVG, by hand.
//
//      title
//      -- v.f   -- w.f          legend above the curves, only where an axis has several
//      |---------------|
//      |  panel        |        one unit: one axis; two units: left and right on one grid, zeros at
//      |---------------|        one height; more, or where that would squeeze a curve: a panel per
//       0    1    2   3         unit, all over the same x. A path (y over x of one unit that turns
//           time [s]            back) has equal scales.
//      footer
//
// Colours are those of Okabe and Ito, told apart by people with any kind of colour vision; after
// seven curves line patterns change. What is wanted has the colour of what it became, in dashes.
#include "results/plot.h"

#include "base/arena.h"
#include "results/curve.h"
#include "results/related.h"
#include <math.h>
#include <string.h>

enum {
    WIDTH = 800,
    MARGIN = 14,
    TITLE_ROOM = 34,
    LEGEND_ROW = 20,
    AXIS_ROOM = 76, // beside a panel: tick labels and the label of the axis
    SINGLE_HEIGHT = 340,
    STACKED_HEIGHT = 170,
    PANEL_GAP = 22,
    X_AXIS_ROOM = 48,
    FOOTER_ROOM = 20,
    MOST_LEGEND = 28,
    LONGEST_LABEL = 48,
};

static const char *const palette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#222222"};
static const char *const dashes[] = {"", "7 3", "2 3", "9 3 2 3"};
enum { COLOURS = 7, DASHES = 4 };
#define LETTER (0.56 * 12) // width: a little over half the height of the font
#define INK    "#333333"

typedef struct { // curves of one unit
    const char *unit;
    int count, first; // how many, and the first of them
    Range range;
} Group;

typedef struct {
    Text *out;
    const PlotData *p;
    Arena tmp;
    Group *group;
    int group_count;
    int *group_of;  // per curve
    int *shade;     // per curve: which colour of the palette
    bool *setpoint; // per curve: what another one should be
    bool shared;    // two groups in one panel
    Axis pair[2];   // their axes
    double equal;   // height of the panel of a path; 0: it is none
    bool rises;     // x is like time
    double left, width;
    Axis x;
} Sheet;

// --- text ---------------------------------------------------------------------------------------

static int letters(const char *s) {
    int n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

// At most `most` letters, the end replaced by an ellipsis.
static void add_short(Text *out, const char *s, int most) {
    if (letters(s) <= most) {
        text_xml(out, s);
        return;
    }
    const char *end = s;
    for (int n = 0; n < most - 1; n++) do
            end++;
        while (((unsigned char)*end & 0xc0) == 0x80);
    Text part = {0};
    text_add_n(&part, s, (size_t)(end - s));
    text_xml(out, text_get(&part));
    text_add(out, "…");
    text_free(&part);
}

static void add_text(Sheet *s, double x, double y, const char *attributes, const char *text,
                     int most) {
    text_printf(s->out, "<text x=\"%.1f\" y=\"%.1f\"%s%s>", x, y, *attributes ? " " : "",
                attributes);
    add_short(s->out, text, most);
    text_add(s->out, "</text>\n");
}

static const char *curve_label(const PlotData *p, int c) {
    return p->label && p->label[c] ? p->label[c] : "";
}

static const char *curve_unit(const PlotData *p, int c) {
    return p->unit && p->unit[c] ? p->unit[c] : "";
}

// --- what belongs together ----------------------------------------------------------------------

static int find_group(Sheet *s, const char *unit) {
    for (int g = 0; g < s->group_count; g++)
        if (strcmp(s->group[g].unit, unit) == 0) return g;
    s->group[s->group_count] = (Group){.unit = unit, .first = -1, .range = RANGE_EMPTY};
    return s->group_count++;
}

static void group_curves(Sheet *s) {
    const PlotData *p = s->p;
    s->group = ARENA_ARRAY(&s->tmp, Group, p->curve_count + 1);
    s->group_of = ARENA_ARRAY(&s->tmp, int, p->curve_count + 1);
    for (int c = 0; c < p->curve_count; c++) {
        int g = s->group_of[c] = find_group(s, curve_unit(p, c));
        if (s->group[g].count++ == 0) s->group[g].first = c;
        for (int i = 0; i < p->count[c]; i++)
            if (drawable(p->x[c][i])) range_add(&s->group[g].range, p->y[c][i]);
    }
    if (s->group_count == 0) find_group(s, "");
    s->shared = s->group_count == 2 && !p->decades &&
                axis_pair(s->group[0].range, s->group[1].range, 7, &s->pair[0], &s->pair[1]);
}

static int value_of_setpoint(const Sheet *s, int setpoint) {
    for (int c = 0; c < s->p->curve_count; c++)
        if (c != setpoint && s->group_of[c] == s->group_of[setpoint] &&
            label_is_setpoint(curve_label(s->p, setpoint), curve_label(s->p, c)))
            return c;
    return -1;
}

static void choose_colours(Sheet *s) {
    enum { MOST = 200 }; // of studies no two belong together
    int count = s->p->curve_count, next = 0;
    s->shade = ARENA_ARRAY(&s->tmp, int, count + 1);
    s->setpoint = ARENA_ARRAY(&s->tmp, bool, count + 1);
    for (int c = 0; c < count && count < MOST; c++) s->setpoint[c] = value_of_setpoint(s, c) >= 0;
    for (int c = 0; c < count; c++)
        if (!s->setpoint[c]) s->shade[c] = next++;
    for (int c = 0; c < count; c++)
        if (s->setpoint[c]) s->shade[c] = s->shade[value_of_setpoint(s, c)];
}

// "x [m]" -> "m"
static const char *unit_in(Arena *out, const char *label) {
    const char *open = label ? strrchr(label, '[') : NULL, *end = open ? strchr(open, ']') : NULL;
    if (!end || end[1]) return "";
    return arena_copy_text(out, open + 1, (size_t)(end - open - 1));
}

// A path: one signal over another of the same unit. Where it would be too high or too flat, the
// shorter axis grows.
static void make_equal(Sheet *s, Range x) {
    const double highest = 620, lowest = 150;
    const char *unit = unit_in(&s->tmp, s->p->x_label);
    if (s->rises || s->group_count != 1 || !*unit || strcmp(unit, s->group[0].unit) != 0) return;
    Range *y = &s->group[0].range;
    double dx = (x.hi - x.lo) * 1.04, dy = (y->hi - y->lo) * 1.04;
    if (!(dx > 0) || !(dy > 0) || !(dx < 1e4 * dy) || !(dy < 1e4 * dx)) return;
    double per_unit = fmin(s->width / dx, highest / dy);
    s->equal = fmax(per_unit * dy, lowest);
    double halves[2] = {s->width / per_unit / 2, s->equal / per_unit / 2};
    double mx = (x.lo + x.hi) / 2, my = (y->lo + y->hi) / 2;
    s->x = axis_between(mx - halves[0], mx + halves[0], 8);
    s->pair[0] = axis_between(my - halves[1], my + halves[1], s->equal > 200 ? 7 : 4);
}

static void make_x_axis(Sheet *s) {
    Range range = RANGE_EMPTY;
    s->rises = true;
    for (int c = 0; c < s->p->curve_count; c++) {
        for (int i = 0; i < s->p->count[c]; i++)
            if (drawable(s->p->y[c][i])) range_add(&range, s->p->x[c][i]);
        s->rises = s->rises && curve_rises(s->p->x[c], s->p->count[c]);
    }
    s->left = MARGIN + AXIS_ROOM;
    s->width = WIDTH - s->left - (s->shared ? MARGIN + AXIS_ROOM : 2 * MARGIN);
    s->x = s->p->decades ? axis_decades(range, 12)
           : s->rises    ? axis_tight(range, 8)
                         : axis_loose(range, 8);
    make_equal(s, range);
}

static const char *colour_of_curve(const Sheet *s, int c) {
    return s->p->colour ? s->p->colour[c] : palette[s->shade[c] % COLOURS];
}

static const char *dash_of_curve(const Sheet *s, int c) {
    if (s->p->colour) return "";
    return s->setpoint[c] ? "5 4" : dashes[s->shade[c] / COLOURS % DASHES];
}

// --- legend -------------------------------------------------------------------------------------

static bool in_panel(const Sheet *s, int curve, int panel) {
    return s->shared || s->group_of[curve] == panel;
}

static bool wants_legend(const Sheet *s, int panel) {
    if (s->shared) return s->group[0].count > 1 || s->group[1].count > 1;
    return s->group[panel].count > 1;
}

static double entry_width(const Sheet *s, int c) {
    int n = letters(curve_label(s->p, c));
    if (n > LONGEST_LABEL) n = LONGEST_LABEL;
    return 30 + LETTER * (n + (s->shared ? 8 : 0)) + 18;
}

static bool is_dotted(const Sheet *s, int c) { return s->p->dots && s->p->dots[c]; }

static void draw_entry(Sheet *s, int c, double x, double y) {
    const char *dash = dash_of_curve(s, c);
    if (is_dotted(s, c))
        text_printf(s->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.2\" fill=\"%s\"/>", x + 11,
                    y - 4, colour_of_curve(s, c));
    else
        text_printf(s->out, "<path d=\"M%.1f %.1fh22\" stroke=\"%s\" stroke-width=\"2\"%s%s%s/>", x,
                    y - 4, colour_of_curve(s, c), *dash ? " stroke-dasharray=\"" : "", dash,
                    *dash ? "\"" : "");
    text_printf(s->out, "<text x=\"%.1f\" y=\"%.1f\">", x + 28, y);
    add_short(s->out, curve_label(s->p, c), LONGEST_LABEL);
    if (s->shared) text_add(s->out, s->group_of[c] ? " (right)" : " (left)");
    text_add(s->out, "</text>\n");
}

// Draws the entries from (left, y) on in rows (or only counts: draw = false); gives their height.
static double legend(Sheet *s, int panel, double y, bool draw) {
    if (!wants_legend(s, panel)) return 0;
    double x = s->left;
    int rows = 1, shown = 0, hidden = 0;
    for (int c = 0; c < s->p->curve_count; c++) {
        if (!in_panel(s, c, panel) || (s->p->legend_every > 1 && c % s->p->legend_every)) continue;
        if (shown >= MOST_LEGEND) {
            hidden++;
            continue;
        }
        if (x > s->left && x + entry_width(s, c) > s->left + s->width + 18) x = s->left, rows++;
        if (draw) draw_entry(s, c, x, y + rows * LEGEND_ROW - 6);
        x += entry_width(s, c);
        shown++;
    }
    if (hidden) rows++;
    if (hidden && draw)
        text_printf(s->out, "<text x=\"%.1f\" y=\"%.1f\">and %d more</text>\n", s->left,
                    y + rows * LEGEND_ROW - 6, hidden);
    return rows * LEGEND_ROW + 4;
}

// --- panels -------------------------------------------------------------------------------------

// Lines at 2, 3 ... 9 of every decade.
static void draw_decades(Sheet *s, const Frame *f) {
    const double most = 9;
    if (!f->x.decades || f->x.hi - f->x.lo > most) return;
    text_add(s->out, "<path class=\"decade\" stroke=\"#f0f0f0\" d=\"");
    for (int d = (int)floor(f->x.lo); d < f->x.hi; d++)
        for (int k = 2; k < 10; k++) {
            double part = axis_part(&f->x, d + log10(k));
            if (part > 0 && part < 1)
                text_printf(s->out, "M%.1f %.1fv%.1f", f->left + f->width * part, f->top,
                            f->height);
        }
    text_add(s->out, "\"/>\n");
}

// Where zero lies inside, it is seen.
static void draw_zero(Sheet *s, const Frame *f) {
    double part = axis_part(&f->y, 0);
    if (part > 0.001 && part < 0.999)
        text_printf(s->out, "<path class=\"zero\" stroke=\"#bbbbbb\" d=\"M%.1f %.1fh%.1f\"/>\n",
                    f->left, f->top + f->height * (1 - part), f->width);
}

static void draw_grid(Sheet *s, const Frame *f) {
    draw_decades(s, f);
    text_add(s->out, "<path stroke=\"#e3e3e3\" d=\"");
    for (int i = 0; i < f->x.tick_count; i++)
        text_printf(s->out, "M%.1f %.1fv%.1f",
                    f->left + f->width * axis_part(&f->x, axis_tick(&f->x, i)), f->top, f->height);
    for (int i = 0; i < f->y.tick_count; i++)
        text_printf(s->out, "M%.1f %.1fh%.1f", f->left,
                    f->top + f->height * (1 - axis_part(&f->y, axis_tick(&f->y, i))), f->width);
    text_printf(s->out,
                "\"/>\n<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                "stroke=\"#999999\"/>\n",
                f->left, f->top, f->width, f->height);
    draw_zero(s, f);
}

// The label of an axis: its only curve, or the unit that its curves share.
static void y_label(Text *out, const PlotData *p, const Group *g, Axis *y) {
    if (g->count == 1) text_add(out, curve_label(p, g->first));
    if (!*g->unit) return;
    text_add(out, out->length ? " [" : "[");
    axis_unit(out, y, g->unit);
    text_char(out, ']');
}

// Where two axes share a panel, the axis of a single curve has its colour.
static void draw_y_axis(Sheet *s, Frame *f, const Group *g, bool right) {
    const char *ink = s->shared && g->count == 1 ? colour_of_curve(s, g->first) : INK;
    double edge = right ? f->left + f->width + 7 : f->left - 7;
    text_printf(s->out, "<g fill=\"%s\" stroke=\"none\" text-anchor=\"%s\">\n", ink,
                right ? "start" : "end");
    Text text = {0}, label = {0};
    y_label(&label, s->p, g, &f->y);
    for (int i = 0; i < f->y.tick_count; i++) {
        text_clear(&text);
        axis_tick_label(&text, &f->y, i);
        double y = f->top + f->height * (1 - axis_part(&f->y, axis_tick(&f->y, i)));
        add_text(s, edge, y + 4, "", text_get(&text), LONGEST_LABEL);
    }
    text_clear(&text);
    axis_remark(&text, &f->y);
    if (text.length)
        add_text(s, right ? f->left + f->width : f->left, f->top - 6,
                 right ? "text-anchor=\"end\"" : "text-anchor=\"start\"", text_get(&text),
                 LONGEST_LABEL);
    double x = right ? WIDTH - MARGIN : MARGIN + 8, middle = f->top + f->height / 2;
    text_printf(s->out,
                "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\">", x,
                middle);
    add_short(s->out, text_get(&label), (int)(f->height / LETTER));
    text_add(s->out, "</text>\n</g>\n");
    text_free(&text);
    text_free(&label);
}

// Points are strokes without length, with round ends.
static void draw_points(Sheet *s, const Frame *f, int c) {
    const PlotData *p = s->p;
    text_printf(s->out, "<path stroke=\"%s\" stroke-width=\"4.4\" d=\"", colour_of_curve(s, c));
    for (int i = 0; i < p->count[c]; i++)
        if (isfinite(p->x[c][i]) && isfinite(p->y[c][i]))
            text_printf(s->out, "M%.1f %.1fh0", f->left + f->width * axis_part(&f->x, p->x[c][i]),
                        f->top + f->height * (1 - axis_part(&f->y, p->y[c][i])));
    text_add(s->out, "\"><title>");
    text_xml(s->out, curve_label(p, c));
    text_add(s->out, "</title></path>\n");
}

static void draw_curves(Sheet *s, const Frame *f, int group, int panel) {
    const PlotData *p = s->p;
    text_printf(s->out,
                "<g clip-path=\"url(#panel%d)\" stroke-linejoin=\"round\" "
                "stroke-linecap=\"round\">\n",
                panel);
    for (int c = 0; c < p->curve_count; c++) {
        if (s->group_of[c] != group) continue;
        if (is_dotted(s, c)) {
            draw_points(s, f, c);
            continue;
        }
        const char *dash = dash_of_curve(s, c);
        text_printf(s->out, "<path stroke=\"%s\" stroke-width=\"1.6\"%s%s%s d=\"",
                    colour_of_curve(s, c), *dash ? " stroke-dasharray=\"" : "", dash,
                    *dash ? "\"" : "");
        size_t before = s->out->length;
        curve_path(s->out, f, p->x[c], p->y[c], p->count[c]);
        bool empty = s->out->length == before;
        text_printf(s->out, "\"><title>%s", empty ? "(no data) " : "");
        text_xml(s->out, curve_label(p, c));
        text_add(s->out, "</title></path>\n");
    }
    text_add(s->out, "</g>\n");
}

static void draw_panel(Sheet *s, int panel, double top, double height) {
    const Group *g = &s->group[panel];
    Axis left = s->shared || s->equal > 0 ? s->pair[0] : axis_loose(g->range, height > 200 ? 7 : 4);
    Frame f = {s->left, top, s->width, height, s->x, left};
    text_printf(s->out,
                "<clipPath id=\"panel%d\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                "height=\"%.1f\"/></clipPath>\n",
                panel, f.left - 2, f.top - 2, f.width + 4, f.height + 4);
    draw_grid(s, &f);
    draw_y_axis(s, &f, g, false);
    draw_curves(s, &f, panel, panel);
    if (s->shared) {
        f.y = s->pair[1];
        draw_y_axis(s, &f, &s->group[1], true);
        draw_curves(s, &f, 1, panel);
    }
    bool empty =
        g->range.lo > g->range.hi && (!s->shared || s->group[1].range.lo > s->group[1].range.hi);
    if (empty)
        add_text(s, f.left + f.width / 2, f.top + f.height / 2,
                 "text-anchor=\"middle\" fill=\"#999999\"", "no data", LONGEST_LABEL);
}

// "time [s]", with the prefix of the labels.
static void x_label(Text *out, Sheet *s) {
    const char *label = s->p->x_label ? s->p->x_label : "", *unit = unit_in(&s->tmp, label);
    if (!*unit) {
        text_add(out, label);
        return;
    }
    text_add_n(out, label, strlen(label) - strlen(unit) - 1);
    axis_unit(out, &s->x, unit);
    text_char(out, ']');
}

static void draw_x_axis(Sheet *s, double y) {
    text_add(s->out, "<g text-anchor=\"middle\">\n");
    Text text = {0}, label = {0};
    x_label(&label, s);
    for (int i = 0; i < s->x.tick_count; i++) {
        text_clear(&text);
        axis_tick_label(&text, &s->x, i);
        add_text(s, s->left + s->width * axis_part(&s->x, axis_tick(&s->x, i)), y + 17, "",
                 text_get(&text), LONGEST_LABEL);
    }
    add_text(s, s->left + s->width / 2, y + 37, "", text_get(&label), 100);
    text_clear(&text);
    axis_remark(&text, &s->x);
    if (text.length)
        add_text(s, s->left + s->width, y + 37, "text-anchor=\"end\"", text_get(&text),
                 LONGEST_LABEL);
    text_add(s->out, "</g>\n");
    text_free(&text);
    text_free(&label);
}

// --- the sheet ----------------------------------------------------------------------------------

static double panel_height(const Sheet *s) {
    if (s->equal > 0) return s->equal;
    bool stacked = s->group_count > 1 && !s->shared;
    return stacked || s->p->decades ? STACKED_HEIGHT : SINGLE_HEIGHT;
}

static double title_room(const Sheet *s) {
    return s->p->title && *s->p->title ? TITLE_ROOM : MARGIN;
}

// Between a panel and its legend or the panel above; a legend keeps away from the panel above.
static double above_panel(const Sheet *s, int panel) {
    return PANEL_GAP + (panel > 0 && wants_legend(s, panel) ? LEGEND_ROW / 2 : 0);
}

static double sheet_height(Sheet *s, int panels) {
    double height = title_room(s);
    for (int i = 0; i < panels; i++) height += PANEL_GAP + legend(s, i, 0, false) + panel_height(s);
    return height + X_AXIS_ROOM + (s->p->footer ? FOOTER_ROOM : MARGIN);
}

static void open_svg(Sheet *s, double height) {
    text_printf(s->out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
                "height=\"%.0f\" role=\"img\" font-family=\"Helvetica, Arial, sans-serif\" "
                "font-size=\"12\">\n<title>",
                WIDTH, height, WIDTH, height);
    text_xml(s->out, s->p->title ? s->p->title : "");
    text_printf(s->out, "</title>\n<rect width=\"%d\" height=\"%.0f\" fill=\"white\"/>\n", WIDTH,
                height);
    text_add(s->out, "<g fill=\"" INK "\" stroke=\"none\">\n");
    if (s->p->title && *s->p->title)
        add_text(s, s->left, 26, "font-size=\"15\" font-weight=\"bold\"", s->p->title, 80);
    text_add(s->out, "</g>\n");
}

void plot_svg(Text *out, const PlotData *p) {
    Sheet s = {.out = out, .p = p};
    group_curves(&s);
    choose_colours(&s);
    make_x_axis(&s);
    int panels = s.shared ? 1 : s.group_count;
    double height = sheet_height(&s, panels), y = title_room(&s);
    open_svg(&s, height);
    text_add(out, "<g fill=\"none\">\n");
    for (int i = 0; i < panels; i++) {
        y += above_panel(&s, i) - PANEL_GAP;
        text_add(out, "<g fill=\"" INK "\">\n");
        y += legend(&s, i, y, true) + PANEL_GAP;
        text_add(out, "</g>\n");
        draw_panel(&s, i, y, panel_height(&s));
        y += panel_height(&s);
    }
    text_add(out, "</g>\n<g fill=\"" INK "\">\n");
    draw_x_axis(&s, y);
    if (p->footer)
        add_text(&s, MARGIN, height - 8, "font-size=\"10\" fill=\"#888888\"", p->footer, 130);
    text_add(out, "</g>\n</svg>\n");
    arena_free(&s.tmp);
}
