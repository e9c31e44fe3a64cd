// Open hashing with linear probing, at most three quarters full, of any size.
#include "lang/pairs.h"

static PairSlot *find_slot(const Pairs *p, uint32_t a, uint32_t b) {
    uint64_t h = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
    uint32_t i = (uint32_t)((h >> 32) * p->slots >> 32); // as a fraction of the table
    while (p->slot[i].value && (p->slot[i].a != a || p->slot[i].b != b))
        i = i + 1 < p->slots ? i + 1 : 0;
    return &p->slot[i];
}

int pairs_get(const Pairs *p, uint32_t a, uint32_t b) {
    return p->slots ? find_slot(p, a, b)->value - 1 : -1;
}

static void grow(Arena *out, Pairs *p, uint32_t slots) {
    Pairs larger = {.slots = slots, .count = p->count};
    larger.slot = ARENA_ARRAY(out, PairSlot, larger.slots);
    for (uint32_t i = 0; i < p->slots; i++)
        if (p->slot[i].value) *find_slot(&larger, p->slot[i].a, p->slot[i].b) = p->slot[i];
    *p = larger;
}

void pairs_set(Arena *out, Pairs *p, uint32_t a, uint32_t b, int value) {
    if (p->count >= p->slots / 4 * 3) grow(out, p, p->slots ? p->slots * 2 : 64);
    PairSlot *slot = find_slot(p, a, b);
    p->count += slot->value == 0;
    *slot = (PairSlot){a, b, value + 1};
}

void pairs_reserve(Arena *out, Pairs *p, uint32_t count) {
    uint32_t slots = count / 3 * 4 + 64;
    if (slots > p->slots) grow(out, p, slots);
}
