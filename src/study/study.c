#include "study/study_inside.h"

#include "base/files.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_DEATHS = 1000 };

const char *const outcome_name[OUTCOMES] = {"end", "min", "max", "mean"};

// --- values of the factors -----------------------------------------------------------------------

static uint64_t mix(uint64_t x) { // splitmix64
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

double study_draw(uint64_t seed, uint64_t run, uint64_t which) { // in 0 .. 1, ends excluded
    return ((double)(mix(mix(mix(seed) + run) + which) >> 11) + 0.5) * 0x1p-53;
}

// Slice of `run` in a seeded shuffle of 0 .. n-1: cycle-walking over a four-round Feistel network,
// so that every process finds it without a table.
static int shuffled(uint64_t seed, int which, int run, int n) {
    int half = 1;
    while ((1LL << (2 * half)) < n) half++;
    uint64_t mask = (1u << half) - 1, x = (uint64_t)run;
    do {
        uint64_t left = x >> half, right = x & mask;
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t next = left ^ (mix(mix(seed + 977 * (uint64_t)which + round) + right) & mask);
            left = right;
            right = next;
        }
        x = left << half | right;
    } while (x >= (uint64_t)n);
    return (int)x;
}

int study_runs(const StudyPlan *p) {
    double n = 1;
    for (int i = 0; i < p->factor_count; i++) n *= p->factor[i].level_count;
    return n > INT_MAX / 2 ? -1 : (int)n;
}

double study_value(const StudyPlan *p, int run, int which) {
    const Factor *f = &p->factor[which];
    if (p->random) {
        double u = study_draw(p->seed, (uint64_t)run, (uint64_t)which);
        if (p->latin) u = (shuffled(p->seed, which, run, p->runs) + u) / p->runs;
        return factor_quantile(f, u);
    }
    for (int i = p->factor_count - 1; i > which; i--) run /= p->factor[i].level_count;
    return f->level[run % f->level_count];
}

// --- for ranks -----------------------------------------------------------------------------------

bool study_room(Study *s, const StudyPlan *p, int records) {
    s->map_size = sizeof(Head) + (size_t)records * s->record_size;
    int zeros = open("/dev/zero", O_RDWR | O_CLOEXEC);
    s->map = mmap(NULL, s->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, zeros, 0);
    if (zeros >= 0) close(zeros);
    if (s->map == MAP_FAILED) s->map = NULL;
    s->path = NULL;
    if (s->map) study_key(p, head_of(s)->key);
    return s->map != NULL;
}

void study_range(Study *s, int first, int count) {
    s->first = first;
    s->runs = first + count;
    memset((char *)s->map + sizeof(Head), 0, (size_t)count * s->record_size);
    study_queue(head_of(s), first, 0);
}

int study_claim(Study *s, int most, int *first) {
    atomic_int *next = &head_of(s)->next;
    for (;;) {
        int from = atomic_load(next), a = from;
        while (a < s->runs && study_state(s, a) == RUN_DONE) a++;
        int b = a;
        while (b < s->runs && b - a < most && study_state(s, b) != RUN_DONE) b++;
        if (a >= s->runs) return 0;
        *first = a;
        if (atomic_compare_exchange_strong(next, &from, b)) return b - a;
    }
}

int study_taken(const Study *s) {
    int next = atomic_load(&head_of(s)->next);
    return next < s->runs ? next : s->runs;
}

double study_progress(const Study *s) { return (double)head_of(s)->finished / s->runs; }

void *study_record(const Study *s, int run) { return record_of(s, run); }

RunState study_state(const Study *s, int run) { return (RunState)record_of(s, run)->state; }

void study_put(Study *s, int run, const void *record) {
    Record *to = record_of(s, run);
    const Record *from = record;
    if (to->state == RUN_DONE) return;
    to->expected = from->expected;
    memcpy(to->message, from->message, MESSAGE);
    memcpy(to + 1, from + 1, s->record_size - sizeof *to);
    study_seal(s, run, (RunState)from->state);
    atomic_fetch_add(&head_of(s)->finished, 1);
}

// --- one run -------------------------------------------------------------------------------------

static void take_outcomes(const Study *s, const Run *result, int column, double *out) {
    const double *time = result->results.column[0].value, *y = result->results.column[column].value;
    double area = 0;
    for (int i = 1; i < s->rows; i++) area += (time[i] - time[i - 1]) * (y[i] + y[i - 1]) / 2;
    double span = time[s->rows - 1] - time[0];
    out[0] = y[s->rows - 1];
    out[1] = result->least[column];
    out[2] = result->most[column];
    out[3] = span > 0 ? area / span : y[0];
}

