// Where a run is at some time: the program, and the machine as it is there.
#include "analysis/linear.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

static bool refuse_model(const System *s, Report *r) {
    const Model *m = s->model;
    if (!m->choice_count && !m->delay_count) return false;
    Remark *x = report_error(r, A_NOT_SMOOTH, m->choice_count ? m->choice[0].pos : m->delay[0].pos,
                             "'%s' %s: there is no one linear model", name_text(m->names, m->name),
                             m->choice_count ? "has laws that switch" : "has delays");
    remark_help(r, x, "%s",
                m->choice_count ? "write a model with the laws of one mode"
                                : "write the delay as a lag, or set it aside");
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

static bool at_time(Reached *at, Job *j, double time, Report *r) {
    if (!(time >= j->plan.start)) {
        Remark *x =
            report_error(r, A_NO_POINT, j->plan.pos, "%g s lies before the start of the run, %g s",
                         time, j->plan.start);
        remark_help(r, x, "give a time from the start on");
        return false;
    }
    SolveOptions o = job_solve_options(j, NULL);
    o.stop = time;
    o.times = &time;
    o.time_count = 1;
    o.next_time = NULL;
    o.sink = keep;
    o.context = at;
    o.progress = NULL;
    o.event = NULL;
    o.jump = NULL;
    SolveStats stats;
    at->time = NAN;
    SolveStatus status = solve_run(at->machine, job_parameters(j, at->program), &o, &stats, r);
    if (status == SOLVE_DONE && at->time == time) return true;
    if (!r->errors) {
        Remark *x = report_error(r, A_NO_POINT, j->plan.pos, "the run ended at %g s, before %g s",
                                 stats.reached, time);
        remark_help(r, x, "give a time that the run reaches");
    }
    return false;
}

bool linear_reach(Reached *at, const System *s, const RunOptions *o, bool start, double time,
                  Report *r) {
    *at = (Reached){0};
    if (refuse_model(s, r)) return false;
    Job j;
    job_open(&j, s, o, r);
    bool good = job_prepare(&j);
    if (good) {
        ProgramWish wish = job_program_wish(&j);
        wish.quadrature_count = 0;
        at->program = program_build(s, &wish, r);
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
    machine_free(at->machine);
    program_free(at->program);
    free(at->state);
    *at = (Reached){0};
}
