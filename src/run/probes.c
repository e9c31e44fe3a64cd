// Probes: single numbers that expectations take from a run.
//
//     x(t)          the value at exactly this time, which becomes a point of the solver
//     integral(x)   carried along by the solver like a state; mean(x) is it by the time
//     min(x), max(x)
//                   the largest of at least 4000 points, then the peak of the polynomial of
//                   degree 4 through the five points around it, kept as the run goes on. For a
//                   signal that is smooth there the error is about (w h)^5/100 of its amplitude,
//                   with w the angular frequency and h the distance of points (1e-9 at 250 points
//                   per period). At corners and jumps the largest point itself is taken. What is
//                   narrower than the distance of points is found inside of steps (solve/peaks.c).
//     partial(a, b) see partial.c
#include "run/job.h"

#include "base/numbers.h"
#include <math.h>
#include <string.h>

enum { FINE_POINTS = 4000, MANY_POINTS = 40000 };

static const double slack_of_slopes = 1e-3; // of a peak

static int probe_count(const Job *j) { return j->plan.probe_count; }

static int add_quad(Job *j, Expr e) {
    array_push(&j->quads, e);
    return j->quads.count - 1;
}

// --- before the run -----------------------------------------------------------------------------

static bool is_state(const System *s, Expr symbol) {
    for (int i = 0; i < s->state_count; i++)
        if (s->state[i] == symbol) return true;
    return false;
}

static bool want_partial(Job *j, const Probe *p) {
    if (is_state(j->system, resolve(j->resolver, p->by))) return true;
    const Dag *d = j->system->dag;
    const char *name = name_text(dag_names(d), expr_symbol_name(d, expr_symbol_index(d, p->by)));
    Remark *m = report_error(j->report, R_PARTIAL_STATE, p->by_pos,
                             "'%s' is not a state of the reduced equations", name);
    remark_help(j->report, m, "`bondyn check` lists the states; take the partial by one of them");
    return false;
}

static bool want_probe(Job *j, const Probe *p, ProbeTrack *t) {
    *t = (ProbeTrack){.output = -1, .quad = -1, .at = -1, .value = NAN};
    switch (p->kind) {
    case PROBE_MIN:
    case PROBE_MAX:
        t->extreme.sign = t->narrow.sign = p->kind == PROBE_MIN ? -1 : 1; // fall through
    case PROBE_AT: t->output = outputs_add(&j->outputs, job_form(j, p->signal.what)); break;
    case PROBE_MEAN:
    case PROBE_INTEGRAL: t->quad = add_quad(j, job_form(j, p->signal.what)); break;
    case PROBE_PARTIAL: return want_partial(j, p);
    case PROBE_AMPLITUDE: // of frequency responses, see frequency.c
    case PROBE_PHASE:
    case PROBE_SWING:
    case PROBE_POINT: // of analyses, which do not run
    case PROBE_FACT: break;
    }
    return true;
}

static void want_unknowns(Job *j) {
    const System *s = j->system;
    int count = 0, at = 0;
    for (int b = 0; b < s->block_count; b++) count += s->block[b].size;
    j->unknown = ARENA_ARRAY(&j->tmp, int, count);
    for (int b = 0; b < s->block_count; b++)
        for (int i = 0; i < s->block[b].size; i++)
            j->unknown[at++] = outputs_add(&j->outputs, s->block[b].unknown[i]);
}

bool probes_want(Job *j) {
    bool good = true, partial = false;
    j->probe = ARENA_ARRAY(&j->tmp, ProbeTrack, probe_count(j));
    for (int i = 0; i < probe_count(j); i++) {
        good = want_probe(j, &j->plan.probes[i], &j->probe[i]) && good;
        partial = partial || j->plan.probes[i].kind == PROBE_PARTIAL;
    }
    if (partial) want_unknowns(j);
    return good;
}

static bool needs_all_points(const Probe *p) {
    return p->kind == PROBE_MIN || p->kind == PROBE_MAX;
}

int probes_parts(const Job *j, long intervals) {
    bool needed = false;
    for (int i = 0; i < probe_count(j); i++)
        needed = needed || needs_all_points(&j->plan.probes[i]);
    if (!needed || intervals >= MANY_POINTS) return 1;
    return intervals >= FINE_POINTS / 4 ? 4 : (int)((FINE_POINTS + intervals - 1) / intervals);
}

static double probe_time(Job *j, const Probe *p) {
    if (!p->time) return j->plan.stop;
    double t = symbols_evaluate(&j->symbols, p->time), span = j->plan.stop - j->plan.start;
    if (fabs(t - j->plan.start) < 1e-12 * span) return j->plan.start;
    return fabs(t - j->plan.stop) < 1e-12 * span ? j->plan.stop : t;
}

