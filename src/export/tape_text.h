// The inside of tape_text.c and tangent_text.c: a tape on its way to C.
#ifndef BONDYN_EXPORT_TAPE_TEXT_H
#define BONDYN_EXPORT_TAPE_TEXT_H

#include "export/writing.h"

typedef struct {
    Writing *w;
    Text *out, body;
    const TapeFunction *f;
    int count;
    bool *live;   // per instruction
    bool *spilt;  // per instruction: a later part reads its value
    int *part_of; // per instruction
    int *
        pair; // per instruction: the cosine of the same angle beside a sine, or the other way; -1: none
    int *def; // per register: the instruction that wrote it, -1: none here
    bool uses_registers;
    bool tangent; // with the derivatives along a direction beside every value
    bool *active; // per instruction: its value changes along that direction
} TapeText;

// --- tape_text.c
bool tape_is_local(const Writing *w, uint32_t reg);
void tape_operand(TapeText *t, uint32_t reg);
void tape_table(TapeText *t, Instruction c, TapeOp op); // a table, or its slope

// --- tangent_text.c
// Does the value of instruction i change along a direction? Needs: `def` as before it.
bool tangent_is_active(const TapeText *t, Instruction c);
void tangent_line(TapeText *t, int i);
void tangent_result(TapeText *t, uint32_t reg);

#endif
