// Which engine a run goes on: it starts on the virtual machine, native code takes over between two
// steps as soon as it is there. Both give the same bits, so nobody can tell when that was.
//
//   auto     after a while the rest of the run is estimated from the part that is done. Native code
//            from the cache is taken for tens of milliseconds, a compiler is started for seconds
//   native   the compiler starts with the run; one that is slower than the run may finish, so that
//            the next run finds its code in the cache
#include "solve/job.h"

#include "engine/native.h"
#include <math.h>
#include <stdio.h>

enum { POLLS_PER_LOOK = 16 };

#define FIRST_LOOK      0.02 // seconds; the next ones come ten times later each
#define WORTH_A_LOOK    0.02 // seconds to go
#define COMPILER_START  0.2  // seconds that a compiler takes at least, and per instruction
#define COMPILER_SECOND 6e-4
#define COMPILER_QUICK  1.5e-4 // where it does without most passes

static bool wants_jacobian(const Job *j) { return j->stats->method == SOLVER_CVODE_BDF; }

static double compile_seconds(const TapeFunction *f) {
    return (native_quick(f) ? COMPILER_QUICK : COMPILER_SECOND) * f->count;
}

double engine_compile_seconds(const Program *p, bool jacobian) {
    double rates = COMPILER_SECOND * p->derivative.count;
    double rest = compile_seconds(&p->outputs) + compile_seconds(&p->switches);
    if (jacobian) rest += compile_seconds(&p->jacobian);
    return COMPILER_START + rates + rest;
}

static void settle(Job *j, const char *words) {
    j->engine.phase = ENGINE_SETTLED;
    snprintf(j->stats->engine, sizeof j->stats->engine, "%s", words);
}

// Is the code ready? Then the machine runs it from here on.
static void take(Job *j, double time) {
    Text words = {0};
    switch (native_poll(j->engine.native)) {
    case NATIVE_COMPILING: return;
    case NATIVE_FAILED: settle(j, native_words(j->engine.native)); return;
    case NATIVE_READY: break;
    }
    machine_use(j->m, j->engine.native);
    j->stats->native = true;
    text_add(&words, native_words(j->engine.native));
    if (time > j->o->start) text_printf(&words, ", from t = %.3g s on", time);
    settle(j, text_get(&words));
    text_free(&words);
}

static void start(Job *j, double time, bool compile) {
    NativeOptions o = {.jacobian = wants_jacobian(j), .only_cached = !compile};
    j->engine.native = native_start(j->p, &o);
    j->engine.phase = ENGINE_WAITING;
    if (compile || native_poll(j->engine.native) == NATIVE_READY) {
        take(j, time);
        return;
    }
    native_free(j->engine.native); // not in the cache
    j->engine.native = NULL;
    j->engine.phase = ENGINE_WATCHING;
}

// Is native code worth its price for what is left of the run?
static void consider(Job *j, double time) {
    double done = time - j->o->start, passed = job_seconds(j);
    if (passed < j->engine.next_look || !(done > 0)) return;
    j->engine.next_look = 10 * passed;
    double left = passed * (j->o->stop - time) / done;
    if (left >= WORTH_A_LOOK)
        start(j, time, left >= 2 * engine_compile_seconds(j->p, wants_jacobian(j)));
}

void engine_start(Job *j) {
    j->engine.next_look = FIRST_LOOK;
    settle(j, "virtual machine");
    if (has_modes(j)) {
        settle(j, "virtual machine: laws switch, and each of their modes has a program of its own");
    } else if (j->o->native) {
        machine_use(j->m, j->o->native);
        j->stats->native = true;
        settle(j, native_words(j->o->native));
    } else if (j->o->engine == ENGINE_NATIVE) {
        start(j, j->o->start, true);
    } else if (j->o->engine == ENGINE_AUTO) {
        j->engine.phase = ENGINE_WATCHING;
    }
}

void engine_poll(Job *j, double time) {
    if (j->engine.phase == ENGINE_SETTLED || j->polls % POLLS_PER_LOOK != 0) return;
    if (j->engine.phase == ENGINE_WAITING)
        take(j, time);
    else
        consider(j, time);
}

void engine_close(Job *j) {
    j->m->native = NULL;
    if (j->engine.phase == ENGINE_WAITING) {
        bool finish = j->o->engine == ENGINE_NATIVE && j->status != SOLVE_CANCELLED;
        bool kept = finish && native_wait(j->engine.native) == NATIVE_READY;
        settle(j, kept     ? "virtual machine: the run was short; the next one has native code"
                  : finish ? native_words(j->engine.native)
                           : "virtual machine: the run was over before the C compiler");
    }
    native_free(j->engine.native);
    j->engine.native = NULL;
}
