// A run in real time: what live.c (commands, the thread) and drive.c (the run itself) share.
#ifndef BONDYN_STUDIO_LIVE_H
#define BONDYN_STUDIO_LIVE_H

#include "studio/inside.h"

enum { FRAMES_PER_SECOND = 60, MOST_WATCHED = 2000 };

typedef enum { LIVE_PAUSED, LIVE_PLAYING, LIVE_ENDED, LIVE_FAILED } LiveStatus;

typedef struct {
    void *memory; // NULL: none
    size_t size;
    int calls; // of the recording
    double time;
} Snapshot;

typedef struct {
    Page *page;
    Built *built; // of the run
    BdRun *run;   // NULL: none
    LiveStatus status;
    bool again; // it is being done again, with hands
    double stop;
    int columns, bodies;
    int seen;    // numbers of poses and arrows
    double *row; // time, what is recorded, poses, arrows
    double *now; // room for the poses
    Trail trail;
    Recording recording;
    Snapshot snapshot;
    ARRAY(int) watch; // columns that frames carry
    long watch_number;
    // inputs as the page wants them
    double *input;
    bool *input_fresh;
    int inputs;
    // time
    double speed;       // simulated seconds per second; infinite: as fast as it goes
    double begun;       // seconds of the clock at which time `from` was due
    double from;        // time of the run
    long ticks;         // frames since
    long missed;        // deadlines
    double achieved;    // speed, as it is
    double piece_begun; // work until then
    double last_frame;
} Live;

// As live runs and replays open it: everything is recorded that there is room for. Nullable:
// progress.
BdRun *drive_open(const BdModel *m, double stop, bool (*progress)(void *, double), void *context,
                  BdReport *r);
bool drive_start(Live *v, Built *b); // a run at its start; false: the page was told
void drive_end(Live *v);             // nothing is left of it
bool drive_to(Live *v, double time); // inputs, then on; false: it ended
bool drive_set(Live *v, const char *name, double si); // a parameter
void drive_input(Live *v, const char *name, double si);
// The same run of a model with hands at frames: every call so far, again.
void drive_again(Live *v, Built *b);
void drive_pull(Live *v, const char *frame, const double point[3]); // where the hand at it is
void drive_let_go(Live *v);
void drive_save(Live *v);                // a snapshot
bool drive_back(Live *v);                // to it
bool drive_take_over(Live *v, Built *b); // another model from the present state
double drive_step(const Live *v);        // from frame to frame
void drive_frame(Live *v, bool always);  // to the page
void drive_history(Live *v);             // all of what is watched, with poses
void drive_keep_time(Live *v);           // from now on as fast as v->speed says

#endif
