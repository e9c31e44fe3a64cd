// What the files of this stage share.
//
//     server.c     HTTP and WebSocket: bytes in, bytes out
//     guard.c      who may come in: token, host, origin
//     boxes.c      queues between threads, bounded
//     page.c       one open page: its three threads, who gets which message
//     text.c       the thread that reads texts: language service, files
//     build.c      the thread that builds models, and draws them
//     built.c      a model that was built, and what the page is told about it
//     live.c       the thread that runs: real time, inputs, frames
//     trail.c      what the run was, for plots and scrubbing
//     recording.c  every call that a run got, to do it again
//     pull.c       the model with springs at frames that are pulled by hand
//     files.c      the folder of the opened file
#ifndef BONDYN_STUDIO_INSIDE_H
#define BONDYN_STUDIO_INSIDE_H

#include "base/array.h"
#include "base/clock.h"
#include "base/report.h"
#include "base/text.h"
#include "bondyn.h"
#include "studio/studio.h"
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

// --- guard.c: all of it without state, for tests and fuzzers

enum { TOKEN_LENGTH = 32 };

// A token of 32 hexadecimal digits: that of the last server on this port, if there was one, so that
// open pages find the new server; else random ones. False: there is no source of randomness.
bool token_get(char token[TOKEN_LENGTH + 1], int port);
bool token_is(const char *token, const char *said); // takes the same time wherever they differ
// "127.0.0.1:PORT" or "localhost:PORT" and nothing else: another name that leads here is a trick.
bool host_is_ours(const char *host, int port);
bool origin_is_ours(const char *origin, int port); // "http://" and such a host

// --- boxes.c

typedef struct Parcel { // a message on its way
    struct Parcel *next;
    bool binary;
    size_t length;
    unsigned char *data; // with room before it for what the wire needs
} Parcel;

enum { PARCEL_ROOM = 32 }; // before the data

Parcel *parcel_new(const void *data, size_t length, bool binary);
void parcel_free(Parcel *p); // Nullable

typedef struct { // many put, one takes
    pthread_mutex_t lock;
    pthread_cond_t filled;
    Parcel *first, *last;
    int count;
    size_t bytes;
    bool closed;
} Box;

void box_open(Box *b);
void box_empty(Box *b);          // nobody uses it any more
void box_close(Box *b);          // wakes who waits; nothing is put in any more
bool box_put(Box *b, Parcel *p); // takes it; false: it was closed
Parcel *box_take(Box *b);        // NULL: it is empty
// Waits until there is something or until a time (CLOCK_MONOTONIC); false: nothing has come.
bool box_wait(Box *b, const struct timespec *until); // Nullable: until, for ever
size_t box_bytes(Box *b);

// --- page.c

struct Server;
typedef struct Text_ TextSide;

typedef struct Page {
    struct Server *server;
    atomic_int users;   // threads and the connection; the last one frees it
    atomic_bool closed; // the connection is gone
    Box to_text, to_build, to_live, out;
    Parcel *frame; // the newest one that is not sent yet, below out.lock
    atomic_long frames_dropped;
    Text partial;         // of a message that comes in pieces
    struct Built *fresh;  // from the side that builds to the live side, below to_live.lock
    struct Built *pulled; // the same model with hands at frames; so, too
    atomic_bool slow;     // the inbox is full: the server reads no more for a while
} Page;

Page *page_open(struct Server *s);
void page_rest(Page *p);    // its threads come to an end
void page_close(Page *p);   // the connection is gone
void page_release(Page *p); // by a thread that ends
// A message of the page, whole. False: too much, the connection ends.
bool page_receive(Page *p, const char *text, size_t length);
bool page_works(Page *p, const Box *in); // is there more to come in it?
json_t *page_take(Page *p, Box *in);     // the next message in it; NULL: it is none
const char *message_string(const json_t *from, const char *key); // "" when there is none

