// One evaluation of the rates, in nanoseconds: by the program itself (native code), through libbondyn, as stand-alone C
// and as an FMU for model exchange; and a step of rk4 of the exported C.
//
//     bench_export FILE EXPERIMENT FOLDER        FOLDER: with c.so (model.c and timing.c of export.sh) and fmu.so
//
// All get the same states. Times are the least of many rounds: what else the machine does makes them longer.
#include "bench.h"
#include "bondyn.h"
#include "engine/native.h"
#include "run/pipeline.h"
#include "solve/solve.h"

#include "base/memory.h"
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "fmi/standard/fmi2Functions.h"

enum { ROUNDS = 200, CALLS = 500 };

typedef struct {
    const char *file, *experiment, *folder;
    int states;
    double time, *state, *rate, *expected;
} Bench;

typedef bool Call(void *context, Bench *b);

static double least_time(Call *call, void *context, Bench *b) {
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_seconds();
        for (int i = 0; i < CALLS; i++) {
            b->state[0] += 1e-300; // nobody may remember
            if (!call(context, b)) return NAN;
        }
        best = fmin(best, (now_seconds() - begin) / CALLS);
    }
    return 1e9 * best;
}

static bool is_same(const Bench *b) {
    double worst = 0;
    for (int i = 0; i < b->states; i++)
        worst = fmax(worst, fabs(b->rate[i] - b->expected[i]) / fmax(1, fabs(b->expected[i])));
    return worst < 1e-9;
}

static void tell(Bench *b, const char *what, double nanoseconds, double internal) {
    printf("  %-24s %9.1f ns", what, nanoseconds);
    if (internal > 0)
        printf("  %+6.1f %%%s", 100 * (nanoseconds / internal - 1),
               is_same(b) ? "" : "  OTHER RATES");
    printf("\n");
    memset(b->rate, 0, (size_t)b->states * sizeof *b->rate);
}

static void *need(void *library, const char *name) {
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) fprintf(stderr, "bench_export: no %s: %s\n", name, dlerror());
    if (!found) exit(1);
    return found;
}

#define FIND(type, name, library, symbol)                                                          \
    type name;                                                                                     \
    memcpy(&(name), &(void *){need(library, symbol)}, sizeof(name))

// --- the program itself --------------------------------------------------------------------------

static bool call_machine(void *context, Bench *b) {
    return machine_derivative(context, b->time, b->state, b->rate, NULL);
}

static double time_inside(Bench *b) {
    Arena arena = {0};
    Names *names = names_new();
    Sources *sources = sources_new();
    Report report = {0};
    Pipeline pipeline;
    LangOptions lang = pipeline_lang(&(LangOptions){.library = BONDYN_SOURCE "/library"});
    Syntax *syntax = lang_load(&arena, names, sources, b->file, &lang, &report);
    PipelineOptions o = {.experiment = b->experiment, .lang = lang, .last = STAGE_SYSTEM};
    if (!pipeline_build(&pipeline, syntax, &o, &report)) exit(1);
    ProgramOptions wish = {.explicit = true};
    Program *p = program_build(pipeline.system, &wish, &report);
    Machine *m = machine_new(p);
    Native *n = native_start(p, NULL);
    if (native_wait(n) == NATIVE_READY) machine_use(m, n);
    machine_set_params(m, NULL);
    b->states = p->state_count;
    b->state = memory_zeroed((size_t)b->states + 1, sizeof(double));
    b->rate = memory_zeroed((size_t)b->states + 1, sizeof(double));
    b->expected = memory_zeroed((size_t)b->states + 1, sizeof(double));
    machine_initial(m, 0, b->state);
    double t = least_time(call_machine, m, b);
    memcpy(b->expected, b->rate, (size_t)b->states * sizeof *b->rate);
    printf("%s, %d states\n", name_text(names, pipeline.model->name), b->states);
    tell(b, "the program itself", t, 0);
    return t;
}

// --- through the library -------------------------------------------------------------------------

static bool call_library(void *context, Bench *b) {
    bd_set_point(context, b->time, b->state);
    return bd_rates(context, b->rate);
}

static void time_library(Bench *b, double internal) {
    BdLoadOptions o = {.experiment = b->experiment, .library = BONDYN_SOURCE "/library"};
    BdModel *m = bd_load(b->file, &o, NULL);
    BdRunOptions wish = bd_default_run_options();
    wish.engine = "native";
    BdRun *run = m ? bd_open(m, &wish, NULL) : NULL;
    if (run) tell(b, "libbondyn", least_time(call_library, run, b), internal);
    bd_run_free(run);
    bd_model_free(m);
}

