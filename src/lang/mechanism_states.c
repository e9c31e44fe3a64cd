// The joints of a mechanism in the flat model: which of their variables are states, and where these
// start.
//
//   coordinates    q, or position and attitude; with Euler angles yaw, pitch, roll
//   motion         p, or with form lagrange w
//
// Where constraints or drives hold the mechanism, q_state, p_state ... are integrated in their
// place.
#include "lang/mechanism_data.h"
#include "lang/mechanism_parts.h"

#include <string.h>

int part_variable(const Builder *b, int instance, const char *name) {
    return b->entity.data[part_entity(b, instance, name)].first;
}

// The symbols of a parameter of a joint.
static void parameter(const Builder *b, int instance, const char *name, int count, Expr *out) {
    const Entity *x = &b->entity.data[part_entity(b, instance, name)];
    if (x->alias >= 0) x = &b->entity.data[x->alias];
    for (int i = 0; i < count; i++) out[i] = x->first < 0 ? 0 : b->var.data[x->first + i].symbol;
}

void state_variable(Builder *b, int var, VarKind kind, const char *rate_unit) {
    b->var.data[var].kind = kind;
    derivative_symbol(b, var);
    if (rate_unit) b->var.data[b->var.data[var].der].unit = name_of(b->names, rate_unit);
}

// --- attitudes at the start ----------------------------------------------------------------------

static bool start_quaternion(Builder *b, const MechPart *x, Expr out[4]) {
    int entity = part_entity(b, x->instance, "attitude0");
    if (entity < 0) {
        for (int i = 0; i < 4; i++) out[i] = expr_number(b->dag, i == 0);
        return read_turns(b, x, "initial_rotated", add_quaternion, out);
    }
    const Constant *c = &b->entity.data[entity].known;
    Expr raw[4];
    if (b->entity.data[entity].value_is != FOUND) return false;
    if (c->many[0] == 0 && c->many[1] == 0 && c->many[2] == 0 && c->many[3] == 0) {
        Remark *m = complain(b, M_ATTITUDE, ast_start(b->entity.data[entity].value),
                             "the attitude of '%s' at the start is zero", part_text(b, x));
        remark_help(b->r, m, "write (1, 0, 0, 0) for no turn, or initial rotated z 30 {deg}");
        return false;
    }
    parameter(b, x->instance, "attitude0", 4, raw);
    unit_vector(b->dag, raw, 4, out);
    return true;
}

// The three angles at the start: parameters of their own, or computed from the attitude if that is
// given.
static bool start_angles(Builder *b, const MechPart *x, Expr *out) {
    Expr quaternion[4];
    if (part_entity(b, x->instance, angle_text(b, x->angles, 0, "0")) >= 0) {
        for (int i = 0; i < ANGLES; i++)
            parameter(b, x->instance, angle_text(b, x->angles, i, "0"), 1, &out[i]);
        return true;
    }
    if (!start_quaternion(b, x, quaternion)) return false;
    quaternion_angles(b->dag, quaternion, x->angles.axis, out);
    return true;
}

// --- coordinates ---------------------------------------------------------------------------------

// The variables of an attitude, or with "_state" behind their names those that are integrated.
static void attitude_variables(Builder *b, const MechPart *x, const char *behind, int *out) {
    for (int i = 0; x->angles.used && i < ANGLES; i++)
        out[i] = part_variable(b, x->instance, angle_text(b, x->angles, i, behind));
    if (x->angles.used) return;
    const char *name = *behind ? "attitude_state" : "attitude";
    for (int i = 0; i < 4; i++) out[i] = part_variable(b, x->instance, name) + i;
}

static bool joint_turns(const MechJoint *j) {
    return j->kind == JOINT_FREE || j->kind == JOINT_SPHERICAL;
}

// Coordinates before those of the attitude.
static int plain_coordinates(const MechJoint *j) {
    return joint_turns(j) ? joint_linear(j->kind) : joint_coordinates(j);
}

