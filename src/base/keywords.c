#include "base/keywords.h"

#include <string.h>

bool is_keyword(const char *word) {
#define WORD(id, text) text,
    static const char *const words[] = {KEYWORDS(WORD)};
#undef WORD
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0) return true;
    return false;
}
