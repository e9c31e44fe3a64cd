// The bond graph as a picture.
//
//       Se: drive ____/| 1 |____\  I: mass      half-arrow: one barb at the head, on the right side
//                         v     |               stroke: a bar across the bond's end
//                                               number: the order in which strokes were given
//
// Pages find components by data-path and bonds by data-bond, their number in the model.
// Red is derivative causality, brown lies on an algebraic loop, a double line is a multibond. Every
// bond says as a tooltip why its stroke is where it is.
#include "graph/drawing.h"
#include "graph/layout.h"

#include "base/array.h"
#include <math.h>
#include <string.h>

enum { TITLE_SIZE = 14, SUB_SIZE = 11, NUMBER_SIZE = 9, HEADER = 34, CLEAR = 5, BAR = 7 };

typedef struct {
    double left, top, right, bottom;
} Area;

typedef struct {
    const Drawing *d;
    Text *out;
    Box *box;
    Layout *layout;
    Area *number; // areas of bond numbers that are placed
    int numbers;
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

static void measure_boxes(Svg *v) {
    const Model *m = v->d->g->model;
    Text t = {0};
    for (int c = 0; c < m->comp_count; c++) {
        Box *box = &v->box[c];
        text_clear(&t);
        drawn_title(&t, v->d, c);
        box->shape_width = fmax(24, text_width(text_get(&t), TITLE_SIZE) + 10);
        box->shape_height = 24;
        text_clear(&t);
        drawn_subtitle(&t, v->d, c);
        box->below = t.length ? SUB_SIZE + 4 : 0;
        box->width = fmax(box->shape_width, text_width(text_get(&t), SUB_SIZE) + 6);
    }
    text_free(&t);
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

static void draw_box(Svg *v, int comp) {
    const Comp *c = &v->d->g->model->comp[comp];
    const Box *b = &v->box[comp];
    Text *out = v->out, t = {0};
    bool junction = is_junction(c->kind);
    text_printf(out, "<g class=\"%s%s\" data-path=\"", junction ? "junction" : "element",
                v->d->derivative[comp] ? " derivative" : "");
    text_xml(out, name_text(v->d->g->model->names, c->path));
    text_add(out, "\">");
    if (c->text) {
        text_add(out, "<title>");
        text_xml(out, name_text(v->d->g->model->names, c->text));
        text_add(out, "</title>");
    }
    if (junction) {
        text_add(out, "<rect x=\"");
        add_coordinate(out, b->x - b->shape_width / 2);
        text_add(out, "\" y=\"");
        add_coordinate(out, b->y - b->shape_height / 2);
        text_printf(out, "\" width=\"%g\" height=\"%g\" rx=\"9\"/>", b->shape_width,
                    b->shape_height);
    }
    drawn_title(&t, v->d, comp);
    add_text(out, "name", b->x, b->y + TITLE_SIZE * 0.35, text_get(&t));
    text_clear(&t);
    drawn_subtitle(&t, v->d, comp);
    if (t.length) add_text(out, "sub", b->x, b->y + b->shape_height / 2 + SUB_SIZE, text_get(&t));
    text_add(out, "</g>\n");
    text_free(&t);
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

static bool touches(const Area *a, const Area *b) {
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

// The number goes where the bond bends, at the first place along it that no other number holds.
static void draw_number(Svg *v, int bond) {
    static const double where[] = {0.5, 0.38, 0.62, 0.26, 0.74, 0.14, 0.86};
    enum { MOST = 2000, PLACES = sizeof where / sizeof *where };
    const Route *r = &v->layout->route[bond];
    if (v->d->g->model->bond_count > MOST || r->count < 4) return;
    Text t = {0};
    drawn_number(&t, v->d, bond);
    double half = text_width(text_get(&t), NUMBER_SIZE) / 2;
    int last = (r->count / 2 - 1) * PLACES;
    for (int i = 0; i < last; i++) {
        Point a = r->point[1 + 2 * (i / PLACES)], b = r->point[2 + 2 * (i / PLACES)];
        Point p = on_curve(a, b, where[i % PLACES]);
        double y = p.y - (v->d->g->model->bond[bond].dim > 1 ? 7 : 4);
        Area area = {p.x - half, y - NUMBER_SIZE, p.x + half, y + 1};
        bool free_place = true;
        for (int k = 0; k < v->numbers && free_place; k++)
            free_place = !touches(&area, &v->number[k]);
        if (!free_place) continue;
        v->number[v->numbers++] = area;
        add_text(v->out, "number", p.x, y, text_get(&t));
        break;
    }
    text_free(&t);
}

// Bars and barb at the level ends of a route; towards = +1 when the head points right.
static void draw_ends(Svg *v, int bond, const Point *p, int count) {
    const DrawnBond *b = &v->d->bond[bond];
    Point tail = p[0], head = p[count - 1];
    double towards = head.x >= p[count - 2].x ? 1 : -1;
    bool mixed = b->at_from && b->at_to;
    const char *bar = mixed ? "bar mixed" : "bar";
    add_line(v->out, "barb", head.x, head.y, head.x - towards * 10, head.y + towards * 6);
    if (b->at_to) add_line(v->out, bar, head.x, head.y - BAR, head.x, head.y + BAR);
    if (b->at_from) add_line(v->out, bar, tail.x, tail.y - BAR, tail.x, tail.y + BAR);
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

static void draw_bond(Svg *v, int bond) {
    static const char *const style[] = {"bond", "bond loop", "bond derivative"};
    const DrawnBond *b = &v->d->bond[bond];
    const Bond *m = &v->d->g->model->bond[bond];
    const Route *r = &v->layout->route[bond];
    if (!b->count || r->count < 2) return;
    Point *p = r->point;
    p[0].x += p[1].x >= p[0].x ? CLEAR : -CLEAR; // room between line and shape
    p[r->count - 1].x += p[r->count - 1].x >= p[r->count - 2].x ? -CLEAR : CLEAR;
    text_printf(v->out, "<g class=\"%s\" data-bond=\"%d\">", style[b->colour], bond);
    bond_tooltip(v, bond);
    add_route(v->out, m->dim > 1 ? "multi" : "line", p, r->count);
    if (m->dim > 1) add_route(v->out, "inner", p, r->count);
    draw_ends(v, bond, p, r->count);
    if (m->dim > 1) {
        Text t = {0};
        text_printf(&t, "%d", m->dim);
        add_text(v->out, "dimension", p[1].x, p[1].y - 6, text_get(&t));
        text_free(&t);
    }
    draw_number(v, bond);
    text_add(v->out, "</g>\n");
}

// --- frame ---------------------------------------------------------------------------------------

static const char style_sheet[] =
    "<style>\n"
    "text{font-family:Helvetica,Arial,'Liberation Sans',sans-serif;text-anchor:middle;"
    "fill:#1f2933}\n"
    "path{fill:none;stroke:#1f2933;stroke-width:1.4;stroke-linecap:round;stroke-linejoin:round}\n"
    ".name{font-size:14px}.junction .name{font-weight:bold}\n"
    ".sub{font-size:11px;fill:#5b6675}\n"
    ".number{font-size:9px;fill:#7b8794;stroke:#fff;stroke-width:3px;paint-order:stroke}\n"
    ".dimension{font-size:10px;font-style:italic}\n"
    ".title{font-size:16px;font-weight:bold;text-anchor:start}\n"
    ".legend{font-size:11px;text-anchor:start;fill:#5b6675}\n"
    "rect{fill:#eef2f7;stroke:#b8c2cf}.paper{fill:#fff;stroke:none}\n"
    ".bar{stroke-width:2.4;stroke-linecap:butt}.mixed{stroke-dasharray:3 2}\n"
    ".multi,.inner{stroke-linecap:butt}.multi{stroke-width:4.6}path.inner{stroke:#fff;stroke-width:"
    "2}\n"
    ".derivative path{stroke:#c8102e}.derivative text{fill:#c8102e}\n"
    ".loop path{stroke:#b45309}\n"
    ".bond path.inner{stroke:#fff}.bond text.number{fill:#7b8794}\n"
    "</style>\n";

typedef struct {
    const char *style, *text;
    bool shown;
} LegendItem;

enum { LEGEND_ROW = 18, LEGEND_WIDTH = 400 };

static int legend_items(const Svg *v, LegendItem *item) {
    const Graph *g = v->d->g;
    bool loop = false, derivative = false, multi = false, mixed = false;
    int n = 0;
    for (int b = 0; b < g->model->bond_count; b++) {
        loop |= v->d->bond[b].colour == BOND_LOOP;
        derivative |= v->d->bond[b].colour == BOND_DERIVATIVE;
        multi |= g->model->bond[b].dim > 1;
        mixed |= v->d->bond[b].at_from && v->d->bond[b].at_to;
    }
    for (int c = 0; c < g->model->comp_count; c++) derivative |= v->d->derivative[c];
    item[n++] =
        (LegendItem){"bond", "half-arrow: positive power; bar: this end receives effort", 1};
    if (derivative) item[n++] = (LegendItem){"bond derivative", "derivative causality", 1};
    if (loop) item[n++] = (LegendItem){"bond loop", "on an algebraic loop", 1};
    if (multi) item[n++] = (LegendItem){"bond", "multibond with its dimension", 0};
    if (mixed) item[n++] = (LegendItem){"bond", "dashed bars: its scalars differ", 0};
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
        } else if (!item[i].shown) {
            add_line(out, "bar mixed", x + 17, y - BAR, x + 17, y + BAR);
        } else {
            add_line(out, "line", x, y, x + 34, y);
            add_line(out, "barb", x + 34, y, x + 24, y + 6);
            add_line(out, "bar", x + 34, y - BAR, x + 34, y + BAR);
        }
        text_add(out, "</g>");
        add_text(out, "legend", x + 44, y + 4, item[i].text);
        text_char(out, '\n');
    }
}

static void draw_frame(Svg *v, double width, double height) {
    const Model *m = v->d->g->model;
    text_printf(v->out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                "viewBox=\"0 0 %.0f %.0f\">\n",
                width, height, width, height);
    text_add(v->out, style_sheet);
    text_printf(v->out, "<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\"/>\n", width, height);
    add_text(v->out, "title", 28, 26, name_text(m->names, m->name));
    text_char(v->out, '\n');
}

void graph_svg(Text *out, const Graph *g) {
    const Model *m = g->model;
    Arena a = {0};
    Drawing d = drawing_of(&a, g);
    Svg v = {.d = &d,
             .out = out,
             .box = ARENA_ARRAY(&a, Box, m->comp_count),
             .number = ARENA_ARRAY(&a, Area, m->bond_count)};
    LegendItem item[5];
    measure_boxes(&v);
    v.layout = layout_make(&a, m, v.box);
    int items = legend_items(&v, item);
    double width = fmax(fmax(v.layout->width, LEGEND_WIDTH),
                        text_width(name_text(m->names, m->name), 18) + 56);
    double height = HEADER + v.layout->height + items * LEGEND_ROW + 12;
    draw_frame(&v, width, height);
    text_printf(out, "<g transform=\"translate(%.0f %d)\">\n", floor((width - v.layout->width) / 2),
                HEADER);
    for (int b = 0; b < m->bond_count; b++) draw_bond(&v, b);
    for (int c = 0; c < m->comp_count; c++) draw_box(&v, c);
    text_add(out, "</g>\n");
    text_printf(out, "<g transform=\"translate(0 %d)\">\n", HEADER);
    draw_legend(&v, item, items);
    text_add(out, "</g>\n</svg>\n");
    drawing_free(&d);
    arena_free(&a);
}
