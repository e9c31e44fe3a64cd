// The order in which instructions of a tape are written. Roots, reciprocals, sines and cosines are what rates cost
// most, and processors compute four of a kind in the time of one. So all of them that can be computed come together:
// the level of a value is how many of them lie one behind the other on the way to it,
//
//     level 0      everything that needs none of them                             a = x*x + c, b = y*y + c
//     and then     those that have all they need: roots, reciprocals, angles      sqrt(a), sqrt(b), sin(q)
//     level 1      everything that needs those, and so on
//
// and within a level the order of the tape stays. Every value is the same, to the last bit. Blocks are barriers.
#include "export/tape_text.h"

#include <stdlib.h>

typedef struct {
    const Writing *w;
    const TapeFunction *f;
    int count;
    int *level; // per instruction: of the place where it stands
    int *value; // per register: the level from which its present value can be read
    int *name;  // per register: the instruction that wrote it, -1: none
} Levels;

typedef struct {
    int level, kind, alone, index; // alone: what it needs was not computed in company
} Place;

// May its instructions change places? What is in the machine's memory is written once at most, before it is read.
static bool can_be_ordered(const Levels *l) {
    bool good = true, *seen = calloc(l->w->p->register_count + 1, sizeof *seen);
    for (int i = 0; seen && good && i < l->count; i++) {
        Instruction c = l->f->code[i];
        const TapeInfo *info = &tape_info[c.op];
        if (info->a) seen[c.a] = true;
        if (info->b) seen[c.b] = true;
        if (c.op == TAPE_BLOCK || tape_is_local(l->w, c.to)) continue;
        good = !info->to && !seen[c.to];
        seen[c.to] = true;
    }
    free(seen);
    return seen && good;
}

static void find_levels(Levels *l) {
    int floor = 0, highest = 0;
    for (uint32_t i = 0; i < l->w->p->register_count; i++) l->value[i] = 0;
    for (int i = 0; i < l->count; i++) {
        Instruction c = l->f->code[i];
        const TapeInfo *info = &tape_info[c.op];
        if (c.op == TAPE_BLOCK) floor = highest + 1;
        int level = floor;
        if (info->a && l->value[c.a] > level) level = l->value[c.a];
        if (info->b && l->value[c.b] > level) level = l->value[c.b];
        if (info->to && l->value[c.to] > level) level = l->value[c.to];
        l->level[i] = level;
        if (c.op != TAPE_BLOCK) l->value[c.to] = level + (tape_kind((TapeOp)c.op) > 0);
        if (level + 1 > highest) highest = level + 1;
    }
}

static int compare_places(const void *a, const void *b) {
    const Place *x = a, *y = b;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->alone != y->alone) return x->alone < y->alone ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

// Those that follow on members of a group come first: then groups follow on groups, lane by lane. Reads `name`.
static Place *sorted_places(Levels *l, Arena *arena) {
    Place *place = ARENA_ARRAY(arena, Place, l->count + 1);
    for (uint32_t i = 0; i < l->w->p->register_count; i++) l->name[i] = -1;
    for (int i = 0; i < l->count; i++) {
        Instruction c = l->f->code[i];
        TapeOp op = (TapeOp)c.op;
        int kind = op == TAPE_BLOCK ? -1 : tape_kind(op);
        int before = kind > 0 ? l->name[c.a] : -1;
        bool follows = before >= 0 && tape_kind((TapeOp)l->f->code[before].op) > 0;
        place[i] = (Place){l->level[i], kind, kind > 0 && !follows, i};
        if (op != TAPE_BLOCK) l->name[c.to] = i;
    }
    qsort(place, (size_t)l->count, sizeof *place, compare_places);
    return place;
}

static uint32_t renamed(const Levels *l, uint32_t reg) {
    return l->name[reg] < 0 ? reg : l->w->p->register_count + (uint32_t)l->name[reg];
}

// Gives every local value a register of its own, so that instructions say what they read in the order of the tape.
// `from`: per instruction the register that it changes, if that differs from the one it writes.
static void rename_values(Levels *l, Instruction *code, uint32_t *from, const uint32_t *result,
                          int result_count, uint32_t *own_result) {
    for (uint32_t i = 0; i < l->w->p->register_count; i++) l->name[i] = -1;
    for (int i = 0; i < l->count; i++) {
        Instruction c = l->f->code[i];
        const TapeInfo *info = &tape_info[c.op];
        code[i] = c;
        if (info->a) code[i].a = renamed(l, c.a);
        if (info->b) code[i].b = renamed(l, c.b);
        from[i] = info->to ? renamed(l, c.to) : UINT32_MAX;
        if (c.op == TAPE_BLOCK || !tape_is_local(l->w, c.to)) continue;
        l->name[c.to] = i;
        code[i].to = renamed(l, c.to);
    }
    for (int i = 0; result && i < result_count; i++) own_result[i] = renamed(l, result[i]);
}

// Instructions that change their register get a copy of it first.
static void write_down(const Levels *l, const Instruction *code, const uint32_t *from,
                       const Place *place, TapeFunction *to) {
    for (int k = 0; k < l->count; k++) {
        int i = place[k].index;
        if (from[i] != UINT32_MAX) {
            to->origin[to->count] = l->f->origin[i];
            to->code[to->count++] = (Instruction){.op = TAPE_COPY, .to = code[i].to, .a = from[i]};
        }
        to->origin[to->count] = l->f->origin[i];
        to->code[to->count++] = code[i];
    }
}

uint32_t export_order(const Writing *w, Arena *arena, const TapeFunction *f, int count,
                      const uint32_t *result, int result_count, TapeFunction *to) {
    uint32_t registers = w->p->register_count;
    Levels l = {.w = w, .f = f, .count = count};
    *to = (TapeFunction){.code = f->code,
                         .origin = f->origin,
                         .count = count,
                         .result = (uint32_t *)result,
                         .result_count = result_count};
    if (!can_be_ordered(&l)) return registers;
    l.level = ARENA_ARRAY(arena, int, count + 1);
    l.value = ARENA_ARRAY(arena, int, registers + 1);
    l.name = ARENA_ARRAY(arena, int, registers + 1);
    Instruction *code = ARENA_ARRAY(arena, Instruction, count + 1);
    uint32_t *from = ARENA_ARRAY(arena, uint32_t, count + 1);
    *to = (TapeFunction){.code = ARENA_ARRAY(arena, Instruction, 2 * count + 1),
                         .origin = ARENA_ARRAY(arena, Expr, 2 * count + 1),
                         .result = result ? ARENA_ARRAY(arena, uint32_t, result_count + 1) : NULL,
                         .result_count = result_count};
    find_levels(&l);
    const Place *place = sorted_places(&l, arena);
    rename_values(&l, code, from, result, result_count, to->result);
    write_down(&l, code, from, place, to);
    return registers + (uint32_t)count;
}
