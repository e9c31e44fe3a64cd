// A robot as its file tells it, before names and tree are checked.
#ifndef BONDYN_IMPORT_URDF_DATA_H
#define BONDYN_IMPORT_URDF_DATA_H

#include "base/array.h"
#include "base/names.h"
#include "import/urdf.h"

typedef enum {
    URDF_FIXED,
    URDF_REVOLUTE, // and continuous
    URDF_PRISMATIC,
    URDF_FLOATING,
    URDF_PLANAR,
} UrdfKind;

typedef struct {
    double xyz[3];
    double rpy[3];     // turns about fixed x, y, z
    double degrees[3]; // the same where it is a multiple of 15 degrees, else NaN
} UrdfOrigin;

typedef struct {
    const char *name, *id; // in the file; in the language
    Pos pos;
    double mass;
    double inertia[9]; // about the centre of gravity, in the link's axes once the file is read
    UrdfOrigin at;     // of the inertial frame
    int parent;        // joint that leads to it, or -1
    int first;         // joint that it carries, or -1; then UrdfJoint.next
    bool heavy;        // it or something beyond it has mass
} UrdfLink;

typedef struct {
    const char *name, *id;
    Pos pos;
    UrdfKind kind;
    double lower, upper, effort, velocity, damping, friction; // NaN where not given
    const char *damping_id, *friction_id;                     // of the elements at it
    Pos limit_pos, dynamics_pos;
    const char *parent_name, *child_name, *mimic;
    Pos parent_pos, child_pos, mimic_pos;
    double multiplier, offset;
    int leader;   // joint that it follows, or -1
    bool endless; // continuous: limits mean nothing
    UrdfOrigin at;
    double axis[3];
    int parent, child; // links
    int next;          // joint on the same parent
    bool is_frame;     // leads to a place without mass: a frame
} UrdfJoint;

typedef struct {
    int link;
    const char *what;  // "visual" or "collision"
    const char *shape; // mesh "package://..." ... as the file says it
    const char *form;  // ... and in the language; NULL: it has no place there
    UrdfOrigin at;
    Name material; // or 0
    Pos pos;
    const char *file; // of a mesh, as written; else NULL
} UrdfShape;

typedef struct { // elements that have no place in a mechanism
    const char *tag;
    int count;
    Pos pos; // of the first
} UrdfDropped;

typedef struct {
    bool coloured;
    double rgb[3];
} UrdfMaterial;

typedef struct {
    const char *name; // of the robot
    Pos pos;
    Arena arena;
    ARRAY(UrdfLink) link;
    ARRAY(UrdfJoint) joint;
    ARRAY(UrdfShape) shape;
    ARRAY(UrdfDropped) dropped;
    bool rounded; // UrdfOptions.rounded
    Names *materials;
    ARRAY(UrdfMaterial) material; // by name: one name is one material, wherever its colour is
    int root;
    bool on_world; // the root link is called world and does not move: it is the world itself
} Urdf;

bool urdf_read(Urdf *u, const Sources *sources, uint32_t source, Report *r);
// Links to joints; a tree; names for the language.
bool urdf_connect(Urdf *u, bool free_base, Report *r);
bool urdf_turns_or_slides(const UrdfJoint *j);             // it has one coordinate
bool urdf_is_held(const UrdfJoint *j);                     // ... which its limits hold at one value
const char *urdf_identifier(Arena *out, const char *name); // letters, digits and _; no keyword

#endif
