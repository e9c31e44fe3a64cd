// A tape as values: every instruction makes a new one, and says whose values it reads. In this form
// instructions can change places freely as long as values come before their use.
#ifndef BONDYN_ENGINE_NATIVE_VALUE_H
#define BONDYN_ENGINE_NATIVE_VALUE_H

#include "base/array.h"
#include "engine/program.h"

typedef int32_t Ref; // >= 0: the value of that instruction; < 0: register ~ref, as it is at entry

enum { READ_A, READ_B, READ_TO, READS, NO_SLOT = -1 };

typedef struct {
    Ref read[READS]; // only where value_reads says so
    int group;       // of sines and cosines that are computed together; -1: none
    int lane;        // of it
    int section, at; // in which it is ordered, and its number there
    int part, last_part;
    int slot;  // NO_SLOT: no later part needs it
    bool home; // other functions read its register
} Value;

static inline bool value_reads(TapeOp op, int which) {
    const TapeInfo *info = &tape_info[op];
    return which == READ_A ? info->a : (which == READ_B ? info->b : info->to);
}

#endif
