// Nodes in memory: making them once, finding them again, looking at them.
//
// A sum or product is looked up by its signature. A hit must have the same arguments, or the same
// parts in another arrangement: (a*b)*c finds a*(b*c). Any other node is looked up by its operator
// and arguments, and its signature is made when the node is new.
#include "expr/internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

Dag *dag_new(Names *names) {
    Dag *d = calloc(1, sizeof *d);
    if (!d) abort();
    d->names = names;
    d->slot_count = 256;
    d->slot = calloc(d->slot_count, sizeof *d->slot);
    if (!d->slot) abort();
    array_push(&d->node, (Node){0});
    array_push(&d->sign, 0);
    return d;
}

#define COPY_ARRAY(to, from)                                                                       \
    if ((from)->count)                                                                             \
    (array_reserve((to), (from)->count), (to)->count = (from)->count,                              \
     memcpy((to)->data, (from)->data, (size_t)(from)->count * sizeof *(to)->data))

Dag *dag_copy(const Dag *from, Names *names) {
    Dag *d = dag_new(names);
    COPY_ARRAY(&d->node, &from->node);
    COPY_ARRAY(&d->sign, &from->sign);
    COPY_ARRAY(&d->pool, &from->pool);
    COPY_ARRAY(&d->number, &from->number);
    COPY_ARRAY(&d->symbol, &from->symbol);
    COPY_ARRAY(&d->symbol_name, &from->symbol_name);
    COPY_ARRAY(&d->table, &from->table);
    COPY_ARRAY(&d->table_second, &from->table_second);
    COPY_ARRAY(&d->kind, &from->kind);
    free(d->slot);
    d->slot_count = from->slot_count;
    d->slot = calloc(d->slot_count, sizeof *d->slot);
    if (!d->slot) abort();
    memcpy(d->slot, from->slot, d->slot_count * sizeof *d->slot);
    d->keep_shared = from->keep_shared;
    d->shared_count = from->shared_count;
    return d;
}

void dag_free(Dag *d) {
    if (!d) return;
    for (int i = d->kept.count - 1; i >= 0; i--) d->kept.data[i].free_it(d->kept.data[i].what);
    array_free(&d->kept);
    array_free(&d->node);
    array_free(&d->sign);
    array_free(&d->pool);
    array_free(&d->number);
    array_free(&d->symbol);
    array_free(&d->symbol_name);
    array_free(&d->table);
    array_free(&d->table_second);
    array_free(&d->kind);
    array_free(&d->fold);
    arena_free(&d->arena);
    free(d->slot);
    free(d);
}

Dag *dag_grow(const Dag *d) {
    assert(!d->sealed);
    return (Dag *)d;
}

void dag_seal(Dag *d) { d->sealed = true; }

void dag_keep(Dag *d, void *what, void (*free_it)(void *)) {
    array_push(&d->kept, ((Kept){what, free_it}));
}

size_t dag_bytes(const Dag *d) {
    return sizeof *d + (size_t)d->node.capacity * sizeof *d->node.data +
           (size_t)d->sign.capacity * sizeof *d->sign.data +
           (size_t)d->pool.capacity * sizeof *d->pool.data +
           (size_t)d->number.capacity * sizeof *d->number.data +
           (size_t)d->symbol.capacity * (sizeof *d->symbol.data + sizeof *d->symbol_name.data) +
           (size_t)d->table.capacity * (sizeof *d->table.data + sizeof *d->table_second.data) +
           d->slot_count * sizeof *d->slot + d->arena.bytes;
}

uint32_t dag_size(const Dag *d) { return (uint32_t)d->node.count - 1; }

uint64_t dag_visits(const Dag *d) { return d->visits; }

Names *dag_names(const Dag *d) { return d->names; }

bool dag_keep_shared(Dag *d, bool keep) {
    bool before = d->keep_shared;
    d->keep_shared = keep;
    return before;
}

// --- the hash table ------------------------------------------------------------------------------

static bool is_found_by_signature(Op op) { return op == OP_SUM || op == OP_PRODUCT; }

