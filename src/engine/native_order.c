// The order of instructions in native code.
//
// The tape computes one result after the other, which keeps few values alive but makes long chains
// of instructions that wait for each other. A processor has several units: list scheduling gives
// each imaginary cycle those instructions whose operands are ready and that have the longest way
// to the end before them. Only WINDOW instructions of the tape are looked at at once, so that
// values do not pile up and the time taken is linear.
//
//     tape     a1 a2 a3 b1 b2 b3         two chains, one after the other
//     ordered  a1 b1 a2 b2 a3 b3         half the waiting
#include "engine/native_order.h"

#include "base/memory.h"
#include <string.h>

enum { WINDOW = 600, ISSUES_PER_CYCLE = 4 };

bool order_solves(const TapeFunction *f) {
    for (int i = 0; i < f->count; i++)
        if (f->code[i].op == TAPE_BLOCK) return true;
    return false;
}

static bool order_is_angle(TapeOp op) { return op == TAPE_OP_SIN || op == TAPE_OP_COS; }

// --- values --------------------------------------------------------------------------------------

static void read_values(Order *o, const Program *p, int *writer) {
    const TapeFunction *f = o->f;
    for (uint32_t i = 0; i < p->register_count; i++) writer[i] = ~(int)i;
    for (int i = 0; i < f->count; i++) {
        Instruction c = f->code[i];
        const TapeInfo *info = &tape_info[c.op];
        o->value[i] = (Value){.read = {info->a ? writer[c.a] : -1, info->b ? writer[c.b] : -1,
                                       info->to ? writer[c.to] : -1},
                              .group = -1,
                              .slot = NO_SLOT};
        if (c.op != TAPE_BLOCK) writer[c.to] = i;
    }
    for (int i = 0; i < f->result_count; i++) o->result[i] = writer[f->result[i]];
    for (uint32_t i = 0; i < p->first_work; i++)
        if (writer[i] >= 0) o->value[writer[i]].home = true;
}

// Runs of sines and cosines become groups of as many angles as there are lanes.
static int group_run(Order *o, int i, int end, int lanes) {
    Ref angle[8];
    int count = 0, first = i, k;
    for (; i < end && order_is_angle((TapeOp)o->f->code[i].op); i++) {
        Ref a = o->value[i].read[READ_A];
        if (a >= first) break; // the sine of a sine
        for (k = 0; k < count && angle[k] != a; k++) continue;
        if (k == lanes) break;
        if (k == count) angle[count++] = a;
        o->value[i].group = o->group.count;
        o->value[i].lane = k;
    }
    array_push(&o->group, first);
    return i;
}

static void find_groups(Order *o, int first, int end, int lanes) {
    for (int i = first; i < end;)
        i = order_is_angle((TapeOp)o->f->code[i].op) ? group_run(o, i, end, lanes) : i + 1;
}

// --- list scheduling -----------------------------------------------------------------------------

typedef struct {
    int key, index;
} Entry;

typedef struct { // smallest key first, then smallest index
    ARRAY(Entry) entry;
} Heap;

static bool is_before(Entry a, Entry b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
}

static void heap_push(Heap *h, int key, int index) {
    Entry e = {key, index};
    array_push(&h->entry, e);
    int i = h->entry.count - 1;
    for (; i > 0 && is_before(e, h->entry.data[(i - 1) / 2]); i = (i - 1) / 2)
        h->entry.data[i] = h->entry.data[(i - 1) / 2];
    h->entry.data[i] = e;
}

static Entry heap_pop(Heap *h) {
    Entry top = h->entry.data[0], e = array_pop(&h->entry);
    int n = h->entry.count, i = 0;
    for (int child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && is_before(h->entry.data[child + 1], h->entry.data[child])) child++;
        if (!is_before(h->entry.data[child], e)) break;
        h->entry.data[i] = h->entry.data[child];
    }
    if (n) h->entry.data[i] = e;
    return top;
}

