// See batch.h.
#include "run/batch.h"

#include "base/memory.h"
#include "engine/lanes.h"
#include "run/job.h"
#include "run/modes.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct RunBatch {
    const System *system;
    Program *program;    // NULL: every run is built for itself
    Expr *output, *quad; // what it was built for
    int output_count, quad_count;
    Native *single, *lanes; // NULL or ready
    ModeStore *modes;       // compiled when a run first meets them; NULL: no law switches
    EngineKind engine;      // of runs with modes, whose code comes when it is worth its price
    Text words;
};

// --- native code ---------------------------------------------------------------------------------

static bool is_interrupted(const RunOptions *o) { return o->cancel && *o->cancel; }

// Ready, or NULL with the reason in words.
static Native *settle(Native *n, const RunOptions *o, Text *words) {
    while (native_poll(n) == NATIVE_COMPILING && !is_interrupted(o))
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    text_add(words, native_words(n));
    if (native_poll(n) == NATIVE_READY) return n;
    native_free(n);
    return NULL;
}

// Starts the compiler if all runs together will take at least twice as long as compiling.
static void get_code(RunBatch *b, const BatchPlan *plan, int lanes) {
    const Program *p = b->program;
    bool jacobian = plan->nominal->stats.method == SOLVER_CVODE_BDF;
    double work = plan->nominal->stats.wall_seconds * plan->runs;
    double price = engine_compile_seconds(p, jacobian);
    bool asked = plan->options->engine == ENGINE_NATIVE, compile = asked || work > 2 * price;
    double patience =
        asked ? 0 : 10 + 10 * price; // nobody waits for long for what nobody asked for
    NativeOptions one = {.jacobian = jacobian, .only_cached = !compile, .seconds = patience};
    NativeOptions many = {.lanes = lanes, .only_cached = !compile, .seconds = patience};
    Text words = {0};
    Native *single = native_start(p, &one), *wide = lanes > 1 ? native_start(p, &many) : NULL;
    b->single = settle(single, plan->options, &words);
    if (wide) {
        text_clear(&words);
        b->lanes = settle(wide, plan->options, &words);
    }
    text_add(&b->words, text_get(&words));
    text_free(&words);
}

// --- opening and closing -------------------------------------------------------------------------

static void keep_options(RunBatch *b, const ProgramOptions *w) {
    b->output_count = w->output_count;
    b->quad_count = w->quadrature_count;
    b->output = memory_zeroed((size_t)w->output_count, sizeof *b->output);
    b->quad = memory_zeroed((size_t)w->quadrature_count, sizeof *b->quad);
    if (w->output_count) memcpy(b->output, w->output, (size_t)w->output_count * sizeof *b->output);
    if (w->quadrature_count)
        memcpy(b->quad, w->quadrature, (size_t)w->quadrature_count * sizeof *b->quad);
}

static bool are_same_options(const RunBatch *b, const ProgramOptions *w) {
    return w->output_count == b->output_count && w->quadrature_count == b->quad_count &&
           (!w->output_count ||
            memcmp(w->output, b->output, (size_t)w->output_count * sizeof *b->output) == 0) &&
           (!w->quadrature_count ||
            memcmp(w->quadrature, b->quad, (size_t)w->quadrature_count * sizeof *b->quad) == 0);
}

// How many runs go at a time; the words begin with the reason when it is one.
static int choose_lanes(RunBatch *b, Job *j, const BatchPlan *plan) {
    SolveOptions o = job_solve_options(j, NULL);
    const char *why = plan->lanes == 1                     ? "as asked for"
                      : plan->options->engine == ENGINE_VM ? "the virtual machine has no lanes"
                                                           : solve_lanes_obstacle(b->program, &o);
    if (!why) return plan->lanes ? plan->lanes : native_lanes();
    text_printf(&b->words, "one run at a time: %s; ", why);
    return 1;
}

static void open_modes(RunBatch *b, Job *j, const BatchPlan *plan) {
    b->modes = mode_store_new(j->model);
    b->engine = plan->options->engine;
    ProgramOptions options = modes_options(j, &j->tmp, b->system, mode_store_memory(b->modes));
    b->program = program_build(b->system, &options, j->report);
    text_add(&b->words, "one run at a time: laws switch; each process compiles a mode once");
}

static void open_program(RunBatch *b, Job *j, const BatchPlan *plan) {
    ProgramOptions options = job_program_options(j);
    keep_options(b, &options);
    if (b->system->model->choice_count) {
        open_modes(b, j, plan);
        return;
    }
    b->program = program_build(b->system, &options, j->report);
    if (!b->program) return;
    int lanes = choose_lanes(b, j, plan);
    if (plan->options->engine == ENGINE_VM)
        text_add(&b->words, "virtual machine");
    else
        get_code(b, plan, lanes);
}

