// The matrices of a lagrangian from its energies.
#ifndef BONDYN_MECH_DERIVE_ENERGY_H
#define BONDYN_MECH_DERIVE_ENERGY_H

#include "expr/matrix.h"
#include "mech/mech.h"

// B w' + C w + g + R = effort, with w = q'
typedef struct {
    Matrix B, C; // n x n
    Matrix g, R; // n x 1
} EnergyMatrices;

// False: the kinetic energy is no quadratic form of the velocities.
bool energy_matrices(Arena *out, Dag *d, const Mechanism *x, const Expr *q, const Expr *w, int n,
                     EnergyMatrices *m);

#endif
