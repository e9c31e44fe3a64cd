// A mechanism that floats free, without gravity and without momentum, as one with fewer velocities.
//
//     [ B_VV  B_Vq ] [V ]   [p]        p = 0:   V = -Z w,   Z = B_VV^-1 B_Vq
//     [ B_qV  B_qq ] [w ] = [.]                 B_r = B_qq - B_qV Z,   B_r w' + C_r w = effort
//
// V are the first velocities: all of a base that floats (B_r), or those of translation alone (B_c,
// the inertia about the centre of mass of the whole, in angular and joint velocities).
#ifndef BONDYN_MECH_DERIVE_FLOATING_H
#define BONDYN_MECH_DERIVE_FLOATING_H

#include "base/report.h"
#include "base/text.h"
#include "lang/model.h"

typedef struct {
    Matrix B; // n - first square
    Matrix Z; // first x (n - first)
} ReducedInertia;

// Does one free joint, the first, carry everything?
bool mechanism_floats(const Mechanism *x);
ReducedInertia reduce_inertia(Arena *out, Dag *d, Matrix B, int first);
// Christoffel's C of an inertia, where q' = w.
Matrix christoffel(Arena *out, Dag *d, Matrix B, const Expr *q, const Expr *w);

// The dynamically equivalent manipulator (Liang, Papadopoulos and Dubowsky): a fixed-base arm with
// a passive ball joint at the centre of mass of the whole, whose joints move as those of the
// floating chain of hinges, as text of the language. False: reported.
bool derive_equivalent(Text *out, const Model *m, const Mechanism *x, Report *r);

#endif
