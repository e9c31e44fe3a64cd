// What prescribes or bounds the motion of a joint: drives, limits and stops.
#include "lang/mechanism_data.h"

// --- prescribed motion ---------------------------------------------------------------------------

bool joint_drive(Builder *b, const MechPart *x, MechJoint *j) {
    const AstArg *a = find_clause(b, x->item, "driven");
    if (!a || !joint_velocities(j->kind)) return true;
    Lower l = lower_symbols(b);
    Value v = lower(&l, a->value, x->env);
    Pos pos = ast_start(a->value);
    int n = joint_coordinates(j);
    bool mixed = n > 1 && joint_linear(j->kind);
    const char *unit = joint_linear(j->kind) ? "m" : "rad";
    if (!value_ok(&v)) return false;
    if (!value_fit(&l, &v, false, NULL, mixed ? DIM_UNKNOWN : dim_of_unit(unit), pos, "motion") ||
        !value_shape(&l, &v, n, 1, pos, "motion"))
        return false;
    j->driven = true;
    for (int i = 0; i < n; i++) j->drive[i] = value_at(&v, i);
    j->effort = part_variable(b, x->instance, "drive");
    j->mu = part_variable(b, x->instance, "mu");
    j->nu = part_variable(b, x->instance, "nu");
    return true;
}

// --- limits --------------------------------------------------------------------------------------

bool joint_limits(Builder *b, const MechPart *x, MechJoint *j) {
    bool linear = joint_linear(j->kind) > 0;
    const struct {
        const char *word, *what, *unit;
        Expr *to;
    } part[] = {{"limits", "lower limit", linear ? "m" : "rad", &j->lower},
                {"limits_to", "upper limit", linear ? "m" : "rad", &j->upper},
                {"stiffness", "stiffness", linear ? "N/m" : "N.m/rad", &j->stiffness},
                {"damping", "damping", linear ? "N.s/m" : "N.m.s/rad", &j->damping},
                {"rigid", "restitution", "1", &j->restitution}};
    for (int i = 0; i < 5; i++) {
        const AstArg *a = find_clause(b, x->item, part[i].word);
        if (!a) continue;
        Datum value = clause_datum(b, x, a, part[i].what, 1, 1, part[i].unit);
        if (!datum(b, &value, part[i].to)) return false;
    }
    j->limited = j->lower != 0;
    j->stop = -1;
    if (!j->stiffness && !j->restitution) return true;
    if (!j->damping) j->damping = expr_number(b->dag, 0);
    j->stop = part_variable(b, x->instance, "stopping");
    if (j->restitution) j->contact = part_variable(b, x->instance, "contact");
    return true;
}
