// Names: each text is kept once and known by a small number, so equal names are equal numbers.
#ifndef BONDYN_BASE_NAMES_H
#define BONDYN_BASE_NAMES_H

#include "base/arena.h"
#include <stdint.h>

typedef uint32_t Name; // 0 is the empty name

typedef struct Names Names;

Names *names_new(void);
// The same names by the same numbers; what is added to the copy stays there. Needs: the original
// lives on.
Names *names_copy(const Names *n);
void names_free(Names *n);
Name name_of(Names *n, const char *text);
Name name_of_n(Names *n, const char *text, size_t length);
Name name_printf(Names *n, const char *format, ...) __attribute__((format(printf, 2, 3)));
Name name_find(const Names *n, const char *text); // 0 when the text was never named
const char *name_text(const Names *n, Name name);

// Order for lists that people read and that must not depend on declaration order:
// digits compare as numbers, so r[2] stands before r[10].
int name_compare(const char *a, const char *b);

// How many single-letter changes lead from a to b (Levenshtein with swaps), at most `limit` + 1.
// For suggestions: 'did you mean ...?'
int name_distance(const char *a, const char *b, int limit);

#endif
