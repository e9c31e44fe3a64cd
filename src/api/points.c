// A run that the caller drives: the equations point by point.
//
// The point (time, states) belongs to the caller; switches take the state that the point gives
// them, as nothing is held between calls. What a run remembers besides is in the registers of its
// machine.
#include "api/handles.h"

#include "base/memory.h"
#include "engine/native.h"
#include <math.h>
#include <string.h>

typedef struct ByHand {
    Program *program;
    Machine *machine;
    double time;
    double *state;  // the point
    double *output; // of the program
    double *nonzero;
    double *parameter; // of the program, as they are now
    int *column;       // per recorded column but time: its output,
    Shown *shown;      // and its unit
    Native *native;    // NULL: not asked for yet
    long left;         // calls until it is asked for, or looked at
} ByHand;

void by_hand_free(struct ByHand *h) {
    if (!h) return;
    native_free(h->native);
    machine_free(h->machine);
    program_free(h->program);
    free(h->state);
    free(h->output);
    free(h->nonzero);
    free(h->parameter);
    free(h->column);
    free(h->shown);
    free(h);
}

// --- opening -------------------------------------------------------------------------------------

static void keep_columns(BdRun *run, const Job *j) {
    ByHand *h = run->by_hand;
    const Results *r = &j->run->results;
    const char **name = ARENA_ARRAY(&run->arena, const char *, r->column_count);
    const char **unit = ARENA_ARRAY(&run->arena, const char *, r->column_count);
    h->column = memory_zeroed((size_t)r->column_count, sizeof *h->column);
    h->shown = memory_zeroed((size_t)r->column_count, sizeof *h->shown);
    for (int c = 0; c < r->column_count; c++) {
        name[c] = arena_printf(&run->arena, "%s", r->column[c].name);
        unit[c] = arena_printf(&run->arena, "%s", r->column[c].unit);
        h->column[c] = j->tracks.data[c].output;
        h->shown[c] = j->tracks.data[c].shown;
    }
    run->rows = (BdRows){.columns = r->column_count, .name = name, .unit = unit};
}

static void make_room(ByHand *h) {
    const Program *p = h->program;
    h->state = memory_zeroed((size_t)p->state_count + 1, sizeof *h->state);
    h->output = memory_zeroed((size_t)p->output_count + 1, sizeof *h->output);
    h->nonzero = memory_zeroed((size_t)p->nonzero_count + 1, sizeof *h->nonzero);
    h->parameter = memory_zeroed((size_t)p->param_count + 1, sizeof *h->parameter);
}

static bool start_fails(Report *r) {
    Remark *m = report_error(r, S_BAD_OPTION, POS_NONE, "no start values are found");
    remark_help(r, m, "bd_run tells which equations have no solution at the start");
    return false;
}

static bool go_to_start(ByHand *h, double time) {
    h->time = time;
    h->machine->failed_block = h->machine->failed_choice = -1;
    machine_initial(h->machine, time, h->state);
    if (h->machine->failed_block >= 0 || h->machine->failed_choice >= 0) return false;
    for (int i = 0; i < h->program->state_count; i++)
        if (!isfinite(h->state[i])) return false;
    return true;
}

// --- native code ---------------------------------------------------------------------------------

// The compiler takes about as long as the virtual machine for so many instructions; it works in the
// background.
enum { PAYS_FROM = 100000000, LOOK_EVERY = 1000 };

static void use_native(ByHand *h, bool wait) {
    h->left = LOOK_EVERY;
    if (!h->native) h->native = native_start(h->program, &(NativeOptions){.jacobian = true});
    NativeState state = wait ? native_wait(h->native) : native_poll(h->native);
    if (state == NATIVE_READY) machine_use(h->machine, h->native);
    if (state != NATIVE_COMPILING) h->left = -1;
}

static void open_engine(ByHand *h, EngineKind engine) {
    h->left = engine == ENGINE_AUTO ? 1 + PAYS_FROM / (1 + h->program->derivative.count) : -1;
    if (engine == ENGINE_NATIVE) use_native(h, true);
}

