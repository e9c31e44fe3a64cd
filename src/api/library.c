// Where the component library is.
#define _GNU_SOURCE // dladdr
#include "api/handles.h"

#include "base/files.h"
#include <dlfcn.h>
#include <sys/stat.h>

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

// Beside the file that this code was loaded from: an installation that was moved, or a folder of a
// build.
static const char *beside_this_code(Arena *out) {
    static const char *const place[] = {"../share/bondyn/library", "../../share/bondyn/library",
                                        "../../library", "../../../library"};
    Dl_info info;
    if (!dladdr(bd_version(), &info) || !info.dli_fname) return NULL;
    const char *here = path_folder(out, info.dli_fname);
    for (size_t i = 0; i < sizeof place / sizeof place[0]; i++) {
        const char *folder = path_join(out, here, place[i]);
        if (is_folder(folder)) return folder;
    }
    return NULL;
}

const char *library_folder(Arena *out, const char *asked) {
    if (asked) return asked;
    const char *environment = getenv("BONDYN_LIBRARY");
    if (environment && *environment) return environment;
    const char *beside = beside_this_code(out);
    return beside ? beside : BONDYN_LIBRARY;
}
