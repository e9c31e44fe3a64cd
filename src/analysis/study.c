#include "analysis/study.h"

#include "base/files.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE = 240, MOST_WORKERS = 256, MOST_DEATHS = 1000 };

const char *const outcome_name[OUTCOMES] = {"end", "min", "max", "mean"};

typedef struct {
    char magic[8];
    uint64_t key;
    int32_t runs, signals, rows;
    atomic_int next;
    atomic_int finished;
    atomic_int busy[MOST_WORKERS]; // the run of each worker, or -1
} Head;

typedef struct { // then signals x OUTCOMES numbers, then signals x rows
    atomic_int state;
    int32_t expected;
    char message[MESSAGE];
} Record;

static Head *head_of(const Study *s) { return s->map; }

static Record *record_of(const Study *s, int run) {
    return (Record *)((char *)s->map + sizeof(Head) + (size_t)run * s->record_size);
}

static double *outcomes_of(const Study *s, int run) {
    return (double *)((char *)record_of(s, run) + sizeof(Record));
}

const double *study_rows(const Study *s, int run, int signal) {
    return outcomes_of(s, run) + (size_t)s->signals * OUTCOMES + (size_t)signal * (size_t)s->rows;
}

// --- values of the factors
// ------------------------------------------------------------------------------------------------

static uint64_t mix(uint64_t x) { // splitmix64
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double draw(uint64_t seed, uint64_t run, uint64_t which) { // in 0 .. 1, ends excluded
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
        double u = draw(p->seed, (uint64_t)run, (uint64_t)which);
        if (p->latin) u = (shuffled(p->seed, which, run, p->runs) + u) / p->runs;
        return factor_quantile(f, u);
    }
    for (int i = p->factor_count - 1; i > which; i--) run /= p->factor[i].level_count;
    return f->level[run % f->level_count];
}

// --- the file
// ------------------------------------------------------------------------------------------------

static uint64_t key_of(const StudyPlan *p) {
    uint64_t h = mix((uint64_t)p->runs + p->seed);
    for (const char *c = p->key; *c; c++) h = (h ^ (unsigned char)*c) * 0x100000001b3u;
    return h;
}

static void no_file(const Study *s, Report *r, const char *what) {
    Remark *m = report_error(r, V_NO_FILE, POS_NONE, "'%s' cannot be %s: %s", s->path, what,
                             strerror(errno));
    remark_help(r, m, "choose another folder with --out, or make room");
}

static bool is_same_study(const Study *s, const StudyPlan *p) {
    const Head *h = s->map;
    return memcmp(h->magic, "bondyn-s", 8) == 0 && h->key == key_of(p) && h->runs == s->runs &&
           h->signals == s->signals && h->rows == s->rows;
}

// posix_fallocate, so that a full disk is heard of now and not as a dead worker.
static bool open_file(Study *s, const StudyPlan *p, Report *r) {
    s->map_size = sizeof(Head) + (size_t)s->runs * s->record_size;
    int file = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        no_file(s, r, "opened");
        return false;
    }
    int full = posix_fallocate(file, 0, (off_t)s->map_size);
    if (full) errno = full;
    s->map =
        full ? MAP_FAILED : mmap(NULL, s->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (s->map == MAP_FAILED) {
        no_file(s, r, "made large enough");
        s->map = NULL;
        close(file);
        unlink(s->path);
        return false;
    }
    close(file);
    Head *h = s->map;
    if (!is_same_study(s, p)) {
        memset(s->map, 0, s->map_size);
        *h = (Head){.key = key_of(p), .runs = s->runs, .signals = s->signals, .rows = s->rows};
        memcpy(h->magic, "bondyn-s", 8);
    }
    for (int i = 0; i < s->runs; i++) s->kept += record_of(s, i)->state == RUN_DONE;
    h->next = 0;
    h->finished = s->kept;
    for (int i = 0; i < MOST_WORKERS; i++) h->busy[i] = -1;
    return true;
}

// --- one run
// ------------------------------------------------------------------------------------------------

static void take_outcomes(const Study *s, const double *time, const double *y, double *out) {
    double least = y[0], most = y[0], area = 0;
    for (int i = 0; i < s->rows; i++) {
        least = fmin(least, y[i]);
        most = fmax(most, y[i]);
        if (i) area += (time[i] - time[i - 1]) * (y[i] + y[i - 1]) / 2;
    }
    double span = time[s->rows - 1] - time[0];
    out[0] = y[s->rows - 1];
    out[1] = least;
    out[2] = most;
    out[3] = span > 0 ? area / span : y[0];
}

static void keep_run(const Study *s, int run, const Run *result) {
    const Results *from = &result->results;
    double *outcome = outcomes_of(s, run), *rows = outcome + (size_t)s->signals * OUTCOMES;
    for (int i = 0; i < s->signals; i++) {
        const double *y = from->column[i + 1].value;
        take_outcomes(s, from->column[0].value, y, outcome + (size_t)i * OUTCOMES);
        memcpy(rows + (size_t)i * (size_t)s->rows, y, (size_t)s->rows * sizeof *y);
    }
    record_of(s, run)->expected = result->verdict_count - result->failed_count;
}

static void fail_run(const Study *s, int run, const char *message) {
    Record *to = record_of(s, run);
    strncpy(to->message, message, MESSAGE - 1);
    atomic_store(&to->state, RUN_FAILED);
}

