// The ROV that lifts an object off a pillar, 90 s of it: how many times faster than real time.
//
// Seconds are those that the program computed on all its threads, from reading the text to the last
// result, so they hold on a machine that does other things, too. The first run of a solver also
// compiles the model, if it has not been compiled before; the second finds it compiled. `bound` is an absolute tolerance: without one the states that only rounding moves
// (the plane of the first 30 s has no motion across it) are followed digit by digit.
#include "apart.h"
#include "bench.h"

#include <fcntl.h>

static const double simulated = 90;

typedef struct {
    const char *file, *experiment, *solver, *bound;
    bool compiled; // false: by the virtual machine
} Way;

static void run_once(const void *what, void *result) {
    const Way *way = what;
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, 1);
        dup2(nothing, 2);
        char file[1024];
        snprintf(file, sizeof file, "%s/%s", BONDYN_SOURCE "/examples/rov", way->file);
        execl(BONDYN_PROGRAM, "bondyn", "run", file, way->experiment, "--solver", way->solver,
              "--engine", way->compiled ? "native" : "vm", "--library", BONDYN_SOURCE "/library",
              "--no-plot", "--out", "/tmp/bondyn_bench_rov", way->bound ? "--atol" : (char *)NULL,
              way->bound, (char *)NULL);
        _exit(127);
    }
    int status;
    waitpid(child, &status, 0);
    if (status) _exit(1);
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    *(double *)result = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
}

int main(void) {
    const Way ways[] = {{"rov.bond", "Lift", "rk78", NULL, false},
                        {"rov.bond", "Lift", "rk78", NULL, true},
                        {"rov.bond", "Lift", "rk78", NULL, true},
                        {"rov.bond", "Lift", "cvode", NULL, true},
                        {"rov.bond", "Lift", "cvode", "1e-8", true},
                        {"hydraulic.bond", "LiftOil", "bdf", "1e-8", false},
                        {"hydraulic.bond", "LiftOil", "bdf", "1e-8", true},
                        {"hydraulic.bond", "LiftOil", "bdf", "1e-8", true}};
    printf("ROV with arm, thrusters and control lifts an object: %.0f s\n%16s %8s %8s %10s %10s "
           "%12s\n",
           simulated, "model", "solver", "atol", "engine", "seconds", "x real time");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        double seconds;
        if (!measure_apart(run_once, &ways[i], &seconds, sizeof seconds))
            return fprintf(stderr, "the run failed\n"), 1;
        printf("%16s %8s %8s %10s %10.2f %12.0f\n", ways[i].file, ways[i].solver,
               ways[i].bound ? ways[i].bound : "auto", ways[i].compiled ? "compiled" : "vm",
               seconds, simulated / seconds);
        fflush(stdout);
    }
    return 0;
}
