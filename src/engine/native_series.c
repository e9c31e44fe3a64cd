// Series: instructions that do the same, one joint after the other.
//
// Rates of a chain stand a fixed number apart in the list of results, for states are sorted by
// name. If result k is the sum of two products and result k + s is so, too, s may be the step from
// joint to joint. From such pairs the step spreads over operands:
//
//     rate_5 = x + y*z                 step(rate_5) = rate_7
//     rate_7 = x'+ y'*z'     ->        step(x) = x', step(y) = y', step(z) = z'   ... and so on
//
// until it meets instructions that differ, at the ends of a chain; and from there to readers, where
// it is clear which corresponds to which. Operands of sums and products
// may stand the other way round: colours, hashes of what is below an instruction, tell which
// belongs to which. A wrong guess costs speed only, as loops look at every operand again.
#include "engine/native_roll.h"

#include "base/memory.h"
#include <string.h>

enum { COLOUR_ROUNDS = 4, MOST_STEP = 24, LEAST_MATCHES = 6, MOST_READERS = 16 };

typedef struct {
    Roll *r;
    const Program *p;
    int end;
    uint64_t *colour;
    int *next, *before; // per instruction: one step on, one step back; -1: none
    bool *cross;        // operands of next[i] stand the other way round than those of i
    int *reader, *first_reader;
    ARRAY(int) open;
    int linked;
    bool upwards; // to readers, too
} Stepping;

// --- colours -------------------------------------------------------------------------------------

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t h = (a ^ b) * 0x9E3779B97F4A7C15u;
    return (h ^ h >> 29) + b;
}

static uint64_t register_colour(const Program *p, uint32_t r) {
    if (r < p->constant_count) return 1;
    if (r - p->first_param < p->param_count) return 2;
    if (r - p->first_state < (uint32_t)p->state_count) return 3;
    return 4;
}

static uint64_t colour_of(const Stepping *s, const uint64_t *colour, Ref ref) {
    return ref < 0 ? register_colour(s->p, (uint32_t)~ref) : colour[ref];
}

static bool may_swap(TapeOp op) {
    return op == TAPE_ADD || op == TAPE_MUL || op == TAPE_MULADD || op == TAPE_MULSUB;
}

static uint64_t next_colour(const Stepping *s, const uint64_t *colour, int i) {
    TapeOp op = (TapeOp)s->r->f->code[i].op;
    const Ref *read = s->r->value[i].read;
    uint64_t h = mix(op + 17u, s->r->f->code[i].aux), side[READS] = {0};
    for (int k = 0; k < READS; k++)
        if (value_reads(op, k)) side[k] = colour_of(s, colour, read[k]);
    if (may_swap(op)) return mix(mix(h, side[0] + side[1]), mix(side[0] ^ side[1], side[2]));
    return mix(mix(mix(h, side[0]), side[1]), side[2]);
}

static void find_colours(Stepping *s) {
    size_t n = (size_t)s->end;
    uint64_t *old = memory_zeroed(n, sizeof *old);
    for (int round = 0; round < COLOUR_ROUNDS; round++) {
        memcpy(old, s->colour, n * sizeof *old);
        for (int i = 0; i < s->end; i++) s->colour[i] = next_colour(s, old, i);
    }
    free(old);
}

// --- the step ------------------------------------------------------------------------------------

static bool is_simple(TapeOp op) {
    return op != TAPE_SWITCH && op != TAPE_HELD && op != TAPE_BLOCK && op != TAPE_OP_TABLE &&
           op != TAPE_OP_TABLE_SLOPE;
}

static void link(Stepping *s, Ref from, Ref to) {
    if (from < 0 || to < 0 || from == to || from >= s->end || to >= s->end) return;
    TapeOp op = (TapeOp)s->r->f->code[from].op;
    if (op != s->r->f->code[to].op || !is_simple(op) ||
        roll_stays(s->r, from) != roll_stays(s->r, to))
        return;
    if (s->next[from] >= 0 || s->before[to] >= 0) return;
    s->next[from] = to;
    s->before[to] = from;
    s->linked++;
    array_push(&s->open, from);
}

// Do the operands a and b of `to` stand the other way round?
static bool is_crossed(const Stepping *s, const Ref *from, const Ref *to) {
    uint64_t a = colour_of(s, s->colour, from[0]), b = colour_of(s, s->colour, from[1]);
    uint64_t c = colour_of(s, s->colour, to[0]), d = colour_of(s, s->colour, to[1]);
    int straight = 4 * ((a == c) + (b == d)), cross = 4 * ((a == d) + (b == c));
    for (int k = 0; k < 2; k++) {
        straight += (from[k] < 0) == (to[k] < 0);
        cross += (from[k] < 0) == (to[1 - k] < 0);
    }
    return cross > straight;
}

static void find_readers(Stepping *s) {
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < s->end; i++)
            for (int k = 0; k < READS; k++) {
                Ref ref = s->r->value[i].read[k];
                if (ref < 0 || !value_reads((TapeOp)s->r->f->code[i].op, k)) continue;
                if (pass == 0)
                    s->first_reader[ref + 2]++;
                else
                    s->reader[s->first_reader[ref + 1]++] = i;
            }
        for (int i = 0; i < s->end && pass == 0; i++)
            s->first_reader[i + 2] += s->first_reader[i + 1];
    }
}

