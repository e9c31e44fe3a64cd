// In which variables a mechanism moves: `form` and `coordinates`.
//
//   form momentum     q, p       p' = e + ...           the default, but for what falls as a whole
//   form lagrange     q, w       B(q) w' + C w + g = e + ...
//
//   coordinates quaternion       attitude[4]            the default: no singular attitude
//   coordinates euler zyx        yaw, pitch, roll       R = Rz(yaw) Ry(pitch) Rx(roll)
//
// A sequence names the axes in the order of the turns, each carried by those before it. Neighbours
// differ. Three different axes (Tait and Bryan) give roll, pitch and yaw about x, y and z; a first
// axis that comes back (Euler's own, z x z) gives precession, nutation and spin.
//
// As with gravity, the outermost mechanism decides for all that are mounted on it. The statements
// are read before the joints of a mechanism, so these know which variables to declare.
#include "lang/mechanism_parts.h"

#include <string.h>

bool angles_repeat(EulerAngles a) { return a.axis[0] == a.axis[2]; }

const char *angle_name(EulerAngles a, int which) {
    static const char *const about[] = {"roll", "pitch", "yaw"};
    static const char *const classic[] = {"precession", "nutation", "spin"};
    return angles_repeat(a) ? classic[which] : about[a.axis[which]];
}

// --- statements ----------------------------------------------------------------------------------

static EulerAngles angles_of_text(const char *sequence) {
    EulerAngles a = {.used = true};
    for (int i = 0; i < ANGLES; i++) a.axis[i] = (unsigned char)(sequence[i] - 'x');
    return a;
}

static bool is_sequence(const char *text) {
    if (strlen(text) != ANGLES || strspn(text, "xyz") != ANGLES) return false;
    return text[0] != text[1] && text[1] != text[2];
}

static void report_second(Builder *b, const MechPart *part, const MechPart *first) {
    bool form = part->item->kind == ITEM_FORM;
    Remark *m = complain(b, M_FORM, part->item->pos, "the %s of the mechanism %s given twice",
                         form ? "form" : "coordinates", form ? "is" : "are");
    remark_note(b->r, m, first->item->pos, "the first statement is here");
    remark_help(b->r, m, "keep one of them");
}

static bool check_form(Builder *b, const AstItem *item) {
    const char *word = text_of(b, item->name);
    if (strcmp(word, "lagrange") == 0 || strcmp(word, "momentum") == 0) return true;
    Remark *m = complain(b, M_FORM, item->pos, "mechanisms have no form '%s'", word);
    Suggestion g = suggest_for(word);
    suggest_offer(&g, "lagrange");
    suggest_offer(&g, "momentum");
    suggest_help(b->r, m, &g,
                 "write form lagrange (states q and velocities w), or form momentum (q and p), "
                 "which is what most mechanisms have without this line");
    return false;
}

static bool check_coordinates(Builder *b, const AstItem *item) {
    const char *word = text_of(b, item->name), *sequence = text_of(b, item->text);
    bool euler = strcmp(word, "euler") == 0;
    if (!euler && strcmp(word, "quaternion") != 0) {
        Remark *m = complain(b, M_FORM, item->pos, "mechanisms have no coordinates '%s'", word);
        Suggestion g = suggest_for(word);
        suggest_offer(&g, "euler");
        suggest_offer(&g, "quaternion");
        suggest_help(b->r, m, &g, "write coordinates euler, or coordinates quaternion");
        return false;
    }
    if (!*sequence || (euler && is_sequence(sequence))) return true;
    Remark *m = complain(b, M_FORM, item->pos,
                         euler ? "'%s' is no sequence of axes for three angles"
                               : "a quaternion has no sequence '%s'",
                         sequence);
    remark_help(b->r, m,
                euler ? "write three axes of which neighbours differ: zyx (yaw, pitch, roll), xyz, "
                        "zxz ..."
                      : "take it away, or write coordinates euler %s",
                sequence);
    return false;
}

