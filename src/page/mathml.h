// Formulas for browsers: the LaTeX that expr and equations print, as MathML.
#ifndef BONDYN_PAGE_MATHML_H
#define BONDYN_PAGE_MATHML_H

#include "base/text.h"

// One <math display="block"> element. What is not in the vocabulary of our own printers stands as
// the word it is.
void latex_to_mathml(Text *out, const char *latex);

#endif
