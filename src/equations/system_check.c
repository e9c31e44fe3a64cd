// What holds of every system: states have symbols, rates and starts, blocks are square with a
// matrix in order, no symbol is solved for twice, and what a rate is made of is known when it is
// computed: states, time, parameters, discrete variables and unknowns of blocks, never a variable
// that is itself only an expression.
#include "base/invariant.h"
#include "equations/system.h"

#include <stdlib.h>

static const char *check_sparse(const Sparse *a, int size) {
    HOLDS(a->start[0] == 0);
    for (int j = 0; j < size; j++) {
        HOLDS(a->start[j] <= a->start[j + 1]);
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            HOLDS(a->row[k] >= 0 && a->row[k] < size && a->entry[k]);
            HOLDS(k == a->start[j] || a->row[k - 1] < a->row[k]);
        }
    }
    return NULL;
}

static const char *check_block(const System *s, const Block *b) {
    HOLDS(b->size > 0);
    for (int i = 0; i < b->size; i++) {
        HOLDS(b->residual[i] != 0);
        HOLDS(b->unknown[i] && expr_op(s->dag, b->unknown[i]) == OP_SYMBOL);
    }
    HOLDS_IN(check_sparse(&b->jacobian, b->size));
    return NULL;
}

static const char *check_states(const System *s) {
    for (int i = 0; i < s->state_count; i++) {
        HOLDS(s->state_var[i] >= -1 && s->state_var[i] < s->model->var_count);
        HOLDS(s->state[i] && expr_op(s->dag, s->state[i]) == OP_SYMBOL);
        HOLDS(s->rate[i] && s->start[i]);
    }
    for (int i = 0; i < s->set_count; i++)
        HOLDS(IS_PART(s->set[i].first_state, s->set[i].free, s->state_count));
    return NULL;
}

// By symbol index: it is found by the solver, as a state or as an unknown. Twice is once too often.
static const char *mark_solved(const System *s, bool *solved) {
    for (int i = 0; i < s->state_count; i++) {
        bool *mark = &solved[expr_symbol_index(s->dag, s->state[i])];
        HOLDS(!*mark);
        *mark = true;
    }
    for (int b = 0; b < s->block_count; b++)
        for (int i = 0; i < s->block[b].size; i++) {
            bool *mark = &solved[expr_symbol_index(s->dag, s->block[b].unknown[i])];
            HOLDS(!*mark);
            *mark = true;
        }
    return NULL;
}

// Variables whose values are expressions stand in no rate.
static const char *check_parts(const System *s, const bool *solved, ExprWalk *below) {
    for (int i = 0; i < s->state_count; i++) walk_add(below, s->rate[i]);
    for (int b = 0; b < s->block_count; b++)
        for (int i = 0; i < s->block[b].size; i++) walk_add(below, s->block[b].residual[i]);
    for (int i = 0; i < s->model->var_count; i++) {
        const Var *v = &s->model->var[i];
        bool expressed = s->value[i] && s->value[i] != v->symbol;
        if (!expressed || v->kind == VAR_PARAM || v->kind == VAR_DISCRETE) continue;
        bool found = walk_seen(below, v->symbol) && !solved[expr_symbol_index(s->dag, v->symbol)];
        HOLDS(!found);
    }
    return NULL;
}

const char *system_check(const System *s) {
    HOLDS_IN(check_states(s));
    for (int b = 0; b < s->block_count; b++) HOLDS_IN(check_block(s, &s->block[b]));
    for (int b = 0; b < s->start_block_count; b++) HOLDS_IN(check_block(s, &s->start_block[b]));
    bool *solved = calloc((size_t)expr_symbol_count(s->dag) + 1, sizeof *solved);
    if (!solved) return NULL;
    ExprWalk *below = walk_new(s->dag);
    const char *broken = mark_solved(s, solved);
    if (!broken) broken = check_parts(s, solved, below);
    walk_free(below);
    free(solved);
    return broken;
}