static bool is_whole(const Study *s, const Run *run) {
    return run && run->status == SOLVE_DONE && !run->not_finite &&
           run->results.column_count == s->signals + 1 && run->results.row_count == s->rows;
}

static void compute(const Study *s, const StudyPlan *p, int run, int *var, double *value) {
    Report r = {0};
    RunOptions o = *p->options;
    for (int i = 0; i < p->factor_count; i++) {
        var[i] = p->factor[i].var;
        value[i] = factor_si(&p->factor[i], study_value(p, run, i));
    }
    o.set_var = var;
    o.set_value = value;
    o.set_count = p->factor_count;
    o.progress = NULL;
    o.cancel = p->cancel;
    Run *result = run_experiment(p->system, &o, &r);
    if (result && result->status == SOLVE_CANCELLED) {
        run_free(result);
        report_free(&r);
        return;
    }
    if (is_whole(s, result)) {
        keep_run(s, run, result);
        atomic_store(&record_of(s, run)->state, RUN_DONE);
    } else {
        const Remark *m = r.first;
        while (m && m->severity != ERROR) m = m->next;
        fail_run(s, run, m ? m->message : "the run ended early");
    }
    atomic_fetch_add(&head_of(s)->finished, 1);
    run_free(result);
    report_free(&r);
}

// --- workers
// ------------------------------------------------------------------------------------------------

static void work(const Study *s, const StudyPlan *p, int worker) {
    int *var = memory_zeroed((size_t)p->factor_count, sizeof *var);
    double *value = memory_zeroed((size_t)p->factor_count, sizeof *value);
    Head *h = head_of(s);
    for (;;) {
        int run = atomic_fetch_add(&h->next, 1);
        if (run >= s->runs || *p->cancel) break;
        if (record_of(s, run)->state == RUN_DONE) continue;
        record_of(s, run)->state = RUN_OPEN;
        atomic_store(&h->busy[worker], run);
        compute(s, p, run, var, value);
        atomic_store(&h->busy[worker], -1);
    }
    free(var);
    free(value);
}

static pid_t start_worker(const Study *s, const StudyPlan *p, int worker) {
    pid_t child = fork();
    if (child != 0) return child;
    work(s, p, worker);
    _exit(0);
}

static void bury(const Study *s, int worker) {
    int run = atomic_exchange(&head_of(s)->busy[worker], -1);
    if (run < 0 || record_of(s, run)->state != RUN_OPEN) return;
    fail_run(s, run, "its process was killed");
    atomic_fetch_add(&head_of(s)->finished, 1);
}

static void rest(void) { nanosleep(&(struct timespec){0, 20000000}, NULL); }

// Starts workers, follows them, and replaces those that were killed as long as there is work.
static bool run_workers(Study *s, const StudyPlan *p) {
    pid_t child[MOST_WORKERS] = {0};
    int count = p->workers, alive = 0, deaths = 0;
    bool told = false;
    if (count > MOST_WORKERS) count = MOST_WORKERS;
    for (int i = 0; i < count; i++) {
        child[i] = start_worker(s, p, i);
        alive += child[i] > 0;
    }
    if (!alive) return false;
    while (alive) {
        rest();
        for (int i = 0; *p->cancel && !told && i < count; i++)
            if (child[i] > 0) kill(child[i], SIGTERM); // they end their run as we do
        told = *p->cancel;
        if (p->progress) p->progress(p->context, (double)head_of(s)->finished / s->runs);
        for (int i = 0; i < count; i++) {
            int status;
            if (child[i] <= 0 || waitpid(child[i], &status, WNOHANG) != child[i]) continue;
            alive--;
            child[i] = 0;
            if (WIFEXITED(status)) continue;
            bury(s, i);
            if (*p->cancel || head_of(s)->next >= s->runs || ++deaths > MOST_DEATHS) continue;
            child[i] = start_worker(s, p, i);
            alive += child[i] > 0;
        }
    }
    return true;
}

// --- the study
// ------------------------------------------------------------------------------------------------

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

static Study *study_new(const StudyPlan *p, const Run *nominal) {
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
    s->record_size =
        sizeof(Record) + (size_t)s->signals * (OUTCOMES + (size_t)s->rows) * sizeof(double);
    s->path = path_join(&s->arena, p->folder, "runs.part");
    return s;
}

Study *study_run(const StudyPlan *p, const Run *nominal, Report *r) {
    Study *s = study_new(p, nominal);
    if (!folder_make(p->folder, r) || !open_file(s, p, r)) {
        study_close(s, true);
        return NULL;
    }
    if (!run_workers(s, p)) {
        no_file(s, r, "worked on: no process could be started");
        study_close(s, true);
        return NULL;
    }
    gather(s, p);
    s->interrupted = *p->cancel && s->done + s->failed < s->runs;
    return s;
}

void study_close(Study *s, bool keep_file) {
    if (!s) return;
    if (s->map) munmap(s->map, s->map_size);
    if (s->map && !keep_file) unlink(s->path);
    arena_free(&s->arena);
    free(s);
}

// --- what came out
// ------------------------------------------------------------------------------------------------

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
    double half = m.count > 0 ? 1.959963984540054 * m.deviation / sqrt(m.count) : 0;
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
