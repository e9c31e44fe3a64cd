// What happens only at a terminal: colours, a progress bar, Ctrl-C.
#include "cli/program.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// --- colours -------------------------------------------------------------------------------------

static bool has_colours(int fd) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fd) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

#define RED    "\033[1;31m"
#define YELLOW "\033[1;33m"
#define CYAN   "\033[36m"
#define GREEN  "\033[32m"
#define PLAIN  "\033[0m"

static void paint(FILE *out, const char *line, size_t length, size_t from, size_t to,
                  const char *colour) {
    fwrite(line, 1, from, out);
    fputs(colour, out);
    fwrite(line + from, 1, to - from, out);
    fputs(PLAIN, out);
    fwrite(line + to, 1, length - to, out);
}

// Where "error X000:" and its like starts in a headline, and its colour; false: no headline.
static bool find_severity(const char *line, size_t length, size_t *from, size_t *to,
                          const char **colour) {
    static const struct {
        const char *word, *colour;
    } severity[] = {{"error ", RED}, {"warning ", YELLOW}, {"note:", CYAN}};
    for (size_t i = 0; i < length; i++) {
        if (i && !(line[i - 1] == ' ' && i > 1 && line[i - 2] == ':')) continue;
        for (int k = 0; k < 3; k++) {
            size_t n = strlen(severity[k].word);
            if (length - i < n || strncmp(line + i, severity[k].word, n) != 0) continue;
            const char *colon = memchr(line + i, ':', length - i);
            if (!colon) continue;
            *from = i, *to = (size_t)(colon - line), *colour = severity[k].colour;
            return true;
        }
    }
    return false;
}

static void paint_line(FILE *out, const char *line, size_t length) {
    size_t from, to;
    const char *colour;
    if (length > 9 && strncmp(line, "       | ", 9) == 0)
        paint(out, line, length, 9, length, GREEN);
    else if (length > 7 && strncmp(line, "  help:", 7) == 0)
        paint(out, line, length, 2, 7, CYAN);
    else if (find_severity(line, length, &from, &to, &colour))
        paint(out, line, length, from, to, colour);
    else
        fwrite(line, 1, length, out);
}

// Painted in memory and written at once, so that nothing comes between.
void terminal_messages(const char *plain) {
    char *painted = NULL;
    size_t size = 0;
    FILE *out = has_colours(STDERR_FILENO) ? open_memstream(&painted, &size) : NULL;
    while (out && *plain) {
        size_t length = strcspn(plain, "\n");
        paint_line(out, plain, length);
        fputc('\n', out);
        plain += length + (plain[length] == '\n');
    }
    if (out) fclose(out);
    const char *text = out && painted ? painted : plain;
    fwrite(text, 1, strlen(text), stderr);
    fflush(stderr);
    free(painted);
}

// --- questions -----------------------------------------------------------------------------------

bool terminal_can_ask(void) { return isatty(STDIN_FILENO) && isatty(STDERR_FILENO); }

bool terminal_agrees(void *unused, const char *question) {
    (void)unused;
    char answer[16] = "";
    fprintf(stderr, "%s [y/N] ", question);
    fflush(stderr);
    if (!fgets(answer, sizeof answer, stdin)) fputc('\n', stderr);
    answer[strcspn(answer, "\n")] = '\0';
    return strcmp(answer, "y") == 0 || strcmp(answer, "Y") == 0 || strcmp(answer, "yes") == 0;
}

// --- progress ------------------------------------------------------------------------------------

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// $BONDYN_HEARTBEAT, else 30 s.
static double seconds_between_lines(void) {
    const char *given = getenv("BONDYN_HEARTBEAT");
    double seconds = given ? strtod(given, NULL) : 0;
    return seconds > 0 ? seconds : 30;
}

static Progress progress_begin(void) {
    double now = seconds_now();
    return (Progress){.bar = isatty(STDERR_FILENO),
                      .started = now,
                      .drawn = now,
                      .beat = seconds_between_lines()};
}

static void progress_clear(Progress *p) {
    if (!p->shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->shown = false;
}

static void time_left(char *out, size_t size, double seconds) {
    if (seconds < 100)
        snprintf(out, size, "%.0f s left", ceil(seconds));
    else if (seconds < 6000)
        snprintf(out, size, "%.0f min left", ceil(seconds / 60));
    else
        snprintf(out, size, "%.1f h left", seconds / 3600);
}

// Step  [#########...........]  45 %  12 s left
static void draw_bar(Progress *p, const char *what, double used, double fraction) {
    enum { WIDTH = 30 };
    char bar[WIDTH + 1], left[40];
    for (int i = 0; i < WIDTH; i++) bar[i] = i < (int)(fraction * WIDTH) ? '#' : '.';
    bar[WIDTH] = 0;
    time_left(left, sizeof left, used * (1 - fraction) / fraction);
    fprintf(stderr, "\r%.30s  [%s] %3.0f %%  %s\033[K", what, bar, floor(100 * fraction), left);
    p->shown = true;
}

// Step: 0.45 % after 30 s, 2 h left
static void write_beat(const char *what, double used, double fraction) {
    char left[40] = "";
    if (fraction > 0) time_left(left, sizeof left, used * (1 - fraction) / fraction);
    fprintf(stderr, "%s: %.3g %% after %.0f s%s%s\n", what, 100 * fraction, used, *left ? ", " : "",
            left);
}

static void draw(Progress *p, const char *what, double fraction) {
    double now = seconds_now(), used = now - p->started;
    if (now - p->drawn < (p->bar ? 0.1 : p->beat)) return;
    if (p->bar && (used < 0.5 || fraction == 0)) return;
    p->drawn = now;
    if (p->bar)
        draw_bar(p, what, used, fraction);
    else
        write_beat(what, used, fraction);
    fflush(stderr);
}

// Messages are told at once; the rest is for people who wait.
static void go_on(Call *c, const char *what, double fraction) {
    Progress *p = &c->progress;
    if (!p->begun) interrupt_watch();
    p->begun = true;
    const char *new = c->o.json ? "" : bd_report_tell(c->report, c->quiet, false);
    if (*new) {
        progress_clear(p);
        terminal_messages(new);
    }
    if (!c->quiet && fraction >= 0 && fraction <= 1) draw(p, what, fraction);
}

static void interrupt_leave(void); // nothing is to be kept: the first one kills

void progress_show(void *call, BdPhase phase, const char *what, double fraction) {
    Call *c = call;
    switch (phase) {
    case BD_PREPARES: interrupt_leave(); break;
    case BD_BEGINS:
        c->progress = progress_begin();
        call_tell(c, false);
        break;
    case BD_GOES_ON: go_on(c, what, fraction); break;
    case BD_ENDS: progress_clear(&c->progress); break;
    }
}

// --- interruption --------------------------------------------------------------------------------

// The one mutable variable at file scope: a signal handler has nothing else to write to.
static volatile int interrupted;

static void note_interrupt(int signal) {
    (void)signal;
    interrupted = 1;
}

static void react(int signal, void (*handler)(int)) {
    struct sigaction old, action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    // Who started us with the signal ignored (nohup, a background job) wants it so.
    if (sigaction(signal, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(signal, &action, NULL);
}

const volatile int *interrupt_flag(void) { return &interrupted; }

void interrupt_watch(void) {
    if (interrupted) return;
    react(SIGINT, note_interrupt);
    react(SIGTERM, note_interrupt);
    react(SIGHUP, note_interrupt);
}

static void interrupt_leave(void) {
    react(SIGINT, SIG_DFL);
    react(SIGTERM, SIG_DFL);
    react(SIGHUP, SIG_DFL);
}
