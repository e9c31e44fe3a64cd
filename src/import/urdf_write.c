// Links and joints as the text of a mechanism:
//
//     joint shoulder revolute z: base_link -> arm at (0, 0, 0.0892) {m} rotated y 90 {deg}
//     body arm mass 8.4 {kg} cg (0, 0, 0.28) {m} inertia (0.226, 0.226, 0.015) {kg.m2}
//     frame tool on arm at (0, 0, 0.4) {m}
//
// roll, pitch and yaw are turns about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll). Mimic joints are
// driven by the coordinate that they follow, joints whose limits are equal by this number. Damping
// and friction are elements at the joints, greatest efforts and velocities are watched; each of the
// four has a parameter that switches it off. Shapes for collisions stay as remarks.
#include "import/urdf_data.h"

#include "base/files.h"
#include "import/mesh.h"
#include <math.h>
#include <string.h>

static void write_vector(Text *out, const double *x, int n) {
    text_char(out, '(');
    for (int i = 0; i < n; i++) {
        if (i) text_add(out, ", ");
        text_number(out, x[i] == 0 ? 0 : x[i]); // no -0
    }
    text_char(out, ')');
}

static void write_origin(Text *out, const UrdfOrigin *at) {
    if (at->xyz[0] != 0 || at->xyz[1] != 0 || at->xyz[2] != 0) {
        text_add(out, " at ");
        write_vector(out, at->xyz, 3);
        text_add(out, " {m}");
    }
    bool any = false;
    for (int i = 2; i >= 0; i--) {
        if (at->rpy[i] == 0 || at->degrees[i] == 0) continue;
        bool degrees = !isnan(at->degrees[i]);
        text_printf(out, "%s%c ", any ? ", " : " rotated ", "xyz"[i]);
        text_number(out, degrees ? at->degrees[i] : at->rpy[i]);
        text_add(out, degrees ? " {deg}" : " {rad}");
        any = true;
    }
}

// Text of the file in a remark: one line, whatever it holds.
static void write_remark(Text *out, const char *text) {
    for (; *text; text++) text_char(out, (unsigned char)*text < ' ' || *text == 127 ? ' ' : *text);
}

// --- rotations -----------------------------------------------------------------------------------

static void rotation_of(const UrdfOrigin *at, double R[9]) {
    double c[3], s[3];
    for (int i = 0; i < 3; i++) {
        double a =
            isnan(at->degrees[i]) ? at->rpy[i] : at->degrees[i] * 3.14159265358979323846 / 180;
        c[i] = cos(a), s[i] = sin(a);
        if (fabs(c[i]) < 1e-15) c[i] = 0;
        if (fabs(s[i]) < 1e-15) s[i] = 0;
    }
    const double turn[9] = {c[2] * c[1],
                            c[2] * s[1] * s[0] - s[2] * c[0],
                            c[2] * s[1] * c[0] + s[2] * s[0],
                            s[2] * c[1],
                            s[2] * s[1] * s[0] + c[2] * c[0],
                            s[2] * s[1] * c[0] - c[2] * s[0],
                            -s[1],
                            c[1] * s[0],
                            c[1] * c[0]};
    memcpy(R, turn, sizeof turn);
}

static void times(const double a[9], const double b[9], double c[9]) {
    for (int i = 0; i < 9; i++) {
        c[i] = 0;
        for (int k = 0; k < 3; k++) c[i] += a[i / 3 * 3 + k] * b[k * 3 + i % 3];
    }
}

// Roll, pitch and yaw of R = Rz Ry Rx; looking straight up or down, all of the turn is roll.
static void angles_of(const double R[9], UrdfOrigin *at) {
    double level = hypot(R[0], R[3]);
    at->rpy[1] = atan2(-R[6], level);
    at->rpy[0] = level > 1e-12 ? atan2(R[7], R[8]) : atan2(-R[5], R[4]);
    at->rpy[2] = level > 1e-12 ? atan2(R[3], R[0]) : 0;
    for (int i = 0; i < 3; i++) {
        double degrees = at->rpy[i] * 180 / 3.14159265358979323846, near = 15 * round(degrees / 15);
        at->degrees[i] = fabs(degrees - near) < 1e-12 * 180 ? near : NAN;
    }
}

