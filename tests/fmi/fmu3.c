// A unit of FMI 3 behind the functions of FMI 2, so that the same driver runs both: elements of arrays are variables,
// events of co-simulation are handled here when the driver wants that. What only FMI 3 has is looked at on the way.
#include "fmu_check.h"

#include "fmi3FunctionTypes.h"
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS3(F)                                                                              \
    F(GetVersion)                                                                                  \
    F(InstantiateModelExchange)                                                                    \
    F(InstantiateCoSimulation)                                                                     \
    F(InstantiateScheduledExecution)                                                               \
    F(FreeInstance)                                                                                \
    F(EnterInitializationMode)                                                                     \
    F(ExitInitializationMode)                                                                      \
    F(Terminate)                                                                                   \
    F(Reset)                                                                                       \
    F(GetFloat64)                                                                                  \
    F(SetFloat64)                                                                                  \
    F(GetInt32)                                                                                    \
    F(GetFMUState)                                                                                 \
    F(SetFMUState)                                                                                 \
    F(FreeFMUState)                                                                                \
    F(SerializedFMUStateSize)                                                                      \
    F(SerializeFMUState)                                                                           \
    F(DeserializeFMUState)                                                                         \
    F(GetDirectionalDerivative)                                                                    \
    F(GetAdjointDerivative)                                                                        \
    F(EnterEventMode)                                                                              \
    F(UpdateDiscreteStates)                                                                        \
    F(EnterContinuousTimeMode)                                                                     \
    F(EnterStepMode)                                                                               \
    F(CompletedIntegratorStep)                                                                     \
    F(SetTime)                                                                                     \
    F(SetContinuousStates)                                                                         \
    F(GetContinuousStateDerivatives)                                                               \
    F(GetEventIndicators)                                                                          \
    F(GetContinuousStates)                                                                         \
    F(GetNominalsOfContinuousStates)                                                               \
    F(GetNumberOfContinuousStates)                                                                 \
    F(GetNumberOfEventIndicators)                                                                  \
    F(DoStep)                                                                                      \
    F(GetClock)                                                                                    \
    F(ActivateModelPartition)

static struct { // the driver has one unit
#define MEMBER(name) fmi3##name##TYPE *name;
    FUNCTIONS3(MEMBER)
#undef MEMBER
    const Description *d;
    const Check *c;
    int faults;
    long events, early, updates, adjoints;
} three;

typedef struct {
    fmi3Instance at;
    const fmi2CallbackFunctions *call;
    double start, stop;
    bool stops, steps, events;
} Unit3;

static void fault(const char *what, const char *name) {
    if (three.faults++ < 10) printf("FMI 3: %s: %s\n", what, name);
}

// --- instances ------------------------------------------------------------------------------------

static void log3(fmi3InstanceEnvironment e, fmi3Status status, fmi3String category,
                 fmi3String text) {
    const Unit3 *u = e;
    u->call->logger(NULL, "unit", (fmi2Status)status, category, "%s", text);
}

// Every other step inside of a communication step, the driver wants to go back earlier.
static void between(fmi3InstanceEnvironment e, fmi3Float64 time, fmi3Boolean set, fmi3Boolean get,
                    fmi3Boolean finished, fmi3Boolean can, fmi3Boolean *wants, fmi3Float64 *when) {
    const Unit3 *u = e;
    fmi3ValueReference reference = three.d->variable[0].owner; // the time comes first
    double now = NAN;
    (void)set;
    if (!get || !finished) return;
    if (three.GetFloat64(u->at, &reference, 1, &now, 1) != fmi3OK || now != time)
        fault("the time in an intermediate update", three.d->variable[0].name);
    *wants = can && three.updates++ % 2;
    *when = time;
}

static fmi2Component instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                                 fmi2String resources, const fmi2CallbackFunctions *call,
                                 fmi2Boolean visible, fmi2Boolean logging) {
    Unit3 *u = calloc(1, sizeof *u);
    if (!u) abort();
    u->call = call;
    u->steps = type == fmi2CoSimulation;
    u->events = u->steps && three.c->events;
    u->start = three.d->start;
    u->at =
        u->steps
            ? three.InstantiateCoSimulation(name, guid, resources, visible, logging, u->events,
                                            u->events, NULL, 0, u, log3, u->events ? between : NULL)
            : three.InstantiateModelExchange(name, guid, resources, visible, logging, u, log3);
    if (u->at) return u;
    free(u);
    return NULL;
}

