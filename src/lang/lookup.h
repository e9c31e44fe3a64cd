// Definitions by name: a file's own first, then those of the files it imports.
#ifndef BONDYN_LANG_LOOKUP_H
#define BONDYN_LANG_LOOKUP_H

#include "base/report.h"
#include "base/suggest.h"
#include "lang/lang.h"
#include "lang/pairs.h"

typedef struct {
    const AstClass *what; // NULL: there is none
    const AstFile *file;  // where it stands
} Definition;

typedef struct {
    const AstFile *from, *to;
    bool named; // for stem.NAME only
} Import;

typedef struct Lookup {
    Pairs by_name; // (source, name) -> definition
    Definition *definition;
    int definition_count;
    Import *import;
    int import_count;
} Lookup;

Definition find_own(const Syntax *s, const AstFile *file, Name name); // in this file alone
// A definition by its plain name; an ambiguous one is reported at `asked` and the first taken.
Definition find_definition(const Syntax *s, const AstFile *file, Name name, Pos asked, Report *r);
// electric.Resistor: `stem` is the name of the file itself or of one that it imports.
Definition find_in_library(const Syntax *s, const AstFile *file, Name stem, Name name);
// NAME or stem.NAME as an expression; what = NULL when it is neither or unknown.
Definition find_by_path(const Syntax *s, const AstFile *file, const AstExpr *path, Report *r);

void suggest_definitions(Suggestion *g, const Syntax *s, const AstFile *file, unsigned kinds);

#endif
