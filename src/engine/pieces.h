// Functions that consist of smooth pieces (pieces.c): which piece an argument lies in, and how far
// it lies outside of a given piece.
#ifndef BONDYN_ENGINE_PIECES_H
#define BONDYN_ENGINE_PIECES_H

#include "engine/program.h"

double piece_at(const TapeSwitch *s, double x);
double piece_event_function(const TapeSwitch *s, double piece, double x); // negative inside

#endif
