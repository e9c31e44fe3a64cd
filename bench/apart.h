// A measurement in a process of its own: memory and caches begin anew each time.
#ifndef BONDYN_BENCH_APART_H
#define BONDYN_BENCH_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

// The child calls measure(what, result); the result comes back through a pipe. False: it failed.
static inline bool measure_apart(void (*measure)(const void *what, void *result), const void *what,
                                 void *result, size_t size) {
    int fd[2];
    if (pipe(fd) != 0) return false;
    pid_t child = fork();
    if (child == 0) {
        measure(what, result);
        _exit(write(fd[1], result, size) == (ssize_t)size ? 0 : 1);
    }
    close(fd[1]);
    bool good = read(fd[0], result, size) == (ssize_t)size;
    close(fd[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return good && status == 0;
}

#endif
