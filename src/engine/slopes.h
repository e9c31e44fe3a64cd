// Derivatives of tapes in numbers, for whatever a tape computes: rates, outputs, event functions,
// actions, start values, jumps.
//
//     forward    c = f(a, b)    c. = f_a a. + f_b b.               a dot per register and direction
//     backward   weights       a~ += f_a c~,  b~ += f_b c~         a weight per register
//
// Blocks r(u, x) = 0 pass derivatives on by their matrix at the solution: r_u u. = -r_x x., and
// back r_u' y = u~, x~ -= r_x' y. Relations and pieces stay as they are: where they change is an
// event, and not the business of a tape. Both run the tape at the point that the machine's
// registers hold.
#ifndef BONDYN_ENGINE_SLOPES_H
#define BONDYN_ENGINE_SLOPES_H

#include "engine/program.h"

// --- forward (slopes_forward.c) ------------------------------------------------------------------

typedef struct Dots Dots;
Dots *dots_new(Machine *m, int directions);
void dots_free(Dots *d);
double *dots_of(Dots *d, uint32_t reg); // a number per direction
void dots_clear(Dots *d);
// Values and dots; false: a block has no solution or no slope.
bool dots_run(Dots *d, const TapeFunction *f);

// --- backward (slopes_backward.c) ----------------------------------------------------------------

typedef struct Weights Weights;
Weights *weights_new(Machine *m);
void weights_free(Weights *w);
double *weight_of(Weights *w, uint32_t reg);
void weights_clear(Weights *w);
// The tape forth and back: what its results weigh (`seed`, Nullable; besides what their registers
// weigh already) goes to what it reads, and registers hold again what they held before.
bool weights_run(Weights *w, const TapeFunction *f, const double *seed);

// --- backward, for tapes that are run forth one after the other and back in reverse order
// (slopes_straight.c)

typedef struct Straight Straight;
Straight *straight_new(Machine *m, const TapeFunction *f); // NULL: it solves blocks
void straight_free(Straight *s);
void straight_begin(Straight *s); // nothing is kept
// At the point that the machine's registers hold, which get no results; false: an operation has no
// value.
bool straight_forth(Straight *s, double *result);
// Backwards over the last forward pass that is still open: adds the weights of what it read to
// those of the registers.
void straight_back(Straight *s, const double *seed, Weights *weights);

#endif
