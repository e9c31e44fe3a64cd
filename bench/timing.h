// Times of short calls on a machine that does other things too.
//
// Contenders are timed in turn, in blocks of about 50 us. Around each block a fixed kernel, the
// guard, is timed: when it ran slower than it can, somebody else used the core, and the block is
// thrown away and counted. The figure is the median of what is left, so a ratio compares times of
// the same minute.
#ifndef BONDYN_BENCH_TIMING_H
#define BONDYN_BENCH_TIMING_H

typedef struct {
    const char *name;
    void (*call)(void *context, int state); // one call at one of the states
    void *context;
    double ns;      // median; 0: too disturbed
    int kept, lost; // blocks
} Timed;

void time_together(Timed *task, int count, int states);
double time_multiply(void); // ns per multiplication when as many as possible run at once

#endif