// The only reader of its colour, or -1.
static int reader_like(const Stepping *s, int of, int like) {
    int found = -1;
    for (int k = s->first_reader[of]; k < s->first_reader[of + 1]; k++) {
        int i = s->reader[k];
        if (s->colour[i] != s->colour[like]) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
}

static void spread_to_readers(Stepping *s, int from, int to) {
    int first = s->first_reader[from], end = s->first_reader[from + 1];
    int count = s->first_reader[to + 1] - s->first_reader[to];
    for (int k = first; k < end && end - first <= MOST_READERS && count <= MOST_READERS; k++) {
        int i = s->reader[k];
        if (s->next[i] >= 0 || reader_like(s, from, i) != i) continue;
        link(s, i, reader_like(s, to, i));
    }
}

static void spread(Stepping *s) {
    while (s->open.count) {
        int from = array_pop(&s->open), to = s->next[from];
        TapeOp op = (TapeOp)s->r->f->code[from].op;
        const Ref *x = s->r->value[from].read, *y = s->r->value[to].read;
        bool cross = may_swap(op) && is_crossed(s, x, y);
        s->cross[from] = cross;
        if (value_reads(op, READ_A)) link(s, x[READ_A], y[cross ? READ_B : READ_A]);
        if (value_reads(op, READ_B)) link(s, x[READ_B], y[cross ? READ_A : READ_B]);
        if (value_reads(op, READ_TO)) link(s, x[READ_TO], y[READ_TO]);
        if (s->upwards) spread_to_readers(s, from, to);
    }
}

static void take_step(Stepping *s, const Ref *result, int split, int step) {
    memset(s->next, -1, (size_t)s->end * sizeof *s->next);
    memset(s->before, -1, (size_t)s->end * sizeof *s->before);
    s->linked = 0;
    for (int k = 0; k + step < split; k++) {
        Ref from = result[k], to = result[k + step];
        if (from < 0 || to < 0 || s->colour[from] != s->colour[to]) continue;
        link(s, from, to);
        spread(s);
    }
}

// Surer ones first: readers only when everything else is known.
static void reach_readers(Stepping *s) {
    s->upwards = true;
    for (int i = 0; i < s->end; i++)
        if (s->next[i] >= 0) array_push(&s->open, i);
    spread(s);
}

static int count_matches(const Stepping *s, const Ref *result, int split, int step) {
    int count = 0;
    for (int k = 0; k + step < split; k++)
        count += result[k] >= 0 && result[k + step] >= 0 &&
                 s->colour[result[k]] == s->colour[result[k + step]];
    return count;
}

// The step that most instructions follow. Multiples of a step match nearly as often, so among
// nearly equal ones the smallest is taken.
static int choose_step(Stepping *s, const Ref *result, int split) {
    int best = 0, most = 0;
    for (int step = 1; step <= MOST_STEP && step < split; step++) {
        if (count_matches(s, result, split, step) < LEAST_MATCHES) continue;
        take_step(s, result, split, step);
        if (s->linked > most + most / 8) best = step, most = s->linked;
    }
    return best;
}

// --- series --------------------------------------------------------------------------------------

static void gather_series(Stepping *s) {
    Roll *r = s->r;
    for (int i = 0; i < s->end; i++) {
        if (s->before[i] >= 0 || s->next[i] < 0) continue;
        Series found = {.first = r->member.count, .loop = NO_LOOP, .column = -1};
        if (roll_stays(r, i)) found.loop = NEVER_LOOP;
        bool swapped = false;
        for (int at = i; at >= 0; at = s->next[at]) {
            r->series_of[at] = r->series.count;
            r->place[at] = found.count++;
            r->swapped[at] = swapped;
            swapped = swapped != s->cross[at];
            array_push(&r->member, at);
        }
        array_push(&r->series, found);
    }
}

void roll_find_series(Roll *r, const Program *p, const Ref *result, int split) {
    size_t n = (size_t)r->end;
    Stepping s = {.r = r, .p = p, .end = r->end};
    s.colour = memory_zeroed(n, sizeof *s.colour);
    s.next = memory_zeroed(n, sizeof *s.next);
    s.before = memory_zeroed(n, sizeof *s.before);
    s.cross = memory_zeroed(n, sizeof *s.cross);
    s.reader = memory_zeroed(READS * n, sizeof *s.reader);
    s.first_reader = memory_zeroed(n + 2, sizeof *s.first_reader);
    find_colours(&s);
    int step = choose_step(&s, result, split);
    if (step) {
        take_step(&s, result, split, step);
        find_readers(&s);
        reach_readers(&s);
        gather_series(&s);
    }
    free(s.colour);
    free(s.next);
    free(s.before);
    free(s.cross);
    free(s.reader);
    free(s.first_reader);
    array_free(&s.open);
}
