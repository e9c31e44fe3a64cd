// A run from experiment to verdict, in the order of job_prepare and job_run at the end of this
// file.
#include "run/job.h"

#include "run/modes.h"

#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_POINTS = 1000 };
#define MOST_POINTS   1e12
#define MOST_VALUES   4e8 // in memory, tracks times rows
#define DEFAULT_STOP  10.0
#define FARTHEST_TIME 1e18
#define SHORTEST_TIME 1e-100
#define DEFAULT_RTOL  1e-6

// --- the plan -----------------------------------------------------------------------------------

static bool refuse_times(Job *j, const char *help) {
    Remark *m = report_error(j->report, R_NO_TIME, j->plan.pos, "the run goes from %g s to %g s",
                             j->plan.start, j->plan.stop);
    remark_help(j->report, m, "%s", help);
    return false;
}

static void plan_from_options(Job *j) {
    const RunOptions *o = j->options;
    Experiment *plan = &j->plan;
    *plan = o->experiment ? *o->experiment : (Experiment){.stop = DEFAULT_STOP};
    if (o->stop != 0) plan->stop = o->stop;
    if (o->rtol != 0) plan->rtol = o->rtol;
    if (o->atol != 0) plan->atol = o->atol;
    if (o->max_step != 0) plan->max_step = o->max_step;
    if (o->min_step != 0) plan->min_step = o->min_step;
    if (o->solver_given || o->solver != SOLVER_AUTO) plan->solver = o->solver;
}

static bool make_plan(Job *j) {
    Experiment *plan = &j->plan;
    plan_from_options(j);
    if (plan->points <= 0 && plan->every == 0) plan->points = DEFAULT_POINTS;
    bool tones =
        plan->sweep.symbol != 0; // which need no end; who looks at the model beside them does
    if (tones && !(plan->stop > plan->start)) plan->stop = plan->start + DEFAULT_STOP;
    if (fmax(fabs(plan->start), fabs(plan->stop)) > FARTHEST_TIME)
        return refuse_times(j, "look at the units: no time lies beyond 1e18 s");
    if (plan->stop > plan->start && plan->stop - plan->start < SHORTEST_TIME)
        return refuse_times(j, "look at the units: no run is shorter than 1e-100 s");
    if (isfinite(plan->start) && isfinite(plan->stop) && plan->stop > plan->start &&
        (plan->points > 0 || plan->every > 0))
        return true;
    return refuse_times(j, "give a `stop` after `start` and a positive distance of points");
}

// --- outputs ------------------------------------------------------------------------------------

static bool switches(const Job *j) { return j->model->choice_count > 0; }

Expr job_form(Job *j, Expr e) { return switches(j) ? e : resolve(j->resolver, e); }

int job_track(Job *j, Expr e, Shown shown) {
    int output = outputs_add(&j->outputs, e);
    for (int i = 1; i < j->tracks.count; i++) {
        const Track *t = &j->tracks.data[i];
        if (!t->integral && t->output == output && strcmp(t->shown.unit, shown.unit) == 0) return i;
    }
    array_push(&j->tracks, ((Track){.output = output, .shown = shown}));
    return j->tracks.count - 1;
}

static RecordOptions record_options(Job *j) {
    RecordOptions options = {j->options->record, j->options->record_count};
    if (options.count || !j->plan.record_count) return options;
    const char **pattern = ARENA_ARRAY(&j->tmp, const char *, j->plan.record_count);
    for (int i = 0; i < j->plan.record_count; i++)
        pattern[i] = name_text(j->model->names, j->plan.records[i]);
    return (RecordOptions){pattern, j->plan.record_count};
}

static Column column_of(Job *j, int var) {
    const Model *m = j->model;
    const Var *v = &m->var[var];
    return (Column){name_text(m->names, v->path), name_text(m->names, v->unit),
                    name_text(m->names, v->text), NULL};
}

// Column 0 is time; then a track for each recorded variable.
static bool want_records(Job *j, Column **column, int *count) {
    RecordOptions options = record_options(j);
    int recorded = 0;
    int *var = record_choose(&j->tmp, j->system, &options, &recorded, j->report);
    if (!var) return false;
    *count = recorded + 1;
    *column = ARENA_ARRAY(&j->tmp, Column, *count);
    (*column)[0] = (Column){"time", "s", "", NULL};
    array_push(&j->tracks, ((Track){.output = -1, .shown = {"s", 1, 0}}));
    for (int i = 0; i < recorded; i++) {
        (*column)[i + 1] = column_of(j, var[i]);
        int output = outputs_add(&j->outputs, job_form(j, j->model->var[var[i]].symbol));
        array_push(&j->tracks, ((Track){.output = output,
                                        .shown = shown_in(j->model, j->model->var[var[i]].unit)}));
    }
    return true;
}

