// What every method does the same way: rates, wanted points, cancelling.
#include "solve/job.h"

#include "engine/branch.h"

#include "base/memory.h"
#include <math.h>
#include <string.h>

enum { MOST_STEPS = 500000000 };

// The memory of a run with one program is one block:
//
//     state | later | trouble | rate | output | phase | event function | ahead | shift | seen | argument
static double *cut(double **block, int count) {
    double *part = *block;
    *block += count;
    return part;
}

void job_take(Job *j, Machine *m) {
    const Program *p = m->program;
    j->m = m;
    j->p = p;
    j->calls = m->calls;
    j->n = p->state_count;
    size_t states = 8 * (size_t)j->n + 3 * (size_t)p->quad_count;
    size_t events = 2 * (size_t)p->clock_count + 5 * (size_t)p->switch_count;
    double *rest = memory_zeroed(states + 2 * (size_t)p->output_count + events, sizeof *rest);
    j->state = cut(&rest, j->n);
    j->later = cut(&rest, j->n);
    j->trouble.state = cut(&rest, j->n);
    j->rate = cut(&rest, j->n + p->quad_count);
    j->fold = cut(&rest, 3 * j->n + 2 * p->quad_count);
    j->output = cut(&rest, p->output_count);
    j->peak = cut(&rest, p->output_count);
    j->phase = cut(&rest, 2 * p->clock_count);
    j->event_function = cut(&rest, p->switch_count);
    j->ahead = cut(&rest, p->switch_count);
    j->shift = cut(&rest, p->switch_count);
    j->seen = cut(&rest, p->switch_count);
    j->argument = cut(&rest, p->switch_count);
    j->seen_state = cut(&rest, j->n);
    j->seen_time = NAN;
    j->trouble.happened = false;
    j->last_switch = -1;
    sizes_open(j);
    history_take(j);
    j->scout = scout_new(j);
    j->enclosure = enclosure_new(j);
    between_open(j);
}

void job_leave(Job *j) {
    history_leave(j);
    between_close(j);
    scout_free(j->scout);
    j->scout = NULL;
    enclosure_free(j->enclosure);
    j->enclosure = NULL;
    j->stats->derivative_calls += j->m->calls - j->calls;
    schur_free(j->schur);
    j->schur = NULL;
    free(j->state); // the block begins here
    sizes_close(j);
}

// The next wanted point from the list, or from whoever makes them.
static void fetch_wanted(Job *j) {
    const SolveOptions *o = j->o;
    double time = INFINITY;
    if (o->next_time) {
        if (!o->next_time(o->context, &time)) time = INFINITY;
    } else if (j->next < o->time_count) {
        time = o->times[j->next++];
    }
    j->wanted = time;
}

void job_init(Job *j, Machine *m, const SolveOptions *o, SolveStats *stats, Report *r) {
    *j = (Job){.o = o, .stats = stats, .r = r, .status = SOLVE_DONE, .time = o->start};
    j->nq = m->program->quad_count;
    j->rtol = o->rtol > 0 ? o->rtol : 1e-6;
    j->span = o->stop - o->start;
    j->step = o->step > 0 ? o->step : j->span / 1000;
    j->most_steps = o->most_steps > 0 ? o->most_steps : MOST_STEPS;
    j->quad = memory_zeroed((size_t)j->nq, sizeof *j->quad);
    if (o->modes)
        j->known_sizes =
            memory_zeroed(2 * (size_t)m->program->system->model->var_count, sizeof *j->known_sizes);
    job_take(j, m);
    watch_open(j);
    fetch_wanted(j);
    clock_gettime(CLOCK_MONOTONIC, &j->begin);
    j->shown = j->begin;
    j->told = r->last;
}

void job_free(Job *j) {
    history_close(j);
    watch_close(j);
    job_leave(j);
    free(j->quad);
    free(j->known_sizes);
    whens_close(j);
    modes_close(j);
}

void job_ignore_words(int code, const char *module, const char *function,
                      char *words, // NOLINT(readability-non-const-parameter): the library's type
                      void *user) {
    (void)code, (void)module, (void)function, (void)words, (void)user;
}

