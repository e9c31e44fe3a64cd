// Steps of a run, cut where derivatives are to be taken along them.
//
//     max(x, 0) |        /      A step that passes a kink has slopes of both of its sides, and a method that looks at
//               |_______/       it at a few points does not see in which share. So it is cut there, and each part
//               t  a|b  t+h     knows on which side it is. Values and rates have no jump: nothing else happens.
//
// Besides, steps of methods that are not gone along by themselves are divided until they end where the run did.
#ifndef BONDYN_SENSITIVITY_CUTS_H
#define BONDYN_SENSITIVITY_CUTS_H

#include "sensitivity/stride.h"
#include "sensitivity/trail.h"

// The step from x at time t to the node `to`: how it is gone along, once for every way. False: it cannot be.
bool cuts_make(Trail *trail, Node *to, Stride *s, double t, const double *x, double rtol);
// Is the derivative along the whole step, which was just taken, exact enough? Then the node notes that the
// step need not be cut at kinks.
bool cuts_whole(Node *to, const Stride *s, const double *x, double rtol);
StepPart cuts_part(const Node *to, int i, double t); // of a step that begins at t

#endif
