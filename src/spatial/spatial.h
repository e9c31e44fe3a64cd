// Three-vectors, turns and inertias, traced into the expression graph. Zeros and ones fold while
// nodes are built, so nothing here looks for them.
//
//   Six       a twist (linear; angular) or a wrench (force; moment)
//   Turn      child axes -> parent axes: Rz(a) Rx(b) Rz(angle), or a full matrix
//   Inertia   momentum = [ M  H' ; H  J ] (v; omega); a rigid body needs m, m*c and J only
#ifndef BONDYN_SPATIAL_SPATIAL_H
#define BONDYN_SPATIAL_SPATIAL_H

#include "expr/expr.h"

typedef struct {
    Expr lin[3], ang[3];
} Six;

// --- numbers and scalars -------------------------------------------------------------------------

Expr expr_zero(Dag *d);
bool expr_is_zero(const Dag *d, Expr e);
bool all_numbers(const Dag *d, const Expr *e, int n, double *value); // false: some are symbols
double snap_unit(double x); // 0, 1, -1 where x is one of them but for rounding
double largest_number(const Dag *d, const Expr *e, int n); // in size
// Numbers that are mere rounding beside the largest of them, or beside scale, become 0.
void snap_numbers(Dag *d, Expr *e, int n, double scale);

// --- vectors and 3 x 3 matrices; results may overwrite arguments ---------------------------------

void v3_zero(Dag *d, Expr out[3]);
void v3_copy(const Expr a[3], Expr out[3]);
void v3_add(Dag *d, const Expr a[3], const Expr b[3], Expr out[3]);
void v3_sub(Dag *d, const Expr a[3], const Expr b[3], Expr out[3]);
void v3_scale(Dag *d, Expr by, const Expr a[3], Expr out[3]);
void v3_cross(Dag *d, const Expr a[3], const Expr b[3], Expr out[3]);
Expr v3_dot(Dag *d, const Expr a[3], const Expr b[3]);
void m3_identity(Dag *d, Expr out[9]);
void m3_numbers(Dag *d, const double value[9], Expr out[9]);
void m3_transpose(const Expr a[9], Expr out[9]);
void m3_add(Dag *d, const Expr a[9], const Expr b[9], Expr out[9]);
void m3_times(Dag *d, const Expr a[9], const Expr b[9], Expr out[9]);
void m3_apply(Dag *d, const Expr a[9], const Expr v[3], Expr out[3]);            // a v
void m3_apply_transposed(Dag *d, const Expr a[9], const Expr v[3], Expr out[3]); // a' v
void m3_skew(Dag *d, const Expr v[3], Expr out[9]);
void m3_congruence(Dag *d, const Expr r[9], const Expr a[9], Expr out[9]); // r a r'
bool m3_is_identity(const Dag *d, const Expr a[9]);
bool m3_is_symmetric(const Expr a[9]);
void unit_vector(Dag *d, const Expr *x, int n, Expr *out); // x / |x|

// --- rotations -----------------------------------------------------------------------------------

// About an axis of length 1. Right angles that are plain numbers fold to exact zeros and ones.
void turn_about(Dag *d, const Expr axis[3], Expr angle, Expr turn[9]);
// The quaternion (w, x, y, z) of such a turn, and the product of two: first a, then b in its frame.
void quaternion_about(Dag *d, const Expr axis[3], Expr angle, Expr out[4]);
void quaternion_then(Dag *d, const Expr a[4], const Expr b[4], Expr out[4]);
// Angles about three axes (0, 1, 2 for x, y, z), one after the other, that turn like a quaternion
// of length 1. The middle one is between -90 and 90 degrees, or 0 and 180 where the first axis
// returns.
void quaternion_angles(Dag *d, const Expr q[4], const unsigned char axis[3], Expr out[3]);
// Rotation by a quaternion (w, x, y, z) of any length: the homogeneous form, so that a drift of
// the length during integration turns nothing.
void quaternion_matrix(Dag *d, const Expr quat[4], Expr out[9]);

// Rotation whose z is the axis, made a unit vector where it is a number. The axes x, y, z give
// (y z x), (z x y), (x y z).
void frame_about(Dag *d, const Expr axis[3], Expr out[9]);

// --- poses: x_parent = R x + p -------------------------------------------------------------------

typedef struct {
    Expr R[9], p[3];
} Pose;

void pose_identity(Dag *d, Pose *out);
void pose_times(Dag *d, const Pose *a, const Pose *b, Pose *out); // b is given in the frame of a
void pose_inverse_times(Dag *d, const Pose *a, const Pose *b, Pose *out); // a^-1 b
void pose_clean(Dag *d, Pose *p);
void twist_at(Dag *d, const Pose *frame, const Six *v, Six *out);    // twist seen at a frame on it
void wrench_from(Dag *d, const Pose *frame, const Six *f, Six *out); // wrench at a frame on it

// --- turns ---------------------------------------------------------------------------------------

typedef struct {
    bool plain; // Rz(a) Rx(b) Rz(angle) with the sines and cosines below
    bool whole; // E is the product of all
    Expr ca, sa, cb, sb, c, s;
    Expr E[9];
} Turn;

void turn_plain(Dag *d, Turn *t); // E is built where it is cheaper than three turns
void turn_up(Dag *d, const Turn *t, const Expr v[3], Expr out[3]);   // child -> parent
void turn_down(Dag *d, const Turn *t, const Expr v[3], Expr out[3]); // parent -> child
void turn_tensor_up(Dag *d, const Turn *t, const Expr a[9], Expr out[9]);
void turn_matrix(Dag *d, const Turn *t, Expr out[9]);

// --- inertias ------------------------------------------------------------------------------------

typedef struct {
    bool full;     // M, H, J count; otherwise M = m 1, H = skew(mc)
    Expr m, mc[3]; // mass and first moment: what gravity acts on, added mass left out
    Expr J[9];     // about the origin
    Expr M[9], H[9];
} Inertia;

void inertia_zero(Dag *d, Inertia *out);
void inertia_make_full(Dag *d, Inertia *a);
void inertia_add(Dag *d, const Inertia *a, Inertia *to);
void inertia_shift(Dag *d, Inertia *a, const Expr p[3]); // old origin at p in the new frame
void inertia_turn(Dag *d, Inertia *a, const Turn *t);
void inertia_place(Dag *d, Inertia *a, const Pose *at); // from a frame at that pose
void inertia_times(Dag *d, const Inertia *a, const Six *v, Six *out);
// A 6 x 6 matrix of inertia given at a frame (linear; angular), at the frame's parent: X' m X.
void pose_inertia(Dag *d, const Pose *a, const Expr m[36], Expr out[36]);

// --- six-vectors ---------------------------------------------------------------------------------

void six_zero(Dag *d, Six *out);
void six_add(Dag *d, const Six *a, const Six *b, Six *out);
Expr six_dot(Dag *d, const Six *a, const Six *b);
void twist_cross_wrench(Dag *d, const Six *v, const Six *h, Six *out); // v x* h

#endif
