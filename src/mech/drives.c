// Prescribed motion: what it may depend on.
//
//     left.q = sin(time)     right.q = -2*left.q     third.q = right.q + 1      a chain: right
//     left.q = 2*right.q     right.q = 3*left.q                                 a circle: wrong
//
// A circle holds its joints where both say the same, which is at zero or nowhere.
#include "mech/expansion.h"

typedef struct {
    Expansion *k;
    int *first;      // edge of each joint; one more at the end
    ARRAY(int) edge; // driven joints by which it is driven
} Drives;

static bool depends_on_run(const Expansion *k, const ExprWalk *used, const ExprWalk *own) {
    for (int v = 0; v < k->m->var_count && walk_count(used); v++) {
        VarKind kind = k->m->var[v].kind;
        if (kind == VAR_PARAM || kind == VAR_TIME || !walk_seen(used, symbol(k, v))) continue;
        if (!walk_seen(own, symbol(k, v))) return true;
    }
    return false;
}

// The driven joints whose coordinates are used.
static void add_edges(Drives *x, const ExprWalk *used) {
    const Mechanism *m = x->k->x;
    for (int i = 0, q = 0; i < m->joint_count; q += joint_coordinates(&m->joint[i++])) {
        bool by = false;
        for (int c = 0; m->joint[i].driven && c < joint_coordinates(&m->joint[i]); c++)
            by |= walk_seen(used, x->k->in.q[q + c]);
        if (by) array_push(&x->edge, i);
    }
}

// It may use time, parameters and coordinates of the same mechanism.
static bool find_edges(Drives *x) {
    Expansion *k = x->k;
    ExprWalk *own = walk_new(k->d), *used = walk_new(k->d);
    bool good = true;
    for (int i = 0, q = 0; i < k->x->joint_count; i++)
        for (int c = 0; c < joint_coordinates(&k->x->joint[i]); c++) walk_add(own, k->in.q[q++]);
    for (int i = 0; i < k->x->joint_count; i++) {
        const MechJoint *j = &k->x->joint[i];
        x->first[i + 1] = x->edge.count;
        if (!j->driven) continue;
        walk_start(used);
        for (int c = 0; c < joint_coordinates(j); c++) walk_add(used, j->drive[c]);
        add_edges(x, used);
        x->first[i + 1] = x->edge.count;
        if (!depends_on_run(k, used, own)) continue;
        Remark *m = report_error(k->report, M_DRIVE, j->pos,
                                 "the motion of '%s' depends on variables of the run",
                                 name_text(k->m->names, j->name));
        remark_help(k->report, m,
                    "it may use time, parameters and the coordinates q of other joints");
        good = false;
    }
    walk_free(own);
    walk_free(used);
    return good;
}

static bool report_circle(Drives *x, int joint, int by) {
    const Expansion *k = x->k;
    const MechJoint *j = &k->x->joint[joint];
    const char *way = joint == by ? "" : name_text(k->m->names, k->x->joint[by].name);
    Remark *m = report_error(
        k->report, M_DRIVE, j->pos, "the motion of '%s' is driven by itself%s%s%s",
        name_text(k->m->names, j->name), *way ? ", by way of '" : "", way, *way ? "'" : "");
    remark_help(k->report, m, "let one joint of the circle be driven by time, or move freely");
    return false;
}

// Searches depth first from each joint; a joint that is met again while it is open closes a circle.
static bool has_no_circle(Drives *x) {
    enum { NEW, OPEN, DONE };
    int n = x->k->x->joint_count, depth = 0;
    if (!x->edge.count) return true;
    int *state = ARENA_ARRAY(&x->k->scratch, int, n), *next = ARENA_ARRAY(&x->k->scratch, int, n);
    int *stack = ARENA_ARRAY(&x->k->scratch, int, n);
    for (int start = 0; start < n; start++) {
        if (state[start] == NEW) stack[depth++] = start;
        while (depth) {
            int i = stack[depth - 1];
            if (state[i] == NEW) state[i] = OPEN, next[i] = x->first[i];
            if (next[i] == x->first[i + 1]) {
                state[i] = DONE;
                depth--;
                continue;
            }
            int by = x->edge.data[next[i]++];
            if (state[by] == OPEN) return report_circle(x, i, by);
            if (state[by] == NEW) stack[depth++] = by;
        }
    }
    return true;
}

bool drives_are_sound(Expansion *k) {
    Drives x = {.k = k, .first = ARENA_ARRAY(&k->scratch, int, k->x->joint_count + 1)};
    bool good = find_edges(&x) && has_no_circle(&x);
    array_free(&x.edge);
    return good;
}
