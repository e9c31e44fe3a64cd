// Implicit blocks in native code over lanes: a function for each block that the rates, outputs or
// switches of several runs solve at once (lane_kernels.def).
//
//     rates_0(c, y);        what the block needs
//     bondyn_solve_0(c);    its unknowns, in all lanes that count
//     rates_1(c, y);
//
// Lanes for which the kernels over lanes are not enough (Newton's step must be shortened, a matrix
// is singular, a value not finite) are handed to BondynCall.solve, which takes them one by one.
#ifndef BONDYN_ENGINE_NATIVE_BLOCKS_H
#define BONDYN_ENGINE_NATIVE_BLOCKS_H

#include "base/text.h"
#include "engine/program.h"

enum { MOST_LANE_UNKNOWNS = 40 }; // of a block; above, matrices may be sparse

typedef struct { // per block
    bool *solved, *matrix;
    int count; // of those that are solved
} LaneBlocks;

LaneBlocks lane_blocks(const Program *p);
void lane_blocks_free(LaneBlocks *b);
void native_lane_solvers(Text *out, const Program *p, const LaneBlocks *b); // before their use
void native_lane_block(Text *out, const Program *p, int block); // behind residual and matrix

#endif