// --- rates ---------------------------------------------------------------------------------------

static int first_not_finite(const double *x, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i])) return i;
    return -1;
}

static bool note_trouble(Job *j, double time, const double *state, int rate, int block) {
    Trouble *t = &j->trouble;
    t->happened = true;
    t->poll = j->polls;
    t->time = time;
    t->rate = rate;
    t->block = block;
    t->residual = j->m->residual;
    if (j->n) memcpy(t->state, state, (size_t)j->n * sizeof *state);
    return false;
}

void job_note_fold(Job *j, double time, const double *state) {
    note_trouble(j, time, state, -1, j->m->failed_block);
}

void job_block_failed(Job *j, double time, const double *state) {
    note_trouble(j, time, state, -1, j->m->failed_block);
    problem_trouble(j);
}

bool job_rates(Job *j, double time, const double *state, double *rate, double *quad) {
    if (!machine_branch_derivative(j->m, time, state, rate, quad))
        return note_trouble(j, time, state, -1, j->m->failed_block);
    int bad = first_not_finite(rate, j->n);
    if (bad < 0 && quad) {
        bad = first_not_finite(quad, j->nq);
        if (bad >= 0) bad += j->n;
    }
    return bad < 0 ? true : note_trouble(j, time, state, bad, -1);
}

bool job_choose(Job *j, double time, double *state, bool *changed) {
    int count = 0;
    *changed = false;
    if (j->p->system->choice_count == 0) return true;
    if (!machine_choose(j->m, time, state, &count)) {
        if (j->m->failed_choice >= 0)
            problem_choice(j, time);
        else
            job_block_failed(j, time, state);
        return false;
    }
    j->stats->choices += count;
    if (count > 0) job_mark(j, TRAIL_CHOICE, time, state);
    *changed = count > 0;
    return true;
}

// --- moments that come ever faster ---------------------------------------------------------------

enum { LEAST_SHRINKING = 5, MOST_SHRINKING = 10 };

// A millionth of the gap before is no smaller bounce but two things that happen to come together.
double job_pile_up(const Job *j, EventGaps *p, double time) {
    double gap = time - p->time;
    bool shrinks = p->count > 1 && gap < 0.9999 * p->gap && gap > 1e-6 * p->gap;
    p->shrinking = shrinks ? p->shrinking + 1 : 0;
    if (!p->shrinking) p->first = gap;
    double ratio = p->gap > 0 ? gap / p->gap : 1;
    if (p->count > 0) p->longest = fmax(p->longest, gap);
    p->gap = gap;
    p->time = time;
    p->count++;
    // Much later a bounce is smaller than the error of the state, and is lost: a ball falls
    // through.
    bool piles_up =
        p->shrinking >= LEAST_SHRINKING && gap <= fmin(1e-7 * j->span, 1e-6 * p->longest);
    return piles_up ? time + gap * ratio / (1 - ratio) : (double)NAN;
}

bool gaps_have_died(const EventGaps *p) {
    return p->shrinking >= MOST_SHRINKING && p->gap <= 1e-6 * p->first;
}

double gaps_longest_step(const EventGaps *p, double time) {
    return p->shrinking > 1 && time < p->time + 2 * p->gap ? p->gap / 4 : (double)INFINITY;
}

// --- wanted points -------------------------------------------------------------------------------

// Hands over a point. Recorded relations are evaluated at the point itself, not held as during the
// step.
bool job_emit(Job *j, double time, const double *state, const double *quad) {
    bool hold = j->m->hold;
    j->m->hold = false;
    bool good = machine_outputs(j->m, time, state, j->output);
    j->m->hold = hold;
    if (!good) {
        note_trouble(j, time, state, -1, j->m->failed_block);
        problem_trouble(j);
        return false;
    }
    return job_hand_over(j, time, state, quad);
}

