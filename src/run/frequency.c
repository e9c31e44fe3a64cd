// Frequency response: for each frequency a run with a sine on the input, until the answer repeats
// itself.
//
//     period     2       4           8                       16
//              . [   ] . [   ] . . . [   ] . . . . . . . . . . [   ]     measured: two periods each
//
// In a measured pair of periods the answer is taken at N points of each. By how much the mean of
// the second one differs from that of the first it drifts in a period; without this drift, which is
// all that a slow transient is, the fundamental of the second is
//     b sin(wt) + a cos(wt),   a = 2/N sum y cos(wt),  b = 2/N sum y sin(wt),
// exact for a periodic answer with less than N/2 harmonics.
//
// How far the answer is from settled is told by three rounds. A transient c exp(-t/T) changes by d1
// between the first two and by d2 between the last two, whose distance is twice as long, so
//     d2/d1 = z + z^2,   z = exp(-first distance/T),     what is left of it = d2 z^2/(1 - z^2).
// A transient that changes little because it is slow has z near 1, and much is left.
#include "run/job.h"

#include <math.h>
#include <string.h>

enum { POINTS = 512, LEAST_ROUNDS = 3, USUAL_ROUNDS = 13, MOST_ROUNDS = 29, STEPS_PER_PERIOD = 20 };
enum { PAIR = 2 * POINTS };
#define AGREE      1e-5 // of the swing
#define NOISE      1e-8 // what changes by less has settled: ratios of rounding tell nothing
#define SWEEP_RTOL 1e-9

typedef struct {
    double amplitude, phase, swing, mean; // phase in rad, against the input
} Response;

typedef struct { // one frequency on its way
    Job *job;
    int answers;
    const int *output; // per answer
    const int *watch;  // outputs that the options ask for besides,
    double **watched;  // and their values, a row for each frequency
    int row;
    double frequency;
    double *sample; // per answer PAIR values of the present round
    double *change; // per answer: between the last two rounds, in parts of the swing
    Response *now, *before;
    int taken, rounds; // points; measured pairs of periods
    double left;       // what is still missing of the worst answer
    bool settled;
    unsigned char *warned; // assertions, in one of the runs
} Tone;

// --- measuring ----------------------------------------------------------------------------------

// The top of the parabola through the largest point and its neighbours; the period closes on
// itself.
static double top(const double *y, double sign) {
    int best = 0;
    for (int i = 1; i < POINTS; i++)
        if (sign * y[i] > sign * y[best]) best = i;
    double left = y[(best + POINTS - 1) % POINTS], middle = y[best], right = y[(best + 1) % POINTS];
    double bend = left - 2 * middle + right, slope = (right - left) / 2;
    return bend != 0 && fabs(slope) <= fabs(bend) ? middle - slope * slope / (2 * bend) : middle;
}

// Of the second of two periods, which loses its drift.
static Response measure(double *pair) {
    double *y = pair + POINTS;
    double a = 0, b = 0, mean = 0, drift = 0;
    for (int i = 0; i < POINTS; i++) {
        mean += y[i] / POINTS;
        drift += (y[i] - pair[i]) / POINTS;
    }
    for (int i = 0; i < POINTS; i++) {
        double angle = 2 * acos(-1) * i / POINTS;
        y[i] -= drift * ((double)i / POINTS - 0.5);
        a += y[i] * cos(angle);
        b += y[i] * sin(angle);
    }
    a *= 2.0 / POINTS;
    b *= 2.0 / POINTS;
    return (Response){hypot(a, b), atan2(a, b), (top(y, 1) - top(y, -1)) / 2, mean};
}

// How far two periods are apart, in parts of the swing.
static double distance(const Response *x, const Response *y) {
    double size = fmax(fmax(x->swing, y->swing), 1e-12 * fabs(x->mean));
    if (size == 0) return 0;
    double fundamental = hypot(x->amplitude * cos(x->phase) - y->amplitude * cos(y->phase),
                               x->amplitude * sin(x->phase) - y->amplitude * sin(y->phase));
    return fmax(fundamental, fabs(x->swing - y->swing)) / size;
}

// What is left of a transient that changed by d1 and then, in twice the time, by d2.
static double missing(double d1, double d2) {
    if (d2 <= NOISE) return d2;
    double z = (sqrt(1 + 4 * d2 / d1) - 1) / 2;
    return z < 1 ? fmax(d2, d2 * z * z / (1 - z * z)) : HUGE_VAL;
}

