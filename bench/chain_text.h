// A chain in Bondyn's language.
#ifndef BONDYN_BENCH_CHAIN_TEXT_H
#define BONDYN_BENCH_CHAIN_TEXT_H

#include "base/text.h"
#include "chain.h"

// Efforts at all joints as sources, or dampers of 0.5 N.m.s/rad and a tenth of the speed; started
// from the given state; ten seconds of RK4 at 1 ms, recorded every 10 ms.
void chain_text(Text *out, const Chain *c, const ChainState *s, bool damped);

#endif
