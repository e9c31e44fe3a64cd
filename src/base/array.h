// Growable arrays on the heap, typed by a macro:
//
//     ARRAY(int) primes = {0};
//     array_push(&primes, 2);
//     for (int i = 0; i < primes.count; i++) use(primes.data[i]);
//     array_free(&primes);
#ifndef BONDYN_BASE_ARRAY_H
#define BONDYN_BASE_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

#define ARRAY(Type)                                                                                \
    struct {                                                                                       \
        Type *data;                                                                                \
        int count, capacity;                                                                       \
    }

// Room for at least `need` things; the new capacity goes into *capacity.
void *array_grow(void *data, int *capacity, int need, size_t size) __attribute__((returns_nonnull));

#define array_reserve(a, need)                                                                     \
    ((a)->capacity < (need)                                                                        \
         ? (void)((a)->data = array_grow((a)->data, &(a)->capacity, (need), sizeof *(a)->data))    \
         : (void)0)
#define array_push(a, value)                                                                       \
    (array_reserve((a), (a)->count + 1), (void)((a)->data[(a)->count++] = (value)))
#define array_pop(a)  ((a)->data[--(a)->count])
#define array_last(a) ((a)->data[(a)->count - 1])
#define array_free(a) (free((a)->data), (void)((a)->data = NULL, (a)->count = (a)->capacity = 0))

#endif
