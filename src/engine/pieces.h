// Functions that consist of pieces (pieces.c): which piece is which, and how far x is outside of
// it.
#ifndef BONDYN_ENGINE_PIECES_H
#define BONDYN_ENGINE_PIECES_H

#include "engine/program.h"

double piece_event_function(const TapeSwitch *s, double piece, double x); // negative inside

#endif