static bool end_of_round(Tone *t, double time) {
    t->left = 0;
    for (int k = 0; k < t->answers; k++) {
        t->before[k] = t->now[k];
        t->now[k] = measure(t->sample + (size_t)k * PAIR);
        double d = distance(&t->now[k], &t->before[k]), left = missing(t->change[k], d);
        if (!(left <= t->left)) t->left = left;
        t->change[k] = d;
    }
    t->rounds++;
    t->settled = t->rounds >= LEAST_ROUNDS && t->left <= AGREE && time >= t->job->plan.sweep.settle;
    return !t->settled;
}

static bool take_point(void *context, const SolvePoint *p) {
    Tone *t = context;
    int place = t->taken++ % PAIR;
    for (int k = 0; k < t->answers; k++)
        t->sample[(size_t)k * PAIR + (size_t)place] = p->output[t->output[k]];
    if (place < PAIR - 1) return true;
    for (int k = 0; k < t->job->options->watch_count; k++)
        t->watched[k][t->row] = p->output[t->watch[k]];
    return end_of_round(t, p->time);
}

// --- one frequency ------------------------------------------------------------------------------

static int rounds_for(const Job *j, double frequency) {
    double periods = fmax(1, j->plan.sweep.settle * frequency);
    int rounds = (int)ceil(log2(periods)) + 2;
    return rounds < USUAL_ROUNDS ? USUAL_ROUNDS : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
}

static double *make_times(Job *j, double frequency, int rounds) {
    double *times = ARENA_ARRAY(&j->tmp, double, rounds *PAIR);
    for (int r = 0, n = 0; r < rounds; r++)
        for (int i = 0; i < PAIR; i++)
            times[n++] = (ldexp(2, r) - 1 + (double)i / POINTS) / frequency;
    return times;
}

static void add_stats(SolveStats *sum, const SolveStats *one) {
    sum->method = one->method;
    sum->why = one->why;
    sum->steps += one->steps;
    sum->rejected += one->rejected;
    sum->derivative_calls += one->derivative_calls;
    sum->jacobian_calls += one->jacobian_calls;
    sum->events += one->events;
    sum->wall_seconds += one->wall_seconds;
    sum->reached = one->reached;
}

static bool is_cancelled(const Job *j) { return j->options->cancel && *j->options->cancel; }

static double worst_change(const Tone *t) {
    double worst = 0;
    for (int k = 0; k < t->answers; k++) worst = fmax(worst, t->change[k]);
    return worst;
}

static void warn_unsettled(Job *j, const Tone *t, double time) {
    Remark *m = report_warning(
        j->report, R_NOT_SETTLED, j->plan.sweep.pos,
        "at %g Hz the answer does not repeat itself: after %.4g s two periods are %.2g of it apart",
        t->frequency, time, worst_change(t));
    remark_help(j->report, m,
                "give it longer with `settle`, or tighten rtol; an answer that drifts or swings by "
                "itself has no frequency response");
}

// False: the run failed or was interrupted.
static bool run_tone(Job *j, Machine *m, const double *params, Tone *t) {
    int rounds = rounds_for(j, t->frequency);
    double *times = make_times(j, t->frequency, rounds);
    const Experiment *plan = &j->plan;
    SolveStats stats;
    SolveOptions o = {.method = plan->solver,
                      .rtol = plan->rtol > 0 ? plan->rtol : SWEEP_RTOL,
                      .atol = plan->atol,
                      .step = plan->step,
                      .max_step = 1 / (STEPS_PER_PERIOD * t->frequency),
                      .stop = times[rounds * PAIR - 1],
                      .start_state = j->options->start_state,
                      .times = times,
                      .time_count = rounds * PAIR,
                      .sink = take_point,
                      .context = t,
                      .warned = t->warned,
                      .cancel = j->options->cancel,
                      .most_steps = j->options->most_steps,
                      .pos = plan->pos};
    if (plan->max_step > 0) o.max_step = fmin(o.max_step, plan->max_step);
    SolveStatus status = solve_run(m, params, &o, &stats, j->report);
    if (status == SOLVE_CANCELLED && !is_cancelled(j)) status = SOLVE_DONE; // settled
    add_stats(&j->run->stats, &stats);
    j->run->status = status;
    if (status != SOLVE_DONE) return false;
    if (!t->settled) warn_unsettled(j, t, stats.reached);
    return true;
}

// --- results ------------------------------------------------------------------------------------

typedef struct { // the whole sweep
    Job *job;
    Signal *answer; // those of the statement, then those that only expectations ask for
    int *output;
    int answers;
    int *watch;         // outputs
    double **watched;   // frequency by frequency
    Response *response; // likewise
    int done;           // frequencies
} Band;

