// Links and joints put together: ends looked up, one root, no loops; names for the language.
#include "import/urdf_data.h"

#include "base/keywords.h"
#include "base/names.h"
#include <math.h>
#include <string.h>

// --- names ---------------------------------------------------------------------------------------

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Words of the language, and what every mechanism has already.
static bool is_taken(const char *name) {
    static const char *const own[] = {"energy", "kinetic", "momentum", "potential", "world", "pi"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i]) == 0) return true;
    return is_keyword(name);
}

const char *urdf_identifier(Arena *out, const char *name) {
    Text t = {0};
    while (*name && !is_letter(*name) && !is_digit(*name)) name++;
    if (!is_letter(*name)) text_char(&t, 'n');
    for (; *name && t.length < 200; name++)
        text_char(&t, is_letter(*name) || is_digit(*name) ? *name : '_');
    if (is_taken(text_get(&t))) text_char(&t, '_');
    const char *kept = arena_copy_text(out, text_get(&t), t.length);
    text_free(&t);
    return kept;
}

typedef struct {
    Names *names;
    ARRAY(int) tried; // by name: the number behind it that was given last
} Used;

static const char *free_name(Arena *out, Used *used, const char *name) {
    const char *base = urdf_identifier(out, name), *id = base;
    bool taken = name_find(used->names, base);
    Name key = name_of(used->names, base);
    while ((Name)used->tried.count <= key) array_push(&used->tried, 1);
    while (taken) {
        id = arena_printf(out, "%s_%d", base, ++used->tried.data[key]);
        taken = name_find(used->names, id);
    }
    name_of(used->names, id);
    return id;
}

static void used_free(Used *used) {
    names_free(used->names);
    array_free(&used->tried);
}

// Damping and friction of a joint become elements at it.
static void name_losses(Urdf *u, UrdfJoint *j, Used *members) {
    Arena *a = &u->arena;
    if (!urdf_turns_or_slides(j) || urdf_is_held(j)) return;
    if (j->damping > 0) j->damping_id = free_name(a, members, arena_printf(a, "%s_damping", j->id));
    if (j->friction > 0)
        j->friction_id = free_name(a, members, arena_printf(a, "%s_friction", j->id));
}

// Joints share their names with frames, which are called as their links.
static void name_parts(Urdf *u) {
    Used bodies = {.names = names_new()}, members = {.names = names_new()};
    static const char *const own[] = {"root", "damping", "friction", "effort_limits",
                                      "velocity_limits"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) name_of(members.names, own[i]);
    for (int i = 0; i < u->link.count; i++)
        u->link.data[i].id = free_name(&u->arena, &bodies, u->link.data[i].name);
    for (int i = 0; i < u->joint.count; i++)
        u->joint.data[i].id = free_name(&u->arena, &members, u->joint.data[i].name);
    for (int i = 0; i < u->joint.count; i++) {
        UrdfJoint *j = &u->joint.data[i];
        if (j->is_frame) j->id = free_name(&u->arena, &members, u->link.data[j->child].name);
    }
    for (int i = 0; i < u->joint.count; i++) name_losses(u, &u->joint.data[i], &members);
    used_free(&bodies);
    used_free(&members);
}

// --- ends of joints ------------------------------------------------------------------------------

typedef struct {
    Urdf *u;
    Report *r;
    Names *names; // of links, in order: link i has by_name[its name]
    int *by_name; // link + 1
    int most;
} Linker;

static int find_link(const Linker *k, const char *name) {
    Name n = name_find(k->names, name);
    return n && (int)n < k->most ? k->by_name[n] - 1 : -1;
}

static void list_links(Linker *k) {
    Urdf *u = k->u;
    for (int i = 0; i < u->link.count; i++) {
        UrdfLink *l = &u->link.data[i];
        l->parent = l->first = -1;
        Name n = name_of(k->names, l->name);
        if (n && k->by_name[n]) {
            Remark *m =
                report_error(k->r, X_DUPLICATE, l->pos, "there are two links '%s'", l->name);
            remark_note(k->r, m, u->link.data[k->by_name[n] - 1].pos, "the first one stands here");
        }
        k->by_name[n] = i + 1;
    }
}

