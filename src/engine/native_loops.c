// Loops from series.
//
//     link      member m of one series reads member m + delta of another
//     ring      series that need each other from round to round (a strongly connected part): a
//               recursion over the joints. Members that need lower ones go upwards, others down
//     stage     even ones go up, odd ones down: way out, way in, way out ... A ring waits for what
//               it reads; everything is computed in the last stage that is early enough, so that
//               it meets its reader there
//     loop      the series of a stage that are linked
//
// In a loop every series gets an offset, so that what it reads comes in the same round or before.
// Then the rounds are found in which every operand lies where it should. Loops that wait for each
// other through straight-line code are given up.
#include "engine/native_roll.h"

#include "base/memory.h"
#include "base/strong.h"
#include <string.h>

enum { LEAST_WORK = 64 }; // instructions that a loop stands for

typedef struct {
    int from, to, delta;
} Link;

typedef struct {
    Roll *r;
    int count;        // of series
    ARRAY(Link) link; // by `from`
    int *first;       // of the links of each series; one more at the end
    int *reader;      // links by `to`
    int *first_reader;
    int *ring; // per series; what a ring reads has lower numbers
    int rings;
    int *sign, *early, *stage; // per ring; sign 0: a series alone
    int *group;                // per series: one that stands for all of its loop
    int *low, *high;           // per series: rounds in which its operands lie where they should
    bool *kept;                // per series, while a loop is settled
    ARRAY(int) open;
} Loops;

// --- links ---------------------------------------------------------------------------------------

static Ref read_of(const Roll *r, int instruction, int which) {
    bool swap = which != READ_TO && r->swapped[instruction];
    return r->value[instruction].read[swap ? READ_A + READ_B - which : which];
}

static bool can_loop(const Roll *r, int series) {
    return r->series.data[series].loop != NEVER_LOOP &&
           r->series.data[series].count >= LEAST_ROUNDS;
}

static void find_links(Loops *l) {
    const Roll *r = l->r;
    for (int i = 0; i < l->count; i++) {
        const Series *s = &r->series.data[i];
        int middle = r->member.data[s->first + s->count / 2];
        l->first[i] = l->link.count;
        for (int k = 0; k < READS && can_loop(r, i); k++) {
            if (!value_reads((TapeOp)r->f->code[middle].op, k)) continue;
            Ref ref = read_of(r, middle, k);
            int to = ref < 0 ? -1 : r->series_of[ref];
            if (to < 0 || !can_loop(r, to)) continue;
            array_push(&l->link, ((Link){i, to, r->place[ref] - s->count / 2}));
        }
    }
    l->first[l->count] = l->link.count;
}

// --- rings ---------------------------------------------------------------------------------------

static int series_needed(const void *loops, int i, int k) {
    const Loops *l = loops;
    int at = l->first[i] + k;
    return at < l->first[i + 1] ? l->link.data[at].to : STRONG_END;
}

// The way round the ring of `root`, by the first way found: how many members on does it lead?
static int way_round(const Loops *l, int root, int *way, bool *seen) {
    ARRAY(int) open = {0};
    int found = 0;
    array_push(&open, root);
    way[root] = 0;
    for (int k = 0; k < open.count && !found; k++) {
        int i = open.data[k];
        for (int e = l->first[i]; e < l->first[i + 1]; e++) {
            Link k2 = l->link.data[e];
            if (l->ring[k2.to] != l->ring[root]) continue;
            if (k2.to == root) found = way[i] + k2.delta;
            if (seen[k2.to]) continue;
            seen[k2.to] = true;
            way[k2.to] = way[i] + k2.delta;
            array_push(&open, k2.to);
        }
    }
    array_free(&open);
    return found;
}

// Needs lower members: upwards.
static void find_signs(Loops *l) {
    int *way = memory_zeroed((size_t)l->count, sizeof *way);
    bool *seen = memory_zeroed((size_t)l->count, sizeof *seen);
    for (int i = 0; i < l->count; i++) {
        if (seen[i]) continue;
        seen[i] = true;
        int found = way_round(l, i, way, seen);
        if (found) l->sign[l->ring[i]] = found < 0 ? 1 : -1;
    }
    free(way);
    free(seen);
}

// --- stages --------------------------------------------------------------------------------------

static int sign_of_stage(int stage) { return stage % 2 ? -1 : 1; }

static bool fits(const Loops *l, int ring, int stage) {
    return l->sign[ring] == 0 || l->sign[ring] == sign_of_stage(stage);
}