static int answer_of(Band *s, const Signal *x) {
    int output = outputs_add(&s->job->outputs, resolve(s->job->resolver, x->what));
    for (int k = 0; k < s->answers; k++)
        if (s->output[k] == output) return k;
    s->answer[s->answers] = *x;
    s->output[s->answers] = output;
    return s->answers++;
}

static void want_answers(Band *s) {
    Job *j = s->job;
    int most = j->plan.sweep.answer_count + j->plan.probe_count;
    s->answer = ARENA_ARRAY(&j->tmp, Signal, most);
    s->output = ARENA_ARRAY(&j->tmp, int, most);
    for (int i = 0; i < j->plan.sweep.answer_count; i++) answer_of(s, &j->plan.sweep.answer[i]);
    for (int i = 0; i < j->plan.probe_count; i++) answer_of(s, &j->plan.probes[i].signal);
    int watched = j->options->watch_count;
    s->watch = ARENA_ARRAY(&j->tmp, int, watched);
    s->watched = ARENA_ARRAY(&j->run->arena, double *, watched);
    for (int i = 0; i < watched; i++) {
        s->watch[i] = outputs_add(&j->outputs, resolve(j->resolver, j->options->watch[i]));
        s->watched[i] = ARENA_ARRAY(&j->run->arena, double, j->plan.sweep.count);
    }
    j->run->watched = (const double **)s->watched;
    s->response = ARENA_ARRAY(&j->tmp, Response, j->plan.sweep.count * (s->answers + 1));
}

// Phases go on from one frequency to the next without jumps.
static void join_phases(Band *s) {
    const double turn = 2 * acos(-1);
    for (int i = 1; i < s->done; i++)
        for (int k = 0; k < s->answers; k++) {
            double before = s->response[(i - 1) * s->answers + k].phase;
            double *phase = &s->response[i * s->answers + k].phase;
            *phase -= turn * round((*phase - before) / turn);
        }
}

static void name_column(Band *s, Column *c, int answer, const char *what, const char *unit) {
    Job *j = s->job;
    c->name = arena_printf(&j->run->arena, "%s(%s)", what,
                           name_text(j->model->names, s->answer[answer].label));
    c->unit = unit;
    c->text = "";
}

static void fill_results(Band *s) {
    static const char *const what[] = {"amplitude", "phase", "swing", "mean"};
    Job *j = s->job;
    Results *r = &j->run->results;
    results_make_room(r, 1 + 4 * s->answers, s->done);
    r->row_count = s->done;
    r->column[0].name = "frequency";
    r->column[0].unit = "Hz";
    r->column[0].text = "";
    for (int i = 0; i < s->done; i++) r->column[0].value[i] = j->plan.sweep.frequency[i];
    for (int k = 0; k < s->answers; k++) {
        Shown in = shown_in(j->model, s->answer[k].unit), size = {in.unit, in.scale, 0};
        for (int w = 0; w < 4; w++)
            name_column(s, &r->column[1 + 4 * k + w], k, what[w], w == 1 ? "deg" : in.unit);
        for (int i = 0; i < s->done; i++) {
            const Response *x = &s->response[i * s->answers + k];
            r->column[1 + 4 * k].value[i] = show(size, x->amplitude);
            r->column[2 + 4 * k].value[i] = x->phase * 180 / acos(-1);
            r->column[3 + 4 * k].value[i] = show(size, x->swing);
            r->column[4 + 4 * k].value[i] = show(in, x->mean);
        }
    }
}

// Gain and phase of the answers that the statement names, over the frequency.
static void draw(Band *s) {
    Job *j = s->job;
    Run *run = j->run;
    Arena *out = &run->arena;
    int named = j->plan.sweep.answer_count, curves = 2 * named;
    PlotData *p = run->plot = ARENA_NEW(out, PlotData);
    int *count = ARENA_ARRAY(out, int, curves);
    *p = (PlotData){.title = arena_printf(out, "answer to %s, amplitude %g",
                                          name_text(j->model->names, j->plan.sweep.input),
                                          j->plan.sweep.amplitude),
                    .x_label = "frequency [Hz]",
                    .decades = true,
                    .curve_count = curves,
                    .label = ARENA_ARRAY(out, const char *, curves),
                    .unit = ARENA_ARRAY(out, const char *, curves),
                    .x = ARENA_ARRAY(out, const double *, curves),
                    .y = ARENA_ARRAY(out, const double *, curves),
                    .count = count};
    double *x = ARENA_ARRAY(out, double, s->done + 1);
    for (int i = 0; i < s->done; i++) x[i] = log10(j->plan.sweep.frequency[i]);
    for (int c = 0; c < curves; c++) {
        double *y = ARENA_ARRAY(out, double, s->done + 1);
        int k = answer_of(s, &j->plan.sweep.answer[c % named]);
        for (int i = 0; i < s->done; i++) {
            const Response *r = &s->response[i * s->answers + k];
            y[i] = c < named ? 20 * log10(r->amplitude / j->plan.sweep.amplitude)
                             : r->phase * 180 / acos(-1);
        }
        p->label[c] = name_text(j->model->names, s->answer[k].label);
        p->unit[c] = c < named ? "dB" : "deg";
        p->x[c] = x;
        p->y[c] = y;
        count[c] = s->done;
    }
    run->plot_count = 1;
    run->plot_name = ARENA_NEW(out, const char *);
    run->plot_name[0] = "frequency_response";
}

