// See crowd.h.
#include "run/crowd.h"

#include "base/memory.h"
#include "engine/lanes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    long step; // since its start
    bool over; // it begins again with the next step
    Report report;
} Member;

struct Crowd {
    Job job;
    Program *program;
    Native *lanes, *single;
    int count, width, groups;
    SolveLane *lane; // per run
    Member *member;
    LaneGroup **group;
    double **output; // per group: of its runs
    double dt;
    int *place, input_count; // held values of the inputs
    bool open;
};

// --- opening -------------------------------------------------------------------------------------

static bool refuse(Crowd *c, Report *r, const char *what, const char *help) {
    Remark *m =
        report_error(r, S_BAD_OPTION, c->job.plan.pos, "runs cannot go side by side: %s", what);
    remark_help(r, m, "%s", help);
    return false;
}

// Builds the program. audit: with the energy audit, which costs time, but tells what jumps where
// relations switch.
static bool build(Crowd *c, const System *s, const RunOptions *o, bool audit, Report *r) {
    Job *j = &c->job;
    job_open(j, s, o, r);
    c->open = true;
    if (!audit) j->plan.audit = -1;
    if (job_is_frequency(j))
        return refuse(c, r, "a frequency response is no run in time", "name another experiment");
    if (job_refuses_analysis(j) || !job_prepare(j)) return false;
    if (j->model->choice_count) return refuse(c, r, "laws switch", "take single runs (bd_start)");
    ProgramOptions options = job_program_options(j);
    c->program = program_build(s, &options, r);
    return c->program;
}

static void shut(Crowd *c) {
    program_free(c->program);
    c->program = NULL;
    if (c->open) run_free(job_close(&c->job, true));
    c->open = false;
}

static bool get_code(Crowd *c, Report *r) {
    SolveOptions o = job_solve_options(&c->job, NULL);
    const char *why = o.method == SOLVER_RK78 ? "the method has steps of its own choice"
                                              : solve_lanes_obstacle(c->program, &o);
    if (why) return refuse(c, r, why, "single runs (bd_start) can do without");
    c->lanes = native_start(c->program, &(NativeOptions){.lanes = native_lanes()});
    c->single = native_start(c->program, NULL);
    if (native_wait(c->single) != NATIVE_READY) {
        native_free(c->single);
        c->single = NULL;
    }
    if (native_wait(c->lanes) == NATIVE_READY) return true;
    return refuse(c, r, native_words(c->lanes), "single runs (bd_start) can do without");
}

static bool check_step(Crowd *c, double dt, Report *r) {
    const Experiment *e = &c->job.plan;
    double step = e->step > 0 ? e->step : (e->stop - e->start) / 1000, parts = dt / step;
    c->dt = dt;
    if (dt > 0 && isfinite(dt) && parts > 0.5 && fabs(parts - round(parts)) < 1e-9 * parts)
        return true;
    return refuse(c, r, "the step of the batch is not a multiple of the solver's",
                  "give the experiment a step: `solver rk4 step 1 {ms}`");
}

static bool find_places(Crowd *c, const int *input, int count, Report *r) {
    const Whens *w = &c->program->system->whens;
    c->place = memory_zeroed((size_t)count + 1, sizeof *c->place);
    c->input_count = count;
    for (int k = 0; k < count; k++) {
        int at = 0;
        while (at < w->discrete_count && w->discrete_var[at] != input[k]) at++;
        if (at == w->discrete_count)
            return refuse(c, r, "an input is not open", "name inputs that nothing sets");
        c->place[k] = at;
    }
    return true;
}

static bool no_time(void *context,
                    double *time) { // NOLINT(readability-non-const-parameter): the solver's type
    (void)context, (void)time;
    return false;
}

static void ignore_jump(void *context, double time, const double *before, const double *after) {
    (void)context, (void)time, (void)before, (void)after;
}

static void open_run(Crowd *c, int i) {
    SolveLane *l = &c->lane[i];
    l->machine = machine_new(c->program);
    l->params = job_parameters(&c->job, c->program);
    bool jumps = job_solve_options(&c->job, NULL).jump;
    l->options = job_unwatched_options(&c->job, NULL);
    l->options.next_time = no_time;
    if (jumps) l->options.jump = ignore_jump;
    l->options.native = c->single;
    l->options.engine = ENGINE_VM;
    l->report = &c->member[i].report;
}

static void open_runs(Crowd *c) {
    c->width = native_code(c->lanes)->lanes;
    c->groups = (c->count + c->width - 1) / c->width;
    c->lane = memory_zeroed((size_t)c->count, sizeof *c->lane);
    c->member = memory_zeroed((size_t)c->count, sizeof *c->member);
    c->group = memory_zeroed((size_t)c->groups, sizeof(LaneGroup *));
    c->output = memory_zeroed((size_t)c->groups, sizeof(double *));
    for (int i = 0; i < c->count; i++) open_run(c, i);
    for (int g = 0; g < c->groups; g++) {
        int first = g * c->width, count = c->count - first < c->width ? c->count - first : c->width;
        c->group[g] = group_new(&c->lane[first], count, c->lanes);
        c->output[g] =
            memory_zeroed((size_t)count * (size_t)c->program->output_count + 1, sizeof(double));
    }
}

