// Names tell: a setpoint is called as its value, with a word more.
//
//     arm.q_d[1]   arm.q[1]        word behind the name
//     ref_speed    speed           word before it
//     ref.w        motor.w         word in the path
#include "results/related.h"

#include <string.h>

static const char *const words[] = {"d",       "ref",       "r",        "set",    "des",
                                    "desired", "target",    "wanted",   "demand", "cmd",
                                    "command", "reference", "setpoint", "wish"};
enum { WORDS = sizeof words / sizeof *words };

typedef struct { // the last name of a path
    const char *name, *index;
    size_t length;
} Last;

static Last last_of(const char *label) {
    const char *dot = strrchr(label, '.');
    Last l = {.name = dot ? dot + 1 : label};
    l.length = strcspn(l.name, "[");
    l.index = l.name + l.length;
    return l;
}

static bool is_word(const char *s, size_t n) {
    for (int i = 0; i < WORDS; i++)
        if (strlen(words[i]) == n && strncmp(words[i], s, n) == 0) return true;
    return false;
}

static bool same(const char *a, size_t n, const char *b, size_t m) {
    return n == m && strncmp(a, b, n) == 0;
}

// One of the names before the last is such a word.
static bool path_has_word(const char *label) {
    for (const char *at = label; *at;) {
        size_t n = strcspn(at, ".");
        if (!at[n]) return false;
        if (n > 1 && is_word(at, strcspn(at, "[."))) return true;
        at += n + 1;
    }
    return false;
}

// w.f is the speed of w: the name before e, f, q or p tells as well.
static Last owner_of(const char *label) {
    const char *dot = strrchr(label, '.'), *begin = dot;
    if (!dot || !strchr("efqp", dot[1]) || (dot[2] && dot[2] != '['))
        return (Last){.name = "", .index = ""};
    while (begin > label && begin[-1] != '.') begin--;
    return (Last){begin, dot + 2, (size_t)(dot - begin)};
}

static bool names_setpoint(const char *setpoint, const char *value, Last w, Last v) {
    if (strcmp(w.index, v.index) != 0 || !v.length) return false;
    if (same(w.name, w.length, v.name, v.length))
        return path_has_word(setpoint) && !path_has_word(value);
    if (w.length <= v.length + 1) return false;
    size_t more = w.length - v.length - 1;
    bool behind = w.name[v.length] == '_' && same(w.name, v.length, v.name, v.length);
    bool before = w.name[more] == '_' && same(w.name + more + 1, v.length, v.name, v.length);
    return (behind && is_word(w.name + v.length + 1, more)) || (before && is_word(w.name, more));
}

bool label_is_setpoint(const char *setpoint, const char *value) {
    Last w = last_of(setpoint);
    return names_setpoint(setpoint, value, w, last_of(value)) ||
           names_setpoint(setpoint, value, w, owner_of(value));
}