RunBatch *batch_new(const System *s, const BatchPlan *plan) {
    RunBatch *b = memory_zeroed(1, sizeof *b);
    b->system = s;
    Report ignored = {0};
    Job j;
    job_open(&j, s, plan->options, &ignored);
    if (job_is_frequency(&j))
        text_add(&b->words, "one run at a time: each is a frequency response");
    else if (!job_refuses_analysis(&j) && job_prepare(&j))
        open_program(b, &j, plan);
    run_free(job_close(&j, true));
    report_free(&ignored);
    Text words = {0};
    if (b->lanes) text_printf(&words, "%d runs at a time, ", batch_lanes(b));
    text_add(&words, text_get(&b->words));
    text_free(&b->words);
    b->words = words;
    return b;
}

void batch_free(RunBatch *b) {
    if (!b) return;
    native_free(b->single);
    native_free(b->lanes);
    mode_store_free(b->modes);
    program_free(b->program);
    free(b->output);
    free(b->quad);
    text_free(&b->words);
    free(b);
}

int batch_lanes(const RunBatch *b) { return b->lanes ? native_code(b->lanes)->lanes : 1; }

const char *batch_words(const RunBatch *b) { return text_get(&b->words); }

// --- running -------------------------------------------------------------------------------------

typedef struct {
    bool used;
    BatchRun run;
    Job job;
    Modes *modes;
} Slot;

typedef struct {
    const RunBatch *batch;
    const RunQueue *queue;
    Slot slot[MOST_LANES];
} Stream;

static Slot *free_slot(Stream *s) {
    for (int i = 0; i < MOST_LANES; i++) {
        if (s->slot[i].used) continue;
        s->slot[i].run = (BatchRun){.slot = i};
        return &s->slot[i];
    }
    return NULL;
}

static void open_lane(const RunBatch *b, SolveLane *lane, Slot *slot) {
    Job *j = &slot->job;
    lane->machine = machine_new(b->program);
    lane->params = job_parameters(j, b->program);
    slot->modes = b->modes ? modes_new(j, b->modes) : NULL;
    lane->options = job_solve_options(j, modes_solve(slot->modes));
    lane->options.native = b->single;
    // without code there is none to look for in every run
    lane->options.engine = b->modes ? b->engine : ENGINE_VM;
    lane->report = j->report;
    lane->owner = slot;
    slot->used = true;
}

// False: this run does not fit the program, and goes its own way.
static bool open_job(const RunBatch *b, Slot *slot) {
    Job *j = &slot->job;
    job_open(j, b->system, &slot->run.options, &slot->run.report);
    if (job_prepare(j)) {
        ProgramOptions options = job_program_options(j);
        if (are_same_options(b, &options)) return true;
    }
    job_close(j, false);
    report_free(&slot->run.report);
    return false;
}

// Runs that do not fit are made here and now.
static bool next_lane(void *context, SolveLane *lane) {
    Stream *s = context;
    const RunBatch *b = s->batch;
    Slot *slot = free_slot(s);
    while (slot && s->queue->next(s->queue->context, &slot->run)) {
        BatchRun *r = &slot->run;
        if (b->program && open_job(b, slot)) {
            open_lane(b, lane, slot);
            return true;
        }
        r->run = run_experiment(b->system, &r->options, &r->report);
        s->queue->done(s->queue->context, r);
        *r = (BatchRun){.slot = r->slot};
    }
    return false;
}

static void lane_done(void *context, SolveLane *lane) {
    Stream *s = context;
    Slot *slot = lane->owner;
    Job *j = &slot->job;
    j->run->stats = lane->stats;
    bool started = job_solved(j, lane->machine, lane->status);
    if (started) job_finish(j);
    machine_free(lane->machine);
    modes_free(slot->modes);
    slot->run.run = job_close(j, started);
    slot->used = false;
    s->queue->done(s->queue->context, &slot->run);
}

static void run_one_by_one(const LaneQueue *q) {
    for (SolveLane lane = {0}; q->next(q->context, &lane); lane = (SolveLane){0}) {
        lane.status = solve_run(lane.machine, lane.params, &lane.options, &lane.stats, lane.report);
        q->done(q->context, &lane);
    }
}

void batch_run(const RunBatch *b, const RunQueue *q) {
    Stream *s = memory_zeroed(1, sizeof *s);
    s->batch = b;
    s->queue = q;
    LaneQueue lanes = {next_lane, lane_done, s, q->at_once};
    if (b->lanes && q->at_once != 1)
        solve_lanes(&lanes, b->lanes);
    else
        run_one_by_one(&lanes);
    if (b->modes) mode_store_rest(b->modes);
    free(s);
}
