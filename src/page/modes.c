#include "page/modes.h"

#include "analysis/shapes.h"
#include "page/html.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MODES = 60 };

static const double FAR = 0.1;   // of the size of the mechanism
static const double WIDE = 0.35; // rad

// --- how far -------------------------------------------------------------------------------------

// A body's points: its origin, then joints, frames and centre.
static int point_count(const SceneBody *b) { return 2 + b->joint_count + b->frame_count; }

static void point_at(const SceneBody *b, const double *value, int point, double at[3]) {
    for (int i = 0; i < 3; i++) at[i] = point ? value[b->point + 3 * (point - 1) + i] : 0;
}

static double size_of_scene(const Scene *s, const double *value) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < s->body_count; k++) {
        const SceneBody *b = &s->body[k];
        if (strcmp(b->name, "world") == 0) continue;
        for (int point = 0; point < point_count(b); point++) {
            double p[3];
            point_at(b, value, point, p);
            for (int i = 0; i < 3; i++) {
                double x = value[b->position + i];
                for (int j = 0; j < 3; j++) x += value[b->rotation + 3 * i + j] * p[j];
                low[i] = fmin(low[i], x);
                high[i] = fmax(high[i], x);
            }
        }
    }
    double size = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    return size > 0 && isfinite(size) ? size : 1;
}

typedef struct { // per unit of the factor of a mode
    double move; // m: the longest way of a point
    double turn; // rad
    Complex at;  // of the component that moves most: there the swing begins
    double most;
} Reach;

static void see(Reach *x, Complex slope, double scale) {
    double size = cabs(slope) * scale;
    if (!(size > x->most)) return;
    x->most = size;
    x->at = slope;
}

// dx = dposition + dR p; |dR| = sqrt(2) |turn|.
static void reach_of_body(Reach *x, const Shapes *s, const SceneBody *b, int mode,
                          const double *value, double size) {
    Complex position[3], rotation[9];
    double turn = 0;
    for (int i = 0; i < 3; i++) position[i] = shapes_slope(s, mode, b->position + i);
    for (int i = 0; i < 9; i++) {
        rotation[i] = shapes_slope(s, mode, b->rotation + i);
        turn = hypot(turn, cabs(rotation[i]));
        see(x, rotation[i], size);
    }
    x->turn = fmax(x->turn, turn / sqrt(2));
    for (int point = 0; point < point_count(b); point++) {
        double p[3], way = 0;
        point_at(b, value, point, p);
        for (int i = 0; i < 3; i++) {
            Complex move = position[i];
            for (int j = 0; j < 3; j++) move += rotation[3 * i + j] * p[j];
            way = hypot(way, cabs(move));
            see(x, move, 1);
        }
        x->move = fmax(x->move, way);
    }
}

// The factor of a mode at the beginning of a swing; 0: it moves no body.
static Complex swing_of(const Shapes *s, const Scene *scene, int mode, const double *value) {
    double size = size_of_scene(scene, value);
    Reach x = {0};
    if (shapes_part(s, mode) < 1e-9) return 0; // it moves by rounding alone
    for (int k = 0; k < scene->body_count; k++)
        reach_of_body(&x, s, &scene->body[k], mode, value, size);
    double factor = fmin(FAR * size / x.move, WIDE / x.turn);
    return x.most > 0 && isfinite(factor) ? factor * conj(x.at) / cabs(x.at) : 0;
}

// --- rows ----------------------------------------------------------------------------------------

static void keep_row(PageModes *p, int row, const double *value) {
    for (int i = 0; i < p->watch.count; i++) p->value[i][row] = value[i];
}

// Where equations have no solution so far away, less far.
static bool swing(PageModes *p, Shapes *s, int mode, Complex begin, double *value) {
    const double turn = 2 * acos(-1);
    int first = p->shown.results.row_count, phase = 0;
    for (int attempt = 0; attempt < 6 && phase < MODE_PHASES; attempt++, begin /= 2)
        for (phase = 0; phase < MODE_PHASES; phase++) {
            Complex c = begin * cexp(I * (turn * phase / MODE_PHASES));
            if (!shapes_at(s, mode, c, value)) break;
            keep_row(p, first + phase, value);
        }
    if (phase < MODE_PHASES) return false;
    p->first[mode] = first;
    p->shown.results.row_count += MODE_PHASES;
    return true;
}

