#include "base/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *file_read(Arena *out, const char *path, size_t *length, Report *r, Pos asked) {
    FILE *f = fopen(path, "rb");
    struct stat about;
    if (f && fstat(fileno(f), &about) == 0 && S_ISDIR(about.st_mode)) {
        fclose(f);
        f = NULL;
        errno = EISDIR;
    }
    if (!f) {
        report_error(r, T_CANNOT_READ, asked, "cannot read '%s': %s", path, strerror(errno));
        return NULL;
    }
    Text text = {0};
    char buffer[1 << 16];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;) text_add_n(&text, buffer, n);
    bool bad = ferror(f);
    fclose(f);
    if (bad) report_error(r, T_CANNOT_READ, asked, "cannot read '%s': read error", path);
    char *copy = bad ? NULL : arena_copy_text(out, text_get(&text), text.length);
    *length = text.length;
    text_free(&text);
    return copy;
}

bool file_exists(const char *path) { return access(path, F_OK) == 0; }

char *file_beside(Arena *out, const char *path) {
    return arena_printf(out, "%s.%ld.part", path, (long)getpid());
}

static bool cannot_write(Report *r, const char *path) {
    Remark *m =
        report_error(r, T_CANNOT_WRITE, POS_NONE, "cannot write '%s': %s", path, strerror(errno));
    remark_help(r, m, "choose a folder that exists and that you may write to");
    return false;
}

bool file_commit(const char *beside, const char *path, Report *r) {
    if (rename(beside, path) == 0) return true;
    cannot_write(r, path);
    remove(beside);
    return false;
}

bool file_write(const char *path, const char *data, size_t length, Report *r) {
    Arena tmp = {0};
    char *beside = file_beside(&tmp, path);
    FILE *f = fopen(beside, "wb");
    bool good = f && fwrite(data, 1, length, f) == length;
    if (f && fclose(f) != 0) good = false;
    if (!good) {
        cannot_write(r, path);
        if (f) remove(beside);
    } else {
        good = file_commit(beside, path, r);
    }
    arena_free(&tmp);
    return good;
}

bool folder_make(const char *path, Report *r) {
    Arena tmp = {0};
    char *part = arena_copy_text(&tmp, path, strlen(path));
    bool good = true;
    for (char *c = part + 1; good && *part; c++) {
        if (*c && *c != '/') continue;
        char end = *c;
        *c = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST) good = cannot_write(r, path);
        *c = end;
        if (!end) break;
    }
    arena_free(&tmp);
    return good;
}

const char *path_base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *path_folder(Arena *out, const char *path) {
    const char *base = path_base(path);
    if (base == path) return arena_copy_text(out, ".", 1);
    return arena_copy_text(out, path, base - path > 1 ? (size_t)(base - path - 1) : 1);
}

char *path_join(Arena *out, const char *folder, const char *name) {
    if (*name == '/' || strcmp(folder, ".") == 0) return arena_copy_text(out, name, strlen(name));
    return arena_printf(out, "%s/%s", folder, name);
}

char *path_stem(Arena *out, const char *path) {
    const char *base = path_base(path), *dot = strrchr(base, '.');
    return arena_copy_text(out, base, dot && dot != base ? (size_t)(dot - base) : strlen(base));
}
