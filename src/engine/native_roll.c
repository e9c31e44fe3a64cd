// See native_roll.h. Series, then loops of them, then what comes before what: loops and the
// straight-line code between them take turns.
//
//     phase 0    straight code, loops      nothing before them
//     phase 1    straight code, loops      read what loops of phase 0 computed
//     ...
#include "engine/native_roll.h"

#include "base/memory.h"

enum { MOST_TRIES = 32 }; // each looks at the whole tape

bool roll_stays(const Roll *r, int instruction) {
    return r->value[instruction].group >= 0 || r->value[instruction].home;
}

int roll_loop_of(const Roll *r, int instruction) {
    if (instruction >= r->end || r->series_of[instruction] < 0) return NO_LOOP;
    int loop = r->series.data[r->series_of[instruction]].loop;
    if (loop < 0) return NO_LOOP;
    int round = roll_round_of(r, instruction) - r->loop.data[loop].low;
    return round >= 0 && round < r->loop.data[loop].rounds ? loop : NO_LOOP;
}

// --- what comes before what ----------------------------------------------------------------------

typedef struct { // units: loops behind the instructions; a group of angles is its leader
    const Roll *r;
    int units;
    int *missing, *first, *next, *phase, *queue;
    int done;
} Sorting;

static int unit_of(const Roll *r, int instruction) {
    int loop = roll_loop_of(r, instruction);
    return loop >= 0 ? r->end + loop : r->leader[instruction];
}

typedef void Visit(Sorting *s, int from, int to);

static void each_pair(Sorting *s, Visit *visit) {
    const Roll *r = s->r;
    for (int i = 0; i < r->end; i++) {
        int to = unit_of(r, i);
        for (int k = 0; k < READS; k++) {
            if (!value_reads((TapeOp)r->f->code[i].op, k) || r->value[i].read[k] < 0) continue;
            int from = unit_of(r, r->value[i].read[k]);
            if (from != to) visit(s, from, to);
        }
    }
}

static void count_pair(Sorting *s, int from, int to) {
    s->first[from + 1]++;
    s->missing[to]++;
}

static void keep_pair(Sorting *s, int from, int to) { s->next[s->first[from]++] = to; }

static void run_queue(Sorting *s) {
    int count = 0;
    for (int i = 0; i < s->units; i++)
        if (s->missing[i] == 0) s->queue[count++] = i;
    for (s->done = 0; s->done < count; s->done++) {
        int from = s->queue[s->done], after = s->phase[from] + (from >= s->r->end);
        for (int k = from ? s->first[from - 1] : 0; k < s->first[from]; k++) {
            int to = s->next[k];
            if (s->phase[to] < after) s->phase[to] = after;
            if (--s->missing[to] == 0) s->queue[count++] = to;
        }
    }
}

// The smallest loop that waits for itself through straight-line code; -1: none.
static int find_stuck(const Sorting *s) {
    int stuck = -1;
    long least = 0;
    for (int i = 0; i < s->r->loop.count && s->done < s->units; i++) {
        const TapeLoop *loop = &s->r->loop.data[i];
        long work = (long)loop->rounds * loop->body.count;
        if (s->missing[s->r->end + i] == 0 || work == 0 || (stuck >= 0 && work >= least)) continue;
        stuck = i;
        least = work;
    }
    return stuck;
}

static void keep_phases(Roll *r, const Sorting *s) {
    r->phases = 0;
    for (int i = 0; i < r->end; i++) r->phase[i] = s->phase[r->leader[i]];
    for (int i = 0; i < r->loop.count; i++) {
        TapeLoop *loop = &r->loop.data[i];
        loop->phase = s->phase[r->end + i];
        if (loop->rounds && loop->phase >= r->phases) r->phases = loop->phase + 1;
    }
}

// Gives: a loop to give up, or -1 when everything has its place.
static int sort_units(Roll *r) {
    Sorting s = {.r = r, .units = r->end + r->loop.count};
    size_t n = (size_t)s.units + 1;
    int *space = memory_zeroed(4 * n + READS * n, sizeof *space);
    s.missing = space;
    s.first = space + n;
    s.phase = space + 2 * n;
    s.queue = space + 3 * n;
    s.next = space + 4 * n;
    each_pair(&s, count_pair);
    for (int i = 0; i < s.units; i++) s.first[i + 1] += s.first[i];
    each_pair(&s, keep_pair);
    run_queue(&s);
    int stuck = find_stuck(&s);
    if (stuck < 0) keep_phases(r, &s);
    free(space);
    return stuck;
}

// --- loops of one stage as one -------------------------------------------------------------------

static void shift_offsets(Roll *r, const TapeLoop *loop, int number, int by) {
    for (int i = 0; i < loop->body.count; i++) {
        r->series.data[loop->body.data[i]].loop = number;
        r->series.data[loop->body.data[i]].offset += by;
    }
}

// Side by side they wait less. Undone when they need each other after all.
static void join_loops(Roll *r, int into, int other) {
    TapeLoop *a = &r->loop.data[into], *b = &r->loop.data[other];
    int old = a->rounds, count = a->body.count, by = a->low - b->low;
    int common = a->rounds < b->rounds ? a->rounds : b->rounds;
    shift_offsets(r, b, into, by);
    for (int i = 0; i < b->body.count; i++) array_push(&a->body, b->body.data[i]);
    a->rounds = common;
    int rounds = b->rounds;
    b->rounds = 0;
    if (sort_units(r) < 0) {
        b->body.count = 0;
        return;
    }
    a->body.count = count;
    a->rounds = old;
    b->rounds = rounds;
    shift_offsets(r, b, other, -by);
}

static void join_stages(Roll *r) {
    int tries = MOST_TRIES;
    for (int i = 0; i < r->loop.count; i++)
        for (int k = i + 1; k < r->loop.count && r->loop.data[i].rounds && tries > 0; k++) {
            const TapeLoop *a = &r->loop.data[i], *b = &r->loop.data[k];
            bool alike = 8 * abs(a->rounds - b->rounds) <= a->rounds + 8;
            if (b->rounds == 0 || a->stage != b->stage || !alike) continue;
            join_loops(r, i, k);
            tries--;
        }
}

// --- outside -------------------------------------------------------------------------------------

void roll_open(Roll *r, const Program *p, const TapeFunction *f, const Value *value, int end,
               const Ref *result, int split, const int *leader) {
    *r = (Roll){.f = f, .value = value, .leader = leader, .end = end};
    size_t n = (size_t)end;
    r->series_of = memory_zeroed(n, sizeof *r->series_of);
    r->place = memory_zeroed(n, sizeof *r->place);
    r->swapped = memory_zeroed(n, sizeof *r->swapped);
    r->phase = memory_zeroed(n, sizeof *r->phase);
    for (int i = 0; i < end; i++) r->series_of[i] = -1;
    roll_find_series(r, p, result, split);
    roll_find_loops(r);
    int tries = MOST_TRIES;
    for (int stuck; (stuck = sort_units(r)) >= 0 && tries > 0; tries--)
        roll_give_up(r, &r->loop.data[stuck]);
    for (int i = 0; i < r->loop.count && tries == 0; i++) roll_give_up(r, &r->loop.data[i]);
    join_stages(r);
    sort_units(r);
    r->leader = NULL;
}

void roll_close(Roll *r) {
    for (int i = 0; i < r->loop.count; i++) array_free(&r->loop.data[i].body);
    array_free(&r->loop);
    array_free(&r->series);
    array_free(&r->member);
    free(r->series_of);
    free(r->place);
    free(r->swapped);
    free(r->phase);
    *r = (Roll){0};
}