static void make_rows(PageModes *p, Shapes *s, const Poles *poles) {
    int most = 1 + MODE_PHASES * (poles->count < MOST_MODES ? poles->count : MOST_MODES);
    double *point = ARENA_ARRAY(&p->arena, double, p->watch.count + 1);
    double *value = ARENA_ARRAY(&p->arena, double, p->watch.count + 1);
    Column *time = ARENA_ARRAY(&p->arena, Column, 1);
    double *number = ARENA_ARRAY(&p->arena, double, most);
    for (int row = 0; row < most; row++) number[row] = row;
    time->value = number;
    p->shown.results.column = time;
    p->value = ARENA_ARRAY(&p->arena, double *, p->watch.count + 1);
    p->shown.watched = ARENA_ARRAY(&p->arena, const double *, p->watch.count + 1);
    for (int i = 0; i < p->watch.count; i++)
        p->shown.watched[i] = p->value[i] = ARENA_ARRAY(&p->arena, double, most);
    if (!shapes_at(s, 0, 0, point)) return;
    keep_row(p, 0, point);
    p->shown.results.row_count = 1;
    for (int mode = 0; mode < poles->count; mode++) {
        Complex begin = swing_of(s, &p->scene, mode, point);
        if (begin != 0 && p->shown.results.row_count < most) swing(p, s, mode, begin, value);
    }
}

PageModes page_modes(const Model *m, const LinearPlan *plan, const Findings *f) {
    PageModes p = {0};
    Report said = {0}; // without poses the page has the list
    p.first = ARENA_ARRAY(&p.arena, int, f->poles->count + 1);
    p.scene = scene_plan(&p.arena, m, &p.watch);
    p.scene.arrow_count = 0; // efforts beside the point are those of no motion
    if (!p.scene.body_count || !f->poles->count) return p;
    Shapes *s = shapes_new(plan, &f->at, f->poles, p.watch.data, p.watch.count, &said);
    if (s) make_rows(&p, s, f->poles);
    shapes_free(s);
    report_free(&said);
    return p;
}

void page_modes_free(PageModes *p) {
    array_free(&p->watch);
    arena_free(&p->arena);
}

// --- the page ------------------------------------------------------------------------------------

static void add_view(Text *out, const PageModes *p, const Meshes *meshes) {
    text_add(out, "<div id=\"view\" class=\"motion\"></div>\n<p class=\"about\" id=\"view-note\">"
                  "To see the mechanism swing, a page needs JavaScript and a build with node.</p>\n"
                  "<script type=\"application/json\" id=\"scene\">");
    Text json = {0};
    scene_json(&json, &p->scene, meshes, &p->shown);
    html_script_json(out, text_get(&json));
    text_printf(out,
                "</script>\n<script type=\"application/json\" id=\"modes-phases\">%d</script>\n",
                MODE_PHASES);
    text_free(&json);
}

static void add_mode(Text *out, const PageModes *p, const Poles *poles, int mode) {
    const PoleMode *x = &poles->mode[mode];
    char pole[80];
    Text parts = {0};
    bool damped = !(fabs(x->damping) < 1e-12); // more than rounding
    int length = snprintf(pole, sizeof pole, "%.6g",
                          damped || poles->model->period > 0 ? creal(x->value) : 0);
    if (cimag(x->value) != 0)
        snprintf(pole + length, sizeof pole - (size_t)length, " \u00b1 %.6gi", cimag(x->value));
    text_add(out, "<tr");
    if (p->first[mode]) text_printf(out, " data-row=\"%d\"", p->first[mode]);
    text_printf(out, "><td>%d</td>", mode + 1);
    html_cell(out, pole);
    html_number_cell(out, x->frequency / (2 * acos(-1)));
    html_number_cell(out, damped ? x->damping : 0);
    html_number_cell(out, damped ? x->time : INFINITY);
    mode_parts_print(&parts, poles, x);
    html_cell(out, text_get(&parts));
    text_add(out, "</tr>\n");
    text_free(&parts);
}

void modes_html(Text *out, const PageModes *p, const Poles *poles, const Meshes *meshes) {
    html_section(out, "modes", "Modes");
    if (p->shown.results.row_count > 1) add_view(out, p, meshes);
    bool many = html_open_rows(out, poles->count, "modes");
    text_printf(out,
                "<table class=\"modes\"><tr><th>mode</th><th>pole %s</th><th>frequency [Hz]</th>"
                "<th>damping</th><th>time constant [s]</th><th>share of its energy</th></tr>\n",
                poles->model->period > 0 ? "z" : "[1/s]");
    for (int mode = 0; mode < poles->count; mode++) add_mode(out, p, poles, mode);
    text_add(out, "</table>\n");
    if (many) text_add(out, "</details>\n");
}
