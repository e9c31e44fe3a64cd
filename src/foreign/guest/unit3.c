// The functions of FMI 3. Variables may be arrays: lists have all their elements, one after the
// other.
#include "foreign/guest/guest.h"
#include "foreign/guest/unit_api.h"
#include "foreign/units.h"

#include <fmi3FunctionTypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
#define FUNCTION(name, set) fmi3##name##TYPE *name; // NOLINT(bugprone-macro-parentheses)
#include "foreign/guest/fmi3.def"
#undef FUNCTION
#define TYPE(letter, name, whole)                                                                  \
    fmi3Get##name##TYPE *Get##name; /* NOLINT(bugprone-macro-parentheses) */                       \
    fmi3Set##name##TYPE *Set##name; // NOLINT(bugprone-macro-parentheses)
#include "foreign/guest/fmi3_types.def"
#undef TYPE
    void *room; // for the elements of an array
    size_t room_size;
} f;

static void log_it(fmi3InstanceEnvironment e, fmi3Status status, fmi3String category,
                   fmi3String message) {
    (void)e, (void)category;
    if (message) unit_log((int)status, message);
}

static bool worked(fmi3Status status, const char *call) { return unit_worked((int)status, call); }

// --- numbers -------------------------------------------------------------------------------------

static void *room(size_t size) {
    if (size <= f.room_size) return f.room;
    free(f.room);
    f.room = malloc(size);
    if (!f.room) abort();
    f.room_size = size;
    return f.room;
}

static double rounded(double x) { return nearbyint(x); }
static double as_it_is(double x) { return x; }

