// A zip file in memory, from anywhere: whoever made it may mean harm. Everything is looked at
// before anything is unpacked.
//
//     local header, name, data | ... | central header, name | ... | end
#ifndef BONDYN_FOREIGN_ARCHIVE_H
#define BONDYN_FOREIGN_ARCHIVE_H

#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *name;
    bool folder, deflated;
    size_t at, packed, size; // of its data
    uint32_t check;
} ArchiveEntry;

typedef struct {
    const unsigned char *data;
    size_t length;
    ArchiveEntry *entry;
    int count;
} Archive;

// NULL: good; else what is wrong. `data` must outlive the archive.
const char *archive_open(Arena *out, Archive *a, const void *data, size_t length);
const ArchiveEntry *archive_find(const Archive *a, const char *name); // NULL: there is none
// Its bytes with a 0 behind them; NULL: *wrong says why.
char *archive_unpack(Arena *out, const Archive *a, const ArchiveEntry *e, const char **wrong);
// Entries below a folder ("resources/", with the slash) as files below `into`. NULL: good.
const char *archive_unpack_below(Arena *scratch, const Archive *a, const char *folder,
                                 const char *into);

#endif
