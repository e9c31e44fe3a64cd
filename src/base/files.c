#include "base/files.h"

#include "base/array.h"
#include "base/suggest.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 30 };

// --- reading -------------------------------------------------------------------------------------

// Asked before it is opened: nothing waits for the other end of a pipe.
int file_open(const char *path) {
    struct stat about;
    if (stat(path, &about) != 0) return -1;
    if (S_ISREG(about.st_mode)) return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    errno = S_ISDIR(about.st_mode) ? EISDIR : ESPIPE;
    return -1;
}

const char *file_problem(int error) {
    if (error == ESPIPE) return "it is a pipe or a device, not a file";
    if (error == ELOOP) return "it is a symbolic link";
    return strerror(error);
}

static FILE *open_stream(const char *path) {
    int file = file_open(path);
    FILE *f = file < 0 ? NULL : fdopen(file, "rb");
    if (file >= 0 && !f) close(file);
    return f;
}

// No such file: one beside it may be meant.
static void suggest_file(Report *r, Remark *to, const char *path) {
    Arena tmp = {0};
    Suggestion near = suggest_for(path_base(path));
    const char *wanted = strrchr(near.word, '.'); // the kind of file, which may have been left out
    DIR *folder = opendir(path_folder(&tmp, path));
    for (struct dirent *e; folder && (e = readdir(folder));) {
        if (e->d_name[0] == '.') continue;
        const char *name = arena_copy_text(&tmp, e->d_name, strlen(e->d_name));
        const char *kind = strrchr(name, '.');
        size_t stem = kind ? (size_t)(kind - name) : strlen(name);
        bool is_stem = strlen(near.word) == stem && memcmp(near.word, name, stem) == 0;
        if (!wanted && is_stem && kind && strcmp(kind, ".bond") == 0) {
            near.best = name;
            near.distance = 0;
        } else if (wanted && kind && strcmp(kind, wanted) == 0) {
            suggest_offer(&near, name);
        }
    }
    if (folder) closedir(folder);
    suggest_help(r, to, &near, "check the name, and the folder that it is looked for in");
    arena_free(&tmp);
}

char *file_read(Arena *out, const char *path, size_t *length, Report *r, Pos asked) {
    FILE *f = open_stream(path);
    if (!f) {
        int error = errno;
        Remark *m = report_error(r, T_CANNOT_READ, asked, "cannot read '%s': %s", path,
                                 file_problem(error));
        if (error == ENOENT) suggest_file(r, m, path);
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

// --- writing -------------------------------------------------------------------------------------

static const char part_ending[] = ".part";

// The process that writes "results.csv.123.part", for "results.csv"; 0: it is no such name.
static long part_owner(const char *name, const char *base) {
    size_t n = strlen(base);
    if (strncmp(name, base, n) != 0 || name[n] != '.') return 0;
    char *end;
    long owner = strtol(name + n + 1, &end, 10);
    return end > name + n + 1 && owner > 0 && strcmp(end, part_ending) == 0 ? owner : 0;
}

// Nobody has it open: writers hold a lock, which tells of those on other machines, too.
static bool is_abandoned(const char *path, long owner) {
    if (owner == (long)getpid() || kill((pid_t)owner, 0) == 0 || errno != ESRCH) return false;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return errno == ELOOP;
    bool free = flock(file, LOCK_EX | LOCK_NB) == 0;
    close(file);
    return free;
}

static void remove_abandoned(const char *path) {
    Arena tmp = {0};
    int count;
    const char *folder = path_folder(&tmp, path);
    char **part = folder_files(&tmp, folder, part_ending, &count);
    for (int i = 0; i < count; i++) {
        long owner = part_owner(path_base(part[i]), path_base(path));
        if (owner && is_abandoned(part[i], owner)) unlink(part[i]);
    }
    arena_free(&tmp);
}

// A device, a pipe or a link is written to, not replaced.
char *file_beside(Arena *out, const char *path) {
    struct stat about;
    if (lstat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return arena_copy_text(out, path, strlen(path));
    remove_abandoned(path);
    char *beside = arena_printf(out, "%s.%ld%s", path, (long)getpid(), part_ending);
    unlink(beside); // what has our number is not of this process
    return beside;
}

int file_create(const char *beside, const char *path) {
    bool apart = strcmp(beside, path) != 0;
    int file = open(beside, O_WRONLY | O_CREAT | O_CLOEXEC | (apart ? O_EXCL : O_TRUNC), 0666);
    if (file >= 0 && apart) flock(file, LOCK_EX | LOCK_NB);
    return file;
}

bool file_put(int file, const char *data, size_t length) {
    for (size_t done = 0; done < length;) {
        ssize_t n = write(file, data + done, length - done);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = EIO;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

static bool cannot_write(Report *r, const char *path) {
    Remark *m =
        report_error(r, T_CANNOT_WRITE, POS_NONE, "cannot write '%s': %s", path, strerror(errno));
    remark_help(r, m, "choose a folder that exists, has space and that you may write to");
    return false;
}

// Some file systems have nothing to settle, and say EINVAL.
static bool file_settle(const char *path) {
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return errno == EACCES; // a folder that may be written to and not be read
    bool good = fsync(file) == 0 || errno == EINVAL || errno == EROFS;
    int problem = errno;
    close(file);
    errno = problem;
    return good;
}

bool file_commit(const char *beside, const char *path, Report *r) {
    if (strcmp(beside, path) == 0) return true;
    Arena tmp = {0};
    bool good =
        file_settle(beside) && rename(beside, path) == 0 && file_settle(path_folder(&tmp, path));
    arena_free(&tmp);
    if (good) return true;
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
    int file = file_create(beside, path);
    FILE *f = file < 0 ? NULL : fdopen(file, "wb");
    bool good = f && fwrite(data, 1, length, f) == length;
    if (f && fclose(f) != 0) good = false;
    if (!good) {
        cannot_write(r, path);
        if (file >= 0) file_discard(beside, path);
    } else {
        good = file_commit(beside, path, r);
    }
    arena_free(&tmp);
    return good;
}

// --- folders and paths ---------------------------------------------------------------------------

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
