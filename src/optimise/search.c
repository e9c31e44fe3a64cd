// The search for a minimum: NLopt over runs, from one start or from many.
//
// Parameters are scaled to their ranges, objective and constraints to what they are at the start.
// Many starts are divided among processes, each with a pipe for what it asked of runs, for better
// points and ends. All that runs have answered goes into a journal, so that an interrupted search
// goes on where it was. A start depends on its number and the seed alone, not on what its process
// did before.
#include "optimise/inside.h"

#include "base/clock.h"
#include "base/memory.h"
#include "study/study.h"
#include <errno.h>
#include <math.h>
#include <nlopt.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_RUNS = 2000, ROUND = 200 };
static const double met = 1e-6;  // of the size of a constraint
static const double ftol = 1e-8; // of the objective: it changes no more

typedef struct
{ // of one start: the best so far, or (done) its end; all of it numbers, as in entries of the journal
    double done, runs;
    double value, over; // over: how much constraints are not met, 0 where they are
    // then x, one number per parameter
} Record;

typedef struct {
    const SearchPlan *plan;
    Found *found;
    Report *r;
    Trial trial;
    double *scale;       // of parameters
    double *limit_scale; // of constraints
    double value_scale;
    Record *best; // per start, with its parameters behind it
    size_t record_size;
    Journal journal;
    nlopt_opt opt;
    int done;
    double worst; // finite value so far
} Search;

static double *parameters_of(Record *r) { return (double *)(r + 1); }

static Record *best_of(const Search *s, int start) {
    return (Record *)((char *)s->best + (size_t)start * s->record_size);
}

static bool is_cancelled(const Search *s) { return s->plan->cancel && *s->plan->cancel; }

// --- records -------------------------------------------------------------------------------------

static bool is_better(const Record *a, const Record *b) {
    if (isnan(b->value)) return !isnan(a->value);
    if (a->over > 0 || b->over > 0) return a->over < b->over;
    return a->value < b->value;
}

static void tell(const Search *s) {
    if (s->plan->progress)
        s->plan->progress(s->plan->context, (double)s->done / (double)s->plan->starts);
}

static void keep_record(Search *s, int start, const Record *r) {
    Record *to = best_of(s, start);
    double runs = fmax(r->runs, to->runs);
    if (r->done && !to->done) s->done++;
    bool done = to->done || r->done;
    if (is_better(r, to)) memcpy(to, r, s->record_size);
    to->done = done;
    to->runs = runs;
    if (s->journal.out < 0) tell(s); // workers do not
}

// To the process that gathers, and the end of a start to the journal.
static void send(Search *s, const Record *r) {
    EntryKind kind = r->done ? ENTRY_END : ENTRY_BETTER;
    if (r->done || s->journal.out >= 0)
        journal_put(&s->journal, s->trial.start, kind, (const double *)r,
                    (int)(s->record_size / sizeof(double)));
    keep_record(s, s->trial.start, r);
}

// --- what NLopt asks -----------------------------------------------------------------------------

static void unscale(const Search *s, const double *u, double *x) {
    for (int i = 0; i < s->trial.n; i++) {
        const FreeFound *f = &s->found->free[i];
        double from = isfinite(f->from) && isfinite(f->to) ? f->from : 0;
        x[i] = fmin(fmax(from + u[i] * s->scale[i], f->from), f->to);
    }
}

static double scaled(const Search *s, int i, double x) {
    const FreeFound *f = &s->found->free[i];
    double from = isfinite(f->from) && isfinite(f->to) ? f->from : 0;
    return (x - from) / s->scale[i];
}

static const Expectation *limit_of(const Search *s, int k) {
    return &s->plan->cases[0].experiment->aims.limit[k];
}

static bool is_most(const Search *s) { return s->plan->cases[0].experiment->aims.most; }

// How much a constraint is not met, in its own size.
static double over(const Search *s, int k) {
    double c = s->trial.limit[k] / s->limit_scale[k];
    switch (limit_of(s, k)->relation) {
    case EXPECT_EQUAL: return fabs(c);
    case EXPECT_LESS: return fmax(c, 0);
    case EXPECT_GREATER: return fmax(-c, 0);
    }
    return 0;
}

