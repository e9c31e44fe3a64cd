// Where this code is, and the component library beside it.
#define _GNU_SOURCE // dladdr
#include "api/handles.h"

#include "base/files.h"
#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool is_same_file(const char *a, const char *b) {
    struct stat about, other;
    return stat(a, &about) == 0 && stat(b, &other) == 0 && about.st_ino == other.st_ino &&
           about.st_dev == other.st_dev;
}

// The program is asked for by the system's own link: the name that it was started by may be that of
// no file.
const char *code_file(Arena *out) {
    static const char program[] = "/proc/self/exe";
    Dl_info info;
    bool known = dladdr(bd_version(), &info) && info.dli_fname && strchr(info.dli_fname, '/');
    if (known && !is_same_file(info.dli_fname, program)) return info.dli_fname;
    char path[4096];
    ssize_t length = readlink(program, path, sizeof path);
    if (length <= 0 || length == (ssize_t)sizeof path) return NULL;
    return arena_copy_text(out, path, (size_t)length);
}

const char *code_folder(Arena *out) {
    const char *file = code_file(out);
    return file ? path_folder(out, file) : NULL;
}

const char *library_beside(Arena *out) {
    static const char *const place[] = {"../../library", "../library", "../share/bondyn/library",
                                        "../../share/bondyn/library", "../../../library"};
    const char *here = code_folder(out);
    for (size_t i = 0; here && i < sizeof place / sizeof place[0]; i++) {
        const char *folder = path_join(out, here, place[i]);
        if (is_folder(folder)) return folder;
    }
    return is_folder(BONDYN_LIBRARY) ? BONDYN_LIBRARY : NULL;
}

const char *library_folder(Arena *out, const char *asked) {
    if (asked) return asked;
    const char *environment = getenv("BONDYN_LIBRARY");
    if (environment && *environment) return environment;
    const char *beside = library_beside(out);
    return beside ? beside : BONDYN_LIBRARY;
}