// A variable with n elements, in the type that it has.
static fmi3Status put_one(void *c, char type, unsigned r, const double *x, size_t n) {
    switch (type == 'd' ? 'r' : type == 'e' ? 'f' : type) {
#define TYPE(letter, name, whole)                                                                  \
    case letter: {                                                                                 \
        fmi3##name *to = room(n * sizeof *to);                                                     \
        for (size_t i = 0; i < n; i++) to[i] = (fmi3##name)((whole) ? rounded : as_it_is)(x[i]);   \
        return f.Set##name(c, &r, 1, to, n);                                                       \
    }
#include "foreign/guest/fmi3_types.def"
#undef TYPE
    default: return fmi3Error;
    }
}

static fmi3Status get_one(void *c, char type, unsigned r, double *x, size_t n) {
    switch (type == 'd' ? 'r' : type == 'e' ? 'f' : type) {
#define TYPE(letter, name, whole)                                                                  \
    case letter: {                                                                                 \
        fmi3##name *from = room(n * sizeof *from);                                                 \
        memset(from, 0, n * sizeof *from);                                                         \
        fmi3Status status = f.Get##name(c, &r, 1, from, n);                                        \
        for (size_t i = 0; i < n; i++) x[i] = (double)from[i];                                     \
        return status;                                                                             \
    }
#include "foreign/guest/fmi3_types.def"
#undef TYPE
    default: return fmi3Error;
    }
}

static bool put(void *c, const List *l, const double *x, const char *what) {
    for (int i = 0; i < l->count; i += l->elements[i])
        if (!worked(put_one(c, l->type[i], l->reference[i], x + i, (size_t)l->elements[i]), what))
            return false;
    return true;
}

static bool get(void *c, const List *l, double *x) {
    for (int i = 0; i < l->count; i += l->elements[i])
        if (!worked(get_one(c, l->type[i], l->reference[i], x + i, (size_t)l->elements[i]),
                    "reading an output"))
            return false;
    return true;
}

// --- instances -----------------------------------------------------------------------------------

static void *make(const char *name) {
    fmi3Instance c =
        the_unit.exchange
            ? f.InstantiateModelExchange(name, the_unit.guid, the_unit.resources, false, false,
                                         NULL, log_it)
            : f.InstantiateCoSimulation(name, the_unit.guid, the_unit.resources, false, false,
                                        false, false, NULL, 0, NULL, log_it, NULL);
    if (!c) unit_say("fmi3Instantiate gave nothing");
    return c;
}

static void free_it(void *c) { f.FreeInstance(c); }

static bool start(void *c, double time, const double *parameter, const double *input) {
    return put(c, &the_unit.parameter, parameter, "setting a parameter") &&
           worked(f.EnterInitializationMode(c, false, 0, time, false, 0),
                  "fmi3EnterInitializationMode") &&
           unit_put_inputs(c, input, true) &&
           worked(f.ExitInitializationMode(c), "fmi3ExitInitializationMode");
}

static bool save(void *c, void **state) {
    return worked(f.GetFMUState(c, state), "saving its state");
}
static bool restore(void *c, void *state) {
    return worked(f.SetFMUState(c, state), "restoring its state");
}
static void drop(void *c, void **state) {
    if (f.FreeFMUState) f.FreeFMUState(c, state);
}

// --- continuous time -----------------------------------------------------------------------------

static bool enter_events(void *c) { return worked(f.EnterEventMode(c), "fmi3EnterEventMode"); }

static bool leave_events(void *c, double *next) {
    int rounds = 0;
    bool again, end, nominals, values, defined;
    double time;
    do {
        again = end = nominals = values = defined = false;
        time = 0;
        if (!worked(f.UpdateDiscreteStates(c, &again, &end, &nominals, &values, &defined, &time),
                    "fmi3UpdateDiscreteStates"))
            return false;
        if (end) the_unit.ends = true;
    } while (again && !end && ++rounds < MOST_ROUNDS);
    if (rounds == MOST_ROUNDS) {
        say(the_unit.c, "its events come to no end");
        return false;
    }
    *next = defined ? time : UNIT_NEVER;
    return worked(f.EnterContinuousTimeMode(c), "fmi3EnterContinuousTimeMode");
}

static bool completed(void *c) {
    bool enter = false, end = false;
    fmi3Status status = f.CompletedIntegratorStep(c, true, &enter, &end);
    the_unit.ends = the_unit.ends || end;
    return worked(status, "fmi3CompletedIntegratorStep");
}

static bool set_point(void *c, double time, const double *state) {
    size_t n = (size_t)the_unit.state.count;
    return worked(f.SetTime(c, time), "fmi3SetTime") &&
           (!n || worked(f.SetContinuousStates(c, state, n), "fmi3SetContinuousStates"));
}

static bool get_states(void *c, double *x) {
    return worked(f.GetContinuousStates(c, x, (size_t)the_unit.state.count),
                  "fmi3GetContinuousStates");
}

static bool rates(void *c, double *rate) {
    return worked(f.GetContinuousStateDerivatives(c, rate, (size_t)the_unit.state.count),
                  "fmi3GetContinuousStateDerivatives");
}

static bool indicators(void *c, double *z) {
    return worked(f.GetEventIndicators(c, z, (size_t)the_unit.indicators),
                  "fmi3GetEventIndicators");
}

static bool is_real(char type) { return unit_is_continuous(type) || type == 'd' || type == 'e'; }

// The variables of the list, each once, where its first element stands. Those whose type is not
// real are left out.
static int variables_of(const List *l, unsigned *to) {
    int n = 0;
    for (int i = 0; i < l->count; i += l->elements[i])
        if (is_real(l->type[i])) to[n++] = l->reference[i];
    return n;
}

static bool slope(void *c, const double *seed, double *along) {
    int states = the_unit.state.count, inputs = the_unit.input.count;
    int outputs = the_unit.output.count, seeds = states, alongs = states;
    unsigned *reference = (unsigned *)the_unit.work;
    int known = variables_of(&the_unit.state, reference);
    known += variables_of(&the_unit.input, reference + known);
    int unknown = variables_of(&the_unit.rate, reference + known);
    unknown += variables_of(&the_unit.output, reference + known + unknown);
    double *given = the_unit.work + states + inputs + states + outputs;
    double *taken = given + states + inputs;
    memcpy(given, seed, (size_t)states * sizeof *given);
    for (int i = 0; i < inputs; i++)
        if (is_real(the_unit.input.type[i])) given[seeds++] = seed[states + i];
    for (int i = 0; i < outputs; i++) alongs += is_real(the_unit.output.type[i]);
    if (!worked(f.GetDirectionalDerivative(c, reference + known, (size_t)unknown, reference,
                                           (size_t)known, given, (size_t)seeds, taken,
                                           (size_t)alongs),
                "fmi3GetDirectionalDerivative"))
        return false;
    memcpy(along, taken, (size_t)states * sizeof *along);
    for (int i = 0, k = states; i < outputs; i++)
        along[states + i] = is_real(the_unit.output.type[i]) ? taken[k++] : 0;
    return true;
}

// --- steps ---------------------------------------------------------------------------------------

static bool step(void *c, double time, double length) {
    bool event = false, end = false, early = false;
    double last = time;
    if (!worked(f.DoStep(c, time, length, true, &event, &end, &early, &last), "fmi3DoStep"))
        return false;
    the_unit.ends = end;
    if (early && !end) say(the_unit.c, "fmi3DoStep returned early, at t = %g s", last);
    return end || !early;
}

static bool load(void *library) {
    bool good = true;
#define FUNCTION(name, set)                                                                        \
    good = good && unit_find(library, "fmi3" #name, set, &f.name, sizeof f.name);
#include "foreign/guest/fmi3.def"
#undef FUNCTION
#define TYPE(letter, name, whole)                                                                  \
    good = good &&                                                                                 \
           unit_find(library, "fmi3Get" #name, ALWAYS, &f.Get##name, sizeof f.Get##name) &&        \
           unit_find(library, "fmi3Set" #name, ALWAYS, &f.Set##name, sizeof f.Set##name);
#include "foreign/guest/fmi3_types.def"
#undef TYPE
    return good;
}

const UnitApi unit_api3 = {load,      make,       free_it, start,        put,          get,
                           save,      restore,    drop,    enter_events, leave_events, completed,
                           set_point, get_states, rates,   indicators,   slope,        step};
