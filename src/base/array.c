#include "base/array.h"

#include <limits.h>

void *array_grow(void *data, int *capacity, int need, size_t size) {
    int bigger = *capacity < 8 ? 8 : *capacity > INT_MAX / 2 ? INT_MAX : *capacity * 2;
    if (bigger < need) bigger = need;
    void *grown = realloc(data, (size_t)bigger * size);
    if (!grown) abort();
    *capacity = bigger;
    return grown;
}
