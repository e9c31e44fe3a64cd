// Operability of examples/offshore_lift over Hs and Tp, several seeds each, 180 s simulated: how long the study takes.
//
// usage: bench_lift [CELLS [SEEDS]]     CELLS x CELLS sea states (10), SEEDS in each (10)
// A few lifts of the worst seas fail (the load is thrown against the sheave); their time counts as well.
// The time of other sizes is scaled to 10 x 10 x 10 from what runs cost, less what it takes to compile the model.
#include "apart.h"
#include "bench.h"

#include <fcntl.h>
#include <stdlib.h>

typedef struct {
    int cells, seeds;
} Size;

typedef struct {
    double elapsed, used; // seconds by the clock, and on all processors
} Cost;

static void study_once(const void *what, void *result) {
    const Size *n = what;
    char hs[64], tp[64], seeds[64], out[64];
    snprintf(hs, sizeof hs, "sea.Hs = 0.2 .. 2 in %d {m}", n->cells);
    snprintf(tp, sizeof tp, "sea.Tp = 5 .. 14 in %d {s}", n->cells);
    snprintf(seeds, sizeof seeds, "sea.seed = 1 .. %d in %d", n->seeds, n->seeds);
    snprintf(out, sizeof out, "/tmp/bondyn_bench_lift_%d", (int)getpid());
    double begun = now_seconds();
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, 1);
        dup2(nothing, 2);
        execl(BONDYN_PROGRAM, "bondyn", "sweep", BONDYN_SOURCE "/examples/offshore_lift/lift.bond",
              "Scatter", "--vary", hs, "--vary", tp, "--vary", seeds, "--library",
              BONDYN_SOURCE "/library", "--yes", "--out", out, (char *)NULL);
        _exit(127);
    }
    int status;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 5)) _exit(1);
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    Cost *c = result;
    c->elapsed = now_seconds() - begun;
    c->used = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
}

int main(int count, char **word) {
    Size all = {count > 1 ? atoi(word[1]) : 10, count > 2 ? atoi(word[2]) : 10};
    Size few = {2, 2}; // compiles the model, and fills the cache
    if (all.cells < 2 || all.seeds < 2) return fprintf(stderr, "at least 2 cells and seeds\n"), 1;
    Cost first, rest;
    if (!measure_apart(study_once, &few, &first, sizeof first) ||
        !measure_apart(study_once, &all, &rest, sizeof rest))
        return fprintf(stderr, "the study failed\n"), 1;
    int runs = all.cells * all.cells * all.seeds;
    printf("operability of a lift: %d x %d sea states, %d seeds, 180 s each: %d runs\n", all.cells,
           all.cells, all.seeds, runs);
    printf("%10.1f s by the clock, %.1f s of processors, %.3f s a run\n", rest.elapsed, rest.used,
           rest.used / runs);
    printf("%10.1f s of processors for 10 x 10 x 10; %.1f s for the first study of %d runs\n",
           rest.used * 1000 / runs, first.used, few.cells * few.cells * few.seeds);
    return 0;
}