// Before each evaluation. Both engines give the same bits.
static inline void count_call(ByHand *h) {
    if (h->left > 0 && --h->left == 0) use_native(h, false);
}

static bool build(BdRun *run, Job *j, Report *r) {
    ByHand *h = run->by_hand = memory_zeroed(1, sizeof *h);
    ProgramOptions options = job_program_options(j);
    options.explicit = false; // d rate / d state may be asked for
    h->program = program_build(&run->copy.system, &options, r);
    if (!h->program) return false;
    h->machine = machine_new(h->program);
    make_room(h);
    const double *set = job_parameters(j, h->program);
    for (uint32_t i = 0; i < h->program->param_count; i++)
        h->parameter[i] = set ? set[i] : h->program->param_value[i];
    keep_columns(run, j);
    if (!machine_set_params(h->machine, h->parameter) || !go_to_start(h, j->plan.start))
        return start_fails(r);
    open_engine(h, j->options->engine);
    return true;
}

static bool refuse_modes(const BdModel *m, Report *r) {
    const Model *model = m->p.model;
    if (!model->choice_count && !model->delay_count) return false;
    Remark *x =
        report_error(r, S_BAD_OPTION, POS_NONE, "'%s' %s, which needs a solver", bd_model_name(m),
                     model->choice_count ? "has laws that switch" : "has delays");
    remark_help(r, x, "use bd_run");
    return true;
}

BdRun *bd_open(const BdModel *m, const BdRunOptions *o, BdReport *r) {
    static const BdRunOptions nothing = {0};
    Report report = {0};
    BdRun *run = run_new(m);
    RunOptions options;
    bool good = !refuse_modes(m, &report) &&
                run_options_from(m, o ? o : &nothing, &run->arena, &options, &report);
    if (good) {
        Job j;
        job_open(&j, &run->copy.system, &options, &report);
        good = job_prepare(&j) && build(run, &j, &report);
        run_free(job_close(&j, true));
    }
    report_hand_over(&report, m->sources, r);
    if (good) return run;
    bd_run_free(run);
    return NULL;
}

// --- the point -----------------------------------------------------------------------------------

double bd_time(const BdRun *run) {
    if (run->pieces) return pieces_time(run->pieces);
    return run->by_hand ? run->by_hand->time : run->run->stats.reached;
}

void bd_get_states(const BdRun *run, double *x) {
    const ByHand *h = run->by_hand;
    if (run->pieces) pieces_states(run, x);
    if (h && h->program->state_count)
        memcpy(x, h->state, (size_t)h->program->state_count * sizeof *x);
}

void bd_set_point(BdRun *run, double time, const double *x) {
    ByHand *h = run->by_hand;
    if (!h) return;
    h->time = time;
    if (x && h->program->state_count)
        memcpy(h->state, x, (size_t)h->program->state_count * sizeof *x);
}

bool bd_reset(BdRun *run, double time) {
    if (run->pieces) return pieces_reset(run);
    return run->by_hand && go_to_start(run->by_hand, time);
}

bool bd_set(BdRun *run, const char *parameter, double value) {
    ByHand *h = run->by_hand;
    Report ignored = {0};
    bool may = (h || run->pieces) && isfinite(value);
    int var = may ? settable_parameter(run->of, parameter, &ignored) : -1;
    report_free(&ignored);
    if (var < 0) return false;
    if (!h) return pieces_set(run->pieces, var, value);
    double before = 0;
    uint32_t at = h->program->param_count;
    for (uint32_t i = 0; i < h->program->param_count; i++)
        if (h->program->param_var[i] == var) at = i;
    if (at == h->program->param_count) return true; // nothing depends on it
    before = h->parameter[at];
    h->parameter[at] = value;
    if (machine_set_params(h->machine, h->parameter)) return true;
    h->parameter[at] = before;
    machine_set_params(h->machine, h->parameter);
    return false;
}

