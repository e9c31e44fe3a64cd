// Interval arithmetic on tapes. Every operation gives the smallest interval that contains all its
// values where that is cheap, and the whole line where its arguments lie outside of what it is
// defined for.
#include "engine/bounds.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "expr/kernels.h"
#include <math.h>

struct Bounds {
    const Program *program;
    const TapeFunction *function;
    const Machine
        *holds; // its relations and pieces stay as they are; NULL: they are what bounds say
    Bound *reg;
    ARRAY(uint32_t) input; // registers that are read and not written, but for time
    unsigned char *jumps;  // per register, see bounds_jump
};

static const Bound whole_line = {-INFINITY, INFINITY};

static Bound make(double low, double high) {
    return (Bound){isnan(low) ? -INFINITY : low, isnan(high) ? INFINITY : high};
}

static Bound hull(Bound a, Bound b) { return make(smaller(a.low, b.low), larger(a.high, b.high)); }
static bool has(Bound a, double x) { return a.low <= x && x <= a.high; }
static Bound point(double x) { return (Bound){x, x}; }
static bool is_point(Bound a) { return a.low == a.high; }
static Bound negated(Bound a) { return (Bound){-a.high, -a.low}; }

// --- arithmetic ----------------------------------------------------------------------------------

static Bound add(Bound a, Bound b) { return make(a.low + b.low, a.high + b.high); }
static double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

static Bound multiply(Bound a, Bound b) {
    double x[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
                  times(a.high, b.high)};
    return make(smaller(smaller(x[0], x[1]), smaller(x[2], x[3])),
                larger(larger(x[0], x[1]), larger(x[2], x[3])));
}

static Bound size_of(Bound a) { // |a|
    double far = larger(fabs(a.low), fabs(a.high));
    return (Bound){has(a, 0) ? 0 : smaller(fabs(a.low), fabs(a.high)), far};
}

static Bound square(Bound a) {
    Bound size = size_of(a);
    return make(size.low * size.low, size.high * size.high);
}

static Bound reciprocal(Bound a) {
    if (a.low == 0 && a.high > 0) return make(1 / a.high, INFINITY);
    if (a.high == 0 && a.low < 0) return make(-INFINITY, 1 / a.low);
    return has(a, 0) ? whole_line : make(1 / a.high, 1 / a.low);
}

// --- functions -----------------------------------------------------------------------------------

static Bound rising(double (*f)(double), Bound a) { return make(f(a.low), f(a.high)); }

// Over what the function is defined for.
static Bound within(Bound a, double low, double high) {
    return make(smaller(larger(a.low, low), high), larger(smaller(a.high, high), low));
}

static Bound whole_power(Bound a, int n) {
    if (n < 0) return reciprocal(whole_power(a, -n));
    Bound x = n % 2 ? a : size_of(a);
    return make(kernel_power(x.low, n), kernel_power(x.high, n));
}

static Bound power(Bound a, Bound b) {
    if (is_point(b) && b.low == floor(b.low) && fabs(b.low) < 1000)
        return whole_power(a, (int)b.low);
    if (a.high < 0) return whole_line;
    a.low = larger(a.low, 0);
    double x[] = {pow(a.low, b.low), pow(a.low, b.high), pow(a.high, b.low), pow(a.high, b.high)};
    for (int i = 0; i < 4; i++)
        if (isnan(x[i])) return whole_line;
    return make(smaller(smaller(x[0], x[1]), smaller(x[2], x[3])),
                larger(larger(x[0], x[1]), larger(x[2], x[3])));
}

// Is one of the points at + k period inside?
static bool meets(Bound a, double at, double period) {
    return floor((a.high - at) / period) > floor((a.low - at) / period) ||
           floor((a.low - at) / period) * period + at == a.low;
}

static const double half_turn = 3.14159265358979323846;

static Bound cosine(Bound a) {
    if (!(a.high - a.low < 2 * half_turn)) return (Bound){-1, 1};
    double x = cos(a.low), y = cos(a.high);
    return make(meets(a, half_turn, 2 * half_turn) ? -1 : smaller(x, y),
                meets(a, 0, 2 * half_turn) ? 1 : larger(x, y));
}

static Bound sine(Bound a) { return cosine(make(a.low - half_turn / 2, a.high - half_turn / 2)); }

static Bound tangent(Bound a) {
    bool pole = !(a.high - a.low < half_turn) || meets(a, half_turn / 2, half_turn);
    return pole ? whole_line : rising(tan, a);
}

static Bound angle(Bound y, Bound x) {
    if (x.low <= 0 && has(y, 0)) return (Bound){-half_turn, half_turn};
    Bound near = make(smaller(atan2(y.low, x.low), atan2(y.low, x.high)),
                      larger(atan2(y.low, x.low), atan2(y.low, x.high)));
    Bound far = make(smaller(atan2(y.high, x.low), atan2(y.high, x.high)),
                     larger(atan2(y.high, x.low), atan2(y.high, x.high)));
    return hull(near, far);
}

