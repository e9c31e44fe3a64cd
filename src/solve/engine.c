// Which engine a run goes on: it starts on the virtual machine, native code takes over between two
// steps as soon as it is there. Both give the same bits, so nobody can tell when that was.
//
//   auto     after a while the rest of the run is estimated from the part that is done. Native code
//            from the cache is taken for tens of milliseconds, a compiler is started for seconds
//   native   the run waits for the compiler
//
// Each mode of a model whose laws switch has a program, and so native code, of its own. What is
// estimated then is the time that the run will spend in this mode, and one compiler works at a
// time. There may be hundreds of modes, so the run does not wait then: `native` compiles every mode
// in which it is when no compiler is at work, and lets the last one finish for the next run.
#include "solve/job.h"

#include "engine/native.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

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
    double rest = compile_seconds(&p->outputs) + compile_seconds(&p->switches) +
                  compile_seconds(&p->guards) + compile_seconds(&p->memory);
    if (jacobian) rest += compile_seconds(&p->jacobian);
    return COMPILER_START + rates + rest;
}

static void say(Job *j, const char *words) {
    snprintf(j->stats->engine, sizeof j->stats->engine, "%s", words);
}

static bool is_cancelled(const Job *j) { return j->o->cancel && *j->o->cancel; }

// --- one program ---------------------------------------------------------------------------------

static void use(Job *j, const Native *native) {
    if (!j->m->native) machine_use(j->m, native);
    j->stats->native = true;
}

// Is the code ready? Then the machine runs it from here on.
static void take(Job *j, double time) {
    EngineCode *c = j->engine.code;
    NativeState state = native_poll(c->native);
    if (state == NATIVE_COMPILING) return;
    c->phase = ENGINE_SETTLED;
    say(j, native_words(c->native));
    if (state == NATIVE_FAILED) return;
    use(j, c->native);
    size_t used = strlen(j->stats->engine);
    if (time > j->o->start)
        snprintf(j->stats->engine + used, sizeof j->stats->engine - used, ", from t = %.3g s on",
                 time);
}

static void start(Job *j, double time, bool compile) {
    EngineCode *c = j->engine.code;
    NativeOptions o = {.jacobian = wants_jacobian(j), .only_cached = !compile};
    c->native = native_start(j->p, &o);
    c->phase = ENGINE_WAITING;
    if (native_poll(c->native) == NATIVE_COMPILING) j->engine.compiling = c;
    if (compile || native_poll(c->native) == NATIVE_READY) {
        take(j, time);
        return;
    }
    native_free(c->native); // not in the cache
    c->native = NULL;
    c->phase = ENGINE_WATCHING;
}

// The run goes on with the code, or without where there is none to be had.
static void wait_for_code(Job *j) {
    const EngineCode *c = j->engine.code;
    while (c->phase == ENGINE_WAITING && !is_cancelled(j)) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        take(j, j->time);
    }
}

static bool compiler_is_busy(const Job *j) {
    const EngineCode *c = j->engine.compiling;
    return c && c->native && native_poll(c->native) == NATIVE_COMPILING;
}

static double seconds_spent(const Job *j) {
    return j->engine.code->spent + job_seconds(j) - j->engine.since;
}

// Is native code worth its price for what is left of the run?
static void consider(Job *j, double time) {
    EngineCode *c = j->engine.code;
    double done = time - j->o->start, passed = seconds_spent(j);
    if (passed < c->next_look || !(done > 0) || compiler_is_busy(j)) return;
    if (j->o->engine == ENGINE_NATIVE) {
        start(j, time, true);
        return;
    }
    c->next_look = 10 * passed;
    double left = passed * (j->o->stop - time) / done;
    if (left >= WORTH_A_LOOK)
        start(j, time, left >= 2 * engine_compile_seconds(j->p, wants_jacobian(j)));
}

// --- during the run ------------------------------------------------------------------------------

static void enter_code(Job *j, EngineCode *c) {
    j->engine.code = c;
    if (c->phase == ENGINE_WAITING) take(j, j->time);
    if (c->phase == ENGINE_SETTLED && c->native && native_poll(c->native) == NATIVE_READY)
        use(j, c->native);
    if (c->phase != ENGINE_NEW || j->o->engine == ENGINE_VM) return;
    c->phase = ENGINE_WATCHING;
    c->next_look = j->o->engine == ENGINE_AUTO ? FIRST_LOOK : 0;
    if (j->o->engine == ENGINE_NATIVE) start(j, j->time, !has_modes(j) || !compiler_is_busy(j));
    if (!has_modes(j)) wait_for_code(j);
}

void engine_start(Job *j) {
    say(j, "virtual machine");
    if (has_modes(j)) return;
    if (!j->o->native) {
        enter_code(j, &j->engine.own);
        return;
    }
    use(j, j->o->native);
    say(j, native_words(j->o->native));
}

static bool was_entered(const Job *j, const EngineCode *c) {
    for (int i = 0; i < j->engine.entered.count; i++)
        if (j->engine.entered.data[i] == c) return true;
    return false;
}

void engine_enter(Job *j, EngineCode *code) {
    double now = job_seconds(j);
    if (j->engine.code) j->engine.code->spent += now - j->engine.since;
    j->engine.since = now;
    if (!was_entered(j, code)) array_push(&j->engine.entered, code);
    enter_code(j, code);
}

void engine_poll(Job *j, double time) {
    const EngineCode *c = j->engine.code;
    if (!c || j->polls % POLLS_PER_LOOK != 0) return;
    if (c->phase == ENGINE_WAITING) take(j, time);
    if (c->phase == ENGINE_WATCHING) consider(j, time);
}

// --- afterwards ----------------------------------------------------------------------------------

static void tell_modes(Job *j) {
    const EngineCode *last = j->engine.compiling;
    if (compiler_is_busy(j) && j->o->engine == ENGINE_NATIVE && !is_cancelled(j))
        native_wait(last->native);
    int native = 0, count = j->engine.entered.count;
    const char *why = "virtual machine";
    for (int i = 0; i < count; i++) {
        const EngineCode *c = j->engine.entered.data[i];
        if (c->phase != ENGINE_SETTLED || !c->native) continue;
        bool ready = native_poll(c->native) == NATIVE_READY;
        native += ready;
        if (!ready) why = native_words(c->native);
    }
    if (native == 0)
        say(j, why);
    else
        snprintf(j->stats->engine, sizeof j->stats->engine, "native code in %d of %d mode%s",
                 native, count, count == 1 ? "" : "s");
}

void engine_close(Job *j) {
    EngineCode *own = &j->engine.own;
    if (has_modes(j)) tell_modes(j);
    if (j->engine.code == own) j->m->native = NULL; // its end comes before that of the machine
    if (own->phase == ENGINE_WAITING)
        say(j, "virtual machine: the run was over before the C compiler");
    native_free(own->native);
    array_free(&j->engine.entered);
}
