// Recursive algorithms over the tree of links. Arrays of velocities are in the order of the tree.
#ifndef BONDYN_MECH_DYNAMICS_H
#define BONDYN_MECH_DYNAMICS_H

#include "mech/tree.h"

// --- sweeps (sweeps.c) ---------------------------------------------------------------------------

// Twists of all links from the velocities.
void sweep_twists(Dag *d, const Tree *t, const Expr *w, Six *twist);
// Momenta of each link with all that it carries, about its origin in its axes. Nullable: p, the
// momenta conjugate to the velocities where they are known; they are parts of the result.
void sweep_momenta(Dag *d, const Tree *t, const Six *twist, const Expr *p, Six *h);
// Mass and first moment of each link with all that it carries.
void sweep_masses(Dag *d, const Tree *t, Expr *mass, Expr (*moment)[3]);
// Wrenches of all that each link carries, from those on the links.
void sweep_in(Dag *d, const Tree *t, Six *f);
// Outside wrenches at the frames (6 per frame, 0 = none; Nullable), on each link with all it
// carries.
void sweep_wrenches(Dag *d, const Tree *t, int frame_count, const Expr *wrench, Six *f);
// Efforts of gravity and outside wrenches: S' f.
void sweep_loads(Arena *scratch, Dag *d, const Tree *t, const Mechanism *m, const Expr *wrench,
                 Expr *effort);
// Gravity in the axes of a link on the world.
void gravity_on_link(Dag *d, const Link *l, const Expr gravity[3], Expr out[3]);
// Efforts that the motion needs at zero w': C(q, w) w; with gravity (Nullable), which trees without
// added mass take, C(q, w) w + g(q), but for what a free joint lets fall.
void sweep_bias(Arena *scratch, Dag *d, const Tree *t, const Expr *w, const Expr *gravity,
                Expr *effort);
// Twists of u and their rates while the joints move with w and the numbers u stay (functions.c).
void sweep_rates(Dag *d, const Tree *t, const Expr *w, const Expr *u, Six *twist, Six *rate);

// --- B x = rhs -----------------------------------------------------------------------------------

// B, all n x n entries (composite.c).
void composite_matrix(Arena *scratch, Dag *d, const Tree *t, Expr *B);
// By B = L' D L, where only velocities that carry each other meet. Spoils B.
void composite_solve(Dag *d, const Tree *t, Expr *B, const Expr *rhs, Expr *x);
// By articulated bodies, in proportion to the number of links; gives the twists of x besides.
void articulated_solve(Arena *scratch, Dag *d, const Tree *t, const Expr *rhs, Expr *x, Six *twist);

#endif
