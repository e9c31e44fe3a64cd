// Counts what the derivative call must not do: take memory, take a lock. Include it once in a
// program.
#ifndef BONDYN_TESTS_ENGINE_HEAP_COUNT_H
#define BONDYN_TESTS_ENGINE_HEAP_COUNT_H

#include "../test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Allocations are counted: by a hook of the sanitizer, else by functions in place of the C
// library's own.
static volatile long heap_count; // changes behind the back of the compiler

#if defined(__SANITIZE_ADDRESS__)
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *));

static void count_malloc(const volatile void *data, size_t size) {
    (void)data, (void)size;
    heap_count++;
}

static void ignore_free(const volatile void *data) { (void)data; }

static inline void count_heap(void) {
    assert_true(__sanitizer_install_malloc_and_free_hooks(count_malloc, ignore_free) != 0);
}
#elif defined(__GLIBC__)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *data, size_t size);

void *malloc(size_t size) {
    heap_count++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    heap_count++;
    return __libc_calloc(count, size);
}

void *realloc(void *data, size_t size) {
    heap_count++;
    return __libc_realloc(data, size);
}

static inline void count_heap(void) {}
#else
static inline void count_heap(void) { skip(); }
#endif

// Locks: the C library's function is behind ours.
static volatile long lock_count;

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    static int (*own)(pthread_mutex_t *);
    lock_count++;
    if (!own) {
        void *address = dlsym(RTLD_NEXT, "pthread_mutex_lock");
        memcpy(&own, &address, sizeof own);
    }
    return own(mutex);
}

#endif