static void keep_run(const Study *s, int run, const Run *result) {
    double *outcome = outcomes_of(s, run), *rows = outcome + (size_t)s->signals * OUTCOMES;
    for (int i = 0; i < s->signals; i++) {
        const double *y = result->results.column[i + 1].value;
        take_outcomes(s, result, i + 1, outcome + (size_t)i * OUTCOMES);
        memcpy(rows + (size_t)i * (size_t)s->rows, y, (size_t)s->rows * sizeof *y);
    }
    record_of(s, run)->expected = result->verdict_count - result->failed_count;
}

static void fail_run(const Study *s, int run, const char *message) {
    Record *to = record_of(s, run);
    strncpy(to->message, message, MESSAGE - 1);
    study_seal(s, run, RUN_FAILED);
}

static bool is_whole(const Study *s, const Run *run) {
    return run && run->status == SOLVE_DONE && !run->not_finite &&
           run->results.column_count == s->signals + 1 && run->results.row_count == s->rows;
}

static void take_result(const Study *s, int run, const Run *result, const Report *r) {
    if (result && result->status == SOLVE_CANCELLED) return;
    if (is_whole(s, result)) {
        keep_run(s, run, result);
        study_seal(s, run, RUN_DONE);
    } else {
        const Remark *m = r->first;
        while (m && m->severity != ERROR) m = m->next;
        fail_run(s, run, m ? m->message : "the run ended early");
    }
    atomic_fetch_add(&head_of(s)->finished, 1);
}

// --- workers -------------------------------------------------------------------------------------

typedef struct { // runs that a dead worker was in
    int run[MOST_LANES], count;
} Group;

typedef struct {
    const Study *study;
    const StudyPlan *plan;
    const RunBatch *batch;
    int worker;
    int *var; // per factor; then values per slot and factor
    double *value;
    Arena *start;       // per slot: where its run begins
    const Group *again; // to be made first, one by one
    int begun;          // of these
} Worker;

static RunOptions options_of(const Worker *w, int run, double *value) {
    const StudyPlan *p = w->plan;
    RunOptions o = *p->options;
    for (int i = 0; i < p->factor_count; i++)
        value[i] = factor_si(&p->factor[i], study_value(p, run, i));
    o.set_var = w->var;
    o.set_value = value;
    o.set_count = p->factor_count;
    o.extremes = true;
    o.progress = NULL;
    o.cancel = p->cancel;
    return o;
}

static void set_busy(const Worker *w, int slot, int run) {
    atomic_store(&head_of(w->study)->busy[w->worker][slot], run);
}

static bool find_start(const Worker *w, BatchRun *r) {
    const StudyPlan *p = w->plan;
    Report report = {0};
    arena_free(&w->start[r->slot]);
    bool good = !p->begin || p->begin(p->begin_context, &r->options, &w->start[r->slot], &report);
    if (!good) take_result(w->study, r->number, NULL, &report);
    report_free(&report);
    return good;
}

// False: it has nowhere to begin, and is over.
static bool begin_run(const Worker *w, BatchRun *r, int run) {
    r->number = run;
    r->options = options_of(w, run, w->value + (ptrdiff_t)r->slot * w->plan->factor_count);
    record_of(w->study, run)->state = RUN_OPEN;
    set_busy(w, r->slot, run);
    bool good = find_start(w, r);
    if (!good) set_busy(w, r->slot, -1);
    return good;
}

// The next run that is not made yet.
static bool next_run(void *worker, BatchRun *r) {
    const Worker *w = worker;
    const Study *s = w->study;
    while (!*w->plan->cancel) {
        int run = atomic_fetch_add(&head_of(s)->next, 1);
        if (run >= s->runs) break;
        if (record_of(s, run)->state == RUN_DONE) continue;
        if (begin_run(w, r, run)) return true;
    }
    return false;
}

// What another worker died of.
static bool next_again(void *worker, BatchRun *r) {
    Worker *w = worker;
    while (!*w->plan->cancel && w->begun < w->again->count)
        if (begin_run(w, r, w->again->run[w->begun++])) return true;
    return false;
}

static void run_done(void *worker, BatchRun *r) {
    const Worker *w = worker;
    take_result(w->study, r->number, r->run, &r->report);
    set_busy(w, r->slot, -1);
    run_free(r->run);
    report_free(&r->report);
}

// No worker takes more at once than its share.
static int most_at_once(const Worker *w) {
    int share = (w->plan->runs + w->plan->workers - 1) / w->plan->workers;
    int lanes = batch_lanes(w->batch);
    return lanes < share ? lanes : share;
}

