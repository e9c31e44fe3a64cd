// The bodies of a mechanism form a tree: names of bodies are looked up, and every body must lead to
// the world over joints, one joint each.
//
//     world --q1--> link1 --q2--> link2        joint_of: link1 q1, link2 q2
//                     `---q3--> tool                     tool q3
//
// Runs when the last part of a mechanism has been declared (mechanism.c), as a joint may name
// bodies that stand below it.
#include "lang/mechanism_parts.h"

#include <string.h>

// "left.link[2]" from a path as written; false: reported.
static bool body_text(Builder *b, Text *out, const AstExpr *e, const Env *env) {
    enum { MOST_INDICES = 3 };
    if (e->kind == AST_MEMBER) {
        if (!body_text(b, out, e->left, env)) return false; // at most AST_NESTED levels
        text_char(out, '.');
    }
    AstExpr *index[MOST_INDICES] = {NULL};
    int number[2];
    for (int i = 0; i < e->arg_count && i < MOST_INDICES; i++) index[i] = e->args[i].value;
    if (!part_indices(b, index, e->arg_count, env, number)) return false;
    char text[ELEMENT_NAME];
    if (e->arg_count) element_text(text, text_of(b, e->name), number, e->arg_count);
    text_add(out, e->arg_count ? text : text_of(b, e->name));
    return true;
}

static void report_unknown_body(Builder *b, const MechPart *part, const AstExpr *e,
                                const char *name, bool frames) {
    Remark *m = complain(b, M_UNKNOWN_BODY, ast_start(e), "'%s' has no body%s '%s'",
                         text_of(b, b->instance.data[part->owner].class->name),
                         frames ? " and no frame" : "", name);
    Suggestion g = suggest_for(name);
    suggest_offer(&g, "world");
    const Instance *owner = &b->instance.data[part->owner];
    for (int i = owner->first_part; i < b->part.count; i++) {
        const MechPart *x = &b->part.data[i];
        bool offered = x->item->kind == ITEM_BODY || (frames && x->item->kind == ITEM_FRAME);
        if (offered && x->owner == part->owner) suggest_offer(&g, text_of(b, x->item->name));
    }
    Text declare = {0};
    text_printf(&declare, "declare it: body %s mass 1 {kg} cg (0, 0, 0) {m}", name);
    suggest_help(b->r, m, &g, text_get(&declare));
    text_free(&declare);
}

int find_place(Builder *b, const MechPart *part, const AstExpr *e, bool frames) {
    Text text = {0};
    int found = PART_WRONG;
    if (body_text(b, &text, e, part->env)) {
        const char *name = text_get(&text);
        found = strcmp(name, "world") == 0
                    ? PART_WORLD
                    : pairs_get(&b->bodies, 0, member_path(b, part->owner, name));
        if (found < 0 && frames && strcmp(name, "world") != 0)
            found = pairs_get(&b->bodies, 1, member_path(b, part->owner, name));
        if (found < 0 && strcmp(name, "world") != 0) {
            report_unknown_body(b, part, e, name, frames);
            found = PART_WRONG;
        }
    }
    text_free(&text);
    return found;
}

Name indexed_name(Builder *b, const AstExpr *e, const Env *env) {
    Text text = {0};
    AstExpr step = *e; // without what stands before the dot
    step.kind = AST_NAME;
    Name name = body_text(b, &text, &step, env) ? name_of(b->names, text_get(&text)) : 0;
    text_free(&text);
    return name;
}

int mount_body(Builder *b, int mechanism) {
    for (; is_mounted(b, mechanism); mechanism = b->instance.data[mechanism].parent) {
        const Instance *i = &b->instance.data[mechanism];
        MechPart at = {.item = i->item->mount, .env = i->env, .owner = i->parent};
        int body = find_place(b, &at, at.item->exprs[0], false);
        if (body != PART_WORLD) return body;
    }
    return PART_WORLD;
}

static void report_two_joints(Builder *b, const MechPart *second, const MechPart *first) {
    const AstExpr *child = second->item->exprs[1];
    Remark *m = complain(b, M_TWO_JOINTS, ast_start(child), "two joints lead to body '%s'",
                         expr_text(b, child));
    remark_note(b->r, m, first->item->pos, "the other joint is '%s'",
                text_of(b, first->item->name));
    remark_help(b->r, m,
                "a body hangs on one joint; close the chain by 'constraint name revolute z: frame "
                "-> frame'");
}