static bool find_coordinates(Builder *b, const MechPart *x, MechJoint *j) {
    int plain = plain_coordinates(j), at = x->instance;
    bool turns = joint_turns(j);
    const char *name = turns ? "position" : "q";
    for (int i = 0; i < plain; i++) j->coordinate[i] = part_variable(b, at, name) + i;
    if (plain) parameter(b, at, turns ? "position0" : "q0", plain, j->start);
    if (!turns) return true;
    attitude_variables(b, x, "", j->coordinate + plain);
    if (x->angles.used) j->attitude = part_variable(b, at, "attitude");
    return (x->angles.used ? start_angles : start_quaternion)(b, x, j->start + plain);
}

static bool has_override(Builder *b, int instance, const char *name) {
    return b->override.count && find_override(b, member_path(b, instance, name));
}

static void note_given(Builder *b, const MechPart *x, MechJoint *j) {
    static const char *const start[] = {"initial", "initial_at", "initial_rotated",
                                        "initial_attitude"};
    static const char *const parameter_name[] = {"q0", "position0", "attitude0"};
    bool guess = find_clause(b, x->item, "initial_about");
    for (int i = 0; i < 4 && !guess; i++)
        j->given_start |= find_clause(b, x->item, start[i]) != NULL;
    for (int i = 0; i < 3; i++) j->given_start |= has_override(b, x->instance, parameter_name[i]);
    for (int i = 0; x->angles.used && i < ANGLES; i++)
        j->given_start |= has_override(b, x->instance, angle_text(b, x->angles, i, "0"));
    j->given_flow = find_clause(b, x->item, "rate") || has_override(b, x->instance, "f0");
}

// --- states --------------------------------------------------------------------------------------

static void constrained_states(Builder *b, const MechPart *x, bool lagrange, MechJoint *j) {
    int plain = plain_coordinates(j);
    for (int i = 0; i < plain; i++)
        j->state[i] =
            part_variable(b, x->instance, joint_turns(j) ? "position_state" : "q_state") + i;
    if (joint_turns(j)) attitude_variables(b, x, "_state", j->state + plain);
    j->motion = part_variable(b, x->instance, lagrange ? "w_state" : "p_state");
}

static void make_states(Builder *b, const Mechanism *m, MechJoint *j) {
    int n = joint_coordinates(j), linear = joint_linear(j->kind), plain = plain_coordinates(j);
    for (int i = 0; i < n; i++) {
        bool quaternion = i >= plain && !j->angles.used;
        state_variable(b, j->state[i], VAR_DISPLACEMENT,
                       quaternion   ? NULL
                       : i < linear ? "m/s"
                                    : "rad/s");
        b->var.data[j->state[i]].start = j->start[i];
    }
    for (int v = 0; v < joint_velocities(j->kind) && !m->velocity_count; v++)
        if (m->lagrange)
            state_variable(b, j->motion + v, VAR_VELOCITY, v < linear ? "m/s2" : "rad/s2");
        else
            state_variable(b, j->motion + v, VAR_MOMENTUM, v < linear ? "N" : "N.m");
}

bool joint_states(Builder *b, const MechPart *x, const Mechanism *m, MechJoint *j) {
    j->p = part_variable(b, x->instance, "p");
    if (m->lagrange) j->w = part_variable(b, x->instance, "w");
    parameter(b, x->instance, "f0", joint_velocities(j->kind), j->start_flow);
    if (!find_coordinates(b, x, j)) return false;
    note_given(b, x, j);
    memcpy(j->state, j->coordinate, sizeof j->state);
    j->motion = m->lagrange ? j->w : j->p;
    if (m->constrained) constrained_states(b, x, m->lagrange, j);
    make_states(b, m, j);
    return true;
}

// --- functions of its own motion -----------------------------------------------------------------

void own_variables(Builder *b, const MechPart *x, Mechanism *m, MechJoint *j) {
    int plain = plain_coordinates(j), at = x->instance;
    bool turns = joint_turns(j);
    if (!joint_velocities(j->kind)) return;
    for (int i = 0; i < plain; i++)
        j->coordinate[i] = part_variable(b, at, turns ? "position" : "q") + i;
    if (turns) attitude_variables(b, x, "", j->coordinate + plain);
    j->f = b->terminal.data[b->instance.data[at].first_terminal].f;
    j->p = part_variable(b, at, "p");
    m->lagrange = part_entity(b, at, "w") >= 0;
    if (m->lagrange) j->w = part_variable(b, at, "w");
    m->constrained |= part_entity(b, at, m->lagrange ? "w_state" : "p_state") >= 0;
}
