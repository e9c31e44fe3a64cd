// See sensitivity.h.
#include "sensitivity/sensitivity.h"

#include "base/memory.h"
#include "sensitivity/edge.h"
#include "sensitivity/peaks.h"
#include <math.h>
#include <string.h>

// --- the run -------------------------------------------------------------------------------------

static bool switches(const Along *a) { return a->job.model->choice_count > 0; }

static bool refuse(Along *a, const char *what, const char *help) {
    Remark *m = report_error(a->job.report, O_NO_SLOPE, a->job.model->pos, "%s", what);
    remark_help(a->job.report, m, "%s", help);
    return false;
}

static bool serves(Along *a) {
    if (job_is_frequency(&a->job))
        return refuse(a, "a frequency response has no derivatives by parameters",
                      "take the amplitude from a run in time, or `bondyn bode`");
    if (a->job.model->delay_count)
        return refuse(a, "a model with delays has no derivatives by parameters",
                      "write delay(x, T) as a lag: T*der(y) = x - y");
    return true;
}

static void number_points(Along *a) {
    a->points = a->trail.points;
    a->point = memory_zeroed((size_t)a->points + 1, sizeof *a->point);
    for (int i = 0; i < a->trail.node.count; i++) {
        const Node *n = &a->trail.node.data[i];
        if (n->kind == TRAIL_POINT) a->point[n->point] = n;
    }
}

static bool is_shared(const Along *a) {
    const AlongShared *s = a->shared;
    return s && s->program && s->output_count == a->job.outputs.expr.count &&
           s->quad_count == a->job.quads.count;
}

void along_shared_free(AlongShared *s) {
    program_free(s->program);
    mode_store_free(s->store);
    *s = (AlongShared){0};
}

static void share(Along *a) {
    if (a->shared && a->program && !a->shared->program)
        *a->shared =
            (AlongShared){a->program, a->store, a->job.outputs.expr.count, a->job.quads.count};
}

static bool build(Along *a) {
    Job *j = &a->job;
    ProgramOptions options = job_program_options(j);
    if (is_shared(a)) {
        a->store = a->shared->store;
        a->modes = a->store ? modes_new(j, a->store) : NULL;
        a->program = a->shared->program;
        a->machine = machine_new(a->program);
        return true;
    }
    a->store = switches(a) ? mode_store_new(j->model) : NULL;
    a->modes = a->store ? modes_new(j, a->store) : NULL;
    if (a->store) options = modes_options(j, &j->tmp, j->system, mode_store_memory(a->store));
    a->program = program_build(j->system, &options, j->report);
    a->machine = a->program ? machine_new(a->program) : NULL;
    share(a);
    return a->machine;
}

bool along_run(Along *a, const System *s, const RunOptions *o, AlongShared *shared, Report *r) {
    *a = (Along){.shared = shared};
    Job *j = &a->job;
    job_open(j, s, o, r);
    j->kinks = true;
    if (!serves(a) || !job_prepare(j) || !build(a)) return false;
    a->solve = job_solve_options(j, modes_solve(a->modes));
    if (a->solve.engine == ENGINE_AUTO) a->solve.engine = ENGINE_VM; // the way along it is longer
    a->solve.trail = trail_mark;
    a->solve.trail_context = &a->trail;
    const double *params = job_parameters(j, a->program);
    SolveStatus status = solve_run(a->machine, params, &a->solve, &j->run->stats, r);
    edge_mend(&a->trail, a->solve.rtol > 0 ? a->solve.rtol : 1e-6);
    number_points(a);
    return job_solved(j, a->machine, status) && status == SOLVE_DONE && !j->run->not_finite;
}

void along_close(Along *a) {
    bool shared = a->shared && a->program == a->shared->program;
    machine_free(a->machine);
    modes_free(a->modes);
    if (!shared) {
        program_free(a->program);
        mode_store_free(a->store);
    }
    trail_free(&a->trail);
    free(a->point);
    run_free(job_close(&a->job, true));
}

// --- probes --------------------------------------------------------------------------------------

static void finish(Along *a) {
    if (!a->finished) probes_finish(&a->job);
    a->finished = true;
}

double along_probe(Along *a, int probe) {
    finish(a);
    return symbols_evaluate(&a->job.symbols, a->job.plan.probes[probe].symbol);
}

