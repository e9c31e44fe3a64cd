// Places and turns as expressions. Right angles that are plain numbers fold to exact zeros and
// ones.
#ifndef BONDYN_LANG_POSE_H
#define BONDYN_LANG_POSE_H

#include "expr/expr.h"

typedef struct { // of a frame in its parent: a vector x of the frame is at + turn*x in the parent
    Expr at[3], turn[9];
} Pose;

Pose pose_none(Dag *d);
Pose pose_then(Dag *d, const Pose *a, const Pose *b); // b is given in the frame that a leads to
void pose_point(Dag *d, const Pose *a, const Expr x[3], Expr out[3]); // at + turn*x
// turn*x*turn' for a 3 x 3 matrix x
void turn_tensor(Dag *d, const Expr turn[9], const Expr x[9], Expr out[9]);
void turn_about(Dag *d, const Expr axis[3], Expr angle, Expr turn[9]); // axis of length 1
// The quaternion (w, x, y, z) of such a turn, and the product of two: first a, then b in its frame.
void quaternion_about(Dag *d, const Expr axis[3], Expr angle, Expr out[4]);
void quaternion_then(Dag *d, const Expr a[4], const Expr b[4], Expr out[4]);
// Angles about three axes (0, 1, 2 for x, y, z), one after the other, that turn like a quaternion
// of length 1. The middle one is between -90 and 90 degrees, or 0 and 180 where the first axis
// returns.
void quaternion_angles(Dag *d, const Expr q[4], const unsigned char axis[3], Expr out[3]);
void unit_vector(Dag *d, const Expr *x, int n, Expr *out); // x / |x|
// A 6 x 6 matrix of inertia given at a frame (linear; angular), at the frame's parent: X' m X.
void pose_inertia(Dag *d, const Pose *a, const Expr m[36], Expr out[36]);

#endif
