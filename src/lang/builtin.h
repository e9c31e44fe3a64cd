// The elements that the language knows by itself: one list, for the language and for editors.
#ifndef BONDYN_LANG_BUILTIN_H
#define BONDYN_LANG_BUILTIN_H

#include "lang/model.h"

typedef struct { // a type of element that the language knows by itself
    const char *type;
    CompKind kind;
    bool modulated;
    int ports;            // 0: a junction
    const char *argument; // "R"; NULL: none
    const char *start;    // "q0"; NULL: none
    const char *state;    // "q"; NULL: none
    Role role;
} Builtin;

enum { FIRST_ELEMENT = 2 };                    // in the list, behind the junctions
const Builtin *builtin_find(const char *type); // NULL: not built in
const Builtin *builtin_junction(int kind);     // 0 or 1
const Builtin *builtin_at(int index);          // NULL behind the last; for suggestions

#endif
