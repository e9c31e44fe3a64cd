// Bondyn's side of a guest: start, call with a time limit, notice of its death.
#define _GNU_SOURCE // memfd_create
#include "foreign/guest.h"

#include "base/clock.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern const char bondyn_guest_begin[], bondyn_guest_end[]; // guest_bytes.c

enum { MOST_STARTS = 4, LOOKS = 2000, MOST_NAMES = 300 };
static const double patience = 20; // a sleeping guest may take so many times as long as a busy one

struct Guest {
    GuestOptions o;
    pthread_mutex_t lock;
    pid_t owner, process; // who started it; 0: it does not run
    Channel *channel;
    size_t size;
    int starts, generation;
    bool given_up;
    double seconds;
    char words[CHANNEL_WORDS + 200];
};

// What the guest has worked so far: a busy machine must not look like a guest that hangs.
static double work_of(const Guest *g) {
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(g->process, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_of(const GuestOptions *o) {
    const char *text = getenv("BONDYN_FOREIGN_SECONDS");
    double said = text ? strtod(text, NULL) : 0;
    return o->seconds > 0 ? o->seconds : said > 0 && said < 1e6 ? said : 10;
}

Guest *guest_new(const GuestOptions *o) {
    Guest *g = memory_zeroed(1, sizeof *g);
    g->o = *o;
    g->seconds = seconds_of(o);
    pthread_mutex_init(&g->lock, NULL);
    return g;
}

// --- its end -------------------------------------------------------------------------------------

static void forget(Guest *g) {
    if (g->channel) munmap(g->channel, g->size);
    g->channel = NULL;
    g->process = 0;
}

static void end(Guest *g) {
    if (g->process && g->owner == getpid()) {
        kill(g->process, SIGKILL);
        while (waitpid(g->process, NULL, 0) < 0 && errno == EINTR) {}
    }
    forget(g);
}

void guest_free(Guest *g) {
    if (!g) return;
    end(g);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

// Is it dead? Then what of is said.
static bool has_died(Guest *g) {
    int status = 0;
    pid_t p = waitpid(g->process, &status, WNOHANG);
    if (p == 0 || (p < 0 && errno == EINTR)) return false;
    if (p > 0 && WIFSIGNALED(status))
        snprintf(g->words, sizeof g->words, "it crashed (signal %d, %s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (p > 0)
        snprintf(g->words, sizeof g->words, "it ended its process (exit code %d)",
                 WEXITSTATUS(status));
    else
        snprintf(g->words, sizeof g->words, "its process has ended");
    forget(g);
    return true;
}

// --- its turn ------------------------------------------------------------------------------------

static bool host_has_turn(const Guest *g) {
    return atomic_load_explicit(&g->channel->turn, memory_order_acquire) == TURN_HOST;
}

// False: it has died, or takes too long; said.
static bool await_answer(Guest *g) {
    for (int i = 0; i < LOOKS; i++) {
        if (host_has_turn(g)) return true;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    double limit = clock_seconds() + patience * g->seconds, worked = work_of(g) + g->seconds;
    while (!host_has_turn(g)) {
        struct timespec slice = {0, 20000000};
        syscall(SYS_futex, &g->channel->turn, FUTEX_WAIT, TURN_GUEST, &slice, NULL, 0);
        if (host_has_turn(g)) break;
        if (has_died(g)) return false;
        if (clock_seconds() < limit && work_of(g) < worked) continue;
        end(g);
        g->given_up = true;
        snprintf(g->words, sizeof g->words, "it did not answer within %g s", g->seconds);
        return false;
    }
    return true;
}

static bool turn_over(Guest *g) {
    atomic_store_explicit(&g->channel->turn, TURN_GUEST, memory_order_release);
    syscall(SYS_futex, &g->channel->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
    return await_answer(g);
}

// --- its start -----------------------------------------------------------------------------------

static bool cannot(Guest *g, const char *what) {
    snprintf(g->words, sizeof g->words, "no process can be started for it: %s: %s", what,
             strerror(errno));
    return false;
}

static int program(void) {
    int fd = memfd_create("bondyn-guest", MFD_CLOEXEC);
    for (const char *at = bondyn_guest_begin; fd >= 0 && at < bondyn_guest_end;) {
        ssize_t n = write(fd, at, (size_t)(bondyn_guest_end - at));
        if (n <= 0) {
            close(fd);
            return -1;
        }
        at += n;
    }
    return fd;
}

static int shared_memory(Guest *g) {
    g->size = sizeof(Channel) + (size_t)(2 * g->o.room + 4 * GUARD_NUMBERS) * sizeof(double);
    int fd = memfd_create("bondyn-channel", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)g->size) != 0) return -1;
    void *at = mmap(NULL, g->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) return -1;
    g->channel = at;
    g->channel->room = 2 * g->o.room + 4 * GUARD_NUMBERS;
    atomic_store(&g->channel->turn, TURN_GUEST);
    return fd;
}

static bool spawn(Guest *g, int code, int channel) {
    char path[40], search[4200] = "LD_LIBRARY_PATH=";
    const char *paths = getenv("LD_LIBRARY_PATH");
    char *environment[] = {(char *)"LC_ALL=C", NULL, NULL};
    if (paths && snprintf(search, sizeof search, "LD_LIBRARY_PATH=%s", paths) < 4200)
        environment[1] = search;
    char *word[MOST_NAMES + 5] = {(char *)"bondyn-guest", (char *)g->o.kind, (char *)g->o.library,
                                  (char *)(g->o.folder ? g->o.folder : "")};
    for (int i = 0; i < g->o.name_count && i < MOST_NAMES; i++) word[4 + i] = (char *)g->o.name[i];
    snprintf(path, sizeof path, "/proc/self/fd/%d", code);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, channel, CHANNEL_DESCRIPTOR);
    posix_spawnattr_init(&how);
    // a group of its own: Ctrl-C is for Bondyn
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setsigmask(&how, &none);
    errno = posix_spawn(&g->process, path, &files, &how, word, environment);
    bool good = errno == 0;
    if (!good) g->process = 0;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return good;
}

static bool start(Guest *g) {
    if (g->given_up) return false;
    if (g->starts++ >= MOST_STARTS) {
        g->given_up = true;
        return false;
    }
    // descriptors of the child: the program stays open until it is executed, above the channel
    int code = program(), above = code >= 0 ? fcntl(code, F_DUPFD_CLOEXEC, 10) : -1;
    int channel = above >= 0 ? shared_memory(g) : -1;
    g->owner = getpid();
    bool good = channel >= 0 && spawn(g, above, channel);
    if (!good) cannot(g, code < 0 ? "its program" : channel < 0 ? "shared memory" : "start");
    if (channel >= 0) close(channel);
    if (above >= 0) close(above);
    if (code >= 0) close(code);
    if (!good) {
        forget(g);
        g->given_up = true;
        return false;
    }
    g->generation++;
    if (!await_answer(g)) return false;
    if (g->channel->result == GUEST_GOOD) return true;
    g->channel->words[CHANNEL_WORDS - 1] = '\0';
    snprintf(g->words, sizeof g->words, "%s", g->channel->words);
    g->given_up = true;
    end(g);
    return false;
}

// --- calls ---------------------------------------------------------------------------------------

static bool make_call(Guest *g, const GuestCall *call) {
    if (g->process && g->owner != getpid()) { // a forked process: that one is not ours
        forget(g);
        g->starts = 0;
    }
    if (!g->process && !start(g)) return false;
    Channel *c = g->channel;
    c->command = call->command;
    c->argument = call->argument;
    c->inputs = call->inputs;
    c->outputs = call->outputs;
    if (call->inputs) memcpy(c->number, call->in, (size_t)call->inputs * sizeof(double));
    if (!turn_over(g)) return false;
    if (c->result == GUEST_GOOD) {
        if (call->outputs)
            memcpy(call->out, c->number + call->inputs, (size_t)call->outputs * sizeof(double));
        return true;
    }
    c->words[CHANNEL_WORDS - 1] = '\0';
    snprintf(g->words, sizeof g->words, "%s", c->words);
    return false;
}

bool guest_start(Guest *g) {
    pthread_mutex_lock(&g->lock);
    bool good = g->process || start(g);
    pthread_mutex_unlock(&g->lock);
    return good;
}

bool guest_call(Guest *g, const GuestCall *call) {
    pthread_mutex_lock(&g->lock);
    bool good = make_call(g, call);
    pthread_mutex_unlock(&g->lock);
    return good;
}

const char *guest_words(const Guest *g) { return g->words; }
