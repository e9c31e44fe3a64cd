// A driver for FMUs, from the words of the standard: loads one, judges its description, runs it in both kinds and
// compares with a results file of `bondyn run` that has the same method and step.
//
//     fmu_check FOLDER RESULTS.csv [INSTANCES [INPUT STEPS [BOUND] | within BOUND [OTHER]]]
//
// FOLDER: the archive, unpacked; tells faults only.
// With `within`, co-simulation alone, which has a solver of its own: near the results, and bits where it is saved.
// OTHER: where communication points are not those of the results.
// With INPUT, co-simulation alone: every STEPS steps it becomes half of 0, 1 .. 6, 0, 1 ...
//
//   co-simulation     steps of DefaultExperiment: the same bits as in the results
//   model exchange    Runge-Kutta by hand with the same steps, events by bisection: 1e-10 of the largest value
//   states            saved, serialised, restored in another instance: goes on with the same bits
//   derivatives       along directions, against differences: 1e-9; nothing beyond the dependences that are listed
#include "fmu_check.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *text, const char *wanted) { return text && strcmp(text, wanted) == 0; }

static void fault(Check *c, const char *format, ...) {
    va_list list;
    if (c->said++ > 20) return;
    c->faults++;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
}

static bool good(Check *c, fmi2Status status, const char *call) {
    if (status == fmi2OK) return true;
    fault(c, "%s gives %d", call, status);
    return false;
}
#define TRY(call) good(c, c->f.call, #call)

static void logger(fmi2ComponentEnvironment e, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String message, ...) {
    va_list list;
    (void)e;
    (void)status;
    printf("%s [%s] ", name, category);
    va_start(list, message);
    vprintf(message, list);
    va_end(list);
    printf("\n");
}

static void silent(fmi2ComponentEnvironment e, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String message, ...) {
    (void)e;
    (void)name;
    (void)status;
    (void)category;
    (void)message;
}

static const fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL, NULL};
static const fmi2CallbackFunctions quietly = {silent, calloc, free, NULL, NULL};

// --- loading --------------------------------------------------------------------------------------

static bool load(Check *c, const char *folder) {
    char path[1100];
    snprintf(path, sizeof path, "%s/modelDescription.xml", folder);
    c->d = description_read(path);
    if (!c->d) return false;
    c->faults += description_judge(c->d);
    const char *name = c->d->exchange ? c->d->exchange : c->d->steps;
    bool is_three = c->d->version == 3;
    snprintf(path, sizeof path, "%s/binaries/%s/%s.so", folder,
             is_three ? "x86_64-linux" : "linux64", name);
    snprintf(c->resources, sizeof c->resources, "file://%s/resources", folder);
    c->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!c->library) {
        printf("%s\n", dlerror());
        return false;
    }
    c->states = c->d->rates.count;
    if (is_three) return check_load3(c) && c->faults == 0;
