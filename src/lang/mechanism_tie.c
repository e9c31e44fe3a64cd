// Constraints and actuators between two places of a mechanism, and prescribed motion.
//
//   constraint pin revolute z: a -> b      instance "arm.pin"   a terminal along its freedoms, q;
//                                          lambda, mu, nu for what it holds; force, moment, gap
//   actuator cylinder: a -> b              instance "arm.cylinder"   a terminal, length
//   joint q1 ... driven by u(time)         drive, mu, nu of the joint
//
// Where anything is constrained, each joint has q_state and p_state (or w_state) besides q and p:
// see mech/constraints.c.
#include "lang/mechanism_parts.h"

#include <string.h>

// --- kinds ---------------------------------------------------------------------------------------

static const struct {
    const char *name;
    int rows, freedom;
} tie_kinds[TIE_KINDS] = {
    [TIE_JOINT] = {NULL, 0, 0},    [TIE_LINE] = {"line", 2, 1},
    [TIE_PLANE] = {"plane", 1, 0}, [TIE_DISTANCE] = {"distance", 1, 0},
    [TIE_KNIFE] = {"knife", 1, 0}, [TIE_WHEEL] = {"wheel", 3, 0},
    [TIE_BALL] = {"ball", 3, 0},   [TIE_ACTUATOR] = {"actuator", 0, 1},
};

int tie_rows(TieKind kind, JointKind joint) {
    return kind == TIE_JOINT ? TIE_ROWS - joint_velocities(joint) : tie_kinds[kind].rows;
}

int tie_freedom(TieKind kind, JointKind joint) {
    return kind == TIE_JOINT ? joint_velocities(joint) : tie_kinds[kind].freedom;
}

// False: there is no constraint of this kind, which is reported here.
static bool find_tie_kind(Builder *b, MechPart *part) {
    const AstExpr *path = part->item->path;
    const char *word = path->kind == AST_NAME ? text_of(b, path->name) : "";
    if (strcmp(word, "point") == 0) word = joint_word(JOINT_SPHERICAL);
    for (int k = TIE_JOINT + 1; k < TIE_KINDS; k++) {
        part->tie = (TieKind)k;
        if (strcmp(tie_kinds[k].name, word) == 0) return true;
    }
    part->tie = TIE_JOINT;
    for (int k = 0; k < JOINT_FREE; k++) {
        part->kind = (JointKind)k;
        if (strcmp(joint_word(part->kind), word) == 0) return true;
    }
    Remark *m = complain(b, M_TIE_KIND, path->pos, "there is no constraint of the kind '%s'",
                         expr_text(b, path));
    Suggestion g = suggest_for(word);
    for (int k = 0; k < JOINT_FREE; k++) suggest_offer(&g, joint_word((JointKind)k));
    for (int k = TIE_JOINT + 1; k < TIE_ACTUATOR; k++) suggest_offer(&g, tie_kinds[k].name);
    suggest_help(b->r, m, &g,
                 "the kinds are fixed, revolute, prismatic, helical, cylindrical, universal, "
                 "planar, spherical or point, line, plane, distance, knife, wheel, ball");
    return false;
}

// Which clauses a kind can have, and which it must have.
static void check_clauses(Builder *b, const MechPart *x) {
    bool joint = x->tie == TIE_JOINT, rolls = x->tie == TIE_WHEEL || x->tie == TIE_BALL;
    const struct {
        const char *word, *text;
        bool allowed, needed;
        const char *example;
    } rule[] = {
        {"axis", "an axis",
         joint ? x->kind != JOINT_FIXED && x->kind != JOINT_SPHERICAL
               : x->tie <= TIE_WHEEL && x->tie != TIE_DISTANCE,
         x->tie == TIE_KNIFE || x->tie == TIE_WHEEL, "write knife y: world -> blade"},
        {"axis2", "a second axis", joint && x->kind == JOINT_UNIVERSAL, false, ""},
        {"pitch", "a pitch", joint && x->kind == JOINT_HELICAL, joint && x->kind == JOINT_HELICAL,
         "write helical z pitch 0.01 {m/rad}"},
        {"length", "a length", x->tie == TIE_DISTANCE, x->tie == TIE_DISTANCE,
         "write distance: a -> b length 0.5 {m}"},
        {"radius", "a radius", rolls, rolls, "write wheel y: world -> hub radius 0.3 {m}"},
    };
    for (size_t i = 0; i < sizeof rule / sizeof rule[0]; i++) {
        const AstArg *a = find_clause(b, x->item, rule[i].word);
        if (!a == !rule[i].needed || (a && rule[i].allowed)) continue;
        Remark *m =
            complain(b, M_CLAUSE, a ? a->pos : x->item->pos, "'%s' %s %s",
                     text_of(b, x->item->name), a ? "has no place for" : "needs", rule[i].text);
        remark_help(b->r, m, "%s", a ? "take it away, or choose another kind" : rule[i].example);
    }
}

// --- what they are made of -----------------------------------------------------------------------

