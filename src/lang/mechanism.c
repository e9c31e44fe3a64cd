// Joints, bodies and frames become instances of a mechanism; mechanism_tree.c ties them together.
//
//   Arm arm              instance "arm"       kinetic, potential, energy, momentum[6]
//     joint q1 ...       instance "arm.q1"    a terminal with e and f; q, p; parameters q0, f0
//     frame tip ...      instance "arm.tip"   a terminal with e and f; position, rotation
//     body link ...      no member: bodies have their own names, looked up by path
//
// All of them share the component of the outermost mechanism. A joint's start values are parameters
// of it, so experiments set them as they set q0 of a spring.
#include "lang/mechanism_parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    int velocities, linear;
} joint_kinds[JOINT_KINDS] = {
    [JOINT_FIXED] = {"fixed", 0, 0},
    [JOINT_REVOLUTE] = {"revolute", 1, 0},
    [JOINT_PRISMATIC] = {"prismatic", 1, 1},
    [JOINT_HELICAL] = {"helical", 1, 0},
    [JOINT_CYLINDRICAL] = {"cylindrical", 2, 1},
    [JOINT_UNIVERSAL] = {"universal", 2, 0},
    [JOINT_PLANAR] = {"planar", 3, 2},
    [JOINT_SPHERICAL] = {"spherical", 3, 0},
    [JOINT_FREE] = {"free", 6, 3},
};

int joint_linear(JointKind kind) { return joint_kinds[kind].linear; }
int joint_velocities(JointKind kind) { return joint_kinds[kind].velocities; }
int joint_coordinates(const MechJoint *j) { return kind_coordinates(j->kind, j->angles); }

// A quaternion has one number more than the angular velocity, three angles as many.
int kind_coordinates(JointKind kind, EulerAngles angles) {
    return joint_kinds[kind].velocities + (kind >= JOINT_SPHERICAL && !angles.used);
}

const char *joint_word(JointKind kind) { return joint_kinds[kind].name; }

bool is_mechanism(const Builder *b, int instance) {
    const AstClass *c = b->instance.data[instance].class;
    return c && c->kind == CLASS_MECHANISM;
}

bool is_mounted(const Builder *b, int instance) {
    const AstItem *item = b->instance.data[instance].item;
    return item && item->mount;
}

bool is_called_only(const Builder *b, int instance) {
    while (is_mounted(b, instance)) instance = b->instance.data[instance].parent;
    const AstItem *item = b->instance.data[instance].item;
    return item && is_set(item);
}

int part_entity(const Builder *b, int instance, const char *name) {
    Name n = name_find(b->names, name);
    int code = n ? pairs_get(&b->members, (uint32_t)instance, n) : -1;
    return code >= 0 && code % 4 == MEMBER_ENTITY ? code / 4 : -1;
}

// --- variables and parameters that no text declares ----------------------------------------------

static AstExpr *number_expr(Builder *b, double x, Pos pos) {
    AstExpr *e = ARENA_NEW(&b->tmp, AstExpr);
    *e = (AstExpr){.kind = AST_NUMBER, .depth = 1, .pos = pos, .number = x};
    return e;
}

// The default of a parameter: zeros, or (1, 0, 0, 0) for an attitude.
static AstExpr *default_value(const Declaring *d, int rows, bool attitude) {
    if (!attitude) return number_expr(d->b, 0, d->pos);
    AstExpr *e = ARENA_NEW(&d->b->tmp, AstExpr);
    *e = (AstExpr){.kind = AST_VECTOR, .depth = 2, .pos = d->pos, .arg_count = rows};
    e->args = ARENA_ARRAY(&d->b->tmp, AstArg, rows);
    for (int i = 0; i < rows; i++) e->args[i].value = number_expr(d->b, i == 0, d->pos);
    return e;
}

