// The reduced equations of a model on a page: typeset as MathML, which every browser draws without help, and folded by
// component when there are many.
#ifndef BONDYN_PAGE_FORMULAS_H
#define BONDYN_PAGE_FORMULAS_H

#include "equations/system.h"

void formulas_html(Text *out, const System *s);

#endif