static void note_point(Search *s) {
    Record *r = memory_zeroed(1, s->record_size);
    *r = (Record){.runs = s->trial.runs, .value = s->trial.value};
    if (is_most(s)) r->value = -r->value;
    for (int k = 0; k < s->trial.limits; k++) {
        double much = over(s, k);
        if (much > met) r->over += much;
    }
    memcpy(parameters_of(r), s->trial.x, (size_t)s->trial.n * sizeof(double));
    if (is_better(r, best_of(s, s->trial.start))) send(s, r);
    free(r);
}

static bool at(Search *s, const double *u, bool slopes) {
    double x[64 + 1], *room = s->trial.n > 64 ? memory_zeroed((size_t)s->trial.n, sizeof *room) : x;
    if (is_cancelled(s)) nlopt_force_stop(s->opt);
    unscale(s, u, room);
    bool fresh = memcmp(room, s->trial.x, (size_t)s->trial.n * sizeof *room) != 0;
    bool good = trial_at(&s->trial, room, slopes);
    if (good && fresh) note_point(s);
    if (room != x) free(room);
    return good;
}

// A run that fails is worse than all that did not.
static double objective(unsigned n, const double *u, double *slope, void *context) {
    Search *s = context;
    double sign = is_most(s) ? -1 : 1;
    if (!at(s, u, slope != NULL)) {
        for (unsigned i = 0; slope && i < n; i++) slope[i] = 0;
        return s->worst + 1;
    }
    double value = sign * s->trial.value / s->value_scale;
    s->worst = fmax(s->worst, value);
    for (unsigned i = 0; slope && i < n; i++)
        slope[i] = sign * s->trial.slope[i] * s->scale[i] / s->value_scale;
    return value;
}

typedef struct {
    Search *s;
    int k;
} Constraint;

static double constraint(unsigned n, const double *u, double *slope, void *context) {
    const Constraint *c = context;
    Search *s = c->s;
    double sign = limit_of(s, c->k)->relation == EXPECT_GREATER ? -1 : 1;
    if (!at(s, u, slope != NULL)) {
        for (unsigned i = 0; slope && i < n; i++) slope[i] = 0;
        return 1;
    }
    for (unsigned i = 0; slope && i < n; i++)
        slope[i] =
            sign * s->trial.limit_slope[(size_t)c->k * n + i] * s->scale[i] / s->limit_scale[c->k];
    return sign * s->trial.limit[c->k] / s->limit_scale[c->k];
}

// --- one start -----------------------------------------------------------------------------------

static const struct {
    const char *name;
    nlopt_algorithm algorithm;
    bool limits; // takes constraints by itself
} methods[] = {{"slsqp", NLOPT_LD_SLSQP, true},      {"mma", NLOPT_LD_MMA, true},
               {"lbfgs", NLOPT_LD_LBFGS, false},     {"cobyla", NLOPT_LN_COBYLA, true},
               {"bobyqa", NLOPT_LN_BOBYQA, false},   {"neldermead", NLOPT_LN_NELDERMEAD, false},
               {"direct", NLOPT_GN_DIRECT_L, false}, {"isres", NLOPT_GN_ISRES, true},
               {"crs", NLOPT_GN_CRS2_LM, false}};

enum { SLSQP = 0, LAST_WITH_SLOPES = 2, COBYLA = 3 };

// Analyses have no slopes.
static int method_of(const SearchPlan *p) {
    for (int i = 0; p->method && i < (int)(sizeof methods / sizeof *methods); i++)
        if (strcmp(methods[i].name, p->method) == 0) return i;
    return p->method ? -1 : p->cases[0].plan ? COBYLA : SLSQP;
}

static const char *reason(nlopt_result r) {
    switch (r) {
    case NLOPT_SUCCESS:
    case NLOPT_STOPVAL_REACHED:
    case NLOPT_FTOL_REACHED: return "the objective changes no more";
    case NLOPT_XTOL_REACHED: return "the parameters change no more";
    case NLOPT_MAXEVAL_REACHED: return "it has made as many runs as it may";
    case NLOPT_ROUNDOFF_LIMITED: return "rounding, or the tolerance of the runs, allows no more";
    case NLOPT_FORCED_STOP: return "it was interrupted";
    default: return "no step leads further";
    }
}

