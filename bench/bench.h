// Timing that can be trusted on a machine that does other things too: medians of many.
#ifndef BONDYN_BENCH_BENCH_H
#define BONDYN_BENCH_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static inline double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Time that this process computed: what others do on the machine hardly shows.
static inline double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int double_order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double median(double *sample, int n) {
    qsort(sample, (size_t)n, sizeof *sample, double_order);
    return n % 2 ? sample[n / 2] : 0.5 * (sample[n / 2 - 1] + sample[n / 2]);
}

// Largest resident memory of this process so far, in bytes.
static inline double peak_memory(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return 1024.0 * (double)use.ru_maxrss;
}

#endif