// --- evaluating ----------------------------------------------------------------------------------

bool bd_rates(BdRun *run, double *rate) {
    ByHand *h = run->by_hand;
    if (!h) return false;
    count_call(h);
    return machine_derivative(h->machine, h->time, h->state, rate, NULL);
}

bool bd_outputs(BdRun *run, double *value) {
    ByHand *h = run->by_hand;
    if (run->pieces) return pieces_outputs(run, value);
    if (!h || !machine_outputs(h->machine, h->time, h->state, h->output)) return false;
    for (int c = 1; c < run->rows.columns; c++)
        value[c - 1] = show(h->shown[c], h->output[h->column[c]]);
    return true;
}

bool bd_jacobian(BdRun *run, double *dense) {
    ByHand *h = run->by_hand;
    if (!h || !h->program->has_jacobian) return false;
    int n = h->program->state_count;
    count_call(h);
    if (!machine_jacobian(h->machine, h->time, h->state, h->nonzero)) return false;
    memset(dense, 0, (size_t)n * (size_t)n * sizeof *dense);
    for (int c = 0; c < n; c++)
        for (int k = h->program->column_start[c]; k < h->program->column_start[c + 1]; k++)
            dense[(size_t)c * (size_t)n + (size_t)h->program->row[k]] = h->nonzero[k];
    return true;
}

int bd_event_count(const BdRun *run) {
    return run->by_hand ? run->by_hand->program->switch_count : 0;
}

bool bd_event_functions(BdRun *run, double *z) {
    ByHand *h = run->by_hand;
    return h && machine_switches(h->machine, h->time, h->state, z);
}

// --- saving --------------------------------------------------------------------------------------

// A header, the point, the parameters, all registers.
typedef struct {
    char mark[8];
    size_t states, parameters, registers;
    double time;
} Saved;

static const char saved_mark[8] = "bondyn1";

static Saved saved_of(const ByHand *h) {
    Saved s = {.states = (size_t)h->program->state_count,
               .parameters = h->program->param_count,
               .registers = h->program->register_count,
               .time = h->time};
    memcpy(s.mark, saved_mark, sizeof s.mark);
    return s;
}

size_t bd_saved_size(const BdRun *run) {
    if (run->pieces) return pieces_save(run->pieces, NULL);
    if (!run->by_hand) return 0;
    Saved s = saved_of(run->by_hand);
    return sizeof s + (s.states + s.parameters + s.registers) * sizeof(double);
}

void bd_save(const BdRun *run, void *to) {
    const ByHand *h = run->by_hand;
    if (run->pieces) pieces_save(run->pieces, to);
    if (!h) return;
    Saved s = saved_of(h);
    char *at = put_chars(to, (const char *)&s, sizeof s);
    at = put_chars(at, (const char *)h->state, s.states * sizeof(double));
    at = put_chars(at, (const char *)h->parameter, s.parameters * sizeof(double));
    put_chars(at, (const char *)h->machine->reg, s.registers * sizeof(double));
}

bool bd_restore(BdRun *run, const void *from, size_t size) {
    ByHand *h = run->by_hand;
    if (run->pieces) return pieces_restore(run->pieces, from, size);
    if (!h || size != bd_saved_size(run)) return false;
    Saved s, own = saved_of(h);
    memcpy(&s, from, sizeof s);
    if (memcmp(s.mark, own.mark, sizeof s.mark) != 0 || s.states != own.states ||
        s.parameters != own.parameters || s.registers != own.registers)
        return false;
    const char *at = (const char *)from + sizeof s;
    memcpy(h->state, at, s.states * sizeof(double));
    at += s.states * sizeof(double);
    memcpy(h->parameter, at, s.parameters * sizeof(double));
    at += s.parameters * sizeof(double);
    if (!machine_set_params(h->machine, h->parameter)) return false;
    memcpy(h->machine->reg, at, s.registers * sizeof(double));
    h->time = s.time;
    return true;
}
