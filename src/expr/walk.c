// Walks: the nodes below some roots, each once, arguments first, without recursion.
//
//   stack   nodes whose arguments are not finished; a node is pushed, its arguments are pushed
//           above it, and when it comes to the top again it is appended to the order
//   place   map from node to its place in the order; OPEN while its arguments are under way
//
// Costs are those of what is seen, not those of the whole graph.
#include "expr/internal.h"

#include <string.h>

// --- maps ----------------------------------------------------------------------------------------

static uint32_t map_slot(const NodeMap *m, Expr key) {
    uint32_t i = (key * UINT32_C(2654435769)) & (m->capacity - 1);
    while (m->slot[2 * i] && m->slot[2 * i] != key) i = (i + 1) & (m->capacity - 1);
    return 2 * i;
}

uint32_t map_get(const NodeMap *m, Expr key) {
    if (m->capacity) return m->slot[map_slot(m, key) + 1];
    return key < (uint32_t)m->list.count ? m->list.data[key] : 0;
}

static void list_set(NodeMap *m, Expr key, uint32_t value) {
    int old = m->list.count;
    if (key >= (uint32_t)old) {
        array_reserve(&m->list, (int)key + 1);
        memset(m->list.data + old, 0, ((size_t)key + 1 - (size_t)old) * sizeof *m->list.data);
        m->list.count = (int)key + 1;
    }
    m->list.data[key] = value;
}

// Would a larger table need more than a list up to the highest node? Then the list it is.
static bool map_becomes_list(NodeMap *m, Expr key) {
    for (uint32_t i = 0; i < m->capacity; i++)
        if (m->slot[2 * i] > key) key = m->slot[2 * i];
    if (4 * (uint64_t)m->capacity < key) return false;
    array_reserve(&m->list, (int)key + 1);
    for (uint32_t i = 0; i < m->capacity; i++)
        if (m->slot[2 * i]) list_set(m, m->slot[2 * i], m->slot[2 * i + 1]);
    free(m->slot);
    m->slot = NULL;
    m->capacity = 0;
    return true;
}

static void map_grow(NodeMap *m) {
    NodeMap bigger = {.capacity = m->capacity ? 2 * m->capacity : 32, .count = m->count};
    bigger.slot = calloc(2 * (size_t)bigger.capacity, sizeof *bigger.slot);
    if (!bigger.slot) abort();
    for (uint32_t i = 0; i < m->capacity; i++) {
        if (!m->slot[2 * i]) continue;
        uint32_t at = map_slot(&bigger, m->slot[2 * i]);
        bigger.slot[at] = m->slot[2 * i];
        bigger.slot[at + 1] = m->slot[2 * i + 1];
    }
    free(m->slot);
    *m = bigger;
}

void map_set(NodeMap *m, Expr key, uint32_t value) {
    enum { SMALL = 1024 };
    bool full = m->count >= m->capacity / 3 * 2;
    if (m->list.count || (full && m->capacity >= SMALL && map_becomes_list(m, key))) {
        list_set(m, key, value);
        return;
    }
    if (full) map_grow(m);
    uint32_t at = map_slot(m, key);
    if (!m->slot[at]) m->count++;
    m->slot[at] = key;
    m->slot[at + 1] = value;
}

// Empties the map. A table that is much larger than its contents is freed, so that clearing stays
// cheap.
static void map_clear(NodeMap *m) {
    if (m->list.count || m->capacity > 8 * (m->count + 32))
        map_free(m);
    else if (m->capacity)
        memset(m->slot, 0, 2 * (size_t)m->capacity * sizeof *m->slot);
    m->count = 0;
}

// Forgets the keys; a list keeps its size for the next walk.
void map_forget(NodeMap *m, const Expr *keys, int n) {
    if (!m->list.count) {
        map_clear(m);
        return;
    }
    for (int i = 0; i < n; i++)
        if (keys[i] < (uint32_t)m->list.count) m->list.data[keys[i]] = 0;
    m->count = 0;
}

void map_free(NodeMap *m) {
    free(m->slot);
    array_free(&m->list);
    *m = (NodeMap){0};
}

// --- walks ---------------------------------------------------------------------------------------

#define OPEN UINT32_MAX

struct ExprWalk {
    const Dag *dag;
    NodeMap place; // place in the order plus 1
    ARRAY(Expr) order;
    ARRAY(Expr) stack;
};

ExprWalk *walk_new(const Dag *d) {
    ExprWalk *w = calloc(1, sizeof *w);
    if (!w) abort();
    w->dag = d;
    return w;
}

void walk_free(ExprWalk *w) {
    if (!w) return;
    map_free(&w->place);
    array_free(&w->order);
    array_free(&w->stack);
    free(w);
}

// Clears the places for a new walk. A list is kept: all its keys are in the order, so these are
// cleared.
void walk_start(ExprWalk *w) {
    if (w->place.list.count)
        for (int i = 0; i < w->order.count; i++) w->place.list.data[w->order.data[i]] = 0;
    else
        map_clear(&w->place);
    w->order.count = 0;
}

