// Reuse of temporaries. A tape is straight-line code: a temporary lives from the instruction that
// first writes it to the last one that mentions it, and its register is free for others after that.
//
//     w0 = x*y      w0 |          -> register 0
//     w1 = w0 + z      | w1 |     -> register 0 (w0 dies here; operands are read before writing)
//     w2 = sin(w1)          | w2
#include "engine/build.h"

#include "base/memory.h"

const TapeInfo tape_info[TAPE_COUNT] = {
    [TAPE_OP_POWER] = {"power", true, true, false},
    [TAPE_OP_ABS] = {"abs", true, false, false},
    [TAPE_OP_SIGN] = {"sign", true, false, false},
    [TAPE_OP_EXP] = {"exp", true, false, false},
    [TAPE_OP_LOG] = {"log", true, false, false},
    [TAPE_OP_SIN] = {"sin", true, false, false},
    [TAPE_OP_COS] = {"cos", true, false, false},
    [TAPE_OP_TAN] = {"tan", true, false, false},
    [TAPE_OP_ASIN] = {"asin", true, false, false},
    [TAPE_OP_ACOS] = {"acos", true, false, false},
    [TAPE_OP_ATAN] = {"atan", true, false, false},
    [TAPE_OP_SINH] = {"sinh", true, false, false},
    [TAPE_OP_COSH] = {"cosh", true, false, false},
    [TAPE_OP_TANH] = {"tanh", true, false, false},
    [TAPE_OP_FLOOR] = {"floor", true, false, false},
    [TAPE_OP_CEIL] = {"ceil", true, false, false},
    [TAPE_OP_ATAN2] = {"atan2", true, true, false},
    [TAPE_OP_MIN] = {"min", true, true, false},
    [TAPE_OP_MAX] = {"max", true, true, false},
    [TAPE_OP_MOD] = {"mod", true, true, false},
    [TAPE_OP_LESS] = {"less", true, true, false},
    [TAPE_OP_LESS_EQUAL] = {"less_equal", true, true, false},
    [TAPE_OP_EQUAL] = {"equal", true, true, false},
    [TAPE_OP_AND] = {"and", true, true, false},
    [TAPE_OP_OR] = {"or", true, true, false},
    [TAPE_OP_NOT] = {"not", true, false, false},
    [TAPE_HELD] = {"held", true, false, false},
    [TAPE_OP_TABLE] = {"table", true, false, false},
    [TAPE_OP_TABLE_SLOPE] = {"slope", true, false, false},
    [TAPE_COPY] = {"copy", true, false, false},
    [TAPE_ADD] = {"add", true, true, false},
    [TAPE_SUB] = {"sub", true, true, false},
    [TAPE_MUL] = {"mul", true, true, false},
    [TAPE_DIV] = {"div", true, true, false},
    [TAPE_NEG] = {"neg", true, false, false},
    [TAPE_SQUARE] = {"square", true, false, false},
    [TAPE_SQRT] = {"sqrt", true, false, false},
    [TAPE_RECIPROCAL] = {"reciprocal", true, false, false},
    [TAPE_MULADD] = {"muladd", true, true, true},
    [TAPE_MULSUB] = {"mulsub", true, true, true},
    [TAPE_SELECT] = {"select", true, true, true},
    [TAPE_SWITCH] = {"switch", true, false, false},
    [TAPE_BLOCK] = {"block", false, false, false},
};

typedef struct {
    Space space;
    int *last;    // per temporary: the last instruction that mentions it
    Place *given; // per temporary: its register, NO_PLACE before
    Places free_places;
    uint32_t count; // registers in use at most
} Reuse;

static void mention(Reuse *u, Place p, int at) {
    if (p != NO_PLACE && PLACE_SPACE(p) == u->space) u->last[PLACE_INDEX(p)] = at;
}

static void find_last_mentions(Reuse *u, const Draft *d) {
    for (int i = 0; i < d->code.count; i++) {
        Instruction c = d->code.data[i];
        const TapeInfo *info = &tape_info[c.op];
        if (info->a) mention(u, c.a, i);
        if (info->b) mention(u, c.b, i);
        if (c.op != TAPE_BLOCK) mention(u, c.to, i);
    }
    for (int i = 0; i < d->result.count; i++) mention(u, d->result.data[i], d->code.count);
}

static Place read_place(const Reuse *u, Place p) {
    return PLACE_SPACE(p) == u->space ? u->given[PLACE_INDEX(p)] : p;
}

static void let_go(Reuse *u, Place virtual_place, int at) {
    if (PLACE_SPACE(virtual_place) != u->space) return;
    uint32_t i = PLACE_INDEX(virtual_place);
    if (u->last[i] != at) return;
    array_push(&u->free_places, u->given[i]);
    u->last[i] = -1; // an operand that stands twice is let go once
}

static Place write_place(Reuse *u, Place p) {
    if (PLACE_SPACE(p) != u->space) return p;
    Place *given = &u->given[PLACE_INDEX(p)];
    if (*given == NO_PLACE)
        *given = u->free_places.count ? array_pop(&u->free_places) : PLACE(u->space, u->count++);
    return *given;
}

static void reuse_in(Reuse *u, Instruction *c, int at) {
    const TapeInfo *info = &tape_info[c->op];
    Instruction old = *c;
    if (info->a) c->a = read_place(u, old.a);
    if (info->b) c->b = read_place(u, old.b);
    bool goes_on = !info->to && c->op != TAPE_BLOCK; // may take the register of a dying operand
    if (goes_on && info->a && old.a != old.to) let_go(u, old.a, at);
    if (goes_on && info->b && old.b != old.to) let_go(u, old.b, at);
    if (c->op != TAPE_BLOCK) c->to = write_place(u, old.to);
    if (info->to && info->a) let_go(u, old.a, at);
    if (info->to && info->b) let_go(u, old.b, at);
    if (c->op != TAPE_BLOCK) let_go(u, old.to, at); // a value that nobody reads
}

uint32_t draft_reuse(Draft *d, Space space) {
    Reuse u = {.space = space};
    u.last = memory_zeroed((size_t)d->work, sizeof *u.last);
    u.given = memory_zeroed((size_t)d->work, sizeof *u.given);
    for (uint32_t i = 0; i < d->work; i++) u.last[i] = -1, u.given[i] = NO_PLACE;
    find_last_mentions(&u, d);
    for (int i = 0; i < d->code.count; i++) reuse_in(&u, &d->code.data[i], i);
    for (int i = 0; i < d->result.count; i++) d->result.data[i] = read_place(&u, d->result.data[i]);
    free(u.last);
    free(u.given);
    array_free(&u.free_places);
    return u.count;
}

void draft_free(Draft *d) {
    array_free(&d->code);
    array_free(&d->origin);
    array_free(&d->result);
}
