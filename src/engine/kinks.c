// Kinks that states pass: where abs, min and max bend.
//
// A run passes them as they come, since its error control sees to that. Their slopes jump there, so
// who goes along a run with derivatives must know on which side of each a step is: its event
// function is the argument of abs, or the difference of the arguments of min and max. Instructions
// that compute such a node carry its number.
#include "engine/build.h"

#include "base/memory.h"

static bool bends(const Dag *d, Expr e) {
    Op op = expr_op(d, e);
    return op == OP_ABS || op == OP_MIN || op == OP_MAX;
}

static bool is_root(const Dag *d, Expr e) {
    double by;
    if (expr_op(d, e) == OP_LOG) return true;
    return expr_op(d, e) == OP_POWER && !(expr_is_number(d, expr_arg(d, e, 1), &by) && by >= 1);
}

// Marks what lies below a root. There the slope has no bound at the kink, so cutting the step at
// the kink gains nothing. Arguments come before their node.
static void mark_roots(const Dag *d, const ExprWalk *walk, bool *below) {
    for (int i = walk_count(walk) - 1; i >= 0; i--) {
        Expr e = walk_at(walk, i);
        bool passes = below[e] && expr_op(d, e) == OP_PRODUCT;
        if (is_root(d, e)) below[expr_arg(d, e, 0)] = true;
        for (int k = 0; passes && k < expr_arg_count(d, e); k++) below[expr_arg(d, e, k)] = true;
    }
}

void find_kinks(Builder *b, const ProgramOptions *options) {
    Program *p = b->program;
    if (!options->kinks) return;
    builder_grow(b);
    ExprWalk *walk = walk_rates(b, options);
    int count = walk_count(walk);
    bool *below = memory_zeroed((size_t)dag_size(b->dag) + 1, sizeof *below);
    mark_roots(b->dag, walk, below);
    p->kink = ARENA_ARRAY(&p->arena, Expr, count + 1);
    for (int i = 0; i < count && p->kink_count < UINT16_MAX - 1; i++) {
        Expr e = walk_at(walk, i);
        if (bends(b->dag, e) && !below[e] && b->level.data[e] > LEVEL_TIME)
            p->kink[p->kink_count++] = e;
    }
    free(below);
    walk_free(walk);
}

void write_kinks(Builder *b, Draft *draft) {
    Exprs event_function = {0};
    for (int i = 0; i < b->program->kink_count; i++) {
        Expr e = b->program->kink[i], u = expr_arg(b->dag, e, 0);
        bool one = expr_op(b->dag, e) == OP_ABS;
        array_push(&event_function, one ? u : expr_sub(b->dag, u, expr_arg(b->dag, e, 1)));
    }
    function_begin(b, draft, LEVEL_TIME, -1);
    function_roots(b, event_function.data, event_function.count);
    for (int i = 0; i < event_function.count; i++) function_add(b, event_function.data[i]);
    function_end(b);
    array_free(&event_function);
}

static void number_lines(const uint16_t *number, const TapeFunction *f) {
    for (int i = 0; i < f->count; i++) {
        Instruction *c = &f->code[i];
        if (c->op == TAPE_OP_ABS || c->op == TAPE_OP_MIN || c->op == TAPE_OP_MAX)
            c->aux = number[f->origin[i]];
    }
}

void finish_kinks(Builder *b) {
    Program *p = b->program;
    if (!p->kink_count) return;
    uint16_t *number = memory_zeroed((size_t)dag_size(b->dag) + 1, sizeof *number);
    for (int i = 0; i < p->kink_count; i++) number[p->kink[i]] = (uint16_t)(i + 1);
    number_lines(number, &p->derivative);
    for (int i = 0; i < p->block_count; i++) number_lines(number, &p->block[i].residual);
    free(number);
}