void declare_form(Builder *b, int instance, const AstItem *item, const Env *env, bool direct) {
    MechPart part = {.item = item, .env = env, .owner = instance, .instance = -1};
    bool form = item->kind == ITEM_FORM;
    const char *what = form ? "form" : "coordinates";
    part.path = member_path(b, instance, what);
    if (!(form ? check_form : check_coordinates)(b, item)) return;
    if (!direct) {
        Remark *m = complain(b, M_FORM, item->pos,
                             "the %s of a mechanism cannot depend on a condition or a loop", what);
        remark_help(b->r, m,
                    "write it directly into the mechanism, or into one that extends this one");
        return;
    }
    for (int i = b->instance.data[instance].first_part; i < b->part.count; i++) {
        const MechPart *x = &b->part.data[i];
        if (x->item->kind != item->kind || x->owner != instance) continue;
        report_second(b, &part, x);
        return;
    }
    pairs_set(&b->tmp, &b->forms, (uint32_t)item->kind, (uint32_t)instance, b->part.count);
    array_push(&b->part, part);
}

// --- what holds for a mechanism and all that is mounted on it ------------------------------------

static const AstItem *statement_of(const Builder *b, int mechanism, ItemKind kind) {
    while (is_mounted(b, mechanism)) mechanism = b->instance.data[mechanism].parent;
    int part = pairs_get(&b->forms, (uint32_t)kind, (uint32_t)mechanism);
    return part < 0 ? NULL : b->part.data[part].item;
}

// --- the form that is taken where none is said ---------------------------------------------------

static bool is_word(const Builder *b, const AstExpr *e, const char *word) {
    return e && e->kind == AST_NAME && strcmp(text_of(b, e->name), word) == 0;
}

static bool has_clause(const Builder *b, const AstItem *item, const char *name) {
    for (int i = 0; i < item->arg_count; i++)
        if (strcmp(text_of(b, item->args[i].name), name) == 0) return true;
    return false;
}

// Does the item leave the mechanism a tree that moves by nothing but forces?
static bool is_plain(const Builder *b, const AstItem *item) {
    switch (item->kind) {
    case ITEM_JOINT: return !has_clause(b, item, "driven") && !has_clause(b, item, "rigid");
    case ITEM_BODY: return !has_clause(b, item, "added_mass");
    case ITEM_COMPONENT: return !item->mount;
    case ITEM_FOR:
    case ITEM_IF:
    case ITEM_WHEN:
    case ITEM_INITIAL:
    case ITEM_TIE:
    case ITEM_ENERGY:
    case ITEM_VELOCITY: return false;
    default: return true;
    }
}

// `initial a.b.p = ...` and `reinit(a.b.p, ...)` mean a state of the form that the user thinks of.
static bool sets_motion(const Builder *b, const AstItem *list) {
    for (const AstItem *i = list; i; i = i->next) {
        if (i->kind == ITEM_WHEN || i->kind == ITEM_FOR || i->kind == ITEM_IF)
            if (sets_motion(b, i->body) || sets_motion(b, i->otherwise)) return true;
        if ((i->kind != ITEM_INITIAL && i->kind != ITEM_REINIT) || i->left->kind != AST_MEMBER)
            continue;
        const char *name = text_of(b, i->left->name);
        if (strcmp(name, "p") == 0 || strcmp(name, "f") == 0) return true;
    }
    return false;
}

static bool motion_is_set(const Builder *b) {
    for (const AstFile *f = b->syntax->files; f; f = f->next)
        for (const AstClass *c = f->classes; c; c = c->next)
            if (sets_motion(b, c->items)) return true;
    return false;
}

// Is form lagrange better? Momenta of a joint are those of all that it carries: in a mechanism that
// falls as a whole they grow with the speed of the fall, and steps have to follow that. Velocities
// of joints do not. This is so where a free joint carries others under gravity.
static bool falls(const Builder *b, const AstClass *c) {
    int carried = 0;
    bool free_root = false, gravity = false;
    if (!c || c->base || c->lagrangian) return false;
    for (const AstItem *i = c->items; i; i = i->next) {
        if (!is_plain(b, i)) return false;
        gravity = gravity || (i->kind == ITEM_GRAVITY && i->left);
        if (i->kind != ITEM_JOINT || is_word(b, i->path, "fixed")) continue;
        bool root = i->expr_count > 0 && is_word(b, i->exprs[0], "world");
        if (root && !is_word(b, i->path, "free")) return false;
        free_root = free_root || root;
        carried += !root;
    }
    return gravity && free_root && carried > 0;
}

