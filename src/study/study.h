// Studies: one model, many runs with other parameters.
//
//     plan  ->  runs.part  [ head | record 0 | record 1 | ... ]   shared by all worker processes
//                            next   state, outcomes, rows
//
// Workers are processes that take the next numbers, compute the runs and write their records: as
// many at once as fit over SIMD lanes (run/batch.h). What a run gives depends on its number and
// the seed alone, so any number of workers and lanes finds the same. When a worker dies, the runs
// it was in are made again one by one; the one it dies of is lost, nothing else. The file outlives
// an interruption: the same study asked for again goes on with what is missing. While a study works
// its file is locked, and a second one in the same folder is refused.
#ifndef BONDYN_STUDY_STUDY_H
#define BONDYN_STUDY_STUDY_H

#include "run/run.h"
#include "study/factor.h"
#include "study/ranks.h"

enum { OUTCOMES = 4 }; // per signal: at the end, least, most, mean

typedef enum { RUN_OPEN, RUN_DONE, RUN_FAILED } RunState;

typedef struct {
    const System *system;
    const Sources *sources;    // for messages
    const RunOptions *options; // of every run
    const Factor *factor;
    int factor_count;
    int runs;
    bool random; // montecarlo; else all combinations of levels
    bool latin;  // random: one draw in each of `runs` equal slices of every factor
    uint64_t seed;
    int workers;        // processes on this machine
    int lanes;          // 1: one run at a time in each process, 2, 4, 8; 0: as many as fit
    const Ranks *ranks; // of mpirun, NULL without; this one is rank 0 in study_run
    const char *folder;
    const char *key; // text that changes with anything that a row depends on
    void (*progress)(void *context, double fraction);
    void *context;
    // Where a run begins, into its options, with room until it is over; false: reported. NULL: with its start values.
    bool (*begin)(void *context, RunOptions *o, Arena *room, Report *r);
    void *begin_context;
    const volatile int *cancel;
} StudyPlan;

typedef struct {
    Arena arena;
    int runs, done, failed, kept; // kept: found in the file of an earlier, interrupted study
    int signals, rows;
    const char **name, **unit; // of the signals
    const double *time;        // rows
    double *factor;            // runs x factor_count, as written
    double *outcome;           // runs x signals x OUTCOMES
    RunState *state;           // per run
    int *expected;             // expectations that held, per run
    int expectations;
    int file;  // locked, -1: none
    void *map; // the file, or the memory of a rank that has none
    int first; // run of its first record
    size_t map_size, record_size, rows_at;
    const char *path;
    const char *first_message; // of the first failed run, or NULL
    int first_failed;
    bool interrupted;
    bool lost;          // interrupted, and what was made could not be kept
    const char *engine; // how the runs went, in words
} Study;

double study_draw(uint64_t seed, uint64_t run, uint64_t which); // in 0 .. 1, ends excluded
int study_runs(const StudyPlan *p);                         // of all combinations; -1 = too many
double study_bytes(const StudyPlan *p, const Run *nominal); // on the disk, while it goes on
double study_value(const StudyPlan *p, int run, int which); // as written
// nominal: a run with the unchanged parameters, from which signals and rows are known.
Study *study_run(const StudyPlan *p, const Run *nominal, Report *r);
// On every other rank: runs for rank 0, until it has no more.
bool study_serve(const StudyPlan *p, const Run *nominal);
// Where there will be no study: rank 0 sends the others home, the others go.
void study_dismiss(const Ranks *ranks);
void study_leave(const Ranks *ranks);
const double *study_rows(const Study *s, int run, int signal); // s->rows values
Results *study_table(const Study *s, const StudyPlan *p);      // one row per run
void study_close(Study *s, bool keep_file);

typedef struct {
    double mean, deviation, low, high, least, most; // low .. high: 95 % of the mean
    int count;
} Summary;

Summary study_summary(const Study *s, int signal, int outcome);
extern const char *const outcome_name[OUTCOMES];

// Pictures (charts.c): each a title for the file and the SVG.
typedef struct {
    const char *file;
    Text svg;
} Chart;

int study_charts(Arena *out, const Study *s, const StudyPlan *p, Chart **chart);

#endif
