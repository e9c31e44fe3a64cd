// Pairs: a hash table from two small numbers to a third, such as (instance, name) -> member. It
// grows inside an arena and is given back with it.
#ifndef BONDYN_LANG_PAIRS_H
#define BONDYN_LANG_PAIRS_H

#include "base/arena.h"
#include <stdint.h>

typedef struct {
    uint32_t a, b;
    int value; // plus one; 0 marks a free slot
} PairSlot;

typedef struct {
    PairSlot *slot;
    uint32_t slots, count;
} Pairs;

int pairs_get(const Pairs *p, uint32_t a, uint32_t b);                   // -1 when there is none
void pairs_set(Arena *out, Pairs *p, uint32_t a, uint32_t b, int value); // value >= 0
// Room for `count` pairs at once: the arena keeps every smaller table that growing leaves behind.
void pairs_reserve(Arena *out, Pairs *p, uint32_t count);

#endif
