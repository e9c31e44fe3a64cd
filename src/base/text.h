// Text: a string that grows, for everything that is printed or written to a file.
#ifndef BONDYN_BASE_TEXT_H
#define BONDYN_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct {
    char *data; // always ends with 0 once anything was added; NULL before
    size_t length, capacity;
} Text;

void text_add(Text *t, const char *s);
void text_add_n(Text *t, const char *s, size_t n);
void text_char(Text *t, char c);
void text_printf(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_number(Text *t, double x);    // the shortest decimal that reads back as the same double
void text_json(Text *t, const char *s); // quoted and escaped for JSON
void text_xml(Text *t, const char *s);  // escaped for XML text and attributes
// As a terminal may show it: what would move the cursor, change colours or the direction of
// writing, or is no UTF-8 at all, becomes '?'. Ends of lines and tabs stay.
void text_shown(Text *t, const char *s, size_t length);
void text_clear(Text *t);
void text_free(Text *t);
const char *text_get(const Text *t); // never NULL

// n characters into a place of one's own, without a final 0; returns the place behind them.
static inline char *put_chars(char *at, const char *from, size_t n) {
    if (n) memcpy(at, from, n); // `from` may be NULL where there is nothing
    return at + n;
}

#endif