static void set_probes(Band *s) {
    Job *j = s->job;
    for (int i = 0; i < j->plan.probe_count; i++) {
        const Probe *p = &j->plan.probes[i];
        int k = answer_of(s, &p->signal);
        double value = NAN;
        if (p->place < s->done) {
            const Response *r = &s->response[p->place * s->answers + k];
            value = p->kind == PROBE_AMPLITUDE ? r->amplitude
                    : p->kind == PROBE_PHASE   ? r->phase
                                               : r->swing;
        }
        symbols_set(&j->symbols, p->symbol, value);
    }
}

// --- the sweep ----------------------------------------------------------------------------------

static int frequency_param(const Job *j, const Program *p) {
    for (uint32_t i = 0; i < p->param_count; i++)
        if (j->model->var[p->param_var[i]].symbol == j->plan.sweep.symbol) return (int)i;
    return -1;
}

static bool is_finite(const Tone *t) {
    for (int k = 0; k < t->answers; k++)
        if (!isfinite(t->now[k].swing) || !isfinite(t->now[k].amplitude)) return false;
    return true;
}

static bool run_band(Band *s, Machine *m) {
    Job *j = s->job;
    const Program *p = m->program;
    int place = frequency_param(j, p), count = j->plan.sweep.count;
    double *params = ARENA_ARRAY(&j->tmp, double, p->param_count + 1);
    if (p->param_count) memcpy(params, p->param_value, p->param_count * sizeof *params);
    Tone t = {.job = j,
              .answers = s->answers,
              .output = s->output,
              .watch = s->watch,
              .watched = s->watched};
    t.sample = ARENA_ARRAY(&j->tmp, double, s->answers *PAIR);
    t.change = ARENA_ARRAY(&j->tmp, double, s->answers);
    t.warned = ARENA_ARRAY(&j->tmp, unsigned char, j->model->when_count);
    t.before = ARENA_ARRAY(&j->tmp, Response, s->answers);
    if (j->options->progress) j->options->progress(j->options->context, 0);
    for (; s->done < count; s->done++) {
        t.frequency = j->plan.sweep.frequency[s->done];
        t.now = &s->response[s->done * s->answers];
        t.taken = t.rounds = 0;
        t.row = s->done;
        t.settled = false;
        if (place >= 0) params[place] = t.frequency;
        if (!run_tone(j, m, params, &t)) return j->run->status != SOLVE_REFUSED;
        if (!is_finite(&t)) {
            report_error(j->report, R_NOT_FINITE, j->plan.sweep.pos,
                         "at %g Hz an answer is not a finite number", t.frequency);
            j->run->not_finite = true;
        }
        if (j->options->progress)
            j->options->progress(j->options->context, (s->done + 1.0) / count);
    }
    return true;
}

bool frequency_run(Job *j) {
    Band s = {.job = j};
    j->run->audit = (Audit){.off = true, .pass = true, .worst = -1, .worst_junction = -1};
    if (j->plan.probe_count || j->plan.expect_count) symbols_open(&j->symbols, j->model);
    want_answers(&s);
    ProgramOptions options = {.output = j->outputs.expr.data,
                              .output_count = j->outputs.expr.count,
                              .implicit = j->plan.solver == SOLVER_IDA};
    Program *p = program_build(j->system, &options, j->report);
    if (!p) return false;
    Machine *m = machine_new(p);
    bool started = run_band(&s, m);
    machine_free(m);
    program_free(p);
    if (!started) return false;
    join_phases(&s);
    fill_results(&s);
    j->run->results.complete = s.done == j->plan.sweep.count;
    j->run->rows = s.done;
    j->run->results.solver = solver_name(j->run->stats.method);
    draw(&s);
    set_probes(&s);
    verdicts_make(j);
    return true;
}
