// Formulas for browsers: the LaTeX that expr and equations print, as MathML.
#ifndef BONDYN_PAGE_MATHML_H
#define BONDYN_PAGE_MATHML_H

#include "base/text.h"

// Writes one <math display="block"> element. Commands that our own printers do not use are written
// as plain words.
void latex_to_mathml(Text *out, const char *latex);

#endif
