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

bool order_is_angle(TapeOp op) { return op == TAPE_OP_SIN || op == TAPE_OP_COS; }

// --- values --------------------------------------------------------------------------------------

static void read_values(Order *o, const Program *p, int *writer) {
    const TapeFunction *f = o->f;
    for (uint32_t i = 0; i < p->register_count; i++) writer[i] = ~(int)i;
    for (int i = 0; i < f->count; i++) {
        Instruction c = f->code[i];
        const TapeInfo *info = &tape_info[c.op];
        o->value[i] = (Value){.a = info->a ? writer[c.a] : -1,
                              .b = info->b ? writer[c.b] : -1,
                              .to = info->to ? writer[c.to] : -1,
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
        Ref a = o->value[i].a;
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
    int first, end;
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

// Instructions of this section whose values i reads.
static int operands(const Schedule *s, int i, int out[3]) {
    const Value *v = &s->o->value[i];
    Ref ref[3] = {v->a, v->b, v->to};
    int count = 0;
    for (int k = 0; k < 3; k++) {
        if (ref[k] < s->first) continue;
        int from = leader(s->o, ref[k]);
        bool twice = (count > 0 && out[0] == from) || (count > 1 && out[1] == from);
        if (!twice) out[count++] = from;
    }
    return count;
}

static void find_users(Schedule *s) {
    int n = s->end - s->first, from[3];
    int *next = memory_zeroed((size_t)n + 1, sizeof *next);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = s->first; i < s->end; i++) {
            int count = operands(s, i, from), to = leader(s->o, i);
            for (int k = 0; k < count; k++) {
                int at = from[k] - s->first;
                if (pass == 0)
                    s->user_start[at + 1]++;
                else
                    s->user[s->user_start[at] + next[at]++] = to, s->missing[to - s->first]++;
            }
        }
        for (int i = 0; i < n && pass == 0; i++) s->user_start[i + 1] += s->user_start[i];
    }
    free(next);
}

static void find_paths(Schedule *s) {
    for (int i = s->end - 1 - s->first; i >= 0; i--) {
        int longest = 0;
        for (int k = s->user_start[i]; k < s->user_start[i + 1]; k++) {
            int path = s->path[s->user[k] - s->first];
            if (path > longest) longest = path;
        }
        s->path[i] = longest + duration((TapeOp)s->o->f->code[s->first + i].op);
    }
}

static void admit(Schedule *s) {
    int n = s->end - s->first;
    for (;; s->admitted++) {
        while (s->low < s->admitted && s->done[s->low]) s->low++;
        int i = s->admitted;
        if (i >= n || i >= s->low + WINDOW) return;
        if (leader(s->o, s->first + i) != s->first + i)
            s->done[i] = true; // its leader stands for it
        else if (s->missing[i] == 0)
            heap_push(&s->waiting, s->ready[i], i);
    }
}

static void issue(Schedule *s, int i, int cycle) {
    int end = cycle + duration((TapeOp)s->o->f->code[s->first + i].op);
    array_push(&s->o->statement, s->first + i);
    s->done[i] = true;
    for (int k = s->user_start[i]; k < s->user_start[i + 1]; k++) {
        int user = s->user[k] - s->first;
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

static void schedule_section(Order *o, int first, int end) {
    size_t n = (size_t)(end - first);
    Schedule s = {.o = o, .first = first, .end = end};
    int *space = memory_zeroed(4 * n + 1 + 3 * n, sizeof *space);
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
    int parts = count ? (count + PART_STATEMENTS - 1) / PART_STATEMENTS : 1;
    for (int i = 0; i < parts; i++) {
        int from = (int)((int64_t)count * i / parts), to = (int)((int64_t)count * (i + 1) / parts);
        Part part = {first + from, to - from, i == 0 ? block : -1, second, 0, 0};
        array_push(&o->part, part);
    }
}

// Instructions [first, end): implicit blocks are borders. At least one section, an empty one maybe.
static void add_half(Order *o, int first, int end, bool second, int lanes) {
    int block = -1;
    for (int i = first; i <= end; i++) {
        bool solves = i < end && o->f->code[i].op == TAPE_BLOCK;
        if (!solves && i < end) continue;
        int from = o->statement.count;
        find_groups(o, first, i, lanes);
        schedule_section(o, first, i);
        cut_section(o, from, block, second);
        block = solves ? (int)o->f->code[i].b : -1;
        first = i + 1;
    }
}

// Results are handed over by the last part of their half; many of them by parts of their own.
static void add_results(Order *o, int first, int end) {
    Part *last = &o->part.data[o->part.count - 1];
    last->first_result = first;
    last->end_result = end - first <= PART_STATEMENTS ? end : first;
    for (int i = last->end_result; i < end; i += PART_STATEMENTS) {
        Part part = *last;
        part.first = o->statement.count;
        part.count = 0;
        part.block = -1;
        part.first_result = i;
        part.end_result = end - i < PART_STATEMENTS ? end : i + PART_STATEMENTS;
        array_push(&o->part, part);
        last = &o->part.data[o->part.count - 1];
    }
}

// --- slots ---------------------------------------------------------------------------------------

static void use_in(Order *o, Ref r, int part) {
    if (r >= 0 && o->value[r].last_part < part) o->value[r].last_part = part;
}

static void find_uses(Order *o) {
    for (int k = 0; k < o->part.count; k++)
        for (int i = 0; i < o->part.data[k].count; i++)
            o->value[o->statement.data[o->part.data[k].first + i]].part = k;
    for (int i = 0; i < o->f->count; i++) {
        Value *v = &o->value[i];
        v->part = o->value[leader(o, i)].part;
        v->last_part = v->part;
    }
    for (int i = 0; i < o->f->count; i++) {
        use_in(o, o->value[i].a, o->value[i].part);
        use_in(o, o->value[i].b, o->value[i].part);
        use_in(o, o->value[i].to, o->value[i].part);
    }
    for (int k = 0; k < o->part.count; k++)
        for (int i = o->part.data[k].first_result; i < o->part.data[k].end_result; i++)
            use_in(o, o->result[i], k);
}

static void give_slot(Order *o, Value *v, Heap *busy, Heap *idle) {
    if (v->last_part <= v->part) return;
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

void order_open(Order *o, const Program *p, const TapeFunction *f, int half, int split, int lanes) {
    *o = (Order){.f = f};
    o->value = memory_zeroed((size_t)f->count, sizeof *o->value);
    o->result = memory_zeroed((size_t)f->result_count, sizeof *o->result);
    int *writer = memory_zeroed(p->register_count, sizeof *writer);
    read_values(o, p, writer);
    free(writer);
    add_half(o, 0, half, false, lanes);
    add_results(o, 0, split);
    if (split < f->result_count) {
        add_half(o, half, f->count, true, lanes);
        add_results(o, split, f->result_count);
    }
    find_uses(o);
    give_slots(o);
}

void order_close(Order *o) {
    free(o->value);
    free(o->result);
    array_free(&o->statement);
    array_free(&o->part);
    array_free(&o->group);
}
