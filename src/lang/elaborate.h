// Classes becoming instances: what elaborate.c, declare.c and extends.c share.
#ifndef BONDYN_LANG_ELABORATE_H
#define BONDYN_LANG_ELABORATE_H

#include "lang/build.h"

enum { LONGEST_EXTENDS = 50 };

typedef struct {
    const AstClass *class;
    const Env *env;
} Level; // one class of an `extends` chain

typedef struct Elaboration Elaboration;
struct Elaboration {
    Builder *b;
    int instance;
    Level level[LONGEST_EXTENDS]; // base first
    int levels;
    Bindings bindings;
    Elaboration *outer; // of the model that contains it; NULL: the model to run
    Pairs ends;         // (0, path): what its bonds end at, see optional.c
    bool ends_known;
};

// --- extends.c
bool find_levels(Elaboration *e, Definition d); // the class and what it extends. False: reported
void collect_bindings(Elaboration *e);          // arguments, by the names that they set
void report_unknown_bindings(Elaboration *e);   // those that nothing took

// --- elaborate.c
// What the caller, `extends` or `set` gives for a name, else what its declaration says.
const AstExpr *given_value(Elaboration *e, const AstItem *item, const Env **env);

// --- chosen.c
void declare_chosen(Elaboration *e, const AstItem *item, const Env *env);

// --- optional.c
bool optional_port(Elaboration *e, const AstItem *item); // does it exist? Remembered for bonded()

// --- declare.c
Binding *find_binding(Elaboration *e, Name name); // that sets this name, now used; NULL: none
void declare_entity(Elaboration *e, const AstItem *item, const Env *env, EntityKind kind);
void declare_port(Elaboration *e, const AstItem *item, const Env *env);

#endif
