// The file of a study, and whose it is.
//
//     open, never through a link  ->  lock, or go away  ->  still the file of this name?
//       -> the same study: keep the records whose seal is right
//       -> another one: begin anew, and say so
//
// A record is sealed after its numbers are written: a checksum over them, the number of the run and
// the key of the study. What a kill, a full disk or a loss of power left half done has no right
// seal, and is made again.
#include "study/study_inside.h"

#include "base/files.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char study_magic[8] = "bondyn-3";

size_t study_record_size(int signals, int rows) {
    return sizeof(Record) + (size_t)signals * (OUTCOMES + (size_t)rows) * sizeof(double);
}

double study_bytes(const StudyPlan *p, const Run *nominal) {
    const Results *r = &nominal->results;
    return (double)p->runs * (double)study_record_size(r->column_count - 1, (int)r->row_count);
}

const double *study_rows(const Study *s, int run, int signal) {
    return outcomes_of(s, run) + (size_t)s->signals * OUTCOMES + (size_t)signal * (size_t)s->rows;
}

// --- seals ---------------------------------------------------------------------------------------

void study_key(const StudyPlan *p, char key[DIGEST_TEXT + 1]) {
    Text all = {0};
    text_printf(&all, "%s|%d|%llu|%d|%d", p->key, p->runs, (unsigned long long)p->seed, p->random,
                p->latin);
    digest(text_get(&all), all.length, key);
    text_free(&all);
}

