// Files, read whole and written whole: a file is written beside its place, brought to the disk and
// renamed, so readers see the old one or the new one and nothing in between, after a loss of power
// too.
#ifndef BONDYN_BASE_FILES_H
#define BONDYN_BASE_FILES_H

#include "base/report.h"

// A file to read from, or -1 with errno: only plain files, as a pipe may never end and a device is
// changed by being read (ESPIPE).
int file_open(const char *path);
const char *file_problem(int error); // strerror, with words of our own for ESPIPE and ELOOP
// The whole file, with a 0 behind it; NULL and a remark at `asked` when it cannot be read.
char *file_read(Arena *out, const char *path, size_t *length, Report *r, Pos asked);
bool file_exists(const char *path);
bool file_write(const char *path, const char *data, size_t length, Report *r);

// For writers that need a path of their own: write to file_beside(path), then file_commit it. What
// dead processes left beside the same path goes, and so does whatever has the name: a link that
// somebody put there is removed, not followed.
char *file_beside(Arena *out, const char *path);
int file_create(const char *beside, const char *path);    // to write to; -1 with errno
bool file_put(int file, const char *data, size_t length); // all of it; false with errno
bool file_commit(const char *beside, const char *path, Report *r);
void file_discard(const char *beside, const char *path); // instead, when writing went wrong

bool folder_make(const char *path, Report *r); // with its parents
double folder_room(const char *path);          // bytes that may still be written; 0: not known
// Paths of the files whose names end so, sorted; none when the folder cannot be read.
char **folder_files(Arena *out, const char *folder, const char *ending, int *count);
const char *path_base(const char *path);         // "a/b.bond" -> "b.bond"
char *path_folder(Arena *out, const char *path); // "a/b.bond" -> "a"; "b" -> "."
char *path_join(Arena *out, const char *folder, const char *name);
char *path_stem(Arena *out, const char *path); // "a/b.bond" -> "b"

#endif
