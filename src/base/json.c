// A small JSON writer. Whether a comma is due shows in the text itself: one is due behind anything
// but an opening bracket or a key.
#include "base/json.h"

#include <math.h>
#include <string.h>

static void comma(Text *t) {
    if (t->length && !strchr("{[ ", t->data[t->length - 1])) text_add(t, ", ");
}

void json_open(Text *t, char bracket) {
    comma(t);
    text_char(t, bracket);
}

void json_close(Text *t, char bracket) { text_char(t, bracket); }

void json_key(Text *t, const char *key) {
    comma(t);
    text_json(t, key);
    text_add(t, ": ");
}

void json_quoted(Text *t, const char *value) {
    comma(t);
    text_json(t, value);
}

void json_number(Text *t, double value) {
    comma(t);
    if (isfinite(value))
        text_number(t, value);
    else
        text_add(t, "null");
}

static void json_bool(Text *t, bool value) {
    comma(t);
    text_add(t, value ? "true" : "false");
}

void json_raw(Text *t, const char *json) {
    comma(t);
    size_t length = strlen(json);
    while (length && strchr(" \n", json[length - 1])) length--;
    text_add_n(t, json, length);
}

void json_text_of(Text *t, const char *key, const char *value) {
    json_key(t, key);
    json_quoted(t, value);
}

void json_number_of(Text *t, const char *key, double value) {
    json_key(t, key);
    json_number(t, value);
}

void json_bool_of(Text *t, const char *key, bool value) {
    json_key(t, key);
    json_bool(t, value);
}
