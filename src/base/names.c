#include "base/names.h"

#include "base/array.h"
#include "base/memory.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct Names {
    Arena texts;
    ARRAY(const char *) text; // by name
    uint32_t *slot;           // open hashing: a name, or 0 for a free slot
    uint32_t slots;           // a power of two
};

static uint32_t hash_text(const char *s, size_t n) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h ^ (h >> 15);
}

Names *names_new(void) {
    Names *n = memory_zeroed(1, sizeof *n);
    array_push(&n->text, "");
    return n;
}

Names *names_copy(const Names *n) {
    Names *copy = memory_zeroed(1, sizeof *copy);
    for (int i = 0; i < n->text.count; i++) array_push(&copy->text, n->text.data[i]);
    copy->slots = n->slots;
    copy->slot = memory_zeroed(n->slots, sizeof *copy->slot);
    if (n->slots) memcpy(copy->slot, n->slot, n->slots * sizeof *copy->slot);
    return copy;
}

void names_free(Names *n) {
    if (!n) return;
    arena_free(&n->texts);
    array_free(&n->text);
    free(n->slot);
    free(n);
}

static uint32_t *find_slot(const Names *n, const char *text, size_t length) {
    uint32_t i = hash_text(text, length) & (n->slots - 1);
    for (; n->slot[i]; i = (i + 1) & (n->slots - 1)) {
        const char *known = n->text.data[n->slot[i]];
        if (strncmp(known, text, length) == 0 && known[length] == 0) break;
    }
    return &n->slot[i];
}

static void grow_slots(Names *n) {
    free(n->slot);
    n->slots = n->slots ? n->slots * 2 : 256;
    n->slot = memory_zeroed(n->slots, sizeof *n->slot);
    for (int i = 1; i < n->text.count; i++)
        *find_slot(n, n->text.data[i], strlen(n->text.data[i])) = (uint32_t)i;
}

Name name_of_n(Names *n, const char *text, size_t length) {
    if (!length) return 0;
    if ((uint32_t)n->text.count * 2 >= n->slots) grow_slots(n);
    uint32_t *slot = find_slot(n, text, length);
    if (!*slot) {
        *slot = (uint32_t)n->text.count;
        array_push(&n->text, arena_copy_text(&n->texts, text, length));
    }
    return *slot;
}

Name name_of(Names *n, const char *text) { return name_of_n(n, text, strlen(text)); }

Name name_printf(Names *n, const char *format, ...) {
    char small[256];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(small, sizeof small, format, args);
    char *text = small;
    if ((size_t)length >= sizeof small) {
        text = memory_zeroed((size_t)length + 1, 1);
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    va_end(args);
    Name name = name_of_n(n, text, (size_t)length);
    if (text != small) free(text);
    return name;
}

Name name_find(const Names *n, const char *text) {
    return n->slots && *text ? *find_slot(n, text, strlen(text)) : 0;
}

const char *name_text(const Names *n, Name name) { return n->text.data[name]; }

int name_compare(const char *a, const char *b) {
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            size_t zeros_a = strspn(a, "0"), zeros_b = strspn(b, "0");
            size_t na = strspn(a + zeros_a, "0123456789"), nb = strspn(b + zeros_b, "0123456789");
            if (na != nb) return na < nb ? -1 : 1;
            int order = strncmp(a + zeros_a, b + zeros_b, na);
            if (order) return order;
            if (zeros_a != zeros_b) return zeros_a < zeros_b ? -1 : 1;
            a += zeros_a + na, b += zeros_b + nb;
        } else {
            if (*a != *b) return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            a++, b++;
        }
    }
    return (*a != 0) - (*b != 0);
}

int name_distance(const char *a, const char *b, int limit) {
    enum { MOST = 64 };
    size_t na = strlen(a), nb = strlen(b);
    if (na > MOST || nb > MOST) return limit + 1;
    int row[3][MOST + 1]; // three rows of the table: before last, last, current
    for (size_t j = 0; j <= nb; j++) row[1][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        row[2][0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int best = row[1][j - 1] + (a[i - 1] != b[j - 1]);
            if (row[1][j] + 1 < best) best = row[1][j] + 1;
            if (row[2][j - 1] + 1 < best) best = row[2][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                row[0][j - 2] + 1 < best)
                best = row[0][j - 2] + 1;
            row[2][j] = best;
        }
        memcpy(row[0], row[1], sizeof row[0]);
        memcpy(row[1], row[2], sizeof row[1]);
    }
    return row[1][nb] <= limit ? row[1][nb] : limit + 1;
}
