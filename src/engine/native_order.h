// The order of a tape in native code: its values (native_value.h), and the functions it is cut
// into.
//
//     section    instructions between two barriers that nothing crosses (ends, implicit blocks,
//                loops)
//     part       what becomes one C function: at most so many statements of a section, or a loop
//     slot       a value that a later part needs lies here in between
#ifndef BONDYN_ENGINE_NATIVE_ORDER_H
#define BONDYN_ENGINE_NATIVE_ORDER_H

#include "engine/native_roll.h"

// The time that compilers take for a function grows faster than its length. For rates it is worth
// it; functions that are compiled with few passes (native_quick) are cut into smaller ones.
enum { PART_STATEMENTS = 1500, QUICK_STATEMENTS = 400, NO_LOOPS = INT32_MAX };

typedef struct {
    int first, count;             // in Order.statement; of a loop: instructions of its last round
    int block;                    // implicit block to solve before it; -1: none
    int loop;                     // of Order.roll; -1: none
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
    int most; // statements of a part
    int slots;
    int sections;
    Roll roll;
} Order;

// `half`: instructions of the first half (all, when there is no second); `split`: results of it.
// `least`: loops are made where they stand for so many instructions of the first half.
// `most`: statements of a part.
void order_open(Order *o, const Program *p, const TapeFunction *f, int half, int split, int lanes,
                int least, int most);
void order_close(Order *o);
bool order_solves(const TapeFunction *f); // are there implicit blocks in it?

#endif