static nlopt_opt open_method(Search *s, Constraint *c) {
    int m = method_of(s->plan), n = s->trial.n;
    bool wrap = s->trial.limits && !methods[m].limits;
    nlopt_opt o = nlopt_create(wrap ? NLOPT_AUGLAG : methods[m].algorithm, (unsigned)n);
    if (wrap) {
        nlopt_opt inner = nlopt_create(methods[m].algorithm, (unsigned)n);
        nlopt_set_xtol_rel(inner, 1e-6);
        nlopt_set_maxeval(inner, MOST_RUNS / 10);
        nlopt_set_local_optimizer(o, inner);
        nlopt_destroy(inner);
    }
    for (int i = 0; i < n; i++) {
        const FreeFound *f = &s->found->free[i];
        nlopt_set_lower_bound(o, i, isfinite(f->from) ? scaled(s, i, f->from) : -HUGE_VAL);
        nlopt_set_upper_bound(o, i, isfinite(f->to) ? scaled(s, i, f->to) : HUGE_VAL);
    }
    nlopt_set_min_objective(o, objective, s);
    for (int k = 0; k < s->trial.limits; k++) {
        c[k] = (Constraint){s, k};
        if (limit_of(s, k)->relation == EXPECT_EQUAL)
            nlopt_add_equality_constraint(o, constraint, &c[k], met / 10);
        else
            nlopt_add_inequality_constraint(o, constraint, &c[k], met / 10);
    }
    nlopt_set_xtol_rel(o, 1e-7);
    nlopt_set_ftol_rel(o, ftol);
    return o;
}

// The first start is where the model is; the others are drawn, the same for the same seed.
static void start_point(const Search *s, int start, double *u) {
    for (int i = 0; i < s->trial.n; i++) {
        const FreeFound *f = &s->found->free[i];
        double x = f->first;
        if (start > 0) {
            double part = study_draw(s->plan->seed, (uint64_t)start, (uint64_t)i);
            x = isfinite(f->from) && isfinite(f->to) ? f->from + part * (f->to - f->from)
                                                     : f->first + (part - 0.5) * s->scale[i];
        }
        u[i] = scaled(s, i, x);
    }
}

// A method that gathers curvature from slopes can be misled by what it has gathered, and go on and on beside the best point.
// So a round that has no end of its own ends, and the next one begins at that point with nothing gathered, while that leads on.
static nlopt_result search_in_rounds(Search *s, Constraint *c, double *u) {
    Record *best = best_of(s, s->trial.start);
    bool gathers = methods[method_of(s->plan)].algorithm == NLOPT_LD_SLSQP, on = true;
    int left = MOST_RUNS, most = gathers ? ROUND : MOST_RUNS;
    nlopt_result result = NLOPT_MAXEVAL_REACHED;
    for (; on && left > 0 && result == NLOPT_MAXEVAL_REACHED; left -= most) {
        double value, was = best->value, over = best->over;
        s->opt = open_method(s, c);
        nlopt_set_maxeval(s->opt, most);
        result = nlopt_optimize(s->opt, u, &value);
        nlopt_destroy(s->opt);
        on = left == MOST_RUNS || best->over < over || fabs(best->value - was) > ftol * fabs(was);
        for (int i = 0; i < s->trial.n; i++) u[i] = scaled(s, i, parameters_of(best)[i]);
    }
    return on ? result : NLOPT_FTOL_REACHED;
}

static const char *search_from(Search *s, int start) {
    double *u = memory_zeroed((size_t)s->trial.n + 1, sizeof *u);
    Constraint *c = memory_zeroed((size_t)s->trial.limits + 1, sizeof *c);
    s->trial.start = start;
    s->trial.runs = 0;
    s->trial.x[0] = NAN; // nothing is known of other starts
    s->worst = (is_most(s) ? -1 : 1) * s->found->first / s->value_scale;
    nlopt_srand(5489 + (unsigned long)(s->plan->seed - 1) * 1000003 + (unsigned long)start);
    start_point(s, start, u);
    nlopt_result result = search_in_rounds(s, c, u);
    Record *end = memory_zeroed(1, s->record_size);
    memcpy(end, best_of(s, start), s->record_size);
    end->runs = s->trial.runs;
    end->done = result != NLOPT_FORCED_STOP;
    send(s, end);
    free(end);
    free(u);
    free(c);
    return reason(result);
}

