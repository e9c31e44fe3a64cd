#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_room(Text *t, size_t more) {
    if (t->length + more + 1 <= t->capacity) return;
    size_t capacity = t->capacity < 64 ? 64 : t->capacity * 2;
    if (capacity < t->length + more + 1) capacity = t->length + more + 1;
    t->data = realloc(t->data, capacity);
    if (!t->data) abort();
    t->capacity = capacity;
}

void text_add_n(Text *t, const char *s, size_t n) {
    make_room(t, n);
    if (n) memcpy(t->data + t->length, s, n);
    t->length += n;
    t->data[t->length] = 0;
}

void text_add(Text *t, const char *s) { text_add_n(t, s, strlen(s)); }

void text_char(Text *t, char c) { text_add_n(t, &c, 1); }

void text_printf(Text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t n = (size_t)vsnprintf(NULL, 0, format, args);
    make_room(t, n);
    vsnprintf(t->data + t->length, n + 1, format, again);
    t->length += n;
    va_end(again);
    va_end(args);
}

// 60 and 0.001 rather than 6e+01 and 1e-03: plain decimals in the range that people write so.
static void print_digits(char *buffer, size_t size, int digits, double x) {
    double magnitude = x < 0 ? -x : x;
    if (magnitude < 1e-4 || magnitude >= 1e15) {
        snprintf(buffer, size, "%.*g", digits, x);
        return;
    }
    int before = 1; // digits before the point
    for (double m = magnitude; m >= 10; m /= 10) before++;
    for (double m = magnitude; m < 1; m *= 10) before--;
    snprintf(buffer, size, "%.*f", digits > before ? digits - before : 0, x);
}

void text_number(Text *t, double x) {
    char buffer[64];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(buffer, sizeof buffer, "%.*g", digits, x);
        if (strtod(buffer, NULL) == x) {
            char plain[64];
            print_digits(plain, sizeof plain, digits, x);
            if (strtod(plain, NULL) == x) strcpy(buffer, plain);
            break;
        }
    }
    text_add(t, buffer);
}

void text_json(Text *t, const char *s) {
    text_char(t, '"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            text_printf(t, "\\%c", c);
        else if (c == '\n')
            text_add(t, "\\n");
        else if (c == '\t')
            text_add(t, "\\t");
        else if (c < 0x20)
            text_printf(t, "\\u%04x", c);
        else
            text_char(t, (char)c);
    }
    text_char(t, '"');
}

void text_xml(Text *t, const char *s) {
    for (; *s; s++) {
        if (*s == '<')
            text_add(t, "&lt;");
        else if (*s == '>')
            text_add(t, "&gt;");
        else if (*s == '&')
            text_add(t, "&amp;");
        else if (*s == '"')
            text_add(t, "&quot;");
        else
            text_char(t, *s);
    }
}

void text_clear(Text *t) {
    t->length = 0;
    if (t->data) t->data[0] = 0;
}

void text_free(Text *t) {
    free(t->data);
    *t = (Text){0};
}

const char *text_get(const Text *t) { return t->data ? t->data : ""; }
