// Runs up to a time, and hands over the program and the machine as they are at that point.
#include "analysis/linear.h"

#include "base/memory.h"
#include "run/modes.h"
#include <math.h>
#include <string.h>

static bool refuse_model(const System *s, Report *r) {
    const Model *m = s->model;
    if (!m->delay_count) return false;
    Remark *x = report_error(r, A_NOT_SMOOTH, m->delay[0].pos,
                             "'%s' has delays: there is no linear model of finite order",
                             name_text(m->names, m->name));
    remark_help(r, x, "write the delay as a lag, or set it aside");
    return true;
}

static bool keep(void *context, const SolvePoint *p) {
    Reached *at = context;
    at->time = p->time;
    memcpy(at->state, p->state, (size_t)at->program->state_count * sizeof(double));
    return true;
}

static bool start_fails(const System *s, Report *r) {
    Remark *x = report_error(r, A_NO_POINT, s->model->pos, "no start values are found");
    remark_help(r, x, "'bondyn run' tells which equations have no solution at the start");
    return false;
}

static bool at_start(Reached *at, Job *j, Report *r) {
    Machine *m = at->machine;
    at->time = j->plan.start;
    if (!machine_set_params(m, job_parameters(j, at->program))) return start_fails(j->system, r);
    m->failed_block = m->failed_choice = -1;
    machine_initial(m, at->time, at->state);
    if (m->failed_block >= 0 || m->failed_choice >= 0) return start_fails(j->system, r);
    for (int i = 0; i < at->program->state_count; i++)
        if (!isfinite(at->state[i])) return start_fails(j->system, r);
    return true;
}

static bool before_start(const Job *j, double time, Report *r) {
    if (time >= j->plan.start) return false;
    Remark *x = report_error(r, A_NO_POINT, j->plan.pos,
                             "%g s lies before the start of the run, %g s", time, j->plan.start);
    remark_help(r, x, "give a time from the start on");
    return true;
}

// One point is wanted, and nobody looks at the run otherwise.
static SolveOptions options_to(Job *j, const SolveModes *modes, const double *time) {
    SolveOptions o = job_unwatched_options(j, modes);
    o.times = time;
    o.time_count = 1;
    return o;
}

static bool ended_before(const Job *j, const SolveStats *stats, double time, Report *r) {
    if (r->errors) return false;
    Remark *x = report_error(r, A_NO_POINT, j->plan.pos, "the run ended at %g s, before %g s",
                             stats->reached, time);
    remark_help(r, x, "give a time that the run reaches");
    return false;
}

static bool at_time(Reached *at, Job *j, double time, Report *r) {
    if (before_start(j, time, r)) return false;
    SolveOptions o = options_to(j, NULL, &time);
    o.stop = time;
    o.sink = keep;
    o.context = at;
    SolveStats stats;
    at->time = NAN;
    SolveStatus status = solve_run(at->machine, job_parameters(j, at->program), &o, &stats, r);
    return (status == SOLVE_DONE && at->time == time) || ended_before(j, &stats, time, r);
}

// --- laws that switch ----------------------------------------------------------------------------

// A run whose laws switch. System, program and machine belong to the mode in which it is.
struct Switching {
    RunOptions options;
    Job job;
    ModeStore *store;
    Modes *modes;
    Program *program; // of the laws that stand first
    Machine *machine;
};

static void switching_free(struct Switching *k) {
    machine_free(k->machine);
    program_free(k->program);
    modes_free(k->modes);
    mode_store_free(k->store);
    run_free(job_close(&k->job, true));
    free(k);
}

static bool switching_open(struct Switching *k, const System *s, const RunOptions *o, Report *r) {
    k->options = *o;
    Job *j = &k->job;
    job_open(j, s, &k->options, r);
    if (!job_prepare(j)) return false;
    k->store = mode_store_new(s->model);
    k->modes = modes_new(j, k->store);
    ProgramOptions options = modes_options(j, &j->tmp, s, mode_store_memory(k->store));
    k->program = program_build(s, &options, r);
    k->machine = k->program ? machine_new(k->program) : NULL;
    return k->machine;
}

// The last point that the run hands over, with the machine that computed it.
static void follow(void *context, const TrailMark *mark) {
    Reached *at = context;
    if (mark->kind != TRAIL_POINT) return;
    at->time = mark->time;
    at->machine = mark->machine;
    at->program = (Program *)mark->machine->program;
    at->system = mark->machine->program->system;
    size_t n = (size_t)at->program->state_count;
    free(at->state);
    at->state = memory_zeroed(n + 1, sizeof(double));
    if (n) memcpy(at->state, mark->state, n * sizeof(double));
}

static bool enough(void *context, const SolvePoint *p) {
    (void)context, (void)p;
    return false;
}

