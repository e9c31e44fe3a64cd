// studio: a model live in the browser; run --replay: a drive that was recorded there.
#include "studio/studio.h"
#include "cli/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// --- studio --------------------------------------------------------------------------------------

// Hands the address to the desktop; a grandchild, so that nobody has to wait for it.
static void open_browser(const char *address) {
    static const char *const program[] = {"xdg-open", "sensible-browser", "x-www-browser",
                                          "firefox", "chromium"};
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            int nowhere = open("/dev/null", O_RDWR);
            for (int i = 0; i < 3 && nowhere >= 0; i++) dup2(nowhere, i);
            setsid();
            for (size_t i = 0; i < sizeof program / sizeof *program; i++)
                execlp(program[i], program[i], address, (char *)NULL);
        }
        _exit(0);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
}

// Without a screen there is no browser to open.
static bool has_screen(void) {
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (x && *x) || (wayland && *wayland);
}

static void tell_address(void *context, const char *address) {
    const Call *c = context;
    printf("%s\n", address);
    if (!c->quiet) fprintf(stderr, "the studio is open at this address; Ctrl-C ends it\n");
    fflush(NULL);
    if (!call_option(c, "no-open") && has_screen()) open_browser(address);
}

static bool read_port(const Call *c, int *port) {
    const char *word = call_option(c, "port");
    char *end = NULL;
    long value = word ? strtol(word, &end, 10) : 0;
    *port = (int)value;
    if (!word || (end != word && !*end && value >= 0 && value <= 65535)) return true;
    char words[120];
    snprintf(words, sizeof words, "--port %.40s is no port", word);
    bd_report_add(c->report, BD_ERROR, "T005", words,
                  "a whole number up to 65535; without it a free one is found");
    return false;
}

BdOutcome serve_studio(Call *c) {
    BdOutcome code = call_verb(c); // the words are right
    StudioOptions o = {.library = call_option(c, "library"),
                       .interrupt = interrupt_flag(),
                       .ready = tell_address,
                       .context = c};
    if (code != BD_GOOD) return code;
    if (!read_port(c, &o.port)) return BD_WRONG_USE;
    o.file = c->argument[0];
    interrupt_watch();
    return studio_serve(&o, c->report) ? BD_GOOD : BD_WRONG_INPUT;
}

// --- run --replay --------------------------------------------------------------------------------

static void tell_replay(const Call *c, const Replay *x, BdOutcome code) {
    if (c->o.json) {
        printf("{\"verb\": \"run\", \"experiment\": \"%s\", \"reached\": %.17g, \"pieces\": %ld, "
               "\"states\": %d, "
               "\"differ\": %d, \"exit\": %d}\n",
               x->experiment, x->reached, x->pieces, x->states, x->differ, (int)code);
        return;
    }
    printf("replayed %s: %ld pieces, to t = %g s\n", x->experiment, x->pieces, x->reached);
    if (x->differ)
        printf("%d of %d states differ from the recording\n", x->differ, x->states);
    else
        printf("all %d states are those of the recording, bit by bit\n", x->states);
}

BdOutcome replay_drive(Call *c) {
    const char *folder = call_option(c, "out");
    char csv[4096];
    ReplayOptions o = {.library = call_option(c, "library"), .recording = call_option(c, "replay")};
    if (c->o.argument_count != 1) {
        bd_report_add(c->report, BD_ERROR, "T006", "a drive is replayed with one file",
                      "bondyn run FILE --replay RECORDING: the recording knows the experiment");
        return BD_WRONG_USE;
    }
    o.file = c->argument[0];
    if (folder) {
        snprintf(csv, sizeof csv, "%s/results.csv", folder);
        mkdir(folder, 0777); // what is wrong with it is told when the file is written
        o.csv = csv;
    }
    Replay x;
    bool good = replay_recording(&o, &x, c->report);
    BdOutcome code = !good ? BD_WRONG_INPUT : x.differ ? BD_UNMET : BD_GOOD;
    if (good) tell_replay(c, &x, code);
    c->o.json = c->o.json && good; // what is wrong is told as text
    fflush(stdout);
    return code;
}
