// A loop of the tape as C.
//
//     static const double k[][2] = {{0.5, 1.25}, ...};         constants, a row per round
//     double c0_1 = s[7];                                      what the round before has computed
//     for (long i = 0; i < 28; i++) {
//         const double t41 = c0_1 * k[i][0];
//         const double t43 = r[12 + 2 * i] + s[40 + 9 * i];    a state, a value of another loop
//         to[5 * i + 3] = t43;                                 other parts read it
//         c0_1 = t41;
//     }
#include "engine/c_output.h"
#include "engine/native_writer.h"

#include "base/memory.h"

typedef enum {
    ARGUMENT_REF,      // the same in every round
    ARGUMENT_CONSTANT, // column of k
    ARGUMENT_REGISTER, // r[first + step*i]
    ARGUMENT_INDEX,    // r[x[i][column]]
    ARGUMENT_ROW,      // s[first + step*i]
    ARGUMENT_LOCAL,    // value of instruction `ref` in the same round
    ARGUMENT_CARRY     // of a round before
} ArgumentKind;

typedef struct {
    ArgumentKind kind;
    Ref ref;
    int first, step; // or column, or number of the carry
} Argument;

typedef struct { // a value that later rounds need; initial: of the first rounds
    int series, distance;
    Ref initial[MOST_DISTANCE];
} Carry;

typedef struct { // a register per round
    int series, which;
} Column;

typedef ARRAY(Column) Columns;

struct LoopText {
    const Order *o;
    const TapeLoop *loop;
    ARRAY(Argument) argument; // READS per statement
    int *number;              // per series: of its statement
    ARRAY(Carry) carry;
    Columns constant, index;
};

// --- arguments -----------------------------------------------------------------------------------

static Ref column_ref(const LoopText *t, Column c, int round) {
    return roll_ref(&t->o->roll, c.series, c.which, t->loop->low + round);
}

static bool same_column(const LoopText *t, Column a, Column b) {
    for (int i = 0; i < t->loop->rounds; i++)
        if (column_ref(t, a, i) != column_ref(t, b, i)) return false;
    return true;
}

static int find_column(const LoopText *t, Columns *columns, Column c) {
    for (int i = 0; i < columns->count; i++)
        if (same_column(t, columns->data[i], c)) return i;
    array_push(columns, c);
    return columns->count - 1;
}

static Argument register_argument(LoopText *t, Column c, uint32_t constants) {
    Ref first = column_ref(t, c, 0);
    int step = column_ref(t, c, 1) - first;
    bool even = true, constant = true;
    for (int i = 0; i < t->loop->rounds; i++) {
        Ref ref = column_ref(t, c, i);
        even = even && ref == first + i * step;
        constant = constant && (uint32_t)~ref < constants;
    }
    if (even && step == 0) return (Argument){.kind = ARGUMENT_REF, .ref = first};
    if (constant) return (Argument){ARGUMENT_CONSTANT, 0, find_column(t, &t->constant, c), 0};
    if (even) return (Argument){ARGUMENT_REGISTER, 0, ~first, -step};
    return (Argument){ARGUMENT_INDEX, 0, find_column(t, &t->index, c), 0};
}

static int find_carry(LoopText *t, const Source *s, Column c) {
    Carry carry = {.series = s->series, .distance = s->distance};
    for (int i = 0; i < s->distance; i++) carry.initial[i] = column_ref(t, c, i);
    for (int i = 0; i < t->carry.count; i++) {
        const Carry *old = &t->carry.data[i];
        bool same = old->series == carry.series && old->distance == carry.distance;
        for (int k = 0; k < s->distance && same; k++) same = old->initial[k] == carry.initial[k];
        if (same) return i;
    }
    array_push(&t->carry, carry);
    return t->carry.count - 1;
}

static Argument find_argument(LoopText *t, Column c, uint32_t constants) {
    const Roll *r = &t->o->roll;
    Source s = roll_source(r, c.series, c.which);
    switch (s.kind) {
    case FROM_REGISTER: return register_argument(t, c, constants);
    case FROM_OUTSIDE: return (Argument){.kind = ARGUMENT_REF, .ref = s.ref};
    case FROM_SERIES: break;
    case FROM_ROUND:
        if (s.distance) return (Argument){ARGUMENT_CARRY, 0, find_carry(t, &s, c), s.distance};
        int last = t->loop->low + t->loop->rounds - 1;
        return (Argument){.kind = ARGUMENT_LOCAL, .ref = roll_member(r, s.series, last)};
    }
    int slot = t->o->value[column_ref(t, c, 0)].slot;
    return (Argument){ARGUMENT_ROW, 0, slot, t->o->value[column_ref(t, c, 1)].slot - slot};
}

static void find_arguments(LoopText *t, const Part *part, uint32_t constants) {
    for (int i = 0; i < part->count; i++) {
        int at = t->o->statement.data[part->first + i], series = t->o->roll.series_of[at];
        t->number[series] = i;
        for (int k = 0; k < READS; k++) {
            bool read = value_reads((TapeOp)t->o->f->code[at].op, k);
            Argument a = read ? find_argument(t, (Column){series, k}, constants) : (Argument){0};
            array_push(&t->argument, a);
        }
    }
}

// --- text ----------------------------------------------------------------------------------------

static void write_line(Writer *w, const char *array, int first, int step) {
    text_printf(w->out, "%s[%d %c %d * i]", array, first, step < 0 ? '-' : '+', abs(step));
}

