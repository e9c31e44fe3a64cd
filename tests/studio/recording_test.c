// The calls of a drive: whatever is added, cut off and read again, it is what a plain list would
// have; most of it lies in a file.
// usage: recording_test [SEEDS]
#define _XOPEN_SOURCE 700
#include "studio/inside.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { MOST = 60000 };

typedef struct {
    Recording made;
    Call *plain;
    int count;
    unsigned seed;
} Twin;

static unsigned next(Twin *t) {
    t->seed = t->seed * 1664525u + 1013904223u;
    return t->seed >> 8;
}

static int fail(const Twin *t, const char *what, int at) {
    printf("seed state %u: %s at %d of %d\n", t->seed, what, at, t->count);
    return 1;
}

static int compare(Twin *t) {
    static Call block[CALL_BLOCK];
    int i = (int)(next(t) % (unsigned)(t->count + 1));
    if (t->made.count != t->count) return fail(t, "another count", t->made.count);
    for (int n; (n = recording_read(&t->made, i, block)) > 0; i += n)
        for (int k = 0; k < n; k++) {
            const Call *a = &block[k], *b = &t->plain[i + k];
            if (a->kind != b->kind || a->which != b->which || a->value != b->value)
                return fail(t, "another call", i + k);
        }
    return i == t->count ? 0 : fail(t, "the end is missing", i);
}

static int one(unsigned seed) {
    Twin t = {.plain = calloc(MOST, sizeof(Call)), .seed = seed * 7919u + 1};
    int wrong = 0;
    for (int round = 0; round < 12 && !wrong; round++) {
        int more = (int)(next(&t) % (round % 3 ? 9000u : 2u * CALL_BLOCK + 1));
        for (int k = 0; k < more && t.count < MOST; k++) {
            Call c = {(CallKind)(next(&t) % 4), (int)(next(&t) % 9), (double)next(&t) / 3};
            if (!recording_add(&t.made, c.kind, c.which, c.value)) wrong += fail(&t, "lost", k);
            t.plain[t.count++] = c;
        }
        wrong += compare(&t);
        if (next(&t) % 2) {
            int to = next(&t) % 3 ? (int)(next(&t) % (unsigned)(t.count + 1))
                                  : t.count / CALL_BLOCK * CALL_BLOCK;
            if (!recording_cut(&t.made, to)) wrong += fail(&t, "not cut", to);
            t.count = to;
            wrong += compare(&t);
        }
    }
    recording_free(&t.made);
    free(t.plain);
    return wrong;
}

// No room for files: it says so once, keeps what it has, and goes on.
static int without_room(void) {
    struct rlimit before, small = {100000, 100000};
    Recording c = {0};
    int said = 0;
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    for (int i = 0; i < 5 * CALL_BLOCK; i++) said += !recording_add(&c, CALL_ADVANCE, 0, i);
    setrlimit(RLIMIT_FSIZE, &before);
    bool good = said == 1 && c.lost && strstr(c.lost, "no room");
    recording_free(&c);
    if (!good) printf("no room for files: said %d times\n", said);
    return !good;
}

int main(int argc, char **argv) {
    int seeds = argc > 1 ? atoi(argv[1]) : 40, wrong = without_room();
    for (int k = 0; k < seeds; k++) wrong += one((unsigned)k);
    printf("%d seeds, %d wrong\n", seeds, wrong);
    return wrong != 0;
}