static int *want_watched(Job *j) {
    const RunOptions *o = j->options;
    int *track = ARENA_ARRAY(&j->tmp, int, o->watch_count);
    for (int i = 0; i < o->watch_count; i++) {
        track[i] = job_track(j, job_form(j, o->watch[i]), (Shown){"", 1, 0});
        j->tracks.data[track[i]].kept = true;
    }
    return track;
}

// Behind the integrals of the audit, which are its tracks by number. The first track.
static int want_integrated(Job *j) {
    const RunOptions *o = j->options;
    int first = j->tracks.count;
    for (int i = 0; i < o->integrate_count; i++) {
        array_push(&j->quads, job_form(j, o->integrate[i]));
        array_push(&j->tracks, ((Track){.output = j->quads.count - 1,
                                        .shown = {"", 1, 0},
                                        .kept = true,
                                        .integral = true}));
    }
    return first;
}

static void keep_watched(Job *j, const int *track, int integrated) {
    const RunOptions *o = j->options;
    Run *run = j->run;
    run->watched = ARENA_ARRAY(&run->arena, const double *, o->watch_count);
    for (int i = 0; i < o->watch_count; i++) run->watched[i] = j->tracks.data[track[i]].value;
    run->integrated = ARENA_ARRAY(&run->arena, const double *, o->integrate_count);
    for (int i = 0; i < o->integrate_count; i++)
        run->integrated[i] = j->tracks.data[integrated + i].value;
}

// --- times --------------------------------------------------------------------------------------

static double interval_count(const Experiment *plan) {
    if (plan->points > 0) return plan->points;
    double n = (plan->stop - plan->start) / plan->every;
    return fmax(1, ceil(n - 1e-9 - 1e-12 * n)); // the last one ends at the stop, no speck after it
}

static bool too_much(Job *j, double rows, int columns) {
    const RunOptions *o = j->options;
    double values = rows * columns;
    bool kept = !o->rows && !o->most_rows;
    if (rows <= MOST_POINTS && (!kept || values <= MOST_VALUES)) return false;
    Remark *m = report_error(j->report, R_TOO_MUCH, j->plan.pos, "%.3g rows of %d columns %s", rows,
                             columns, kept ? "do not fit in memory" : "do not fit anywhere");
    remark_help(j->report, m, "record less, or fewer points: `record load.f`, `every 0.01 {s}`");
    return true;
}

// A digit and a comma is the least that a number takes.
static bool no_room(Job *j, double rows, int columns) {
    double least = 2 * rows * columns, room = j->options->rows_room;
    if (!j->options->rows || room <= 0 || least <= room) return false;
    Remark *m =
        report_error(j->report, R_NO_ROOM, j->plan.pos,
                     "%.3g rows of %d columns take %.2g GB at least; there are %.2g GB left", rows,
                     columns, least / 1e9, room / 1e9);
    remark_help(j->report, m,
                "record less or fewer points (`record load.f`, `every 0.01 {s}`), take --h5, or "
                "another disk with --out");
    return true;
}

static bool make_times(Job *j, int columns, long *rows) {
    const Experiment *plan = &j->plan;
    double n = interval_count(plan);
    if (too_much(j, n + 1, j->tracks.count) || no_room(j, n + 1, columns)) return false;
    *rows = (long)n + 1;
    double every = plan->points > 0 ? (plan->stop - plan->start) / n : plan->every, *extra;
    int extras;
    if (!probes_times(j, &extra, &extras)) return false;
    j->times = times_make(plan->start, plan->stop, every, (long)n, probes_parts(j, (long)n), extra,
                          extras);
    probes_find_times(j);
    return true;
}

// --- points -------------------------------------------------------------------------------------

static void note_bad_outputs(Job *j, const SolvePoint *p) {
    for (int i = 0; i < j->outputs.expr.count; i++) {
        if (isfinite(p->output[i])) continue;
        if (j->bad_count++ == 0) j->bad_output = i;
    }
    if (!j->bad_count) return;
    j->bad_time = p->time;
    if (j->system->state_count && !switches(j))
        memcpy(j->bad_state, p->state, (size_t)j->system->state_count * sizeof(double));
}

