// A tape without overwriting, for the way back: every line has a place of its own for its value, so
// that nothing has to be kept and put back. Layers of values lie one upon the other, one per run of
// the tape.
//
//     layer   | inputs: registers that are read before the tape writes them | line 0 | line 1 | ...
#include "engine/slopes_inside.h"

#include "base/array.h"
#include "base/memory.h"
#include "engine/block_run.h"
#include <string.h>

enum { // what most of a tape is made of; 0: all else
    STRAIGHT_OTHER,
    STRAIGHT_COPY,
    STRAIGHT_ADD,
    STRAIGHT_SUB,
    STRAIGHT_MUL,
    STRAIGHT_DIV,
    STRAIGHT_NEG,
    STRAIGHT_SQUARE,
    STRAIGHT_MULADD,
    STRAIGHT_MULSUB,
    STRAIGHT_KINDS
};

typedef struct {
    uint32_t kind, a, b, to; // places in a layer: operands, and what stood where the result goes
} Line;

struct Straight {
    Machine *m;
    const Instruction *code;
    int count;
    Line *line;
    uint32_t *input, *result; // registers; places
    int inputs, results;
    ARRAY(double) value; // layers
    double *weight;      // of a layer
};

static uint32_t place_of(Straight *s, uint32_t *place, uint32_t reg) {
    if (!place[reg]) {
        s->input[s->inputs++] = reg;
        place[reg] = (uint32_t)s->inputs; // one more than the place
    }
    return place[reg] - 1;
}

static bool rereads(uint32_t op) {
    return op == TAPE_MULADD || op == TAPE_MULSUB || op == TAPE_SELECT;
}

static uint32_t kind_of(uint32_t op) {
    static const unsigned char kind[TAPE_COUNT] = {
        [TAPE_COPY] = STRAIGHT_COPY,     [TAPE_ADD] = STRAIGHT_ADD,
        [TAPE_SUB] = STRAIGHT_SUB,       [TAPE_MUL] = STRAIGHT_MUL,
        [TAPE_DIV] = STRAIGHT_DIV,       [TAPE_NEG] = STRAIGHT_NEG,
        [TAPE_SQUARE] = STRAIGHT_SQUARE, [TAPE_MULADD] = STRAIGHT_MULADD,
        [TAPE_MULSUB] = STRAIGHT_MULSUB};
    return kind[op];
}

// Gives places to the inputs first; lines follow behind them.
static void find_inputs(Straight *s, const TapeFunction *f, uint32_t *place) {
    const uint32_t written = UINT32_MAX;
    for (int i = 0; i < f->count; i++) {
        const Instruction *c = &f->code[i];
        if (reads_a(c)) place_of(s, place, c->a);
        if (reads_b(c)) place_of(s, place, c->b);
        if (rereads(c->op)) place_of(s, place, c->to);
        if (!place[c->to]) place[c->to] = written;
    }
    for (int i = 0; i < f->result_count; i++) place_of(s, place, f->result[i]);
    for (uint32_t r = 0; r < s->m->program->register_count; r++)
        if (place[r] == written) place[r] = 0;
}

static void write_lines(Straight *s, const TapeFunction *f, uint32_t *place) {
    for (int i = 0; i < f->count; i++) {
        const Instruction *c = &f->code[i];
        Line *line = &s->line[i];
        line->kind = kind_of(c->op);
        if (reads_a(c)) line->a = place[c->a] - 1;
        if (reads_b(c)) line->b = place[c->b] - 1;
        if (rereads(c->op)) line->to = place[c->to] - 1;
        place[c->to] = (uint32_t)(s->inputs + i) + 1;
    }
    for (int i = 0; i < f->result_count; i++) s->result[i] = place[f->result[i]] - 1;
}

Straight *straight_new(Machine *m, const TapeFunction *f) {
    for (int i = 0; i < f->count; i++)
        if (f->code[i].op == TAPE_BLOCK) return NULL;
    size_t registers = m->program->register_count, lines = (size_t)f->count;
    Straight *s = memory_zeroed(1, sizeof *s);
    s->m = m;
    s->code = f->code;
    s->count = f->count;
    s->results = f->result_count;
    s->line = memory_zeroed(lines + 1, sizeof *s->line);
    s->input = memory_zeroed(registers + 1, sizeof *s->input);
    s->result = memory_zeroed((size_t)f->result_count + 1, sizeof *s->result);
    uint32_t *place = memory_zeroed(registers + 1, sizeof *place);
    find_inputs(s, f, place);
    write_lines(s, f, place);
    free(place);
    s->weight = memory_zeroed((size_t)s->inputs + lines + 1, sizeof *s->weight);
    return s;
}

void straight_free(Straight *s) {
    if (!s) return;
    free(s->line);
    free(s->input);
    free(s->result);
    free(s->weight);
    array_free(&s->value);
    free(s);
}

void straight_begin(Straight *s) { s->value.count = 0; }

// --- forth ---------------------------------------------------------------------------------------

