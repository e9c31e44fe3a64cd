// Files of a unit at work.
#ifndef BONDYN_FOREIGN_UNIT_FILES_H
#define BONDYN_FOREIGN_UNIT_FILES_H

#include "foreign/unit.h"

typedef struct {
    const char *folder; // in which it works; NULL: none was made
    const char *library;
} UnitFiles;

// Binary, resources and, without a binary, sources, compiled. NULL: good; else what is wrong.
const char *unit_unpack(Arena *out, const UnitDescription *d, bool steps, const char *data,
                        size_t length, UnitFiles *files);
void unit_folder_remove(const char *path);

#endif
