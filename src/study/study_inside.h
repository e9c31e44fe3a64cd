// What the parts of a study share: study.c has the file and the workers, study_ranks.c the ranks.
#ifndef BONDYN_STUDY_STUDY_INSIDE_H
#define BONDYN_STUDY_STUDY_INSIDE_H

#include "run/batch.h"
#include "study/study.h"

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
