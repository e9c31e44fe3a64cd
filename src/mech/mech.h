// Mechanisms: bodies and joints in spatial motion as one IC-field, traced into the expression
// graph.
//
//            joint 2            Tree coordinates q, quasi-velocities w (joint rates, body twist
//   body 1 ---o--- body 2       of a free joint), momenta p = B(q) w conjugate to w:
//     |  joint 1
//   world                         q' = beta(q) w        w = B(q)^-1 p
//                                 p_i' = tau_i + S_i' ( f_i - v_i x* h_i ) + (dS_i/dt)' h_i
//
// All spatial vectors are (linear; angular), in the frame of their own body. v_i is the twist of
// body i, h_i the momentum of everything outboard of joint i, f_i gravity and outside wrenches on
// it; S_i is the joint's motion subspace. The term -S' (v x* h) is what others get from dB/dq: one
// sweep. Works at every attitude: a free or spherical joint keeps a quaternion (w, x, y, z). Its
// rate keeps its length and rotations divide by the length, so a drift of it turns nothing and no
// stage needs to normalise; it must only not be zero. With Euler angles (MechJoint.angles) there is
// one attitude at which their rates are infinite.
//
// Axes: the body's frame is the joint's frame, moved. A planar joint about x, y or z has the
// in-plane directions (y z), (z x) or (x y). Angles that are not quarter turns may enter as
// numbers; exact zeros and ones in rotations fold, and numbers within 1e-14 of them are taken for
// them.
//
// Expressions may hold parameters anywhere; constants fold while tracing, so right angles and zeros
// cost nothing.
#ifndef BONDYN_MECH_MECH_H
#define BONDYN_MECH_MECH_H

#include "base/report.h"
#include "expr/matrix.h"
#include "lang/mechanism.h" // Mechanism and its parts

typedef enum { METHOD_AUTO, METHOD_COMPOSITE, METHOD_ARTICULATED } MechMethod;

// What a caller hands in as symbols, joint after joint in mechanism order.
typedef struct {
    Expr *q;      // coordinates
    Expr *p;      // momenta (momentum form) or NULL
    Expr *w;      // quasi-velocities (for kinematics and the Lagrange form) or NULL
    bool known_w; // momentum form: w is known already and need not be found from p
    Expr *effort; // generalised effort of each velocity; 0 = none
    // G, nv*nv (follow.c): velocities are G u, of which u are those that lead; NULL: all are free.
    // p are momenta of u then, where they lead, and 0 elsewhere.
    const Expr *follow;
    Expr *wrench; // per frame 6: outside wrench on its body at the frame, frame's axes; 0 = none
} MechInputs;

typedef struct {
    int nq, nv;
    int *joint_q, *joint_v;  // first coordinate and velocity of each joint
    Expr *w;                 // velocities as functions of (q, p)
    Expr *p;                 // momenta; Lagrange form: B(q) w
    Expr *q_rate;            // beta w
    Expr *p_rate;            // momentum form
    Expr *acceleration;      // Lagrange form: w' as a function of (q, w)
    Expr kinetic, potential; // energies; kinetic as p.w/2 in momentum form
    Expr *frame_position;    // 3 per frame, world
    Expr *frame_rotation;    // 9 per frame, world = R * frame
    Expr *frame_twist;       // 6 per frame, frame's axes
    Expr *body_twist;        // 6 per body
    Expr momentum[6];        // linear and angular about the world origin, world axes
} MechEquations;

// The mechanism with its joints from the world outwards, joints of one body in order of their
// names: so people number them.
Mechanism *mech_outwards(Arena *out, const Mechanism *x);

// Needs: a checked mechanism.  Gives: traced equations.
bool mech_check(const Mechanism *m, const Dag *d, Report *r);
// The same with values of the symbols by their index, so that masses, inertias and axes made of
// parameters are checked as well. Nullable: symbol_value.
bool mech_check_values(const Mechanism *m, const Dag *d, const double *symbol_value, Report *r);
MechEquations *mech_momentum_form(Arena *out, Dag *d, const Mechanism *m, const MechInputs *in,
                                  MechMethod method);
MechEquations *mech_lagrange_form(Arena *out, Dag *d, const Mechanism *m, const MechInputs *in,
                                  MechMethod method);

// B(q)^-1 times the columns of a matrix of nv rows.
Matrix mech_inverse_times(Arena *out, Dag *d, const Mechanism *m, const Expr *q, Matrix columns,
                          MechMethod method);

// Matrices for `derive` and for controllers, as functions of q (and w).
Matrix mech_mass_matrix(Arena *out, Dag *d, const Mechanism *m, const Expr *q);
Matrix mech_momenta(Arena *out, Dag *d, const Mechanism *m, const Expr *q,
                    const Expr *w); // B(q) w, in one sweep
Matrix mech_gravity_vector(Arena *out, Dag *d, const Mechanism *m,
                           const Expr *q); // dV/dq as efforts on the velocities w: beta' dV/dq
Matrix mech_bias(Arena *out, Dag *d, const Mechanism *m, const Expr *q, const Expr *w); // C(q,w) w
// C with B' - 2C skew: Christoffel symbols, and gyration within joints of several velocities. Here
// q must be symbols.
Matrix mech_coriolis(Arena *out, Dag *d, const Mechanism *m, const Expr *q, const Expr *w);
Matrix mech_frame_jacobian(Arena *out, Dag *d, const Mechanism *m, int frame,
                           const Expr *q);                               // 6 x nv
Matrix mech_beta(Arena *out, Dag *d, const Mechanism *m, const Expr *q); // nq x nv
// The frame of each body in the world: 3 and 9 entries per body, world = R * body.
void mech_body_poses(Dag *d, const Mechanism *m, const Expr *q, Expr *position, Expr *rotation);
// Gyration of the velocities that are no rates of coordinates: p' = -gamma p + (w' dB w)/2 - g +
// effort
Matrix mech_gamma(Arena *out, Dag *d, const Mechanism *m, const Expr *q, const Expr *w);
// Inverse dynamics by recursive Newton-Euler, written apart from the above as a second formulation.
Matrix mech_inverse_dynamics(Arena *out, Dag *d, const Mechanism *m, const Expr *q, const Expr *w,
                             const Expr *w_rate, const Expr *wrench);

#endif
