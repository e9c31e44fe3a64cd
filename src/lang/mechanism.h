// A mechanism as data: bodies, joints and frames with their numbers as expressions of parameters.
//
//     world --joint--> body --joint--> body        a tree; every body is the child of one joint
//                        '-- frame                 a place on a body that bonds attach to
//       end - - - tie - - - end                    holds two places together, beside the tree
//
// The language fills this in (lang/mechanism_build.c); src/mech traces equations from it. What
// belongs to the flat model, the numbers of variables, is -1 or 0 in mechanisms that were made by
// hand.
#ifndef BONDYN_LANG_MECHANISM_H
#define BONDYN_LANG_MECHANISM_H

#include "base/names.h"
#include "base/source.h"
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

// How the attitude of a spherical or free joint is kept: by a quaternion, or by three angles about
// axes that the turns before them carry along.
typedef struct {
    bool used;             // false: a quaternion
    unsigned char axis[3]; // 0, 1, 2 for x, y, z
} EulerAngles;

enum { ANGLES = 3 };

const char *angle_name(EulerAngles a, int which); // "yaw", "pitch", "roll"; "precession" ...
bool angles_repeat(EulerAngles a);                // the last axis is the first one: z x z

int joint_velocities(JointKind kind);
int kind_coordinates(JointKind kind, EulerAngles angles);
int joint_linear(JointKind kind); // how many velocities come before the angular ones

typedef enum {
    SHAPE_NONE,
    SHAPE_BOX,
    SHAPE_CYLINDER,
    SHAPE_SPHERE,
    SHAPE_TUBE,
    SHAPE_MESH
} ShapeKind;

typedef struct { // its middle is the centre of gravity
    ShapeKind kind;
    Expr size[3]; // box a b c; cylinder r l; sphere r; tube R r l; cylinder and tube along z
    Expr turn[9]; // to the body's axes
} MechShape;

// Fields that number variables of the flat model are lists, so that whoever numbers anew meets them
// all: by name, and as var[]. First variables where there are several; -1 = none.
#define MECH_FIELD(name) int name;
#define MECH_COUNT(name) +1 // NOLINT(bugprone-macro-parentheses): a sum of them
#define MECH_VARS(LIST)                                                                            \
    union {                                                                                        \
        struct {                                                                                   \
            LIST(MECH_FIELD)                                                                       \
        };                                                                                         \
        int var[0 LIST(MECH_COUNT)];                                                               \
    }

//     e, f       of the port
//     p          momenta
//     w          with form lagrange: velocities
//     attitude   with Euler angles: the quaternion to be seen
//     motion     what is integrated: momenta (form lagrange: velocities); where ties or drives hold
//                the mechanism, before it is brought onto them
//     stop       effort of the stops
//     contact    discrete: 1 free, 2 and 3 at the lower and upper rigid stop
//     effort     of prescribed motion, one for each coordinate: the effort that drives it, and
//     mu, nu     corrections of momenta and of coordinates
#define MECH_JOINT_VARS(V)                                                                         \
    V(p) V(e) V(f) V(w) V(attitude) V(motion) V(stop) V(contact) V(effort) V(mu) V(nu)

//     e, f                 6 each
//     place, orientation   3 and 9: position and rotation in the world
#define MECH_FRAME_VARS(V) V(e) V(f) V(place) V(orientation)

//     e, f            of the port along its freedoms
//     q               coordinates, or the length of an actuator
//     lambda          effort, one for each direction that is constrained; so, too
//     mu, nu          corrections of momenta and of coordinates
//     force, moment   on the second end, in the axes of the first
//     gap             how far the ends are from where they should be
#define MECH_TIE_VARS(V) V(e) V(f) V(q) V(lambda) V(mu) V(nu) V(force) V(moment) V(gap)

#define MECH_VELOCITY_VARS(V) V(p) V(e) V(f)

//     momentum      6
//     drive_power   what drives put in
//     loss          what the dissipation function takes
#define MECHANISM_VARS(V) V(kinetic) V(potential) V(energy) V(momentum) V(drive_power) V(loss)

typedef struct {
    Name name;
    Pos pos;
    Expr mass;
    Expr cg[3];      // in the body's frame
    Expr inertia[9]; // about the cg, body's axes, symmetric
    bool published;  // ... as its source has it, though no body may have it
    bool has_added;
    Expr added[36]; // added mass at the body's origin, 6 x 6 symmetric, (linear; angular)
    MechShape shape;
} MechBody;

typedef struct {
    Name name;
    Pos pos;
    JointKind kind;
    int parent, child;  // bodies; parent -1 = world
    Expr position[3];   // joint frame in the parent's frame
    Expr rotation[9];   // parent = rotation * joint frame
    Expr axis[3];       // unit vector in the joint frame (z by default)
    Expr axis2[3];      // universal
    Expr pitch;         // helical
    EulerAngles angles; // spherical, free
    // in the flat model
    MECH_VARS(MECH_JOINT_VARS);
    int coordinate[7];            // variable of each coordinate
    int state[7];                 // ... as it is integrated (see motion)
    Expr start[7];                // coordinates at the start, expressions of parameters
    Expr start_flow[6];           // velocities at the start
    bool given_start, given_flow; // the user wrote them
    // with limits
    bool limited;
    Expr lower, upper;
    Expr stiffness, damping; // of elastic stops; 0 = none
    Expr restitution;        // of rigid stops; 0 = none. Without either limits are watched only
    // with prescribed motion
    bool driven;
    Expr drive[3]; // its coordinates as functions of time
} MechJoint;