void write_loop_operand(Writer *w, int i, int which) {
    const LoopText *t = w->loop;
    Argument a = t->argument.data[READS * t->number[w->o->roll.series_of[i]] + which];
    switch (a.kind) {
    case ARGUMENT_REF: write_ref(w, a.ref); break;
    case ARGUMENT_CONSTANT:
        text_printf(w->out, w->lanes ? "each(k[i][%d])" : "k[i][%d]", a.first);
        break;
    case ARGUMENT_REGISTER: write_line(w, "r", a.first, a.step); break;
    case ARGUMENT_INDEX: text_printf(w->out, "r[x[i][%d]]", a.first); break;
    case ARGUMENT_ROW: write_line(w, "s", a.first, a.step); break;
    case ARGUMENT_LOCAL: text_printf(w->out, "t%d", a.ref); break;
    case ARGUMENT_CARRY: text_printf(w->out, "c%d_%d", a.first, a.step); break;
    }
}

// A value whose last round other parts read, but none of its others.
static bool is_end(const Writer *w, int i) {
    const Roll *r = &w->o->roll;
    return w->o->value[i].slot != NO_SLOT && r->series.data[r->series_of[i]].column < 0;
}

static int carry_of(const LoopText *t, int series) {
    int i = 0;
    while (i < t->carry.count && t->carry.data[i].series != series) i++;
    return i < t->carry.count ? i : -1;
}

void write_loop_copy(Writer *w, int i) {
    const Roll *r = &w->o->roll;
    int series = r->series_of[i], low = w->loop->loop->low;
    if (is_end(w, i) && carry_of(w->loop, series) < 0)
        text_printf(w->out, "    e%d = t%d;\n", i, i);
    if (r->series.data[series].column < 0) return;
    int slot = w->o->value[roll_member(r, series, low)].slot;
    int step = w->o->value[roll_member(r, series, low + 1)].slot - slot;
    text_add(w->out, "    ");
    write_line(w, "to", slot, step);
    text_printf(w->out, " = t%d;\n", i);
}

static void write_columns(Writer *w, const Columns *columns, const char *what) {
    const LoopText *t = w->loop;
    if (!columns->count) return;
    bool constants = columns == &t->constant;
    text_printf(w->out, "    static const %s[][%d] = {\n", what, columns->count);
    for (int i = 0; i < t->loop->rounds; i++) {
        for (int k = 0; k < columns->count; k++) {
            uint32_t number = (uint32_t)~column_ref(t, columns->data[k], i);
            text_add(w->out, k ? ", " : "        {");
            if (constants)
                c_number(w->out, w->p->constant[number]);
            else
                text_printf(w->out, "%u", number);
        }
        text_add(w->out, "},\n");
    }
    text_add(w->out, "    };\n");
}

// c_1: of the round before, c_2: of the one before that ... At first what those rounds, which are
// not in the loop, would have left.
static void write_carries(Writer *w) {
    for (int i = 0; i < w->loop->carry.count; i++) {
        const Carry *c = &w->loop->carry.data[i];
        for (int k = 0; k < c->distance; k++) {
            text_printf(w->out, "    %s c%d_%d = ", w->type, i, c->distance - k);
            write_ref(w, c->initial[k]);
            text_add(w->out, ";\n");
        }
    }
}

static void write_ends(Writer *w, const Part *part, bool before) {
    for (int k = 0; k < part->count; k++) {
        int i = w->o->statement.data[part->first + k], slot = w->o->value[i].slot;
        if (!is_end(w, i)) continue;
        int carry = carry_of(w->loop, w->o->roll.series_of[i]);
        if (before && carry < 0) text_printf(w->out, "    %s e%d;\n", w->type, i);
        if (before) continue;
        text_printf(w->out, "    s[%d] = %c%d%s;\n", slot, carry < 0 ? 'e' : 'c',
                    carry < 0 ? i : carry, carry < 0 ? "" : "_1");
    }
}

static void write_turn(Writer *w) {
    const LoopText *t = w->loop;
    int last = t->loop->low + t->loop->rounds - 1;
    for (int i = 0; i < t->carry.count; i++) {
        const Carry *c = &t->carry.data[i];
        for (int k = c->distance; k > 1; k--)
            text_printf(w->out, "    c%d_%d = c%d_%d;\n", i, k, i, k - 1);
        text_printf(w->out, "    c%d_1 = t%d;\n", i, roll_member(&t->o->roll, c->series, last));
    }
}

void write_loop(Writer *w, const Part *part) {
    LoopText t = {.o = w->o, .loop = &w->o->roll.loop.data[part->loop]};
    t.number = memory_zeroed((size_t)w->o->roll.series.count, sizeof *t.number);
    find_arguments(&t, part, w->p->constant_count);
    w->loop = &t;
    write_columns(w, &t.constant, "double k");
    write_columns(w, &t.index, "unsigned x");
    write_carries(w);
    write_ends(w, part, true);
    text_printf(w->out, "    %s *restrict to = s;\n    (void)to;\n", w->type);
    text_printf(w->out, "    for (long i = 0; i < %d; i++) {\n", t.loop->rounds);
    for (int i = 0; i < part->count; i++) write_statement(w, w->o->statement.data[part->first + i]);
    write_turn(w);
    text_add(w->out, "    }\n");
    write_ends(w, part, false);
    w->loop = NULL;
    free(t.number);
    array_free(&t.argument);
    array_free(&t.carry);
    array_free(&t.constant);
    array_free(&t.index);
}
