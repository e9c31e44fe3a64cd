// The bond graph as a picture.
//
//       Se: drive ____/| 1 |____\  I: mass      half-arrow: one barb at the head, on the right side
//                         v     |               stroke: a bar across the bond's end
//                                               number: the order in which strokes were given
//
// Pages find components by data-path and bonds by data-bond, their number in the model, and
// data-order, that of their stroke. Red is derivative causality, brown lies on an algebraic loop, a
// double line is a multibond, a thin arrow a signal. Every bond says as a tooltip why its stroke is
// where it is. Colours are variables with a default: a page may set them.
#include "graph/layout.h"
#include "graph/picture.h"

#include "base/array.h"
#include <math.h>
#include <string.h>

enum {
    TITLE_SIZE = 14,
    SUB_SIZE = 11,
    NUMBER_SIZE = 9,
    PORT_SIZE = 10,
    HEADER = 34,
    SHAPE_HEIGHT = 24,
    CLEAR = 5,
    BAR = 7,
    APART = 7,       // between a stroke and the half-arrow at the same end
    MOST_LINES = 250 // for which numbers keep away from lines, too
};

typedef struct {
    double left, top, right, bottom;
} Area;

typedef struct {
    const Drawing *d;
    const Picture *p;
    Text *out;
    Box *box;
    Layout *layout;
    Area *number; // areas that are taken: of boxes, and of numbers that are placed
    int numbers;
    Point *sample; // points on all lines
    int samples;
} Svg;

// Width of a text in a common sans-serif font, rather too wide than too narrow.
static double text_width(const char *s, double size) {
    double width = 0;
    for (; *s; s++) {
        if (((unsigned char)*s & 0xc0) == 0x80) continue; // further bytes of a character
        if (strchr("ijl.,:;|'![]() tfI", *s))
            width += 0.38;
        else if (strchr("mwMW@%", *s))
            width += 0.98;
        else
            width += *s >= 'A' && *s <= 'Z' ? 0.74 : 0.62;
    }
    return width * size;
}

// A box, with room beside it for the names of ports.
static void measure_boxes(Svg *v) {
    for (int i = 0; i < v->p->node_count; i++) {
        const PictureNode *n = &v->p->node[i];
        Box *box = &v->box[i];
        double names = 0;
        for (int k = 0; k < v->p->line_count; k++) {
            const PictureLine *l = &v->p->line[k];
            if (l->from == i) names = fmax(names, text_width(l->tail, PORT_SIZE));
            if (l->to == i) names = fmax(names, text_width(l->head, PORT_SIZE));
        }
        box->shape_width =
            fmax(24, text_width(n->title, TITLE_SIZE) + (n->kind == NODE_COMP ? 10 : 20));
        box->shape_height = SHAPE_HEIGHT;
        box->below = *n->subtitle ? SUB_SIZE + 4 : 0;
        box->width = fmax(box->shape_width, text_width(n->subtitle, SUB_SIZE) + 6);
        if (names > 0) box->width = fmax(box->width, box->shape_width + 2 * names);
    }
}

// --- pieces --------------------------------------------------------------------------------------

static void add_coordinate(Text *out, double x) {
    text_printf(out, "%.9g", round(x * 10) / 10 + 0.0); // + 0.0: no "-0"
}

static void add_point(Text *out, char command, double x, double y) {
    text_char(out, command);
    add_coordinate(out, x);
    text_char(out, ' ');
    add_coordinate(out, y);
}

static void add_line(Text *out, const char *style, double x1, double y1, double x2, double y2) {
    text_printf(out, "<path class=\"%s\" d=\"", style);
    add_point(out, 'M', x1, y1);
    add_point(out, 'L', x2, y2);
    text_add(out, "\"/>");
}

static void add_text(Text *out, const char *style, double x, double y, const char *s) {
    text_printf(out, "<text class=\"%s\" x=\"", style);
    add_coordinate(out, x);
    text_add(out, "\" y=\"");
    add_coordinate(out, y);
    text_add(out, "\">");
    text_xml(out, s);
    text_add(out, "</text>");
}

