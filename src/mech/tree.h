// The tree of links: what moves, after fixed joints are merged and joints of two axes are split.
//
//   pose of a link in its parent:   at * motion(q)        the joint's axis is z
//
//        TURN   Rz(q)                      1 velocity      omega_z
//        SLIDE  Tz(q)                      1               v_z
//        SCREW  Rz(q) Tz(pitch q)          1               omega_z, with v_z = pitch omega_z
//        PLANE  Txy(q) Rz(q)               3               v_x v_y omega_z
//        BALL   R(q)                       3               omega
//        FREE   T(q) R(q)                  6               v, omega
//
// In these axes the motion subspace S of every link is constant. Folding (fold.c) chooses the
// frames of the links anew and regroups their inertia; bodies and frames keep their places on the
// links, so answers come in the axes of the user.
#ifndef BONDYN_MECH_TREE_H
#define BONDYN_MECH_TREE_H

#include "mech/attitude.h"
#include "mech/mech.h"
#include "spatial/spatial.h"

typedef enum { LINK_TURN, LINK_SLIDE, LINK_SCREW, LINK_PLANE, LINK_BALL, LINK_FREE } LinkKind;

typedef struct {
    LinkKind kind;
    int parent; // link before this one in the list; -1 = world
    int joint;  // of the mechanism
    int first;  // velocities in the order of the tree: first .. first + link_velocities(kind) - 1
    int q;      // first coordinate, in the order of the mechanism
    Pose at;    // before the motion
    Expr pitch;
    EulerAngles angles; // of a ball or a free link
    double angle;       // constant turn about the axis, added to the motion's
    Expr offset;        // constant shift along it
    Inertia inertia;    // of the bodies on it, about its origin
    // set by tree_set_coordinates
    Turn turn;     // to the parent's axes
    Expr shift[3]; // origin in the parent's axes, before ...
    Expr slide;    // ... a shift along the link's own z
} Link;

typedef struct {
    int link; // -1 = world
    Pose at;
} Place;

typedef struct {
    Link *link; // parents first; the order does not depend on the order of declaration
    int count;
    int nq, nv;
    int *velocity; // tree order -> order of the mechanism
    int *before;   // velocity that carries this one: on the same link or on the parent; -1 = none
    int *joint_q, *joint_v;
    Place *body, *frame;
    Inertia world; // of what cannot move
    int depth;     // most velocities on a way from the world to a leaf
    bool added;    // any body with added mass
} Tree;

int link_velocities(LinkKind kind);
Six link_axis(Dag *d, const Link *l, int k);                          // column k of S
Expr link_dot(Dag *d, const Link *l, int k, const Six *f);            // column k of S on a wrench
void link_efforts(Dag *d, const Tree *t, const Six *f, Expr *effort); // S' f for all links
void link_move(Dag *d, const Link *l, int k, Expr w, Six *v);         // v + S_k w
int link_component(const Link *l, int k); // 0..5 where S_k is that unit vector; -1 for a screw

// `fold` rearranges for speed; without it expressions stay close to what the user wrote.
Tree *tree_build(Arena *out, Dag *d, const Mechanism *m, bool fold);
void tree_fold(Arena *scratch, Dag *d, const Mechanism *m, Tree *t);
void tree_set_coordinates(Dag *d, Tree *t, const Expr *q);

// Of a body alone, about its origin in its axes, with its added mass.
void body_inertia(Dag *d, const MechBody *b, Inertia *out);

int link_coordinates(const Link *l);
// Rates of a link's coordinates, q' = beta(q) w, from its own velocities.
void link_rates(Dag *d, const Link *l, const Expr *q, const Expr *w, Expr *out);

// A parent's twist at the link, in its axes and without its own motion; a wrench on the link
// about the parent's origin; an inertia likewise.
void link_twist_down(Dag *d, const Tree *t, int link, Six *twist); // the parent's, or none
void link_wrench_up(Dag *d, const Link *l, const Six *f, Six *out);
void link_inertia_up(Dag *d, const Link *l, Inertia *a);

void link_pose(Dag *d, const Link *l, Pose *out);                  // in the parent
void tree_pose(Dag *d, const Tree *t, const Place *at, Pose *out); // in the world
// From the axes of a frame to those of its port: its own, the world's, or another place's.
void port_turn(Dag *d, const Mechanism *m, const Tree *t, int frame, Expr out[9]);

#endif
