// The elements that the language knows by itself, one line each.
#include "lang/build.h"

#include <string.h>

static const Builtin table[] = {
    {"0", COMP_0, false, 0, NULL, NULL, NULL, ROLE_NONE},
    {"1", COMP_1, false, 0, NULL, NULL, NULL, ROLE_NONE},
    {"Se", COMP_SE, false, 1, "e", NULL, NULL, ROLE_SUPPLY},
    {"MSe", COMP_SE, true, 1, "e", NULL, NULL, ROLE_SUPPLY},
    {"Sf", COMP_SF, false, 1, "f", NULL, NULL, ROLE_SUPPLY},
    {"MSf", COMP_SF, true, 1, "f", NULL, NULL, ROLE_SUPPLY},
    {"R", COMP_R, false, 1, "R", NULL, NULL, ROLE_DISSIPATE},
    {"C", COMP_C, false, 1, "C", "q0", "q", ROLE_STORE},
    {"I", COMP_I, false, 1, "I", "p0", "p", ROLE_STORE},
    {"TF", COMP_TF, false, 2, "m", NULL, NULL, ROLE_LOSSLESS},
    {"MTF", COMP_TF, true, 2, "m", NULL, NULL, ROLE_LOSSLESS},
    {"GY", COMP_GY, false, 2, "r", NULL, NULL, ROLE_LOSSLESS},
    {"MGY", COMP_GY, true, 2, "r", NULL, NULL, ROLE_LOSSLESS},
    {"De", COMP_DE, false, 1, NULL, NULL, NULL, ROLE_NONE},
    {"Df", COMP_DF, false, 1, NULL, NULL, NULL, ROLE_NONE},
};

enum { TYPES = sizeof table / sizeof table[0] };

const Builtin *builtin_find(const char *type) {
    for (int i = FIRST_ELEMENT; i < TYPES; i++)
        if (strcmp(table[i].type, type) == 0) return &table[i];
    return NULL;
}

const Builtin *builtin_junction(int kind) { return &table[kind]; }

const Builtin *builtin_at(int index) { return index < TYPES ? &table[index] : NULL; }
