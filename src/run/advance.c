// The solver as a coroutine: it waits in the sink until it is to go on.
#include "run/advance.h"

#include "base/coroutine.h"
#include "base/memory.h"
#include "run/modes.h"
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { STACK = 1 << 20, STACK_WITH_MODES = 8 << 20 }; // modes are compiled on it

struct Advance {
    Job job; // first: the context of what it hands to the solver
    RunOptions options;
    int *set_var; // parameters that differ: those of the options, then those that were set later
    double *set_value;
    Program *program;
    ModeStore *store;
    Coroutine *coroutine; // NULL: it begins with the next piece
    SolveOptions solve;
    Machine *machine;        // of the run that goes on
    Modes *modes;            // the same
    struct SolveJob *inside; // the same; NULL: there is none
    double until;            // where to wait; infinite: nowhere
    double row;              // the next wanted point of the experiment
    bool has_row, knows_row, records;
    bool ended, cancelled, good, anew;
    atomic_bool pause;
    // the point
    double time;
    double *output;
    ARRAY(double) state;
    // inputs that are open, by variable
    int *input_var, input_count;
    double *input;
    bool inputs_differ;
    bool parameters_differ; // from those of `from`
    void *from;             // of restore, for the next beginning
    size_t from_size;
};

// --- what the solver calls -----------------------------------------------------------------------

static bool next_wanted(void *context, double *time) {
    Advance *a = context;
    if (!a->knows_row) a->has_row = job_next_time(&a->job, &a->row);
    a->knows_row = true;
    *time = a->has_row ? fmin(a->row, a->until) : a->until;
    return isfinite(*time);
}

static void keep_point(Advance *a, const SolvePoint *p) {
    int n = a->machine->program->state_count; // of the first mode: others are not shown
    a->time = p->time;
    memcpy(a->output, p->output, (size_t)a->program->output_count * sizeof *a->output);
    if (a->modes) return;
    a->state.count = 0;
    for (int i = 0; i < n; i++) array_push(&a->state, p->state[i]);
}

static bool take(void *context, const SolvePoint *p) {
    Advance *a = context;
    keep_point(a, p);
    bool row = p->last || (a->knows_row && a->has_row && p->time == a->row);
    if (row) a->knows_row = false;
    if (row && a->records && !job_take_point(&a->job, p)) return false;
    bool asked = atomic_load(&a->pause);
    if (p->time >= a->until || (asked && row)) coroutine_wait(a->coroutine);
    return !a->cancelled;
}

static bool asks_anew(void *context) {
    const Advance *a = context;
    return a->anew;
}

static void put_inputs(Advance *a, Machine *m) {
    const Whens *w = &m->program->system->whens;
    double *held = machine_held(m);
    for (int i = 0; i < w->discrete_count; i++)
        for (int k = 0; k < a->input_count; k++)
            if (w->discrete_var[i] == a->input_var[k]) held[i] = a->input[k];
}

static bool put_parameters(Advance *a) {
    double *value = memory_zeroed((size_t)a->program->param_count + 1, sizeof *value);
    job_fill_parameters(&a->job, a->program, value);
    bool good = machine_change_params(a->machine, value);
    free(value);
    if (a->modes) modes_change_params(a->modes);
    return good;
}

static void change(void *context, Machine *m) {
    Advance *a = context;
    if (a->parameters_differ) put_parameters(a);
    if (a->inputs_differ) put_inputs(a, m);
    a->anew = a->inputs_differ = a->parameters_differ = false;
}

// --- the coroutine -------------------------------------------------------------------------------

static void solve(void *context) {
    Advance *a = context;
    Job *j = &a->job;
    a->machine = machine_new(a->program);
    a->modes = a->store ? modes_new(j, a->store) : NULL;
    a->solve = job_solve_options(j, modes_solve(a->modes));
    a->solve.next_time = next_wanted;
    a->solve.sink = take;
    a->solve.anew = asks_anew;
    a->solve.change = change;
    a->solve.inside = &a->inside;
    a->solve.from = a->from;
    a->solve.from_size = a->from_size;
    SolveStatus status =
        solve_run(a->machine, job_parameters(j, a->program), &a->solve, &j->run->stats, j->report);
    a->good = job_solved(j, a->machine, status) && status == SOLVE_DONE;
    if (a->records && status != SOLVE_REFUSED && !a->cancelled) job_finish(j);
    modes_free(a->modes);
    machine_free(a->machine);
    a->modes = NULL;
    a->machine = NULL;
    a->inside = NULL;
    a->ended = true;
}

