// Tables from MAT files (mat_table.c).
#ifndef BONDYN_LANG_MAT_TABLE_H
#define BONDYN_LANG_MAT_TABLE_H

#include "base/text.h"

// The columns of a MAT file as CSV text. NULL, or why not.
const char *mat_as_csv(Text *out, const char *bytes, size_t length);

#endif