static int joint_end(Linker *k, const UrdfJoint *j, const char *name, Pos pos, const char *what) {
    if (!name) {
        Remark *m = report_error(k->r, X_ATTRIBUTE, j->pos, "joint '%s' has no %s", j->name, what);
        remark_help(k->r, m, "add <%s link=\"...\"/>", what);
        return -1;
    }
    int link = *name ? find_link(k, name) : -1;
    if (link >= 0 || !*name) return link;
    Remark *m = report_error(k->r, X_UNKNOWN_LINK, pos, "there is no link '%s'", name);
    const char *best = NULL;
    int limit = (int)strlen(name) / 3 + 1, least = (limit < 3 ? limit : 3) + 1;
    for (int i = 0; i < k->u->link.count && i < 1000; i++) {
        int d = name_distance(name, k->u->link.data[i].name, least);
        if (d < least) least = d, best = k->u->link.data[i].name;
    }
    if (best && strlen(name) > 1) remark_help(k->r, m, "did you mean '%s'?", best);
    return -1;
}

static void connect_joint(Linker *k, int joint) {
    Urdf *u = k->u;
    UrdfJoint *j = &u->joint.data[joint];
    j->parent = joint_end(k, j, j->parent_name, j->parent_pos, "parent");
    j->child = joint_end(k, j, j->child_name, j->child_pos, "child");
    if (j->parent < 0 || j->child < 0) return;
    if (j->parent == j->child) {
        Remark *m = report_error(k->r, X_TREE, j->pos, "joint '%s' leads from link '%s' to itself",
                                 j->name, j->parent_name);
        remark_help(k->r, m, "its parent and its child are two different links");
        return;
    }
    UrdfLink *child = &u->link.data[j->child];
    if (child->parent >= 0) {
        const UrdfJoint *other = &u->joint.data[child->parent];
        Remark *m =
            report_error(k->r, X_TREE, j->child_pos, "two joints lead to link '%s'", child->name);
        remark_note(k->r, m, other->child_pos, "the other one is '%s'", other->name);
        return;
    }
    child->parent = joint;
}

// Each name once; names that stand for joints, in order: joint i has at[its name].
static void list_joints(Linker *k, Names *names, int *at) {
    const Urdf *u = k->u;
    for (int i = 0; i < u->joint.count; i++) {
        const UrdfJoint *j = &u->joint.data[i];
        Name n = name_find(names, j->name);
        if (n) {
            Remark *m =
                report_error(k->r, X_DUPLICATE, j->pos, "there are two joints '%s'", j->name);
            remark_note(k->r, m, u->joint.data[at[n] - 1].pos, "the first one stands here");
        } else {
            at[name_of(names, j->name)] = i + 1;
        }
    }
}

bool urdf_turns_or_slides(const UrdfJoint *j) {
    return !j->is_frame && (j->kind == URDF_REVOLUTE || j->kind == URDF_PRISMATIC);
}

bool urdf_is_held(const UrdfJoint *j) {
    return urdf_turns_or_slides(j) && isfinite(j->lower) && j->lower == j->upper;
}

static void warn_mimic(Report *r, UrdfJoint *j, const char *why) {
    Remark *m =
        report_warning(r, X_MIMIC, j->mimic_pos, "joint '%s' should follow '%s', but moves freely",
                       j->name, j->mimic);
    remark_help(r, m, "%s", why);
    j->leader = -1;
}

// Joints that follow each other in a circle: the circle is opened at the joint that closes it.
static void open_circles(Linker *k) {
    const Urdf *u = k->u;
    int *seen = ARENA_ARRAY(&k->u->arena, int, u->joint.count);
    for (int i = 0; i < u->joint.count; i++) {
        int at = i, last = i;
        for (; at >= 0 && !seen[at]; at = u->joint.data[at].leader) seen[last = at] = i + 1;
        if (at >= 0 && seen[at] == i + 1)
            warn_mimic(k->r, &k->u->joint.data[last], "that joint follows this one already");
    }
}

