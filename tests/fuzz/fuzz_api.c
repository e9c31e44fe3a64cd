// Calls of the public header in any order that its rules allow, with any arguments: no crash, no
// leak, no hang.
#include "bondyn.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MODELS = 3, RUNS = 4, ROOM = 4096, MOST_CALLS = 40 };

static const char *const texts[] = {
    "model A\n  param k = 2 {1/s}\n  var x initial 1, y\n  der(x) = -k*x\n  y = if x > 0.5 then x "
    "else 1\nend\n"
    "experiment E of A\n  stop 1 {s}\n  points 5\nend\n",
    "model B\n  I m(1 {kg}, p0 = 1 {N.s})\n  C s(0.01 {m/N})\n  R d(0.1 {N.s/m})\n  1 v\n  v -> m, "
    "s, d\nend\n"
    "experiment E of B\n  stop 0.1 {s}\n  points 3\nend\nexperiment F of B\n  stop 0.2 {s}\nend\n",
    "model C\n  var x initial 0.5, z initial 1\n  der(x) = -z/(1 {s})\n  z^3 + z = x\nend\n",
    "model O\n  input u\n  var x initial 0.5, n discrete\n  der(x) = (u - x)/(1 {s})\n"
    "  when sample(0.1 {s}) then\n    n = pre(n) + 1\n  end\n  when x > 0.6 then\n    reinit(x, "
    "0)\n"
    "  end\nend\nexperiment E of O\n  stop 1 {s}\n  points 5\nend\n",
    "model D\n  var x\n  der(x) = 1/0\nend\n",
    "model E\n  R r(1 {kg})\nend\n",
};
static const char *const names[] = {"k", "x", "y", "z", "m.p", "s.q", "d", "", "nothing", "time"};
static const char *const solvers[] = {NULL, "auto", "rk78", "bdf", "rk4", "ida", "?", "euler"};

typedef struct {
    const uint8_t *at, *end;
    BdReport *report;
    BdModel *model[MODELS];
    BdRun *run[RUNS];
    int of[RUNS];
    double value[ROOM];
    char saved[ROOM * 8];
    int stop; // of a verb
} State;

static unsigned take(State *s) { return s->at < s->end ? *s->at++ : 0; }
static double number(State *s) { return ((int)take(s) - 128) / 16.0; }
#define PICK(list, s) ((list)[take(s) % (sizeof(list) / sizeof(list)[0])])

static void drop_runs(State *s, int model) {
    for (int i = 0; i < RUNS; i++) {
        if (!s->run[i] || s->of[i] != model) continue;
        bd_run_free(s->run[i]);
        s->run[i] = NULL;
    }
}

static void load_some(State *s, int i) {
    drop_runs(s, i);
    bd_model_free(s->model[i]);
    const char *text = PICK(texts, s);
    BdLoadOptions o = bd_default_load_options();
    if (take(s) % 4 == 0) o.experiment = PICK(names, s);
    s->model[i] = bd_load_text("fuzz.bond", text, strlen(text), &o, take(s) % 4 ? s->report : NULL);
}

static bool go_on(void *context, double fraction) {
    (void)fraction;
    return take(context) != 255;
}

static bool take_rows(void *context, const BdRows *block) {
    double sum = 0;
    for (int c = 0; c < block->columns; c++) sum += block->value[c][0];
    return take(context) != 255 || sum > 0;
}

static BdRunOptions options(State *s, BdSetting *set) {
    BdRunOptions o = bd_default_run_options();
    o.solver = PICK(solvers, s);
    o.engine = "vm";
    o.stop = take(s) % 2 ? 0 : number(s);
    o.context = s;
    if (take(s) % 2) o.progress = go_on;
    if (take(s) % 2) o.rows = take_rows;
    set->name = PICK(names, s);
    set->value = number(s);
    o.set = set;
    o.set_count = take(s) % 2;
    return o;
}

static void run_some(State *s, int model, int i) {
    if (!s->model[model]) return;
    BdSetting set;
    unsigned how = take(s) % 3;
    BdRunOptions o = options(s, &set);
    bd_run_free(s->run[i]);
    s->of[i] = model;
    BdRun *(*const begin[])(const BdModel *, const BdRunOptions *, BdReport *) = {bd_run, bd_open,
                                                                                  bd_start};
    s->run[i] = begin[how](s->model[model], &o, s->report);
}

static void look_at_model(State *s, const BdModel *m) {
    if (!m) return;
    BdKind kind = (BdKind)(take(s) % 6);
    BdVariable v;
    bd_variable(m, kind, (int)number(s), &v);
    bd_find(m, kind, PICK(names, s));
    bd_experiment_name(m, (int)number(s));
    bd_free(bd_text(m, (BdForm)(take(s) % 6)));
}