void walk_add(ExprWalk *w, Expr root) {
    const Dag *d = w->dag;
    if (!root) return;
    array_push(&w->stack, root);
    while (w->stack.count) {
        Expr e = array_last(&w->stack);
        uint32_t place = map_get(&w->place, e);
        if (place == 0 && count_of(d, e) > 0) {
            map_set(&w->place, e, OPEN);
            for (int i = count_of(d, e) - 1; i >= 0; i--) {
                Expr arg = args_of(d, e)[i];
                if (!map_get(&w->place, arg)) array_push(&w->stack, arg);
            }
            continue;
        }
        w->stack.count--;
        if (place && place != OPEN) continue;
        array_push(&w->order, e);
        map_set(&w->place, e, (uint32_t)w->order.count);
    }
}

int walk_count(const ExprWalk *w) { return w->order.count; }

Expr walk_at(const ExprWalk *w, int i) { return w->order.data[i]; }

bool walk_seen(const ExprWalk *w, Expr e) { return map_get(&w->place, e) != 0; }

int walk_place(const ExprWalk *w, Expr e) { return (int)map_get(&w->place, e) - 1; }

// --- single questions ----------------------------------------------------------------------------

// Arguments are older than the node, so nothing older than the symbol can depend on it.
bool expr_depends(const Dag *d, Expr e, Expr symbol) {
    NodeMap seen = {0};
    ARRAY(Expr) stack = {0};
    bool found = e == symbol;
    if (e > symbol) array_push(&stack, e);
    while (stack.count && !found) {
        Expr top = array_pop(&stack);
        for (int i = 0; i < count_of(d, top) && !found; i++) {
            Expr arg = args_of(d, top)[i];
            found = arg == symbol;
            if (arg < symbol || map_get(&seen, arg)) continue;
            map_set(&seen, arg, 1);
            array_push(&stack, arg);
        }
    }
    map_free(&seen);
    array_free(&stack);
    return found;
}

// A factor 1/x is a division, several of them share one; a factor -1 joins the sum around it.
static void count_product(const Dag *d, Expr e, OpCount *c) {
    int over = 0, under = 0;
    for (int i = 0; i < count_of(d, e); i++) {
        Expr arg = args_of(d, e)[i];
        bool inverse = op_of(d, arg) == OP_POWER && is_value(d, args_of(d, arg)[1], -1);
        if (is_value(d, arg, -1)) continue;
        over += !inverse;
        under += inverse;
    }
    c->multiplies += (over > 1 ? over - 1 : 0) + (under > 1 ? under - 1 : 0);
    c->divides += under > 0;
}

// Inverses are counted where they stand; inside a product they were counted there.
static void count_power(const Dag *d, Expr e, OpCount *c) {
    Expr exponent = args_of(d, e)[1];
    double n = is_number(d, exponent) ? number_of(d, exponent) : 0.1;
    if (n == -1) return;
    if (is_integer(n) && n >= -8 && n <= 8) {
        int k = n < 0 ? (int)-n : (int)n;
        for (; k > 1; k >>= 1) c->multiplies += 1 + (k & 1);
        c->divides += n < 0;
    } else {
        c->calls++;
    }
}

static void count_node(const Dag *d, Expr e, OpCount *c) {
    Op op = op_of(d, e);
    if (op == OP_SUM)
        c->adds += count_of(d, e) - 1;
    else if (op == OP_PRODUCT)
        count_product(d, e, c);
    else if (op == OP_POWER)
        count_power(d, e, c);
    else if (op == OP_NUMBER || op == OP_SYMBOL)
        return;
    else if ((op >= OP_EXP && op <= OP_TANH) || op == OP_ATAN2 || op >= OP_TABLE)
        c->calls++;
    else
        c->others++;
}

// Inverses that are no factor of a product divide on their own.
static void count_lone_inverses(const Dag *d, const ExprWalk *w, const Expr *roots, int n,
                                OpCount *c) {
    NodeMap counted = {0};
    for (int i = 0; i < walk_count(w) + n; i++) {
        bool root = i >= walk_count(w);
        Expr e = root ? roots[i - walk_count(w)] : walk_at(w, i);
        if (!root && op_of(d, e) == OP_PRODUCT) continue;
        for (int k = 0; k < (root ? 1 : count_of(d, e)); k++) {
            Expr arg = root ? e : args_of(d, e)[k];
            if (!arg || op_of(d, arg) != OP_POWER || !is_value(d, args_of(d, arg)[1], -1)) continue;
            if (map_get(&counted, arg)) continue;
            map_set(&counted, arg, 1);
            c->divides++;
        }
    }
    map_free(&counted);
}

OpCount expr_count(const Dag *d, const Expr *roots, int n) {
    OpCount c = {0};
    ExprWalk *w = walk_new(d);
    for (int i = 0; i < n; i++) walk_add(w, roots[i]);
    for (int i = 0; i < walk_count(w); i++) count_node(d, walk_at(w, i), &c);
    count_lone_inverses(d, w, roots, n, &c);
    walk_free(w);
    return c;
}
