// A lagrangian: coordinates with the variables and ports of joints, and energies in place of
// bodies.
//
//   coordinate x {m}        instance "wagon.x"   a terminal with e and f; q, p; parameters q0, f0
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

static bool is_coordinate(const MechPart *x) {
    return x->item->kind == ITEM_JOINT && !x->item->expr_count;
}

void check_lagrangian(Builder *b, const Instance *i) {
    const MechPart *coordinate = NULL, *other = NULL, *energy = NULL;
    for (int k = i->first_part; k < i->first_part + i->part_count; k++) {
        const MechPart *x = &b->part.data[k];
        if (is_coordinate(x))
            coordinate = x;
        else if (x->item->kind == ITEM_ENERGY)
            energy = x;
        else
            other = x;
    }
    if (!coordinate && !energy) return;
    Remark *m = NULL;
    if (other)
        m = complain(b, M_LAGRANGIAN, other->item->pos,
                     "a mechanism has either coordinates with energies or bodies, not both");
    else if (!coordinate)
        m = complain(b, M_LAGRANGIAN, energy->item->pos, "there is no coordinate to this energy");
    else if (!find_energy(b, i, "kinetic"))
        m = complain(b, M_LAGRANGIAN, coordinate->item->pos, "there is no kinetic energy");
    if (m)
        remark_help(b->r, m,
                    "write coordinate phi {rad}, kinetic 0.5*J*phi.f^2, potential 0.5*k*phi.q^2");
}

// --- energies as expressions
// ------------------------------------------------------------------------------------------------

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
