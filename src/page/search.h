// The sections of a page on what came before its run: the parameters that a search found, and sensitivities.
#ifndef BONDYN_PAGE_SEARCH_H
#define BONDYN_PAGE_SEARCH_H

#include "optimise/optimise.h"
#include "sensitivity/tornado.h"

const char *found_title(const Found *f);
void found_html(Text *out, const Found *f);
void sensitivities_html(Text *out, const Sensitivities *s);

#endif
