// The folder of the opened file: nothing outside of it is read or written for a page.
#include "studio/inside.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// No "..", no absolute path, no control characters.
static bool name_is_plain(const char *name) {
    if (!*name || *name == '/' || strlen(name) > 1000) return false;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f || *c == '\\') return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (*part == '/' || *part == '.' || !*part) return false; // no "..", nothing hidden
    }
    return true;
}

static bool is_below(const char *folder, const char *path) {
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && path[n] == '/';
}

char *folder_path(const char *folder, const char *name, bool must_exist) {
    if (!name_is_plain(name)) return NULL;
    Text path = {0};
    text_printf(&path, "%s/%s", folder, name);
    char *real = realpath(text_get(&path), NULL); // links may lead anywhere
    if (!real && !must_exist) {
        char *slash = strrchr(path.data, '/');
        Text above = {0};
        text_add_n(&above, path.data, (size_t)(slash - path.data));
        char *parent = realpath(text_get(&above), NULL);
        bool inside = parent && (strcmp(parent, folder) == 0 || is_below(folder, parent));
        Text whole = {0};
        if (inside) text_printf(&whole, "%s%s", parent, slash);
        free(parent);
        text_free(&above);
        text_free(&path);
        return whole.data;
    }
    text_free(&path);
    if (real && is_below(folder, real)) return real;
    free(real);
    return NULL;
}
