#include "base/files.h"

#include "base/array.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 30 };

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
    bool endless = false;
    for (size_t n; !endless && (n = fread(buffer, 1, sizeof buffer, f)) > 0;) {
        text_add_n(&text, buffer, n);
        endless = text.length > MOST_BYTES;
    }
    bool bad = ferror(f) || endless;
    fclose(f);
    if (bad)
        report_error(r, T_CANNOT_READ, asked, "cannot read '%s': %s", path,
                     endless ? "it is larger than 1 GB, or has no end" : "read error");
    char *copy = bad ? NULL : arena_copy_text(out, text_get(&text), text.length);
    *length = text.length;
    text_free(&text);
    return copy;
}

bool file_exists(const char *path) { return access(path, F_OK) == 0; }

// A device, a pipe or a link is written to, not replaced.
char *file_beside(Arena *out, const char *path) {
    struct stat about;
    if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return arena_copy_text(out, path, strlen(path));
    return arena_printf(out, "%s.%ld.part", path, (long)getpid());
}

static bool cannot_write(Report *r, const char *path) {
    Remark *m =
        report_error(r, T_CANNOT_WRITE, POS_NONE, "cannot write '%s': %s", path, strerror(errno));
    remark_help(r, m, "choose a folder that exists, has space and that you may write to");
    return false;
}

bool file_commit(const char *beside, const char *path, Report *r) {
    if (strcmp(beside, path) == 0 || rename(beside, path) == 0) return true;
    cannot_write(r, path);
    file_discard(beside, path);
    return false;
}

void file_discard(const char *beside, const char *path) {
    if (strcmp(beside, path) != 0) remove(beside);
}

bool file_write(const char *path, const char *data, size_t length, Report *r) {
    Arena tmp = {0};
    char *beside = file_beside(&tmp, path);
    FILE *f = fopen(beside, "wb");
    bool good = f && fwrite(data, 1, length, f) == length;
    if (f && fclose(f) != 0) good = false;
    if (!good) {
        cannot_write(r, path);
        if (f) file_discard(beside, path);
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

double folder_room(const char *path) {
    struct statvfs about;
    return statvfs(path, &about) == 0 ? (double)about.f_bavail * (double)about.f_frsize : 0;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char **folder_files(Arena *out, const char *folder, const char *ending, int *count) {
    ARRAY(char *) list = {0};
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        size_t n = strlen(entry->d_name), end = strlen(ending);
        if (n > end && strcmp(entry->d_name + n - end, ending) == 0)
            array_push(&list, path_join(out, folder, entry->d_name));
    }
    if (d) closedir(d);
    if (list.count) qsort(list.data, (size_t)list.count, sizeof *list.data, by_text);
    *count = list.count;
    char **kept = ARENA_ARRAY(out, char *, list.count);
    if (list.count) memcpy(kept, list.data, (size_t)list.count * sizeof *kept);
    array_free(&list);
    return kept;
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
