// Implicit blocks: unknowns that are solved together, each with two tapes of its own.
//
//   the function around it      inputs = everything below the residuals that is free of unknowns
//   TAPE_BLOCK                  u: residual(u, inputs) = 0, by the tapes `residual` and `jacobian`
//   the function around it      goes on with u
#include "engine/build.h"

#include <string.h>

void block_add(Builder *b, const BlockDraft *given) {
    BlockDraft block = *given;
    int number = b->block.count;
    block.first_unknown = b->unknown_count;
    for (int i = 0; i < block.size; i++)
        builder_set_role(b, block.unknown[i],
                         (SymbolRole){SYMBOL_UNKNOWN, b->unknown_count++, number});
    array_push(&b->block, block);
}

static void write_function(Builder *b, int number, Draft *draft, const Expr *root, int count) {
    function_begin(b, draft, number, number);
    function_roots(b, root, count);
    for (int i = 0; i < count; i++) function_add(b, root[i]);
    function_end(b);
}

// Start values that change with time or states are of no use to an iteration: it begins at 0 then.
// Anchors are held values, which machine_choose keeps.
static void place_guesses(Builder *b, BlockDraft *block) {
    b->from = LEVEL_TIME;
    for (int i = 0; i < block->size; i++) {
        Expr guess = block->guess ? block->guess[i] : 0;
        bool good = guess && (block->anchored || builder_level(b, guess) == LEVEL_STATIC);
        if (!good) guess = expr_number(b->dag, 0);
        builder_grow(b);
        array_push(&block->guess_place,
                   good && block->anchored ? b->home.data[guess] : outer_place(b, guess));
    }
}

// Needs: roles of all unknowns so far.
void block_write(Builder *b, int number) {
    BlockDraft *block = &b->block.data[number]; // nothing below adds blocks
    write_function(b, number, &block->residual_code, block->residual, block->size);
    const Sparse *m = &block->jacobian;
    if (block->matrix < 0) {
        write_function(b, number, &block->jacobian_code, m->entry, m->start[block->size]);
    } else { // the matrix of another block: what that needs must be there
        const BlockDraft *other = &b->block.data[block->matrix];
        for (int i = 0; i < other->need.count; i++) array_push(&block->need, other->need.data[i]);
    }
    place_guesses(b, block);
}
