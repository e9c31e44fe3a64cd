// Weights of registers: how much a sum of results changes with each. The tape runs forth and keeps
// what every line overwrites, then line by line back, so that operands are as they were.
#include "engine/slopes_inside.h"

#include "base/array.h"
#include "base/memory.h"
#include "engine/block_run.h"
#include <math.h>
#include <string.h>

typedef ARRAY(uint32_t) Registers;

struct Weights {
    Machine *m;
    double *weight;     // per register
    ARRAY(double) kept; // what lines overwrote, last on top
    Registers *scratch; // per block: registers that solving it writes to, but its unknowns
    double *right;
    SlopeFactors *factors;
};

// --- opening and closing -------------------------------------------------------------------------

static void note_written(Registers *list, bool *seen, const TapeFunction *f, const TapeBlock *t) {
    for (int i = 0; i < f->count; i++) {
        uint32_t to = f->code[i].to;
        bool own = to >= t->unknown && to < t->unknown + (uint32_t)t->size;
        if (f->code[i].op == TAPE_BLOCK || own || seen[to]) continue;
        seen[to] = true;
        array_push(list, to);
    }
}

Weights *weights_new(Machine *m) {
    const Program *p = m->program;
    Weights *w = memory_zeroed(1, sizeof *w);
    w->m = m;
    w->weight = memory_zeroed((size_t)p->register_count + 1, sizeof *w->weight);
    w->right = memory_zeroed((size_t)p->largest_block + 1, sizeof *w->right);
    w->factors = slope_factors_new(m);
    w->scratch = memory_zeroed((size_t)p->block_count + 1, sizeof *w->scratch);
    bool *seen = memory_zeroed((size_t)p->register_count + 1, sizeof *seen);
    for (int b = 0; b < p->block_count; b++) {
        Registers *list = &w->scratch[b];
        note_written(list, seen, &p->block[b].residual, &p->block[b]);
        note_written(list, seen, &p->block[p->block[b].matrix].jacobian, &p->block[b]);
        for (int i = 0; i < list->count; i++) seen[list->data[i]] = false;
    }
    free(seen);
    return w;
}

void weights_free(Weights *w) {
    if (!w) return;
    for (int b = 0; b < w->m->program->block_count; b++) array_free(&w->scratch[b]);
    free(w->scratch);
    free(w->weight);
    free(w->right);
    array_free(&w->kept);
    slope_factors_free(w->factors);
    free(w);
}

double *weight_of(Weights *w, uint32_t reg) { return w->weight + reg; }

void weights_clear(Weights *w) {
    memset(w->weight, 0, (size_t)w->m->program->register_count * sizeof *w->weight);
}

// --- forth ---------------------------------------------------------------------------------------

static void keep(Weights *w, uint32_t first, int count) {
    for (int i = 0; i < count; i++) array_push(&w->kept, w->m->reg[first + (uint32_t)i]);
}

static void put_back(Weights *w, uint32_t first, int count) {
    w->kept.count -= count;
    memcpy(w->m->reg + first, w->kept.data + w->kept.count, (size_t)count * sizeof(double));
}

// Unknowns are not put back: solved again they begin where they are.
static void keep_scratch(Weights *w, int block) {
    const Registers *list = &w->scratch[block];
    for (int i = 0; i < list->count; i++) array_push(&w->kept, w->m->reg[list->data[i]]);
}

static void put_scratch_back(Weights *w, int block) {
    const Registers *list = &w->scratch[block];
    w->kept.count -= list->count;
    for (int i = 0; i < list->count; i++)
        w->m->reg[list->data[i]] = w->kept.data[w->kept.count + i];
}

// The operations that most of a tape is made of; the others are left to the machine.
static inline bool run_simple(double *r, const Instruction *c) {
    switch (c->op) {
    case TAPE_COPY: r[c->to] = r[c->a]; return true;
    case TAPE_ADD: r[c->to] = r[c->a] + r[c->b]; return true;
    case TAPE_SUB: r[c->to] = r[c->a] - r[c->b]; return true;
    case TAPE_MUL: r[c->to] = r[c->a] * r[c->b]; return true;
    case TAPE_DIV: r[c->to] = r[c->a] / r[c->b]; return true;
    case TAPE_NEG: r[c->to] = -r[c->a]; return true;
    case TAPE_SQUARE: r[c->to] = r[c->a] * r[c->a]; return true;
    case TAPE_MULADD: r[c->to] = r[c->to] + r[c->a] * r[c->b]; return true;
    case TAPE_MULSUB: r[c->to] = r[c->to] - r[c->a] * r[c->b]; return true;
    default: return false;
    }
}

static bool forth_call(Weights *w, uint32_t number) {
    const Program *p = w->m->program;
    if (number < FIRST_MATRIX) {
        keep_scratch(w, (int)number);
        keep(w, p->block[number].unknown, p->block[number].size);
    } else {
        const TapeMatrix *t = &p->matrix[number - FIRST_MATRIX];
        keep(w, t->out, matrix_output_count(t->shape));
    }
    return block_run(w->m, number);
}