void page_send(Page *p, json_t *message); // takes the reference; any thread
void page_send_text(Page *p, const char *json, size_t length);
void page_send_numbers(Page *p, const double *x, size_t count); // binary, kept
void page_send_frame(Page *p, const double *x, size_t count);   // binary, the newest only
void page_tell(Page *p, const char *kind, const char *text);    // for people: "error", "note"
Parcel *page_next(Page *p);                                     // to the wire; NULL: nothing

// --- server.c

void server_wake(struct Server *s, Page *p); // there is something to send; any thread
const StudioOptions *server_options(const struct Server *s);
const char *server_folder(const struct Server *s); // real path
const char *server_file(const struct Server *s);   // real path
void server_thread(struct Server *s, int more);    // +1: one begins, -1: it is over

// --- files.c

// The real path of what a page names, inside the folder; NULL: it is not. On the heap.
char *folder_path(const char *folder, const char *name, bool must_exist);

// --- built.c

typedef struct Built {
    atomic_int users;
    long revision;
    BdModel *model;
    char *path;
    char *pulls; // frames with a hand at them (pull.c); ""
    char *plain; // then the name of the model without them; ""
} Built;

Built *built_new(BdModel *m, long revision, const char *path);
Built *built_keep(Built *b);
void built_free(Built *b); // Nullable
// Everything that a page shows of it; `view`: how the graph is drawn.
json_t *built_json(const Built *b, const json_t *view);
// {"graph": drawing, "depth": n} for a view {"places": {path: [x, y]}, "scope": path, "depth": n};
// without a depth large models are folded.
json_t *graph_json(const Built *b, const json_t *view);
json_t *equations_json(const Built *b); // for the page: typeset, with its revision
json_t *messages_json(const BdReport *r);

// --- pull.c: frames that are pulled by hand, as lines "own PATH" or "world PATH"

enum { MOST_FRAME = 300 };
#define PULLED_MODEL "studio_Pulled"

bool pull_add(Text *pulls, const char *frame,
              bool world);                           // false: no frame of a mechanism in a model
int pull_find(const char *pulls, const char *frame); // studio_hand1 and so on; 0: there is none

// Definitions that the file gets as well: PULLED_MODEL, the model with a hand at every frame.
void pulled_model(Text *out, const char *model, const char *pulls);

// --- the threads

void *text_thread(void *page);
void *build_thread(void *page);
void *live_thread(void *page);

// --- trail.c: rows of doubles, at most so many bytes; when it is full, every second row goes

typedef struct {
    double *row;
    int columns, rows, room;
    int stride, skipped; // every so many rows are kept
} Trail;

void trail_begin(Trail *h, int columns, size_t bytes);
void trail_add(Trail *h, const double *row);
void trail_cut(Trail *h, double time); // rows at this time and later go
void trail_free(Trail *h);

// --- recording.c: the last calls are in memory, those before them in a file without a name, so
// that a run of hours needs no more memory than one of a minute

typedef enum { CALL_ADVANCE, CALL_INPUT, CALL_SET, CALL_SAVE } CallKind;

typedef struct {
    CallKind kind;
    int which; // input, or number of a name
    double value;
} Call;

enum { CALL_BLOCK = 4096, MOST_CALLS = 20 << 20 }; // four days of frames

typedef struct {
    Call *block;  // those from `first` on
    FILE *before; // those before it; NULL: none
    int first, count;
    ARRAY(char *) name; // of parameters
    const char *lost;   // why it cannot be replayed, for people; NULL: it can
} Recording;

// False: from here on it cannot be replayed, see `lost`; once for each reason.
bool recording_add(Recording *c, CallKind kind, int which, double value);
int recording_name(Recording *c, const char *name);
// The calls from a number on, at most so many as a block has; 0: there are none, or they cannot be
// read.
int recording_read(const Recording *c, int from, Call to[CALL_BLOCK]);
bool recording_cut(Recording *c, int count); // false: as recording_add
void recording_free(Recording *c);
// To a file: head, calls, and the states at the end.
bool recording_write(const Recording *c, const Built *b, const BdRun *run, double stop, FILE *to);

#endif
