// A small JSON writer.
//
//     json_open(t, '{');
//     json_text_of(t, "name", "arm");
//     json_number_of(t, "mass", 2.5);
//     json_close(t, '}');
//
// Commas are put where they belong: json_key(t, "a"); json_number(t, 1); json_key(t, "b"); ...
#ifndef BONDYN_BASE_JSON_H
#define BONDYN_BASE_JSON_H

#include "base/text.h"

void json_open(Text *t, char bracket);
void json_close(Text *t, char bracket);
void json_key(Text *t, const char *key);
void json_quoted(Text *t, const char *value);
void json_number(Text *t, double value);  // null when it is not finite
void json_raw(Text *t, const char *json); // a value that is JSON already

// A key with its value.
void json_text_of(Text *t, const char *key, const char *value);
void json_number_of(Text *t, const char *key, double value);
void json_bool_of(Text *t, const char *key, bool value);

#endif
