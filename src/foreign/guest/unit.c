// Units of FMI 2: instances by tokens, points in continuous time, events, steps.
//
//   words after the library: guid, place of resources, "me" or "cs", flags (s: saves states, n: steps need
//   not be told), number of indicators, then one word each for parameters, inputs, outputs, states and
//   rates: letters of types and value references, "r12 d3 i5 b7"; d: a real input that changes
//   at events only
//
// An instance is at one token at a time; others are left as saved states, if the unit can save them.
#include "foreign/guest/guest.h"
#include "foreign/units.h"

#include <dlfcn.h>
#include <fmi2FunctionTypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int count;
    char *type;
    unsigned *reference;
} List;

typedef struct {
    fmi2Component component;
    double now; // the token that it is at; 0: none
    long used;
} Instance;

typedef struct {
    double token;
    int instance;
    fmi2FMUstate saved; // NULL: only the instance itself has it
    long used;
} Kept;

enum { MOST_INSTANCES = 64, MOST_KEPT = 256, MOST_ROUNDS = 100, LOG_LENGTH = 600 };

static struct {
    Channel *c;
    bool exchange, saves, tells_steps;
    int indicators;
    const char *guid, *resources;
    List parameter, input, output, state, rate;
    Instance instance[MOST_INSTANCES];
    Kept kept[MOST_KEPT];
    long clock;
    int instances_made;
    fmi2CallbackFunctions callbacks;
    char log[LOG_LENGTH]; // the last words of the unit
    double *work;
#define FUNCTION(name, set) fmi2##name##TYPE *name; // NOLINT(bugprone-macro-parentheses)
#include "foreign/guest/fmi2.def"
#undef FUNCTION
} u; // the guest serves one unit

// --- what the unit says --------------------------------------------------------------------------

static void log_it(fmi2ComponentEnvironment e, fmi2String instance, fmi2Status status,
                   fmi2String category, fmi2String message, ...) {
    (void)e, (void)instance, (void)category;
    if (status == fmi2OK || !message) return;
    va_list list;
    va_start(list, message);
    vsnprintf(u.log, sizeof u.log, message, list);
    va_end(list);
    for (char *c = u.log; *c; c++)
        if ((unsigned char)*c < 32) *c = ' ';
}

static bool worked(fmi2Status status, const char *call) {
    if (status == fmi2OK || status == fmi2Warning) return true;
    static const char *const name[] = {"OK",       "a warning",     "a point that it discards",
                                       "an error", "a fatal error", "an answer that is pending"};
    const char *what = status <= fmi2Pending ? name[status] : "a status that there is not";
    say(u.c, "%s gave %s%s%s", call, what, *u.log ? ": " : "", u.log);
    return false;
}

// --- numbers -------------------------------------------------------------------------------------

static bool put(fmi2Component c, const List *l, const double *x, const char *what) {
    for (int i = 0; i < l->count; i++) {
        fmi2ValueReference r = l->reference[i];
        fmi2Integer whole = (fmi2Integer)lround(x[i]);
        fmi2Boolean truth = x[i] != 0;
        fmi2Status s = l->type[i] == 'i'   ? u.SetInteger(c, &r, 1, &whole)
                       : l->type[i] == 'b' ? u.SetBoolean(c, &r, 1, &truth)
                                           : u.SetReal(c, &r, 1, &x[i]);
        if (!worked(s, what)) return false;
    }
    return true;
}

static bool put_inputs(fmi2Component c, const double *x, bool all) {
    for (int i = 0; i < u.input.count; i++) {
        List one = {1, &u.input.type[i], &u.input.reference[i]};
        if (!all && one.type[0] != 'r') continue; // those change at events only
        if (!put(c, &one, x + i, "setting an input")) return false;
    }
    return true;
}

static bool get(fmi2Component c, const List *l, double *x) {
    for (int i = 0; i < l->count; i++) {
        fmi2ValueReference r = l->reference[i];
        fmi2Integer whole = 0;
        fmi2Boolean truth = 0;
        fmi2Status s = l->type[i] == 'r'   ? u.GetReal(c, &r, 1, &x[i])
                       : l->type[i] == 'i' ? u.GetInteger(c, &r, 1, &whole)
                                           : u.GetBoolean(c, &r, 1, &truth);
        if (l->type[i] != 'r') x[i] = l->type[i] == 'i' ? whole : truth != 0;
        if (!worked(s, "reading an output")) return false;
    }
    return true;
}

