// Attitudes of spherical and free joints, by a quaternion (w, x, y, z) or by three angles; see
// attitude.c.
#ifndef BONDYN_MECH_ATTITUDE_H
#define BONDYN_MECH_ATTITUDE_H

#include "expr/expr.h"
#include "lang/mechanism.h"

// The joint's frame = R * body.
void attitude_matrix(Dag *d, EulerAngles a, const Expr *q, Expr R[9]);
// Rates of the coordinates from the angular velocity in the body's axes.
void attitude_rate(Dag *d, EulerAngles a, const Expr *q, const Expr w[3], Expr *rate);
// Angles only: their turn as a quaternion of length 1, and what vanishes where their rates are
// infinite, between -1 and 1.
void attitude_quaternion(Dag *d, EulerAngles a, const Expr *q, Expr out[4]);
Expr attitude_hold(Dag *d, EulerAngles a, const Expr *q);

#endif
