// The data of a mechanism as expressions of parameters, for src/mech to trace equations from.
//
// Bodies, joints and frames are taken in the order of their paths. A body's own frame stands where
// its joint leaves it; with a `dh` row the frame that the user means lies beyond that, and what is
// given in it is moved back:
//
//   parent --[ at, rotated, theta, d ]--> joint --(motion)--> body --[ a, alpha ]--> user's frame
#include "lang/mechanism_data.h"
#include "lang/mechanism_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Builder *b;
    Dag *d;
    int mechanism;    // instance
    bool bare;        // only its functions are asked for: no variables
    int first, count; // its parts
    Mechanism m;
    int *number;  // per part: which body, joint or frame it is
    Pose *beyond; // per part: a body's frame as the user means it, in the body's own
} Build;

// --- places on bodies ----------------------------------------------------------------------------

// A pose that was given on a body, or on the `world` of a mounted mechanism, in the body's own
// frame.
static bool place_on(Build *k, const MechPart *x, Pose *p) {
    Builder *b = k->b;
    int mechanism = x->owner;
    for (; x->from_world && is_mounted(b, mechanism);
         mechanism = b->instance.data[mechanism].parent) {
        const Instance *i = &b->instance.data[mechanism];
        MechPart mount = {
            .item = i->item->mount, .env = i->env, .owner = i->parent, .instance = mechanism};
        Pose at;
        if (!read_pose(k->b, &mount, &at)) return false;
        pose_times(k->d, &at, p, p);
        const AstExpr *body = mount.item->exprs[0];
        bool world = body->kind == AST_NAME && strcmp(text_of(b, body->name), "world") == 0;
        if (!world) break;
    }
    if (x->parent >= 0) pose_times(k->d, &k->beyond[x->parent - k->first], p, p);
    return true;
}

static int body_number(const Build *k, int part) {
    return part < 0 ? -1 : k->number[part - k->first];
}

// --- joints --------------------------------------------------------------------------------------

typedef struct {
    Expr a, alpha, d, theta;
} DhRow;

static bool read_dh(Build *k, const MechPart *x, DhRow *row) {
    static const char *const word[] = {"a", "alpha", "d", "theta"};
    Expr *const to[] = {&row->a, &row->alpha, &row->d, &row->theta};
    for (int i = 0; i < 4; i++) {
        const AstArg *a = find_clause(k->b, x->item, word[i]);
        *to[i] = expr_number(k->d, 0);
        if (!a) continue;
        Datum length = clause_datum(k->b, x, a, word[i], 1, 1, "m");
        if (i % 2 ? !read_angle(k->b, x, a, to[i]) : !datum(k->b, &length, to[i])) return false;
    }
    return true;
}

// Along and about one axis: (0, 0, d) with a turn about z, or (a, 0, 0) with one about x.
static Pose screw(Build *k, int axis, Expr along, Expr about) {
    Pose p;
    pose_identity(k->d, &p);
    Expr unit[3];
    for (int i = 0; i < 3; i++) unit[i] = expr_number(k->d, i == axis);
    p.p[axis] = along;
    turn_about(k->d, unit, about, p.R);
    return p;
}

static bool joint_pose(Build *k, const MechPart *x, Pose *p) {
    Builder *b = k->b;
    if (!read_pose(k->b, x, p)) return false;
    const AstArg *dh = find_clause(b, x->item, "dh"), *mdh = find_clause(b, x->item, "mdh");
    if (!dh && !mdh) return true;
    const AstArg *axis = find_clause(b, x->item, "axis");
    bool z = !axis ||
             (axis->value->kind == AST_STRING && strcmp(text_of(b, axis->value->name), "z") == 0);
    if ((dh && mdh) || !z) {
        Remark *m = complain(b, M_CLAUSE, (dh ? dh : mdh)->pos,
                             z ? "a joint has one row, dh or mdh"
                               : "a joint with a dh row moves about or along z");
        remark_help(b->r, m, z ? "keep one of them" : "take the axis away");
        return false;
    }
    DhRow row;
    if (!read_dh(k, x, &row)) return false;
    Pose about_x = screw(k, 0, row.a, row.alpha), about_z = screw(k, 2, row.d, row.theta);
    if (mdh) pose_times(k->d, p, &about_x, p);
    pose_times(k->d, p, &about_z, p);
    if (dh) k->beyond[x->child - k->first] = about_x;
    return true;
}

