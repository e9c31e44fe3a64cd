// A function that can wait in the middle, on a stack of its own, until it is resumed.
//
//     caller       coroutine_resume ----.            .---> goes on        coroutine_resume ...
//     body                              '--> ... ----' coroutine_wait
//
// One thread at a time; which one may change between calls. Sanitizers are told of the stacks.
#ifndef BONDYN_BASE_COROUTINE_H
#define BONDYN_BASE_COROUTINE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Coroutine Coroutine;

Coroutine *coroutine_new(void (*body)(void *context), void *context, size_t stack); // bytes
void coroutine_resume(Coroutine *c); // until the body waits or ends
void coroutine_wait(Coroutine *c);   // in the body
void coroutine_free(Coroutine *c);   // Nullable; the body has ended, or never begun

#endif
