// Loops over many numbers, compiled a second time for the wider registers that newer processors
// have; which one runs is decided when the program is loaded. Every operation is rounded for itself
// in both, so no bit depends on the processor.
#ifndef BONDYN_BASE_WIDE_H
#define BONDYN_BASE_WIDE_H

#include <stdlib.h> // says which C library this is

// Sanitizers are not awake yet when functions are chosen.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BONDYN_WATCHED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BONDYN_WATCHED
#endif

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(BONDYN_WATCHED)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

// Put before a loop whose rounds are independent of each other. Under sanitizers clang does not
// vectorise and would warn about the request, so there it is empty.
#if defined(__clang__) && defined(BONDYN_WATCHED)
#define APART
#elif defined(__clang__)
#define APART _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define APART _Pragma("GCC ivdep")
#else
#define APART
#endif

#endif