// The signature counts for sums and products only, the arguments for all others only.
static uint32_t hash_of(Op op, const Expr *args, int n, Signature s) {
    if (is_found_by_signature(op)) return (uint32_t)sign_random(s + (uint64_t)op);
    uint64_t h = (uint64_t)op;
    for (int i = 0; i < n; i++) h = (h ^ args[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)sign_random(h);
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t hash_of_node(const Dag *d, Expr e) {
    if (is_number(d, e)) return (uint32_t)sign_random(bits_of(number_of(d, e)));
    Op op = op_of(d, e);
    Signature s = is_found_by_signature(op) ? d->sign.data[e] : 0;
    return hash_of(op, args_of(d, e), count_of(d, e), s);
}

static void slot_insert(Dag *d, Expr e, uint32_t hash) {
    uint32_t i = hash & (d->slot_count - 1);
    while (d->slot[i]) i = (i + 1) & (d->slot_count - 1);
    d->slot[i] = e;
}

static void slots_grow(Dag *d) {
    uint32_t old_count = d->slot_count;
    Expr *old = d->slot;
    d->slot_count *= 2;
    d->slot = calloc(d->slot_count, sizeof *d->slot);
    if (!d->slot) abort();
    for (uint32_t i = 0; i < old_count; i++)
        if (old[i]) slot_insert(d, old[i], hash_of_node(d, old[i]));
    free(old);
}

static Expr add_node(Dag *d, Node node, Signature s) {
    assert(!d->sealed);
    Expr e = (Expr)d->node.count;
    array_push(&d->node, node);
    array_push(&d->sign, s);
    return e;
}

static Expr add_shared_node(Dag *d, Node node, Signature s, uint32_t hash) {
    Expr e = add_node(d, node, s);
    if (++d->shared_count > d->slot_count / 4 * 3) slots_grow(d);
    slot_insert(d, e, hash);
    return e;
}

// --- interning -----------------------------------------------------------------------------------

static Signature product_signature(const Dag *d, const Expr *args, int n) {
    Signature s = 1;
    for (int i = 0; i < n; i++) s = sign_multiply(s, d->sign.data[args[i]]);
    return s;
}

static Signature sum_signature(const Dag *d, const Expr *args, int n) {
    Signature s = 0;
    for (int i = 0; i < n; i++) s = sign_add(s, d->sign.data[args[i]]);
    return s;
}

static Signature structure_signature(const Dag *d, Op op, const Expr *args, int n) {
    Signature s = sign_random((uint64_t)op << 32);
    for (int i = 0; i < n; i++) s = sign_mix(s, d->sign.data[args[i]]);
    return s;
}

// What has no value is equal to nothing else: it is signed by its structure.
static Signature signature(const Dag *d, Op op, const Expr *args, int n, bool undefined) {
    Signature first = d->sign.data[args[0]];
    switch (undefined ? OP_COUNT : op) {
    case OP_SUM: return sum_signature(d, args, n);
    case OP_PRODUCT: return product_signature(d, args, n);
    case OP_SIN: return sign_sin(first);
    case OP_COS: return sign_cos(first);
    case OP_TAN: return sign_multiply(sign_sin(first), sign_power(sign_cos(first), -1));
    case OP_POWER:
        if (is_number(d, args[1])) return sign_real_power(first, number_of(d, args[1]));
        break;
    default: break;
    }
    return structure_signature(d, op, args, n);
}

// Has sin or cos as a factor; has its square, as in k*sin(x)^2 or (k*sin(x))^2.
static int trig_flags(const Dag *d, Op op, const Expr *args, int n) {
    int flags = op == OP_SIN || op == OP_COS ? FLAG_SINE : 0;
    if (op == OP_POWER && has_flag(d, args[0], FLAG_SINE) && is_number(d, args[1])) {
        double exponent = number_of(d, args[1]);
        flags = exponent >= 2 ? FLAG_SINE | FLAG_TRIG : exponent >= 1 ? FLAG_SINE : 0;
    }
    for (int i = 0; op == OP_PRODUCT && i < n; i++)
        flags |= d->node.data[args[i]].flags & (FLAG_SINE | FLAG_TRIG);
    return flags;
}

// Can this never have a value? So it is if it consists of numbers and could not be folded, or if a
// part has none. A part of a branch that is not taken does not count.
static bool is_never_defined(const Dag *d, Op op, const Expr *args, int n) {
    if (op == OP_IF)
        return is_undefined(d, args[0]) || (is_undefined(d, args[1]) && is_undefined(d, args[2]));
    bool numbers = op != OP_MATRIX; // its entries are looked at by those who know its values
    for (int i = 0; i < n; i++) {
        if (is_undefined(d, args[i])) return true;
        numbers = numbers && is_number(d, args[i]);
    }
    return numbers;
}

static bool same_node(const Dag *d, Expr e, Op op, const Expr *args, int n) {
    if (count_of(d, e) == n && !memcmp(args_of(d, e), args, (size_t)n * sizeof *args)) return true;
    return (op == OP_SUM || op == OP_PRODUCT) && !is_undefined(d, e) &&
           same_parts(d, op, e, args, n);
}

// Where the arguments lie in the pool, behind their number when there are many.
static uint32_t pool_add(Dag *d, const Expr *args, int n) {
    array_reserve(&d->pool, d->pool.count + n + 1);
    if (n >= MANY) d->pool.data[d->pool.count++] = (Expr)n;
    uint32_t first = (uint32_t)d->pool.count;
    memcpy(d->pool.data + first, args, (size_t)n * sizeof *args);
    d->pool.count += n;
    return first;
}

Expr intern(Dag *d, Op op, const Expr *args, int n) {
    assert(n > 0);
    bool undefined = is_never_defined(d, op, args, n), signed_first = is_found_by_signature(op);
    Signature s = signed_first ? signature(d, op, args, n, undefined) : 0;
    uint32_t hash = hash_of(op, args, n, s), mask = d->slot_count - 1;
    for (uint32_t i = hash & mask; d->slot[i]; i = (i + 1) & mask) {
        Expr e = d->slot[i];
        if (op_of(d, e) != op) continue;
        if (signed_first && d->sign.data[e] != s) continue;
        if (same_node(d, e, op, args, n)) return e;
    }
    if (!signed_first) s = signature(d, op, args, n, undefined);
    int flags = trig_flags(d, op, args, n) | (undefined ? FLAG_UNDEFINED : 0);
    Node node = {
        .op = (uint8_t)op, .flags = (uint8_t)flags, .count = n < MANY ? (uint16_t)n : MANY};
    node.first = pool_add(d, args, n);
    return add_shared_node(d, node, s, hash);
}

// Numbers are equal when their bits are; -0 is 0. Infinities and NaN can only come from a caller:
// they are kept, and marked.
Expr expr_number(Dag *d, double value) {
    if (value == 0) value = 0;
    if (isnan(value)) value = NAN;
    uint64_t bits = bits_of(value);
    uint32_t hash = (uint32_t)sign_random(bits), mask = d->slot_count - 1;
    for (uint32_t i = hash & mask; d->slot[i]; i = (i + 1) & mask) {
        Expr e = d->slot[i];
        if (is_number(d, e) && bits_of(number_of(d, e)) == bits) return e;
    }
    array_push(&d->number, value);
    Signature s = isfinite(value) ? sign_number(value) : sign_random(bits);
    Node node = {.op = OP_NUMBER,
                 .flags = isfinite(value) ? 0 : FLAG_UNDEFINED,
                 .first = (uint32_t)d->number.count - 1};
    return add_shared_node(d, node, s, hash);
}

Expr expr_symbol(Dag *d, Name name) {
    uint32_t index = (uint32_t)d->symbol.count;
    Expr e = add_node(d, (Node){.op = OP_SYMBOL, .first = index},
                      sign_random((UINT64_C(1) << 40) + index));
    array_push(&d->symbol, e);
    array_push(&d->symbol_name, name);
    return e;
}

// --- looking -------------------------------------------------------------------------------------

Op expr_op(const Dag *d, Expr e) { return op_of(d, e); }

int expr_arg_count(const Dag *d, Expr e) { return count_of(d, e); }

Expr expr_arg(const Dag *d, Expr e, int i) { return args_of(d, e)[i]; }

bool expr_is_number(const Dag *d, Expr e, double *value) {
    if (!e || !is_number(d, e)) return false;
    if (value) *value = number_of(d, e);
    return true;
}

double expr_value(const Dag *d, Expr e) { return number_of(d, e); }

bool expr_is_undefined(const Dag *d, Expr e) { return is_undefined(d, e); }

int expr_symbol_count(const Dag *d) { return d->symbol.count; }

int expr_symbol_index(const Dag *d, Expr e) { return (int)d->node.data[e].first; }

Expr expr_symbol_at(const Dag *d, int index) { return d->symbol.data[index]; }

Name expr_symbol_name(const Dag *d, int index) { return d->symbol_name.data[index]; }

// --- tables --------------------------------------------------------------------------------------

int expr_add_table(Dag *d, const Table *t) {
    array_push(&d->table, t);
    array_push(&d->table_second, -1);
    return d->table.count - 1;
}

const Table *expr_table(const Dag *d, int number) { return d->table.data[number]; }

int expr_table_count(const Dag *d) { return d->table.count; }

// The second derivative of a cubic is a line in each interval, with jumps between them:
//   y'' at x0 = 6(y1 - y0)/h^2 - (4 m0 + 2 m1)/h,   at x1 = -6(y1 - y0)/h^2 + (2 m0 + 4 m1)/h
// A linear table with every x twice; 0 beyond both ends.
int second_derivative_table(Dag *d, int table) {
    if (d->table_second.data[table] >= 0) return d->table_second.data[table];
    const Table *t = d->table.data[table];
    int n = t->count;
    double *x = ARENA_ARRAY(&d->arena, double, 2 * n), *y = ARENA_ARRAY(&d->arena, double, 2 * n);
    for (int i = 0; i < n; i++) {
        x[2 * i] = x[2 * i + 1] = t->x[i];
        if (i + 1 == n) break;
        double h = t->x[i + 1] - t->x[i], rise = 6 * (t->y[i + 1] - t->y[i]) / (h * h);
        double m0 = t->slope[i], m1 = t->slope[i + 1];
        y[2 * i + 1] = rise - (4 * m0 + 2 * m1) / h;
        y[2 * i + 2] = (2 * m0 + 4 * m1) / h - rise;
    }
    Table *second = ARENA_NEW(&d->arena, Table);
    *second = (Table){.count = 2 * n, .x = x, .y = y};
    int number = expr_add_table(d, second);
    d->table_second.data[table] = number;
    return number;
}