bool job_take_point(void *context, const SolvePoint *p) {
    Job *j = context;
    double time;
    bool row = true;
    if (!p->last && !times_next(&j->times, &j->present, &time, &row)) return false;
    if (j->bad_output < 0) note_bad_outputs(j, p);
    if (!j->run->audit.off) audit_point(&j->book, p->time, p->quad, p->output);
    probes_point(j, p);
    j->taken++;
    if (!row) rows_inside(j, p->time, p->output);
    return !row || rows_add(j, p);
}

bool job_next_time(void *context, double *time) {
    Job *j = context;
    bool row;
    return times_next(&j->times, &j->wanted, time, &row);
}

static void take_event(void *context, double time, const double *before, const double *after) {
    Job *j = context;
    rows_sides(j, time, before, after);
    probes_sides(j, time, before, after);
    if (!j->run->audit.off) audit_event(&j->book, before, after);
}

static void take_jump(void *context, double time, const double *before, const double *after) {
    Job *j = context;
    rows_sides(j, time, before, after);
    probes_sides(j, time, before, after);
    if (j->energy_jumps) audit_impulse(&j->book, before, after);
}

static void take_inside(void *context, double time, const double *output) {
    rows_inside(context, time, output);
    probes_inside(context, time, output);
}

static void tell_progress(void *context, double time) {
    const Job *j = context;
    double part = (time - j->plan.start) / (j->plan.stop - j->plan.start);
    j->options->progress(j->options->context, fmin(fmax(part, 0), 1));
}

// --- solving ------------------------------------------------------------------------------------

static Pos place_of_value(const Job *j, Expr value) {
    for (int v = 0; v < j->model->var_count; v++)
        if (j->system->value[v] == value) return j->model->var[v].pos;
    return POS_NONE;
}

static void report_bad_outputs(Job *j, Machine *m) {
    if (j->bad_output < 0) return;
    j->run->not_finite = true;
    Expr value = j->outputs.expr.data[j->bad_output];
    Text name = {0}, why = {0};
    program_name(&name, m->program, value);
    if (!switches(j)) machine_explain_output(m, j->bad_time, j->bad_state, j->bad_output, &why);
    Remark *remark = report_error(j->report, R_NOT_FINITE, place_of_value(j, value),
                                  "at t = %g s '%s' is not a finite number%s%s", j->bad_time,
                                  text_get(&name), why.length ? ": " : "", text_get(&why));
    if (!switches(j)) machine_note_law(m, value, j->report, remark);
    if (j->bad_count > 1)
        remark_note(j->report, remark, POS_NONE,
                    j->bad_count > 2 ? "so are %d other recorded values"
                                     : "so is %d other recorded value",
                    j->bad_count - 1);
    bool large = !switches(j) && machine_overflows(m, value);
    remark_help(j->report, remark, "%s",
                large ? remedy_for_overflow
                      : "guard the expression with `if`, `max` or `signsqrt`");
    text_free(&name);
    text_free(&why);
}

const double *job_parameters(Job *j, const Program *p) {
    if (!j->options->set_count) return NULL;
    double *value = ARENA_ARRAY(&j->tmp, double, p->param_count);
    job_fill_parameters(j, p, value);
    return value;
}

void job_fill_parameters(const Job *j, const Program *p, double *value) {
    const RunOptions *o = j->options;
    for (uint32_t i = 0; i < p->param_count; i++) {
        value[i] = p->param_value[i];
        for (int k = 0; k < o->set_count; k++)
            if (o->set_var[k] == p->param_var[i]) value[i] = o->set_value[k];
    }
}

SolveOptions job_solve_options(Job *j, const SolveModes *modes) {
    bool peaks = j->options->extremes || probes_want_sides(j), sides = j->curves.count || peaks;
    return (SolveOptions){.method = j->plan.solver,
                          .engine = j->options->engine,
                          .rtol = j->plan.rtol,
                          .atol = j->plan.atol,
                          .step = j->plan.step,
                          .max_step = j->plan.max_step,
                          .min_step = j->plan.min_step,
                          .start = j->plan.start,
                          .stop = j->plan.stop,
                          .start_state = j->options->start_state,
                          .next_time = job_next_time,
                          .sink = job_take_point,
                          .context = j,
                          .progress = j->options->progress ? tell_progress : NULL,
                          .event = j->run->audit.off && !sides ? NULL : take_event,
                          .jump = j->energy_jumps || sides ? take_jump : NULL,
                          .only_watches = !j->energy_jumps,
                          .inside_step = peaks ? take_inside : NULL,
                          .settle_var = j->settle_var.data,
                          .settle_output = j->settle_output.data,
                          .settle_count = j->settle_var.count,
                          .modes = modes,
                          .cancel = j->options->cancel,
                          .most_steps = j->options->most_steps,
                          .conserves = audit_conserves(j->system),
                          .energy_count = j->book.track_count,
                          .pos = j->plan.pos};
}

