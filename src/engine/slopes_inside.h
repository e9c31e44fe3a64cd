// What both ways of differentiating a tape share; inside this folder.
#ifndef BONDYN_ENGINE_SLOPES_INSIDE_H
#define BONDYN_ENGINE_SLOPES_INSIDE_H

#include "engine/slopes.h"

// --- one instruction -----------------------------------------------------------------------------

typedef struct { // derivatives of a result by both operands and by what stood in its place
    double a, b, to;
} LineSlope;

// a, b: the operands before the instruction; value: its result.
LineSlope instruction_slope(const Machine *m, const Instruction *c, double a, double b,
                            double value);

// Does an operand's field name a register?
static inline bool reads_a(const Instruction *c) { return tape_info[c->op].a; }
static inline bool reads_b(const Instruction *c) { return tape_info[c->op].b; }

// --- blocks --------------------------------------------------------------------------------------

typedef struct SlopeFactors SlopeFactors; // matrices of blocks, factored at their solutions
SlopeFactors *slope_factors_new(Machine *m);
void slope_factors_free(SlopeFactors *f);
bool slope_factor(SlopeFactors *f, int block); // with the unknowns as registers hold them
void slope_solve(const SlopeFactors *f, int block, bool transposed, double *x);

// d outputs / d inputs of a function of matrices, a row per output. False: there is none.
bool matrix_slopes(const Machine *m, const TapeMatrix *t, double *row);

#endif
