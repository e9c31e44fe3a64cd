// What the component library has, read once.
#ifndef BONDYN_SERVICE_LIBRARY_INDEX_H
#define BONDYN_SERVICE_LIBRARY_INDEX_H

#include "base/array.h"
#include "lang/ast.h"

typedef struct {
    ClassKind kind;
    const char *file; // "electric"
    const char *name, *text, *detail;
    bool has_ports;      // or extends something that may
    const char *snippet; // name and arguments that must be given, with places to fill in
} LibraryEntry;

typedef struct LibraryIndex {
    Arena arena;
    ARRAY(LibraryEntry) entry;
    ARRAY(const char *) file;
} LibraryIndex;

LibraryIndex *library_index_new(const char *folder); // Nullable
void library_index_free(LibraryIndex *l);

// "Resistor ${1:name}(R = ${2})": for completion.
void class_snippet(Text *out, const Names *n, const AstClass *c);

#endif