static void find_bodies(Builder *b, const Instance *i, int *joint_of) {
    for (int k = i->first_part; k < i->first_part + i->part_count; k++) {
        MechPart *x = &b->part.data[k];
        if (x->item->kind == ITEM_TIE) find_ends(b, x);
        bool place = x->item->kind == ITEM_FRAME || x->item->kind == ITEM_SHAPE;
        if (x->item->kind != ITEM_JOINT && !place) continue;
        if (!x->item->expr_count) { // a coordinate of a lagrangian
            x->parent = x->child = PART_WORLD;
            continue;
        }
        x->parent = find_place(b, x, x->item->exprs[0], false);
        x->from_world = x->parent == PART_WORLD;
        if (x->from_world) x->parent = mount_body(b, x->owner);
        if (place && x->item->path) x->child = find_place(b, x, x->item->path, true);
        if (place) continue;
        x->child = find_place(b, x, x->item->exprs[1], false);
        if (x->child == PART_WORLD) {
            Remark *m = complain(b, M_TWO_JOINTS, ast_start(x->item->exprs[1]),
                                 "a joint cannot move the world");
            remark_help(b->r, m, "write it the other way round: world -> body");
            x->child = PART_WRONG;
        }
        if (x->child < 0 || x->instance < 0) continue;
        int *first = &joint_of[x->child - i->first_part];
        if (*first >= 0)
            report_two_joints(b, x, &b->part.data[*first]);
        else
            *first = k;
    }
}

// Every body leads to the world: each step goes to the parent of its joint.
static void check_tree(Builder *b, const Instance *i, const int *joint_of) {
    enum { FRESH, GOOD, ON_THE_WAY };
    char *state = ARENA_ARRAY(&b->tmp, char, i->part_count);
    int *way = ARENA_ARRAY(&b->tmp, int, i->part_count);
    for (int k = 0; k < i->part_count; k++) {
        const MechPart *body = &b->part.data[i->first_part + k];
        if (body->item->kind != ITEM_BODY) continue;
        int at = k, steps = 0;
        while (at >= 0 && state[at] == FRESH && joint_of[at] >= 0) {
            state[at] = ON_THE_WAY;
            way[steps++] = at;
            int parent = b->part.data[joint_of[at]].parent;
            at = parent < 0 ? -1 : parent - i->first_part;
        }
        if (at >= 0 && state[at] == ON_THE_WAY) {
            const MechPart *joint = &b->part.data[joint_of[at]];
            Remark *m = complain(b, M_CIRCLE, joint->item->pos,
                                 "joint '%s' is part of a circle that no joint ties to the world",
                                 text_of(b, joint->item->name));
            remark_help(b->r, m, "one of its joints must start at world or at a body outside");
        }
        while (steps) state[way[--steps]] = GOOD;
    }
}

void close_mechanism(Builder *b, int instance) {
    Instance *i = &b->instance.data[instance];
    i->part_count = b->part.count - i->first_part;
    if (is_mounted(b, instance)) return;
    int *joint_of = ARENA_ARRAY(&b->tmp, int, i->part_count); // per part: the joint of a body
    for (int k = 0; k < i->part_count; k++) joint_of[k] = -1;
    find_bodies(b, i, joint_of);
    int joints = 0;
    for (int k = 0; k < i->part_count; k++) {
        const MechPart *x = &b->part.data[i->first_part + k];
        joints += x->item->kind == ITEM_JOINT && joint_velocities(x->kind) > 0;
        if (x->item->kind != ITEM_BODY || joint_of[k] >= 0 || !no_errors(b)) continue;
        const char *name = text_of(b, x->item->name);
        Remark *m = complain(b, M_NO_JOINT, x->item->pos, "no joint leads to body '%s'", name);
        remark_help(b->r, m, "write joint name free: world -> %s, or another kind of joint", name);
    }
    check_tree(b, i, joint_of);
    check_lagrangian(b, i);
    if (i->part_count && !is_called_only(b, instance)) {
        const Instance copy = *i; // declarations move what it points to
        declare_constrained(b, &copy, instance);
    }
    if (joints || !no_errors(b)) return;
    Remark *m = complain(b, M_EMPTY, i->class->pos, "mechanism '%s' has no joint that moves",
                         text_of(b, i->class->name));
    remark_help(b->r, m, "write joint q1 revolute z: world -> body, and body body mass 1 {kg}");
}
