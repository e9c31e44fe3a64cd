// What happens only at a terminal: colours, a progress bar, Ctrl-C.
#include "cli/cli.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// --- colours -------------------------------------------------------------------------------------

bool terminal_colours(int fd) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fd) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

#define RED    "\033[1;31m"
#define YELLOW "\033[1;33m"
#define CYAN   "\033[36m"
#define GREEN  "\033[32m"
#define PLAIN  "\033[0m"

static void paint(Text *out, const char *line, size_t length, size_t from, size_t to,
                  const char *colour) {
    text_add_n(out, line, from);
    text_add(out, colour);
    text_add_n(out, line + from, to - from);
    text_add(out, PLAIN);
    text_add_n(out, line + to, length - to);
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

static void paint_line(Text *out, const char *line, size_t length) {
    size_t from, to;
    const char *colour;
    if (length > 9 && strncmp(line, "       | ", 9) == 0)
        paint(out, line, length, 9, length, GREEN);
    else if (length > 7 && strncmp(line, "  help:", 7) == 0)
        paint(out, line, length, 2, 7, CYAN);
    else if (find_severity(line, length, &from, &to, &colour))
        paint(out, line, length, from, to, colour);
    else
        text_add_n(out, line, length);
}

void terminal_remarks(Text *out, const char *plain, bool colours) {
    if (!colours) {
        text_add(out, plain);
        return;
    }
    while (*plain) {
        size_t length = strcspn(plain, "\n");
        paint_line(out, plain, length);
        text_char(out, '\n');
        plain += length + (plain[length] == '\n');
    }
}

// --- questions -----------------------------------------------------------------------------------

bool terminal_can_ask(void) { return isatty(STDIN_FILENO) && isatty(STDERR_FILENO); }

bool terminal_agrees(const char *question) {
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

Progress progress_begin(Session *s, const char *label) {
    double now = seconds_now();
    return (Progress){.s = s,
                      .bar = isatty(STDERR_FILENO),
                      .quiet = session_has(s, OPT_QUIET),
                      .label = label,
                      .started = now,
                      .drawn = now,
                      .beat = seconds_between_lines()};
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
static void draw_bar(Progress *p, double used, double fraction) {
    enum { WIDTH = 30 };
    char bar[WIDTH + 1], left[40];
    for (int i = 0; i < WIDTH; i++) bar[i] = i < (int)(fraction * WIDTH) ? '#' : '.';
    bar[WIDTH] = 0;
    time_left(left, sizeof left, used * (1 - fraction) / fraction);
    fprintf(stderr, "\r%.30s  [%s] %3.0f %%  %s\033[K", p->label, bar, floor(100 * fraction), left);
    p->shown = true;
}

// Step: 0.45 % after 30 s, 2 h left
static void write_beat(const Progress *p, double used, double fraction) {
    char left[40] = "";
    if (fraction > 0) time_left(left, sizeof left, used * (1 - fraction) / fraction);
    fprintf(stderr, "%s: %.3g %% after %.0f s%s%s\n", p->label, 100 * fraction, used,
            *left ? ", " : "", left);
}

// What the report has to say is said at once; the rest is for people who wait.
void progress_show(void *progress, double fraction) {
    Progress *p = progress;
    if (!p->begun) interrupt_watch();
    p->begun = true;
    if (p->s->told != p->s->report.last) {
        progress_clear(p);
        session_tell(p->s);
    }
    if (p->quiet || !(fraction >= 0 && fraction <= 1)) return;
    double now = seconds_now(), used = now - p->started;
    if (now - p->drawn < (p->bar ? 0.1 : p->beat)) return;
    if (p->bar && (used < 0.5 || fraction == 0)) return;
    p->drawn = now;
    if (p->bar)
        draw_bar(p, used, fraction);
    else
        write_beat(p, used, fraction);
    fflush(stderr);
}

void progress_clear(Progress *p) {
    if (!p->shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->shown = false;
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

void interrupt_leave(void) {
    react(SIGINT, SIG_DFL);
    react(SIGTERM, SIG_DFL);
    react(SIGHUP, SIG_DFL);
}
