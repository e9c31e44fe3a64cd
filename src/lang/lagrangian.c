// A lagrangian: coordinates with the variables and ports of joints, and energies in place of
// bodies.
//
//   coordinate x {m}        instance "wagon.x"   a terminal with e and f; q, p; parameters q0, f0
//   velocity w {m/s} = ...  instance "wagon.w"   a terminal with e and f; p, which is a state then
//   kinetic T(q, f)         potential V(q)       dissipation D(q, f)
//
// See mech/lagrangian.c for what becomes of them.
#include "lang/mechanism_data.h"
#include "lang/mechanism_parts.h"

#include <string.h>

static const MechPart *find_energy(const Builder *b, const Instance *i, const char *word) {
    for (int k = i->first_part; k < i->first_part + i->part_count; k++) {
        const MechPart *x = &b->part.data[k];
        if (x->item->kind == ITEM_ENERGY && strcmp(text_of(b, x->item->name), word) == 0) return x;
    }
    return NULL;
}

void declare_energy(Builder *b, MechPart part) {
    const Instance *owner = &b->instance.data[part.owner];
    for (int k = owner->first_part; k < b->part.count; k++) {
        const MechPart *x = &b->part.data[k];
        if (x->item->kind != ITEM_ENERGY || x->item->name != part.item->name) continue;
        Remark *m = complain(b, M_CLAUSE, part.item->pos, "the %s energy is given twice",
                             text_of(b, part.item->name));
        remark_note(b->r, m, x->item->pos, "the first one stands here");
        remark_help(b->r, m, "add them up in one expression");
        return;
    }
    array_push(&b->part, part);
    if (strcmp(text_of(b, part.item->name), "dissipation") != 0) return;
    Declaring d = {b, part.owner, part.env, part.item->pos};
    give_units(&d, declare(&d, "loss", ENTITY_LOCAL, 1, 1), 1, "W", NULL);
}

void declare_velocity(Builder *b, MechPart part) {
    part.kind = find_joint_kind(b, part.item);
    part.instance = add_part_instance(b, part.owner, part.item, part.env, "velocity");
    array_push(&b->part, part);
    if (part.instance < 0) return;
    int linear = joint_linear(part.kind);
    Declaring d = {b, part.instance, part.env, part.item->pos};
    add_part_terminal(&d, 1, linear);
    give_units(&d, declare(&d, "p", ENTITY_LOCAL, 1, 1), linear, "N.s", "N.m.s");
}

static bool is_coordinate(const MechPart *x) {
    return x->item->kind == ITEM_JOINT && !x->item->expr_count;
}

static void refuse_form(Builder *b, const MechPart *x) {
    Remark *m = complain(b, M_FORM, x->item->pos,
                         "a lagrangian has coordinates of its own, and their momenta as states");
    remark_help(b->r, m, "take the statement away; form and coordinates belong into mechanisms");
}

void check_lagrangian(Builder *b, const Instance *i) {
    const MechPart *coordinate = NULL, *other = NULL, *energy = NULL, *velocity = NULL,
                   *form = NULL;
    int coordinates = 0, velocities = 0;
    for (int k = i->first_part; k < i->first_part + i->part_count; k++) {
        const MechPart *x = &b->part.data[k];
        if (is_coordinate(x))
            coordinate = x, coordinates++;
        else if (x->item->kind == ITEM_VELOCITY)
            velocity = x, velocities++;
        else if (x->item->kind == ITEM_ENERGY)
            energy = x;
        else if (x->item->kind == ITEM_FORM || x->item->kind == ITEM_COORDINATES)
            form = x;
        else
            other = x;
    }
    if (!coordinate && !energy && !velocity) return;
    if (form) refuse_form(b, form);
    Remark *m = NULL;
    if (other)
        m = complain(b, M_LAGRANGIAN, other->item->pos,
                     "a mechanism has either coordinates with energies or bodies, not both");
    else if (!coordinate)
        m = complain(b, M_LAGRANGIAN, (energy ? energy : velocity)->item->pos,
                     "there is no coordinate to this %s", energy ? "energy" : "velocity");
    else if (!find_energy(b, i, "kinetic"))
        m = complain(b, M_LAGRANGIAN, coordinate->item->pos, "there is no kinetic energy");
    if (m)
        remark_help(b->r, m,
                    "write coordinate phi {rad}, kinetic 0.5*J*phi.f^2, potential 0.5*k*phi.q^2");
    if (m || !velocities || velocities == coordinates) return;
    m = complain(b, M_VELOCITY, velocity->item->pos,
                 "%d coordinate%s need as many velocities, not %d", coordinates,
                 coordinates == 1 ? "" : "s", velocities);
    remark_help(b->r, m,
                "a rate that is to stay as it is needs a line too: velocity v {m/s} = x.f");
}

// --- energies and velocities as expressions ------------------------------------------------------

static bool lower_energy(Builder *b, const MechPart *x, Expr *out) {
    Lower l = lower_symbols(b);
    const AstExpr *e = x->item->left;
    const char *name = text_of(b, x->item->name);
    bool power = strcmp(name, "dissipation") == 0;
    Value v = lower(&l, e, x->env);
    if (!value_ok(&v)) return false;
    if (v.is & HAS_TIME) {
        Remark *m = complain(b, M_LAGRANGIAN, ast_start(e), "the %s changes with time", name);
        remark_help(b->r, m, "it may use coordinates, their flows and parameters");
        return false;
    }
    if (!value_fit(&l, &v, false, NULL, dim_of_unit(power ? "W" : "J"), ast_start(e), name) ||
        !value_shape(&l, &v, 1, 1, ast_start(e), name))
        return false;
    *out = value_at(&v, 0);
    return true;
}

bool make_velocity(Builder *b, const MechPart *x, MechVelocity *v) {
    const Instance *i = &b->instance.data[x->instance];
    const AstExpr *e = x->item->left;
    bool linear = joint_linear(x->kind) > 0;
    *v = (MechVelocity){.name = i->path,
                        .pos = x->item->pos,
                        .p = b->entity.data[part_entity(b, x->instance, "p")].first,
                        .e = b->terminal.data[i->first_terminal].e,
                        .f = b->terminal.data[i->first_terminal].f};
    state_variable(b, v->p, VAR_MOMENTUM, linear ? "N" : "N.m");
    Lower l = lower_symbols(b);
    Value value = lower(&l, e, x->env);
    const char *unit = linear ? "m/s" : "rad/s";
    if (!value_ok(&value) ||
        !value_fit(&l, &value, false, NULL, dim_of_unit(unit), ast_start(e), "velocity") ||
        !value_shape(&l, &value, 1, 1, ast_start(e), "velocity"))
        return false;
    v->value = value_at(&value, 0);
    return true;
}

bool make_energies(Builder *b, const Instance *i, Mechanism *m) {
    static const char *const word[] = {"kinetic", "potential", "dissipation"};
    Expr *const to[] = {&m->T, &m->V, &m->D};
    for (int k = 0; k < 3; k++) {
        const MechPart *x = find_energy(b, i, word[k]);
        *to[k] = expr_number(b->dag, 0);
        if (x && !lower_energy(b, x, to[k])) return false;
        m->by_energy |= x != NULL;
    }
    return true;
}
