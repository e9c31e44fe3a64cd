// Help for a name that no imported file defines: perhaps a file of the library does.
#ifndef BONDYN_LANG_LIBRARY_H
#define BONDYN_LANG_LIBRARY_H

#include "lang/lookup.h"

// Says which import has `type` (NAME or stem.NAME), or something nearer to it than `own` has.
// kinds: bits 1 << ClassKind. False: nothing was said.
bool library_help(const Syntax *s, const char *type, unsigned kinds, const Suggestion *own,
                  Report *r, Remark *to);

#endif