// Series by rising number of their ring.
static int *sort_by_ring(const Loops *l) {
    int *sorted = memory_zeroed((size_t)l->count, sizeof *sorted);
    int *start = memory_zeroed((size_t)l->rings + 1, sizeof *start);
    for (int i = 0; i < l->count; i++) start[l->ring[i] + 1]++;
    for (int i = 0; i < l->rings; i++) start[i + 1] += start[i];
    for (int i = 0; i < l->count; i++) sorted[start[l->ring[i]]++] = i;
    free(start);
    return sorted;
}

static void find_early_stages(Loops *l, const int *sorted) {
    for (int k = 0; k < l->count; k++) {
        int i = sorted[k], ring = l->ring[i];
        for (int e = l->first[i]; e < l->first[i + 1]; e++) {
            int below = l->ring[l->link.data[e].to];
            if (below != ring && l->early[below] > l->early[ring]) l->early[ring] = l->early[below];
        }
        bool last = k + 1 == l->count || l->ring[sorted[k + 1]] != ring;
        if (last && !fits(l, ring, l->early[ring])) l->early[ring]++;
    }
}

static void find_stages(Loops *l) {
    int *sorted = sort_by_ring(l), last = 0;
    find_early_stages(l, sorted);
    for (int i = 0; i < l->rings; i++)
        if (l->early[i] > last) last = l->early[i];
    for (int i = 0; i < l->rings; i++) l->stage[i] = last;
    for (int k = l->count - 1; k >= 0; k--) {
        int i = sorted[k], ring = l->ring[i];
        bool first = k + 1 == l->count || l->ring[sorted[k + 1]] != ring;
        if (first && !fits(l, ring, l->stage[ring])) l->stage[ring]--;
        for (int e = l->first[i]; e < l->first[i + 1]; e++) {
            int below = l->ring[l->link.data[e].to];
            if (below != ring && l->stage[below] > l->stage[ring]) l->stage[below] = l->stage[ring];
        }
    }
    free(sorted);
}

// --- loops ---------------------------------------------------------------------------------------

static int head_of(int *group, int i) {
    while (group[i] != i) i = group[i] = group[group[i]];
    return i;
}

static bool is_inside(const Loops *l, Link k) {
    return l->stage[l->ring[k.from]] == l->stage[l->ring[k.to]];
}

static void make_loops(Loops *l) {
    Roll *r = l->r;
    int *loop_of = memory_zeroed((size_t)l->count, sizeof *loop_of);
    for (int i = 0; i < l->count; i++) l->group[i] = i;
    for (int e = 0; e < l->link.count; e++)
        if (is_inside(l, l->link.data[e]))
            l->group[head_of(l->group, l->link.data[e].from)] =
                head_of(l->group, l->link.data[e].to);
    for (int i = 0; i < l->count; i++) {
        int head = head_of(l->group, i);
        if (!can_loop(r, i)) continue;
        if (loop_of[head] == 0) {
            int stage = l->stage[l->ring[i]];
            TapeLoop loop = {.sign = sign_of_stage(stage), .stage = stage};
            array_push(&r->loop, loop);
            loop_of[head] = r->loop.count;
        }
        r->series.data[i].loop = loop_of[head] - 1;
        array_push(&r->loop.data[loop_of[head] - 1].body, i);
    }
    free(loop_of);
}

// --- offsets -------------------------------------------------------------------------------------

// In round t series i has member sign*(t - offset). What it reads comes no later:
//     offset(from) >= offset(to) + sign*delta
static bool raise_offsets(Loops *l) {
    Series *s = l->r->series.data;
    enum { MOST_PASSES = 200 }; // links are nearly in order: a few are enough
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        bool changed = false;
        for (int e = 0; e < l->link.count; e++) {
            Link k = l->link.data[e];
            if (s[k.from].loop < 0 || s[k.from].loop != s[k.to].loop) continue;
            int least = s[k.to].offset + l->r->loop.data[s[k.from].loop].sign * k.delta;
            if (s[k.from].offset >= least) continue;
            s[k.from].offset = least;
            changed = true;
        }
        if (!changed) return true;
    }
    return false;
}

// Rounds from a member to its reader.
static int wait_of(const Loops *l, Link k) {
    const Series *s = l->r->series.data;
    return s[k.from].offset - s[k.to].offset - l->r->loop.data[s[k.to].loop].sign * k.delta;
}

static bool is_in_loop(const Loops *l, Link k) {
    const Series *s = l->r->series.data;
    return s[k.from].loop >= 0 && s[k.from].loop == s[k.to].loop;
}