static void add_frame(Text *out, const Box *b, const char *style, double larger, double round) {
    text_printf(out, "<rect class=\"%s\" x=\"", style);
    add_coordinate(out, b->x - b->shape_width / 2 - larger);
    text_add(out, "\" y=\"");
    add_coordinate(out, b->y - b->shape_height / 2 - larger);
    text_printf(out, "\" width=\"%g\" height=\"%g\" rx=\"%g\"/>", b->shape_width + 2 * larger,
                b->shape_height + 2 * larger, round);
}

static void draw_box(Svg *v, int node) {
    static const char *const kind[] = {"element", "fold", "block", "outside"};
    const PictureNode *n = &v->p->node[node];
    const Box *b = &v->box[node];
    Text *out = v->out;
    text_printf(out, "<g class=\"%s%s\" data-path=\"", n->junction ? "junction" : kind[n->kind],
                n->derivative ? " derivative" : "");
    text_xml(out, n->path);
    text_add(out, "\">");
    if (n->text || n->kind == NODE_FOLD) {
        text_add(out, "<title>");
        text_xml(out, n->text ? n->text : n->path);
        if (n->kind == NODE_FOLD) text_printf(out, ": %d parts inside", n->parts);
        text_add(out, "</title>");
    }
    if (n->junction) add_frame(out, b, "shape", 0, 9);
    if (n->kind == NODE_FOLD) add_frame(out, b, "shape back", 3, 5);
    if (n->kind == NODE_FOLD || n->kind == NODE_BLOCK) add_frame(out, b, "shape", 0, 3);
    add_text(out, "name", b->x, b->y + TITLE_SIZE * 0.35, n->title);
    if (*n->subtitle)
        add_text(out, "sub", b->x, b->y + b->shape_height / 2 + SUB_SIZE, n->subtitle);
    text_add(out, "</g>\n");
}

// Lines are level between points 2i and 2i+1 and bend in between.
static void add_route(Text *out, const char *style, const Point *p, int count) {
    text_printf(out, "<path class=\"%s\" d=\"", style);
    add_point(out, 'M', p[0].x, p[0].y);
    for (int i = 1; i < count; i++) {
        double middle = (p[i - 1].x + p[i].x) / 2;
        if (i % 2 == 1) {
            add_point(out, 'L', p[i].x, p[i].y);
        } else {
            add_point(out, 'C', middle, p[i - 1].y);
            add_point(out, ' ', middle, p[i].y);
            add_point(out, ' ', p[i].x, p[i].y);
        }
    }
    text_add(out, "\"/>");
}

static Point on_curve(Point a, Point b, double t) {
    double s = 1 - t, middle = (a.x + b.x) / 2;
    return (Point){s * s * s * a.x + 3 * s * t * middle + t * t * t * b.x,
                   (s * s * s + 3 * s * s * t) * a.y + (3 * s * t * t + t * t * t) * b.y};
}