// --- tokens --------------------------------------------------------------------------------------

static void drop(Kept *k) {
    if (k->saved && u.FreeFMUstate) u.FreeFMUstate(u.instance[k->instance].component, &k->saved);
    *k = (Kept){0};
}

static Kept *find(double token) {
    for (int i = 0; i < MOST_KEPT; i++)
        if (u.kept[i].token == token) return &u.kept[i];
    return NULL;
}

static void drop_instance(int n) {
    for (int i = 0; i < MOST_KEPT; i++)
        if (u.kept[i].token != 0 && u.kept[i].instance == n) drop(&u.kept[i]);
    if (u.instance[n].component) u.FreeInstance(u.instance[n].component);
    u.instance[n] = (Instance){0};
}

static Kept *free_place(void) {
    Kept *oldest = &u.kept[0];
    for (int i = 0; i < MOST_KEPT; i++) {
        Kept *k = &u.kept[i];
        if (k->token == 0) return k;
        bool present = u.instance[k->instance].now == k->token;
        if (!present && k->used < oldest->used) oldest = k;
    }
    drop(oldest);
    return oldest;
}

// The instance is now at this token; its state is saved if it can be.
static bool keep(int n, double token) {
    Instance *i = &u.instance[n];
    Kept *k = find(token);
    if (k) drop(k);
    k = free_place();
    *k = (Kept){.token = token, .instance = n, .used = ++u.clock};
    i->now = token;
    if (!u.saves) {
        for (int j = 0; j < MOST_KEPT; j++) // what it was before is gone
            if (u.kept[j].token != 0 && u.kept[j].instance == n && u.kept[j].token != token)
                drop(&u.kept[j]);
        return true;
    }
    return worked(u.GetFMUstate(i->component, &k->saved), "saving its state");
}

// The instance at the token, brought back to it if need be.
static Instance *at_token(double token) {
    Kept *k = find(token);
    if (!k) {
        say(u.c, UNIT_GONE " to a state that it had before%s",
            u.saves ? "" : ": its canGetAndSetFMUstate is false");
        return NULL;
    }
    Instance *i = &u.instance[k->instance];
    k->used = i->used = ++u.clock;
    if (i->now == token) return i;
    if (!k->saved) {
        say(u.c, UNIT_GONE " to a state that it had before: its canGetAndSetFMUstate is false");
        return NULL;
    }
    if (!worked(u.SetFMUstate(i->component, k->saved), "restoring its state")) return NULL;
    i->now = token;
    return i;
}

// --- events --------------------------------------------------------------------------------------

// Out of event mode: next event, states.
static bool leave_events(fmi2Component c, double *out) {
    fmi2EventInfo e = {0};
    int rounds = 0;
    do {
        memset(&e, 0, sizeof e);
        if (!worked(u.NewDiscreteStates(c, &e), "fmi2NewDiscreteStates")) return false;
        if (e.terminateSimulation) {
            say(u.c, "it asks to end the simulation%s%s", *u.log ? ": " : "", u.log);
            return false;
        }
    } while (e.newDiscreteStatesNeeded && ++rounds < MOST_ROUNDS);
    if (rounds == MOST_ROUNDS) {
        say(u.c, "its events come to no end");
        return false;
    }
    if (!worked(u.EnterContinuousTimeMode(c), "fmi2EnterContinuousTimeMode")) return false;
    *out++ = e.nextEventTimeDefined ? e.nextEventTime : UNIT_NEVER;
    size_t states = (size_t)u.state.count;
    return !states || worked(u.GetContinuousStates(c, out, states), "fmi2GetContinuousStates");
}

// --- commands ------------------------------------------------------------------------------------

static int free_instance(void) {
    int oldest = 0;
    for (int i = 0; i < MOST_INSTANCES; i++) {
        if (!u.instance[i].component) return i;
        if (u.instance[i].used < u.instance[oldest].used) oldest = i;
    }
    drop_instance(oldest);
    return oldest;
}