static void find_leaders(Linker *k, const Names *names, const int *at) {
    const Urdf *u = k->u;
    for (int i = 0; i < u->joint.count; i++) {
        UrdfJoint *j = &k->u->joint.data[i];
        Name n = j->mimic ? name_find(names, j->mimic) : 0;
        if (!j->mimic || !urdf_turns_or_slides(j)) continue;
        int o = n ? at[n] - 1 : -1;
        if (o == i)
            warn_mimic(k->r, j, "a joint cannot follow itself");
        else if (o < 0 || !urdf_turns_or_slides(&u->joint.data[o]))
            warn_mimic(k->r, j, "there is no such joint that turns or slides");
        else
            j->leader = o;
    }
    open_circles(k);
}

static void link_joints(Linker *k) {
    Names *names = names_new();
    int *at = ARENA_ARRAY(&k->u->arena, int, k->u->joint.count + 2);
    list_joints(k, names, at);
    find_leaders(k, names, at);
    names_free(names);
}

// --- the tree ------------------------------------------------------------------------------------

static bool find_root(Urdf *u, Report *r) {
    u->root = -1;
    for (int i = 0; i < u->link.count; i++) {
        if (u->link.data[i].parent >= 0) continue;
        if (u->root >= 0) {
            Remark *m = report_error(r, X_TREE, u->link.data[i].pos, "no joint leads to link '%s'",
                                     u->link.data[i].name);
            remark_note(r, m, u->link.data[u->root].pos, "the root is '%s'",
                        u->link.data[u->root].name);
            return false;
        }
        u->root = i;
    }
    if (u->root >= 0) return true;
    Remark *m = report_error(r, X_TREE, u->link.data[0].pos,
                             "the joints form a loop: there is no root link");
    remark_help(r, m, "one link is the child of no joint; close loops by constraints in the model");
    return false;
}

// Links from the root outwards in the order of the file; fewer than all when there is a loop.
static int walk_outwards(Urdf *u, int *order) {
    for (int j = u->joint.count - 1; j >= 0; j--) {
        UrdfJoint *x = &u->joint.data[j];
        x->next = u->link.data[x->parent].first;
        u->link.data[x->parent].first = j;
    }
    int count = 0;
    order[count++] = u->root;
    for (int i = 0; i < count; i++)
        for (int j = u->link.data[order[i]].first; j >= 0; j = u->joint.data[j].next)
            order[count++] = u->joint.data[j].child;
    return count;
}

static void refuse_loop(Urdf *u, const int *order, int count, Report *r) {
    bool *seen = ARENA_ARRAY(&u->arena, bool, u->link.count);
    for (int i = 0; i < count; i++) seen[order[i]] = true;
    for (int i = 0; i < u->link.count; i++) {
        if (seen[i]) continue;
        Remark *m = report_error(r, X_TREE, u->link.data[i].pos,
                                 "link '%s' hangs in a loop of joints", u->link.data[i].name);
        remark_help(r, m, "no way leads to it from the root link '%s'", u->link.data[u->root].name);
        return;
    }
}

static bool has_mass(const UrdfLink *l) {
    return l->mass > 0 || l->inertia[0] > 0 || l->inertia[4] > 0 || l->inertia[8] > 0;
}

// From the leaves inwards: a joint that moves nothing is fixed, and a fixed place is a frame.
static void settle_massless(Urdf *u, const int *order, Report *r) {
    for (int i = u->link.count - 1; i >= 0; i--) {
        UrdfLink *l = &u->link.data[order[i]];
        l->heavy |= has_mass(l);
        if (l->parent < 0) continue;
        UrdfJoint *j = &u->joint.data[l->parent];
        u->link.data[j->parent].heavy |= l->heavy;
        if (l->heavy) continue;
        if (j->kind != URDF_FIXED) {
            Remark *m =
                report_warning(r, X_NO_INERTIA, j->pos,
                               "joint '%s' moves nothing that has mass: taken as fixed", j->name);
            remark_help(r, m, "give link '%s' an <inertial>", l->name);
            j->kind = URDF_FIXED;
        }
        j->is_frame = l->first < 0;
    }
}

// A joint that was taken as fixed cannot be followed: fixed followers let go of it, others get a
// warning.
static void release_followers(Urdf *u, Report *r) {
    for (int i = 0; i < u->joint.count; i++) {
        UrdfJoint *j = &u->joint.data[i];
        if (j->leader < 0 || u->joint.data[j->leader].kind != URDF_FIXED) continue;
        if (j->kind == URDF_FIXED)
            j->leader = -1;
        else
            warn_mimic(r, j, "that joint moves nothing that has mass, and is taken as fixed");
    }
}