static Bound modulo(Bound x, Bound y) {
    if (!is_point(y) || y.low == 0) return whole_line;
    if (floor(x.low / y.low) != floor(x.high / y.low))
        return make(smaller(0, y.low), larger(0, y.low));
    double a = kernel_mod(x.low, y.low), b = kernel_mod(x.high, y.low);
    return make(smaller(a, b), larger(a, b));
}

// --- relations: 1, 0, or [0, 1] ------------------------------------------------------------------

static Bound truth(bool always, bool never) { return (Bound){always, !never}; }
static Bound less(Bound a, Bound b) { return truth(a.high < b.low, a.low >= b.high); }
static Bound less_equal(Bound a, Bound b) { return truth(a.high <= b.low, a.low > b.high); }
static bool is_always(Bound a) { return !has(a, 0); }
static bool is_never(Bound a) { return a.low == 0 && a.high == 0; }

static Bound equal(Bound a, Bound b) {
    return truth(is_point(a) && is_point(b) && a.low == b.low, a.high < b.low || b.high < a.low);
}

static Bound both(Bound a, Bound b) {
    return truth(is_always(a) && is_always(b), is_never(a) || is_never(b));
}

static Bound either(Bound a, Bound b) {
    return truth(is_always(a) || is_always(b), is_never(a) && is_never(b));
}

// --- tables --------------------------------------------------------------------------------------

