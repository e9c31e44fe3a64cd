// Inside of the guest process: a program of its own, which Bondyn carries as bytes and starts when
// a model calls foreign code. It locks itself in first and loads the code then.
#ifndef BONDYN_FOREIGN_GUEST_H
#define BONDYN_FOREIGN_GUEST_H

#include "foreign/channel.h"
#include <stdbool.h>

// Denies fork, exec, sockets and changes of files outside of `folder` (NULL: of all files), for
// good. False: this machine cannot; `words` says what.
bool sandbox_enter(const char *folder, char *words);

void say(Channel *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef void Serve(Channel *c);
// Loads the functions of a library by name; NULL: said in the channel.
Serve *functions_load(Channel *c, const char *library, char **name, int count);
Serve *unit_load(Channel *c, const char *library, char **word, int count); // of an FMU

#endif
