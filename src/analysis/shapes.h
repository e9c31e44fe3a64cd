// Shapes of modes: what expressions of the model are along x + Re(c L v), from the point of a linear model on.
//
//     v   the vector of a mode, in the states of the linear model
//     L   LinearModel.lift: all states of the system, along the constraints
//     c   how far, and at which phase: a e^(i w t)
#ifndef BONDYN_ANALYSIS_SHAPES_H
#define BONDYN_ANALYSIS_SHAPES_H

#include "analysis/poles.h"

typedef struct Shapes Shapes;

// `at` and `poles` must outlive it. NULL with the reasons in r.
Shapes *shapes_new(const LinearPlan *plan, const Reached *at, const Poles *poles, const Expr *row,
                   int rows, Report *r);
void shapes_free(Shapes *s);
// d row / d c of a mode: the row moves by the real part of c times it.
Complex shapes_slope(const Shapes *s, int mode, int row);
// How much the states that rows depend on take part in a mode, from 0 to 1.
double shapes_part(const Shapes *s, int mode);
// The rows themselves; false: the equations have no solution there.
bool shapes_at(Shapes *s, int mode, Complex c, double *value);

#endif