static int outermost(const Builder *b, int mechanism) {
    while (is_mounted(b, mechanism)) mechanism = b->instance.data[mechanism].parent;
    return mechanism;
}

enum { FORM_CHOSEN = 255 }; // beside kinds of items in Builder.forms

void choose_form(Builder *b, int mechanism) {
    mechanism = outermost(b, mechanism);
    if (pairs_get(&b->forms, FORM_CHOSEN, (uint32_t)mechanism) >= 0) return;
    bool velocities = !statement_of(b, mechanism, ITEM_FORM) &&
                      falls(b, b->instance.data[mechanism].class) && !motion_is_set(b);
    pairs_set(&b->tmp, &b->forms, FORM_CHOSEN, (uint32_t)mechanism, velocities);
}

bool form_is_chosen(const Builder *b, int mechanism) {
    return pairs_get(&b->forms, FORM_CHOSEN, (uint32_t)outermost(b, mechanism)) == 1;
}

bool is_lagrange(const Builder *b, int mechanism) {
    const AstItem *item = statement_of(b, mechanism, ITEM_FORM);
    if (item) return strcmp(text_of(b, item->name), "lagrange") == 0;
    return form_is_chosen(b, mechanism);
}

EulerAngles attitude_angles(const Builder *b, int mechanism, JointKind kind) {
    const AstItem *item = statement_of(b, mechanism, ITEM_COORDINATES);
    bool turns = kind == JOINT_SPHERICAL || kind == JOINT_FREE;
    if (!turns || !item || strcmp(text_of(b, item->name), "euler") != 0) return (EulerAngles){0};
    return angles_of_text(item->text ? text_of(b, item->text) : "zyx");
}

// --- variables of an attitude --------------------------------------------------------------------

const char *angle_text(Builder *b, EulerAngles a, int which, const char *behind) {
    return arena_printf(&b->tmp, "%s%s", angle_name(a, which), behind);
}

// yaw0, pitch0 and roll0, where neither the text nor the experiment gives the attitude as a whole.
static bool starts_by_angles(Builder *b, int instance, const AstItem *item, EulerAngles a) {
    return a.used && !find_clause(b, item, "initial_attitude") &&
           !(b->override.count && find_override(b, member_path(b, instance, "attitude0")));
}

void declare_attitude(const Declaring *d, const AstItem *item, EulerAngles a) {
    Builder *b = d->b;
    declare(d, "attitude", ENTITY_LOCAL, 4, 1);
    for (int i = 0; a.used && i < ANGLES; i++)
        give_units(d, declare(d, angle_name(a, i), ENTITY_LOCAL, 1, 1), 0, NULL, "rad");
    if (find_clause(b, item, "initial_rotated")) return;
    if (!starts_by_angles(b, d->owner, item, a)) {
        const AstArg *given = find_clause(b, item, "initial_attitude");
        give_value(d, declare(d, "attitude0", ENTITY_PARAM, 4, 1), given ? given->value : NULL);
        return;
    }
    for (int i = 0; i < ANGLES; i++) {
        Entity *start = declare(d, angle_text(b, a, i, "0"), ENTITY_PARAM, 1, 1);
        give_units(d, start, 0, NULL, "rad");
        give_value(d, start, NULL);
    }
}

void declare_attitude_state(const Declaring *d, EulerAngles a) {
    if (!a.used) declare(d, "attitude_state", ENTITY_LOCAL, 4, 1);
    for (int i = 0; a.used && i < ANGLES; i++)
        give_units(d, declare(d, angle_text(d->b, a, i, "_state"), ENTITY_LOCAL, 1, 1), 0, NULL,
                   "rad");
}
