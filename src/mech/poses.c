// Where the bodies are: their frames in the world, from the coordinates alone.
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