#define FIND(name)                                                                                 \
    {                                                                                              \
        void *address = dlsym(c->library, "fmi2" #name);                                           \
        memcpy(&c->f.name, &address, sizeof address);                                              \
        if (!address) fault(c, "there is no fmi2" #name);                                          \
    }
    FUNCTIONS(FIND)
    return c->faults == 0;
}

// --- results --------------------------------------------------------------------------------------

// Values of an instance against a row. Bits count where no display unit lies between.
static void compare(Check *c, fmi2Component at, int row, double bound, const char *kind) {
    for (int i = 1; i < c->columns; i++) {
        const Variable *v = c->variable[i];
        const Unit *u = v ? description_display(c->d, v) : NULL;
        double want = c->value[row * c->columns + i], x;
        if (!v) continue;
        if (!TRY(GetReal(at, &v->reference, 1, &x))) return;
        if (u) x = u->factor * x + u->offset;
        double most = bound * c->largest[i];
        if (bound == 0 && u) most = 1e-15 * c->largest[i];
        if (!(fabs(x - want) <= most))
            fault(c, "%s: %s at t = %.17g is %.17g, not %.17g", kind, v->name,
                  c->value[row * c->columns], x, want);
    }
}

// --- an instance at its start ----------------------------------------------------------------------

static fmi2Component start(Check *c, fmi2Type type, const char *name) {
    const Description *d = c->d;
    fmi2Component at =
        c->f.Instantiate(name, type, d->guid, c->resources, &callbacks, fmi2False, fmi2False);
    if (!at) {
        fault(c, "no instance");
        return NULL;
    }
    TRY(SetupExperiment(at, fmi2False, 0, d->start, fmi2True, d->stop));
    TRY(EnterInitializationMode(at));
    TRY(ExitInitializationMode(at));
    return at;
}

// --- co-simulation ---------------------------------------------------------------------------------

typedef struct {
    long done;
    int row, compared;
} Place;

static bool is_near(const Check *c, double a, double b) { return fabs(a - b) <= 1e-9 * c->d->step; }

static double grid(const Check *c, long k) {
    double t = c->d->start + (double)k * c->d->step;
    return t > c->d->stop - 1e-9 * c->d->step ? c->d->stop : t;
}

// Rows before the present point are passed over; one that lies on it is compared.
static void look(Check *c, fmi2Component at, double time, Place *p, double bound,
                 const char *kind) {
    while (p->row < c->rows && c->value[p->row * c->columns] < time - 1e-9 * c->d->step) p->row++;
    if (p->row >= c->rows || !is_near(c, c->value[p->row * c->columns], time)) return;
    compare(c, at, p->row, bound, kind);
    p->compared++;
}

// The communication point is the row's time where there is one: they differ by roundings.
static double point(const Check *c, long k) {
    double t = grid(c, k);
    long low = 0, high = c->rows - 1;
    while (low < high) {
        long middle = (low + high) / 2;
        if (c->value[middle * c->columns] < t - 1e-9 * c->d->step)
            low = middle + 1;
        else
            high = middle;
    }
    double row = c->value[low * c->columns];
    return is_near(c, row, t) ? row : t;
}

static double last_row(const Check *c) { return c->value[(c->rows - 1) * c->columns]; }

static bool step_on(Check *c, fmi2Component at, Place *p, const char *kind) {
    double from = point(c, p->done), to = point(c, p->done + c->stride);
    if (!(from < c->d->stop)) return false;
    double value = 0.5 * (double)(p->done / (c->input ? c->input_steps : 1) % 7);
    if (c->input && p->done % c->input_steps == 0)
        TRY(SetReal(at, &c->input->reference, 1, &value));
    fmi2Status status = c->f.DoStep(at, from, to - from, fmi2True);
    if (status == fmi2Discard && to >= last_row(c)) {
        p->row = c->rows - 1;
        compare(c, at, p->row, c->bound, kind);
        c->ends = true;
        return false;
    }
    if (!good(c, status, "DoStep")) return false;
    p->done += c->stride;
    // where the input changes, rows show what is behind the change
    if (!c->input || p->done % c->input_steps) look(c, at, to, p, c->bound, kind);
    return true;
}

static void check_steps(Check *c) {
    fmi2Component at = start(c, fmi2CoSimulation, "steps");
    Place p = {0};
    if (!at) return;
    if (!c->input) look(c, at, c->d->start, &p, c->bound, "co-simulation");
    while (step_on(c, at, &p, "co-simulation")) continue;
    if (!c->ends && last_row(c) < c->d->stop - 1e-9 * c->d->step)
        fault(c, "the run ends earlier, at t = %.17g", last_row(c));
    if (p.compared < 3) fault(c, "only %d points were compared", p.compared);
    TRY(Terminate(at));
    c->f.FreeInstance(at);
}

// A number that any other bit in any variable changes, most likely.
static double sum_of_all(Check *c, fmi2Component at) {
    double sum = 0, x = 0;
    for (int i = 1; i < c->d->variables; i++) {
        TRY(GetReal(at, &c->d->variable[i].reference, 1, &x));
        sum = sum * 1.0078125 + x;
    }
    return sum;
}

// Half of a run, saved and serialised; another instance goes on, and so does this one from where it was.
static void check_saving(Check *c) {
    fmi2Component at = start(c, fmi2CoSimulation, "saved"), other;
    fmi2FMUstate state = NULL, copy = NULL;
    size_t size = 0;
    Place p = {0}, again;
    long half = (long)((c->d->stop - c->d->start) / c->d->step / 2);
    while (at && p.done < half && step_on(c, at, &p, "before saving")) continue;
    again = p;
    if (!at || !TRY(GetFMUstate(at, &state)) || !TRY(SerializedFMUstateSize(at, state, &size)))
        return;
    char *bytes = malloc(size);
    TRY(SerializeFMUstate(at, state, bytes, size));
    while (step_on(c, at, &p, "after saving")) continue;
    double end = sum_of_all(c, at);
    TRY(SetFMUstate(at, state));
    p = again;
    while (step_on(c, at, &p, "restored")) continue;
    if (sum_of_all(c, at) != end) fault(c, "restored, it ends elsewhere");
    other = start(c, fmi2CoSimulation, "other");
    TRY(DeSerializeFMUstate(other, bytes, size, &copy));
    TRY(SetFMUstate(other, copy));
    p = again;
    while (step_on(c, other, &p, "read back")) continue;
    if (sum_of_all(c, other) != end) fault(c, "read back, it ends elsewhere");
    bytes[3] ^= 1;
    fmi2FMUstate none = NULL;
    fmi2Component deaf = c->f.Instantiate("deaf", fmi2CoSimulation, c->d->guid, c->resources,
                                          &quietly, fmi2False, fmi2False);
    if (c->f.DeSerializeFMUstate(deaf, bytes, size, &none) == fmi2OK)
        fault(c, "a foreign state was taken");
    bytes[3] ^= 1;
    for (size_t i = size / 3; i < size; i += size / 3) { // registers, numbers of modes
        bytes[i] ^= 64;
        if (c->f.DeSerializeFMUstate(deaf, bytes, size, &none) == fmi2OK)
            fault(c, "a state with a wrong byte %zu was taken", i);
        bytes[i] ^= 64;
    }
    if (c->f.DoStep(deaf, 0, 1, fmi2True) == fmi2OK) fault(c, "a step before the start was taken");
    c->f.FreeInstance(deaf);
    c->f.FreeFMUstate(at, &state);
    c->f.FreeFMUstate(other, &copy);
    c->f.FreeInstance(other);
    c->f.FreeInstance(at);
    free(bytes);
}

// --- model exchange --------------------------------------------------------------------------------

typedef struct {
    Check *c;
    fmi2Component at;
    double t, *x, *to, *k[4], *trial, *z, *z_to;
    double next; // time event
    bool ended;
    double crossed; // where an indicator changed its sign last
} Exchange;

static bool rates(Exchange *e, double t, const double *x, double *k) {
    Check *c = e->c;
    size_t n = (size_t)c->states;
    return TRY(SetTime(e->at, t)) && TRY(SetContinuousStates(e->at, x, n)) &&
           TRY(GetDerivatives(e->at, k, n));
}

static bool runge_kutta(Exchange *e, double h) {
    int n = e->c->states;
    double half = h / 2, **k = e->k;
    if (!rates(e, e->t, e->x, k[0])) return false;
    for (int i = 0; i < n; i++) e->trial[i] = e->x[i] + half * k[0][i];
    if (!rates(e, e->t + half, e->trial, k[1])) return false;
    for (int i = 0; i < n; i++) e->trial[i] = e->x[i] + half * k[1][i];
    if (!rates(e, e->t + half, e->trial, k[2])) return false;
    for (int i = 0; i < n; i++) e->trial[i] = e->x[i] + h * k[2][i];
    if (!rates(e, e->t + h, e->trial, k[3])) return false;
    for (int i = 0; i < n; i++)
        e->to[i] = e->x[i] + h / 6 * (k[0][i] + 2 * (k[1][i] + k[2][i]) + k[3][i]);
    return true;
}

// Sets time and states to the end of a step; has an indicator changed its sign?
static bool crosses(Exchange *e, double h) {
    Check *c = e->c;
    bool any = false;
    if (!runge_kutta(e, h)) return false;
    TRY(SetTime(e->at, e->t + h));
    TRY(SetContinuousStates(e->at, e->to, (size_t)c->states));
    TRY(GetEventIndicators(e->at, e->z_to, (size_t)c->d->indicators));
    for (int i = 0; i < c->d->indicators; i++) any = any || (e->z[i] > 0) != (e->z_to[i] > 0);
    return any;
}

static void event(Exchange *e) {
    Check *c = e->c;
    fmi2EventInfo info = {.newDiscreteStatesNeeded = fmi2True};
    TRY(EnterEventMode(e->at));
    while (info.newDiscreteStatesNeeded)
        if (!TRY(NewDiscreteStates(e->at, &info))) break;
    e->ended = info.terminateSimulation;
    e->next = info.nextEventTimeDefined ? info.nextEventTime : INFINITY;
    TRY(EnterContinuousTimeMode(e->at));
    TRY(GetContinuousStates(e->at, e->x, (size_t)c->states));
    TRY(GetEventIndicators(e->at, e->z, (size_t)c->d->indicators));
}

static bool exchange_step(Exchange *e, double to) {
    Check *c = e->c;
    bool due = e->next <= to + 1e-9 * c->d->step; // times that are one but for roundings
    double end = due ? e->next : to, h = end - e->t;
    bool crossed = crosses(e, h);
    fmi2Boolean wants = fmi2False, stop = fmi2False;
    if (crossed) {
        double before = 0;
        while (h - before > 4e-16 * fmax(fabs(e->t + h), 1e-6 * (c->d->stop - c->d->start))) {
            double middle = before + (h - before) / 2;
            if (crosses(e, middle))
                h = middle;
            else
                before = middle;
        }
        crosses(e, h);
        end = e->t + h;
        due = due && end >= e->next;
    }
    e->t = end;
    memcpy(e->x, e->to, (size_t)c->states * sizeof *e->x);
    TRY(SetTime(e->at, e->t));
    TRY(CompletedIntegratorStep(e->at, fmi2True, &wants, &stop));
    if (crossed) e->crossed = e->t;
    if (crossed || due || wants)
        event(e);
    else
        memcpy(e->z, e->z_to, (size_t)c->d->indicators * sizeof *e->z);
    return c->said == 0 && !stop;
}

static void free_exchange(Exchange *e) {
    double *room[] = {e->x, e->to, e->trial, e->k[0], e->k[1], e->k[2], e->k[3], e->z, e->z_to};
    for (int i = 0; i < 9; i++) free(room[i]);
    e->c->f.FreeInstance(e->at);
}

static bool open_exchange(Check *c, Exchange *e) {
    size_t n = (size_t)c->states + 1, z = (size_t)c->d->indicators + 1;
    *e = (Exchange){.c = c, .t = c->d->start, .crossed = INFINITY};
    double **room[] = {&e->x, &e->to, &e->trial, &e->k[0], &e->k[1], &e->k[2], &e->k[3]};
    for (int i = 0; i < 7; i++) *room[i] = calloc(n, sizeof(double));
    e->z = calloc(z, sizeof(double));
    e->z_to = calloc(z, sizeof(double));
    e->at = start(c, fmi2ModelExchange, "exchange");
    if (!e->at) return false;
    event(e);
    return c->said == 0;
}

static void check_derivatives(Check *c, Exchange *e);

enum { FEW = 12 };

static void check_exchange(Check *c) {
    Exchange e;
    Place p = {0};
    if (!open_exchange(c, &e)) return;
    look(c, e.at, e.t, &p, 1e-10, "model exchange");
    long half = (long)((c->d->stop - c->d->start) / c->d->step / 2);
    for (long k = 1; e.t < c->d->stop && c->said == 0 && !e.ended; k++) {
        double to = grid(c, k); // the steps of the run; rows lie on them but for roundings
        while (e.t < to - 1e-9 * c->d->step && exchange_step(&e, to) && !e.ended) continue;
        if (e.ended) compare(c, e.at, c->rows - 1, 1e-10, "model exchange");
        // what lies exactly on a border is decided here or just behind it
        if (!is_near(c, e.t, e.crossed)) look(c, e.at, e.t, &p, 1e-10, "model exchange");
        if (k == half || (c->states <= FEW && (k == half / 2 || k == half + half / 2)))
            check_derivatives(c, &e); // of few states at three points: modes are others there
    }
    free_exchange(&e);
}

// --- derivatives -----------------------------------------------------------------------------------

// NaN: a point that the unit cannot have, as it says.
static double value_there(Exchange *e, unsigned unknown) {
    Check *c = e->c;
    double value = NAN;
    fmi2Status status = c->f.GetReal(e->at, &unknown, 1, &value);
    if (status > fmi2Discard) fault(c, "GetReal gives %d", (int)status);
    return status <= fmi2Warning ? value : NAN;
}

static double nudged(Exchange *e, const Variable *known, int state, double by, unsigned unknown) {
    Check *c = e->c;
    double value = NAN, old = 0, now;
    size_t n = (size_t)c->states;
    if (state >= 0) {
        memcpy(e->trial, e->x, n * sizeof *e->x);
        e->trial[state] += by;
        TRY(SetContinuousStates(e->at, e->trial, n));
        value = value_there(e, unknown);
        TRY(SetContinuousStates(e->at, e->x, n));
        return value;
    }
    TRY(GetReal(e->at, &known->reference, 1, &old));
    now = old + by;
    TRY(SetReal(e->at, &known->reference, 1, &now));
    value = value_there(e, unknown);
    TRY(SetReal(e->at, &known->reference, 1, &old));
    return value;
}

// A kink or a jump at this very point: slopes over ever shorter distances do not settle.
static bool is_smooth(Exchange *e, const Variable *known, int state, double size,
                      unsigned unknown) {
    double here = nudged(e, known, state, 0, unknown), slope[2], bend[2], noise[2];
    for (int i = 0; i < 2; i++) {
        double h = (i ? 1e-6 : 1e-4) * size;
        double plus = nudged(e, known, state, h, unknown),
               minus = nudged(e, known, state, -h, unknown);
        slope[i] = (plus - minus) / (2 * h);
        bend[i] = fabs(plus - 2 * here + minus) / h;
        noise[i] = 1e-14 * fmax(fabs(plus), fabs(minus)) / h;
    }
    double most = fmax(fabs(slope[0]), fabs(slope[1])), apart = fabs(slope[0] - slope[1]);
    return apart <= 1e-2 * most + noise[1] &&
           (bend[1] <= 0.1 * bend[0] + noise[1] || bend[1] <= 1e-3 * most);
}

// Sixth order, with the step that comes nearest: is the derivative right, some step shows it.
static double distance(Exchange *e, const Variable *known, int state, double size, unsigned unknown,
                       double along) {
    double nearest = INFINITY;
    for (double h = 1e-1 * size; h > 1e-7 * size; h /= 4) {
        double sum = 0, most = 0;
        static const double weight[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
        for (int k = 1; k <= 3; k++) {
            double plus = nudged(e, known, state, k * h, unknown),
                   minus = nudged(e, known, state, -k * h, unknown);
            sum += weight[k - 1] * (plus - minus);
            most = fmax(most, fmax(fabs(plus), fabs(minus)));
        }
        if (isnan(sum)) continue; // too far: there is no such point
        // what differences can tell at all with this step
        double noise = 1e-15 * most / h, far = fabs(sum / h - along) - noise;
        if (!(far > 0)) return isnan(far) ? INFINITY : 0;
        nearest = fmin(nearest, far / fmax(fabs(along), 1e-3 * most / size));
    }
    return nearest;
}

static bool depends(const Unknown *u, int on) {
    for (int k = 0; k < u->dependencies; k++)
        if (u->dependency[k] == on) return true;
    return u->dependencies < 0;
}

static int state_of(const Description *d, int number) {
    for (int i = 0; i < d->rates.count; i++)
        if (d->variable[d->rates.of[i].index - 1].derivative == number) return i;
    return -1;
}

static void check_column(Exchange *e, const List *l, int known) {
    Check *c = e->c;
    const Description *d = c->d;
    const Variable *by = &d->variable[known - 1];
    int state = state_of(d, known);
    double one = 1, along, x = 0;
    TRY(GetReal(e->at, &by->reference, 1, &x));
    double size = fmax(fabs(x), 1e-3 * (state >= 0 ? by->nominal : 1));
    for (int i = 0; i < l->count; i++) {
        const Variable *v = &d->variable[l->of[i].index - 1];
        if (is(v->variability, "discrete")) continue;
        if (!TRY(
                GetDirectionalDerivative(e->at, &v->reference, 1, &by->reference, 1, &one, &along)))
            return;
        if (along != 0 && !depends(&l->of[i], known))
            fault(c, "%s depends on %s, which is not listed", v->name, by->name);
        if (!is_smooth(e, by, state, size, v->reference)) {
            c->kinks++;
            continue;
        }
        c->slopes++;
        double far = distance(e, by, state, size, v->reference, along);
        if (!(far <= 1e-9))
            fault(c, "d %s/d %s = %.12g is off by %g", v->name, by->name, along, far);
    }
}

// Beside the point of the run: a state that rests at exactly zero often lies on a kink.
static void check_derivatives(Check *c, Exchange *e) {
    const Description *d = c->d;
    size_t n = (size_t)c->states;
    double *kept = calloc(n + 1, sizeof *kept);
    memcpy(kept, e->x, n * sizeof *kept);
    for (int i = 0; i < c->states; i++) {
        double part = fmod(0.6180339887498949 * (i + 1), 1) - 0.5;
        double nominal = d->variable[d->variable[d->rates.of[i].index - 1].derivative - 1].nominal;
        e->x[i] += 1e-3 * part * fmax(fabs(e->x[i]), 1e-2 * nominal);
    }
    TRY(SetContinuousStates(e->at, e->x, n));
    for (int i = 1; i <= d->variables; i++) {
        if (!is(d->variable[i - 1].causality, "input") && state_of(d, i) < 0) continue;
        check_column(e, &d->rates, i);
        check_column(e, &d->outputs, i);
    }
    memcpy(e->x, kept, n * sizeof *kept);
    free(kept);
    TRY(SetContinuousStates(e->at, e->x, n));
    if (c->kinks > c->slopes / 5)
        fault(c, "%d of %d derivatives are at kinks", c->kinks, c->kinks + c->slopes);
}

// --- many instances, and what is refused -------------------------------------------------------------

static void check_many(Check *c, int count) {
    const Description *d = c->d;
    fmi2Component *at = calloc((size_t)count, sizeof *at);
    for (int i = 0; i < count; i++) {
        fmi2Type type = d->steps && (i % 2 || !d->exchange) ? fmi2CoSimulation : fmi2ModelExchange;
        at[i] = start(c, type, "one of many");
        if (type == fmi2CoSimulation && at[i])
            TRY(DoStep(at[i], d->start, point(c, 1) - d->start, fmi2True));
    }
    for (int i = 0; i < count; i++) c->f.FreeInstance(at[i]);
    free(at);
    if (c->f.Instantiate("x", fmi2CoSimulation, "{another}", c->resources, &quietly, fmi2False,
                         fmi2False))
        fault(c, "a wrong GUID is taken");
}

// What the description says about parameters is what instances have, and a reset forgets what was set.
static void check_parameters(Check *c) {
    const Description *d = c->d;
    fmi2Component at = start(c, d->steps ? fmi2CoSimulation : fmi2ModelExchange, "parameters");
    for (int i = 0; i < d->variables && at; i++) {
        const Variable *v = &d->variable[i];
        double x = 0, other = v->start * 1.25 + 0.5;
        if (!v->has_start) continue;
        TRY(GetReal(at, &v->reference, 1, &x));
        if (x != v->start) fault(c, "%s starts at %g, not %g", v->name, x, v->start);
        TRY(Reset(at));
        TRY(SetReal(at, &v->reference, 1, &other));
        TRY(GetReal(at, &v->reference, 1, &x));
        if (x != other) fault(c, "%s was set to %g and is %g", v->name, other, x);
        TRY(Reset(at));
    }
    c->f.FreeInstance(at);
}

int main(int count, char **words) {
    Check check = {.stride = 1}, *c = &check;
    if (count < 3) return 2;
    bool ready = load(c, words[1]) && check_read_results(c, words[2]);
    if (!ready) c->faults++;
    bool near = ready && count > 5 && is(words[4], "within");
    double last = count > 6 ? strtod(words[6], NULL) : 0; // bound
    if (near) {
        c->bound = strtod(words[5], NULL);
    } else if (ready && count > 5) {
        c->input = description_find(c->d, words[4]);
        c->input_steps = atoi(words[5]);
        c->bound = last;
    }
    if (ready && c->d->steps) check_steps(c);
    if (ready && c->d->steps) check_saving(c);
    if (ready && c->d->version == 3) {
        c->events = true;                      // once more, with events and early returns
        c->stride = c->input ? 5 : 3;          // inputs change every 20 steps
        if (near && last > 0) c->bound = last; // of other communication points
        if (c->d->steps) check_steps(c);
        if (c->d->steps) check_saving(c);
        c->events = false;
        c->stride = 1;
        check_looks3(c);
        c->faults += check_faults3();
    }
    ready = ready && !c->input;
    if (ready && c->d->exchange && !near) check_exchange(c);
    if (ready) check_parameters(c);
    if (ready) check_many(c, count > 3 ? atoi(words[3]) : 20);
    if (ready && c->d->version == 3) c->faults += check_faults3();
    if (c->library) dlclose(c->library);
    description_free(c->d);
    free(c->value);
    free(c->variable);
    free(c->largest);
    return c->faults > 0;
}
