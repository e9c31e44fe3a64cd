// The guest: guest KIND LIBRARY FOLDER NAME...   with the channel as descriptor 3.
#define _GNU_SOURCE // syscall
#include "foreign/guest/guest.h"

#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void say(Channel *c, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(c->words, sizeof c->words, format, list);
    va_end(list);
    c->result = GUEST_FAULT;
}

enum { LOOKS = 2000 };

static void answer(Channel *c) {
    atomic_store_explicit(&c->turn, TURN_HOST, memory_order_release);
    syscall(SYS_futex, &c->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

// False: Bondyn is gone.
static bool await_turn(Channel *c, pid_t host) {
    for (int i = 0; i < LOOKS; i++) {
        if (atomic_load_explicit(&c->turn, memory_order_acquire) == TURN_GUEST) return true;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    while (atomic_load_explicit(&c->turn, memory_order_acquire) != TURN_GUEST) {
        struct timespec second = {1, 0};
        syscall(SYS_futex, &c->turn, FUTEX_WAIT, TURN_HOST, &second, NULL, 0);
        if (getppid() != host) return false;
    }
    return true;
}

int main(int argc, char **argv) {
    struct stat s;
    if (argc < 4 || fstat(CHANNEL_DESCRIPTOR, &s) != 0) return 2;
    Channel *c =
        mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, CHANNEL_DESCRIPTOR, 0);
    if (c == MAP_FAILED) return 2;
    close_range(CHANNEL_DESCRIPTOR, ~0u, 0); // whatever else Bondyn had open
    pid_t host = getppid();
    const char *folder = argv[3][0] ? argv[3] : NULL;
    if (folder && chdir(folder) != 0) folder = NULL;
    c->result = GUEST_GOOD;
    Serve *serve = NULL;
    if (!sandbox_enter(folder, c->words))
        c->result = GUEST_FAULT;
    else
        serve = (strcmp(argv[1], "unit") == 0 ? unit_load : functions_load)(c, argv[2], argv + 4,
                                                                            argc - 4);
    answer(c);
    while (serve && await_turn(c, host)) {
        c->result = GUEST_GOOD;
        serve(c);
        answer(c);
    }
    return 0;
}
