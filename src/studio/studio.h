// The studio: a model in the browser, where text, graph, equations, plots, motion and power move
// together. A small server for one page, on this machine only.
//
//     studio_serve(options, report)      until it is interrupted
//
//   browser                             server (one thread)          of each page, three threads
//   +------+   GET /?token=...          +-----------+
//   | page | <------------------------- | server.c  |
//   |      |   WebSocket, texts: JSON   |           | --inbox-->  text.c   messages, hover (src/lsp)
//   |      | <------------------------> |           | --inbox-->  build.c  models, graph, equations
//   |      |   binary: frames, 60 Hz    | outbox    | <--------   live.c   bd_advance in real time
//   +------+                            +-----------+
//
// Nothing waits for a page that does not read: answers are bounded, and of frames the newest stays.
#ifndef BONDYN_STUDIO_STUDIO_H
#define BONDYN_STUDIO_STUDIO_H

#include "bondyn.h"

typedef struct {
    const char *file;              // that is opened; its folder is all that pages see
    const char *library;           // folder of the component library; Nullable
    int port;                      // 0: any that is free
    const volatile int *interrupt; // not 0: come to an end
    void (*ready)(void *context, const char *address); // pages can come now
    void *context;
} StudioOptions;

// False: it could not begin, reported.
bool studio_serve(const StudioOptions *o, BdReport *r);

// A recorded drive (recording.c), run again: the same calls in the same order. False: reported.
// `rows` goes to the run, see BdRunOptions.
typedef struct {
    const char *file, *library;
    const char *recording;
    const char *csv; // what is recorded, at the times of the drive; Nullable
} ReplayOptions;

typedef struct {
    char experiment[200];
    double reached;
    long pieces;
    int states,
        differ; // states at the end, and how many are not those of the recording, bit by bit
} Replay;

bool replay_recording(const ReplayOptions *o, Replay *to, BdReport *r);

#endif