typedef struct { // of one section
    Order *o;
    const int *list; // its instructions, in the order of the tape
    int n;
    int *missing;    // per instruction: operands that are not computed yet
    int *path;       // cycles from its start to the end of the section
    int *ready;      // cycle from which it can start
    int *user_start; // users of each value: user[user_start[i] .. user_start[i + 1])
    int *user;
    bool *done;
    Heap waiting, able;
    int admitted, low;
} Schedule;

static int duration(TapeOp op) {
    switch (op) {
    case TAPE_COPY:
    case TAPE_NEG:
    case TAPE_SELECT:
    case TAPE_SWITCH:
    case TAPE_OP_ABS: return 1;
    case TAPE_ADD:
    case TAPE_SUB:
    case TAPE_MUL:
    case TAPE_SQUARE: return 3;
    case TAPE_MULADD:
    case TAPE_MULSUB: return 6;
    case TAPE_DIV:
    case TAPE_RECIPROCAL: return 13;
    case TAPE_SQRT: return 18;
    default: return 60;
    }
}

// The instruction that is scheduled for i: the first of its group.
static int leader(const Order *o, int i) {
    return o->value[i].group < 0 ? i : o->group.data[o->value[i].group];
}

static TapeOp op_at(const Schedule *s, int at) { return (TapeOp)s->o->f->code[s->list[at]].op; }

// Where the values that instruction i reads come from in this section.
static int operands(const Schedule *s, int i, int out[READS]) {
    const Value *value = s->o->value;
    int count = 0;
    for (int k = 0; k < READS; k++) {
        Ref ref = value[i].read[k];
        if (ref < 0 || value[ref].section != value[i].section) continue;
        int from = value[leader(s->o, ref)].at;
        bool twice = (count > 0 && out[0] == from) || (count > 1 && out[1] == from);
        if (!twice) out[count++] = from;
    }
    return count;
}

static void find_users(Schedule *s) {
    int from[READS];
    int *next = memory_zeroed((size_t)s->n + 1, sizeof *next);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < s->n; i++) {
            int count = operands(s, s->list[i], from);
            int to = s->o->value[leader(s->o, s->list[i])].at;
            for (int k = 0; k < count; k++) {
                int at = from[k];
                if (pass == 0)
                    s->user_start[at + 1]++;
                else
                    s->user[s->user_start[at] + next[at]++] = to, s->missing[to]++;
            }
        }
        for (int i = 0; i < s->n && pass == 0; i++) s->user_start[i + 1] += s->user_start[i];
    }
    free(next);
}

static void find_paths(Schedule *s) {
    for (int i = s->n - 1; i >= 0; i--) {
        int longest = 0;
        for (int k = s->user_start[i]; k < s->user_start[i + 1]; k++) {
            int path = s->path[s->user[k]];
            if (path > longest) longest = path;
        }
        s->path[i] = longest + duration(op_at(s, i));
    }
}

static void admit(Schedule *s) {
    for (;; s->admitted++) {
        while (s->low < s->admitted && s->done[s->low]) s->low++;
        int i = s->admitted;
        if (i >= s->n || i >= s->low + WINDOW) return;
        if (leader(s->o, s->list[i]) != s->list[i])
            s->done[i] = true; // its leader stands for it
        else if (s->missing[i] == 0)
            heap_push(&s->waiting, s->ready[i], i);
    }
}

static void issue(Schedule *s, int i, int cycle) {
    int end = cycle + duration(op_at(s, i));
    array_push(&s->o->statement, s->list[i]);
    s->done[i] = true;
    for (int k = s->user_start[i]; k < s->user_start[i + 1]; k++) {
        int user = s->user[k];
        if (end > s->ready[user]) s->ready[user] = end;
        if (--s->missing[user] == 0 && user < s->admitted)
            heap_push(&s->waiting, s->ready[user], user);
    }
}