Entity *declare(const Declaring *d, const char *name, EntityKind kind, int rows, int cols) {
    Builder *b = d->b;
    AstItem *item = ARENA_NEW(&b->tmp, AstItem);
    item->kind = kind == ENTITY_PARAM ? ITEM_PARAM : ITEM_VAR;
    item->name = name_of(b->names, name);
    item->pos = d->pos;
    item->junction = -1;
    Entity x = {.kind = kind,
                .owner = d->owner,
                .name = item->name,
                .item = item,
                .env = d->env,
                .rows = rows,
                .cols = cols,
                .first = -1,
                .alias = -1};
    array_push(&b->entity, x);
    declare_member(b, d->owner, x.name, ~(b->entity.count - 1));
    if (kind == ENTITY_LOCAL) count_scalars(b, (int64_t)rows * cols, d->pos);
    return &array_last(&b->entity);
}

void give_units(const Declaring *d, Entity *x, int linear, const char *unit, const char *angular) {
    bool both = linear > 0 && linear < x->rows * x->cols;
    const char *only = linear > 0 ? unit : angular;
    AstItem *item = (AstItem *)x->item; // made by declare()
    if (both) {
        x->unit = name_of(d->b->names, unit);
        x->second_unit = angular;
        x->split = linear;
    } else if (only) {
        x->unit = item->unit_text = name_of(d->b->names, only);
        x->dim = dim_of_unit(only);
        item->has_unit = true;
        Unit *coherent = ARENA_NEW(&d->b->tmp, Unit);
        *coherent = (Unit){x->dim, 1, 0};
        item->unit = coherent;
    }
}

void give_value(const Declaring *d, Entity *x, const AstExpr *value) {
    Builder *b = d->b;
    AstItem *item = (AstItem *)x->item;
    item->left = (AstExpr *)(value ? value : default_value(d, x->rows, x->rows == 4));
    x->scalar = x->rows == 1;
    if (x->rows > 1) {
        item->size = ARENA_ARRAY(&b->tmp, AstExpr *, 1);
        item->size[0] = number_expr(b, x->rows, d->pos);
        item->size_count = 1;
    }
    x->value = item->left;
    x->value_env = d->env;
    const Override *o =
        b->override.count ? find_override(b, member_path(b, x->owner, text_of(b, x->name))) : NULL;
    if (!o) return;
    x->value = o->item->right;
    x->value_env = o->env;
}

// --- mechanisms ----------------------------------------------------------------------------------

void open_mechanism(Builder *b, int instance) {
    Instance *i = &b->instance.data[instance];
    i->first_part = b->part.count;
    if (is_mounted(b, instance) || is_called_only(b, instance)) return;
    Declaring d = {b, instance, NULL, i->item ? i->item->pos : i->class->pos};
    d.env = new_env(b, (Env){.instance = instance, .element = -1});
    give_units(&d, declare(&d, "energy", ENTITY_LOCAL, 1, 1), 1, "J", NULL);
    give_units(&d, declare(&d, "kinetic", ENTITY_LOCAL, 1, 1), 1, "J", NULL);
    give_units(&d, declare(&d, "momentum", ENTITY_LOCAL, 6, 1), 3, "N.s", "N.m.s");
    give_units(&d, declare(&d, "potential", ENTITY_LOCAL, 1, 1), 1, "J", NULL);
}

// --- joints, frames and bodies -------------------------------------------------------------------

// The indices of q[i] or link[i, j] as numbers. False: reported.
bool part_indices(Builder *b, AstExpr *const *e, int count, const Env *env, int index[2]) {
    if (count > 2) {
        complain(b, L_BAD_SIZE, e[2]->pos, "at most two indices are possible");
        return false;
    }
    for (int i = 0; i < count; i++) {
        Constant c;
        if (!number_evaluate(b, e[i], env, "an index", true, &c)) return false;
        if (c.rows * c.cols != 1 || c.one != floor(c.one) || fabs(c.one) > LARGEST_SIZE) {
            complain(b, L_INDEX_RANGE, ast_start(e[i]), "an index must be a whole number");
            return false;
        }
        index[i] = (int)c.one;
    }
    return true;
}

// The name of a part, with its index; 0: reported.
static Name part_name(Builder *b, const AstItem *item, const Env *env) {
    int index[2];
    if (!item->size_count) return item->name;
    if (!part_indices(b, item->size, item->size_count, env, index)) return 0;
    char text[ELEMENT_NAME];
    size_t length = element_text(text, text_of(b, item->name), index, item->size_count);
    return name_of_n(b->names, text, length);
}

