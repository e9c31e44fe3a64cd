// Memory outside arenas, for things that come and go on their own. Running out of it ends the
// process, as there is nothing sensible left to do.
#ifndef BONDYN_BASE_MEMORY_H
#define BONDYN_BASE_MEMORY_H

#include <stddef.h>
#include <stdlib.h>

// Zeroed memory for `count` things of `size` bytes, to be given back with free(). Never NULL, also
// for no things at all.
void *memory_zeroed(size_t count, size_t size);
// The same, at an address that every vector register of a processor can be filled from.
void *memory_aligned(size_t count, size_t size);

#endif