SolveOptions job_unwatched_options(Job *j, const SolveModes *modes) {
    SolveOptions o = job_solve_options(j, modes);
    o.next_time = NULL;
    o.sink = NULL;
    o.context = NULL;
    o.progress = NULL;
    o.event = NULL;
    o.jump = NULL;
    o.inside_step = NULL;
    return o;
}

bool job_solved(Job *j, Machine *m, SolveStatus status) {
    j->run->status = status;
    if (status == SOLVE_REFUSED) return false;
    Results *r = &j->run->results;
    bool whole = j->run->stats.ended || j->taken == times_count(&j->times);
    r->complete = status == SOLVE_DONE && whole;
    r->solver = solver_name(j->run->stats.method);
    report_bad_outputs(j, m);
    return true;
}

ProgramOptions job_program_options(const Job *j) {
    return (ProgramOptions){.output = j->outputs.expr.data,
                            .output_count = j->outputs.expr.count,
                            .quadrature = j->quads.data,
                            .quadrature_count = j->quads.count,
                            .implicit = j->plan.solver == SOLVER_IDA,
                            .kinks = j->kinks,
                            .explicit = solver_is_explicit(j->plan.solver)};
}

static bool solve(Job *j, Machine *m, const SolveModes *modes) {
    SolveOptions o = job_solve_options(j, modes);
    const double *params = job_parameters(j, m->program);
    return job_solved(j, m, solve_run(m, params, &o, &j->run->stats, j->report));
}

static bool build_and_solve(Job *j) {
    ProgramOptions options = job_program_options(j);
    ModeStore *store = switches(j) ? mode_store_new(j->model) : NULL;
    Modes *modes = store ? modes_new(j, store) : NULL;
    if (store) options = modes_options(j, &j->tmp, j->system, mode_store_memory(store));
    Program *p = program_build(j->system, &options, j->report);
    Machine *m = p ? machine_new(p) : NULL;
    bool started = m && solve(j, m, modes_solve(modes));
    machine_free(m);
    program_free(p);
    modes_free(modes);
    mode_store_free(store);
    return started;
}

// --- closing ------------------------------------------------------------------------------------

static const char *audit_advice(const Audit *a, Role role) {
    switch (role) {
    case ROLE_LOSSLESS:
        return "its law does not conserve power: mend the law, or declare what it is";
    case ROLE_DISSIPATE: return "it hands out energy: mend its law, or declare `supplies`";
    case ROLE_STORE:
        return a->cause == CAUSE_LAW
                   ? "its law makes the energy, not the integration: the power into it is not the "
                     "rate of what it stores; compare `stores` with the law, look for a field "
                     "that is not symmetric"
                   : "the laws keep it, the integration does not: tighten `rtol` or the step, or "
                     "take another solver";
    case ROLE_SUPPLY:
    case ROLE_NONE: break;
    }
    return "`bondyn explain R020` tells what to look for";
}

// Only a loss or gain of the whole can be told in one word.
static const char *what_happened(const Audit *a) {
    if (a->cause == CAUSE_LAW) return "a law makes or loses energy";
    return a->residual > 0 ? "the integration has lost energy" : "the integration has made energy";
}

static void report_audit(Job *j) {
    const Audit *a = &j->run->audit;
    const Model *m = j->model;
    if (a->pass || a->off || a->worst < 0) return;
    const Comp *c = &m->comp[a->worst];
    Remark *r = report_warning(
        j->report, R_AUDIT, c->pos,
        "energy is not balanced: %.2g of the %.4g J that were supplied, dissipated "
        "or stored does not add up, %.2g is allowed: %s; '%s' has the largest "
        "residual",
        a->relative, a->scale, a->bound, what_happened(a), name_text(m->names, c->path));
    remark_help(j->report, r, "%s", audit_advice(a, c->role));
}

static void close_audit(Job *j) {
    if (j->run->audit.off) return;
    double rtol = j->plan.rtol > 0 ? j->plan.rtol : DEFAULT_RTOL;
    if (solver_has_fixed_step(j->run->stats.method)) rtol = 0;
    double bound = j->plan.audit > 0 ? j->plan.audit : audit_default_bound(rtol);
    audit_close(&j->run->audit, &j->run->arena, &j->book, bound, fmax(rtol, 1e-13));
    report_audit(j);
}

static void name_results(Job *j) {
    const Model *m = j->model;
    Results *r = &j->run->results;
    r->model = name_text(m->names, m->name);
    r->experiment = name_text(m->names, j->plan.name);
}