Crowd *crowd_new(const System *s, const RunOptions *o, int count, double dt, const int *input,
                 int input_count, Report *r) {
    Crowd *c = memory_zeroed(1, sizeof *c);
    c->count = count;
    bool good = build(c, s, o, false, r);
    if (good && c->program->switch_count) {
        shut(c);
        good = build(c, s, o, true, r);
    }
    if (good && get_code(c, r) && check_step(c, dt, r) && find_places(c, input, input_count, r)) {
        open_runs(c);
        return c;
    }
    crowd_free(c);
    return NULL;
}

void crowd_free(Crowd *c) {
    if (!c) return;
    for (int g = 0; g < c->groups; g++) {
        group_free(c->group[g]);
        free(c->output[g]);
    }
    for (int i = 0; c->lane && i < c->count; i++) {
        machine_free(c->lane[i].machine);
        report_free(&c->member[i].report);
    }
    native_free(c->lanes);
    native_free(c->single);
    shut(c);
    free(c->lane);
    free(c->member);
    free(c->group);
    free(c->output);
    free(c->place);
    free(c);
}

const Run *crowd_run(const Crowd *c) { return c->job.run; }
int crowd_lanes(const Crowd *c) { return c->width; }
int crowd_groups(const Crowd *c) { return c->groups; }

// --- going on ------------------------------------------------------------------------------------

static int runs_in(const Crowd *c, int g) {
    int rest = c->count - g * c->width;
    return rest < c->width ? rest : c->width;
}

static bool is_in(unsigned set, int i) { return set >> i & 1; }

static void begin(Member *m) {
    report_free(&m->report);
    m->report = (Report){0};
    m->step = 0;
    m->over = false;
}

static unsigned over_in(const Crowd *c, int g) {
    unsigned over = 0;
    for (int i = 0; i < runs_in(c, g); i++) over |= (unsigned)c->member[g * c->width + i].over << i;
    return over;
}

// Some begin again: together, if nobody else of the group is on the way.
static unsigned restart(Crowd *c, int g, unsigned over) {
    Member *m = &c->member[g * c->width];
    unsigned failed = 0;
    bool all = (group_together(c->group[g]) & ~over) == 0;
    for (int i = 0; i < runs_in(c, g); i++) {
        if (!is_in(over, i)) continue;
        begin(&m[i]);
        if (!all && !group_start_alone(c->group[g], i)) failed |= 1u << i;
    }
    if (all && over) failed |= over & ~group_start(c->group[g], over);
    for (int i = 0; i < runs_in(c, g); i++) m[i].over = m[i].over || is_in(failed, i);
    return over;
}

// Copies the present values of a group into its rows, but those of some that are left alone.
static void show_group(const Crowd *c, int g, unsigned without, double *value) {
    int columns = c->job.run->results.column_count - 1, outputs = c->program->output_count;
    group_look(c->group[g], c->output[g]);
    for (int i = 0; i < runs_in(c, g); i++) {
        if (is_in(without, i)) continue;
        const double *from = c->output[g] + (size_t)i * (size_t)outputs;
        double *to = value + (size_t)(g * c->width + i) * (size_t)columns;
        for (int k = 0; k < columns; k++) {
            const Track *t = &c->job.tracks.data[k + 1];
            to[k] = show(t->shown, from[t->output]);
        }
    }
}

void crowd_reset(Crowd *c, int first, int last, const bool *which, double *value) {
    for (int g = first; g < last; g++) {
        unsigned chosen = 0;
        for (int i = 0; i < runs_in(c, g); i++)
            chosen |= (unsigned)(!which || which[g * c->width + i]) << i;
        restart(c, g, chosen);
        show_group(c, g, ~chosen, value);
    }
}

static double time_of(const Crowd *c, long step) {
    double time = c->job.plan.start + (double)step * c->dt;
    return time > c->job.plan.stop ? c->job.plan.stop : time;
}

// Gives: runs that failed. All that are together have gone the same number of steps.
static unsigned go(Crowd *c, int g, unsigned idle, const double *inputs) {
    Member *m = &c->member[g * c->width];
    LaneGroup *x = c->group[g];
    unsigned failed = 0;
    double until = NAN;
    for (int i = 0; i < runs_in(c, g); i++) {
        if (is_in(idle, i)) continue;
        const double *u = inputs + (size_t)(g * c->width + i) * (size_t)c->input_count;
        m[i].step++;
        if (!group_put(x, i, c->place, u, c->input_count)) failed |= 1u << i;
    }
    unsigned who = group_together(x) & ~idle;
    for (int i = 0; i < runs_in(c, g); i++) {
        if (is_in(who, i))
            until = time_of(c, m[i].step);
        else if (!is_in(idle | failed, i) && !group_go_alone(x, i, time_of(c, m[i].step)))
            failed |= 1u << i;
    }
    return who ? failed | group_go(x, until) : failed;
}

void crowd_step(Crowd *c, int first, int last, const double *inputs, double *value,
                unsigned char *state) {
    for (int g = first; g < last; g++) {
        Member *m = &c->member[g * c->width];
        unsigned idle = restart(c, g, over_in(c, g)), failed = go(c, g, idle, inputs);
        show_group(c, g, failed, value);
        for (int i = 0; i < runs_in(c, g); i++) {
            double rest = c->job.plan.stop - group_time(c->group[g], i);
            bool ends = rest <= 1e-9 * c->dt;
            CrowdState now = is_in(failed, i) || m[i].over ? CROWD_FAILED
                             : ends && !is_in(idle, i)     ? CROWD_ENDED
                                                           : CROWD_GOES_ON;
            m[i].over = now != CROWD_GOES_ON;
            state[g * c->width + i] = (unsigned char)now;
        }
    }
}
