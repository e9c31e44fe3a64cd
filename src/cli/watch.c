// watch: the page of a run, made anew whenever a file that it was made from is saved.
//
//     watch  --fork-->  report: page.html, and through a pipe the names of all files that were read
//       |               (a run that fails ends its own process, nothing else)
//       +-- page.html.js: the number of this page; an open page looks at it and loads itself anew
//       +-- sleeps until one of the files has another time, size or number
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS_PER_SECOND = 5 };

// --- what was read -------------------------------------------------------------------------------

static void send_names(int to, const Session *s) {
    for (int i = 1; i <= sources_count(s->sources); i++) {
        const char *name = source_name(s->sources, (uint32_t)i);
        if (write(to, name, strlen(name) + 1) < 0) return;
    }
}

static void take_names(Text *names, int from) {
    char part[4096];
    for (;;) {
        ssize_t got = read(from, part, sizeof part);
        if (got > 0)
            text_add_n(names, part, (size_t)got);
        else if (got == 0 || errno != EINTR)
            return;
    }
}

// Time, size and number of every file, as one text. A file that is not there has none.
static void look_at(Text *out, const char *name) {
    struct stat about;
    if (stat(name, &about) != 0) {
        text_add(out, "-\n");
        return;
    }
    text_printf(out, "%lld.%09ld %lld %llu\n", (long long)about.st_mtim.tv_sec,
                about.st_mtim.tv_nsec, (long long)about.st_size, (unsigned long long)about.st_ino);
}

static void look_at_all(Text *out, const char *main, const Text *names) {
    text_clear(out);
    look_at(out, main);
    for (size_t at = 0; at < names->length; at += strlen(names->data + at) + 1)
        look_at(out, names->data + at);
}

// --- pages ---------------------------------------------------------------------------------------

// The files that were read this time. As they are now, unless they were watched before: those are
// as they were before the run.
static void learn_names(Session *s, Text *names, Text *before, int from) {
    Text read = {0};
    take_names(&read, from);
    bool same =
        read.length == names->length && memcmp(text_get(&read), text_get(names), read.length) == 0;
    if (!same) {
        text_clear(names);
        text_add_n(names, text_get(&read), read.length);
        look_at_all(before, session_argument(s, 0), names);
    }
    text_free(&read);
}

// In a process of its own; its exit code, or -1. `names` gets what it read.
static int make_page_apart(Session *s, Text *names, Text *before) {
    int ends[2];
    if (pipe(ends) != 0) return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        ExitCode code = verb_report(s);
        send_names(ends[1], s);
        close(ends[1]);
        code = session_end(s, code);
        fflush(NULL);
        _exit((int)code);
    }
    close(ends[1]);
    if (child > 0) learn_names(s, names, before, ends[0]);
    close(ends[0]);
    int status = 0;
    if (child < 0) return -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static bool number_page(Session *s, int number) {
    Text text = {0};
    text_printf(&text, "bondynPage(%d);\n", number);
    bool good = file_write(page_number_path(s), text_get(&text), text.length, &s->report);
    text_free(&text);
    return good;
}

// Until the files differ from `before`; false: interrupted.
static bool wait_for_change(const char *main, const Text *names, const Text *before) {
    Text now = {0};
    bool same = true;
    while (same && !*interrupt_flag()) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000000L / LOOKS_PER_SECOND}, NULL);
        look_at_all(&now, main, names);
        same = strcmp(text_get(&now), text_get(before)) == 0;
    }
    text_free(&now);
    return !same;
}

ExitCode verb_watch(Session *s) {
    const char *main = session_argument(s, 0);
    Text names = {0}, before = {0};
    RunOptions o;
    if (!run_options(s, &o)) return EXIT_USAGE;
    interrupt_watch();
    for (int number = 1;; number++) {
        look_at_all(&before, main, &names); // a save while the run goes on counts, too
        int code = make_page_apart(s, &names, &before);
        if (code < 0 || !number_page(s, number)) break;
        if (!session_has(s, OPT_QUIET) && !s->json)
            fprintf(stderr, "watching %s: exit %d; Ctrl-C ends\n", main, code);
        if (!wait_for_change(main, &names, &before)) break;
    }
    text_free(&names);
    text_free(&before);
    return s->report.errors ? EXIT_INPUT : EXIT_GOOD;
}