static void begin(const double *in, double *out) {
    char name[40];
    double token = in[0], time = in[1];
    Kept *before = find(token);
    if (before && !u.saves) before->token = 0; // the instance goes on with what it is at
    int n = free_instance();
    Instance *i = &u.instance[n];
    snprintf(name, sizeof name, "unit%d", ++u.instances_made);
    i->component = u.Instantiate(name, u.exchange ? fmi2ModelExchange : fmi2CoSimulation, u.guid,
                                 u.resources, &u.callbacks, fmi2False, fmi2False);
    i->used = ++u.clock;
    if (!i->component) {
        say(u.c, "fmi2Instantiate gave nothing%s%s", *u.log ? ": " : "", u.log);
        return;
    }
    fmi2Component c = i->component;
    const double *input = in + 2 + u.parameter.count;
    bool good =
        worked(u.SetupExperiment(c, fmi2False, 0, time, fmi2False, 0), "fmi2SetupExperiment") &&
        put(c, &u.parameter, in + 2, "setting a parameter") &&
        worked(u.EnterInitializationMode(c), "fmi2EnterInitializationMode") &&
        put_inputs(c, input, true) &&
        worked(u.ExitInitializationMode(c), "fmi2ExitInitializationMode");
    if (good && u.exchange) good = leave_events(c, out);
    if (good && !u.exchange) {
        out[0] = UNIT_NEVER;
        good = get(c, &u.output, out + 1);
    }
    if (good) good = keep(n, token);
    if (!good) drop_instance(n);
}

static bool set_point(fmi2Component c, const double *in) {
    size_t states = (size_t)u.state.count;
    return worked(u.SetTime(c, in[0]), "fmi2SetTime") &&
           (!states ||
            worked(u.SetContinuousStates(c, in + 1, states), "fmi2SetContinuousStates")) &&
           put_inputs(c, in + 1 + states, false);
}

static bool point(fmi2Component c, const double *in, double *out, bool borders) {
    size_t states = (size_t)u.state.count, indicators = (size_t)u.indicators;
    double *border = out + states + u.output.count;
    return set_point(c, in) &&
           (!states || worked(u.GetDerivatives(c, out, states), "fmi2GetDerivatives")) &&
           get(c, &u.output, out + states) &&
           (!borders || !indicators ||
            worked(u.GetEventIndicators(c, border, indicators), "fmi2GetEventIndicators"));
}

// Rates of rates and outputs along a direction: exact by states and inputs, differences by time.
static bool slope(fmi2Component c, const double *in, double *out) {
    int states = u.state.count, inputs = u.input.count, n = 1 + states + inputs;
    int known = states + inputs, unknown = states + u.output.count;
    const double *d = in + n;
    unsigned *reference = (unsigned *)u.work;
    double *seed = u.work + known + unknown;
    for (int i = 0; i < known; i++) {
        reference[i] = i < states ? u.state.reference[i] : u.input.reference[i - states];
        seed[i] = d[1 + i];
    }
    for (int i = 0; i < unknown; i++)
        reference[known + i] = i < states ? u.rate.reference[i] : u.output.reference[i - states];
    if (!set_point(c, in) ||
        !worked(u.GetDirectionalDerivative(c, reference + known, (size_t)unknown, reference,
                                           (size_t)known, seed, out),
                "fmi2GetDirectionalDerivative"))
        return false;
    if (d[0] == 0) return true;
    double step = 1e-6 * fmax(1, fabs(in[0])), *at = seed, *ahead = at + n;
    memcpy(at, in, (size_t)n * sizeof *at);
    at[0] = in[0] + step;
    if (!point(c, at, ahead, false)) return false;
    at[0] = in[0] - step;
    double *back = ahead + unknown;
    if (!point(c, at, back, false)) return false;
    for (int i = 0; i < unknown; i++) out[i] += d[0] * (ahead[i] - back[i]) / (2 * step);
    return true;
}

