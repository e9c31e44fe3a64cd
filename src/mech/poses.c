// Where the bodies are: their frames in the world, from the coordinates alone; and the joints in
// the order in which people number them.
#include "mech/tree.h"

void mech_body_poses(Dag *d, const Mechanism *m, const Expr *q, Expr *position, Expr *rotation) {
    Arena scratch = {0};
    Tree *t = tree_build(&scratch, d, m, false);
    tree_set_coordinates(d, t, q);
    Pose *link = ARENA_ARRAY(&scratch, Pose, t->count);
    for (int i = 0; i < t->count; i++) {
        link_pose(d, &t->link[i], &link[i]);
        int parent = t->link[i].parent;
        if (parent >= 0) pose_times(d, &link[parent], &link[i], &link[i]);
    }
    for (int i = 0; i < m->body_count; i++) {
        const Place *at = &t->body[i];
        Pose world = at->at;
        if (at->link >= 0) pose_times(d, &link[at->link], &world, &world);
        for (int k = 0; k < 3; k++) position[3 * i + k] = world.p[k];
        for (int k = 0; k < 9; k++) rotation[9 * i + k] = world.R[k];
    }
    arena_free(&scratch);
}

void tree_pose(Dag *d, const Tree *t, const Place *at, Pose *out) {
    Pose up;
    *out = at->at;
    for (int i = at->link; i >= 0; i = t->link[i].parent) {
        link_pose(d, &t->link[i], &up);
        pose_times(d, &up, out, out);
    }
}

// R(axes)' R(frame)
void port_turn(Dag *d, const Mechanism *m, const Tree *t, int frame, Expr out[9]) {
    const MechFrame *f = &m->frame[frame];
    Pose own, body;
    Expr axes[9], back[9];
    m3_identity(d, out);
    if (!f->world_axes && !f->other_axes) return;
    tree_pose(d, t, &t->frame[frame], &own);
    for (int i = 0; i < 9; i++) out[i] = own.R[i];
    if (f->world_axes) return;
    m3_transpose(f->axes.rotation, axes);
    if (f->axes.body >= 0) {
        tree_pose(d, t, &t->body[f->axes.body], &body);
        m3_transpose(body.R, back);
        m3_times(d, axes, back, axes);
    }
    m3_times(d, axes, own.R, out);
}

Mechanism *mech_outwards(Arena *out, const Mechanism *x) {
    Mechanism *m = ARENA_NEW(out, Mechanism);
    *m = *x;
    m->joint = ARENA_ARRAY(out, MechJoint, x->joint_count);
    int *stack = ARENA_ARRAY(out, int, x->joint_count + 1), depth = 0, count = 0;
    int *first = ARENA_ARRAY(out, int, x->body_count + 1); // joints on world, then on each body
    int *next = ARENA_ARRAY(out, int, x->joint_count);
    for (int b = 0; b <= x->body_count; b++) first[b] = -1;
    for (int j = x->joint_count - 1; j >= 0; j--) { // linked in order of names
        next[j] = first[x->joint[j].parent + 1];
        first[x->joint[j].parent + 1] = j;
    }
    if (first[0] >= 0) stack[depth++] = first[0];
    while (depth) {
        int j = stack[--depth];
        m->joint[count++] = x->joint[j];
        if (next[j] >= 0) stack[depth++] = next[j];
        int child = first[x->joint[j].child + 1];
        if (child >= 0) stack[depth++] = child;
    }
    return m;
}
