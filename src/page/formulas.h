// The reduced equations of a model on a page: typeset, and folded by component when there are many.
#ifndef BONDYN_PAGE_FORMULAS_H
#define BONDYN_PAGE_FORMULAS_H

#include "equations/system.h"

void formulas_html(Text *out, const System *s);
// The same from the lines of a LaTeX `aligned`.
void formulas_from_latex(Text *out, const char *latex);

#endif