// The class that stands for all joints, or all frames: only its name is ever asked for.
static const AstClass *part_class(Builder *b, const AstItem *item, const char *kind) {
    AstClass *c = ARENA_NEW(&b->tmp, AstClass);
    c->kind = CLASS_MODEL;
    c->pos = item->pos;
    c->name = name_of(b->names, kind);
    return c;
}

int add_part_instance(Builder *b, int owner, const AstItem *item, const Env *env,
                      const char *kind) {
    Name name = part_name(b, item, env);
    if (!name || !name_is_free(b, owner, name, item->pos)) return -1;
    if (item->size_count && !declare_array(b, owner, item)) return -1;
    Instance i = {.parent = owner,
                  .depth = b->instance.data[owner].depth + 1,
                  .name = name,
                  .item = item,
                  .env = env,
                  .class = part_class(b, item, kind),
                  .first_terminal = -1,
                  .comp = -1,
                  .var = -1,
                  .part = true};
    i.path = member_path(b, owner, text_of(b, name));
    int index = add_instance(b, i);
    declare_member(b, owner, name, index);
    return index;
}

static int domain_by_name(const Builder *b, const char *name) {
    for (int i = 0; i < b->domain.count; i++)
        if (strcmp(b->domain.data[i].name, name) == 0) return i;
    return -1;
}

void add_part_terminal(const Declaring *d, int dim, int linear) {
    Builder *b = d->b;
    int translation = domain_by_name(b, "translation"), rotation = domain_by_name(b, "rotation");
    Terminal t = {.instance = d->owner,
                  .dim = dim,
                  .next = -1,
                  .e = -1,
                  .f = -1,
                  .port = -1,
                  .domain = linear ? translation : rotation};
    if (linear && linear < dim) {
        t.split = linear;
        t.domain2 = rotation;
    }
    b->instance.data[d->owner].first_terminal = b->terminal.count;
    add_terminal(b, t);
    declare(d, "e", ENTITY_EFFORT, dim, 1)->first = b->terminal.count - 1;
    declare(d, "f", ENTITY_FLOW, dim, 1)->first = b->terminal.count - 1;
}

const AstArg *find_clause(const Builder *b, const AstItem *item, const char *word) {
    assert(item->args || item->arg_count == 0);
    for (int i = 0; i < item->arg_count; i++)
        if (strcmp(text_of(b, item->args[i].name), word) == 0) return &item->args[i];
    return NULL;
}

static const AstExpr *clause_value(const Builder *b, const AstItem *item, const char *word) {
    const AstArg *a = find_clause(b, item, word);
    return a ? a->value : NULL;
}

static void declare_coordinates(const Declaring *d, const MechPart *part) {
    Builder *b = d->b;
    const AstItem *item = part->item;
    JointKind kind = part->kind;
    int n = joint_velocities(kind), linear = joint_linear(kind);
    if (kind == JOINT_FREE) {
        give_units(d, declare(d, "position", ENTITY_LOCAL, 3, 1), 3, "m", NULL);
        Entity *start = declare(d, "position0", ENTITY_PARAM, 3, 1);
        give_units(d, start, 3, "m", NULL);
        give_value(d, start, clause_value(b, item, "initial_at"));
    }
    if (kind == JOINT_FREE || kind == JOINT_SPHERICAL) {
        declare_attitude(d, item, part->angles);
        return;
    }
    give_units(d, declare(d, "q", ENTITY_LOCAL, n, 1), linear, "m", "rad");
    Entity *start = declare(d, "q0", ENTITY_PARAM, n, 1);
    give_units(d, start, linear, "m", "rad");
    give_value(d, start, clause_value(b, item, "initial"));
}

