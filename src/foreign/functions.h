// Functions of C libraries as functions that expressions can call.
#ifndef BONDYN_FOREIGN_FUNCTIONS_H
#define BONDYN_FOREIGN_FUNCTIONS_H

#include "base/arena.h"
#include "numeric/external.h"

typedef struct {
    const char *name; // in the model
    const char *library, *symbol;
    const char *derivative; // symbol; NULL: by differences
    int inputs, outputs;
    bool impure;
} ForeignFunction;

// The function and its guest, in memory of its own: foreign_function_free.
typedef struct ForeignCode ForeignCode;
ForeignCode *foreign_function_new(const ForeignFunction *f);
const External *foreign_function(const ForeignCode *c);
// Can it be loaded? NULL: yes; else what is wrong.
const char *foreign_function_try(ForeignCode *c);
void foreign_function_free(void *code);

#endif
