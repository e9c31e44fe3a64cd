// What depends on what, read off the tapes: every register knows whether it depends on the one register that is
// looked at, and how. With y = c x + ...,
//
//     constant   c is a number        tunable   c changes with parameters
//     discrete   c changes at events  dependent  c changes all the time, or y is not linear in x
#include "fmi/inside.h"

#include "base/memory.h"
#include <stdlib.h>

struct Flow {
    const Program *p;
    unsigned char *kind; // per register: FlowKind of its dependence
    unsigned char *size; // per register: the same scale, for how its value changes at all
};

static FlowKind most(FlowKind a, FlowKind b) { return a > b ? a : b; }

Flow *flow_new(const Program *p) {
    Flow *f = memory_zeroed(1, sizeof *f);
    f->p = p;
    f->kind = memory_zeroed(p->register_count, 1);
    f->size = memory_zeroed(p->register_count, 1);
    return f;
}

void flow_free(Flow *f) {
    if (!f) return;
    free(f->kind);
    free(f->size);
    free(f);
}

FlowKind flow_at(const Flow *f, uint32_t reg) { return (FlowKind)f->kind[reg]; }

void flow_from(Flow *f, uint32_t reg) {
    const Program *p = f->p;
    for (uint32_t i = 0; i < p->register_count; i++) {
        bool number = i < p->constant_count, held = i >= p->first_held;
        bool param = i >= p->first_param && i < p->first_param + p->param_count;
        held = held && i < p->first_held + (uint32_t)p->held_count;
        f->kind[i] = FLOW_NONE;
        f->size[i] = number  ? FLOW_CONSTANT
                     : param ? FLOW_TUNABLE
                     : held  ? FLOW_DISCRETE
                             : FLOW_DEPENDENT;
    }
    f->kind[reg] = FLOW_CONSTANT;
    if (f->size[reg] == FLOW_DISCRETE) f->size[reg] = FLOW_DEPENDENT; // an input
}

typedef struct {
    FlowKind kind, size;
} Value;

static Value value_at(const Flow *f, uint32_t reg) {
    return (Value){(FlowKind)f->kind[reg], (FlowKind)f->size[reg]};
}

static Value sum(Value a, Value b) { return (Value){most(a.kind, b.kind), most(a.size, b.size)}; }

static Value product(Value a, Value b) {
    FlowKind by_a = a.kind ? most(a.kind, b.size) : FLOW_NONE;
    FlowKind by_b = b.kind ? most(b.kind, a.size) : FLOW_NONE;
    return (Value){a.kind && b.kind ? FLOW_DEPENDENT : most(by_a, by_b), most(a.size, b.size)};
}

static Value quotient(Value a, Value b) {
    if (b.kind) return (Value){FLOW_DEPENDENT, most(a.size, b.size)};
    return product(a, b);
}

static Value other(Value a, Value b) { // not linear, as far as one can tell
    FlowKind kind = a.kind || b.kind ? FLOW_DEPENDENT : FLOW_NONE;
    return (Value){kind, most(a.size, b.size)};
}

static Value chosen(Value condition, Value a, Value b) {
    Value v = sum(a, b);
    if (condition.kind) v.kind = FLOW_DEPENDENT;
    if (v.kind) v.kind = most(v.kind, condition.size);
    v.size = most(v.size, condition.size);
    return v;
}

static Value value_of(const Flow *f, Instruction c) {
    const TapeInfo *info = &tape_info[c.op];
    const Value none = {FLOW_NONE, FLOW_CONSTANT};
    Value a = info->a ? value_at(f, c.a) : none, b = info->b ? value_at(f, c.b) : none;
    switch ((TapeOp)c.op) {
    case TAPE_COPY:
    case TAPE_NEG: return a;
    case TAPE_ADD:
    case TAPE_SUB: return sum(a, b);
    case TAPE_MUL: return product(a, b);
    case TAPE_DIV: return quotient(a, b);
    case TAPE_MULADD:
    case TAPE_MULSUB: return sum(value_at(f, c.to), product(a, b));
    case TAPE_SELECT: return chosen(a, b, value_at(f, c.to));
    default: return other(a, b);
    }
}

// Unknowns u of f(u) = A u + b = 0 are linear in what only b is linear in.
static void pass_block(Flow *f, int number) {
    const TapeBlock *b = &f->p->block[number];
    const TapeFunction *matrix = &f->p->block[b->matrix].jacobian;
    Value all = {FLOW_NONE, FLOW_CONSTANT};
    bool in_matrix = false;
    for (int i = 0; i < b->size; i++) {
        f->kind[b->unknown + (uint32_t)i] = FLOW_NONE;
        f->size[b->unknown + (uint32_t)i] = FLOW_CONSTANT;
    }
    flow_pass(f, &b->residual, b->residual.count);
    for (int i = 0; i < b->residual.result_count; i++)
        all = sum(all, value_at(f, b->residual.result[i]));
    flow_pass(f, matrix, matrix->count);
    for (int i = 0; i < matrix->result_count; i++) {
        Value entry = value_at(f, matrix->result[i]);
        in_matrix = in_matrix || entry.kind;
        all.size = most(all.size, entry.size);
        if (all.kind) all.kind = most(all.kind, entry.size);
    }
    if (in_matrix || (all.kind && !b->linear)) all.kind = FLOW_DEPENDENT;
    for (int i = 0; i < b->size; i++) {
        f->kind[b->unknown + (uint32_t)i] = (unsigned char)all.kind;
        f->size[b->unknown + (uint32_t)i] = (unsigned char)all.size;
    }
}

void flow_pass(Flow *f, const TapeFunction *t, int count) {
    for (int i = 0; i < count; i++) {
        Instruction c = t->code[i];
        if (c.op == TAPE_BLOCK) {
            pass_block(f, (int)c.b);
            continue;
        }
        Value v = value_of(f, c);
        f->kind[c.to] = (unsigned char)v.kind;
        f->size[c.to] = (unsigned char)v.size;
    }
}

static void copy_results(Flow *f, const TapeFunction *t, uint32_t to, int count) {
    for (int i = 0; i < count && i < t->result_count; i++)
        f->kind[to + (uint32_t)i] = f->kind[t->result[i]];
}

void flow_start(Flow *f) {
    const Program *p = f->p;
    const int discrete = p->system->whens.discrete_count;
    unsigned char *before = memory_zeroed((size_t)discrete + 1, 1);
    memcpy(before, f->kind + p->first_held, (size_t)discrete);
    flow_pass(f, &p->held_start, p->held_start.count);
    copy_results(f, &p->held_start, p->first_held, discrete);
    for (int i = 0; i < discrete; i++) // an input that is looked at is no other's
        if (before[i]) f->kind[p->first_held + (uint32_t)i] = before[i];
    free(before);
    flow_pass(f, &p->initial, p->initial.count);
    copy_results(f, &p->initial, p->first_state, p->state_count);
}
