#include "page/scene.h"

#include "mech/mech.h"
#include <math.h>

enum { MOST_FRAMES = 1200 }; // 40 s at 30 pictures per second; longer runs are thinned

// --- before the run ------------------------------------------------------------------------------

static int watch_add(Watch *watch, const Expr *e, int count) {
    int first = watch->count;
    for (int i = 0; i < count; i++) array_push(watch, e[i]);
    return first;
}

static int coordinate_count(const Mechanism *x) {
    int n = 0;
    for (int i = 0; i < x->joint_count; i++) n += joint_coordinates(&x->joint[i]);
    return n;
}

static Expr *coordinates(Arena *out, const Model *m, const Mechanism *x) {
    Expr *q = ARENA_ARRAY(out, Expr, coordinate_count(x));
    for (int i = 0, n = 0; i < x->joint_count; i++)
        for (int c = 0; c < joint_coordinates(&x->joint[i]); c++)
            q[n++] = m->var[x->joint[i].coordinate[c]].symbol;
    return q;
}

static SceneShape plan_shape(const MechShape *of, const Expr *middle, Dag *d, Watch *watch) {
    Expr size[3];
    for (int i = 0; i < 3; i++) size[i] = of->size[i] ? of->size[i] : expr_number(d, 0);
    SceneShape s = {.kind = of->kind, .mesh = "", .drawing = -1};
    s.size = watch_add(watch, size, 3);
    s.middle = watch_add(watch, middle, 3);
    s.turn = watch_add(watch, of->turn, 9);
    return s;
}

static int first_drawing(const Model *m, const Mechanism *x) {
    int n = 0;
    for (const Mechanism *before = m->mechanism; before < x; before++) n += before->drawing_count;
    return n;
}

// Of body -1, the world, or of a body.
static void plan_shapes(SceneBody *b, const Model *m, const Mechanism *x, int body, Arena *out,
                        Watch *watch) {
    b->shape = ARENA_ARRAY(out, SceneShape, x->drawing_count + 1);
    for (int i = 0; i < x->drawing_count; i++) {
        const MechDrawing *w = &x->drawing[i];
        if (w->body != body) continue;
        SceneShape *s = &b->shape[b->shape_count++];
        *s = plan_shape(&w->shape, w->at, dag_grow(m->dag), watch);
        s->drawing = first_drawing(m, x) + i;
        if (w->mesh) s->mesh = name_text(m->names, w->mesh);
        s->coloured = w->coloured;
        if (w->coloured) s->colour = watch_add(watch, w->colour, 3);
    }
    if (b->shape_count || body < 0 || x->body[body].shape.kind == SHAPE_NONE) return;
    b->shape[b->shape_count++] =
        plan_shape(&x->body[body].shape, x->body[body].cg, dag_grow(m->dag), watch);
}

static bool draws_on_world(const Mechanism *x) {
    for (int i = 0; i < x->drawing_count; i++)
        if (x->drawing[i].body < 0) return true;
    return false;
}

// What stands still.
static void plan_world(Scene *s, const Model *m, const Mechanism *x, Arena *out, Watch *watch) {
    Dag *d = dag_grow(m->dag);
    Expr zero = expr_number(d, 0), one = expr_number(d, 1);
    const Expr origin[3] = {zero, zero, zero};
    const Expr straight[9] = {one, zero, zero, zero, one, zero, zero, zero, one};
    SceneBody *b = &s->body[s->body_count++];
    *b = (SceneBody){.name = "world"};
    plan_shapes(b, m, x, -1, out, watch);
    b->point = watch_add(watch, origin, 3);
    b->position = watch_add(watch, origin, 3);
    b->rotation = watch_add(watch, straight, 9);
}

static void plan_points(SceneBody *b, const Model *m, const Mechanism *x, int body, Arena *out,
                        Watch *watch) {
    b->point = watch->count;
    for (int i = 0; i < x->joint_count; i++) {
        if (x->joint[i].parent != body) continue;
        watch_add(watch, x->joint[i].position, 3);
        b->joint_count++;
    }
    b->frame_name = ARENA_ARRAY(out, const char *, x->frame_count);
    b->frame_axes = ARENA_ARRAY(out, const char *, x->frame_count);
    for (int i = 0; i < x->frame_count; i++) {
        if (x->frame[i].body != body) continue;
        watch_add(watch, x->frame[i].position, 3);
        b->frame_axes[b->frame_count] = x->frame[i].world_axes   ? "world"
                                        : x->frame[i].other_axes ? "other"
                                                                 : "own";
        b->frame_name[b->frame_count++] = name_text(m->names, x->frame[i].name);
    }
    double mass;
    b->heavy = !expr_is_number(m->dag, x->body[body].mass, &mass) || mass > 0;
    watch_add(watch, x->body[body].cg, 3);
}

