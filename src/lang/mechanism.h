// A mechanism as data: bodies, joints and frames with their numbers as expressions of parameters.
//
//     world --joint--> body --joint--> body        a tree; every body is the child of one joint
//                        '-- frame                 a place on a body that bonds attach to
//
// The language fills this in (lang/mechanism_build.c); src/mech traces equations from it. What
// belongs to the flat model, the numbers of variables, is -1 or 0 in mechanisms that were made by
// hand.
#ifndef BONDYN_LANG_MECHANISM_H
#define BONDYN_LANG_MECHANISM_H

#include "base/names.h"
#include "base/source.h"
#include "expr/expr.h"

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

int joint_velocities(JointKind kind);
int joint_coordinates(JointKind kind);
int joint_linear(JointKind kind); // how many velocities come before the angular ones

typedef enum { SHAPE_NONE, SHAPE_BOX, SHAPE_CYLINDER, SHAPE_SPHERE, SHAPE_TUBE } ShapeKind;

typedef struct { // its middle is the centre of gravity
    ShapeKind kind;
    Expr size[3]; // box a b c; cylinder r l; sphere r; tube R r l; cylinder and tube along z
    Expr turn[9]; // to the body's axes
} MechShape;

typedef struct {
    Name name;
    Pos pos;
    Expr mass;
    Expr cg[3];      // in the body's frame
    Expr inertia[9]; // about the cg, body's axes, symmetric
    bool has_added;
    Expr added[36]; // added mass at the body's origin, 6 x 6 symmetric, (linear; angular)
    MechShape shape;
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
    // in the flat model
    int coordinate[7];  // variable of each coordinate
    int p, e, f;        // first variables
    Expr start[7];      // coordinates at the start, expressions of parameters
    Expr start_flow[6]; // velocities at the start
} MechJoint;

typedef struct {
    Name name;
    Pos pos;
    int body; // -1 = world
    Expr position[3], rotation[9];
    // in the flat model
    bool world_axes;        // effort and flow are in the axes of the world
    int e, f;               // first of 6
    int place, orientation; // first of 3 and of 9 variables: position and rotation in the world
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
    // in the flat model
    int comp;                       // its component
    int kinetic, potential, energy; // variables
    int momentum;                   // first of 6
    bool open_gravity;              // gravity changes with inputs or time: no closed form of energy
} Mechanism;

#endif