int joint_coordinates(const MechJoint *j);

typedef struct { // a place on a body
    int body;    // -1 = world
    Expr position[3], rotation[9];
} MechEnd;

typedef struct {
    Name name;
    Pos pos;
    int body; // -1 = world
    Expr position[3], rotation[9];
    // in the flat model
    bool world_axes; // effort and flow are in the axes of the world
    bool other_axes; // ... in those of another place, `axes`
    MechEnd axes;
    MECH_VARS(MECH_FRAME_VARS);
} MechFrame;

typedef enum {
    TIE_JOINT,    // what a joint of the kind `joint` would hold
    TIE_LINE,     // the second end stays on the axis of the first
    TIE_PLANE,    // ... in the plane normal to it
    TIE_DISTANCE, // the ends stay `size` apart
    TIE_KNIFE,    // the second end has no velocity along its axis
    TIE_WHEEL, // a disc of radius `size` about the axis of the second end rolls on the plane z = 0
    TIE_BALL,  // a ball of radius `size`   ... of the first
    TIE_ACTUATOR, // holds nothing: a port along the line between the ends
    TIE_KINDS
} TieKind;

int tie_rows(TieKind kind, JointKind joint);    // directions that are constrained
int tie_freedom(TieKind kind, JointKind joint); // scalars of its port

enum { TIE_ROWS = 6 };

typedef struct {
    Name name;
    Pos pos;
    TieKind kind;
    JointKind joint;
    MechEnd end[2];
    Expr axis[3], axis2[3]; // unit vectors, in the axes of the ends as they are at coordinates zero
    Expr pitch, size;
    MECH_VARS(MECH_TIE_VARS);
} MechTie;

typedef struct {     // a shape for the view, which has no influence on the motion
    int body;        // -1 = world
    MechShape shape; // of a mesh: size is its scale
    Expr at[3];      // its middle, in the body's frame
    Name mesh;       // its file, as written ...
    Pos mesh_pos;    // ... and where
    bool coloured;
    Expr colour[3]; // red, green, blue: 0 to 1
} MechDrawing;

typedef struct { // of a lagrangian: a velocity that is no rate of a coordinate
    Name name;
    Pos pos;
    Expr value; // linear in the flows of coordinates
    MECH_VARS(MECH_VELOCITY_VARS);
} MechVelocity;

typedef struct {
    Name name;
    Pos pos;
    MechBody *body;
    int body_count;
    MechJoint *joint; // any order; every body is the child of exactly one joint
    int joint_count;
    MechFrame *frame;
    int frame_count;
    MechTie *tie;
    int tie_count;
    MechDrawing *drawing;
    int drawing_count;
    bool constrained; // by ties or drives
    bool lagrange;    // states are velocities in place of momenta
    bool chosen;      // ... though no form is said: it falls as a whole
    bool by_energy;   // a lagrangian: coordinates (as joints) and energies, no bodies
    Expr T, V, D;     // of coordinates q and their flows: kinetic, potential, dissipation function
    MechVelocity *velocity; // whose momenta are the states: as many as coordinates, or none
    int velocity_count;
    Expr gravity[3]; // world
    // in the flat model
    int comp; // its component
    MECH_VARS(MECHANISM_VARS);
    bool open_gravity; // gravity changes with inputs or time: no closed form of energy
} Mechanism;

// --- functions of a mechanism at arguments that the caller chooses

typedef enum {
    MODEL_B,        // (q) inertia matrix
    MODEL_BX,       // (q, x) B x
    MODEL_C,        // (q, w) Coriolis matrix
    MODEL_CW,       // (q, w) C(q,w) w, or (q, w, u) C(q,w) u
    MODEL_G,        // (q) efforts that hold it against gravity
    MODEL_T,        // (q, w) kinetic energy
    MODEL_V,        // (q) potential energy
    MODEL_INVERSE,  // (q, w, a) efforts of a motion
    MODEL_FORWARD,  // (q, w, effort) accelerations
    MODEL_JACOBIAN, // (q) of a frame
    MODEL_POSITION,
    MODEL_ROTATION,
    MODEL_MASS, // from here on signals: of bodies, of one body, of a frame
    MODEL_CENTRE,
    MODEL_KINETIC,
    MODEL_POTENTIAL,
    MODEL_ENERGY,
    MODEL_MOMENTUM,
    MODEL_PLACE,
    MODEL_ATTITUDE,
    MODEL_VELOCITY,
    MODEL_ACCELERATION,
    MODEL_FELT,
    MODEL_ADDED, // added mass of a body, about its origin or a frame on it and in these axes
    MODEL_FORCE, // that passes through a joint of the tree
    MODEL_MOMENT,
} ModelFunction;

typedef struct {
    ModelFunction which;
    int frame;
    const Expr *q, *w,
        *x; // joint after joint, from the world outwards; NULL: not an argument of this function
    bool as_listed; // ... or in the order of the mechanism
    const Expr
        *p_rate; // of signals: rates of the momenta, where x, those of the velocities, is NULL
    const bool *among; // of signals: per body, does it count?
    // of what passes through a joint: which one, and the efforts from outside: 6 per frame in the
    // axes of its port, TIE_ROWS per tie of what it holds and of its port
    int joint;
    const Expr *frame_effort, *tie_effort, *tie_port;
} ModelCall;

// The result in `d`. src/mech has one: mech_function.
typedef Matrix (*ModelTracer)(Arena *out, Dag *d, const Mechanism *m, const ModelCall *call);

#endif