// Works off runs. Runs during which another worker died come first, each by itself.
static void work(Worker *w) {
    int factors = w->plan->factor_count;
    w->var = memory_zeroed((size_t)factors, sizeof *w->var);
    w->value = memory_zeroed((size_t)factors * MOST_LANES, sizeof *w->value);
    w->start = memory_zeroed(MOST_LANES, sizeof *w->start);
    for (int i = 0; i < factors; i++) w->var[i] = w->plan->factor[i].var;
    batch_run(w->batch, &(RunQueue){next_again, run_done, w, 1});
    batch_run(w->batch, &(RunQueue){next_run, run_done, w, most_at_once(w)});
    for (int i = 0; i < MOST_LANES; i++) arena_free(&w->start[i]);
    free(w->start);
    free(w->var);
    free(w->value);
}

// Whoever kills the study does not mean to leave its workers behind.
static void die_with_parent(void) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static pid_t start_worker(Worker w, const Group *again) {
    pid_t child = fork();
    if (child != 0) return child;
    die_with_parent();
    w.again = again;
    work(&w);
    _exit(0);
}

// What a dead worker was in. A single run is what it died of; several are made again.
static Group bury(const Study *s, int worker) {
    Group g = {.count = 0};
    for (int i = 0; i < MOST_LANES; i++) {
        int run = atomic_exchange(&head_of(s)->busy[worker][i], -1);
        if (run >= 0 && record_of(s, run)->state == RUN_OPEN) g.run[g.count++] = run;
    }
    if (g.count != 1) return g;
    fail_run(s, g.run[0], "its process was killed");
    atomic_fetch_add(&head_of(s)->finished, 1);
    return (Group){.count = 0};
}

static void rest(bool short_one) {
    nanosleep(&(struct timespec){0, short_one ? 1000000 : 20000000}, NULL);
}

// Starts workers and replaces those that are killed, as long as there is work.
bool study_work(Study *s, const StudyPlan *p, const RunBatch *batch, void (*tick)(void *context),
                void *context) {
    pid_t child[MOST_WORKERS] = {0};
    Worker w = {.study = s, .plan = p, .batch = batch};
    int count = p->workers, alive = 0, deaths = 0;
    bool told = false;
    if (count > MOST_WORKERS) count = MOST_WORKERS;
    for (int i = 0; i < count; i++) {
        w.worker = i;
        child[i] = start_worker(w, &(Group){.count = 0});
        alive += child[i] > 0;
    }
    if (!alive) return false;
    while (alive) {
        rest(tick);
        if (tick) tick(context);
        for (int i = 0; *p->cancel && !told && i < count; i++)
            if (child[i] > 0) kill(child[i], SIGTERM); // they end their run as we do
        told = *p->cancel;
        if (p->progress) p->progress(p->context, study_progress(s));
        for (int i = 0; i < count; i++) {
            int status;
            if (child[i] <= 0 || waitpid(child[i], &status, WNOHANG) != child[i]) continue;
            alive--;
            child[i] = 0;
            if (WIFEXITED(status)) continue;
            Group again = bury(s, i);
            bool more = again.count || head_of(s)->next < s->runs;
            if (*p->cancel || !more || ++deaths > MOST_DEATHS) continue;
            w.worker = i;
            child[i] = start_worker(w, &again);
            alive += child[i] > 0;
        }
    }
    return true;
}

// --- the study -----------------------------------------------------------------------------------

static void gather(Study *s, const StudyPlan *p) {
    size_t runs = (size_t)s->runs, numbers = (size_t)s->signals * OUTCOMES;
    s->factor = ARENA_ARRAY(&s->arena, double, runs *(size_t)p->factor_count);
    s->outcome = ARENA_ARRAY(&s->arena, double, runs *numbers);
    s->state = ARENA_ARRAY(&s->arena, RunState, runs);
    s->expected = ARENA_ARRAY(&s->arena, int, runs);
    s->first_failed = -1;
    for (int i = 0; i < s->runs; i++) {
        for (int k = 0; k < p->factor_count; k++)
            s->factor[i * p->factor_count + k] = study_value(p, i, k);
        Record *from = record_of(s, i);
        s->state[i] = (RunState)from->state;
        s->expected[i] = from->expected;
        s->done += s->state[i] == RUN_DONE;
        s->failed += s->state[i] == RUN_FAILED;
        if (s->state[i] == RUN_FAILED && s->first_failed < 0) {
            s->first_failed = i;
            s->first_message = arena_copy_text(&s->arena, from->message, strlen(from->message));
        }
        for (size_t k = 0; k < numbers; k++)
            s->outcome[(size_t)i * numbers + k] =
                s->state[i] == RUN_DONE ? outcomes_of(s, i)[k] : (double)NAN;
    }
}

