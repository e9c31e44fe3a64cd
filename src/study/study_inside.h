// What the parts of a study share: study_file.c has the file, study.c the workers, study_ranks.c
// the ranks.
#ifndef BONDYN_STUDY_STUDY_INSIDE_H
#define BONDYN_STUDY_STUDY_INSIDE_H

#include "base/digest.h"
#include "engine/lanes.h"
#include "run/batch.h"
#include "study/study.h"
#include <stdatomic.h>

// --- study_file.c: [ head | record | record | ... ]

enum { MESSAGE = 240, MOST_WORKERS = 256 };

typedef struct {
    _Alignas(8) char magic[8];
    char key[DIGEST_TEXT + 1]; // of everything that the rows depend on
    int32_t runs, signals, rows;
    atomic_int next;
    atomic_int finished;
    atomic_int busy[MOST_WORKERS][MOST_LANES]; // the runs of each worker, or -1
} Head;

typedef struct { // then signals x OUTCOMES numbers, then signals x rows
    atomic_int state;
    int32_t expected;
    uint64_t seal; // checksum of the rest, the number of the run and the key of the study
    char message[MESSAGE];
} Record;

_Static_assert(sizeof(Head) % 8 == 0 && sizeof(Record) % 8 == 0, "numbers are aligned");

static inline Head *head_of(const Study *s) { return s->map; }

static inline Record *record_of(const Study *s, int run) {
    return (Record *)((char *)s->map + sizeof(Head) + (size_t)(run - s->first) * s->record_size);
}

static inline double *outcomes_of(const Study *s, int run) {
    return (double *)((char *)record_of(s, run) + sizeof(Record));
}

size_t study_record_size(int signals, int rows);
void study_key(const StudyPlan *p, char key[DIGEST_TEXT + 1]);
// The file of the folder, this study's alone from now on; runs of before stay if they are whole and
// of the very same study. False: reported.
bool study_open(Study *s, const StudyPlan *p, Report *r);
bool study_settle(const Study *s, Report *r); // what is finished is on the disk
void study_no_file(const Study *s, Report *r, const char *what);
void study_queue(Head *h, int next, int finished);      // nothing is taken yet
void study_seal(const Study *s, int run, RunState now); // the record is written and never changes

// --- study.c

Study *study_new(const StudyPlan *p, const Run *nominal);
// In place of the file, room for this many records in memory, for a rank that has no file.
bool study_room(Study *s, const StudyPlan *p, int records);
// The runs first .. first + count - 1 are the only ones, and none is made.
void study_range(Study *s, int first, int count);
// The next runs of the study that nobody has taken: at most so many, in *first; 0: there are none.
int study_claim(Study *s, int most, int *first);
int study_taken(const Study *s); // runs that somebody has taken
double study_progress(const Study *s);
void *study_record(const Study *s, int run); // s->record_size bytes
RunState study_state(const Study *s, int run);
void study_put(Study *s, int run, const void *record); // of another rank

// Runs what is to run by worker processes on this machine; `tick` is called again and again.
bool study_work(Study *s, const StudyPlan *p, const RunBatch *batch, void (*tick)(void *context),
                void *context);
RunBatch *study_batch(Study *s, const StudyPlan *p, const Run *nominal); // how its runs go;

// --- study_ranks.c
typedef struct RankServer RankServer;
RankServer *rank_server_new(Study *s, const StudyPlan *p);
void rank_server_tick(void *server);      // answers who asks
void rank_server_end(RankServer *server); // after the last rank has been told to stop

#endif