static bool joint_axes(Build *k, const MechPart *x, MechJoint *j) {
    Builder *b = k->b;
    const AstArg *axis = find_clause(b, x->item, "axis"), *axis2 = find_clause(b, x->item, "axis2");
    for (int i = 0; i < 3; i++) j->axis[i] = expr_number(k->d, i == 2);
    for (int i = 0; i < 3; i++) j->axis2[i] = expr_number(k->d, i == 0);
    if (axis && !read_axis(k->b, x, axis->value, j->axis)) return false;
    if (axis2 && !read_axis(k->b, x, axis2->value, j->axis2)) return false;
    if (j->kind != JOINT_UNIVERSAL) return true;
    double u[6];
    for (int i = 0; i < 3; i++)
        if (!expr_is_number(k->d, j->axis[i], &u[i]) ||
            !expr_is_number(k->d, j->axis2[i], &u[i + 3]))
            return true; // only the run can tell
    double dot = u[0] * u[3] + u[1] * u[4] + u[2] * u[5];
    if (fabs(dot) < 1 - 1e-12) return true;
    Remark *m = complain(b, M_AXIS, x->item->pos,
                         "the axes of the universal joint '%s' are parallel", part_text(k->b, x));
    remark_help(b->r, m, "write universal x y: two different axes");
    return false;
}

static bool joint_pitch(Build *k, const MechPart *x, MechJoint *j) {
    const AstArg *pitch = find_clause(k->b, x->item, "pitch");
    j->pitch = expr_number(k->d, 0);
    if (!pitch) return true;
    Datum value = clause_datum(k->b, x, pitch, "pitch", 1, 1, "m/rad");
    return datum(k->b, &value, &j->pitch);
}

static bool make_joint(Build *k, const MechPart *x) {
    MechJoint *j = &k->m.joint[k->number[x - k->b->part.data - k->first]];
    *j = (MechJoint){.name = k->b->instance.data[x->instance].path,
                     .pos = x->item->pos,
                     .kind = x->kind,
                     .angles = x->angles,
                     .parent = body_number(k, x->parent),
                     .child = body_number(k, x->child)};
    Pose p;
    if (!joint_pose(k, x, &p) || !place_on(k, x, &p)) return false;
    memcpy(j->position, p.p, sizeof p.p);
    memcpy(j->rotation, p.R, sizeof p.R);
    return joint_axes(k, x, j) && joint_pitch(k, x, j);
}

static bool joint_variables(Build *k, const MechPart *x, MechJoint *j) {
    Builder *b = k->b;
    int n = joint_velocities(j->kind);
    const Instance *i = &b->instance.data[x->instance];
    j->p = j->e = j->f = j->w = j->attitude = -1;
    if (!n) return true;
    j->e = b->terminal.data[i->first_terminal].e;
    j->f = b->terminal.data[i->first_terminal].f;
    return joint_states(b, x, &k->m, j) && joint_drive(b, x, j) && joint_limits(b, x, j);
}

// --- constraints and actuators -------------------------------------------------------------------

// A body, a frame or the world as a place on a body.
static bool place_end(Build *k, const MechPart *tie, int part, bool world, MechEnd *end) {
    const MechPart *given = part < 0 ? NULL : &k->b->part.data[part];
    MechPart on = {.owner = tie->owner, .parent = part, .from_world = world};
    Pose p;
    pose_identity(k->d, &p);
    if (given && given->item->kind == ITEM_FRAME) {
        on = *given;
        if (!read_pose(k->b, given, &p)) return false;
    }
    if (!place_on(k, &on, &p)) return false;
    end->body = body_number(k, on.parent);
    memcpy(end->position, p.p, sizeof p.p);
    memcpy(end->rotation, p.R, sizeof p.R);
    return true;
}

static bool tie_size(Build *k, const MechPart *x, MechTie *t) {
    const char *word = t->kind == TIE_DISTANCE ? "length" : "radius";
    const AstArg *a = find_clause(k->b, x->item, word);
    double number;
    t->size = expr_number(k->d, 0);
    if (!a) return true;
    Datum value = clause_datum(k->b, x, a, word, 1, 1, "m");
    if (!datum(k->b, &value, &t->size) || !datum_numbers(k->b, &value, &number)) return false;
    if (number > 0) return true;
    Remark *m = complain(k->b, M_CLAUSE, a->pos, "the %s of '%s' is not positive", word,
                         part_text(k->b, x));
    remark_help(k->b->r, m,
                t->kind == TIE_DISTANCE ? "hold two places together by 'point' instead"
                                        : "a wheel is larger than nothing");
    return false;
}