Study *study_new(const StudyPlan *p, const Run *nominal) {
    Study *s = memory_zeroed(1, sizeof *s);
    const Results *from = &nominal->results;
    s->runs = p->runs;
    s->signals = from->column_count - 1;
    s->rows = from->row_count;
    s->expectations = nominal->verdict_count;
    s->time = from->column[0].value;
    s->name = ARENA_ARRAY(&s->arena, const char *, s->signals);
    s->unit = ARENA_ARRAY(&s->arena, const char *, s->signals);
    for (int i = 0; i < s->signals; i++) {
        s->name[i] = from->column[i + 1].name;
        s->unit[i] = from->column[i + 1].unit;
    }
    s->record_size = study_record_size(s->signals, s->rows);
    s->path = path_join(&s->arena, p->folder, "runs.part");
    s->file = -1;
    return s;
}

RunBatch *study_batch(Study *s, const StudyPlan *p, const Run *nominal) {
    int workers = p->workers < MOST_WORKERS ? p->workers : MOST_WORKERS;
    if (p->ranks) workers *= p->ranks->count;
    BatchPlan plan = {.options = p->options,
                      .nominal = nominal,
                      .runs = (double)(s->runs - s->kept) / workers,
                      .lanes = p->lanes};
    RunBatch *batch = batch_new(p->system, &plan);
    const char *words = batch_words(batch);
    s->engine = arena_copy_text(&s->arena, words, strlen(words));
    return batch;
}

Study *study_run(const StudyPlan *p, const Run *nominal, Report *r) {
    Study *s = study_new(p, nominal);
    if (!folder_make(p->folder, r) || !study_open(s, p, r)) {
        study_close(s, true);
        return NULL;
    }
    RunBatch *batch = study_batch(s, p, nominal);
    RankServer *server = p->ranks ? rank_server_new(s, p) : NULL;
    bool worked = study_work(s, p, batch, server ? rank_server_tick : NULL, server);
    if (server) rank_server_end(server);
    batch_free(batch);
    if (!worked) {
        study_no_file(s, r, "worked on: no process could be started");
        study_close(s, true);
        return NULL;
    }
    gather(s, p);
    s->interrupted = *p->cancel && s->done + s->failed < s->runs;
    if (s->interrupted && !study_settle(s, r)) s->lost = true;
    return s;
}

// --- what came out -------------------------------------------------------------------------------

Summary study_summary(const Study *s, int signal, int outcome) {
    Summary m = {.least = INFINITY, .most = -INFINITY};
    double square = 0;
    for (int i = 0; i < s->runs; i++) {
        if (s->state[i] != RUN_DONE) continue;
        double x = s->outcome[((size_t)i * (size_t)s->signals + (size_t)signal) * OUTCOMES +
                              (size_t)outcome];
        double step = x - m.mean;
        m.mean += step / ++m.count;
        square += step * (x - m.mean);
        m.least = fmin(m.least, x);
        m.most = fmax(m.most, x);
    }
    m.deviation = m.count > 1 ? sqrt(square / (m.count - 1)) : 0;
    double half =
        m.count > 1 ? student_half_width(0.95, m.count - 1) * m.deviation / sqrt(m.count) : 0;
    m.low = m.mean - half;
    m.high = m.mean + half;
    return m;
}

Results *study_table(const Study *s, const StudyPlan *p) {
    Results *t = results_new();
    int columns = 1 + p->factor_count + s->signals * OUTCOMES + 2, c = 0;
    results_make_room(t, columns, s->runs);
    t->row_count = s->runs;
    t->complete = !s->interrupted;
    double *value = t->column[c].value;
    t->column[c++] = (Column){"run", "", "", value};
    for (int i = 0; i < s->runs; i++) value[i] = i;
    for (int k = 0; k < p->factor_count; k++, c++) {
        value = t->column[c].value;
        t->column[c] = (Column){p->factor[k].name, p->factor[k].unit, "", value};
        for (int i = 0; i < s->runs; i++) value[i] = s->factor[i * p->factor_count + k];
    }
    for (int k = 0; k < s->signals * OUTCOMES; k++, c++) {
        value = t->column[c].value;
        t->column[c] = (Column){
            arena_printf(&t->arena, "%s(%s)", outcome_name[k % OUTCOMES], s->name[k / OUTCOMES]),
            s->unit[k / OUTCOMES], "", value};
        for (int i = 0; i < s->runs; i++)
            value[i] = s->outcome[(size_t)i * (size_t)s->signals * OUTCOMES + (size_t)k];
    }
    value = t->column[c].value;
    t->column[c++] = (Column){"expectations", "", "that hold", value};
    for (int i = 0; i < s->runs; i++) value[i] = s->expected[i];
    value = t->column[c].value;
    t->column[c] = (Column){"failed", "", "1: the run failed; 2: it was not made", value};
    for (int i = 0; i < s->runs; i++)
        value[i] = s->state[i] == RUN_DONE ? 0 : s->state[i] == RUN_FAILED ? 1 : 2;
    return t;
}
