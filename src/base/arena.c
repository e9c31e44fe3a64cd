#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 16, FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

struct ArenaBlock {
    ArenaBlock *older;
    size_t used, size;
    max_align_t start[];
};

void arena_free(Arena *a) {
    for (ArenaBlock *b = a->block; b;) {
        ArenaBlock *older = b->older;
        free(b);
        b = older;
    }
    *a = (Arena){0};
}

// Blocks grow with the arena, so small arenas stay small and large ones need few calls.
static ArenaBlock *block_for(Arena *a, size_t need) {
    if (a->block && a->block->size - a->block->used >= need) return a->block;
    size_t size = a->block ? a->block->size * 2 : FIRST_BLOCK;
    if (size > LARGEST_BLOCK) size = LARGEST_BLOCK;
    if (size < need) size = need;
    ArenaBlock *b = malloc(sizeof *b + size);
    if (!b) abort();
    *b = (ArenaBlock){.older = a->block, .size = size};
    return a->block = b;
}

void *arena_alloc(Arena *a, size_t count, size_t size) {
    if (size && count > SIZE_MAX / 2 / size) abort();
    size_t need = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    ArenaBlock *b = block_for(a, need ? need : ALIGN);
    void *p = (char *)b->start + b->used;
    b->used += need;
    a->bytes += need;
    return memset(p, 0, need);
}

char *arena_copy_text(Arena *a, const char *text, size_t length) {
    char *copy = arena_alloc(a, length + 1, 1);
    if (length) memcpy(copy, text, length);
    return copy;
}

char *arena_printf(Arena *a, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = arena_alloc(a, (size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}
