// The cache of compiled code: one file per text, compiler, flags and processor.
//
//     ~/.cache/bondyn/native/<digest of the key>.so      with a digest of its contents at the end
//                           /tmp.XXXXXX/                 where a compiler works
#ifndef BONDYN_ENGINE_NATIVE_CACHE_H
#define BONDYN_ENGINE_NATIVE_CACHE_H

#include "base/arena.h"
#include "base/text.h"

// The folder for compiled code, which is made if need be; NULL when no folder can be written to.
// Nullable: wanted.
const char *cache_folder(Arena *out, const char *wanted);
char *cache_path(Arena *out, const char *folder, const char *key, size_t length);
bool cache_has(const char *path); // whole and undamaged; a damaged file is removed
// Copies a new library to its place in one step. False: no room; nothing is left behind.
bool cache_keep(const char *library, const char *path);
void cache_trim(const char *folder); // the oldest go when there are too many, or too much of them
void cache_describe_machine(Text *out); // for the key: processor and C library

#endif