static bool has_turn(const UrdfOrigin *at) {
    bool turn = false;
    for (int i = 0; i < 3; i++) turn |= at->rpy[i] != 0 && at->degrees[i] != 0;
    return turn;
}

// What is at `then` in the frame at `at`, seen from where `at` is given.
static UrdfOrigin origin_then(const UrdfOrigin *at, const UrdfOrigin *then) {
    UrdfOrigin sum = has_turn(at) ? *at : *then;
    double first[9], second[9], both[9];
    rotation_of(at, first);
    rotation_of(then, second);
    times(first, second, both);
    for (int i = 0; i < 3; i++) sum.xyz[i] = at->xyz[i];
    for (int i = 0; i < 9; i++) sum.xyz[i / 3] += first[i] * then->xyz[i % 3];
    if (has_turn(at) && has_turn(then)) angles_of(both, &sum);
    return sum;
}

// --- inertia -------------------------------------------------------------------------------------

// J in the link's axes: R J R', symmetric to the last bit, without the dust of right angles.
static void turned_inertia(const UrdfLink *l, double J[9]) {
    double R[9], half[9], largest = 0;
    rotation_of(&l->at, R);
    times(R, l->inertia, half);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += half[i * 3 + k] * R[j * 3 + k];
            J[i * 3 + j] = J[j * 3 + i] = sum;
            largest = fmax(largest, fabs(sum));
        }
    for (int i = 0; i < 9; i++)
        if (fabs(J[i]) < 1e-15 * largest) J[i] = 0;
}

static void write_inertia(Text *out, const UrdfLink *l) {
    double J[9];
    turned_inertia(l, J);
    text_add(out, " inertia ");
    if (J[1] == 0 && J[2] == 0 && J[5] == 0) {
        write_vector(out, (double[]){J[0], J[4], J[8]}, 3);
    } else {
        for (int i = 0; i < 9; i++) {
            text_add(out, i == 0 ? "[" : i % 3 ? ", " : "; ");
            text_number(out, J[i] == 0 ? 0 : J[i]);
        }
        text_char(out, ']');
    }
    text_add(out, " {kg.m2}");
}

// --- statements ----------------------------------------------------------------------------------

static const char *body_name(const Urdf *u, int link) {
    return link == u->root && u->on_world ? "world" : u->link.data[link].id;
}

static void write_axis(Text *out, const double a[3]) {
    for (int i = 0; i < 3; i++) {
        if (a[(i + 1) % 3] != 0 || a[(i + 2) % 3] != 0) continue;
        text_printf(out, " %s%c", a[i] < 0 ? "-" : "", "xyz"[i]);
        return;
    }
    text_char(out, ' ');
    write_vector(out, a, 3);
}

static bool has_limits(const UrdfJoint *j) {
    bool one_side = isfinite(j->lower) || isfinite(j->upper);
    return urdf_turns_or_slides(j) && one_side && j->lower < j->upper;
}

static const char *place_unit(const UrdfJoint *j) {
    return j->kind == URDF_PRISMATIC ? " {m}" : " {rad}";
}

// A joint without a limit on one side gets one so far away that it is never reached.
static void write_limits(Text *out, const UrdfJoint *j) {
    static const double far = 1e9;
    text_add(out, " limits ");
    text_number(out, j->lower == 0 ? 0 : fmax(j->lower, -far));
    text_printf(out, "%s .. ", place_unit(j));
    text_number(out, j->upper == 0 ? 0 : fmin(j->upper, far));
    text_add(out, place_unit(j));
}

// q = multiplier*(q of the leader) + offset
static void write_follower(Text *out, const Urdf *u, const UrdfJoint *j) {
    const UrdfJoint *leader = &u->joint.data[j->leader];
    bool slides = j->kind == URDF_PRISMATIC;
    text_add(out, " driven by ");
    text_number(out, j->multiplier);
    if (leader->kind != j->kind) text_add(out, slides ? " {m/rad}" : " {rad/m}");
    text_printf(out, "*%s.q", leader->id);
    if (j->offset == 0) return;
    text_add(out, j->offset < 0 ? " - " : " + ");
    text_number(out, fabs(j->offset));
    text_add(out, slides ? " {m}" : " {rad}");
}

