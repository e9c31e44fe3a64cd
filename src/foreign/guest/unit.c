// Units of FMI 2 and 3: instances by tokens, points in continuous time, events, steps.
//
//   words after the library: guid, place of resources, "me" or "cs", flags (s: saves states, n: steps need
//   not be told, 3: of FMI 3), number of indicators, then one word each for parameters, inputs, outputs, states and
//   rates: letters of types and value references, "r12 d3 i5 b7"; "r12:0/3": element 0 of 3
//
// An instance is at one token at a time; others are left as saved states, if the unit can save
// them.
#include "foreign/guest/guest.h"
#include "foreign/guest/unit_api.h"
#include "foreign/units.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    void *component;
    double now; // the token that it is at; 0: none
    long used;
} Instance;

typedef struct {
    double token;
    int instance;
    void *saved; // NULL: only the instance itself has it
    long used;
} Kept;

enum { MOST_INSTANCES = 64, MOST_KEPT = 256, LOG_LENGTH = 600 };

Unit the_unit;

static struct {
    const UnitApi *api;
    Instance instance[MOST_INSTANCES];
    Kept kept[MOST_KEPT];
    long clock;
    int instances_made;
    char log[LOG_LENGTH]; // the last words of the unit
} u;

// --- what the unit says --------------------------------------------------------------------------

void unit_log(int status, const char *text) {
    if (status == 0) return;
    snprintf(u.log, sizeof u.log, "%s", text);
    for (char *c = u.log; *c; c++)
        if ((unsigned char)*c < 32) *c = ' ';
}

void unit_say(const char *words) { say(the_unit.c, "%s%s%s", words, *u.log ? ": " : "", u.log); }

bool unit_worked(int status, const char *call) {
    static const char *const name[] = {"OK",       "a warning",     "a point that it discards",
                                       "an error", "a fatal error", "an answer that is pending"};
    if (status == 0 || status == 1) return true;
    const char *what = status > 1 && status < 6 ? name[status] : "a status that there is not";
    say(the_unit.c, "%s gave %s%s%s", call, what, *u.log ? ": " : "", u.log);
    return false;
}

// --- numbers -------------------------------------------------------------------------------------

bool unit_is_continuous(char type) { return type == 'r' || type == 'f'; }

bool unit_put_inputs(void *component, const double *x, bool all) {
    const List *l = &the_unit.input;
    for (int i = 0; i < l->count;) {
        int n = l->elements[i]; // an array as a whole
        List one = {n, l->type + i, l->reference + i, l->element + i, l->elements + i};
        if ((all || unit_is_continuous(one.type[0])) &&
            !u.api->put(component, &one, x + i, "setting an input"))
            return false;
        i += n;
    }
    return true;
}

// --- tokens --------------------------------------------------------------------------------------

static void drop(Kept *k) {
    if (k->saved) u.api->drop(u.instance[k->instance].component, &k->saved);
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
    if (u.instance[n].component) u.api->free(u.instance[n].component);
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
    if (!the_unit.saves) {
        for (int j = 0; j < MOST_KEPT; j++) // what it was before is gone
            if (u.kept[j].token != 0 && u.kept[j].instance == n && u.kept[j].token != token)
                drop(&u.kept[j]);
        return true;
    }
    if (the_unit.ends) return true; // some that have ended cannot be saved
    return u.api->save(i->component, &k->saved);
}

// The instance at the token, brought back to it if need be.
static Instance *at_token(double token) {
    Kept *k = find(token);
    if (!k) {
        say(the_unit.c, UNIT_GONE " to a state that it had before%s",
            the_unit.saves ? "" : ": its canGetAndSetFMUstate is false");
        return NULL;
    }
    Instance *i = &u.instance[k->instance];
    k->used = i->used = ++u.clock;
    if (i->now == token) return i;
    if (!k->saved) {
        say(the_unit.c,
            UNIT_GONE " to a state that it had before: its canGetAndSetFMUstate is false");
        return NULL;
    }
    if (!u.api->restore(i->component, k->saved)) return NULL;
    i->now = token;
    return i;
}

// --- commands ------------------------------------------------------------------------------------

// Out of event mode: next event, states.
static bool leave_events(void *c, double *out) {
    return u.api->leave_events(c, out) && (!the_unit.state.count || u.api->get_states(c, out + 1));
}

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
    if (before && !the_unit.saves) before->token = 0; // the instance goes on with what it is at
    int n = free_instance();
    Instance *i = &u.instance[n];
    snprintf(name, sizeof name, "unit%d", ++u.instances_made);
    i->component = u.api->make(name);
    i->used = ++u.clock;
    if (!i->component) return;
    void *c = i->component;
    bool good = u.api->start(c, time, in + 2, in + 2 + the_unit.parameter.count);
    if (good && the_unit.exchange) good = leave_events(c, out);
    if (good && !the_unit.exchange) {
        out[0] = UNIT_NEVER;
        good = u.api->get(c, &the_unit.output, out + 1);
    }
    if (the_unit.ends) out[0] = UNIT_ENDS;
    if (good) good = keep(n, token);
    if (!good) drop_instance(n);
}