// Something was changed at a point, perhaps inside a step: what lies behind it is given up.
static bool leave_at(Job *j, const SolvePoint *p) {
    j->time = p->time;
    if (j->n) memmove(j->state, p->state, (size_t)j->n * sizeof *j->state);
    if (j->nq) memmove(j->quad, p->quad, (size_t)j->nq * sizeof *j->quad);
    j->status = SOLVE_ANEW;
    return false;
}

static bool end_at(Job *j, double time) {
    const Model *m = j->p->system->model;
    const When *w = &m->when[j->when.ending - 1];
    j->stats->ended = name_text(m->names, w->words ? w->words : w->text);
    j->stats->reached = time;
    j->status = SOLVE_ENDED;
    return false;
}

bool job_hand_over(Job *j, double time, const double *state, const double *quad) {
    SolvePoint point = {.time = time, .state = state, .output = j->output, .quad = quad};
    point.last = j->when.ending && time == j->wanted;
    j->at = point;
    job_mark(j, TRAIL_POINT, time, state);
    double before = j->o->inside ? job_seconds(j) : 0; // a run in pieces waits in the sink
    bool goes_on = !j->o->sink || j->o->sink(j->o->context, &point);
    if (j->o->inside) j->waited += job_seconds(j) - before;
    fetch_wanted(j);
    if (goes_on && point.last) return end_at(j, time);
    if (goes_on) return !j->o->anew || !j->o->anew(j->o->context) || leave_at(j, &point);
    j->status = SOLVE_CANCELLED;
    return false;
}

// --- marks of the trail --------------------------------------------------------------------------

void job_mark(const Job *j, TrailKind kind, double time, const double *state) {
    if (!j->o->trail) return;
    TrailMark mark = {
        .kind = kind, .machine = j->m, .time = time, .state = state, .method = j->stats->method};
    j->o->trail(j->o->trail_context, &mark);
}

void job_mark_mode(const Job *j, TrailKind kind, const SolveMode *mode, const double *state) {
    if (!j->o->trail) return;
    TrailMark mark = {.kind = kind,
                      .machine = kind == TRAIL_ENTER || kind == TRAIL_AFTER ? mode->machine : j->m,
                      .time = j->time,
                      .state = state,
                      .mode = mode,
                      .method = j->stats->method};
    j->o->trail(j->o->trail_context, &mark);
}

// --- after every step ----------------------------------------------------------------------------

static double seconds_between(struct timespec a, struct timespec b) {
    return (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
}

double job_seconds(const Job *j) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return seconds_between(j->begin, now) - j->waited;
}

enum {
    POLLS_PER_LOOK = 16,
    POLLS_PER_SHOW = 1000,
    // Steps in a row that are lost in the rounding of the time. A first step may be far too short,
    // and a few more until it has grown; where there are more, the solution ends, and an implicit
    // method would find its way to the other side of a pole.
    MOST_IDLE = 10
};

// Now and then, and at once when there is something to say.
static void show_progress(Job *j, double time) {
    bool news = j->told != j->r->last;
    if (!j->o->progress || (j->polls % POLLS_PER_LOOK != 0 && !news)) return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!news && j->polls % POLLS_PER_SHOW != 0 && seconds_between(j->shown, now) < 0.02) return;
    j->told = j->r->last;
    j->shown = now;
    j->o->progress(j->o->context, time);
}

bool job_is_stuck(Job *j, double time) {
    j->idle = time > j->stats->reached ? 0 : j->idle + 1;
    return j->idle > MOST_IDLE;
}

bool job_in_trouble(const Job *j) {
    long ago = j->polls - j->trouble.poll;
    return j->trouble.happened && ago <= (j->idle > MOST_IDLE ? 2 * MOST_IDLE : 0);
}

bool job_poll(Job *j, double time) {
    j->polls++;
    j->stats->reached = time;
    show_progress(j, time);
    engine_poll(j, time);
    if (j->o->cancel && *j->o->cancel) {
        j->status = SOLVE_CANCELLED;
        return false;
    }
    if (j->polls > j->most_steps) {
        problem_too_many_steps(j, time);
        return false;
    }
    return true;
}