static void free_instance(fmi2Component c) {
    Unit3 *u = c;
    if (!u) return;
    three.FreeInstance(u->at);
    free(u);
}

static fmi2Status setup(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                        fmi2Real start, fmi2Boolean stops, fmi2Real stop) {
    Unit3 *u = c;
    (void)tolerance_defined, (void)tolerance;
    u->start = start;
    u->stop = stop;
    u->stops = stops;
    return fmi2OK;
}

static fmi2Status enter_start(fmi2Component c) {
    const Unit3 *u = c;
    return (fmi2Status)three.EnterInitializationMode(u->at, false, 0, u->start, u->stops, u->stop);
}

static fmi3Status update_all(const Unit3 *u, fmi2EventInfo *info) {
    bool again = true, end = false, nominals = false, values = false, next_defined = false;
    double next = 0;
    fmi3Status status = fmi3OK;
    while (again && status == fmi3OK)
        status = three.UpdateDiscreteStates(u->at, &again, &end, &nominals, &values, &next_defined,
                                            &next);
    if (!info) return status;
    *info = (fmi2EventInfo){.valuesOfContinuousStatesChanged = values,
                            .terminateSimulation = end,
                            .nextEventTimeDefined = next_defined,
                            .nextEventTime = next};
    return status;
}

static fmi2Status leave_start(fmi2Component c) {
    const Unit3 *u = c;
    fmi3Status status = three.ExitInitializationMode(u->at);
    if (status == fmi3OK && u->events) status = update_all(u, NULL);
    if (status == fmi3OK && u->events) status = three.EnterStepMode(u->at);
    return (fmi2Status)status;
}

static fmi2Status terminate(fmi2Component c) {
    return (fmi2Status)three.Terminate(((Unit3 *)c)->at);
}
static fmi2Status reset(fmi2Component c) { return (fmi2Status)three.Reset(((Unit3 *)c)->at); }

// --- values ---------------------------------------------------------------------------------------

static const Variable *variable(unsigned reference) { return &three.d->variable[reference]; }

static fmi2Status get(fmi2Component c, const fmi2ValueReference r[], size_t count,
                      fmi2Real value[]) {
    const Unit3 *u = c;
    fmi3Status status = fmi3OK;
    for (size_t i = 0; i < count && status == fmi3OK; i++) {
        const Variable *v = variable(r[i]);
        size_t n = (size_t)v->elements;
        double *all = calloc(n, sizeof *all);
        status = three.GetFloat64(u->at, &v->owner, 1, all, n);
        value[i] = all[v->element];
        free(all);
    }
    return (fmi2Status)status;
}

static fmi2Status set(fmi2Component c, const fmi2ValueReference r[], size_t count,
                      const fmi2Real value[]) {
    const Unit3 *u = c;
    fmi3Status status = fmi3OK;
    for (size_t i = 0; i < count && status == fmi3OK; i++) {
        const Variable *v = variable(r[i]);
        size_t n = (size_t)v->elements;
        double *all = calloc(n, sizeof *all);
        status = three.GetFloat64(u->at, &v->owner, 1, all, n);
        all[v->element] = value[i];
        if (status == fmi3OK) status = three.SetFloat64(u->at, &v->owner, 1, all, n);
        free(all);
    }
    return (fmi2Status)status;
}

// --- states ---------------------------------------------------------------------------------------

