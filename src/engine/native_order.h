// A tape as values: every instruction makes a new one, and says whose values it reads. In this form
// instructions can change places freely as long as values come before their use.
//
//     section    instructions between two borders that nothing crosses (ends, implicit blocks)
//     part       what becomes one C function: at most PART_STATEMENTS of a section
//     slot       a value that a later part needs lies here in between
#ifndef BONDYN_ENGINE_NATIVE_ORDER_H
#define BONDYN_ENGINE_NATIVE_ORDER_H

#include "base/array.h"
#include "engine/program.h"

typedef int32_t Ref; // >= 0: the value of that instruction; < 0: register ~ref, as it is at entry

enum { PART_STATEMENTS = 1500, NO_SLOT = -1 };

typedef struct {
    Ref a, b, to; // what it reads; only where tape_info says so
    int group;    // of sines and cosines that are computed together; -1: none
    int lane;     // of it
    int part, last_part;
    int slot;  // NO_SLOT: no later part needs it
    bool home; // other functions read its register
} Value;

typedef struct {
    int first, count;             // in Order.statement
    int block;                    // implicit block to solve before it; -1: none
    bool second;                  // belongs to the second half of the function
    int first_result, end_result; // results that it hands over, behind its statements
} Part;

typedef struct {
    const TapeFunction *f;
    Value *value;         // per instruction
    ARRAY(int) statement; // instructions in their new order; the first of a group stands for all
    ARRAY(Part) part;
    ARRAY(int) group; // first instruction of each group of angles
    Ref *result;
    int slots;
} Order;

// `half`: instructions of the first half (all, when there is no second); `split`: results of it.
void order_open(Order *o, const Program *p, const TapeFunction *f, int half, int split, int lanes);
void order_close(Order *o);
bool order_is_angle(TapeOp op);

#endif
