// The inside of tape_text.c and tangent_text.c: a tape on its way to C.
#ifndef BONDYN_EXPORT_TAPE_TEXT_H
#define BONDYN_EXPORT_TAPE_TEXT_H

#include "export/writing.h"

typedef struct {
    Writing *w;
    Text *out, body;
    const TapeFunction *f;
    int count;
    bool *live;         // per instruction
    bool *spilt;        // per instruction: a later part reads its value
    int *part_of;       // per instruction
    int *group;         // per instruction: the first of those that it is computed with, or -1
    int *lane, *lanes;  // its place among the operands of the group, and how many the first one has
    int *slot, slots;   // per instruction: place of its value between parts + 1, without a register
    int *def;           // per register: the instruction that wrote it, -1: none here
    uint32_t registers; // numbers of registers; those above the program's are local
    bool uses_registers;
    bool tangent; // with the derivatives along a direction beside every value
    bool *active; // per instruction: its value changes along that direction
} TapeText;

// What processors compute several of at once.
enum { KIND_ANGLE = 1, KIND_ROOT, KIND_RECIPROCAL };
static inline int tape_kind(TapeOp op) {
    switch (op) {
    case TAPE_OP_SIN:
    case TAPE_OP_COS: return KIND_ANGLE;
    case TAPE_SQRT: return KIND_ROOT;
    case TAPE_RECIPROCAL: return KIND_RECIPROCAL;
    default: return 0;
    }
}

// --- order.c
// The same instructions in an order in which those of a kind stand together; `to` is f itself where that cannot be.
// Gives: how many numbers of registers there are then.
uint32_t export_order(const Writing *w, Arena *arena, const TapeFunction *f, int count,
                      const uint32_t *result, int result_count, TapeFunction *to);

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