static void go_on(Advance *a) {
    if (!a->coroutine) a->coroutine = coroutine_new(solve, a, a->store ? STACK_WITH_MODES : STACK);
    coroutine_resume(a->coroutine);
}

// Records no rows from now on. The wanted points stay, as they may cut steps and so change bits.
static void forget_rows(Advance *a) {
    Job *j = &a->job;
    a->records = false;
    j->run->audit.off = true;
    j->wanted = (TimesCursor){0};
    do a->has_row = job_next_time(j, &a->row);
    while (a->has_row && a->row <= a->time);
    a->knows_row = true;
}

// Nothing of the present run is left; another may begin.
static void end(Advance *a) {
    a->cancelled = true;
    if (a->coroutine && !a->ended) coroutine_resume(a->coroutine);
    coroutine_free(a->coroutine);
    a->coroutine = NULL;
    a->cancelled = a->ended = a->anew = a->inputs_differ = a->parameters_differ = false;
    a->knows_row = false;
    free(a->from);
    a->from = NULL;
    a->from_size = 0;
}

// --- advancing -----------------------------------------------------------------------------------

static bool refuse(Advance *a, const char *what, double time, const char *help) {
    Remark *m = report_error(a->job.report, S_BAD_OPTION, POS_NONE, what, time);
    remark_help(a->job.report, m, "%s", help);
    return false;
}

bool advance_to(Advance *a, double time) {
    double stop = a->job.plan.stop;
    if (a->ended)
        return a->good && time <= stop ? true
                                       : refuse(a, "the run has ended at t = %g s", a->time,
                                                "bd_reset or bd_restore begins another");
    if (!(time >= a->time)) // also what is no number
        return refuse(a, "the run is at t = %g s already", a->time,
                      "advance to that time or a later one; bd_restore goes back");
    if (time > stop)
        return refuse(a, "the run ends at t = %g s", stop, "give a later `stop` in BdRunOptions");
    atomic_store(&a->pause, false);
    a->until = time;
    go_on(a);
    if (a->ended || a->time < stop) return a->ended ? a->good : true;
    a->until = INFINITY; // nothing more is wanted: the run comes to its end
    go_on(a);
    return a->good;
}

void advance_pause(Advance *a) { atomic_store(&a->pause, true); }
bool advance_ended(const Advance *a) { return a->ended; }
double advance_time(const Advance *a) { return a->time; }
const Run *advance_run(const Advance *a) { return a->job.run; }

double advance_value(const Advance *a, int track) {
    int output = a->job.tracks.data[track].output;
    return output < 0 ? a->time : a->output[output];
}

double advance_watched(const Advance *a, int i) { return advance_value(a, a->job.watch_track[i]); }

const Track *advance_tracks(const Advance *a, int *count) {
    *count = a->job.tracks.count;
    return a->job.tracks.data;
}

int advance_states(const Advance *a, const double **x) {
    *x = a->state.data;
    return a->state.count;
}

// --- what is changed between pieces --------------------------------------------------------------

bool advance_set_input(Advance *a, int var, double value) {
    if (a->ended || !isfinite(value)) return false;
    for (int i = 0; i < a->input_count; i++) {
        if (a->input_var[i] != var) continue;
        if (a->input[i] != value) a->anew = a->inputs_differ = true;
        a->input[i] = value;
        return true;
    }
    return false;
}

// Which of the settings is of this parameter; set_count: none.
static int setting_of(const Advance *a, int var) {
    int i = 0;
    while (i < a->options.set_count && a->set_var[i] != var) i++;
    return i;
}