// --- stand-alone C -------------------------------------------------------------------------------

typedef double StepOfC(void);
typedef int RatesOfC(double time, const double *state, double *rate);

static bool call_c(void *context, Bench *b) {
    return (*(RatesOfC **)context)(b->time, b->state, b->rate) != 0;
}

static void time_c(Bench *b, double internal) {
    char path[4096];
    snprintf(path, sizeof path, "%s/c.so", b->folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    FIND(RatesOfC *, rates, library, "timing_rates");
    FIND(StepOfC *, step, library, "timing_step");
    tell(b, "stand-alone C", least_time(call_c, &rates, b), internal);
    printf("  %-24s %9.3f us\n", "a step of rk4 of that C", 1e6 * step());
}

// --- an FMU --------------------------------------------------------------------------------------

typedef struct {
    fmi2Component unit;
    fmi2SetTimeTYPE *set_time;
    fmi2SetContinuousStatesTYPE *set_states;
    fmi2GetDerivativesTYPE *get_rates;
} Loaded;

static bool call_unit(void *context, Bench *b) {
    const Loaded *u = context;
    size_t n = (size_t)b->states;
    return u->set_time(u->unit, b->time) == fmi2OK &&
           u->set_states(u->unit, b->state, n) == fmi2OK &&
           u->get_rates(u->unit, b->rate, n) == fmi2OK;
}

static void ignore_words(fmi2ComponentEnvironment e, fmi2String name, fmi2Status s, fmi2String kind,
                         fmi2String words, ...) {
    (void)e, (void)name, (void)s, (void)kind, (void)words;
}

static char *guid_of(const char *folder) {
    char path[4096];
    static char text[1 << 16];
    snprintf(path, sizeof path, "%s/modelDescription.xml", folder);
    FILE *f = fopen(path, "r");
    if (!f) return "";
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    char *at = strstr(text, "guid=\"");
    if (!at) return "";
    at += 6;
    at[strcspn(at, "\"")] = 0;
    return at;
}

static void time_unit(Bench *b, double internal) {
    char path[4096];
    snprintf(path, sizeof path, "%s/fmu.so", b->folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    FIND(fmi2InstantiateTYPE *, instantiate, library, "fmi2Instantiate");
    FIND(fmi2SetupExperimentTYPE *, set_up, library, "fmi2SetupExperiment");
    FIND(fmi2EnterInitializationModeTYPE *, enter, library, "fmi2EnterInitializationMode");
    FIND(fmi2ExitInitializationModeTYPE *, leave, library, "fmi2ExitInitializationMode");
    FIND(fmi2NewDiscreteStatesTYPE *, events, library, "fmi2NewDiscreteStates");
    FIND(fmi2EnterContinuousTimeModeTYPE *, go, library, "fmi2EnterContinuousTimeMode");
    fmi2CallbackFunctions calls = {ignore_words, calloc, free, NULL, NULL};
    fmi2EventInfo info;
    Loaded u = {instantiate("bench", fmi2ModelExchange, guid_of(b->folder), "", &calls, 0, 0), 0, 0,
                0};
    FIND(fmi2SetTimeTYPE *, set_time, library, "fmi2SetTime");
    FIND(fmi2SetContinuousStatesTYPE *, set_states, library, "fmi2SetContinuousStates");
    FIND(fmi2GetDerivativesTYPE *, get_rates, library, "fmi2GetDerivatives");
    u.set_time = set_time;
    u.set_states = set_states;
    u.get_rates = get_rates;
    if (!u.unit || set_up(u.unit, 0, 0, 0, 0, 0) != fmi2OK || enter(u.unit) != fmi2OK ||
        leave(u.unit) != fmi2OK || events(u.unit, &info) != fmi2OK || go(u.unit) != fmi2OK) {
        printf("  the FMU does not start\n");
        return;
    }
    tell(b, "FMU (model exchange)", least_time(call_unit, &u, b), internal);
}

int main(int count, char **words) {
    if (count < 4) return 2;
    Bench b = {.file = words[1], .experiment = words[2], .folder = words[3]};
    double internal = time_inside(&b);
    time_c(&b, internal);
    time_unit(&b, internal);
    time_library(&b, internal);
    return 0;
}
