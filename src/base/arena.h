// Arena: memory that is given out piece by piece and taken back all at once.
//
// Every stage of the pipeline puts its result into an arena that its caller owns, so a signature
// tells who frees: `Graph *graph_build(Arena *out, ...)`. Memory comes zeroed.
#ifndef BONDYN_BASE_ARENA_H
#define BONDYN_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

typedef struct ArenaBlock ArenaBlock;

typedef struct {
    ArenaBlock *block; // newest block, linked to the older ones
    size_t bytes;      // given out so far, for statistics
} Arena;

void arena_free(Arena *a); // gives everything back; the arena may be used again

// Zeroed memory for `count` things of `size` bytes, aligned for any type. Never NULL: running out
// of memory ends the process, as there is nothing sensible left to do.
void *arena_alloc(Arena *a, size_t count, size_t size) __attribute__((returns_nonnull));

char *arena_copy_text(Arena *a, const char *text, size_t length); // adds the final 0
char *arena_printf(Arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define ARENA_NEW(arena, Type) ((Type *)arena_alloc((arena), 1, sizeof(Type)))
#define ARENA_ARRAY(arena, Type, count)                                                            \
    ((Type *)arena_alloc((arena), (size_t)(count), sizeof(Type)))

#endif
