// Mechanisms of a flat model become laws of their components.
#ifndef BONDYN_MECH_EXPAND_H
#define BONDYN_MECH_EXPAND_H

#include "base/report.h"
#include "lang/model.h"

// Needs: the model as lang_instantiate leaves it.  Gives: der(q), der(p), flows, frames, energies
// and momenta as equations of each mechanism's component, and the start values of its momenta.
// False: something is wrong with a mechanism, and reported.
bool mech_expand(Model *m, Arena *out, Report *r);

#endif
