// Foreign code in a process of its own: it can crash, hang or try what it should not, and Bondyn
// says so and goes on. A guest is started at the first call and again after a crash.
//
// Threads may share one; a process that was forked gets a guest of its own.
#ifndef BONDYN_FOREIGN_GUEST_HOST_H
#define BONDYN_FOREIGN_GUEST_HOST_H

#include "foreign/channel.h"
#include <stdbool.h>

typedef struct Guest Guest;

typedef struct {
    const char *kind;    // which part of the guest serves: "function"
    const char *library; // the shared library
    const char *folder;  // that it may write to; NULL: none
    const char **name;   // further words: functions
    int name_count;
    int room;       // numbers, inputs and outputs of the largest call
    double seconds; // of work that a call may take; 0: as $BONDYN_FOREIGN_SECONDS says, or 10
} GuestOptions;

// Starts nothing yet. Texts must outlive it.
Guest *guest_new(const GuestOptions *o);
void guest_free(Guest *g); // ends its process

typedef struct {
    int command, argument;
    const double *in;
    int inputs;
    double *out;
    int outputs;
} GuestCall;

// False: no answer, or a fault; guest_words says what. After a hang, and after three crashes, a
// guest is not started again.
bool guest_call(Guest *g, const GuestCall *call);
bool guest_start(Guest *g);              // where it does not run: can the code be loaded?
const char *guest_words(const Guest *g); // of the last fault; never NULL

#endif