static void write_number_remark(Text *out, const char *what, double x) {
    if (!isfinite(x)) return;
    text_printf(out, " %s ", what);
    text_number(out, x);
}

// What no statement says.
static void write_joint_remarks(Text *out, const UrdfJoint *j) {
    Text t = {0};
    bool moves = urdf_turns_or_slides(j) && !urdf_is_held(j);
    if (!has_limits(j)) {
        write_number_remark(&t, "lower", j->lower);
        write_number_remark(&t, "upper", j->upper);
    }
    if (!moves || !(j->effort > 0)) write_number_remark(&t, "effort", j->effort);
    if (!moves || !(j->velocity > 0)) write_number_remark(&t, "velocity", j->velocity);
    if (!j->damping_id) write_number_remark(&t, "damping", j->damping);
    if (!j->friction_id) write_number_remark(&t, "friction", j->friction);
    if (t.length) text_printf(out, "    //%s\n", text_get(&t));
    text_free(&t);
    if (!j->mimic || j->leader >= 0) return;
    text_add(out, "    // mimic ");
    write_remark(out, j->mimic);
    write_number_remark(out, "multiplier", j->multiplier);
    write_number_remark(out, "offset", j->offset);
    text_char(out, '\n');
}

static void write_joint(Text *out, const Urdf *u, const UrdfJoint *j) {
    static const char *const word[] = {"fixed", "revolute", "prismatic", "free", "planar"};
    if (j->is_frame) {
        text_printf(out, "  frame %s on %s", j->id, body_name(u, j->parent));
        write_origin(out, &j->at);
        text_char(out, '\n');
        return;
    }
    text_printf(out, "  joint %s %s", j->id, word[j->kind]);
    if (j->kind != URDF_FIXED && j->kind != URDF_FLOATING) write_axis(out, j->axis);
    text_printf(out, ": %s -> %s", body_name(u, j->parent), body_name(u, j->child));
    write_origin(out, &j->at);
    if (has_limits(j)) write_limits(out, j);
    if (j->leader >= 0) write_follower(out, u, j);
    if (j->leader < 0 && urdf_is_held(j)) {
        text_add(out, " driven by ");
        text_number(out, j->lower);
        text_add(out, place_unit(j));
    }
    text_char(out, '\n');
    write_joint_remarks(out, j);
}

// --- what acts in joints -------------------------------------------------------------------------

typedef enum { ACT_DAMPING, ACT_FRICTION, ACT_EFFORT, ACT_VELOCITY, ACTS } Act;

static const char *const act_switch[ACTS] = {"damping", "friction", "effort_limits",
                                             "velocity_limits"};
static const char *const act_about[ACTS] = {
    "dampers in the joints", "dry friction in the joints",
    "the run says when a joint needs more effort than it can have",
    "the run says when a joint is faster than it can be"};

static bool has_act(const UrdfJoint *j, Act act) {
    if (!urdf_turns_or_slides(j) || urdf_is_held(j)) return false;
    double limit = act == ACT_EFFORT ? j->effort : j->velocity;
    return act == ACT_DAMPING    ? j->damping_id != NULL
           : act == ACT_FRICTION ? j->friction_id != NULL
                                 : limit > 0 && isfinite(limit);
}

static bool any_act(const Urdf *u, Act act) {
    for (int i = 0; i < u->joint.count; i++)
        if (has_act(&u->joint.data[i], act)) return true;
    return false;
}

// The effort of what is bonded to the joint from outside: all but its own losses.
static void write_effort(Text *out, const UrdfJoint *j, bool damped, bool rubs) {
    text_printf(out, "    assert abs(%s.e", j->id);
    if (damped) text_printf(out, " + %s.e", j->damping_id);
    if (rubs) text_printf(out, " + %s.p.e", j->friction_id);
    text_add(out, ") <= ");
    text_number(out, j->effort);
    text_printf(out, " {%s}, warning \"joint %s needs more than its greatest effort\"\n",
                j->kind == URDF_PRISMATIC ? "N" : "N.m", j->id);
}

