// The canonical form of a text: indentation, blanks and empty lines, and nothing else. Tokens,
// comments and the ends of lines stay where they are; a test formats every model of the tree and
// compares the tokens.
#ifndef BONDYN_SERVICE_FORMAT_H
#define BONDYN_SERVICE_FORMAT_H

#include "base/report.h"
#include "base/text.h"

// False: the text has lexical errors, which are in r; their places have no file. It is left alone.
bool format_text(Text *out, const char *text, size_t length, Report *r);

#endif