static void run_schedule(Schedule *s) {
    admit(s);
    for (int cycle = 0; s->waiting.entry.count || s->able.entry.count;) {
        while (s->waiting.entry.count && s->waiting.entry.data[0].key <= cycle) {
            int i = heap_pop(&s->waiting).index;
            heap_push(&s->able, -s->path[i], i);
        }
        for (int k = 0; k < ISSUES_PER_CYCLE && s->able.entry.count; k++)
            issue(s, heap_pop(&s->able).index, cycle);
        admit(s);
        int next = s->waiting.entry.count ? s->waiting.entry.data[0].key : 0;
        cycle = s->able.entry.count || next <= cycle ? cycle + 1 : next;
    }
}

static void schedule_section(Order *o, const int *list, int count) {
    size_t n = (size_t)count;
    Schedule s = {.o = o, .list = list, .n = count};
    o->sections++;
    for (int i = 0; i < count; i++) {
        o->value[list[i]].section = o->sections;
        o->value[list[i]].at = i;
    }
    int *space = memory_zeroed(4 * n + 1 + READS * n, sizeof *space);
    s.missing = space;
    s.path = space + n;
    s.ready = space + 2 * n;
    s.user_start = space + 3 * n;
    s.user = space + 4 * n + 1;
    s.done = memory_zeroed(n, sizeof *s.done);
    find_users(&s);
    find_paths(&s);
    run_schedule(&s);
    free(space);
    free(s.done);
    array_free(&s.waiting.entry);
    array_free(&s.able.entry);
}

// --- parts ---------------------------------------------------------------------------------------

static void cut_section(Order *o, int first, int block, bool second) {
    int count = o->statement.count - first;
    int parts = count ? (count + o->most - 1) / o->most : 1;
    for (int i = 0; i < parts; i++) {
        int from = (int)((int64_t)count * i / parts), to = (int)((int64_t)count * (i + 1) / parts);
        Part part = {first + from, to - from, i == 0 ? block : -1, NO_LOOP, second, 0, 0};
        array_push(&o->part, part);
    }
}

typedef ARRAY(int) List;

static void add_section(Order *o, const List *list, int block, bool second) {
    int from = o->statement.count;
    schedule_section(o, list->data, list->count);
    cut_section(o, from, block, second);
}

// Instructions [first, end): implicit blocks are barriers. At least one section, an empty one maybe.
static void add_half(Order *o, int first, int end, bool second) {
    int block = -1;
    List list = {0};
    for (int i = first; i <= end; i++) {
        bool solves = i < end && o->f->code[i].op == TAPE_BLOCK;
        if (!solves && i < end) {
            array_push(&list, i);
            continue;
        }
        add_section(o, &list, block, second);
        block = solves ? (int)o->f->code[i].b : -1;
        list.count = 0;
    }
    array_free(&list);
}

