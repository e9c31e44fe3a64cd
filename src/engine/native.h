// Native code: the tape as C, compiled by the system's compiler and loaded into the process.
//
//     native_start   writes the C text, looks into the cache, else starts the compiler and returns
//     native_poll    is it ready? Never waits
//     machine_use    from the next call on the machine runs it: the same bits as before
//
// The compiler works in the background while the virtual machine runs. Nothing here is needed for
// a result: without a compiler, without room on the disk, with a damaged cache the virtual machine
// goes on, and native_words says why.
#ifndef BONDYN_ENGINE_NATIVE_H
#define BONDYN_ENGINE_NATIVE_H

#include "engine/program.h"

typedef struct Native Native;

typedef enum { NATIVE_COMPILING, NATIVE_READY, NATIVE_FAILED } NativeState;

// Loops in place of straight-line code for what a tape does again and again (native_roll.h).
typedef enum { ROLL_LONG, ROLL_NEVER, ROLL_ALWAYS } Rolling;

typedef struct {
    bool jacobian;    // of the rates, too: only implicit methods want it
    bool only_cached; // do not compile
    double seconds;   // that the compiler may take; 0: far more than any needs
    Rolling rolling;
    int lanes;          // > 1: for so many runs at a time, see lanes.h; without Jacobian
    const char *cc;     // compiler; NULL: $CC, else "cc"
    const char *folder; // cache; NULL: $XDG_CACHE_HOME/bondyn, else ~/.cache/bondyn
} NativeOptions;

// Nullable: o. Never NULL; the program must outlive it.
Native *native_start(const Program *p, const NativeOptions *o);
NativeState native_poll(Native *n);
NativeState native_wait(Native *n); // until it is decided
const char *native_words(
    const Native *n);                   // what happened, for people: "native code from the cache"
double native_seconds(const Native *n); // how long it took to get it
void native_free(Native *n);            // ends a compiler that still runs

// The machine runs native code from now on; n must be ready and outlive the machine's calls.
void machine_use(Machine *m, const Native *n);
typedef enum { WHOLE_NONE, WHOLE_EULER, WHOLE_HEUN, WHOLE_RK4 } WholeStep;
// Takes a whole step by native code from y to `to`, which hold states, then quadratures; work has
// room for four times as many numbers. False: there is no such code, or a value is not finite.
bool machine_step(Machine *m, WholeStep method, double time, double h, const double *y, double *to,
                  double *work);
NativeStep *native_step(const NativeCode *c, WholeStep method); // NULL: none
int native_stages(WholeStep method);                            // derivative calls of a step

// The C text of native code. Width: how many angles are computed at once, 2, 4 or 8.
void native_text(Text *out, const Program *p, bool jacobian, int width, Rolling rolling);
// A run per lane: 2, 4 or 8.
void native_lane_text(Text *out, const Program *p, int lanes, Rolling rolling);
// Is this function, which a derivative call does not need, so long that it is compiled with few
// passes?
bool native_quick(const TapeFunction *f);
int native_lanes(void);                         // that this processor has
const NativeCode *native_code(const Native *n); // of one that is ready

#endif