// What is left to the machine: operands go into their registers, which only this tape uses.
static bool run_other(Straight *s, int i, double *v) {
    const Instruction *c = &s->code[i];
    double *r = s->m->reg;
    if (reads_a(c)) r[c->a] = v[s->line[i].a];
    if (reads_b(c)) r[c->b] = v[s->line[i].b];
    if (rereads(c->op)) r[c->to] = v[s->line[i].to];
    if (!run_code(s->m, c, 1)) return false;
    v[s->inputs + i] = r[c->to];
    return true;
}

// Each line jumps to the next by itself, which processors foresee better than one jump for all.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
static bool run_lines(Straight *s, double *v) {
    static const void *const at[STRAIGHT_KINDS] = {&&other, &&copy, &&add,    &&sub,    &&mul,
                                                   &&div,   &&neg,  &&square, &&muladd, &&mulsub};
    const Line *c = s->line - 1, *end = s->line + s->count;
    double *to = v + s->inputs - 1;
#define NEXT                                                                                       \
    if (++c == end) return true;                                                                   \
    to++;                                                                                          \
    goto *at[c->kind]
    NEXT;
copy:
    *to = v[c->a];
    NEXT;
add:
    *to = v[c->a] + v[c->b];
    NEXT;
sub:
    *to = v[c->a] - v[c->b];
    NEXT;
mul:
    *to = v[c->a] * v[c->b];
    NEXT;
div:
    *to = v[c->a] / v[c->b];
    NEXT;
neg:
    *to = -v[c->a];
    NEXT;
square:
    *to = v[c->a] * v[c->a];
    NEXT;
muladd:
    *to = v[c->to] + v[c->a] * v[c->b];
    NEXT;
mulsub:
    *to = v[c->to] - v[c->a] * v[c->b];
    NEXT;
other:
    if (!run_other(s, (int)(c - s->line), v)) return false;
    NEXT;
#undef NEXT
}
#pragma GCC diagnostic pop

bool straight_forth(Straight *s, double *result) {
    int size = s->inputs + s->count, first = s->value.count;
    array_reserve(&s->value, first + size);
    s->value.count = first + size;
    double *v = s->value.data + first;
    const double *reg = s->m->reg;
    for (int k = 0; k < s->inputs; k++) v[k] = reg[s->input[k]];
    if (!run_lines(s, v)) return false;
    for (int i = 0; i < s->results; i++) result[i] = v[s->result[i]];
    return true;
}

// --- back ----------------------------------------------------------------------------------------

static void back_other(const Straight *s, int i, const double *v, double much) {
    const Line *c = &s->line[i];
    const Instruction *code = &s->code[i];
    double *w = s->weight;
    LineSlope by = instruction_slope(s->m, code, reads_a(code) ? v[c->a] : 0,
                                     reads_b(code) ? v[c->b] : 0, v[s->inputs + i]);
    if (by.a != 0) w[c->a] += by.a * much;
    if (by.b != 0) w[c->b] += by.b * much;
    if (by.to != 0) w[c->to] += by.to * much;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
static void back_lines(const Straight *s, const double *v) {
    static const void *const at[STRAIGHT_KINDS] = {&&other, &&copy, &&add,    &&sub,    &&mul,
                                                   &&other, &&neg,  &&square, &&muladd, &&mulsub};
    const Line *c = s->line + s->count;
    double *w = s->weight, *from = w + s->inputs + s->count, much;
#define NEXT                                                                                       \
    do {                                                                                           \
        if (c-- == s->line) return;                                                                \
        much = *--from;                                                                            \
    } while (much == 0);                                                                           \
    goto *at[c->kind]
    NEXT;
copy:
    w[c->a] += much;
    NEXT;
add:
    w[c->a] += much;
    w[c->b] += much;
    NEXT;
sub:
    w[c->a] += much;
    w[c->b] -= much;
    NEXT;
neg:
    w[c->a] -= much;
    NEXT;
square:
    w[c->a] += 2 * much * v[c->a];
    NEXT;
muladd:
    w[c->to] += much;
mul:
    w[c->a] += much * v[c->b];
    w[c->b] += much * v[c->a];
    NEXT;
mulsub:
    w[c->to] += much;
    w[c->a] -= much * v[c->b];
    w[c->b] -= much * v[c->a];
    NEXT;
other:
    back_other(s, (int)(c - s->line), v, much);
    NEXT;
#undef NEXT
}
#pragma GCC diagnostic pop

void straight_back(Straight *s, const double *seed, Weights *weights) {
    int size = s->inputs + s->count;
    s->value.count -= size;
    memset(s->weight, 0, (size_t)size * sizeof *s->weight);
    for (int i = 0; i < s->results; i++) s->weight[s->result[i]] += seed[i];
    back_lines(s, s->value.data + s->value.count);
    double *of = weight_of(weights, 0);
    for (int k = 0; k < s->inputs; k++) of[s->input[k]] += s->weight[k];
}
