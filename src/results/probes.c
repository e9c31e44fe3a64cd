// Probes: single numbers that expectations take from a run.
//
//     x(t)          the value at exactly this time, which becomes a point of the solver
//     integral(x)   carried along by the solver like a state; mean(x) is it by the time
//     min(x), max(x)
//                   the largest of at least 4000 points, then the peak of the polynomial of
//                   degree 4 through the five points around it. For a signal that is smooth there
//                   the error is about (w h)^5/100 of its amplitude, with w the angular frequency
//                   and h the distance of points (1e-9 at 250 points per period). At corners and
//                   jumps the largest point itself is taken.
//     partial(a, b) see partial.c
#include "results/job.h"

#include <math.h>

enum { FINE_POINTS = 4000, MANY_POINTS = 40000 };

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
    case PROBE_AT:
    case PROBE_MIN:
    case PROBE_MAX: t->output = outputs_add(&j->outputs, job_wish(j, p->signal.what)); break;
    case PROBE_MEAN:
    case PROBE_INTEGRAL: t->quad = add_quad(j, job_wish(j, p->signal.what)); break;
    case PROBE_PARTIAL: return want_partial(j, p);
    case PROBE_AMPLITUDE: // of sweeps, see sweep.c
    case PROBE_PHASE:
    case PROBE_SWING: break;
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

int probes_parts(const Job *j, int intervals) {
    bool needed = false;
    for (int i = 0; i < probe_count(j); i++)
        needed = needed || needs_all_points(&j->plan.probes[i]);
    if (!needed || intervals >= MANY_POINTS) return 1;
    return intervals >= FINE_POINTS / 4 ? 4 : (FINE_POINTS + intervals - 1) / intervals;
}

static double probe_time(Job *j, const Probe *p) {
    if (!p->time) return j->plan.stop;
    double t = symbols_evaluate(&j->symbols, p->time), span = j->plan.stop - j->plan.start;
    if (fabs(t - j->plan.start) < 1e-12 * span) return j->plan.start;
    return fabs(t - j->plan.stop) < 1e-12 * span ? j->plan.stop : t;
}

bool probes_add_times(Job *j) {
    bool good = true;
    for (int i = 0; i < probe_count(j); i++) {
        const Probe *p = &j->plan.probes[i];
        if (p->kind != PROBE_AT) continue;
        double t = probe_time(j, p);
        if (t >= j->plan.start && t <= j->plan.stop) {
            array_push(&j->times, ((TimePoint){t, false}));
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

// The nearest point: times of probes that fell together with another one were merged into it.
static int nearest_point(const Job *j, double t) {
    int low = 0, high = j->times.count - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (j->times.data[middle].time <= t)
            low = middle;
        else
            high = middle;
    }
    return t - j->times.data[low].time <= j->times.data[high].time - t ? low : high;
}

void probes_find_times(Job *j) {
    for (int i = 0; i < probe_count(j); i++) {
        const Probe *p = &j->plan.probes[i];
        if (p->kind == PROBE_AT && !j->probe[i].cut_off)
            j->probe[i].at = nearest_point(j, probe_time(j, p));
        if (needs_all_points(p)) j->probe[i].dense = ARENA_ARRAY(&j->tmp, double, j->times.count);
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
        if (t->at == j->taken) t->value = p->output[t->output];
        if (t->dense) t->dense[j->taken] = p->output[t->output];
        if (t->quad >= 0) t->value = p->quad[t->quad];
    }
}

// --- after the run ------------------------------------------------------------------------------

// Half the second derivative at point i.
static double bend(const TimePoint *t, const double *y, int i) {
    double right = (y[i + 1] - y[i]) / (t[i + 1].time - t[i].time);
    double left = (y[i] - y[i - 1]) / (t[i].time - t[i - 1].time);
    return (right - left) / (t[i + 1].time - t[i - 1].time);
}

// Smooth around point i: the curve bends the same way, and about as much, on both sides.
static bool is_smooth(const TimePoint *t, const double *y, int i) {
    double left = bend(t, y, i - 1), middle = bend(t, y, i), right = bend(t, y, i + 1);
    return left / middle > 1.0 / 3 && left / middle < 3 && right / middle > 1.0 / 3 &&
           right / middle < 3;
}

// Newton's polynomial through five points: c0 + (x-x0)(c1 + (x-x1)(c2 + ...)).
static double polynomial(const double *c, const TimePoint *t, double x) {
    double value = c[4];
    for (int k = 3; k >= 0; k--) value = c[k] + (x - t[k].time) * value;
    return value;
}

// Largest value of sign*polynomial around the middle one of five points, by golden section.
static double peak(const TimePoint *t, const double *y, double sign) {
    double c[5] = {y[0], y[1], y[2], y[3], y[4]};
    for (int k = 1; k < 5; k++)
        for (int i = 4; i >= k; i--) c[i] = (c[i] - c[i - 1]) / (t[i].time - t[i - k].time);
    const double golden = 0.61803398874989485;
    double low = t[1].time, high = t[3].time;
    for (int i = 0; i < 60; i++) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        if (sign * polynomial(c, t, a) > sign * polynomial(c, t, b))
            high = b;
        else
            low = a;
    }
    double found = polynomial(c, t, (low + high) / 2);
    return sign * found > sign * y[2] ? found : y[2];
}

static double extreme(const Job *j, const double *y, double sign) {
    int n = j->taken, best = 0;
    for (int i = 0; i < n; i++) {
        if (isnan(y[i])) return NAN;
        if (sign * y[i] > sign * y[best]) best = i;
    }
    const TimePoint *t = j->times.data;
    if (best < 2 || best > n - 3 || !is_smooth(t, y, best)) return y[best];
    return peak(t + best - 2, y + best - 2, sign);
}

static double finished_value(Job *j, const Probe *p, const ProbeTrack *t) {
    bool whole = j->run->results.complete;
    switch (p->kind) {
    case PROBE_AT: return t->value; // NaN when the run did not get there
    case PROBE_MIN: return whole ? extreme(j, t->dense, -1) : NAN;
    case PROBE_MAX: return whole ? extreme(j, t->dense, 1) : NAN;
    case PROBE_INTEGRAL: return whole ? t->value : NAN;
    case PROBE_MEAN: return whole ? t->value / (j->plan.stop - j->plan.start) : NAN;
    case PROBE_PARTIAL: return j->taken ? partial_value(j, p) : NAN;
    case PROBE_AMPLITUDE:
    case PROBE_PHASE:
    case PROBE_SWING: break;
    }
    return NAN;
}

void probes_finish(Job *j) {
    for (int i = 0; i < probe_count(j); i++) {
        const Probe *p = &j->plan.probes[i];
        symbols_set(&j->symbols, p->symbol, finished_value(j, p, &j->probe[i]));
    }
}