static void plan_mechanism(Scene *s, const Model *m, const Mechanism *x, Arena *out, Watch *watch) {
    Arena scratch = {0};
    int n = x->body_count;
    Expr *position = ARENA_ARRAY(&scratch, Expr, 3 * n);
    Expr *rotation = ARENA_ARRAY(&scratch, Expr, 9 * n);
    int first = s->body_count;
    mech_body_poses(dag_grow(m->dag), x, coordinates(&scratch, m, x), position, rotation);
    for (int i = 0; i < n; i++) {
        SceneBody *b = &s->body[s->body_count++];
        *b = (SceneBody){.name = name_text(m->names, x->body[i].name)};
        plan_shapes(b, m, x, i, out, watch);
        plan_points(b, m, x, i, out, watch);
        b->position = watch_add(watch, position + (size_t)3 * i, 3);
        b->rotation = watch_add(watch, rotation + (size_t)9 * i, 9);
    }
    scene_arrows(s, m, x, first, position, rotation, out, watch);
    arena_free(&scratch);
}

Scene scene_plan(Arena *out, const Model *m, Watch *watch) {
    Scene s = {0};
    int bodies = 0;
    for (int i = 0; i < m->mechanism_count; i++)
        bodies += m->mechanism[i].body_count + draws_on_world(&m->mechanism[i]);
    if (!bodies) return s;
    s.body = ARENA_ARRAY(out, SceneBody, bodies);
    s.gravity = watch_add(watch, m->mechanism[0].gravity, 3);
    for (int i = 0; i < m->mechanism_count; i++) {
        plan_mechanism(&s, m, &m->mechanism[i], out, watch);
        if (draws_on_world(&m->mechanism[i])) plan_world(&s, m, &m->mechanism[i], out, watch);
    }
    return s;
}

// --- after it ------------------------------------------------------------------------------------

static void add_number(Text *out, double x) {
    text_printf(out, "%.6g", isfinite(x) ? (fabs(x) < 1e-9 ? 0 : x) : 0);
}

static void add_numbers(Text *out, const Run *run, int first, int count, int row) {
    text_char(out, '[');
    for (int i = 0; i < count; i++) {
        if (i) text_char(out, ',');
        add_number(out, run->watched[first + i][row]);
    }
    text_char(out, ']');
}

// The quaternion (w, x, y, z) of a rotation matrix, by its largest component.
static void quaternion_of(const double r[9], double q[4]) {
    double trace = r[0] + r[4] + r[8], square[4] = {1 + trace, 1 + 2 * r[0] - trace,
                                                    1 + 2 * r[4] - trace, 1 + 2 * r[8] - trace};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (square[i] > square[k]) k = i;
    double four = 2 * sqrt(fmax(square[k], 1e-12)); // 4 times that component
    double off[3] = {r[7] - r[5], r[2] - r[6], r[3] - r[1]};
    double on[3][3] = {{0, r[3] + r[1], r[2] + r[6]},
                       {r[3] + r[1], 0, r[7] + r[5]},
                       {r[2] + r[6], r[7] + r[5], 0}};
    q[k] = four / 4;
    for (int i = 0; i < 4; i++)
        if (i != k) q[i] = (i == 0 ? off[k - 1] : k == 0 ? off[i - 1] : on[k - 1][i - 1]) / four;
}

void scene_pose(const SceneBody *b, const double *const *watched, int row, double pose[7]) {
    double r[9];
    for (int i = 0; i < 3; i++) pose[i] = watched[b->position + i][row];
    for (int i = 0; i < 9; i++) r[i] = watched[b->rotation + i][row];
    quaternion_of(r, pose + 3);
}

void scene_vectors(const Scene *s, const double *const *watched, int row, double *vector) {
    for (int i = 0; i < s->arrow_count; i++)
        for (int c = 0; c < 3; c++) vector[3 * i + c] = watched[s->arrow[i].vector + c][row];
}

static void add_poses(Text *out, const SceneBody *b, const Run *run, int step) {
    text_add(out, ",\"pose\":[");
    for (int row = 0; row < run->results.row_count; row += step) {
        double pose[7];
        scene_pose(b, run->watched, row, pose);
        for (int i = 0; i < 7; i++) {
            if (row || i) text_char(out, ',');
            add_number(out, pose[i]);
        }
    }
    text_char(out, ']');
}

static void add_points(Text *out, const char *key, const Run *run, int first, int count) {
    text_printf(out, ",\"%s\":[", key);
    for (int i = 0; i < count; i++) {
        if (i) text_char(out, ',');
        add_numbers(out, run, first + 3 * i, 3, 0);
    }
    text_char(out, ']');
}

