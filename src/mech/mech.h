// Mechanisms: bodies and joints in spatial motion as one IC-field, traced into the expression
// graph.
//
//            joint 2            Tree coordinates q, quasi-velocities w (joint rates, body twist of
//            a
//   body 1 ---o--- body 2       free joint), momenta p = B(q) w conjugate to w:
//     |  joint 1
//   world                         q' = beta(q) w        w = B(q)^-1 p
//                                 p_i' = tau_i + S_i' ( f_i - v_i x* h_i ) + (dS_i/dt)' h_i
//
// All spatial vectors are (linear; angular), in the frame of their own body. v_i is the twist of
// body i, h_i the momentum of everything outboard of joint i, f_i gravity and outside wrenches on
// it; S_i is the joint's motion subspace. The term -S' (v x* h) is what others get from dB/dq: one
// sweep. Works at every attitude: a free or spherical joint keeps a unit quaternion.
//
// Expressions may hold parameters anywhere; constants fold while tracing, so right angles and zeros
// cost nothing.
#ifndef BONDYN_MECH_MECH_H
#define BONDYN_MECH_MECH_H

#include "base/report.h"
#include "expr/matrix.h"

typedef enum {
    JOINT_FIXED,
    JOINT_REVOLUTE,    // 1 about axis
    JOINT_PRISMATIC,   // 1 along axis
    JOINT_HELICAL,     // 1 about and along axis, pitch per radian
    JOINT_CYLINDRICAL, // 2: along, about axis
    JOINT_UNIVERSAL,   // 2: about axis, then about axis2 (carried)
    JOINT_PLANAR,      // 3: SE(2) in the plane normal to axis: body twist (vx, vy, omega)
    JOINT_SPHERICAL,   // 3: SO(3), body angular velocity; quaternion
    JOINT_FREE,        // 6: SE(3), body twist (v; omega); position and quaternion
    JOINT_KINDS
} JointKind;

int joint_velocities(JointKind k);  // 0 1 1 1 2 2 3 3 6
int joint_coordinates(JointKind k); // 0 1 1 1 2 2 3 4 7

typedef struct {
    Name name;
    Pos pos;
    Expr mass;
    Expr cg[3];      // in the body's frame
    Expr inertia[9]; // about the cg, body's axes, symmetric
    bool has_added;
    Expr added[36]; // added mass at the body's origin, 6 x 6 symmetric, (linear; angular)
} MechBody;

typedef struct {
    Name name;
    Pos pos;
    JointKind kind;
    int parent, child; // bodies; parent -1 = world
    Expr position[3];  // joint frame in the parent's frame
    Expr rotation[9];  // parent = rotation * joint frame
    Expr axis[3];      // unit vector in the joint frame (z by default)
    Expr axis2[3];     // universal
    Expr pitch;        // helical
} MechJoint;

typedef struct {
    Name name;
    Pos pos;
    int body; // -1 = world
    Expr position[3], rotation[9];
} MechFrame;

typedef struct {
    Name name;
    Pos pos;
    MechBody *body;
    int body_count;
    MechJoint *joint; // any order; every body is the child of exactly one joint
    int joint_count;
    MechFrame *frame;
    int frame_count;
    Expr gravity[3]; // world
} Mechanism;

typedef enum { METHOD_AUTO, METHOD_COMPOSITE, METHOD_ARTICULATED } MechMethod;

// What a caller hands in as symbols, joint after joint in mechanism order.
typedef struct {
    Expr *q;      // coordinates
    Expr *p;      // momenta (momentum form) or NULL
    Expr *w;      // quasi-velocities (for kinematics and the Lagrange form) or NULL
    Expr *effort; // generalised effort of each velocity; 0 = none
    Expr *wrench; // per frame 6: outside wrench on its body at the frame, frame's axes; 0 = none
} MechInputs;

typedef struct {
    int nq, nv;
    int *joint_q, *joint_v;  // first coordinate and velocity of each joint
    Expr *w;                 // velocities as functions of (q, p)
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

// Needs: a checked mechanism.  Gives: traced equations.
bool mech_check(const Mechanism *m, const Dag *d, Report *r);
MechEquations *mech_momentum_form(Arena *out, Dag *d, const Mechanism *m, const MechInputs *in,
                                  MechMethod method);
MechEquations *mech_lagrange_form(Arena *out, Dag *d, const Mechanism *m, const MechInputs *in,
                                  MechMethod method);

// Matrices for `derive` and for controllers, as functions of q (and w).
Matrix mech_mass_matrix(Arena *out, Dag *d, const Mechanism *m, const Expr *q);
Matrix mech_gravity_vector(Arena *out, Dag *d, const Mechanism *m,
                           const Expr *q); // dV/dq pulled to w
Matrix mech_bias(Arena *out, Dag *d, const Mechanism *m, const Expr *q, const Expr *w); // C(q,w) w
Matrix mech_coriolis(Arena *out, Dag *d, const Mechanism *m, const Expr *q,
                     const Expr *w); // Christoffel
Matrix mech_frame_jacobian(Arena *out, Dag *d, const Mechanism *m, int frame,
                           const Expr *q);                               // 6 x nv
Matrix mech_beta(Arena *out, Dag *d, const Mechanism *m, const Expr *q); // nq x nv
// Inverse dynamics by recursive Newton-Euler, written apart from the above as a second formulation.
Matrix mech_inverse_dynamics(Arena *out, Dag *d, const Mechanism *m, const Expr *q, const Expr *w,
                             const Expr *w_rate, const Expr *wrench);

#endif