static bool forth(Weights *w, const Instruction *code, int count) {
    Machine *m = w->m;
    double *r = m->reg;
    array_reserve(&w->kept, w->kept.count + count);
    for (const Instruction *c = code, *end = code + count; c < end; c++) {
        if (c->op == TAPE_BLOCK) {
            if (!forth_call(w, c->b)) return false;
            array_reserve(&w->kept, w->kept.count + (int)(end - c));
            continue;
        }
        w->kept.data[w->kept.count++] = r[c->to];
        if (!run_simple(r, c) && !run_code(m, c, 1)) return false;
    }
    return true;
}

// --- back ----------------------------------------------------------------------------------------

static bool back(Weights *w, const Instruction *code, int count);

// Needs: registers with the solution of the block, and with all that it was computed from.
static bool back_block(Weights *w, int number) {
    Machine *m = w->m;
    const TapeBlock *t = &m->program->block[number];
    double *weight = w->weight + t->unknown;
    bool any = false, good = true;
    for (int i = 0; i < t->size; i++) any = any || weight[i] != 0;
    if (any) {
        double *y = memory_zeroed((size_t)t->size + 1, sizeof *y);
        memcpy(y, weight, (size_t)t->size * sizeof *y);
        memset(weight, 0, (size_t)t->size * sizeof *weight);
        keep_scratch(w, number);
        good = slope_factor(w->factors, number);
        put_scratch_back(w, number);
        if (good) slope_solve(w->factors, number, true, y);
        good = good && forth(w, t->residual.code, t->residual.count);
        for (int i = 0; i < t->size && good; i++) w->weight[t->residual.result[i]] -= y[i];
        good = good && back(w, t->residual.code, t->residual.count);
        memset(weight, 0, (size_t)t->size * sizeof *weight);
        free(y);
    }
    return good;
}

static bool back_matrix(Weights *w, int number) {
    const TapeMatrix *t = &w->m->program->matrix[number];
    int in = matrix_input_count(t->shape), out = matrix_output_count(t->shape);
    double *gain = memory_zeroed((size_t)in + 1, sizeof *gain);
    double *work = memory_zeroed(2 * matrix_work_count(t->shape) + 1, sizeof *work);
    bool good = matrix_adjoint(t->shape, w->m->reg + t->in, w->m->reg + t->out, w->weight + t->out,
                               gain, work);
    memset(w->weight + t->out, 0, (size_t)out * sizeof *w->weight);
    for (int i = 0; i < in && good; i++) w->weight[t->in + (uint32_t)i] += gain[i];
    free(gain);
    free(work);
    return good;
}

static bool back_call(Weights *w, uint32_t number) {
    if (number >= FIRST_MATRIX) {
        const TapeMatrix *t = &w->m->program->matrix[number - FIRST_MATRIX];
        bool good = back_matrix(w, (int)(number - FIRST_MATRIX));
        put_back(w, t->out, matrix_output_count(t->shape));
        return good;
    }
    w->kept.count -= w->m->program->block[number].size; // the solution stays, as a place to begin
    put_scratch_back(w, (int)number);
    return back_block(w, (int)number);
}

// As run_simple; `to` gives its weight away before the operands get theirs, as it may be one of
// them.
static inline bool back_simple(const double *r, double *weight, const Instruction *c, double much) {
    switch (c->op) {
    case TAPE_COPY:
        weight[c->to] = 0;
        weight[c->a] += much;
        return true;
    case TAPE_ADD:
        weight[c->to] = 0;
        weight[c->a] += much;
        weight[c->b] += much;
        return true;
    case TAPE_SUB:
        weight[c->to] = 0;
        weight[c->a] += much;
        weight[c->b] -= much;
        return true;
    case TAPE_MUL:
        weight[c->to] = 0;
        weight[c->a] += much * r[c->b];
        weight[c->b] += much * r[c->a];
        return true;
    case TAPE_NEG:
        weight[c->to] = 0;
        weight[c->a] -= much;
        return true;
    case TAPE_SQUARE:
        weight[c->to] = 0;
        weight[c->a] += 2 * much * r[c->a];
        return true;
    case TAPE_MULADD:
        weight[c->a] += much * r[c->b];
        weight[c->b] += much * r[c->a];
        return true;
    case TAPE_MULSUB:
        weight[c->a] -= much * r[c->b];
        weight[c->b] -= much * r[c->a];
        return true;
    default: return false;
    }
}

static bool back(Weights *w, const Instruction *code, int count) {
    Machine *m = w->m;
    double *r = m->reg, *weight = w->weight;
    for (const Instruction *c = code + count - 1; c >= code; c--) {
        if (c->op == TAPE_BLOCK) {
            if (!back_call(w, c->b)) return false;
            continue;
        }
        double value = r[c->to], much = weight[c->to];
        r[c->to] = w->kept.data[--w->kept.count];
        if (much == 0 || back_simple(r, weight, c, much)) continue;
        LineSlope s =
            instruction_slope(m, c, reads_a(c) ? r[c->a] : 0, reads_b(c) ? r[c->b] : 0, value);
        weight[c->to] = s.to * much;
        if (s.a != 0) weight[c->a] += s.a * much;
        if (s.b != 0) weight[c->b] += s.b * much;
    }
    return true;
}

bool weights_run(Weights *w, const TapeFunction *f, const double *seed) {
    w->kept.count = 0;
    if (!forth(w, f->code, f->count)) return false;
    for (int i = 0; seed && i < f->result_count; i++) w->weight[f->result[i]] += seed[i];
    return back(w, f->code, f->count);
}
