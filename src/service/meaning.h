// What a name in the text means: the declaration that it stands for.
//
// Names are looked up in the syntax tree, not in a built model, so that an editor gets answers
// while the text is wrong somewhere else: in the class that they stand in, in those that it
// extends, in the file, and in what the file imports.
#ifndef BONDYN_SERVICE_MEANING_H
#define BONDYN_SERVICE_MEANING_H

#include "service/analysis.h"

typedef enum {
    MEANS_NOTHING,  // unknown
    MEANS_CLASS,    // a definition at the top of a file
    MEANS_ITEM,     // a declaration in a class
    MEANS_FORMAL,   // an argument of a function or table
    MEANS_LOOP,     // the variable of a `for`
    MEANS_LOCAL,    // a name in the body of a function
    MEANS_ELEMENT,  // R, C, TF ...
    MEANS_VARIABLE, // what an element of the language has: e, f, q, p; signals of joints and frames
    MEANS_FUNCTION, // of the language
    MEANS_FILE,     // an import
} MeaningKind;

typedef struct {
    MeaningKind kind;
    Name name;
    Pos pos;               // where it is declared; POS_NONE: by the language
    const AstFile *file;   // of the declaration
    const AstClass *class; // the definition, or the one in which the item stands
    const AstItem *item;
    const AstFormal *formal;
} Meaning;

// Loops around a place, from the inside.
typedef struct LoopScope {
    const AstItem *item;
    const struct LoopScope *outer;
} LoopScope;

typedef struct {
    const Analysis *a;
    const AstFile *file;
    const AstClass *class;    // NULL: the top of the file
    const LoopScope *loops;   // Nullable
    const AstItem *component; // whose law it is, or NULL
} Scope;

Meaning meaning_of_name(const Scope *s, Name name);
Meaning meaning_of_type(const Scope *s, const AstExpr *path); // a class or an element
Meaning meaning_of_member(const Analysis *a, const Meaning *of, Name name);
Meaning meaning_of_path(const Scope *s, const AstExpr *path);

// The class of a component, of a set of parameters, or the class itself; what = NULL: none.
Definition meaning_class(const Analysis *a, const Meaning *m);
Definition class_base(const Analysis *a,
                      Definition d); // what it extends, or the model of an experiment

// The class that stands at a place of the file; NULL: none.
const AstClass *class_at(const AstFile *file, uint32_t at);

// All declarations of a class and of what it extends; stops when `take` says false.
typedef bool (*TakeItem)(void *context, const AstFile *file, const AstClass *c, const AstItem *i);
void each_declaration(const Analysis *a, Definition d, TakeItem take, void *context);
bool declares(const AstItem *i); // does the statement declare its name?

// Where the name of a declaration stands: of a loop it follows the word `for`.
Pos loop_pos(const Analysis *a, const AstItem *loop);
bool is_element(const char *word); // of the language

#endif
