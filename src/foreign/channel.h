// What Bondyn and a guest process say to each other: one block of shared memory, and whose turn it
// is.
//
//     Bondyn                       guest (foreign/guest)
//     inputs, command   turn = 1   --->   calls the foreign code
//     outputs, result   turn = 0   <---   or dies of it, or never answers
//
// Who waits looks at the turn for some microseconds, then sleeps on it (futex).
#ifndef BONDYN_FOREIGN_CHANNEL_H
#define BONDYN_FOREIGN_CHANNEL_H

#include <stdatomic.h>
#include <stdint.h>

enum { TURN_HOST, TURN_GUEST };
enum { CHANNEL_DESCRIPTOR = 3, CHANNEL_WORDS = 2000 };

typedef enum {
    GUEST_GOOD,
    GUEST_FAULT, // `words` says what went wrong
} GuestResult;

typedef struct {
    _Atomic uint32_t turn;
    int32_t command, argument; // what is asked; for functions: which one
    int32_t inputs, outputs;   // numbers in `number`: inputs, then outputs
    int32_t result;            // GuestResult
    int32_t room;              // of `number`
    char words[CHANNEL_WORDS];
    double number[];
} Channel;

// Between arrays that are handed over: foreign code that writes there wrote too much.
enum { GUARD_NUMBERS = 8 };

#endif
