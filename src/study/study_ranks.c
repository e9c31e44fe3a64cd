// A study over ranks: rank 0 has the file and the queue, the others ask for runs.
//
//     rank r                              rank 0
//       ask           ------------------>   the next runs that nobody has taken, from the same
//       <------------------  first, count   counter as the workers of rank 0 itself
//       record of run ------------------>   into the file at once: what has arrived is never lost
//       ...
//       ask           ------------------>   count 0: there are no more
//
// Every rank computes with its own worker processes, as on one machine. Runs depend on their number
// alone, so the table is the same for any number of ranks.
#include "study/study_inside.h"

#include "base/memory.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_AT_ONCE = 64 };

typedef enum { RANK_ASKS, RANK_LEAVES, RANK_BRINGS, RANK_GETS } MessageKind;

typedef struct { // RANK_BRINGS: the record follows
    int32_t kind, first, count, unused;
} Message;

static int message_size(const Study *s) { return (int)(sizeof(Message) + s->record_size); }

static void rest(void) { nanosleep(&(struct timespec){0, 1000000}, NULL); }

// --- rank 0 --------------------------------------------------------------------------------------

struct RankServer {
    Study *study;
    const StudyPlan *plan;
    Message *buffer;
    int stopped;
};

RankServer *rank_server_new(Study *s, const StudyPlan *p) {
    RankServer *v = memory_zeroed(1, sizeof *v);
    *v = (RankServer){s, p, memory_zeroed(1, (size_t)message_size(s)), 0};
    return v;
}

// Large shares first, single runs at the end, so that all ranks end together.
static int share(const RankServer *v) {
    int left = v->study->runs - study_taken(v->study), each = left / (4 * v->plan->ranks->count);
    return each < 1 ? 1 : each > MOST_AT_ONCE ? MOST_AT_ONCE : each;
}

static void answer(RankServer *v, int rank) {
    Message m = {.kind = RANK_GETS};
    if (!*v->plan->cancel) m.count = study_claim(v->study, share(v), &m.first);
    v->plan->ranks->send(rank, &m, sizeof m);
    v->stopped += m.count == 0;
}

void rank_server_tick(void *server) {
    RankServer *v = server;
    const Ranks *ranks = v->plan->ranks;
    for (int from; (from = ranks->receive(v->buffer, message_size(v->study), false)) >= 0;) {
        const Message *m = v->buffer;
        if (m->kind == RANK_ASKS) answer(v, from);
        if (m->kind == RANK_LEAVES) v->stopped++;
        if (m->kind == RANK_BRINGS && m->first >= 0 && m->first < v->study->runs)
            study_put(v->study, m->first, m + 1);
    }
}

void rank_server_end(RankServer *v) {
    while (v->stopped < v->plan->ranks->count - 1) {
        rank_server_tick(v);
        if (v->plan->progress) v->plan->progress(v->plan->context, study_progress(v->study));
        rest();
    }
    free(v->buffer);
    free(v);
}

void study_dismiss(const Ranks *ranks) {
    Message m, stop = {.kind = RANK_GETS};
    for (int stopped = 0; stopped < ranks->count - 1; stopped++) {
        int from = ranks->receive(&m, sizeof m, true);
        if (from >= 0 && m.kind == RANK_ASKS) ranks->send(from, &stop, sizeof stop);
    }
}

// --- the others ----------------------------------------------------------------------------------

typedef struct {
    Study *study;
    const StudyPlan *plan;
    int first, count;
    bool sent[MOST_AT_ONCE];
    Message *buffer;
} RankWorker;

static void deliver(void *worker) {
    RankWorker *w = worker;
    const Study *s = w->study;
    for (int i = 0; i < w->count; i++) {
        int run = w->first + i;
        if (w->sent[i] || study_state(s, run) == RUN_OPEN) continue;
        *w->buffer = (Message){.kind = RANK_BRINGS, .first = run, .count = 1};
        memcpy(w->buffer + 1, study_record(s, run), s->record_size);
        w->sent[i] = w->plan->ranks->send(0, w->buffer, message_size(s));
    }
}

static bool ask(RankWorker *w) {
    Message m = {.kind = RANK_ASKS};
    if (!w->plan->ranks->send(0, &m, sizeof m)) return false;
    if (w->plan->ranks->receive(&m, sizeof m, true) != 0 || m.kind != RANK_GETS) return false;
    w->first = m.first;
    w->count = m.count < MOST_AT_ONCE ? m.count : MOST_AT_ONCE;
    memset(w->sent, 0, sizeof w->sent);
    return w->count > 0;
}

void study_leave(const Ranks *ranks) {
    Message m = {.kind = RANK_LEAVES};
    ranks->send(0, &m, sizeof m);
}

bool study_serve(const StudyPlan *p, const Run *nominal) {
    Study *s = study_new(p, nominal);
    if (message_size(s) <= 0 || s->record_size > INT_MAX / 2 || !study_room(s, p, MOST_AT_ONCE)) {
        study_close(s, true);
        study_leave(p->ranks);
        return false;
    }
    RankWorker w = {.study = s, .plan = p};
    w.buffer = memory_zeroed(1, (size_t)message_size(s));
    RunBatch *batch = study_batch(s, p, nominal);
    while (ask(&w)) {
        study_range(s, w.first, w.count);
        study_work(s, p, batch, deliver, &w);
        deliver(&w);
    }
    batch_free(batch);
    free(w.buffer);
    study_close(s, true);
    return true;
}