// The first row at or above x.
static int row_above(const Table *t, double x) {
    int low = 0, high = t->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (t->x[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Tables are monotone between their rows.
static Bound value_of(const Table *t, Bound x) {
    double a = table_value(t, x.low), b = table_value(t, x.high);
    Bound y = make(smaller(a, b), larger(a, b));
    for (int i = row_above(t, x.low); i < t->count && t->x[i] <= x.high; i++)
        y = make(smaller(y.low, t->y[i]), larger(y.high, t->y[i]));
    return y;
}

// The slope of a cubic is a parabola: a quarter more than three points of it say.
static Bound slope_of(const Table *t, Bound x) {
    double a = table_slope(t, x.low), b = table_slope(t, x.high);
    Bound y = make(smaller(a, b), larger(a, b));
    int first = row_above(t, x.low);
    for (int i = first > 0 ? first - 1 : 0; i < t->count && t->x[i] <= x.high; i++) {
        double at[] = {t->x[i], i + 1 < t->count ? (t->x[i] + t->x[i + 1]) / 2 : t->x[i]};
        for (int k = 0; k < 2; k++) {
            double slope = table_slope(t, at[k]);
            y = make(smaller(y.low, slope), larger(y.high, slope));
        }
    }
    double more = t->smooth ? (y.high - y.low) / 4 : 0;
    return make(y.low - more, y.high + more);
}

// --- tapes ---------------------------------------------------------------------------------------

static Bound arithmetic(const Instruction *c, Bound a, Bound b, Bound to) {
    switch ((TapeOp)c->op) {
    case TAPE_COPY: return a;
    case TAPE_ADD: return add(a, b);
    case TAPE_SUB: return add(a, negated(b));
    case TAPE_MUL: return c->a == c->b ? square(a) : multiply(a, b);
    case TAPE_DIV: return multiply(a, reciprocal(b));
    case TAPE_NEG: return negated(a);
    case TAPE_SQUARE: return square(a);
    case TAPE_SQRT: return rising(sqrt, within(a, 0, INFINITY));
    case TAPE_RECIPROCAL: return reciprocal(a);
    case TAPE_MULADD: return add(to, c->a == c->b ? square(a) : multiply(a, b));
    case TAPE_MULSUB: return add(to, negated(c->a == c->b ? square(a) : multiply(a, b)));
    case TAPE_SELECT: return is_always(a) ? b : is_never(a) ? to : hull(b, to);
    case TAPE_SWITCH: return c->aux ? less_equal(a, (Bound){0, 0}) : less(a, (Bound){0, 0});
    case TAPE_HELD: return a;
    default: return whole_line;
    }
}

static Bound function_of(Op op, Bound a, Bound b) {
    switch (op) {
    case OP_POWER: return power(a, b);
    case OP_ABS: return size_of(a);
    case OP_SIGN: return make(kernel_sign(a.low), kernel_sign(a.high));
    case OP_EXP: return rising(exp, a);
    case OP_LOG: return a.high > 0 ? rising(log, within(a, 0, INFINITY)) : whole_line;
    case OP_SIN: return sine(a);
    case OP_COS: return cosine(a);
    case OP_TAN: return tangent(a);
    case OP_ASIN: return rising(asin, within(a, -1, 1));
    case OP_ACOS: a = within(a, -1, 1); return make(acos(a.high), acos(a.low));
    case OP_ATAN: return rising(atan, a);
    case OP_SINH: return rising(sinh, a);
    case OP_COSH: return rising(cosh, size_of(a));
    case OP_TANH: return rising(tanh, a);
    case OP_FLOOR: return rising(floor, a);
    case OP_CEIL: return rising(ceil, a);
    case OP_ATAN2: return angle(a, b);
    case OP_MIN: return make(smaller(a.low, b.low), smaller(a.high, b.high));
    case OP_MAX: return make(larger(a.low, b.low), larger(a.high, b.high));
    case OP_MOD: return modulo(a, b);
    case OP_LESS: return less(a, b);
    case OP_LESS_EQUAL: return less_equal(a, b);
    case OP_EQUAL: return equal(a, b);
    case OP_AND: return both(a, b);
    case OP_OR: return either(a, b);
    case OP_NOT: return truth(is_never(a), is_always(a));
    default: return whole_line;
    }
}

// Where no relation or piece that is held keeps the operation smooth.
static bool may_jump(const Bounds *b, const Instruction *c) {
    Bound x = b->reg[c->a], y = tape_info[c->op].b ? b->reg[c->b] : point(0);
    switch (c->op) {
    case TAPE_DIV: return has(y, 0);
    case TAPE_RECIPROCAL: return has(x, 0);
    case OP_POWER: return y.low < 0 && has(x, 0);
    case OP_TAN: return !isfinite(tangent(x).low);
    case OP_ATAN2: return y.low <= 0 && has(x, 0);
    case OP_SIGN:
    case OP_FLOOR:
    case OP_CEIL:
    case OP_MOD: return !is_point(function_of((Op)c->op, x, y));
    default: return false;
    }
}

static Bound result_of(const Bounds *b, const Instruction *c) {
    const Bound *r = b->reg;
    Bound first = r[c->a], second = tape_info[c->op].b ? r[c->b] : (Bound){0, 0};
    if (c->op == TAPE_OP_TABLE) return value_of(b->program->table[c->b], first);
    if (c->op == TAPE_OP_TABLE_SLOPE) return slope_of(b->program->table[c->b], first);
    if (b->holds && c->op == TAPE_SWITCH) return point(b->holds->truth[c->b]);
    if (b->holds && c->op == TAPE_HELD) return point(b->holds->piece[c->b]);
    if (c->op >= TAPE_COPY) return arithmetic(c, first, second, r[c->to]);
    return function_of((Op)c->op, first, second);
}

static void note_input(Bounds *b, unsigned char *known, uint32_t reg) {
    if (known[reg]) return;
    known[reg] = 1;
    array_push(&b->input, reg);
}

Bounds *bounds_new(const Program *p, const TapeFunction *f, const Machine *holds) {
    Bounds *b = memory_zeroed(1, sizeof *b);
    unsigned char *known = memory_zeroed(p->register_count, sizeof *known);
    b->program = p;
    b->function = f;
    b->reg = memory_zeroed(p->register_count, sizeof *b->reg);
    b->jumps = memory_zeroed(p->register_count, sizeof *b->jumps);
    b->holds = holds;
    known[p->time] = 1;
    for (int i = 0; i < p->state_count; i++) known[p->first_state + (uint32_t)i] = 1;
    for (int i = 0; i < f->count; i++) {
        const Instruction *c = &f->code[i];
        const TapeInfo *info = &tape_info[c->op];
        if (info->a) note_input(b, known, c->a);
        if (info->b) note_input(b, known, c->b);
        if (info->to) note_input(b, known, c->to);
        known[c->to] = 1;
    }
    for (int i = 0; i < f->result_count; i++) note_input(b, known, f->result[i]);
    for (int i = 0; i < b->input.count; i++) b->reg[b->input.data[i]].low = NAN;
    free(known);
    return b;
}

void bounds_free(Bounds *b) {
    if (!b) return;
    array_free(&b->input);
    free(b->reg);
    free(b->jumps);
    free(b);
}

bool bounds_refresh(Bounds *b, const Machine *m) {
    bool changed = false;
    for (int i = 0; i < b->input.count; i++) {
        uint32_t reg = b->input.data[i];
        if (b->reg[reg].low == m->reg[reg]) continue;
        b->reg[reg] = make(m->reg[reg], m->reg[reg]);
        changed = true;
    }
    return changed;
}

void bounds_give(Bounds *b, int state, Bound over) {
    b->reg[b->program->first_state + (uint32_t)state] = over;
}

void bounds_over(Bounds *b, double from, double to, Bound *result) {
    const TapeFunction *f = b->function;
    b->reg[b->program->time] = (Bound){from, to};
    for (int i = 0; i < f->count; i++) {
        const Instruction *c = &f->code[i];
        const TapeInfo *info = &tape_info[c->op];
        bool held = b->holds && (c->op == TAPE_SWITCH || c->op == TAPE_HELD);
        b->jumps[c->to] = may_jump(b, c) || (info->a && b->jumps[c->a]) ||
                          (info->b && b->jumps[c->b]) || (info->to && b->jumps[c->to]);
        if (held) b->jumps[c->to] = false;
        b->reg[c->to] = result_of(b, c);
    }
    for (int i = 0; i < f->result_count; i++) result[i] = b->reg[f->result[i]];
}

bool bounds_jump(const Bounds *b, int result) { return b->jumps[b->function->result[result]]; }