// Which clauses a kind of joint can have; the parser knows only that joints have them.
static void check_joint_clauses(Builder *b, const AstItem *item, JointKind kind) {
    bool turns = kind == JOINT_FREE || kind == JOINT_SPHERICAL;
    bool axis = kind != JOINT_FIXED && !turns, moves = kind != JOINT_FIXED;
    bool one = joint_velocities(kind) == 1;
    const struct {
        const char *word, *text;
        bool allowed;
    } rule[] = {
        {"axis", "an axis", axis},
        {"axis2", "a second axis", kind == JOINT_UNIVERSAL},
        {"pitch", "a pitch", kind == JOINT_HELICAL},
        {"initial", "a coordinate to start at", moves && !turns},
        {"initial_at", "a position to start at", kind == JOINT_FREE},
        {"initial_rotated", "an attitude to start at", turns},
        {"initial_attitude", "an attitude to start at", turns},
        {"rate", "a rate", moves},
        {"limits", "limits", one},
        {"stiffness", "a stiffness without limits", one && find_clause(b, item, "limits")},
        {"damping", "a damping without a stiffness", one && find_clause(b, item, "stiffness")},
        {"rigid", "rigid stops without limits", one && find_clause(b, item, "limits")},
        {"rigid", "stops that are elastic and rigid", !find_clause(b, item, "stiffness")},
    };
    for (size_t i = 0; i < sizeof rule / sizeof rule[0]; i++) {
        const AstArg *a = find_clause(b, item, rule[i].word);
        if (!a || rule[i].allowed) continue;
        Remark *m = complain(b, M_CLAUSE, a->pos, "a %s joint has no place for %s",
                             joint_kinds[kind].name, rule[i].text);
        remark_help(b->r, m,
                    turns && i == 3 ? "write initial rotated z 30 {deg}, or initial attitude "
                                      "(w, x, y, z); a free joint also takes initial at (x, y, z)"
                                    : "take it away, or choose another kind of joint");
    }
    if (kind != JOINT_HELICAL || find_clause(b, item, "pitch")) return;
    Remark *m = complain(b, M_CLAUSE, item->pos, "the helical joint '%s' has no pitch",
                         text_of(b, item->name));
    remark_help(b->r, m, "write helical z pitch 0.01 {m/rad}");
}

// The kind of a joint by its word. JOINT_KINDS: there is no such kind, which is reported here.
JointKind find_joint_kind(Builder *b, const AstItem *item) {
    const char *word = item->path->kind == AST_NAME ? text_of(b, item->path->name) : "";
    for (int k = 0; k < JOINT_KINDS; k++)
        if (strcmp(joint_kinds[k].name, word) == 0) return (JointKind)k;
    Remark *m = complain(b, M_JOINT_KIND, item->path->pos, "there is no joint of the kind '%s'",
                         expr_text(b, item->path));
    Suggestion g = suggest_for(word);
    for (int k = 0; k < JOINT_KINDS; k++) suggest_offer(&g, joint_kinds[k].name);
    suggest_help(b->r, m, &g,
                 "the kinds are fixed, revolute, prismatic, helical, cylindrical, "
                 "universal, planar, spherical, free");
    return JOINT_KINDS;
}

// The effort of its stops, and for rigid ones where it rests.
static void declare_stops(const Declaring *d, const AstItem *item, int linear) {
    bool rigid = find_clause(d->b, item, "rigid") != NULL;
    if (!rigid && !find_clause(d->b, item, "stiffness")) return;
    give_units(d, declare(d, "stopping", ENTITY_LOCAL, 1, 1), linear, "N", "N.m");
    if (!rigid) return;
    AstItem *contact = (AstItem *)declare(d, "contact", ENTITY_LOCAL, 1, 1)->item;
    contact->discrete = true;
}

