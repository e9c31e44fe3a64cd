// What a stage promises about what it hands on is written down as one function of that stage,
// model_check and the like, which gives the first promise that does not hold, or NULL. In debug
// builds, and so under the sanitizers, the pipeline asks after every stage; a release build asks
// nothing.
#ifndef BONDYN_BASE_INVARIANT_H
#define BONDYN_BASE_INVARIANT_H

#define HOLDS(promise)                                                                             \
    do {                                                                                           \
        if (!(promise)) return #promise;                                                           \
    } while (0)

// The whole of another check.
#define HOLDS_IN(check)                                                                            \
    do {                                                                                           \
        const char *broken_ = (check);                                                             \
        if (broken_) return broken_;                                                               \
    } while (0)

// A part of a list: `count` of them from `first` on, of `all`.
#define IS_PART(first, count, all)                                                                 \
    ((count) >= 0 && ((count) == 0 || ((first) >= 0 && (first) + (count) <= (all))))

#ifdef NDEBUG
#define STAGE_KEEPS(check) ((void)0)
#else
#include <stdio.h>
#include <stdlib.h>
static inline void stage_keeps(const char *broken, const char *check) {
    if (!broken) return;
    fprintf(stderr, "%s: broken: %s\n", check, broken);
    abort();
}
#define STAGE_KEEPS(check) stage_keeps(check, #check)
#endif

#endif
