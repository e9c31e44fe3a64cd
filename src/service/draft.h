// Changes of a drawn bond graph as changes of its text: the text stays the truth, and everything
// that a change does not speak of (comments, layout, the order of statements) stays as it is.
//
//     mouse                         text
//     an R is put down              R r1(1)              behind the last component
//     a bond from v to r1           v -> mass, r1        in the list of v, or as a line of its own
//     the bond is taken away        v -> mass
//
// Each call reads the text anew, so that calls can follow each other; edits_between tells at the
// end what is different, line by line.
#ifndef BONDYN_SERVICE_DRAFT_H
#define BONDYN_SERVICE_DRAFT_H

#include "lang/ast.h"
#include "service/lexemes.h"

typedef struct { // bytes of the text
    uint32_t at, end;
} Span;

typedef struct { // a text with one of its models
    Arena arena;
    Names *names;
    Sources *sources;
    const AstFile *file;
    const AstClass *class; // that is drawn; NULL: the text has none
    const char *text;
    size_t length;
    Lexemes piece;
} Draft;

// The model of this name; "": that of the first experiment, or the last one. Free with draft_close.
void draft_open(Draft *d, const char *text, size_t length, const char *model);
void draft_close(Draft *d);

typedef struct { // a bond as the text has it
    Span from, to;
    int statement; // first lexeme of it
    int group, tail, head;
} DraftBond;
typedef ARRAY(DraftBond) DraftBonds;
DraftBonds draft_bonds(const Draft *d);                           // free with array_free
bool span_is_of(const Draft *d, Span end, const char *name);      // `name`, `name.p`, `name[2]`
const AstItem *draft_component(const Draft *d, const char *name); // NULL: none of this name

typedef struct {      // an argument of a component
    const char *name; // "": by its place
    Span value;
} DraftArgument;
typedef struct {
    ARRAY(DraftArgument) argument; // names are in the draft's arena
    Span open, close;              // the brackets; open.end == 0: none
    Span value;                    // behind `=`; end == 0: none
    uint32_t name_end;
} DraftArguments;
DraftArguments draft_arguments(Draft *d, const AstItem *component);

// --- changes: false, and the reason in words, when they cannot be made ---------------------------

bool draft_add(Text *text, const char *model, const char *statement, const char **problem);
bool draft_bond(Text *text, const char *model, const char *from, const char *to,
                const char **problem);
// The bond from one component to another; `index` counts those that have the same ends.
bool draft_unbond(Text *text, const char *model, const char *from, const char *to, int index,
                  const char **problem);
// One end of it becomes another, or both change places (`to` and `from` exchanged).
bool draft_reroute(Text *text, const char *model, const char *from, const char *to, int index,
                   const char *new_from, const char *new_to, const char **problem);
bool draft_remove(Text *text, const char *model, const char *name,
                  const char **problem); // and its bonds
// `position`: the argument's place when it is not named; "": the value behind `=`.
bool draft_set(Text *text, const char *model, const char *name, const char *parameter, int position,
               const char *value, const char **problem);
// A name that the text does not have: "r1", "resistor2".
void fresh_name(Text *out, const char *text, size_t length, const char *type);

// --- edits ---------------------------------------------------------------------------------------

typedef struct {
    uint32_t at, end; // of the old text
    char *text;       // on the heap
} TextEdit;
typedef ARRAY(TextEdit) TextEdits;
TextEdits edits_between(const char *old, size_t old_length, const char *new, size_t new_length);
void text_edits_free(TextEdits *e);

#endif