static bool in_a_mode(Reached *at, const System *s, const RunOptions *options, bool start,
                      double time, Report *r) {
    struct Switching *k = at->switching = memory_zeroed(1, sizeof *k);
    if (!switching_open(k, s, options, r)) return false;
    Job *j = &k->job;
    if (start) time = j->plan.start;
    if (before_start(j, time, r)) return false;
    SolveModes modes = *modes_solve(k->modes);
    modes.jumped = NULL;
    SolveOptions o = options_to(j, &modes, &time);
    o.stop = fmax(time, o.stop); // the first wanted point ends it
    o.sink = enough;
    o.trail = follow;
    o.trail_context = at;
    SolveStats stats;
    at->time = NAN;
    solve_run(k->machine, job_parameters(j, k->program), &o, &stats, r);
    return at->time == time || ended_before(j, &stats, time, r);
}

// The number of the mode that holds. It is in a discrete variable where equations need it; otherwise
// the choice itself knows it.
static int present_mode(const Reached *at, const ModeChoice *c) {
    const Whens *w = &at->system->whens;
    for (int i = 0; i < w->discrete_count; i++)
        if (w->discrete_var[i] == c->var && c->var >= 0)
            return (int)machine_held(at->machine)[i] - 1;
    return c->present;
}

const char *reached_modes(const Reached *at, Arena *out) {
    const Model *m = at->system->model;
    Text text = {0};
    for (int i = 0; i < m->choice_count; i++) {
        const ModeChoice *c = &m->choice[i];
        const char *owner = name_text(m->names, c->owner);
        text_printf(&text, "%s%s%s%s", i ? ", " : "", owner, *owner ? " " : "",
                    name_text(m->names, m->mode[c->first_mode + present_mode(at, c)].name));
    }
    const char *words = arena_printf(out, "%s", text_get(&text));
    text_free(&text);
    return words;
}

void reached_check_modes(const Reached *at, Report *r) {
    const Model *m = at->system->model;
    double *guard = memory_zeroed((size_t)m->mode_count + 1, sizeof *guard);
    bool good = m->choice_count > 0;
    if (good) {
        at->machine->hold = false;
        machine_update_switches(at->machine, at->time, at->state);
        good = machine_guards(at->machine, at->time, at->state, guard);
    }
    for (int i = 0; good && i < m->choice_count; i++) {
        const ModeChoice *c = &m->choice[i];
        const Mode *mode = &m->mode[c->first_mode + present_mode(at, c)];
        if (guard[mode - m->mode] != 0) continue;
        Remark *x = report_warning(r, A_LEAVES_MODE, mode->pos,
                                   "'%s' does not stay '%s' at the point that was found",
                                   name_text(m->names, c->owner), name_text(m->names, mode->name));
        remark_help(r, x,
                    "the point belongs to laws that do not hold there: begin the search where "
                    "others do, by --at or other start values");
    }
    free(guard);
}

// States of the laws that stand first are variables with derivatives, which every mode remembers.
static bool remembered_states(const Reached *at, const System *s, double *state) {
    const Memory *y = mode_store_memory(at->switching->store);
    double *value = memory_zeroed((size_t)y->count + 1, sizeof *value);
    bool good = machine_memory(at->machine, at->time, at->state, value);
    for (int i = 0; good && i < s->state_count; i++) {
        int item = s->state_var[i] >= 0 ? y->item[s->state_var[i]] : -1;
        good = item >= 0 && isfinite(value[item]);
        if (good) state[i] = value[item];
    }
    free(value);
    return good;
}

bool reached_states(const Reached *at, const System *s, double *state, Report *r) {
    if (!at->switching) {
        if (s->state_count) memcpy(state, at->state, (size_t)s->state_count * sizeof *state);
        return true;
    }
    if (remembered_states(at, s, state)) return true;
    Remark *x = report_error(r, A_NO_POINT, s->model->pos,
                             "the point that was found has no values for all states of the laws "
                             "that stand first");
    remark_help(r, x, "'bondyn steady' shows the point; give it as start values (`initial`)");
    return false;
}

// --- all of it -----------------------------------------------------------------------------------

bool linear_reach(Reached *at, const System *s, const RunOptions *o, bool start, double time,
                  Report *r) {
    *at = (Reached){.model = s->model, .system = s};
    if (refuse_model(s, r)) return false;
    if (s->model->choice_count) {
        bool there = in_a_mode(at, s, o, start, time, r);
        if (!there) reached_free(at);
        return there;
    }
    Job j;
    job_open(&j, s, o, r);
    bool good = job_prepare(&j);
    if (good) {
        ProgramOptions options = job_program_options(&j);
        options.quadrature_count = 0;
        at->program = program_build(s, &options, r);
        good = at->program != NULL;
    }
    if (good) {
        at->machine = machine_new(at->program);
        at->state = memory_zeroed((size_t)at->program->state_count + 1, sizeof(double));
        good = start || time == j.plan.start ? at_start(at, &j, r) : at_time(at, &j, time, r);
    }
    run_free(job_close(&j, true));
    if (!good) reached_free(at);
    return good;
}

void reached_free(Reached *at) {
    if (at->switching) {
        switching_free(at->switching);
    } else {
        machine_free(at->machine);
        program_free(at->program);
    }
    free(at->state);
    *at = (Reached){0};
}