static void declare_freedoms(const Declaring *d, const MechPart *x) {
    int n = tie_freedom(x->tie, x->kind);
    if (!n) return;
    int linear = x->tie == TIE_JOINT ? joint_linear(x->kind) : 1;
    add_part_terminal(d, n, linear);
    if (x->tie == TIE_ACTUATOR)
        give_units(d, declare(d, "length", ENTITY_LOCAL, 1, 1), 1, "m", NULL);
    else if (x->kind != JOINT_SPHERICAL)
        give_units(d, declare(d, "q", ENTITY_LOCAL, n, 1), linear, "m", "rad");
}

static void declare_multipliers(const Declaring *d, const char *effort, int rows) {
    declare(d, effort, ENTITY_LOCAL, rows, 1);
    declare(d, "mu", ENTITY_LOCAL, rows, 1);
    declare(d, "nu", ENTITY_LOCAL, rows, 1);
}

void declare_tie(Builder *b, MechPart part) {
    bool known = find_tie_kind(b, &part);
    bool actuator = part.tie == TIE_ACTUATOR;
    part.instance =
        add_part_instance(b, part.owner, part.item, part.env, actuator ? "actuator" : "constraint");
    if (part.instance >= 0 && !known) b->instance.data[part.instance].dim_is = WRONG;
    if (!known) part.kind = JOINT_FIXED;
    array_push(&b->part, part);
    if (part.instance < 0 || !known) return;
    check_clauses(b, &part);
    if (is_called_only(b, part.owner)) return;
    Declaring d = {b, part.instance, part.env, part.item->pos};
    declare_freedoms(&d, &part);
    if (actuator) return;
    declare_multipliers(&d, "lambda", tie_rows(part.tie, part.kind));
    give_units(&d, declare(&d, "force", ENTITY_LOCAL, 3, 1), 3, "N", NULL);
    give_units(&d, declare(&d, "moment", ENTITY_LOCAL, 3, 1), 3, "N.m", NULL);
    declare(&d, "gap", ENTITY_LOCAL, 1, 1);
}

void find_ends(Builder *b, MechPart *tie) {
    tie->parent = find_place(b, tie, tie->item->exprs[0], true);
    tie->child = find_place(b, tie, tie->item->exprs[1], true);
    tie->from_world = tie->parent == PART_WORLD;
    tie->to_world = tie->child == PART_WORLD;
    if (tie->from_world) tie->parent = mount_body(b, tie->owner);
    if (tie->to_world) tie->child = mount_body(b, tie->owner);
}

// --- prescribed motion ---------------------------------------------------------------------------

void declare_drive(const Declaring *d, const AstItem *item, JointKind kind) {
    const AstArg *a = find_clause(d->b, item, "driven");
    if (!a) return;
    if (kind == JOINT_FREE || kind == JOINT_SPHERICAL || kind == JOINT_FIXED) {
        Remark *m = complain(d->b, M_CLAUSE, a->pos, "a %s joint cannot be driven by a motion",
                             joint_word(kind));
        remark_help(d->b->r, m,
                    "build its motion from joints of one axis each: prismatic x, y, z and "
                    "revolute z, y, x, with bodies without mass between them");
        return;
    }
    declare_multipliers(d, "drive", joint_velocities(kind));
}

void declare_constrained(Builder *b, const Instance *i, int instance) {
    bool constrained = false, driven = false;
    int first = i->first_part, end = first + i->part_count;
    for (int k = first; k < end; k++) {
        const MechPart *x = &b->part.data[k];
        bool drive = x->item->kind == ITEM_JOINT && find_clause(b, x->item, "driven");
        driven |= drive;
        constrained |= drive || (x->item->kind == ITEM_TIE && tie_rows(x->tie, x->kind) > 0);
    }
    Declaring all = {b, instance, b->part.data[first].env, b->part.data[first].item->pos};
    if (driven) give_units(&all, declare(&all, "drive_power", ENTITY_LOCAL, 1, 1), 1, "W", NULL);
    for (int k = first; constrained && k < end; k++) {
        const MechPart x = b->part.data[k];
        int n = joint_velocities(x.kind), linear = joint_linear(x.kind);
        if (x.item->kind != ITEM_JOINT || x.instance < 0 || !n) continue;
        Declaring d = {b, x.instance, x.env, x.item->pos};
        if (x.kind == JOINT_FREE)
            give_units(&d, declare(&d, "position_state", ENTITY_LOCAL, 3, 1), 3, "m", NULL);
        if (x.kind == JOINT_FREE || x.kind == JOINT_SPHERICAL)
            declare_attitude_state(&d, x.angles);
        else
            give_units(&d, declare(&d, "q_state", ENTITY_LOCAL, n, 1), linear, "m", "rad");
        if (is_lagrange(b, instance))
            give_units(&d, declare(&d, "w_state", ENTITY_LOCAL, n, 1), linear, "m/s", "rad/s");
        else
            give_units(&d, declare(&d, "p_state", ENTITY_LOCAL, n, 1), linear, "N.s", "N.m.s");
    }
}