// --- many starts ---------------------------------------------------------------------------------

static void work(Search *s, int worker, int workers) {
    for (int k = worker; k < s->plan->starts && !is_cancelled(s); k += workers)
        if (!best_of(s, k)->done) search_from(s, k);
}

// One entry of a worker; false: it has ended.
static bool take_entry(Search *s, int in) {
    JournalEntry *e = journal_receive(in);
    if (!e) return false;
    int count = (int)e->head.count;
    if (e->head.kind != ENTRY_BETTER)
        journal_put(&s->journal, e->head.start, (EntryKind)e->head.kind, e->number, count);
    if (e->head.kind != ENTRY_ANSWER)
        keep_record(s, e->head.start, (const Record *)(const void *)e->number);
    free(e);
    return true;
}

static void listen(Search *s, struct pollfd *in, int workers) {
    for (int left = workers; left > 0;) {
        if (poll(in, (nfds_t)workers, -1) < 0) {
            if (errno == EINTR) continue;
            return;
        }
        for (int k = 0; k < workers; k++) {
            if (in[k].fd < 0 || !in[k].revents || take_entry(s, in[k].fd)) continue;
            close(in[k].fd);
            in[k].fd = -1; // poll passes over it
            left--;
        }
    }
}

// A worker with a pipe of its own, of which nobody else has an end: it ends with either of them.
// -1: there is none.
static int start_worker(Search *s, const struct pollfd *before, int worker, int workers) {
    int ends[2];
    if (pipe(ends) != 0) return -1;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        for (int k = 0; k < worker; k++)
            if (before[k].fd >= 0) close(before[k].fd);
        journal_move(&s->journal, ends[1]);
        work(s, worker, workers);
        _exit(0);
    }
    close(ends[1]);
    if (child > 0) return ends[0];
    close(ends[0]);
    return -1;
}

static void search_with_workers(Search *s, int workers) {
    struct pollfd *in = memory_zeroed((size_t)workers + 1, sizeof *in);
    fflush(NULL);
    for (int k = 0; k < workers; k++) {
        in[k] = (struct pollfd){.fd = start_worker(s, in, k, workers), .events = POLLIN};
        if (in[k].fd < 0) work(s, k, workers);
    }
    int started = 0;
    for (int k = 0; k < workers; k++)
        if (in[k].fd >= 0) in[started++] = in[k];
    listen(s, in, started);
    free(in);
    while (wait(NULL) > 0) {}
}

// Starts that had come to their end before.
static void take_ends(Search *s) {
    s->found->kept = s->journal.kept;
    for (int k = 0; k < s->plan->starts; k++) {
        const JournalEntry *e = s->journal.end[k];
        if (e && e->head.count * sizeof(double) == s->record_size)
            keep_record(s, k, (const Record *)(const void *)e->number);
    }
}

// --- the first run -------------------------------------------------------------------------------

static void copy_errors(Report *to, const Report *from) {
    for (const Remark *m = from->first; m; m = m->next)
        if (m->severity == ERROR) {
            Remark *copy = report_error(to, m->code, m->pos, "%s", m->message);
            if (m->help) remark_help(to, copy, "%s", m->help);
        }
}

static bool is_finite(const Trial *t) {
    bool good = isfinite(t->value) && t->report->errors;
    for (int k = 0; k < t->limits; k++) good = good && isfinite(t->limit[k]);
    return good;
}

static bool no_start(Search *s) {
    copy_errors(s->r, s->trial.report);
    if (is_finite(&s->trial)) return false; // it is the slopes that are missing
    Remark *x = report_error(s->r, O_NOT_FINITE, s->plan->cases[0].experiment->aims.pos,
                             "the run that the search begins with gives no finite number");
    remark_help(s->r, x, "begin with parameters with which the model runs: set k = ...");
    return false;
}