static fmi2Status get_state(fmi2Component c, fmi2FMUstate *s) {
    return (fmi2Status)three.GetFMUState(((Unit3 *)c)->at, s);
}
static fmi2Status set_state(fmi2Component c, fmi2FMUstate s) {
    return (fmi2Status)three.SetFMUState(((Unit3 *)c)->at, s);
}
static fmi2Status free_state(fmi2Component c, fmi2FMUstate *s) {
    return (fmi2Status)three.FreeFMUState(((Unit3 *)c)->at, s);
}
static fmi2Status state_size(fmi2Component c, fmi2FMUstate s, size_t *size) {
    return (fmi2Status)three.SerializedFMUStateSize(((Unit3 *)c)->at, s, size);
}
static fmi2Status serialise(fmi2Component c, fmi2FMUstate s, fmi2Byte bytes[], size_t size) {
    return (fmi2Status)three.SerializeFMUState(((Unit3 *)c)->at, s, (fmi3Byte *)bytes, size);
}
static fmi2Status read_back(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *s) {
    return (fmi2Status)three.DeserializeFMUState(((Unit3 *)c)->at, (const fmi3Byte *)bytes, size,
                                                 s);
}

// --- derivatives ----------------------------------------------------------------------------------

// Of one number by one; the adjoint derivative is the same number from the other side.
static fmi2Status derivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
                             const fmi2ValueReference known[], size_t knowns, const fmi2Real seed[],
                             fmi2Real along[]) {
    const Unit3 *u = c;
    const Variable *a = variable(unknown[0]), *b = variable(known[0]);
    size_t n = (size_t)a->elements, m = (size_t)b->elements;
    double *out = calloc(n, sizeof *out), *in = calloc(m, sizeof *in);
    if (unknowns != 1 || knowns != 1) abort();
    in[b->element] = seed[0];
    fmi3Status status =
        three.GetDirectionalDerivative(u->at, &a->owner, 1, &b->owner, 1, in, m, out, n);
    along[0] = out[a->element];
    memset(out, 0, n * sizeof *out);
    out[a->element] = 1;
    if (status == fmi3OK)
        status = three.GetAdjointDerivative(u->at, &a->owner, 1, &b->owner, 1, out, n, in, m);
    double back = in[b->element] * seed[0];
    if (!(fabs(back - along[0]) <= 1e-14 * fabs(along[0]))) fault("an adjoint derivative", a->name);
    three.adjoints++;
    free(out);
    free(in);
    return (fmi2Status)status;
}

// --- events and steps -----------------------------------------------------------------------------

static fmi2Status enter_events(fmi2Component c) {
    return (fmi2Status)three.EnterEventMode(((Unit3 *)c)->at);
}
static fmi2Status new_states(fmi2Component c, fmi2EventInfo *info) {
    return (fmi2Status)update_all(c, info);
}
static fmi2Status enter_time(fmi2Component c) {
    return (fmi2Status)three.EnterContinuousTimeMode(((Unit3 *)c)->at);
}

static fmi2Status completed(fmi2Component c, fmi2Boolean no_return, fmi2Boolean *enter,
                            fmi2Boolean *end) {
    bool a = false, b = false;
    fmi3Status status = three.CompletedIntegratorStep(((Unit3 *)c)->at, no_return, &a, &b);
    *enter = a;
    *end = b;
    return (fmi2Status)status;
}

static fmi2Status set_time(fmi2Component c, fmi2Real t) {
    return (fmi2Status)three.SetTime(((Unit3 *)c)->at, t);
}
static fmi2Status set_states(fmi2Component c, const fmi2Real x[], size_t n) {
    return (fmi2Status)three.SetContinuousStates(((Unit3 *)c)->at, x, n);
}
static fmi2Status get_rates(fmi2Component c, fmi2Real x[], size_t n) {
    return (fmi2Status)three.GetContinuousStateDerivatives(((Unit3 *)c)->at, x, n);
}
static fmi2Status get_indicators(fmi2Component c, fmi2Real z[], size_t n) {
    return (fmi2Status)three.GetEventIndicators(((Unit3 *)c)->at, z, n);
}
static fmi2Status get_states(fmi2Component c, fmi2Real x[], size_t n) {
    return (fmi2Status)three.GetContinuousStates(((Unit3 *)c)->at, x, n);
}
static fmi2Status get_nominals(fmi2Component c, fmi2Real x[], size_t n) {
    return (fmi2Status)three.GetNominalsOfContinuousStates(((Unit3 *)c)->at, x, n);
}