// One assertion for each way in which its losses can be switched on and off.
static void write_effort_limit(Text *out, const UrdfJoint *j) {
    bool damped = j->damping_id, rubs = j->friction_id;
    if (damped || rubs)
        text_printf(out, "  if effort_limits and %s\n",
                    !rubs     ? "damping"
                    : !damped ? "friction"
                              : "damping and friction");
    else
        text_add(out, "  if effort_limits\n");
    write_effort(out, j, damped, rubs);
    if (damped && rubs) {
        text_add(out, "  elseif effort_limits and damping\n");
        write_effort(out, j, true, false);
        text_add(out, "  elseif effort_limits and friction\n");
        write_effort(out, j, false, true);
    }
    if (damped || rubs) {
        text_add(out, "  elseif effort_limits\n");
        write_effort(out, j, false, false);
    }
    text_add(out, "  end\n");
}

static void write_act(Text *out, const UrdfJoint *j, Act act) {
    bool slides = j->kind == URDF_PRISMATIC;
    if (act == ACT_DAMPING) {
        text_printf(out, "    R %s(", j->damping_id);
        text_number(out, j->damping);
        text_printf(out, " {%s}) at %s\n", slides ? "N.s/m" : "N.m.s/rad", j->id);
    } else if (act == ACT_FRICTION) {
        text_printf(out, "    %s.DryFriction %s(", slides ? "translation" : "rotation",
                    j->friction_id);
        text_number(out, j->friction);
        text_printf(out, " {%s}) at %s\n", slides ? "N" : "N.m", j->id);
    } else {
        text_printf(out, "    assert abs(%s.f) <= ", j->id);
        text_number(out, j->velocity);
        text_printf(out, " {%s}, warning \"joint %s is faster than its greatest velocity\"\n",
                    slides ? "m/s" : "rad/s", j->id);
    }
}

static void write_acts(Text *out, const Urdf *u) {
    for (int act = 0; act < ACTS; act++) {
        if (!any_act(u, (Act)act)) continue;
        if (act != ACT_EFFORT) text_printf(out, "  if %s\n", act_switch[act]);
        for (int i = 0; i < u->joint.count; i++) {
            const UrdfJoint *j = &u->joint.data[i];
            if (!has_act(j, (Act)act)) continue;
            if (act == ACT_EFFORT)
                write_effort_limit(out, j);
            else
                write_act(out, j, (Act)act);
        }
        if (act != ACT_EFFORT) text_add(out, "  end\n");
    }
}

static void write_switches(Text *out, const Urdf *u) {
    for (int act = 0; act < ACTS; act++)
        if (any_act(u, (Act)act))
            text_printf(out, "  param %s = true \"%s\"\n", act_switch[act], act_about[act]);
}

// Dry friction is in the library.
static void write_imports(Text *out, const Urdf *u) {
    bool turns = false, slides = false;
    for (int i = 0; i < u->joint.count; i++) {
        if (!has_act(&u->joint.data[i], ACT_FRICTION)) continue;
        *(u->joint.data[i].kind == URDF_PRISMATIC ? &slides : &turns) = true;
    }
    if (turns) text_add(out, "import rotation\n");
    if (slides) text_add(out, "import translation\n");
}

static void write_body(Text *out, const UrdfLink *l) {
    text_printf(out, "  body %s mass ", l->id);
    text_number(out, l->mass);
    text_add(out, " {kg}");
    if (l->at.xyz[0] != 0 || l->at.xyz[1] != 0 || l->at.xyz[2] != 0) {
        text_add(out, " cg ");
        write_vector(out, l->at.xyz, 3);
        text_add(out, " {m}");
    }
    bool any = false;
    for (int i = 0; i < 9; i++) any |= l->inertia[i] != 0;
    if (any) write_inertia(out, l);
    text_char(out, '\n');
}