// Anything that is looked at, a twentieth of the parameter's range further on.
static bool changes_by_step(Search *s, const double *from, int i) {
    const FreeFound *f = &s->found->free[i];
    Trial *t = &s->trial;
    double *before = memory_zeroed((size_t)t->limits + 1, sizeof *before);
    double *x = memory_zeroed((size_t)t->n, sizeof *x), step = s->scale[i] / 20;
    before[0] = t->value;
    memcpy(before + 1, t->limit, (size_t)t->limits * sizeof *before);
    memcpy(x, from, (size_t)t->n * sizeof *x);
    x[i] += x[i] + step <= f->to ? step : -step;
    bool any = !trial_at(t, x, false) || t->value != before[0] ||
               memcmp(before + 1, t->limit, (size_t)t->limits * sizeof *before) != 0;
    free(before);
    free(x);
    return any;
}

// Leaves the trial where it was.
static bool has_effect_by_steps(Search *s) {
    Trial *t = &s->trial;
    double *from = memory_zeroed((size_t)t->n, sizeof *from);
    bool good = true;
    memcpy(from, t->x, (size_t)t->n * sizeof *from);
    for (int i = 0; i < t->n && good; i++) {
        good = changes_by_step(s, from, i) || free_refuse(s->plan, s->found, i, s->r);
        trial_at(t, from, false);
    }
    free(from);
    return good;
}

static bool has_effect(Search *s) {
    if (s->plan->cases[0].plan) return has_effect_by_steps(s);
    for (int i = 0; i < s->trial.n; i++) {
        bool any = s->trial.slope[i] != 0;
        for (int k = 0; k < s->trial.limits; k++)
            any = any || s->trial.limit_slope[k * s->trial.n + i] != 0;
        if (!any) return free_refuse(s->plan, s->found, i, s->r);
    }
    return true;
}

// Runs the model as it is, and takes the scale of every number from that.
static bool first_run(Search *s) {
    double *x = memory_zeroed((size_t)s->trial.n + 1, sizeof *x);
    for (int i = 0; i < s->trial.n; i++) {
        x[i] = s->found->free[i].first;
        s->scale[i] = free_scale(&s->found->free[i]);
    }
    bool good = trial_at(&s->trial, x, true) || no_start(s);
    free(x);
    if (!good || !has_effect(s)) return false;
    s->found->first = s->trial.value;
    s->value_scale = s->trial.value != 0 ? fabs(s->trial.value) : 1;
    for (int k = 0; k < s->trial.limits; k++) {
        double size = fabs(s->trial.limit[k]);
        for (int i = 0; i < s->trial.n; i++)
            size = fmax(size, fabs(s->trial.limit_slope[k * s->trial.n + i] * s->scale[i]));
        s->limit_scale[k] = size > 0 ? size : 1;
    }
    s->trial.x[0] = NAN; // looked at again, as a point of the search
    return true;
}

// --- what was found ------------------------------------------------------------------------------

static void count_starts(const Search *s, const Record *best) {
    Found *f = s->found;
    for (int k = 0; k < s->plan->starts; k++) {
        const Record *r = best_of(s, k);
        f->runs += (int)r->runs;
        if (isnan(r->value) || r->over > 0) continue;
        f->starts++;
        f->agreed += fabs(r->value - best->value) <= 1e-4 * (fabs(best->value) + 1e-300);
    }
}

static bool take(Search *s, const Record *best) {
    Found *f = s->found;
    const Aims *a = &s->plan->cases[0].experiment->aims;
    const double *x = parameters_of((Record *)best);
    for (int i = 0; i < f->count; i++) f->free[i].value = x[i];
    if (!trial_at(&s->trial, x, true)) return no_start(s);
    f->objective = s->trial.value;
    f->limits = s->trial.limits;
    f->limit = ARENA_ARRAY(&f->arena, LimitFound, f->limits + 1);
    for (int k = 0; k < f->limits; k++) {
        double near = s->trial.limit[k] / s->limit_scale[k];
        f->limit[k] =
            (LimitFound){.text = arena_printf(
                             &f->arena, "%s",
                             name_text(s->plan->cases[0].system->model->names, a->limit[k].text)),
                         .left = s->trial.limit[k],
                         .active = fabs(near) < 1e-4,
                         .met = over(s, k) <= 10 * met};
    }
    return true;
}

