// Where a mesh is:
//
//     meshes/hand.stl          beside the file that names it, or /from/the/root
//     file:///a/hand.stl       the path behind file://
//     package://arm/hand.stl   folder F of the naming file or above it: F/arm/hand.stl, or, if F
//     model://arm/hand.stl     itself is called arm, F/hand.stl; then D/arm/hand.stl for each D of
//                              ROS_PACKAGE_PATH
#include "import/mesh.h"

#include "base/files.h"
#include <stdlib.h>
#include <string.h>

// What is behind a beginning, or NULL.
static const char *behind(const char *text, const char *begin) {
    size_t length = strlen(begin);
    return strncmp(text, begin, length) == 0 ? text + length : NULL;
}

static const char *if_there(const char *path) { return file_exists(path) ? path : NULL; }

static const char *in_or_below(Arena *out, const char *folder, const char *package) {
    const char *found = if_there(path_join(out, folder, package));
    const char *rest = behind(package, path_base(folder));
    if (found || !rest || *rest != '/') return found;
    return if_there(path_join(out, folder, rest + 1));
}

static const char *above(Arena *out, const char *folder, const char *package) {
    char *real = realpath(folder, NULL);
    const char *found = NULL;
    while (real && !found && *real) {
        found = in_or_below(out, real, package);
        *strrchr(real, '/') = 0; // an absolute path
    }
    free(real);
    return found;
}

static const char *in_search_path(Arena *out, const char *package) {
    const char *folders = getenv("ROS_PACKAGE_PATH"), *found = NULL;
    while (folders && *folders && !found) {
        size_t length = strcspn(folders, ":");
        const char *folder = arena_copy_text(out, folders, length);
        if (length) found = in_or_below(out, folder, package);
        folders += length + (folders[length] == ':');
    }
    return found;
}

const char *mesh_find(Arena *out, const char *folder, const char *name) {
    const char *package = behind(name, "package://"), *file = behind(name, "file://");
    if (!package) package = behind(name, "model://");
    if (package) {
        const char *found = above(out, folder, package);
        return found ? found : in_search_path(out, package);
    }
    if (file) name = file;
    return if_there(name[0] == '/' ? name : path_join(out, folder, name));
}