// Whose numbers are asked for: probes and expectations, and objectives, which may be made of parameters alone.
static bool needs_symbols(const Job *j) {
    const Experiment *x = j->options->experiment;
    return j->plan.probe_count || j->plan.expect_count ||
           (x && (x->aims.objective || x->aims.limit_count));
}

static void open_symbols(Job *j) {
    const RunOptions *o = j->options;
    symbols_open(&j->symbols, j->model);
    for (int k = 0; k < o->set_count; k++)
        symbols_set(&j->symbols, j->model->var[o->set_var[k]].symbol, o->set_value[k]);
}

// --- the steps of a run --------------------------------------------------------------------------

bool job_is_frequency(const Job *j) {
    return j->options->experiment && j->options->experiment->sweep.symbol;
}

bool job_prepare(Job *j) {
    Column *column;
    int columns;
    long rows;
    if (!make_plan(j) || !want_records(j, &column, &columns)) return false;
    if (needs_symbols(j)) open_symbols(j);
    curves_want(j);
    const int *watched = j->watch_track = want_watched(j);
    audit_want(j);
    int integrated = want_integrated(j);
    if (!probes_want(j) || !make_times(j, columns, &rows)) return false;
    j->bad_state = ARENA_ARRAY(&j->tmp, double, j->system->state_count);
    rows_open(j, column, columns, rows);
    keep_watched(j, watched, integrated);
    name_results(j);
    return true;
}

void job_finish(Job *j) {
    rows_close(j);
    probes_finish(j);
    verdicts_make(j);
    close_audit(j);
    curves_finish(j);
}

// Whoever can seek the point does so before, and gives the states.
static bool refuses_steady_start(const Job *j) {
    const Experiment *x = j->options->experiment;
    bool run = x && (x->analysis.kind == ANALYSIS_NONE || x->analysis.kind == ANALYSIS_POWER);
    if (!run || !x->analysis.steady || j->options->start_state) return false;
    Remark *m = report_error(j->report, A_IS_ANALYSIS, x->pos,
                             "experiment '%s' begins at a steady point, which is not sought here",
                             name_text(j->model->names, x->name));
    remark_help(j->report, m,
                "'bondyn run', 'report', 'power', 'sweep' and 'montecarlo' do; name another "
                "experiment here");
    return true;
}

bool job_refuses_analysis(const Job *j) {
    const Experiment *x = j->options->experiment;
    if (refuses_steady_start(j)) return true;
    if (!x || x->analysis.kind == ANALYSIS_NONE || x->analysis.kind == ANALYSIS_POWER) return false;
    Remark *m = report_error(j->report, A_IS_ANALYSIS, x->analysis.pos,
                             "experiment '%s' is an analysis (%s), not a run",
                             name_text(j->model->names, x->name), analysis_name(x->analysis.kind));
    remark_help(j->report, m, "'bondyn run' and 'bondyn %s' make it; name another experiment here",
                analysis_name(x->analysis.kind));
    return true;
}

static bool job_run(Job *j) {
    if (job_refuses_analysis(j)) return false;
    if (job_is_frequency(j)) {
        plan_from_options(j);
        name_results(j);
        return frequency_run(j);
    }
    if (!job_prepare(j) || !build_and_solve(j)) return false;
    job_finish(j);
    return true;
}

void job_open(Job *j, const System *s, const RunOptions *o, Report *r) {
    static const RunOptions nothing = {0};
    *j = (Job){.system = s,
               .model = s->model,
               .options = o ? o : &nothing,
               .run = memory_zeroed(1, sizeof *j->run),
               .report = r,
               .resolver = resolver_new(s),
               .bad_output = -1};
}

Run *job_close(Job *j, bool good) {
    Run *run = j->run;
    resolver_free(j->resolver);
    symbols_close(&j->symbols);
    outputs_free(&j->outputs);
    array_free(&j->quads);
    array_free(&j->settle_var);
    array_free(&j->settle_output);
    array_free(&j->tracks);
    for (int i = 0; i < j->curves.count; i++) trace_free(&j->curves.data[i].trace);
    array_free(&j->curves);
    arena_free(&j->tmp);
    if (good) return run;
    run_free(run);
    return NULL;
}

Run *run_experiment(const System *s, const RunOptions *o, Report *r) {
    Job j;
    job_open(&j, s, o, r);
    bool good = job_run(&j);
    return job_close(&j, good);
}

void run_free(Run *run) {
    if (!run) return;
    results_free(&run->results);
    arena_free(&run->arena);
    free(run);
}