// Values that must be kept from round to round: so many of this series.
static int kept_values(const Loops *l, int series) {
    int most = 0;
    for (int e = l->first_reader[series]; e < l->first_reader[series + 1]; e++) {
        Link k = l->link.data[l->reader[e]];
        if (is_in_loop(l, k) && wait_of(l, k) > most) most = wait_of(l, k);
    }
    return most;
}

// Of many readers one decides little, and looking at all of them again and again takes long.
static bool is_read_much(const Loops *l, int series) {
    enum { MANY = 64 };
    bool much = l->first_reader[series + 1] - l->first_reader[series] > MANY;
    for (int e = l->first[series]; e < l->first[series + 1]; e++) {
        int to = l->link.data[e].to;
        much = much || l->first_reader[to + 1] - l->first_reader[to] > MANY;
    }
    return much;
}

static int kept_around(const Loops *l, int series) {
    int sum = kept_values(l, series);
    for (int e = l->first[series]; e < l->first[series + 1]; e++) {
        bool again = false;
        for (int k = l->first[series]; k < e; k++)
            again = again || l->link.data[k].to == l->link.data[e].to;
        if (!again && l->link.data[e].to != series && is_in_loop(l, l->link.data[e]))
            sum += kept_values(l, l->link.data[e].to);
    }
    return sum;
}

static bool waits_are_good(const Loops *l, int series) {
    for (int e = l->first[series]; e < l->first[series + 1]; e++)
        if (is_in_loop(l, l->link.data[e]) && wait_of(l, l->link.data[e]) < 0) return false;
    for (int e = l->first_reader[series]; e < l->first_reader[series + 1]; e++) {
        Link k = l->link.data[l->reader[e]];
        if (is_in_loop(l, k) && wait_of(l, k) < 0) return false;
    }
    return true;
}

// A round later or earlier, if fewer values are kept then, or at most as many.
static bool move_series(Loops *l, int series, int by, bool level) {
    enum { FARTHEST = 2 };
    Series *s = &l->r->series.data[series];
    int before = kept_around(l, series);
    s->offset += by;
    bool near = abs(s->offset - l->group[series]) <= FARTHEST;
    if (near && waits_are_good(l, series) && kept_around(l, series) < before + level) return true;
    s->offset -= by;
    return false;
}

// Where a ring is cut decides which values are kept from round to round. Moves of equal cost are
// made as well, as better ones may follow.
static void lower_waits(Loops *l) {
    enum { MOST_PASSES = 24 };
    for (int i = 0; i < l->count; i++) l->group[i] = l->r->series.data[i].offset;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        bool level = pass % 4 == 3 && pass + 4 < MOST_PASSES;
        int by = pass % 8 < 4 ? 1 : -1;
        for (int i = 0; i < l->count; i++) {
            if (l->r->series.data[i].loop < 0 || is_read_much(l, i)) continue;
            if (!move_series(l, i, by, level)) move_series(l, i, -by, false);
        }
    }
}

static void find_readers(Loops *l) {
    for (int e = 0; e < l->link.count; e++) l->first_reader[l->link.data[e].to + 1]++;
    for (int i = 0; i < l->count; i++) l->first_reader[i + 1] += l->first_reader[i];
    for (int e = l->link.count - 1; e >= 0; e--)
        l->reader[--l->first_reader[l->link.data[e].to + 1]] = e;
    for (int i = 0; i < l->count; i++) l->first_reader[i] = l->first_reader[i + 1];
    l->first_reader[l->count] = l->link.count;
}

// --- rounds --------------------------------------------------------------------------------------

int roll_member(const Roll *r, int series, int round) {
    const Series *s = &r->series.data[series];
    int m = r->loop.data[s->loop].sign * (round - s->offset);
    return m >= 0 && m < s->count ? r->member.data[s->first + m] : -1;
}

Ref roll_ref(const Roll *r, int series, int which, int round) {
    return read_of(r, roll_member(r, series, round), which);
}

static int first_round(const Roll *r, const Series *s) {
    return r->loop.data[s->loop].sign > 0 ? s->offset : s->offset - s->count + 1;
}

int roll_row(const Roll *r, const Series *s, int member) {
    return s->loop < 0 ? member : r->loop.data[s->loop].sign * member + s->offset;
}

int roll_round_of(const Roll *r, int instruction) {
    return roll_row(r, &r->series.data[r->series_of[instruction]], r->place[instruction]);
}