// --- what the mechanism has no place for ---------------------------------------------------------

static void warn_held(const Urdf *u, Report *r) {
    for (int i = 0; i < u->joint.count; i++) {
        const UrdfJoint *j = &u->joint.data[i];
        if (!urdf_is_held(j) || j->leader >= 0) continue;
        Remark *m = report_warning(r, X_LIMITS, j->limit_pos,
                                   "joint '%s' is held at %g: its limits leave it no room", j->name,
                                   j->lower);
        remark_help(r, m, "if it should move, give it a range, or make it continuous");
    }
}

static void add_word(Text *t, const char *word, double x) {
    if (!isnan(x) && x != 0) text_printf(t, "%s%s", t->length ? ", " : "", word);
}

// Joints of several coordinates, and those that do not move.
static void warn_joint(const UrdfJoint *j, Report *r) {
    Text t = {0};
    add_word(&t, "damping", j->damping);
    add_word(&t, "friction", j->friction);
    if (!isnan(j->lower) && (j->lower != 0 || j->upper != 0)) add_word(&t, "limits", 1);
    add_word(&t, "greatest effort", j->effort);
    add_word(&t, "greatest velocity", j->velocity);
    if (t.length && j->kind != URDF_FIXED) {
        Remark *m =
            report_warning(r, X_DROPPED, j->pos, "joint '%s' loses its %s", j->name, text_get(&t));
        remark_help(r, m,
                    "only joints that turn or slide have them; bond what acts on it in the model");
    }
    text_free(&t);
}

// All elements that were passed over in one remark; shapes for collisions alone are a note.
static void warn_dropped(const Urdf *u, Report *r) {
    Text t = {0};
    int collisions = 0;
    const UrdfShape *first = NULL;
    for (int i = 0; i < u->shape.count; i++)
        if (strcmp(u->shape.data[i].what, "collision") == 0 && !collisions++)
            first = &u->shape.data[i];
    for (int i = 0; i < u->dropped.count; i++)
        text_printf(&t, "%s%d <%s>", i ? ", " : "", u->dropped.data[i].count,
                    u->dropped.data[i].tag);
    if (collisions) text_printf(&t, "%s%d <collision>", t.length ? ", " : "", collisions);
    if (t.length) {
        Remark *m = report_add(r, u->dropped.count ? WARNING : NOTE, X_DROPPED,
                               u->dropped.count ? u->dropped.data[0].pos : first->pos,
                               "the mechanism has nothing of %s", text_get(&t));
        remark_help(
            r, m,
            "gears, motors, sensors and contacts are bonded to joints and frames in the model");
    }
    text_free(&t);
    for (int i = 0; i < u->joint.count; i++)
        if (!urdf_turns_or_slides(&u->joint.data[i])) warn_joint(&u->joint.data[i], r);
}

bool urdf_connect(Urdf *u, bool free_base, Report *r) {
    int before = r->errors;
    if (!u->link.count) {
        Remark *m = report_error(r, X_NOT_URDF, u->pos, "the robot '%s' has no links", u->name);
        remark_help(r, m, "write <link name=\"base\"/> in it; macros (xacro) are expanded first");
        return false;
    }
    Linker k = {.u = u, .r = r, .names = names_new(), .most = u->link.count + 2};
    k.by_name = ARENA_ARRAY(&u->arena, int, k.most);
    list_links(&k);
    for (int i = 0; i < u->joint.count; i++) connect_joint(&k, i);
    link_joints(&k);
    names_free(k.names);
    if (r->errors > before || !find_root(u, r)) return false;
    int *order = ARENA_ARRAY(&u->arena, int, u->link.count);
    int count = walk_outwards(u, order);
    if (count < u->link.count) refuse_loop(u, order, count, r);
    if (r->errors > before) return false;
    u->on_world = !free_base && strcmp(u->link.data[u->root].name, "world") == 0;
    settle_massless(u, order, r);
    release_followers(u, r);
    name_parts(u);
    warn_held(u, r);
    warn_dropped(u, r);
    return true;
}