static int by_number(const void *a, const void *b) {
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

// A loop is a part of its own; its last round stands for all.
static void add_loop(Order *o, int k) {
    const TapeLoop *loop = &o->roll.loop.data[k];
    List list = {0};
    for (int i = 0; i < loop->body.count; i++)
        array_push(&list, roll_member(&o->roll, loop->body.data[i], loop->low + loop->rounds - 1));
    if (list.data) qsort(list.data, (size_t)list.count, sizeof *list.data, by_number);
    Part part = {o->statement.count, list.count, -1, k, false, 0, 0};
    schedule_section(o, list.data, list.count);
    array_push(&o->part, part);
    array_free(&list);
}

// Straight-line code and loops take turns; straight-line code comes last.
static void add_rolled(Order *o) {
    const Roll *r = &o->roll;
    List list = {0};
    for (int phase = 0; phase <= r->phases; phase++) {
        list.count = 0;
        for (int i = 0; i < r->end; i++)
            if (r->phase[i] == phase && roll_loop_of(r, i) < 0) array_push(&list, i);
        if (list.count || phase == r->phases) add_section(o, &list, -1, false);
        for (int k = 0; k < r->loop.count; k++)
            if (r->loop.data[k].rounds && r->loop.data[k].phase == phase) add_loop(o, k);
    }
    array_free(&list);
}

// Results are handed over by the last part of their half; many of them by parts of their own.
static void add_results(Order *o, int first, int end) {
    Part *last = &o->part.data[o->part.count - 1];
    last->first_result = first;
    last->end_result = end - first <= o->most ? end : first;
    for (int i = last->end_result; i < end; i += o->most) {
        Part part = *last;
        part.first = o->statement.count;
        part.count = 0;
        part.block = -1;
        part.first_result = i;
        part.end_result = end - i < o->most ? end : i + o->most;
        array_push(&o->part, part);
        last = &o->part.data[o->part.count - 1];
    }
}

// --- slots ---------------------------------------------------------------------------------------

static void use_in(Order *o, Ref r, int part) {
    if (r >= 0 && o->value[r].last_part < part) o->value[r].last_part = part;
}

static void find_parts(Order *o) {
    for (int k = 0; k < o->part.count; k++)
        for (int i = 0; i < o->part.data[k].count; i++)
            o->value[o->statement.data[o->part.data[k].first + i]].part = k;
    for (int k = 0; k < o->part.count; k++) {
        if (o->part.data[k].loop < 0) continue;
        const TapeLoop *loop = &o->roll.loop.data[o->part.data[k].loop];
        for (int i = 0; i < loop->body.count; i++)
            for (int t = 0; t < loop->rounds; t++)
                o->value[roll_member(&o->roll, loop->body.data[i], loop->low + t)].part = k;
    }
    for (int i = 0; i < o->f->count; i++) {
        Value *v = &o->value[i];
        v->part = o->value[leader(o, i)].part;
        v->last_part = v->part;
    }
}

static void find_uses(Order *o) {
    find_parts(o);
    for (int i = 0; i < o->f->count; i++)
        for (int k = 0; k < READS; k++) use_in(o, o->value[i].read[k], o->value[i].part);
    for (int k = 0; k < o->part.count; k++)
        for (int i = o->part.data[k].first_result; i < o->part.data[k].end_result; i++)
            use_in(o, o->result[i], k);
}

static void give_slot(Order *o, Value *v, Heap *busy, Heap *idle) {
    if (v->last_part <= v->part || v->slot != NO_SLOT) return;
    v->slot = idle->entry.count ? heap_pop(idle).index : o->slots++;
    heap_push(busy, v->last_part, v->slot);
}

// A slot is free again after the last part that reads it.
static void give_slots(Order *o) {
    Heap busy = {0}, idle = {0};
    for (int k = 0; k < o->part.count; k++) {
        while (busy.entry.count && busy.entry.data[0].key < k)
            heap_push(&idle, 0, heap_pop(&busy).index);
        for (int i = 0; i < o->part.data[k].count; i++) {
            int at = o->statement.data[o->part.data[k].first + i], group = o->value[at].group;
            do give_slot(o, &o->value[at], &busy, &idle);
            while (group >= 0 && ++at < o->f->count && o->value[at].group == group);
        }
    }
    array_free(&busy.entry);
    array_free(&idle.entry);
}

// What other parts read of a series is kept in rows, but for its last round, which needs a slot.
static bool wants_row(const Order *o, const Series *s) {
    const Roll *r = &o->roll;
    if (s->column >= 0) return true;
    for (int m = 0; m < s->count; m++) {
        int at = r->member.data[s->first + m], loop = roll_loop_of(r, at);
        const Value *v = &o->value[at];
        if (loop < 0 || v->last_part <= v->part) continue;
        if (roll_row(r, s, m) < r->loop.data[loop].low + r->loop.data[loop].rounds - 1) return true;
    }
    return false;
}

// Series that rounds of a loop read, each another member.
static void mark_read_series(Order *o) {
    Roll *r = &o->roll;
    for (int k = 0; k < o->part.count; k++) {
        const Part *part = &o->part.data[k];
        for (int i = 0; i < part->count && part->loop >= 0; i++) {
            int at = o->statement.data[part->first + i];
            for (int which = 0; which < READS; which++) {
                if (!value_reads((TapeOp)o->f->code[at].op, which)) continue;
                Source s = roll_source(r, r->series_of[at], which);
                if (s.kind == FROM_SERIES) r->series.data[s.series].column = 0;
            }
        }
    }
}

// Rows of slots: a row per round of a loop, or per number of the series without a loop, with the
// values that other parts read. So the rounds of a loop find them at equal distances.
static void give_rows(Order *o, const int *series, int count) {
    Roll *r = &o->roll;
    int width = 0, low = INT32_MAX, high = INT32_MIN;
    for (int i = 0; i < count; i++) {
        Series *s = &r->series.data[series[i]];
        if (!wants_row(o, s)) continue;
        s->column = width++;
        int a = roll_row(r, s, 0), b = roll_row(r, s, s->count - 1);
        if (a < low) low = a;
        if (b < low) low = b;
        if (a > high) high = a;
        if (b > high) high = b;
    }
    for (int i = 0; i < count; i++) {
        const Series *s = &r->series.data[series[i]];
        for (int m = 0; m < s->count && s->column >= 0; m++) {
            int at = r->member.data[s->first + m];
            Value *v = &o->value[at];
            if (v->last_part <= v->part && roll_loop_of(r, at) < 0) continue;
            v->slot = o->slots + (roll_row(r, s, m) - low) * width + s->column;
        }
    }
    if (width) o->slots += (high - low + 1) * width;
}

static void give_all_rows(Order *o) {
    const Roll *r = &o->roll;
    List rest = {0};
    mark_read_series(o);
    for (int k = 0; k < r->loop.count; k++)
        give_rows(o, r->loop.data[k].body.data, r->loop.data[k].body.count);
    for (int i = 0; i < r->series.count; i++)
        if (r->series.data[i].loop < 0) array_push(&rest, i);
    give_rows(o, rest.data, rest.count);
    array_free(&rest);
}

// Sines and cosines first, as a group must not be torn by loops.
static void find_loops(Order *o, const Program *p, int half, int split, int least) {
    int *first = memory_zeroed((size_t)half, sizeof *first);
    bool blocks = false;
    for (int i = 0; i < half; i++) {
        first[i] = leader(o, i);
        blocks = blocks || o->f->code[i].op == TAPE_BLOCK;
    }
    if (!blocks) roll_open(&o->roll, p, o->f, o->value, half, o->result, split, first);
    free(first);
    int rolled = 0;
    for (int i = 0; i < o->roll.loop.count; i++)
        rolled += o->roll.loop.data[i].rounds * o->roll.loop.data[i].body.count;
    if (rolled < least) roll_close(&o->roll);
}

void order_open(Order *o, const Program *p, const TapeFunction *f, int half, int split, int lanes,
                int least, int most) {
    *o = (Order){.f = f, .most = most};
    o->value = memory_zeroed((size_t)f->count, sizeof *o->value);
    o->result = memory_zeroed((size_t)f->result_count, sizeof *o->result);
    int *writer = memory_zeroed(p->register_count, sizeof *writer);
    read_values(o, p, writer);
    free(writer);
    find_groups(o, 0, half, lanes);
    find_groups(o, half, f->count, lanes);
    if (least < half) find_loops(o, p, half, split, least);
    if (o->roll.phases)
        add_rolled(o);
    else
        add_half(o, 0, half, false);
    add_results(o, 0, split);
    if (split < f->result_count) {
        add_half(o, half, f->count, true);
        add_results(o, split, f->result_count);
    }
    find_uses(o);
    if (o->roll.phases) give_all_rows(o);
    give_slots(o);
}

void order_close(Order *o) {
    roll_close(&o->roll);
    free(o->value);
    free(o->result);
    array_free(&o->statement);
    array_free(&o->part);
    array_free(&o->group);
}