// The moments of samples are counted from the start, and the past is kept for delays as they are.
static bool moments_differ(const Advance *a, const double *before) {
    int n = 2 * a->program->system->whens.sample_count;
    double *now = memory_zeroed((size_t)n + 1, sizeof *now);
    machine_samples(a->machine, now);
    bool differ = n && memcmp(now, before, (size_t)n * sizeof *now) != 0;
    free(now);
    return differ;
}

static double present_value(const Advance *a, int var) {
    for (uint32_t i = 0; i < a->program->param_count; i++)
        if (a->program->param_var[i] == var) return a->program->param_value[i];
    return NAN;
}

// False: a value is not finite, or moments of samples would be others.
static bool try_parameters(Advance *a) {
    int n = 2 * a->program->system->whens.sample_count;
    double *samples = memory_zeroed((size_t)n + 1, sizeof *samples);
    machine_samples(a->machine, samples);
    bool good = put_parameters(a) && !moments_differ(a, samples);
    free(samples);
    return good;
}

bool advance_set_parameter(Advance *a, int var, double value) {
    if (!isfinite(value) || a->ended || a->program->system->whens.delay_count) return false;
    int setting = setting_of(a, var);
    if (setting == a->options.set_count) {
        double present = present_value(a, var);
        if (isnan(present)) return true; // nothing depends on it
        a->set_var[setting] = var;
        a->set_value[setting] = present;
        a->options.set_count++;
    }
    double before = a->set_value[setting];
    a->set_value[setting] = value;
    a->anew = true;
    a->parameters_differ = a->parameters_differ || !a->machine;
    if (!a->machine || try_parameters(a)) return true;
    a->set_value[setting] = before;
    put_parameters(a);
    return false;
}

// --- saving --------------------------------------------------------------------------------------

bool advance_reset(Advance *a) {
    end(a);
    a->time = a->job.plan.start;
    forget_rows(a);
    return advance_to(a, a->time);
}

typedef struct { // what stands before what the solver saves
    double time;
    int settings;
    bool inputs_differ;
} Head;

// Saves the state of the solver. A run that was restored and has not advanced hands over the bytes
// it was restored from.
static size_t save_inside(Advance *a, void *to) {
    if (a->inside) return solve_save(a->inside, to);
    if (to) memcpy(to, a->from, a->from_size);
    return a->from_size;
}

size_t advance_save(Advance *a, void *to) {
    size_t room = (size_t)a->job.model->var_count, outputs = (size_t)a->program->output_count;
    size_t inputs = (size_t)a->input_count, states = (size_t)a->state.count;
    if (!a->inside && (!a->from || a->parameters_differ)) return 0;
    if (to) {
        Head head;
        memset(&head, 0, sizeof head); // with what lies between the fields
        head.time = a->time;
        head.settings = a->options.set_count;
        head.inputs_differ = a->inputs_differ;
        char *at = put_chars(to, (const char *)&head, sizeof head);
        memset(at, 0, room * (sizeof(int) + sizeof(double)));
        put_chars(at, (const char *)a->set_var, (size_t)head.settings * sizeof(int));
        at += room * sizeof(int);
        put_chars(at, (const char *)a->set_value, (size_t)head.settings * sizeof(double));
        at += room * sizeof(double);
        at = put_chars(at, (const char *)a->input, inputs * sizeof(double));
        at = put_chars(at, (const char *)a->output, outputs * sizeof(double));
        at = put_chars(at, (const char *)a->state.data, states * sizeof(double));
        a->anew = true; // from here on it is the same whoever goes on
        to = at;
    }
    return sizeof(Head) + room * (sizeof(int) + sizeof(double)) +
           (inputs + outputs + states) * sizeof(double) + save_inside(a, to);
}

static void get_chars(const char **at, void *to, size_t size) {
    if (size) memcpy(to, *at, size);
    *at += size;
}