static void tie_variables(Build *k, const MechPart *x, MechTie *t) {
    Builder *b = k->b;
    const Instance *i = &b->instance.data[x->instance];
    t->e = t->f = t->q = t->lambda = t->mu = t->nu = t->force = t->moment = t->gap = -1;
    if (i->first_terminal >= 0) {
        t->e = b->terminal.data[i->first_terminal].e;
        t->f = b->terminal.data[i->first_terminal].f;
    }
    const char *q = t->kind == TIE_ACTUATOR ? "length" : "q";
    if (part_entity(b, x->instance, q) >= 0) t->q = part_variable(b, x->instance, q);
    if (t->kind == TIE_ACTUATOR) return;
    t->lambda = part_variable(b, x->instance, "lambda");
    t->mu = part_variable(b, x->instance, "mu");
    t->nu = part_variable(b, x->instance, "nu");
    t->force = part_variable(b, x->instance, "force");
    t->moment = part_variable(b, x->instance, "moment");
    t->gap = part_variable(b, x->instance, "gap");
}

static bool make_tie(Build *k, const MechPart *x) {
    MechTie *t = &k->m.tie[k->number[x - k->b->part.data - k->first]];
    *t = (MechTie){.name = k->b->instance.data[x->instance].path,
                   .pos = x->item->pos,
                   .kind = x->tie,
                   .joint = x->kind};
    tie_variables(k, x, t);
    MechJoint axes = {.kind = t->kind == TIE_JOINT ? t->joint : JOINT_REVOLUTE};
    if (!place_end(k, x, x->parent, x->from_world, &t->end[0]) ||
        !place_end(k, x, x->child, x->to_world, &t->end[1]) || !joint_axes(k, x, &axes) ||
        !joint_pitch(k, x, &axes) || !tie_size(k, x, t))
        return false;
    memcpy(t->axis, axes.axis, sizeof t->axis);
    memcpy(t->axis2, axes.axis2, sizeof t->axis2);
    t->pitch = axes.pitch;
    return true;
}

// --- frames --------------------------------------------------------------------------------------

static bool make_frame(Build *k, const MechPart *x) {
    Builder *b = k->b;
    const Instance *i = &b->instance.data[x->instance];
    MechFrame *f = &k->m.frame[k->number[x - b->part.data - k->first]];
    *f = (MechFrame){.name = i->path,
                     .pos = x->item->pos,
                     .body = body_number(k, x->parent),
                     .world_axes = x->item->out,
                     .other_axes = x->item->path != NULL};
    if (f->other_axes && !place_end(k, x, x->child, false, &f->axes)) return false;
    if (!is_called_only(b, k->mechanism)) f->e = b->terminal.data[i->first_terminal].e;
    if (!k->bare) {
        f->f = b->terminal.data[i->first_terminal].f;
        f->place = part_variable(b, x->instance, "position");
        f->orientation = part_variable(b, x->instance, "rotation");
    }
    Pose p;
    if (!read_pose(k->b, x, &p) || !place_on(k, x, &p)) return false;
    memcpy(f->position, p.p, sizeof p.p);
    memcpy(f->rotation, p.R, sizeof p.R);
    return true;
}

// --- shapes --------------------------------------------------------------------------------------

// They follow each other as they are written.
static void make_drawings(Build *k) {
    Builder *b = k->b;
    int count = 0;
    for (int i = 0; i < k->count; i++) count += b->part.data[k->first + i].item->kind == ITEM_SHAPE;
    k->m.drawing = ARENA_ARRAY(b->out, MechDrawing, count);
    for (int i = 0; i < k->count; i++) {
        const MechPart *x = &b->part.data[k->first + i];
        MechDrawing *to = &k->m.drawing[k->m.drawing_count];
        Pose p;
        if (x->item->kind != ITEM_SHAPE) continue;
        *to = (MechDrawing){.body = body_number(k, x->parent)};
        if (!read_shape(b, x, to) || !read_pose(b, x, &p) || !place_on(k, x, &p)) continue;
        memcpy(to->at, p.p, sizeof p.p);
        memcpy(to->shape.turn, p.R, sizeof p.R);
        k->m.drawing_count++;
    }
}

// --- the whole -----------------------------------------------------------------------------------

