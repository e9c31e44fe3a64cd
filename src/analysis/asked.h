// Linear models that a text asks for: linear(Plant, inputs = u, at = steady) (asked.c).
#ifndef BONDYN_ANALYSIS_ASKED_H
#define BONDYN_ANALYSIS_ASKED_H

#include "lang/lang.h"

bool linear_asked(Arena *out, Syntax *s, const LinearAsk *ask, const LangOptions *options,
                  LinearNumbers *x, Report *r); // LangOptions.linear

#endif