static Source source_at(const Roll *r, int series, int which, int round) {
    Ref ref = roll_ref(r, series, which, round), next = roll_ref(r, series, which, round + 1);
    if (ref < 0) return (Source){.kind = FROM_REGISTER};
    if (ref == next) return (Source){.kind = FROM_OUTSIDE, .ref = ref};
    int of = r->series_of[ref], loop = r->series.data[series].loop;
    if (of < 0) return (Source){.kind = FROM_OUTSIDE, .ref = ref}; // found out as not the same
    if (r->series.data[of].loop == loop)
        return (Source){
            .kind = FROM_ROUND, .series = of, .distance = round - roll_round_of(r, ref)};
    int sign = r->loop.data[loop].sign;
    return (Source){
        .kind = FROM_SERIES, .series = of, .shift = r->place[ref] - sign * round, .ref = ref};
}

// The last round is like all others; only the first ones take values from before the loop.
Source roll_source(const Roll *r, int series, int which) {
    const TapeLoop *loop = &r->loop.data[r->series.data[series].loop];
    return source_at(r, series, which, loop->low + loop->rounds - 2);
}

typedef enum { ROUND_BAD, ROUND_FIRST, ROUND_GOOD } RoundKind;

// Does the operand come from where it should? ROUND_FIRST: not from the rounds before.
static RoundKind check_operand(const Roll *r, const Source *s, Ref ref, int round, int sign) {
    switch (s->kind) {
    case FROM_REGISTER: return ref < 0 ? ROUND_GOOD : ROUND_BAD;
    case FROM_OUTSIDE: return ref == s->ref ? ROUND_GOOD : ROUND_BAD;
    case FROM_SERIES: {
        int m = s->shift + sign * round;
        const Series *of = &r->series.data[s->series];
        bool good = m >= 0 && m < of->count && r->member.data[of->first + m] == ref;
        return good ? ROUND_GOOD : ROUND_BAD;
    }
    case FROM_ROUND: break;
    }
    if (s->distance < 0 || s->distance > MOST_DISTANCE) return ROUND_BAD;
    if (roll_member(r, s->series, round - s->distance) == ref) return ROUND_GOOD;
    return s->distance ? ROUND_FIRST : ROUND_BAD;
}

// All operands of a series in a round, against where they are in another.
static RoundKind check_series(const Roll *r, int series, const Source source[READS], int round) {
    int at = roll_member(r, series, round), sign = r->loop.data[r->series.data[series].loop].sign;
    RoundKind worst = at < 0 ? ROUND_BAD : ROUND_GOOD;
    for (int k = 0; k < READS && at >= 0; k++) {
        if (!value_reads((TapeOp)r->f->code[at].op, k)) continue;
        RoundKind kind = check_operand(r, &source[k], roll_ref(r, series, k, round), round, sign);
        if (kind < worst) worst = kind;
    }
    return worst;
}

static void find_sources(const Roll *r, int series, int round, Source source[READS]) {
    TapeOp op = (TapeOp)r->f->code[roll_member(r, series, round)].op;
    for (int k = 0; k < READS; k++)
        source[k] = value_reads(op, k) ? source_at(r, series, k, round) : (Source){0};
}

// The range of rounds around `middle` in which the series exists and reads from the same sources as
// in that round.
static void find_range(const Roll *r, int series, int middle, int *low, int *high) {
    Source source[READS];
    find_sources(r, series, middle, source);
    *low = *high = middle;
    while (check_series(r, series, source, *high) == ROUND_GOOD) ++*high;
    --*high;
    RoundKind kind = ROUND_GOOD;
    while (kind == ROUND_GOOD) {
        kind = check_series(r, series, source, *low - 1);
        if (kind != ROUND_BAD) --*low;
    }
}

static void find_rounds(const Roll *r, TapeLoop *loop, int low, int high) {
    int middle = low + (high - low) / 2;
    for (int i = 0; i < loop->body.count; i++) {
        int from, to;
        find_range(r, loop->body.data[i], middle, &from, &to);
        if (from > low) low = from;
        if (to < high) high = to;
    }
    loop->low = low;
    loop->rounds = high >= low ? high - low + 1 : 0;
}

void roll_give_up(Roll *r, TapeLoop *loop) {
    for (int i = 0; i < loop->body.count; i++) r->series.data[loop->body.data[i]].loop = NO_LOOP;
    loop->body.count = loop->rounds = 0;
}

static int range_of(const Loops *l, int series) { return l->high[series] - l->low[series] + 1; }