static Point between(Point a, Point b, double t) {
    return (Point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}

static bool touches(const Area *a, const Area *b) {
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

// Points on every line, and the areas of boxes: what numbers keep away from.
static void note_lines(Svg *v) {
    enum { PARTS = 12 };
    for (int i = 0; i < v->p->node_count; i++) {
        const Box *b = &v->box[i];
        double half = fmax(b->shape_width, text_width(v->p->node[i].subtitle, SUB_SIZE)) / 2;
        v->number[v->numbers++] = (Area){b->x - half, b->y - b->shape_height / 2, b->x + half,
                                         b->y + b->shape_height / 2 + b->below};
    }
    if (v->p->line_count > MOST_LINES) return;
    for (int i = 0; i < v->p->line_count; i++) {
        const Route *r = &v->layout->route[i];
        for (int k = 1; k < r->count; k++)
            for (int s = 0; s <= PARTS; s++) {
                Point a = r->point[k - 1], b = r->point[k];
                double t = (double)s / PARTS;
                double y = r->straight ? a.y + t * (b.y - a.y) : a.y;
                v->sample[v->samples++] =
                    k % 2 ? (Point){a.x + t * (b.x - a.x), y} : on_curve(a, b, t);
            }
    }
}

static int samples_of(const Layout *l, int lines) {
    int count = 0;
    for (int i = 0; i < lines && lines <= MOST_LINES; i++) count += 13 * l->route[i].count;
    return count;
}

static bool is_free(const Svg *v, const Area *area) {
    for (int k = 0; k < v->numbers; k++)
        if (touches(area, &v->number[k])) return false;
    for (int k = 0; k < v->samples; k++) {
        Point p = v->sample[k];
        if (p.x > area->left && p.x < area->right && p.y > area->top && p.y < area->bottom)
            return false;
    }
    return true;
}

// The number stands beside the bond: at the first place along it, above or below, that is free.
static void draw_number(Svg *v, int line) {
    static const double where[] = {0.5, 0.3, 0.7, 0.1, 0.9, 0.02, 0.98};
    enum { MOST = 2000, PLACES = sizeof where / sizeof *where, SIDES = 4 };
    const Route *r = &v->layout->route[line];
    if (!v->d || v->p->line_count > MOST || (r->count < 4 && !r->straight)) return;
    Text t = {0};
    drawn_number(&t, v->d, v->p->line[line].bond);
    double half = text_width(text_get(&t), NUMBER_SIZE) / 2;
    bool steep =
        r->straight && fabs(r->point[1].y - r->point[0].y) > fabs(r->point[1].x - r->point[0].x);
    int last = (r->straight ? 1 : r->count / 2 - 1) * PLACES * SIDES;
    for (int i = 0; i < last; i++) {
        int piece = i / SIDES / PLACES, side = (i + (steep ? 2 : 0)) % SIDES;
        double at = where[i / SIDES % PLACES];
        Point p = r->straight ? between(r->point[0], r->point[1], at)
                              : on_curve(r->point[1 + 2 * piece], r->point[2 + 2 * piece], at);
        double away = v->p->line[line].dim > 1 ? 3 : 0;
        double x = p.x + (side < 2 ? 0 : side == 2 ? half + 4 : -half - 4);
        double y = side == 1 ? p.y + NUMBER_SIZE + 3 + away : side == 0 ? p.y - 4 - away : p.y + 3;
        Area area = {x - half, y - NUMBER_SIZE + 1, x + half, y + 1};
        if (!is_free(v, &area)) continue;
        v->number[v->numbers++] = area;
        add_text(v->out, "number", x, y, text_get(&t));
        break;
    }
    text_free(&t);
}

// The direction in which a line goes on its piece from a to b.
static Point direction(Point a, Point b) {
    double far = hypot(b.x - a.x, b.y - a.y);
    if (b.y == a.y || far <= 0) return (Point){b.x >= a.x ? 1 : -1, 0};
    return (Point){(b.x - a.x) / far, (b.y - a.y) / far};
}

// A bar across the end of a line that goes in direction u.
static void draw_bar(Svg *v, const char *style, Point at, Point u) {
    double x = fabs(u.y) * BAR, y = fabs(u.x) * BAR;
    if (u.x * u.y > 0) x = -x;
    add_line(v->out, style, at.x - x, at.y - y, at.x + x, at.y + y);
}

// Bars and barb at the ends of a route.
static void draw_ends(Svg *v, int line, const Point *p, int count) {
    const PictureLine *b = &v->p->line[line];
    Point tail = p[0], head = p[count - 1];
    Point u = direction(p[count - 2], head), w = direction(tail, p[1]);
    bool mixed = b->at_from && b->at_to;
    const char *bar = mixed ? "bar mixed" : "bar";
    double apart = b->at_to ? APART : 0;
    Point tip = {head.x - u.x * apart, head.y - u.y * apart};
    add_line(v->out, "barb", tip.x, tip.y, tip.x - 10 * u.x - 6 * u.y, tip.y - 10 * u.y + 6 * u.x);
    if (b->at_to) draw_bar(v, bar, head, u);
    if (b->at_from) draw_bar(v, bar, tail, w);
}

// The name of a port stands over its end of the line.
static void draw_port(Svg *v, const char *name, Point end, Point next) {
    if (!*name) return;
    double towards = next.x >= end.x ? 1 : -1;
    add_text(v->out, towards > 0 ? "port from" : "port to", end.x + 4 * towards, end.y - 4, name);
}

static void bond_tooltip(Svg *v, int bond) {
    enum { MOST = 8 };
    const DrawnBond *b = &v->d->bond[bond];
    const Graph *g = v->d->g;
    Text t = {0};
    for (int i = b->first; i < b->first + b->count && i < b->first + MOST; i++) {
        text_printf(&t, "%s%d  ", i > b->first ? "\n" : "", g->bond[i].order);
        graph_bond_label(&t, g, i);
        text_add(&t, ": ");
        bond_reason(&t, g, i);
    }
    text_add(v->out, "<title>");
    text_xml(v->out, text_get(&t));
    text_add(v->out, "</title>");
    text_free(&t);
}

static void clear_ends(Route *r) { // room between line and shape
    Point *p = r->point;
    if (r->straight) return;
    p[0].x += p[1].x >= p[0].x ? CLEAR : -CLEAR;
    p[r->count - 1].x += p[r->count - 1].x >= p[r->count - 2].x ? -CLEAR : CLEAR;
}

static void draw_signal(Svg *v, int line) {
    const PictureLine *l = &v->p->line[line];
    const Route *r = &v->layout->route[line];
    Point head = r->point[r->count - 1];
    Point u = direction(r->point[r->count - 2], head);
    text_add(v->out, "<g class=\"signal\"><title>");
    text_xml(v->out, l->words);
    text_add(v->out, "</title>");
    add_route(v->out, "thin", r->point, r->count);
    text_add(v->out, "<path class=\"tip\" d=\"");
    add_point(v->out, 'M', head.x, head.y);
    double x = fabs(u.y) * 3, y = fabs(u.x) * 3;
    if (u.x * u.y > 0) x = -x;
    add_point(v->out, 'L', head.x - u.x * 7 - x, head.y - u.y * 7 - y);
    add_point(v->out, 'L', head.x - u.x * 7 + x, head.y - u.y * 7 + y);
    text_add(v->out, "Z\"/></g>\n");
}

static void draw_bond(Svg *v, int line) {
    static const char *const style[] = {"bond", "bond loop", "bond derivative"};
    const PictureLine *l = &v->p->line[line];
    const Route *r = &v->layout->route[line];
    if (r->count < 2) return;
    if (l->bond < 0) {
        draw_signal(v, line);
        return;
    }
    const Point *p = r->point;
    text_printf(v->out, "<g class=\"%s\" data-bond=\"%d\"", style[l->colour], l->bond);
    if (v->d)
        text_printf(v->out, " data-order=\"%d\">", v->d->g->bond[v->d->bond[l->bond].first].order);
    else
        text_char(v->out, '>');
    if (v->d) bond_tooltip(v, l->bond);
    add_route(v->out, l->dim > 1 ? "multi" : "line", p, r->count);
    if (l->dim > 1) add_route(v->out, "inner", p, r->count);
    draw_ends(v, line, p, r->count);
    draw_port(v, l->tail, p[0], p[1]);
    draw_port(v, l->head, p[r->count - 1], p[r->count - 2]);
    if (l->dim > 1) {
        Text t = {0};
        text_printf(&t, "%d", l->dim);
        add_text(v->out, "dimension", p[1].x, p[1].y - 6, text_get(&t));
        text_free(&t);
    }
    draw_number(v, line);
    text_add(v->out, "</g>\n");
}

// --- frame ---------------------------------------------------------------------------------------

#define INK "var(--ink,#1f2933)"
static const char style_sheet[] =
    "<style>\n"
    ".bg text{font-family:Helvetica,Arial,'Liberation Sans',sans-serif;text-anchor:middle;fill:" INK
    "}\n"
    ".bg path{fill:none;stroke:" INK
    ";stroke-width:1.4;stroke-linecap:round;stroke-linejoin:round}\n"
    ".bg .name{font-size:14px}.bg .junction .name,.bg .fold .name{font-weight:bold}\n"
    ".bg .sub{font-size:11px;fill:var(--quiet,#5b6675)}\n"
    ".bg .number{font-size:9px;fill:var(--faint,#6b7684)}\n"
    ".bg .port{font-size:10px;fill:var(--quiet,#5b6675)}.bg .from{text-anchor:start}.bg "
    ".to{text-anchor:end}\n"
    ".bg .dimension{font-size:10px;font-style:italic}\n"
    ".bg .title{font-size:16px;font-weight:bold;text-anchor:start}\n"
    ".bg .legend{font-size:11px;text-anchor:start;fill:var(--quiet,#5b6675)}\n"
    ".bg .shape{fill:var(--box,#eef2f7);stroke:var(--edge,#b8c2cf)}.bg "
    ".paper{fill:var(--paper,#fff);stroke:none}\n"
    ".bg .block .shape{fill:var(--paper,#fff);stroke:" INK ";stroke-width:.8}\n"
    ".bg .fold{cursor:pointer}.bg .fold .shape{stroke:var(--quiet,#5b6675)}.bg .back{fill:none}\n"
    ".bg .outside .name{fill:var(--faint,#6b7684);font-style:italic}\n"
    ".bg .bar{stroke-width:2.4;stroke-linecap:butt}.bg .mixed{stroke-dasharray:3 2}\n"
    ".bg .multi,.bg .inner{stroke-linecap:butt}.bg .multi{stroke-width:4.6}\n"
    ".bg .derivative path{stroke:var(--red,#c8102e)}.bg .derivative text{fill:var(--red,#c8102e)}\n"
    ".bg .loop path{stroke:var(--brown,#b45309)}\n"
    ".bg path.inner{stroke:var(--paper,#fff)!important;stroke-width:2}.bg .bond "
    "text.number{fill:var(--faint,#6b7684)}\n"
    ".bg path.thin{stroke-width:.8;stroke:var(--signal,#3b6ea5)}\n"
    ".bg path.tip{stroke:none;fill:var(--signal,#3b6ea5)}\n"
    "</style>\n";

typedef struct {
    const char *style, *text;
    bool shown;
} LegendItem;

enum { LEGEND_ROW = 18, LEGEND_WIDTH = 400 };

static int legend_items(const Svg *v, LegendItem *item) {
    bool loop = false, derivative = false, multi = false, mixed = false;
    int n = 0;
    bool signal = false, fold = false;
    for (int b = 0; b < v->p->line_count; b++) {
        const PictureLine *l = &v->p->line[b];
        loop |= l->colour == BOND_LOOP;
        derivative |= l->colour == BOND_DERIVATIVE;
        multi |= l->dim > 1;
        mixed |= l->at_from && l->at_to;
        signal |= l->bond < 0;
    }
    for (int c = 0; c < v->p->node_count; c++) {
        derivative |= v->p->node[c].derivative;
        fold |= v->p->node[c].kind == NODE_FOLD;
    }
    item[n++] =
        (LegendItem){"bond", "half-arrow: positive power; bar: this end receives effort", 1};
    if (derivative) item[n++] = (LegendItem){"bond derivative", "derivative causality", 1};
    if (loop) item[n++] = (LegendItem){"bond loop", "on an algebraic loop", 1};
    if (multi) item[n++] = (LegendItem){"bond", "multibond with its dimension", 0};
    if (mixed) item[n++] = (LegendItem){"bond", "dashed bars: its scalars differ", 0};
    if (signal) item[n++] = (LegendItem){"signal", "signal: who reads whom", 0};
    if (fold) item[n++] = (LegendItem){"fold", "a part with more inside", 0};
    return n;
}

static void draw_legend(Svg *v, const LegendItem *item, int count) {
    double x = 28;
    for (int i = 0; i < count; i++) {
        double y = v->layout->height + LEGEND_ROW * (i + 0.5);
        Text *out = v->out;
        text_printf(out, "<g class=\"%s\">", item[i].style);
        if (!strncmp(item[i].text, "multi", 5)) {
            add_line(out, "multi", x, y, x + 34, y);
            add_line(out, "inner", x, y, x + 34, y);
        } else if (!strcmp(item[i].style, "signal")) {
            add_line(out, "thin", x, y, x + 34, y);
            text_printf(out, "<path class=\"tip\" d=\"M%g %gl-7 -3v6Z\"/>", x + 34, y);
        } else if (!strcmp(item[i].style, "fold")) {
            text_printf(
                out,
                "<rect class=\"shape\" x=\"%g\" y=\"%g\" width=\"20\" height=\"12\" rx=\"3\"/>",
                x + 7, y - 6);
        } else if (!item[i].shown) {
            add_line(out, "bar mixed", x + 17, y - BAR, x + 17, y + BAR);
        } else {
            add_line(out, "line", x, y, x + 34, y);
            add_line(out, "barb", x + 34 - APART, y, x + 24 - APART, y + 6);
            add_line(out, "bar", x + 34, y - BAR, x + 34, y + BAR);
        }
        text_add(out, "</g>");
        add_text(out, "legend", x + 44, y + 4, item[i].text);
        text_char(out, '\n');
    }
}

static void draw_frame(Svg *v, const char *title, double width, double height) {
    text_printf(v->out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                "viewBox=\"0 0 %.0f %.0f\" class=\"bg\">\n",
                width, height, width, height);
    text_add(v->out, style_sheet);
    text_printf(v->out, "<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\"/>\n", width, height);
    add_text(v->out, "title", 28, 26, title);
    text_char(v->out, '\n');
}

// Boxes go where somebody has put them.
static void move_boxes(Svg *v, Arena *a, const LayoutLine *line, const GraphView *view) {
    bool *moved = ARENA_ARRAY(a, bool, v->p->node_count), any = false;
    for (int i = 0; i < v->p->node_count; i++)
        for (int k = 0; k < view->place_count; k++) {
            const GraphPlace *place = &view->place[k];
            if (strcmp(place->path, v->p->node[i].path) != 0) continue;
            v->box[i].x = place->x;
            v->box[i].y = place->y;
            v->box[i].shape_height = SHAPE_HEIGHT; // lines need no side to stand on
            moved[i] = any = true;
        }
    if (any)
        layout_straighten(a, v->layout, line, v->p->line_count, v->box, moved, v->p->node_count,
                          CLEAR);
}

static void lay_out(Svg *v, Arena *a, const GraphView *view) {
    const Picture *p = v->p;
    LayoutLine *line = ARENA_ARRAY(a, LayoutLine, p->line_count);
    bool *begins = ARENA_ARRAY(a, bool, p->node_count);
    for (int i = 0; i < p->line_count; i++) line[i] = (LayoutLine){p->line[i].from, p->line[i].to};
    for (int i = 0; i < p->node_count; i++) begins[i] = p->node[i].source;
    v->layout = layout_make(a, line, p->line_count, v->box, begins, p->node_count);
    move_boxes(v, a, line, view);
    for (int i = 0; i < p->line_count; i++)
        if (v->layout->route[i].count >= 2) clear_ends(&v->layout->route[i]);
    v->number = ARENA_ARRAY(a, Area, p->node_count + p->line_count);
    v->sample = ARENA_ARRAY(a, Point, samples_of(v->layout, p->line_count));
    note_lines(v);
}

void picture_svg(Text *out, const Picture *p, const char *title, const GraphView *view) {
    Arena a = {0};
    Svg v = {.d = p->d, .p = p, .out = out, .box = ARENA_ARRAY(&a, Box, p->node_count)};
    LegendItem item[7];
    measure_boxes(&v);
    lay_out(&v, &a, view);
    int items = legend_items(&v, item);
    double width = fmax(fmax(v.layout->width, LEGEND_WIDTH), text_width(title, 18) + 56);
    double height = HEADER + v.layout->height + items * LEGEND_ROW + 12;
    draw_frame(&v, title, width, height);
    text_printf(out, "<g transform=\"translate(%.0f %.0f)\">\n",
                floor((width - v.layout->width) / 2) - floor(v.layout->left),
                HEADER - floor(v.layout->top));
    for (int i = 0; i < p->line_count; i++) draw_bond(&v, i);
    for (int i = 0; i < p->node_count; i++) draw_box(&v, i);
    text_add(out, "</g>\n");
    text_printf(out, "<g transform=\"translate(0 %d)\">\n", HEADER);
    draw_legend(&v, item, items);
    text_add(out, "</g>\n</svg>\n");
    arena_free(&a);
}

void graph_svg_view(Text *out, const Graph *g, const GraphView *view, Text *left_out) {
    Arena a = {0};
    Drawing d = drawing_of(&a, g);
    Picture p = picture_make(&a, &d, view);
    const char *title = *view->scope ? view->scope : name_text(g->model->names, g->model->name);
    picture_svg(out, &p, title, view);
    for (int i = 0; left_out && i < p.left_out_count; i++)
        text_printf(left_out, "%s\n", p.left_out[i]);
    drawing_free(&d);
    arena_free(&a);
}

void graph_svg(Text *out, const Graph *g) {
    GraphView whole = GRAPH_WHOLE;
    graph_svg_view(out, g, &whole, NULL);
}

int graph_depth(const Graph *g) {
    int depth = 1;
    for (int c = 0; c < g->model->comp_count; c++) {
        int dots = 1;
        for (const char *s = name_text(g->model->names, g->model->comp[c].path); *s; s++)
            dots += *s == '.';
        if (dots > depth) depth = dots;
    }
    return depth;
}
