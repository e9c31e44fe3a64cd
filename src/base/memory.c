#include "base/memory.h"

#include <stdint.h>
#include <string.h>

enum { ALIGNMENT = 64 };

void *memory_zeroed(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory) abort();
    return memory;
}

void *memory_aligned(size_t count, size_t size) {
    if (size && count > (SIZE_MAX - ALIGNMENT) / size) abort();
    size_t bytes = (count * size / ALIGNMENT + 1) * ALIGNMENT;
    void *memory = aligned_alloc(ALIGNMENT, bytes);
    if (!memory) abort();
    return memset(memory, 0, bytes);
}
