// The functions of FMI 2.
#include "foreign/guest/guest.h"
#include "foreign/guest/unit_api.h"
#include "foreign/units.h"

#include <fmi2FunctionTypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    fmi2CallbackFunctions callbacks;
#define FUNCTION(name, set) fmi2##name##TYPE *name; // NOLINT(bugprone-macro-parentheses)
#include "foreign/guest/fmi2.def"
#undef FUNCTION
} f;

static void log_it(fmi2ComponentEnvironment e, fmi2String instance, fmi2Status status,
                   fmi2String category, fmi2String message, ...) {
    (void)e, (void)instance, (void)category;
    char text[600];
    va_list list;
    if (!message) return;
    va_start(list, message);
    vsnprintf(text, sizeof text, message, list);
    va_end(list);
    unit_log((int)status, text);
}

static bool worked(fmi2Status status, const char *call) { return unit_worked((int)status, call); }

// --- numbers -------------------------------------------------------------------------------------

static bool put(void *c, const List *l, const double *x, const char *what) {
    for (int i = 0; i < l->count; i++) {
        fmi2ValueReference r = l->reference[i];
        fmi2Integer whole = (fmi2Integer)lround(x[i]);
        fmi2Boolean truth = x[i] != 0;
        fmi2Status s = l->type[i] == 'i'   ? f.SetInteger(c, &r, 1, &whole)
                       : l->type[i] == 'b' ? f.SetBoolean(c, &r, 1, &truth)
                                           : f.SetReal(c, &r, 1, &x[i]);
        if (!worked(s, what)) return false;
    }
    return true;
}

static bool get(void *c, const List *l, double *x) {
    for (int i = 0; i < l->count; i++) {
        fmi2ValueReference r = l->reference[i];
        fmi2Integer whole = 0;
        fmi2Boolean truth = 0;
        fmi2Status s = l->type[i] == 'r'   ? f.GetReal(c, &r, 1, &x[i])
                       : l->type[i] == 'i' ? f.GetInteger(c, &r, 1, &whole)
                                           : f.GetBoolean(c, &r, 1, &truth);
        if (l->type[i] != 'r') x[i] = l->type[i] == 'i' ? whole : truth != 0;
        if (!worked(s, "reading an output")) return false;
    }
    return true;
}

// --- instances -----------------------------------------------------------------------------------

static void *make(const char *name) {
    fmi2Component c =
        f.Instantiate(name, the_unit.exchange ? fmi2ModelExchange : fmi2CoSimulation, the_unit.guid,
                      the_unit.resources, &f.callbacks, fmi2False, fmi2False);
    if (!c) unit_say("fmi2Instantiate gave nothing");
    return c;
}

static void free_it(void *c) { f.FreeInstance(c); }

static bool start(void *c, double time, const double *parameter, const double *input) {
    return worked(f.SetupExperiment(c, fmi2False, 0, time, fmi2False, 0), "fmi2SetupExperiment") &&
           put(c, &the_unit.parameter, parameter, "setting a parameter") &&
           worked(f.EnterInitializationMode(c), "fmi2EnterInitializationMode") &&
           unit_put_inputs(c, input, true) &&
           worked(f.ExitInitializationMode(c), "fmi2ExitInitializationMode");
}

static bool save(void *c, void **state) {
    return worked(f.GetFMUstate(c, state), "saving its state");
}
static bool restore(void *c, void *state) {
    return worked(f.SetFMUstate(c, state), "restoring its state");
}
static void drop(void *c, void **state) {
    if (f.FreeFMUstate) f.FreeFMUstate(c, state);
}

// --- continuous time -----------------------------------------------------------------------------

static bool enter_events(void *c) { return worked(f.EnterEventMode(c), "fmi2EnterEventMode"); }

static bool leave_events(void *c, double *next) {
    fmi2EventInfo e = {0};
    int rounds = 0;
    do {
        memset(&e, 0, sizeof e);
        if (!worked(f.NewDiscreteStates(c, &e), "fmi2NewDiscreteStates")) return false;
        if (e.terminateSimulation) the_unit.ends = true;
    } while (e.newDiscreteStatesNeeded && !e.terminateSimulation && ++rounds < MOST_ROUNDS);
    if (rounds == MOST_ROUNDS) {
        say(the_unit.c, "its events come to no end");
        return false;
    }
    *next = e.nextEventTimeDefined ? e.nextEventTime : UNIT_NEVER;
    return worked(f.EnterContinuousTimeMode(c), "fmi2EnterContinuousTimeMode");
}

static bool completed(void *c) {
    fmi2Boolean enter = 0, end = 0;
    fmi2Status status = f.CompletedIntegratorStep(c, fmi2True, &enter, &end);
    the_unit.ends = the_unit.ends || end;
    return worked(status, "fmi2CompletedIntegratorStep");
}

static bool set_point(void *c, double time, const double *state) {
    size_t n = (size_t)the_unit.state.count;
    return worked(f.SetTime(c, time), "fmi2SetTime") &&
           (!n || worked(f.SetContinuousStates(c, state, n), "fmi2SetContinuousStates"));
}

static bool get_states(void *c, double *x) {
    return worked(f.GetContinuousStates(c, x, (size_t)the_unit.state.count),
                  "fmi2GetContinuousStates");
}

static bool rates(void *c, double *rate) {
    return worked(f.GetDerivatives(c, rate, (size_t)the_unit.state.count), "fmi2GetDerivatives");
}

static bool indicators(void *c, double *z) {
    return worked(f.GetEventIndicators(c, z, (size_t)the_unit.indicators),
                  "fmi2GetEventIndicators");
}

static bool slope(void *c, const double *seed, double *along) {
    int states = the_unit.state.count, known = states + the_unit.input.count;
    int unknown = states + the_unit.output.count;
    unsigned *reference = (unsigned *)the_unit.work;
    for (int i = 0; i < known; i++)
        reference[i] =
            i < states ? the_unit.state.reference[i] : the_unit.input.reference[i - states];
    for (int i = 0; i < unknown; i++)
        reference[known + i] =
            i < states ? the_unit.rate.reference[i] : the_unit.output.reference[i - states];
    return worked(f.GetDirectionalDerivative(c, reference + known, (size_t)unknown, reference,
                                             (size_t)known, seed, along),
                  "fmi2GetDirectionalDerivative");
}

// --- steps ---------------------------------------------------------------------------------------

// A step that is discarded because the unit asks to end the run is its last one.
static bool step(void *c, double time, double length) {
    fmi2Status status = f.DoStep(c, time, length, fmi2True);
    fmi2Boolean ends = 0;
    if (status == fmi2Discard && f.GetBooleanStatus)
        the_unit.ends = f.GetBooleanStatus(c, fmi2Terminated, &ends) == fmi2OK && ends;
    return the_unit.ends || worked(status, "fmi2DoStep");
}

static bool load(void *library) {
    bool good = true;
    f.callbacks = (fmi2CallbackFunctions){log_it, calloc, free, NULL, NULL};
#define FUNCTION(name, set)                                                                        \
    good = good && unit_find(library, "fmi2" #name, set, &f.name, sizeof f.name);
#include "foreign/guest/fmi2.def"
#undef FUNCTION
    return good;
}

const UnitApi unit_api2 = {load,      make,       free_it, start,        put,          get,
                           save,      restore,    drop,    enter_events, leave_events, completed,
                           set_point, get_states, rates,   indicators,   slope,        step};