static void declare_joint(Builder *b, MechPart part) {
    const AstItem *item = part.item;
    part.kind = find_joint_kind(b, item);
    bool known = part.kind != JOINT_KINDS;
    part.instance = add_part_instance(b, part.owner, item, part.env, "joint");
    if (part.instance >= 0 && !known) b->instance.data[part.instance].dim_is = WRONG;
    if (!known) part.kind = JOINT_FIXED;
    part.angles = attitude_angles(b, part.owner, part.kind);
    choose_form(b, part.owner);
    array_push(&b->part, part);
    if (part.instance < 0 || !known) return;
    check_joint_clauses(b, item, part.kind);
    int n = joint_velocities(part.kind), linear = joint_linear(part.kind);
    if (!n || is_called_only(b, part.owner)) return;
    Declaring d = {b, part.instance, part.env, item->pos};
    add_part_terminal(&d, n, linear);
    declare_coordinates(&d, &part);
    give_units(&d, declare(&d, "p", ENTITY_LOCAL, n, 1), linear, "N.s", "N.m.s");
    if (is_lagrange(b, part.owner))
        give_units(&d, declare(&d, "w", ENTITY_LOCAL, n, 1), linear, "m/s", "rad/s");
    Entity *start = declare(&d, "f0", ENTITY_PARAM, n, 1);
    give_units(&d, start, linear, "m/s", "rad/s");
    give_value(&d, start, clause_value(b, item, "rate"));
    declare_drive(&d, item, part.kind);
    if (n == 1) declare_stops(&d, item, linear);
}

static void declare_frame(Builder *b, MechPart part) {
    part.instance = add_part_instance(b, part.owner, part.item, part.env, "frame");
    array_push(&b->part, part);
    if (part.instance < 0) return;
    pairs_set(&b->tmp, &b->bodies, 1, b->instance.data[part.instance].path, b->part.count - 1);
    if (is_called_only(b, part.owner)) return;
    Declaring d = {b, part.instance, part.env, part.item->pos};
    add_part_terminal(&d, 6, 3);
    give_units(&d, declare(&d, "position", ENTITY_LOCAL, 3, 1), 3, "m", NULL);
    declare(&d, "rotation", ENTITY_LOCAL, 3, 3);
}

static void declare_body(Builder *b, MechPart part) {
    Name name = part_name(b, part.item, part.env);
    if (!name) return;
    const char *text = text_of(b, name);
    part.path = member_path(b, part.owner, text);
    int known = pairs_get(&b->bodies, 0, part.path);
    bool world = strcmp(text, "world") == 0;
    if (known >= 0 || world) {
        Remark *m = complain(
            b, M_BODY_TWICE, part.item->pos,
            world ? "'%s' is the name of the fixed body" : "body '%s' is declared twice", text);
        if (known >= 0)
            remark_note(b->r, m, b->part.data[known].item->pos, "the first declaration is here");
        remark_help(b->r, m, "give this one another name");
        return;
    }
    pairs_set(&b->tmp, &b->bodies, 0, part.path, b->part.count);
    array_push(&b->part, part);
}

static void declare_shape(Builder *b, MechPart part) {
    part.path = member_path(b, part.owner, "shape"); // for messages: shapes have no names
    array_push(&b->part, part);
}

// The gravity of a mechanism replaces that of the one it extends.
static void declare_gravity(Builder *b, MechPart part) {
    for (int i = b->instance.data[part.owner].first_part; i < b->part.count; i++) {
        MechPart *x = &b->part.data[i];
        if (x->item->kind != ITEM_GRAVITY || x->owner != part.owner) continue;
        if (x->level < part.level) *x = part;
        if (x->level > part.level || x->item == part.item) return;
        Remark *m = complain(b, M_CLAUSE, part.item->pos, "gravity is given twice");
        remark_note(b->r, m, x->item->pos, "the first one stands here");
        remark_help(b->r, m, "keep one of them");
        return;
    }
    array_push(&b->part, part);
}

void declare_part(Builder *b, int instance, const AstItem *item, const Env *env, int level) {
    enum { MOST_PER_PART = 30 };
    MechPart part = {.item = item, .env = env, .owner = instance, .instance = -1, .level = level};
    if (!count_scalars(b, MOST_PER_PART, item->pos)) return;
    switch (item->kind) {
    case ITEM_JOINT: declare_joint(b, part); break;
    case ITEM_FRAME: declare_frame(b, part); break;
    case ITEM_BODY: declare_body(b, part); break;
    case ITEM_TIE: declare_tie(b, part); break;
    case ITEM_ENERGY: declare_energy(b, part); break;
    case ITEM_VELOCITY: declare_velocity(b, part); break;
    case ITEM_SHAPE: declare_shape(b, part); break;
    default: declare_gravity(b, part); break;
    }
}
