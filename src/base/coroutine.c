// POSIX contexts. The lowest page of the stack is closed, so that an overflow cannot pass in
// silence.
#include "base/coroutine.h"

#include "base/memory.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define WITH_TSAN
#elif defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WITH_TSAN
#elif __has_feature(address_sanitizer)
#define WITH_ASAN
#endif
#endif

#ifdef WITH_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#ifdef WITH_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

struct Coroutine {
    ucontext_t caller, own;
    void (*body)(void *context);
    void *context;
    char *stack;
    size_t size, page;
    bool ended;
    void *fiber, *caller_fiber; // of ThreadSanitizer
    const void *caller_stack;   // of AddressSanitizer
    size_t caller_size;
    void *fake;
};

// --- what sanitizers want to know ----------------------------------------------------------------

// ThreadSanitizer counts entries and exits of functions by stack: what changes over must not be a
// function of its own, and what begins on one stack and ends on another is not counted.
#define CHANGES_OVER static inline __attribute__((always_inline))
#define NOT_COUNTED  __attribute__((no_sanitize("thread")))

CHANGES_OVER void before_entering(Coroutine *c, void **fake) {
    (void)c, (void)fake;
#ifdef WITH_TSAN
    c->caller_fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(c->fiber, 0);
#endif
#ifdef WITH_ASAN
    __sanitizer_start_switch_fiber(fake, c->stack, c->size);
#endif
}

CHANGES_OVER void after_entering(Coroutine *c, void *fake) {
    (void)c, (void)fake;
#ifdef WITH_ASAN
    __sanitizer_finish_switch_fiber(fake, &c->caller_stack, &c->caller_size);
#endif
}

CHANGES_OVER void before_leaving(Coroutine *c, void **fake) {
    (void)c, (void)fake;
#ifdef WITH_TSAN
    __tsan_switch_to_fiber(c->caller_fiber, 0);
#endif
#ifdef WITH_ASAN
    __sanitizer_start_switch_fiber(fake, c->caller_stack, c->caller_size);
#endif
}

CHANGES_OVER void after_leaving(void *fake) {
    (void)fake;
#ifdef WITH_ASAN
    __sanitizer_finish_switch_fiber(fake, NULL, NULL);
#endif
}

// --- switching -----------------------------------------------------------------------------------

// makecontext passes ints: a pointer goes in two parts.
NOT_COUNTED static void enter(unsigned high, unsigned low) {
    unsigned part[2] = {low, high};
    Coroutine *c = NULL;
    memcpy(&c, part, sizeof c);
    after_entering(c, NULL);
    c->body(c->context);
    c->ended = true;
    before_leaving(c, NULL); // this stack is not needed again
}

Coroutine *coroutine_new(void (*body)(void *context), void *context, size_t stack) {
    Coroutine *c = memory_zeroed(1, sizeof *c);
    c->body = body;
    c->context = context;
    c->page = (size_t)sysconf(_SC_PAGESIZE);
    c->size = (stack / c->page + 2) * c->page;
    void *memory;
    if (posix_memalign(&memory, c->page, c->size) != 0) abort(); // as when any memory runs out
    c->stack = memory;
    mprotect(c->stack, c->page, PROT_NONE);
    getcontext(&c->own);
    c->own.uc_stack.ss_sp = c->stack;
    c->own.uc_stack.ss_size = c->size;
    c->own.uc_link = &c->caller;
    unsigned part[2] = {0};
    _Static_assert(sizeof c <= sizeof part, "a pointer fits into two ints");
    memcpy(part, &c, sizeof c);
    makecontext(&c->own, (void (*)(void))enter, 2, part[1], part[0]);
#ifdef WITH_TSAN
    c->fiber = __tsan_create_fiber(0);
#endif
    return c;
}

void coroutine_resume(Coroutine *c) {
    void *fake = NULL;
    if (c->ended) return;
    before_entering(c, &fake);
    swapcontext(&c->caller, &c->own);
    after_leaving(fake);
}

void coroutine_wait(Coroutine *c) {
    before_leaving(c, &c->fake);
    swapcontext(&c->own, &c->caller);
    after_entering(c, c->fake);
}

void coroutine_free(Coroutine *c) {
    if (!c) return;
#ifdef WITH_TSAN
    __tsan_destroy_fiber(c->fiber);
#endif
    mprotect(c->stack, c->page, PROT_READ | PROT_WRITE);
    free(c->stack);
    free(c);
}
