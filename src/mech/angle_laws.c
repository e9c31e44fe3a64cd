// Attitudes by Euler angles in the flat model: the quaternion that others read, and the attitude at
// which the angles fail.
//
//      hold = cos b (sin b where the first axis returns), b the middle angle: rates grow as 1/hold
//
// On one side of the singular attitude hold is positive, on the other negative, so that even a step
// that leaps over it changes a sign and is found. The run ends where a thousandth is left, some
// 0.06 degrees before.
#include "mech/attitude.h"
#include "mech/expansion.h"

#include <math.h>

static const double singular = 1e-3;

static const char help[] =
    "leave `coordinates euler` out, as quaternions know no such attitude; or give another sequence "
    "of axes, whose middle angle stays away from there";

static const Expr *angles_at_start(const Expansion *k, int joint) {
    int q = 0;
    for (int i = 0; i < joint; i++) q += joint_coordinates(&k->x->joint[i]);
    const MechJoint *j = &k->x->joint[joint];
    return k->start_q + q + joint_coordinates(j) - ANGLES;
}

static Expr degrees(Dag *d, Expr angle) {
    return expr_mul(d, expr_number(d, 57.295779513082320877), angle);
}

// "yaw and roll turn about the same axis"
static Name words_of(const Expansion *k, const MechJoint *j) {
    return name_printf(
        k->m->names, "'%s' comes to the attitude at which its %s and %s turn about one axis",
        name_text(k->m->names, j->name), angle_name(j->angles, 0), angle_name(j->angles, 2));
}

bool check_angles(Expansion *k) {
    bool good = true;
    for (int i = 0; i < k->x->joint_count; i++) {
        const MechJoint *j = &k->x->joint[i];
        if (!j->angles.used) continue;
        const Expr *start = angles_at_start(k, i);
        double middle = expr_evaluate(k->d, start[1], k->number);
        double hold = expr_evaluate(k->d, attitude_hold(k->d, j->angles, start), k->number);
        if (fabs(hold) > singular) continue;
        Remark *m = report_error(
            k->report, M_ANGLES, j->pos,
            "'%s' starts at the attitude at which its %s and %s turn about one axis: %s = %.7g deg",
            name_text(k->m->names, j->name), angle_name(j->angles, 0), angle_name(j->angles, 2),
            angle_name(j->angles, 1), middle * 57.295779513082320877);
        remark_help(k->report, m, "%s", help);
        good = false;
    }
    return good;
}

// -1 where x is negative, 1 elsewhere.
static Expr side_of(Dag *d, Expr x) {
    Expr negative = expr_call(d, OP_LESS, (Expr[]){x, expr_number(d, 0)}, 2);
    Expr one = expr_number(d, 1), minus = expr_number(d, -1);
    return expr_if(d, negative, minus, one);
}

// hold * (its sign at the start) < singular
static void guard_angles(Expansion *k, int joint, const Expr *angle) {
    const MechJoint *j = &k->x->joint[joint];
    Dag *d = k->d;
    Expr start = attitude_hold(d, j->angles, angles_at_start(k, joint)), side = side_of(d, start);
    Expr sides[2] = {expr_mul(d, side, attitude_hold(d, j->angles, angle)),
                     expr_number(d, singular)};
    Witness *witness = ARENA_NEW(k->out, Witness);
    *witness = (Witness){name_of(k->m->names, angle_name(j->angles, 1)), degrees(d, angle[1]),
                         name_of(k->m->names, "deg")};
    When guard = {.kind = WHEN_SINGULAR,
                  .code = M_ANGLES,
                  .condition = expr_call(d, OP_LESS, sides, 2),
                  .owner = k->x->name,
                  .words = words_of(k, j),
                  .text = name_of(k->m->names, help),
                  .witness = witness,
                  .witness_count = 1,
                  .pos = j->pos};
    array_push(&k->guard, guard);
}

// Of the two quaternions that turn alike, the one whose first number is not negative at the start.
static void quaternion_laws(Expansion *k, int joint, const Expr *angle) {
    const MechJoint *j = &k->x->joint[joint];
    Expr quaternion[4];
    attitude_quaternion(k->d, j->angles, angles_at_start(k, joint), quaternion);
    Expr side = side_of(k->d, quaternion[0]);
    attitude_quaternion(k->d, j->angles, angle, quaternion);
    for (int i = 0; i < 4; i++)
        add_law(k, symbol(k, j->attitude + i), expr_mul(k->d, side, quaternion[i]), j->pos);
}

void angle_laws(Expansion *k, int joint) {
    const MechJoint *j = &k->x->joint[joint];
    Expr angle[ANGLES];
    int first = joint_coordinates(j) - ANGLES;
    for (int i = 0; i < ANGLES; i++) angle[i] = symbol(k, j->coordinate[first + i]);
    quaternion_laws(k, joint, angle);
    guard_angles(k, joint, angle);
}
