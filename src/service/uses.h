// Every name that stands in a file, with what it means.
#ifndef BONDYN_SERVICE_USES_H
#define BONDYN_SERVICE_USES_H

#include "service/meaning.h"

typedef struct {
    uint32_t at, end; // bytes of the file
    bool declares;    // it stands where it is declared
    Meaning meaning;
    AstExpr const *path;   // the path up to here, where it is part of one
    const AstClass *class; // in which it stands, or NULL
} Use;

typedef ARRAY(Use) Uses;

Uses uses_of_file(const Analysis *a, const AstFile *file); // in order; free with array_free
const Use *use_at(const Uses *u, uint32_t at);             // NULL: no name is there

typedef struct {
    char *path; // of the file
    uint32_t at, end;
    bool declares;
} Reference;
typedef ARRAY(Reference) References;

// All places that mean the same, in this document, in what it imports, and in the files of its
// folder that import it. Free with references_free.
References references_to(const Store *s, const Analysis *a, const Meaning *m);
void references_free(References *r);

#endif
