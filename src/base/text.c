#include "base/text.h"

#include "base/decimal.h"
#include <math.h>
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

// Plain decimals in the range that people write so: 60 and 0.001 rather than 6e+01 and 1e-03.
static bool is_plain(const Decimal *d, double size) {
    return size >= 1e-4 && (size < 1e15 || d->exponent < d->count);
}

static int write_plain(char *to, const Decimal *d) {
    int n = 0;
    if (d->exponent < 0) {
        to[n++] = '0';
        to[n++] = '.';
        for (int i = -1; i > d->exponent; i--) to[n++] = '0';
    }
    for (int i = 0; i < d->count; i++) {
        if (i && i == d->exponent + 1) to[n++] = '.';
        to[n++] = d->digit[i];
    }
    for (int i = d->count; i <= d->exponent; i++) to[n++] = '0';
    return n;
}

static int write_with_exponent(char *to, size_t size, const Decimal *d) {
    return snprintf(to, size, "%c%s%.*se%+03d", d->digit[0], d->count > 1 ? "." : "", d->count - 1,
                    d->digit + 1, d->exponent);
}

void text_number(Text *t, double x) {
    char buffer[40];
    double size = fabs(x);
    int n = 0;
    if (size < 1e6 && x == (int)x && !signbit(x)) {
        n = snprintf(buffer, sizeof buffer, "%d", (int)x);
    } else if (!isfinite(x) || x == 0) {
        n = snprintf(buffer, sizeof buffer, "%g", x);
    } else {
        Decimal d = decimal_of(size);
        if (x < 0) buffer[n++] = '-';
        n += is_plain(&d, size) ? write_plain(buffer + n, &d)
                                : write_with_exponent(buffer + n, sizeof buffer - 1, &d);
    }
    text_add_n(t, buffer, (size_t)n);
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

// Bytes of the character in UTF-8 that begins here; 0: there is none.
static size_t character_bytes(const unsigned char *s, size_t length) {
    size_t n = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : *s >= 0xe0 && *s < 0xf0 ? 3 : 4;
    if (n > length || (n == 4 && (*s < 0xf0 || *s > 0xf4))) return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    return n;
}

// C0 and DEL; C1 (U+0080 .. U+009F); marks of direction (U+200E, U+200F, U+202A .. E, U+2066 .. 9).
static bool is_control(const unsigned char *s, size_t n) {
    if (n == 1) return (*s < 0x20 && *s != '\n' && *s != '\t') || *s == 0x7f;
    if (n == 2) return s[0] == 0xc2 && s[1] < 0xa0;
    if (n != 3 || s[0] != 0xe2) return false;
    return (s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xaa && s[2] <= 0xae))) ||
           (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
}

void text_shown(Text *t, const char *s, size_t length) {
    size_t from = 0;
    for (size_t i = 0; i < length;) {
        const unsigned char *c = (const unsigned char *)s + i;
        size_t n = character_bytes(c, length - i);
        bool hidden = n == 0 || is_control(c, n);
        if (hidden) {
            text_add_n(t, s + from, i - from);
            text_char(t, '?');
        }
        i += n ? n : 1;
        if (hidden) from = i;
    }
    text_add_n(t, s + from, length - from);
}