static bool make_gravity(Build *k) {
    Builder *b = k->b;
    const MechPart *x = NULL;
    for (int i = k->first; i < k->first + k->count; i++)
        if (b->part.data[i].item->kind == ITEM_GRAVITY && b->part.data[i].owner == k->mechanism)
            x = &b->part.data[i];
    for (int i = 0; i < 3; i++) k->m.gravity[i] = expr_number(k->d, x || i < 2 ? 0 : -9.81);
    if (!x || !x->item->left) return true;
    Lower l = lower_symbols(b);
    Value v = lower(&l, x->item->left, x->env);
    Pos pos = ast_start(x->item->left);
    if (!value_ok(&v) || !value_fit(&l, &v, false, NULL, dim_of_unit("m/s2"), pos, "gravity") ||
        !value_shape(&l, &v, 3, 1, pos, "gravity"))
        return false;
    for (int i = 0; i < 3; i++) k->m.gravity[i] = value_at(&v, i);
    k->m.open_gravity = v.is & VARIES;
    Datum gravity = {x->item->left, x->env, "gravity", text_of(b, k->m.name), 3, 1, "m/s2"};
    double number[3];
    return k->m.open_gravity || datum_numbers(b, &gravity, number);
}

typedef struct {
    const char *path;
    int part;
} Ordered;

static int by_path(const void *a, const void *b) {
    return name_compare(((const Ordered *)a)->path, ((const Ordered *)b)->path);
}

// Numbers the parts of one kind in the order of their paths; returns how many there are.
static int number_parts(Build *k, ItemKind kind) {
    Ordered *list = ARENA_ARRAY(&k->b->tmp, Ordered, k->count);
    int n = 0;
    for (int i = k->first; i < k->first + k->count; i++)
        if (k->b->part.data[i].item->kind == kind)
            list[n++] = (Ordered){part_text(k->b, &k->b->part.data[i]), i - k->first};
    if (n > 1) qsort(list, (size_t)n, sizeof *list, by_path);
    for (int i = 0; i < n; i++) k->number[list[i].part] = i;
    return n;
}

static void open_build(Build *k, Builder *b, int instance, bool bare) {
    const Instance *i = &b->instance.data[instance];
    *k = (Build){.b = b,
                 .d = b->dag,
                 .mechanism = instance,
                 .bare = bare,
                 .first = i->first_part,
                 .count = i->part_count};
    k->m = (Mechanism){.name = bare ? i->path : b->comp.data[i->comp].path,
                       .comp = bare ? -1 : i->comp,
                       .pos = i->item ? i->item->pos : i->class->pos};
    k->number = ARENA_ARRAY(&b->tmp, int, k->count);
    k->beyond = ARENA_ARRAY(&b->tmp, Pose, k->count);
    for (int p = 0; p < k->count; p++) pose_identity(k->d, &k->beyond[p]);
    k->m.body_count = number_parts(k, ITEM_BODY);
    k->m.joint_count = number_parts(k, ITEM_JOINT);
    k->m.frame_count = number_parts(k, ITEM_FRAME);
    k->m.body = ARENA_ARRAY(b->out, MechBody, k->m.body_count);
    k->m.joint = ARENA_ARRAY(b->out, MechJoint, k->m.joint_count);
    k->m.frame = ARENA_ARRAY(b->out, MechFrame, k->m.frame_count);
    if (is_called_only(b, instance)) return;
    k->m.tie_count = number_parts(k, ITEM_TIE);
    k->m.tie = ARENA_ARRAY(b->out, MechTie, k->m.tie_count);
}

static void open_variables(Build *k) {
    Builder *b = k->b;
    int instance = k->mechanism;
    k->m.velocity_count = number_parts(k, ITEM_VELOCITY);
    k->m.velocity = ARENA_ARRAY(b->out, MechVelocity, k->m.velocity_count);
    for (int p = k->first; p < k->first + k->count; p++)
        k->m.constrained |= part_entity(b, b->part.data[p].instance, "p_state") >= 0 ||
                            part_entity(b, b->part.data[p].instance, "w_state") >= 0;
    k->m.lagrange = is_lagrange(b, instance);
    k->m.chosen = form_is_chosen(b, instance);
    bool driven = part_entity(b, instance, "drive_power") >= 0;
    bool lossy = part_entity(b, instance, "loss") >= 0;
    k->m.loss = lossy ? part_variable(b, instance, "loss") : -1;
    k->m.drive_power = driven ? part_variable(b, instance, "drive_power") : -1;
    k->m.kinetic = part_variable(b, instance, "kinetic");
    k->m.potential = part_variable(b, instance, "potential");
    k->m.energy = part_variable(b, instance, "energy");
    k->m.momentum = part_variable(b, instance, "momentum");
}

