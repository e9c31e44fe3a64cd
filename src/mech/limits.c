// Limits of joints. Without more they are watched: the run says once when a joint leaves them. With
// a stiffness they are elastic stops, which push and never pull:
//
//     depth  x = max(q - upper, 0) + min(q - lower, 0)
//     stop   e = k x + d f, cut off at 0 where it would hold the joint back
//
// k x^2/2 is stored in the mechanism, (e - k x) f turns into heat; the joint gets -e. Rigid stops
// are laws that switch, see stops.c.
#include "mech/expansion.h"

static double start_number(const Expansion *k, Expr e) { return expr_evaluate(k->d, e, k->number); }

static bool is_elastic(const MechJoint *j) { return j->limited && j->stiffness; }

// A stop that pulls, or that gives energy.
static bool check_stop(Expansion *k, const MechJoint *j) {
    if (!is_elastic(j)) return check_rigid_stop(k, j);
    double stiffness = start_number(k, j->stiffness), damping = start_number(k, j->damping);
    if (stiffness > 0 && damping >= 0) return true;
    Remark *m = report_error(k->report, M_LIMITS, j->pos, "the %s of the stops of '%s' is %g",
                             stiffness > 0 ? "damping" : "stiffness",
                             name_text(k->m->names, j->name), stiffness > 0 ? damping : stiffness);
    remark_help(k->report, m, "a stiffness is more than 0, a damping not less");
    return false;
}

// The coordinates at the start are in `number` already.
bool check_limits(Expansion *k) {
    bool good = true;
    for (int i = 0; i < k->x->joint_count; i++) {
        const MechJoint *j = &k->x->joint[i];
        if (!j->limited) continue;
        double lower = start_number(k, j->lower), upper = start_number(k, j->upper);
        double q = start_number(k, symbol(k, j->coordinate[0]));
        const char *name = name_text(k->m->names, j->name);
        Remark *m = NULL;
        good &= check_stop(k, j);
        if (!(lower < upper)) {
            good = false;
            m = report_error(k->report, M_LIMITS, j->pos,
                             "the lower limit of '%s', %g, is not below the upper one, %g", name,
                             lower, upper);
            remark_help(k->report, m, "exchange them (numbers in SI)");
        } else if (j->stop >= 0 && (q < lower || q > upper)) {
            good &= is_elastic(j);
            m = report_add(k->report, is_elastic(j) ? WARNING : ERROR, M_LIMITS, j->pos,
                           "'%s' starts at %g, outside of its limits %g .. %g", name, q, lower,
                           upper);
            remark_help(k->report, m, "give another `initial`, or other limits (numbers in SI)");
        }
    }
    return good;
}

Expr stopped_effort(const Expansion *k, const MechJoint *j, Expr bonded) {
    if (!j->limited || j->stop < 0) return bonded;
    Expr stop = expr_neg(k->d, symbol(k, j->stop));
    return bonded ? expr_add(k->d, bonded, stop) : stop;
}

static Expr call2(Dag *d, Op op, Expr a, Expr b) { return expr_call(d, op, (Expr[]){a, b}, 2); }

static Expr depth_of(const Expansion *k, const MechJoint *j) {
    Dag *d = k->d;
    Expr q = symbol(k, j->coordinate[0]), zero = expr_number(d, 0);
    Expr below = call2(d, OP_MIN, expr_sub(d, q, j->lower), zero);
    return expr_add(d, call2(d, OP_MAX, expr_sub(d, q, j->upper), zero), below);
}

// The push of both stops; only one of them can be touched.
static Expr push_of(const Expansion *k, const MechJoint *j) {
    Dag *d = k->d;
    Expr q = symbol(k, j->coordinate[0]), zero = expr_number(d, 0);
    Expr damped = expr_mul(d, j->damping, symbol(k, j->f));
    Expr above = expr_add(d, expr_mul(d, j->stiffness, expr_sub(d, q, j->upper)), damped);
    Expr below = expr_add(d, expr_mul(d, j->stiffness, expr_sub(d, q, j->lower)), damped);
    below = call2(d, OP_MIN, below, zero);
    below = expr_if(d, call2(d, OP_LESS, q, j->lower), below, zero);
    above = call2(d, OP_MAX, above, zero);
    above = expr_if(d, call2(d, OP_LESS, j->upper, q), above, zero);
    return expr_add(d, above, below);
}

void limit_laws(Expansion *k, const MechJoint *j) {
    Dag *d = k->d;
    Names *names = k->m->names;
    const char *name = name_text(names, j->name);
    if (j->stop >= 0) {
        if (is_elastic(j))
            add_law(k, symbol(k, j->stop), push_of(k, j), j->pos);
        else
            rigid_stop_laws(k, j);
        return;
    }
    Expr q = symbol(k, j->coordinate[0]), above = call2(d, OP_LESS, j->upper, q);
    When guard = {.kind = WHEN_WARNS,
                  .condition = call2(d, OP_OR, call2(d, OP_LESS, q, j->lower), above),
                  .owner = k->x->name,
                  .words = name_printf(names, "joint '%s' leaves its limits", name),
                  .text = name_printf(names, "%s.q within %g .. %g", name,
                                      start_number(k, j->lower), start_number(k, j->upper)),
                  .pos = j->pos};
    array_push(&k->guard, guard);
}

void stop_energies(Expansion *k) {
    Dag *d = k->d;
    Comp *c = &k->m->comp[k->x->comp];
    for (int i = 0; i < k->x->joint_count; i++) {
        const MechJoint *j = &k->x->joint[i];
        if (!is_elastic(j)) continue;
        Expr x = depth_of(k, j);
        Expr energy = expr_scale(d, 0.5, expr_mul(d, j->stiffness, expr_mul(d, x, x)));
        c->stored = expr_add(d, c->stored, energy);
    }
}

void stop_losses(Expansion *k) {
    Dag *d = k->d;
    Comp *c = &k->m->comp[k->x->comp];
    Expr lost = 0;
    for (int i = 0; i < k->x->joint_count; i++) {
        const MechJoint *j = &k->x->joint[i];
        if (!is_elastic(j)) continue;
        Expr elastic = expr_mul(d, j->stiffness, depth_of(k, j));
        Expr power = expr_mul(d, expr_sub(d, symbol(k, j->stop), elastic), symbol(k, j->f));
        lost = lost ? expr_add(d, lost, power) : power;
    }
    c->lost = lost;
}
