#include "base/memory.h"

void *memory_zeroed(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory) abort();
    return memory;
}
