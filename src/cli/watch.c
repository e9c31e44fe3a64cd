// watch: the page of a run, made anew whenever a file that it was made from is saved.
//
//     watch  --fork-->  the verb: page.html, and through a pipe the names of all files that were read
//       |               (a run that fails ends its own process, nothing else)
//       +-- page.html.js: the number of this page; an open page looks at it and loads itself anew
//       +-- sleeps until one of the files has another time, size or number
#include "cli/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS_PER_SECOND = 5 };

typedef struct {
    Call *c;
    const char *main; // the file asked for
    char *names;      // of all that were read, each with a zero at its end
    size_t length;    // of names
    char *before;     // how they were before the run
} Watch;

// --- what was read -------------------------------------------------------------------------------

static void send_name(void *call, const char *path) {
    const Call *c = call;
    if (write(c->names_to, path, strlen(path) + 1) < 0) return; // the one who watches has ended
}

// All that comes through a pipe.
static char *read_all(int from, size_t *length) {
    char part[4096], *all = NULL;
    *length = 0;
    FILE *to = open_memstream(&all, length);
    for (ssize_t got = 1; to && got;) {
        got = read(from, part, sizeof part);
        if (got > 0) fwrite(part, 1, (size_t)got, to);
        if (got < 0 && errno != EINTR) break;
    }
    if (to) fclose(to);
    return all;
}

// Time, size and number of every file, as one text. A file that is not there has none.
static void look_at(FILE *out, const char *name) {
    struct stat about;
    if (stat(name, &about) != 0)
        fputs("-\n", out);
    else
        fprintf(out, "%lld.%09ld %lld %llu\n", (long long)about.st_mtim.tv_sec,
                about.st_mtim.tv_nsec, (long long)about.st_size, (unsigned long long)about.st_ino);
}

static char *look_at_all(const Watch *w) {
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out) abort();
    look_at(out, w->main);
    for (size_t at = 0; at < w->length; at += strlen(w->names + at) + 1)
        look_at(out, w->names + at);
    fclose(out);
    return text;
}

static void look_again(Watch *w) {
    free(w->before);
    w->before = look_at_all(w);
}

// --- pages ---------------------------------------------------------------------------------------

// The files that were read this time. As they are now, unless they were watched before: those are
// as they were before the run.
static void learn_names(Watch *w, int from) {
    size_t length;
    char *names = read_all(from, &length);
    bool same = length == w->length && (!length || memcmp(names, w->names, length) == 0);
    if (same) {
        free(names);
        return;
    }
    free(w->names);
    w->names = names;
    w->length = length;
    look_again(w);
}

// In a process of its own; its exit code, or -1.
static int make_page_apart(Watch *w) {
    int ends[2];
    if (pipe(ends) != 0) return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        w->c->names_to = ends[1];
        w->c->o.file = send_name;
        BdOutcome code = call_verb(w->c);
        close(ends[1]);
        call_tell(w->c, true);
        fflush(NULL);
        _exit((int)code);
    }
    close(ends[1]);
    if (child > 0) learn_names(w, ends[0]);
    close(ends[0]);
    int status = 0;
    if (child < 0) return -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

// Beside the page: FILE.html.js, or as --out says.
static char *number_path(const Watch *w, const char *end) {
    const char *out = call_option(w->c, "out"), *slash = strrchr(w->main, '/');
    const char *base = slash ? slash + 1 : w->main, *dot = strrchr(base, '.');
    char *path = NULL;
    size_t length;
    FILE *to = open_memstream(&path, &length);
    if (!to) abort();
    if (out)
        fputs(out, to);
    else
        fprintf(to, "%.*s.html", (int)(dot && dot != base ? (size_t)(dot - base) : strlen(base)),
                base);
    fprintf(to, ".js%s", end);
    fclose(to);
    return path;
}

// Written beside and renamed, as pages may look at any time.
static bool number_page(const Watch *w, int number) {
    char *path = number_path(w, ""), *beside = number_path(w, ".new");
    FILE *f = fopen(beside, "w");
    bool good = f && fprintf(f, "bondynPage(%d);\n", number) > 0;
    good = f && fclose(f) == 0 && good && rename(beside, path) == 0;
    if (!good) {
        char words[300];
        snprintf(words, sizeof words, "cannot write '%.200s': %s", path, strerror(errno));
        bd_report_add(w->c->report, BD_ERROR, "T002", words, NULL);
    }
    free(path);
    free(beside);
    return good;
}

// Until the files differ from those before; false: interrupted.
static bool wait_for_change(const Watch *w) {
    bool same = true;
    while (same && !*interrupt_flag()) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000000L / LOOKS_PER_SECOND}, NULL);
        char *now = look_at_all(w);
        same = strcmp(now, w->before) == 0;
        free(now);
    }
    return !same;
}

BdOutcome watch(Call *c) {
    Watch w = {.c = c, .main = c->o.argument_count ? c->argument[0] : ""};
    int code = 0;
    interrupt_watch();
    for (int number = 1;; number++) {
        look_again(&w); // a save while the run goes on counts, too
        code = make_page_apart(&w);
        if (code < 0 || code == BD_WRONG_USE || !number_page(&w, number)) break;
        if (!c->quiet && !c->o.json)
            fprintf(stderr, "watching %s: exit %d; Ctrl-C ends\n", w.main, code);
        if (!wait_for_change(&w)) break;
    }
    free(w.names);
    free(w.before);
    if (code == BD_WRONG_USE) return BD_WRONG_USE;
    return bd_report_errors(c->report) ? BD_WRONG_INPUT : BD_GOOD;
}