bool advance_restore(Advance *a, const void *from, size_t size) {
    size_t room = (size_t)a->job.model->var_count, outputs = (size_t)a->program->output_count;
    size_t inputs = (size_t)a->input_count;
    size_t states = a->store ? 0 : (size_t)a->program->state_count;
    size_t first = sizeof(Head) + room * (sizeof(int) + sizeof(double)) +
                   (inputs + outputs + states) * sizeof(double);
    Head head;
    if (size < first) return false;
    const char *at = from;
    get_chars(&at, &head, sizeof head);
    if (head.settings < 0 || (size_t)head.settings > room) return false;
    end(a);
    const char *var = at, *value = at + room * sizeof(int);
    get_chars(&var, a->set_var, (size_t)head.settings * sizeof(int));
    get_chars(&value, a->set_value, (size_t)head.settings * sizeof(double));
    a->options.set_count = head.settings;
    at += room * (sizeof(int) + sizeof(double));
    get_chars(&at, a->input, inputs * sizeof(double));
    get_chars(&at, a->output, outputs * sizeof(double));
    array_reserve(&a->state, (int)states + 1);
    a->state.count = (int)states;
    get_chars(&at, a->state.data, states * sizeof(double));
    a->inputs_differ = head.inputs_differ;
    a->time = head.time;
    forget_rows(a);
    a->from_size = size - first;
    a->from = memory_zeroed(a->from_size + 1, 1);
    memcpy(a->from, at, a->from_size);
    return true;
}

// --- opening and closing -------------------------------------------------------------------------

static void list_inputs(Advance *a) {
    const Model *m = a->job.model;
    int n = 0;
    for (int v = 0; v < m->var_count; v++) n += m->var[v].open;
    a->input_var = memory_zeroed((size_t)n + 1, sizeof *a->input_var);
    a->input = memory_zeroed((size_t)n + 1, sizeof *a->input);
    for (int v = 0; v < m->var_count; v++)
        if (m->var[v].open) a->input_var[a->input_count++] = v;
}

// Start values of inputs are in the machine once the run has begun.
static void read_inputs(Advance *a) {
    const Whens *w = &a->program->system->whens;
    for (int i = 0; a->machine && i < w->discrete_count; i++)
        for (int k = 0; k < a->input_count; k++)
            if (w->discrete_var[i] == a->input_var[k]) a->input[k] = machine_held(a->machine)[i];
}

static void take_options(Advance *a, const System *s, const RunOptions *o, Report *r) {
    size_t room = (size_t)s->model->var_count + (o ? (size_t)o->set_count : 0) + 1;
    if (o) a->options = *o;
    a->set_var = memory_zeroed(room, sizeof *a->set_var);
    a->set_value = memory_zeroed(room, sizeof *a->set_value);
    for (int i = 0; i < a->options.set_count; i++) {
        a->set_var[i] = a->options.set_var[i];
        a->set_value[i] = a->options.set_value[i];
    }
    a->options.set_var = a->set_var;
    a->options.set_value = a->set_value;
    job_open(&a->job, s, &a->options, r);
}

static bool build(Advance *a) {
    Job *j = &a->job;
    if (job_is_frequency(j))
        return refuse(a, "a frequency response is no run in time, from t = %g s on", 0,
                      "name another experiment");
    if (job_refuses_analysis(j) || !job_prepare(j)) return false;
    ProgramOptions options = job_program_options(j);
    if (j->model->choice_count) {
        a->store = mode_store_new(j->model);
        options = modes_options(j, &j->tmp, j->system, mode_store_memory(a->store));
    }
    a->program = program_build(j->system, &options, j->report);
    if (!a->program) return false;
    a->output = memory_zeroed((size_t)a->program->output_count + 1, sizeof *a->output);
    list_inputs(a);
    a->time = j->plan.start;
    return true;
}

Advance *advance_new(const System *s, const RunOptions *o, Report *r) {
    Advance *a = memory_zeroed(1, sizeof *a);
    a->records = true;
    take_options(a, s, o, r);
    if (build(a) && advance_to(a, a->time)) {
        read_inputs(a);
        return a;
    }
    advance_free(a);
    return NULL;
}

void advance_free(Advance *a) {
    if (!a) return;
    end(a);
    program_free(a->program);
    mode_store_free(a->store);
    run_free(job_close(&a->job, true));
    array_free(&a->state);
    free(a->set_var);
    free(a->set_value);
    free(a->output);
    free(a->input_var);
    free(a->input);
    free(a);
}