// A link that became a frame shows its shapes on the body that carries it.
static void write_shape(Text *out, const Urdf *u, const UrdfShape *s) {
    const UrdfLink *l = &u->link.data[s->link];
    const UrdfJoint *frame =
        l->parent >= 0 && u->joint.data[l->parent].is_frame ? &u->joint.data[l->parent] : NULL;
    const UrdfMaterial *m = s->material ? &u->material.data[s->material] : NULL;
    if (s->form) {
        UrdfOrigin at = frame ? origin_then(&frame->at, &s->at) : s->at;
        text_printf(out, "  shape on %s %s", body_name(u, frame ? frame->parent : s->link),
                    s->form);
        write_origin(out, &at);
        if (m && m->coloured) text_add(out, " colour ");
        if (m && m->coloured) write_vector(out, m->rgb, 3);
    } else {
        text_printf(out, "    // %s ", s->what);
        write_remark(out, s->shape);
        write_origin(out, &s->at);
    }
    text_char(out, '\n');
}

// Shapes stand in the order of their links, as they do in the file.
static void write_links(Text *out, const Urdf *u) {
    int shape = 0;
    for (int i = 0; i < u->link.count; i++) {
        const UrdfLink *l = &u->link.data[i];
        bool frame = l->parent >= 0 && u->joint.data[l->parent].is_frame;
        bool world = i == u->root && u->on_world;
        if (!frame && !world) write_body(out, l);
        if (frame && shape < u->shape.count && u->shape.data[shape].link == i)
            text_printf(out, "    // at %s:\n", u->joint.data[l->parent].id);
        for (; shape < u->shape.count && u->shape.data[shape].link == i; shape++)
            write_shape(out, u, &u->shape.data[shape]);
    }
}

static void urdf_write(Text *out, const Urdf *u, const char *name, bool free_base,
                       const char *file) {
    text_add(out, "// Imported from ");
    write_remark(out, file);
    text_add(out, " (robot ");
    write_remark(out, u->name);
    text_add(out, ")\n");
    write_imports(out, u);
    text_printf(out, "mechanism %s\n", name);
    write_switches(out, u);
    text_add(out, "  gravity (0, 0, -9.81) {m/s2}\n");
    if (!u->on_world)
        text_printf(out, "  joint root %s: world -> %s\n", free_base ? "free" : "fixed",
                    u->link.data[u->root].id);
    for (int i = 0; i < u->joint.count; i++) write_joint(out, u, &u->joint.data[i]);
    write_acts(out, u);
    write_links(out, u);
    text_add(out, "end\n");
}

// --- meshes --------------------------------------------------------------------------------------

// One warning for all, at the first.
static void look_for_meshes(Urdf *u, const char *file, Report *r) {
    const char *folder = path_folder(&u->arena, file);
    const UrdfShape *first = NULL;
    int missing = 0, count = 0;
    for (int i = 0; i < u->shape.count; i++) {
        const UrdfShape *s = &u->shape.data[i];
        if (!s->file) continue;
        count++;
        if (mesh_find(&u->arena, folder, s->file)) continue;
        if (!missing++) first = s;
    }
    if (!first) return;
    const char *package = strncmp(first->file, "package://", 10) == 0 ? first->file + 10 : NULL;
    Remark *m = report_warning(r, X_MESH, first->pos, "there is no mesh '%s'", first->file);
    if (missing > 1) remark_note(r, m, POS_NONE, "%d of %d meshes are not there", missing, count);
    if (package)
        remark_help(r, m,
                    "put the folder '%.*s' beside this file or above it, or below one of "
                    "ROS_PACKAGE_PATH; the motion does not need it",
                    (int)strcspn(package, "/"), package);
    else
        remark_help(r, m, "its path counts from this file; the motion does not need it");
}

bool urdf_import(Text *out, const Sources *sources, uint32_t source, const UrdfOptions *options,
                 Report *r) {
    Urdf u = {.rounded = options->rounded};
    bool good = urdf_read(&u, sources, source, r) && urdf_connect(&u, options->free, r);
    if (good) {
        const char *name = options->name ? options->name : urdf_identifier(&u.arena, u.name);
        urdf_write(out, &u, name, options->free, path_base(source_name(sources, source)));
        if (options->meshes) look_for_meshes(&u, source_name(sources, source), r);
    }
    array_free(&u.link);
    array_free(&u.joint);
    array_free(&u.shape);
    array_free(&u.dropped);
    array_free(&u.material);
    names_free(u.materials);
    arena_free(&u.arena);
    return good;
}
