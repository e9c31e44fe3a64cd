// The 3-D scene of a run: bodies with their shapes, and where they are at each recorded time.
//
//     scene_plan      which expressions the run has to watch
//     scene_json      after the run: the numbers, for the viewer in the browser (web/src/viewer.ts)
#ifndef BONDYN_PAGE_SCENE_H
#define BONDYN_PAGE_SCENE_H

#include "base/array.h"
#include "page/meshes.h"
#include "run/run.h"

typedef ARRAY(Expr) Watch;

typedef struct {
    ShapeKind kind;
    const char *mesh; // of a mesh: its file
    int drawing;      // its number among those of all mechanisms; -1: the body's own shape
    bool coloured;
    int colour;       // 3
    int size;         // 3
    int middle, turn; // 3 and 9, in the body's frame
} SceneShape;

typedef struct { // a body; all numbers are places in the watch list
    const char *name;
    SceneShape *shape; // those of `shape` statements, or else its own
    int shape_count;
    int point; // 3 each: joints on it, then its frames, then the centre of gravity
    int joint_count, frame_count;
    const char **frame_name;
    const char **frame_axes; // of their ports: "own", "world", "other"
    bool heavy;              // has a centre of gravity
    int position, rotation;  // 3 and 9, in the world
} SceneBody;

typedef struct { // a force or a torque that comes in by a bond
    const char *name;
    bool torque;
    int body;   // of the scene; -1: the world
    int point;  // 3, in the body's frame
    int vector; // 3, in the world
} SceneArrow;

typedef struct {
    SceneBody *body;
    int body_count;
    SceneArrow *arrow;
    int arrow_count;
    int gravity; // 3
} Scene;

// Adds to `watch`. Nothing to show: body_count is 0. The model's expression graph grows.
Scene scene_plan(Arena *out, const Model *m, Watch *watch);
// Where a body is in a row of the watch list: x y z, then the quaternion w x y z.
void scene_pose(const SceneBody *b, const double *const *watched, int row, double pose[7]);
// The vectors of the arrows in a row, 3 numbers each.
void scene_vectors(const Scene *s, const double *const *watched, int row, double *vector);
// Of scene_plan: the arrows of a mechanism whose bodies begin at `first`.
void scene_arrows(Scene *s, const Model *m, const Mechanism *x, int first, const Expr *position,
                  const Expr *rotation, Arena *out, Watch *watch);
// `value` are the rows of the watch list: Run.watched from where scene_plan began to add.
// Nullable: meshes (then none is shown).
void scene_json(Text *out, const Scene *scene, const Meshes *meshes, const Run *run);

#endif