// A communication step, in as many calls as the unit wants.
static fmi2Status do_step(fmi2Component c, fmi2Real time, fmi2Real length, fmi2Boolean no_return) {
    const Unit3 *u = c;
    double end = time + length, last = time;
    fmi3Status status = fmi3OK;
    for (int calls = 0; status == fmi3OK && calls < 10000; calls++) {
        bool event = false, stop = false, early = false;
        double before = last;
        status = three.DoStep(u->at, before, end - before, no_return, &event, &stop, &early, &last);
        if (status != fmi3OK) break;
        if ((event || early) && !u->events)
            fault("an early return that nobody has allowed", "fmi3DoStep");
        if ((!stop && early == (last >= end)) || last < before)
            fault("lastSuccessfulTime", "fmi3DoStep");
        three.events += event;
        three.early += early;
        if (event) status = three.EnterEventMode(u->at);
        if (event && status == fmi3OK) status = update_all(u, NULL);
        if (event && status == fmi3OK) status = three.EnterStepMode(u->at);
        if (stop) return fmi2Discard; // as FMI 2 has it
        if (last >= end) return (fmi2Status)status;
    }
    if (status == fmi3OK) fault("steps come to no end", "fmi3DoStep");
    return (fmi2Status)status;
}

// --- loading --------------------------------------------------------------------------------------

bool check_load3(Check *c) {
    bool good = true;
    three.d = c->d;
    three.c = c;
#define FIND(name)                                                                                 \
    {                                                                                              \
        void *address = dlsym(c->library, "fmi3" #name);                                           \
        memcpy(&three.name, &address, sizeof address);                                             \
        if (!address) {                                                                            \
            printf("there is no fmi3" #name "\n");                                                 \
            good = false;                                                                          \
        }                                                                                          \
    }
    FUNCTIONS3(FIND)
    c->f = (Functions){
        instantiate, free_instance, setup,     enter_start, leave_start,  terminate,
        reset,       get,           set,       get_state,   set_state,    free_state,
        state_size,  serialise,     read_back, derivative,  enter_events, new_states,
        enter_time,  completed,     set_time,  set_states,  get_rates,    get_indicators,
        get_states,  get_nominals,  do_step};
    return good;
}

static void check_sizes(const Check *c, fmi3Instance at) {
    size_t states = 0, borders = 0;
    double x[2];
    unsigned none = 1u << 30;
    if (three.GetNumberOfContinuousStates(at, &states) != fmi3OK || (int)states != c->states)
        fault("the number of states", "");
    if (three.GetNumberOfEventIndicators(at, &borders) != fmi3OK || (int)borders < c->d->indicators)
        fault("the number of event indicators", "");
    if (three.GetFloat64(at, &none, 1, x, 1) == fmi3OK)
        fault("a reference that is not there is taken", "");
    if (three.GetFloat64(at, &c->d->variable[0].owner, 1, x, 2) == fmi3OK)
        fault("a wrong number of values is taken", "");
    if (three.GetInt32(at, &c->d->variable[0].owner, 1, (int32_t *)x, 1) == fmi3OK)
        fault("a number is read as another type", "");
    if (three.ActivateModelPartition(at, 0, 0) == fmi3OK) fault("a partition is activated", "");
}

static void silent(fmi3InstanceEnvironment e, fmi3Status status, fmi3String category,
                   fmi3String text) {
    (void)e, (void)status, (void)category, (void)text;
}

void check_looks3(const Check *c) {
    const Description *d = c->d;
    fmi3Instance at =
        d->exchange
            ? three.InstantiateModelExchange("x", d->guid, c->resources, false, false, NULL, silent)
            : three.InstantiateCoSimulation("x", d->guid, c->resources, false, false, false, false,
                                            NULL, 0, NULL, silent, NULL);
    if (d->steps && (!three.updates || !three.early))
        fault("no early return was seen", "fmi3DoStep");
    if (strcmp(three.GetVersion(), "3.0") != 0) fault("the version", three.GetVersion());
    if (at) check_sizes(c, at);
    three.FreeInstance(at);
    if (three.InstantiateScheduledExecution("x", d->guid, c->resources, false, false, NULL, silent,
                                            NULL, NULL, NULL))
        fault("scheduled execution is taken", "");
}

int check_faults3(void) { return three.faults; }