static void add_shape(Text *out, const SceneShape *s, const Meshes *meshes, const Run *run) {
    static const char *const kind[] = {"none", "box", "cylinder", "sphere", "tube", "mesh"};
    text_printf(out, "{\"kind\":\"%s\",\"size\":", kind[s->kind]);
    add_numbers(out, run, s->size, 3, 0);
    text_add(out, ",\"middle\":");
    add_numbers(out, run, s->middle, 3, 0);
    text_add(out, ",\"turn\":");
    add_numbers(out, run, s->turn, 9, 0);
    if (*s->mesh) text_add(out, ",\"file\":");
    if (*s->mesh) text_json(out, s->mesh);
    if (*s->mesh && meshes && meshes->of[s->drawing] >= 0)
        text_printf(out, ",\"mesh\":%d", meshes->of[s->drawing]);
    if (s->coloured) text_add(out, ",\"colour\":");
    if (s->coloured) add_numbers(out, run, s->colour, 3, 0);
    text_char(out, '}');
}

static void add_body(Text *out, const SceneBody *b, const Meshes *meshes, const Run *run,
                     int step) {
    text_add(out, "{\"name\":");
    text_json(out, b->name);
    text_add(out, ",\"shapes\":[");
    for (int i = 0; i < b->shape_count; i++) {
        if (i) text_char(out, ',');
        add_shape(out, &b->shape[i], meshes, run);
    }
    text_add(out, "],\"centre\":");
    add_numbers(out, run, b->point + 3 * (b->joint_count + b->frame_count), 3, 0);
    add_points(out, "joints", run, b->point, b->joint_count);
    add_points(out, "frames", run, b->point + 3 * b->joint_count, b->frame_count);
    text_add(out, ",\"names\":[");
    for (int i = 0; i < b->frame_count; i++) {
        if (i) text_char(out, ',');
        text_json(out, b->frame_name[i]);
    }
    text_add(out, "],\"axes\":[");
    for (int i = 0; i < b->frame_count; i++)
        text_printf(out, i ? ",\"%s\"" : "\"%s\"", b->frame_axes[i]);
    text_printf(out, "],\"heavy\":%s", b->heavy ? "true" : "false");
    add_poses(out, b, run, step);
    text_char(out, '}');
}

// One that is zero all along is left out, unless the run has only begun.
static bool is_seen(const SceneArrow *a, const Run *run) {
    bool seen = run->results.row_count < 2;
    for (int row = 0; row < run->results.row_count && !seen; row++)
        for (int c = 0; c < 3; c++) seen |= fabs(run->watched[a->vector + c][row]) > 0;
    return seen;
}

static void add_arrow(Text *out, const SceneArrow *a, const Run *run, int step) {
    text_add(out, "{\"name\":");
    text_json(out, a->name);
    text_printf(out, ",\"kind\":\"%s\",\"body\":%d,\"at\":", a->torque ? "torque" : "force",
                a->body);
    add_numbers(out, run, a->point, 3, 0);
    text_add(out, ",\"vector\":[");
    for (int row = 0; row < run->results.row_count; row += step)
        for (int c = 0; c < 3; c++) {
            double x = run->watched[a->vector + c][row];
            text_printf(out, row || c ? ",%.4g" : "%.4g", isfinite(x) ? x : 0);
        }
    text_add(out, "]}");
}

static void add_arrows(Text *out, const Scene *s, const Run *run, int step) {
    text_add(out, "],\"arrows\":[");
    bool first = true;
    for (int i = 0; i < s->arrow_count; i++) {
        if (!is_seen(&s->arrow[i], run)) continue;
        if (!first) text_add(out, ",\n");
        first = false;
        add_arrow(out, &s->arrow[i], run, step);
    }
}

void scene_json(Text *out, const Scene *s, const Meshes *meshes, const Run *run) {
    int rows = run->results.row_count, step = 1 + rows / MOST_FRAMES;
    text_add(out, "{\"gravity\":");
    add_numbers(out, run, s->gravity, 3, 0);
    text_add(out, ",\"time\":[");
    for (int row = 0; row < rows; row += step) {
        if (row) text_char(out, ',');
        add_number(out, run->results.column[0].value[row]);
    }
    text_add(out, "],\"meshes\":[");
    for (int i = 0; meshes && i < meshes->count; i++) {
        if (i) text_add(out, ",\n");
        surface_json(out, &meshes->surface[i]);
    }
    text_add(out, "],\"bodies\":[");
    for (int i = 0; i < s->body_count; i++) {
        if (i) text_add(out, ",\n");
        add_body(out, &s->body[i], meshes, run, step);
    }
    add_arrows(out, s, run, step);
    text_add(out, "]}");
}