bool probes_times(Job *j, double **extra, int *count) {
    bool good = true;
    *extra = ARENA_ARRAY(&j->tmp, double, probe_count(j));
    *count = 0;
    for (int i = 0; i < probe_count(j); i++) {
        const Probe *p = &j->plan.probes[i];
        if (p->kind != PROBE_AT) continue;
        double t = probe_time(j, p);
        if (t >= j->plan.start && t <= j->plan.stop) {
            (*extra)[(*count)++] = t;
            continue;
        }
        if (j->options->stop != 0 && t > j->plan.stop) {
            j->probe[i].cut_off = true;
            j->cut_off++;
            continue;
        }
        Remark *m = report_error(
            j->report, R_PROBE_TIME, p->signal.pos, "%s at %g s: the run goes from %g s to %g s",
            name_text(j->model->names, p->signal.label), t, j->plan.start, j->plan.stop);
        remark_help(j->report, m, "choose a time within the run, or move `stop`");
        good = false;
    }
    return good;
}

void probes_find_times(Job *j) {
    for (int i = 0; i < probe_count(j); i++) {
        const Probe *p = &j->plan.probes[i];
        if (p->kind == PROBE_AT && !j->probe[i].cut_off)
            j->probe[i].at = times_index(&j->times, probe_time(j, p));
    }
}

// --- during the run -----------------------------------------------------------------------------

static void take_start(Job *j, const SolvePoint *p) {
    const System *s = j->system;
    if (j->model->choice_count) return; // the states may be those of another mode
    symbols_set(&j->symbols, s->time, p->time);
    for (int i = 0; i < s->state_count; i++) symbols_set(&j->symbols, s->state[i], p->state[i]);
    for (int b = 0, at = 0; j->unknown && b < s->block_count; b++)
        for (int i = 0; i < s->block[b].size; i++, at++)
            symbols_set(&j->symbols, s->block[b].unknown[i], p->output[j->unknown[at]]);
}

void probes_point(Job *j, const SolvePoint *p) {
    if (probe_count(j) && j->taken == 0) take_start(j, p);
    for (int i = 0; i < probe_count(j); i++) {
        ProbeTrack *t = &j->probe[i];
        bool end = p->last && j->plan.probes[i].kind == PROBE_AT && !j->plan.probes[i].time;
        if (t->at == j->taken || end) t->value = p->output[t->output];
        if (t->extreme.sign != 0) extreme_point(&t->extreme, p->time, p->output[t->output]);
        if (t->extreme.sign != 0) extreme_point(&t->narrow, p->time, p->output[t->output]);
        if (t->quad >= 0) t->value = p->quad[t->quad];
    }
}

void probes_sides(Job *j, double time, const double *before, const double *after) {
    for (int i = 0; i < probe_count(j); i++) {
        ProbeTrack *t = &j->probe[i];
        if (t->extreme.sign != 0)
            extreme_event(&t->extreme, time, before[t->output], after[t->output]);
    }
}

void probes_inside(Job *j, double time, const double *output) {
    for (int i = 0; i < probe_count(j); i++) {
        ProbeTrack *t = &j->probe[i];
        if (t->extreme.sign != 0) extreme_point(&t->narrow, time, output[t->output]);
    }
}

// What turns back or jumps at an event is largest there, whatever points are asked for.
bool probes_want_sides(const Job *j) {
    for (int i = 0; i < probe_count(j); i++)
        if (j->probe[i].extreme.sign != 0) return true;
    return false;
}

// --- after the run ------------------------------------------------------------------------------

// A peak that points inside of steps show counts where it is more than what the tolerance leaves
// open. Slopes are those of points that all runs share: who wants some gets a slightly lower peak
// with its slope.
static double slack_of_peaks(const Job *j) {
    return j->kinks ? slack_of_slopes : 10 * j->plan.rtol;
}

bool probe_is_narrow(const Job *j, ProbeTrack *t) {
    return extreme_is_narrow(&t->extreme, &t->narrow, slack_of_peaks(j));
}

double peak_value(const Job *j, Extreme *points, Extreme *inside) {
    return extreme_value(extreme_is_narrow(points, inside, slack_of_peaks(j)) ? inside : points);
}

static double finished_value(Job *j, const Probe *p, ProbeTrack *t) {
    bool whole = j->run->results.complete;
    double end = j->run->stats.ended ? j->run->stats.reached : j->plan.stop;
    switch (p->kind) {
    case PROBE_AT: return t->value; // NaN when the run did not get there
    case PROBE_MIN:
    case PROBE_MAX: return whole ? peak_value(j, &t->extreme, &t->narrow) : NAN;
    case PROBE_INTEGRAL: return whole ? t->value : NAN;
    case PROBE_MEAN: return whole ? t->value / (end - j->plan.start) : NAN;
    case PROBE_PARTIAL: return j->taken ? partial_value(j, p) : NAN;
    case PROBE_AMPLITUDE:
    case PROBE_PHASE:
    case PROBE_SWING:
    case PROBE_POINT:
    case PROBE_FACT: break;
    }
    return NAN;
}

void probes_finish(Job *j) {
    for (int i = 0; i < probe_count(j); i++) {
        const Probe *p = &j->plan.probes[i];
        symbols_set(&j->symbols, p->symbol, finished_value(j, p, &j->probe[i]));
    }
}
