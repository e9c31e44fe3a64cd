// What pushes and turns a mechanism, as arrows: efforts that come in by bonds at its frames, joints and actuators, as vectors
// in the axes of the world.
#include "page/scene.h"

#include "spatial/spatial.h"

enum { MOST_ARROWS = 120 };

typedef struct {
    Scene *scene;
    const Model *m;
    Dag *d; // of the model, to add to
    const Mechanism *x;
    Watch *watch;
    int first;                       // of its bodies in the scene
    const Expr *position, *rotation; // of its bodies in the world
} Arrows;

static bool is_bonded(const Arrows *a, int effort, int count) {
    for (int i = 0; i < count; i++)
        if (a->m->var[effort + i].kind == VAR_EFFORT) return true;
    return false;
}

static void efforts(const Arrows *a, int first, Expr to[3]) {
    for (int i = 0; i < 3; i++) to[i] = a->m->var[first + i].symbol;
}

static void along(const Arrows *a, const Expr axis[3], int effort, Expr to[3]) {
    for (int i = 0; i < 3; i++) to[i] = expr_mul(a->d, axis[i], a->m->var[effort].symbol);
}

static void rotation_of(const Arrows *a, int body, Expr to[9]) {
    if (body < 0) m3_identity(a->d, to);
    for (int i = 0; body >= 0 && i < 9; i++) to[i] = a->rotation[(size_t)9 * body + i];
}

static int watch_vector(Watch *watch, const Expr v[3]) {
    for (int i = 0; i < 3; i++) array_push(watch, v[i]);
    return watch->count - 3;
}

// `vector` in axes whose rotation to the world is `turn`.
static void add_arrow(Arrows *a, Name name, bool torque, int body, const Expr point[3],
                      const Expr turn[9], const Expr vector[3]) {
    Scene *s = a->scene;
    if (s->arrow_count == MOST_ARROWS) return;
    Expr world[3];
    m3_apply(a->d, turn, vector, world);
    s->arrow[s->arrow_count++] = (SceneArrow){.name = name_text(a->m->names, name),
                                              .torque = torque,
                                              .body = body < 0 ? -1 : a->first + body,
                                              .point = watch_vector(a->watch, point),
                                              .vector = watch_vector(a->watch, world)};
}

static void add_frame(Arrows *a, const MechFrame *f) {
    Dag *d = a->d;
    Expr turn[9], vector[3];
    rotation_of(a, f->world_axes ? -1 : f->other_axes ? f->axes.body : f->body, turn);
    if (!f->world_axes) m3_times(d, turn, f->other_axes ? f->axes.rotation : f->rotation, turn);
    for (int torque = 0; torque < 2; torque++) {
        if (!is_bonded(a, f->e + 3 * torque, 3)) continue;
        efforts(a, f->e + 3 * torque, vector);
        add_arrow(a, f->name, torque, f->body, f->position, turn, vector);
    }
}

// Those with an axis, on the parent; those that leave all ways of turning free, on the child.
static void add_joint(Arrows *a, const MechJoint *j) {
    Expr turn[9], vector[3], zero = expr_number(a->d, 0);
    const Expr origin[3] = {zero, zero, zero};
    int linear = joint_linear(j->kind), count = joint_velocities(j->kind);
    if (!count || !is_bonded(a, j->e, count)) return;
    if (j->kind == JOINT_FREE || j->kind == JOINT_SPHERICAL) {
        rotation_of(a, j->child, turn);
        for (int first = 0; first < count; first += 3) {
            efforts(a, j->e + first, vector);
            add_arrow(a, j->name, first >= linear, j->child, origin, turn, vector);
        }
        return;
    }
    if (j->kind == JOINT_PLANAR || j->kind == JOINT_UNIVERSAL)
        return; // their axes are carried along
    rotation_of(a, j->parent, turn);
    m3_times(a->d, turn, j->rotation, turn);
    for (int c = 0; c < count; c++) {
        along(a, j->axis, j->e + c, vector);
        add_arrow(a, j->name, c >= linear, j->parent, j->position, turn, vector);
    }
}

static void place_of(const Arrows *a, const MechEnd *end, Expr to[3]) {
    if (end->body >= 0) m3_apply(a->d, a->rotation + (size_t)9 * end->body, end->position, to);
    for (int i = 0; i < 3; i++)
        to[i] = end->body < 0 ? end->position[i]
                              : expr_add(a->d, a->position[(size_t)3 * end->body + i], to[i]);
}

// An actuator pushes its ends apart: the arrow is the force on the second one.
static void add_actuator(Arrows *a, const MechTie *t) {
    Dag *d = a->d;
    Expr from[3], to[3], vector[3], turn[9];
    if (t->kind != TIE_ACTUATOR || t->q < 0 || !is_bonded(a, t->e, 1)) return;
    place_of(a, &t->end[0], from);
    place_of(a, &t->end[1], to);
    Expr scale = expr_div(d, a->m->var[t->e].symbol, a->m->var[t->q].symbol);
    for (int i = 0; i < 3; i++) vector[i] = expr_mul(d, expr_sub(d, to[i], from[i]), scale);
    m3_identity(d, turn);
    add_arrow(a, t->name, false, t->end[1].body, t->end[1].position, turn, vector);
}

void scene_arrows(Scene *s, const Model *m, const Mechanism *x, int first, const Expr *position,
                  const Expr *rotation, Arena *out, Watch *watch) {
    Arrows a = {s, m, dag_grow(m->dag), x, watch, first, position, rotation};
    if (!s->arrow) s->arrow = ARENA_ARRAY(out, SceneArrow, MOST_ARROWS);
    if (x->by_energy) return; // no bodies, no places
    for (int i = 0; i < x->frame_count; i++) add_frame(&a, &x->frame[i]);
    for (int i = 0; i < x->joint_count; i++) add_joint(&a, &x->joint[i]);
    for (int i = 0; i < x->tie_count; i++) add_actuator(&a, &x->tie[i]);
}
