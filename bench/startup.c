// `bondyn run` of the R-L-C circuit as a user starts it: process start, text to plot on disk.
#include "bench.h"

#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool run_once(char *const *args) {
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout)) _exit(1);
        execv(args[0], args);
        _exit(127);
    }
    int status;
    waitpid(child, &status, 0);
    return status == 0;
}

int main(void) {
    enum { RUNS = 41 };
    char folder[] = "/tmp/bondyn_startup_XXXXXX";
    if (!mkdtemp(folder)) return 1;
    char *const args[] = {
        BONDYN_PROGRAM, "run", BONDYN_SOURCE "/examples/rlc/rlc.bond", "Step", "--out",
        folder,         NULL};
    double sample[RUNS];
    for (int i = 0; i < RUNS; i++) {
        double start = now_seconds();
        if (!run_once(args)) return fprintf(stderr, "startup: the run failed\n"), 1;
        sample[i] = now_seconds() - start;
    }
    double first = sample[0];
    printf("bondyn run rlc.bond, text to plot: median %.1f ms of %d runs, first %.1f ms\n",
           1e3 * median(sample, RUNS), RUNS, 1e3 * first);
    return 0;
}