// A coordinate of a lagrangian has the variables of a joint and nothing else.
static void make_coordinate(Build *k, const MechPart *x) {
    MechJoint *j = &k->m.joint[k->number[x - k->b->part.data - k->first]];
    *j = (MechJoint){.name = k->b->instance.data[x->instance].path,
                     .pos = x->item->pos,
                     .kind = x->kind,
                     .parent = -1,
                     .child = -1};
    joint_variables(k, x, j);
}

// Joints outwards, as a `dh` row moves what is given on its body: parents before children.
static void make_joints(Build *k) {
    Builder *b = k->b;
    int *joint_of = ARENA_ARRAY(&b->tmp, int, k->count), *way = ARENA_ARRAY(&b->tmp, int, k->count);
    for (int i = 0; i < k->count; i++) joint_of[i] = -1;
    for (int i = 0; i < k->count; i++)
        if (b->part.data[k->first + i].item->kind == ITEM_JOINT &&
            b->part.data[k->first + i].child >= 0)
            joint_of[b->part.data[k->first + i].child - k->first] = i;
    for (int i = 0; i < k->count; i++) {
        int steps = 0;
        const MechPart *x = &b->part.data[k->first + i];
        int at = x->item->kind == ITEM_JOINT && x->child >= 0 ? x->child - k->first : -1;
        if (x->item->kind == ITEM_JOINT && x->child < 0) make_coordinate(k, x);
        while (at >= 0 && joint_of[at] >= 0) { // up to a joint that is made already
            way[steps++] = joint_of[at];
            joint_of[at] = -1;
            x = &b->part.data[k->first + way[steps - 1]];
            at = x->parent < 0 ? -1 : x->parent - k->first;
        }
        while (steps) {
            x = &b->part.data[k->first + way[--steps]];
            MechJoint *j = &k->m.joint[k->number[way[steps]]];
            if (make_joint(k, x) && !k->bare) joint_variables(k, x, j);
            if (k->bare && !is_called_only(b, k->mechanism)) own_variables(b, x, &k->m, j);
        }
    }
}

static void make_all(Build *k) {
    Builder *b = k->b;
    make_joints(k);
    for (int i = 0; i < k->count; i++) {
        const MechPart *x = &b->part.data[k->first + i];
        if (x->item->kind == ITEM_FRAME) make_frame(k, x);
        if (x->item->kind == ITEM_TIE && k->m.tie) make_tie(k, x);
        if (x->item->kind == ITEM_VELOCITY && !k->bare)
            make_velocity(b, x, &k->m.velocity[k->number[i]]);
        if (x->item->kind == ITEM_BODY) make_body(b, x, &k->beyond[i], &k->m.body[k->number[i]]);
    }
    make_gravity(k);
    if (!k->bare) make_drawings(k);
}

void mechanism_laws(Builder *b, int instance) {
    if (!no_errors(b)) return; // the tree or the bonds are not as they should be
    Build k;
    open_build(&k, b, instance, false);
    open_variables(&k);
    make_all(&k);
    make_energies(b, &b->instance.data[instance], &k.m);
    array_push(&b->mechanism, k.m);
}

// --- functions only ------------------------------------------------------------------------------

static int find_frame(const Builder *b, const Mechanism *m, int instance) {
    for (int i = 0; instance >= 0 && i < m->frame_count; i++)
        if (m->frame[i].name == b->instance.data[instance].path) return i;
    return -1;
}

const Mechanism *called_mechanism(Builder *b, int instance, int frame_instance, int *frame) {
    int known = pairs_get(&b->called_by_instance, 0, (uint32_t)instance);
    if (known < 0) {
        if (!no_errors(b)) return NULL;
        Build k;
        open_build(&k, b, instance, true);
        make_all(&k);
        if (!no_errors(b)) return NULL;
        known = b->called.count;
        array_push(&b->called, k.m);
        pairs_set(&b->tmp, &b->called_by_instance, 0, (uint32_t)instance, known);
    }
    *frame = find_frame(b, &b->called.data[known], frame_instance);
    return &b->called.data[known];
}