static void update(const double *in, double *out) {
    Instance *i = at_token(in[0]);
    if (!i) return;
    fmi2Component c = i->component;
    fmi2Boolean enter = 0, end = 0;
    bool good = set_point(c, in + 2);
    if (good && u.tells_steps)
        good = worked(u.CompletedIntegratorStep(c, fmi2True, &enter, &end),
                      "fmi2CompletedIntegratorStep");
    good = good && worked(u.EnterEventMode(c), "fmi2EnterEventMode") &&
           put_inputs(c, in + 3 + u.state.count, true) && leave_events(c, out);
    i->now = 0;
    if (good) keep((int)(i - u.instance), in[1]);
}

static void step(const double *in, double *out) {
    Instance *i = at_token(in[0]);
    if (!i) return;
    fmi2Component c = i->component;
    bool good = put_inputs(c, in + 4, true) &&
                worked(u.DoStep(c, in[2], in[3], fmi2True), "fmi2DoStep") &&
                get(c, &u.output, out + 1);
    out[0] = UNIT_NEVER;
    i->now = 0;
    if (good) keep((int)(i - u.instance), in[1]);
}

static void serve(Channel *c) {
    const double *in = c->number;
    double *out = c->number + c->inputs;
    u.c = c;
    u.log[0] = '\0';
    switch ((UnitCommand)c->command) {
    case UNIT_BEGIN: begin(in, out); break;
    case UNIT_UPDATE: update(in, out); break;
    case UNIT_STEP: step(in, out); break;
    case UNIT_POINT:
    case UNIT_SLOPE: {
        Instance *i = at_token(in[0]);
        if (i && c->command == UNIT_POINT) point(i->component, in + 1, out, true);
        // the direction of the token stands before that of the time
        double *copy = u.work + 4 * (u.state.count + u.input.count + u.output.count + 8);
        int n = 1 + u.state.count + u.input.count;
        if (!i || c->command == UNIT_POINT) break;
        memcpy(copy, in + 1, (size_t)n * sizeof *copy);
        memcpy(copy + n, in + 2 + n, (size_t)n * sizeof *copy);
        slope(i->component, copy, out);
    }
    }
}

// --- loading -------------------------------------------------------------------------------------

static List read_list(char *text) {
    List l = {0};
    size_t most = strlen(text) / 2 + 2;
    l.type = calloc(most, 1);
    l.reference = calloc(most, sizeof *l.reference);
    if (!l.type || !l.reference) abort();
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        l.type[l.count] = word[0];
        l.reference[l.count++] = (unsigned)strtoul(word + 1, NULL, 10);
    }
    return l;
}

typedef enum { ALWAYS, EXCHANGE, STEPS, SAVING, IF_THERE } Set;

static bool is_needed(Set set) {
    return set == ALWAYS || (set == EXCHANGE && u.exchange) || (set == STEPS && !u.exchange) ||
           (set == SAVING && u.saves);
}

static bool load(Channel *c, void *library, const char *name, Set set, void *to, size_t size) {
    void *symbol = dlsym(library, name);
    memcpy(to, &symbol, size);
    if (symbol || !is_needed(set)) return true;
    say(c, "it has no function %s", name);
    return false;
}

static bool load_functions(Channel *c, void *library) {
    bool good = true;
#define FUNCTION(name, set)                                                                        \
    good = good && load(c, library, "fmi2" #name, set, &u.name, sizeof u.name);
#include "foreign/guest/fmi2.def"
#undef FUNCTION
    return good;
}

Serve *unit_load(Channel *c, const char *path, char **word, int count) {
    if (count < 10) {
        say(c, "words are missing");
        return NULL;
    }
    u.c = c;
    u.guid = word[0];
    u.resources = word[1];
    u.exchange = strcmp(word[2], "me") == 0;
    u.saves = strchr(word[3], 's');
    u.tells_steps = !strchr(word[3], 'n');
    u.indicators = atoi(word[4]);
    List *list[] = {&u.parameter, &u.input, &u.output, &u.state, &u.rate};
    for (int i = 0; i < 5; i++) *list[i] = read_list(word[5 + i]);
    u.work =
        calloc(12 * (size_t)(u.state.count + u.input.count + u.output.count + 8), sizeof *u.work);
    if (!u.work) abort();
    u.callbacks = (fmi2CallbackFunctions){log_it, calloc, free, NULL, NULL};
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        say(c, "it cannot be loaded: %s", dlerror());
        return NULL;
    }
    return load_functions(c, library) ? serve : NULL;
}
