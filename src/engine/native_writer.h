// What the files that write native code share.
#ifndef BONDYN_ENGINE_NATIVE_WRITER_H
#define BONDYN_ENGINE_NATIVE_WRITER_H

#include "base/text.h"
#include "engine/native.h"
#include "engine/native_order.h"

enum { LONG_TAPE = 2500 }; // from so many instructions on loops pay: a chain of 12 joints

typedef struct LoopText LoopText;

typedef struct {
    Text *out;
    const Program *p;
    int *variable; // per node: the model variable with this value + 1, or 0
    bool lanes;    // a run per lane; else one run
    Rolling rolling;
    int width;             // angles of a group
    int first_slot, slots; // where those of the present function begin; of all
    const char *type;      // of a value
    const Order *o;        // of the function that is being written
    int part;
    const LoopText *loop; // that is being written; NULL: none
} Writer;

// --- native_text.c
void write_ref(Writer *w, Ref ref);
void write_statement(Writer *w, int i);

// --- native_loop_text.c
void write_loop(Writer *w, const Part *part);
void write_loop_operand(Writer *w, int i, int which);
void write_loop_copy(Writer *w, int i); // to a row of slots

#endif
