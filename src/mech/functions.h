// What a controller can ask of a model: matrices, efforts and places as functions of arguments of
// its own, traced into the expressions that call them (lang/model_function.c).
//
//     B(q)  g(q)  C(q,w)  C(q,w) u  B(q) x  inverse and forward dynamics  J, place of a frame
//
// The tree is folded as for simulation, so the results are short to compute rather than to read;
// `derive` is for reading.
#ifndef BONDYN_MECH_FUNCTIONS_H
#define BONDYN_MECH_FUNCTIONS_H

#include "mech/mech.h"

// For LangOptions.trace. Vectors are in the order of mech_outwards. Constraints and drives are left
// out: these are functions of the tree.
Matrix mech_function(Arena *out, Dag *d, const Mechanism *m, const ModelCall *call);
// The same for signals, with vectors in the order of the mechanism (signals.c).
Matrix mech_signal(Arena *out, Dag *d, const Mechanism *m, const ModelCall *call);
// Force or moment of the parent of a joint on its child, at the joint's frame and in its axes; from
// the rates of the velocities (reaction.c).
Matrix mech_reaction(Arena *out, Dag *d, const Mechanism *m, const ModelCall *call,
                     const Expr *rates);

#endif
