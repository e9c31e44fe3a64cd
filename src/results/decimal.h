// Doubles as text that reads back as the same double, fast enough for millions of them.
#ifndef BONDYN_RESULTS_DECIMAL_H
#define BONDYN_RESULTS_DECIMAL_H

#include "base/text.h"

// 0.1 stays 0.1: fifteen digits where they are the whole truth, seventeen otherwise.
void decimal_add(Text *out, double x);

#endif