static void keep(Loops *l, int series) {
    l->kept[series] = true;
    array_push(&l->open, series);
}

// Series with at least so many rounds, and what they read.
static void choose_kept(Loops *l, const TapeLoop *loop, int least) {
    const Series *s = l->r->series.data;
    for (int i = 0; i < loop->body.count; i++) l->kept[loop->body.data[i]] = false;
    for (int i = 0; i < loop->body.count; i++)
        if (range_of(l, loop->body.data[i]) >= least) keep(l, loop->body.data[i]);
    while (l->open.count) {
        int from = array_pop(&l->open);
        for (int e = l->first[from]; e < l->first[from + 1]; e++) {
            int to = l->link.data[e].to;
            if (!l->kept[to] && s[to].loop == s[from].loop) keep(l, to);
        }
    }
}

// The rounds that all remaining series of a loop have in common; gives how many instructions that
// covers.
static long common_rounds(const Loops *l, const TapeLoop *loop, int *low, int *high) {
    int count = 0;
    *low = INT32_MIN / 2;
    *high = INT32_MAX / 2;
    for (int i = 0; i < loop->body.count; i++) {
        int series = loop->body.data[i];
        if (!l->kept[series]) continue;
        if (l->low[series] > *low) *low = l->low[series];
        if (l->high[series] < *high) *high = l->high[series];
        count++;
    }
    return *high > *low ? (long)count * (*high - *low + 1) : 0;
}

static void drop_others(Loops *l, TapeLoop *loop) {
    int count = 0;
    for (int i = 0; i < loop->body.count; i++) {
        int series = loop->body.data[i];
        if (l->kept[series])
            loop->body.data[count++] = series;
        else
            l->r->series.data[series].loop = NO_LOOP;
    }
    loop->body.count = count;
}

// The longest range below a bound; 0: none.
static int next_range(const Loops *l, const TapeLoop *loop, int below) {
    int longest = 0;
    for (int i = 0; i < loop->body.count; i++) {
        int range = range_of(l, loop->body.data[i]);
        if (range > longest && range < below) longest = range;
    }
    return longest;
}

static void find_ranges(Loops *l, const TapeLoop *loop) {
    for (int i = 0; i < loop->body.count; i++) {
        int series = loop->body.data[i];
        const Series *s = &l->r->series.data[series];
        int middle = first_round(l->r, s) + s->count / 2;
        find_range(l->r, series, middle, &l->low[series], &l->high[series]);
    }
}

// Short series make short loops: those go that cost more than they are.
static void settle_loop(Loops *l, TapeLoop *loop) {
    int low = 0, high = 0, best = 0;
    long most = 0;
    find_ranges(l, loop);
    for (int least = INT32_MAX; (least = next_range(l, loop, least));) {
        choose_kept(l, loop, least);
        long work = common_rounds(l, loop, &low, &high);
        if (work > most) most = work, best = least;
    }
    choose_kept(l, loop, best);
    drop_others(l, loop);
    common_rounds(l, loop, &low, &high);
    if (most >= LEAST_WORK) find_rounds(l->r, loop, low, high);
    if (loop->rounds < LEAST_ROUNDS || (long)loop->rounds * loop->body.count < LEAST_WORK)
        roll_give_up(l->r, loop);
}

static void build_loops(Loops *l) {
    Roll *r = l->r;
    find_readers(l);
    l->rings = strong_components(l->count, series_needed, l, l->ring);
    find_signs(l);
    find_stages(l);
    make_loops(l);
    bool good = raise_offsets(l);
    if (good) lower_waits(l);
    for (int i = 0; i < r->loop.count; i++)
        if (good)
            settle_loop(l, &r->loop.data[i]);
        else
            roll_give_up(r, &r->loop.data[i]);
}

void roll_find_loops(Roll *r) {
    Loops l = {.r = r, .count = r->series.count};
    size_t n = (size_t)l.count + 1;
    int *space = memory_zeroed((9 + READS) * n, sizeof *space);
    l.first = space;
    l.ring = space + n;
    l.sign = space + 2 * n;
    l.early = space + 3 * n;
    l.stage = space + 4 * n;
    l.group = space + 5 * n;
    l.first_reader = space + 6 * n;
    l.low = space + 7 * n;
    l.high = space + 8 * n;
    l.reader = space + 9 * n;
    l.kept = memory_zeroed(n, sizeof *l.kept);
    find_links(&l);
    if (l.link.data) build_loops(&l);
    free(space);
    free(l.kept);
    array_free(&l.open);
    array_free(&l.link);
}