static long point_at(const Along *a, double time) {
    long low = 0, high = a->points - 1;
    while (low < high) {
        long middle = (low + high) / 2;
        if (a->point[middle]->time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct {      // a probe as a sum of outputs at points, or of an integral
    int output, quad; // -1: none
    int count;
    long point[5];
    double part[5];
    double by_end; // how it changes with the moment at which the run ends
    bool sharp;    // a peak that lies at an event
} Sum;

static bool ends_itself(const Along *a) { return a->job.run->stats.ended != NULL; }

static double end_of(const Along *a) {
    return ends_itself(a) ? a->job.run->stats.reached : a->job.plan.stop;
}

static bool sum_of(Along *a, int probe, Sum *s) {
    const Probe *p = &a->job.plan.probes[probe];
    ProbeTrack *t = &a->job.probe[probe];
    double time[5];
    *s = (Sum){.output = t->output, .quad = t->quad};
    switch (p->kind) {
    case PROBE_AT:
        s->point[0] = !p->time && ends_itself(a) ? a->points - 1 : t->at;
        s->part[0] = 1;
        s->count = s->point[0] >= 0 && s->point[0] < a->points;
        return s->count > 0;
    case PROBE_MIN:
    case PROBE_MAX:
        if (probe_is_narrow(&a->job, t)) return false;
        s->count = extreme_parts(&t->extreme, time, s->part);
        for (int i = 0; i < s->count; i++) s->point[i] = point_at(a, time[i]);
        s->sharp = extreme_at_event(&t->extreme);
        return s->count > 0;
    case PROBE_MEAN:
    case PROBE_INTEGRAL:
        s->count = 1;
        s->point[0] = a->points - 1;
        s->part[0] = p->kind == PROBE_MEAN ? 1 / (end_of(a) - a->job.plan.start) : 1;
        s->by_end = p->kind == PROBE_MEAN ? -along_probe(a, probe) * s->part[0] : 0;
        return true;
    default: return false;
    }
}

static Sum *sums(Along *a, const double *weight, const bool *wanted) {
    int count = a->job.plan.probe_count;
    Sum *s = memory_zeroed((size_t)count + 1, sizeof *s);
    for (int i = 0; i < count; i++) {
        if ((weight && weight[i] == 0) || (wanted && !wanted[i])) continue;
        if (sum_of(a, i, &s[i])) continue;
        refuse(
            a, "a number that is wanted from the run has no derivative by parameters",
            "values at a time, min, max, mean and integral have one; a peak that lies between two "
            "points needs more of them, with `points`");
        free(s);
        return NULL;
    }
    return s;
}

static void use(Along *a, long point) { ((Node *)a->point[point])->used = true; }

static void use_none(Along *a) {
    for (int i = 0; i < a->trail.node.count; i++) {
        Node *n = &a->trail.node.data[i];
        n->used = n->asked = false;
        n->strides = 0; // steps may be divided otherwise
        n->joined = n->passed = false;
    }
}

#define NEAR_EVENT 1e-10 // of a run: the same moment

// True: peaks lie at events, which the way forth is asked about.
static bool use_sums(Along *a, const Sum *s) {
    double span = fabs(a->job.plan.stop - a->job.plan.start);
    bool asks = false;
    use_none(a);
    for (int i = 0; i < a->job.plan.probe_count; i++) {
        for (int k = 0; k < s[i].count; k++) use(a, s[i].point[k]);
        if (!s[i].sharp) continue;
        asks = true;
        peaks_ask(&a->trail, a->job.probe[i].extreme.moment, NEAR_EVENT * span);
    }
    return asks;
}

static bool wants_quads(const Along *a, const Sum *s) {
    for (int i = 0; i < a->job.plan.probe_count; i++)
        if (s[i].count && s[i].quad >= 0) return true;
    return false;
}

static WalkPlan walk_plan(Along *a, const int *parameter, int parameters, bool quads) {
    return (WalkPlan){.trail = &a->trail,
                      .solve = &a->solve,
                      .parameter = parameter,
                      .parameters = parameters,
                      .quads = quads,
                      .ends_itself = ends_itself(a),
                      .report = a->job.report};
}

// --- forth ---------------------------------------------------------------------------------------

typedef struct {
    Along *a;
    const Sum *sum;
    const int *parameter;
    int parameters;
    double *slope;
    Peak *peak;        // per probe, of those that are sharp
    const Probe *lost; // has no derivative, at a moment: an event
    double lost_at;
    int lost_by; // the parameter that moves it
} Gathering;

// x(t) with t an expression of parameters moves with the rate of x, besides.
static void add_moving_time(const Gathering *g, int probe, double rate, double *slope) {
    const Probe *p = &g->a->job.plan.probes[probe];
    if (p->kind != PROBE_AT || !p->time || expr_is_number(g->a->job.system->dag, p->time, NULL))
        return;
    double *by = memory_zeroed((size_t)g->parameters + 1, sizeof *by);
    along_expression(g->a, p->time, g->parameter, g->parameters, NULL, by);
    for (int j = 0; j < g->parameters; j++) slope[j] += rate * by[j];
    free(by);
}

static bool time_moves(const Gathering *g, const Probe *p, int parameter) {
    double *by = memory_zeroed((size_t)g->parameters + 1, sizeof *by);
    if (p->kind == PROBE_AT && p->time && !expr_is_number(g->a->job.system->dag, p->time, NULL))
        along_expression(g->a, p->time, g->parameter, g->parameters, NULL, by);
    bool moves = by[parameter] != 0;
    free(by);
    return moves;
}

static void add_to_slopes(void *context, const Node *n, const PointDots *d) {
    const Gathering *g = context;
    for (int i = 0; i < g->a->job.plan.probe_count; i++)
        for (int k = 0; k < g->sum[i].count; k++) {
            if (g->sum[i].point[k] != n->point) continue;
            const double *from = g->sum[i].quad >= 0 ? d->quad + g->sum[i].quad * g->parameters
                                                     : d->output + g->sum[i].output * g->parameters;
            double rate =
                g->sum[i].count > 1 ? d->rate[g->sum[i].output] : 0; // of a peak: at its time
            for (int j = 0; j < g->parameters; j++)
                g->slope[i * g->parameters + j] +=
                    g->sum[i].part[k] * (from[j] - rate * d->moment[j]) +
                    g->sum[i].by_end * d->moment[j];
            if (g->sum[i].quad < 0)
                add_moving_time(g, i, d->rate[g->sum[i].output], g->slope + i * g->parameters);
        }
}

// A probe that lies on a kink has no derivative by what moves the kink, or the probe's own time.
static void note_kink(void *context, const Node *n, int output, const bool *by) {
    Gathering *g = context;
    for (int i = 0; i < g->a->job.plan.probe_count; i++)
        for (int k = 0; k < g->sum[i].count; k++) {
            const Probe *p = &g->a->job.plan.probes[i];
            if (g->sum[i].point[k] != n->point || g->sum[i].quad >= 0 || g->sum[i].sharp) continue;
            if (g->sum[i].output != output || g->sum[i].part[k] == 0) continue;
            for (int j = 0; j < g->parameters; j++)
                if (by[j] || time_moves(g, p, j)) {
                    g->lost = p;
                    g->lost_at = n->time;
                    g->lost_by = j;
                }
        }
}

static void note_event(void *context, const Node *n, int outputs, const double *side[2]) {
    Gathering *g = context;
    double near = NEAR_EVENT * fabs(g->a->job.plan.stop - g->a->job.plan.start);
    (void)outputs;
    for (int i = 0; i < g->a->job.plan.probe_count; i++)
        if (g->sum[i].sharp && fabs(n->time - g->peak[i].time) <= near)
            peak_look(&g->peak[i], side, g->sum[i].output, g->parameters);
}

// Peaks that lie at events in place of the points beside them.
static void take_peaks(Gathering *g) {
    for (int i = 0; i < g->a->job.plan.probe_count; i++) {
        if (!g->sum[i].sharp) continue;
        memcpy(g->slope + i * g->parameters, g->peak[i].slope,
               (size_t)g->parameters * sizeof *g->slope);
        if (g->peak[i].found) continue;
        g->lost = &g->a->job.plan.probes[i];
        g->lost_at = g->peak[i].time;
    }
}

static bool report_lost(const Gathering *g) {
    const Model *m = g->a->job.model;
    if (!g->lost) return true;
    Remark *r = report_error(
        g->a->job.report, O_NO_SLOPE, g->lost->signal.pos,
        "'%s' at t = %g s lies on an event: it has no derivative by '%s', which moves it",
        name_text(m->names, g->lost->signal.label), g->lost_at,
        name_text(m->names, m->var[g->parameter[g->lost_by]].path));
    remark_help(g->a->job.report, r, "take the value a little before or after that moment");
    return false;
}

static bool are_finite(Along *a, const double *slope, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(slope[i]))
            return refuse(a, "a derivative by parameters is not finite",
                          "a root or a quotient is at the end of its range: keep away from it");
    return true;
}

static Peak *open_peaks(const Along *a, const Sum *s, int parameters) {
    Peak *peak = memory_zeroed((size_t)a->job.plan.probe_count + 1, sizeof *peak);
    for (int i = 0; i < a->job.plan.probe_count; i++)
        if (s[i].sharp) peak_open(&peak[i], &a->job.probe[i].extreme, parameters);
    return peak;
}

bool along_slopes(Along *a, const bool *wanted, const int *parameter, int parameters,
                  double *slope) {
    Sum *s = sums(a, NULL, wanted);
    if (!s) return false;
    int count = a->job.plan.probe_count * parameters;
    memset(slope, 0, (size_t)count * sizeof *slope);
    bool asks = use_sums(a, s);
    Gathering g = {
        .a = a, .sum = s, .parameter = parameter, .parameters = parameters, .slope = slope};
    g.peak = open_peaks(a, s, parameters);
    WalkPlan plan = walk_plan(a, parameter, parameters, wants_quads(a, s));
    WalkVisitor v = {.point = add_to_slopes,
                     .kink = note_kink,
                     .event = asks ? note_event : NULL,
                     .context = &g};
    bool good = walk_forth(&plan, &v);
    take_peaks(&g);
    good = good && report_lost(&g) && are_finite(a, slope, count);
    peaks_free(g.peak, a->job.plan.probe_count);
    free(s);
    return good;
}

typedef struct {
    const Along *a;
    const int *output;
    int outputs, parameters;
    double *slope;
    long row;
} RowGathering;

static void add_row(void *context, const Node *n, const PointDots *d) {
    RowGathering *g = context;
    (void)n;
    for (int i = 0; i < g->outputs; i++)
        for (int j = 0; j < g->parameters; j++)
            *g->slope++ = d->output[g->output[i] * g->parameters + j];
    g->row++;
}

bool along_rows(Along *a, const int *output, int outputs, const int *parameter, int parameters,
                double *slope) {
    TimesCursor c = {0};
    double time;
    bool row;
    use_none(a);
    for (long i = 0; i < a->points && times_next(&a->job.times, &c, &time, &row); i++)
        if (row) use(a, i);
    RowGathering g = {.a = a, .output = output, .outputs = outputs, .parameters = parameters};
    g.slope = slope;
    WalkPlan plan = walk_plan(a, parameter, parameters, false);
    WalkVisitor v = {.point = add_row, .context = &g};
    return walk_forth(&plan, &v);
}

// --- expressions ---------------------------------------------------------------------------------

// Parameters that are made of others stand for their formulas.
static Expr through_formulas(const Model *m, Expr e) {
    Rewrite *w = rewrite_new(dag_grow(m->dag));
    for (int v = 0; v < m->var_count; v++)
        if (m->var[v].kind == VAR_PARAM && m->var[v].value && m->var[v].symbol &&
            !expr_is_number(m->dag, m->var[v].value, NULL))
            rewrite_set(w, m->var[v].symbol, m->var[v].value);
    for (Expr before = 0; before != e;) before = e, e = rewrite(w, e);
    rewrite_free(w);
    return e;
}

double along_expression(Along *a, Expr e, const int *parameter, int parameters, double *by_probe,
                        double *by_parameter) {
    const Model *m = a->job.model;
    finish(a);
    e = through_formulas(m, e);
    double value = symbols_evaluate(&a->job.symbols, e);
    ExprWalk *walk = walk_new(m->dag);
    Slopes slopes = {0};
    expr_gradient(m->dag, walk, e, a->job.symbols.value, &slopes);
    for (int k = 0; k < slopes.count; k++) {
        for (int j = 0; j < parameters; j++)
            if (expr_symbol_index(m->dag, m->var[parameter[j]].symbol) == slopes.data[k].symbol)
                by_parameter[j] += slopes.data[k].slope;
        for (int i = 0; by_probe && i < a->job.plan.probe_count; i++)
            if (expr_symbol_index(m->dag, a->job.plan.probes[i].symbol) == slopes.data[k].symbol)
                by_probe[i] += slopes.data[k].slope;
    }
    array_free(&slopes);
    walk_free(walk);
    return value;
}

// --- back ----------------------------------------------------------------------------------------

typedef struct {
    Along *a;
    const Sum *sum;
    const double *weight;
    const int *parameter;
    int parameters;
    double *gradient;
} Weighing;

// On the way forth: times that move with parameters.
static void weigh_times(void *context, const Node *n, const PointDots *d) {
    const Weighing *w = context;
    Gathering g = {
        .a = w->a, .sum = w->sum, .parameter = w->parameter, .parameters = w->parameters};
    for (int i = 0; i < g.a->job.plan.probe_count; i++)
        if (g.sum[i].count && g.sum[i].point[0] == n->point && g.sum[i].quad < 0)
            add_moving_time(&g, i, w->weight[i] * d->rate[g.sum[i].output], w->gradient);
}

static void weigh(void *context, const Node *n, double *output) {
    const Weighing *g = context;
    for (int i = 0; i < g->a->job.plan.probe_count; i++)
        for (int k = 0; k < g->sum[i].count; k++)
            if (g->sum[i].point[k] == n->point && g->sum[i].quad < 0)
                output[g->sum[i].output] += g->weight[i] * g->sum[i].part[k];
}

// The same by the way forth, for what the way back cannot tell.
static bool gradient_forth(Along *a, const double *weight, const int *parameter, int parameters,
                           double *gradient) {
    int probes = a->job.plan.probe_count;
    double *slope = memory_zeroed((size_t)probes * (size_t)parameters + 1, sizeof *slope);
    bool *wanted = memory_zeroed((size_t)probes + 1, sizeof *wanted);
    for (int i = 0; i < probes; i++) wanted[i] = weight[i] != 0;
    bool good = along_slopes(a, wanted, parameter, parameters, slope);
    for (int j = 0; j < parameters; j++) gradient[j] = 0;
    for (int i = 0; i < probes && good; i++)
        for (int j = 0; j < parameters && wanted[i]; j++)
            gradient[j] += weight[i] * slope[i * parameters + j];
    free(slope);
    free(wanted);
    return good;
}

static bool gradient_back(Along *a, const Sum *s, const double *weight, const WalkPlan *plan,
                          double *gradient, bool *apart) {
    double *quad = memory_zeroed((size_t)a->program->quad_count + 1, sizeof *quad), end = 0;
    for (int i = 0; i < a->job.plan.probe_count; i++) {
        if (s[i].count && s[i].quad >= 0) quad[s[i].quad] += weight[i] * s[i].part[0];
        if (s[i].count) end += weight[i] * s[i].by_end;
    }
    Weighing g = {a, s, weight, plan->parameter, plan->parameters, gradient};
    WalkVisitor v = {
        .weigh = weigh, .quad_weight = plan->quads ? quad : NULL, .end_weight = end, .context = &g};
    bool good = walk_back(plan, &v, gradient, apart);
    free(quad);
    return good && are_finite(a, gradient, plan->parameters);
}

// A peak beside the end of a run that the model ended: its points are those of fixed times.
static bool has_peak_at_end(const Along *a, const Sum *s) {
    for (int i = 0; i < a->job.plan.probe_count && ends_itself(a); i++)
        for (int k = 0; k < s[i].count && s[i].count > 1; k++)
            if (s[i].point[k] == a->points - 1) return true;
    return false;
}

bool along_gradient(Along *a, const double *weight, const int *parameter, int parameters,
                    double *gradient) {
    Sum *s = sums(a, weight, NULL);
    if (!s) return false;
    bool asks = use_sums(a, s), quads = wants_quads(a, s), apart = false;
    Weighing g = {a, s, weight, parameter, parameters, gradient};
    WalkPlan values = walk_plan(a, NULL, 0, quads),
             plan = walk_plan(a, parameter, parameters, quads);
    WalkVisitor none = {.point = weigh_times, .context = &g};
    for (int j = 0; j < parameters; j++) gradient[j] = 0;
    bool good = walk_forth(&values, &none);
    if (good && (asks || walk_meets_events(&plan) || has_peak_at_end(a, s)))
        apart = true;
    else if (good)
        good = gradient_back(a, s, weight, &plan, gradient, &apart);
    free(s);
    a->by_forth = apart;
    return apart ? gradient_forth(a, weight, parameter, parameters, gradient) : good;
}
