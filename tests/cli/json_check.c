// json_check FILE: is the file exactly one JSON value? Ends with 0 or 1 and says where it is not.
//
//     value = object | array | string | number | "true" | "false" | "null"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 500 };

static const char *value(const char *c, int depth);

static const char *space(const char *c) { return c + strspn(c, " \n\t\r"); }

// Length of the UTF-8 letter at c; 0 when it is none.
static int letter(const char *c) {
    unsigned char first = (unsigned char)*c;
    int length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    for (int i = 1; i < length; i++)
        if (((unsigned char)c[i] & 0xc0) != 0x80) return 0;
    return length;
}

static const char *string(const char *c) {
    if (*c++ != '"') return NULL;
    while (*c != '"') {
        if ((unsigned char)*c < 0x20) return NULL;
        if (*c == '\\') {
            c++;
            if (*c == 'u') {
                for (int i = 1; i <= 4; i++)
                    if (!isxdigit((unsigned char)c[i])) return NULL;
                c += 5;
            } else if (*c && strchr("\"\\/bfnrt", *c)) {
                c++;
            } else {
                return NULL;
            }
        } else {
            int length = letter(c);
            if (!length) return NULL;
            c += length;
        }
    }
    return c + 1;
}

static const char *number(const char *c) {
    if (*c == '-') c++;
    if (!isdigit((unsigned char)*c)) return NULL;
    if (*c == '0' && isdigit((unsigned char)c[1])) return NULL;
    char *end;
    strtod(c, &end);
    return end;
}

// list = open [ member { "," member } ] close,  member = [ string ":" ] value
static const char *list(const char *c, bool keys, char close, int depth) {
    c = space(c + 1);
    if (*c == close) return c + 1;
    for (;;) {
        if (keys) {
            c = string(space(c));
            if (!c || *(c = space(c)) != ':') return NULL;
            c++;
        }
        c = value(space(c), depth + 1);
        if (!c) return NULL;
        c = space(c);
        if (*c == close) return c + 1;
        if (*c++ != ',') return NULL;
    }
}

static const char *value(const char *c, int depth) {
    if (depth > DEEPEST) return NULL;
    if (*c == '{') return list(c, true, '}', depth);
    if (*c == '[') return list(c, false, ']', depth);
    if (*c == '"') return string(c);
    if (strncmp(c, "true", 4) == 0 || strncmp(c, "null", 4) == 0) return c + 4;
    if (strncmp(c, "false", 5) == 0) return c + 5;
    return number(c);
}

int main(int count, char **words) {
    FILE *f = count == 2 ? fopen(words[1], "rb") : NULL;
    if (!f) return fprintf(stderr, "usage: json_check FILE\n"), 2;
    size_t length = 0, room = 1 << 16;
    char *text = malloc(room);
    for (size_t n; text && (n = fread(text + length, 1, room - length - 1, f)) > 0;) {
        length += n;
        if (room - length < 2) text = realloc(text, room *= 2);
    }
    fclose(f);
    if (!text) return 2;
    text[length] = 0;
    const char *end = value(space(text), 0);
    bool good = end && *space(end) == 0 && strlen(text) == length;
    if (!good) fprintf(stderr, "%s: not one JSON value\n", words[1]);
    free(text);
    return good ? 0 : 1;
}