// in: time, states, inputs
static bool set_point(void *c, const double *in) {
    return u.api->set_point(c, in[0], in + 1) &&
           unit_put_inputs(c, in + 1 + the_unit.state.count, false);
}

static bool point(void *c, const double *in, double *out, bool indicators) {
    int states = the_unit.state.count;
    double *indicator = out + states + the_unit.output.count;
    return set_point(c, in) && (!states || u.api->rates(c, out)) &&
           u.api->get(c, &the_unit.output, out + states) &&
           (!indicators || !the_unit.indicators || u.api->indicators(c, indicator));
}

// Rates of rates and outputs along a direction: exact by states and inputs, differences by time.
static bool slope(void *c, const double *in, double *out) {
    int n = 1 + the_unit.state.count + the_unit.input.count;
    int unknown = the_unit.state.count + the_unit.output.count;
    const double *d = in + n;
    if (!set_point(c, in) || !u.api->slope(c, d + 1, out)) return false;
    if (d[0] == 0) return true;
    double step = 1e-6 * fmax(1, fabs(in[0])), *at = the_unit.work, *ahead = at + n;
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
    void *c = i->component;
    bool good = set_point(c, in + 2) && (!the_unit.tells_steps || u.api->completed(c)) &&
                u.api->enter_events(c) && unit_put_inputs(c, in + 3 + the_unit.state.count, true) &&
                leave_events(c, out);
    if (the_unit.ends) out[0] = UNIT_ENDS;
    i->now = 0;
    if (good) keep((int)(i - u.instance), in[1]);
}

static void step(const double *in, double *out) {
    Instance *i = at_token(in[0]);
    if (!i) return;
    void *c = i->component;
    bool good = unit_put_inputs(c, in + 4, true) && u.api->step(c, in[2], in[3]) &&
                u.api->get(c, &the_unit.output, out + 1);
    out[0] = the_unit.ends ? UNIT_ENDS : UNIT_NEVER;
    i->now = 0;
    if (good) keep((int)(i - u.instance), in[1]);
}

static void serve(Channel *c) {
    const double *in = c->number;
    double *out = c->number + c->inputs;
    int states = the_unit.state.count, inputs = the_unit.input.count;
    the_unit.c = c;
    the_unit.ends = false;
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
        double *copy = the_unit.work + 4 * (states + inputs + the_unit.output.count + 8);
        int n = 1 + states + inputs;
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
    l.element = calloc(most, sizeof *l.element);
    l.elements = calloc(most, sizeof *l.elements);
    if (!l.type || !l.reference || !l.element || !l.elements) abort();
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *end;
        l.type[l.count] = word[0];
        l.reference[l.count] = (unsigned)strtoul(word + 1, &end, 10);
        l.elements[l.count] = 1;
        if (*end == ':') {
            l.element[l.count] = (int)strtol(end + 1, &end, 10);
            l.elements[l.count] = (int)strtol(end + 1, NULL, 10);
        }
        l.count++;
    }
    return l;
}

static bool is_needed(UnitSet set) {
    return set == ALWAYS || (set == EXCHANGE && the_unit.exchange) ||
           (set == STEPS && !the_unit.exchange) || (set == SAVING && the_unit.saves);
}

bool unit_find(void *library, const char *name, UnitSet set, void *to, size_t size) {
    void *symbol = dlsym(library, name);
    memcpy(to, &symbol, size);
    if (symbol || !is_needed(set)) return true;
    say(the_unit.c, "it has no function %s", name);
    return false;
}

Serve *unit_load(Channel *c, const char *path, char **word, int count) {
    Unit *all = &the_unit;
    if (count < 10) {
        say(c, "words are missing");
        return NULL;
    }
    all->c = c;
    all->guid = word[0];
    all->resources = word[1];
    all->exchange = strcmp(word[2], "me") == 0;
    all->saves = strchr(word[3], 's');
    all->tells_steps = !strchr(word[3], 'n');
    u.api = strchr(word[3], '3') ? &unit_api3 : &unit_api2;
    all->indicators = atoi(word[4]);
    List *list[] = {&all->parameter, &all->input, &all->output, &all->state, &all->rate};
    for (int i = 0; i < 5; i++) *list[i] = read_list(word[5 + i]);
    size_t numbers = (size_t)all->state.count + (size_t)all->input.count;
    numbers += (size_t)all->output.count + 8;
    all->work = calloc(12 * numbers, sizeof *all->work);
    if (!all->work) abort();
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        say(c, "it cannot be loaded: %s", dlerror());
        return NULL;
    }
    return u.api->load(library) ? serve : NULL;
}