static void use_run(State *s, BdRun *run, const BdModel *m) {
    if (!run || bd_count(m, BD_STATE) * bd_count(m, BD_STATE) > ROOM ||
        bd_rows(run)->columns > ROOM)
        return;
    switch (take(s) % 14) {
    case 0: bd_rates(run, s->value); break;
    case 1: bd_outputs(run, s->value); break;
    case 2: bd_jacobian(run, s->value); break;
    case 3: bd_event_functions(run, s->value); break;
    case 4: bd_set_point(run, number(s), take(s) % 2 ? s->value : NULL); break;
    case 5: bd_set(run, PICK(names, s), number(s)); break;
    case 6: bd_reset(run, number(s)); break;
    case 7:
        if (bd_saved_size(run) <= sizeof s->saved) bd_save(run, s->saved);
        break;
    case 8:
        bd_restore(run, s->saved, bd_saved_size(run) <= sizeof s->saved ? bd_saved_size(run) : 0);
        break;
    case 9:
    case 10: bd_advance(run, bd_time(run) + number(s) / 8, s->report); break;
    case 11: bd_set_input(run, (int)number(s), number(s)); break;
    case 12: bd_pause(run); break;
    default:
        bd_value(run, PICK(names, s));
        bd_summary(run);
        bd_final(run, PICK(names, s));
        bd_get_states(run, s->value);
        bd_time(run);
    }
}

// --- verbs: those that write no file -------------------------------------------------------------

static char *read_text(void *state, const char *path, size_t *length) {
    const char *text = PICK(texts, (State *)state);
    (void)path;
    *length = strlen(text);
    return strdup(text);
}

static bool take_text(void *state, const char *text, size_t length) {
    State *s = state;
    return strlen(text) == length && take(s) != 255;
}

static void see_progress(void *state, BdPhase phase, const char *what, double fraction) {
    State *s = state;
    (void)phase, (void)what, (void)fraction;
    if (take(s) % 4 == 0) bd_report_tell(s->report, take(s) % 2, false);
    if (take(s) == 255) s->stop = 1;
}

static void do_verb(State *s) {
    static const char *const verbs[] = {
        "check", "equations", "graph",   "signals", "linearize", "steady", "poles", "bode",
        "power", "derive",    "explain", "help",    "version",   "lsp",    "",      "frob"};
    static const char *const words[] = {"a.bond", "E", "F", "L001", "run", "", "nothing"};
    static const BdOption given[] = {
        {"model", "A"},       {"set", "k = 3 {1/s}"}, {"set", "k"},     {"at", "0.05"},
        {"inputs", "k,u"},    {"outputs", "x"},       {"trim", "k"},    {"given", "x = 1"},
        {"stop", "-1"},       {"solver", "rk4"},      {"rtol", NULL},   {"json", NULL},
        {"--frob", NULL},     {"-v", NULL},           {"latex", "yes"}, {"steady", NULL},
        {"frequencies", "1"}, {"dump", "program"},    {"find", "x"},    {"help", NULL}};
    const char *argument[3] = {PICK(words, s), PICK(words, s), PICK(words, s)};
    BdOption option[4];
    BdVerbOptions o = bd_default_verb_options();
    o.argument = argument;
    o.argument_count = (int)(take(s) % 4);
    o.option = option;
    o.option_count = (int)(take(s) % 5);
    for (int i = 0; i < 4; i++) option[i] = PICK(given, s);
    o.json = take(s) % 4 == 0;
    o.read = read_text;
    o.read_context = o.context = s;
    if (take(s) % 2) o.text = take_text;
    if (take(s) % 2) o.progress = see_progress;
    s->stop = 0;
    o.cancel = &s->stop;
    char *text = NULL;
    bd_verb(PICK(verbs, s), &o, take(s) % 4 ? &text : NULL, take(s) % 4 ? s->report : NULL);
    bd_free(text);
    bd_report_tell(s->report, false, take(s) % 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    State *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->at = data;
    s->end = data + size;
    s->report = bd_report_new();
    for (int calls = 0; s->at < s->end && calls < MOST_CALLS; calls++) {
        int model = (int)(take(s) % MODELS), run = (int)(take(s) % RUNS);
        switch (take(s) % 7) {
        case 0: load_some(s, model); break;
        case 1: run_some(s, model, run); break;
        case 2: look_at_model(s, s->model[model]); break;
        case 3: bd_report_message(s->report, (int)number(s)); break;
        case 4: do_verb(s); break;
        default: use_run(s, s->run[run], s->model[s->of[run]]);
        }
    }
    for (int i = 0; i < MODELS; i++) drop_runs(s, i);
    for (int i = 0; i < MODELS; i++) bd_model_free(s->model[i]);
    bd_report_free(s->report);
    free(s);
    return 0;
}
