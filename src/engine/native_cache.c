// Compiled code on disk. Files are written beside their place and renamed, so that runs at the same
// time see whole files only; the digest at the end of a file tells of damage by disks and people.
#include "engine/native_cache.h"

#include "base/array.h"
#include "base/digest.h"
#include "base/files.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#if defined(__linux__)
#include <sys/auxv.h>
#endif

enum { MOST_FILES = 1024, SEAL_WORD = 8, SEAL = SEAL_WORD + DIGEST_TEXT };
#define MOST_BYTES    (128LL << 20)
#define STALE_SECONDS 3600 // of a folder whose compiler was killed

static const char seal_word[] = "BONDYN1 ";

// --- places --------------------------------------------------------------------------------------

static bool is_own_folder(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() &&
           (s.st_mode & (S_IWGRP | S_IWOTH)) == 0 && access(path, W_OK | X_OK) == 0;
}

static const char *base_folder(Arena *out, const char *wanted) {
    if (wanted) return wanted;
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/') return path_join(out, cache, "bondyn");
    return home && home[0] == '/' ? path_join(out, home, ".cache/bondyn") : NULL;
}

// The folder must belong to the user alone: code that others could have written is never run.
const char *cache_folder(Arena *out, const char *wanted) {
    const char *base = base_folder(out, wanted);
    if (!base) return NULL;
    Report ignored = {0};
    const char *folder = path_join(out, base, "native");
    bool good = folder_make(folder, &ignored);
    report_free(&ignored);
    if (!good) return NULL;
    struct stat s;
    if (stat(folder, &s) == 0 && s.st_uid == geteuid() && (s.st_mode & 077)) chmod(folder, 0700);
    return is_own_folder(folder) ? folder : NULL;
}

char *cache_path(Arena *out, const char *folder, const char *key, size_t length) {
    char name[DIGEST_TEXT + 1];
    digest(key, length, name);
    Text t = {0};
    text_printf(&t, "%s.so", name);
    char *path = path_join(out, folder, text_get(&t));
    text_free(&t);
    return path;
}

// -march=native means something else on every processor, and homes are shared between machines.
void cache_describe_machine(Text *out) {
    struct utsname name;
    if (uname(&name) == 0) text_printf(out, "%s %s\n", name.sysname, name.machine);
#if defined(__x86_64__) || defined(__i386__)
    unsigned a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d)) text_printf(out, "cpu %x %x %x", a, c, d);
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) text_printf(out, " %x %x %x", b, c, d);
#endif
#if defined(__linux__)
    text_printf(out, " %lx %lx", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
#endif
    text_char(out, '\n');
}

// --- files ---------------------------------------------------------------------------------------

static char *read_whole(Arena *out, const char *path, size_t *length) {
    Report ignored = {0};
    char *data = file_read(out, path, length, &ignored, POS_NONE);
    report_free(&ignored);
    return data;
}

static bool is_sealed(const char *data, size_t length) {
    char name[DIGEST_TEXT + 1];
    if (length < SEAL || memcmp(data + length - SEAL, seal_word, SEAL_WORD) != 0) return false;
    digest(data, length - SEAL, name);
    return memcmp(data + length - DIGEST_TEXT, name, DIGEST_TEXT) == 0;
}

bool cache_has(const char *path) {
    struct stat s;
    if (stat(path, &s) != 0) return false;
    Arena arena = {0};
    size_t length;
    char *data = s.st_uid == geteuid() ? read_whole(&arena, path, &length) : NULL;
    bool good = data && is_sealed(data, length);
    arena_free(&arena);
    if (!good)
        unlink(path);
    else
        utimensat(AT_FDCWD, path, NULL, 0); // used now
    return good;
}

bool cache_keep(const char *library, const char *path) {
    Arena arena = {0};
    Report ignored = {0};
    Text sealed = {0};
    size_t length;
    char name[DIGEST_TEXT + 1], *data = read_whole(&arena, library, &length);
    if (data) {
        digest(data, length, name);
        text_add_n(&sealed, data, length);
        text_printf(&sealed, "%s%s", seal_word, name);
    }
    bool good = data && file_write(path, text_get(&sealed), sealed.length, &ignored);
    text_free(&sealed);
    report_free(&ignored);
    arena_free(&arena);
    return good;
}

// --- bounds --------------------------------------------------------------------------------------

typedef struct {
    char *path;
    time_t used;
    long long bytes;
} Kept;

static int oldest_first(const void *a, const void *b) {
    const Kept *x = a, *y = b;
    if (x->used != y->used) return x->used < y->used ? -1 : 1;
    return strcmp(x->path, y->path);
}

static void remove_stale(Arena *tmp, const char *folder) {
    DIR *d = opendir(folder);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));) {
        char *path = path_join(tmp, folder, e->d_name);
        struct stat s;
        if (strncmp(e->d_name, "tmp.", 4) != 0 || stat(path, &s) != 0) continue;
        if (!S_ISDIR(s.st_mode) || time(NULL) - s.st_mtime < STALE_SECONDS) continue;
        static const char *const inside[] = {"code.c", "code.so", "words.txt"};
        for (int i = 0; i < 3; i++) unlink(path_join(tmp, path, inside[i]));
        rmdir(path);
    }
    closedir(d);
}

void cache_trim(const char *folder) {
    Arena tmp = {0};
    int count, kept = 0;
    char **path = folder_files(&tmp, folder, ".so", &count);
    Kept *file = ARENA_ARRAY(&tmp, Kept, count + 1);
    long long bytes = 0;
    for (int i = 0; i < count; i++) {
        struct stat s;
        if (stat(path[i], &s) != 0) continue;
        file[kept++] = (Kept){path[i], s.st_mtime, (long long)s.st_size};
        bytes += (long long)s.st_size;
    }
    qsort(file, (size_t)kept, sizeof *file, oldest_first);
    for (int i = 0; i < kept && (kept - i > MOST_FILES || bytes > MOST_BYTES); i++) {
        unlink(file[i].path);
        bytes -= file[i].bytes;
    }
    remove_stale(&tmp, folder);
    arena_free(&tmp);
}