static bool refuse_limits(Search *s, const Record *best) {
    const Aims *a = &s->plan->cases[0].experiment->aims;
    int worst = 0;
    trial_at(&s->trial, parameters_of((Record *)best), false);
    for (int k = 1; k < s->trial.limits; k++)
        if (over(s, k) > over(s, worst)) worst = k;
    const Expectation *e = &a->limit[worst];
    Remark *m = report_error(
        s->r, O_NO_FEASIBLE, e->pos, "no parameters are found with which %s: it stays %.4g away",
        name_text(s->plan->cases[0].system->model->names, e->text), fabs(s->trial.limit[worst]));
    for (int i = 0; i < s->found->count; i++)
        remark_note(s->r, m, POS_NONE, "the nearest has %s = %.6g%s%s", s->found->free[i].name,
                    parameters_of((Record *)best)[i] / s->found->free[i].scale,
                    *s->found->free[i].unit ? " " : "", s->found->free[i].unit);
    remark_help(s->r, m, "ask for less, widen a range, or begin from more starts (--runs 20)");
    return false;
}

static bool finish(Search *s) {
    const Record *best = best_of(s, 0);
    for (int k = 1; k < s->plan->starts; k++)
        if (is_better(best_of(s, k), best)) best = best_of(s, k);
    if (isnan(best->value)) return no_start(s);
    count_starts(s, best);
    s->found->interrupted = is_cancelled(s);
    if (best->over > 0 && !s->found->interrupted) return refuse_limits(s, best);
    return take(s, best);
}

static void open_search(Search *s, const SearchPlan *p, Found *f, Report *r) {
    *s = (Search){.plan = p, .found = f, .r = r};
    trial_open(&s->trial, p, f);
    s->scale = memory_zeroed((size_t)f->count + 1, sizeof *s->scale);
    s->limit_scale = memory_zeroed((size_t)s->trial.limits + 1, sizeof *s->limit_scale);
    s->record_size = sizeof(Record) + (size_t)f->count * sizeof(double);
    s->best = memory_zeroed((size_t)p->starts, s->record_size);
    for (int k = 0; k < p->starts; k++) best_of(s, k)->value = NAN;
}

static void close_search(Search *s) {
    trial_close(&s->trial);
    free(s->scale);
    free(s->limit_scale);
    free(s->best);
}

static bool check_method(const SearchPlan *p, Report *r) {
    bool known = method_of(p) >= 0;
    if (known && (!p->cases[0].plan || method_of(p) > LAST_WITH_SLOPES)) return true;
    if (known) {
        Remark *m = report_error(r, O_NO_METHOD, p->cases[0].experiment->aims.pos,
                                 "'%s' goes by slopes, which numbers of an analysis do not have",
                                 p->method);
        remark_help(r, m, "take cobyla, bobyqa, neldermead, direct, isres or crs");
        return false;
    }
    Remark *m = report_error(r, O_NO_METHOD, POS_NONE, "there is no method '%s'", p->method);
    remark_help(r, m, "take slsqp, mma, lbfgs, cobyla, bobyqa, neldermead, direct, isres or crs");
    return false;
}

Found *search_run(const SearchPlan *p, Report *r) {
    Found *f = memory_zeroed(1, sizeof *f);
    const Aims *a = &p->cases[0].experiment->aims;
    f->text = name_text(p->cases[0].system->model->names, a->text);
    f->most = a->most;
    f->gradient = "without";
    if (!check_method(p, r) || !free_gather(p, f, r)) {
        found_free(f);
        return NULL;
    }
    Search s;
    double begin = clock_seconds();
    open_search(&s, p, f, r);
    bool good = first_run(&s) && journal_open(&s.journal, p->file, p->key, p->starts, r);
    if (good) {
        s.trial.journal = &s.journal;
        take_ends(&s);
        f->why = "the objective changes no more";
        if (p->starts == 1 && !best_of(&s, 0)->done)
            f->why = search_from(&s, 0);
        else if (p->starts > 1)
            search_with_workers(&s, p->workers < p->starts ? p->workers : p->starts);
        s.trial.journal = NULL; // the search is over
        journal_close(&s.journal, s.done == p->starts);
        good = finish(&s);
    }
    close_search(&s);
    f->seconds = clock_seconds() - begin;
    if (good) return f;
    found_free(f);
    return NULL;
}