static uint64_t add_words(uint64_t h, const void *data, size_t bytes) {
    const char *at = data;
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t word;
        memcpy(&word, at + i, 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

static uint64_t seal_of(const Study *s, int run, RunState state) {
    const Record *from = record_of(s, run);
    const uint64_t head[] = {(uint64_t)run, (uint64_t)state, (uint64_t)from->expected};
    uint64_t h = add_words(0, head_of(s)->key, DIGEST_TEXT);
    h = add_words(h, head, sizeof head);
    return add_words(h, from->message, s->record_size - offsetof(Record, message));
}

void study_seal(const Study *s, int run, RunState now) {
    Record *to = record_of(s, run);
    to->seal = seal_of(s, run, now);
    atomic_store(&to->state, now); // last: a record is whole or not there
}

void study_queue(Head *h, int next, int finished) {
    h->next = next;
    h->finished = finished;
    for (int i = 0; i < MOST_WORKERS * MOST_LANES; i++)
        h->busy[i / MOST_LANES][i % MOST_LANES] = -1;
}

// --- the file ------------------------------------------------------------------------------------

void study_no_file(const Study *s, Report *r, const char *what) {
    Remark *m = report_error(r, V_NO_FILE, POS_NONE, "'%s' cannot be %s: %s", s->path, what,
                             file_problem(errno));
    remark_help(r, m, "choose another folder with --out, or make room");
}

static bool refuse_second(const Study *s, Report *r) {
    Remark *m = report_error(r, V_LOCKED, POS_NONE, "another study is at work in this folder: '%s'",
                             s->path);
    remark_help(r, m, "wait for its end, or choose another folder with --out");
    return false;
}

// Is the locked file still the one of this name? Its last owner may have removed it in between.
static bool is_still_there(const Study *s) {
    struct stat own, named;
    return fstat(s->file, &own) == 0 && lstat(s->path, &named) == 0 && own.st_ino == named.st_ino &&
           own.st_dev == named.st_dev;
}

static bool open_plain(Study *s, Report *r) {
    struct stat about;
    s->file = open(s->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (s->file >= 0 && fstat(s->file, &about) == 0 && S_ISREG(about.st_mode)) return true;
    if (s->file >= 0) errno = ESPIPE;
    study_no_file(s, r, "opened");
    return false;
}

// The workers of a study that was killed a moment ago hold its lock until they have ended.
static bool lock(const Study *s) {
    enum { TRIES = 50 };
    for (int i = 0; i < TRIES; i++) {
        if (flock(s->file, LOCK_EX | LOCK_NB) == 0) return true;
        if (errno != EWOULDBLOCK && errno != EINTR) return false;
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    return false;
}

static bool open_locked(Study *s, Report *r) {
    for (int tries = 0; tries < 100; tries++) {
        if (!open_plain(s, r)) return false;
        bool locked = lock(s);
        if (!locked && errno == EWOULDBLOCK) return refuse_second(s, r);
        if (!locked) break; // a file system without locks
        if (is_still_there(s)) return true;
        close(s->file);
        s->file = -1;
    }
    study_no_file(s, r, "locked");
    return false;
}

// What is written before the map: another study's file is longer or shorter, and its head tells.
static bool is_same_study(const Study *s, const StudyPlan *p, Head *h, int *finished) {
    char key[DIGEST_TEXT + 1];
    study_key(p, key);
    bool ours = pread(s->file, h, sizeof *h, 0) == (ssize_t)sizeof *h &&
                memcmp(h->magic, study_magic, 8) == 0;
    *finished = ours ? h->finished : 0;
    return ours && memcmp(h->key, key, DIGEST_TEXT) == 0 && h->runs == s->runs &&
           h->signals == s->signals && h->rows == s->rows;
}

// posix_fallocate, so that a full disk is heard of now and not as a dead worker.
static bool map_file(Study *s, Report *r, bool anew) {
    int problem = anew && ftruncate(s->file, 0) != 0 ? errno : 0;
    if (!problem) problem = posix_fallocate(s->file, 0, (off_t)s->map_size);
    if (problem) errno = problem;
    s->map = problem ? MAP_FAILED
                     : mmap(NULL, s->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, s->file, 0);
    if (s->map != MAP_FAILED) return true;
    s->map = NULL;
    study_no_file(s, r, "made large enough");
    unlink(s->path);
    return false;
}

static void begin_anew(Study *s, const StudyPlan *p) {
    Head *h = s->map;
    *h = (Head){.runs = s->runs, .signals = s->signals, .rows = s->rows};
    memcpy(h->magic, study_magic, 8);
    study_key(p, h->key);
}

// Runs of before count if their seals are right; the others are open again.
static void keep_sealed(Study *s) {
    for (int i = 0; i < s->runs; i++) {
        Record *old = record_of(s, i);
        if (old->state == RUN_DONE && old->seal == seal_of(s, i, RUN_DONE))
            s->kept++;
        else
            memset((void *)old, 0, sizeof *old);
    }
}

bool study_open(Study *s, const StudyPlan *p, Report *r) {
    Head before;
    int finished;
    s->map_size = sizeof(Head) + (size_t)s->runs * s->record_size;
    if (!open_locked(s, r)) return false;
    bool same = is_same_study(s, p, &before, &finished);
    if (!same && finished) {
        Remark *m = report_add(r, NOTE, V_OTHER_STUDY, POS_NONE,
                               "the interrupted study in '%s' is another one: its %d runs are not "
                               "used",
                               p->folder, finished);
        remark_help(r, m,
                    "something that the rows depend on has changed: the model, what it "
                    "imports, the plan, the solver or the program");
    }
    if (!map_file(s, r, !same)) return false;
    if (!same) begin_anew(s, p);
    keep_sealed(s);
    study_queue(head_of(s), 0, s->kept);
    return true;
}

bool study_settle(const Study *s, Report *r) {
    if (msync(s->map, s->map_size, MS_SYNC) == 0 && fsync(s->file) == 0) return true;
    study_no_file(s, r, "brought to the disk");
    return false;
}

// The file goes before the lock does.
void study_close(Study *s, bool keep_file) {
    if (!s) return;
    if (s->map) munmap(s->map, s->map_size);
    if (s->map && s->path && !keep_file) unlink(s->path);
    if (s->file >= 0) close(s->file);
    arena_free(&s->arena);
    free(s);
}
